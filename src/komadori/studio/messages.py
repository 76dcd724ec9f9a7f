"""What page and server say to each other, defined once: `web/src/generated.ts` is written from these classes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from komadori.studio.scene import MOST_ENTRIES, Entry, FitFound, Name, Option, Place, Scene

Part: TypeAlias = Literal["limited", "keyposes", "hair", "puppet", "translate"]
"""A method's place in the studio."""
SheetPart: TypeAlias = Literal["limited", "keyposes"]
"""The parts that make a timesheet, which can be edited by hand."""


Product: TypeAlias = Literal["original", "limited", "keyposes", "hair", "puppet", "translate"]
"""What can be exported: the clip as it is on the stage, or what a part made of it."""
ExportKind: TypeAlias = Literal["motion", "character", "sheet", "picture", "frames", "recipe"]


class Said(Struct, frozen=True):
    """A sentence for people, in both languages."""

    en: str
    ja: str


# ---- asked by the page -------------------------------------------------------------------------------------------------


class Watch(Struct, frozen=True, tag="watch", forbid_unknown_fields=True):
    """This page looks at one part: tell what it gives, now and after every change."""

    part: Part
    frame: int = 0
    """The frame that the page shows: what is sent piece by piece begins there."""


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


class Blow(Struct, frozen=True, tag="wind", forbid_unknown_fields=True):
    """Let another wind blow through the hair, x, y, z in metres a second; None is the preset's own."""

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


class Cast(Struct, frozen=True, tag="cast", forbid_unknown_fields=True):
    """Translation: choose the animal, or the clips that arms learn from; None leaves it."""

    animal: str | None = None
    train: list[str] | None = None


class Follow(Struct, frozen=True, tag="follow", forbid_unknown_fields=True):
    """Translation, live: the person is now at this frame of the clip; the answer is what the driven joints do."""

    frame: int
    serial: int = 0


class Export(Struct, frozen=True, tag="export", forbid_unknown_fields=True):
    """Make a file of what a part gives. `language`, `camera`, `style`, `width`, `height` and `strip` are for pictures."""

    what: Product
    kind: ExportKind
    suffix: str
    language: Literal["en", "ja"] = "en"
    camera: str = "three-quarter"
    style: str = "toon"
    width: int = 640
    height: int = 360
    strip: bool = False


class StopExport(Struct, frozen=True, tag="stop_export", forbid_unknown_fields=True):
    """Give up the file that is being made."""


class Remove(Struct, frozen=True, tag="remove", forbid_unknown_fields=True):
    """Take a dropped file, and what came with it, away from the project."""

    key: str


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
"""What is asked of the puppet alone."""
HairAsk: TypeAlias = Blow | Preset | PickChain | DrawStrand | ClearStrands | TakeTrace | FitHair
"""What is asked of the hair alone."""
Ask: TypeAlias = (
    Watch
    | Open
    | Change
    | EditSheet
    | Blow
    | Preset
    | PickChain
    | DrawStrand
    | ClearStrands
    | TakeTrace
    | FitHair
    | Cast
    | Follow
    | Export
    | StopExport
    | Remove
    | EditKey
    | EditPose
    | EditTake
    | EditSequence
    | LoadPuppet
    | Undo
    | Redo
    | Save
)


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


class StrandTold(Struct, frozen=True):
    """A drawn strand at its frame and the fitted one beside it: points in the holder's frame, from the chain's root."""

    frame: int
    drawn: list[list[float]]
    fitted: list[list[float]]


class PlaneTold(Struct, frozen=True):
    """The plane in which a chain waves: through its root, in the frame of the joint that it hangs from (-1 is the world)."""

    root: int
    holder: int
    along: list[float]
    up: list[float]


