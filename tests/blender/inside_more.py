"""Run by Blender's Python: hair, retargeting, animals, puppets, timesheets, and the ways of working on a part of a scene."""

from __future__ import annotations

import bpy
import numpy as np
from inside_bvh import NEAR, same_as
from inside_scenes import PLACE, curves, fresh, heads, imported, of_bones, seen, selected, snapshot

import komadori

WANTED = [
    *("limited", "keyposes", "exaggerate", "puppet", "hair", "retarget", "quadruped", "clean"),
    *("floor", "plant", "hands", "travel"),
]
"""The methods that have a panel, in their order."""


def walk(frames=48):
    return komadori.sample("walk")[:frames]


def body_of(name):
    """A built-in character by Blender's own glTF importer, hair bones and all."""
    komadori.save(komadori.characters.character(name), PLACE / f"{name}.glb")
    bpy.ops.import_scene.gltf(filepath=str(PLACE / f"{name}.glb"))
    return next(ob for ob in bpy.context.selected_objects if ob.type == "ARMATURE")


def moving(ob, frames, turn=0.4):
    """The head of `ob` nods over `frames`."""
    for frame in range(1, frames + 1, 12):
        bone = ob.pose.bones["head" if "head" in ob.pose.bones else "Head"]
        angle = turn * np.sin(frame / 20.0)
        bone.rotation_mode = "QUATERNION"
        bone.rotation_quaternion = (np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0)
        bone.keyframe_insert("rotation_quaternion", frame=frame)


def check_hair_is_the_closed_form_at_frame_1000():
    fresh()
    ob = body_of("girl")
    moving(ob, 1010)
    scene = bpy.context.scene
    scene.frame_end = 1010
    selected(ob)
    motion = seen(ob, np.arange(1, 1010))
    assert len(komadori.roles.find(motion.skeleton)) > 10
    common = scene.komadori.common
    common.range, common.first, common.last = "CUSTOM", 1, 1009
    scene.komadori.hair.preset = "breeze"
    bpy.ops.komadori.hair()
    from komadori.character import Character

    result = komadori.hair(Character(ob.name, motion.skeleton), motion, preset="breeze")
    assert len(result.joints) > 10
    whole = result.motion.world_positions()
    # Frame 1000 alone, which is the closed form at its own time.
    alone = np.array(result.at(999 / motion.fps))
    index = [j for j, name in enumerate(motion.skeleton.names) if name in ob.pose.bones]
    shown = heads(ob, [1000])[0]
    order = [ob.pose.bones.find(motion.skeleton.names[j]) for j in index]
    off = np.abs(shown[order] - whole[999][index]).max()
    assert off < NEAR, off
    turns = np.abs(np.einsum("...i,...i->...", alone.reshape(-1, 4), result.motion.rotations[999][list(result.joints)]))
    assert (1.0 - turns).max() < 1e-10, turns
    # And it moves: the hair is elsewhere a quarter of a second later.
    later = heads(ob, [1006])[0]
    assert np.abs(later - shown).max() > 1e-3
    return f"{off:.1e} m, {len(result.joints)} joints"


def check_hair_on_selected_bones():
    fresh()
    ob = body_of("girl")
    moving(ob, 48)
    selected(ob)
    chosen = [bone for bone in ob.pose.bones if "hair" in bone.name.lower()][:3]
    for bone in ob.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone in chosen
    scene = bpy.context.scene
    scene.komadori.common.only_selected = True
    before = {curve.data_path for curve in curves(ob)}
    bpy.ops.komadori.hair()
    new = {curve.data_path for curve in curves(ob)} - before
    assert new
    assert all(any(f'"{bone.name}"' in path for bone in chosen) for path in new), new


def check_retarget():
    fresh()
    source = imported(walk(), "source")
    target = body_of("girl")
    selected(source)
    motion = seen(source)
    from bl_ext.user_default.komadori import armature

    body = armature.rig_of(target, bpy.context.scene).skeleton
    bpy.context.scene.komadori.retarget.character = target
    bpy.ops.komadori.retarget()
    result = komadori.retarget(motion, body)
    assert np.abs(of_bones(target, body, result.motion.world_positions()) - heads(target, range(1, 49))).max() < NEAR
    assert source.animation_data.action.name == "source"


def check_animal():
    fresh()
    source = imported(komadori.sample("walk"), "source")
    horse = imported(komadori.characters.character("horse").motions["walk"], "horse")
    selected(source)
    motion, own = seen(source), seen(horse)
    bpy.context.scene.komadori.quadruped.animal = horse
    bpy.ops.komadori.quadruped()
    result = komadori.quadruped(motion, animal=own)
    off = np.abs(
        of_bones(horse, own.skeleton, result.motion.world_positions()) - heads(horse, range(1, len(result.motion) + 1))
    ).max()
    assert off < NEAR, off
    assert horse.animation_data.nla_tracks[0].mute
    return f"{off:.1e} m"


