"""Scene: everything that a person has set up in the studio, as one small value that is saved, undone and told."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct, field

VERSION = 1
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""A whole number that JSON, JavaScript and NumPy all hold exactly."""
Option: TypeAlias = bool | Whole | float | str | list[Whole | float] | None
"""A value of a method's parameter, as JSON has it."""


class LimitedPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Limited animation: the options that were changed, and the sheet where it was edited by hand."""

    options: dict[str, Option] = field(default_factory=dict)
    sheet: list[int] | None = None


class KeyposesPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Key poses: the options that were changed, and the sheet where it was edited by hand."""

    options: dict[str, Option] = field(default_factory=dict)
    sheet: list[int] | None = None


class StrandDrawn(Struct, frozen=True, forbid_unknown_fields=True):
    """A strand that was drawn over a frame: points from root to tip, in the frame of the joint that the chain hangs from."""

    chain: str
    frame: int
    points: list[list[float]]
    """(n, 3) metres from the chain's root."""


class FitFound(Struct, frozen=True, forbid_unknown_fields=True):
    """The wave that came nearest to the drawn strands of a chain, and how near."""

    chain: str
    k: float
    s: float
    p: float
    a: float
    period: float
    phase: float
    turn: float
    angle_deg: float
    percent: float


class HairPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Hair: the options that were changed, the wind, the chains that stay still, and what was drawn to be fitted."""

    options: dict[str, Option] = field(default_factory=dict)
    wind: list[float] | None = None
    """Metres a second in the world; None is the preset's own."""
    off: list[str] = field(default_factory=list)
    chain: str = ""
    """The chain whose wave is looked at; empty is the longest."""
    strands: list[StrandDrawn] = field(default_factory=list)
    fit: FitFound | None = None


class TranslatePart(Struct, frozen=True, forbid_unknown_fields=True):
    """Translation: the options that were changed, the animal, and the clips that arms learn from (none: the open one)."""

    options: dict[str, Option] = field(default_factory=dict)
    animal: str = "character:horse"
    train: list[str] = field(default_factory=list)


class Scene(Struct, frozen=True, forbid_unknown_fields=True):
    """What is open and what was asked of each method.

    `motion` and `character` are the shelf's keys (`sample:pitch`, `character:girl`, `drop:.../walk.bvh#clip`); an empty
    character draws the motion's own skeleton.
    """

    version: int = VERSION
    motion: str = "sample:pitch"
    character: str = "character:girl"
    limited: LimitedPart = LimitedPart()
    keyposes: KeyposesPart = KeyposesPart()
    hair: HairPart = HairPart()
    translate: TranslatePart = TranslatePart()
