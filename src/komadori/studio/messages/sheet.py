"""Parts that make a timesheet: edits by hand, limited animation, key poses, and how they stand beside the optimum."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


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
    """The evidence of limited animation, of the sheet that is shown."""

    revision: int
    omitted: int
    held: int
    drawings: int
    omitted_frames: list[int]
    steps_before: list[float]
    steps_after: list[float]
    error: float


class KeyposesUpdate(Struct, frozen=True, tag="keyposes"):
    """The evidence of key poses."""

    revision: int
    frames: list[int]
    order: list[int]
    counts: list[int]
    errors: list[float]
    error: float
    even_error: float
    curve: list[list[float]]
    """(F, 3) the motion curve's first three directions, for drawing."""
    distances: list[float]
    explained: float


class OptimumUpdate(Struct, frozen=True, tag="optimum"):
    """The least error that as many drawings (or keys) allow; it takes longer, and comes after."""

    revision: int
    part: str
    optimum: float
    frames: list[int]
    """The best keys; empty where there are none to show."""
