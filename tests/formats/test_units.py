"""Units: a body's size decides, whatever its pose; and every real clip comes out at a size that can be."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import formats
from komadori.character import Character
from komadori.characters import character as built_in
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.formats import fbx, gltf, units
from komadori.motion import Motion
from komadori.roles.stature import stature
from komadori.skinning import skinned

from realdata import real, reals


def test_the_size_is_the_longest_way_along_bones() -> None:
    #     0 - 1 - 2 (lengths 1, 2) and 0 - 3 (length 4): from 2 over 0 to 3 it is 7.
    parents = np.array([-1, 0, 1, 0])
    bones = np.array([[9.0, 9, 9], [0, 1, 0], [0, 0, 2], [4, 0, 0]])
    assert units.body_size(parents, bones) == 7.0


def test_the_size_of_two_bodies_is_that_of_the_larger() -> None:
    assert units.body_size(np.array([-1, 0, -1, 2]), np.array([[5.0, 0, 0], [1, 0, 0], [0, 0, 0], [2, 0, 0]])) == 2.0


@given(st.sampled_from(sorted(units.METRES)), st.floats(1.9, 2.6))
def test_a_person_is_recognised_in_every_unit(unit: str, metres: float) -> None:
    scale, note = units.chosen(None, metres / units.METRES[unit])
    assert scale == units.METRES[unit]
    assert note is not None
    called = {"m": "metres", "dm": "decim", "cm": "centim", "mm": "millim", "inch": "inches", "cmu": "CMU"}
    assert f"assumed {called[unit]}" in note


@pytest.mark.parametrize("size", [0.0, 11.0, 500.0, 1e300, float("inf")])
def test_what_fits_no_body_is_centimetres_and_says_so(size: float) -> None:
    scale, note = units.chosen(None, size)
    assert scale == 0.01
    assert note is not None
    assert "fits no known body" in note
    assert note.in_language("ja") != note


def test_a_named_unit_is_not_questioned() -> None:
    assert units.chosen("inch", 1e9) == (0.0254, None)
    with pytest.raises(OptionError, match="cmu"):
        units.chosen("ell", 1.0)


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh"))
def test_cmu_people_are_people(path: Path) -> None:
    motion = komadori.load(path)
    hips = np.median(motion.world_positions()[:, motion.skeleton.roles["hips"], 1])
    assert 0.78 < hips < 1.05


@pytest.mark.parametrize("path", reals("quadruped_*_bvh*/*.bvh"))
def test_dogs_are_dogs(path: Path) -> None:
    motion = komadori.load(path)
    assert 0.4 < np.median(motion.world_positions()[:, 0, 1]) < 0.7


@pytest.mark.parametrize("path", reals("human_other_bvh/*.bvh", "human_bandai_bvh_NC/*.bvh"))
def test_other_people_are_people(path: Path) -> None:
    motion = komadori.load(path)
    height = np.median(motion.world_positions()[:, motion.skeleton.roles["hips"], 1])
    assert 0.55 < height < 1.2
    (tall,) = re.findall(r"No unit in the file; assumed .*about ([\d.]+) m tall", motion.notes[0])
    assert 1.2 < float(tall) < 2.0


# Files that state a unit


def grown(character: Character, scale: float) -> Character:
    """The character as a file in a wrong unit has it."""
    binds = np.array(character.binds)
    binds[:, :3, 3] *= scale
    meshes = [replace(mesh, vertices=scale * mesh.vertices, morphs={}) for mesh in character.meshes]
    skeleton = replace(character.skeleton, offsets=scale * character.skeleton.offsets)
    return replace(character, skeleton=skeleton, meshes=tuple(meshes), binds=binds, motions={})


@pytest.mark.parametrize("scale", [0.0027, 0.001, 100.0, 2800.0])
def test_a_body_of_a_size_that_cannot_be_is_scaled_and_that_is_told(scale: float, tmp_path: Path) -> None:
    body, kick = built_in("mannequin"), sample("kick")
    there = grown(body, scale)
    moved = Motion(there.skeleton, kick.fps, kick.rotations, scale * kick.positions)
    formats.save(there, tmp_path / "odd.glb", motions={"kick": moved})
    character, motion = komadori.load_character(tmp_path / "odd.glb"), komadori.load(tmp_path / "odd.glb")
    (note,) = [note for note in motion.notes if "m tall" in note]
    assert note in character.notes
    assert note.in_language("ja") != note
    for world in (motion.world_positions(), character.motions["kick"].world_positions()):
        assert 1.2 < np.median(world[:, motion.skeleton.roles["head"], 1]) < 2.4
    # Skin and bones are of one size, and of the body's own shape.
    places = np.concatenate([mesh.vertices for mesh in character.meshes])
    assert np.ptp(places[:, 1]) == pytest.approx(np.ptp(motion.world_positions()[0, :, 1]), rel=0.6)
    posed = skinned(character, motion)[0]
    truth = skinned(body, kick)[0]
    factor = np.ptp(motion.positions[:, 0, 1]) / np.ptp(kick.positions[:, 0, 1])
    np.testing.assert_allclose(posed, factor * truth, atol=1e-3)
    # Back in its file, everything is what it was.
    formats.save(character, tmp_path / "again.glb", motions={"new": motion})
    again = komadori.load(tmp_path / "again.glb", clip="new")
    np.testing.assert_allclose(again.world_positions(), motion.world_positions(), atol=1e-4)
    raw = gltf.motion(gltf.parse((tmp_path / "again.glb").read_bytes(), "a"), "new")
    np.testing.assert_allclose(raw.world_positions(), moved.world_positions(), atol=1e-3 * scale)


def test_sizes_that_can_be_are_left_alone(tmp_path: Path) -> None:
    for scale in (0.3, 1.0, 2.0):
        formats.save(grown(built_in("mannequin"), scale), tmp_path / "a.glb")
        character = komadori.load_character(tmp_path / "a.glb")
        assert not any("m tall" in note for note in character.notes)
        np.testing.assert_allclose(
            character.skeleton.offsets, scale * built_in("mannequin").skeleton.offsets, atol=1e-6
        )


@pytest.mark.parametrize(("name", "metres"), [("Horse", 2.3), ("my_warHorse2", 2.3), ("Wolf", 1.2), ("bulldog", 1.2)])
def test_an_animal_of_eight_metres_becomes_one_of_its_own_kind(name: str, metres: float, tmp_path: Path) -> None:
    formats.save(grown(built_in("horse"), 3.1), tmp_path / f"{name}.glb")
    character = komadori.load_character(tmp_path / f"{name}.glb")
    assert any("m tall" in note for note in character.notes)
    assert stature(character.skeleton) == pytest.approx(metres, rel=0.6)
    # A horse of a horse's size stays as it is, whatever its file is called.
    formats.save(built_in("horse"), tmp_path / f"{name}.glb")
    assert not komadori.load_character(tmp_path / f"{name}.glb").notes


def test_a_person_of_seven_metres_gets_a_note_and_a_guess(tmp_path: Path) -> None:
    formats.save(grown(built_in("mannequin"), 4.5), tmp_path / "giant.glb")
    character = komadori.load_character(tmp_path / "giant.glb")
    assert any("m tall" in note for note in character.notes)
    tall = stature(character.skeleton)
    assert tall is not None
    assert 0.9 < tall < 2.4


def test_the_fox_in_centimetres() -> None:
    motion = komadori.load(real("quadruped_gltf/Fox.glb"))
    assert any("scaled it by 0.01" in note for note in motion.notes)
    assert 0.4 < motion.world_positions()[0, :, 1].max() < 0.8


def test_an_fbx_of_a_size_that_cannot_be_is_scaled() -> None:
    body = built_in("mannequin")
    there = grown(body, 0.0027)
    scale, note = units.stated(there.skeleton)
    assert note is not None
    back = fbx._scaled(there, scale, note)
    heights = [np.ptp(np.concatenate([mesh.vertices for mesh in c.meshes])[:, 1]) for c in (back, body)]
    assert 0.7 < heights[0] / heights[1] < 1.4
    np.testing.assert_allclose(back.binds[:, :3, 3], heights[0] / heights[1] * body.binds[:, :3, 3], atol=1e-9)
