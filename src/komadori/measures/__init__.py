"""Measures: foot slip, jitter, penetration, asymmetry, holds and more, each with its definition stated."""

from __future__ import annotations

from komadori.measures.definitions import DEFINITIONS, Definition
from komadori.measures.measuring import Measured, measure

__all__ = ["DEFINITIONS", "Definition", "Measured", "measure"]
