"""Running a recipe: each step on what the one before made, with the evidence of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from komadori import feet
from komadori.character import Character
from komadori.errors import OptionError
from komadori.feet import Contacts, Slip
from komadori.methods.hair import HairResult
from komadori.methods.limited import LimitedResult
from komadori.motion import Motion
from komadori.pipeline.recipe import Progress, Recipe
from komadori.pipeline.steps import Step
from komadori.registry import Row
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note

BODY, HAIR = "A", "B"
"""Tracks of the sheet: the body's cel, and that of hair which moves on a clock of its own; as studios letter them."""


@dataclass(frozen=True, eq=False)
class StepResult:
    """What a step made: the motion after it, the method's own result where it gives one, and what it said."""

    step: Step
    motion: Motion
    result: Result | None = field(default=None, repr=False)
    notes: tuple[Note, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """What there is to say of it, as the method's declaration has it."""
        return [] if self.result is None else list(self.step.method.rows(self.result))


@dataclass(frozen=True, eq=False)
class PipelineResult(Result):
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
    def timing(self) -> Result | None:
        """The result of the step that decided what is shown when."""
        return next((made.result for made in self.steps if made.step.method.stage == "timing"), None)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How much is drawn, what the timing measured, and how far standing feet slip."""
        timing = {} if self.timing is None else dict(self.timing.measures)
        slips = {"slip_before": self.slip_before, "slip_after": self.slip_after}
        drawn = {"frames": Measure(len(self.sheet)), "drawings": Measure(self.drawings)}
        return {**drawn, **timing, **{name: Measure(1e3 * slip.per_frame, "mm") for name, slip in slips.items()}}

    @cached_property
    def slip_before(self) -> Slip:
        """How far standing feet move in a frame of the clip as it was captured, on its own body."""
        return feet.slippage(self.captured, self._contacts(self.captured))

    def _contacts(self, motion: Motion) -> Contacts:
        """When feet stand in `motion`: as a step found it there, so that it is looked for once a clip."""
        found = (made.result for made in self.steps if made.motion is motion)
        known = next(
            (contacts for result in found if (contacts := getattr(result, "contacts", None)) is not None), None
        )
        return feet.contacts(motion) if known is None else known

    @cached_property
    def slip_after(self) -> Slip:
        """How far those feet move in a frame of the animation."""
        return feet.slippage(self.motion, self._contacts(self.original), self.stepping.source)

    @property
    def stepping(self) -> Timesheet:
        """The sheet by which the body goes over the ground: its own, or with a sheet for every part the one before holds."""
        timing = self.timing
        return timing.before_holds if isinstance(timing, LimitedResult) and timing.layers else self.sheet


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
        raise OptionError("motion", expected=Note("frames"), found=Note("none"))
    if len(motion) > 1 and not motion.moves:
        advice = Note("komadori render draws a pose")
        raise OptionError(
            "motion", expected=Note("joints that move"), found=Note("a pose that stands still"), advice=advice
        )
    steps = _complete(recipe.steps, character)
    work = _Work(motion, motion, {}, character)
    captured, original, done = motion, motion, []
    for number, step in enumerate(steps):
        if progress is not None:
            progress(Note("step {number} of {count}: {use}", number=number + 1, count=len(steps), use=step.use), number, len(steps))  # fmt: skip
        try:
            work, result, notes = _taken(work, step)
        except OptionError as error:
            raise OptionError(Note("step {use}: {error}", use=step.use, error=error.note)) from None
        stage = step.method.stage
        captured = work.motion if stage == "prepare" else captured
        original = work.motion if stage in ("prepare", "place") else original
        done.append(StepResult(step, work.shown, result, notes))
    every = dict.fromkeys([*work.motion.notes, *(note for made in done for note in made.notes)])
    sheets = work.sheets or {BODY: Timesheet.ones(len(work.shown), work.shown.fps)}
    return PipelineResult(recipe, character, motion, captured, original, tuple(done), work.shown, sheets, tuple(every))


def _complete(steps: tuple[Step, ...], character: Character | None) -> list[Step]:
    """The steps with those that go without saying."""
    result = list(steps)
    if not result or result[0].method.stage != "prepare":
        result.insert(0, Step("prepare"))
    if character is not None and not any(step.method.stage == "place" for step in result):
        result.insert(1, Step("retarget"))
    return result


_Done = tuple[_Work, Result | None, tuple[Note, ...]]


def _taken(work: _Work, step: Step) -> _Done:
    """One step, by what its method works on and where it stands."""
    method = step.method
    if method.stage == "place":
        if work.character is None:
            return work, None, (Note("no character was given: the motion stays on its own skeleton"),)
        if not step.given and work.motion.skeleton.same_joints(work.character.skeleton):
            return _posed(work, work.motion.with_skeleton(work.character.skeleton)), None, ()
    if method.subject == "character" and (work.character is None or not work.character.chains()):
        return work, None, (Note("the body has no hair, ribbon, skirt or tail that could move"),)
    known = {"motion": work.motion, "body": work.character, "character": work.character}
    subject = work.character if method.subject == "character" else work.motion
    things = {item.name: known[item.reads] for item in method.parameters if item.reads in known}
    result: Result = method.call(subject, step.options(**things))
    if method.stage == "timing":
        assert result.sheet is not None
        sheets = getattr(result, "layers", None) or {BODY: result.sheet}
        return replace(work, shown=result.clip, sheets=sheets), result, result.notes
    if method.stage == "secondary" and work.sheets:
        assert isinstance(result, HairResult)
        return _over(work, result), result, result.notes
    return _posed(work, result.motion), result, result.notes


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
