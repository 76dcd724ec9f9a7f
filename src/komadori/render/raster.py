"""A rasteriser in NumPy: which triangle is nearest at every pixel, and what it is like there.

Triangles become rows of pixels, rows become pixels, all of a picture at once; the nearest wins by one `maximum.at` over keys
that hold the nearness above and the triangle's number below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from komadori.camera import NEAR_M, Camera
from komadori.quat import Array

Keys = NDArray[np.int64]
"""(H, W): 0 where nothing is, else the nearness and number of the nearest triangle; a greater key is nearer."""
Whole = NDArray[np.int64]

_BITS = 21
MOST_TRIANGLES = (1 << _BITS) - 2
_STEPS = float(1 << 34)
"""Nearness (in 1 / m, at most 1 / NEAR_M) is counted in steps of one over this: it fits above the number in 63 bits."""
TOGETHER = 1 << 16
"""Pixels that are worked on at once: what they need stays in the processor's cache."""
_FLAT = 1e-7
"""A triangle of less area, in square pixels, covers no pixel."""
_FARTHEST = 1e6
"""Pixels beyond which a corner is not followed: what is so large lies around the camera."""


@dataclass(frozen=True, eq=False)
class View:
    """A still camera with an image of `width` x `height` pixels: x to the right, y down, pixel centres at halves."""

    width: int
    height: int
    position: Array
    axes: Array
    focal: float
    """Pixels of a metre at a distance of one metre."""

    def seen(self, points: Array) -> Array:
        """World points (N, 3) as (3, N): x, y in pixels and nearness (one over the depth in metres), 0 behind the camera."""
        right, up, back = self.axes @ (points - self.position).T
        near = 1.0 / np.maximum(-back, NEAR_M)
        right *= near * self.focal
        up *= near * -self.focal
        return np.stack([right + 0.5 * self.width, up + 0.5 * self.height, np.where(-back > NEAR_M, near, 0.0)])


def view_of(camera: Camera, width: int, height: int) -> View:
    """The view of a camera that stands still."""
    focal = 0.5 * height / math.tan(math.radians(camera.fov_deg) / 2.0)
    return View(width, height, camera.position, camera.axes, focal)


@dataclass(frozen=True, eq=False)
class Planes:
    """Values that change evenly over each of T triangles in the image: `x`, `y` and `start` (T,), x * px + y * py + start."""

    x: Array
    y: Array
    start: Array

    def at(self, triangles: Whole, px: Array, py: Array) -> Array:
        """The value of each of `triangles` (n,) at its pixel."""
        return np.asarray(self.x[triangles] * px + self.y[triangles] * py + self.start[triangles])


def area_of(corners: Array) -> Array:
    """(T,) twice the area of triangles in the image; negative where they run anticlockwise to the eye.

    `corners` is (2 or more, 3, T) here and below: x, y ... of the three corners of T triangles.
    """
    (x0, x1, x2), (y0, y1, y2) = corners[:2]
    return np.asarray((x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0))


def planes_of(corners: Array, values: Array) -> Planes:
    """What is `values` (3, T) at the corners and even between them."""
    (x0, x1, x2), (y0, y1, y2) = corners[:2]
    area = area_of(corners)
    over = 1.0 / np.where(np.abs(area) > _FLAT, area, np.inf)
    rise, other = values[1] - values[0], values[2] - values[0]
    x = (rise * (y2 - y0) - other * (y1 - y0)) * over
    y = (other * (x1 - x0) - rise * (x2 - x0)) * over
    return Planes(x, y, values[0] - x * x0 - y * y0)


@dataclass(frozen=True, eq=False)
class Rows:
    """Runs of pixels: row `y`, from `left` up to but without `right`, of `triangle`; each (R,)."""

    triangle: Whole
    y: Whole
    left: Whole
    right: Whole


def rows_of(corners: Array, width: int, height: int) -> Rows:
    """Every run of pixels whose centres lie in a triangle of `corners` (2 or more, 3, T), either way round.

    Neighbours that share an edge share no pixel and leave none out.
    """
    (x0, x1, x2), (y0, y1, y2) = corners[:2]
    # The corners from the top down, by three exchanges.
    x0, y0, x1, y1 = _sorted(x0, y0, x1, y1)
    x1, y1, x2, y2 = _sorted(x1, y1, x2, y2)
    x0, y0, x1, y1 = _sorted(x0, y0, x1, y1)
    right_most, left_most = np.maximum(np.maximum(x0, x1), x2), np.minimum(np.minimum(x0, x1), x2)
    first = np.clip(np.ceil(y0 - 0.5), 0, height).astype(np.int64)
    last = np.clip(np.ceil(y2 - 0.5), 0, height).astype(np.int64)
    sound = (last > first) & (right_most > 0.0) & (left_most < width) & (np.ceil(right_most - 0.5) > left_most - 0.5)
    sound &= (np.maximum(right_most, y2) < _FARTHEST) & (np.minimum(left_most, y0) > -_FARTHEST)
    some = np.flatnonzero(sound)
    x0, y0, x1, y1, x2, y2 = (values[some] for values in (x0, y0, x1, y1, x2, y2))
    # An edge crosses the rows between its ends; a row is crossed by just two of the three: the long one and another.
    upper, lower = ((b - a) / np.where(d > c, d - c, 1.0) for a, b, c, d in ((x0, x1, y0, y1), (x1, x2, y1, y2)))
    long = (x2 - x0) / (y2 - y0)
    begin = first[some]
    count = last[some] - begin
    own = np.repeat(np.arange(len(some)), count)
    row = np.arange(len(own)) - np.repeat(np.cumsum(count) - count - begin, count)
    centre = row + 0.5
    middle = y1[own]
    one = np.where(
        centre >= middle, x1[own] + lower[own] * (centre - middle), x0[own] + upper[own] * (centre - y0[own])
    )
    two = x0[own] + long[own] * (centre - y0[own])
    left = np.clip(np.ceil(np.minimum(one, two) - 0.5), 0, width).astype(np.int64)
    right = np.clip(np.ceil(np.maximum(one, two) - 0.5), 0, width).astype(np.int64)
    full = np.flatnonzero(right > left)
    return Rows(some[own[full]], row[full], left[full], right[full])


