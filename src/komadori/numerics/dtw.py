"""Dynamic time warping: which rows of one array belong to which rows of another, exactly, with bands and slope limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from komadori import fast
from komadori.errors import OptionError, one_of, unquoted
from komadori.numerics import dtw_loops
from komadori.quat import Array
from komadori.words import Note

Metric = Literal["squared", "euclidean"]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]

_BLOCK = 64
"""Rows of distances that are in memory at a time: few enough to stay in the processor's cache."""
_MOST_SLOPE = 64


@dataclass(frozen=True, eq=False)
class Path:
    """`pairs` (K, 2): row of a, row of b, from the first of both on; `cost`: the sum of their distances."""

    pairs: Indices
    cost: float

    def __len__(self) -> int:
        return len(self.pairs)


def warp(
    a: Array,
    b: Array,
    *,
    metric: Metric = "squared",
    band: int | None = None,
    slope: int | None = None,
    open_ends: bool = False,
) -> Path:
    """The path through all pairs of rows of `a` (M, D) and `b` (N, D) with the least sum of distances.

    Maeda et al., section 3.2: squared distances, from (0, 0) to (M - 1, N - 1), one row on in a, in b or in both at each
    step. `band`: no pair lies farther than so many rows of b from the straight line between the ends. `slope`: at most so
    many rows of the one for a row of the other, and between two such stretches both continue together. `open_ends`: the path
    may begin and end anywhere in b. Memory: two bytes a pair, and a few rows.

    >>> a = np.array([[0.0], [1.0], [2.0]])
    >>> warp(a, np.array([[0.0], [1.0], [1.0], [2.0]])).pairs.tolist()
    [[0, 0], [1, 1], [1, 2], [2, 3]]
    """
    a, b = _checked(a, "a"), _checked(b, "b")
    if a.shape[1] != b.shape[1]:
        raise OptionError("b", expected=Note("as many columns as a has ({count})", count=a.shape[1]), found=b.shape[1])
    return _solved(_distances(a, b, metric), len(a), len(b), band, slope, open_ends)


def warp_costs(costs: Array, *, band: int | None = None, slope: int | None = None, open_ends: bool = False) -> Path:
    """Like `warp`, from the distances (M, N) themselves."""
    costs = _checked(costs, "costs")
    rows, columns = costs.shape
    return _solved((costs[i : i + 1] for i in range(rows)), rows, columns, band, slope, open_ends)


def rows_of_b(path: Path, rows: int) -> Array:
    """(rows,) for every row of a the place in b that belongs to it: the middle of those that the path pairs it with."""
    total = np.bincount(path.pairs[:, 0], path.pairs[:, 1], rows)
    return np.asarray(total / np.maximum(np.bincount(path.pairs[:, 0], minlength=rows), 1))


def _checked(values: Array, what: str) -> Array:
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise OptionError(
            what, expected=Note("rows and columns of numbers"), found=unquoted(" x ".join(map(str, values.shape)))
        )
    if not np.isfinite(values).all():
        raise OptionError(
            what,
            expected=Note("finite numbers"),
            found=Note("NaN or infinity in row {row}", row=int(np.argmin(np.isfinite(values).all(axis=1)))),
        )
    return values


def _distances(a: Array, b: Array, metric: Metric) -> Iterator[Array]:
    """Blocks of rows of the matrix of distances."""
    if metric not in ("squared", "euclidean"):
        raise OptionError("metric", expected=one_of(["squared", "euclidean"]), found=metric)
    # About their common middle the expanded square loses the fewest digits.
    middle = 0.5 * (a.mean(axis=0) + b.mean(axis=0))
    a, b = a - middle, b - middle
    # |a|^2 - 2 ab + |b|^2 as one product: two columns more on both sides.
    left = np.concatenate([a, np.einsum("ij,ij->i", a, a)[:, None], np.ones((len(a), 1))], axis=1)
    right = np.concatenate([-2.0 * b, np.ones((len(b), 1)), np.einsum("ij,ij->i", b, b)[:, None]], axis=1).T
    for start in range(0, len(a), _BLOCK):
        block = left[start : start + _BLOCK] @ right
        np.maximum(block, 0.0, out=block)
        yield np.sqrt(block, out=block) if metric == "euclidean" else block


def _solved(
    blocks: Iterator[Array], rows: int, columns: int, band: int | None, slope: int | None, open_ends: bool
) -> Path:
    if band is not None and band < 0:
        raise OptionError("band", expected=Note("0 rows or more"), found=band)
    if slope is not None and not 1 <= slope <= _MOST_SLOPE:
        raise OptionError(
            "slope", expected=Note("a whole number from {low} to {high}", low=1, high=_MOST_SLOPE), found=slope
        )
    low, high = _windows(rows, columns, band)
    if slope is None:
        (up, left), totals = _any_steps(blocks, rows, columns, low, high, open_ends)
    else:
        taken, totals = _few_steps(blocks, rows, columns, low, high, slope, open_ends)
    last = int(np.argmin(totals)) if open_ends else columns - 1
    if not np.isfinite(totals[last]):
        raise OptionError(
            Note(
                "no path leads through {rows} x {columns} rows with band {band} and slope {slope}; widen them",
                rows=rows,
                columns=columns,
                band=band,
                slope=slope,
            )
        )
    pairs = _back(up, left, last, open_ends) if slope is None else _back_by_steps(taken, last, slope, open_ends)
    return Path(pairs, float(totals[last]))


