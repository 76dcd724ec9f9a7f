"""TRC marker files, as Cortex and OpenSim write them: text with one row per frame and three columns per marker.

Line 1 names the type, lines 2 and 3 the rate, the counts and the unit, line 4 the markers, line 5 their axes (X1, Y1, Z1), and from
there on each row is a frame number, a time and the places; an empty cell is a marker that was not seen. Programs put tabs between
the cells, a few of them spaces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from komadori import rates
from komadori.errors import FormatError, at_line, one_line, quoted
from komadori.files import read_bytes
from komadori.formats import rigid
from komadori.formats.format import Format, refuse
from komadori.formats.markers import METRES, MOST_MARKER_FRAMES, Markers, as_motion
from komadori.json_text import decoded
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Fact, Note

FIRST = "PathFileType"
MOST_RATE = 1e5
CLEARLY = 1.2
"""Markers that reach so many times as far along one axis as along another stand along it."""
SAMPLES = 64
FARTHEST_M = 1e9
"""A marker beyond this was not seen: programs write such numbers if they have none."""


def parse(data: bytes, name: str) -> Markers:
    """The markers of a TRC file, in metres with Y up."""
    lines = decoded(data, name).replace("\0", "").splitlines()
    if not lines or not lines[0].lstrip().startswith(FIRST):
        raise FormatError(name, at_line(1), expected=quoted(FIRST), found=quoted(lines[0] if lines else ""))
    keys, values = (_cells(lines[at]) if at < len(lines) else [] for at in (1, 2))
    told = dict(zip(keys, values, strict=False))
    names_at = next((at for at in range(3, min(len(lines), 12)) if lines[at].lstrip().startswith("Frame#")), None)
    if names_at is None:
        raise FormatError(
            name, at_line(4), problem=Note("{text} is missing in the head of the file", text=quoted("Frame#"))
        )
    spaced = "\t" not in lines[names_at]
    rows = [(at + 1, lines[at]) for at in range(names_at + 1, len(lines)) if lines[at].strip()]
    rows = rows[1:] if rows and not _is_row(rows[0][1]) else rows
    count = _count(told, lines[names_at], rows, spaced, name)
    if count * len(rows) > MOST_MARKER_FRAMES:
        expected = Note("at most {most:,} markers x frames", most=MOST_MARKER_FRAMES)
        raise FormatError(name, expected=expected, found=f"{count} x {len(rows)}")
    notes: list[Note] = []
    labels = _labels(lines[names_at], count, spaced)
    moments, places = _places(rows, count, spaced, name)
    places = places * _metres(told.get("Units", ""), notes)
    valid = np.asarray((np.abs(places) < FARTHEST_M).all(axis=-1))
    places = np.where(valid[..., None], places, np.nan)
    if _up(places) == "Z":
        notes.append(Note("No up axis in the file; assumed Z, along which the markers stand."))
        places = places @ rigid.Y_UP_FROM_Z_UP.T
    else:
        notes.append(Fact("No up axis in the file; assumed Y."))
    return Markers(labels, _rate(told, moments, name), places, valid, tuple(notes))


def _cells(line: str) -> list[str]:
    """The cells of a line; the tabs that stand between them, else spaces."""
    return [cell.strip() for cell in (line.rstrip("\r\n").split("\t") if "\t" in line else line.split())]


def _is_row(line: str) -> bool:
    return line.split(maxsplit=1)[0].lstrip("+").isdigit() if line.strip() else False


def _count(told: dict[str, str], titles: str, rows: list[tuple[int, str]], spaced: bool, name: str) -> int:
    """How many markers there are: as stated where the rows have so many columns, else as many as they have."""
    if not rows:
        raise FormatError(name, problem=Note("the file has no rows of markers"))
    line, first = rows[0]
    cells = first.split() if spaced or "\t" not in first else first.rstrip("\t\r ").split("\t")
    stated = told.get("NumMarkers", "")
    count = int(stated) if stated.isascii() and stated.isdigit() and len(stated) <= 7 else 0
    wide = -(-(len(cells) - 2) // 3)
    named = len([cell for cell in _cells(titles)[2:] if cell])
    # An empty cell at the end of a row is often left out: rows may be shorter than stated, never longer.
    if count < max(wide, 1) or count > max(wide, named, 1):
        raise FormatError(
            name,
            at_line(line),
            expected=Note("{count} markers in 3 columns each", count=stated or "NumMarkers"),
            found=Note("{count} columns", count=max(len(cells) - 2, 0)),
        )
    return count


def _labels(titles: str, count: int, spaced: bool) -> tuple[str, ...]:
    """The markers' names: one over three columns; some programs name every column."""
    given = [cell for cell in (titles.split() if spaced else _cells(titles))[2:] if cell]
    if len(given) == 3 * count:
        given = [cell.rstrip("xX").rstrip("_.: ") or cell for cell in given[::3]]
    named = [one_line(label, 120) for label in given[:count]]
    return rigid.different(named + [f"marker {place + 1}" for place in range(len(named), count)])


