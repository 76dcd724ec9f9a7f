"""XDTS and TDTS, written: a track lists the frames at which its cell changes, cues carry hyphens to their last frame."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from komadori.cut import Cue, Cut, changes
from komadori.errors import OptionError
from komadori.formats.drawing_names import LARGEST
from komadori.formats.sheet_losses import checked_length, named
from komadori.formats.sheet_losses import lost as general_losses
from komadori.formats.xdts import (
    ACTION_FIELD,
    BLANK,
    CAMERA_FIELD,
    CELL_FIELD,
    DIALOGUE_FIELD,
    FIRST_LINE,
    FPS,
    GOES_ON,
    SOURCES,
    TICKS,
    TOEI_LINE,
)
from komadori.timesheet import Timesheet
from komadori.words import Note

PLAIN_VERSION, FULL_VERSION = 5, 10
"""Cells alone are the published version 5, which every reader knows; with dialogue or camera work the file says 10."""
TOEI_VERSION = 11
KEY = "OPTION_KEYFRAME"
"""A circle around a drawing's number."""
# What Toei's program writes for a sheet on which nothing else stands; other programs that write TDTS hand on the same.
_SLIP: dict[str, Any] = {"memo": "", "processes": [], "works": []}
_INKS = [[0, 0, 0], [224, 0, 0], [32, 128, 32], [32, 32, 192], [192, 32, 192], [255, 128, 32]]
TOEI_HEADER: dict[str, Any] = {"showHeadDummy": False, "timeTableFontColors": _INKS, "workSlip": _SLIP}
TOEI_TABLE: dict[str, Any] = {
    "color": 0,
    "operatorName": "",
    "direction": "",
    "headDummykomas": 24,
    "footDummykomas": 24,
}
TOEI_COLUMNS: tuple[dict[str, Any], ...] = (
    {"fieldId": DIALOGUE_FIELD, "names": ["S1", "S2"]},
    {"fieldId": CAMERA_FIELD, "names": ["1", "2"]},
)
"""The columns that a sheet has even if they are empty."""
_CUT_NUMBER = re.compile(r"[0-9]{1,4}", re.ASCII)


def emit(sheets: Mapping[str, Timesheet], *, title: str = "", numbering: str | None = None) -> bytes:
    """`sheets` (track name -> sheet, the bottom cell first) as an XDTS file.

    A cell's name is a number: with numbering "source" the source frame counted from 1; with "drawing" 1, 2, 3 in order of
    first appearance, as an animator numbers drawings, and the source frames stand in our own entry. Both read back exactly.
    """
    cut = _checked(sheets, "XDTS", numbering)
    fields = [(ACTION_FIELD, list(cut), [_cells(cut, name) for name in cut]), *_cue_fields(cut)]
    header = {"cut": _digits(cut.cut), "scene": _digits(cut.scene)}
    version = FULL_VERSION if cut.dialogue or cut.camera else PLAIN_VERSION
    document = {"header": header, "timeTables": [_table(cut, title, fields)], "version": version}
    return checked_length(_written(FIRST_LINE, document), cut, "XDTS")


def emit_toei(sheets: Mapping[str, Timesheet], *, title: str = "", numbering: str | None = None) -> bytes:
    """`sheets` as a TDTS file: cells in the cell columns, and in the action columns the keys with ○ for in-betweens."""
    cut = _checked(sheets, "TDTS", numbering)
    fields = [
        (ACTION_FIELD, list(cut), [_keys(cut, name) for name in cut]),
        (CELL_FIELD, list(cut), [_cells(cut, name) for name in cut]),
        *_cue_fields(cut),
    ]
    table = {**TOEI_TABLE, **_table(cut, title, fields)}
    held = {header["fieldId"] for header in table["timeTableHeaders"]}
    table["timeTableHeaders"] += [header for header in TOEI_COLUMNS if header["fieldId"] not in held]
    header = {**TOEI_HEADER, "cut": cut.cut, "scene": cut.scene, "episode": cut.episode}
    document = {"timeSheets": [{"free": [], "header": header, "timeTables": [table]}], "version": TOEI_VERSION}
    return checked_length(_written(TOEI_LINE, document), cut, "TDTS")


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What an XDTS file does not carry of a sheet."""
    cut = Cut.of(sheets)
    notes = list(
        general_losses(cut, "XDTS", dialogue=True, camera=True, heading=("title", "scene", "cut"), names=_fits)
    )
    for name, number in (("cut", cut.cut), ("scene", cut.scene)):
        if number and not _CUT_NUMBER.fullmatch(number):
            what, kept = Note(name), _digits(number)
            notes.append(
                Note("XDTS has up to four digits for the {what}: {number!r} became {kept}", what=what, number=number, kept=kept)
            )  # fmt: skip
    return tuple(notes)


def lost_toei(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What a TDTS file does not carry of a sheet."""
    heading = ("title", "scene", "cut", "episode")
    return general_losses(Cut.of(sheets), "TDTS", dialogue=True, camera=True, heading=heading, names=_fits)


