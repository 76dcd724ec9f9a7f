"""What a file does not carry of a motion is told, and only that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import formats, quat
from komadori.characters import character, sample
from komadori.formats.unheld import moving
from komadori.methods.hair import hair
from komadori.motion import Motion
from komadori.words import translated


def without_fingers(motion: Motion) -> Motion:
    """The built-in body's mittens are not bones of VRM or MikuMikuDance."""
    rotations = np.array(motion.rotations)
    for side in ("left", "right"):
        rotations[:, motion.skeleton.index(f"{side}_fingers")] = quat.IDENTITY
    return motion.replaced(rotations=rotations)


WALK = without_fingers(sample("walk"))


def test_a_vrma_has_no_place_for_hair() -> None:
    girl = character("girl")
    notes = formats.left_out(hair(girl).motion, "out.vrma")
    assert len(notes) == 1
    count = len(hair(girl).joints)
    assert f"motion of {count} other joints" in notes[0]
    assert "hair_ponytail_1" in notes[0]
    assert "人型" in notes[0].in_language("ja")


def test_what_is_told_is_what_is_lost(tmp_path: Path) -> None:
    """A file that nothing was said of comes back with every joint that moved; a VRMA with the others at rest or gone."""
    moved = hair(character("girl"), komadori.retarget(WALK, character("girl")).motion).motion
    for suffix in (".bvh", ".glb"):
        path = tmp_path / f"out{suffix}"
        assert formats.left_out(moved, path) == ()
        formats.save(moved, path)
        back = formats.load(path)
        names = {moved.skeleton.names[j] for j in np.flatnonzero(moving(moved))}
        assert names <= {back.skeleton.names[j] for j in np.flatnonzero(moving(back))}
    formats.save(moved, tmp_path / "out.vrma")
    back = formats.load(tmp_path / "out.vrma")
    assert not any("hair" in name for name in back.skeleton.names)


def test_a_body_alone_loses_nothing() -> None:
    assert "left_fingers, right_fingers" in formats.left_out(sample("walk"), "out.vrma")[0]
    assert formats.left_out(WALK, "out.vrma") == ()
    assert formats.left_out(WALK.resampled(30.0), "out.vmd") == ()
    assert formats.left_out(WALK, "out.bvh") == ()
    assert formats.left_out(character("girl"), "out.glb") == ()


def test_a_vmd_tells_of_rates_and_of_hair_that_standard_bones_lack() -> None:
    assert [note.template for note in formats.left_out(WALK, "out.vmd")] == [
        "MikuMikuDance plays at 30 fps; resampled the motion from {fps:g} fps."
    ]
    notes = formats.left_out(hair(character("girl"), fps=30.0).motion, "out.vmd")
    assert len(notes) == 1
    assert "standard bones cannot hold" in notes[0]


def test_a_pose_file_tells_that_it_holds_one_pose() -> None:
    notes = formats.left_out(WALK, "out.vpd")
    assert any("first of" in note for note in notes)
    assert not any("first of" in note for note in formats.left_out(WALK[:1], "out.vpd"))


@pytest.mark.parametrize("joint", [0, 7])
def test_joints_that_turn_or_leave_their_place_move(joint: int) -> None:
    still = character("girl").rest
    assert not moving(still).any()
    rotations, positions = np.array(still.rotations), np.array(still.positions)
    rotations[0, joint] = quat.multiply(quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.1), rotations[0, joint])
    assert np.flatnonzero(moving(still.replaced(rotations=rotations))).tolist() == [joint]
    positions[0, joint] += 0.01
    # Where the root stands is the body's way, and every format has a place for it.
    assert np.flatnonzero(moving(still.replaced(positions=positions))).tolist() == ([joint] if joint else [])


def test_every_note_speaks_japanese() -> None:
    moved = hair(character("girl")).motion
    for path in ("out.vrma", "out.vmd", "out.vpd"):
        notes = formats.left_out(moved, path)
        assert notes
        for note in notes:
            assert translated(note.template, "ja") != note.template
