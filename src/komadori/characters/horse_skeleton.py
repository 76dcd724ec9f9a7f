"""The horse's skeleton, named as animal rigs are; hind legs play legs, fore legs play arms; the mane comes last."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from komadori.characters import body
from komadori.characters.modelling import curve
from komadori.characters.strands import Strand, with_strands
from komadori.quat import Array
from komadori.skeleton import Skeleton

# name, parent, place in the world at rest (x to the left, y up, z to the front)
TRUNK = (
    ("back", "", (0.0, 1.28, -0.50)),
    ("torso", "back", (0.0, 1.30, -0.22)),
    ("torso_2", "torso", (0.0, 1.28, 0.10)),
    ("torso_3", "torso_2", (0.0, 1.26, 0.36)),
    ("neck_1", "torso_3", (0.0, 1.27, 0.52)),
    ("neck_2", "neck_1", (0.0, 1.49, 0.71)),
    ("head", "neck_2", (0.0, 1.72, 0.85)),
    ("head_end", "head", (0.0, 1.40, 1.19)),
    ("tail_1", "back", (0.0, 1.33, -0.76)),
    ("tail_2", "tail_1", (0.0, 1.29, -0.86)),
    ("tail_3", "tail_2", (0.0, 1.17, -0.94)),
    ("tail_4", "tail_3", (0.0, 1.01, -0.97)),
    ("tail_5", "tail_4", (0.0, 0.85, -0.96)),
    ("tail_6", "tail_5", (0.0, 0.69, -0.94)),
    ("tail_end", "tail_6", (0.0, 0.54, -0.93)),
)
# The left side; the right one is its mirror image.
SIDE = (
    ("ear", "head", (0.052, 1.765, 0.835)),
    ("ear_end", "ear", (0.074, 1.895, 0.850)),
    ("front_shoulder", "torso_3", (0.075, 1.39, 0.40)),
    ("front_upper_leg", "front_shoulder", (0.150, 1.02, 0.55)),
    ("front_lower_leg", "front_upper_leg", (0.150, 0.88, 0.37)),
    ("front_foot", "front_lower_leg", (0.150, 0.47, 0.395)),
    ("front_pastern", "front_foot", (0.150, 0.150, 0.385)),
    ("front_pastern_end", "front_pastern", (0.150, 0.0, 0.465)),
    ("back_leg", "back", (0.130, 1.13, -0.52)),
    ("back_upper_leg", "back_leg", (0.150, 0.87, -0.36)),
    ("back_lower_leg", "back_upper_leg", (0.150, 0.555, -0.635)),
    ("back_foot", "back_lower_leg", (0.150, 0.160, -0.590)),
    ("back_foot_end", "back_foot", (0.150, 0.0, -0.510)),
)
PLAYED = {
    "hips": "back",
    "spine": "torso",
    "chest": "torso_2",
    "upper_chest": "torso_3",
    "neck": "neck_1",
    "head": "head",
    "tail": "tail_1",
}
PLAYED_BY_SIDE = {
    "shoulder": "front_shoulder",
    "upper_arm": "front_upper_leg",
    "lower_arm": "front_lower_leg",
    "hand": "front_foot",
    "upper_leg": "back_leg",
    "lower_leg": "back_upper_leg",
    "foot": "back_lower_leg",
    "toes": "back_foot",
}
"""Role -> joint. Fore legs are arms: the hand begins at the knee that bends to the front, the foot at the hock."""
TAIL = tuple(name for name, _, _ in TRUNK if name.startswith("tail"))


POLL_TO_WITHERS = ((1.805, 0.845), (1.735, 0.725), (1.640, 0.615), (1.560, 0.500), (1.500, 0.370))
"""The crest of the neck, up and to the front."""


def crest(share: float) -> Array:
    """(3,) a place on the crest of the neck: 0 is the poll, 1 the withers."""
    line = curve([(0.0, y, z) for y, z in POLL_TO_WITHERS], 97)
    at = np.linspace(0.0, 1.0, len(line))
    return np.array([np.interp(share, at, line[:, axis]) for axis in range(3)])


def _lock(number: int, share: float, long: float, beside: tuple[float, float, float], holder: str) -> Strand:
    """A strand of the mane: over the crest, then down the left side; `beside` is how far to the left its points are."""
    back = 0.035 + 0.02 * share
    drops = ((-0.14 * long, -0.45 * back), (-0.55 * long, -back), (-long, -1.7 * back))
    places = [crest(share) - np.array([0.0, 0.004, 0.0])]
    places += [crest(share) + np.array([x, y, z]) for x, (y, z) in zip(beside, drops, strict=True)]
    return Strand(f"mane_{number}", "hair", tuple((float(x), float(y), float(z)) for x, y, z in places), 4, holder)


ROOTS = (0.10, 0.27, 0.44, 0.61, 0.78, 0.94)
"""Where along the crest the mane's strands begin."""
MANE: tuple[Strand, ...] = (
    Strand(
        "mane_fore", "hair", ((0.0, 1.80, 0.862), (0.012, 1.79, 0.93), (0.02, 1.73, 0.985), (0.012, 1.655, 1.03)), 3
    ),
    *(
        _lock(n + 1, share, *row)
        for n, (share, row) in enumerate(
            zip(
                ROOTS,
                (
                    (0.290, (0.062, 0.108, 0.135), "head"),
                    (0.330, (0.062, 0.116, 0.150), "neck_2"),
                    (0.310, (0.066, 0.124, 0.165), "neck_2"),
                    (0.300, (0.074, 0.150, 0.216), "neck_1"),
                    (0.255, (0.074, 0.160, 0.226), "neck_1"),
                    (0.215, (0.080, 0.170, 0.228), "torso_3"),
                ),
                strict=True,
            )
        )
    ),
)
"""The forelock, and the mane from poll to withers; each hangs from the joint that carries its spot of the crest."""


@lru_cache(maxsize=1)
def skeleton() -> Skeleton:
    """41 joints, 1.5 m at the withers, facing +Z; and after them the mane's.

    >>> skeleton()
    Skeleton(75 joints, root 'back', 23 roles)
    """
    names, parents, places = body.both_sides(TRUNK, SIDE)
    offsets = places - np.where(parents[:, None] >= 0, places[parents], 0.0)
    played = dict(PLAYED)
    played |= {f"{side}_{role}": f"{side}_{name}" for side, _ in body.SIDES for role, name in PLAYED_BY_SIDE.items()}
    plain = Skeleton(names, parents, offsets, roles={role: names.index(name) for role, name in played.items()})
    return with_strands(plain, MANE)
