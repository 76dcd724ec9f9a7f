"""Units of length: what a file's numbers are in metres, guessed from the size of the body where it does not say."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError, one_of
from komadori.quat import Array
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
