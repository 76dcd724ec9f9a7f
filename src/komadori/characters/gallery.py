"""The built-in characters by name: made by code here, free of any licence."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from komadori.errors import OptionError, one_of

if TYPE_CHECKING:
    from komadori.character import Character

# A character's modules are loaded when it is asked for: the samples are used far more often, and start at once.


def _mannequin() -> Character:
    from komadori.characters.mannequin import mannequin

    return mannequin()


def _girl() -> Character:
    from komadori.characters.girl import girl

    return girl()


def _horse() -> Character:
    from komadori.characters.horse import horse

    return horse()


MAKERS: dict[str, Callable[[], Character]] = {"mannequin": _mannequin, "girl": _girl, "horse": _horse}
CHARACTERS: tuple[str, ...] = tuple(MAKERS)
CHARACTER_DESCRIPTIONS: dict[str, str] = {
    "mannequin": "a plain figure on the skeleton of the sample motions",
    "girl": "a girl with long tied hair and a ribbon, on the same joints",
    "horse": "a horse with a walk and a trot",
}
"""One line about every character; Japanese through `komadori.words.translated`."""


def character(name: str) -> Character:
    """The built-in character called `name` (one of CHARACTERS), standing at rest.

    >>> character("horse").motions["trot"]
    Motion(97 frames at 24 fps, 75 joints, 4.04 s)
    """
    if name not in MAKERS:
        raise OptionError("character", expected=one_of(CHARACTERS), found=str(name))
    return _made(name)


@lru_cache(maxsize=len(MAKERS))
def _made(name: str) -> Character:
    return MAKERS[name]()
