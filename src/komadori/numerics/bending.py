"""Blends of rigid movements that keep a limb's volume where a linear one pinches it: SDEF, and dual quaternions."""

from __future__ import annotations

import numpy as np

from komadori import quat
from komadori.quat import Array


def spherical_blended(
    points: Array, normals: Array, centres: Array, shares: Array, moves: Array
) -> tuple[Array, Array]:
    """Where SDEF takes `points` ((F,) n, 3) and `normals` (n, 3): (F, n, 3) each.

    Two joints with `shares` (n, 2) move by `moves` (F, n, 2, 3, 4). `centres` (n, 3, 3) are C, R0, R1. The turn between the two is taken
    along the sphere, about C; C itself goes half the way that linear blending takes the two ends that R0 and R1 name.
    """
    centre, ends = centres[:, 0], centres[:, 1:]
    middle = np.einsum("nk,nki->ni", shares, ends)
    anchors = centre[:, None] + 0.5 * (ends - middle[:, None])
    turns = quat.from_matrix(moves[..., :3])
    turn = quat.slerp(turns[:, :, 0], turns[:, :, 1], shares[:, 1])
    carried = np.einsum("fnkij,nkj->fnki", moves[..., :3], anchors) + moves[..., 3]
    placed = quat.rotate(turn, points - centre) + np.einsum("nk,fnki->fni", shares, carried)
    return placed, quat.rotate(turn, np.broadcast_to(normals, placed.shape))


def dual_blended(points: Array, normals: Array, weights: Array, moves: Array) -> tuple[Array, Array]:
    """Where dual quaternions take `points` ((F,) n, 3) and `normals` (n, 3): (F, n, 3) each (Kavan et al. 2008, section 3).

    Joints with `weights` (n, K) move by `moves` (F, n, K, 3, 4), which turn and shift and do nothing else.
    """
    turns = quat.from_matrix(moves[..., :3])
    strongest = np.argmax(weights, axis=1)
    lead = np.take_along_axis(turns, strongest[None, :, None, None], axis=2)
    # q and -q are the same rotation: all take the sign of the strongest, the short way round.
    turns = np.where((turns * lead).sum(axis=-1, keepdims=True) < 0.0, -turns, turns)
    shift = np.concatenate([moves[..., 3], np.zeros((*moves.shape[:3], 1))], axis=-1)
    duals = 0.5 * quat.multiply(shift, turns)
    real = np.einsum("nk,fnki->fni", weights, turns)
    dual = np.einsum("nk,fnki->fni", weights, duals)
    size = np.maximum(np.linalg.norm(real, axis=-1, keepdims=True), 1e-12)
    real, dual = real / size, dual / size
    moved = 2.0 * quat.multiply(dual, quat.inverse(real))[..., :3]
    placed = quat.rotate(real, np.broadcast_to(points, moved.shape)) + moved
    return placed, quat.rotate(real, np.broadcast_to(normals, moved.shape))
