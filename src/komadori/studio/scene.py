"""Scene: everything that a person has set up in the studio, as one small value that is saved, undone and told."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct, field

from komadori.methods.hair.options import LETTERS

VERSION = 2
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
    wavelength: float
    calm: float
    stiffness: float
    size: float
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


Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=60)]
Place: TypeAlias = Annotated[list[float], Meta(min_length=3, max_length=3)]
"""Three numbers in metres."""
MOST_KEYS, MOST_TAKES, MOST_ENTRIES = 200, 100, 200
MOST_PLACES = 40_000
"""Places in one take: eleven minutes at 60 a second."""


class PosedBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A pose: rotations (J x 4) and positions (J x 3), number after number."""

    rotations: Annotated[list[float], Meta(max_length=40_000)]
    positions: Annotated[list[float], Meta(max_length=30_000)]


class PuppetKey(Struct, frozen=True, forbid_unknown_fields=True):
    """A pose at a place of the handle."""

    name: Name
    place: Place
    pose: PosedBody


class PuppetTake(Struct, frozen=True, forbid_unknown_fields=True):
    """What the handle did: places (N x 3, number after number) and their times in seconds."""

    name: Name
    path: Annotated[list[float], Meta(max_length=3 * MOST_PLACES)]
    times: Annotated[list[float], Meta(max_length=MOST_PLACES)]


class Recording(Struct, frozen=True, forbid_unknown_fields=True):
    """A take that is being recorded; `number` tells it from others, `retime` names the take that it performs again."""

    number: int
    retime: str = ""
    path: Annotated[list[float], Meta(max_length=3 * MOST_PLACES)] = field(default_factory=list)
    times: Annotated[list[float], Meta(max_length=MOST_PLACES)] = field(default_factory=list)


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """A take in the sequence, and how long the one before glides into it."""

    take: Name
    blend_s: Annotated[float, Meta(ge=0.0, le=60.0)] = 0.4


class PuppetPart(Struct, frozen=True, forbid_unknown_fields=True):
    """The puppet: its keys, what was performed, and a pose made by hand that is no key yet.

    `shown` is what the timeline plays: "take" with its name behind a colon, "sequence", "walk", or nothing.
    """

    options: dict[str, Option] = field(default_factory=dict)
    keys: Annotated[list[PuppetKey], Meta(max_length=MOST_KEYS)] = field(default_factory=list)
    posed: PosedBody | None = None
    takes: Annotated[list[PuppetTake], Meta(max_length=MOST_TAKES)] = field(default_factory=list)
    recording: Recording | None = None
    sequence: Annotated[list[Entry], Meta(max_length=MOST_ENTRIES)] = field(default_factory=list)
    shown: Annotated[str, Meta(max_length=80)] = ""


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
    puppet: PuppetPart = PuppetPart()
    translate: TranslatePart = TranslatePart()


def upgraded(saved: dict[str, Any]) -> dict[str, Any]:
    """A scene that an older version saved, as plain JSON, in the words of this one: version 1 had the paper's letters."""
    hair = saved.get("hair")
    if isinstance(hair, dict):
        parts = {name: _renamed(hair[name]) for name in ("options", "fit") if isinstance(hair.get(name), dict)}
        saved = {**saved, "hair": {**hair, **parts}}
    return {**saved, "version": VERSION}


def _renamed(given: dict[str, Any]) -> dict[str, Any]:
    return {LETTERS.get(name, name): value for name, value in given.items()}
