"""A rasteriser in NumPy: which triangle is nearest at every pixel, and what it is like there.

Triangles become rows of pixels, rows become pixels, all of a picture at once; the nearest wins by one `maximum.at` over keys
that hold the nearness above and the triangle's number below.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import fast
from komadori.camera import NEAR_M, Camera
from komadori.quat import Array
from komadori.render import loops

Keys = NDArray[np.int64]
"""(H, W): 0 if nothing is, else the nearness and number of the nearest triangle; a greater key is nearer."""
Whole = NDArray[np.int64]

_BITS = 21
MOST_TRIANGLES = (1 << _BITS) - 2
STEPS = float(1 << 34)
"""Nearness (in 1 / m, at most 1 / NEAR_M) is counted in steps of one over this: it fits above the number in 63 bits."""
NEARNESS = np.float32(1.0 / (STEPS * (1 << _BITS)))
"""What makes a key one over metres, but for the triangle's number, which is too small to be seen in it."""
TOGETHER = 1 << 16
"""Pixels that are worked on at once: what they need stays in the processor's cache."""
BATCH = 1 << 12
"""Triangles that are cut into rows at once."""
_FLAT = 1e-7
"""A triangle of less area, in square pixels, covers no pixel."""
FARTHEST = 1e6
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
        return np.asarray(self.x.take(triangles) * px + self.y.take(triangles) * py + self.start.take(triangles))


def area_of(corners: Array) -> Array:
    """(T,) twice the area of triangles in the image; negative where they run anticlockwise to the eye.

    `corners` is (2 or more, 3, T) here and below: x, y ... of the three corners of T triangles.
    """
    (x0, x1, x2), (y0, y1, y2) = corners[:2]
    return np.asarray((x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0))


def facing(seen: Array, triangles: Whole, two_sided: NDArray[np.bool_]) -> tuple[Whole, Array, Array]:
    """The numbers (n,) of the triangles (3, T) of points `seen` (3, V) that face the eye, all before it, or may be seen from
    behind; twice their area (n,), and their corners (3, 3, n)."""
    area = area_of(np.stack([seen[axis].take(triangles) for axis in (0, 1)]))
    shown = (area < 0.0) | two_sided
    if not (seen[2] > 0.0).all():
        shown &= seen[2].take(triangles).min(axis=0) > 0.0
    chosen = np.flatnonzero(shown)
    corner = triangles.take(chosen, axis=1)
    return chosen, area.take(chosen), np.stack([values.take(corner) for values in seen])


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


