"""What others say of our glTF files: the Khronos validator, and Blender's importer."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_files import arm
from gltf_judge import faults, needs_judge, said_of
from test_bvh_peers import BLENDER
from test_gltf_writing import EVERY, puppet, rich, scaled_arm

import komadori
from komadori import Motion
from komadori.character import Character
from komadori.characters import sample
from komadori.formats import gltf
from komadori.keyed import Interpolation, Keyed, keyed

import blenders
from realdata import real, reals

HERE = Path(__file__).parent
needs_blender = pytest.mark.skipif(BLENDER is None, reason=blenders.MISSING)
KINDS: tuple[Interpolation, ...] = ("stepped", "linear", "bezier")


def written(character: Character, motion: Motion | None, folder: Path) -> list[Path]:
    """A character's file with every kind of animation that we write, as .glb and .gltf, and its motion alone."""
    clips: dict[str, Motion | Keyed] = {}
    files = [folder / "all.glb", folder / "all.gltf"]
    if motion is not None and len(motion) > 1:
        clips = {kind: keyed(motion, np.arange(0, len(motion), 3), kind) for kind in KINDS}
        clips |= {"held": motion.taken(np.arange(len(motion)) // 2 * 2), "smooth": replace(motion, origin=None)}
        if character.motions:
            clips[next(iter(character.motions))] = motion.taken(np.arange(len(motion)) // 4 * 4)
        files.append(folder / "alone.glb")
        komadori.save(replace(motion, origin=None), files[-1])
    for path in files[:2]:
        komadori.save(character, path, motions=clips)
    return files


@needs_judge
def test_the_judge_can_find_fault(tmp_path: Path) -> None:
    made = arm()
    made.json["nodes"][0]["rotation"] = [1, 1, 1, 1]
    (tmp_path / "a.glb").write_bytes(made.glb())
    assert "ROTATION_NON_UNIT" in faults(said_of(tmp_path / "a.glb")[0])


@needs_judge
def test_what_is_made_by_code_has_no_fault(tmp_path: Path) -> None:
    character = puppet()
    files = written(character, character.motions["pitch"], tmp_path)
    komadori.save(komadori.limited(sample("kick", 24.0)).motion, tmp_path / "limited.glb")
    komadori.save(sample("pitch", 24.0)[0:0], tmp_path / "none.glb")
    komadori.save(sample("pitch", 24.0)[0:1], tmp_path / "one.glb")
    for told in said_of(*files, *(tmp_path / name for name in ("limited.glb", "none.glb", "one.glb"))):
        assert not faults(told), told


@needs_judge
@pytest.mark.parametrize("which", ["rich", "scaled", "uneven"])
def test_what_is_carried_has_no_fault_of_ours(which: str, tmp_path: Path) -> None:
    made = {"rich": rich, "scaled": scaled_arm, "uneven": lambda: scaled_arm((1.0, 2.0, 0.5))}[which]()
    (tmp_path / "before.glb").write_bytes(made.glb())
    character = komadori.load_character(tmp_path / "before.glb")
    files = written(character, next(iter(character.motions.values())), tmp_path)
    before, *after = map(faults, said_of(tmp_path / "before.glb", *files))
    for found in after:
        assert not found - before


@needs_judge
@pytest.mark.parametrize("path", reals(*EVERY))
def test_real_files_get_no_fault_of_ours(path: Path, tmp_path: Path) -> None:
    character = gltf.character_of(gltf.parse(path.read_bytes(), str(path), path.parent))
    motion = next(iter(character.motions.values()), None)
    before, *after = map(faults, said_of(path, *written(character, motion, tmp_path)))
    for found in after:
        assert not found - before


def blender(path: Path, fps: float, frames: list[int], folder: Path) -> list[Mapping[str, Mapping[str, list[float]]]]:
    assert BLENDER is not None
    answer = folder / "answer.json"
    command = [BLENDER, str(HERE / "blender_bones.py"), str(path), str(answer), str(round(fps)), *map(str, frames)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONNOUSERSITE": "1"})
    found: list[Mapping[str, Mapping[str, list[float]]]] = json.loads(answer.read_text(encoding="utf-8"))
    return found


@needs_blender
@pytest.mark.parametrize(
    "kind", ["limited", "puppet", "quadruped_gltf/quaternius_Horse.glb", "character_gltf/CesiumMan.glb"]
)
def test_blender_sees_the_same_joints(kind: str, tmp_path: Path) -> None:
    if kind == "limited":
        motion = komadori.limited(sample("pitch", 24.0)).motion
    elif kind == "puppet":
        motion = puppet().motions["pitch"]
    else:
        read = komadori.load(real(kind))
        motion = replace(read, origin=None).taken(np.arange(len(read)) // 2 * 2)
    path = tmp_path / "a.glb"
    komadori.save(puppet() if kind == "puppet" else motion, path)
    frames = [0, 1, len(motion) // 2, len(motion) - 1]
    world = motion.world_positions()
    for frame, seen in zip(frames, blender(path, motion.fps, frames, tmp_path), strict=True):
        assert set(seen["heads"]) == set(motion.skeleton.names)
        for name, head in seen["heads"].items():
            assert np.abs(np.array(head) - world[frame, motion.skeleton.index(name)]).max() < 1e-5


@needs_blender
@pytest.mark.parametrize("name", ["quadruped_gltf/quaternius_Wolf.glb", "character_gltf/RiggedFigure.glb"])
def test_blender_sees_the_same_animation_in_a_file_that_is_carried(name: str, tmp_path: Path) -> None:
    """A file that is carried keeps its own size, also where ours is repaired, as a note states; read again it is repaired alike."""
    motion = komadori.load(real(name))
    scale = math.prod(note.values["scale"] for note in motion.notes if "scaled it" in note)
    shown = motion.taken(np.arange(len(motion)) // 3 * 3)
    komadori.save(shown, tmp_path / "a.glb")
    frames = [0, 4, len(shown) - 1]
    world = shown.world_positions()
    bones = set(shown.skeleton.names)
    for frame, seen in zip(frames, blender(tmp_path / "a.glb", shown.fps, frames, tmp_path), strict=True):
        assert seen["skins"]
        assert len(bones & set(seen["heads"])) > 15
        for bone in bones & set(seen["heads"]):
            away = scale * np.array(seen["heads"][bone]) - world[frame, shown.skeleton.index(bone)]
            assert np.abs(away).max() < 1e-5
    shutil.copy(tmp_path / "a.glb", tmp_path / Path(name).name)
    assert np.abs(komadori.load(tmp_path / Path(name).name).world_positions() - world).max() < 1e-5
