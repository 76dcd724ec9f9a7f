"""Key poses (Suzuki and Kuriyama, "Keyframe Extraction via Polyline Approximation of Motion Curve"): the few frames that define an action, found by approximating its motion curve with a polyline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from komadori import quat
from komadori.errors import OptionError
from komadori.keyed import Interpolation, Keyed, keyed
from komadori.methods.keyposes.features import frame_features, principal_curve, watched
from komadori.methods.keyposes.options import KeyposesOptions
from komadori.methods.keyposes.solving import ErrorCurve, chosen_count, solved
from komadori.motion import Motion, Pose
from komadori.numerics import polyline, polyline_optimal
from komadori.numerics.costs import is_quick, keys_cost_s
from komadori.numerics.polyline import Frames
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note, ranges

__all__ = ["KeyposesOptions", "KeyposesResult", "keyposes"]

MOST_LISTED = 40
"""Keys that a summary lists; --json lists all."""
_KINDS = {"stepped": Note("stepped"), "linear": Note("linear"), "bezier": Note("bezier")}


@dataclass(frozen=True, eq=False)
class KeyposesResult(Result):
    """The key frames, what can be made from them, and the error data."""

    source_motion: Motion
    options: KeyposesOptions
    curve: Array = field(repr=False)
    """(F, dims) the motion curve, in metres."""
    clock: Array | None = field(repr=False)
    """(F,) the time that counts as distance, in metres; None if none does."""
    explained: float
    """Share of the variance of all features that the curve keeps."""
    joints: tuple[str, ...]
    """The joints that were looked at."""
    required: Frames = field(repr=False)
    """Frames that had to be keys: the first, the last, pins and contacts."""
    frames: Frames
    """(K,) the key frames, sorted."""
    order: Frames
    """(K,) the key frames in the order in which they were chosen (as they come in time for the optimum)."""
    counts: Frames = field(repr=False)
    """(n,) the numbers of keys that were looked at."""
    notes: tuple[Note, ...]
    _error_curve: ErrorCurve = field(repr=False)
    _ordered: Callable[[int], Frames] = field(repr=False)

    def __len__(self) -> int:
        return len(self.frames)

    def at(self, count: int) -> KeyposesResult:
        """The same clip with another number of keys; nothing is computed twice."""
        fewest, most = int(self.counts[0]), int(self.counts[-1])
        if not fewest <= count <= most:
            raise OptionError(
                "count", expected=Note("a whole number from {low} to {high}", low=fewest, high=most), found=count
            )
        order = self._ordered(count)
        return replace(
            self, frames=np.sort(order), order=order, options=replace(self.options, count=count, tolerance=None)
        )

    def redrawn(self, poses: Mapping[int, Pose]) -> KeyposesResult:
        """The same keys with other poses at some frames of the clip, as an animator redraws them.

        A frame that is not a key shows nowhere, but its pose is kept: with another count (`at`) it may be one again. The curve and
        the errors stay those of the captured clip.
        """
        clip = self.source_motion
        rotations, positions = np.array(clip.rotations), np.array(clip.positions)
        for frame, pose in poses.items():
            if not 0 <= frame < len(clip):
                raise OptionError(
                    "frame", expected=Note("a frame of the motion, 0 to {last}", last=len(clip) - 1), found=frame
                )
            if pose.rotations.shape != rotations.shape[1:] or pose.positions.shape != positions.shape[1:]:
                raise OptionError("pose", problem=Note("the pose is of another skeleton than the clip"))
            rotations[frame], positions[frame] = quat.normalized(pose.rotations), pose.positions
        return replace(self, source_motion=clip.replaced(rotations, positions)) if poses else self

    @property
    def errors(self) -> Array:
        """(n,) the error with each of `counts` keys, in metres; the optimum computes those that are not known yet."""
        return self._error_curve.errors

    @cached_property
    def distances(self) -> Array:
        """(F,) how far each frame lies from the polyline through the keys, in metres."""
        return polyline.key_errors(self.curve, self.frames, self.clock)

    @property
    def error(self) -> float:
        """The largest of the distances, or their sum, as the options ask."""
        return self._measured(self.distances)

    @cached_property
    def even_error(self) -> float:
        """The error of as many keys spread evenly over time."""
        even = polyline.even_keys(len(self.curve), len(self.frames))
        return self._measured(polyline.key_errors(self.curve, even, self.clock))

    @cached_property
    def least_error(self) -> float:
        """The error of the best keys of that number, with the same pins and longest gap."""
        if self.options.solver == "optimal":
            return self.error
        return self._best.error(self._least_count)

    @cached_property
    def least_errors(self) -> tuple[Frames, Array]:
        """(counts, errors): the least possible error for every count, with the same pins and longest gap."""
        if self.options.solver == "optimal":
            return self.counts, self.errors
        return self._best.counts, self._best.errors

    @property
    def least_frames(self) -> Frames:
        """The best keys of that number: those of `least_error`."""
        if self.options.solver == "optimal":
            return self.frames
        return self._best.keys(self._least_count)

    @property
    def _least_count(self) -> int:
        counts = self._best.counts
        return min(max(len(self.frames), int(counts[0])), int(counts[-1]))

    @cached_property
    def _best(self) -> polyline_optimal.Optima:
        total = self.options.measure == "sum"
        return polyline_optimal.optimal(
            self.curve, self.required, max_gap=self.options.max_gap, clock=self.clock, total=total
        )

    def even_errors(self, most: int) -> tuple[Frames, Array]:
        """(counts, errors) of keys spread evenly over time, for 2 to `most` keys."""
        counts = np.arange(min(2, len(self.curve)), min(most, len(self.curve)) + 1)
        keys = (polyline.even_keys(len(self.curve), int(count)) for count in counts)
        return counts, np.array([self._measured(polyline.key_errors(self.curve, at, self.clock)) for at in keys])

    @property
    def ratio(self) -> float:
        """Error over the least possible one: 1 is best."""
        return self.error / self.least_error if self.least_error > polyline.LEAST else 1.0

    @cached_property
    def sheet(self) -> Timesheet:
        """Sample and hold: each key is shown until the next (section 2.3)."""
        shown = np.searchsorted(self.frames, np.arange(len(self.curve)), "right") - 1
        return Timesheet(self.source_motion.fps, self.frames[shown])

    @cached_property
    def motion(self) -> Motion:
        """The motion as the sheet shows it."""
        return self.source_motion.retimed(self.sheet)

    def keyed(self, interpolation: Interpolation = "stepped") -> Keyed:
        """The keys for editing: stepped, linear, or Bezier curves fitted to the motion, with their worst error."""
        return keyed(self.source_motion, self.frames, interpolation)

    @cached_property
    def keys(self) -> Keyed:
        """The keys with the interpolation that was asked for."""
        return self.keyed(self.options.interpolation)

    @property
    def clip(self) -> Motion:
        """Held frames, which keep the exact numbers of the file they came from; or the curves through the keys."""
        return self.motion if self.options.interpolation == "stepped" else self.keys.motion()

    @property
    def comparable(self) -> bool:
        """Whether the least possible error is known, or can be found in no more time than the work took."""
        return self.options.solver == "optimal" or is_quick(keys_cost_s(len(self.curve), self.options.measure))

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How many keys, how far frames lie from the line through them, and how that compares."""
        found = {
            "keys": Measure(len(self)),
            "error": Measure(self.error, "m"),
            "even_error": Measure(self.even_error, "m"),
            "explained": Measure(self.explained),
        }
        return {**found, "ratio": Measure(self.ratio)} if self.comparable else found

    def _measured(self, distances: Array) -> float:
        return float(distances.sum() if self.options.measure == "sum" else distances.max(initial=0.0))


