"""Units of length: what a file's numbers are in metres, guessed from the size of the body if it does not say."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.errors import OptionError, one_of
from komadori.quat import Array
from komadori.roles.stature import NEAR, SANE, TALL, USUAL, sane_scale, stature
from komadori.skeleton import Skeleton
from komadori.words import Note

METRES: dict[str, float] = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45}
"""Name of a unit -> metres. "cmu" is the one of the CMU motion capture library: an inch is 0.45 of it; decimetres are
MakeHuman's."""
_TOLD = {
    "m": Note("metres"),
    "dm": Note("decimetres"),
    "cm": Note("centimetres"),
    "mm": Note("millimetres"),
    "inch": Note("inches"),
    "cmu": Note("CMU units (5.64 cm)"),
}
"""Name of a unit -> how a note calls it."""

LEAST, TYPICAL, MOST = 1.3, 2.3, 3.0
"""Metres from hand to foot along the bones: a large dog or a child, a person, and the tallest to be expected."""


def chosen(unit: str | None, size: float) -> tuple[float, Note | None]:
    """Metres in one `unit`; if that is None, the unit which makes a body of `size` plausible, and a note on it."""
    if unit is not None:
        if unit not in METRES:
            raise OptionError("unit", expected=one_of(METRES), found=unit)
        return METRES[unit], None
    fits = [name for name, metres in METRES.items() if LEAST <= size * metres <= MOST]
    if not fits:
        template = "No unit in the file, and {size:.4g} from end to end fits no known body; assumed centimetres. Use --unit to change it."
        return METRES["cm"], Note(template, size=size)
    best = min(fits, key=lambda name: abs(size * METRES[name] - TYPICAL))
    template = "No unit in the file; assumed {unit}, which makes the body {metres:.2f} m from end to end. Use --unit to change it."
    return METRES[best], Note(template, unit=_TOLD[best], metres=size * METRES[best])


PERSON = (0.6, 2.0)
"""Metres of legs, trunk and neck: from a small child, or a figure with short legs, to the tallest. Ways along bones also go over wings,
weapons and tails; these do not."""


def guessed(skeleton: Skeleton, scale: float) -> tuple[float, Note | None]:
    """A better guess than `scale`, with which `skeleton` was read, of metres in one unit of a file that states none, and a better note.

    `skeleton` has its roles. The guess stays if the body is of a size that can be, or is not known; the note is None if there is
    nothing to add to the one on that guess.
    """
    size = stature(skeleton)
    plan = roles.body_plan(skeleton)
    if size is None or not size > 0.0 or plan == "unknown":
        return scale, None
    least, most = PERSON if plan == "biped" else SANE["dog"]
    if least <= size <= most:
        unit = next((name for name, metres in METRES.items() if metres == scale), None)
        return scale, _tall(unit, size) if unit is not None and plan == "biped" else None
    usual = USUAL["person" if plan == "biped" else "dog"]
    known = {name: size / scale * metres for name, metres in METRES.items()}
    best = min(known, key=lambda name: abs(np.log(known[name] / usual)))
    if abs(np.log(known[best] / usual)) <= np.log(NEAR):
        return METRES[best], _tall(best, known[best])
    better = sane_scale(size, "person" if plan == "biped" else "dog")
    better = usual / size if better == 1.0 else better
    template = (
        "No unit in the file, and no known one fits the body; assumed {scale:.3g} m, which makes it about {metres:.2f} m tall. "
        "Use --unit to change it."
    )
    return scale * better, Note(template, scale=scale * better, metres=TALL * size * better)


def _tall(unit: str, size: float) -> Note:
    """What a body of that stature in metres is told to be, where `unit` is a guess."""
    template = (
        "No unit in the file; assumed {unit}, which makes the body about {metres:.2f} m tall. Use --unit to change it."
    )
    return Note(template, unit=_TOLD[unit], metres=TALL * size)


LARGE = ("horse", "pony", "mare", "stallion", "donkey", "mule", "zebra", "cow", "bull", "deer", "stag", "elk", "moose", "camel", "giraffe", "llama",
         "alpaca", "unicorn", "centaur", "pferd", "cheval", "caballo", "cavallo", "uma", "馬")  # fmt: skip
"""Words in a file's name that tell an animal of a horse's size."""


def stated(skeleton: Skeleton, name: str = "") -> tuple[float, Note | None]:
    """By how much a body must be scaled whose file, called `name`, states a unit that cannot be its own, and a note on it; else 1.

    `skeleton` has its roles. Only a body that names tell is looked at: other things are of any size.
    """
    size = stature(skeleton)
    if size is None or not size > 0.0 or not roles.told_by_names(skeleton):
        return 1.0, None
    kind = "person"
    if roles.body_plan(skeleton) == "quadruped":
        said = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
        kind = "horse" if any(word.casefold() in LARGE for word in said) else "dog"
    scale = sane_scale(size, kind, METRES.values())
    if scale == 1.0:
        return 1.0, None
    template = (
        "By the file's own unit the body would be {before:.3g} m tall; scaled it by {scale:.3g} to {after:.2f} m. "
        "Export it in another unit if that is wrong."
    )
    return scale, Note(template, before=TALL * size, scale=scale, after=TALL * size * scale)


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
