"""The polylines with the least largest distance, for any number of keys: only segments below a bound are ever looked at.

A polyline whose error is at most some bound has no segment with a larger one. So counts are solved under a bound: every count
that has such a polyline gets its exact error, and of every other count it is known that its error is larger than the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from komadori.numerics.polyline import LEAST, Frames, elbow, fewest_keys, greedy, squared_distances
from komadori.numerics.polyline_segments import Segments, segments_within
from komadori.quat import Array

AT_ONCE = 1500
"""Frames up to which all counts are solved under one bound."""
EVERY = 4000
"""Frames up to which the errors of all counts are exact. The fewest keys need nearly all segments: 10,000 frames five minutes."""
SAMPLED = 32
"""Frames between two pins that tell which one key between them is worth a closer look."""
CLOSE = 1.0 + 1e-12
"""A squared error so much larger than another may be the same: one of the two is the square of a root."""
CLOSER = 16
"""Keys looked at closely at once."""
RAISED = 1.4
"""How far the bound is raised (as a distance) when it was too low for a count."""
TRIMMED = 0.8
"""Segments are dropped from the search once the least squared error has fallen to this part of what they were chosen for."""


@dataclass(eq=False)
class LargestOptima:
    """The least error for every number of keys, and the keys that reach it; solved as far as it is asked for.

    What was found is kept: counts are solved once.
    """

    points: Array
    pins: Frames
    max_gap: int | None
    clock: Array | None
    _known: Array = field(init=False, repr=False)
    """(F + 1,) by keys: the least squared error, not a number where it is not known yet."""
    _found: tuple[float, Segments | None] = field(init=False, default=(-1.0, None), repr=False)
    """The largest squared bound so far, and the segments within it."""

    def __post_init__(self) -> None:
        self._known = np.full(len(self.points) + 1, np.nan)
        if len(self.points) < 2:
            self._known[1:] = 0.0
        elif self.max_gap is None or int(np.diff(self.pins).max()) <= self.max_gap:
            self._solve_pins()

    @property
    def estimates(self) -> bool:
        """Whether `errors` gives the error of the greedy choice for few keys."""
        return len(self.points) > EVERY and self.max_gap is None

    @property
    def cuts(self) -> Frames:
        """None: the keys of clips of any length are exact."""
        return np.zeros(0, dtype=np.int64)

    @cached_property
    def counts(self) -> Frames:
        """(n,) numbers of keys, rising by 1 from the fewest that are allowed to the first whose error is no more than rounding."""
        fewest, frames = fewest_keys(self.pins, self.max_gap), len(self.points)
        if frames < 2 or self._known[fewest] <= LEAST * LEAST:
            return np.array([fewest], dtype=np.int64)
        straight = segments_within(self.points, self._reach, self.clock, LEAST * LEAST)
        return np.arange(fewest, int(_hops(straight)[-1]) + 2)

    @cached_property
    def errors(self) -> Array:
        """(n,) the least error with exactly so many keys, for all of `counts`.

        Of a clip above EVERY frames that no `max_gap` shortens: of so many keys as the bend has, and more. Fewer keys have the
        error of the greedy choice; `error` finds the least of any one count.
        """
        counts = self.counts
        if len(counts) > 2 and np.isfinite(self._known[counts[0]]):
            if len(self.pins) == 2 and self.max_gap is None:
                self._solve_one_more()
            if len(self.points) > AT_ONCE or np.isnan(self._known[counts[1]]):
                self.elbow()
            else:
                # Two keys more are hardly ever worse than one.
                self._solve(max(self._bound, float(self._known[3])), int(counts[-1]))
        missing = self._missing(counts)
        if self.estimates:
            return np.where(
                np.isnan(self._known[counts]), self._greedy_errors(counts), self._spoken(self._known[counts])
            )
        while len(missing):
            self._solve(self._raised(int(missing[-1])), int(missing[-1]))
            missing = self._missing(missing)
        return self._spoken(self._known[counts])

    def error(self, count: int) -> float:
        """The least error with exactly `count` keys, one of `counts`."""
        while np.isnan(self._known[count]):
            self._solve(self._raised(count), count)
        return float(self._spoken(self._known[count]))

    def first_within(self, tolerance: float) -> int | None:
        """The fewest keys whose least error is `tolerance` or less; there always are some."""
        counts = self.counts
        # A tolerance below rounding is reached where the error is no more than rounding. The root of a square may lie a bit beyond.
        inside = segments_within(self.points, self._reach, self.clock, max(tolerance, LEAST) ** 2 * CLOSE)
        first = int(_hops(inside)[-1]) + 1
        return next(n for n in range(max(first, int(counts[0])), int(counts[-1]) + 1) if self.error(n) <= tolerance)

    def elbow(self) -> int:
        """The number of keys at the bend of the error curve: what `polyline.elbow` makes of all `errors`.

        A count whose error is not known, but known to be larger than a bound, is out as soon as the bend lies elsewhere even
        if its error were the bound.
        """
        counts = self.counts
        largest = self._known[counts[0]]
        if len(counts) < 3 or np.isnan(largest):
            return int(counts[elbow(counts, self.errors)])
        tried = self._greedy_errors(counts)
        place = elbow(counts, tried)
        # As far down as a curve like the greedy's reaches: no count to the left of it can be the bend then.
        end = max(2.0, float(np.argmax(tried <= 0.005 * tried[0])) or len(counts) - 1.0)
        bound = np.sqrt(largest) * max(0.02, place / end + tried[place] / tried[0])
        while True:
            self._solve(bound * bound, int(counts[-1]))
            known = self._known[counts]
            unknown = np.isnan(known)
            place = elbow(counts, np.where(unknown, bound, self._spoken(known)))
            if not unknown[place]:
                return int(counts[place])
            bound *= 1.2

    def keys(self, count: int) -> Frames:
        """The best `count` keys, sorted. Among equals: the least sum of squared segment errors, then the earliest."""
        if count < 2:
            return np.zeros(count, dtype=np.int64)
        bound = max(self.error(count), LEAST) ** 2 * CLOSE
        return _best_way(self._within(bound), count - 1)

    @property
    def _reach(self) -> Frames:
        """(F,) the last frame that a segment from each frame may have: the next pin, or the longest gap."""
        frames = np.arange(len(self.points))
        reach = np.append(self.pins, len(frames) - 1)[np.searchsorted(self.pins, frames, "right")]
        return reach if self.max_gap is None else np.minimum(reach, frames + self.max_gap)

    def _spoken(self, squared: Array) -> Array:
        errors: Array = np.sqrt(squared)
        return np.where(errors <= LEAST, 0.0, errors)

    def _missing(self, counts: Frames) -> Frames:
        return counts[np.isnan(self._known[counts])]

    @cached_property
    def _tried(self) -> Array:
        """(n,) the errors of the greedy choice, from as many keys as there are pins on."""
        return greedy(self.points, self.pins, clock=self.clock).errors

    def _greedy_errors(self, counts: Frames) -> Array:
        """The greedy choice's error for each of `counts`, from those that it has."""
        return self._tried[np.clip(counts - len(self.pins), 0, len(self._tried) - 1)]

    @property
    def _bound(self) -> float:
        return self._found[0]

    def _raised(self, count: int) -> float:
        """The next squared bound to try for `count`: what the greedy choice reaches, but not much more than was tried before."""
        tried = float(self._greedy_errors(np.array([count]))[0]) ** 2 * (1.0 + 1e-9)
        if self._bound <= 0.0:
            return max(tried, LEAST * LEAST)
        raised = self._bound * RAISED**2
        # More keys are hardly ever worse than fewer.
        fewer = self._known[:count]
        worse = float(fewer.min(initial=np.inf, where=fewer > self._bound))
        return min(raised, worse, tried if tried > self._bound else np.inf)

    def _within(self, bound: float) -> Segments:
        """All segments whose squared error is at most `bound`."""
        largest, segments = self._found
        if segments is None or bound > largest:
            segments = segments_within(self.points, self._reach, self.clock, bound)
            self._found = bound, segments
            return segments
        return segments.within(bound)

    def _solve(self, bound: float, most: int) -> None:
        """The errors of all counts up to `most` that are at most `bound` (squared)."""
        segments = self._within(bound)
        curve = _curve(segments, most - 1, True)
        if curve is None:
            curve = _curve(segments, most - 1, False)
        assert curve is not None
        place = np.flatnonzero(np.isfinite(curve))
        self._known[place + 1] = curve[place]

    def _solve_pins(self) -> None:
        """The error of the fewest keys, where these are the pins: there is no choice."""
        inside = np.setdiff1d(np.arange(len(self.points)), self.pins)
        gap = np.searchsorted(self.pins, inside) - 1
        squared = squared_distances(self.points, inside, self.pins[gap], self.pins[gap + 1], self.clock)
        self._known[len(self.pins)] = squared.max(initial=0.0)

    def _solve_one_more(self) -> None:
        """The error of one key more than the two pins that there are: every frame is tried, the likely ones first."""
        keys = np.arange(1, len(self.points) - 1)
        # Some frames tell which key is worth a closer look.
        least = self._with_key(keys, np.unique(np.linspace(0, len(self.points) - 1, SAMPLED).astype(np.int64)))
        found = np.inf
        order = np.argsort(least, kind="stable")
        for part in np.split(order, range(CLOSER, len(order), CLOSER)):
            if least[part[0]] >= found:
                break
            found = min(found, float(self._with_key(keys[part], np.arange(len(self.points))).min()))
        self._known[3] = found

    def _with_key(self, keys: Frames, frames: Frames) -> Array:
        """(K,) the largest squared distance of `frames` with each of `keys` between the first and the last frame."""
        frame, key = (part.ravel() for part in np.broadcast_arrays(frames, keys[:, None]))
        before = frame < key
        left, right = np.where(before, 0, key), np.where(before, key, len(self.points) - 1)
        squared = squared_distances(self.points, frame, left, right, self.clock).reshape(len(keys), len(frames))
        return np.asarray(squared.max(axis=1))


