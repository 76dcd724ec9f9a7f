"""The three solvers behind one face: errors for every count, and the keys for any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from komadori.errors import OptionError
from komadori.methods.keyposes.options import KeyposesOptions
from komadori.methods.keyposes.synopsis import AVERAGE_S, synopsis_curve, synopsis_order
from komadori.motion import Motion
from komadori.numerics import polyline, polyline_largest, polyline_optimal, polyline_summed
from komadori.numerics.polyline import Frames
from komadori.quat import Array
from komadori.words import Fact, Note

SYNOPSIS_SHARE = 4
"""Without a count, Action Synopsis is followed until every so many frames have a key: the elbow lies far before."""


class ErrorCurve(Protocol):
    """The error for every number of keys; what is not known yet is computed when it is asked for."""

    @property
    def counts(self) -> Frames:
        """(n,) numbers of keys, rising by 1."""

    @property
    def errors(self) -> Array:
        """(n,) the error with each."""

    def error(self, count: int) -> float:
        """The error with `count` keys."""

    def first_within(self, tolerance: float) -> int | None:
        """The fewest keys whose error is `tolerance` or less, if there are any."""

    def elbow(self) -> int:
        """The number of keys at the bend of the curve."""


@dataclass(frozen=True, eq=False)
class KnownErrors:
    """An error curve that was computed at once."""

    counts: Frames
    errors: Array

    def error(self, count: int) -> float:
        """The error with `count` keys."""
        return float(self.errors[count - int(self.counts[0])])

    def first_within(self, tolerance: float) -> int | None:
        """The fewest keys whose error is `tolerance` or less, if there are any."""
        under = np.flatnonzero(self.errors <= tolerance)
        return int(self.counts[under[0]]) if len(under) else None

    def elbow(self) -> int:
        """The number of keys at the bend of the curve."""
        return int(self.counts[polyline.elbow(self.counts, self.errors)])


@dataclass(frozen=True, eq=False)
class Solved:
    """A solver's answer for every count."""

    curve: ErrorCurve
    ordered: Callable[[int], Frames] = field(repr=False)
    """The keys for a count, in the order in which they were chosen (sorted if there is none)."""
    notes: tuple[Note, ...] = ()


def solved(
    motion: Motion, curve: Array, clock: Array | None, hips: int, pins: Frames, options: KeyposesOptions
) -> Solved:
    """All counts by the solver that `options` names; `pins` (sorted) hold the first and the last frame."""
    total = options.measure == "sum"
    if options.solver == "optimal":
        optima = polyline_optimal.optimal(curve, pins, max_gap=options.max_gap, clock=clock, total=total)
        notes = []
        if len(optima.cuts):
            notes.append(
                Fact("The clip is longer than {limit} frames, so the optimum was found window by window; {count} frames were fixed as keys beforehand.",
                     limit=polyline_summed.ALL_AT_ONCE, count=len(optima.cuts))
            )  # fmt: skip
        if optima.estimates:
            notes.append(
                Fact("The clip is longer than {limit} frames: the chosen keys are the optimum, but for fewer keys the error curve shows the greedy choice.",
                     limit=polyline_largest.EVERY)
            )  # fmt: skip
        return Solved(optima, optima.keys, tuple(notes))
    # The first and the last frame come first, as in the paper; then pins, then what the longest gap asks for.
    ends = pins[[0, -1]] if len(curve) > 1 else pins
    start = np.concatenate([ends, pins[1:-1]])
    if options.max_gap is not None:
        start = polyline.with_gaps_filled(curve, start, options.max_gap, clock)
    if options.solver == "synopsis":
        most = options.count or max(len(start), 2 + len(curve) // SYNOPSIS_SHARE)
        own = synopsis_curve(motion, hips, options.dims)
        order = synopsis_order(own, start, most, AVERAGE_S * motion.fps)
        errors = _errors_along(curve, order, len(start), clock, total)
    else:
        inserted = polyline.greedy(curve, start, clock=clock, total=total)
        order, errors = inserted.order, inserted.errors
    counts = np.arange(len(start), len(order) + 1)
    return Solved(KnownErrors(counts, errors), lambda count: order[:count])


def chosen_count(found: Solved, frames: int, options: KeyposesOptions) -> tuple[int, list[Note]]:
    """The number of keys that was asked for, or that the error curve suggests; and why."""
    curve, counts = found.curve, found.curve.counts
    fewest, most = int(counts[0]), int(counts[-1])
    if options.count is not None:
        if options.count > frames:
            raise OptionError(
                "count", expected=Note("at most one key per frame ({most})", most=frames), found=options.count
            )
        if options.count < fewest:
            raise OptionError(
                "count",
                expected=Note("at least {least} keys, as pins and max_gap require", least=fewest),
                found=options.count,
            )
        if options.count > most:
            note: Note = Fact("Used {count} keys instead of {asked}: the polyline already passes through every frame.",
                        count=most, asked=options.count)  # fmt: skip
            return most, [note]
        return options.count, []
    if options.tolerance is not None:
        enough = curve.first_within(options.tolerance)
        if enough is None:
            place = int(np.argmin(curve.errors))
            count, error = int(counts[place]), float(curve.errors[place])
            note = Note("No number of keys reaches {tolerance:.4g} m; used {count}, which comes closest with {error:.4g} m. Raise tolerance, or give a count.",
                        tolerance=options.tolerance, count=count, error=error)  # fmt: skip
            return count, [note]
        return enough, []
    first = curve.error(fewest)
    if first <= polyline.LEAST:
        return fewest, [
            Fact("{count} keys are enough: every frame between them lies on a straight line.", count=fewest)
        ]
    count = curve.elbow()
    error = curve.error(count)
    gained = (first - error) / max(count - fewest, 1)
    to_come = (error - curve.error(most)) / max(most - count, 1)
    note = Fact(
        "Chose {count} keys, at the bend of the error curve: each key so far reduced the error by {gained:.2g} m, each further one would by {to_come:.2g} m.",
        count=count, gained=gained, to_come=to_come,
    )  # fmt: skip
    return count, [note]


def _errors_along(curve: Array, order: Frames, given: int, clock: Array | None, total: bool) -> Array:
    """The polyline's error with the first `given` keys of `order`, with one more, and so on."""
    keys = sorted(order[:given].tolist())
    distances = polyline.key_errors(curve, np.array(keys), clock)
    errors = [float(distances.sum() if total else distances.max(initial=0.0))]
    known = np.zeros(len(curve), dtype=bool)
    known[keys] = True
    for frame in order[given:].tolist():
        before = frame - 1 - int(np.argmax(known[:frame][::-1]))
        after = frame + 1 + int(np.argmax(known[frame + 1 :]))
        part = np.array([0, frame - before, after - before])
        near = slice(before, after + 1)
        distances[near] = polyline.key_errors(curve[near], part, None if clock is None else clock[near])
        known[frame] = True
        errors.append(float(distances.sum() if total else distances.max(initial=0.0)))
    return np.array(errors)
