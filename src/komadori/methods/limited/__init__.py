"""Limited animation (Kitamura et al., "Motion Frame Omission for Cartoon-like Effects"): omitted in-betweens and holds, as a timesheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from komadori.errors import OptionError
from komadori.methods.limited.actions import action_starts, found_actions, standing_out, way_there
from komadori.methods.limited.greedy import Frames, Limits, with_omissions
from komadori.methods.limited.holds import held_sheet, solver_for
from komadori.methods.limited.measure import frame_points
from komadori.methods.limited.optimal import with_least_error
from komadori.methods.limited.options import LimitedOptions
from komadori.methods.limited.peaks import is_fast, limb_peaks, shown_frames, with_next, with_peaks
from komadori.methods.limited.streaming import Drawing, LimitedStream, StreamOptions
from komadori.motion import Motion
from komadori.numerics.costs import holds_cost_s, is_quick
from komadori.numerics.steps import consecutive_steps, squared_steps
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note, ranges

__all__ = ["Drawing", "LimitedOptions", "LimitedResult", "LimitedStream", "StreamOptions", "limited"]


@dataclass(frozen=True, eq=False)
class LimitedResult(Result):
    """The sheet and the motion that it shows, with details of how they were made."""

    source_motion: Motion
    options: LimitedOptions
    points: Array = field(repr=False)
    """(F, D) the rows whose squared distances are steps."""
    sheet: Timesheet
    motion: Motion
    omitted: int
    """In-betweens omitted; may be fewer than asked for, then a note says why."""
    held: int
    """Drawings removed by holds."""
    error: float
    """What the holds cost: the summed squared distance of all joints from where the sheet before holds has them, in
    m^2 (weights and camera applied). Shifts in time caused by omission are intended and do not count."""
    before_holds: Timesheet
    """The sheet after omission alone."""
    actions: tuple[int, ...] = (0,)
    """The frames at which actions begin."""
    layers: Mapping[str, Timesheet] = field(default_factory=dict)
    """Timesheets by body part, if layers were requested."""
    notes: tuple[Note, ...] = ()
    solver: str = "greedy"
    """The solver that placed the holds: what "auto" chose."""
    required: tuple[int, ...] = ()
    """The frames that had to be drawn: pins, limb peaks and contacts."""

    @property
    def drawings(self) -> int:
        """How many different drawings are shown."""
        return len(self.sheet.drawings)

    @cached_property
    def steps_before(self) -> Array:
        """(F - 1,) squared steps of the clip as it came."""
        return consecutive_steps(self.points)

    @cached_property
    def steps_after(self) -> Array:
        """(F_out - 1,) squared steps between the frames that are shown."""
        return squared_steps(self.points, self.sheet.source[:-1], self.sheet.source[1:])

    @cached_property
    def omitted_frames(self) -> Frames:
        """Source frames that omission left out."""
        return self.before_holds.omitted(len(self.source_motion))

    @cached_property
    def inserted_frames(self) -> Frames:
        """Output frames that omission filled by repeating the frame before."""
        return _repeats(self.before_holds)

    @cached_property
    def held_frames(self) -> Frames:
        """Output frames that show the drawing before once more."""
        return _repeats(self.sheet)

    @property
    def comparable(self) -> bool:
        """Whether comparing with the optimum is fair (one sheet for the whole body) and quick."""
        if self.layers:
            return False
        hold = len(self.sheet) - len(self.sheet.runs())
        return self.solver == "optimal" or is_quick(holds_cost_s(len(self.sheet), hold, self.options.max_exposures))

    @cached_property
    def optimum(self) -> float:
        """The least error that as many drawings allow, each run showing its first frame."""
        if self.solver == "optimal" and not self.layers:
            return self.error
        required = np.zeros(len(self.source_motion), dtype=bool)
        required[list(self.required)] = self.solver != "uniform"
        limits = Limits(self.options.max_exposures, self.options.max_drift, required, required)
        return with_least_error(self.points, self.before_holds.source, len(self.sheet.runs()), limits, False).error

    @cached_property
    def ratio(self) -> float:
        """The error next to the optimum: 1 is best (optimal-free can go below)."""
        return self.error / self.optimum if self.optimum > 0.0 else 1.0

    @property
    def quick_ratio(self) -> float | None:
        """`ratio` if it is a fair comparison that takes no longer than the work did; else None."""
        return self.ratio if self.comparable else None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Counts of drawings, what was omitted and held, and what the holds cost."""
        found = {
            "drawings": Measure(self.drawings),
            "average_exposure": Measure(self.average_exposure, "frames"),
            "omitted": Measure(self.omitted, "frames"),
            "held": Measure(self.held, "drawings"),
            "error": Measure(self.error, "" if self.options.camera is not None else "m²"),
        }
        ratio = self.quick_ratio
        return found if ratio is None else {**found, "ratio": Measure(ratio)}

    @property
    def average_exposure(self) -> float:
        """Frames that a drawing is shown, on average."""
        return len(self.sheet) / max(len(self.sheet.runs()), 1)


