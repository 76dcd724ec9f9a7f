"""Euler angles for rotations that were computed: each frame's the closest to the frame before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.quat import Array

LOCKED = 1e-9
"""The cosine of the middle angle below which the outer two turn about one axis."""


def nearest(rotations: Array, order: str, known: Array, given: NDArray[np.bool_]) -> Array:
    """Angles (F, n, 3) in radians of rotations (F, n, 4) about the moving axes of `order`, three different letters.

    Where `given` (F, n) is true the answer is `known` (F, n, 3). Elsewhere, of all angles that mean the rotation,
    those that lie closest to the frame before; before the first frame the angles are taken to be 0.
    """
    result = np.where(given[..., None], known, 0.0)
    missing = np.flatnonzero(~given.all(axis=1))
    principal = np.empty_like(result)
    principal[missing] = quat.to_euler(rotations[missing], order)
    for frame in missing.tolist():
        before = result[frame - 1] if frame else np.zeros_like(result[0])
        found = _closest(principal[frame], before, order)
        result[frame] = np.where(given[frame, :, None], known[frame], found)
    return result


def flowing(rotations: Array, order: str) -> Array:
    """Like `nearest` if no angles are given, all frames at once: (F, n, 3) of rotations (F, n, 4)."""
    found = quat.to_euler(rotations, order)
    if len(found) < 2:
        return found
    locked = (np.abs(np.cos(found[..., 1])) < LOCKED).any(axis=0)
    # The two triples that mean a rotation are as far from those of the next frame, crosswise, whichever is taken now:
    # so each frame says whether to switch, and the number of switches so far decides which triple it takes.
    step = found[1:] - found[:-1]
    over = np.pi * np.ones(3) + found[1:] * np.array([1.0, -1.0, 1.0]) - found[:-1]
    changes = _short(over) < _short(step)
    other = np.zeros(found.shape[:2], dtype=bool)
    other[1:] = np.cumsum(changes, axis=0) % 2 == 1
    found = np.where(other[..., None], np.pi + found * np.array([1.0, -1.0, 1.0]), found)
    found = np.unwrap(found, axis=0)
    if locked.any():
        plain = np.zeros((len(found), int(locked.sum())), dtype=bool)
        found[:, locked] = nearest(rotations[:, locked], order, found[:, locked], plain)
    return found


def _short(change: Array) -> Array:
    """The sum of `change` (..., 3), each taken the short way around the circle."""
    return np.asarray(np.abs(change - 2.0 * np.pi * np.round(change / (2.0 * np.pi))).sum(axis=-1))


def _closest(angles: Array, before: Array, order: str) -> Array:
    """Of the angles (n, 3) that mean the same rotation, those nearest to `before` (n, 3)."""
    other = np.array([np.pi, np.pi, np.pi]) + angles * np.array([1.0, -1.0, 1.0])
    angles, other = _whole_turns(angles, before), _whole_turns(other, before)
    farther = np.abs(angles - before).sum(axis=1) > np.abs(other - before).sum(axis=1)
    found = np.where(farther[:, None], other, angles)
    locked = np.abs(np.cos(angles[:, 1])) < LOCKED
    if locked.any():
        # Only the sum (or the difference) of the outer angles counts: share the change between them.
        parity = 1.0 if order in ("XYZ", "YZX", "ZXY") else -1.0
        sign = parity * np.sign(np.sin(angles[:, 1]))
        change = angles[:, 0] + sign * angles[:, 2] - before[:, 0] - sign * before[:, 2]
        change -= 2.0 * np.pi * np.round(change / (2.0 * np.pi))
        shared = np.stack([before[:, 0] + 0.5 * change, angles[:, 1], before[:, 2] + 0.5 * sign * change], axis=1)
        found = np.where(locked[:, None], shared, found)
    return found


def _whole_turns(angles: Array, before: Array) -> Array:
    """`angles` plus the whole turns that bring each nearest to `before`."""
    return np.asarray(angles + 2.0 * np.pi * np.round((before - angles) / (2.0 * np.pi)))
