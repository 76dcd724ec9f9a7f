"""What commands read, and the options that say how: a file, or `sample:NAME` for a built-in motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from komadori.character import Character
from komadori.characters import CHARACTERS, humanoid
from komadori.characters import character as built_in
from komadori.characters.samples import SAMPLES, sample
from komadori.cli.options import rate
from komadori.cli.page import Argument, Option, Words
from komadori.errors import FileNotFound, FormatError, OptionError, UnreadableFile, one_of, quoted
from komadori.formats import FORMATS, SAMPLE, load, load_character, suffixes
from komadori.formats import split as split
from komadori.formats.units import METRES
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.methods.puppet import Script, Take

PREFIX = SAMPLE
BODY = "body"
BODIES = (BODY, *CHARACTERS)
"""Names that stand for a body besides files: the skeleton of the samples, and the built-in characters."""
SAMPLE_FPS = 24.0
MOST_FRAMES = 1_000_000
"""The longest that resampling may make a clip: 11 hours at 24 fps."""

INPUT = Argument(
    "input",
    Note(
        "file to read ({suffixes}), FILE#CLIP for one of several motions in it, or sample:pitch for a built-in one",
        suffixes=" ".join(suffixes("read")),
    ),
    metavar="IN",
)
KEEP_FIRST = Option("--keep-first", is_flag=True, help="keep a calibration pose at the start")
AS_JSON = Option("--json", "as_json", is_flag=True, help="print one JSON object for programs instead of the summary")
UNIT = Option(
    "--unit",
    metavar="|".join(METRES),
    type=Words(list(METRES)),
    help="unit of length of a file that states none (guessed from the body's size if not given)",
)


def fps_option(default: float | None = None) -> Option:
    """--fps, with a default or without."""
    return Option(
        "--fps",
        type=rate,
        metavar="RATE",
        default=None if default is None else f"{default:g}",
        show_default=default is not None,
        help="frame rate of the result, such as 24, 23.976 or 24000/1001",
    )


def motion(given: str, unit: str | None = None, fps: float | None = None) -> Motion:
    """The motion that `given` names; a sample is made for `fps` at once, a file keeps its own frames."""
    if not given.startswith(PREFIX):
        path, clip = split(given)
        _check_kind(path, suffixes("read"), Note("a motion file"))
        return load(path, kind="motion", unit=unit, clip=clip)
    if unit:
        raise OptionError("--unit", problem=Note("a sample is made in metres; leave the unit out"))
    name = given.removeprefix(PREFIX)
    check_sample(name)
    return sample(name, SAMPLE_FPS if fps is None else fps)


def check_length(given: str, clip: Motion, fps: float) -> None:
    """A FormatError if `clip` at `fps` would be absurdly long: its frame time is wrong."""
    frames = clip.duration_s * fps
    if frames > max(MOST_FRAMES, len(clip)):
        found = Note("{seconds:,.0f} seconds, which would make {frames:,.0f}", seconds=clip.duration_s, frames=frames)
        expected = Note("a clip that makes at most {most:,} frames at {fps:.6g} fps", most=MOST_FRAMES, fps=fps)
        raise FormatError(given, expected=expected, found=found, advice=Note("check its frame time"))


def prepared(given: str, unit: str | None, fps: float | None, keep_first: bool) -> Motion:
    """The clip that `given` names, cleaned and at `fps` (its own if none is given); one without frames is refused."""
    captured = motion(given, unit, fps)
    rate = fps or captured.fps
    check_length(given, captured, rate)
    clip = captured.prepared(fps=rate, keep_first=keep_first)
    if not len(clip):
        raise FormatError(given, problem=Note("the motion has no frames"))
    return clip


def thing(given: str, unit: str | None = None, fps: float | None = None) -> Motion | dict[str, Timesheet]:
    """What `given` names: a motion, or the timesheets of a file by track."""
    suffix = Path(split(given)[0]).suffix.lower()
    if not given.startswith(PREFIX) and suffix in suffixes("read_sheets"):
        if unit:
            raise OptionError("--unit", problem=Note("a timesheet has no unit; leave it out"))
        # A cut is a mapping of its tracks, which is all that callers rely on; they name a plain dict.
        return cast(dict[str, Timesheet], load(given, kind="timesheets"))
    if not given.startswith(PREFIX):
        _check_kind(split(given)[0], (*suffixes("read"), *suffixes("read_sheets")), Note("a file"))
    return motion(given, unit, fps)


def check_sample(name: str) -> None:
    """An OptionError that lists the samples if `name` is not one of them."""
    if name not in SAMPLES:
        raise OptionError("sample", expected=one_of(SAMPLES), found=name)


def body(given: str) -> Character | Skeleton | Motion:
    """The body that `given` names: a built-in one, a character's file, or any motion of it."""
    if given in BODIES:
        return humanoid() if given == BODY else built_in(given)
    suffix = Path(given).suffix.lower()
    if suffix in suffixes("read_character"):
        return load_character(given)
    if suffix in suffixes("read"):
        return load(given, kind="motion")
    if not Path(given).exists():
        raise FileNotFound(given, Note("name a character file, or one of {names}", names=", ".join(BODIES)))
    known = ", ".join(dict.fromkeys([*suffixes("read_character"), *suffixes("read")]))
    found = quoted(suffix) if suffix else Note("no suffix")
    raise FormatError(
        given, expected=Note("a file with a body, with a name that ends in {names}", names=known), found=found
    )


