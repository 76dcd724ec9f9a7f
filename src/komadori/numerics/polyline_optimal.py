"""The best polyline for every number of keys: a table of segment errors, then dynamic programming over counts."""

from __future__ import annotations

import heapq
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from komadori import fast
from komadori.numerics import polyline_loops
from komadori.numerics.polyline import LEAST, Frames, greedy
from komadori.numerics.polyline_rows import LargestRows, SummedRows
from komadori.quat import Array

ALL_AT_ONCE = 5000
"""Frames up to which one table holds the whole clip; longer clips are solved window by window."""
WINDOW = 1000
"""Longest window of a long clip, in frames."""
KEPT = 2000
"""A table of up to so many frames is kept, so that other counts come at once; a larger one is computed again."""
NARROW = 4
"""Segments of so small a part of the clip, or less, are kept by their length."""
BLOCK = 192
"""Last frames worked on at once while counts are compared."""


@dataclass(frozen=True, eq=False)
class Optima:
    """The least error for every number of keys, and the keys that reach it."""

    counts: Frames
    """(n,) numbers of keys, rising by 1 from the fewest that are allowed."""
    errors: Array
    """(n,) the least error with exactly so many keys."""
    cuts: Frames
    """Frames that were made keys beforehand because the clip is long; none where it fits into one table."""
    parts: tuple[_Part, ...] = field(repr=False)
    spent: Frames = field(repr=False)
    """(n - 1,) the part that each further key goes to."""

    def keys(self, count: int) -> Frames:
        """The best `count` keys, sorted. Among equals: the least sum of squared segment errors, then the earliest."""
        more = np.bincount(self.spent[: count - int(self.counts[0])], minlength=len(self.parts)).tolist()
        found = [part.first + part.keys(part.fewest + n) for part, n in zip(self.parts, more, strict=True)]
        return np.unique(np.concatenate(found))


