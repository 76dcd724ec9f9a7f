# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a scene: armatures and cameras over a range of frames, from curves if that is all there is, else through the depsgraph."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from komadori import quat
from komadori.camera import Camera
from komadori.errors import OptionError, quoted
from komadori.motion import Motion
from komadori.words import Note

from . import actions, armature
from .actions import Channel
from .armature import Rig

STRIDE = 16
"""Frames that are read before the window may breathe."""
Steps = Generator[float, None, Any]
"""Work in steps: each gives the share that is done; the result comes at the end."""


@dataclass(eq=False)
class Reading:
    """An armature over F frames: its motion, and what writing needs to go back."""

    rig: Rig
    frames: np.ndarray
    poses: np.ndarray
    """(F, B, 4, 4) every bone of the armature, in the armature's space."""
    worlds: np.ndarray
    """(F, 4, 4) the object."""
    motion: Motion
    channels: dict[Channel, np.ndarray] = field(default_factory=dict)
    """Everything that is animated, (F,) each."""


def rate(scene: Any) -> float:
    """Frames per second of the scene."""
    return float(scene.render.fps) / float(scene.render.fps_base)


def read(scene: Any, rigs: Sequence[Rig], frames: np.ndarray, camera: Any = None) -> Steps:
    """[Reading of each rig], and the camera or None. The scene's frame is afterwards what it was."""
    loose = [rig for rig in rigs if not is_plain(rig)]
    moving = camera is not None and not _stands_still(camera)
    seen: list[tuple[np.ndarray, float]] = []
    by_depsgraph: dict[int, tuple[list[Any], list[Any], dict[Channel, list[float]]]] = {
        id(rig): ([], [], {}) for rig in loose
    }
    if loose or moving:
        yield from _frame_by_frame(scene, loose, frames, camera if moving else None, by_depsgraph, seen)
    if camera is not None and not moving:
        seen = [_looking(camera, camera.matrix_world, scene)]
    readings = []
    for rig in rigs:
        if id(rig) in by_depsgraph:
            poses, worlds, found = by_depsgraph[id(rig)]
            channels = {channel: np.array(values) for channel, values in found.items()}
            if not channels:
                channels = _curve_channels(rig, frames)
            readings.append(_made(rig, frames, np.stack(poses), np.stack(worlds), channels, rate(scene)))
        else:
            channels = _curve_channels(rig, frames)
            poses = _posed(rig, channels, len(frames))
            worlds = np.repeat(np.array(rig.object.matrix_world, dtype=np.float64)[None], len(frames), axis=0)
            readings.append(_made(rig, frames, poses, worlds, channels, rate(scene)))
    yield 1.0
    return readings, _camera(seen, rigs[0].metres if rigs else 1.0)


def is_plain(rig: Rig) -> bool:
    """Whether the curves of its action say everything: no constraints, drivers, NLA, parents or unusual inheritance."""
    ob = rig.object
    data = ob.animation_data
    if ob.parent is not None or len(ob.constraints) or (data is not None and (len(data.drivers) or _uses_nla(data))):
        return False
    if ob.data.animation_data is not None:
        return False
    if any(not actions.bone_of(curve.data_path) for curve in actions.curves_of(ob)):
        return False
    if any(any(map(armature.acting, bone.constraints)) for bone in ob.pose.bones):
        return False
    return all(_inherits_all(bone) for bone in ob.data.bones)


def _uses_nla(data: Any) -> bool:
    return data.use_tweak_mode or (
        data.use_nla and any(not track.mute and len(track.strips) for track in data.nla_tracks)
    )


def _inherits_all(bone: Any) -> bool:
    return bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location


