"""Live: a performer on the stage. The page and the server speak of it over its own line, /stream."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from komadori.studio.messages.common import Said

Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=0.95)]


class LiveStart(Struct, frozen=True, tag="start", forbid_unknown_fields=True):
    """Listen to `source` (vmc:39539, mocopi:12351, file:sample:pitch) and show the performer on the scene's character."""

    source: Annotated[str, Meta(max_length=400)]
    look_ahead: Annotated[int, Meta(ge=0, le=6)] = 3
    hold_share: Share | None = None
    max_exposures: Annotated[int, Meta(ge=1, le=12)] = 3
    hair: Literal["drawn", "ones", "none"] = "drawn"
    face: Literal["through", "threes"] = "through"
    clean: bool = True
    feet: bool = True


class LiveStop(Struct, frozen=True, tag="stop", forbid_unknown_fields=True):
    """Stop listening."""


class LiveRecord(Struct, frozen=True, tag="record", forbid_unknown_fields=True):
    """Begin a take, or end it: it is then on the shelf as a motion."""

    on: bool


class OscListen(Struct, frozen=True, tag="osc-listen", forbid_unknown_fields=True):
    """Tell this page what controllers send as OSC to `port`; 0 stops."""

    port: Annotated[int, Meta(ge=0, le=65535)]


LiveAsk: TypeAlias = LiveStart | LiveStop | LiveRecord | OscListen
"""What the page asks over the line /stream."""


class LiveUpdate(Struct, frozen=True, tag="live"):
    """How the session is: what its meter and its status line show."""

    running: bool
    source: str
    packets_s: float
    delay_ms: float
    dropped: int
    heard: bool
    recording: int
    """Frames in the take that is being recorded, -1 if there is none."""
    line: Said


class LiveTake(Struct, frozen=True, tag="live-take"):
    """A take is on the shelf: its motion's key."""

    motion: str


class LiveTrouble(Struct, frozen=True, tag="live-trouble"):
    """What did not work."""

    message: Said


class OscHeard(Struct, frozen=True, tag="osc"):
    """A controller's value: where it was sent, which of the message's numbers it is, and the number."""

    address: str
    index: int
    value: float


LiveTell: TypeAlias = LiveUpdate | LiveTake | LiveTrouble | OscHeard
"""What the server tells over the line /stream; between them come poses (LiveArrays)."""
