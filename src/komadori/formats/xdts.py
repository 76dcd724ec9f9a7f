"""XDTS, the exchange digital time sheet of Celsys and Toei (Clip Studio Paint, OpenToonz): timesheets as cell tracks.

A line that names the format, then JSON. A track lists changes only; a cell stays until the next entry, and
SYMBOL_NULL_CELL ends it. The format itself states no frame rate (24 is understood); Clip Studio Paint adds
`frameRate` to a time table, which readers that do not know it pass over, and so do we where the rate is not 24.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from komadori.errors import FormatError, OptionError, at_line, one_of, quoted
from komadori.formats.format import Format
from komadori.json_text import MOST_FRAMES, decoded, frame_rate, loaded, mapping, sequence, text, whole
from komadori.timesheet import Timesheet
from komadori.words import Note

FIRST_LINE = "exchangeDigitalTimeSheet Save Data"
VERSION = 5
CELL_FIELD = 0
BLANK = "SYMBOL_NULL_CELL"
GOES_ON = ("SYMBOL_HYPHEN", "SYMBOL_TICK_1", "SYMBOL_TICK_2")
"""A hyphen says that the cell goes on; ticks ask the in-betweener for a drawing that has no number yet."""

LARGEST = 2**31 - 1
FPS = 24.0
NUMBERINGS = ("source", "drawing")
_NAMED_NUMBER = re.compile(r"[^0-9]*([0-9]{1,10})", re.ASCII)


def emit(sheets: Mapping[str, Timesheet], *, title: str = "komadori", numbering: str = "source") -> bytes:
    """`sheets` (track name -> sheet, the bottom cell first) as an XDTS file.

    A cell's name is a number: with numbering "source" the source frame counted from 1, which reads back exactly;
    with "drawing" 1, 2, 3 in order of first appearance, as an animator numbers drawings.
    """
    if numbering not in NUMBERINGS:
        raise OptionError("numbering", expected=one_of(NUMBERINGS), found=numbering)
    fps = shared_rate(sheets)
    for name, sheet in sheets.items():
        if not len(sheet):
            raise OptionError(Note("track {name!r} has no frames, and XDTS has no way to say so", name=name))
        if sheet.source.max() >= LARGEST:
            raise OptionError(
                Note(
                    "track {name!r} shows frame {frame}; XDTS counts to {most}",
                    name=name,
                    frame=sheet.source.max(),
                    most=LARGEST,
                )
            )
    tracks = [{"trackNo": n, "frames": _entries(sheet, numbering)} for n, sheet in enumerate(sheets.values())]
    table: dict[str, Any] = {
        "name": title,
        "duration": max(len(sheet) for sheet in sheets.values()),
        "timeTableHeaders": [{"fieldId": CELL_FIELD, "names": list(sheets)}],
        "fields": [{"fieldId": CELL_FIELD, "tracks": tracks}],
    }
    if fps != FPS:
        table["frameRate"] = int(fps) if fps.is_integer() else fps
    document = {"header": {"cut": "1", "scene": "1"}, "timeTables": [table], "version": VERSION}
    return f"{FIRST_LINE}\n{json.dumps(document, ensure_ascii=False)}\n".encode("utf-8", "replace")


def shared_rate(sheets: Mapping[str, Timesheet]) -> float:
    """The one frame rate that all `sheets` have; an OptionError where they differ or there are none."""
    rates = {sheet.fps for sheet in sheets.values()}
    if len(rates) != 1:
        found = Note("none") if not rates else " and ".join(f"{rate:g}" for rate in sorted(rates))
        raise OptionError(Note("the tracks of a sheet need one frame rate, found {found}", found=found))
    return rates.pop()


def drawing_numbers(sheet: Timesheet) -> dict[int, int]:
    """Source frame -> drawing number: 1, 2, 3 in order of first appearance."""
    return {source: number for number, source in enumerate(sheet.drawings.tolist(), start=1)}


def _entries(sheet: Timesheet, numbering: str) -> list[dict[str, Any]]:
    numbers = drawing_numbers(sheet) if numbering == "drawing" else None
    cells = [(run.start, str(numbers[run.source] if numbers else run.source + 1)) for run in sheet.runs()]
    return [{"frame": at, "data": [{"id": 0, "values": [cell]}]} for at, cell in [*cells, (len(sheet), BLANK)]]


def parse(data: bytes, name: str) -> dict[str, Timesheet]:
    """The cell tracks of an XDTS file as sheets, track name -> sheet, in the order of their numbers.

    A cell's name must be a number or end in one ("7", "A0007"); the sheet shows source frame number - 1. A track
    that goes blank for good ends there; one that is blank and goes on later is refused, for a sheet always shows
    a drawing. Tracks without any cell are left out.
    """
    content = decoded(data, name)
    first, _, rest = content.partition("\n")
    if first.strip() != FIRST_LINE:
        advice = Note("export it as XDTS") if first.startswith("toeiDigitalTimeSheet") else ""
        raise FormatError(name, at_line(1), expected=quoted(FIRST_LINE), found=quoted(first), advice=advice)
    document = mapping(loaded(rest, name, first_line=2), name, Note("the document"))
    tables = sequence(document.get("timeTables"), name, "timeTables")
    if not tables:
        raise FormatError(name, "timeTables", expected=Note("a time table"), found=Note("an empty list"))
    table = mapping(tables[0], name, Note("time table 1"))
    duration = whole(table.get("duration"), name, "duration", 0, LARGEST)
    fps = frame_rate(table.get("frameRate", FPS), name, "frameRate")
    labels = _labels(table, name)
    taken = 0
    sheets: dict[str, Timesheet] = {}
    counts: dict[str, int] = {}
    for number, entries in _tracks(table, name):
        label = labels[number] if number < len(labels) and labels[number] else f"track {number + 1}"
        changes = _changes(entries, name, Note("track {label}", label=quoted(label)))
        runs = _runs(changes, duration, name, Note("track {label}", label=quoted(label)))
        taken += sum(length for length, _ in runs)
        if taken > MOST_FRAMES:
            raise FormatError(
                name,
                "duration",
                expected=Note("at most {most} frames in all", most=MOST_FRAMES),
                found=f"{taken}",
            )
        if runs:
            lengths, sources = zip(*runs, strict=True)
            sheets[_unused(label, sheets, counts)] = Timesheet(
                fps, np.repeat(np.array(sources, dtype=np.int64), lengths)
            )
    if not sheets:
        raise FormatError(name, expected=Note("a track with cells"), found=Note("none"))
    return sheets


def _labels(table: dict[str, Any], name: str) -> list[str]:
    for header in sequence(table.get("timeTableHeaders", []), name, "timeTableHeaders"):
        entry = mapping(header, name, "timeTableHeaders")
        if entry.get("fieldId") == CELL_FIELD:
            return [text(label, name, "names").strip() for label in sequence(entry.get("names", []), name, "names")]
    return []


def _tracks(table: dict[str, Any], name: str) -> Iterator[tuple[int, list[Any]]]:
    found: dict[int, list[Any]] = {}
    for entry in sequence(table.get("fields", []), name, "fields"):
        field = mapping(entry, name, "fields")
        if field.get("fieldId") != CELL_FIELD:
            continue
        for item in sequence(field.get("tracks", []), name, "tracks"):
            track = mapping(item, name, "tracks")
            number = whole(track.get("trackNo"), name, "trackNo", 0, LARGEST)
            if number in found:
                raise FormatError(
                    name,
                    Note("track {number}", number=number),
                    expected=Note("each trackNo once"),
                    found=Note("it twice"),
                )
            found[number] = sequence(track.get("frames", []), name, Note("track {number}, frames", number=number))
    yield from sorted(found.items())


def _changes(entries: list[Any], name: str, track: str) -> list[tuple[int, str]]:
    """(frame, cell name or BLANK) in order of time; entries that only say "goes on" are left out."""
    changes: dict[int, str] = {}
    for entry in entries:
        item = mapping(entry, name, track)
        frame = whole(item.get("frame"), name, Note("{track}, frame", track=track), -LARGEST, LARGEST)
        place = Note("{track}, frame {frame}", track=track, frame=frame + 1)
        content = sequence(item.get("data"), name, place)
        if not content:
            raise FormatError(name, place, expected=Note("data"), found=Note("an empty list"))
        values = sequence(mapping(content[0], name, place).get("values", []), name, place)
        cell = text(values[0], name, place) if values else BLANK
        if cell not in GOES_ON:
            changes[frame] = cell or BLANK
    # Clip Studio Paint may write what was on show before the first frame at a frame below 0.
    before = [frame for frame in changes if frame < 0]
    if before:
        changes.setdefault(0, changes[max(before)])
    return sorted((frame, cell) for frame, cell in changes.items() if frame >= 0)


def _runs(changes: list[tuple[int, str]], duration: int, name: str, track: str) -> list[tuple[int, int]]:
    """(length, source frame) run by run, up to where the track goes blank for good, or to `duration`."""
    shown = [change for change in changes if change[0] < duration]
    while shown and shown[-1][1] == BLANK:
        duration = shown.pop()[0]
    if not shown:
        return []
    gap = 0 if shown[0][0] > 0 else next((frame for frame, cell in shown if cell == BLANK), None)
    if gap is not None:
        advice = Note("a sheet always shows a drawing: put a cell there, or leave the track out")
        raise FormatError(
            name,
            Note("{track}, frame {gap}", track=track, gap=gap + 1),
            expected=Note("a cell"),
            found=Note("a blank"),
            advice=advice,
        )
    numbers: dict[str, int] = {}
    names: dict[int, str] = {}
    for frame, cell in shown:
        place = Note("{track}, frame {frame}", track=track, frame=frame + 1)
        number = numbers.setdefault(cell, _number(cell, name, place))
        if names.setdefault(number, cell) != cell:
            found = Note("{other} and {cell}", other=quoted(names[number]), cell=quoted(cell))
            raise FormatError(name, place, expected=Note("one cell name a number"), found=found)
    ends = [frame for frame, _ in shown[1:]] + [duration]
    return [(end - frame, numbers[cell] - 1) for (frame, cell), end in zip(shown, ends, strict=True)]


def _number(cell: str, name: str, place: str) -> int:
    match = _NAMED_NUMBER.fullmatch(cell.strip())
    number = int(match[1]) if match else 0
    if not 1 <= number <= LARGEST:
        expected = Note("a cell named by a number from 1 ('7' or 'A7')")
        raise FormatError(
            name, place, expected=expected, found=quoted(cell), advice=Note("rename the cell to a number")
        )
    return number


def _unused(label: str, taken: Mapping[str, Timesheet], counts: dict[str, int]) -> str:
    """A name like `label` that is not taken; `counts` remembers how far each was counted, lest many equal ones take ages."""
    if label not in taken:
        return label
    count = counts.get(label, 2)
    while f"{label} ({count})" in taken:
        count += 1
    counts[label] = count + 1
    return f"{label} ({count})"


FORMAT = Format("XDTS", (".xdts",), read_sheets=parse, write_sheets=emit)