def _frame_by_frame(
    scene: Any, rigs: Sequence[Rig], frames: np.ndarray, camera: Any, found: dict[int, Any], seen: list[Any]
) -> Steps:
    import bpy

    before = (scene.frame_current, scene.frame_subframe)
    buffers = {id(rig): np.empty(16 * len(rig.rests), dtype=np.float32) for rig in rigs}
    paths = {id(rig): _nla_channels(rig.object) for rig in rigs}
    try:
        for done, frame in enumerate(frames.tolist()):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            for rig in rigs:
                shown = rig.object.evaluated_get(graph)
                buffer = buffers[id(rig)]
                shown.pose.bones.foreach_get("matrix", buffer)
                poses, worlds, channels = found[id(rig)]
                # Blender keeps matrices by columns.
                poses.append(buffer.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64))
                worlds.append(np.array(shown.matrix_world, dtype=np.float64))
                for path, index in paths[id(rig)]:
                    value = shown.path_resolve(path)
                    value = value[index] if hasattr(value, "__len__") else value
                    channels.setdefault((path, index), []).append(float(value))
            if camera is not None:
                eye = camera.evaluated_get(graph)
                seen.append(_looking(eye, eye.matrix_world, scene))
            if done % STRIDE == STRIDE - 1:
                yield (done + 1) / len(frames)
    finally:
        scene.frame_set(before[0], subframe=before[1])


def _nla_channels(ob: Any) -> list[Channel]:
    """What the NLA animates; its blend is known to the depsgraph alone."""
    data = ob.animation_data
    if data is None or not _uses_nla(data):
        return []
    curves = list(actions.curves_of(ob))
    for track in data.nla_tracks:
        for strip in track.strips if not track.mute else ():
            if strip.action is not None and not strip.mute:
                curves += actions.curves_in(strip.action, getattr(strip, "action_slot", None))
    found = dict.fromkeys((curve.data_path, curve.array_index) for curve in curves if not curve.mute)
    return [channel for channel in found if _resolves(ob, channel)]


def _resolves(ob: Any, channel: Channel) -> bool:
    path, index = channel
    try:
        value = ob.path_resolve(path)
    except ValueError:
        return False
    if hasattr(value, "__len__") and not isinstance(value, str):
        return index < len(value)
    return isinstance(value, int | float)


def _curve_channels(rig: Rig, frames: np.ndarray) -> dict[Channel, np.ndarray]:
    ob = rig.object
    curves = (curve for curve in actions.curves_of(ob) if not curve.mute)
    return {
        channel: actions.sampled(curve, frames)
        for curve in curves
        if _resolves(ob, channel := (curve.data_path, curve.array_index))
    }


def basis_of(bone: Any, channels: dict[Channel, np.ndarray], count: int) -> np.ndarray:
    """(F, 4, 4) what a bone's own channels make of it, on top of its rest pose."""

    def values(name: str, size: int) -> np.ndarray:
        now, path = getattr(bone, name), actions.bone_path(bone.name, name)
        return np.stack(
            [channels.get((path, n), np.full(count, float(now[n]))) for n in range(size)],
            axis=-1,
        )

    if bone.rotation_mode == "QUATERNION":
        w = values("rotation_quaternion", 4)
        turn = quat.normalized(w[..., [1, 2, 3, 0]])
    elif bone.rotation_mode == "AXIS_ANGLE":
        angle = values("rotation_axis_angle", 4)
        axis = angle[..., 1:]
        size = np.linalg.norm(axis, axis=-1, keepdims=True)
        # Blender turns about Y if no axis is given.
        axis = np.where(size > 1e-12, axis / np.maximum(size, 1e-12), [0.0, 1.0, 0.0])
        turn = quat.from_axis_angle(axis, angle[..., 0])
    else:
        turn = quat.from_euler(
            values("rotation_euler", 3)[..., last_first(bone.rotation_mode)], bone.rotation_mode[::-1]
        )
    result = np.zeros((count, 4, 4))
    result[:, :3, :3] = quat.to_matrix(turn) * values("scale", 3)[:, None, :]
    result[:, :3, 3] = values("location", 3)
    result[:, 3, 3] = 1.0
    return result


def last_first(order: str) -> list[int]:
    """Blender's XYZ turns about X first, and keeps the angles as x, y, z; komadori writes the outermost turn first."""
    return ["XYZ".index(axis) for axis in reversed(order)]


