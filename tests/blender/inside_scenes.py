"""Run by Blender's Python: what the checks in this folder share."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

PLACE = Path(tempfile.mkdtemp())


def fresh(fps: int = 24) -> Any:
    """An empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    scene = bpy.context.scene
    scene.render.fps = fps
    return scene


def imported(motion: Any, name: str = "body", mode: str = "NATIVE") -> Any:
    """An armature that Blender's own importer made of a motion's BVH; one unit is a metre, the first key lies at frame 1."""
    import komadori

    path = PLACE / f"{name}.bvh"
    komadori.save(motion, path)
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, rotate_mode=mode, use_fps_scale=False, frame_start=1)
    ob = bpy.context.view_layer.objects.active
    ob.name = name
    bpy.context.scene.frame_end = len(motion)
    return ob


def selected(*obs: Any) -> None:
    """Select these, the first one active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in obs)
    bpy.context.view_layer.objects.active = obs[0] if obs else None


def heads(ob: Any, frames: Any) -> np.ndarray:
    """(F, B, 3) where the bones begin in the world as Blender shows them, Y up."""
    scene, found = bpy.context.scene, []
    for frame in frames:
        scene.frame_set(int(frame))
        shown = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
        world = np.array(shown.matrix_world) @ np.array([[*bone.head, 1.0] for bone in shown.pose.bones]).T
        found.append(np.stack([world[0], world[2], -world[1]], axis=1))
    return np.array(found)


def of_bones(ob: Any, skeleton: Any, world: np.ndarray) -> np.ndarray:
    """The joints of `world` (F, J, 3) that are bones of `ob`, in their order."""
    return world[:, [skeleton.index(bone.name) for bone in ob.pose.bones]]


def seen(ob: Any, frames: Any = None) -> Any:
    """The motion of `ob` as the extension reads it, once by its curves (if it may) and once by the depsgraph; both must agree."""
    from bl_ext.user_default.komadori import actions, armature, reading

    scene = bpy.context.scene
    if frames is None:
        first, last = actions.span(actions.curves_of(ob)) or (scene.frame_start, scene.frame_end)
        frames = np.arange(first, last + 1)
    found, plain = [], reading.is_plain
    for way in (plain, lambda rig: False):
        reading.is_plain = way
        try:
            steps = reading.read(scene, [armature.rig_of(ob, scene)], frames)
            while True:
                next(steps)
        except StopIteration as end:
            found.append(end.value[0][0].motion)
        finally:
            reading.is_plain = plain
    by_curves, by_depsgraph = (motion.world_positions() for motion in found)
    assert np.abs(by_curves - by_depsgraph).max() < 1e-5, np.abs(by_curves - by_depsgraph).max()
    shown = heads(ob, frames)
    index = [found[0].skeleton.names.index(b.name) if b.name in found[0].skeleton.names else -1 for b in ob.pose.bones]
    own = [(n, joint) for n, joint in enumerate(index) if joint >= 0]
    assert np.abs(shown[:, [n for n, _ in own]] - by_curves[:, [j for _, j in own]]).max() < 1e-5
    return found[0]


def curves(ob: Any) -> list[Any]:
    """The curves of the action that plays on `ob`, whatever Blender this is."""
    action = ob.animation_data.action
    if not hasattr(action, "slots"):
        return list(action.fcurves)
    bag = action.layers[0].strips[0].channelbag(ob.animation_data.action_slot)
    return list(bag.fcurves)


def refused(operator: Callable[..., Any], **more: Any) -> str:
    """The one message with which an operator refuses; it must have changed nothing."""
    before = snapshot()
    try:
        done = operator(**more)
    except RuntimeError as error:
        message = str(error).strip()
    else:
        raise AssertionError(f"not refused: {done}")
    assert snapshot() == before, "something was changed"
    lines = [line for line in message.splitlines() if line]
    assert len(lines) == 1, message
    return lines[0].removeprefix("Error: ")


def snapshot() -> str:
    """Everything that an operator could change, in a form that can be compared."""
    found: dict[str, Any] = {"actions": sorted(action.name for action in bpy.data.actions)}
    for ob in bpy.data.objects:
        data = ob.animation_data
        item: dict[str, Any] = {"matrix": np.array(ob.matrix_basis).round(6).tolist()}
        if data is not None:
            item["action"] = data.action.name if data.action else ""
            item["tracks"] = [(track.name, track.mute, len(track.strips)) for track in data.nla_tracks]
            if data.action:
                item["keys"] = [
                    (c.data_path, c.array_index, [(tuple(k.co), k.interpolation) for k in c.keyframe_points])
                    for c in curves(ob)
                ]
        found[ob.name] = item
    scene = bpy.context.scene
    found["frame"] = scene.frame_current
    found["markers"] = [(marker.name, marker.frame) for marker in scene.timeline_markers]
    return json.dumps(found, sort_keys=True, default=str)
