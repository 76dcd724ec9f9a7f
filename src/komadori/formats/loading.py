"""Loading: what a file holds, determined by its suffix, by what stands in it where several kinds share one, or by who asks."""

from __future__ import annotations

import os
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from komadori import json_text, roles
from komadori.character import Character
from komadori.cut import Cut
from komadori.errors import FormatError, OptionError, one_of, quoted
from komadori.files import read_bytes
from komadori.formats import celsys_csv, several
from komadori.formats.choosing import format_of, of_kind, unknown
from komadori.formats.format import Format, Kind, refuse
from komadori.formats.table import FORMATS
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

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
def load(path: AnyPath, *, kind: Literal["timesheets"]) -> Cut: ...
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
    wanted, and a file that holds something else is then its own error.

    A motion has its file's own frames, in metres, with the joints' roles found. `unit` is the file's unit of length if
    the format states none ("m", "dm", "cm", "mm", "inch" or "cmu"); None guesses it from the size of the body, and a note says so.
    `clip` names one of several motions in a file; None takes the first that moves. If a file holds several bodies, it may also name
    the topmost joint of one, which is then read alone.

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
    for option, value in (("unit", unit), ("clip", clip)):
        if value is not None:
            raise OptionError(option, problem=Note("{file} is not a motion; leave this out", file=name))
    if wanted == "character":
        return load_character(given)
    if wanted == "timesheets":
        return _cut(given)
    parse = of_kind(Path(given), wanted, any_name=True).parse
    assert parse is not None
    return parse(read_bytes(given), given)


def _cut(given: str) -> Cut:
    """The timesheets of the file that `given` names; FILE#TRACK names one of its tracks."""
    path, track = split(given)
    read = format_of(Path(path), Note("a timesheet file"), "read_sheets").read_sheets
    assert read is not None
    cut = read(read_bytes(path), path)
    if track is None:
        return cut
    if track not in cut:
        raise no_track(path, Note("the track {track}", track=quoted(track)), cut)
    return cut.replaced(
        tracks={track: cut[track]}, blank={track: cut.blank.get(track, ())}, names={track: cut.names.get(track, {})}
    )


def no_track(path: AnyPath, expected: Note, cut: Cut) -> FormatError:
    """The error for a track that a file does not hold."""
    found = ", ".join(map(quoted, cut)) or Note("none")
    return FormatError(path, expected=expected, found=found, advice=Note("name one of its tracks") if cut else "")


def load_character(path: AnyPath) -> Character:
    """The character in the file at `path`: skeleton with its roles, meshes, materials, pictures, and its motions."""
    path = Path(path)
    read = format_of(path, Note("a character file"), "read_character").read_character
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
        expected = Note("one track") if track is None else Note("the track {track}", track=quoted(track))
        raise no_track(path, expected, sheets)
    return sheets[track]


def split(given: str) -> tuple[str, str | None]:
    """The file and the clip that `given` names: FILE, or FILE#CLIP for one of several motions in it.

    >>> split("horse.glb#Walk"), split("walk.bvh")
    (('horse.glb', 'Walk'), ('walk.bvh', None))
    """
    path, mark, clip = given.rpartition("#")
    # A file name may contain the sign.
    return (path, clip) if mark and path and not Path(given).exists() else (given, None)


def _sample(name: str, unit: str | None, clip: str | None) -> Motion:
    from komadori.characters.samples import sample

    if unit is not None:
        raise OptionError("unit", problem=Note("a sample is made in metres; leave the unit out"))
    refuse(f"{SAMPLE}{name}", clip=clip)
    return sample(name)


def _motion(path: Path, unit: str | None, clip: str | None) -> Motion:
    read = format_of(path, Note("a motion file"), "read").read
    assert read is not None
    try:
        motion = read(path, unit, clip)
    except OptionError:
        # No animation is called so; one of several bodies may be.
        alone = None if clip is None else several.one(read(path, unit, None), clip)
        if alone is None:
            raise
        motion = alone
    motion = several.told(motion)
    # The first pose tells left from right where names and rest offsets do not.
    return motion.with_skeleton(_with_roles(motion.skeleton, motion if len(motion) else None))


def _with_roles(skeleton: Skeleton, motion: Motion | None) -> Skeleton:
    """`skeleton` with the roles that its file states, else with those that can be determined."""
    return skeleton.with_roles(dict(skeleton.roles) or roles.find(skeleton, motion.pose(0) if motion else None))


def _kind(path: Path) -> Kind:
    """What the file at `path` holds."""
    suffix = path.suffix.lower()
    able = [form for form in FORMATS if suffix in form.suffixes]
    if not able:
        raise unknown(path, Note("a file"), tuple(dict.fromkeys(end for form in FORMATS for end in form.suffixes)))
    if len(able) == 1:
        return _holds(able[0])
    data, name = read_bytes(path), str(path)
    # Tables of sheets may be in the code page of Japanese Windows.
    text = json_text.decoded(data, name) if suffix == ".json" else celsys_csv.text_of(data, name)
    held: Any = json_text.loaded(text, str(path)) if suffix == ".json" else text
    for form in able:
        if form.fits is not None and form.fits(held):
            return _holds(form)
    expected = one_of(map(_holds, able))
    raise FormatError(path, expected=expected, found=_described(held))


def _holds(form: Format) -> Kind:
    return form.kind or ("timesheets" if form.read_sheets is not None else "motion")


def _described(held: Any) -> str:
    """A few words on what a file holds that komadori does not know."""
    if isinstance(held, str):
        return quoted(held.splitlines()[0]) if held.strip() else Note("nothing")
    if isinstance(held, dict) and isinstance(held.get("komadori"), str):
        return f"a {quoted(held['komadori'])}"
    if isinstance(held, dict) and held:
        return Note("an object with {names}", names=", ".join(quoted(key, 20) for key in list(held)[:6]))
    return json_text.kind(held)
