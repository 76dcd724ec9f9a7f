"""Parts that make a timesheet: edits by hand, limited animation, key poses, and how they stand beside the optimum."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from komadori.studio.messages.common import Said


class EditSheet(Struct, frozen=True, tag="sheet", forbid_unknown_fields=True):
    """Edit the timesheet by hand. `frame` counts output frames.

    edge: the drawing that begins at `frame` begins at `to` instead; insert: show `frame` once more; delete: take the exposure
    at `frame` away; draw: `frame` shows the source frame `to`; pin: `frame`'s source must be drawn (or need not any more);
    reset: back to what the method says.
    """

    part: str
    edit: Literal["edge", "insert", "delete", "draw", "pin", "reset"]
    frame: int = 0
    to: int = 0
    gesture: str = ""


class LimitedUpdate(Struct, frozen=True, tag="limited"):
    """Limited animation of the clip: the sheet and the evidence."""

    revision: int
    source: list[int]
    edited: bool
    pins: list[int]
    omitted: int
    held: int
    drawings: int
    omitted_frames: list[int]
    steps_before: list[float]
    steps_after: list[float]
    error: float
    motion: str
    """Address of the result's arrays where the sheet alone does not tell it (a sheet for each part of the body), or empty."""
    notes: list[Said]


class KeyposesUpdate(Struct, frozen=True, tag="keyposes"):
    """Key poses of the clip."""

    revision: int
    frames: list[int]
    order: list[int]
    source: list[int]
    edited: bool
    counts: list[int]
    errors: list[float]
    error: float
    even_error: float
    curve: list[list[float]]
    """(F, 3) the motion curve's first three directions, for drawing."""
    distances: list[float]
    explained: float
    notes: list[Said]


class OptimumUpdate(Struct, frozen=True, tag="optimum"):
    """The least error that as many drawings (or keys) allow; it takes longer, and comes after."""

    revision: int
    part: str
    optimum: float
    frames: list[int]
    """The best keys; empty where there are none to show."""
