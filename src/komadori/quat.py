"""Quaternion algebra on (..., 4) arrays: x, y, z, w, unit, broadcasting like NumPy's own functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]

IDENTITY: Array = np.array([0.0, 0.0, 0.0, 1.0])
IDENTITY.flags.writeable = False

_AXES = {"X": 0, "Y": 1, "Z": 2}


def identity(*shape: int) -> Array:
    """Identity rotations, (*shape, 4)."""
    result = np.zeros((*shape, 4))
    result[..., 3] = 1.0
    return result


def normalized(q: ArrayLike) -> Array:
    """`q` scaled to unit length; a zero quaternion becomes the identity."""
    q = np.asarray(q, dtype=np.float64)
    length = np.sqrt(np.einsum("...i,...i->...", q, q))[..., None]
    return np.where(length > 0.0, q / np.where(length > 0.0, length, 1.0), IDENTITY)


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """The rotation `b` followed by the rotation `a`: Hamilton's product a b, (..., 4)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    ax, ay, az, aw = (a[..., i] for i in range(4))
    bx, by, bz, bw = (b[..., i] for i in range(4))
    result = np.empty((*_shape(ax, bx), 4))
    result[..., 0] = aw * bx + ax * bw + ay * bz - az * by
    result[..., 1] = aw * by - ax * bz + ay * bw + az * bx
    result[..., 2] = aw * bz + ax * by - ay * bx + az * bw
    result[..., 3] = aw * bw - ax * bx - ay * by - az * bz
    return result


