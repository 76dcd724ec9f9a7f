"""Cubic pieces between keys: tangents that fit a densely sampled curve, and the curve that they make."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

Frames = NDArray[np.int64]


def fitted_tangents(values: Array, keys: Frames) -> tuple[Array, Array]:
    """Tangents into and out of every key, (K, D) each, such that the cubic pieces pass `values` (F, D) most closely.

    Least squares, piece by piece: a key may have a corner. `keys` (K,) are rising frames; tangents are slopes per frame.
    Where a piece has fewer than two frames inside, the slopes that change least from the straight line are taken.
    """
    arriving, leaving = np.zeros((len(keys), values.shape[1])), np.zeros((len(keys), values.shape[1]))
    for n, (a, b) in enumerate(zip(keys[:-1].tolist(), keys[1:].tolist(), strict=True)):
        straight = (values[b] - values[a]) / (b - a)
        u = np.arange(1, b - a) / (b - a)
        line = values[a] + u[:, None] * (values[b] - values[a])
        # On top of the straight line, the two slopes act as these shapes, which vanish at both keys.
        shapes = np.stack([u * (1.0 - u) ** 2, -(u**2) * (1.0 - u)], axis=1) * (b - a)
        extra = np.linalg.pinv(shapes) @ (values[a + 1 : b] - line)
        leaving[n] = straight + extra[0]
        arriving[n + 1] = straight + extra[1]
    return arriving, leaving


def evaluated(values: Array, arriving: Array, leaving: Array, keys: Frames, frames: Array) -> Array:
    """The cubic pieces through `values` (K, D) at `keys`, read at `frames` (n,), which may lie between frames: (n, D).

    Before the first key and after the last one the curve stays where it is."""
    frames = np.clip(frames, keys[0], keys[-1])
    piece = np.clip(np.searchsorted(keys, frames, "right") - 1, 0, max(len(keys) - 2, 0))
    if len(keys) < 2:
        return np.repeat(values[:1], len(frames), axis=0)
    span = (keys[piece + 1] - keys[piece])[:, None]
    u = ((frames - keys[piece])[:, None]) / span
    back = 1.0 - u
    return np.asarray(
        back**2 * (1.0 + 2.0 * u) * values[piece]
        + u**2 * (3.0 - 2.0 * u) * values[piece + 1]
        + u * back**2 * span * leaving[piece]
        - u**2 * back * span * arriving[piece + 1]
    )
