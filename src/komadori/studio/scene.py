"""Scene: everything that a person has set up in the studio, as one small value that is saved, undone and sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from msgspec import Meta, Struct, field, structs

from komadori.methods.hair.options import LETTERS
from komadori.studio.shot import Shot

VERSION = 3
FPS = 24.0
"""Frames per second of what is opened, until someone asks for others."""
Whole: TypeAlias = Annotated[int, Meta(ge=-(2**53), le=2**53)]
"""A whole number that JSON, JavaScript and NumPy all hold exactly."""
Option: TypeAlias = bool | Whole | float | str | list[Whole | float] | None
"""A value of a method's parameter, as JSON has it."""


class Lock(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Frames `first` to `last` of a method's timesheet are one drawing, `source`, shown for `exposures` frames (none: taken away)."""

    first: int
    last: int
    source: int
    exposures: int


class PosedBody(Struct, frozen=True, forbid_unknown_fields=True):
    """A pose: rotations (J x 4) and positions (J x 3), number after number."""

    rotations: Annotated[list[float], Meta(max_length=40_000)]
    positions: Annotated[list[float], Meta(max_length=30_000)]


class PosedFrame(Struct, frozen=True, forbid_unknown_fields=True):
    """The pose of the clip's frame `frame`, redrawn by hand."""

    frame: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    pose: PosedBody


MOST_POSED = 400


class MethodPart(Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked of a method: the options that were changed, what a hand set on its timesheet, and the poses that it redrew."""

    options: dict[str, Option] = field(default_factory=dict)
    locks: list[Lock] = field(default_factory=list)
    poses: Annotated[list[PosedFrame], Meta(max_length=MOST_POSED)] = field(default_factory=list)
    """In the order of their frames; they hold where a method shows that frame."""


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
    aside: int = 0
    """Drawings that were kept aside to judge the fit, and how near it comes to those."""
    aside_angle_deg: float = 0.0
    aside_percent: float = 0.0
    rigid_angle_deg: float = 0.0
    """What a wave must beat, judged by the same drawings as the fit: a rigid swing, and springs in a wind."""
    springs_angle_deg: float = 0.0


class HairPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Hair: the options that were changed, the wind, the chains that stay still, and what was drawn to be fitted."""

    options: dict[str, Option] = field(default_factory=dict)
    wind: list[float] | None = None
    """Metres per second in the world; None is the preset's own."""
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
MOST_CONTROLS = 16
MOST_SETS = 40
MOST_TOGETHER = 6
MOST_PLACES = 40_000
"""Places in one take: eleven minutes at 60 a second."""


class PuppetKey(Struct, frozen=True, forbid_unknown_fields=True):
    """A pose at a place of the handle."""

    name: Name
    place: Place
    pose: PosedBody


class KeySet(Struct, frozen=True, forbid_unknown_fields=True):
    """Keys that belong together, and how they become poses."""

    name: Name
    keys: Annotated[list[PuppetKey], Meta(max_length=MOST_KEYS)] = field(default_factory=list)
    options: dict[str, Option] = field(default_factory=dict)


FIRST_SET = "keys 1"


class PuppetTake(Struct, frozen=True, forbid_unknown_fields=True):
    """What the handle did: places (N x 3, number after number) and their times in seconds, and the key set that it led."""

    name: Name
    path: Annotated[list[float], Meta(max_length=3 * MOST_PLACES)]
    times: Annotated[list[float], Meta(max_length=MOST_PLACES)]
    keys: Name = FIRST_SET


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


class Control(Struct, frozen=True, forbid_unknown_fields=True):
    """A lever of a gamepad, a MIDI controller or an OSC address that moves the handle along one axis, or records."""

    control: Annotated[str, Meta(min_length=1, max_length=240)]
    """`gamepad:axis:1`, `midi:0:21`, `osc:/fader/1:0`."""
    target: Literal["x", "y", "z", "record"]
    low: float = 0.0
    high: float = 0.0
    """Metres at either end of the lever."""


class PuppetPart(Struct, frozen=True, forbid_unknown_fields=True):
    """The puppet: its keys, what was performed, and a pose made by hand that is not a key yet.

    `keys` and `options` are those of the key set in hand, which is called `set`; `sets` are the others. A take is performed with the
    key set that it was recorded with, whichever is in hand.
    `shown` is what the timeline plays: "take" with its name behind a colon, "sequence", "walk", or nothing.
    """

    options: dict[str, Option] = field(default_factory=dict)
    keys: Annotated[list[PuppetKey], Meta(max_length=MOST_KEYS)] = field(default_factory=list)
    set: Name = FIRST_SET
    sets: Annotated[list[KeySet], Meta(max_length=MOST_SETS)] = field(default_factory=list)
    posed: PosedBody | None = None
    takes: Annotated[list[PuppetTake], Meta(max_length=MOST_TAKES)] = field(default_factory=list)
    recording: Recording | None = None
    sequence: Annotated[list[Entry], Meta(max_length=MOST_ENTRIES)] = field(default_factory=list)
    shown: Annotated[str, Meta(max_length=80)] = ""
    controls: Annotated[list[Control], Meta(max_length=MOST_CONTROLS)] = field(default_factory=list)
    together: Annotated[list[str], Meta(max_length=MOST_TOGETHER)] = field(default_factory=list)
    """Characters on the shelf that the same handle moves, beside the one on the stage."""


Rate: TypeAlias = Annotated[float, Meta(ge=1.0, le=240.0)]
"""Frames per second."""


class Opened(NamedTuple):
    """What is open: the shelf's keys of a motion and of a character, and how many frames per second of it has."""

    motion: str
    character: str
    fps: float


class Scene(Struct, frozen=True, forbid_unknown_fields=True):
    """What is open and what was asked of each method.

    `motion` and `character` are the shelf's keys (`sample:pitch`, `character:girl`, `drop:.../walk.bvh#clip`); an empty
    character draws the motion's own skeleton.
    """

    version: int = VERSION
    motion: str = "sample:pitch"
    character: str = "character:girl"
    fps: Rate = FPS
    parts: dict[str, MethodPart] = field(default_factory=dict)
    """Method -> what was asked of it; those that hold more than options and locks have their own fields."""
    hair: HairPart = HairPart()
    puppet: PuppetPart = PuppetPart()
    translate: TranslatePart = TranslatePart()
    shot: Shot = Shot()

    @property
    def opened(self) -> Opened:
        """What is open."""
        return Opened(self.motion, self.character, self.fps)

    def part(self, name: str) -> MethodPart | HairPart | PuppetPart | TranslatePart:
        """What was asked of the method called `name`; nothing yet if it is not mentioned."""
        match name:
            case "hair":
                return self.hair
            case "puppet":
                return self.puppet
            case "translate":
                return self.translate
        return self.parts.get(name, MethodPart())

    def locks(self, name: str) -> list[Lock]:
        """What a hand set on the timesheet of the method called `name`."""
        part = self.part(name)
        return part.locks if isinstance(part, MethodPart) else []

    def poses(self, name: str) -> list[PosedFrame]:
        """The poses that a hand redrew for the method called `name`."""
        part = self.part(name)
        return part.poses if isinstance(part, MethodPart) else []

    def with_part(self, name: str, **fields: Any) -> Scene:
        """The scene with some fields of a part replaced. Locks are omitted if the part has no sheet."""
        part = self.part(name)
        if not isinstance(part, MethodPart):
            for name_of in ("locks", "poses"):
                fields.pop(name_of, None)
            return structs.replace(self, **{name: structs.replace(part, **fields)})
        others = {other: kept for other, kept in self.parts.items() if other != name}
        changed = structs.replace(part, **fields)
        return structs.replace(self, parts=others if changed == MethodPart() else {**others, name: changed})


def upgraded(saved: dict[str, Any]) -> dict[str, Any]:
    """A scene that an older version saved, as plain JSON, in the words of this one.

    Version 1 had the paper's letters for the hair's options, and a field for each method; version 2 had whole sheets in place of
    locks.
    """
    if saved.get("version") == 2:
        return _with_locks(saved)
    hair = saved.get("hair")
    if isinstance(hair, dict):
        parts = {name: _renamed(hair[name]) for name in ("options", "fit") if isinstance(hair.get(name), dict)}
        saved = {**saved, "hair": {**hair, **parts}}
    moved = {name: saved[name] for name in ("limited", "keyposes") if name in saved}
    asked = {name: part for name, part in moved.items() if part != {"options": {}, "sheet": None}}
    others = {name: value for name, value in saved.items() if name not in moved}
    return _with_locks({**others, **({"parts": asked} if moved else {})})


def _with_locks(saved: dict[str, Any]) -> dict[str, Any]:
    """A scene whose sheets were edited as a whole: every drawing in them is locked."""
    parts = saved.get("parts")
    saved = {**saved, "version": VERSION}
    if not isinstance(parts, dict):
        return saved
    return {**saved, "parts": {name: _part_with_locks(part) for name, part in parts.items()}}


def _part_with_locks(part: Any) -> Any:
    sheet = part.get("sheet") if isinstance(part, dict) else None
    if not isinstance(part, dict) or "sheet" not in part:
        return part
    others = {name: value for name, value in part.items() if name != "sheet"}
    if not isinstance(sheet, list) or not sheet:
        return others if sheet is None else part
    begins = [n for n, source in enumerate(sheet) if n == 0 or source != sheet[n - 1]]
    ends = [*begins[1:], len(sheet)]
    locks = [[begin, end, sheet[begin], end - begin] for begin, end in zip(begins, ends, strict=True)]
    locks[-1][1] = 2**31 - 1
    return {**others, "locks": locks}


def _renamed(given: dict[str, Any]) -> dict[str, Any]:
    return {LETTERS.get(name, name): value for name, value in given.items()}