def _places(rows: list[tuple[int, str]], count: int, spaced: bool, name: str) -> tuple[list[float], Array]:
    """The time (F,) of each row and the positions (F, count, 3), NaN where a cell is empty."""
    width = 2 + 3 * count
    places = np.full((len(rows), 3 * count), np.nan)
    moments = []
    for frame, (line, row) in enumerate(rows):
        cells = row.split() if spaced or "\t" not in row else row.split("\t")
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        if len(cells) > width or not cells[0].strip().lstrip("+").isdigit():
            expected = Note("a frame number, a time and {count} places", count=count)
            raise FormatError(name, at_line(line), expected=expected, found=quoted(row.strip()[:60]))
        numbers = list(_numbers(cells[1:], name, line))
        moments.append(numbers[0] if numbers else math.nan)
        places[frame, : max(len(numbers) - 1, 0)] = numbers[1:]
    return moments, places.reshape(len(rows), count, 3)


def _numbers(cells: list[str], name: str, line: int) -> Iterator[float]:
    for cell in cells:
        try:
            yield float(cell) if cell and not cell.isspace() and len(cell) < 60 else math.nan
        except ValueError:
            raise FormatError(name, at_line(line), expected=Note("a number"), found=quoted(cell)) from None


def _rate(told: dict[str, str], moments: list[float], name: str) -> float:
    """The rate that the file states, or that its times make."""
    for key in ("DataRate", "CameraRate"):
        try:
            rate = float(told.get(key, ""))
        except ValueError:
            continue
        if 0.0 < rate <= MOST_RATE:
            return rates.meant(1.0 / rate)
    steps = np.diff([moment for moment in moments if math.isfinite(moment)])
    step = float(np.median(steps)) if len(steps) else 0.0
    if not 1.0 / MOST_RATE <= step < math.inf:
        raise FormatError(
            name, at_line(3), expected=Note("a frame rate above 0"), found=quoted(told.get("DataRate", ""))
        )
    return rates.meant(step)


def _metres(unit: str, notes: list[Note]) -> float:
    if unit.casefold() not in METRES:
        notes.append(Note("Unknown unit in the file ({unit}); assumed millimetres.", unit=quoted(unit, 20)))
    return METRES.get(unit.casefold(), METRES["mm"])


def _up(places: Array) -> str:
    """The axis along which the markers of a frame reach farthest, Y or Z; Y if it is not clear."""
    sample = places[:: max(1, len(places) // SAMPLES)]
    seen = sample[np.isfinite(sample).all(axis=-1).sum(axis=-1) > 1]
    if not len(seen):
        return "Y"
    _, y, z = np.median(np.nanmax(seen, axis=1) - np.nanmin(seen, axis=1), axis=0)
    return "Z" if z > CLEARLY * y else "Y"


def _read_file(path: Path, unit: str | None, clip: str | None) -> Motion:
    refuse(path, unit=unit, clip=clip)
    return as_motion(parse(read_bytes(path), str(path)), path)


FORMAT = Format("TRC", (".trc",), read=_read_file, advice=Note("TRC is read only"))
