"""Running a recipe: each step on what the one before made, with the evidence of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from komadori import feet
from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.exaggerate import exaggerate
from komadori.methods.hair import HairResult, hair
from komadori.methods.keyposes import KeyposesResult, keyposes
from komadori.methods.limited import LimitedResult, limited
from komadori.methods.retarget import retarget_report
from komadori.motion import Motion
from komadori.pipeline.recipe import Progress, Recipe
from komadori.pipeline.slip import FootSlip, Frames, foot_slip
from komadori.pipeline.steps import TIMING, Step
from komadori.timesheet import Timesheet
from komadori.words import Note

BODY, HAIR = "A", "B"
"""Tracks of the sheet: the body's cel, and that of hair which moves on a clock of its own; as studios letter them."""


@dataclass(frozen=True, eq=False)
class StepResult:
    """What a step made: the motion after it, the method's own result where it gives one, and what it said."""

    step: Step
    motion: Motion
    result: Any = field(default=None, repr=False)
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class PipelineResult:
    """The animation and its sheets, and everything on the way to them."""

    recipe: Recipe
    character: Character | None
    source: Motion
    """The motion as it was given."""
    captured: Motion
    """It made ready, on its own body."""
    original: Motion
    """The same movement before any look, on the same body and at the same rate: what to compare with."""
    steps: tuple[StepResult, ...]
    motion: Motion
    """The animation: its frame f is what is on show at f."""
    sheets: Mapping[str, Timesheet]
    """Which frame of `original` each cel shows, by track: the body's first."""
    notes: tuple[Note, ...] = ()

    @property
    def sheet(self) -> Timesheet:
        """The sheet of the body."""
        return next(iter(self.sheets.values()))

    @property
    def drawings(self) -> int:
        """How many different drawings of the body there are."""
        return len(self.sheet.drawings)

    @property
    def timing(self) -> LimitedResult | KeyposesResult | None:
        """The result of the step that decided what is shown when."""
        return next((made.result for made in self.steps if made.step.use in TIMING), None)

    @cached_property
    def slip_before(self) -> FootSlip:
        """How far standing feet move in a frame of the clip as it was captured, on its own body."""
        return foot_slip(self.captured, feet.contacts(self.captured))

    @cached_property
    def slip_after(self) -> FootSlip:
        """How far those feet move in a frame of the animation."""
        timing = self.timing
        # With a sheet for every part the legs walk by the sheet before holds.
        layered = isinstance(timing, LimitedResult) and bool(timing.layers)
        source: Frames = (
            timing.before_holds.source if isinstance(timing, LimitedResult) and layered else self.sheet.source
        )
        return foot_slip(self.motion, feet.contacts(self.original), source)


@dataclass(frozen=True, eq=False)
class _Work:
    """How far a recipe has come: the motion before any timing, and as it is shown."""

    motion: Motion
    shown: Motion
    sheets: Mapping[str, Timesheet]
    character: Character | None


def run(recipe: Recipe, motion: Motion, character: Character | None, progress: Progress | None) -> PipelineResult:
    """`motion` through every step of `recipe`. Preparing, and putting it onto the character, are done where not named."""
    if not len(motion):
        raise OptionError("a motion without frames cannot be animated")
    if len(motion) > 1 and not motion.moves:
        raise OptionError("no joint moves in this motion: there is nothing to animate (komadori render draws a pose)")
    steps = _complete(recipe.steps, character)
    work = _Work(motion, motion, {}, character)
    captured, original, done = motion, motion, []
    for number, step in enumerate(steps):
        if progress is not None:
            progress(Note("step {number} of {count}: {use}", number=number + 1, count=len(steps), use=step.use), number, len(steps))  # fmt: skip
        try:
            work, result, said = _STEPS[step.use](work, step)
        except OptionError as error:
            raise OptionError(f"step {step.use}: {error}") from None
        captured = work.motion if step.use == "prepare" else captured
        original = work.motion if step.use in ("prepare", "retarget") else original
        done.append(StepResult(step, work.shown, result, said))
    every = dict.fromkeys([*work.motion.notes, *(note for made in done for note in made.notes)])
    sheets = work.sheets or {BODY: Timesheet.ones(len(work.shown), work.shown.fps)}
    return PipelineResult(recipe, character, motion, captured, original, tuple(done), work.shown, sheets, tuple(every))


