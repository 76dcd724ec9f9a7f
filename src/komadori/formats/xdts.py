"""XDTS and TDTS, the digital time sheets of Celsys and Toei (Clip Studio Paint, OpenToonz, Toei's own program): reading.

A line that names the format, then JSON. A track lists changes only; a cell stays until the next entry, and
SYMBOL_NULL_CELL ends it. The formats themselves state no frame rate (24 is understood); Clip Studio Paint adds
`frameRate` to a time table, which readers that do not know it pass over, and so do we where the rate is not 24.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import partial
from typing import Any

import numpy as np

from komadori.cut import Cue, Cut
from komadori.errors import FormatError, at_line, one_line, quoted
from komadori.formats.drawing_names import LARGEST, called
from komadori.formats.drawing_names import numbers as drawing_numbers
from komadori.formats.format import Format, Late
from komadori.json_text import Place, decoded, frame_rate, loaded, mapping, most_frames, sequence, text, whole
from komadori.words import Note

FIRST_LINE = "exchangeDigitalTimeSheet Save Data"
TOEI_LINE = "toeiDigitalTimeSheet Save Data"
ACTION_FIELD, DIALOGUE_FIELD, CELL_FIELD, CAMERA_FIELD = 0, 3, 4, 5
"""Columns of the sheet: key drawings (in XDTS: all cells), dialogue, in TDTS the cells, camera work."""
BLANK, GOES_ON = "SYMBOL_NULL_CELL", "SYMBOL_HYPHEN"
TICKS = ("SYMBOL_TICK_1", "SYMBOL_TICK_2")
"""○ and ●: the in-betweener is asked for a drawing that has no number yet."""
SOURCES = "komadoriSources"
"""Our own entry of a time table whose drawings are numbered by appearance: the source frame, from 1, of each drawing of a track."""

FPS = 24.0


def parse(data: bytes, name: str) -> Cut:
    """The first time table of an XDTS or TDTS file; its cells by track name, in the order of their numbers.

    A cell's name is the number that it ends in ("7", "A0007"), and the sheet shows source frame number - 1; names without a
    number are counted. A track that goes blank for good ends there. Tracks without any cell are omitted.
    """
    content = decoded(data, name).lstrip()
    began = next((line for line in (FIRST_LINE, TOEI_LINE) if content.startswith(line)), None)
    if began is None:
        raise FormatError(name, at_line(1), expected=quoted(FIRST_LINE), found=quoted(content.partition("\n")[0]))
    # Some programs write no line break here; every reader takes the line for a prefix.
    document = mapping(loaded(content[len(began) :], name), name, Note("the document"))
    header, tables, count = _tables(document, name)
    table = mapping(tables[0], name, Note("time table 1"))
    duration = whole(_integral(table.get("duration")), name, "duration", 0, LARGEST)
    most = most_frames(len(data))
    if duration > most:
        raise too_long(duration, most, name)
    fps = frame_rate(table.get("frameRate", FPS), name, "frameRate")
    columns, names, told = _columns(table, duration, most, name)
    if not columns:
        raise FormatError(name, problem=Note("no track with cells"))
    if len(columns) * duration > most:
        raise too_long(len(columns) * duration, most, name)
    if count > 1:
        told.append(Note("the file holds {count} sheets; the first was read", count=count))
    told += _passed_over(table, began == TOEI_LINE, columns, name)
    heading = {key: _said(header, key, name) for key in ("cut", "scene", "episode")}
    return Cut.of_numbers(
        fps,
        columns,
        frames=duration,
        names=names,
        dialogue=_cues(table, DIALOGUE_FIELD, duration, name),
        camera=_cues(table, CAMERA_FIELD, duration, name),
        title=_said(table, "name", name),
        notes=tuple(told),
        **heading,
    )


def too_long(frames: int, most: int, name: str) -> FormatError:
    """The error for a sheet that would take too much memory."""
    return FormatError(name, "duration", expected=Note("at most {most} frames in total", most=most), found=f"{frames}")


def _tables(document: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Any], int]:
    """The heading and the time tables: of the document, or (from version 7 of TDTS on) of its first sheet; and how many there are."""
    others = 0
    if "timeSheets" in document:
        sheets = sequence(document["timeSheets"], name, "timeSheets")
        if not sheets:
            raise FormatError(name, "timeSheets", problem=Note("the file has no time table"))
        # The sheets of a cut whose drawings serve other cuts as well (兼用) stand beside one another.
        others = len(sheets) - 1
        document = mapping(sheets[0], name, "timeSheets")
    tables = sequence(document.get("timeTables"), name, "timeTables")
    if not tables:
        raise FormatError(name, "timeTables", problem=Note("the file has no time table"))
    return mapping(document.get("header", {}), name, "header"), tables, len(tables) + others


def _passed_over(table: dict[str, Any], toei: bool, columns: Container[str], name: str) -> list[Note]:
    """What stands on the sheet and was not read."""
    told = []
    if toei:
        labels = _labels(table, ACTION_FIELD, name)
        drawn = [
            labels[number]
            for number, entries in _tracks(table, ACTION_FIELD, name)
            if entries and number < len(labels) and labels[number] and labels[number] not in columns
        ]
        if drawn:
            template = (
                "The cels were read from the CELL columns; ACTION columns without a CELL column were not read: {names}"
            )
            told.append(Note(template, names=one_line(", ".join(drawn), 80)))
    kinds = (
        ("books", Note("BOOK names")),
        ("direction", Note("the director's memo")),
        ("operatorName", Note("the artist's name")),
    )
    told += [Note("Also on the sheet, but not read: {what}", what=what) for key, what in kinds if table.get(key)]
    return told


def _said(holder: dict[str, Any], key: str, name: str) -> str:
    value = holder.get(key)
    value = "" if value is None else value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text(value, name, key)


def _integral(value: Any) -> Any:
    """`value`, a whole number where some program wrote it with a point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _columns(
    table: dict[str, Any], duration: int, most: int, name: str
) -> tuple[dict[str, Any], dict[str, dict[int, str]], list[Note]]:
    """(frames,) numbers of each track with cells: those of the cell field if it has any, else of the action field; what
    drawings are called; and notes."""
    sources = mapping(table.get(SOURCES, {}), name, SOURCES)
    for field in (CELL_FIELD, ACTION_FIELD):
        columns: dict[str, Any] = {}
        names: dict[str, dict[int, str]] = {}
        counts: dict[str, int] = {}
        told: list[Note] = []
        labels = _labels(table, field, name)
        taken = 0
        for number, entries in _tracks(table, field, name):
            label = labels[number] if number < len(labels) and labels[number] else f"track {number + 1}"
            place = Note("track {label}", label=quoted(label))
            runs = _runs(_changes(entries, name, place), duration)
            taken += sum(length for length, _ in runs)
            if taken > most:
                raise too_long(taken, most, name)
            known, note = drawing_numbers((cell for _, cell in runs if cell != BLANK), label)
            told += [note] if note is not None else []
            shown = [known.get(cell, 0) for _, cell in runs]
            if not any(shown):
                continue
            label = unused(label, columns, counts)
            if str(number) in sources:
                shown = _sourced(shown, sources[str(number)], name, place)
            else:
                names[label] = called(known)
            columns[label] = np.repeat(np.array(shown, dtype=np.int64), [length for length, _ in runs])
        if columns:
            return columns, names, told
    return {}, {}, []