def _rows(result: KeyposesResult) -> list[Row]:
    keys = result.keys
    frames = ranges(result.frames.tolist(), MOST_LISTED)
    between = Note(
        "{kind} keys; largest deviation {worst:.0f} mm ({joint}, frame {frame})",
        kind=_KINDS[keys.interpolation],
        worst=keys.worst_mm,
        joint=keys.worst_joint,
        frame=keys.worst_frame,
    )
    return [
        (Note("keys"), Note("{count}, frames: {frames}", count=len(result), frames=frames)),
        (Note("error"), _error(result)),
        (Note("interpolation"), between),
    ]


def _error(result: KeyposesResult) -> Note:
    if not result.comparable:
        return Note("{value:.4g} m (evenly spaced keys: {even:.4g})", value=result.error, even=result.even_error)
    return Note(
        "{value:.4g} m, {ratio:.2f} times the optimum (evenly spaced keys: {even:.4g})",
        value=result.error,
        ratio=result.ratio,
        even=result.even_error,
    )


def _facts(result: KeyposesResult) -> dict[str, Any]:
    keys = result.keys
    return {
        "fps": result.source_motion.fps,
        "source_frames": len(result.source_motion),
        "frames": result.frames,
        "order": result.order,
        "error": result.error,
        "counts": result.counts,
        "errors": result.errors,
        "even_error": result.even_error,
        "explained": result.explained,
        "joints": result.joints,
        "source": result.sheet.source,
        "interpolation": keys.interpolation,
        "worst_mm": keys.worst_mm,
        "worst_frame": keys.worst_frame,
        "worst_joint": keys.worst_joint,
    }


