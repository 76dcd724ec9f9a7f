"""Outlines: the area that the front of a surface covers, from the few edges at which that front ends.

A row of pixels enters a triangle over one edge and leaves it over another. Summed over a surface, what one triangle leaves and its
neighbour enters cancels out, so only edges without such a neighbour have to be counted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.render.raster import FARTHEST, Whole

AHEAD, TURNED = 1, 2
"""How a triangle that is seen lies in the picture: as its corners say, or the other way about."""


def twins_of(triangles: Whole) -> Whole:
    """(3, T) the triangle on the other side of the edge from each corner of `triangles` (3, T) to the next; -1 if there is none.

    >>> twins_of(np.array([[0, 2], [1, 1], [2, 3]])).tolist()
    [[-1, 0], [1, -1], [-1, -1]]
    """
    count = triangles.shape[1]
    result = np.full(3 * count, -1)
    if not count:
        return result.reshape(3, 0)
    start, end = triangles.reshape(-1), np.roll(triangles, -1, axis=0).reshape(-1)
    most = int(triangles.max()) + 1
    edge = np.minimum(start, end) * most + np.maximum(start, end)
    order = np.lexsort((start > end, edge))
    edge, back = edge[order], (start > end)[order]
    # A pair that stands alone: where three or more triangles meet, nothing is said of neighbours.
    same = np.append(edge[1:] == edge[:-1], False)
    alone = ~np.append(False, same[:-1]) & ~np.append(same[1:], False)
    first = np.flatnonzero(same & alone & (back != np.append(back[1:], False)))
    one, two = order[first], order[first + 1]
    result[one], result[two] = two % count, one % count
    return result.reshape(3, count)


def sides_of(seen: Array, triangles: Whole, two_sided: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """(T,) 0 for each of `triangles` (3, T) of points `seen` (3, V) that is not to be seen, else AHEAD or TURNED."""
    (x0, x1, x2), (y0, y1, y2) = (seen[axis].take(triangles) for axis in (0, 1))
    area = (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
    sides: NDArray[np.uint8] = (area < 0.0).astype(np.uint8)
    sides[two_sided & (area > 0.0)] = TURNED
    near = (seen[2] > 0.0) & (np.abs(seen[:2]) < FARTHEST).all(axis=0)
    if not near.all():
        sides[~near.take(triangles).all(axis=0)] = 0
    return np.asarray(sides)


def ends_of(sides: NDArray[np.uint8], twins: Whole, triangles: Whole) -> tuple[Whole, Whole]:
    """The points (n,) from which and to which edges run where what is seen ends, all in one direction around it."""
    other = np.append(sides, np.uint8(0)).take(twins)
    corner, triangle = np.nonzero((sides > 0) & (other != sides))
    start, end = triangles[corner, triangle], triangles[(corner + 1) % 3, triangle]
    turned = sides.take(triangle) == TURNED
    return np.where(turned, end, start), np.where(turned, start, end)


def covered(start: Array, end: Array, width: int, height: int) -> NDArray[np.bool_]:
    """(H, W) the pixels whose centres lie within edges from `start` (2, n) to `end` (2, n)."""
    down = start[1] <= end[1]
    (xa, ya), (xb, yb) = np.where(down, start, end), np.where(down, end, start)
    first, last = (np.clip(np.ceil(y - 0.5), 0, height).astype(np.int64) for y in (ya, yb))
    some = np.flatnonzero(last > first)
    xa, ya, xb, yb, first, last = (values.take(some) for values in (xa, ya, xb, yb, first, last))
    # From its upper end, as the neighbour that shares it does.
    slope = (xb - xa) / (yb - ya)
    count = last - first
    own = np.repeat(np.arange(len(some)), count)
    row = np.arange(len(own)) - np.repeat(np.cumsum(count) - count - first, count)
    x = np.ceil(slope.take(own) * row + (xa - slope * (ya - 0.5) - 0.5).take(own))
    spots = row * (width + 1) + np.clip(x, 0, width).astype(np.int64)
    enters = down.take(some).take(own)
    change = np.bincount(spots[enters], minlength=height * (width + 1))
    change -= np.bincount(spots[~enters], minlength=height * (width + 1))
    return np.asarray(np.cumsum(change.reshape(height, width + 1), axis=1)[:, :width] > 0)
