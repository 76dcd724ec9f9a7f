"""Flesh: how thick a body is around its joints if it has no skin."""

from __future__ import annotations

import numpy as np

from komadori.quat import Array
from komadori.skeleton import Skeleton

THICKNESS = 0.058
"""Radius of a limb over the root of whatever is below it, both in body heights: branches of a tree follow this rule."""
THINNEST, THICKEST = 0.012, 0.062
HEAD = 0.068
"""Radius of the head in body heights."""


def bone_lengths(skeleton: Skeleton, positions: Array) -> tuple[Array, Array]:
    """(J,) the length of the bone that ends in each joint, and (J,) the length of everything below it; `positions` (J, 3)."""
    parents = skeleton.parents
    lengths = np.where(parents >= 0, np.linalg.norm(positions - positions[np.maximum(parents, 0)], axis=-1), 0.0)
    below = np.zeros(len(skeleton))
    for joint in range(len(skeleton) - 1, -1, -1):
        if parents[joint] >= 0:
            below[parents[joint]] += below[joint] + lengths[joint]
    return lengths, below


def radii(skeleton: Skeleton, positions: Array) -> tuple[Array, float]:
    """(J,) the radius around each joint in metres, and the body's height, from one pose, `positions` (J, 3)."""
    _, below = bone_lengths(skeleton, positions)
    height = max(float(np.ptp(positions, axis=0).max()), 1e-6)
    return np.clip(THICKNESS * np.sqrt(below / height), THINNEST, THICKEST) * height, height


def skull(skeleton: Skeleton, head: int, positions: Array) -> Array:
    """(3,) the middle of the head: on its own bone if it has one."""
    centre = positions[head]
    tips = skeleton.children[head]
    if not len(tips):
        return np.asarray(centre)
    tip = positions[max(tips, key=lambda joint: float(np.linalg.norm(positions[joint] - centre)))]
    return np.asarray(centre + 0.45 * (tip - centre))
