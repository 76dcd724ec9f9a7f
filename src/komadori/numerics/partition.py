"""The best partition: neighbours joined into a given number of pieces of least total cost, by dynamic programming."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

CELLS = 1 << 23
"""Choices kept at once: a larger table is computed a second time, block by block, so that memory stays bounded."""

Buffers = list[Array]


def best_partition(cost: Array, parts: int) -> tuple[int, float, list[int]]:
    """Cut n items into `parts` pieces of least total cost: pieces reached, their cost, the size of each.

    `cost` is (span, n): cost[s - 1, i] is that of one piece of the s items from i on, infinite if it may not be; a
    piece of one item always may. Where so few pieces cannot be reached, the fewest that can are made. Among equals the
    smaller piece comes last.
    """
    # Any piece can be cut in two, so every count from the fewest to one an item can be reached.
    items = cost.shape[1]
    count = min(max(parts, _fewest(cost)), items)
    table = _Table(cost, items - count)
    rows = max(64, CELLS // (table.widest + 1))
    blocks = [(begin, table.saved(begin, rows)) for begin in range(0, items, rows)]
    sizes: list[int] = []
    j, joins, error = items, items - count, 0.0
    for begin, buffers in reversed(blocks):
        table.buffers = buffers
        last = min(begin + rows, items)
        choices = [table.advance_choosing(column) for column in range(begin + 1, last + 1)]
        if last == items:
            error = table.value(items, joins)
        while j > begin:
            low, choice = choices[j - begin - 1]
            size = int(choice[joins - low]) + 1
            sizes.append(size)
            j, joins = j - size, joins - (size - 1)
    return count, error, sizes[::-1]


class _Table:
    """best[j, h]: the least cost of the first j items with h joins (a piece of s items takes s - 1).

    Column j needs the `span` columns before it alone, and only those h from which the wanted number can still be
    reached. Both ends of that band rise with j, by at most as much as a piece may add, so a ring of buffers does.
    """

    def __init__(self, cost: Array, joins: int) -> None:
        self.cost, self.joins = cost, joins
        self.span, self.items = cost.shape
        self.costs = cost.T.tolist()
        # Before index `span` all is infinite: fewer than no joins cannot be.
        self.buffers: Buffers = [np.full(self.span + joins + 2, np.inf) for _ in range(self.span + 1)]
        self.buffers[0][self.span] = 0.0
        self.spare = np.empty(joins + 1)
        j = np.arange(self.items + 1)
        left = self.items - j
        low = np.maximum(0, joins - (left - -(-left // self.span)))
        high = np.minimum(joins, j - -(-j // self.span))
        self.widest = int((high - low).max()) + 1
        self.low, self.high = low.tolist(), high.tolist()

    def value(self, j: int, joins: int) -> float:
        """best[j, joins], while column j is in the ring."""
        return float(self.buffers[j % (self.span + 1)][self.span + joins])

    def saved(self, begin: int, rows: int) -> Buffers:
        """The ring as it is before column `begin` + 1; continues to the next block, if there is one."""
        kept = [buffer.copy() for buffer in self.buffers]
        if begin + rows < self.items:
            for j in range(begin + 1, begin + rows + 1):
                self.advance(j)
        return kept

    def _column(self, j: int) -> tuple[int, int, Array]:
        """The band of column j in its buffer, filled for pieces of one item."""
        low, high = self.low[j] + self.span, self.high[j] + self.span + 1
        buffer = self.buffers[j % (self.span + 1)]
        before = self.buffers[(j - 1) % (self.span + 1)]
        # One cell behind the band is read by later columns: it cannot be reached.
        buffer[high] = np.inf
        column = buffer[low:high]
        np.add(before[low:high], self.costs[j - 1][0], out=column)
        return low, high, column

    def advance(self, j: int) -> None:
        """Compute column j."""
        low, high, column = self._column(j)
        spare = self.spare[: high - low]
        for more in range(1, min(self.span, j)):
            value = self.costs[j - 1 - more][more]
            if value != np.inf:
                before = self.buffers[(j - 1 - more) % (self.span + 1)]
                np.add(before[low - more : high - more], value, out=spare)
                np.minimum(column, spare, out=column)

    def advance_choosing(self, j: int) -> tuple[int, NDArray[np.uint16]]:
        """Compute column j; returns its least number of joins and, from there on, the joins of the last piece."""
        low, high, column = self._column(j)
        spare = self.spare[: high - low]
        choice = np.zeros(high - low, dtype=np.uint16)
        for more in range(1, min(self.span, j)):
            value = self.costs[j - 1 - more][more]
            if value != np.inf:
                before = self.buffers[(j - 1 - more) % (self.span + 1)]
                np.add(before[low - more : high - more], value, out=spare)
                np.copyto(choice, more, where=spare < column)
                np.minimum(column, spare, out=column)
        return low - self.span, choice


def _fewest(cost: Array) -> int:
    """The smallest number of pieces."""
    allowed = np.isfinite(cost).T.tolist()
    span = cost.shape[0]
    fewest = [0]
    for j in range(1, cost.shape[1] + 1):
        fewest.append(1 + min(fewest[j - s] for s in range(1, min(span, j) + 1) if allowed[j - s][s - 1]))
    return fewest[-1]
