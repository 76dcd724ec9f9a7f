"""Run by Blender's Python: whatever cannot be worked on is refused in one line, and nothing is changed."""

from __future__ import annotations

import bpy
import numpy as np
from inside_scenes import PLACE, fresh, imported, refused, seen, selected

import komadori


def walk(frames=30):
    return komadori.sample("walk")[:frames]


def ready(mode="NATIVE"):
    fresh()
    ob = imported(walk(), mode=mode)
    selected(ob)
    return ob


def limited(**more):
    return refused(bpy.ops.komadori.limited, **more)


def check_no_armature():
    fresh()
    assert limited() == "Select an armature first."
    cube = bpy.data.objects.new("cube", bpy.data.meshes.new("cube"))
    bpy.context.scene.collection.objects.link(cube)
    selected(cube)
    assert limited() == "Select an armature first."


def check_no_action_and_no_bones():
    ob = ready()
    ob.animation_data_clear()
    assert "has no action" in limited()
    assert "has no action" in refused(bpy.ops.komadori.sheet_text)
    empty = bpy.data.objects.new("none", bpy.data.armatures.new("none"))
    bpy.context.scene.collection.objects.link(empty)
    selected(empty)
    assert limited() == "'none' has no bones."


def check_linked():
    ob = ready()
    path = str(PLACE / "linked.blend")
    bpy.data.libraries.write(path, {ob}, fake_user=True)
    fresh()
    with bpy.data.libraries.load(path, link=True) as (held, wanted):
        wanted.objects = list(held.objects)
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    selected(linked)
    assert "linked from another file" in limited()
    assert "linked from another file" in refused(bpy.ops.komadori.exaggerate)


def check_locked_bones():
    ob = ready()
    bone = ob.pose.bones["LeftArm" if "LeftArm" in ob.pose.bones else ob.pose.bones[5].name]
    bone.lock_rotation = (True, False, False)
    said = refused(bpy.ops.komadori.exaggerate)
    assert said.startswith("Locked bones would have to move:"), said
    assert bone.name in said
    # Holding its own keys asks nothing of a lock.
    bpy.ops.komadori.limited()


def check_mixed_rotation_modes_work():
    ob = ready()
    for n, bone in enumerate(ob.pose.bones):
        other = ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZXY")[n % 4]
        turn = bone.matrix_basis.copy()
        bone.rotation_mode = other
        bone.matrix_basis = turn
    for frame in (1, 10, 20, 30):
        for n, bone in enumerate(ob.pose.bones):
            angle = 0.02 * n + 0.01 * frame
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = (np.cos(angle), np.sin(angle), 0.0, 0.0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            elif bone.rotation_mode == "AXIS_ANGLE":
                bone.rotation_axis_angle = (angle, 0.0, 0.6, 0.8)
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
            else:
                bone.rotation_euler = (angle, 0.0, -angle)
                bone.keyframe_insert("rotation_euler", frame=frame)
    motion = seen(ob)
    from inside_bvh import NEAR, same_as

    for name in ("limited", "exaggerate"):
        getattr(bpy.ops.komadori, name)()
        off = same_as(ob, getattr(komadori, name)(motion).motion)
        assert off < NEAR, (name, off)
        bpy.ops.komadori.restore()


def check_scale():
    ob = ready()
    ob.scale = (1.0, 2.0, 1.0)
    bpy.context.view_layer.update()
    assert "is scaled by 1, 2, 1" in limited()
    ob.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    assert "Apply the scale" in limited()
    ob.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.komadori.limited()


def check_frames_outside():
    ready()
    common = bpy.context.scene.komadori.common
    common.range, common.first, common.last = "CUSTOM", 100, 200
    assert limited() == "Frames 100 to 200 lie outside the action, which has keys from 1 to 30."
    common.first, common.last = 20, 10
    assert limited() == "The last frame, 10, lies before the first, 20."
    common.first, common.last = 5, 5
    assert "only frame 5" in limited()
    common.range = "SCENE"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 500, 600
    assert "lie outside the action" in limited()


def check_modes_of_the_armature():
    ob = ready()
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Edit Mode" in limited()
    bpy.ops.object.mode_set(mode="OBJECT")
    ob.data.pose_position = "REST"
    assert "rest position" in limited()
    ob.data.pose_position = "POSE"
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("strip", 1, ob.animation_data.action)
    ob.animation_data.action = None
    ob.animation_data.nla_tracks.active = track
    track.strips[0].select = True
    ob.animation_data.use_tweak_mode = True
    assert "NLA tweak mode" in limited()


def check_nothing_selected_and_nothing_chosen():
    ob = ready()
    bpy.context.scene.komadori.common.only_selected = True
    for bone in ob.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = False
    assert "No bone is selected" in limited()
    assert "No bone is selected" in refused(bpy.ops.komadori.hair)
    bpy.context.scene.komadori.common.only_selected = False
    for name in ("retarget", "quadruped"):
        said = refused(getattr(bpy.ops.komadori, name))
        assert said.startswith("Choose an object for "), said
    bpy.context.scene.komadori.retarget.character = ob
    assert "cannot be retargeted to itself" in refused(bpy.ops.komadori.retarget)
    assert "do not play a komadori result" in refused(bpy.ops.komadori.restore)


def check_wrong_words_and_files():
    ready()
    group = bpy.context.scene.komadori.keyposes
    pins = next(name for name in type(group).__annotations__ if "pin" in name or "keep" in name)
    setattr(group, pins, "3, x")
    said = refused(bpy.ops.komadori.keyposes)
    assert "numbers such as 3, 10-12" in said, said
    bad = PLACE / "bad.xdts"
    bad.write_bytes(b"exchangeDigitalTimeSheet Save Data\n{")
    assert "bad.xdts" in refused(bpy.ops.komadori.sheet_import, filepath=str(bad))
    assert "not found" in refused(bpy.ops.komadori.sheet_import, filepath=str(PLACE / "none.xdts"))


def check_puppet_without_keys():
    ob = ready()
    assert "has no puppet keys" in refused(bpy.ops.komadori.puppet)
    assert "has no handle" in refused(bpy.ops.komadori.puppet_key)
    bpy.ops.komadori.puppet_handle()
    bpy.ops.komadori.puppet_key(name="one")
    bpy.ops.komadori.puppet_key(name="two")
    assert "does not move" in refused(bpy.ops.komadori.puppet)
    assert ob.komadori_puppet.handle is not None


def check_messages_speak_japanese():
    fresh()
    addon = bpy.context.preferences.addons["bl_ext.user_default.komadori"]
    try:
        addon.preferences.language = "ja"
        assert limited() == "先にアーマチュアを選択してください。", limited()
        assert bpy.types.KOMADORI_PT_view_limited.bl_label == "リミテッド"
    finally:
        addon.preferences.language = "en"
    assert limited() == "Select an armature first."