def character(given: str) -> Character:
    """The character that `given` names; a body without a skin is refused."""
    found = body(given)
    if isinstance(found, Character):
        return found
    known = ", ".join(CHARACTERS)
    expected = Note("a character with a skin, or one of {names}", names=known)
    raise FormatError(given, expected=expected, found=Note("only a skeleton"))


def animal(given: str) -> Character | Motion:
    """The animal that `given` names: a character that brings clips, or a clip of an animal, made ready; FILE#CLIP names the one to learn from."""
    path, clip = split(given)
    found = body(path)
    if clip is not None and isinstance(found, Character):
        others = {name: motion for name, motion in found.motions.items() if name != "walk"}
        shown = found.motions[clip] if clip in found.motions else load(given, kind="motion")
        # The name that is looked for, in the place that is looked at first.
        found = replace(found, motions={"walk": shown, **others})
    elif clip is not None:
        found = load(given, kind="motion")
    if isinstance(found, Skeleton):
        raise FormatError(given, problem=Note("only a skeleton, no clip of the animal"))
    return found.prepared(found.fps) if isinstance(found, Motion) else found


def take(given: str) -> Take | Script | Motion:
    """What moves a handle: a table of places, a motion, or a script."""
    if given.startswith(PREFIX) or Path(given).suffix.lower() in suffixes("read"):
        return motion(given)
    return load(given, kind="take") if Path(given).suffix.lower() == ".csv" else load(given, kind="script")


def vector(given: str) -> tuple[float, ...]:
    """Three numbers with commas between them."""
    try:
        values = tuple(float(word) for word in given.split(","))
    except ValueError:
        values = ()
    if len(values) != 3:
        raise OptionError("--wind", expected=Note("X,Y,Z in metres per second"), found=given)
    return values


READERS: Mapping[str, Callable[[Any], Any]] = {
    "body": body,
    "character": character,
    "animal": animal,
    "camera": lambda given: load(given, kind="camera"),
    "trace": lambda given: load(given, kind="trace"),
    "translator": lambda given: load(given, kind="translator"),
    "take": take,
    "timesheets": lambda given: load(given, kind="timesheets"),
    "vector": vector,
    "names": tuple,
}
"""What a parameter reads -> how it is read from what was typed."""


def files(given: str) -> list[str]:
    """The files that `given` stands for: itself, or none for a sample or a built-in body."""
    return [] if given.startswith(PREFIX) or given in BODIES else [split(given)[0]]


def stem(given: str) -> str:
    """What a result made from `given` is called. In a name that is not UTF-8, unknown bytes become a replacement mark."""
    name = Path(split(given)[0].removeprefix(PREFIX)).stem
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def format_name(given: str) -> str:
    """The format of `given`, for people."""
    if given.startswith(PREFIX):
        return "sample"
    suffix = Path(split(given)[0]).suffix.lower()
    return next((known.name for known in FORMATS if suffix in known.suffixes), suffix)


def _check_kind(path: str, known: tuple[str, ...], what: str) -> None:
    """A FormatError if the suffix is unknown; a missing file is reported first."""
    if Path(path).suffix.lower() in known:
        return
    if Path(path).is_dir():
        raise UnreadableFile(path, Note("this is a folder"), Note("name a file in it"))
    if not Path(path).exists():
        raise FileNotFound(path, Note("did you mean {sample}?", sample=PREFIX + path) if path in SAMPLES else "")
    found = quoted(Path(path).suffix) if Path(path).suffix else Note("no suffix")
    raise FormatError(
        path, expected=Note("{what} with a name that ends in {names}", what=what, names=", ".join(known)), found=found
    )
