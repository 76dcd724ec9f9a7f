"""Run by Blender's Python: every operator on what Blender's BVH importer made, beside what the library makes of the same file."""

from __future__ import annotations

import bpy
import numpy as np
from inside_scenes import PLACE, curves, fresh, heads, imported, of_bones, seen, selected, snapshot

import komadori

NEAR = 1e-5


def walk():
    return komadori.sample("walk")[:60]


def scene_settings():
    return bpy.context.scene.komadori


def of_file(name="body"):
    """The file as the library reads it."""
    return komadori.load(PLACE / f"{name}.bvh", unit="cm")


def same_as(ob, motion, first=1):
    """How far Blender's bones lie from the joints of `motion`, in metres."""
    found = heads(ob, range(first, first + len(motion)))
    return float(np.abs(found - of_bones(ob, motion.skeleton, motion.world_positions())).max())


def check_limited():
    fresh()
    ob = imported(walk())
    source = ob.animation_data.action
    motion = seen(ob)
    # Blender's importer rounds the travel of the root.
    assert same_as(ob, of_file()) < 5e-5
    selected(ob)
    bpy.ops.komadori.limited()
    result = komadori.limited(motion)
    assert same_as(ob, result.motion) < NEAR
    data = ob.animation_data
    assert data.action != source
    track = data.nla_tracks[0]
    assert track.mute
    assert track.strips[0].action == source
    starts = (result.sheet.starts + 1).tolist()
    for curve in curves(ob):
        assert [key.co[0] for key in curve.keyframe_points] == starts
        assert {key.interpolation for key in curve.keyframe_points} == {"CONSTANT"}
    assert [marker.frame for marker in data.action.pose_markers] == starts
    return f"{same_as(ob, result.motion):.1e} m"


def check_every_solver_and_layers():
    group = None
    for solver, layers in (("greedy", "whole"), ("uniform", "whole"), ("greedy", "parts")):
        fresh()
        ob = imported(walk())
        selected(ob)
        motion = seen(ob)
        group = scene_settings().limited
        group.solver, group.layers = solver, layers
        group.use_omit, group.omit, group.use_hold, group.hold = True, 3, True, 12
        bpy.ops.komadori.limited()
        result = komadori.limited(motion, solver=solver, layers=layers, omit=3, hold=12)
        assert same_as(ob, result.motion) < NEAR, (solver, layers, same_as(ob, result.motion))


def check_camera():
    fresh()
    ob = imported(walk())
    data = bpy.data.cameras.new("camera")
    eye = bpy.data.objects.new("camera", data)
    bpy.context.scene.collection.objects.link(eye)
    eye.location, eye.rotation_euler = (1.0, -6.0, 1.2), (np.pi / 2, 0.0, 0.1)
    bpy.context.view_layer.update()
    selected(ob)
    motion = seen(ob)
    scene_settings().limited.camera = eye
    bpy.ops.komadori.limited()
    matrix = np.array(eye.matrix_world)
    y_up = lambda v: np.array([v[0], v[2], -v[1]])  # noqa: E731
    fov = np.degrees(2 * np.arctan(np.tan(data.angle / 2) * 1080 / 1920))
    camera = komadori.Camera(
        y_up(matrix[:3, 3]), y_up(matrix[:3, 3]) - y_up(matrix[:3, 2]), y_up(matrix[:3, 1]), float(fov)
    )
    assert same_as(ob, komadori.limited(motion, camera=camera).motion) < NEAR


def check_keyposes():
    for interpolation in ("stepped", "linear", "bezier"):
        fresh()
        ob = imported(walk(), mode="QUATERNION")
        selected(ob)
        motion = seen(ob)
        group = scene_settings().keyposes
        group.use_count, group.count, group.interpolation = True, 7, interpolation
        bpy.ops.komadori.keyposes()
        result = komadori.keyposes(motion, count=7, interpolation=interpolation)
        for curve in curves(ob):
            keys = curve.keyframe_points
            assert [key.co[0] - 1 for key in keys] == result.frames.tolist()
        if interpolation == "linear":
            at = heads(ob, result.frames + 1)
            wanted = of_bones(ob, result.motion.skeleton, motion.world_positions()[result.frames])
            assert np.abs(at - wanted).max() < NEAR
        else:
            whole = result.keys.motion() if interpolation == "bezier" else result.motion
            assert same_as(ob, whole) < NEAR, (interpolation, same_as(ob, whole))


def check_exaggerate():
    worst = 0.0
    for mode in ("NATIVE", "QUATERNION", "XYZ", "ZYX"):
        fresh()
        ob = imported(walk(), mode=mode)
        if mode == "XYZ":
            ob.pose.bones[3].rotation_mode = "YZX"
        selected(ob)
        motion = seen(ob)
        scene_settings().exaggerate.amount = 1.5
        bpy.ops.komadori.exaggerate()
        wanted = komadori.exaggerate(motion, amount=1.5).motion
        worst = max(worst, same_as(ob, wanted))
        assert worst < NEAR, (mode, worst)
    return f"{worst:.1e} m"


def check_other_methods_of_a_motion():
    said = []
    for name in ("plant", "hands"):
        fresh()
        ob = imported(walk())
        selected(ob)
        motion = seen(ob)
        getattr(bpy.ops.komadori, name)()
        wanted = getattr(komadori, name)(motion).motion
        assert same_as(ob, wanted) < NEAR, (name, same_as(ob, wanted))
        said.append(f"{name} {same_as(ob, wanted):.1e} m")
    return ", ".join(said)


def check_one_undo_step():
    fresh()
    ob = imported(walk())
    selected(ob)
    bpy.ops.ed.undo_push(message="before")
    before = snapshot()
    for name in ("limited", "keyposes", "exaggerate", "hands"):
        getattr(bpy.ops.komadori, name)("EXEC_DEFAULT", True)
        assert snapshot() != before
        bpy.ops.ed.undo()
        assert snapshot() == before, name


def check_saved_and_opened_again():
    fresh()
    ob = imported(walk())
    selected(ob)
    bpy.ops.komadori.limited()
    before = heads(ob, range(1, 61))
    bpy.context.scene.frame_set(1)
    keys = snapshot()
    bpy.ops.wm.save_as_mainfile(filepath=str(PLACE / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(PLACE / "saved.blend"))
    ob = bpy.data.objects["body"]
    assert np.array_equal(heads(ob, range(1, 61)), before)
    bpy.context.scene.frame_set(1)
    assert snapshot() == keys
    assert ob.animation_data.nla_tracks[0].mute
    selected(ob)
    bpy.ops.komadori.restore()
    assert ob.animation_data.action.name == "body"
    assert len(ob.animation_data.nla_tracks) == 0
    assert same_as(ob, of_file()) < 5e-5
