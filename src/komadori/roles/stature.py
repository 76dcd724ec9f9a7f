"""How large a body is along its bones, and whether that is plausible, which reveals a wrong unit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from komadori.skeleton import Skeleton

SANE = {"person": (0.25, 3.0), "dog": (0.15, 3.5), "horse": (0.6, 4.0)}
"""Metres of legs, trunk and neck, from the smallest to the largest of its kind: a doll to a giant, a kitten to a horse that is not called
one, a foal to a shire. Anything smaller or larger has a wrong unit."""
USUAL = {"person": 1.45, "dog": 1.2, "horse": 2.3}
"""Metres: the same of a grown person, of a large dog, and of a horse."""
TALL = 1.2
"""How tall a person is in lengths of legs, trunk and neck."""
NEAR = 1.6
"""A unit fits when it makes the body so many times as large as usual at most, and no smaller than the inverse."""


def stature(skeleton: Skeleton) -> float | None:
    """Along the bones from a foot up the leg, and from the hips to the head; None if one of them is unknown."""
    if not {"hips", "head", "left_upper_leg", "left_lower_leg", "left_foot"} <= skeleton.roles.keys():
        return None
    lengths, total = np.linalg.norm(skeleton.offsets, axis=1), 0.0
    for low, high in (("left_foot", "left_upper_leg"), ("head", "hips")):
        joint = skeleton.roles[low]
        while joint not in (-1, skeleton.roles[high]):
            total += float(lengths[joint])
            joint = int(skeleton.parents[joint])
    return total


def sane_scale(size: float, kind: str, units: Iterable[float] = ()) -> float:
    """By how much a body of that `size` and `kind` (of SANE) must be scaled to live: 1, a power of ten, one of `units`, or to the usual."""
    least, most = SANE[kind]
    if not size > 0.0 or least <= size <= most:
        return 1.0
    usual = USUAL[kind]
    factors = [*(10.0**power for power in range(-6, 7)), *units]
    scale = min(factors, key=lambda factor: abs(np.log(size * factor / usual)))
    return usual / size if abs(np.log(size * scale / usual)) > np.log(NEAR) else scale
