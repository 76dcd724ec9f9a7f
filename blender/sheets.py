# SPDX-License-Identifier: GPL-3.0-or-later
"""Timesheets of actions: read from their keys, shown as text, and exchanged as XDTS, JSON, CSV or SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import komadori
from komadori.errors import OptionError, quoted
from komadori.render import drawing
from komadori.render.sheets import printed_sheet
from komadori.timesheet import Timesheet
from komadori.words import Note

from . import actions, reading, writing
from .words import say

SIX = 6
"""Frames between two lines of a sheet."""


def sheet_of(ob: Any, scene: Any) -> tuple[int, Timesheet]:
    """The first frame and the sheet of the action on `ob`: each key is a drawing, shown until the next.

    What a method showed is remembered with the action, and holds as long as nobody moved its keys.
    """
    curves = actions.curves_of(ob)
    span = actions.span(curves)
    if span is None:
        raise OptionError(Note("{name} has no action, and nothing else moves it.", name=quoted(ob.name)))
    action = ob.animation_data.action
    keyed = {round(key.co[0]) for curve in curves if actions.bone_of(curve.data_path) for key in curve.keyframe_points}
    made = action.get(writing.MADE)
    if made is not None and "sheet" in made.keys():  # noqa: SIM118 (a group of properties has no `in`)
        first = int(made["first"])
        sheet = Timesheet(float(made["fps"]), np.array(list(made["sheet"]), dtype=np.int64))
        inside = {frame for frame in keyed if first <= frame < first + len(sheet)}
        if inside == set((first + sheet.starts).tolist()):
            return first, sheet
    starts = np.array(sorted(keyed or {span[0]})) - span[0]
    shown = np.searchsorted(starts, np.arange(span[1] - span[0] + 1), "right") - 1
    return span[0], Timesheet(reading.rate(scene), starts[np.maximum(shown, 0)])


def save(sheets: dict[str, Timesheet], path: Path, language: str) -> list[Path]:
    """Writes the sheets, as data or as the pages that studios print (.svg); returns the files."""
    if path.suffix.lower() == ".svg":
        return drawing.save(printed_sheet(sheets, title=path.stem, language=language), path)
    komadori.save(sheets, path)
    return [path]


def as_text(sheets: dict[str, tuple[int, Timesheet]]) -> str:
    """Sheets side by side, a line per frame, as they are written by hand: a number where a drawing begins, a bar while it is held."""
    first = min(begin for begin, _ in sheets.values())
    last = max(begin + len(sheet) for begin, sheet in sheets.values())
    fps = next(iter(sheets.values()))[1].fps
    width = max(6, *(len(name) for name in sheets))
    lines = [
        say(Note("Timesheet, {fps:g} fps", fps=fps)),
        " ".join([f"{say(Note('frame')):>6}", *(f"{name:>{width}}" for name in sheets)]),
    ]
    columns = {name: _column(begin, sheet) for name, (begin, sheet) in sheets.items()}
    for frame in range(first, last):
        count = frame - first
        if count and count % round(fps) == 0:
            lines.append("=" * (7 + (width + 1) * len(sheets)))
        elif count and count % SIX == 0:
            lines.append("-" * (7 + (width + 1) * len(sheets)))
        lines.append(" ".join([f"{frame:>6}", *(f"{columns[name].get(frame, ''):>{width}}" for name in sheets)]))
    return "\n".join(lines) + "\n"


def _column(begin: int, sheet: Timesheet) -> dict[int, str]:
    """Frame -> what is written there. Drawings are numbered in the order in which they appear."""
    number = {int(source): n for n, source in enumerate(sheet.drawings.tolist(), 1)}
    found = {}
    for run in sheet.runs():
        found[begin + run.start] = str(number[run.source])
        found |= {begin + run.start + n: "|" for n in range(1, run.length)}
    return found
