"""Timesheets as JSON and CSV: for programs, for spreadsheets, and for people who read either.

JSON: {"komadori": "timesheet", "version": 1, "fps": 24, "tracks": {"A": {"source": [0, 0, 3]}}}. A track also lists its
`drawings` and `runs` (start, length, source, drawing) for people; `source` alone is read. CSV: a header, then a
row an output frame: frame, time, then the source frame and the drawing number of each track. Frames count from 0
in both, as in Python; drawings from 1, as on paper.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.formats.format import Format
from komadori.formats.xdts import FPS, drawing_numbers, shared_rate
from komadori.json_text import decoded, frame_rate, kind, loaded, mapping, sequence, whole
from komadori.timesheet import Timesheet
from komadori.words import Note

VERSION = 1
LARGEST = 2**53
"""The largest number that every JSON reader and spreadsheet holds exactly."""

_TIME = re.compile(r"time \(s at ([0-9.eE+-]{1,40}) fps\)")
_FORMULA = ("=", "+", "-", "@")
_SOURCE, _DRAWING = " source", " drawing"


def emit_json(sheets: Mapping[str, Timesheet], *, title: str = "komadori", numbering: str = "source") -> bytes:
    """`sheets` (track name -> sheet) as JSON. Both numberings are in it, so `numbering` changes nothing."""
    fps = shared_rate(sheets)
    document = {
        "komadori": "timesheet",
        "version": VERSION,
        "title": title,
        "fps": int(fps) if fps.is_integer() else fps,
        "tracks": {name: _track(sheet) for name, sheet in sheets.items()},
    }
    pretty = json.dumps(document, ensure_ascii=False, indent=1)
    # Lists of plain numbers belong on one line; a line break never stands inside a JSON string, so names stay as they are.
    flat = re.sub(r"\[\n[\s0-9,]*\]", lambda found: "[" + ", ".join(re.findall("[0-9]+", found[0])) + "]", pretty)
    return (flat + "\n").encode("utf-8", "replace")


def _track(sheet: Timesheet) -> dict[str, Any]:
    numbers = drawing_numbers(sheet)
    return {
        "frames": len(sheet),
        "drawings": len(numbers),
        "source": sheet.source.tolist(),
        "runs (start, length, source, drawing)": [[*run, numbers[run.source]] for run in sheet.runs()],
    }


def parse_json(data: bytes, name: str) -> dict[str, Timesheet]:
    """The sheets in a JSON file of this project, track name -> sheet."""
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
    sheets = {}
    for label, entry in tracks.items():
        place = Note("track {label}", label=quoted(label))
        source = sequence(mapping(entry, name, place).get("source"), name, Note("{place}, source", place=place))
        for frame, value in enumerate(source):
            whole(value, name, Note("{place}, output frame {frame}", place=place, frame=frame), 0, LARGEST)
        sheets[label] = Timesheet(fps, np.array(source, dtype=np.int64))
    return sheets


def emit_csv(sheets: Mapping[str, Timesheet], *, title: str = "komadori", numbering: str = "source") -> bytes:
    """`sheets` (track name -> sheet) as CSV. Both numberings are in it; a title has no place in a plain table."""
    fps = shared_rate(sheets)
    for name in sheets:
        if not name or name != name.strip() or any(not c.isprintable() for c in name):
            raise OptionError(
                Note("a column cannot be called {name!r}: use plain text without spaces around it", name=name)
            )
    rate = str(int(fps)) if fps.is_integer() else repr(fps)
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\r\n")
    columns = [_inert(name) + suffix for name in sheets for suffix in (_SOURCE, _DRAWING)]
    writer.writerow(["frame", f"time (s at {rate} fps)", *columns])
    numbers = [drawing_numbers(sheet) for sheet in sheets.values()]
    shown = [sheet.source.tolist() for sheet in sheets.values()]
    for frame in range(max(map(len, shown))):
        row: list[Any] = [frame, f"{frame / fps:.6f}"]
        for source, number in zip(shown, numbers, strict=True):
            row += [source[frame], number[source[frame]]] if frame < len(source) else ["", ""]
        writer.writerow(row)
    content = rows.getvalue()
    # Excel takes a CSV file for the local code page unless a byte order mark says UTF-8.
    return content.encode("utf-8" if content.isascii() else "utf-8-sig", "replace")


def _inert(title: str) -> str:
    """`title` as a spreadsheet shows it and never computes it: what begins like a formula gets an apostrophe before it."""
    return f"'{title}" if title.lstrip("'").startswith(_FORMULA) else title


def _plain(title: str) -> str:
    """`title` without the apostrophe that `_inert` puts before it."""
    return title[1:] if title.startswith("'") and title.lstrip("'").startswith(_FORMULA) else title


def parse_csv(data: bytes, name: str) -> dict[str, Timesheet]:
    """The sheets in a CSV file, track name -> sheet: every column "<track> source" is a track.

    The rate stands in the time column's title; 24 where there is none. A track that is empty from some row on ends there.
    """
    content = decoded(data, name)
    if "\0" in content:
        raise FormatError(name, expected=Note("text"), found=Note("a zero byte"))
    reader = csv.reader(io.StringIO(content, newline=""))
    try:
        header = [_plain(title.strip()) for title in next(reader, [])]
        columns = {title.removesuffix(_SOURCE): at for at, title in enumerate(header) if title.endswith(_SOURCE)}
        if not columns:
            expected = Note("a column called '<track> source'")
            raise FormatError(name, at_line(1), expected=expected, found=quoted(",".join(header)))
        if len(columns) != sum(title.endswith(_SOURCE) for title in header):
            raise FormatError(
                name, at_line(1), expected=Note("track names that differ"), found=quoted(",".join(header))
            )
        fps = _rate(header, name)
        names = {at: label for label, at in columns.items()}
        sources: dict[str, list[int]] = {label: [] for label in columns}
        rows = 0
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            for at, cell in enumerate(row):
                if at in names and cell.strip():
                    place = Note("line {line}, column {column}", line=reader.line_num, column=quoted(header[at]))
                    source = sources[names[at]]
                    if len(source) != rows:
                        raise FormatError(
                            name, place, expected=Note("a source frame in every row before"), found=Note("a gap")
                        )
                    source.append(_frame(cell.strip(), name, place))
            rows += 1
    except csv.Error as error:
        raise FormatError(name, at_line(reader.line_num), expected=Note("CSV"), found=str(error)) from None
    return {label: Timesheet(fps, np.array(source, dtype=np.int64)) for label, source in sources.items()}


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


def _is_csv(text: str) -> bool:
    return any(title.strip().endswith(_SOURCE) for title in next(csv.reader(text.splitlines()[:1]), []))


JSON = Format("JSON", (".json",), read_sheets=parse_json, write_sheets=emit_json, fits=_is_json)
CSV = Format("CSV", (".csv",), read_sheets=parse_csv, write_sheets=emit_csv, fits=_is_csv)
