"""Solids that melt into each other: tapered limbs as signed fields, and the net of triangles around their union."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.characters.acting import through
from komadori.quat import Array, cross

Row = tuple[float, ...]
Triangles = NDArray[np.int64]

_AXES = {"x": (0, 1, 2), "y": (1, 0, 2), "z": (2, 0, 1)}
"""The axis that a stack runs along, then the two that its outlines lie in."""
_STEP = 1e-4
"""Metres over which a field's slope is measured."""
_NEAR = 0.02
"""Metres beyond a solid's own box within which it is still asked for."""


@dataclass(frozen=True)
class Cone:
    """A capsule from `a` to `b` with radii `ra` and `rb`; `squash` scales it along x, y, z about its middle.

    `melt` is the width in metres over which it flows into the solids before it.
    """

    a: tuple[float, float, float]
    b: tuple[float, float, float]
    ra: float
    rb: float
    squash: tuple[float, float, float] = (1.0, 1.0, 1.0)
    melt: float = 0.02
    carve: bool = False
    """Taken away from the solids before it."""

    def field(self, points: Array) -> Array:
        """(N,) roughly metres from the surface at `points` (N, 3), negative inside."""
        scale = np.array(self.squash)
        a, b = np.array(self.a), np.array(self.b)
        middle = 0.5 * (a + b)
        p = (points - middle) / scale - (a - middle)
        bone = b - a
        along = np.clip(p @ bone / max(float(bone @ bone), 1e-12), 0.0, 1.0)
        away = p - along[:, None] * bone
        far = np.sqrt(np.einsum("ni,ni->n", away, away))
        return np.asarray((far - self.ra - along * (self.rb - self.ra)) * float(scale.min()))

    @property
    def box(self) -> tuple[Array, Array]:
        """Its lowest and highest corner."""
        a, b = np.array(self.a), np.array(self.b)
        middle, wide = 0.5 * (a + b), np.array(self.squash)
        half = (0.5 * np.abs(b - a) + max(self.ra, self.rb)) * wide
        return middle - half, middle + half


def ball(
    centre: tuple[float, float, float], radii: tuple[float, float, float], melt: float = 0.02, carve: bool = False
) -> Cone:
    """An ellipsoid."""
    size = min(radii)
    x, y, z = radii
    return Cone(centre, centre, size, size, (x / size, y / size, z / size), melt, carve)


@dataclass(frozen=True)
class Stack:
    """Outlines strung on a line along `axis`: rows of place, middle (two), half sizes (two), in the order of the axes.

    The outlines are ellipses for `power` 2 and squarer above it; the ends are round.
    """

    axis: str
    rows: tuple[Row, ...]
    power: float = 2.0
    melt: float = 0.02
    carve: bool = False

    def field(self, points: Array) -> Array:
        """(N,) roughly metres from the surface at `points` (N, 3), negative inside."""
        w, u, v = _AXES[self.axis]
        at = points[:, w]
        first, last = self.rows[0][0], self.rows[-1][0]
        cu, cv, ru, rv = through(self.rows, np.clip(at, first, last)).T
        over = np.maximum(np.maximum(first - at, at - last), 0.0)
        a, b, p = points[:, u] - cu, points[:, v] - cv, self.power
        far = np.sqrt(a * a + b * b + over * over)
        size = (np.abs(a / ru) ** p + np.abs(b / rv) ** p + (over / np.minimum(ru, rv)) ** p) ** (1.0 / p)
        # Along the line to the middle the surface lies at far / size; in the middle itself it has no direction.
        return np.asarray(np.where(size > 1e-6, far - far / np.maximum(size, 1e-6), -np.minimum(ru, rv)))

    @property
    def box(self) -> tuple[Array, Array]:
        """Its lowest and highest corner."""
        table = np.array(self.rows)
        w, u, v = _AXES[self.axis]
        low, high = np.empty(3), np.empty(3)
        end = np.minimum(table[:, 3], table[:, 4])
        low[w], high[w] = table[0, 0] - end[0], table[-1, 0] + end[-1]
        for axis, column in ((u, 1), (v, 2)):
            low[axis] = (table[:, column] - table[:, column + 2]).min()
            high[axis] = (table[:, column] + table[:, column + 2]).max()
        return low, high


