"""Two-bone inverse kinematics: the end comes to the target, bones keep their lengths, nothing flips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import kinematics, quat
from komadori.quat import Array


def limbs(seed: int, count: int = 64) -> tuple[Array, Array, Array, np.random.Generator]:
    """Random hips, knees and ankles (count, 3), bones of 0.1 to 1 m."""
    rng = np.random.default_rng(seed)
    hips = rng.normal(size=(count, 3))
    ways = rng.normal(size=(2, count, 3))
    ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
    lengths = rng.uniform(0.1, 1.0, size=(2, count, 1))
    knees = hips + ways[0] * lengths[0]
    return hips, knees, knees + ways[1] * lengths[1], rng


def solved(hips: Array, knees: Array, ankles: Array, turns: tuple[Array, Array]) -> tuple[Array, Array]:
    new_knees = hips + quat.rotate(turns[0], knees - hips)
    return new_knees, new_knees + quat.rotate(turns[1], ankles - knees)


def directions(rng: np.random.Generator, count: int) -> Array:
    way = rng.normal(size=(count, 3))
    return np.asarray(way / np.linalg.norm(way, axis=-1, keepdims=True))


@given(seed=st.integers(0, 2**32 - 1), with_hinge=st.booleans())
def test_a_target_in_reach_is_met_within_a_tenth_of_a_millimetre(seed: int, with_hinge: bool) -> None:
    hips, knees, ankles, rng = limbs(seed)
    a, b = np.linalg.norm(knees - hips, axis=1), np.linalg.norm(ankles - knees, axis=1)
    share = rng.uniform(0.0, 1.0, size=len(a))
    reach = np.abs(a - b) + share * (a + b - np.abs(a - b))
    target = hips + directions(rng, len(a)) * reach[:, None]
    # A hinge must fit the limb: take the one it bends about, tilted a little.
    hinge = quat.cross(knees - hips, ankles - knees) + 0.01 * directions(rng, len(a)) if with_hinge else None
    turns = kinematics.two_bone(hips, knees, ankles, target, hinge=hinge)
    _, ends = solved(hips, knees, ankles, turns)
    assert np.linalg.norm(ends - target, axis=1).max() < 1e-4
    np.testing.assert_allclose(np.linalg.norm(turns[0], axis=-1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(turns[1], axis=-1), 1.0, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), near=st.booleans())
def test_a_target_out_of_reach_is_pointed_at(seed: int, near: bool) -> None:
    hips, knees, ankles, rng = limbs(seed)
    a, b = np.linalg.norm(knees - hips, axis=1), np.linalg.norm(ankles - knees, axis=1)
    limit = np.abs(a - b) if near else a + b
    way = directions(rng, len(a))
    target = hips + way * (limit * (0.7 if near else 1.4))[:, None]
    turns = kinematics.two_bone(hips, knees, ankles, target)
    _, ends = solved(hips, knees, ankles, turns)
    np.testing.assert_allclose(ends, hips + way * limit[:, None], atol=1e-6)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_target_at_the_end_turns_nothing(seed: int) -> None:
    hips, knees, ankles, _ = limbs(seed)
    for turn in kinematics.two_bone(hips, knees, ankles, ankles):
        assert quat.angle(turn).max() < 1e-6


@given(seed=st.integers(0, 2**32 - 1))
def test_a_shorter_reach_on_the_same_line_keeps_the_plane_and_the_side_of_the_knee(seed: int) -> None:
    hips, knees, ankles, rng = limbs(seed)
    a, b = np.linalg.norm(knees - hips, axis=1), np.linalg.norm(ankles - knees, axis=1)
    d = np.linalg.norm(ankles - hips, axis=1)
    new = np.abs(a - b) + rng.uniform(0.05, 0.95, size=len(a)) * (a + b - np.abs(a - b))
    target = hips + (ankles - hips) * (new / d)[:, None]
    new_knees, _ = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target))
    normal = quat.cross(knees - hips, ankles - knees)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    off = np.einsum("ij,ij->i", new_knees - hips, normal)
    assert np.abs(off).max() < 1e-6
    side = quat.cross(new_knees - hips, target - new_knees)
    assert (np.einsum("ij,ij->i", side, normal) > -1e-9).all()


def test_a_straight_leg_bends_about_its_hinge_to_the_knees_side() -> None:
    hips, knees, ankles = np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.5, 0.0]]), np.zeros((1, 3))
    target = np.array([[0.0, 0.1, 0.0]])
    # About +x the shin turns from -y towards -z: heels back, knee forward.
    hinge = np.array([[1.0, 0.0, 0.0]])
    new_knees, ends = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target, hinge=hinge))
    np.testing.assert_allclose(ends, target, atol=1e-9)
    assert new_knees[0, 2] > 0.2
    assert abs(new_knees[0, 0]) < 1e-9


def test_a_straight_leg_without_a_hinge_still_reaches() -> None:
    hips, knees, ankles = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.5, 0.0]), np.zeros(3)
    target = np.array([0.2, 0.3, 0.1])
    _, end = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target))
    np.testing.assert_allclose(end, target, atol=1e-9)


def test_knees_that_waver_about_straight_all_bend_the_same_way() -> None:
    angle = np.radians(np.linspace(-8.0, 8.0, 61))
    hips = np.tile([0.0, 1.0, 0.0], (61, 1))
    knees = np.tile([0.0, 0.5, 0.0], (61, 1))
    ankles = knees + 0.5 * np.stack([np.zeros(61), -np.cos(angle), -np.sin(angle)], axis=1)
    target = hips + (ankles - hips) * 0.97
    hinge = np.tile([1.0, 0.0, 0.0], (61, 1))
    new_knees, ends = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target, hinge=hinge))
    np.testing.assert_allclose(ends, target, atol=1e-6)
    # In front of the line from hip to ankle, which itself swings with the ankle.
    ahead = new_knees[:, 2] - 0.5 * (hips + ends)[:, 2]
    assert ahead.min() > 0.1
    assert np.abs(np.diff(new_knees, axis=0)).max() < 0.01


def test_a_nearly_straight_leg_bends_about_its_hinge_whichever_way_its_knee_trembles() -> None:
    rng = np.random.default_rng(5)
    hips, ankles = np.tile([0.0, 1.0, 0.0], (200, 1)), np.zeros((200, 3))
    knees = np.array([0.0, 0.5, 0.0]) + 0.003 * rng.normal(size=(200, 3))
    target = np.tile([0.0, 0.05, 0.0], (200, 1))
    hinge = np.tile([1.0, 0.0, 0.0], (200, 1))
    new_knees, ends = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target, hinge=hinge))
    np.testing.assert_allclose(ends, target, atol=1e-6)
    # The tremble points anywhere about the leg. It tilts the axis by at most its own sine over the rest of STRAIGHT,
    # and the knee stays as far beside the plane as it was.
    beside = np.hypot(knees[:, 0], knees[:, 2])
    sine = 2.0 * beside / 0.49
    tilt = np.arctan2(sine, kinematics.STRAIGHT - sine) + np.arctan2(beside, new_knees[:, 2])
    assert (np.abs(np.arctan2(new_knees[:, 0], new_knees[:, 2])) <= tilt).all()
    assert np.degrees(tilt).max() < 30.0


def test_a_knee_beside_its_plane_does_not_keep_the_leg_from_its_full_reach() -> None:
    hips, knees, ankles = np.array([0.0, 1.0, 0.0]), np.array([0.02, 0.5, 0.0]), np.zeros(3)
    reach = 2.0 * np.hypot(0.5, 0.02)
    target = np.array([0.0, 1.0 - (reach - 1e-5), 0.0])
    turns = kinematics.two_bone(hips, knees, ankles, target, hinge=np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(solved(hips, knees, ankles, turns)[1], target, atol=1e-6)


def test_a_smooth_target_moves_the_knee_smoothly_over_a_whole_clip() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 721)
    hips = np.tile([0.0, 0.9, 0.0], (len(t), 1))
    knees = np.tile([0.0, 0.5, 0.1], (len(t), 1))
    ankles = np.tile([0.0, 0.1, 0.0], (len(t), 1))
    target = np.stack([0.1 * np.sin(2 * t), 0.2 + 0.08 * np.sin(3 * t), 0.25 * np.cos(t)], axis=1)
    new_knees, ends = solved(hips, knees, ankles, kinematics.two_bone(hips, knees, ankles, target))
    np.testing.assert_allclose(ends, target, atol=1e-9)
    assert np.linalg.norm(np.diff(new_knees, axis=0), axis=1).max() < 0.01


@pytest.mark.parametrize("shape", [(3,), (0, 3), (5, 3), (2, 4, 3)])
def test_any_leading_shape_works(shape: tuple[int, ...]) -> None:
    upper, middle, end = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    middle[..., 1], end[..., 1], end[..., 2] = -0.5, -0.9, -0.1
    target = end + 0.05
    for turn in kinematics.two_bone(upper, middle, end, target):
        assert turn.shape == (*shape[:-1], 4)


def test_bones_without_length_do_no_harm() -> None:
    zero = np.zeros((2, 3))
    for turn in kinematics.two_bone(zero, zero, zero, np.ones((2, 3))):
        assert np.isfinite(turn).all()
