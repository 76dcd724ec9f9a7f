"""Built-in bodies, and sample motions made by code."""

from __future__ import annotations

from komadori.characters.body import humanoid
from komadori.characters.samples import DESCRIPTIONS, SAMPLES, sample

__all__ = ["DESCRIPTIONS", "SAMPLES", "humanoid", "sample"]
