"""Where results go: paths are checked before the work, and every file is complete in memory before one is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from komadori import formats
from komadori.errors import OptionError, OutputError, quoted
from komadori.files import write_bytes
from komadori.formats import FORMATS, LONE_TRACK, encoded, suffixes
from komadori.motion import Motion
from komadori.result import Result
from komadori.timesheet import Timesheet
from komadori.words import Note

MOTION = suffixes("write")
SHEET = suffixes("write_sheets")
PICTURE = (".svg", ".pdf", ".png")

Files = list[tuple[str, bytes]]
"""Paths, and what will be written to each."""


def check_suffix(flag: str, path: str, known: Iterable[str]) -> None:
    """An OptionError that lists what `flag` can write if `path` ends in something else."""
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        hint = next((form.advice for form in FORMATS if suffix in form.suffixes and form.advice), "")
        raise OptionError(
            flag, expected=Note("a file name that ends in {names}", names=_or(list(known))), found=path, advice=hint
        )


def check_paths(outputs: Sequence[str], inputs: Sequence[str] = ()) -> None:
    """An error if an output is a folder, would replace an input, or is named twice."""
    for place, path in enumerate(outputs):
        if Path(path).is_dir():
            raise OutputError(path, Note("this is a folder; name a file in it"))
        if any(_same(path, other) for other in inputs):
            raise OptionError(Note("{path} is also an input; write the result to another file", path=quoted(path)))
        if any(_same(path, other) for other in outputs[:place]):
            raise OptionError(Note("{path} is named twice; give each output its own file", path=quoted(path)))


def left_out(thing: Motion, path: str | None) -> tuple[Note, ...]:
    """What the file at `path`, if there is one, does not carry of a motion; a character's file carries all of it."""
    if path is None or Path(path).suffix.lower() not in MOTION:
        return ()
    return formats.left_out(thing, path)


def left_out_sheets(sheets: Mapping[str, Timesheet], path: str) -> tuple[Note, ...]:
    """What the file at `path` does not carry of timesheets; a printed one carries all."""
    return () if Path(path).suffix.lower() in PICTURE else formats.left_out(sheets, path)


def strictly_refused(path: str, lost: Sequence[Note]) -> OutputError:
    """The error of --strict: what the file at `path` could not hold."""
    text = "--strict is set, and not everything fits ({reasons})"
    return OutputError(path, Note(text, reasons=listed(lost)))


def listed(notes: Sequence[Note]) -> Note:
    """Several notes as one, which every language can say."""
    first, *rest = notes
    return first if not rest else Note("{first}; {second}", first=first, second=listed(rest))


def sheet_files(sheets: Mapping[str, Timesheet], path: str, title: str, language: str, seconds: int = 6) -> Files:
    """Timesheets as data, or as they are printed; a long one as .svg or .png has one file per page."""
    if Path(path).suffix.lower() not in PICTURE:
        return [(path, encoded(sheets, path))]
    from komadori.render import drawing
    from komadori.render.sheets import printed_sheet

    return _named(drawing.encoded(printed_sheet(sheets, title=title, language=language, seconds=seconds), path))


def chart_files(result: Result, path: str, title: str, language: str) -> Files:
    """The chart of a result, drawn."""
    from komadori.render import drawing
    from komadori.render.results import chart

    return _named(drawing.encoded(chart(result, title, language), path))


def strip_files(result: Result, path: str) -> Files:
    """The poses of a result in a row."""
    from komadori.render import drawing
    from komadori.render.results import strip

    return _named(drawing.encoded(strip(result), path))


def tracks(result: Result) -> Mapping[str, Timesheet]:
    """The sheets of a result by track: one for each part of the body, or a lone one."""
    layers: Mapping[str, Timesheet] = getattr(result, "layers", {})
    return layers or ({} if result.sheet is None else {LONE_TRACK: result.sheet})


def write_all(files: Files) -> None:
    """Write every file, each whole or not at all; missing folders are made."""
    for path, data in files:
        write_bytes(path, data)


def _named(files: Mapping[Path, bytes]) -> Files:
    return [(str(path), data) for path, data in files.items()]


def _same(one: str, other: str) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False


def _or(words: Sequence[str]) -> str:
    return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
