"""Run by Blender's Python: other people's rigs. Rigify makes its own; of Mixamo, the VRM add-on and MMD Tools the names and notes are built here."""

from __future__ import annotations

import bpy
import numpy as np
from inside_scenes import fresh, heads, imported, refused, selected

import komadori

WANTED = {
    "hips",
    "spine",
    "head",
    "left_hand",
    "right_hand",
    "left_foot",
    "right_foot",
    "left_lower_arm",
    "right_upper_leg",
}
MIXAMO = {
    "hips": "Hips", "spine": "Spine", "chest": "Spine1", "upper_chest": "Spine2", "neck": "Neck", "head": "Head",
    "shoulder": "Shoulder", "upper_arm": "Arm", "lower_arm": "ForeArm", "hand": "Hand",
    "upper_leg": "UpLeg", "lower_leg": "Leg", "foot": "Foot", "toes": "ToeBase",
}  # fmt: skip
MMD = {
    "hips": "下半身", "spine": "上半身", "chest": "上半身2", "neck": "首", "head": "頭",
    "shoulder": "肩", "upper_arm": "腕", "lower_arm": "ひじ", "hand": "手首",
    "upper_leg": "足", "lower_leg": "ひざ", "foot": "足首", "toes": "つま先",
}  # fmt: skip


def roles_of(ob):
    from bl_ext.user_default.komadori import armature

    rig = armature.rig_of(ob, bpy.context.scene)
    return {role: rig.bones[joint] for role, joint in komadori.roles.known(rig.skeleton).items()}


def renamed(naming):
    """A walking body whose bones are called as `naming(role, old name)` says; role -> its new name."""
    fresh()
    ob = imported(komadori.sample("walk")[:36])
    found = roles_of(ob)
    of_bone = {bone: role for role, bone in found.items()}
    new = {}
    for number, bone in enumerate(ob.data.bones):
        role = of_bone.get(bone.name, "")
        bone.name = naming(role) or f"extra{number}"
        if role:
            new[role] = bone.name
    selected(ob)
    return ob, new


def works(ob):
    """Limiting holds the body, and restoring brings it back."""
    before = heads(ob, range(1, 37))
    bpy.ops.komadori.limited()
    held = heads(ob, range(1, 37))
    same = (np.abs(np.diff(held, axis=0)).max(axis=(1, 2)) < 1e-6).sum()
    assert same >= 6, same
    bpy.ops.komadori.restore()
    assert np.abs(heads(ob, range(1, 37)) - before).max() < 1e-6


def sided(role):
    side, _, bare = role.partition("_")
    return (side, bare) if side in ("left", "right") else ("", role)


def check_mixamo():
    def naming(role):
        side, bare = sided(role)
        return f"mixamorig:{side.capitalize()}{MIXAMO[bare]}" if bare in MIXAMO else ""

    ob, new = renamed(naming)
    found = roles_of(ob)
    assert set(new) >= WANTED, new
    assert {role: found.get(role) for role in WANTED} == {role: new[role] for role in WANTED}
    works(ob)


def check_mmd_tools():
    def naming(role):
        side, bare = sided(role)
        return f"{MMD[bare]}{'.' + side[0].upper() if side else ''}" if bare in MMD else ""

    ob, new = renamed(naming)
    found = roles_of(ob)
    assert {role: found.get(role) for role in WANTED} == {role: new[role] for role in WANTED}, found
    works(ob)


