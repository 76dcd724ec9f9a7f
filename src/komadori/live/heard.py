"""What a sender reports about a performer at one moment, in one form for all protocols: VRM's normalised humanoid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.formats.vrm.humanoid import PARENTS
from komadori.formats.vrm.humanoid import ROLES as ALL
from komadori.quat import Array

ROLES: tuple[str, ...] = tuple(role for role in ALL if not role.endswith("_eye"))
"""The bones of a pose, in this order."""
NUMBER: Mapping[str, int] = {role: number for number, role in enumerate(ROLES)}
ABOVE: tuple[int, ...] = tuple(NUMBER.get(PARENTS[role], -1) for role in ROLES)
"""The bone that each hangs from, -1 for the hips."""
FARTHEST_M = 1000.0
"""No performer is farther away than this."""


@dataclass(frozen=True, eq=False)
class Heard:
    """One frame of a performer.

    `rotations` (R, 4) are turns away from the T-pose in the frame of the bone above, `known` (R,) says which of them were sent; `hips` (3,) is
    where the hips are, in metres, Y up, right-handed, or None; `face` maps a blend shape's name to its weight.
    """

    rotations: Array
    known: NDArray[np.bool_]
    hips: Array | None = None
    face: Mapping[str, float] = field(default_factory=dict)
    sent_s: float | None = None
    """The sender's own time, if it sends one."""
    number: int | None = None
    """The sender's number of this frame, if it counts frames."""
    hips_rest_m: float | None = None
    """How high the sender's hips are at rest, if it says so."""


def finite_turn(x: float, y: float, z: float, w: float) -> Array | None:
    """The unit quaternion of four numbers, or None if they make none."""
    turn = np.array([x, y, z, w], dtype=np.float64)
    with np.errstate(all="ignore"):
        length = float(np.sqrt(turn @ turn))
    if not (np.isfinite(length) and 1e-3 < length < 1e3):
        return None
    return turn / length


def finite_place(x: float, y: float, z: float) -> Array | None:
    """The place of three numbers, or None if nobody can be there."""
    place = np.array([x, y, z], dtype=np.float64)
    return place if np.isfinite(place).all() and np.abs(place).max() < FARTHEST_M else None


def unturned() -> Array:
    """(R, 4) the T-pose."""
    return quat.identity(len(ROLES))