def _sorted(xa: Array, ya: Array, xb: Array, yb: Array) -> tuple[Array, Array, Array, Array]:
    swap = ya > yb
    return np.where(swap, xb, xa), np.where(swap, yb, ya), np.where(swap, xa, xb), np.where(swap, ya, yb)


def pixels_of(rows: Rows) -> tuple[Whole, Whole]:
    """Every pixel of `rows` in turn: which of them it is in, and its x."""
    count = rows.right - rows.left
    owner = np.repeat(np.arange(len(count)), count)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(count) - count - rows.left, count)


def nearest(near: Planes, rows: Rows, keys: Keys) -> None:
    """Put every pixel of `rows` into `keys` where it is nearer than what is there."""
    ends = np.cumsum(rows.right - rows.left)
    cuts = np.searchsorted(ends, np.arange(TOGETHER, int(ends[-1]) if len(ends) else 0, TOGETHER))
    for first, last in pairwise([0, *cuts.tolist(), len(ends)]):
        some = slice(first, last)
        _nearest(near, Rows(rows.triangle[some], rows.y[some], rows.left[some], rows.right[some]), keys)


def _nearest(near: Planes, rows: Rows, keys: Keys) -> None:
    width = keys.shape[1]
    count = rows.right - rows.left
    start = rows.y * width
    slope = near.x[rows.triangle] * _STEPS
    base = (near.y[rows.triangle] * (rows.y + 0.5) + near.start[rows.triangle]) * _STEPS + slope * (0.5 - start)
    spots = np.repeat(start + rows.left - (np.cumsum(count) - count), count)
    spots += np.arange(len(spots))
    steps = np.repeat(slope, count)
    steps *= spots
    steps += np.repeat(base, count)
    # A sliver's plane may leave the range between its corners by a rounding: it must not leave the key's bits.
    np.clip(steps, 1.0, _STEPS / NEAR_M, out=steps)
    key = steps.astype(np.int64)
    key <<= _BITS
    key |= np.repeat(rows.triangle + 1, count)
    np.maximum.at(keys.reshape(-1), spots, key)


def centres(x: Whole, y: Whole) -> tuple[Array, Array]:
    """Where the middles of pixels lie."""
    return np.asarray(x + 0.5), np.asarray(y + 0.5)


def places_of(spots: Whole, shape: tuple[int, ...]) -> tuple[Whole, Whole]:
    """Column and row of pixels that are counted through all rows and come in that order."""
    # Counted by row, for a division of every number would take longer than all else here.
    ends = np.searchsorted(spots, np.arange(shape[0] + 1) * shape[1])
    y = np.repeat(np.arange(shape[0]), np.diff(ends))
    return np.asarray(spots - y * shape[1]), y


def numbers_of(keys: Keys) -> Whole:
    """The triangle at each key; -1 where there is none."""
    return np.asarray((keys & ((1 << _BITS) - 1)) - 1)


def depth_of(keys: Keys) -> Array:
    """Metres to what is at each key; infinite where there is nothing."""
    steps = (keys >> _BITS).astype(np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(_STEPS / steps)


def nearness_of(keys: Keys) -> NDArray[np.float32]:
    """One over the depth in metres at each key, roughly; 0 where there is nothing."""
    return np.asarray(keys, dtype=np.float32) * np.float32(1.0 / (_STEPS * (1 << _BITS)))


def covered(rows: Rows, width: int, height: int) -> NDArray[np.bool_]:
    """(H, W) where any row lies: for shadows, which need no depth."""
    change = np.zeros((height, width + 1), dtype=np.int32)
    np.add.at(change.reshape(-1), rows.y * (width + 1) + rows.left, 1)
    np.add.at(change.reshape(-1), rows.y * (width + 1) + rows.right, -1)
    return np.asarray(np.cumsum(change, axis=1)[:, :width] > 0)