def _checked(sheets: Mapping[str, Timesheet], form: str, numbering: str | None) -> Cut:
    cut = Cut.of(sheets)
    cut = named(cut if numbering is None else cut.replaced(numbering=numbering), _fits)
    for name, sheet in cut.items():
        if not len(sheet):
            raise OptionError(
                Note("track {name!r} has no frames, and {form} has no way to say so", name=name, form=form)
            )
        if sheet.source.max() >= LARGEST:
            shown = sheet.source.max()
            raise OptionError(
                Note("track {name!r} shows frame {frame}; {form} counts to {most}", name=name, frame=shown, form=form, most=LARGEST)
            )  # fmt: skip
    return cut


def _fits(name: str) -> bool:
    return bool(name) and not name.startswith("SYMBOL_")


def _table(cut: Cut, title: str, fields: Iterable[tuple[int, list[str], list[Any]]]) -> dict[str, Any]:
    fields = list(fields)
    table: dict[str, Any] = {
        "name": title or cut.title or "komadori",
        "duration": cut.frames,
        "timeTableHeaders": [{"fieldId": field, "names": names} for field, names, _ in fields],
        "fields": [
            {"fieldId": field, "tracks": [{"trackNo": n, "frames": frames} for n, frames in enumerate(tracks)]}
            for field, _, tracks in fields
        ],
    }
    if cut.numbering == "drawing":
        table[SOURCES] = {str(n): (cut[name].drawings + 1).tolist() for n, name in enumerate(cut)}
    if cut.fps != FPS:
        table["frameRate"] = int(cut.fps) if cut.fps.is_integer() else cut.fps
    return table


def _entry(frame: int, *values: str, **more: Any) -> dict[str, Any]:
    return {"frame": frame, "data": [{"id": 0, "values": list(values), **more}]}


def _cells(cut: Cut, name: str) -> list[dict[str, Any]]:
    length = len(cut[name])
    shown = changes(cut.numbers(name)[:length])
    return [_entry(frame, cut.called(name, number) if number else BLANK) for frame, number in [*shown, (length, 0)]]


def _keys(cut: Cut, name: str) -> list[dict[str, Any]]:
    """The action column: the number of a key, ○ for each in-between, × where the cel is empty."""
    length, keys = len(cut[name]), cut.key_frames(name)
    entries = []
    for frame, number in changes(cut.numbers(name)[:length]):
        if number and frame in keys:
            entries.append(_entry(frame, cut.called(name, number), options=[KEY]))
        else:
            entries.append(_entry(frame, TICKS[0] if number else BLANK))
    return [*entries, _entry(length, BLANK)]


def _cue_fields(cut: Cut) -> Iterable[tuple[int, list[str], list[Any]]]:
    for field, cues, letter in ((DIALOGUE_FIELD, cut.dialogue, "S"), (CAMERA_FIELD, cut.camera, "")):
        columns: dict[str, list[Cue]] = {}
        for cue in sorted(cues):
            columns.setdefault(cue.column, []).append(cue)
        if columns:
            names = [name or f"{letter}{n}" for n, name in enumerate(columns, start=1)]
            yield field, names, [_cue_entries(held, field) for held in columns.values()]


def _cue_entries(cues: list[Cue], field: int) -> list[dict[str, Any]]:
    entries: dict[int, dict[str, Any]] = {}
    for cue in cues:
        values = [cue.speaker, cue.text] if field == DIALOGUE_FIELD or cue.speaker else [cue.text]
        # A cue that begins before the one above has ended takes over, as on paper.
        for frame in range(cue.start, cue.start + cue.length):
            entries[frame] = _entry(frame, GOES_ON)
        entries[cue.start] = _entry(cue.start, *values)
    return [entries[frame] for frame in sorted(entries)]


def _digits(number: str) -> str:
    """A cut or scene number as XDTS takes it: one to four digits, 1 if there is none."""
    found = _CUT_NUMBER.search(number)
    return found[0] if found else "1"


def _written(first: str, document: dict[str, Any]) -> bytes:
    return f"{first}\n{json.dumps(document, ensure_ascii=False)}\n".encode("utf-8", "replace")
