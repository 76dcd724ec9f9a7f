"""Aligning motions in time: known warps, other skeletons, contact on contact."""

from __future__ import annotations

import numpy as np
import pytest

import komadori
from komadori import Motion, OptionError, feet
from komadori.characters import character, sample
from komadori.methods.translate.aligning import pose_features
from komadori.methods.translate.gaits import contact_error

from bodies import tree, wander
from realdata import real


def test_a_clip_warped_against_itself_gives_the_warp_back() -> None:
    walk = sample("walk", 30.0)
    wanted = np.clip(np.round(np.arange(len(walk)) + 6 * np.sin(np.arange(len(walk)) / 15)), 0, len(walk) - 1).astype(
        int
    )
    wanted = np.maximum.accumulate(wanted)
    warp = komadori.align(walk.taken(wanted), walk, parts=["left_foot", "right_foot", "left_hand", "right_hand"])
    # Where feet were held for a few frames, several answers are as good.
    assert np.abs(warp.places - wanted).mean() < 1.0
    back = warp.applied_to(walk)
    assert len(back) == len(walk)
    assert np.abs(back.world_positions() - walk.taken(wanted).world_positions()).mean() < 0.02


def test_the_same_clip_lies_on_the_diagonal() -> None:
    walk = sample("walk", 30.0)
    warp = komadori.align(walk, walk)
    assert np.array_equal(warp.path[:, 0], warp.path[:, 1])
    assert warp.cost == pytest.approx(0.0, abs=1e-6)


def test_place_heading_and_size_do_not_matter() -> None:
    from komadori import quat

    walk = sample("walk", 30.0)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 2.0)
    rotations, positions = np.array(walk.rotations), 1.7 * np.array(walk.positions)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = quat.rotate(turn, positions[:, 0]) + np.array([3.0, 0.0, -2.0])
    moved = Motion(walk.skeleton, 30.0, rotations, positions)
    assert np.allclose(pose_features(walk, []), pose_features(moved, []), atol=1e-6)
    warp = komadori.align(walk, moved)
    assert np.abs(warp.places - np.arange(len(walk))).max() <= 1.0


def test_other_frame_rates_line_up() -> None:
    warp = komadori.align(sample("walk", 30.0), sample("walk", 24.0))
    assert warp.applied_to(sample("walk", 24.0)).fps == 30.0
    assert np.abs(warp.places - np.arange(warp.frames[0]) * 0.8).max() < 2.5


def reference(cycles: int, cycle_s: float, fps: float) -> Motion:
    """The built-in walk over and over, a cycle every `cycle_s` seconds."""
    every = round(cycle_s * fps)
    walk = sample("walk", float(every))
    frames = np.arange(cycles * every)
    positions = np.array(walk.positions[frames % every])
    stride = (walk.positions[every, 0] - walk.positions[0, 0]) * np.array([1.0, 0.0, 1.0])
    positions[:, 0] += (frames // every)[:, None] * stride
    return Motion(walk.skeleton, fps, walk.rotations[frames % every], positions)


def contacts_apart(animal: Motion) -> float:
    """Mean frames between an animal's hind touchdowns and those of the reference walk that was lined up with it."""
    standing = feet.contacts(animal).standing[:, :2]
    downs = np.flatnonzero(standing[1:, 0] & ~standing[:-1, 0])
    person = reference(len(downs) + 4, float(np.median(np.diff(downs))) / animal.fps, animal.fps)
    warp = komadori.align(animal, person, slope=3, open_ends=True)
    theirs = feet.contacts(person).standing[np.round(warp.places).astype(int)]
    return contact_error(standing, theirs)


def test_a_person_and_the_horse_meet_contact_on_contact() -> None:
    assert contacts_apart(character("horse").motions["walk"].resampled(30.0)) < 1.0


@pytest.mark.parametrize(
    ("file", "first", "last"),
    [
        ("quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh", 60, 240),
        ("quadruped_tencent_dog_bvh/dog_quad_walkrun_001.bvh", 50, 130),
    ],
)
def test_a_person_and_real_dogs_meet_contact_on_contact(file: str, first: int, last: int) -> None:
    assert contacts_apart(komadori.load(real(file)).prepared(30)[first:last]) < 1.5


def test_a_captured_person_and_the_reference_meet_contact_on_contact() -> None:
    clip = komadori.load(real("human_cmu_bvh/08_04.bvh")).prepared(30)
    assert contacts_apart(clip) < 2.0


def test_what_cannot_be_aligned_is_said() -> None:
    walk = sample("walk", 30.0)
    with pytest.raises(OptionError, match="no two legs"):
        komadori.align(wander(tree(4), 20), walk)
    with pytest.raises(OptionError, match="expected a joint or role of the body, found 'tail'"):
        komadori.align(walk, walk, parts=["tail"])
    with pytest.raises(OptionError, match="b: the motion has no frames"):
        komadori.align(walk, walk[:0])
    with pytest.raises(
        OptionError, match=r"motion: expected as many frames as the warp was made for \(121\), found 10"
    ):
        komadori.align(walk, walk).applied_to(walk[:10])
    with pytest.raises(OptionError, match="no path leads"):
        komadori.align(walk[:10], walk, slope=2)