def puppet():
    fresh()
    ob = imported(komadori.sample("pitch"), "puppet")
    selected(ob)
    scene = bpy.context.scene
    bpy.ops.komadori.puppet_handle()
    handle = ob.komadori_puppet.handle
    for n, frame in enumerate((20, 50, 60, 75)):
        scene.frame_set(frame)
        handle.location = (0.4 * n - 0.6, -0.3, 1.0 + 0.1 * n)
        bpy.context.view_layer.update()
        bpy.ops.komadori.puppet_key(name=f"k{n}")
    return ob, handle


def check_puppet_lives_and_records():
    ob, handle = puppet()
    scene = bpy.context.scene
    ob.animation_data_clear()
    from bl_ext.user_default.komadori import armature, puppets

    rig = armature.rig_of(ob, scene, at_home=True)
    made = puppets.puppet_of(ob, rig)
    assert [key.name for key in made.keys] == [f"k{n}" for n in range(4)]
    ob.komadori_puppet.live = True
    handle.location = (0.1, -0.3, 1.15)
    bpy.context.view_layer.update()
    bpy.context.view_layer.update()
    place = puppets._place(handle.matrix_world, np.array(ob.matrix_world), rig.metres)
    pose = made.pose(place)
    posed = komadori.Motion(rig.skeleton, 24.0, pose.rotations[None], pose.positions[None]).world_positions()
    off = np.abs(of_bones(ob, rig.skeleton, posed) - heads(ob, [scene.frame_current])).max()
    assert off < NEAR, off
    ob.komadori_puppet.live = False
    for frame, x in ((1, -0.6), (12, 0.2), (24, 0.6)):
        handle.location = (x, -0.3, 1.0)
        handle.keyframe_insert("location", frame=frame)
    scene.frame_start, scene.frame_end = 1, 24
    common = scene.komadori.common
    common.range = "SCENE"
    bpy.ops.komadori.puppet()
    assert ob.animation_data.action is not None
    at = []
    for frame in range(1, 25):
        scene.frame_set(frame)
        at.append(puppets._place(handle.matrix_world, np.array(ob.matrix_world), rig.metres))
    wanted = komadori.puppet(made, path=komadori.methods.puppet.Take.recorded(np.array(at), 24.0)).motion
    off = np.abs(of_bones(ob, rig.skeleton, wanted.world_positions()) - heads(ob, range(1, 25))).max()
    assert off < NEAR, off
    return f"{off:.1e} m"


