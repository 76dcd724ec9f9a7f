"""What others see in our FBX files: Blender's importer and assimp find every joint and every vertex where we put them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from assimp_judge import needs_assimp, places, told
from test_gltf_peers import blender, needs_blender
from test_gltf_writing import puppet

import komadori
from komadori.character import Character
from komadori.characters import sample
from komadori.skinning import skinned

from realdata import real

KINDS = ["limited", "puppet", "quadruped_gltf/quaternius_Wolf.glb", "character_gltf/CesiumMan.glb"]


def made(kind: str, folder: Path) -> tuple[Character, Path]:
    """A character with one motion, and the file of it."""
    if kind == "limited":
        motion = komadori.limited(sample("pitch", 24.0)).motion
        character = Character("a", motion.skeleton, motions={"pitch": motion})
    elif kind == "puppet":
        character = puppet()
    else:
        character = komadori.load_character(real(kind))
        name, motion = next(iter(character.motions.items()))
        # On threes, as drawings are held.
        held = replace(motion, origin=None).taken(np.arange(len(motion)) // 3 * 3)
        character = replace(character, motions={name: held}, document=None)
    komadori.save(character, folder / "a.fbx")
    return character, folder / "a.fbx"


@needs_blender
@pytest.mark.parametrize("kind", KINDS)
def test_blender_sees_the_same_joints_and_skin(kind: str, tmp_path: Path) -> None:
    character, path = made(kind, tmp_path)
    motion = next(iter(character.motions.values()))
    # Frames within holds too: Blender draws lines between keys.
    frames = [0, 1, 5, len(motion) // 2, len(motion) - 1]
    world = motion.world_positions()
    for frame, seen in zip(frames, blender(path, motion.fps, frames, tmp_path), strict=True):
        assert set(seen["heads"]) == set(motion.skeleton.names)
        for name, head in seen["heads"].items():
            assert np.abs(np.array(head) - world[frame, motion.skeleton.index(name)]).max() < 1e-5
        if character.meshes:
            ours = skinned(character, motion[frame : frame + 1])[0][0]
            theirs = np.concatenate([np.array(points) for points in seen["skins"].values()])
            some = theirs[:: 1 + len(theirs) // 300]
            assert np.linalg.norm(some[:, None] - ours[None], axis=-1).min(axis=1).max() < 1e-5


@needs_assimp
@pytest.mark.parametrize("kind", KINDS)
def test_assimp_sees_the_same_joints(kind: str, tmp_path: Path) -> None:
    character, path = made(kind, tmp_path)
    motion = next(iter(character.motions.values()))
    scene = told(path, tmp_path)
    world = 100.0 * motion.world_positions()
    for frame in (0, 1, 5, len(motion) // 2, len(motion) - 1):
        found = places(scene, 0, frame)
        away = [np.abs(found[name] - world[frame, joint]).max() for joint, name in enumerate(motion.skeleton.names)]
        # It tells six digits, each joint's in the frame of the one above.
        assert max(away) < 0.01
    assert len(scene.get("meshes", [])) == len([mesh for mesh in character.meshes if len(mesh.triangles)])
    corners = sum(3 * len(mesh["faces"]) for mesh in scene.get("meshes", []))
    assert corners == sum(mesh.triangles.size for mesh in character.meshes)


@needs_assimp
def test_the_judge_can_find_fault(tmp_path: Path) -> None:
    character, path = made("puppet", tmp_path)
    motion = next(iter(character.motions.values()))
    found = places(told(path, tmp_path), 0, 0)
    other = 100.0 * motion.world_positions()[len(motion) // 2]
    assert max(np.abs(found[name] - other[joint]).max() for joint, name in enumerate(motion.skeleton.names)) > 1.0
