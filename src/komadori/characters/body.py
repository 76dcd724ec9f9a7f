"""The built-in humanoid: a skeleton of 31 joints, 1.65 m tall, standing in a T-pose."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.skeleton import END_SUFFIX, Skeleton

HEIGHT = 1.65
THIGH, SHIN = 0.405, 0.395
ANKLE_HEIGHT = 0.075
"""How high the ankle is above the sole."""
BALL = (0.0, 0.02, 0.125)
"""The joint of the toes, seen from the spot on the ground below the ankle of a foot that stands flat."""
HEEL = (0.0, 0.0, -0.05)
"""Where the heel meets the ground, seen from the same spot."""

# name, parent, offset from the parent in metres (x to the left, y up, z to the front)
TRUNK = (
    ("hips", "", (0.0, 0.935, 0.0)),
    ("spine", "hips", (0.0, 0.075, -0.01)),
    ("chest", "spine", (0.0, 0.115, -0.005)),
    ("upper_chest", "chest", (0.0, 0.12, 0.0)),
    ("neck", "upper_chest", (0.0, 0.155, -0.005)),
    ("head", "neck", (0.0, 0.075, 0.015)),
    ("head_end", "head", (0.0, 0.175, 0.0)),
)
# The left side; the right one is its mirror image.
SIDE = (
    ("shoulder", "upper_chest", (0.03, 0.11, 0.0)),
    ("upper_arm", "shoulder", (0.13, 0.0, -0.01)),
    ("lower_arm", "upper_arm", (0.27, 0.0, 0.0)),
    ("hand", "lower_arm", (0.24, 0.0, 0.0)),
    ("fingers", "hand", (0.085, 0.0, 0.0)),
    ("fingers_end", "fingers", (0.08, 0.0, 0.0)),
    ("thumb_end", "hand", (0.07, -0.01, 0.05)),
    ("upper_leg", "hips", (0.09, -0.06, 0.0)),
    ("lower_leg", "upper_leg", (0.0, -THIGH, 0.0)),
    ("foot", "lower_leg", (0.0, -SHIN, 0.0)),
    ("toes", "foot", (BALL[0], BALL[1] - ANKLE_HEIGHT, BALL[2])),
    ("toes_end", "toes", (0.0, -0.008, 0.07)),
)
SIDES = (("left", 1.0), ("right", -1.0))
WITHOUT_ROLE = ("left_fingers", "right_fingers")


Row: TypeAlias = tuple[str, str, tuple[float, float, float]]
"""A joint's name, its parent's, and where it is."""


def both_sides(trunk: Sequence[Row], side_rows: Sequence[Row]) -> tuple[tuple[str, ...], NDArray[np.intp], Array]:
    """Names, parents (J,) and positions (J, 3) of a body: its trunk, then `side_rows` once to the left and once mirrored."""
    own = {name for name, _, _ in side_rows}
    rows = list(trunk)
    for side, sign in SIDES:
        for name, parent, (x, y, z) in side_rows:
            rows.append((f"{side}_{name}", f"{side}_{parent}" if parent in own else parent, (sign * x, y, z)))
    names = tuple(name for name, _, _ in rows)
    parents = np.array([names.index(parent) if parent else -1 for _, parent, _ in rows], dtype=np.intp)
    return names, parents, np.array([place for _, _, place in rows])


@lru_cache(maxsize=1)
def humanoid() -> Skeleton:
    """The built-in body: 31 joints with VRM's roles, Y up, facing +Z, its left at +X.

    >>> humanoid()
    Skeleton(31 joints, root 'hips', 22 roles)
    """
    names, parents, offsets = both_sides(TRUNK, SIDE)
    roles = {
        name: joint for joint, name in enumerate(names) if not name.endswith(END_SUFFIX) and name not in WITHOUT_ROLE
    }
    return Skeleton(names, parents, offsets, roles=roles)