def _rows(result: LimitedResult) -> list[Row]:
    gone = result.omitted_frames
    omission = Note("{count:in-between|in-betweens}", count=result.omitted)
    if result.omitted and len(gone):
        omission = Note(
            "{count:in-between|in-betweens}, frames: {frames}", count=result.omitted, frames=ranges(gone.tolist())
        )
    drawn = Note(
        "{count:drawing|drawings}, average exposure {exposures:.2f} frames",
        count=result.drawings,
        exposures=result.average_exposure,
    )
    held = Note("{count:drawing|drawings} held", count=result.held)
    return [(Note("omission"), omission), (Note("holds"), held), (Note("drawn"), drawn), (Note("error"), _cost(result))]


def _cost(result: LimitedResult) -> Note:
    amount = (
        Note("{value:.4g} m² over all joints and frames", value=result.error)
        if result.options.camera is None
        else Note("{value:.4g} in the camera image, over all joints and frames", value=result.error)
    )
    ratio = result.quick_ratio
    if ratio is None:
        return amount
    return Note("{amount} ({ratio:.2f} times the optimum)", amount=amount, ratio=ratio)


def _facts(result: LimitedResult) -> dict[str, Any]:
    return {
        "fps": result.sheet.fps,
        "frames": len(result.sheet),
        "source_frames": len(result.source_motion),
        "source": result.sheet.source,
        "layers": {name: sheet.source for name, sheet in result.layers.items()},
        "omitted": result.omitted,
        "omitted_frames": result.omitted_frames,
        "held": result.held,
        "drawings": result.drawings,
        "actions": result.actions,
        "error": result.error,
        "ratio": result.quick_ratio,
    }


