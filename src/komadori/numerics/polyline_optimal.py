"""The best polyline for every number of keys: by the largest distance, or by the sum of all."""

from __future__ import annotations

from typing import Protocol

from komadori.numerics.polyline import Frames
from komadori.numerics.polyline_largest import LargestOptima
from komadori.numerics.polyline_summed import summed_optima
from komadori.quat import Array


class Optima(Protocol):
    """The least error for every number of keys, and the keys that reach it."""

    @property
    def counts(self) -> Frames:
        """(n,) numbers of keys, rising by 1 from the fewest that are allowed to the first whose error is no more than rounding."""

    @property
    def errors(self) -> Array:
        """(n,) the least error with exactly so many keys."""

    @property
    def estimates(self) -> bool:
        """Whether `errors` gives the error of the greedy choice for few keys, because the clip is long."""

    @property
    def cuts(self) -> Frames:
        """Frames that were made keys beforehand because the clip is long; none where the errors are exact."""

    def error(self, count: int) -> float:
        """The least error with exactly `count` keys."""

    def first_within(self, tolerance: float) -> int | None:
        """The fewest keys whose least error is `tolerance` or less, if there are any."""

    def elbow(self) -> int:
        """The number of keys at the bend of the error curve."""

    def keys(self, count: int) -> Frames:
        """The best `count` keys, sorted. Among equals: the least sum of squared segment errors, then the earliest."""


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
    shape the search itself, so the optimum is that of the constrained problem. The largest distance is exact for clips of any
    length, and a count costs nothing until it is asked for; the sum is solved at once, and window by window in a long clip.
    """
    if total:
        return summed_optima(points, pins, max_gap=max_gap, clock=clock)
    return LargestOptima(points, pins, max_gap, clock)
