"""Which frames of a motion need a key: steps where it is held, lines where it flows, and no redundant keys."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.motion import COMPUTED, Motion
from komadori.quat import Array

EXACT = 1e-6
"""A dropped key lay so near to the line between its neighbours: metres, or parts of a unit quaternion."""
STRAIGHT = 2.5e-7
"""A frame so near to the middle of its two neighbours may be droppable: just above the noise of 32-bit numbers."""
HALF, TENTH = 0.5, 0.1
"""So much of the body must rest in so many of the frames for parts of it to be on their own sheets."""

Frames = NDArray[np.int64]


def held(motion: Motion) -> bool:
    """Whether the motion shows drawings, to be switched and not blended.

    It does where the whole body stops between two movements, where half of it does so in a tenth of the frames (the parts
    of a body may have their own sheets), or where frames of the file that it came from were omitted unevenly.
    """
    same = (motion.rotations[1:] == motion.rotations[:-1]).all(axis=2)
    same &= (motion.positions[1:] == motion.positions[:-1]).all(axis=2)
    same = same[:, ~same.all(axis=0)]
    if same.shape[1]:
        active = np.flatnonzero(~same.all(axis=1))
        between = same[active[0] : active[-1] + 1]
        if between.all(axis=1).any() or (between.mean(axis=1) >= HALF).mean() >= TENTH:
            return True
    if motion.origin is None or len(motion) < 3:
        return False
    rows = motion.origin.rows[:, 0]
    return bool((rows != COMPUTED).all() and len(np.unique(np.diff(rows))) > 1)


def stepped(values: NDArray[np.float32]) -> Frames:
    """The frames at which `values` (F, n) change, and the first."""
    changed = (values[1:] != values[:-1]).any(axis=1)
    return np.concatenate([[0], 1 + np.flatnonzero(changed)])


def bent(values: Array, tolerance: Array, turning: bool) -> NDArray[np.bool_]:
    """(F, J) true where a frame of `values` (F, J, n) does not lie midway between its neighbours, and at both ends."""
    result = np.ones(values.shape[:2], dtype=bool)
    if len(values) > 2:
        middle = 0.5 * (values[:-2] + values[2:])
        if turning:
            middle = quat.normalized(middle)
        result[1:-1] = np.abs(values[1:-1] - middle).max(axis=2) > tolerance * (STRAIGHT / EXACT)
    return result


def linear(values: Array, keep: NDArray[np.bool_], tolerance: float, turning: bool) -> Frames:
    """The frames of `values` (F, n) that lines between them need, of which those in `keep` (F,) are some."""
    keys = np.flatnonzero(keep)
    if len(keys) == len(values):
        return keys
    found = set(keys.tolist())
    waiting = [(a, b) for a, b in zip(keys[:-1].tolist(), keys[1:].tolist(), strict=True) if b > a + 1]
    while waiting:
        a, b = waiting.pop()
        u = np.arange(1, b - a) / (b - a)
        line = quat.slerp(values[a], values[b], u) if turning else values[a] + u[:, None] * (values[b] - values[a])
        away = np.abs(values[a + 1 : b] - line).max(axis=1)
        worst = int(np.argmax(away))
        if away[worst] > tolerance:
            middle = a + 1 + worst
            found.add(middle)
            waiting += [(x, y) for x, y in ((a, middle), (middle, b)) if y > x + 1]
    return np.array(sorted(found), dtype=np.int64)
