from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import fast, kinematics, quat
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

from bodies import tree, wander


def plain(motion: Motion) -> tuple[Array, Array]:
    """Forward kinematics as the definition says it: a matrix a joint, one joint after the other."""
    skeleton = motion.skeleton
    rotations, positions = np.empty((len(motion), len(skeleton), 3, 3)), np.empty((len(motion), len(skeleton), 3))
    for frame in range(len(motion)):
        for joint, parent in enumerate(skeleton.parents.tolist()):
            turn, place = quat.to_matrix(motion.rotations[frame, joint]), motion.positions[frame, joint]
            if parent >= 0:
                place = positions[frame, parent] + rotations[frame, parent] @ place
                turn = rotations[frame, parent] @ turn
            rotations[frame, joint], positions[frame, joint] = turn, place
    return rotations, positions


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 12), st.integers(0, 1000), st.integers(1, 3))
def test_forward_kinematics_is_the_definition(joints: int, frames: int, seed: int, roots: int) -> None:
    motion = wander(tree(joints, seed, roots), frames, seed=seed)
    rotations, positions = plain(motion)
    found_q, found_p = motion.world_transforms()
    assert np.allclose(found_p, positions, atol=1e-12)
    assert np.allclose(quat.to_matrix(found_q), rotations, atol=1e-12)
    assert np.allclose(motion.world_positions(), positions, atol=1e-12)


@pytest.mark.parametrize(
    "frames", [kinematics.BLOCK - 1, kinematics.BLOCK, kinematics.BLOCK + 1, 2 * kinematics.BLOCK + 3]
)
def test_blocks_leave_no_seam(frames: int) -> None:
    motion = wander(tree(5), frames)
    whole = motion.world_positions()
    for frame in (0, kinematics.BLOCK - 2, min(kinematics.BLOCK, frames) - 1, frames - 1):
        assert np.allclose(whole[frame], motion[frame : frame + 1].world_positions()[0], atol=1e-12)


@settings(max_examples=30)
@given(st.integers(2, 20), st.integers(0, 1000))
def test_bones_keep_their_lengths(joints: int, seed: int) -> None:
    motion = wander(tree(joints, seed), 20, seed=seed)
    world, parents = motion.world_positions(), motion.skeleton.parents
    bones = np.linalg.norm(world[:, 1:] - world[:, parents[1:]], axis=-1)
    assert np.allclose(bones, np.linalg.norm(motion.skeleton.offsets[1:], axis=-1), atol=1e-12)


@given(st.integers(1, 20), st.integers(0, 1000))
def test_local_rotations_undo_forward_kinematics(joints: int, seed: int) -> None:
    motion = wander(tree(joints, seed), 5, seed=seed)
    world, _ = motion.world_transforms()
    local = kinematics.local_rotations(motion.skeleton, world)
    assert (quat.angle(quat.multiply(quat.inverse(local), motion.rotations)) < 1e-7).all()


def test_a_worked_example() -> None:
    skeleton = Skeleton(
        ("hips", "knee", "foot"), np.array([-1, 0, 1]), np.array([[0.0, 1, 0], [0, -0.5, 0], [0, -0.5, 0]])
    )
    quarter = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)
    rotations = np.stack([quarter, quat.inverse(quarter), quat.IDENTITY])[None]
    motion = Motion(skeleton, 24, rotations, skeleton.offsets[None])
    assert np.allclose(motion.world_positions()[0], [[0, 1, 0], [0, 1, -0.5], [0, 0.5, -0.5]])


def test_the_input_is_never_changed() -> None:
    motion = wander(tree(6), 4)
    rotations, positions = motion.rotations.copy(), motion.positions.copy()
    kinematics.world_transforms(motion.skeleton, rotations, positions)
    assert np.array_equal(rotations, motion.rotations)
    assert np.array_equal(positions, motion.positions)


@pytest.mark.parametrize("frames", [0, 1, 7])
@pytest.mark.parametrize("wanted", [True, False])
def test_the_loop_to_be_compiled_does_the_same(frames: int, wanted: bool) -> None:
    motion = wander(tree(9, 3), frames)
    world_q, world_p = np.empty((frames if wanted else 0, 9, 4)), np.empty((frames, 9, 3))
    fast.forward(motion.skeleton.parents, motion.rotations, motion.positions, world_q, world_p)
    expected_q, expected_p = motion.world_transforms()
    assert np.allclose(world_p, expected_p, atol=1e-12)
    if wanted:
        assert np.allclose(world_q, expected_q, atol=1e-12)


def test_the_compiled_loop_does_the_same() -> None:
    pytest.importorskip("numba", reason="the optional extra `fast` is not installed")
    motion = wander(tree(9, 3), 7)
    expected = motion.world_transforms()
    fast.enable()
    try:
        found = motion.world_transforms()
        alone = motion.world_positions()
        empty = motion[:0].world_positions()
    finally:
        fast.enable(False)
    assert np.allclose(found[0], expected[0], atol=1e-12)
    assert np.allclose(found[1], expected[1], atol=1e-12)
    assert np.allclose(alone, expected[1], atol=1e-12)
    assert empty.shape == (0, 9, 3)
