"""Peaks of a curve: maxima by how far they rise above the valleys beside them, and the fewest stretches that share them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from komadori.quat import Array


@dataclass(frozen=True)
class Peak:
    """A local maximum of a curve."""

    frame: int
    value: float
    rise: float
    """How far it lies above the higher one of the two valleys beside it."""
    first: int
    """The valley before it, or the curve's first frame."""
    last: int
    """The valley behind it, or the curve's last frame."""


def peaks(values: Array, least: float) -> list[Peak]:
    """The maxima of `values` (F,) that rise at least `least` over the valleys on both sides, in order.

    Between the ends of the curve these are the maxima whose topographic prominence is at least `least`. Where the curve
    begins or ends on the way up or down, the other side alone decides. A plateau counts with its first frame.

    >>> import numpy as np
    >>> [peak.frame for peak in peaks(np.array([0.0, 3.0, 2.5, 2.9, 0.0, 1.0]), 1.0)]
    [1, 5]
    """
    if len(values) < 2:
        return []
    tops, valleys = _zigzag(values, least)
    before = [int(values[: tops[0] + 1].argmin()), *valleys]
    after = [*valleys, tops[-1] + int(values[tops[-1] :].argmin())]
    result = []
    for top, first, last in zip(tops, before, after, strict=True):
        sides = [float(values[top] - values[side]) for side in (first, last)]
        counted = [side for side in sides if side >= least]
        if counted:
            result.append(Peak(top, float(values[top]), min(counted), first, last))
    return result


def _zigzag(values: Array, least: float) -> tuple[list[int], list[int]]:
    """Maxima and the minima between them, such that the curve swings at least `least` from each to the next."""
    steps = values[1:] - values[:-1]
    moving = steps.nonzero()[0]
    rises = steps[moving] > 0.0
    # All other frames lie between two turns; a plateau turns where it begins.
    turns = [0, *(1 + moving[:-1][rises[1:] != rises[:-1]]).tolist(), len(values) - 1]
    heights = values[turns].tolist()
    tops: list[int] = []
    valleys: list[int] = []
    best, height, rising = 0, heights[0], True
    for frame, value in zip(turns, heights, strict=True):
        if (value > height) if rising else (value < height):
            best, height = frame, value
        elif abs(height - value) >= least:
            (tops if rising else valleys).append(best)
            best, height, rising = frame, value, not rising
    if rising:
        tops.append(best)
    return tops, valleys


def near(values: Array, peak: Peak, loss: float) -> tuple[int, int]:
    """The first and the last frame around `peak` in which no more than `loss` of its rise is missing."""
    # Marks of one byte each: looking for one takes less than a call of NumPy, and a clip has dozens of peaks.
    enough = (values[peak.first : peak.last + 1] >= peak.value - loss * peak.rise).tobytes()
    top = peak.frame - peak.first
    behind = enough.find(b"\0", top)
    return peak.first + enough.rfind(b"\0", 0, top) + 1, peak.last if behind < 0 else peak.first + behind - 1


def shared(stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int, list[int]]]:
    """The fewest stretches such that each of `stretches` (first, last) holds one: (first, last, which of them hold it).

    One frame of each of these is in all that hold it. The rule is the classic one: always the earliest end.

    >>> shared([(0, 4), (3, 6), (8, 9)])
    [(3, 4, [0, 1]), (8, 9, [2])]
    """
    found: list[tuple[int, int, list[int]]] = []
    for which in sorted(range(len(stretches)), key=lambda n: stretches[n][1]):
        first, last = stretches[which]
        if found and first <= found[-1][1]:
            before = found[-1]
            found[-1] = max(first, before[0]), before[1], [*before[2], which]
        else:
            found.append((first, last, [which]))
    return found