def rows_of(corners: Array, chosen: Whole, width: int, height: int) -> Rows:
    """Every run of pixels whose centres lie in one of the `chosen` triangles of `corners` (2 or more, 3, T), either way round.

    Neighbours that share an edge share no pixel and leave none out.
    """
    (x0, x1, x2), (y0, y1, y2) = corners[:2].take(chosen, axis=2)
    # The corners from the top down, by three exchanges.
    x0, y0, x1, y1 = _sorted(x0, y0, x1, y1)
    x1, y1, x2, y2 = _sorted(x1, y1, x2, y2)
    x0, y0, x1, y1 = _sorted(x0, y0, x1, y1)
    right_most, left_most = np.maximum(np.maximum(x0, x1), x2), np.minimum(np.minimum(x0, x1), x2)
    first, turn, last = (np.clip(np.ceil(y - 0.5), 0, height).astype(np.int64) for y in (y0, y1, y2))
    sound = (last > first) & (right_most > 0.0) & (left_most < width) & (np.ceil(right_most - 0.5) > left_most - 0.5)
    sound &= (np.maximum(right_most, y2) < FARTHEST) & (np.minimum(left_most, y0) > -FARTHEST)
    some = np.flatnonzero(sound)
    x0, y0, x1, y1, x2, y2 = (values.take(some) for values in (x0, y0, x1, y1, x2, y2))
    # An edge crosses the rows between its ends; a row is crossed by just two of the three: the long one and another, the
    # upper one down to the middle corner and the lower one from there on. Each is x = start + slope * row, computed
    # from its upper end, as the neighbour that shares it does; the middles of rows and pixels are in the start.
    upper, upper_start = _edge(x0, y0, x1, y1)
    lower, lower_start = _edge(x1, y1, x2, y2)
    long, long_start = _edge(x0, y0, x2, y2)
    slope, start = np.concatenate([upper, lower]), np.concatenate([upper_start, lower_start])
    long, long_start = np.concatenate([long, long]), np.concatenate([long_start, long_start])
    # On which side of the long edge the other two are.
    bulge = (x1 - x0) * (y2 - y0) > (x2 - x0) * (y1 - y0)
    bulge = np.concatenate([bulge, bulge])
    begin = np.concatenate([first.take(some), turn.take(some)])
    count = np.concatenate([turn.take(some), last.take(some)]) - begin
    halves = np.flatnonzero(count)
    begin, count = begin.take(halves), count.take(halves)
    own = owners_of(count)
    row = _counted(len(own)) - (np.cumsum(count) - count - begin).take(own)
    half = halves.take(own)
    line = row.astype(np.float64)
    cut = left_most.take(some).min(initial=0.0) < 0.0 or right_most.take(some).max(initial=0.0) > width
    ends = []
    for slopes, starts in (
        (np.where(bulge, long, slope), np.where(bulge, long_start, start)),
        (np.where(bulge, slope, long), np.where(bulge, start, long_start)),
    ):
        edge = slopes.take(half)
        edge *= line
        edge += starts.take(half)
        # The first pixel whose middle is not left of the edge.
        np.ceil(edge, out=edge)
        if cut:
            np.clip(edge, 0, width, out=edge)
        ends.append(edge.astype(np.int64))
    left, right = ends
    full = np.flatnonzero(right > left)
    triangle = np.tile(chosen.take(some), 2).take(half.take(full))
    return Rows(triangle, row.take(full), left.take(full), right.take(full))


def _edge(xa: Array, ya: Array, xb: Array, yb: Array) -> tuple[Array, Array]:
    """Slope and start of an edge from its upper end down: for a row's number, where its middle crosses it, less half a pixel."""
    slope = (xb - xa) / np.where(yb > ya, yb - ya, 1.0)
    return slope, xa - slope * (ya - 0.5) - 0.5


def owners_of(count: Whole) -> Whole:
    """As many of each number from 0 on as `count` (n,) says, which is at least 1: what `repeat` gives, in a fifth of the time."""
    ends = np.cumsum(count)
    result = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    result[ends[:-1]] = 1
    return np.cumsum(result, out=result)


_numbers = np.arange(1 << 16)
_numbers.flags.writeable = False


def _counted(count: int) -> Whole:
    """The numbers from 0 on, which are not to be changed: they are the same ones every time."""
    global _numbers
    if count > len(_numbers):
        more = np.arange(2 * count)
        more.flags.writeable = False
        _numbers = more
    return _numbers[:count]


def _sorted(xa: Array, ya: Array, xb: Array, yb: Array) -> tuple[Array, Array, Array, Array]:
    swap = ya > yb
    return np.where(swap, xb, xa), np.where(swap, yb, ya), np.where(swap, xa, xb), np.where(swap, ya, yb)


def pixels_of(rows: Rows) -> tuple[Whole, Whole]:
    """Every pixel of `rows` in turn: which of them it is in, and its x."""
    count = rows.right - rows.left
    owner = owners_of(count)
    return owner, _counted(len(owner)) - (np.cumsum(count) - count - rows.left).take(owner)


def nearest(corners: Array, near: Planes, chosen: Whole, keys: Keys) -> None:
    """Put every pixel of the `chosen` triangles of `corners` into `keys` if it is nearer than what is there."""
    steps = _in_steps(near)
    loop = fast.compiled(loops.filled)
    if loop is not None:
        loop(corners, chosen, steps.x, steps.y, steps.start, STEPS / NEAR_M, keys)
        return
    for some in _batches(chosen):
        _nearest_rows(steps, rows_of(corners, some, keys.shape[1], keys.shape[0]), keys)


def nearest_rows(near: Planes, rows: Rows, keys: Keys) -> None:
    """Put every pixel of `rows` into `keys` if it is nearer than what is there."""
    _nearest_rows(_in_steps(near), rows, keys)


