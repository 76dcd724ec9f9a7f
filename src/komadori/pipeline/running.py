"""Running a recipe: each step on what the one before made, with the evidence of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from komadori import feet
from komadori.camera import Camera
from komadori.character import Character
from komadori.errors import OptionError
from komadori.feet import Contacts, Slip
from komadori.methods.floor import FloorResult
from komadori.methods.hair import HairResult
from komadori.methods.limited import LimitedResult
from komadori.methods.retarget import RetargetResult
from komadori.motion import Motion
from komadori.pipeline.recipe import Progress, Recipe
from komadori.pipeline.steps import Step
from komadori.registry import Row
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

BODY, HAIR = "A", "B"
"""Tracks of the sheet: the body's cel, and that of hair which moves on its own clock; as studios letter them."""


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

    @property
    def floor_m(self) -> float | None:
        """How high the floor is that the body was put on; None if it has none."""
        found = [made.result.height_m for made in self.steps if isinstance(made.result, FloorResult)]
        return found[-1] if found else None

    @cached_property
    def slip_before(self) -> Slip:
        """How far standing feet move in a frame of the clip as it was captured, on its own body."""
        # Putting the clip onto a body has measured it already; looking for contacts again would give the same.
        placed = next((made.result for made in self.steps if isinstance(made.result, RetargetResult)), None)
        return feet.slippage(self.captured, self._contacts(self.captured)) if placed is None else placed.source_slip

    def _contacts(self, motion: Motion) -> Contacts:
        """When feet stand in `motion`: as a step found it there, so that it is looked for once a clip."""
        last = max((number for number, made in enumerate(self.steps) if made.motion is motion), default=-1)
        # Putting a body on its floor changes nothing in when its feet stand.
        found = (made.result for made in reversed(self.steps[: last + 1]))
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
    camera: Camera | None = None
    floor_m: float | None = None
    """How high the floor is that the body was put on."""


def run(
    recipe: Recipe, motion: Motion, character: Character | None, camera: Camera | None, progress: Progress | None
) -> PipelineResult:
    """`motion` through every step of `recipe`. Preparing, and putting it onto the character, are done where not named."""
    if not len(motion):
        raise OptionError("motion", problem=Note("the motion has no frames"))
    if len(motion) > 1 and not motion.moves:
        advice = Note("to draw a pose, use komadori render")
        raise OptionError("motion", problem=Note("nothing moves"), advice=advice)
    steps = _complete(recipe.steps, character)
    work = _Work(motion, motion, {}, character, camera)
    captured, original, shaped, done = motion, motion, False, []
    for number, step in enumerate(steps):
        if progress is not None:
            progress(Note("step {number} of {count}: {use}", number=number + 1, count=len(steps), use=step.use), number, len(steps))  # fmt: skip
        try:
            work, result, notes = _taken(work, step)
        except OptionError as error:
            raise OptionError(Note("step {use}: {error}", use=step.use, error=error.note)) from None
        stage = step.method.stage
        captured = work.motion if stage in ("clean", "prepare") else captured
        shaped = shaped or stage not in ("clean", "prepare", "place")
        original = original if shaped else work.motion
        done.append(StepResult(step, work.shown, result, notes))
    every = dict.fromkeys([*work.motion.notes, *(note for made in done for note in made.notes)])
    sheets = work.sheets or {BODY: Timesheet.ones(len(work.shown), work.shown.fps)}
    return PipelineResult(recipe, character, motion, captured, original, tuple(done), work.shown, sheets, tuple(every))


def _complete(steps: tuple[Step, ...], character: Character | None) -> list[Step]:
    """The steps with those that go without saying."""
    result = list(steps)
    cleaned = sum(step.method.stage == "clean" for step in result)
    if not any(step.method.stage == "prepare" for step in result):
        result.insert(cleaned, Step("prepare"))
    if character is not None and not any(step.method.stage == "place" for step in result):
        result.insert(cleaned + 1, Step("retarget"))
    if not any(step.use == "floor" for step in result):
        # Onto the floor as it was captured, and again after what changes poses: an exaggerated step must not go through it.
        shapes = [number for number, step in enumerate(result) if step.method.stage == "shape"]
        if shapes:
            result.insert(shapes[-1] + 1, Step("floor", level=False))
        placed = [number for number, step in enumerate(result) if step.method.stage in ("prepare", "place")]
        result.insert(next(n for n in placed if n + 1 not in placed) + 1, Step("floor"))
    return result


_Done = tuple[_Work, Result | None, tuple[Note, ...]]


def _taken(work: _Work, step: Step) -> _Done:
    """One step, by what its method works on and where it stands."""
    method = step.method
    if method.name == "retarget":
        if work.character is None:
            return (
                work,
                None,
                (
                    Note(
                        "No character was given, so the motion stays on its own skeleton. Use --character to draw one."
                    ),
                ),
            )
        if not step.given and work.motion.skeleton.same_joints(work.character.skeleton):
            return _posed(work, work.motion.with_skeleton(work.character.skeleton)), None, ()
    if method.subject == "character" and (work.character is None or not work.character.chains()):
        return work, None, (Fact("The character has no hair, ribbon, skirt or tail to move."),)
    known = {"motion": work.motion, "body": work.character, "character": work.character}
    subject = work.character if method.subject == "character" else work.motion
    things: dict[str, object] = {i.name: known[i.reads] for i in method.parameters if i.reads in known}
    seen, unseen = _seen(work, step)
    if seen is not None:
        things["camera"] = seen
    if method.result is HairResult:
        things["floor_m"] = work.floor_m
    result: Result = method.call(subject, step.options(**things))
    notes = (*result.notes, *unseen)
    if method.stage == "timing":
        assert result.sheet is not None
        sheets = getattr(result, "layers", None) or {BODY: result.sheet}
        return replace(work, shown=result.clip, sheets=sheets), result, notes
    if method.stage == "secondary" and work.sheets:
        assert isinstance(result, HairResult)
        return _over(work, result), result, notes
    if isinstance(result, FloorResult):
        work = replace(work, floor_m=result.height_m)
    return _posed(work, result.motion), result, notes


def _seen(work: _Work, step: Step) -> tuple[Camera | None, tuple[Note, ...]]:
    """The shot's camera if the step knows cameras and has none of its own, or what is to be said instead."""
    knows = any(item.reads == "camera" for item in step.method.parameters)
    camera = work.camera
    if camera is None or not knows or dict(step.given).get("camera") is not None:
        return None, ()
    if camera.frames not in (None, len(work.motion)):
        text = "The camera moves for {count} frames and the clip has {frames}: it does not count for {use}."
        return None, (Note(text, count=camera.frames, frames=len(work.motion), use=step.use),)
    return camera, ()


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