class HairTold(Struct, frozen=True, tag="hair"):
    """Hair in motion. The turns of its joints come as arrays beside it (`about` is "hair")."""

    revision: int
    chain: str
    """The chain that is looked at; empty where none moves."""
    plane: PlaneTold | None
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
    strands: list[StrandTold]
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
    """The textbook's checks of one chain; None where so short a chain cannot show it."""

    name: str
    figure_8: bool | None
    root_to_tip: bool | None
    out_of_step: bool | None
    loops: bool


class HairChecked(Struct, frozen=True, tag="hair_checked"):
    """The textbook's checks of all chains that move; they come after."""

    revision: int
    chains: list[ChainChecked]


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
    frames: list[int]
    """The best keys; empty where there are none to show."""


class PartnerTold(Struct, frozen=True):
    """A second body on the stage, which moves in step with the first."""

    figure: str
    motion: str
    name: str
    frames: int
    height: float
    size: float
    """Its largest extent at rest, in metres."""


class FeetTold(Struct, frozen=True):
    """When the feet of a body stand: for each, from frame to frame (its end not included), one after another."""

    names: list[str]
    stances: list[list[int]]


class TrialTold(Struct, frozen=True):
    """A model and its error on clips that it had not seen, mean degrees a joint (-1: it could not be fitted)."""

    model: str
    error_deg: float


class TranslateTold(Struct, frozen=True, tag="translate"):
    """One body drives another: the driven one, and the evidence."""

    revision: int
    to: Literal["animal", "arms"]
    partner: PartnerTold
    source: list[int]
    """Frame of the person's clip that is beside each frame of the result."""
    person: FeetTold
    animal: FeetTold
    gait: str
    order: list[str]
    cycle_s: float
    skate_m_s: float
    """How far standing feet move over the ground, metres a second of standing."""
    trials: list[TrialTold]
    chosen: str
    outside: list[int]
    notes: list[Said]


class ProgressTold(Struct, frozen=True, tag="progress"):
    """Long work goes on: so much of it is done."""

    about: str
    done: int
    total: int


class ExportTold(Struct, frozen=True, tag="export"):
    """A file is ready to be fetched."""

    address: str
    name: str
    size: int
    notes: list[Said]


class ExportEnded(Struct, frozen=True, tag="export_ended"):
    """No file is being made any more; `message` says why there is none, if it is not because it was given up."""

    message: str = ""


class ShelfTold(Struct, frozen=True, tag="shelf"):
    """Something was taken from the shelf: fetch it anew."""


class SavedTold(Struct, frozen=True, tag="saved"):
    """The scene of this revision is safely on disk (-1: none yet); `problem` says why nothing newer is."""

    revision: int
    problem: str = ""


class Trouble(Struct, frozen=True, tag="trouble"):
    """Something did not work, in one clear line; everything else goes on."""

    message: str
    about: str = ""


Tell: TypeAlias = (
    SceneTold
    | BodyTold
    | LimitedTold
    | KeyposesTold
    | HairTold
    | HairChecked
    | PuppetTold
    | OptimumTold
    | TranslateTold
    | ProgressTold
    | ExportTold
    | ExportEnded
    | ShelfTold
    | SavedTold
    | Trouble
)


class ShelfItem(Struct, frozen=True):
    """Something that can be opened: `key` names it, `motions` lists the clips in it."""

    key: str
    name: str
    about: Said
    character: bool
    motions: list[str]
    animal: bool = False
    """Whether it walks on four legs."""


class Shelf(Struct, frozen=True):
    """Everything that can be opened."""

    items: list[ShelfItem]


class Dropped(Struct, frozen=True):
    """What a drop of files gave; the messages tell of files that could not be read."""

    items: list[ShelfItem]
    troubles: list[str]


class FormatItem(Struct, frozen=True):
    """A kind of file that can be written, and what is missing for it here (empty: nothing)."""

    kind: ExportKind
    suffix: str
    name: str
    missing: str


class Formats(Struct, frozen=True):
    """Everything that can be written, and how pictures can be taken."""

    items: list[FormatItem]
    cameras: list[str]
    styles: list[str]