def _in_steps(near: Planes) -> Planes:
    """Nearness counted in steps."""
    return Planes(near.x * STEPS, near.y * STEPS, near.start * STEPS)


def _nearest_rows(steps: Planes, rows: Rows, keys: Keys) -> None:
    ends = np.cumsum(rows.right - rows.left)
    cuts = np.searchsorted(ends, np.arange(TOGETHER, int(ends[-1]) if len(ends) else 0, TOGETHER))
    for first, last in pairwise([0, *cuts.tolist(), len(ends)]):
        some = slice(first, last)
        _nearest(steps, Rows(rows.triangle[some], rows.y[some], rows.left[some], rows.right[some]), keys)


def _batches(chosen: Whole) -> Iterator[Whole]:
    return (chosen[start : start + BATCH] for start in range(0, len(chosen), BATCH))


def _nearest(near: Planes, rows: Rows, keys: Keys) -> None:
    """The same for rows that are few enough; `near` is counted in steps."""
    width = keys.shape[1]
    count = rows.right - rows.left
    start = rows.y * width
    slope = near.x.take(rows.triangle)
    base = near.y.take(rows.triangle) * (rows.y + 0.5) + near.start.take(rows.triangle)
    base += slope * (0.5 - start)
    owner = owners_of(count)
    spots = (start + rows.left - (np.cumsum(count) - count)).take(owner)
    spots += _counted(len(spots))
    steps = slope.take(owner)
    steps *= spots
    steps += base.take(owner)
    # A sliver's plane may leave the range between its corners by a rounding: it must not leave the key's bits.
    np.clip(steps, 1.0, STEPS / NEAR_M, out=steps)
    key = steps.astype(np.int64)
    key <<= _BITS
    key |= (rows.triangle + 1).take(owner)
    np.maximum.at(keys.reshape(-1), spots, key)


def centres(x: Whole, y: Whole) -> tuple[Array, Array]:
    """Where the middles of pixels lie."""
    return np.asarray(x + 0.5), np.asarray(y + 0.5)


def places_of(spots: Whole, width: int, rows: slice) -> tuple[Whole, Whole]:
    """Column and row of pixels that are counted through the `rows` of an image and come in that order."""
    # Counted by row, for a division of every number would take longer than all else here.
    ends = np.searchsorted(spots, np.arange(rows.stop - rows.start + 1) * width)
    y = np.repeat(np.arange(rows.stop - rows.start), np.diff(ends))
    return np.asarray(spots - y * width), np.asarray(y + rows.start)


def marks_of(keys: Keys) -> Whole:
    """The number of the triangle at each key, counted from 1; 0 if there is none."""
    return np.asarray(keys & ((1 << _BITS) - 1))


def numbers_of(keys: Keys) -> Whole:
    """The triangle at each key; -1 if there is none."""
    result = marks_of(keys)
    result -= 1
    return result


def steps_of(keys: Keys) -> Whole:
    """How near each key is, as whole steps."""
    return np.asarray(keys >> _BITS)


def depth_of(keys: Keys) -> Array:
    """Metres to what is at each key; infinite if there is nothing."""
    steps = steps_of(keys).astype(np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray(STEPS / steps)


def bands_of(height: int, width: int) -> Iterator[slice]:
    """The rows of an image a few at a time: what is done to them stays in the processor's cache."""
    band = max(1, TOGETHER // max(width, 1))
    return (slice(top, min(top + band, height)) for top in range(0, height, band))


_kept = threading.local()


def scratch(name: str, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """An array that this thread has for `name`, with what was left in it, or 0: what is as large as a picture is asked for once, for
    the system hands out new memory page by page, which takes longer than drawing into it."""
    size = math.prod(shape)
    there = getattr(_kept, name, None)
    if there is None or len(there) < size:
        there = np.zeros(size, dtype=dtype)
        setattr(_kept, name, there)
    return np.asarray(there[:size].reshape(shape))


def blank(name: str, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
    """The same, filled with 0."""
    result = scratch(name, shape, dtype)
    result.fill(0)
    return result