def _curve(segments: Segments, most: int, trim: bool) -> Array | None:
    """(most + 1,) by segments: the least error of a way of exactly so many; infinite if there is none among `segments`.

    Ends where the error is no more than rounding. To `trim` is to drop what is larger than the error of the last count, which
    the next ones hardly ever exceed; None if one did.
    """
    frames = segments.frames
    curve = np.full(most + 1, np.inf)
    best, longer = np.full(frames, np.inf), np.full(frames, np.inf)
    best[0] = 0.0
    offsets, room = segments.offsets(), np.empty(len(segments))
    looked_at = np.inf
    for count in range(1, most + 1):
        # No way of so many segments ends earlier than this frame.
        begin = offsets[count]
        part = np.take(best, segments.left[begin:], out=room[: len(segments) - begin], mode="clip")
        np.maximum(part, segments.squared[begin:], out=part)
        np.minimum.reduceat(part, offsets[count:-1] - begin, out=longer[count:])
        longer[count - 1] = np.inf
        best, longer = longer, best
        error = curve[count] = best[-1]
        if error <= LEAST * LEAST:
            break
        if error == np.inf and looked_at < np.inf:
            return None
        if trim and error < TRIMMED * looked_at:
            segments, looked_at = segments.within(error), error
            offsets = segments.offsets()
    return curve


