"""Heading: which way a body faces over a motion, smoothed, so that a wind can come from its front wherever it turns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.numerics.cuts import Mask, shots
from komadori.quat import Array
from komadori.skeleton import Skeleton

Complex = NDArray[np.complex128]

SMOOTH_S = 0.5
"""Headings are averaged over about so long: air does not turn with every glance."""


def front_of(skeleton: Skeleton, world: Array) -> Array:
    """(3,) the level direction that a body looks in, by its left and right; +z if it has none."""
    for role in ("upper_leg", "upper_arm", "shoulder"):
        left, right = skeleton.role(f"left_{role}"), skeleton.role(f"right_{role}")
        if left is not None and right is not None:
            across = world[left] - world[right]
            front = np.array([-across[2], 0.0, across[0]])
            if np.linalg.norm(front) > 1e-6:
                return np.asarray(front / np.linalg.norm(front))
    return np.array([0.0, 0.0, 1.0])


def trunk_of(skeleton: Skeleton) -> tuple[int, ...]:
    """The joints that tell which way a body faces: hips and chest, else its root."""
    names = ("hips", "upper_chest", "chest", "spine")
    found = [skeleton.roles[name] for name in names if name in skeleton.roles]
    return (found[0], *found[1:2]) if found else (0,)


def headings_of(front: Array, turned: Sequence[Array], fps: float, cuts: Mask | None = None) -> Complex:
    """(F,) how far a body is turned about the vertical from its rest pose, in which it faces `front` (3,).

    `turned` are the rotations (F, 4) of its trunk's joints from rest. The angle is that of a complex number; its size, 1 at most, is
    how surely the body faces that way: less while it spins or lies, where a wind from its front has no meaning. What is
    on either side of one of `cuts` (F - 1,) is smoothed for itself.
    """
    ways = np.mean([quat.rotate(turn, front) for turn in turned], axis=0)
    # Straight ahead at rest is 1; a turn to the left is a positive angle about the world's up.
    faced = (ways[:, 2] + 1j * ways[:, 0]) * np.conj(complex(front[2], front[0]))
    parts = [slice(0, len(faced))] if cuts is None else shots(cuts)
    return np.concatenate([_smoothed(faced[part].astype(np.complex128), fps) for part in parts])


def _smoothed(faced: Complex, fps: float) -> Complex:
    if len(faced) < 2:
        return faced
    sigma = SMOOTH_S * fps
    reach = min(int(np.ceil(3.0 * sigma)), 100_000)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    # Beyond its ends a clip continues as it is there.
    longer = np.concatenate([np.full(reach, faced[0]), faced, np.full(reach, faced[-1])])
    return np.asarray(np.convolve(longer, weights / weights.sum(), mode="valid"), dtype=np.complex128)


def turned_wind(wind: Array, headings: Complex) -> Array:
    """(n, 3) a wind (3,) that blows past the rest pose, as it blows past a body with those headings (n,)."""
    level = (wind[2] + 1j * wind[0]) * headings
    return np.stack([level.imag, np.full(len(headings), wind[1]), level.real], axis=1)
