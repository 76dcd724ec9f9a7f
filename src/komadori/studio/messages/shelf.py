"""The shelf: what can be opened, and what a drop of files gave."""

from __future__ import annotations

from msgspec import Struct

from komadori.studio.messages.common import Said


class Remove(Struct, frozen=True, tag="remove", forbid_unknown_fields=True):
    """Take a dropped file, and what came with it, away from the project."""

    key: str


class ShelfUpdate(Struct, frozen=True, tag="shelf"):
    """Something was taken from the shelf: fetch it anew."""


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
    troubles: list[Said]
