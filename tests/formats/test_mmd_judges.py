"""A second opinion on MikuMikuDance files: mmd-parser (npm) reads what we read and what we write."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori.formats import load_character
from komadori.formats.mmd import vmd, writing
from komadori.formats.mmd.binary import UNIT_M
from komadori.formats.mmd.model import Model

from realdata import real, reals

JUDGES = Path(__file__).parents[1] / "judges"
MODULES = Path(__file__).parents[2] / ".judges"


def judged(kind: str, file: Path) -> Any:
    """What the judge says of `file`, or skip the test if it is not installed."""
    node = shutil.which("node")
    if node is None or not (MODULES / "node_modules" / "mmd-parser").is_dir():
        pytest.skip("mmd-parser is not at hand (make judges)")
    done = subprocess.run(
        [node, str(JUDGES / "mmd_files.mjs"), kind, str(file)], cwd=MODULES, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_gene_is_the_same_to_another_reader() -> None:
    path = real("character_mmd/Gene/Gene.pmx")
    character = load_character(path)
    model = character.document
    assert isinstance(model, Model)
    told = judged("pmx", path)
    assert told["name"] == character.name
    assert told["counts"] == {
        "vertices": 28646,
        "triangles": 47106,
        "morphs": len(model.morphs),
        "bodies": len(model.bodies),
        "joints": len(model.joints),
        "materials": len(character.materials),
    }
    assert [bone["name"] for bone in told["bones"]] == [bone.name for bone in model.bones]
    rest, names = character.rest.world_positions()[0], character.skeleton.names
    for n, bone in enumerate(told["bones"]):
        joint = model.joint_of[n]
        assert names[joint] == bone["name"]
        np.testing.assert_allclose(rest[joint], UNIT_M * np.array(bone["position"]), atol=1e-6)
        parent = character.skeleton.parents[joint]
        assert (-1 if parent < 0 else model.order[parent]) == bone["parent"]
    # The judge mirrors too: places, normals and the winding of our meshes are its own.
    places = UNIT_M * np.array([vertex["position"] for vertex in told["vertices"]])
    normals = np.array([vertex["normal"] for vertex in told["vertices"]])
    corners = np.concatenate([mesh.vertices[mesh.triangles].reshape(-1, 3, 3) for mesh in character.meshes])
    outward = np.concatenate([mesh.normals[mesh.triangles].reshape(-1, 3, 3) for mesh in character.meshes])
    faces = np.array(told["faces"])
    mine, theirs = _turned(corners), _turned(places[faces])
    np.testing.assert_allclose(mine, theirs, atol=1e-6)
    np.testing.assert_allclose(np.sort(outward, axis=1), np.sort(normals[faces], axis=1), atol=1e-6)


def _turned(triangles: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Triangles (T, 3, 3) begun at their least corner, so that only the winding tells them apart."""
    order = np.lexsort(np.moveaxis(np.round(triangles, 7), -1, 0), axis=-1)[:, 0]
    return np.stack([triangles[np.arange(len(order)), (order + k) % 3] for k in range(3)], axis=1)


@pytest.mark.parametrize("path", reals("character_mmd/**/*.vmd"))
def test_a_vmd_is_the_same_to_another_reader(path: Path) -> None:
    _same(vmd.parse(path.read_bytes(), path.name), judged("vmd", path))


def test_a_vmd_of_ours_is_the_same_to_another_reader(tmp_path: Path) -> None:
    motion = komadori.load(real("character_mmd/Gene/motion/02_laugh.vmd"))
    held = motion.taken(np.arange(len(motion)) // 3 * 3)
    document = writing.document_of(held)
    komadori.save(held, tmp_path / "held.vmd")
    told = judged("vmd", tmp_path / "held.vmd")
    assert told["counts"]["bones"] > 1000
    _same(document, told)


def _same(document: vmd.VmdDocument, told: Any) -> None:
    assert told["counts"] == {
        "bones": len(document.bones),
        "morphs": len(document.morphs),
        "cameras": len(document.cameras),
    }
    rows = told["bones"]
    if rows:
        np.testing.assert_array_equal(document.bones["frame"], [row["frame"] for row in rows])
        np.testing.assert_array_equal(document.bones["shift"], np.float32([row["position"] for row in rows]))
        np.testing.assert_array_equal(document.bones["turn"], np.float32([row["rotation"] for row in rows]))
        np.testing.assert_array_equal(document.bones["curves"], [row["curves"] for row in rows])
    assert {row["name"] for row in rows} == set(document.bone_tracks)
    assert {row["name"] for row in told["morphs"]} == set(document.morph_tracks)
