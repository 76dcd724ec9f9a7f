"""Polylines along a curve of points: distance to a segment, and keys inserted greedily where that distance is largest."""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

Frames = NDArray[np.int64]

LEAST = 1e-9
"""A distance up to this (in the curve's unit: a nanometre for metres) is rounding, and counts as none."""
TINY = 1e-300
"""A segment with a squared length below this is a point."""


@dataclass(frozen=True, eq=False)
class Insertions:
    """Keys in the order in which they were chosen, and the polyline's error after each."""

    order: Frames
    """(n,) the given keys first, then those that were inserted."""
    errors: Array
    """(n - given + 1,) the error with `given` keys, with one more, and so on."""
    given: int


def squared_distances(points: Array, frames: Frames, a: Frames, b: Frames, clock: Array | None = None) -> Array:
    """(n,) squared distance of each of `frames` (n,) to the segment from point `a` to point `b` (n,).

    `points` (F, D) is the curve. With a `clock` (F,), which never goes back, waiting counts as distance: the time to
    the nearer end is laid square to it. The one formula of this module, component by component in one fixed order: equal
    distances are equal bits wherever they are computed.
    """
    columns = [np.ascontiguousarray(column) for column in points.T]
    return _squared(columns, frames, a, b, clock)


def key_errors(points: Array, keys: Frames, clock: Array | None = None) -> Array:
    """(F,) distance of every frame to the polyline through `keys` (sorted, first and last frame among them)."""
    frames = np.arange(len(points), dtype=np.int64)
    if len(points) < 2:
        return np.zeros(len(points))
    left = np.clip(np.searchsorted(keys, frames, "right") - 1, 0, len(keys) - 2)
    return np.sqrt(squared_distances(points, frames, keys[left], keys[left + 1], clock))


def greedy(
    points: Array, keys: Frames, *, clock: Array | None = None, total: bool = False, least: float = LEAST
) -> Insertions:
    """Insert, again and again, the frame that lies farthest from the polyline (ties: the earliest): Suzuki and Kuriyama, 2.2.

    `points` (F, D); `keys` are there from the start, first and last frame among them. Ends when no frame
    lies farther than `least`. Errors are the largest distance, or with `total` the sum of all.
    """
    nodes = _split_tree(points, np.unique(np.asarray(keys, dtype=np.int64)), clock, least)
    given = np.asarray(keys, dtype=np.int64)
    order, top = _in_order(nodes)
    errors = nodes.whole + np.append(0.0, np.cumsum(nodes.change[order])) if total else np.sqrt(top)
    return Insertions(np.concatenate([given, nodes.frame[order]]), errors, len(given))


