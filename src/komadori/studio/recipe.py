"""The scene as a recipe: the steps that make the same from the same clip without the studio, as TOML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from komadori.errors import OptionError
from komadori.studio.messages import Product
from komadori.studio.scene import HairPart, Scene
from komadori.studio.shelf import FPS
from komadori.words import Note

Step = tuple[str, dict[str, Any]]
"""What is used, and its parameters."""


def steps(scene: Scene, what: Product, chains: Sequence[str] = ()) -> tuple[list[Step], tuple[Note, ...]]:
    """The steps that a part's result takes, and what of it they cannot tell; `chains` are the character's, by name."""
    found: list[Step] = [("prepare", {"fps": FPS})]
    if scene.character:
        found.append(("retarget", {}))
    if what in ("puppet", "translate"):
        raise OptionError(f"a recipe has no step for {what}: export its motion instead")
    if what == "original":
        return found, ()
    if what == "hair":
        return [*found, ("hair", _hair(scene.hair, chains))], ()
    part = scene.limited if what == "limited" else scene.keyposes
    found.append((what, {name: value for name, value in part.options.items() if value is not None}))
    edited = (Note("the sheet was edited by hand, which a recipe cannot tell: export the timesheet too"),)
    return found, edited if part.sheet is not None else ()


def _hair(part: HairPart, chains: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {name: value for name, value in part.options.items() if value is not None}
    if part.wind is not None:
        given["wind"] = part.wind
    if part.off:
        given["chains"] = [name for name in chains if name not in part.off]
    return given


def recipe_text(scene: Scene, what: Product, chains: Sequence[str] = ()) -> tuple[str, tuple[Note, ...]]:
    """The recipe's TOML, and what of the result it cannot tell."""
    found, notes = steps(scene, what, chains)
    blocks = ['about = "from the studio"\n']
    for use, given in found:
        rows = [f"{name} = {_value(value)}\n" for name, value in given.items()]
        blocks.append("".join(["[[step]]\n", f"use = {_value(use)}\n", *rows]))
    return "\n".join(blocks), notes


def _value(value: Any) -> str:
    """A plain value as TOML: JSON's spelling is TOML's too, but for one control character that JSON lets stand."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
