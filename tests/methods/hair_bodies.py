"""Bodies for the tests of hair: a head with straight strands, and motions of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.character import Character
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

BACK = (0.0, 0.0, -1.0)


def strand(lengths: Sequence[float] = (0.1,) * 8, direction: ArrayLike = BACK, count: int = 1) -> Character:
    """A head at 1.5 m with `count` straight strands, side by side, that stream along `direction`."""
    names, parents, offsets = ["head"], [-1], [np.array([0.0, 1.5, 0.0])]
    for n in range(count):
        before = 0
        for bone, length in enumerate((0.0, *lengths)):
            end = bone == len(lengths)
            names.append(f"hair_{n}_end" if end else f"hair_{n}_{bone}")
            parents.append(before)
            root = np.array([0.02 * n, 0.1, -0.1])
            offsets.append(np.asarray(direction, dtype=np.float64) * length if bone else root)
            before = len(names) - 1
    return Character("strand", Skeleton(tuple(names), np.array(parents), np.array(offsets), roles={"head": 0}))


def moved(character: Character, places: ArrayLike, turns: ArrayLike | None = None, fps: float = 24.0) -> Motion:
    """The character with its root at `places` (F, 3) and turned by `turns` (F, 4)."""
    places = np.asarray(places, dtype=np.float64)
    skeleton, frames = character.skeleton, len(places)
    rotations = np.broadcast_to(skeleton.rest, (frames, len(skeleton), 4)).copy()
    positions = np.broadcast_to(skeleton.offsets, (frames, len(skeleton), 3)).copy()
    positions[:, 0] += places
    if turns is not None:
        rotations[:, 0] = quat.multiply(turns, rotations[:, 0])
    return Motion(skeleton, fps, quat.continuous(rotations), positions)


def bones(motion: Motion, first: int = 1, count: int = 9) -> Array:
    """(F, n, 3) unit directions of the strand that begins at joint `first`, in the world."""
    steps = np.diff(motion.world_positions()[:, first : first + count], axis=1)
    return np.asarray(steps / np.linalg.norm(steps, axis=-1, keepdims=True))
