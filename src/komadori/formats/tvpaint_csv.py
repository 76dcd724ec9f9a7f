"""CSV as TVPaint writes it and Krita reads it: a picture's file for each layer and frame.

Line 1 names the format, lines 2 and 3 the project with its size, length and rate, then #Layers with their names, and a row
`#00000` a frame. A drawing is the number at the end of its picture's name; an empty name is an empty cel. Krita calls a picture
after its layer and the frame, counted from 0, in which it appears.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from komadori.cut import Cut
from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.formats.cells import inert, plain
from komadori.formats.celsys_csv import text_of
from komadori.formats.drawing_names import called, counts_from_zero
from komadori.formats.drawing_names import numbers as drawing_numbers
from komadori.formats.format import Format
from komadori.formats.sheet_losses import lost as general_losses
from komadori.formats.xdts import FPS, unused
from komadori.json_text import frame_rate, most_frames
from komadori.timesheet import Timesheet
from komadori.words import Note

FIRST = 'UTF-8, TVPaint, "CSV 1.0"'
SIZE = (1920, 1080)
"""A sheet has no picture size, and the format must state one."""
_ROW = re.compile(r"#[0-9]{1,9}", re.ASCII)
_PLACE = re.compile(r"^(\[[0-9]+\])+\s*", re.ASCII)


def begins(content: str) -> bool:
    """Whether a text begins as TVPaint's do."""
    return "TVPaint" in content[:80].partition("\n")[0]


def emit(sheets: Mapping[str, Timesheet]) -> bytes:
    """`sheets` as TVPaint's CSV; the pictures are called after track and drawing, A_0001.png."""
    cut = Cut.of(sheets)
    for label in cut:
        if any(not c.isprintable() or c in '"/\\' for c in label):
            raise OptionError(
                Note("a column cannot be called {name!r}: use plain text without spaces around it", name=label)
            )
    title = inert(cut.title.replace('"', "'")) or "komadori"
    lines = [
        FIRST,
        "Project Name, Width, Height, Frame Count, Layer Count, Frame Rate, Pixel Aspect Ratio, Field Mode",
        f'"{title}", {SIZE[0]}, {SIZE[1]}, {cut.frames}, {len(cut)}, {cut.fps:.6f}, 1.000000, Progressive',
        ", ".join(["#Layers", *(f'"{inert(label)}"' for label in cut)]),
        ", ".join(["#Density", *("1.000000" for _ in cut)]),
        ", ".join(["#Blending", *('"Color"' for _ in cut)]),
        ", ".join(["#Visible", *("1" for _ in cut)]),
    ]
    shown = {label: cut.numbers(label).tolist() for label in cut}
    for frame in range(cut.frames):
        names = [
            f"{inert(label)}_{numbers[frame]:04d}.png" if numbers[frame] else "" for label, numbers in shown.items()
        ]
        lines.append(", ".join([f"#{frame:05d}", *(f'"{name}"' for name in names)]))
    return ("\r\n".join(lines) + "\r\n").encode("utf-8", "replace")


def parse(data: bytes, name: str) -> Cut:
    """The layers of TVPaint's CSV; the number at the end of a picture's name is its drawing."""
    content = text_of(data, name)
    if "\0" in content:
        raise FormatError(name, expected=Note("text"), found=Note("a zero byte"))
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), skipinitialspace=True))
    except csv.Error as error:
        raise FormatError(name, expected=Note("CSV"), found=str(error)) from None
    project = next((row for row in rows[2:] if any(cell.strip() for cell in row)), [])
    layers = next((row for row in rows if row and row[0].strip() == "#Layers"), None)
    frames = [row for row in rows if row and _ROW.fullmatch(row[0].strip())]
    if layers is None or not frames:
        raise FormatError(
            name, at_line(1), expected=Note("a row #Layers and one row per frame"), found=quoted(content[:40])
        )
    most = most_frames(len(data))
    if (len(layers) - 1) * len(frames) > most:
        raise FormatError(name, expected=Note("at most {most} frames in total", most=most), found=f"{len(frames)}")
    columns: dict[str, list[int]] = {}
    called_by: dict[str, dict[int, str]] = {}
    counts: dict[str, int] = {}
    told: list[Note] = []
    shown = [[_stem(row[at]) if at < len(row) else "" for row in frames] for at in range(1, len(layers))]
    first = 0 if any(counts_from_zero(filter(None, names)) for names in shown) else 1
    for at, names in enumerate(shown, start=1):
        if any(names):
            label = unused(plain(layers[at].strip()) or f"track {at}", columns, counts)
            known, note = drawing_numbers(filter(None, names), label, first)
            columns[label], called_by[label] = [known.get(stem, 0) for stem in names], called(known, pictures=True)
            told += [note] if note is not None else []
    if not columns:
        raise FormatError(name, problem=Note("no track with cells"))
    title = plain(project[0]) if project and not project[0].startswith("#") else ""
    rate = _rate(project, name)
    return Cut.of_numbers(rate, columns, frames=len(frames), names=called_by, title=title, notes=tuple(told))


def _stem(picture: str) -> str:
    """What a picture's file is called, without its folder and the places that TVPaint puts before it."""
    return _PLACE.sub("", picture.strip()).replace("\\", "/").rpartition("/")[2]


def _rate(project: list[str], name: str) -> float:
    if len(project) < 6:
        return FPS
    value: Any = project[5].strip()
    with contextlib.suppress(ValueError):
        value = float(value)
    return frame_rate(value, name, Note("the frame rate"))


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What TVPaint's CSV does not carry of a sheet."""
    return general_losses(Cut.of(sheets), "TVPaint's CSV", heading=("title",))


FORMAT = Format("TVPaint CSV", (".tvpaint.csv",), read_sheets=parse, write_sheets=emit, left_out_sheets=lost)
