"""Run by Blender's Python: a captured clip and real avatars, from the folder that KOMADORI_DATA names."""

from __future__ import annotations

import os
from pathlib import Path

import bpy
import numpy as np
from inside_bvh import NEAR, same_as
from inside_scenes import PLACE, fresh, heads, seen, selected

import komadori

DATA = Path(os.environ["KOMADORI_DATA"])
WALK = DATA / "human_cmu_bvh" / "02_01.bvh"
WANTED = {"hips", "spine", "head", "left_hand", "right_hand", "left_foot", "right_foot", "left_lower_arm"}


def armature_of(path):
    """The armature of a glTF file, with the action that came with it."""
    bpy.ops.import_scene.gltf(filepath=str(path))
    ob = next(ob for ob in bpy.context.selected_objects if ob.type == "ARMATURE")
    selected(ob)
    return ob


def limited_as_the_library(ob):
    """Limited makes the same of `ob` as the library does of its motion, and holds what must be held."""
    motion = seen(ob)
    found = komadori.roles.known(motion.skeleton)
    assert found.keys() >= WANTED, sorted(WANTED - found.keys())
    first = int(ob.animation_data.action.frame_range[0])
    bpy.ops.komadori.limited()
    result = komadori.limited(motion)
    off = np.abs(heads(ob, range(first, first + len(result.motion))) - _bones(ob, result.motion)).max()
    assert off < NEAR, off
    return f"{len(motion)} frames of {len(ob.data.bones)} bones, {result.sheet.drawings.size} drawings, {off:.1e} m"


def _bones(ob, motion):
    world = motion.world_positions()
    return world[:, [motion.skeleton.index(bone.name) for bone in ob.pose.bones]]


def check_captured_clip():
    fresh(120)
    bpy.ops.import_anim.bvh(filepath=str(WALK), global_scale=0.056444, use_fps_scale=False, frame_start=1)
    ob = bpy.context.view_layer.objects.active
    selected(ob)
    before = seen(ob)
    bpy.ops.komadori.limited()
    result = komadori.limited(before)
    assert same_as(ob, result.motion) < NEAR
    bpy.ops.komadori.restore()
    assert same_as(ob, before) < NEAR
    return f"{len(before)} frames, {result.sheet.drawings.size} drawings"


def on_avatar(name):
    """The captured walk on an avatar, as a glTF, which keeps the avatar's own bone names."""
    body = komadori.load_character(DATA / name)
    walk = komadori.load(WALK).prepared(fps=24)
    path = PLACE / f"{Path(name).stem}.glb"
    komadori.save(komadori.retarget(walk, body).motion, path)
    return path


def check_vrm_avatar():
    fresh()
    return limited_as_the_library(armature_of(on_avatar("character_vrm/Godette_vrm_v4.vrm")))


def check_mmd_model():
    fresh()
    return limited_as_the_library(armature_of(on_avatar("character_mmd/Gene/Gene.pmx")))