def check_puppet_is_saved_with_the_armature():
    ob, _ = puppet()
    text = ob.komadori_puppet.keys_json
    bpy.ops.wm.save_as_mainfile(filepath=str(PLACE / "puppet.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(PLACE / "puppet.blend"))
    ob = bpy.data.objects["puppet"]
    assert ob.komadori_puppet.keys_json == text
    selected(ob)
    bpy.ops.komadori.puppet_key_show(name="k2")
    bpy.context.view_layer.update()
    assert abs(ob.komadori_puppet.handle.location[0] - 0.2) < 1e-5
    bpy.ops.komadori.puppet_key_remove(name="k2")
    from bl_ext.user_default.komadori import puppets

    assert puppets.key_names(ob) == ["k0", "k1", "k3"]


def check_frame_range_keeps_the_rest():
    fresh()
    ob = imported(walk(60))
    selected(ob)
    before = heads(ob, range(1, 61))
    common = bpy.context.scene.komadori.common
    common.range, common.first, common.last = "CUSTOM", 20, 40
    motion = seen(ob, np.arange(20, 41))
    bpy.ops.komadori.limited()
    after = heads(ob, range(1, 61))
    assert np.abs(after[:19] - before[:19]).max() < NEAR
    assert np.abs(after[40:] - before[40:]).max() < NEAR
    wanted = komadori.limited(motion).motion
    assert np.abs(after[19:40] - of_bones(ob, motion.skeleton, wanted.world_positions())).max() < NEAR


def check_selected_bones_only():
    fresh()
    ob = imported(walk())
    selected(ob)
    before = {(c.data_path, c.array_index): [tuple(k.co) for k in c.keyframe_points] for c in curves(ob)}
    chosen = ob.pose.bones[4].name
    for bone in ob.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == chosen
    bpy.context.scene.komadori.common.only_selected = True
    bpy.ops.komadori.limited()
    changed = {
        c.data_path
        for c in curves(ob)
        if [tuple(k.co) for k in c.keyframe_points] != before[c.data_path, c.array_index]
    }
    assert changed
    assert all(f'"{chosen}"' in path for path in changed), changed


def check_several_objects():
    fresh()
    one, two = imported(walk(), "one"), imported(komadori.sample("jog")[:48], "two")
    motions = [seen(one), seen(two)]
    selected(one, two)
    bpy.ops.komadori.limited()
    for ob, motion in zip((one, two), motions, strict=True):
        assert same_as(ob, komadori.limited(motion).motion) < NEAR
        assert ob.animation_data.action.name == f"{ob.name} limited"


def check_markers():
    for kind in ("ACTION", "SCENE", "NONE"):
        fresh()
        ob = imported(walk())
        selected(ob)
        bpy.context.scene.komadori.common.markers = kind
        bpy.ops.komadori.limited()
        starts = sorted({int(k.co[0]) for k in curves(ob)[0].keyframe_points})
        assert [m.frame for m in ob.animation_data.action.pose_markers] == (starts if kind == "ACTION" else [])
        assert [m.frame for m in bpy.context.scene.timeline_markers] == (starts if kind == "SCENE" else [])


def check_timesheets_go_out_and_come_back():
    for name in ("sheet.xdts", "sheet.json", "sheet.csv"):
        fresh()
        ob = imported(walk())
        selected(ob)
        bpy.ops.komadori.limited()
        held = heads(ob, range(1, 49))
        bpy.ops.komadori.sheet_export(filepath=str(PLACE / name))
        bpy.ops.komadori.sheet_export(filepath=str(PLACE / "printed.svg"))
        assert (PLACE / "printed.svg").read_text(encoding="utf-8").startswith("<svg")
        bpy.ops.komadori.sheet_text()
        text = bpy.data.texts[-1].as_string()
        assert text.count("|") + len(curves(ob)[0].keyframe_points) >= 48
        bpy.ops.komadori.restore()
        bpy.ops.komadori.sheet_import(filepath=str(PLACE / name))
        off = np.abs(heads(ob, range(1, 49)) - held).max()
        assert off < NEAR, (name, off)


def check_a_method_again_starts_from_the_source():
    fresh()
    ob = imported(walk())
    selected(ob)
    motion = seen(ob)
    bpy.ops.komadori.limited()
    bpy.context.scene.komadori.limited.use_hold, bpy.context.scene.komadori.limited.hold = True, 20
    bpy.ops.komadori.limited()
    assert same_as(ob, komadori.limited(motion, hold=20).motion) < NEAR
    assert len(ob.animation_data.nla_tracks) == 1


def check_work_in_steps_can_be_cancelled():
    fresh()
    ob = imported(walk())
    # A driver makes the rig be read through the depsgraph, frame by frame.
    ob.pose.bones[2].driver_add("scale", 0).driver.expression = "1.0"
    selected(ob)
    bpy.context.scene.frame_set(7)
    from bl_ext.user_default.komadori import jobs

    before = snapshot()
    job = jobs.method_job(bpy.context, "limited")
    shares = [next(job), next(job)]
    assert 0.0 < shares[0] < shares[1] <= 1.0, shares
    assert bpy.context.scene.frame_current != 7
    job.close()
    assert snapshot() == before
    threaded = jobs.method_job(bpy.context, "limited", threaded=True)
    done = None
    while done is None:
        try:
            next(threaded)
        except StopIteration as end:
            done = end.value
    assert done.actions == ("body limited",)


def check_constraints_and_drivers_are_seen():
    fresh()
    ob = imported(walk())
    selected(ob)
    hand = next(bone for bone in ob.pose.bones if "hand" in bone.name.lower())
    target = bpy.data.objects.new("target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.3, -0.6, 1.2)
    ik = hand.parent.constraints.new("IK")
    ik.target, ik.chain_count = target, 2
    curve = ob.pose.bones[3].driver_add("location", 1)
    curve.driver.expression = "0.02 * sin(frame / 5)"
    motion = seen(ob)
    bpy.context.scene.komadori.common.bake = True
    bpy.ops.komadori.limited()
    off = same_as(ob, komadori.limited(motion).motion)
    assert off < NEAR, off
    bpy.ops.komadori.restore()
    assert ik.influence == 1.0
    assert np.abs(of_bones(ob, motion.skeleton, motion.world_positions()) - heads(ob, range(1, 49))).max() < NEAR


def check_every_panel_names_every_parameter():
    from bl_ext.user_default.komadori import settings

    names = [method.name for method in settings.offered()]
    assert names == WANTED, names
    for method in settings.offered():
        group = type(getattr(bpy.context.scene.komadori, method.name))
        for control in settings.controls(method):
            assert control.name in group.bl_rna.properties, (method.name, control.name)
        for short in ("view", "dope"):
            assert hasattr(bpy.types, f"KOMADORI_PT_{short}_{method.name}")