@method(
    LimitedOptions,
    stage="timing",
    rows=_rows,
    facts=_facts,
    files=("motion", "sheet", "chart"),
    title="{path}: limited animation",
    working="limiting {count} frames",
    about="The clip is cleaned and resampled to --fps; then the fastest in-betweens are omitted and small movement is held.",
    example="komadori limited walk.bvh -o out.bvh --sheet walk.xdts --chart walk.svg",
    stream=LimitedStream,
    presets={
        "TV": {"omit": None, "hold": None, "omit_up_to": 4, "hold_share": 0.55, "max_exposures": 3},
        "Film": {"omit_up_to": 2, "hold_share": 0.3, "max_exposures": 2},
        "On twos": {"omit": 0, "solver": "uniform", "max_exposures": 2},
        "Snappy pitch": {"omit_up_to": 6, "hold_share": 0.6, "max_exposures": 4},
    },
)
def limited(motion: Motion, options: LimitedOptions) -> LimitedResult:
    """Limited animation of `motion`: a Timesheet in which fast in-betweens are omitted and small motion is held.

    Prepare the clip first (`motion.prepared(fps=24)`). Omission comes before holds, as in the paper's section 3; the
    solvers differ in how they place the holds.
    """
    if options.camera is not None and options.camera.frames not in (None, len(motion)):
        raise OptionError(
            "camera",
            expected=Note("as many frames as the motion has ({count})", count=len(motion)),
            found=options.camera.frames,
        )
    world = motion.world_positions()
    points = frame_points(motion, options, world)
    if options.solver == "uniform":
        return _uniform(motion, options, points)
    limits, notes = _limits(motion, options, world)
    before, starts, omitted = _with_omissions(motion, options, points, limits, notes)
    wanted = _wanted(len(motion), options)
    solver = solver_for(options.solver, len(before), wanted, options.max_exposures)
    if options.layers == "parts":
        # Feet and roles are loaded only if they are needed: a plain call takes about half a millisecond.
        from komadori.methods.limited.layers import BODY, ROOT, layered

        made = layered(motion, before, wanted, limits, solver)
        notes += made.notes
        sheet = made.sheets.get(BODY, made.sheets[ROOT])
        drawn, held, layers = made.motion, made.held, made.sheets
        error = float(np.square(frame_points(drawn, options) - points[before]).sum())
    else:
        source, held = held_sheet(points, before, wanted, limits, solver)
        sheet = Timesheet(motion.fps, source)
        drawn, layers = motion.retimed(sheet), {}
        error = float(squared_steps(points, source, before).sum())
    asked = options.hold is not None or options.hold_share is not None
    required = tuple(np.flatnonzero(limits.pinned).tolist())
    if solver == "literal":
        notes.append(
            Fact("Algorithm 2 as printed, {wanted} rounds: {held:drawing|drawings} fewer.", wanted=wanted, held=held)
        )
    elif held < wanted and (asked or held == 0):
        notes.append(_held_less(held, wanted, options.max_exposures, len(required)))
    return LimitedResult(
        motion, options, points, sheet, drawn, omitted, held, error,
        Timesheet(motion.fps, before), starts, layers, tuple(notes), solver, required,
    )  # fmt: skip


def _held_less(held: int, wanted: int, most: int, required: int) -> Note:
    if not required:
        return Note(
            "Held {held} of the {wanted} drawings asked for: the limit of {most} exposures per drawing was reached. Raise max-exposures to hold more.",
            held=held, wanted=wanted, most=most,
        )  # fmt: skip
    return Note(
        "Held {held} of the {wanted} drawings asked for: the limit of {most} exposures per drawing was reached, and the {required} frames that must be drawn are never held. Raise max-exposures to hold more.",
        held=held, wanted=wanted, most=most, required=required,
    )  # fmt: skip


def _wanted(frames: int, options: LimitedOptions) -> int:
    """Drawings that holds are asked to remove."""
    if options.hold is not None:
        return options.hold
    return frames // 3 if options.hold_share is None else int(frames * options.hold_share)


def _limits(motion: Motion, options: LimitedOptions, world: Array) -> tuple[Limits, list[Note]]:
    frames = len(motion)
    notes: list[Note] = []
    pinned = np.zeros(frames, dtype=bool)
    if options.peaks:
        pinned[shown_frames(limb_peaks(motion, world=world))] = True
    for pin in options.pins:
        if pin >= frames:
            raise OptionError("pins", expected=Note("frames of the motion, 0 to {last}", last=frames - 1), found=pin)
        pinned[pin] = True
    if options.contacts:
        from komadori import feet

        found = feet.contacts(motion)
        notes += found.notes
        edges = sorted({*found.touchdowns().tolist(), *found.liftoffs().tolist()})
        pinned[edges] = True
        notes.append(Fact("Kept {count:frame|frames} in which a foot touches down or lifts off.", count=len(edges)))
    # Omission also keeps the frame behind a peak, so that the peak is seen for longer than one frame.
    kept = with_next(pinned) if options.peaks else pinned
    return Limits(options.max_exposures, options.max_drift, pinned, kept), notes


