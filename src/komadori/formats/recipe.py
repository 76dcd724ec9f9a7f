"""Recipes (.toml). Their grammar lives with `Recipe`, for people type recipes into the studio too; here they are files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from komadori.formats.format import Format

if TYPE_CHECKING:
    from komadori.pipeline.recipe import Recipe


def parse(data: bytes, name: str) -> Recipe:
    """The recipe in `data`; `name` is the file's, for messages and for the recipe's own name."""
    from komadori.pipeline import toml_text
    from komadori.pipeline.recipe import Recipe

    return Recipe.parse(toml_text.decoded(data, name), name)


def emit(recipe: Recipe) -> bytes:
    """The recipe as TOML."""
    return recipe.toml().encode("utf-8", "replace")


FORMAT = Format("recipe", (".toml",), kind="recipe", holds="Recipe", parse=parse, emit=emit)