def _windows(rows: int, columns: int, band: int | None) -> tuple[list[int], list[int]]:
    """First and past-the-last column of every row."""
    if band is None:
        return [0] * rows, [columns] * rows
    line = np.arange(rows) * ((columns - 1) / max(rows - 1, 1))
    low = np.maximum(np.ceil(line - band - 1e-9), 0).astype(int)
    high = np.minimum(np.floor(line + band + 1e-9) + 1, columns).astype(int)
    return low.tolist(), high.tolist()


def _any_steps(
    blocks: Iterator[Array], rows: int, columns: int, low: list[int], high: list[int], open_ends: bool
) -> tuple[tuple[Mask, Mask], Array]:
    """Where a pair was reached from the row above alone, or from the left, and the least cost of those of the last row.

    A row at a time: with C the running sum of the row's costs, the best path along it is C + the running minimum of
    (best way in from the row above - C before it), so that no loop over columns is needed.
    """
    up, left = np.empty((2, rows, columns), dtype=np.bool_)
    # One column of infinity before the first.
    above = np.full(columns + 1, np.inf)
    loop = fast.compiled(dtw_loops.next_rows)
    if loop is not None:
        row = 0
        for block in blocks:
            loop(block, above, up, left, np.array(low), np.array(high), row, open_ends)
            row += len(block)
        return (up, left), above[1:]
    below = np.full(columns + 1, np.inf)
    sums, entry, best = np.empty(columns + 1), np.empty(columns), np.empty(columns)
    sums[0] = 0.0
    row = 0
    for block in blocks:
        for costs in block:
            a, b = low[row], high[row]
            n = b - a
            into, running = entry[:n], best[:n]
            if row == 0:
                into[:] = 0.0 if open_ends else np.inf
                into[0] = 0.0
                up[0] = False
            else:
                np.less(above[a + 1 : b + 1], above[a:b], out=up[row, a:b])
                np.minimum(above[a:b], above[a + 1 : b + 1], out=into)
            total = np.add.accumulate(costs[a:b], out=sums[1 : n + 1])
            np.subtract(into, sums[:n], out=into)
            np.minimum.accumulate(into, out=running)
            if row == 0 and open_ends:
                running[:] = into
            np.less(running, into, out=left[row, a:b])
            below[: a + 1] = np.inf
            np.add(running, total, out=below[a + 1 : b + 1])
            below[b + 1 :] = np.inf
            above, below = below, above
            row += 1
    return (up, left), above[1:]


def _few_steps(
    blocks: Iterator[Array], rows: int, columns: int, low: list[int], high: list[int], slope: int, open_ends: bool
) -> tuple[NDArray[np.uint8], Array]:
    """Like `_any_steps`, where a step goes one row on in the one and 1 to `slope` in the other.

    A step's number is 0 for both by one, w for w more columns, slope - 1 + w for w more rows.
    """
    taken = np.zeros((rows, columns), dtype=np.uint8)
    pad = slope + 1
    # The last rows of least costs and of distances, the newest first, with room for columns before the first.
    before = np.full((slope + 1, columns + pad), np.inf)
    distances = np.full((slope + 1, columns + pad), np.inf)
    row = 0
    for block in blocks:
        for costs in block:
            own = np.full(columns + pad, np.inf)
            own[pad + low[row] : pad + high[row]] = costs[low[row] : high[row]]
            distances = np.roll(distances, 1, axis=0)
            distances[0] = own
            if row == 0:
                best = np.full(columns, np.inf)
                best[0] = own[pad]
                if open_ends:
                    best = own[pad:].copy()
            else:
                best = own[pad:] + before[0, pad - 1 : -1]
                run = own[pad:].copy()
                for w in range(1, slope):
                    run += own[pad - w : -w]
                    _better(best, run + before[0, pad - 1 - w : -1 - w], taken[row], w)
                run = own[pad:].copy()
                for w in range(1, min(slope, row)):
                    run = run + distances[w, pad:]
                    _better(best, run + before[w, pad - 1 : -1], taken[row], slope - 1 + w)
            before = np.roll(before, 1, axis=0)
            before[0, pad:] = best
            row += 1
    return taken, before[0, pad:]


def _better(best: Array, other: Array, taken: NDArray[np.uint8], step: int) -> None:
    less = other < best
    best[less] = other[less]
    taken[less] = step


def _back(up: Mask, left: Mask, last: int, open_ends: bool) -> Indices:
    """The pairs along the best path, first to last."""
    row, column = len(up) - 1, last
    found = [(row, column)]
    while row > 0 or (column > 0 and not open_ends):
        if left[row, column]:
            column -= 1
        else:
            row, column = row - 1, column - (not up[row, column])
        found.append((row, column))
    return np.array(found[::-1], dtype=np.intp)


def _back_by_steps(taken: NDArray[np.uint8], last: int, slope: int, open_ends: bool) -> Indices:
    """The pairs along the chosen steps, first to last."""
    row, column = len(taken) - 1, last
    found = [(row, column)]
    while row > 0 or (column > 0 and not open_ends):
        step = int(taken[row, column])
        across = step if step < slope else 0
        down = step - slope + 1 if step >= slope else 0
        found += [(row, column - w) for w in range(1, across + 1)] + [(row - w, column) for w in range(1, down + 1)]
        row, column = row - down - 1, column - across - 1
        found.append((row, column))
    return np.array(found[::-1], dtype=np.intp)