def check_vrm_addon():
    """Names say nothing; the add-on's own notes of the humanoid do."""

    def group(name, **fields):
        kind = type(name, (bpy.types.PropertyGroup,), {"__annotations__": fields})
        bpy.utils.register_class(kind)
        return kind

    text, pointer, many = bpy.props.StringProperty, bpy.props.PointerProperty, bpy.props.CollectionProperty
    node = group("Node", bone_name=text())
    human = group("Human", bone=text(), node=pointer(type=node))
    humanoid = group("Humanoid", human_bones=many(type=human))
    vrm0 = group("Vrm0", humanoid=pointer(type=humanoid))
    extension = group("Extension", vrm0=pointer(type=vrm0))
    made = (node, human, humanoid, vrm0, extension)
    bpy.types.Armature.vrm_addon_extension = pointer(type=extension)
    try:
        ob, new = renamed(lambda role: f"b{len(role)}{role[::-1]}" if role else "")
        for role, name in new.items():
            words = role.split("_")
            one = ob.data.vrm_addon_extension.vrm0.humanoid.human_bones.add()
            one.bone = words[0] + "".join(word.capitalize() for word in words[1:])
            one.node.bone_name = name
        found = roles_of(ob)
        assert {role: found.get(role) for role in WANTED} == {role: new[role] for role in WANTED}
        works(ob)
    finally:
        del bpy.types.Armature.vrm_addon_extension
        for kind in reversed(made):
            bpy.utils.unregister_class(kind)


def rigify():
    """A generated rig whose controls are keyed: the body goes down and up, and an arm swings."""
    fresh()
    bpy.ops.preferences.addon_enable(module="rigify")
    import rigify

    # A Blender without a window never comes to the timer that would do it.
    rigify.register_rig_parameters()
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    ob = bpy.context.object
    if ob.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        ob.pose.bones[f"upper_arm_parent.{side}"]["IK_FK"] = 1.0
    for frame in range(1, 37, 5):
        torso, arm = ob.pose.bones["torso"], ob.pose.bones["upper_arm_fk.L"]
        torso.location = (0.0, 0.0, -0.1 + 0.1 * np.cos(frame / 5.0))
        torso.keyframe_insert("location", frame=frame)
        arm.rotation_mode = "QUATERNION"
        arm.rotation_quaternion = (np.cos(frame / 30.0), np.sin(frame / 30.0), 0.0, 0.0)
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_end = 36
    selected(ob)
    return ob


def deforming(ob):
    return [n for n, bone in enumerate(ob.data.bones) if bone.use_deform]


def check_rigify_keys_of_controls():
    ob = rigify()
    found = roles_of(ob)
    assert found.keys() >= WANTED, sorted(set(WANTED) - found.keys())
    assert all(bone.startswith("DEF-") for bone in found.values())
    before = heads(ob, range(1, 37))
    knees = ob.pose.bones.find("DEF-shin.L")
    assert np.ptp(before[:, knees], axis=0).max() > 0.01
    bpy.ops.komadori.limited()
    held = heads(ob, range(1, 37))[:, deforming(ob)]
    same = np.abs(np.diff(held, axis=0)).max(axis=(1, 2)) < 1e-5
    assert same.sum() >= 6, same.sum()
    # What is shown is always a pose of the source.
    off = np.abs(held[:, None] - before[None][:, :, deforming(ob)]).max(axis=(2, 3)).min(axis=1).max()
    assert off < 1e-4, off
    bpy.ops.komadori.restore()
    assert np.abs(heads(ob, range(1, 37)) - before).max() < 1e-5
    return f"{off:.1e} m, {same.sum()} of 36 frames held"


def check_rigify_locks_what_its_controls_move():
    rigify()
    bpy.context.scene.komadori.common.bake = True
    assert refused(bpy.ops.komadori.limited).startswith("Locked bones would have to move: 'DEF-spine'")


def check_rigify_baked_goes_back():
    """Bones that the source has no curves for do not keep what a result made of them."""
    ob = rigify()
    for bone in ob.pose.bones:
        bone.lock_location = bone.lock_rotation = bone.lock_scale = (False, False, False)
    before = heads(ob, range(1, 37))
    bpy.context.scene.komadori.common.bake = True
    bpy.ops.komadori.limited()
    heads(ob, range(1, 37))
    bpy.ops.komadori.restore()
    off = np.abs(heads(ob, range(1, 37)) - before).max()
    assert off < 1e-5, off
    return f"{off:.1e} m"