def _labels(table: dict[str, Any], field: int, name: str) -> list[str]:
    for header in sequence(table.get("timeTableHeaders", []), name, "timeTableHeaders"):
        entry = mapping(header, name, "timeTableHeaders")
        if entry.get("fieldId") == field:
            return [text(label, name, "names").strip() for label in sequence(entry.get("names", []), name, "names")]
    return []


def _tracks(table: dict[str, Any], wanted: int, name: str) -> Iterator[tuple[int, list[Any]]]:
    found: dict[int, list[Any]] = {}
    for entry in sequence(table.get("fields", []), name, "fields"):
        field = mapping(entry, name, "fields")
        if field.get("fieldId") != wanted:
            continue
        for item in sequence(field.get("tracks", []), name, "tracks"):
            track = mapping(item, name, "tracks")
            number = whole(track.get("trackNo"), name, "trackNo", 0, LARGEST)
            if number in found:
                raise FormatError(
                    name,
                    Note("track {number}", number=number),
                    problem=Note("this trackNo is used twice"),
                )
            found[number] = sequence(track.get("frames", []), name, Note("track {number}, frames", number=number))
    yield from sorted(found.items())


def _entries(entries: list[Any], name: str, track: str) -> Iterator[tuple[int, list[str]]]:
    """(frame, values) of each entry of a track."""
    of_frame = Note("{track}, frame", track=track)
    for entry in entries:
        item = mapping(entry, name, track)
        frame = whole(item.get("frame"), name, of_frame, -LARGEST, LARGEST)
        place = partial(Note, "{track}, frame {frame}", track=track, frame=frame + 1)
        content = sequence(item.get("data"), name, place)
        if not content:
            # An entry without data says nothing: what stood before continues.
            continue
        values = sequence(mapping(content[0], name, place).get("values", []), name, place)
        yield frame, [_word(value, name, place) for value in values[:2]]


