"""Layers: each part has its own sheet, the root keeps every frame, standing feet do not slip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import feet, roles
from komadori.errors import OptionError

from realdata import reals

WALKS = reals("human_cmu_bvh/02_01.bvh", "human_cmu_bvh/35_01.bvh", "human_bandai_bvh_NC/*walk_normal*.bvh")


@pytest.mark.parametrize("path", WALKS)
def test_a_held_body_travels_on_ones_without_foot_slip(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)
    result = komadori.limited(motion, layers="parts", omit=0)
    hips = motion.skeleton.roles["hips"]
    travelled = np.linalg.norm(np.diff(result.motion.world_positions()[:, hips], axis=0), axis=1)
    assert (travelled > 0).all()
    standing = feet.contacts(motion)
    assert 1000 * feet.slippage(result.motion, standing).per_second < 5.0
    # A single sheet holds the travel as well: the hips stand still in every held frame.
    whole = komadori.limited(motion, omit=0)
    still = np.linalg.norm(np.diff(whole.motion.world_positions()[:, hips], axis=0), axis=1) == 0
    assert still.sum() == whole.held > 0


@pytest.mark.parametrize("path", WALKS)
def test_every_joint_follows_the_sheet_of_its_part(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)
    result = komadori.limited(motion, layers="parts", omit=2, hold=30)
    parts = roles.parts(motion.skeleton)
    assert set(result.layers) == set(parts)
    assert result.layers["root"] == result.before_holds
    legs = parts["left_leg"] | parts["right_leg"]
    for name, joints in parts.items():
        sheet = result.layers[name]
        assert len(sheet.runs()) == len(motion) - 2 - (0 if name == "root" else 30)
        for joint in np.flatnonzero(joints & ~legs):
            taken = motion.rotations[sheet.source, joint]
            assert np.array_equal(np.abs(result.motion.rotations[:, joint]), np.abs(taken))
    assert not np.array_equal(result.layers["left_arm"].source, result.layers["right_arm"].source)


def test_parts_of_a_built_in_sample() -> None:
    from komadori.characters.samples import sample

    motion = sample("walk")
    for solver in ("greedy", "optimal", "optimal-free"):
        result = komadori.limited(motion, layers="parts", omit=0, solver=solver)
        assert any("Planted feet slip" in note for note in result.notes)
        assert feet.slippage(result.motion, feet.contacts(motion)).per_second < 0.005
    with pytest.raises(
        OptionError,
        match="layers: expected whole, as the solver is uniform, found 'parts'; parts works with every other solver",
    ):
        komadori.limited(motion, layers="parts", solver="uniform")


def test_contact_frames_are_kept() -> None:
    from komadori.characters.samples import sample

    motion = sample("walk")
    standing = feet.contacts(motion)
    edges = {*standing.touchdowns().tolist(), *standing.liftoffs().tolist()}
    assert len(edges) >= 6
    assert not edges <= set(komadori.limited(motion, hold=60).sheet.source.tolist())
    for solver in ("greedy", "optimal", "optimal-free"):
        result = komadori.limited(motion, hold=60, contacts=True, solver=solver)
        assert edges <= set(result.sheet.source.tolist())
