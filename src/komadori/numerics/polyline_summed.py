"""The polylines with the least sum of distances, for every number of keys: a table of segment sums, then dynamic programming over counts."""

from __future__ import annotations

import heapq
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from komadori import fast
from komadori.numerics import polyline_loops
from komadori.numerics.polyline import LEAST, Frames, elbow, greedy
from komadori.numerics.polyline_rows import SummedRows
from komadori.quat import Array

ALL_AT_ONCE = 5000
"""Frames up to which one table holds the whole clip; longer clips are solved window by window."""
WINDOW = 1000
"""Longest window of a long clip, in frames."""
KEPT = 2000
"""A table of up to so many frames is kept, so that other counts come at once; a larger one is computed again."""
BLOCK = 192
"""Last frames worked on at once while counts are compared."""


@dataclass(frozen=True, eq=False)
class SummedOptima:
    """The least sum for every number of keys, and the keys that reach it."""

    counts: Frames
    """(n,) numbers of keys, rising by 1 from the fewest that are allowed."""
    errors: Array
    """(n,) the least error with exactly so many keys."""
    cuts: Frames
    """Frames that were made keys beforehand because the clip is long; none where it fits into one table."""
    parts: tuple[_Part, ...] = field(repr=False)
    spent: Frames = field(repr=False)
    """(n - 1,) the part that each further key goes to."""

    @property
    def estimates(self) -> bool:
        """No: every error is that of the keys which `keys` finds."""
        return False

    def error(self, count: int) -> float:
        """The least sum with exactly `count` keys."""
        return float(self.errors[count - int(self.counts[0])])

    def first_within(self, tolerance: float) -> int | None:
        """The fewest keys whose least sum is `tolerance` or less, if there are any."""
        under = np.flatnonzero(self.errors <= tolerance)
        return int(self.counts[under[0]]) if len(under) else None

    def elbow(self) -> int:
        """The number of keys at the bend of the error curve."""
        return int(self.counts[elbow(self.counts, self.errors)])

    def keys(self, count: int) -> Frames:
        """The best `count` keys, sorted. Among equals: the earliest."""
        more = np.bincount(self.spent[: count - int(self.counts[0])], minlength=len(self.parts)).tolist()
        found = [part.first + part.keys(part.fewest + n) for part, n in zip(self.parts, more, strict=True)]
        return np.unique(np.concatenate(found))


def summed_optima(
    points: Array, pins: Frames, *, max_gap: int | None = None, clock: Array | None = None
) -> SummedOptima:
    """The polylines along `points` (F, D) whose sum of distances is least, for every number of keys.

    `pins` and `max_gap` shape the table itself. Beyond `ALL_AT_ONCE` frames the clip is cut at frames that the greedy choice takes
    early; each window is solved exactly, and every further key goes to the window that gains most by it. Ends at the count whose
    error is no more than rounding.
    """
    cuts = _cuts(points, pins, clock) if len(points) > ALL_AT_ONCE else np.zeros(0, dtype=np.int64)
    ends = [0, *cuts.tolist(), len(points) - 1]
    parts = []
    for first, last in itertools.pairwise(ends):
        own = pins[(pins >= first) & (pins <= last)] - first
        problem = _Problem(np.ascontiguousarray(points[first : last + 1]), own, max_gap, _part_of(clock, first, last))
        parts.append(_solved(first, problem, keep=not len(cuts) and len(points) <= KEPT))
    errors, spent = _spent([part.errors for part in parts])
    fewest = sum(part.fewest for part in parts) - len(cuts)
    return SummedOptima(fewest + np.arange(len(errors)), errors, cuts, tuple(parts), spent)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The frames of one table, and what is asked of keys among them."""

    points: Array
    pins: Frames
    max_gap: int | None
    clock: Array | None

    def table(self) -> Array:
        """(F, F): at [i, j] the sum of distances inside the segment from i to j, infinite where it is not allowed."""
        frames = len(self.points)
        table = np.full((frames, frames), np.inf)
        # The farthest end that a segment from i may have: the next pin, or the longest gap.
        reach = np.append(self.pins, frames - 1)[np.searchsorted(self.pins, np.arange(frames), "right")]
        reach = np.minimum(reach, frames - 1)
        if self.max_gap is not None:
            reach = np.minimum(reach, np.arange(frames) + self.max_gap)
        workers = max(1, min(os.cpu_count() or 1, 8))
        loop = fast.compiled(polyline_loops.summed_rows)

        # Without a clock no time passes: adding 0 changes no bit.
        clock = np.zeros(frames) if self.clock is None else np.ascontiguousarray(self.clock)

        def fill(start: int) -> None:
            if loop is not None:
                loop(self.points, reach, clock, table, start, workers)
            else:
                rows = SummedRows(self.points, self.clock)
                for i in range(start, frames - 1, workers):
                    rows.fill(table, i, int(reach[i]))

        # NumPy and compiled loops let go of the interpreter's lock: threads share the table.
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, range(workers)))
        return table


@dataclass(frozen=True, eq=False)
class _Part:
    """A solved table: its error curve, and the way to the keys."""

    first: int
    problem: _Problem
    fewest: int
    errors: Array
    kept: Array | None

    def keys(self, count: int) -> Frames:
        """The best `count` keys, counted from the part's first frame."""
        table = self.problem.table() if self.kept is None else self.kept
        return _best_way(table, count)


