"""Loading: what a file holds, told by its suffix, by what stands in it where several kinds share one, or by who asks."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from komadori import json_text, roles
from komadori.character import Character
from komadori.errors import FormatError, OptionError, quoted
from komadori.files import read_bytes
from komadori.formats.choosing import format_of, of_kind, unknown
from komadori.formats.format import Format, Kind
from komadori.formats.table import FORMATS
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

if TYPE_CHECKING:
    from komadori.camera import Camera
    from komadori.methods.hair.traces import Trace
    from komadori.methods.puppet import Puppet, Script, Take
    from komadori.methods.translate import Translator
    from komadori.pipeline import Recipe

SAMPLE = "sample:"
"""What the name of a built-in motion begins with."""

AnyPath = str | PathLike[str]


@overload
def load(path: AnyPath, *, kind: None = None, unit: str | None = None, clip: str | None = None) -> Any: ...
@overload
def load(path: AnyPath, *, kind: Literal["motion"], unit: str | None = None, clip: str | None = None) -> Motion: ...
@overload
def load(path: AnyPath, *, kind: Literal["character"]) -> Character: ...
@overload
def load(path: AnyPath, *, kind: Literal["timesheets"]) -> dict[str, Timesheet]: ...
@overload
def load(path: AnyPath, *, kind: Literal["puppet"]) -> Puppet: ...
@overload
def load(path: AnyPath, *, kind: Literal["translator"]) -> Translator: ...
@overload
def load(path: AnyPath, *, kind: Literal["trace"]) -> Trace: ...
@overload
def load(path: AnyPath, *, kind: Literal["take"]) -> Take: ...
@overload
def load(path: AnyPath, *, kind: Literal["script"]) -> Script: ...
@overload
def load(path: AnyPath, *, kind: Literal["recipe"]) -> Recipe: ...
@overload
def load(path: AnyPath, *, kind: Literal["camera"]) -> Camera: ...


def load(path: AnyPath, *, kind: Kind | None = None, unit: str | None = None, clip: str | None = None) -> Any:
    """What the file at `path` holds: a Motion, timesheets by track name, a Puppet, Translator, Trace, Take, Script, Recipe
    or Camera. FILE#CLIP names one of several motions in a file, "sample:pitch" a built-in one.

    A file that can hold both a motion and a character gives the motion; `load_character` gives the other. `kind` says what is
    wanted, and a file that holds something else is then an error of its own.

    A motion has its file's own frames, in metres, with the joints' roles found. `unit` is the file's unit of length where
    the format states none ("m", "cm", "mm", "inch" or "cmu"); None guesses it from the size of the body, and a note says so.
    `clip` names one of several motions in a file; None takes the first.

    >>> load("sample:pitch")
    Motion(129 frames at 24 fps, 31 joints, 5.38 s)
    """
    given = os.fspath(path)
    if given.startswith(SAMPLE) and kind in (None, "motion"):
        return _sample(given.removeprefix(SAMPLE), unit, clip)
    name, named = split(given) if clip is None else (given, None)
    found = Path(name)
    wanted = kind or _kind(found)
    if wanted == "motion":
        return _motion(found, unit, clip or named)
    if unit is not None or clip is not None:
        raise OptionError(f"{'clip' if unit is None else 'unit'}: this is for motions, and {name} is a {wanted} file")
    if wanted == "character":
        return load_character(given)
    if wanted == "timesheets":
        read = format_of(Path(given), "a timesheet file", "read_sheets").read_sheets
        assert read is not None
        return read(read_bytes(given), given)
    parse = of_kind(Path(given), wanted, any_name=True).parse
    assert parse is not None
    return parse(read_bytes(given), given)


def load_character(path: AnyPath) -> Character:
    """The character in the file at `path`: skeleton with its roles, meshes, materials, pictures, and its motions."""
    path = Path(path)
    read = format_of(path, "a character's file", "read_character").read_character
    assert read is not None
    character = read(path)
    skeleton = _with_roles(character.skeleton, None)
    motions = {name: motion.with_skeleton(skeleton) for name, motion in character.motions.items()}
    return replace(character, skeleton=skeleton, motions=motions)


def load_sheet(path: AnyPath, track: str | None = None) -> Timesheet:
    """One timesheet of the file at `path`: that of `track`, or the only one."""
    sheets = load(path, kind="timesheets")
    if track is None and len(sheets) == 1:
        return next(iter(sheets.values()))
    if track is None or track not in sheets:
        expected = "one track" if track is None else f"the track {quoted(track)}"
        found = ", ".join(map(quoted, sheets)) or "none"
        raise FormatError(path, expected=expected, found=found, hint="name one of its tracks" if sheets else "")
    return sheets[track]


def split(given: str) -> tuple[str, str | None]:
    """The file and the clip that `given` names: FILE, or FILE#CLIP for one of several motions in it.

    >>> split("horse.glb#Walk"), split("walk.bvh")
    (('horse.glb', 'Walk'), ('walk.bvh', None))
    """
    path, mark, clip = given.rpartition("#")
    # A file may have the sign in its own name.
    return (path, clip) if mark and path and not Path(given).exists() else (given, None)


def _sample(name: str, unit: str | None, clip: str | None) -> Motion:
    from komadori.characters.samples import sample

    if unit is not None:
        raise OptionError("unit: this is for files; a sample is made in metres")
    if clip is not None:
        raise OptionError("clip: a sample holds a single motion, it has no name")
    return sample(name)


def _motion(path: Path, unit: str | None, clip: str | None) -> Motion:
    read = format_of(path, "a motion file", "read").read
    assert read is not None
    motion = read(path, unit, clip)
    # The first pose tells left from right where names and rest offsets do not.
    return motion.with_skeleton(_with_roles(motion.skeleton, motion if len(motion) else None))


def _with_roles(skeleton: Skeleton, motion: Motion | None) -> Skeleton:
    """`skeleton` with the roles that its file states, else with those that can be told."""
    return skeleton.with_roles(dict(skeleton.roles) or roles.find(skeleton, motion.pose(0) if motion else None))


def _kind(path: Path) -> Kind:
    """What the file at `path` holds."""
    suffix = path.suffix.lower()
    able = [form for form in FORMATS if suffix in form.suffixes]
    if not able:
        raise unknown(path, "a file", tuple(dict.fromkeys(end for form in FORMATS for end in form.suffixes)))
    if len(able) == 1:
        return _holds(able[0])
    text = json_text.decoded(read_bytes(path), str(path))
    held: Any = json_text.loaded(text, str(path)) if suffix == ".json" else text
    for form in able:
        if form.fits is not None and form.fits(held):
            return _holds(form)
    expected = "a file of " + ", ".join(map(_holds, able))
    raise FormatError(path, expected=expected, found=_described(held))


def _holds(form: Format) -> Kind:
    return form.kind or ("timesheets" if form.read_sheets is not None else "motion")


def _described(held: Any) -> str:
    """A few words on what a file holds that is none of ours."""
    if isinstance(held, str):
        return quoted(held.splitlines()[0]) if held.strip() else "nothing"
    if isinstance(held, dict) and isinstance(held.get("komadori"), str):
        return f"a {quoted(held['komadori'])}"
    if isinstance(held, dict) and held:
        return f"an object with {', '.join(quoted(key, 20) for key in list(held)[:6])}"
    return json_text.kind(held)
