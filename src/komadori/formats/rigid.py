"""Joints that rotate and move but never scale: a file's matrices without their stretch."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.quat import Array

SQUARE = 1e-7
"""Axes whose directions are square to within this are taken as they are; others go through a decomposition."""
STRETCH_NOISE = 5e-3
"""A stretch that changes by less than this part of itself does not count as growing."""

Y_UP_FROM_Z_UP: Array = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
Y_UP_FROM_Z_UP.flags.writeable = False


def decomposed(linear: Array) -> tuple[Array, Array]:
    """The nearest rotations (..., 4) to matrices (..., 3, 3) and the stretch (..., 3, 3) that comes before them.

    `linear` is rotation times stretch exactly; a mirror stays in the stretch.
    """
    lengths = np.linalg.norm(linear, axis=-2)
    axes = linear / np.where(lengths > 0.0, lengths, 1.0)[..., None, :]
    gram = np.einsum("...ij,...ik->...jk", axes, axes)
    plain = (np.abs(gram - np.eye(3)).max(axis=(-2, -1)) < SQUARE) & (np.linalg.det(axes) > 0.0)
    if not plain.all():
        left, _, right = np.linalg.svd(linear[~plain])
        mirror = np.ones((len(left), 3))
        mirror[:, 2] = np.where(np.linalg.det(left @ right) < 0.0, -1.0, 1.0)
        axes[~plain] = (left * mirror[:, None, :]) @ right
    rotations = quat.from_matrix(axes)
    return rotations, np.einsum("...ji,...jk->...ik", quat.to_matrix(rotations), linear)


def local(parents: NDArray[np.intp], turned: Array, places: Array) -> tuple[Array, Array]:
    """World rotations (F, J, 4) and positions (F, J, 3) of joints as rotations and positions local to their parents."""
    rotations, positions = turned.copy(), places.copy()
    inner = np.flatnonzero(parents >= 0)
    back = quat.inverse(turned[:, parents[inner]])
    rotations[:, inner] = quat.multiply(back, turned[:, inner])
    positions[:, inner] = quat.rotate(back, places[:, inner] - places[:, parents[inner]])
    return quat.continuous(quat.normalized(rotations)), positions


def affine(linear: Array, shift: Array | None = None) -> Array:
    """(..., 4, 4) from (..., 3, 3) and (..., 3)."""
    result = np.zeros((*linear.shape[:-2], 4, 4))
    result[..., :3, :3] = linear
    result[..., 3, 3] = 1.0
    if shift is not None:
        result[..., :3, 3] = shift
    return result


def growing(stretch: Array) -> int:
    """How many joints change their stretch (F, J, 3, 3) over time."""
    if len(stretch) < 2:
        return 0
    size = np.maximum(np.abs(stretch[0]).max(axis=(-2, -1)), 1e-12)
    change = np.abs(stretch - stretch[0]).max(axis=(0, -2, -1))
    return int((change > STRETCH_NOISE * size).sum())


def different(names: Iterable[str]) -> tuple[str, ...]:
    """`names` with a number after those that were there before."""
    seen: dict[str, None] = {}
    counts: dict[str, int] = {}
    for name in names:
        told = name
        while told in seen:
            counts[name] = counts.get(name, 1) + 1
            told = f"{name}.{counts[name]}"
        seen[told] = None
    return tuple(seen)