def optimal(
    points: Array,
    pins: Frames,
    *,
    max_gap: int | None = None,
    clock: Array | None = None,
    total: bool = False,
) -> Optima:
    """The polylines along `points` (F, D) whose largest distance (or with `total` sum of distances) is least.

    `pins` (sorted, first and last frame among them) are always keys; neighbours lie at most `max_gap` frames apart. Both
    shape the table itself, so the optimum is that of the constrained problem. Beyond `ALL_AT_ONCE` frames the clip
    is cut at frames that the greedy choice takes early; each window is solved exactly, and every further key goes
    to the window that needs it most. Ends at the count whose error is no more than rounding.
    """
    cuts = _cuts(points, pins, clock) if len(points) > ALL_AT_ONCE else np.zeros(0, dtype=np.int64)
    ends = [0, *cuts.tolist(), len(points) - 1]
    parts = []
    for first, last in itertools.pairwise(ends):
        own = pins[(pins >= first) & (pins <= last)] - first
        problem = _Problem(
            np.ascontiguousarray(points[first : last + 1]), own, max_gap, _part_of(clock, first, last), total
        )
        parts.append(_solved(first, problem, keep=not len(cuts) and len(points) <= KEPT))
    errors, spent = _spent([part.errors for part in parts], total)
    fewest = sum(part.fewest for part in parts) - len(cuts)
    return Optima(fewest + np.arange(len(errors)), errors, cuts, tuple(parts), spent)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The frames of one table, and what is asked of keys among them."""

    points: Array
    pins: Frames
    max_gap: int | None
    clock: Array | None
    total: bool

    def table(self) -> Array:
        """(F, F): at [i, j] the error of the segment from i to j, infinite if it is not allowed.

        The largest squared distance inside the segment, or the sum of distances.
        """
        frames = len(self.points)
        table = np.full((frames, frames), np.inf)
        # The farthest end that a segment from i may have: the next pin, or the longest gap.
        reach = np.append(self.pins, frames - 1)[np.searchsorted(self.pins, np.arange(frames), "right")]
        reach = np.minimum(reach, frames - 1)
        if self.max_gap is not None:
            reach = np.minimum(reach, np.arange(frames) + self.max_gap)
        workers = max(1, min(os.cpu_count() or 1, 8))
        loop = fast.compiled(polyline_loops.summed_rows if self.total else polyline_loops.largest_rows)

        # Without a clock no time passes: adding 0 changes no bit.
        clock = np.zeros(frames) if self.clock is None else np.ascontiguousarray(self.clock)

        def fill(start: int) -> None:
            if loop is not None:
                loop(self.points, reach, clock, table, start, workers)
            else:
                rows = SummedRows(self.points, self.clock) if self.total else LargestRows(self.points, self.clock)
                for i in range(start, frames - 1, workers):
                    rows.fill(table, i, int(reach[i]))
                rows.finish(table)

        # NumPy and compiled loops let go of the interpreter's lock: threads share the table.
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(fill, range(workers)))
        return table

    def bounds(self) -> Array:
        """What a best path with so many segments or more has at most, by the greedy choice, for each number of segments from 0
        on; nothing is known where sums are asked for or gaps are limited."""
        if self.total or self.max_gap is not None:
            return np.zeros(0)
        # A window's ends are keys, whether or not they are pins of the clip.
        keys = np.unique(np.concatenate([[0], self.pins, [len(self.points) - 1]]))
        tried = greedy(self.points, keys, clock=self.clock)
        # One segment less than keys. A little more than the greedy's own, which is rounded.
        errors = np.concatenate([np.full(len(keys) - 1, np.inf), tried.errors])
        return np.maximum.accumulate(errors[::-1])[::-1] ** 2 * (1.0 + 1e-9) + LEAST * LEAST


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
        if self.problem.total:
            return _best_way(table, count)
        # Whatever stays under the least possible maximum is as good; of these, the one with the least sum.
        bound = max(float(self.errors[count - self.fewest]), LEAST) ** 2 * (1.0 + 1e-12)
        return _best_way(np.where(table <= bound, table, np.inf), count)


def _solved(first: int, problem: _Problem, keep: bool) -> _Part:
    table = problem.table()
    if len(table) < 2:
        return _Part(first, problem, 1, np.zeros(1), table)
    curve = _error_curve(table, problem.total, LEAST if problem.total else LEAST * LEAST, problem.bounds())
    start = int(np.flatnonzero(np.isfinite(curve))[0])
    errors = curve[start:] if problem.total else np.sqrt(curve[start:])
    return _Part(first, problem, start + 2, np.where(errors <= LEAST, 0.0, errors), table if keep else None)


def _error_curve(table: Array, total: bool, least: float, bounds: Array) -> Array:
    """The least error of a way from the first to the last frame in 1, 2, 3 ... segments, until it is `least`.

    With n segments or more no best path has a larger error than `bounds[n]` (infinite beyond their end): no segment with
    a larger one need be looked at, so that soon only short ones are left.
    """
    frames = len(table)
    longest, looked_at = frames, np.inf
    band: Array | None = None
    loop = fast.compiled(polyline_loops.next_counts)
    best = table[0].copy()
    curve = [float(best[-1])]
    room = np.empty(frames * max(BLOCK, frames // NARROW))
    combine = np.add if total else np.maximum
    for segments in range(2, frames):
        if curve[-1] <= least:
            break
        longer = np.full(frames, np.inf)
        bound = bounds[segments] if segments < len(bounds) else np.inf
        if bound < 0.7 * looked_at:
            longest, looked_at = _longest(table, bound) if band is None else _longest_in(band, bound), bound
            if band is not None:
                band = band[:longest]
            elif loop is None and longest < frames // NARROW:
                band = _band(table, longest)
        if loop is not None:
            loop(table, best, longer, segments, total, longest)
        elif band is not None:
            # Row d, column j: the way to frame j - d - 1, of which there is none before the first.
            before = np.concatenate([np.full(longest, np.inf), best])
            steps = sliding_window_view(before, longest)[:frames, ::-1].T
            part = room[: longest * frames].reshape(longest, frames)
            np.minimum.reduce(combine(steps, band, out=part), axis=0, out=longer)
        else:
            for begin in range(segments, frames, BLOCK):
                end = min(begin + BLOCK, frames)
                rows = slice(max(segments - 1, begin - longest), end - 1)
                part = room[: (rows.stop - rows.start) * (end - begin)].reshape(-1, end - begin)
                combine(best[rows, None], table[rows, begin:end], out=part)
                np.minimum.reduce(part, axis=0, out=longer[begin:end])
        best = longer
        curve.append(float(best[-1]))
    return np.array(curve)


def _longest(table: Array, bound: float) -> int:
    """Frames from end to end of the longest segment whose error is `bound` at most."""
    allowed = table <= bound
    last = len(table) - 1 - np.argmax(allowed[:, ::-1], axis=1)
    return int(np.max(last - np.arange(len(table)), where=allowed.any(axis=1), initial=1))


def _longest_in(band: Array, bound: float) -> int:
    """The same among the segments of a band."""
    lengths = np.flatnonzero((band <= bound).any(axis=1))
    return int(lengths[-1]) + 1 if len(lengths) else 1


def _band(table: Array, longest: int) -> Array:
    """(longest, F): in row d and column j the error of the segment from frame j - d - 1 to j, infinite if there is none."""
    frames = len(table)
    result = np.full((longest, frames), np.inf)
    for d in range(longest):
        result[d, d + 1 :] = np.diagonal(table, d + 1)
    return result


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


def _spent(curves: list[Array], total: bool) -> tuple[Array, Frames]:
    """One key after the other goes to the part whose error is largest (or falls most): errors, and the part each time."""
    if len(curves) == 1:
        return curves[0], np.zeros(len(curves[0]) - 1, dtype=np.int64)

    def urgency(part: int, at: int) -> float:
        curve = curves[part]
        return float(curve[at + 1] - curve[at]) if total else -float(curve[at])

    places = [0] * len(curves)
    heap = [(urgency(part, 0), part) for part in range(len(curves)) if len(curves[part]) > 1]
    heapq.heapify(heap)
    now = sum(float(curve[0]) for curve in curves)
    floor = max((float(curve[-1]) for curve in curves), default=0.0)
    largest = max(float(curve[0]) for curve in curves)
    errors, spent = [now if total else largest], []
    while heap:
        first, part = heapq.heappop(heap)
        places[part] += 1
        spent.append(part)
        if places[part] + 1 < len(curves[part]):
            heapq.heappush(heap, (urgency(part, places[part]), part))
        now += first
        errors.append(max(now, 0.0) if total else max(-heap[0][0] if heap else 0.0, floor))
    return np.array(errors), np.array(spent, dtype=np.int64)