def _complete(steps: tuple[Step, ...], character: Character | None) -> list[Step]:
    """The steps with those that go without saying."""
    result = list(steps)
    if not result or result[0].use != "prepare":
        result.insert(0, Step("prepare"))
    if character is not None and not any(step.use == "retarget" for step in result):
        result.insert(1, Step("retarget"))
    return result


_Done = tuple[_Work, Any, tuple[Note, ...]]


def _prepare(work: _Work, step: Step) -> _Done:
    clip = work.motion.prepared(**step.options())
    return _posed(work, clip), None, ()


def _retarget(work: _Work, step: Step) -> _Done:
    if work.character is None:
        return work, None, (Note("no character was given: the motion stays on its own skeleton"),)
    if not step.given and work.motion.skeleton.same_joints(work.character.skeleton):
        return _posed(work, work.motion.with_skeleton(work.character.skeleton)), None, ()
    result = retarget_report(work.motion, **step.options(character=work.character))
    return _posed(work, result.motion), result, result.notes


def _plant(work: _Work, step: Step) -> _Done:
    found = feet.contacts(work.motion)
    return _posed(work, feet.planted(work.motion, found, **step.options())), None, found.notes


def _exaggerate(work: _Work, step: Step) -> _Done:
    result = exaggerate(work.motion, **step.options())
    return _posed(work, result.motion), result, result.notes


def _limited(work: _Work, step: Step) -> _Done:
    result = limited(work.motion, **step.options())
    return replace(work, shown=result.motion, sheets=result.layers or {BODY: result.sheet}), result, result.notes


def _keyposes(work: _Work, step: Step) -> _Done:
    result = keyposes(work.motion, **step.options())
    return replace(work, shown=result.motion, sheets={BODY: result.sheet}), result, result.notes


def _hair(work: _Work, step: Step) -> _Done:
    if work.character is None or not work.character.chains():
        return work, None, (Note("the body has no hair, ribbon, skirt or tail that could move"),)
    result = hair(work.character, **step.options(motion=work.motion))
    if not work.sheets:
        return _posed(work, result.motion), result, result.notes
    return _over(work, result), result, result.notes


def _over(work: _Work, result: HairResult) -> _Work:
    """Hair on its own clock over a body that is held.

    It is moved by the head as it was captured: what a held head does, stand still and leap, would jolt it.
    """
    count = len(work.shown)
    # Where omission made the clip shorter, the hair's time is that much quicker.
    clock = np.round(np.linspace(0, len(work.motion) - 1, count)).astype(np.int64)
    on = result.options.on if result.options.by == "wave" else 1
    clock = clock[np.arange(count) // on * on]
    joints = sorted({joint for each in result.chains for joint in each.chain.joints})
    rotations = np.array(work.shown.rotations)
    rotations[:, joints] = result.motion.rotations[clock][:, joints]
    shown = work.shown.replaced(rotations=rotations)
    name = HAIR if BODY in work.sheets else "hair"
    return replace(work, shown=shown, sheets={**work.sheets, name: Timesheet(shown.fps, clock)})


def _posed(work: _Work, motion: Motion) -> _Work:
    return replace(work, motion=motion, shown=motion)


_STEPS = {
    "prepare": _prepare,
    "retarget": _retarget,
    "plant": _plant,
    "exaggerate": _exaggerate,
    "hair": _hair,
    "limited": _limited,
    "keyposes": _keyposes,
}
