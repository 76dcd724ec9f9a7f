"""Translator: a fitted translation from some joints to others, run over clips or frame by frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from komadori import quat, rates
from komadori.errors import OptionError, one_of, quoted
from komadori.methods.translate import gaits, models
from komadori.methods.translate.aligning import align
from komadori.methods.translate.features import Space, finite, joints_of
from komadori.methods.translate.models import Candidate, Fitted, Trial
from komadori.methods.translate.options import Model, TranslateOptions
from komadori.methods.translate.pace import Manner, Pace, arm_powers
from komadori.methods.translate.stream import Stream
from komadori.motion import Motion, Pose
from komadori.numerics.subspace import StateSpace
from komadori.parameters import parameters_of
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

OUTSIDE = 0.25
"""Share of the range met in training by which an input may lie beyond it before its frame is flagged."""


@dataclass(frozen=True, eq=False)
class Report:
    """How the translator was chosen: what every candidate reached on clips that it had not seen."""

    trials: tuple[Trial, ...]
    chosen: Candidate
    radius: float
    order: int
    low: Array = field(repr=False)
    """(k,) the least value of every input component in training, in radians; `high` the greatest."""
    high: Array = field(repr=False)
    clips: int
    frames: int

    def best(self, kind: str) -> float:
        """The least held-out error of a kind ("mean", "ridge", "static", "both", "fir", "n4sid"), degrees per joint; inf if not tried."""
        return min((trial.error_deg for trial in self.trials if trial.candidate.kind == kind), default=float("inf"))

    @property
    def trial(self) -> Trial:
        """What the chosen candidate reached on clips left out."""
        return next(trial for trial in self.trials if trial.candidate == self.chosen)

    @property
    def error_deg(self) -> float:
        """The held-out error of what was chosen, mean degrees per joint."""
        return self.trial.error_deg

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was chosen, what the simplest reached, and how the swing compares."""
        told = Fact(
            "Model: {chosen}. Error on held-out clips: {own:.1f} degrees (mean pose: {mean:.1f}, ridge regression: {ridge:.1f}).",
            chosen=self.chosen.told,
            own=self.error_deg,
            mean=self.best("mean"),
            ridge=min(self.best("ridge"), self.best("static")),
        )
        if self.trial.swing is None or self.trial.correlation is None:
            return (told,)
        return told, Fact(
            "Swing ratio on held-out clips: {swing:.2f}, correlation: {correlation:.2f}.",
            swing=self.trial.swing,
            correlation=self.trial.correlation,
        )


