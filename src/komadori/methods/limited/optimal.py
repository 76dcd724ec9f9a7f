"""The exact optimum: runs of at most `max_exposures` frames, a given number of drawings, the least pose error."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from komadori.methods.limited.greedy import Frames, Limits
from komadori.numerics.partition import best_partition
from komadori.numerics.steps import squared_steps
from komadori.quat import Array


@dataclass(frozen=True)
class Optimum:
    """The best sheet, how many drawings it has, and its error."""

    source: Frames
    drawings: int
    error: float


def with_least_error(points: Array, source: Frames, drawings: int, limits: Limits, free: bool) -> Optimum:
    """The sheet of `drawings` drawings whose summed squared error against `source` is least, by dynamic programming.

    `source` is the sheet before holds; neighbouring runs of it are joined whole. A joined run shows its first drawing
    (causal), or with `free` the one that fits best. If no sheet has so few drawings, the one with the fewest is given.
    """
    starts = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    drawing = source[starts]
    length = np.diff(np.append(starts, len(source)))
    cost, shown = _run_costs(points, drawing, starts, length, limits, free)
    count, error, sizes = best_partition(cost, drawings)
    picked, at, pieces = [], 0, []
    for size in sizes:
        picked.append(shown[size - 1, at])
        pieces.append(int(length[at : at + size].sum()))
        at += size
    return Optimum(np.repeat(np.array(picked, dtype=np.int64), pieces), count, error)


def _run_costs(
    points: Array, drawing: Frames, starts: Frames, length: Frames, limits: Limits, free: bool
) -> tuple[Array, Frames]:
    """cost[s - 1, i]: the least error of joining runs i to i + s, infinite if that is not allowed; and what it shows."""
    runs = len(drawing)
    ends = starts + length
    source = np.repeat(drawing, length)
    span = min(limits.max_exposures, runs)
    cost = np.full((span, runs), np.inf)
    shown = np.zeros((span, runs), dtype=np.int64)
    pinned_before = np.concatenate([[0], np.cumsum(limits.pinned[drawing])])
    so_far: list[Array] = []
    for size in range(1, span + 1):
        i = np.arange(runs - size + 1)
        last = i + size - 1
        fits = (ends[last] - starts[i] <= limits.max_exposures) | (size == 1)
        pins = pinned_before[i + size] - pinned_before[i]
        for offset in range(size if free else 1):
            # The error of showing one drawing grows with every run that is joined: only the new run is measured.
            new = offset == len(so_far)
            added = _shown_error(points, drawing[i + offset], starts[i if new else last], ends[last], limits, source)
            if new:
                so_far.append(added)
            else:
                so_far[offset] = so_far[offset][: len(i)] + added
            # A pinned drawing among the joined runs must be the one that is shown.
            allowed = fits & ((pins == 0) | ((pins == 1) & limits.pinned[drawing[i + offset]]))
            better = allowed & (so_far[offset] < cost[size - 1, : len(i)])
            cost[size - 1, i[better]] = so_far[offset][better]
            shown[size - 1, i[better]] = drawing[i[better] + offset]
    # A run that is too long or strays by itself was so before: it may stay as it is.
    alone = np.isinf(cost[0])
    if alone.any():
        free_limits = replace(limits, max_drift=None)
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