def _with_omissions(
    motion: Motion, options: LimitedOptions, points: Array, limits: Limits, notes: list[Note]
) -> tuple[Frames, tuple[int, ...], int]:
    """The sheet after omission, the frames at which actions begin, and how many in-betweens are omitted.

    Each action is treated by itself: with the length kept, it begins when it began.
    """
    steps = consecutive_steps(points)
    starts = _actions(motion, options, steps)
    automatic = options.omit is None and not options.action_omits
    ends = (*starts[1:], len(motion))
    identity = np.arange(len(motion), dtype=np.int64)
    parts, counts = [], []
    for number, (begin, end) in enumerate(zip(starts, ends, strict=True)):
        if automatic:
            asked, own = _automatic(motion, options, steps, begin, end, limits)
        else:
            asked = options.action_omits[number] if options.action_omits else options.omit or 0
            own = limits
        part, count = with_omissions(points, identity[begin:end], asked, options.keep_length, own, options.omission)
        parts.append(part)
        counts.append(count)
        if count < asked and not automatic:
            notes.append(
                Note("Omitted {count} of the {asked} in-betweens asked for in frames {begin} to {end}: no more frames can be omitted there.",
                     count=count, asked=asked, begin=begin, end=end - 1)
            )  # fmt: skip
    if (automatic or options.actions) and not options.cuts and len(motion) > 1:
        notes.insert(0, found_actions(starts, counts))
    source, total = np.concatenate(parts), sum(counts)
    gone = len(identity) - 1 - int(np.count_nonzero(source[1:] != source[:-1])) if len(source) else 0
    if gone < total:
        notes.append(
            Fact("{total} rounds of omission removed only {gone:frame|frames}: the other rounds removed repeats.",
                 total=total, gone=gone)
        )  # fmt: skip
    return source, starts, total


def _automatic(
    motion: Motion, options: LimitedOptions, steps: Array, begin: int, end: int, limits: Limits
) -> tuple[int, Limits]:
    """How many in-betweens an action gives up if none are asked for: none but those of a burst that stands out."""
    burst = standing_out(steps, begin, end, motion.fps, options.stand_out)
    way = way_there(steps, burst, limits.pinned) if burst is not None and is_fast(motion, *burst) else None
    if way is None:
        return 0, limits
    kept = np.ones_like(limits.kept)
    kept[way[0] : way[1] + 1] = False
    return options.omit_up_to, replace(limits, kept=kept)


def _actions(motion: Motion, options: LimitedOptions, steps: Array) -> tuple[int, ...]:
    if options.cuts:
        if options.cuts[-1] >= len(motion):
            raise OptionError(
                "cuts", expected=Note("frames of the motion, 0 to {last}", last=len(motion) - 1), found=options.cuts[-1]
            )
        starts = (0, *(cut for cut in options.cuts if cut > 0))
    elif options.actions or options.omit is None:
        starts = action_starts(steps, motion.fps)
    else:
        starts = (0,)
    if options.action_omits and len(options.action_omits) != len(starts):
        raise OptionError(
            "action_omits",
            expected=Note("one number per action ({count} in total)", count=len(starts)),
            found=len(options.action_omits),
        )
    return starts


def _uniform(motion: Motion, options: LimitedOptions, points: Array) -> LimitedResult:
    sheet = Timesheet.on(options.max_exposures, len(motion), motion.fps)
    identity = np.arange(len(motion), dtype=np.int64)
    found = limb_peaks(motion) if options.peaks else []
    if found:
        sheet = Timesheet(motion.fps, with_peaks(sheet.source, found))
    error = float(squared_steps(points, sheet.source, identity).sum())
    note = Fact(
        "Every drawing has an exposure of {count} frames; omit and hold are not used.", count=options.max_exposures
    )
    ones = Timesheet.ones(len(motion), motion.fps)
    held = len(motion) - len(sheet.drawings)
    return LimitedResult(
        motion, options, points, sheet, motion.retimed(sheet), 0, held, error, ones, (0,), {}, (note,), "uniform"
    )


def _repeats(sheet: Timesheet) -> Frames:
    return (1 + np.flatnonzero(sheet.source[1:] == sheet.source[:-1])).astype(np.int64)
