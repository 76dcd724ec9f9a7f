"""Rows of the table of segment errors, many segments at once: the largest distance inside each, or the sum."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from komadori.numerics.polyline import TINY, Frames, squared_distances, waited
from komadori.quat import Array

ROOM = 1 << 15
"""Numbers worked on at once: what is computed then stays in the processor's second cache."""
BATCH = 1 << 15
"""Candidates that are gathered before their distances are computed."""
BEFORE: Array = np.tri(math.isqrt(ROOM) + 1, k=-1)
"""For a block's last frames (columns): 1 where they lie before the end (row) of a segment."""
CLOSE = 1e-6
"""Relative error for each of 4 + D dimensions that the quick formula, in single precision, stays well below (measured: 1e-7)."""


class LargestRows:
    """The largest squared distance inside every segment, exact to the last bit of `squared_distances`.

    A quick formula (one matrix product in single precision, and digits cancel) finds for every segment the frames that may be the farthest,
    nearly always one; the plain formula then decides among them.
    """

    def __init__(self, points: Array, clock: Array | None) -> None:
        self.points, self.clock = points, clock
        size = max(ROOM, len(points))
        self.quick, self.cut = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.float32)
        self.beyond = np.where(BEFORE > 0.0, 0.0, -np.inf).astype(np.float32)
        self.waiting: list[tuple[int, Frames, Frames]] = []
        self.gathered = 0

    def fill(self, table: Array, i: int, reach: int) -> None:
        """Look at all segments that start at `i` and end at `reach` or before."""
        table[i, i + 1 : reach + 1] = 0.0
        away = self.points[i + 1 : reach + 1] - self.points[i]
        far = np.einsum("kd,kd->k", away, away)
        slack = np.maximum.accumulate(far)
        if self.clock is not None:
            slack += (self.clock[i + 1 : reach + 1] - self.clock[i]) ** 2
        slack *= CLOSE * (4.0 + away.shape[1])
        if not len(slack) or slack[-1] == 0.0:
            return
        length = np.sqrt(far)[:, None]
        along = np.divide(away, length, out=np.zeros_like(away), where=length > 0.0)
        away, far, length, along = (part.astype(np.float32) for part in (away, far, length, along))
        for begin, end in blocks(i + 2, reach + 1, i + 1):
            # Rows are ends, columns the frames inside.
            inside, ends, rows = end - i - 2, end - begin, slice(begin - i - 1, end - i - 1)
            quick, cut = (part[: inside * ends].reshape(ends, inside) for part in (self.quick, self.cut))
            # With g along the segment and c the g cut to it: |away - c|^2 = |away|^2 + c (c - 2 g).
            np.matmul(along[rows], away[:inside].T, out=quick)
            np.maximum(quick, 0.0, out=cut)
            np.minimum(cut, length[rows], out=cut)
            np.subtract(cut, quick, out=quick)
            quick += quick
            quick -= cut
            quick *= cut
            quick += far[:inside]
            if self.clock is not None:
                quick += _waits(self.clock, i, begin, end)
            quick[:, begin - i - 1 :] += self.beyond[:ends, : ends - 1]
            found = np.flatnonzero(quick >= (quick.max(axis=1) - slack[rows])[:, None].astype(np.float32))
            end_of, frame = np.divmod(found, inside)
            self.waiting.append((i, i + 1 + frame, begin + end_of))
            self.gathered += len(found)
        if self.gathered > BATCH:
            self.finish(table)

    def finish(self, table: Array) -> None:
        """Decide among the frames that were found so far."""
        if not self.waiting:
            return
        left = np.repeat([i for i, _, _ in self.waiting], [len(frame) for _, frame, _ in self.waiting]).astype(np.int64)
        frame = np.concatenate([frame for _, frame, _ in self.waiting])
        right = np.concatenate([right for _, _, right in self.waiting])
        np.maximum.at(table, (left, right), squared_distances(self.points, frame, left, right, self.clock))
        self.waiting, self.gathered = [], 0


class SummedRows:
    """The sum of distances inside every segment."""

    def __init__(self, points: Array, clock: Array | None) -> None:
        self.columns, self.clock = [np.ascontiguousarray(column) for column in points.T], clock
        self.t, self.rest, self.squared = (np.empty(max(ROOM, len(points))) for _ in range(3))

    def fill(self, table: Array, i: int, reach: int) -> None:
        """Add up all segments that start at `i` and end at `reach` or before."""
        table[i, i + 1] = 0.0
        for begin, end in blocks(i + 2, reach + 1, i + 1):
            inside, ends = end - i - 2, end - begin
            t, rest, squared = (
                part[: inside * ends].reshape(ends, inside) for part in (self.t, self.rest, self.squared)
            )
            away = [column[i + 1 : end - 1] - column[i] for column in self.columns]
            along = [(column[begin:end] - column[i])[:, None] for column in self.columns]
            length = np.sum([part * part for part in along], axis=0)
            inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > TINY)
            np.multiply(away[0], along[0], out=t)
            for u, v in zip(away[1:], along[1:], strict=True):
                t += np.multiply(u, v, out=rest)
            t *= inverse
            np.clip(t, 0.0, 1.0, out=t)
            squared[:] = 0.0
            for u, v in zip(away, along, strict=True):
                np.multiply(t, v, out=rest)
                np.subtract(u, rest, out=rest)
                rest *= rest
                squared += rest
            if self.clock is not None:
                squared += _waits(self.clock, i, begin, end)
            np.sqrt(squared, out=squared)
            squared[:, begin - i - 1 :] *= BEFORE[:ends, : ends - 1]
            squared.sum(axis=1, out=table[i, begin:end])

    def finish(self, table: Array) -> None:
        """Nothing is left to do: sums are written as they are made."""


def blocks(first: int, stop: int, start: int) -> Iterator[tuple[int, int]]:
    """Ends `first` to `stop` in blocks such that frames from `start` on, times ends, fit into ROOM."""
    while first < stop:
        # A block of n ends from `first` reaches n - 1 frames beyond it.
        inside = first - start
        ends = max(1, (math.isqrt(inside * inside + 4 * ROOM) - inside) // 2)
        yield first, min(first + ends, stop)
        first += ends


def _waits(clock: Array, i: int, begin: int, end: int) -> Array:
    """(ends, frames) squared waiting times inside the segments from `i` to `begin` ... `end` - 1."""
    return waited(clock[i + 1 : end - 1], clock[i], clock[begin:end, None])
