"""Units: a body's size decides, whatever its pose; and every real clip comes out at a size that can be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori.errors import OptionError
from komadori.formats import units

from realdata import reals


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
    assert unit in note


@pytest.mark.parametrize("size", [0.0, 13.0, 500.0, 1e300, float("inf")])
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
    assert "from hand to foot" in motion.notes[0]
