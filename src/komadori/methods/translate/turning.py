"""Turning: products of rotations and turned vectors in few calls, for the few joints of one live frame as for whole clips."""

from __future__ import annotations

import numpy as np

from komadori import quat
from komadori.quat import Array

FEW = 400
"""Numbers up to which fewer calls count for more than fewer sums."""
_ORDER = np.array([[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2], [0, 1, 2, 3]])
_SIGN = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [-1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, 1.0]])
"""a b = sum over i of a_i times b in this order and with these signs."""
_RIGHT = np.zeros((4, 16))
_RIGHT[_ORDER.ravel(), np.arange(16)] = _SIGN.ravel()
_BACK = np.array([-1.0, -1.0, -1.0, 1.0])
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def _matrix_terms() -> Array:
    """(16, 9) which products of a quaternion's components make which entry of its matrix."""
    terms = np.zeros((4, 4, 3, 3))
    x, y, z, w = range(4)
    for row, column, first, second, sign in (
        (0, 1, x, y, 1), (0, 1, z, w, -1), (0, 2, x, z, 1), (0, 2, y, w, 1), (1, 0, x, y, 1), (1, 0, z, w, 1),
        (1, 2, y, z, 1), (1, 2, x, w, -1), (2, 0, x, z, 1), (2, 0, y, w, -1), (2, 1, y, z, 1), (2, 1, x, w, 1),
    ):  # fmt: skip
        terms[first, second, row, column] += 2.0 * sign
    for axis in range(3):
        for component in range(4):
            terms[component, component, axis, axis] = 1.0 if component in (axis, w) else -1.0
    return terms.reshape(16, 9)


_TERMS = _matrix_terms()


def product(a: Array, b: Array) -> Array:
    """Like quat.multiply."""
    if b.size > FEW:
        return quat.multiply(a, b)
    return np.asarray((a[..., None, :] @ (b @ _RIGHT).reshape(*b.shape[:-1], 4, 4))[..., 0, :])


def back(q: Array) -> Array:
    """Like quat.inverse."""
    return np.asarray(q * _BACK)


def matrices(q: Array) -> Array:
    """(..., 3, 3) as quat.to_matrix, of unit quaternions (..., 4)."""
    pairs = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 16)
    return np.asarray((pairs @ _TERMS).reshape(*q.shape[:-1], 3, 3))


def applied(q: Array, v: Array) -> Array:
    """Like quat.rotate."""
    if q.size > FEW:
        return quat.rotate(q, v)
    return np.asarray((matrices(q) @ v[..., None])[..., 0])


def crossed(a: Array, b: Array) -> Array:
    """Like quat.cross."""
    return np.asarray(a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT])


def about(axis: Array, radians: Array) -> Array:
    """Like quat.from_axis_angle."""
    half = 0.5 * radians[..., None]
    return np.concatenate([axis * np.sin(half), np.cos(half)], axis=-1)


def lengths(v: Array) -> Array:
    """(...,) how long vectors (..., 3) are."""
    return np.asarray(np.sqrt((v * v).sum(axis=-1)))


def unit(q: Array) -> Array:
    """`q` at unit length; none may be 0."""
    return np.asarray(q / np.sqrt((q * q).sum(axis=-1, keepdims=True)))


def spun(v: Array) -> Array:
    """Like quat.exp."""
    half = 0.5 * lengths(v)[..., None]
    return np.concatenate([v * (0.5 * np.sin(half) / np.maximum(half, 1e-12)), np.cos(half)], axis=-1)
