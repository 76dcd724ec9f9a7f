"""Squared distances between frames: the one place where a step is computed, so that equal steps are equal bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from komadori.quat import Array

BLOCK = 4096
"""Pairs worked on at once, so that the differences never need as much memory as the whole clip."""


def squared_steps(points: Array, a: ArrayLike, b: ArrayLike) -> Array:
    """|points[b] - points[a]|^2 for frame pairs `a`, `b` (n,); `points` is (F, D). Returns (n,).

    Each pair is summed by itself in one fixed order, so that its bits do not depend on what else is asked for.
    """
    a, b = np.atleast_1d(np.asarray(a, dtype=np.intp)), np.atleast_1d(np.asarray(b, dtype=np.intp))
    result = np.empty(len(a))
    for start in range(0, len(a), BLOCK):
        part = slice(start, start + BLOCK)
        difference = points[b[part]] - points[a[part]]
        np.square(difference, out=difference)
        result[part] = difference.sum(axis=-1)
    return result


def squared_step(points: Array, a: int, b: int) -> float:
    """|points[b] - points[a]|^2, the same bits as `squared_steps` gives."""
    difference = points[b] - points[a]
    # What the arrays' own `sum` does, without its detour: of a short clip's time that is a tenth.
    np.multiply(difference, difference, out=difference)
    return float(np.add.reduce(difference))


def consecutive_steps(points: Array) -> Array:
    """(F - 1,) squared steps from each frame to the next; the same bits as `squared_steps` gives."""
    result = np.empty(max(len(points) - 1, 0))
    for start in range(0, len(result), BLOCK):
        stop = min(start + BLOCK, len(result))
        difference = points[start + 1 : stop + 1] - points[start:stop]
        np.square(difference, out=difference)
        result[start:stop] = difference.sum(axis=-1)
    return result
