"""Numbers: turns and vectors of one joint in plain numbers, which are quicker than arrays for the few joints of a live frame."""

from __future__ import annotations

import math
from collections.abc import Sequence

Three = Sequence[float]
"""x, y, z."""
Four = Sequence[float]
"""A unit quaternion: x, y, z, w."""


def dot(a: Three, b: Three) -> float:
    """The scalar product.

    >>> dot((1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    32.0
    """
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def crossed(a: Three, b: Three) -> list[float]:
    """Like quat.cross.

    >>> crossed((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    [0.0, 0.0, 1.0]
    """
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product(a: Four, b: Four) -> list[float]:
    """Like quat.multiply.

    >>> product((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    [0.0, 0.0, 1.0, 0.0]
    """
    x, y, z, w = a
    i, j, k, r = b
    return [
        w * i + x * r + y * k - z * j, w * j - x * k + y * r + z * i, w * k + x * j - y * i + z * r, w * r - x * i - y * j - z * k,
    ]  # fmt: skip


def applied(q: Four, v: Three) -> list[float]:
    """Like quat.rotate.

    >>> applied((0.0, 0.0, 1.0, 0.0), (1.0, 0.0, 2.0))
    [-1.0, 0.0, 2.0]
    """
    x, y, z, w = q
    a, b, c = v
    s, t, u = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return [a + w * s + y * u - z * t, b + w * t + z * s - x * u, c + w * u + x * t - y * s]


def about(axis: Three, radians: float) -> list[float]:
    """Like quat.from_axis_angle.

    >>> about((0.0, 0.0, 1.0), 0.0)
    [0.0, 0.0, 0.0, 1.0]
    """
    sine = math.sin(0.5 * radians)
    return [axis[0] * sine, axis[1] * sine, axis[2] * sine, math.cos(0.5 * radians)]


def shortest(a: Three, b: Three) -> list[float]:
    """The shortest turn from the direction of `a` to that of `b`, which are not opposite.

    >>> shortest((0.0, 0.0, 2.0), (0.0, 0.0, 5.0))
    [0.0, 0.0, 0.0, 1.0]
    """
    x, y, z = crossed(a, b)
    w = math.hypot(*a) * math.hypot(*b) + dot(a, b)
    size = math.hypot(x, y, z, w)
    return [x / size, y / size, z / size, w / size]
