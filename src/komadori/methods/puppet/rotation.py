"""The nearest rotation to a blended matrix, and whether the blend still tells one: many matrices at once."""

from __future__ import annotations

import numpy as np

from komadori.quat import Array

FADE = 0.1
"""Below this determinant (1 for a rotation) a joint begins to fade to the nearest key; at 0 it is there."""

_BLOCK = 2048
"""Matrices worked on at once: what lies between then stays in the processor's cache."""
# Of the entries a b c, d e f, g h i: what is multiplied with what, and what taken from it, for each cofactor.
_COFACTORS = np.array([
    [4, 5, 3, 2, 0, 1, 1, 2, 0],
    [8, 6, 7, 7, 8, 6, 5, 3, 4],
    [5, 3, 4, 1, 2, 0, 2, 0, 1],
    [7, 8, 6, 8, 6, 7, 4, 5, 3],
])  # fmt: skip
_SUMS, _DIFFERENCES = np.array([[1, 2, 5], [3, 6, 7]]), np.array([[7, 2, 3], [5, 6, 1]])
"""Entries of the matrix whose sums and differences are entries of Horn's."""
# Horn's matrix by its entries 00 11 22 33 01 02 12 03 13 23: the minors 01 02 03 12 13 23 of its lower two rows and
# 01 02 03 12 13 of its upper two.
_00, _11, _22, _33, _01, _02, _12, _03, _13, _23 = range(10)
_MINORS = np.array([
    [_02, _02, _02, _12, _12, _22, _00, _00, _00, _01, _01],
    [_13, _23, _33, _23, _33, _33, _11, _12, _13, _12, _13],
    [_12, _22, _23, _22, _23, _23, _01, _02, _03, _02, _03],
    [_03, _03, _03, _13, _13, _23, _01, _01, _01, _11, _11],
])  # fmt: skip
_L01, _L02, _L03, _L12, _L13, _L23, _U01, _U02, _U03, _U12, _U13 = range(11)
# The adjugate's entries 00 01 02 03 11 12 13 22 23 33, each a sum of three products; ~ is the other sign.
_ENTRY, _MINOR = np.array([
    [(_11, _L23), (_12, _L03), (_01, _L13), (_11, _L02), (_00, _L23), (_01, _L03), (_00, _L12), (_03, _U13), (_13, _U02), (_02, _U12)],
    [(_12, ~_L13), (_01, ~_L23), (_11, ~_L03), (_01, ~_L12), (_02, ~_L03), (_00, ~_L13), (_01, ~_L02), (_13, ~_U03), (_03, ~_U12), (_12, ~_U02)],
    [(_13, _L12), (_13, ~_L02), (_13, _L01), (_12, ~_L01), (_03, _L02), (_03, ~_L01), (_02, _L01), (_33, _U01), (_23, ~_U01), (_22, _U01)],
]).transpose(2, 0, 1)  # fmt: skip
_MINOR = np.where(_MINOR < 0, ~_MINOR + _MINORS.shape[1], _MINOR)
_DIAGONAL = np.array([0, 4, 7, 9])
_COLUMNS = np.array([[0, 1, 2, 3], [1, 4, 5, 6], [2, 5, 7, 8], [3, 6, 8, 9]])
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
    # Rows of all entries at once: for one pose the calls cost more than the numbers.
    squares = matrices * matrices
    lengths = squares[:3] + squares[3:6]
    lengths += squares[6:]
    scale = 1.0 / np.sqrt(np.maximum(np.add.reduce(lengths, axis=0), 1e-300))
    m = matrices * scale
    one, two, three, four = m.take(_COFACTORS, axis=0)
    cofactors = one * two
    cofactors -= three * four
    determinant = np.add.reduce(m[:3] * cofactors[:3], axis=0)
    longer = np.sqrt(np.multiply.reduce(np.maximum(lengths, 1.0), axis=0))
    np.divide(determinant, scale * scale * scale * longer, out=handedness)
    cofactors *= cofactors
    turns[...] = _eigenvector(m, _greatest_root(8.0 * determinant, np.add.reduce(cofactors, axis=0)))


def _greatest_root(eight_det: Array, cofactors_squared: Array) -> Array:
    """s1 + s2 + s3 of the singular values s of a matrix of norm 1 (the last one negative where its determinant is).

    The greatest root of (x^2 - 1)^2 - 8 det x - 4 |cofactors|^2; from any place above it Newton's method falls to it and never below.
    """
    constant = 4.0 * cofactors_squared
    # x^2 = 1 + 2 y and y^2 = |cofactors|^2 + 2 det x: put the most that x can be, sqrt(3), in once, and it is near.
    x = np.sqrt(2.0 * np.sqrt(cofactors_squared + np.maximum(eight_det, 0.0) * (0.25 * 3.0**0.5)) + 1.0)
    for _ in range(_STEPS):
        over = x * x
        over -= 1.0
        slope = 4.0 * x
        slope *= over
        slope -= eight_det
        over *= over
        over -= eight_det * x
        over -= constant
        over /= np.maximum(slope, 1e-12, out=slope)
        x -= over
        if np.maximum.reduce(over, initial=0.0) < _CLOSE:
            break
    return np.asarray(x)


def _eigenvector(m: Array, eigenvalue: Array) -> Array:
    """(4, N) the longest column of the adjugate of Horn's symmetric matrix less `eigenvalue`, at unit length."""
    entries = np.empty((10, m.shape[1]))
    one, two = m.take(_SUMS, axis=0)
    np.add(one, two, out=entries[4:7])
    one, two = m.take(_DIFFERENCES, axis=0)
    np.subtract(one, two, out=entries[7:])
    trace = m[0] + m[4]
    trace += m[8]
    np.subtract(2.0 * m[::4], trace + eigenvalue, out=entries[:3])
    np.subtract(trace, eigenvalue, out=entries[3])
    # Minors of the lower two rows, then of the upper two, by their columns; then the same with the other sign.
    minors = np.empty((2 * _MINORS.shape[1], m.shape[1]))
    one, two, three, four = entries.take(_MINORS, axis=0)
    half = len(minors) // 2
    np.multiply(one, two, out=minors[:half])
    minors[:half] -= np.multiply(three, four, out=three)
    np.negative(minors[:half], out=minors[half:])
    terms = entries.take(_ENTRY, axis=0)
    terms *= minors.take(_MINOR, axis=0)
    adjugate = terms[0] + terms[1]
    adjugate += terms[2]
    longest = np.abs(adjugate.take(_DIAGONAL, axis=0)).argmax(axis=0)
    best = np.asarray(adjugate[_COLUMNS.take(longest, axis=1), np.arange(m.shape[1])])
    length = np.sqrt(np.einsum("in,in->n", best, best))
    lost = length == 0.0
    if lost.any():
        best[3] += lost
        length += lost
    best /= length
    return best
