"""Left and right swapped for a while by the tracker: found where the body leaps unless they are exchanged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.quat import Array
from komadori.skeleton import Skeleton

Mask = NDArray[np.bool_]

LEAP = np.radians(30.0)
"""Both sides together leap at least so far where they change places."""
RATIO = 6.0
"""And this many times as far as their usual step."""


def pairs(skeleton: Skeleton) -> dict[str, NDArray[np.intp]]:
    """(n, 2) left and right joints of each pair of limbs ("arms", "legs"): what has a role, and whatever is below it alike."""
    parts = roles.parts(skeleton)
    found = roles.known(skeleton)
    result = {}
    for name, part in (("arms", "arm"), ("legs", "leg")):
        left, right = np.flatnonzero(parts[f"left_{part}"]), np.flatnonzero(parts[f"right_{part}"])
        shape = [skeleton.parents[side] - side[0] for side in (left, right) if len(side)]
        if len(left) and len(left) == len(right) and (shape[0][1:] == shape[1][1:]).all():
            result[name] = np.stack([left, right], axis=1)
        else:
            both = [(found[role], found["right_" + role[5:]]) for role in found if role.startswith("left_") and "right_" + role[5:] in found]  # fmt: skip
            own = [pair for pair in both if parts[f"left_{part}"][pair[0]] and parts[f"right_{part}"][pair[1]]]
            if own:
                result[name] = np.array(own)
    return result


def swapped(rotations: Array, positions: Array, both: NDArray[np.intp], size: float) -> Mask:
    """(F,) the frames in which the joints `both` (n, 2) have changed sides: the fewer frames count as wrong.

    The cheapest way through the clip, where continuing costs how far joints turn or go, and changing sides costs a leap more.
    """
    frames = len(rotations)
    if frames < 4:
        return np.zeros(frames, dtype=bool)
    stay, change = np.zeros(frames - 1), np.zeros(frames - 1)
    for left, right in both.tolist():
        for a, b, cost in ((left, left, stay), (right, right, stay), (left, right, change), (right, left, change)):
            turn = 2.0 * np.arccos(np.minimum(1.0, np.abs(np.einsum("fi,fi->f", rotations[:-1, a], rotations[1:, b]))))
            moved = np.linalg.norm(positions[:-1, a] - positions[1:, b], axis=-1) / size
            # Offsets differ in sign from side to side; only joints that travel tell by where they are.
            cost += turn + (moved if np.ptp(positions[:, a], axis=0).max() > 0.05 * size else 0.0)
    stay, change = np.nan_to_num(stay), np.nan_to_num(change)
    price = max(LEAP, RATIO * float(np.median(stay)))
    total, came = np.array([0.0, price]), np.zeros((frames - 1, 2), dtype=np.int8)
    for step in range(frames - 1):
        same, other = total + stay[step], total[::-1] + change[step] + price
        came[step] = other < same
        total = np.minimum(same, other)
    state = np.empty(frames, dtype=np.int8)
    state[-1] = int(np.argmin(total))
    for step in range(frames - 2, -1, -1):
        state[step] = state[step + 1] ^ came[step, state[step + 1]]
    wrong = state == 1
    return np.asarray(~wrong if wrong.mean() > 0.5 else wrong)


def exchanged(values: Array, both: NDArray[np.intp], wrong: Mask) -> Array:
    """`values` (F, J, ...) with the joints `both` (n, 2) put back on their sides in the frames `wrong` (F,)."""
    result = np.array(values)
    result[np.ix_(wrong, both[:, 0])] = values[np.ix_(wrong, both[:, 1])]
    result[np.ix_(wrong, both[:, 1])] = values[np.ix_(wrong, both[:, 0])]
    return result
