"""Mirroring: a pose with left and right exchanged, in place and facing where it faced."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton

_UP = np.array([0.0, 1.0, 0.0])
_SIDES = {"left": "right", "right": "left"}


def mirrored(skeleton: Skeleton, pose: Pose) -> Pose:
    """`pose` with what the left side does done by the right, and the other way round.

    The plane is the body's own: it stands where it stood and faces where it faced. Joints without a side turn to the other
    side; joints that are not part of the body (hair, a skirt) keep their turns against their parents.
    """
    partners, across = _partners(skeleton)
    rest = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])[0][0]
    turns = kinematics.world_transforms(skeleton, pose.rotations[None], pose.positions[None])[0][0]
    hips = roles.known(skeleton).get("hips", 0)
    heading = _heading(quat.multiply(turns[hips], quat.inverse(rest[hips])))
    # Turns from the rest pose in the world, as seen by somebody who faces where the body does.
    away = quat.multiply(quat.inverse(heading), quat.multiply(turns, quat.inverse(rest)))
    axis, cosine = away[:, :3], away[:, 3:]
    flipped = np.concatenate([2.0 * (axis @ across)[:, None] * across - axis, cosine], axis=1)
    wanted = quat.multiply(heading, quat.multiply(flipped[np.maximum(partners, 0)], rest))
    rotations, world = np.array(pose.rotations), np.zeros_like(turns)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = world[parent] if parent >= 0 else quat.identity()
        if partners[joint] >= 0:
            rotations[joint] = quat.multiply(quat.inverse(above), wanted[joint])
        world[joint] = quat.multiply(above, rotations[joint])
    return Pose(quat.normalized(rotations), pose.positions)


def _heading(turn: Array) -> Array:
    """The part of a turn that is about the vertical."""
    twist = np.array([0.0, turn[1], 0.0, turn[3]])
    length = float(np.linalg.norm(twist))
    return twist / length if length > 1e-9 else quat.identity()


@lru_cache(16)
def _partners(skeleton: Skeleton) -> tuple[NDArray[np.intp], Array]:
    """(J,) the joint whose turn each takes (-1: it keeps its own), and (3,) the unit axis from right to left."""
    known = roles.known(skeleton)
    partners = np.full(len(skeleton), -1, dtype=np.intp)
    for role, joint in known.items():
        partners[joint] = known.get(re.sub("left|right", lambda side: _SIDES[side[0]], role), -1)
    places = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    across = np.array([1.0, 0.0, 0.0])
    for part in ("upper_leg", "upper_arm"):
        if {f"left_{part}", f"right_{part}"} <= set(known):
            found = places[known[f"left_{part}"]] - places[known[f"right_{part}"]]
            found -= _UP * found[1]
            if (length := float(np.linalg.norm(found))) > 1e-6:
                across = found / length
                break
    return partners, across