@method(
    KeyposesOptions,
    stage="timing",
    label="Key poses",
    rows=_rows,
    facts=_facts,
    files=("motion", "sheet", "strip", "chart"),
    title="{path}: key poses",
    working="choosing key poses: {count} frames",
    about="The clip is cleaned and resampled to --fps. Without --count or --tolerance, the number of poses is chosen for you.",
    example="komadori keyposes throw.bvh -o keys.bvh --count 15 --strip poses.png --chart curve.svg",
    presets={"Best keys": {"solver": "optimal"}, "With footfalls": {"contacts": True}},
)
def keyposes(motion: Motion, options: KeyposesOptions) -> KeyposesResult:
    """The key poses of `motion`: the frames whose polyline follows its motion curve most closely.

    Prepare the clip first (`motion.prepared(fps=24)`). One run finds the keys for every count: `result.at(count)`.

    >>> from komadori.characters import sample
    >>> result = keyposes(sample("pitch"), count=9)
    >>> len(result), len(result.at(15)), result.frames[[0, -1]].tolist()
    (9, 15, [0, 128])
    """
    if not len(motion):
        raise OptionError("motion", problem=Note("the motion has no frames"))
    seen = watched(motion.skeleton, options.joints)
    notes = list(seen.notes)
    look = frame_features(motion, seen, options)
    curve, explained = principal_curve(look.values, options.dims)
    if not np.isfinite(curve).all():
        raise OptionError(
            "motion",
            expected=Note("finite numbers"),
            found=Note("NaN or infinity"),
            advice=Note("motion.prepared() repairs them"),
        )
    pins = _pins(motion, options, notes)
    found = solved(motion, curve, look.clock, seen.hips, pins, options)
    notes += found.notes
    count, why = chosen_count(found, len(motion), options)
    notes += why
    order = found.ordered(count)
    names = tuple(motion.skeleton.names[joint] for joint in seen.joints)
    return KeyposesResult(
        motion, options, curve, look.clock, explained, names, pins, np.sort(order), order,
        found.curve.counts, tuple(notes), found.curve, found.ordered,
    )  # fmt: skip


def _pins(motion: Motion, options: KeyposesOptions, notes: list[Note]) -> Frames:
    """The frames that must be keys, sorted: the first, the last, pins, contacts."""
    frames = len(motion)
    for pin in options.pins:
        if pin >= frames:
            raise OptionError("pins", expected=Note("frames of the motion, 0 to {last}", last=frames - 1), found=pin)
    pinned = {0, frames - 1, *options.pins}
    if options.contacts:
        # Feet are looked for only if they are needed.
        from komadori import feet

        found = feet.contacts(motion)
        notes += found.notes
        kept = {*found.touchdowns().tolist(), *found.liftoffs().tolist()}
        pinned |= kept
        notes.append(Fact("Made {count} frames keys because a foot touches down or lifts off.", count=len(kept)))
    return np.array(sorted(pinned), dtype=np.int64)
