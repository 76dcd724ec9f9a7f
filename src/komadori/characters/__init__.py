"""Built-in bodies and characters, and sample motions made by code."""

from __future__ import annotations

from komadori.characters.body import humanoid
from komadori.characters.gallery import CHARACTER_DESCRIPTIONS, CHARACTERS, character
from komadori.characters.samples import DESCRIPTIONS, SAMPLES, sample

__all__ = [
    "CHARACTERS",
    "CHARACTER_DESCRIPTIONS",
    "DESCRIPTIONS",
    "SAMPLES",
    "character",
    "humanoid",
    "sample",
]
