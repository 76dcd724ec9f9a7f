"""The nearest rotation to a blended matrix, and whether the blend still tells one: many matrices at once."""

from __future__ import annotations

import numpy as np

from komadori.quat import Array

FADE = 0.1
"""Below this determinant (1 for a rotation) a joint begins to fade to the nearest key; at 0 it is there."""

_BLOCK = 4096
"""Matrices worked on at once: what lies between then stays in the processor's cache."""
_STEPS = 9
_CLOSE = 1e-8
"""Newton's method doubles the digits with every step: after one this small nothing is left to gain."""


def nearest_rotation(matrices: Array) -> tuple[Array, Array]:
    """Unit quaternions (4, N) of the rotations nearest to `matrices` (9, N), row by row, and how well defined each is.

    What the paper's appendix approaches by averaging each axis with the cross product of the two others, here solved
    for: the quaternion is the eigenvector of Horn's 4 x 4 matrix for its greatest eigenvalue. The second result
    (N,) is the determinant with axes longer than 1 taken as 1: 1 for a rotation however it is stretched, 0 or
    less where the blend has no handedness left and defines none.
    """
    count = matrices.shape[1]
    turns, handedness = np.empty((4, count)), np.empty(count)
    for start in range(0, count, _BLOCK):
        block = slice(start, min(start + _BLOCK, count))
        _nearest(matrices[:, block], turns[:, block], handedness[block])
    return turns, handedness


def faded_in(handedness: Array) -> Array:
    """0 where a blend defines no rotation, 1 where it safely does, smooth between."""
    x = np.clip(handedness * (1.0 / FADE), 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def _nearest(matrices: Array, turns: Array, handedness: Array) -> None:
    # One array a component: each is small enough to be made anew without the system's help.
    a, b, c, d, e, f, g, h, i = matrices
    lengths = [a * a + d * d + g * g, b * b + e * e + h * h, c * c + f * f + i * i]
    scale = 1.0 / np.sqrt(np.maximum(lengths[0] + lengths[1] + lengths[2], 1e-300))
    a, b, c, d, e, f, g, h, i = m = [row * scale for row in matrices]
    cofactors = [
        e * i - f * h, f * g - d * i, d * h - e * g,
        c * h - b * i, a * i - c * g, b * g - a * h,
        b * f - c * e, c * d - a * f, a * e - b * d,
    ]  # fmt: skip
    determinant = a * cofactors[0] + b * cofactors[1] + c * cofactors[2]
    longer = np.maximum(lengths[0], 1.0) * np.maximum(lengths[1], 1.0) * np.maximum(lengths[2], 1.0)
    np.divide(determinant, scale * scale * scale * np.sqrt(longer), out=handedness)
    turns[...] = _eigenvector(m, _greatest_root(8.0 * determinant, sum(row * row for row in cofactors)))


def _greatest_root(eight_det: Array, cofactors_squared: Array) -> Array:
    """s1 + s2 + s3 of the singular values s of a matrix of norm 1 (the last one negative where its determinant is).

    The greatest root of x^4 - 2 x^2 - 8 det x + c; from any place above it Newton's method falls to it and never below.
    """
    constant = 1.0 - 4.0 * cofactors_squared
    # x^2 = 1 + 2 y and y^2 = |cofactors|^2 + 2 det x: put the most that x can be, sqrt(3), in once, and it is near.
    x = np.sqrt(2.0 * np.sqrt(cofactors_squared + np.maximum(eight_det, 0.0) * (0.25 * 3.0**0.5)) + 1.0)
    for _ in range(_STEPS):
        x2 = x * x
        fall = (x2 - 2.0) * x2 - eight_det * x + constant
        fall /= np.maximum((x2 - 1.0) * x * 4.0 - eight_det, 1e-12)
        x -= fall
        if fall.max(initial=0.0) < _CLOSE:
            break
    return np.asarray(x)


def _eigenvector(m: list[Array], eigenvalue: Array) -> Array:
    """(4, N) the longest column of the adjugate of Horn's symmetric matrix less `eigenvalue`, at unit length."""
    trace = m[0] + m[4] + m[8]
    other = trace + eigenvalue
    a00, a11, a22, a33 = 2.0 * m[0] - other, 2.0 * m[4] - other, 2.0 * m[8] - other, trace - eigenvalue
    a01, a02, a12 = m[1] + m[3], m[2] + m[6], m[5] + m[7]
    a03, a13, a23 = m[7] - m[5], m[2] - m[6], m[3] - m[1]
    # Minors of the lower two rows, then of the upper two, by their columns.
    l01, l02, l03 = a02 * a13 - a12 * a03, a02 * a23 - a22 * a03, a02 * a33 - a23 * a03
    l12, l13, l23 = a12 * a23 - a22 * a13, a12 * a33 - a23 * a13, a22 * a33 - a23 * a23
    u01, u02, u03 = a00 * a11 - a01 * a01, a00 * a12 - a02 * a01, a00 * a13 - a03 * a01
    u12, u13 = a01 * a12 - a02 * a11, a01 * a13 - a03 * a11
    c00 = a11 * l23 - a12 * l13 + a13 * l12
    c01 = a12 * l03 - a01 * l23 - a13 * l02
    c02 = a01 * l13 - a11 * l03 + a13 * l01
    c03 = a11 * l02 - a01 * l12 - a12 * l01
    c11 = a00 * l23 - a02 * l03 + a03 * l02
    c12 = a01 * l03 - a00 * l13 - a03 * l01
    c13 = a00 * l12 - a01 * l02 + a02 * l01
    c22 = a03 * u13 - a13 * u03 + a33 * u01
    c23 = a13 * u02 - a03 * u12 - a23 * u01
    c33 = a02 * u12 - a12 * u02 + a22 * u01
    best, most = np.stack([c00, c01, c02, c03]), np.abs(c00)
    for pivot, column in ((c11, (c01, c11, c12, c13)), (c22, (c02, c12, c22, c23)), (c33, (c03, c13, c23, c33))):
        size = np.abs(pivot)
        better = np.flatnonzero(size > most)
        if len(better):
            for row, entry in zip(best, column, strict=True):
                row[better] = entry[better]
            most = np.maximum(most, size)
    length = np.sqrt(np.einsum("in,in->n", best, best))
    lost = length == 0.0
    best[3] += lost
    best /= length + lost
    return best
