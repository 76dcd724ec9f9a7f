"""The puppet: its keys, poses, takes and sequence."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from komadori.studio.messages.common import Said
from komadori.studio.scene import MOST_CONTROLS, MOST_ENTRIES, MOST_TOGETHER, Control, Entry, Name, Place


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
    at `frame`; mirror: left and right are exchanged; keep: what was dragged so far is one step; release: back to what the keys say.
    """

    edit: Literal["turn", "rest", "clip", "mirror", "keep", "release"]
    place: Place
    joint: int = 0
    rotation: Annotated[list[float], Meta(min_length=4, max_length=4)] | None = None
    frame: int = 0
    gesture: str = ""


class EditTake(Struct, frozen=True, tag="take", forbid_unknown_fields=True):
    """Record and edit takes.

    begin: a recording called `number` (of the take `name` performed again, if one is named); finish: it becomes a take
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
    """Take the keys from a puppet's file; they are moved to the body on the stage if that is another."""

    name: str
    text: str
    gesture: str = ""


class EditControls(Struct, frozen=True, tag="controls", forbid_unknown_fields=True):
    """The levers that move the handle: they are kept with the puppet."""

    controls: Annotated[list[Control], Meta(max_length=MOST_CONTROLS)]
    gesture: str = ""


class EditKeySet(Struct, frozen=True, tag="key-set", forbid_unknown_fields=True):
    """Key sets: new: an empty one is in hand; pick: the one called `name` is; rename: to `to`; delete."""

    edit: Literal["new", "pick", "rename", "delete"]
    name: str = ""
    to: Name | None = None
    gesture: str = ""


class EditTogether(Struct, frozen=True, tag="together", forbid_unknown_fields=True):
    """Which other characters on the shelf the same handle moves."""

    characters: Annotated[list[str], Meta(max_length=MOST_TOGETHER)]
    gesture: str = ""


PuppetAsk: TypeAlias = (
    EditKeySet | EditKey | EditPose | EditTake | EditSequence | LoadPuppet | EditControls | EditTogether
)
"""What is asked of the puppet alone."""


class MemberInfo(Struct, frozen=True):
    """Another character on the handle: where its figure and its motion (empty: it stands at rest) can be fetched."""

    character: str
    name: str
    figure: str
    motion: str
    height: float
    joints: int


class PuppetUpdate(Struct, frozen=True, tag="puppet"):
    """The puppet of this scene."""

    revision: int
    home: Place
    """Where the handle stands before anything else is said."""
    motion: str
    """Address of what is shown as a motion (`handle` beside it where one performed it), or empty."""
    map: str
    """Address of where the keys define no pose and where another would help, or empty."""
    file: str
    """Address of the puppet as a file, or empty."""
    can_walk: bool
    notes: list[Said]
    together: list[MemberInfo] = []
    """The other characters on the handle."""