def _solved(first: int, problem: _Problem, keep: bool) -> _Part:
    table = problem.table()
    if len(table) < 2:
        return _Part(first, problem, 1, np.zeros(1), table)
    curve = _error_curve(table)
    start = int(np.flatnonzero(np.isfinite(curve))[0])
    errors = curve[start:]
    return _Part(first, problem, start + 2, np.where(errors <= LEAST, 0.0, errors), table if keep else None)


def _error_curve(table: Array) -> Array:
    """The least sum of a way from the first to the last frame in 1, 2, 3 ... segments, until it is no more than rounding."""
    frames = len(table)
    loop = fast.compiled(polyline_loops.next_counts)
    best = table[0].copy()
    curve = [float(best[-1])]
    room = np.empty(frames * BLOCK)
    for segments in range(2, frames):
        if curve[-1] <= LEAST:
            break
        longer = np.full(frames, np.inf)
        if loop is not None:
            loop(table, best, longer, segments)
        else:
            for begin in range(segments, frames, BLOCK):
                end = min(begin + BLOCK, frames)
                rows = slice(segments - 1, end - 1)
                part = room[: (rows.stop - rows.start) * (end - begin)].reshape(-1, end - begin)
                np.add(best[rows, None], table[rows, begin:end], out=part)
                np.minimum.reduce(part, axis=0, out=longer[begin:end])
        best = longer
        curve.append(float(best[-1]))
    return np.array(curve)


def _best_way(table: Array, keys: int) -> Frames:
    """The `keys` frames from the first to the last whose segments have the least sum; ties go to earlier frames."""
    frames = len(table)
    best = [table[0].copy()]
    room = np.empty(frames * BLOCK)
    for segments in range(2, keys):
        before, longer = best[-1], np.full(frames, np.inf)
        for begin in range(segments, frames, BLOCK):
            end = min(begin + BLOCK, frames)
            rows = slice(segments - 1, end - 1)
            part = room[: (end - segments) * (end - begin)].reshape(end - segments, end - begin)
            np.add(before[rows, None], table[rows, begin:end], out=part)
            np.minimum.reduce(part, axis=0, out=longer[begin:end])
        best.append(longer)
    way = [frames - 1]
    for before in reversed(best[:-1]):
        way.append(int(np.argmin(before[: way[-1]] + table[: way[-1], way[-1]])))
    return np.array([*([0] if keys > 1 else []), *way[::-1]], dtype=np.int64)


def _part_of(clock: Array | None, first: int, last: int) -> Array | None:
    return None if clock is None else clock[first : last + 1]


def _cuts(points: Array, pins: Frames, clock: Array | None) -> Frames:
    """Frames at which a long clip is cut: in each stretch of half a window to a window, the one that greedy takes first."""
    order = greedy(points, pins, clock=clock).order
    rank = np.full(len(points), len(points), dtype=np.int64)
    rank[order] = np.arange(len(order))
    cuts, last = [], 0
    while len(points) - 1 - last > WINDOW:
        begin, end = last + WINDOW // 2, min(last + WINDOW, len(points) - 2) + 1
        last = begin + int(np.argmin(rank[begin:end]))
        cuts.append(last)
    return np.array(cuts, dtype=np.int64)


def _spent(curves: list[Array]) -> tuple[Array, Frames]:
    """One key after the other goes to the part whose sum falls most: errors, and the part each time."""
    if len(curves) == 1:
        return curves[0], np.zeros(len(curves[0]) - 1, dtype=np.int64)
    places = [0] * len(curves)
    heap = [(float(curve[1] - curve[0]), part) for part, curve in enumerate(curves) if len(curve) > 1]
    heapq.heapify(heap)
    now = sum(float(curve[0]) for curve in curves)
    errors, spent = [now], []
    while heap:
        change, part = heapq.heappop(heap)
        places[part] += 1
        spent.append(part)
        curve, at = curves[part], places[part]
        if at + 1 < len(curve):
            heapq.heappush(heap, (float(curve[at + 1] - curve[at]), part))
        now += change
        errors.append(max(now, 0.0))
    return np.array(errors), np.array(spent, dtype=np.int64)