def _posed(rig: Rig, channels: dict[Channel, np.ndarray], count: int) -> np.ndarray:
    """(F, B, 4, 4) forward kinematics as Blender does it, of a rig that `is_plain`."""
    poses = np.empty((count, len(rig.rests), 4, 4))
    bones = rig.object.pose.bones
    for n in rig.order:
        parent = rig.parents[n]
        basis = basis_of(bones[n], channels, count)
        if bones[n].bone.use_connect and parent >= 0:
            basis[:, :3, 3] = 0.0
        if parent < 0:
            poses[:, n] = rig.rests[n] @ basis
        else:
            poses[:, n] = poses[:, parent] @ (np.linalg.inv(rig.rests[parent]) @ rig.rests[n]) @ basis
    return poses


def _made(
    rig: Rig, frames: np.ndarray, poses: np.ndarray, worlds: np.ndarray, channels: dict[Channel, np.ndarray], fps: float
) -> Reading:
    return Reading(rig, frames, poses, worlds, motion_of(rig, poses, worlds, fps), channels)


def motion_of(rig: Rig, poses: np.ndarray, worlds: np.ndarray, fps: float) -> Motion:
    """The motion of `rig` that `poses` (F, B, 4, 4) in objects `worlds` (F, 4, 4) make."""
    skeleton, count = rig.skeleton, len(poses)
    have = rig.joints >= 0
    turns, places = armature.in_world(worlds, poses[:, rig.joints[have]], rig.metres)
    if not (np.isfinite(turns).all() and np.isfinite(places).all()):
        raise OptionError(
            Note(
                "{name} has bones that lose their size or position in some frame. Check their scale and constraints.",
                name=quoted(rig.object.name),
            )
        )
    turns, places = armature.local(turns, places, skeleton.parents[have])
    rotations = np.repeat(skeleton.rest[None], count, axis=0)
    positions = np.repeat(skeleton.offsets[None], count, axis=0)
    rotations[:, have], positions[:, have] = turns, places
    return Motion(skeleton, fps, quat.continuous(rotations), positions)


def posed_now(rig: Rig, context: Any) -> tuple[np.ndarray, np.ndarray]:
    """(1, B, 4, 4) and (1, 4, 4): the bones and the object as they are shown now."""
    shown = rig.object.evaluated_get(context.evaluated_depsgraph_get())
    buffer = np.empty(16 * len(rig.rests), dtype=np.float32)
    shown.pose.bones.foreach_get("matrix", buffer)
    poses = buffer.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    return poses[None], np.array(shown.matrix_world, dtype=np.float64)[None]


def _stands_still(ob: Any) -> bool:
    return not (ob.animation_data or ob.parent or len(ob.constraints) or ob.data.animation_data)


def _looking(camera: Any, matrix: Any, scene: Any) -> tuple[np.ndarray, float]:
    if camera.data.type != "PERSP":
        raise OptionError(
            Note(
                "{name} is not a perspective camera. Choose one to measure changes in its image.",
                name=quoted(camera.name),
            )
        )
    corners = np.array([tuple(corner) for corner in camera.data.view_frame(scene=scene)])
    height = np.ptp(corners[:, 1])
    return np.array(matrix, dtype=np.float64), math.degrees(2.0 * math.atan2(height / 2.0, -corners[0, 2]))


def _camera(seen: Sequence[tuple[np.ndarray, float]], metres: float) -> Camera | None:
    if not seen:
        return None
    matrices = np.stack([matrix for matrix, _ in seen])
    eye = armature.from_blender(matrices[:, :3, 3]) * metres
    ahead = -armature.from_blender(matrices[:, :3, 2] / np.linalg.norm(matrices[:, :3, 2], axis=-1, keepdims=True))
    up = armature.from_blender(matrices[:, :3, 1] / np.linalg.norm(matrices[:, :3, 1], axis=-1, keepdims=True))
    fov = float(np.mean([angle for _, angle in seen]))
    if len(seen) == 1:
        eye, ahead, up = eye[0], ahead[0], up[0]
    return Camera(eye, eye + ahead, up, fov)
