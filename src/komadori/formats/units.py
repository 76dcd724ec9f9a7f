"""Units of length: what a file's numbers are in metres, guessed from the size of the body where it does not say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.errors import OptionError, one_of
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

METRES: dict[str, float] = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Name of a unit -> metres. "cmu" is the one of the CMU motion capture library: an inch is 0.45 of it."""

LEAST, TYPICAL, MOST = 1.3, 2.3, 3.0
"""Metres from hand to foot along the bones: a large dog or a child, a person, and the tallest to be expected."""


def chosen(unit: str | None, size: float) -> tuple[float, Note | None]:
    """Metres in one `unit`; where that is None, the unit which makes a body of `size` plausible, and a note on it."""
    if unit is not None:
        if unit not in METRES:
            raise OptionError("unit", expected=one_of(METRES), found=unit)
        return METRES[unit], None
    fits = [name for name, metres in METRES.items() if LEAST <= size * metres <= MOST]
    if not fits:
        template = "the file states no unit, and {size:.4g} from end to end fits no known body: centimetres were taken"
        return METRES["cm"], Note(template, size=size)
    best = min(fits, key=lambda name: abs(size * METRES[name] - TYPICAL))
    template = "the file states no unit: {unit} was taken, which makes the body {metres:.2f} m from hand to foot"
    return METRES[best], Note(template, unit=best, metres=size * METRES[best])


SANE = (0.25, 9.0)
"""Metres: legs, trunk and neck of a kitten, and of a giant. What is smaller or larger is in another unit than it says."""
USUAL = {"biped": 1.45, "quadruped": 1.2}
"""Metres: the same of a grown person, and of a large dog."""
_NEAR = 1.6
"""A unit fits when it makes the body so many times as large as usual at most, and no smaller than the inverse."""
_TALL = 1.2
"""How tall a person is in lengths of legs, trunk and neck."""


def stated(skeleton: Skeleton) -> tuple[float, Note | None]:
    """By how much a body must be scaled whose file states a unit that cannot be its own, and a note on it; else 1.

    `skeleton` has its roles. Only a body that names tell is looked at: other things are of any size.
    """
    size = _stature(skeleton)
    if size is None or not size > 0.0 or SANE[0] <= size <= SANE[1] or not roles.told_by_names(skeleton):
        return 1.0, None
    usual = USUAL["quadruped" if roles.body_plan(skeleton) == "quadruped" else "biped"]
    factors = [*(10.0**power for power in range(-6, 7)), *METRES.values()]
    scale = min(factors, key=lambda factor: abs(np.log(size * factor / usual)))
    if abs(np.log(size * scale / usual)) > np.log(_NEAR):
        scale = usual / size
    template = (
        "By the file's own unit the body would be {before:.3g} m tall; scaled it by {scale:.3g} to {after:.2f} m. "
        "Export it in another unit if that is wrong."
    )
    return scale, Note(template, before=_TALL * size, scale=scale, after=_TALL * size * scale)


def _stature(skeleton: Skeleton) -> float | None:
    """Along the bones from a foot up the leg, and from the hips to the head; None where one of them is unknown."""
    if not {"hips", "head", "left_upper_leg", "left_lower_leg", "left_foot"} <= skeleton.roles.keys():
        return None
    lengths, total = np.linalg.norm(skeleton.offsets, axis=1), 0.0
    for low, high in (("left_foot", "left_upper_leg"), ("head", "hips")):
        joint = skeleton.roles[low]
        while joint not in (-1, skeleton.roles[high]):
            total += float(lengths[joint])
            joint = int(skeleton.parents[joint])
    return total


def body_size(parents: NDArray[np.intp], bones: Array) -> float:
    """The longest way along bones from one joint to another, whatever the pose; `bones` (J, 3) are local places.

    In a person that is from a hand to the other hand or to a foot.
    """
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(bones, axis=1).tolist()
    deepest = [0.0] * len(lengths)
    best = 0.0
    order = parents.tolist()
    for joint in range(len(order) - 1, -1, -1):
        parent = order[joint]
        if parent < 0:
            continue
        reach = deepest[joint] + lengths[joint]
        best = max(best, deepest[parent] + reach)
        deepest[parent] = max(deepest[parent], reach)
    return best
