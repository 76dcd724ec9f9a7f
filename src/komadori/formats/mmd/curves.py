"""Fewer keys with bent curves: the longest pieces of a bone's movement that one of MikuMikuDance's curves follows closely."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.formats.mmd.vmd import eased
from komadori.quat import Array

MOST_RAD, MOST_UNITS = np.radians(0.05), 0.005
"""How far a bone's own rotation and offset may lie from the movement in any frame: 0.05 degrees, 0.4 mm."""
LEAST_FRAMES = 3
"""A piece is at least so long; a drawing that is held, and the leap to the next, keep keys side by side."""
LONGEST = 60
STRAIGHT = (20, 20, 107, 107)
_GRID = np.array([0, 16, 32, 48, 64, 80, 96, 112, 127])
_TINY = 1e-9

Points = tuple[int, int, int, int]


def pieces(turns: Array, shifts: Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Frames (K,) that need a key, and the control points (K, 4, 4) of the curves that lead to each, for x, y, z and turn.

    `turns` (F, 4) are continuous, `shifts` (F, 3). Frames that are held are bounded by keys, as are leaps between them.
    """
    changes = (turns[1:] != turns[:-1]).any(axis=1) | (shifts[1:] != shifts[:-1]).any(axis=1)
    keys: dict[int, NDArray[np.uint8]] = {0: np.tile(np.array(STRAIGHT, dtype=np.uint8), (4, 1))}
    frame, last = 0, len(turns) - 1
    while frame < last:
        if not changes[frame]:
            end = frame + 1
            while end < last and not changes[end]:
                end += 1
            curves = keys[0]
        else:
            end, curves = _longest(turns, shifts, frame, _until(changes, frame))
        keys[end] = curves
        frame = end
    if not changes.any():
        keys = {0: keys[0]}
    elif not changes[-1] and last in keys:
        # A hold to the end needs no key there: the last drawing stays.
        del keys[last]
    at = sorted(keys)
    return np.array(at, dtype=np.int64), np.stack([keys[one] for one in at])


def _until(changes: NDArray[np.bool_], start: int) -> int:
    """The last frame of the movement that continues without a hold from `start` on."""
    held = np.flatnonzero(~changes[start : start + LONGEST])
    return start + (int(held[0]) if len(held) else min(LONGEST, len(changes) - start))


def _longest(turns: Array, shifts: Array, start: int, end: int) -> tuple[int, NDArray[np.uint8]]:
    """The farthest frame up to `end` that one curve per channel reaches within the bounds, and those curves."""
    best, curves = start + 1, np.tile(np.array(STRAIGHT, dtype=np.uint8), (4, 1))
    if end - start < LEAST_FRAMES:
        return best, curves
    # An ease may be one curve as a whole though no part of it is.
    whole = _fitted(turns, shifts, start, end)
    if whole is not None:
        return end, whole
    low, high, size = 1, end - start, 2
    while low < high:
        tried = min(size, high) if size <= high and best == start + low else (low + high + 1) // 2
        found = _fitted(turns, shifts, start, start + tried)
        if found is None:
            high = tried - 1
            size = high + 1
        else:
            low, best, curves = tried, start + tried, found
            size = tried * 2
    return best, curves


def _fitted(turns: Array, shifts: Array, a: int, b: int) -> NDArray[np.uint8] | None:
    """Curves (4, 4) that follow the movement from frame `a` to frame `b`, or None if none does."""
    count = b - a
    result = np.tile(np.array(STRAIGHT, dtype=np.uint8), (4, 1))
    if count == 1:
        return result
    for axis in range(3):
        values = shifts[a : b + 1, axis]
        span = values[-1] - values[0]
        if abs(span) < _TINY:
            if np.abs(values - values[0]).max() > MOST_UNITS:
                return None
            continue
        found, share = _curve((values[1:-1] - values[0]) / span, count)
        if np.abs(values[0] + span * share - values[1:-1]).max() > MOST_UNITS:
            return None
        result[axis] = found
    # Rotation vectors from the first key on: small turns, in which what lies beside the axis is the distance from it.
    vectors = quat.log(quat.multiply(quat.inverse(turns[a]), turns[a + 1 : b + 1]))
    whole = vectors[-1]
    angle = float(np.linalg.norm(whole))
    if angle < _TINY:
        return None if np.abs(vectors).max() > MOST_RAD else result
    along = vectors[:-1] @ whole / angle**2
    beside = vectors[:-1] - along[:, None] * whole
    if np.abs(beside).max() > MOST_RAD:
        return None
    found, share = _curve(along, count)
    if np.linalg.norm(beside + (along - share)[:, None] * whole, axis=1).max() > MOST_RAD:
        return None
    result[3] = found
    return result


def _curve(wanted: Array, count: int) -> tuple[Points, Array]:
    """The control points that bring a channel nearest to `wanted` (count - 1,), its share at each frame between two keys, and what they reach."""
    first, second, rest, inverse = _table(count)
    target = wanted - rest
    right = np.stack([(first * target).sum(axis=1), (second * target).sum(axis=1)], axis=1)
    heights = np.clip(np.round(127.0 * np.einsum("gij,gj->gi", inverse, right)), 0, 127)
    reached = (first * heights[:, :1] + second * heights[:, 1:]) / 127.0
    best = int(np.argmin(np.abs(reached - target).max(axis=1)))
    x1, x2 = _GRID[best // len(_GRID)], _GRID[best % len(_GRID)]
    points = int(x1), int(heights[best, 0]), int(x2), int(heights[best, 1])
    return points, reached[best] + rest[best]


@lru_cache(maxsize=128)
def _table(count: int) -> tuple[Array, Array, Array, Array]:
    """Of every pair of control times: the weights (G, n) of the two heights at each frame, what is left, and the least-squares inverse."""
    share = np.arange(1, count) / count
    pairs = np.stack(np.meshgrid(_GRID, _GRID, indexing="ij"), axis=-1).reshape(-1, 2) / 127.0
    grid, n = len(pairs), len(share)
    flat = np.repeat(pairs, n, axis=0)
    times = np.tile(share, grid)
    # Reading the heights 1/0, 0/1 and 0/0 gives the weights: the curve is linear in its heights.
    read = [eased(times, np.column_stack([flat[:, 0], np.full(len(flat), y1), flat[:, 1], np.full(len(flat), y2)])) for y1, y2 in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))]  # fmt: skip
    rest, one, two = (values.reshape(grid, n) for values in read)
    first, second = one - rest, two - rest
    normal = np.empty((grid, 2, 2))
    normal[:, 0, 0] = (first**2).sum(axis=1)
    normal[:, 1, 1] = (second**2).sum(axis=1)
    normal[:, 0, 1] = normal[:, 1, 0] = (first * second).sum(axis=1)
    return first, second, rest, np.asarray(np.linalg.pinv(normal), dtype=np.float64)
