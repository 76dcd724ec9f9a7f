"""Takes (.csv): the path of a puppet's handle, a line of x, y, z or t, x, y, z for every moment."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from komadori.errors import FormatError, at_line, quoted
from komadori.formats.format import Format
from komadori.json_text import decoded
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.methods.puppet.take import Take

_COLUMNS = (["x", "y", "z"], ["t", "x", "y", "z"])


def parse(data: bytes, name: str, fps: float = 24.0) -> Take:
    """A take from lines of x, y, z (one per frame at `fps`) or t, x, y, z (seconds first); a line of names may stand above."""
    from komadori.methods.puppet.take import Take

    rows: list[list[float]] = []
    columns = 0
    for number, line in enumerate(decoded(data, name).splitlines(), start=1):
        cells = [cell.strip().lower() for cell in line.split(",")]
        if not any(cells):
            continue
        if not rows and columns == 0 and cells in _COLUMNS:
            columns = len(cells)
            continue
        columns = columns or len(cells)
        if len(cells) != columns or columns not in (3, 4):
            expected = (
                Note("{columns} numbers", columns=columns) if columns in (3, 4) else Note("x, y, z or t, x, y, z")
            )
            raise FormatError(name, at_line(number), expected=expected, found=quoted(line))
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            row = [math.nan]
        if not all(abs(value) <= 1e9 for value in row):
            advice = Note("a path must have no gaps")
            raise FormatError(
                name,
                at_line(number),
                expected=Note("{columns} numbers", columns=columns),
                found=quoted(line),
                advice=advice,
            )
        if columns == 4 and rows and row[0] <= rows[-1][0]:
            raise FormatError(
                name,
                at_line(number),
                expected=Note("a time after {seconds:g} s", seconds=rows[-1][0]),
                found=f"{row[0]:g}",
            )
        rows.append(row)
    if not rows:
        raise FormatError(name, expected=Note("lines of x, y, z"), found=Note("none"))
    table = np.array(rows)
    return Take.recorded(table, fps) if columns == 3 else Take(table[:, 1:], table[:, 0])


def emit(take: Take) -> bytes:
    """The take as lines of t, x, y, z: seconds and metres, in full."""
    rows = np.column_stack([take.times, take.path]).tolist()
    return "\n".join(["t,x,y,z", *(",".join(map(repr, row)) for row in rows), ""]).encode()


def _is_one(text: str) -> bool:
    first = next((line for line in text.splitlines() if line.strip(" ,")), "")
    cells = [cell.strip().lower() for cell in first.split(",")]
    return cells in _COLUMNS or (len(cells) in (3, 4) and all(map(_is_number, cells)))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


FORMAT = Format("take", (".csv",), kind="take", holds="Take", parse=parse, emit=emit, fits=_is_one)
