"""Hair: the wind, presets, chains and drawn strands, and the wave that comes of them."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from komadori.studio.messages.common import Said
from komadori.studio.scene import FitFound


class SetWind(Struct, frozen=True, tag="wind", forbid_unknown_fields=True):
    """Let another wind blow through the hair, x, y, z in metres per second; None is the preset's own."""

    wind: list[float] | None
    gesture: str = ""


class Preset(Struct, frozen=True, tag="preset", forbid_unknown_fields=True):
    """Take a whole setting of the hair: its wave and its wind, in place of those that were set by hand. Empty is the plain one."""

    preset: str


class PickChain(Struct, frozen=True, tag="chain", forbid_unknown_fields=True):
    """Look at a chain's wave, or (`on`) let the chain move or stay still."""

    name: str
    on: bool | None = None


class DrawStrand(Struct, frozen=True, tag="strand", forbid_unknown_fields=True):
    """A strand drawn over the picture at `frame`: rays (n, 6) through its points, root to tip, origin and direction each.

    No rays take away what was drawn there.
    """

    frame: int
    rays: list[list[float]]


class ClearStrands(Struct, frozen=True, tag="clear_strands", forbid_unknown_fields=True):
    """Take away all that was drawn of the chain that is looked at."""


class TakeTrace(Struct, frozen=True, tag="trace", forbid_unknown_fields=True):
    """A trace's file (.csv or .json), whose drawings are laid over their frames."""

    name: str
    text: str


class FitHair(Struct, frozen=True, tag="fit_hair", forbid_unknown_fields=True):
    """Find the wave that comes nearest to what was drawn of the chain that is looked at, and take it."""

    hold: bool = False
    """Keep the period that there is."""
    aside: bool = False
    """Fit every second drawing only, and score the others."""


HairAsk: TypeAlias = SetWind | Preset | PickChain | DrawStrand | ClearStrands | TakeTrace | FitHair
"""What is asked of the hair alone."""


class StrandInfo(Struct, frozen=True):
    """A drawn strand at its frame and the fitted one beside it: points in the holder's frame, from the chain's root."""

    frame: int
    drawn: list[list[float]]
    fitted: list[list[float]]


class PlaneInfo(Struct, frozen=True):
    """The plane in which a chain waves: through its root, in the frame of the joint that it hangs from (-1 is the world)."""

    root: int
    holder: int
    along: list[float]
    up: list[float]


class HairUpdate(Struct, frozen=True, tag="hair"):
    """Hair in motion. The turns of its joints come as arrays beside it (`about` is "hair")."""

    revision: int
    chain: str
    """The chain that is looked at; empty if none moves."""
    plane: PlaneInfo | None
    values: dict[str, float]
    """What holds of the wave and the air where the scene leaves it to the preset."""
    wind: list[float]
    cycle: int
    """Frames in which the wave repeats."""
    step: int
    """Frames that a drawing is shown."""
    drawings: int
    period_s: float
    loop_s: float
    strands: list[StrandInfo]
    fit: FitFound | None
    shown_angle_deg: float | None
    shown_percent: float | None
    """How near the hair itself comes to what was drawn."""
    trace: str
    """Address of what was drawn, a trace's CSV, or empty."""
    springs: str
    """Address of the same chains moved by spring bones."""
    notes: list[Said]


class ChainChecked(Struct, frozen=True):
    """The textbook's checks of one chain; None if so short a chain cannot show it."""

    name: str
    figure_8: bool | None
    root_to_tip: bool | None
    out_of_step: bool | None
    loops: bool


class HairChecked(Struct, frozen=True, tag="hair_checked"):
    """The textbook's checks of all chains that move; they come after."""

    revision: int
    chains: list[ChainChecked]
