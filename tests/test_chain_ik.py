"""Chains of any length: the end arrives, bones keep their lengths, and the least turn that serves is taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import ik, quat
from komadori.quat import Array


def chains(seed: int, bones: int, frames: int = 40) -> tuple[ik.Chain, Array, np.random.Generator]:
    rng = np.random.default_rng(seed)
    chain = ik.Chain(
        rng.normal(size=(frames, 3)),
        quat.normalized(rng.normal(size=(frames, 4))),
        0.3 * rng.normal(size=(frames, bones, 3)),
    )
    return chain, quat.normalized(rng.normal(size=(frames, bones, 4))), rng


def end(chain: ik.Chain, rotations: Array) -> Array:
    return chain.forward(rotations)[1][:, -1]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), bones=st.integers(1, 8), near=st.booleans())
def test_a_target_in_reach_is_met_within_a_tenth_of_a_millimetre(seed: int, bones: int, near: bool) -> None:
    chain, rotations, rng = chains(seed, bones)
    wander = 0.2 if near else 3.0
    target = end(chain, quat.multiply(rotations, quat.exp(wander * rng.normal(size=(40, bones, 3)))))
    found, misses = ik.pulled(chain, rotations, target)
    assert misses.max() < 1e-4
    np.testing.assert_allclose(np.linalg.norm(end(chain, found) - target, axis=1), misses, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), 1.0, atol=1e-12)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), bones=st.integers(1, 5))
def test_a_target_out_of_reach_is_pointed_at_with_a_straight_chain(seed: int, bones: int) -> None:
    chain, rotations, rng = chains(seed, bones)
    way = rng.normal(size=(40, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    reach = chain.lengths.sum(axis=1)[:, None]
    found, misses = ik.pulled(chain, rotations, chain.base + 1.7 * reach * way)
    np.testing.assert_allclose(end(chain, found), chain.base + reach * way, atol=2e-3)
    np.testing.assert_allclose(misses, 0.7 * reach[:, 0], atol=2e-3)


def test_one_too_near_is_met_as_nearly_as_the_longest_bone_allows() -> None:
    bones = np.array([[[0.0, -0.6, 0.0], [0.0, -0.2, 0.0]]])
    chain = ik.Chain(np.zeros((1, 3)), quat.identity(1), bones)
    bent = quat.from_axis_angle(np.array([1.0, 0, 0]), np.array([[0.3, 0.8]]))
    found, _ = ik.pulled(chain, bent, np.array([[0.0, -0.1, 0.0]]))
    np.testing.assert_allclose(np.linalg.norm(end(chain, found)), 0.4, atol=1e-3)


@given(seed=st.integers(0, 2**32 - 1), bones=st.integers(1, 6))
def test_a_target_at_the_end_turns_nothing(seed: int, bones: int) -> None:
    chain, rotations, _ = chains(seed, bones)
    found, _ = ik.pulled(chain, rotations, end(chain, rotations))
    assert quat.angle(quat.multiply(quat.inverse(rotations), found)).max() < 1e-3


@pytest.mark.parametrize("bones", [2, 3, 5])
def test_a_straight_chain_pulled_along_itself_bends(bones: int) -> None:
    chain = ik.Chain(np.zeros((1, 3)), quat.identity(1), np.tile([0.0, -0.3, 0.0], (1, bones, 1)))
    target = np.array([[0.0, -0.2 * bones, 0.0]])
    _, misses = ik.pulled(chain, quat.identity(1, bones), target)
    assert misses[0] < 1e-4


def test_a_nearly_right_pose_stays_nearly_as_it_was() -> None:
    chain, rotations, rng = chains(4, 4, 200)
    small = 1e-3 * rng.normal(size=(200, 3))
    found, _ = ik.pulled(chain, rotations, ik.within_reach(chain, end(chain, rotations) + small))
    turned = quat.angle(quat.multiply(quat.inverse(rotations), found))
    assert np.median(turned.max(axis=1)) < 0.02


def test_a_stiff_joint_turns_less() -> None:
    chain, rotations, rng = chains(5, 3, 100)
    target = ik.within_reach(chain, end(chain, rotations) + 0.05 * rng.normal(size=(100, 3)))
    plain, _ = ik.pulled(chain, rotations, target)
    stiff, misses = ik.pulled(chain, rotations, target, stiffness=np.array([100.0, 1.0, 1.0]))
    before = quat.angle(quat.multiply(quat.inverse(rotations[:, 0]), plain[:, 0]))
    after = quat.angle(quat.multiply(quat.inverse(rotations[:, 0]), stiff[:, 0]))
    assert np.median(after) < 0.1 * np.median(before)
    assert np.median(misses) < 1e-4


def test_limits_are_kept_even_where_the_target_is_then_missed() -> None:
    chain, rotations, rng = chains(6, 3, 100)
    rest, limits = quat.identity(3), np.radians([40.0, 5.0, 180.0])
    target = end(chain, quat.normalized(rng.normal(size=(100, 3, 4))))
    found, misses = ik.pulled(chain, rotations, target, rest=rest, limits=limits)
    assert (quat.angle(found) <= limits + 1e-6).all()
    assert np.isfinite(misses).all()


def test_frames_do_not_touch_each_other() -> None:
    chain, rotations, rng = chains(7, 3)
    target = ik.within_reach(chain, chain.base + rng.normal(size=(40, 3)))
    together, _ = ik.pulled(chain, rotations, target)
    for frame in (0, 17, 39):
        alone, _ = ik.pulled(chain.taken(np.array([frame])), rotations[frame : frame + 1], target[frame : frame + 1])
        np.testing.assert_allclose(alone[0], together[frame], atol=1e-9)


def test_bones_without_length_and_targets_in_the_base_do_no_harm() -> None:
    for bones in (np.zeros((1, 2, 3)), np.ones((1, 2, 3))):
        chain = ik.Chain(np.zeros((1, 3)), quat.identity(1), bones)
        found, misses = ik.pulled(chain, quat.identity(1, 2), np.zeros((1, 3)))
        assert np.isfinite(found).all()
        assert np.isfinite(misses).all()