def with_gaps_filled(points: Array, keys: Frames, max_gap: int, clock: Array | None = None) -> Frames:
    """`keys` and then as few more as can be, so that no two neighbours lie more than `max_gap` frames apart.

    Each is the farthest frame from the polyline (ties: the earliest) among those that cost no key more than need be.
    """
    columns = [np.ascontiguousarray(column) for column in points.T]
    order = [int(key) for key in keys]
    heap: list[tuple[float, int, int, int]] = []

    def push(a: int, b: int) -> None:
        if b - a <= max_gap:
            return
        frame = np.arange(a + 1, b, dtype=np.int64)
        need = -(-(frame - a) // max_gap) - (-(b - frame) // max_gap)
        frame = frame[need == -(-(b - a) // max_gap)]
        distance = _squared(columns, frame, np.full_like(frame, a), np.full_like(frame, b), clock)
        best = int(np.argmax(distance))
        heapq.heappush(heap, (-float(distance[best]), int(frame[best]), a, b))

    sorted_keys = sorted(order)
    for a, b in itertools.pairwise(sorted_keys):
        push(a, b)
    while heap:
        _, frame, a, b = heapq.heappop(heap)
        order.append(frame)
        push(a, frame)
        push(frame, b)
    return np.array(order, dtype=np.int64)


def fewest_keys(keys: Frames, max_gap: int | None) -> int:
    """How many keys there must be at least: `keys` (sorted) themselves, and those that `max_gap` asks for."""
    if max_gap is None:
        return len(keys)
    return len(keys) + int(np.sum(-(-np.diff(keys) // max_gap) - 1))


def even_keys(frames: int, count: int) -> Frames:
    """`count` frames spread evenly from the first to the last."""
    return np.unique(np.round(np.linspace(0, frames - 1, count)).astype(np.int64))


def elbow(counts: Frames, errors: Array, part: float = 0.005) -> int:
    """The place in `counts` where the error curve bends most: farthest below its chord.

    The chord runs from the first count to the one from which the error stays under `part` of the first; both axes are
    scaled to 1 in between.
    """
    lowest = np.minimum.accumulate(errors)
    if len(counts) < 3 or lowest[-1] >= lowest[0]:
        return 0
    small = np.flatnonzero(lowest <= part * lowest[0])
    end = int(small[0]) if len(small) else len(lowest) - 1
    if end < 2:
        return end
    x = (counts[: end + 1] - counts[0]) / (counts[end] - counts[0])
    y = (lowest[: end + 1] - lowest[end]) / (lowest[0] - lowest[end])
    return int(np.argmin(x + y))


@dataclass(frozen=True, eq=False)
class _Tree:
    """Every split that the greedy choice can make: a segment is always split at its farthest frame, whenever that is."""

    frame: Frames
    """(n,) the frame at which the segment is split."""
    squared: Array
    """(n,) its squared distance."""
    children: NDArray[np.int64]
    """(n, 2) the splits of the two halves, or -1."""
    roots: NDArray[np.int64]
    change: Array
    """(n,) how the sum of distances changes with this split."""
    whole: float
    """The sum of distances before any split."""


def _split_tree(points: Array, keys: Frames, clock: Array | None, least: float) -> _Tree:
    """Level by level, all segments of a level at once: no segment costs a turn of Python's loop."""
    size = max(len(points), 1)
    frame, parent = np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int64)
    squared, change = np.zeros(size), np.zeros(size)
    children = np.full((size, 2), -1, dtype=np.int64)
    columns = [np.ascontiguousarray(column) for column in points.T]
    a, b = keys[:-1], keys[1:]
    above, side = np.full(len(a), -1, dtype=np.int64), np.zeros(len(a), dtype=np.int64)
    whole, count = 0.0, 0
    while True:
        wide = b - a > 1
        a, b, above, side = a[wide], b[wide], above[wide], side[wide]
        if not len(a):
            break
        farthest, top, total = _farthest(columns, a, b, clock)
        inner = above >= 0
        np.add.at(change, above[inner], total[inner])
        whole += float(total[~inner].sum())
        far = top > least * least
        number = count + np.arange(int(far.sum()))
        a, b, farthest, above, side = a[far], b[far], farthest[far], above[far], side[far]
        frame[number], squared[number], parent[number] = farthest, top[far], above
        change[number] -= total[far]
        inner = above >= 0
        children[above[inner], side[inner]] = number[inner]
        count += len(number)
        a, b = np.stack([a, farthest], axis=1).ravel(), np.stack([farthest, b], axis=1).ravel()
        above, side = np.repeat(number, 2), np.tile([0, 1], len(number))
    part = slice(0, count)
    return _Tree(frame[part], squared[part], children[part], np.flatnonzero(parent[part] < 0), change[part], whole)


def _farthest(columns: list[Array], a: Frames, b: Frames, clock: Array | None) -> tuple[Frames, Array, Array]:
    """For segments `a` to `b` (n,): the farthest frame inside (the earliest of equals), its squared distance, the sum of
    all distances inside."""
    inside = b - a - 1
    starts = np.cumsum(inside) - inside
    frame = np.arange(int(inside.sum())) - np.repeat(starts - a - 1, inside)
    along = [column[b] - column[a] for column in columns]
    away = [column[frame] - np.repeat(column[a], inside) for column in columns]
    inverse = inverse_lengths(along)
    squared = formula([np.repeat(part, inside) for part in along], np.repeat(inverse, inside), away)
    if clock is not None:
        squared += waited(clock[frame], np.repeat(clock[a], inside), np.repeat(clock[b], inside))
    top = np.maximum.reduceat(squared, starts)
    hits = np.flatnonzero(squared == np.repeat(top, inside))
    owner = np.searchsorted(starts, hits, "right")
    first = hits[np.concatenate([[True], owner[1:] != owner[:-1]])]
    return frame[first], top, np.add.reduceat(np.sqrt(squared), starts)


def _in_order(tree: _Tree) -> tuple[NDArray[np.int64], Array]:
    """The splits in greedy order, and (n + 1,) the largest squared distance before each and after the last."""
    by_rank = np.lexsort((tree.frame, -tree.squared))
    rank = np.empty(len(by_rank), dtype=np.int64)
    rank[by_rank] = np.arange(len(by_rank))
    # Ranks instead of distances: comparing whole numbers is what a heap spends its time on.
    kids = tree.children[by_rank]
    left, right = np.where(kids >= 0, rank[kids], -1).T.tolist()
    heap = sorted(rank[tree.roots].tolist())
    popped = []
    while heap:
        best = heapq.heappop(heap)
        popped.append(best)
        if left[best] >= 0:
            heapq.heappush(heap, left[best])
        if right[best] >= 0:
            heapq.heappush(heap, right[best])
    order = by_rank[np.array(popped, dtype=np.int64)]
    return order, np.append(tree.squared[order], 0.0)


def _squared(columns: list[Array], frame: Frames, a: Frames, b: Frames, clock: Array | None) -> Array:
    along = [column[b] - column[a] for column in columns]
    squared = formula(along, inverse_lengths(along), [column[frame] - column[a] for column in columns])
    return squared if clock is None else squared + waited(clock[frame], clock[a], clock[b])


def inverse_lengths(along: list[Array]) -> Array:
    """1 over the squared length of segments, 0 for points."""
    length = along[0] * along[0]
    for part in along[1:]:
        length = length + part * part
    return np.divide(1.0, length, out=np.zeros_like(length), where=length > TINY)


def formula(along: list[Array], inverse: Array, away: list[Array]) -> Array:
    """|away - t along|^2 with the t in 0 .. 1 that makes it least, component by component."""
    t = away[0] * along[0]
    for u, v in zip(away[1:], along[1:], strict=True):
        t += u * v
    t *= inverse
    np.minimum(t, 1.0, out=t)
    np.maximum(t, 0.0, out=t)
    squared = np.zeros_like(t)
    for u, v in zip(away, along, strict=True):
        rest = u - t * v
        squared += rest * rest
    return squared


def waited(time: Array, start: Array, end: Array) -> Array:
    """The square of the time to the nearer end of a segment."""
    waiting = np.minimum(time - start, end - time)
    return np.asarray(waiting * waiting)
