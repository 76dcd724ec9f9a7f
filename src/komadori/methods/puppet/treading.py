"""How far a body comes over the ground (Igarashi, section 3.2): the handle stays where it touches it, and so does a standing foot.

The paper tells of the foot at the handle alone. While that one is in the air the body goes over the other, if it stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori import kinematics, roles
from komadori.quat import Array
from komadori.skeleton import Skeleton

TOUCHING_M = 2e-3
"""A handle this little above the ground is on it."""
_AT_THE_HANDLE = 0.15
"""How near to the keys an ankle is that counts as the one at the handle, in lengths of the leg."""
_STANDS = 0.06
"""How far above its lowest place the ball of a standing foot may be, in lengths of the leg."""


@dataclass(frozen=True)
class Support:
    """The ball of the foot that is not at the handle, and how high it is at most while it stands."""

    joint: int
    height: float


def support_of(skeleton: Skeleton, places: Array, rotations: Array, positions: Array) -> Support | None:
    """The other foot of a puppet whose handle is at a foot: keys at `places` (n, 3) from the root; None if it is at none."""
    known = roles.known(skeleton)
    hips, ankles = ([known.get(f"{side}_{part}", -1) for side in ("left", "right")] for part in ("upper_leg", "foot"))
    if min(*hips, *ankles) < 0:
        return None
    seen = kinematics.world_positions(skeleton, rotations, positions)
    legs = np.linalg.norm(seen[:, hips] - seen[:, ankles], axis=-1).max(axis=0)
    handles = places + seen[:, 0] * np.array([1.0, 0.0, 1.0])
    away = np.linalg.norm(seen[:, ankles] - handles[:, None], axis=-1).mean(axis=0) / np.maximum(legs, 1e-9)
    if not away.min() < _AT_THE_HANDLE:
        return None
    other = 1 - int(away.argmin())
    ankle = ankles[other]
    toes = sorted(skeleton.children[ankle], key=lambda kid: float(np.linalg.norm(skeleton.offsets[kid])))
    joint = known.get(f"{('left', 'right')[other]}_toes", toes[-1] if toes else ankle)
    return Support(joint, float(seen[:, joint, 1].min() + _STANDS * legs[other]))


def travelled(
    skeleton: Skeleton, ground: float, support: Support | None, handles: Array, rotations: Array, positions: Array
) -> Array:
    """(F - 1, 2) metres along x and z from each frame to the next, for poses that tread on the spot."""
    down = handles[:, 1] <= ground + TOUCHING_M
    dragged = (down[1:] & down[:-1])[:, None]
    found = np.where(dragged, -np.diff(handles[:, ::2], axis=0), 0.0)
    if support is None or dragged.all():
        return found
    ball = kinematics.world_positions(skeleton, rotations, positions)[:, support.joint]
    low = ball[:, 1] <= support.height
    stands = (low[1:] & low[:-1])[:, None] & ~dragged
    return np.asarray(np.where(stands, -np.diff(ball[:, ::2], axis=0), found))