def inverse(q: ArrayLike) -> Array:
    """The opposite rotation of unit quaternions, (..., 4)."""
    return np.asarray(np.asarray(q, dtype=np.float64) * np.array([-1.0, -1.0, -1.0, 1.0]))


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Vectors `v` (..., 3) turned by unit quaternions `q` (..., 4)."""
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    axis = q[..., :3]
    twice = 2.0 * cross(axis, v)
    return v + q[..., 3:] * twice + cross(axis, twice)


def cross(a: ArrayLike, b: ArrayLike) -> Array:
    """Cross product of (..., 3) arrays; several times faster than numpy.cross on whole clips."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    result = np.empty(_shape(a, b))
    result[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    result[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    result[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return result


def _shape(a: Array, b: Array) -> tuple[int, ...]:
    """What `a` and `b` broadcast to; asking NumPy takes longer than a product of a few joints does."""
    return a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)


def angle(q: ArrayLike) -> Array:
    """How far `q` turns, 0 to pi, (...,)."""
    q = np.asarray(q, dtype=np.float64)
    vector = np.sqrt(np.einsum("...i,...i->...", q[..., :3], q[..., :3]))
    return np.asarray(2.0 * np.arctan2(vector, np.abs(q[..., 3])))


def from_axis_angle(axis: ArrayLike, radians: ArrayLike) -> Array:
    """Turn by `radians` (...,) about unit `axis` (..., 3)."""
    axis, half = np.asarray(axis, dtype=np.float64), 0.5 * np.asarray(radians, dtype=np.float64)
    shape = np.broadcast_shapes(axis.shape[:-1], half.shape)
    result = np.empty((*shape, 4))
    result[..., :3] = axis * np.sin(half)[..., None]
    result[..., 3] = np.cos(half)
    return result


def exp(v: ArrayLike) -> Array:
    """The rotation of a rotation vector (..., 3): axis times radians."""
    v = np.asarray(v, dtype=np.float64)
    half = 0.5 * np.sqrt(np.einsum("...i,...i->...", v, v))
    result = np.empty((*v.shape[:-1], 4))
    result[..., :3] = v * (0.5 * np.sinc(half / np.pi))[..., None]
    result[..., 3] = np.cos(half)
    return result


def log(q: ArrayLike) -> Array:
    """The rotation vector of `q`, the short way round: length 0 to pi, (..., 3)."""
    q = np.asarray(q, dtype=np.float64)
    q = np.where(q[..., 3:] < 0.0, -q, q)
    length = np.sqrt(np.einsum("...i,...i->...", q[..., :3], q[..., :3]))
    small = length < 1e-12
    scale = np.where(small, 2.0, 2.0 * np.arctan2(length, q[..., 3]) / np.where(small, 1.0, length))
    return np.asarray(q[..., :3] * scale[..., None])


def between(a: ArrayLike, b: ArrayLike) -> Array:
    """The shortest rotation that turns direction `a` (..., 3) to direction `b` (..., 3), (..., 4)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    a = a / np.maximum(np.linalg.norm(a, axis=-1, keepdims=True), 1e-300)
    b = b / np.maximum(np.linalg.norm(b, axis=-1, keepdims=True), 1e-300)
    a, b = np.broadcast_arrays(a, b)
    dot = np.einsum("...i,...i->...", a, b)
    result = np.empty((*dot.shape, 4))
    result[..., :3] = cross(a, b)
    result[..., 3] = 1.0 + dot
    if not (dot < -1.0 + 1e-12).any():
        return normalized(result)
    # Opposite directions leave the axis open: any axis square to `a` will do.
    least = np.argmin(np.abs(a), axis=-1)
    square = cross(a, np.eye(3)[least])
    opposite = (dot < -1.0 + 1e-12)[..., None]
    return normalized(np.where(opposite, np.concatenate([square, np.zeros((*dot.shape, 1))], axis=-1), result))


def slerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> Array:
    """From `a` (t = 0) to `b` (t = 1) at constant speed, the short way round; `t` broadcasts over (...,)."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    t = np.asarray(t, dtype=np.float64)[..., None]
    dot = np.einsum("...i,...i->...", a, b)[..., None]
    b = np.where(dot < 0.0, -b, b)
    # The angle from chord lengths keeps full precision for tiny turns, where arccos loses half the digits.
    theta = 2.0 * np.arctan2(
        np.linalg.norm(a - b, axis=-1, keepdims=True), np.linalg.norm(a + b, axis=-1, keepdims=True)
    )
    straight = theta < 1e-9
    sine = np.where(straight, 1.0, np.sin(theta))
    wa = np.where(straight, 1.0 - t, np.sin((1.0 - t) * theta) / sine)
    wb = np.where(straight, t, np.sin(t * theta) / sine)
    return normalized(wa * a + wb * b)


def continuous(q: ArrayLike) -> Array:
    """`q` (F, ..., 4) with signs chosen so that each frame lies on the side of the frame before it."""
    q = np.asarray(q, dtype=np.float64)
    if len(q) < 2:
        return q
    flips = np.einsum("...i,...i->...", q[1:], q[:-1]) < 0.0
    if not flips.any():
        return q
    sign = np.ones(q.shape[:-1])
    sign[1:] = np.where(np.logical_xor.accumulate(flips, axis=0), -1.0, 1.0)
    return np.asarray(q * sign[..., None])


def mean(q: ArrayLike) -> Array:
    """The average rotation over the first axis, (F, ..., 4) -> (..., 4), whatever the signs (Markley 2007)."""
    q = np.asarray(q, dtype=np.float64)
    _, vectors = np.linalg.eigh(np.einsum("f...i,f...j->...ij", q, q))
    top = vectors[..., -1]
    return np.where(top[..., 3:] < 0.0, -top, top)


def to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    q = np.asarray(q, dtype=np.float64)
    x, y, z, w = (q[..., i] for i in range(4))
    m = np.empty((*q.shape[:-1], 3, 3))
    m[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    m[..., 0, 1] = 2.0 * (x * y - z * w)
    m[..., 0, 2] = 2.0 * (x * z + y * w)
    m[..., 1, 0] = 2.0 * (x * y + z * w)
    m[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    m[..., 1, 2] = 2.0 * (y * z - x * w)
    m[..., 2, 0] = 2.0 * (x * z - y * w)
    m[..., 2, 1] = 2.0 * (y * z + x * w)
    m[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return m


def from_matrix(m: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of rotation matrices (..., 3, 3), w >= 0."""
    m = np.asarray(m, dtype=np.float64)
    d0, d1, d2 = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    # Four candidates, one per component; the one with the largest pivot loses no digits.
    candidates = np.empty((*m.shape[:-2], 4, 4))
    s = candidates
    s[..., 0, 0] = 1.0 + d0 - d1 - d2
    s[..., 1, 1] = 1.0 - d0 + d1 - d2
    s[..., 2, 2] = 1.0 - d0 - d1 + d2
    s[..., 3, 3] = 1.0 + d0 + d1 + d2
    s[..., 0, 1] = s[..., 1, 0] = m[..., 0, 1] + m[..., 1, 0]
    s[..., 0, 2] = s[..., 2, 0] = m[..., 0, 2] + m[..., 2, 0]
    s[..., 1, 2] = s[..., 2, 1] = m[..., 1, 2] + m[..., 2, 1]
    s[..., 0, 3] = s[..., 3, 0] = m[..., 2, 1] - m[..., 1, 2]
    s[..., 1, 3] = s[..., 3, 1] = m[..., 0, 2] - m[..., 2, 0]
    s[..., 2, 3] = s[..., 3, 2] = m[..., 1, 0] - m[..., 0, 1]
    pivot = np.argmax(np.einsum("...ii->...i", s), axis=-1)
    q = np.take_along_axis(s, pivot[..., None, None], axis=-2)[..., 0, :]
    return normalized(np.where(q[..., 3:] < 0.0, -q, q))


def from_euler(radians: ArrayLike, order: str) -> Array:
    """Rotations of Euler angles (..., 3) about the moving axes named by `order`.

    "ZYX" is R = Rz Ry Rx with the angles in that order, as BVH lists its channels. One or two letters
    work as well, with as many angles.
    """
    half = 0.5 * np.asarray(radians, dtype=np.float64)
    sine, cosine = np.sin(half), np.cos(half)
    angles = range(len(order))
    if not order:
        return identity(*half.shape[:-1])
    return from_half_angles([sine[..., n] for n in angles], [cosine[..., n] for n in angles], order)


def from_half_angles(sines: Sequence[Array], cosines: Sequence[Array], order: str) -> Array:
    """Like `from_euler`, from the sine and cosine (...,) of half the angle about each axis of `order`."""
    if len(order) != 3 or set(order) != {"X", "Y", "Z"}:
        result = identity(*sines[0].shape)
        for letter, sine, cosine in zip(order, sines, cosines, strict=True):
            turn = np.zeros_like(result)
            turn[..., _AXES[letter]] = sine
            turn[..., 3] = cosine
            result = multiply(result, turn)
        return result
    i, j, k = (_AXES[letter] for letter in order)
    sign = _parity(order)
    (s0, s1, s2), (c0, c1, c2) = sines, cosines
    result = np.empty((*s0.shape, 4))
    cc, ss, cs, sc = c0 * c1, s0 * s1, c0 * s1, s0 * c1
    result[..., i] = sc * c2 + sign * (cs * s2)
    result[..., j] = cs * c2 - sign * (sc * s2)
    result[..., k] = cc * s2 + sign * (ss * c2)
    result[..., 3] = cc * c2 - sign * (ss * s2)
    return result


def to_euler(q: ArrayLike, order: str) -> Array:
    """Euler angles (..., 3) in radians about the moving axes named by `order`, three different letters.

    The middle angle lies within a quarter turn; if it is exactly a quarter turn the last angle is 0.
    """
    i, j, k = (_AXES[letter] for letter in order)
    sign = _parity(order)
    m = to_matrix(q)
    result = np.empty(m.shape[:-1])
    flat = np.hypot(m[..., i, i], m[..., i, j])
    result[..., 1] = np.arctan2(sign * m[..., i, k], flat)
    locked = flat < 1e-9
    result[..., 0] = np.where(
        locked, np.arctan2(sign * m[..., k, j], m[..., j, j]), np.arctan2(-sign * m[..., j, k], m[..., k, k])
    )
    result[..., 2] = np.where(locked, 0.0, np.arctan2(-sign * m[..., i, j], m[..., i, i]))
    return result


def _parity(order: str) -> float:
    """+1 for XYZ, YZX and ZXY; -1 for the mirror orders."""
    return 1.0 if order in ("XYZ", "YZX", "ZXY") else -1.0
