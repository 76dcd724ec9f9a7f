"""The exact optimum: runs of at most `max_exposures` frames, a given number of drawings, the least pose error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.methods.limited.greedy import Frames, Limits
from komadori.numerics.steps import squared_steps
from komadori.quat import Array

BLOCK = 1024
"""Runs between two checkpoints: what the table keeps is one column a block, so memory stays linear in the drawings."""


@dataclass(frozen=True)
class Optimum:
    """The best sheet, how many drawings it has, and its error."""

    source: Frames
    drawings: int
    error: float


def with_least_error(points: Array, source: Frames, drawings: int, limits: Limits, free: bool) -> Optimum:
    """The sheet of `drawings` drawings whose summed squared error against `source` is least, by dynamic programming.

    `source` is the sheet before holds; neighbouring runs of it are joined whole. A joined run shows its first drawing
    (causal), or with `free` the one that fits best. Where no sheet has so few drawings, the one with the fewest is given.
    """
    starts = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    drawing = source[starts]
    length = np.diff(np.append(starts, len(source)))
    cost, shown = _run_costs(points, drawing, starts, length, limits, free)
    count, error, sizes = _best_partition(cost, drawings)
    picked, at, pieces = [], 0, []
    for size in sizes:
        picked.append(shown[size - 1, at])
        pieces.append(int(length[at : at + size].sum()))
        at += size
    return Optimum(np.repeat(np.array(picked, dtype=np.int64), pieces), count, error)


def _run_costs(
    points: Array, drawing: Frames, starts: Frames, length: Frames, limits: Limits, free: bool
) -> tuple[Array, Frames]:
    """cost[s - 1, i]: the least error of joining runs i to i + s, infinite where that is not allowed; and what it shows."""
    runs = len(drawing)
    ends = starts + length
    source = np.repeat(drawing, length)
    span = min(limits.max_exposures, runs)
    cost = np.full((span, runs), np.inf)
    shown = np.zeros((span, runs), dtype=np.int64)
    pinned_before = np.concatenate([[0], np.cumsum(limits.pinned[drawing])])
    for size in range(1, span + 1):
        i = np.arange(runs - size + 1)
        i = i[(ends[i + size - 1] - starts[i] <= limits.max_exposures) | (size == 1)]
        for offset in range(size if free else 1):
            # A pinned drawing among the joined runs must be the one that is shown.
            pins = pinned_before[i + size] - pinned_before[i]
            allowed = i[(pins == 0) | ((pins == 1) & limits.pinned[drawing[i + offset]])]
            error = _shown_error(
                points, drawing[allowed + offset], starts[allowed], ends[allowed + size - 1], limits, source
            )
            better = error < cost[size - 1, allowed]
            cost[size - 1, allowed[better]] = error[better]
            shown[size - 1, allowed[better]] = drawing[allowed[better] + offset]
    # A run that is too long or strays by itself was so before: it may stay as it is.
    alone = np.isinf(cost[0])
    if alone.any():
        free_limits = Limits(limits.max_exposures, None, limits.pinned)
        cost[0, alone] = _shown_error(points, drawing[alone], starts[alone], ends[alone], free_limits, source)
        shown[0, alone] = drawing[alone]
    return cost, shown


def _shown_error(points: Array, shown: Frames, begin: Frames, end: Frames, limits: Limits, source: Frames) -> Array:
    """The summed squared error of showing frame shown[r] at output frames begin[r] to end[r]."""
    error = np.zeros(len(shown))
    for offset in range(int((end - begin).max(initial=0))):
        frame = begin + offset
        inside = np.flatnonzero(frame < end)
        error[inside] += squared_steps(points, shown[inside], source[frame[inside]])
        if limits.max_drift is not None:
            time = source[0] + frame[inside]
            error[inside[np.abs(shown[inside] - time) > limits.max_drift]] = np.inf
    return error


def _best_partition(cost: Array, parts: int) -> tuple[int, float, list[int]]:
    """Cut runs into `parts` pieces of least total cost: pieces reached, their cost, the size of each.

    best[j, k] is the least cost of the first j runs in k pieces. Columns are computed left to right, all k at once; the
    columns that begin a block are kept, and the blocks are computed again, last first, to find the way back.
    """
    span, runs = cost.shape
    # Any piece can be cut in two, so every count from the fewest to one a run can be reached.
    count = min(max(parts, _fewest(cost)), runs)
    # Before the first run there is one way: no piece at no cost. The newest column stands first.
    columns = [np.full(count + 1, np.inf) for _ in range(span)]
    columns[0][0] = 0.0
    checkpoints = []
    for begin in range(0, runs, BLOCK):
        checkpoints.append(list(columns))
        for j in range(begin + 1, min(begin + BLOCK, runs) + 1):
            _advance(columns, cost, j, count)
    error = float(columns[0][count])
    sizes: list[int] = []
    j, k = runs, count
    for block in reversed(range(len(checkpoints))):
        begin = block * BLOCK
        columns = checkpoints[block]
        choices = [_advance(columns, cost, column, count) for column in range(begin + 1, min(begin + BLOCK, runs) + 1)]
        while j > begin:
            least, choice = choices[j - begin - 1]
            size = int(choice[k - least]) + 1
            sizes.append(size)
            j, k = j - size, k - 1
    return count, error, sizes[::-1]


def _fewest(cost: Array) -> int:
    """The smallest number of pieces that the runs can be cut into."""
    allowed = np.isfinite(cost).tolist()
    span = len(allowed)
    fewest = [0]
    for j in range(1, cost.shape[1] + 1):
        fewest.append(1 + min(fewest[j - s] for s in range(1, min(span, j) + 1) if allowed[s - 1][j - s]))
    return fewest[-1]


def _advance(columns: list[Array], cost: Array, j: int, count: int) -> tuple[int, NDArray[np.uint16]]:
    """Put column j in front of `columns`; gives the least k in it and the piece size (less 1) chosen from there on.

    Only counts from which `count` can still be reached are looked at: each run left makes at most one piece.
    """
    span, runs = cost.shape
    least = max(1, count - (runs - j))
    most = min(j, count - -(-(runs - j) // span))
    best = columns[0][least - 1 : most] + cost[0, j - 1]
    choice = np.zeros(len(best), dtype=np.uint16)
    for size in range(1, min(span, j)):
        candidate = columns[size][least - 1 : most] + cost[size, j - 1 - size]
        better = candidate < best
        choice[better] = size
        np.minimum(best, candidate, out=best)
    column = np.full(count + 1, np.inf)
    column[least : most + 1] = best
    columns.insert(0, column)
    columns.pop()
    return least, choice