@dataclass(frozen=True, eq=False)
class Translator:
    """One body's joints drive another's (Maeda et al.). Make one with `Translator.fit`, or load one with `komadori.load`."""

    source: Skeleton
    target: Skeleton
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    fps: float
    space_in: Space
    space_out: Space
    system: StateSpace
    pace: Pace
    manner: Manner
    """How the answer follows the pace of the input."""
    flight: float
    """Share of the training frames in which no foot stood: none in a walk, many in a run."""
    base: Pose
    """The mean pose of the target in training: what the joints that are not translated do on another body."""
    report: Report
    notes: tuple[Note, ...] = ()
    plain: StateSpace | None = None
    """Has no effect; kept because a quadruped's chain still names it."""

    @staticmethod
    def fit(
        pairs: Iterable[tuple[Motion, Motion]],
        inputs: str | Sequence[str] = "legs",
        outputs: str | Sequence[str] = "arms",
        *,
        sync: bool | None = None,
        fps: float | None = None,
        model: Model = "auto",
        order: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        **more: float | int | None,
    ) -> Translator:
        """Learn how `outputs` follow `inputs` from pairs of an input motion and an output motion.

        For legs to arms give the same motion twice. `inputs` and `outputs`: "legs", "arms", "hind legs", "fore legs", or joint
        names or roles. `sync`: warp each output in time onto its input (`komadori.align`); by itself where the two bodies
        differ. `fps`: the rate at which it works (the first motion's if not given). `more`: the other fields of
        `TranslateOptions`. Clips are never joined: no window crosses from one into the next. `progress` is called with how
        many candidates have been judged, and of how many.
        """
        known = {item.name for item in parameters_of(TranslateOptions)}
        if unknown := set(more) - known:
            raise OptionError("fit", expected=one_of(sorted(known)), found=min(unknown))
        options = TranslateOptions(model=model, order=order, **more)  # type: ignore[arg-type]  # checked by the options
        clips = _synchronised(list(pairs), sync, fps)
        source, target = clips[0][0].skeleton, clips[0][1].skeleton
        inside, outside = joints_of(source, inputs, "inputs"), joints_of(target, outputs, "outputs")
        if source.same_joints(target) and set(inside) & set(outside):
            raise OptionError(
                "outputs",
                problem=Note("a joint is both an input and an output"),
                advice=Note("leave them out of one of the two"),
            )
        return fitted_translator(clips, inside, outside, options, progress)

    def run(self, motion: Motion, *, loop: bool = False) -> Motion:
        """The output body's whole motion with the translated joints replaced, at the translator's frame rate.

        Where both are one body all other joints keep what they do; on another body they stand in their mean pose. `loop`: the
        clip plays over and over, and its first frame follows on its last.
        """
        clip = self._fitting(motion)
        u = self.space_in.reduced(clip.rotations[:, self.inputs])
        model = Fitted(self.space_in, self.space_out, self.system, self.pace)
        rotations = self._base_rotations(clip)
        rotations[:, self.outputs] = models.answered(u, model, self.manner, self.fps, loop)
        if self.same_body:
            return clip.replaced(rotations=rotations).noted(*self._warnings(clip, u))
        positions = np.broadcast_to(self.base.positions, (len(clip), len(self.target), 3))
        made = Motion(self.target, self.fps, quat.continuous(rotations), positions)
        return made.noted(*motion.notes, *self._warnings(clip, u))

    def stream(self) -> Stream:
        """A translation that is given one frame at a time: `stream.step(rotations)`."""
        return Stream(self)

    def outside(self, motion: Motion) -> NDArray[np.bool_]:
        """(F,) frames in which the input lies clearly outside what was met in training."""
        return self._outside(self.space_in.reduced(self._fitting(motion).rotations[:, self.inputs]))

    @cached_property
    def same_body(self) -> bool:
        """Whether input and output are joints of one body."""
        return self.source.same_joints(self.target)

    def _base_rotations(self, clip: Motion) -> Array:
        if self.same_body:
            return np.array(clip.rotations)
        return np.repeat(self.base.rotations[None], len(clip), axis=0)

    def _fitting(self, motion: Motion) -> Motion:
        """`motion` at the translator's rate, if it is one of the body that the translator knows."""
        if motion.skeleton.names != self.source.names:
            missing = [self.source.names[j] for j in self.inputs if self.source.names[j] not in motion.skeleton.names]
            why = (
                Note("no joint {name}", name=quoted(missing[0])) if missing else Note("other joints, or another order")
            )
            raise OptionError(
                "motion",
                expected=Note("the rig that the translator was fitted for"),
                found=why,
                advice=Note("fit a translator for this rig"),
            )
        if not len(motion):
            raise OptionError("motion", problem=Note("the motion has no frames"))
        finite(motion, "motion")
        return motion.resampled(self.fps)

    def _outside(self, u: Array) -> NDArray[np.bool_]:
        room = OUTSIDE * np.maximum(self.space_in.high - self.space_in.low, 1e-9)
        # Only components that moved in training count: the weak ones are noise.
        strong = (self.space_in.high - self.space_in.low) > 0.1 * np.max(self.space_in.high - self.space_in.low)
        beyond = (u < self.space_in.low - room) | (u > self.space_in.high + room)
        return np.asarray((beyond & strong).any(axis=1))

    def _warnings(self, clip: Motion, u: Array) -> list[Note]:
        notes = []
        flagged = np.flatnonzero(self._outside(u))
        if len(flagged):
            notes.append(
                Note(
                    "{count} of {total} frames lie outside what the translator has learnt; the first is frame {first}. Check the result there, or train it on such a clip.",
                    count=len(flagged),
                    total=len(u),
                    first=int(flagged[0]),
                )
            )
        flight = gaits.flight(clip)
        if flight is not None and abs(flight - self.flight) > gaits.RUNNING:
            gait = Note("a run") if flight > self.flight else Note("a walk")
            notes.append(
                Note("The input is {gait}, not the gait that was learnt. Train on clips of the same gait.", gait=gait)
            )
        return notes


