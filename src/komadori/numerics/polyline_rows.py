"""Rows of the table of segment errors, many segments at once: the sum of distances inside each."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from komadori.numerics.polyline import TINY, waited
from komadori.quat import Array

ROOM = 1 << 15
"""Numbers worked on at once: what is computed then stays in the processor's second cache."""
BEFORE: Array = np.tri(math.isqrt(ROOM) + 1, k=-1)
"""For a block's last frames (columns): 1 where they lie before the end (row) of a segment."""


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
