"""Saving: a thing's type and the suffix of the name decide how it is written."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np

from komadori.character import Character
from komadori.errors import OptionError
from komadori.files import write_bytes
from komadori.formats.choosing import format_of, of_kind
from komadori.formats.format import Clip
from komadori.formats.table import FORMATS
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.timesheet import Timesheet
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.camera import Camera
    from komadori.methods.hair.traces import Trace
    from komadori.methods.puppet import Puppet, Script, Take
    from komadori.methods.translate import Translator
    from komadori.pipeline import Recipe

LARGEST_M = 1e12
"""No place lies farther away: readers refuse it, for squares of it would overflow."""
LONE_TRACK = "A"
"""The track of a timesheet that is saved on its own: the first cell layer, as studios letter them."""

Saved: TypeAlias = Union[
    Clip, Character, Timesheet, Mapping[str, Timesheet], "Puppet", "Translator", "Trace", "Take", "Script", "Recipe", "Camera"
]  # fmt: skip
"""What can be a file."""


def save(thing: Saved, path: str | PathLike[str], *, motions: Mapping[str, Clip] | None = None) -> None:
    """Writes `thing` to `path`, whose suffix names the format: a motion, keys, a character, a timesheet or timesheets by
    track name, a puppet, a translator, a trace, a take, a script, a recipe or a camera.

    A character is written with its own motions and with `motions`, which replace those of the same name. The file appears
    whole or not at all, and missing folders are made. What `load` would refuse is refused before anything is written.
    """
    write_bytes(path, encoded(thing, path, motions=motions))


def encoded(thing: Saved, path: str | PathLike[str], *, motions: Mapping[str, Clip] | None = None) -> bytes:
    """What `save` would write to `path`."""
    path = Path(path)
    if motions and not isinstance(thing, Character):
        raise OptionError("motions", expected=Note("none, since this is no character"), found=list(motions))
    if isinstance(thing, Character):
        write_character = format_of(path, Note("a character's file"), "write_character").write_character
        assert write_character is not None
        for clip in (*thing.motions.values(), *(motions or {}).values()):
            _check_range(clip)
        return write_character(thing, motions or {})
    if isinstance(thing, Motion | Keyed):
        chosen = format_of(path, Note("a motion file"), "write")
        _check_range(thing)
        if isinstance(thing, Keyed) and chosen.write_keys is not None:
            return chosen.write_keys(thing)
        assert chosen.write is not None
        return chosen.write(thing.motion() if isinstance(thing, Keyed) else thing)
    if isinstance(thing, Timesheet):
        return _encoded_sheets({LONE_TRACK: thing}, path)
    if isinstance(thing, Mapping) and all(isinstance(sheet, Timesheet) for sheet in thing.values()):
        return _encoded_sheets(thing, path)
    return _encoded_thing(thing, path)


def _check_range(clip: Clip) -> None:
    """Refuses places that no reader takes back."""
    farthest = float(np.abs(clip.positions).max(initial=0.0))
    if farthest > LARGEST_M:
        raise OptionError(
            Note("the motion goes {far:g} m away; nothing beyond {most:g} m is written", far=farthest, most=LARGEST_M)
        )


def left_out(thing: Saved, path: str | PathLike[str]) -> tuple[Note, ...]:
    """What a file at `path` would not carry of `thing`, one note each: bones that its format has no place for, frames, rates."""
    if not isinstance(thing, Motion | Keyed):
        return ()
    tell = format_of(Path(path), Note("a motion file"), "write").left_out
    return () if tell is None else tell(thing.motion() if isinstance(thing, Keyed) else thing)


def _encoded_sheets(sheets: Mapping[str, Timesheet], path: Path) -> bytes:
    chosen = format_of(path, Note("a timesheet file"), "write_sheets")
    assert chosen.write_sheets is not None
    data = chosen.write_sheets(sheets)
    if chosen.read_sheets is not None:
        chosen.read_sheets(data, str(path))
    return data


def _encoded_thing(thing: object, path: Path) -> bytes:
    # By the name of the class: a Puppet that exists was imported, and no other method needs to be.
    classes = {one.__name__ for one in type(thing).__mro__ if one.__module__.startswith("komadori.")}
    kind = next((form.kind for form in FORMATS if form.holds in classes), None)
    if kind is None:
        kinds = dict.fromkeys(form.holds for form in FORMATS if form.holds)
        raise OptionError(
            Note(
                "only a Motion, Keyed, Character, Timesheet, mapping of Timesheets, {names} can be saved, not {kind!r}",
                names=", ".join(kinds),
                kind=type(thing),
            )
        )
    chosen = of_kind(path, kind)
    assert chosen.emit is not None
    assert chosen.parse is not None
    data = chosen.emit(thing)
    # Read back at once: these files are small, and what cannot be read must not be written.
    chosen.parse(data, str(path))
    return data