def fitted_translator(
    clips: Sequence[tuple[Motion, Motion]],
    inside: tuple[int, ...],
    outside: tuple[int, ...],
    options: TranslateOptions,
    progress: Callable[[int, int], None] | None = None,
) -> Translator:
    """The translator that held-out clips choose for synchronised pairs at one frame rate."""
    u = [np.asarray(a.rotations[:, inside]) for a, _ in clips]
    y = [np.asarray(b.rotations[:, outside]) for _, b in clips]
    shortest, total = min(map(len, u)), sum(map(len, u))
    if total < models.FEWEST_FRAMES or shortest < 2:
        raise OptionError(
            "train", expected=Note("at least {count} frames in all", count=models.FEWEST_FRAMES), found=total
        )
    swing = max(float(np.degrees(quat.angle(quat.multiply(quat.inverse(quat.mean(clip)), clip)).max())) for clip in u)
    if swing < 0.1:
        raise OptionError("inputs", problem=Note("the input joints move in no clip"))
    fps = clips[0][0].fps
    folds = models.held_out(u, y, options, fps)
    results = models.trials(models.candidates(options, fps), folds, progress)
    trial = models.chosen(results, options.model)
    if options.model == "auto" and trial.candidate.kind == "ridge" and (mean := models.hedged(results, folds)):
        results, trial = [*results, mean], mean
    winner = trial.candidate
    model = models.Training(list(zip(u, y, strict=True)), options, fps).fitted(winner)
    powers = arm_powers(clips[0][0].skeleton, clips[0][1].skeleton, inside, outside)
    manner = models.manner_of(trial, model, folds, options, powers)
    report = Report(
        tuple(results), winner, model.system.radius, model.system.order, model.space_in.low, model.space_in.high,
        len(clips), total,
    )  # fmt: skip
    flights = [value for a, _ in clips if (value := gaits.flight(a)) is not None]
    first, second = clips[0]
    every = np.concatenate([b.positions for _, b in clips])
    base = Pose(quat.mean(np.concatenate([b.rotations for _, b in clips])), every.mean(axis=0))
    return Translator(
        first.skeleton, second.skeleton, inside, outside, first.fps, model.space_in, model.space_out, model.system,
        model.pace, manner, float(np.mean(flights)) if flights else 0.0, base, report, report.notes,
    )  # fmt: skip


def _synchronised(
    pairs: list[tuple[Motion, Motion]], sync: bool | None, fps: float | None
) -> list[tuple[Motion, Motion]]:
    """The pairs at one frame rate, each of one length."""
    if not pairs:
        raise OptionError("pairs", expected=Note("at least one pair (input motion, output motion)"), found=Note("none"))
    rate = float(rates.exact(fps if fps is not None else pairs[0][0].fps))
    found = []
    for number, (a, b) in enumerate(pairs):
        for motion, side in ((a, "input"), (b, "output")):
            if not len(motion):
                raise OptionError(
                    Note("pair {number}, {side}", number=number, side=Note(side)),
                    problem=Note("the motion has no frames"),
                )
            finite(motion, Note("pair {number}, {side}", number=number, side=Note(side)))
        for motion, first, side in ((a, pairs[0][0], "input"), (b, pairs[0][1], "output")):
            if motion.skeleton.names != first.skeleton.names:
                raise OptionError(
                    Note("pair {number}, {side}", number=number, side=Note(side)),
                    problem=Note("this clip is of another rig than that of pair 0"),
                )
        same = a is b
        a, b = a.resampled(rate), (a if same else b).resampled(rate)
        b = a if same else b
        wanted = not a.skeleton.same_joints(b.skeleton) if sync is None else sync
        if wanted and not same:
            b = align(a, b).applied_to(b)
        if len(a) != len(b):
            raise OptionError(
                Note("pair {number}", number=number),
                expected=Note("as many frames in the output as in the input ({count})", count=len(a)),
                found=len(b),
                advice=Note("cut them alike, or let sync=True warp them"),
            )
        found.append((replace(a, origin=None), replace(b, origin=None)))
    return found
