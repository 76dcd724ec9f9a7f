"""Retiming: an animator's sheet decides which drawing of a captured motion is shown when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from komadori import chains, roles
from komadori.cut import Cut
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Frames, Timesheet
from komadori.words import Note, ranges

__all__ = ["RetimeOptions", "RetimeResult", "retime"]

HAIR = "hair"
MOST_FRAMES = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class RetimeOptions:
    """Which sheet, and what its numbers mean."""

    timing: Mapping[str, Timesheet] | None = parameter(
        None, "timesheet that the motion follows: .xdts .tdts .sts .sxf .csv .json .txt", reads="timesheets"
    )
    exposures: tuple[int, ...] = parameter(
        (), "the drawing number of each frame in turn, if no timesheet is given (0: an empty cel)"
    )
    numbers: Literal["auto", "source", "drawing"] = parameter(
        "auto",
        "source: numbers are frames of the motion, counted from 1; drawing: numbers are drawings, each with the pose of the frame in which it first appears; auto: drawing if the numbers rise as 1, 2, 3",
    )
    track: str | None = parameter(None, "track of the sheet that the body follows (the first if not given)")
    hair_track: str | None = parameter(
        None, "track that hair, ribbons, skirts and tails follow (one called hair if not given)"
    )
    stretch: bool = parameter(
        False, "stretch the whole motion over the length of the sheet, if the numbers are drawings"
    )

    def __post_init__(self) -> None:
        check(self)
        if self.timing is not None and self.exposures:
            raise OptionError("exposures", problem=Note("give either a timesheet or exposures, not both"))


@dataclass(frozen=True, eq=False)
class RetimeResult(Result):
    """The motion as the sheet shows it."""

    source_motion: Motion
    options: RetimeOptions
    sheet: Timesheet
    motion: Motion
    layers: Mapping[str, Timesheet] = field(default_factory=dict)
    """Sheets by track, where more than one was followed."""
    notes: tuple[Note, ...] = ()

    @property
    def drawings(self) -> int:
        """How many different drawings are shown."""
        return len(self.sheet.drawings)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How much is drawn, and for how long a drawing is shown on average."""
        average = len(self.sheet) / max(len(self.sheet.runs()), 1)
        return {"drawings": Measure(self.drawings), "average_exposure": Measure(average, "frames")}


def _rows(result: RetimeResult) -> list[Row]:
    drawn = Note(
        "{count:drawing|drawings}, average exposure {exposures:.2f} frames",
        count=result.drawings,
        exposures=result.measures["average_exposure"].value,
    )
    return [(Note("drawn"), drawn)]


@method(
    RetimeOptions,
    stage="timing",
    rows=_rows,
    files=("motion", "sheet"),
    panel=False,
    title="{path}: retimed by the sheet",
    working="timing {count} frames",
    about="The clip is cleaned and resampled to --fps, then shown as the timesheet says.",
    example="komadori retime walk.bvh --timing cut.xdts -o out.bvh",
)
def retime(motion: Motion, options: RetimeOptions) -> RetimeResult:
    """`motion` with the timing of a sheet: an animator's exposures, applied to captured movement.

    A number is a frame of the motion, or a drawing, which then shows the pose that the motion has when the drawing first
    appears. Tracks named as parts of the body (as `limited` writes them) each time their own part; hair may have its own
    track.
    """
    cut = _cut(motion, options)
    tracks, notes = _tracks(cut, motion, options)
    notes += cut.notes
    sheets: dict[str, Timesheet] = {}
    for name in tracks:
        sheet, drawn = sourced(cut, name, motion, options)
        sheets[name] = sheet
        if name == tracks[0] and options.numbers == "auto":
            notes.append(taken(drawn))
    body = tracks[0]
    empty = cut.blank.get(body, ())
    if empty:
        notes.append(
            Note("The cel is empty in frames {frames}; held the drawing before it there.", frames=ranges([f + 1 for f in empty]))
        )  # fmt: skip
    length = len(sheets[body])
    shown = np.tile(sheets[body].source[:, None], (1, len(motion.skeleton)))
    for name, joints in _driven(tracks, cut, motion, options).items():
        source = sheets[name].source
        # A track that ends before the body's track holds its last drawing; a longer one is cut.
        shown[:, joints] = source[np.minimum(np.arange(length), len(source) - 1)][:, None]
    sheet = sheets[body]
    timed = motion.retimed(sheet) if len(tracks) == 1 else _layered(motion, shown, sheet)
    layers = sheets if len(tracks) > 1 else {}
    return RetimeResult(motion, options, sheet, timed, layers, tuple(notes))


