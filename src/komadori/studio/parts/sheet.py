"""What the parts that make a timesheet share: options from JSON, and sheets that were edited by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from komadori.errors import OptionError, one_of
from komadori.parameters import parameters_of
from komadori.studio import exposing
from komadori.studio.locks import MOST_EXPOSURES, Laid, laid
from komadori.studio.messages import EditSheet
from komadori.studio.scene import Lock, Option
from komadori.timesheet import Timesheet
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class Edited:
    """A sheet, and which of its frames a hand has locked."""

    sheet: Timesheet
    laid: Laid

    @property
    def edited(self) -> bool:
        """Whether a hand set anything."""
        return bool(self.laid.locks)


def plain(given: Mapping[str, Option], options: type) -> dict[str, Any]:
    """Options from JSON as a method takes them; an unknown name is refused."""
    known = {item.name: item for item in parameters_of(options) if item.faces}
    for name in given:
        if name not in known:
            raise OptionError("option", expected=one_of(known), found=name)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def merged(before: Mapping[str, Option], given: Mapping[str, Option], options: type) -> dict[str, Option]:
    """`before` with `given`, checked: what cannot be is refused here, before it becomes part of the scene."""
    known = {item.name: item for item in parameters_of(options)}
    after = {**before, **given}
    for name, value in given.items():
        item = known.get(name)
        if item is not None and value is None and not item.optional:
            after.pop(name)
    taken = plain(after, options)
    options(**taken)
    return {name: value for name, value in after.items() if name not in known or taken[name] != known[name].default}


def edited_sheet(locks: Sequence[Lock], made: Timesheet, frames: int) -> Edited:
    """The method's sheet with what a hand locked on it."""
    over = laid(made, locks, frames)
    return Edited(Timesheet(made.fps, over.source) if over.locks else made, over)


def edit(over: Laid, asked: EditSheet, frames: int) -> list[Lock]:
    """The locks after one edit of the sheet: whatever the fingers touched is locked."""
    over.check(asked.frame)
    start, end = over.run(asked.frame)
    source = int(over.source[asked.frame])
    match asked.edit:
        case "edge":
            return _moved_edge(over, asked.frame, asked.to)
        case "insert":
            if len(over.source) >= MOST_EXPOSURES:
                raise OptionError(
                    "sheet", expected=Note("at most {count} frames", count=MOST_EXPOSURES), found=len(over.source) + 1
                )
            return over.put(start, end, [(source, end - start + 1)])
        case "delete":
            if len(over.source) == 1:
                raise OptionError(Note("the last exposure stays: a sheet shows at least one drawing"))
            return over.put(start, end, [(source, end - start - 1)])
        case "draw":
            if not 0 <= asked.to < frames:
                raise OptionError(
                    "frame", expected=Note("a frame of the motion, 1 to {last}", last=frames), found=asked.to + 1
                )
            begun = [(source, asked.frame - start)] if asked.frame > start else []
            return over.put(start, end, [*begun, (asked.to, end - asked.frame)])
        case "lock":
            if end < asked.to <= len(over.source):
                # Whole drawings are locked, those at either end of the range too.
                return _exposed(over, exposing.as_it_is(over.source.tolist(), start, over.run(asked.to - 1)[1]))
            return over.put(start, end, [(source, end - start)])
        case "unlock":
            end = max(end, min(asked.to, len(over.source)))
            return [lock for number, lock in enumerate(over.locks) if not _touches(over, number, start, end)]
        case "on":
            return _exposed(over, exposing.on_step(over.source.tolist(), asked.frame, asked.to, asked.step, frames))
        case "slide":
            return _exposed(over, exposing.slid(over.source.tolist(), asked.frame, asked.to))
        case "paste":
            return _exposed(over, exposing.pasted(over.source.tolist(), asked.frame, asked.shown, frames))
        case _:
            return []


def _exposed(over: Laid, made: exposing.Exposed) -> list[Lock]:
    """The locks after a stretch of the sheet was exposed again."""
    count = len(over.source) - (made.end - made.start) + sum(shown for _, shown in made.drawings)
    if count > MOST_EXPOSURES:
        raise OptionError("sheet", expected=Note("at most {count} frames", count=MOST_EXPOSURES), found=count)
    return over.put(made.start, made.end, made.drawings)


def _moved_edge(over: Laid, frame: int, to: int) -> list[Lock]:
    """The drawing that begins at `frame` begins at `to` instead; neither it nor the one before vanishes."""
    if frame == 0 or over.source[frame] == over.source[frame - 1]:
        raise OptionError("frame", expected=Note("a frame at which a drawing begins"), found=frame + 1)
    begin, end = over.run(frame - 1)[0], over.run(frame)[1]
    to = min(max(to, begin + 1), end - 1)
    before, after = int(over.source[frame - 1]), int(over.source[frame])
    return over.put(begin, end, [(before, to - begin), (after, end - to)])


def _touches(over: Laid, number: int, start: int, end: int) -> bool:
    """Whether a lock shows something in a run, or has taken away something beside it."""
    piece = next(piece for piece in over.pieces if piece.lock == number)
    if piece.start == piece.end:
        return start <= piece.start <= end
    return piece.start < end and piece.end > start
