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
