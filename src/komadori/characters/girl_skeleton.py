"""The girl's skeleton: the joints of the built-in body in its order, smaller, and after them her hair and ribbon."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from komadori.characters import body
from komadori.characters.strands import Strand, with_strands
from komadori.skeleton import Skeleton

HEIGHT = 1.58
THIGH, SHIN = 0.385, 0.375
ANKLE_HEIGHT = 0.075

# name -> offset from the parent in metres; a left side that is mirrored
OFFSETS: dict[str, tuple[float, float, float]] = {
    "hips": (0.0, 0.880, 0.0),
    "spine": (0.0, 0.070, -0.008),
    "chest": (0.0, 0.095, -0.004),
    "upper_chest": (0.0, 0.108, 0.0),
    "neck": (0.0, 0.126, -0.004),
    "head": (0.0, 0.056, 0.012),
    "head_end": (0.0, 0.245, 0.0),
    "shoulder": (0.024, 0.092, 0.0),
    "upper_arm": (0.106, 0.0, -0.008),
    "lower_arm": (0.238, 0.0, 0.0),
    "hand": (0.212, 0.0, 0.0),
    "fingers": (0.074, 0.0, 0.0),
    "fingers_end": (0.066, 0.0, 0.0),
    "thumb_end": (0.058, -0.008, 0.040),
    "upper_leg": (0.078, -0.045, 0.0),
    "lower_leg": (0.0, -THIGH, 0.0),
    "foot": (0.0, -SHIN, 0.0),
    "toes": (0.0, 0.020 - ANKLE_HEIGHT, 0.112),
    "toes_end": (0.0, -0.006, 0.062),
}


KNOT = (0.0, 1.522, -0.112)
"""Where the hair is tied."""


def _both(name: str, kind: str, points: tuple[tuple[float, float, float], ...], bones: int) -> tuple[Strand, Strand]:
    return (
        Strand(f"{name}_left", kind, points, bones),
        Strand(f"{name}_right", kind, tuple((-x, y, z) for x, y, z in points), bones),
    )


STRANDS: tuple[Strand, ...] = (
    Strand(
        "hair_ponytail",
        "hair",
        (
            KNOT,
            (0.0, 1.556, -0.160),
            (0.0, 1.540, -0.226),
            (0.0, 1.440, -0.280),
            (0.0, 1.280, -0.286),
            (0.0, 1.115, -0.250),
            (0.0, 0.960, -0.226),
            (0.0, 0.830, -0.248),
            (0.0, 0.745, -0.300),
        ),
        8,
    ),
    Strand(
        "hair_bangs",
        "hair",
        ((0.012, 1.553, 0.062), (0.008, 1.525, 0.105), (0.004, 1.485, 0.122), (0.006, 1.447, 0.119)),
        2,
    ),
    *_both(
        "hair_bangs",
        "hair",
        ((0.030, 1.553, 0.058), (0.058, 1.520, 0.090), (0.076, 1.475, 0.096), (0.078, 1.432, 0.088)),
        2,
    ),
    *_both(
        "hair_side",
        "hair",
        (
            (0.066, 1.520, 0.036),
            (0.104, 1.465, 0.046),
            (0.110, 1.390, 0.050),
            (0.100, 1.305, 0.062),
            (0.098, 1.215, 0.092),
            (0.112, 1.135, 0.108),
            (0.106, 1.070, 0.104),
        ),
        5,
    ),
    *_both("ribbon_wing", "ribbon", (KNOT, (0.045, 1.552, -0.134), (0.100, 1.570, -0.142)), 2),
    *_both("ribbon", "ribbon", (KNOT, (0.046, 1.480, -0.150), (0.064, 1.395, -0.172), (0.092, 1.300, -0.176)), 3),
)


@lru_cache(maxsize=1)
def skeleton() -> Skeleton:
    """The built-in body's 31 joints with the girl's offsets, then her chains; the same roles."""
    plain = body.humanoid()
    offsets = []
    for name in plain.names:
        side, _, own = name.partition("_")
        x, y, z = OFFSETS[own if side in ("left", "right") else name]
        offsets.append((-x if side == "right" else x, y, z))
    return with_strands(replace(plain, offsets=np.array(offsets)), STRANDS)