@dataclass(frozen=True)
class Cut:
    """Keeps what lies where (p - through) . normal is negative; the edge is rounded over `melt` metres."""

    through: tuple[float, float, float]
    normal: tuple[float, float, float]
    melt: float = 0.004

    def field(self, points: Array) -> Array:
        """(N,) metres beyond the plane."""
        n = np.array(self.normal)
        return np.asarray((points - np.array(self.through)) @ (n / np.linalg.norm(n)))


Solid = Cone | Stack | Cut


def joined(a: Array, b: Array, melt: float) -> Array:
    """The union of two fields, flowing into each other over `melt` (a quadratic smooth minimum)."""
    if melt <= 0.0:
        return np.minimum(a, b)
    h = np.maximum(melt - np.abs(a - b), 0.0)
    return np.asarray(np.minimum(a, b) - h * h / (4.0 * melt))


def _applied(before: Array, solid: Solid, value: Array) -> Array:
    if isinstance(solid, Cut):
        return -joined(-before, -value, solid.melt)
    if solid.carve:
        return -joined(-before, value, solid.melt)
    return joined(before, value, solid.melt)


def field(solids: Sequence[Solid], points: Array) -> Array:
    """(N,) the field of all `solids`, applied in order, at `points` (N, 3); true near the surface, 1 far outside."""
    result = np.full(len(points), 1.0)
    for solid in solids:
        if isinstance(solid, Cut):
            result = _applied(result, solid, solid.field(points))
            continue
        low, high = solid.box
        margin = solid.melt + _NEAR
        near = ((points > low - margin) & (points < high + margin)).all(axis=1)
        result[near] = _applied(result[near], solid, solid.field(points[near]))
    return result


def slope(solids: Sequence[Solid], points: Array) -> Array:
    """(N, 3) how the field rises at `points`."""
    steps = _STEP * np.concatenate([np.eye(3), -np.eye(3)])
    around = field(solids, (points[None] + steps[:, None]).reshape(-1, 3)).reshape(6, -1)
    return np.asarray((around[:3] - around[3:]).T / (2.0 * _STEP))


def onto(solids: Sequence[Solid], points: Array, rounds: int = 3, furthest: float = 0.01) -> Array:
    """`points` (N, 3) drawn along the slope onto the surface."""
    steps = _STEP * np.concatenate([np.zeros((1, 3)), np.eye(3)])
    p = points
    for _ in range(rounds):
        here, *ahead = field(solids, (p[None] + steps[:, None]).reshape(-1, 3)).reshape(4, -1)
        rise = (np.stack(ahead, axis=-1) - here[:, None]) / _STEP
        move = here / np.maximum(np.einsum("ni,ni->n", rise, rise), 0.05)
        p = p - np.clip(move, -furthest, furthest)[:, None] * rise
    return p


def lines(*stretches: tuple[float, float], start: float) -> Array:
    """Grid lines from `start` on: each stretch is (up to where, how far apart)."""
    result = [np.array([start])]
    for end, apart in stretches:
        here = result[-1][-1]
        count = max(1, round((end - here) / apart))
        result.append(np.linspace(here, end, count + 1)[1:])
    return np.concatenate(result)


def mirrored(half: Array) -> Array:
    """Grid lines on both sides of 0, from those of the positive side (which begin above 0)."""
    return np.concatenate([-half[::-1], half])


def net(solids: Sequence[Solid], xs: Array, ys: Array, zs: Array, relax: int = 2) -> tuple[Array, Triangles]:
    """The closed surface of `solids` as vertices (V, 3) and triangles (T, 3) that face outwards.

    One vertex in each cell of the grid that the surface passes (surface nets, Gibson 1998), drawn onto the surface;
    `relax` evens their spacing. Vertices follow the grid's lines, so limbs along an axis get rings.
    """
    values = _sampled(solids, xs, ys, zs)
    inside = values < 0.0
    cells = _corners(inside.astype(np.int8)).sum(axis=0)
    active = (cells > 0) & (cells < 8)
    number = np.full(active.shape, -1, dtype=np.int64)
    number[active] = np.arange(int(active.sum()))
    places = _cell_places(values, active, (xs, ys, zs))
    quads = _faces(inside, number)
    for _ in range(relax):
        places = onto(solids, places + 0.5 * (_neighbour_mean(places, quads) - places), rounds=1)
    places = onto(solids, places, rounds=2)
    return places, _split(quads, places)