def _word(value: Any, name: str, place: Place) -> str:
    """`value` as the text that it should be: some programs write drawing numbers as numbers."""
    whole_number = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole_number else text(value, name, place)


def _changes(entries: list[Any], name: str, track: str) -> list[tuple[int, str]]:
    """(frame, cell name or BLANK) in order of time; entries that only say "continues" are omitted."""
    changes: dict[int, str] = {}
    for frame, values in _entries(entries, name, track):
        cell = values[0] if values else BLANK
        if cell != GOES_ON and cell not in TICKS:
            changes[frame] = cell or BLANK
    # Clip Studio Paint may write what was on show before the first frame at a frame below 0.
    before = [frame for frame in changes if frame < 0]
    if before:
        changes.setdefault(0, changes[max(before)])
    return sorted((frame, cell) for frame, cell in changes.items() if frame >= 0)


def _runs(changes: list[tuple[int, str]], duration: int) -> list[tuple[int, str]]:
    """(length, cell) run by run, up to where the track goes blank for good, or to `duration`."""
    shown = [change for change in changes if change[0] < duration]
    while shown and shown[-1][1] == BLANK:
        duration = shown.pop()[0]
    if not shown:
        return []
    if shown[0][0] > 0:
        shown.insert(0, (0, BLANK))
    ends = [frame for frame, _ in shown[1:]] + [duration]
    return [(end - frame, cell) for (frame, cell), end in zip(shown, ends, strict=True)]


def _sourced(numbers: list[int], listed: Any, name: str, track: str) -> list[int]:
    """Drawing numbers as source frames from 1, as our own entry lists them."""
    place = Note("{track}, {entry}", track=track, entry=SOURCES)
    frames = [whole(value, name, place, 1, LARGEST) for value in sequence(listed, name, place)]
    if max(numbers, default=0) > len(frames):
        raise FormatError(
            name,
            place,
            expected=Note("a source frame for drawing {number}", number=max(numbers)),
            found=f"{len(frames)}",
        )
    return [frames[number - 1] if number else 0 for number in numbers]


def _cues(table: dict[str, Any], field: int, duration: int, name: str) -> tuple[Cue, ...]:
    """Dialogue or camera work: an entry begins a cue, hyphens carry it on. What lies outside the cut is omitted."""
    labels = _labels(table, field, name)
    cues = []
    for number, entries in _tracks(table, field, name):
        label = labels[number] if number < len(labels) else ""
        begun: list[Any] | None = None
        place = Note("track {label}", label=quoted(label or str(number + 1)))
        for frame, values in sorted(_entries(entries, name, place)):
            said = values[0] if values else ""
            if not 0 <= frame < duration:
                continue
            if said == GOES_ON:
                if begun is not None:
                    begun[1] = frame + 1 - begun[0]
                continue
            if begun is not None:
                cues.append(Cue(*begun))
            begun = None
            if said == BLANK or not any(values):
                continue
            # Dialogue is a speaker and a line; camera work its kind, in Toei's sheets with a second text (A → B).
            spoken = values[1:] if field == DIALOGUE_FIELD else [more for more in values[1:] if more]
            begun = [frame, 1, spoken[0] if spoken else said, said if spoken else "", label]
        if begun is not None:
            cues.append(Cue(*begun))
    return tuple(cues)


def unused(label: str, taken: Container[str], counts: dict[str, int]) -> str:
    """A name like `label` that is not taken; `counts` remembers how far each was counted, so that many equal names do not take long."""
    if label not in taken:
        return label
    count = counts.get(label, 2)
    while f"{label} ({count})" in taken:
        count += 1
    counts[label] = count + 1
    return f"{label} ({count})"


_WRITING = "komadori.formats.xdts_writing"
FORMAT = Format(
    "XDTS", (".xdts",), read_sheets=parse, write_sheets=Late(_WRITING, "emit"), left_out_sheets=Late(_WRITING, "lost")
)
TOEI = Format(
    "TDTS",
    (".tdts",),
    read_sheets=parse,
    write_sheets=Late(_WRITING, "emit_toei"),
    left_out_sheets=Late(_WRITING, "lost_toei"),
)
