"""What the parts that make a timesheet share: options from JSON, and sheets that were edited by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from komadori.errors import OptionError, one_of
from komadori.parameters import parameters_of
from komadori.studio import sheets
from komadori.studio.messages import EditSheet
from komadori.studio.scene import Option
from komadori.timesheet import Timesheet
from komadori.words import Note

MOST_EXPOSURES = 400_000
"""Frames that an edited sheet may have."""


@dataclass(frozen=True)
class Edited:
    """A sheet, and whether it was edited by hand."""

    sheet: Timesheet
    edited: bool


def plain(given: Mapping[str, Option], options: type) -> dict[str, Any]:
    """Options from JSON as a method takes them; an unknown name is refused."""
    known = {item.name: item for item in parameters_of(options) if item.faces}
    for name in given:
        if name not in known:
            raise OptionError("option", expected=one_of(known), found=name)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def merged(before: Mapping[str, Option], given: Mapping[str, Option], options: type) -> dict[str, Option]:
    """`before` with `given`, checked: what cannot be is refused here, before it becomes part of the scene."""
    known = {item.name: item for item in parameters_of(options)}
    after = {**before, **given}
    for name, value in given.items():
        item = known.get(name)
        if item is not None and value is None and not item.optional:
            after.pop(name)
    taken = plain(after, options)
    options(**taken)
    return {name: value for name, value in after.items() if name not in known or taken[name] != known[name].default}


def edited_sheet(by_hand: list[int] | None, made: Timesheet, frames: int) -> Edited:
    """The sheet edited by hand where there is one that fits the clip, else the method's."""
    if not by_hand or min(by_hand) < 0 or max(by_hand) >= frames or len(by_hand) > MOST_EXPOSURES:
        return Edited(made, False)
    return Edited(Timesheet(made.fps, np.array(by_hand, dtype=np.int64)), True)


def edit(source: list[int], asked: EditSheet, frames: int) -> list[int]:
    """The sheet after one edit."""
    match asked.edit:
        case "edge":
            return sheets.moved_edge(source, asked.frame, asked.to)
        case "insert":
            if len(source) >= MOST_EXPOSURES:
                raise OptionError(
                    "sheet", expected=Note("at most {count} frames", count=MOST_EXPOSURES), found=len(source) + 1
                )
            return sheets.inserted(source, asked.frame)
        case "delete":
            return sheets.deleted(source, asked.frame)
        case _:
            return sheets.drawn(source, asked.frame, asked.to, frames)
