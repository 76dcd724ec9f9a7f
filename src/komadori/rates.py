"""Frame rates: the rate that a written frame time means, and rates as exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from komadori.errors import OptionError
from komadori.words import Note

SLOWEST = 1e-6
"""Frames per second: a frame of eleven days. Anything slower is an error, and its times would overflow."""

COMMON: tuple[Fraction, ...] = tuple(
    Fraction(rate)
    for rate in (
        8,
        10,
        12,
        15,
        16,
        18,
        20,
        24,
        25,
        30,
        48,
        50,
        60,
        72,
        75,
        90,
        96,
        100,
        120,
        144,
        150,
        200,
        240,
        250,
        300,
        480,
        500,
        1000,
    )
) + tuple(Fraction(rate * 1000, 1001) for rate in (24, 30, 48, 60, 120))


def meant(frame_time_s: float) -> float:
    """The frame rate that a frame time written with few digits stands for.

    A time within 0.02 percent of a common rate's is that rate; the nearest wins, so NTSC rates (0.1 percent
    below the whole ones) stay apart from them. Anything else is taken literally.

    >>> meant(0.0083333), meant(0.033333), meant(0.041708) == 24000 / 1001
    (120.0, 30.0, True)
    >>> meant(0.01735)
    57.63688760806916
    """
    if not (math.isfinite(frame_time_s) and frame_time_s > 0.0):
        raise OptionError("frame_time_s", expected=Note("a number of seconds above 0"), found=frame_time_s)
    nearest = min(COMMON, key=lambda rate: abs(float(rate) * frame_time_s - 1.0))
    if abs(float(nearest) * frame_time_s - 1.0) <= 2e-4:
        return float(nearest)
    return 1.0 / frame_time_s


@lru_cache(256)
def exact(fps: float) -> Fraction:
    """`fps` as the simple fraction that it stands for (23.976023976... is 24000/1001).

    >>> exact(24000 / 1001)
    Fraction(24000, 1001)
    """
    if not (math.isfinite(fps) and SLOWEST <= fps <= 1e6):
        raise OptionError("fps", expected=Note("a frame rate from 0.000001 to 1,000,000 fps"), found=fps)
    simple = Fraction(fps).limit_denominator(1001)
    return simple if simple > 0 and abs(float(simple) - fps) <= 1e-9 * fps else Fraction(fps)
