"""Timesheets as JSON and CSV: for programs, for spreadsheets, and for people who read either.

JSON: {"komadori": "timesheet", "version": 1, "fps": 24, "tracks": {"A": {"source": [0, 0, 3]}}}. A track also lists its
`drawings` and `runs` (start, length, source, drawing) for people; `source` and, where a cel is empty, `blank` are read.
CSV: a header, then a row an output frame: frame, time, then the source frame and the drawing number of each track (× where
its cel is empty). Frames count from 0 in both, as in Python; drawings from 1, as on paper. The tables of other programs are
recognised by their first line, and read as well.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from komadori.cut import NUMBERINGS, Cue, Cut, drawing_numbers, numbered
from komadori.errors import FormatError, OptionError, at_line, one_of, quoted
from komadori.formats import celsys_csv, tvpaint_csv
from komadori.formats.cells import inert, plain
from komadori.formats.format import Format
from komadori.formats.sheet_losses import checked_length, lost
from komadori.formats.xdts import FPS
from komadori.json_text import decoded, frame_rate, kind, loaded, mapping, most_frames, sequence, text, whole
from komadori.timesheet import Timesheet
from komadori.words import Note

VERSION = 1
LARGEST = 2**53
"""The largest number that every JSON reader and spreadsheet holds exactly."""

_TIME = re.compile(r"time \(s at ([0-9.eE+-]{1,40}) fps\)")
_SOURCE, _DRAWING = " source", " drawing"


def emit_json(sheets: Mapping[str, Timesheet], *, title: str = "") -> bytes:
    """`sheets` (track name -> sheet) as JSON. Both numberings of drawings are in it."""
    cut = Cut.of(sheets)
    heading = {key: value for key in ("episode", "scene", "cut") if (value := getattr(cut, key))}
    cues = {key: [list(cue) for cue in value] for key in ("dialogue", "camera") if (value := getattr(cut, key))}
    longer = {"frames": cut.frames} if cut.frames > max(map(len, cut.values())) else {}
    document = {
        "komadori": "timesheet",
        "version": VERSION,
        "title": title or cut.title or "komadori",
        **heading,
        "fps": int(cut.fps) if cut.fps.is_integer() else cut.fps,
        **longer,
        **({} if cut.numbering == "source" else {"numbering": cut.numbering}),
        "tracks": {name: _track(cut, name) for name in cut},
        **cues,
    }
    pretty = json.dumps(document, ensure_ascii=False, indent=1)
    # Lists of plain numbers belong on one line; a line break never stands inside a JSON string, so names stay as they are.
    flat = re.sub(r"\[\n[\s0-9,]*\]", lambda found: "[" + ", ".join(re.findall("[0-9]+", found[0])) + "]", pretty)
    data = (flat + "\n").encode("utf-8", "replace")
    return checked_length(data, cut, "JSON")


def _track(cut: Cut, name: str) -> dict[str, Any]:
    sheet, blank, names = cut[name], cut.blank.get(name, ()), cut.names.get(name, {})
    numbers = drawing_numbers(sheet)
    return {
        "frames": len(sheet),
        "drawings": len(numbers),
        "source": sheet.source.tolist(),
        "runs (start, length, source, drawing)": [[*run, numbers[run.source]] for run in sheet.runs()],
        **({"blank": list(blank)} if blank else {}),
        **({"names": {str(number): called for number, called in names.items()}} if names else {}),
    }


def parse_json(data: bytes, name: str) -> Cut:
    """The sheets in a JSON file of this project."""
    document = mapping(loaded(decoded(data, name), name), name, Note("the document"))
    if document.get("komadori") != "timesheet":
        found = kind(document.get("komadori"))
        raise FormatError(
            name, "komadori", expected=Note("'timesheet'"), found=found, advice=Note("this is not a sheet")
        )
    version = whole(document.get("version"), name, "version", 1, LARGEST)
    if version != VERSION:
        advice = Note("it comes from a newer komadori")
        raise FormatError(name, "version", expected=str(VERSION), found=str(version), advice=advice)
    fps = frame_rate(document.get("fps"), name, "fps")
    tracks = mapping(document.get("tracks"), name, "tracks")
    if not tracks:
        raise FormatError(name, "tracks", expected=Note("a track"), found=Note("none"))
    sheets, blank, names = {}, {}, {}
    for label, entry in tracks.items():
        place = Note("track {label}", label=quoted(label))
        track = mapping(entry, name, place)
        source = sequence(track.get("source"), name, Note("{place}, source", place=place))
        for frame, value in enumerate(source):
            whole(value, name, partial(Note, "{place}, output frame {frame}", place=place, frame=frame), 0, LARGEST)
        sheets[label] = Timesheet(fps, np.array(source, dtype=np.int64))
        marks = sequence(track.get("blank", []), name, Note("{place}, blank", place=place))
        blank[label] = tuple(
            whole(mark, name, Note("{place}, blank", place=place), 0, len(source) - 1) for mark in marks
        )
        names[label] = _names(track.get("names", {}), name, Note("{place}, names", place=place))
    longest = max(map(len, sheets.values()))
    frames = whole(document.get("frames", longest), name, "frames", longest, most_frames(len(data)) // len(sheets))
    said: dict[str, Any] = {key: text(document.get(key, ""), name, key) for key in ("title", "episode", "scene", "cut")}
    cues: dict[str, Any] = {key: _cues(document.get(key, []), frames, name, key) for key in ("dialogue", "camera")}
    numbering = document.get("numbering", "source")
    if numbering not in NUMBERINGS:
        raise FormatError(name, "numbering", expected=one_of(NUMBERINGS), found=kind(numbering))
    return Cut(sheets, frames=frames, blank=blank, names=names, numbering=numbering, **said, **cues)


def _names(given: Any, name: str, place: Note) -> dict[int, str]:
    """What drawings are called, by number; JSON has the numbers as text."""
    listed = mapping(given, name, place)
    if not all(number.isascii() and number.isdecimal() and len(number) <= 16 for number in listed):
        raise FormatError(name, place, expected=Note("numbers of drawings"), found=quoted(", ".join(listed)))
    return {int(number): text(called, name, place) for number, called in listed.items()}


def _cues(listed: Any, frames: int, name: str, what: str) -> tuple[Cue, ...]:
    cues = []
    for number, item in enumerate(sequence(listed, name, what), start=1):
        place = Note("{what}, cue {number}", what=what, number=number)
        values = sequence(item, name, place)
        if len(values) != len(Cue._fields):
            expected = Note("a list of {count} numbers and words", count=len(Cue._fields))
            raise FormatError(name, place, expected=expected, found=f"{len(values)}")
        start = whole(values[0], name, place, 0, frames - 1)
        length = whole(values[1], name, place, 1, frames - start)
        cues.append(Cue(start, length, *(text(value, name, place) for value in values[2:])))
    return tuple(cues)


def emit_csv(sheets: Mapping[str, Timesheet]) -> bytes:
    """`sheets` (track name -> sheet) as CSV. Both numberings are in it; a heading has no place in a plain table."""
    cut = Cut.of(sheets)
    fps = cut.fps
    for name in cut:
        if not name or name != name.strip() or any(not c.isprintable() for c in name):
            raise OptionError(
                Note("a column cannot be called {name!r}: use plain text without spaces around it", name=name)
            )
    rate = str(int(fps)) if fps.is_integer() else repr(fps)
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\r\n")
    columns = [inert(name) + suffix for name in cut for suffix in (_SOURCE, _DRAWING)]
    writer.writerow(["frame", f"time (s at {rate} fps)", *columns])
    shown = [_shown(sheet, cut.blank.get(name, ())) for name, sheet in cut.items()]
    for frame in range(cut.frames):
        pairs = [pair for track in shown for pair in (track[frame] if frame < len(track) else ("", ""))]
        writer.writerow([frame, f"{frame / fps:.6f}", *pairs])
    content = rows.getvalue()
    # Excel takes a CSV file for the local code page unless a byte order mark says UTF-8.
    return content.encode("utf-8" if content.isascii() else "utf-8-sig", "replace")


def _shown(sheet: Timesheet, blank: tuple[int, ...]) -> list[tuple[int, Any]]:
    """(source frame, drawing number) of each frame."""
    numbers: list[Any] = numbered(sheet).tolist()
    for frame in blank:
        numbers[frame] = celsys_csv.EMPTY
    return list(zip(sheet.source.tolist(), numbers, strict=True))


def parse_csv(data: bytes, name: str) -> Cut:
    """The sheets in a CSV file: every column "<track> source" is a track. Tables of Celsys' programs and TVPaint are read as such.

    The rate stands in the time column's title; 24 if there is none. A track that is empty from some row on ends there.
    """
    content = celsys_csv.text_of(data, name)
    if tvpaint_csv.begins(content):
        return tvpaint_csv.parse(data, name)
    if celsys_csv.begins(content) and not _is_ours(content):
        return celsys_csv.parse(data, name)
    if "\0" in content:
        raise FormatError(name, expected=Note("text"), found=Note("a zero byte"))
    reader = csv.reader(io.StringIO(content, newline=""))
    try:
        header = [plain(title.strip()) for title in next(reader, [])]
        columns = {title.removesuffix(_SOURCE): at for at, title in enumerate(header) if title.endswith(_SOURCE)}
        if not columns:
            expected = Note("a column called '<track> source'")
            raise FormatError(name, at_line(1), expected=expected, found=quoted(",".join(header)))
        if len(columns) != sum(title.endswith(_SOURCE) for title in header):
            raise FormatError(
                name, at_line(1), problem=Note("two tracks have the same name: {names}", names=quoted(",".join(header)))
            )
        fps = _rate(header, name)
        names = {at: label for label, at in columns.items()}
        marks = {at: title.removesuffix(_DRAWING) for at, title in enumerate(header) if title.endswith(_DRAWING)}
        sources: dict[str, list[int]] = {label: [] for label in columns}
        blank: dict[str, list[int]] = {label: [] for label in columns}
        rows, most = 0, most_frames(len(data))
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if (rows + 1) * len(header) > most:
                raise FormatError(name, expected=Note("at most {most} frames in total", most=most), found=f"{rows + 1}")
            for at, cell in enumerate(row):
                if at in names and cell.strip():
                    place = Note("line {line}, column {column}", line=reader.line_num, column=quoted(header[at]))
                    source = sources[names[at]]
                    if len(source) != rows:
                        raise FormatError(name, place, problem=Note("a row above has no source frame"))
                    source.append(_frame(cell.strip(), name, place))
            for at, label in marks.items():
                if at < len(row) and row[at].strip() == celsys_csv.EMPTY and len(sources.get(label, ())) > rows:
                    blank[label].append(rows)
            rows += 1
    except csv.Error as error:
        raise FormatError(name, at_line(reader.line_num), expected=Note("CSV"), found=str(error)) from None
    tracks = {label: Timesheet(fps, np.array(source, dtype=np.int64)) for label, source in sources.items()}
    frames = max(rows, *map(len, tracks.values()))
    return Cut(tracks, frames=frames, blank={label: tuple(marked) for label, marked in blank.items()})


def _rate(header: list[str], name: str) -> float:
    for title in header:
        match = _TIME.fullmatch(title)
        if match:
            try:
                value: float = float(match[1])
            except ValueError:
                value = math.nan
            return frame_rate(value, name, Note("line 1, time"))
    return FPS


def _frame(cell: str, name: str, place: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 16):
        raise FormatError(
            name, place, expected=Note("a whole number from 0 to {most}", most=LARGEST), found=quoted(cell)
        )
    return whole(int(cell), name, place, 0, LARGEST)


def _is_json(value: Any) -> bool:
    return isinstance(value, dict) and value.get("komadori") == "timesheet"


def _is_ours(content: str) -> bool:
    return any(title.strip().endswith(_SOURCE) for title in next(csv.reader(content.splitlines()[:1]), []))


def _is_csv(content: str) -> bool:
    return celsys_csv.begins(content) or tvpaint_csv.begins(content) or _is_ours(content)


def _lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    return lost(Cut.of(sheets), "CSV")


JSON = Format("JSON", (".json",), read_sheets=parse_json, write_sheets=emit_json, fits=_is_json)
CSV = Format("CSV", (".csv",), read_sheets=parse_csv, write_sheets=emit_csv, left_out_sheets=_lost, fits=_is_csv)
