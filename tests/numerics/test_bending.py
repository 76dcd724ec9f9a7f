"""Blends of rigid movements: what is rigid stays rigid, and a bent limb keeps its volume."""

from __future__ import annotations

import numpy as np
import pytest

from komadori import quat
from komadori.numerics.bending import dual_blended, spherical_blended
from komadori.quat import Array

RNG = np.random.default_rng(4)


def moves_of(turns: Array, pivots: Array) -> Array:
    """(..., 3, 4) turns about pivots."""
    matrices = quat.to_matrix(turns)
    shift = pivots - np.einsum("...ij,...j->...i", matrices, pivots)
    return np.concatenate([matrices, shift[..., None]], axis=-1)


def test_joints_that_move_alike_move_the_skin_as_one() -> None:
    points, normals = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))
    move = moves_of(quat.exp(RNG.normal(size=(7, 1, 1, 3))), RNG.normal(size=(7, 1, 1, 3)))
    wanted = np.einsum("fij,nj->fni", move[:, 0, 0, :, :3], points) + move[:, 0, 0, :, 3][:, None]
    facing = np.einsum("fij,nj->fni", move[:, 0, 0, :, :3], normals)
    shares = np.tile([0.3, 0.7], (5, 1))
    centres = RNG.normal(size=(5, 3, 3))
    at, turned = spherical_blended(points, normals, centres, shares, np.broadcast_to(move, (7, 5, 2, 3, 4)))
    # SDEF carries C with half of the way to its ends, which cancels for a rigid move only about their weighted middle.
    assert np.allclose(at, wanted)
    assert np.allclose(turned, facing)
    at, turned = dual_blended(points, normals, np.full((5, 4), 0.25), np.broadcast_to(move, (7, 5, 4, 3, 4)))
    assert np.allclose(at, wanted)
    assert np.allclose(turned, facing)


@pytest.mark.parametrize("degrees", [30.0, 90.0, 150.0])
def test_a_bent_elbow_keeps_its_thickness_where_linear_blending_loses_it(degrees: float) -> None:
    point = np.array([[0.0, 0.1, 0.0]])
    turn = quat.from_axis_angle([0.0, 0.0, 1.0], np.radians(degrees))
    move = np.stack([moves_of(quat.identity(), np.zeros(3)), moves_of(turn, np.zeros(3))])[None, None]
    half = np.array([[0.5, 0.5]])
    centres = np.zeros((1, 3, 3))
    at, normal = spherical_blended(point, point / 0.1, centres, half, move)
    assert np.linalg.norm(at) == pytest.approx(0.1)
    assert np.allclose(normal[0, 0], [-np.sin(np.radians(degrees / 2)), np.cos(np.radians(degrees / 2)), 0.0])
    dual, _ = dual_blended(point, point / 0.1, half, move)
    assert np.linalg.norm(dual) == pytest.approx(0.1)
    linear = np.einsum("k,kij,j->i", half[0], move[0, 0, :, :, :3], point[0])
    assert np.linalg.norm(linear) == pytest.approx(0.1 * np.cos(np.radians(degrees / 2)))


def test_the_ends_of_sdef_move_the_centre_as_the_formula_says() -> None:
    centre, r0, r1 = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.8, 0.0]), np.array([0.0, 1.4, 0.0])
    shares = np.array([[0.25, 0.75]])
    turn = quat.from_axis_angle([0.0, 0.0, 1.0], 1.0)
    first, second = moves_of(quat.identity(), np.zeros(3)), moves_of(turn, np.array([0.0, 1.0, 0.0]))
    at, _ = spherical_blended(centre[None], np.eye(3)[:1], np.stack([centre, r0, r1])[None], shares, np.stack([first, second])[None, None])  # fmt: skip
    blend = 0.25 * r0 + 0.75 * r1
    a, b = (centre + (centre + r0 - blend)) / 2, (centre + (centre + r1 - blend)) / 2
    wanted = 0.25 * a + 0.75 * (second[:, :3] @ b + second[:, 3])
    assert np.allclose(at[0, 0], wanted)


def test_signs_of_quaternions_do_not_matter_to_dual_blending() -> None:
    turns = quat.exp(np.array([[0.0, 3.0, 0.0], [0.0, 3.4, 0.0]]))
    move = moves_of(turns, np.zeros((2, 3)))[None, None]
    at, _ = dual_blended(np.array([[1.0, 0.0, 0.0]]), np.eye(3)[:1], np.array([[0.5, 0.5]]), move)
    assert np.allclose(at[0, 0], quat.rotate(quat.exp([0.0, 3.2, 0.0]), [1.0, 0.0, 0.0]))