def _sampled(solids: Sequence[Solid], xs: Array, ys: Array, zs: Array) -> Array:
    """The field at every grid point, each solid only where it can matter."""
    axes = (xs, ys, zs)
    values = np.full((len(xs), len(ys), len(zs)), 1.0)
    for solid in solids:
        where = [slice(0, len(axis)) for axis in axes]
        if not isinstance(solid, Cut):
            low, high = solid.box
            margin = solid.melt + _NEAR
            for n, axis in enumerate(axes):
                a, b = np.searchsorted(axis, (low[n] - margin, high[n] + margin))
                where[n] = slice(max(0, int(a) - 1), min(len(axis), int(b) + 1))
        place = (where[0], where[1], where[2])
        part = values[place]
        if part.size:
            grid = np.meshgrid(*(axis[s] for axis, s in zip(axes, where, strict=True)), indexing="ij")
            points = np.stack([g.ravel() for g in grid], axis=-1)
            values[place] = _applied(part, solid, solid.field(points).reshape(part.shape))
    return values


def _corners(a: NDArray[np.generic]) -> NDArray[np.generic]:
    """(8, ...) the corners of every cell."""
    ends = (slice(None, -1), slice(1, None))
    return np.stack([a[i, j, k] for i in ends for j in ends for k in ends])


def _cell_places(values: Array, active: NDArray[np.bool_], axes: tuple[Array, Array, Array]) -> Array:
    """The mean of the points in which the surface cuts each active cell's edges."""
    i, j, k = np.nonzero(active)
    corner = np.array([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    at = np.stack([i, j, k], axis=-1)[:, None] + corner
    value = values[at[..., 0], at[..., 1], at[..., 2]]
    place = np.stack([axis[at[..., n]] for n, axis in enumerate(axes)], axis=-1)
    edges = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(corner[a] - corner[b]).sum() == 1]
    first, second = (list(ends) for ends in zip(*edges, strict=True))
    a, b = value[:, first], value[:, second]
    cuts = (a < 0.0) != (b < 0.0)
    share = np.where(cuts, a / np.where(cuts, a - b, 1.0), 0.0)[..., None]
    points = place[:, first] * (1.0 - share) + place[:, second] * share
    return np.asarray((points * cuts[..., None]).sum(axis=1) / cuts.sum(axis=1)[:, None])


def _faces(inside: NDArray[np.bool_], number: Triangles) -> NDArray[np.int64]:
    """(Q, 4) a quadrangle for each grid edge that the surface cuts, anticlockwise seen from outside."""
    quads = []
    for axis in range(3):
        a = np.moveaxis(inside, axis, 0)
        cells = np.moveaxis(number, axis, 0)
        # The other two axes, in the order that keeps the space right-handed.
        if axis == 1:
            a, cells = a.swapaxes(1, 2), cells.swapaxes(1, 2)
        cut = a[:-1, 1:-1, 1:-1] != a[1:, 1:-1, 1:-1]
        i, j, k = np.nonzero(cut)
        around = np.stack([cells[i, j, k], cells[i, j + 1, k], cells[i, j + 1, k + 1], cells[i, j, k + 1]], axis=-1)
        outwards = a[i, j + 1, k + 1]
        quads.append(np.where(outwards[:, None], around, around[:, ::-1]))
    return np.concatenate(quads)


def _split(quads: NDArray[np.int64], places: Array) -> Triangles:
    """Two triangles for each quadrangle, along its shorter diagonal."""
    p = places[quads]
    one = np.linalg.norm(p[:, 0] - p[:, 2], axis=-1)
    two = np.linalg.norm(p[:, 1] - p[:, 3], axis=-1)
    turned = np.where((one <= two)[:, None], quads, np.roll(quads, -1, axis=1))
    return np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])


def _neighbour_mean(places: Array, quads: NDArray[np.int64]) -> Array:
    """The mean of each vertex's neighbours along the quadrangles' sides."""
    total = np.zeros_like(places)
    count = np.zeros(len(places))
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        for n in range(3):
            total[:, n] += np.bincount(quads[:, a], places[quads[:, b], n], len(places))
        count += np.bincount(quads[:, a], minlength=len(places))
    return np.asarray(total / count[:, None])


def vertex_normals(places: Array, triangles: Triangles) -> Array:
    """(V, 3) unit normals: the mean of the triangles around each vertex, by their area."""
    a, b, c = (places[triangles[:, n]] for n in range(3))
    face = cross(b - a, c - a)
    total = np.zeros_like(places)
    for corner in range(3):
        for n in range(3):
            total[:, n] += np.bincount(triangles[:, corner], face[:, n], len(places))
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=-1, keepdims=True), 1e-15))
