"""Planes: in which plane each strand waves, and vectors as (3, ...) arrays, which is how whole clips are fastest."""

from __future__ import annotations

import numpy as np

from komadori.quat import Array

STEEP = 0.7
"""Above this share of straight down (or up) a strand's plane is turned from the world's up to the body's outside."""
OUTSIDE = 3.0
"""How strongly: a strand would have to hang about 33 degrees into the body before its plane is left open."""


def dot(a: Array, b: Array) -> Array:
    """(...) of (3, ...)."""
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: Array, b: Array) -> Array:
    """(3, ...) of (3, ...)."""
    result = np.empty((3, *np.broadcast_shapes(a.shape[1:], b.shape[1:])))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        np.multiply(a[j], b[k], out=result[i])
        result[i] -= a[k] * b[j]
    return result


def unit(a: Array) -> Array:
    """(3, ...) of length 1."""
    return np.asarray(a / np.maximum(np.sqrt(dot(a, a)), 1e-12))


def plane_ups(chord: Array, up: Array, outward: Array) -> tuple[Array, Array]:
    """The up of each strand's plane, square to its chord, and the sine of the chord's angle from the vertical.

    All (3, ...). It is the world's up; but a strand that hangs (or stands) straight leaves its plane open, and waves to and
    from the body. Between the two the plane turns smoothly.
    """
    level = dot(chord, up)
    square = up - level * chord
    steep = np.sqrt(dot(square, square))
    over = np.clip((np.abs(level) - STEEP) / (1.0 - STEEP), 0.0, 1.0)
    if over.any():
        square = square - OUTSIDE * np.sign(level) * over * over * (outward - dot(outward, chord) * chord)
    size = np.sqrt(dot(square, square))
    if (size > 1e-9).all():
        return np.asarray(square / size), steep
    least = np.argmin(np.abs(chord), axis=0)
    spare = unit(cross(chord, np.moveaxis(np.eye(3)[least], -1, 0)))
    return np.where(size > 1e-9, square / np.maximum(size, 1e-12), spare), steep


def carried(up: Array, chord: Array, line: Array) -> Array:
    """`up`, square to `chord`, carried to `line` by the shortest turn between the two: square to `line`. All (3, ...)."""
    both = chord + line
    both *= dot(up, line) / np.maximum(1.0 + dot(chord, line), 1e-6)
    return np.subtract(up, both, out=both)
