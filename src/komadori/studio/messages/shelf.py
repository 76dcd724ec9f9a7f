"""The shelf: what can be opened, and what a drop of files gave."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from komadori.studio.messages.common import Said


class Remove(Struct, frozen=True, tag="remove", forbid_unknown_fields=True):
    """Take a dropped file, and what came with it, away from the project."""

    key: str


class ShelfUpdate(Struct, frozen=True, tag="shelf"):
    """Something was taken from the shelf: fetch it again."""


class ShelfItem(Struct, frozen=True):
    """Something that can be opened: `key` names it, `motions` lists the clips in it."""

    key: str
    name: str
    about: Said
    character: bool
    motions: list[str]
    animal: bool = False
    """Whether it walks on four legs."""
    media: str = ""
    """"sound", "film" or "stills" if it is not a motion but something to time against."""
    stills: list[str] = field(default_factory=list)
    """Keys of all stills, in order."""


class Shelf(Struct, frozen=True):
    """Everything that can be opened."""

    items: list[ShelfItem]


class Dropped(Struct, frozen=True):
    """What a drop of files gave; the messages tell of files that could not be read."""

    items: list[ShelfItem]
    troubles: list[Said]
    notes: list[Said] = []
    """What was done with files that changed the scene at once."""
    project: str = ""
    """The project that came as one file, to be opened."""


class EditProject(Struct, frozen=True, tag="project", forbid_unknown_fields=True):
    """Projects: new: an empty one called `name`; open: the one that `name` is the key of; save-as: continue in a copy called `name`."""

    edit: Literal["new", "open", "save-as"]
    name: Annotated[str, Meta(max_length=4000)]


class ProjectItem(Struct, frozen=True):
    """A project that can be opened."""

    key: str
    name: str
    age_s: int
    """Seconds since it was last saved, -1 where it never was."""
    open: bool


class ProjectList(Struct, frozen=True):
    """All projects, the one that was open last first."""

    items: list[ProjectItem]
