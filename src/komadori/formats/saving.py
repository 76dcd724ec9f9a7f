"""Saving: a thing's type and the suffix of the name decide how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np

from komadori.character import Character
from komadori.errors import OptionError
from komadori.files import write_bytes
from komadori.formats import body_losses
from komadori.formats.choosing import format_of, of_kind, suffixes
from komadori.formats.format import Clip, Format
from komadori.formats.table import FORMATS
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.camera import Camera
    from komadori.methods.hair.traces import Trace
    from komadori.methods.puppet import Puppet, Script, Take
    from komadori.methods.translate import Translator
    from komadori.pipeline import Recipe

LARGEST_M = 1e12
"""The farthest position that readers accept: squares of anything farther would overflow."""
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
        raise OptionError("motions", problem=Note("only a character can be saved with motions"))
    if isinstance(thing, Character):
        write_character = format_of(path, Note("a character file"), "write_character").write_character
        assert write_character is not None
        _check_body(thing)
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
    """Refuses positions that no reader would accept."""
    farthest = _reach(clip.skeleton, np.abs(clip.positions).max(axis=(0, 2), initial=0.0))
    if farthest > LARGEST_M:
        raise OptionError(
            Note(
                "the motion is up to {far:g} m away from the origin; the limit is {most:g} m",
                far=farthest,
                most=LARGEST_M,
            )
        )


def _reach(skeleton: Skeleton, steps: Array) -> float:
    """How far from the origin a joint may be: the longest way (m) from a root, by `steps` (J,) and at rest."""
    far = np.maximum(steps, np.abs(skeleton.offsets).max(axis=1, initial=0.0))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            far[joint] += far[parent]
    return float(far.max(initial=0.0))


def _check_body(character: Character) -> None:
    """Refuses a skeleton or a skin that no reader would accept."""
    parts = [character.binds, *(mesh.vertices for mesh in character.meshes)]
    farthest = max(
        _reach(character.skeleton, np.zeros(len(character.skeleton))),
        *(float(np.abs(part).max(initial=0.0)) for part in parts),
    )
    # A comparison with NaN is false as well.
    if not farthest <= LARGEST_M:
        raise OptionError(
            Note("the body reaches {far:g} m; nothing beyond {most:g} m is written", far=farthest, most=LARGEST_M)
        )


def left_out(thing: Saved, path: str | PathLike[str]) -> tuple[Note, ...]:
    """What a file at `path` would not carry of `thing`, one note each: bones that its format has no place for, frames, rates.

    Of a character, if the format holds motions alone: its skin, and all its motions but one.
    """
    if isinstance(thing, Timesheet):
        thing = {LONE_TRACK: thing}
    if isinstance(thing, Mapping):
        of_sheets = format_of(Path(path), Note("a timesheet file"), "write_sheets").left_out_sheets
        return () if of_sheets is None else of_sheets(thing)
    if isinstance(thing, Character):
        return _left_out_character(thing, Path(path))
    if not isinstance(thing, Motion | Keyed):
        return ()
    form = format_of(Path(path), Note("a motion file"), "write")
    motion = thing.motion() if isinstance(thing, Keyed) else thing
    own = () if form.left_out is None else form.left_out(motion)
    return (*own, *_beside([motion], form))


def _left_out_character(character: Character, path: Path) -> tuple[Note, ...]:
    if not any(path.name.lower().endswith(suffix) for suffix in suffixes("write_character")):
        return body_losses.unskinned(character, format_of(path, Note("a motion file"), "write").name)
    form = format_of(path, Note("a character file"), "write_character")
    own = () if form.left_out_character is None else form.left_out_character(character)
    return (*own, *_beside(character.motions.values(), form))


def _beside(motions: Iterable[Motion], form: Format) -> tuple[Note, ...]:
    """What moved in the files of `motions` besides joints, and does not in a file of `form`: faces, gazes, cameras."""
    counts: dict[Note, int] = {}
    for motion in motions:
        if motion.stretch is not None and not form.stretches:
            counts[Note("squash and stretch (a .glb has)")] = len(motion)
        document = None if motion.origin is None else motion.origin.document
        told: Mapping[Note, int] = getattr(document, "beside", {})
        if type(document).__name__ not in form.origins:
            for what, count in told.items():
                counts[what] = counts.get(what, 0) + count
    text = "{form} has no field for {what}; not written: {count}"
    return tuple(Note(text, form=form.name, what=what, count=count) for what, count in counts.items() if count)


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