def _hops(segments: Segments) -> Frames:
    """(F,) the fewest segments from the first frame to each."""
    fewest = np.zeros(segments.frames, dtype=np.int64)
    offsets = segments.offsets().tolist()
    for frame in range(1, segments.frames):
        fewest[frame] = 1 + fewest[segments.left[offsets[frame] : offsets[frame + 1]]].min()
    return fewest


def _hops_back(segments: Segments) -> Frames:
    """(F,) the fewest segments from each frame to the last."""
    last = segments.frames - 1
    order = np.lexsort((last - segments.right, last - segments.left))
    turned = Segments(
        segments.frames, last - segments.right[order], last - segments.left[order], segments.squared[order]
    )
    return _hops(turned)[::-1]


def _best_way(segments: Segments, count: int) -> Frames:
    """The frames from the first to the last that `count` segments join with the least sum of squared errors; ties go to
    earlier frames."""
    to, back = _hops(segments), _hops_back(segments)
    segments = segments.where(to[segments.left] + 1 + back[segments.right] <= count)
    # Only frames that some way of so many segments passes are left; their numbers take the place of frames.
    frames = np.append(0, np.unique(segments.right))
    left, right = np.searchsorted(frames, segments.left), np.searchsorted(frames, segments.right)
    segments = Segments(len(frames), left, right, segments.squared)
    offsets = segments.offsets()
    to, back = to[frames], back[frames]
    best = [np.zeros(1)]
    spans = [(0, 1)]
    for n in range(1, count + 1):
        # The first frame is passed at the start alone: no segment ends there.
        passed = np.flatnonzero((to > 0) & (to <= n) & (back <= count - n))
        low, high = int(passed[0]), int(passed[-1]) + 1
        before = np.full(len(frames) + 1, np.inf)
        before[slice(*spans[-1])] = best[-1]
        part = slice(offsets[low], offsets[high])
        sums = before[segments.left[part]] + segments.squared[part]
        best.append(np.minimum.reduceat(sums, offsets[low:high] - offsets[low]))
        spans.append((low, high))
    way = [len(frames) - 1]
    for (low, high), before in zip(spans[-2::-1], best[-2::-1], strict=True):
        part = slice(offsets[way[-1]], offsets[way[-1] + 1])
        start = segments.left[part]
        there = (start >= low) & (start < high)
        sums = before[start[there] - low] + segments.squared[part][there]
        way.append(int(start[there][np.argmin(sums)]))
    return frames[np.array(way[::-1], dtype=np.int64)]
