"""The horse's skeleton, named as animal rigs are; hind legs play legs, fore legs play arms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from komadori.characters import body
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


@lru_cache(maxsize=1)
def skeleton() -> Skeleton:
    """41 joints, 1.5 m at the withers, facing +Z.

    >>> skeleton()
    Skeleton(41 joints, root 'back', 23 roles)
    """
    names, parents, places = body.both_sides(TRUNK, SIDE)
    offsets = places - np.where(parents[:, None] >= 0, places[parents], 0.0)
    played = dict(PLAYED)
    played |= {f"{side}_{role}": f"{side}_{name}" for side, _ in body.SIDES for role, name in PLAYED_BY_SIDE.items()}
    return Skeleton(names, parents, offsets, roles={role: names.index(name) for role, name in played.items()})
