"""Make lock.csv again: a lock of hair as somebody might have traced it from twelve drawings (made up, with a shaky hand)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from komadori.methods.hair import Trace, joints, tilts
from komadori.methods.hair.traces import to_csv

LENGTHS = [52.0, 50.0, 47.0, 49.0, 44.0, 38.0]
"""Pixels."""


def main() -> None:
    """One cycle on twos: twelve drawings per second."""
    hand = np.random.default_rng(5)
    times = 2.0 * np.pi * np.arange(12) / 12.0
    drawn = tilts(LENGTHS, times - 0.8, k=0.62, s=1.25, p=1.3, a=0.6) + np.radians(3.0) * hand.normal(size=(12, 6))
    shaken = np.array([310.0, 240.0]) + hand.normal(size=(12, 7, 2))
    places = np.round(joints(LENGTHS, drawn) + shaken, 1)
    trace = Trace(places, fps=12.0, chain="hair_ponytail")
    (Path(__file__).parent / "lock.csv").write_text(to_csv(trace), encoding="utf-8")


if __name__ == "__main__":
    main()
