"""The scene and the body on the stage: what is opened and changed, and what the page is told about it."""

from __future__ import annotations

from msgspec import Struct

from komadori.studio.messages.common import Said
from komadori.studio.scene import Option, Rate, Scene


class Open(Struct, frozen=True, tag="open", forbid_unknown_fields=True):
    """Take another motion or character from the shelf, or another frame rate; None leaves it.

    An empty character is the motion's own skeleton.
    """

    motion: str | None = None
    character: str | None = None
    fps: Rate | None = None


class Change(Struct, frozen=True, tag="change", forbid_unknown_fields=True):
    """Set options of a part; those of one `gesture` are undone together. A value of None goes back to the default."""

    part: str
    options: dict[str, Option]
    gesture: str = ""


class SceneUpdate(Struct, frozen=True, tag="scene"):
    """The scene as it is now; `revision` rises with every change."""

    revision: int
    scene: Scene
    can_undo: bool
    can_redo: bool
    heard: int
    """How many messages of this page were heard by now: the scene has what they asked for."""
    session: str
    """The run of the studio that tells this; after a restart it is another."""
    project: str
    """What the project is called."""


class Grab(Struct, frozen=True):
    """A joint that can be dragged."""

    joint: int
    role: str


class ChainInfo(Struct, frozen=True):
    """A chain of bones, root to tip."""

    name: str
    kind: str
    joints: list[int]


class BodyUpdate(Struct, frozen=True, tag="body"):
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
    chains: list[ChainInfo]
    grabs: list[Grab]
    height: float
    notes: list[Said]
    long: Said | None
    """What to expect of a clip that is very long."""
