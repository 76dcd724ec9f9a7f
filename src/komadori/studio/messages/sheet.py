"""Parts that make a timesheet: edits by hand, limited animation, key poses, and how they stand next to the optimum."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field


class EditSheet(Struct, frozen=True, tag="sheet", forbid_unknown_fields=True):
    """Edit the timesheet by hand. `frame` counts output frames.

    edge: the drawing that begins at `frame` begins at `to` instead; insert: show `frame` once more; delete: take the exposure
    at `frame` away; draw: `frame` shows the source frame `to`; lock: the drawing at `frame` (or all up to `to`) stays as long as it is; unlock: it is
    the method's again; reset: all of it is. Whatever is edited is locked. pin: `frame`'s source must be drawn (or need not any
    more); in key poses that is the clip's own frame there. on: `frame` to `to` get a drawing every `step` frames; slide: the drawing
    that begins at `frame` begins at `to`, as long as it is; paste: `shown` from `frame` on.
    """

    part: str
    edit: Literal["edge", "insert", "delete", "draw", "lock", "unlock", "pin", "reset", "on", "slide", "paste"]
    frame: int = 0
    to: int = 0
    step: int = 1
    shown: Annotated[list[int], Meta(max_length=400_000)] = field(default_factory=list)
    gesture: str = ""


class EditKeyPose(Struct, frozen=True, tag="key-pose", forbid_unknown_fields=True):
    """Draw a pose of a method's sheet again; `frame` is the clip's frame. Only the frames that show it change.

    keep: what was dragged so far is one step; turn: `joint` turns to `rotation` (x, y, z, w) against its parent; mirror: left and right
    are exchanged; reset: as it was captured.
    """

    part: str
    edit: Literal["keep", "turn", "mirror", "reset"]
    frame: Annotated[int, Meta(ge=0)]
    joint: int = 0
    rotation: Annotated[list[float], Meta(min_length=4, max_length=4)] | None = None
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
    """The best keys; empty if there are none to show."""
