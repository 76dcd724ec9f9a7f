"""Time-remap keyframes of After Effects, as its clipboard takes them: a text to copy and to paste onto the layer of a cel.

A heading with the rate, then the block `Time Remap` with a row per key: the frame, and the time in seconds in a sequence
whose first picture is number 1. Such keys interpolate if none says otherwise, so each frame has one; an empty cel lies at 999 s,
beyond the end of any sequence. The text holds one cel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from komadori.cut import Cut
from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.formats.celsys_csv import text_of
from komadori.formats.format import Format
from komadori.formats.sheet_losses import lost as general_losses
from komadori.json_text import frame_rate, most_frames
from komadori.timesheet import Timesheet
from komadori.words import Note

FIRST = "Adobe After Effects 8.0 Keyframe Data"
LAST = "End of Keyframe Data"
BLANK_S = 999.0
"""Where an empty cel lies; other sheet tools do the same."""
TRACK = "A"
_FIRST = re.compile(r"Adobe After Effects [0-9.]+ Keyframe Data")
_HALF = 0.26
"""How far from a whole frame a time may lie, in frames: six digits of a second are 0.02 frames off at worst."""


def begins(content: str) -> bool:
    """Whether a text is After Effects' keyframes."""
    return _FIRST.match(content.lstrip("\ufeff")) is not None


def emit(sheets: Mapping[str, Timesheet]) -> bytes:
    """The only one of `sheets` as a text for the clipboard."""
    cut = Cut.of(sheets)
    if len(cut) > 1:
        raise OptionError(
            Note(
                "the clipboard of After Effects holds one cel, and the sheet has {names}; name one of them as FILE#TRACK",
                names=", ".join(cut),
            )
        )
    label = next(iter(cut))
    numbers = cut.numbers(label)
    largest = int(numbers.max(initial=0))
    if (largest - 1) / cut.fps >= BLANK_S:
        most = int(BLANK_S * cut.fps)
        raise OptionError(
            Note("{form} counts drawings to {most}, and the sheet shows {number}", form="After Effects", most=most, number=largest)
        )  # fmt: skip
    rows = [f"\t{frame}\t{_seconds(int(number), cut.fps)}\t" for frame, number in enumerate(numbers)]
    heading = [
        FIRST,
        "",
        f"\tUnits Per Second\t{cut.fps:.10g}",
        "\tSource Width\t1920",
        "\tSource Height\t1080",
        "\tSource Pixel Aspect Ratio\t1",
        "\tComp Pixel Aspect Ratio\t1",
        "",
        "Time Remap",
        "\tFrame\tseconds\t",
    ]
    return "\r\n".join([*heading, *rows, "", "", LAST, ""]).encode()


def _seconds(number: int, fps: float) -> str:
    return f"{(number - 1) / fps:.7g}" if number else f"{BLANK_S:g}"


def parse(data: bytes, name: str) -> Cut:
    """The cel that the time-remap keys of such a text show; a key holds until the next."""
    content = text_of(data, name)
    lines = content.splitlines()
    if not begins(content):
        raise FormatError(name, at_line(1), expected=quoted(FIRST), found=quoted(lines[0] if lines else ""))
    fps = 0.0
    keys: dict[int, float] = {}
    most = most_frames(len(data))
    inside = False
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if cells[0]:
            inside = cells[0].startswith("Time Remap")
        elif cells[1:2] == ["Units Per Second"] and len(cells) > 2:
            fps = frame_rate(_number(cells[2], name, number), name, at_line(number))
        elif inside and len(cells) > 2 and cells[1] and cells[1] != "Frame":
            frame = _number(cells[1], name, number)
            if not (0 <= frame <= most and frame == int(frame)):
                expected = Note("a whole number from {low} to {high}", low=0, high=most)
                raise FormatError(name, at_line(number), expected=expected, found=quoted(cells[1]))
            keys[int(frame)] = _number(cells[2], name, number)
    if not fps:
        raise FormatError(name, problem=Note("{text} is missing in the file", text=quoted("Units Per Second")))
    if not keys:
        raise FormatError(name, problem=Note("no keys of Time Remap in the file"))
    return Cut.of_numbers(fps, {TRACK: _shown(keys, fps, name)})


def _shown(keys: Mapping[int, float], fps: float, name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    frames = sorted(keys)
    numbers = np.zeros(frames[-1] + 1, dtype=np.int64)
    for at, until in zip(frames, [*frames[1:], frames[-1] + 1], strict=True):
        seconds = keys[at]
        source = seconds * fps
        if seconds >= BLANK_S:
            continue
        if seconds < 0 or abs(source - round(source)) > _HALF:
            place = Note("frame {frame}", frame=at)
            expected = Note("a time on a frame of {fps:g} fps", fps=fps)
            raise FormatError(name, place, expected=expected, found=f"{seconds:g} s")
        numbers[at:until] = round(source) + 1
    if not numbers.any():
        raise FormatError(name, problem=Note("no track with cells"))
    return numbers


def _number(cell: str, name: str, line: int) -> float:
    try:
        value = float(cell) if cell.isascii() and len(cell) <= 40 else np.nan
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise FormatError(name, at_line(line), expected=Note("a number"), found=quoted(cell))
    return value


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What the clipboard's text does not carry of a sheet."""
    return general_losses(Cut.of(sheets), "After Effects")


FORMAT = Format("After Effects", (".txt",), read_sheets=parse, write_sheets=emit, left_out_sheets=lost, fits=begins)
