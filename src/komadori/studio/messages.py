"""What page and server say to each other, defined once: `web/src/generated.ts` is written from these classes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from komadori.studio.scene import MOST_ENTRIES, Entry, Name, Option, Place, Scene

Part: TypeAlias = Literal["limited", "keyposes", "puppet"]
"""A method's place in the studio."""
SheetPart: TypeAlias = Literal["limited", "keyposes"]
"""The parts that make a timesheet, which can be edited by hand."""


class Said(Struct, frozen=True):
    """A sentence for people, in both languages."""

    en: str
    ja: str


# ---- asked by the page -------------------------------------------------------------------------------------------------


class Watch(Struct, frozen=True, tag="watch", forbid_unknown_fields=True):
    """This page looks at one part: tell what it gives, now and after every change."""

    part: Part


class Open(Struct, frozen=True, tag="open", forbid_unknown_fields=True):
    """Take another motion or character from the shelf; None leaves it, an empty character is the motion's own skeleton."""

    motion: str | None = None
    character: str | None = None


class Change(Struct, frozen=True, tag="change", forbid_unknown_fields=True):
    """Set options of a part; those of one `gesture` are undone together. A value of None goes back to the default."""

    part: Part
    options: dict[str, Option]
    gesture: str = ""


class EditSheet(Struct, frozen=True, tag="sheet", forbid_unknown_fields=True):
    """Edit the timesheet by hand. `frame` counts output frames.

    edge: the drawing that begins at `frame` begins at `to` instead; insert: show `frame` once more; delete: take the exposure
    at `frame` away; draw: `frame` shows the source frame `to`; pin: `frame`'s source must be drawn (or need not any more);
    reset: back to what the method says.
    """

    part: SheetPart
    edit: Literal["edge", "insert", "delete", "draw", "pin", "reset"]
    frame: int = 0
    to: int = 0
    gesture: str = ""


class Undo(Struct, frozen=True, tag="undo", forbid_unknown_fields=True):
    """One step back."""


class Redo(Struct, frozen=True, tag="redo", forbid_unknown_fields=True):
    """One step forward again."""


class Save(Struct, frozen=True, tag="save", forbid_unknown_fields=True):
    """Save now (it is saved all the time; this answers when it is safely on disk)."""


class EditKey(Struct, frozen=True, tag="key", forbid_unknown_fields=True):
    """Edit the puppet's keys.

    drop: the present pose becomes a key at `place` (a key that stands there takes the pose); move: the key goes to `place`;
    rename: to `to`; delete.
    """

    edit: Literal["drop", "move", "rename", "delete"]
    name: str = ""
    place: Place | None = None
    to: Name | None = None
    gesture: str = ""


class EditPose(Struct, frozen=True, tag="pose", forbid_unknown_fields=True):
    """Pose the puppet by hand; `place` is where the handle is.

    turn: `joint` turns to `rotation` (x, y, z, w) against its parent; rest: the body at rest; clip: as the opened motion is
    at `frame`; keep: what was dragged so far is one step; release: back to what the keys say.
    """

    edit: Literal["turn", "rest", "clip", "keep", "release"]
    place: Place
    joint: int = 0
    rotation: Annotated[list[float], Meta(min_length=4, max_length=4)] | None = None
    frame: int = 0
    gesture: str = ""


class EditTake(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Record and edit takes.

    begin: a recording called `number` (of the take `name` performed again, where one is named); finish: it becomes a take
    that ends at `value` seconds; discard; rename: to `to`; delete; lasting: `value` seconds long; smooth: over `value`
    seconds; show: the timeline plays `what`, of takes the one called `name`.
    """

    edit: Literal["begin", "finish", "discard", "rename", "delete", "lasting", "smooth", "show"]
    name: str = ""
    number: int = 0
    to: Name | None = None
    value: float = 0.0
    what: Literal["take", "sequence", "walk", "nothing"] = "take"
    gesture: str = ""


class EditSequence(Struct, frozen=True, tag="sequence", forbid_unknown_fields=True):
    """The takes one after another."""

    entries: Annotated[list[Entry], Meta(max_length=MOST_ENTRIES)]
    gesture: str = ""


class LoadPuppet(Struct, frozen=True, tag="load-puppet", forbid_unknown_fields=True):
    """Take the keys from a puppet's file; they are moved to the body on the stage where that is another."""

    name: str
    text: str
    gesture: str = ""


PuppetAsk: TypeAlias = EditKey | EditPose | EditTake | EditSequence | LoadPuppet
Ask: TypeAlias = Watch | Open | Change | EditSheet | Undo | Redo | Save | PuppetAsk


# ---- told by the server ------------------------------------------------------------------------------------------------


class SceneTold(Struct, frozen=True, tag="scene"):
    """The scene as it is now; `revision` rises with every change."""

    revision: int
    scene: Scene
    can_undo: bool
    can_redo: bool


class ChainTold(Struct, frozen=True):
    """A chain of bones, root to tip."""

    name: str
    kind: str
    joints: list[int]


class BodyTold(Struct, frozen=True, tag="body"):
    """What stands on the stage: where its figure and its motion are fetched, and what it is made of."""

    revision: int
    figure: str
    """Address of the character's GLB, whose skin lists the joints in the order of `joints`."""
    motion: str
    """Address of the motion's arrays."""
    name: str
    frames: int
    fps: float
    joints: list[str]
    parents: list[int]
    roles: dict[str, int]
    chains: list[ChainTold]
    height: float
    notes: list[Said]


class LimitedTold(Struct, frozen=True, tag="limited"):
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


class KeyposesTold(Struct, frozen=True, tag="keyposes"):
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


class Grab(Struct, frozen=True):
    """A joint that can be dragged."""

    joint: int
    role: str


class PuppetTold(Struct, frozen=True, tag="puppet"):
    """The puppet of this scene."""

    revision: int
    home: list[float]
    """(3,) where the handle stands before anything else is said."""
    grabs: list[Grab]
    motion: str
    """Address of what is shown as a motion (`handle` beside it where one performed it), or empty."""
    map: str
    """Address of where the keys define no pose and where another would help, or empty."""
    file: str
    """Address of the puppet as a file, or empty."""
    can_walk: bool
    notes: list[Said]


class OptimumTold(Struct, frozen=True, tag="optimum"):
    """The least error that as many drawings (or keys) allow; it takes longer, and comes after."""

    revision: int
    part: SheetPart
    optimum: float


class SavedTold(Struct, frozen=True, tag="saved"):
    """The scene of this revision is safely on disk."""

    revision: int


class Trouble(Struct, frozen=True, tag="trouble"):
    """Something did not work, in one clear line; everything else goes on."""

    message: str
    about: str = ""


Tell: TypeAlias = SceneTold | BodyTold | LimitedTold | KeyposesTold | PuppetTold | OptimumTold | SavedTold | Trouble


class ShelfItem(Struct, frozen=True):
    """Something that can be opened: `key` names it, `motions` lists the clips in it."""

    key: str
    name: str
    about: Said
    character: bool
    motions: list[str]


class Shelf(Struct, frozen=True):
    """Everything that can be opened."""

    items: list[ShelfItem]


class Dropped(Struct, frozen=True):
    """What a drop of files gave; the messages tell of files that could not be read."""

    items: list[ShelfItem]
    troubles: list[str]
