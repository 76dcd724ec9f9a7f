"""Scene: everything that a person has set up in the studio, as one small value that is saved, undone and told."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct, field

VERSION = 1
Option: TypeAlias = bool | int | float | str | list[int | float] | None
"""A value of a method's parameter, as JSON has it."""


class LimitedPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Limited animation: the options that were changed, and the sheet where it was edited by hand."""

    options: dict[str, Option] = field(default_factory=dict)
    sheet: list[int] | None = None


class KeyposesPart(Struct, frozen=True, forbid_unknown_fields=True):
    """Key poses: the options that were changed, and the sheet where it was edited by hand."""

    options: dict[str, Option] = field(default_factory=dict)
    sheet: list[int] | None = None


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
    translate: TranslatePart = TranslatePart()
