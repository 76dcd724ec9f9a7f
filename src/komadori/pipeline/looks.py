"""Looks: the built-in recipes, as TOML files of the package."""

from __future__ import annotations

from importlib import resources

from komadori.errors import OptionError, one_of
from komadori.pipeline.recipe import Recipe

LOOKS: tuple[str, ...] = ("tv", "film", "snappy", "subtle")


def look(name: str) -> Recipe:
    """The built-in recipe called `name` (one of LOOKS).

    >>> [step.use for step in look("tv").steps][-1]
    'limited'
    """
    return Recipe.parse(look_text(name), name)


def look_text(name: str) -> str:
    """The file of a built-in recipe, with its comments."""
    if name not in LOOKS:
        raise OptionError("look", expected=one_of(LOOKS), found=name)
    return resources.files("komadori").joinpath("looks", f"{name}.toml").read_text(encoding="utf-8")