def _layered(motion: Motion, shown: Frames, sheet: Timesheet) -> Motion:
    placed = motion.retimed(sheet)
    taken = motion.taken(shown)
    return placed.replaced(rotations=taken.rotations, positions=taken.positions)


def _cut(motion: Motion, options: RetimeOptions) -> Cut:
    if options.timing is not None:
        cut = Cut.of(options.timing)
    elif options.exposures:
        if min(options.exposures) < 0 or not any(options.exposures):
            raise OptionError(
                "exposures",
                expected=Note("drawing numbers from 1, and 0 for an empty cel"),
                found=options.exposures[:8],
            )
        cut = Cut.of_numbers(motion.fps, {"A": options.exposures})
    else:
        raise OptionError("timing", problem=Note("give a timesheet"))
    if cut.frames > MOST_FRAMES or not all(map(len, cut.values())):
        raise OptionError(
            "timing", expected=Note("1 to {most} frames in each track", most=MOST_FRAMES), found=cut.frames
        )
    return cut


def _tracks(cut: Cut, motion: Motion, options: RetimeOptions) -> tuple[list[str], list[Note]]:
    """The tracks that are followed, the body's first, and notes on the others."""
    for given, name in (("track", options.track), ("hair_track", options.hair_track)):
        if name is not None and name not in cut:
            names = ", ".join(cut)
            raise OptionError(given, expected=Note("a track of the sheet ({names})", names=names), found=name)
    hair = options.hair_track or (HAIR if HAIR in cut and len(cut) > 1 else None)
    others = [name for name in cut if name != hair]
    parts = roles.parts(motion.skeleton)
    if options.track is None and len(others) > 1 and set(others) <= set(parts):
        others.sort(key=lambda name: name != "root")
        return [*others, *([hair] if hair else [])], []
    body = options.track or (others[0] if others else next(iter(cut)))
    left = [name for name in cut if name not in (body, hair)]
    notes = (
        [
            Note(
                "The body follows track {track}; not used: {others}. Use --track to choose another.",
                track=body,
                others=", ".join(left),
            )
        ]
        if left
        else []
    )
    return [body, *([hair] if hair and hair != body else [])], notes


def _driven(tracks: list[str], cut: Cut, motion: Motion, options: RetimeOptions) -> dict[str, list[int]]:
    """The joints that each further track times."""
    skeleton = motion.skeleton
    parts = roles.parts(skeleton)
    driven: dict[str, list[int]] = {}
    for name in tracks[1:]:
        if name == (options.hair_track or HAIR):
            driven[name] = sorted({joint for chain in chains.find(skeleton) for joint in chain.joints})
        else:
            driven[name] = np.flatnonzero(parts[name]).tolist()
    return driven


def sourced(cut: Cut, name: str, motion: Motion, options: RetimeOptions) -> tuple[Timesheet, bool]:
    """The track as source frames of the motion, and whether its numbers were drawings."""
    sheet = cut[name]
    order = sheet.drawings
    dense = np.array_equal(order, np.arange(len(order)))
    drawn = options.numbers == "drawing" or (options.numbers == "auto" and bool(dense))
    if not drawn:
        if sheet.source.max() >= len(motion):
            raise OptionError(
                "timing",
                expected=Note("frames of the motion, 1 to {last}", last=len(motion)),
                found=int(sheet.source.max()) + 1,
                advice=Note("with --numbers drawing a number is a drawing"),
            )
        return sheet, False
    _, first, back = np.unique(sheet.source, return_index=True, return_inverse=True)
    # A drawing appears where it is first seen: frames in which the cel is still empty do not count.
    seen = np.setdiff1d(np.arange(len(sheet)), np.array(cut.blank.get(name, ()), dtype=np.int64))
    if len(seen):
        _, at = np.unique(sheet.source[seen], return_index=True)
        first = seen[at] if len(at) == len(first) else first
    scale = (len(motion) - 1) / max(cut.frames - 1, 1) if options.stretch else motion.fps / cut.fps
    frames = np.minimum(np.round(first * scale).astype(np.int64), len(motion) - 1)
    return Timesheet(sheet.fps, frames[back]), True


def taken(drawn: bool) -> Note:
    """What a sheet's numbers were taken for."""
    if drawn:
        return Note(
            "Read the sheet's numbers as drawings, each showing the pose of the frame in which it first appears. If they number frames, use --numbers source."
        )
    return Note(
        "Read the sheet's numbers as frames of the motion, counted from 1. If they number drawings, use --numbers drawing."
    )
