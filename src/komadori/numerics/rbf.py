"""Radial basis functions: smooth values in space through values at a few places, solved once and read as one product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

Kernel = Literal["linear", "cubic", "local"]

FLAT = 1e-3
"""Places whose extent in a direction is less than this share of their greatest count as lying in a plane or line."""
SAME: dict[str, float] = {"linear": 1e-8, "cubic": 1e-4, "local": 1e-4}
"""Share of the extent below which two places are one: nearer ones would cost a kernel all its digits."""
_REACH = 2.5
"""Radius of the local kernel, in gaps between places (the widest gap from one place to its nearest)."""
_WORST_CONDITION = 1e10


@dataclass(frozen=True, eq=False)
class Field:
    """f(x) = sum d_i phi(|x - c_i|) + p0 + p . x, with sum d_i = 0 and sum d_i c_i = 0.

    Kept in coordinates about the places' centre and in units of their extent, so that neither the origin nor the
    scale of the scene matters. `span` (3, k) holds the directions that the places span: p has those alone.
    """

    kernel: Kernel
    centre: Array
    extent: float
    nodes: Array
    radius: float
    span: Array
    coefficients: Array
    """(n + 1 + k, m): d, p0 and p for each of the m values."""
    cardinal: Array
    """(n + 1 + k, n): the same for values that are 1 at one place and 0 at the others."""

    def rows(self, points: Array) -> Array:
        """(F, n + 1 + k) kernels and polynomial at `points` (F, 3)."""
        near = (points - self.centre) / self.extent
        count = len(self.nodes)
        result = np.empty((len(points), len(self.coefficients)))
        result[:, :count] = _phi(_distances(near, self.nodes), self.kernel, self.radius)
        result[:, count] = 1.0
        result[:, count + 1 :] = near @ self.span
        return result

    def values(self, points: Array) -> Array:
        """(F, m) the values at `points` (F, 3)."""
        return np.asarray(self.rows(points) @ self.coefficients)

    def influence(self, points: Array) -> Array:
        """(F, n) how much each place counts at `points` (F, 3); a row sums to 1, and single numbers may be negative."""
        return np.asarray(self.rows(points) @ self.cardinal)


def solve(places: Array, values: Array, kernel: Kernel = "linear", polynomial: bool = True) -> Field:
    """The field through `values` (n, m) at `places` (n, 3), which must be apart (see `distinct`).

    One factorisation serves all m values. The linear terms span only what the places span: one place gives
    a constant, two a line. `polynomial=False` leaves them out (the constant stays: it makes the origin of the
    values irrelevant). SciPy's RBFInterpolator with the same kernel and degree 1 gives the same values
    where the places lie in general position.
    """
    count = len(places)
    centre = places.mean(axis=0)
    extent = _extent(places)
    nodes = (places - centre) / extent
    gaps = _distances(nodes, nodes)
    np.fill_diagonal(gaps, np.inf)
    radius = _REACH * float(gaps.min(axis=1).max()) if count > 1 else 1.0
    np.fill_diagonal(gaps, 0.0)
    phi = _phi(gaps, kernel, radius)
    span = _spanned(nodes) if polynomial else np.empty((3, 0))
    matrix = _system(phi, nodes, span)
    if kernel == "cubic" and not polynomial and np.linalg.cond(matrix) > _WORST_CONDITION:
        # Without linear terms |x|^3 has no solution for some arrangements of places.
        span = _spanned(nodes)
        matrix = _system(phi, nodes, span)
    right = np.zeros((len(matrix), values.shape[1] + count))
    right[:count, : values.shape[1]] = values
    right[:count, values.shape[1] :] = np.eye(count)
    solved = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    coefficients = np.ascontiguousarray(solved[:, : values.shape[1]])
    return Field(kernel, centre, extent, nodes, radius, span, coefficients, solved[:, values.shape[1] :])


def distinct(places: Array, kernel: Kernel = "linear") -> NDArray[np.intp]:
    """The numbers of the `places` (n, 3) to keep, in order: of those that fall together the last one."""
    near = _distances(places, places) <= SAME[kernel] * _extent(places)
    kept: list[int] = []
    for place in range(len(places) - 1, -1, -1):
        if not near[place, kept].any():
            kept.append(place)
    return np.array(kept[::-1], dtype=np.intp)


def _extent(places: Array) -> float:
    """The greatest distance from the places' centre, or 1 if there is none."""
    away = places - places.mean(axis=0)
    return float(np.sqrt(np.einsum("ni,ni->n", away, away).max())) or 1.0


def _system(phi: Array, nodes: Array, span: Array) -> Array:
    count, rank = len(phi), span.shape[1]
    matrix = np.zeros((count + 1 + rank, count + 1 + rank))
    matrix[:count, :count] = phi
    matrix[:count, count] = matrix[count, :count] = 1.0
    matrix[:count, count + 1 :] = nodes @ span
    matrix[count + 1 :, :count] = matrix[:count, count + 1 :].T
    return matrix


def _spanned(nodes: Array) -> Array:
    """(3, k) the directions, square to each other, in which `nodes` (n, 3) differ."""
    _, sizes, directions = np.linalg.svd(nodes - nodes.mean(axis=0), full_matrices=False)
    return np.ascontiguousarray(directions[sizes > FLAT * sizes[0]].T) if sizes[0] > 0.0 else np.empty((3, 0))


def _distances(a: Array, b: Array) -> Array:
    """(F, n) from differences, not from squares: near places keep all their digits."""
    total = np.zeros((len(a), len(b)))
    for axis in range(3):
        apart = a[:, axis, None] - b[:, axis]
        apart *= apart
        total += apart
    return np.sqrt(total, out=total)


def _phi(r: Array, kernel: Kernel, radius: float) -> Array:
    if kernel == "linear":
        return r
    if kernel == "cubic":
        return r * r * r
    # Wendland's C2 function: 1 at the place, 0 from `radius` on, positive definite in space.
    s = np.minimum(r / radius, 1.0)
    return np.asarray((1.0 - s) ** 4 * (4.0 * s + 1.0))
