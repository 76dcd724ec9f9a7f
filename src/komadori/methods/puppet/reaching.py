"""The grip: a blended pose whose effector is brought to the handle (Igarashi, section 3.1), from the blend and from nothing else."""

from __future__ import annotations

import numpy as np

from komadori import ik, quat
from komadori.methods.puppet.keys import Grip, joint_of
from komadori.quat import Array
from komadori.skeleton import Skeleton


def held(skeleton: Skeleton, grip: Grip, rotations: Array, positions: Array, target: Array) -> tuple[Array, Array]:
    """Rotations (F, J, 4) in which the grip's effector is at `target` (F, 3), or as near as its limb reaches; misses (F,)."""
    *joints, effector = grip.chain(skeleton)
    chain = _chain(skeleton, [*joints, effector], rotations, positions)
    limits = rest = None
    if grip.limits_deg:
        named = {joint_of(skeleton, name): limit for name, limit in grip.limits_deg.items()}
        limits = np.radians([named.get(joint, 180.0) for joint in joints])
        rest = skeleton.rest[joints]
    pulled, misses = ik.pulled(chain, rotations[:, joints], target, rest=rest, limits=limits)
    result = np.array(rotations)
    result[:, joints] = pulled
    return result, misses


def effector_places(skeleton: Skeleton, grip: Grip, rotations: Array, positions: Array) -> Array:
    """(F, 3) where the grip's effector is."""
    *joints, effector = grip.chain(skeleton)
    chain = _chain(skeleton, [*joints, effector], rotations, positions)
    return np.asarray(chain.forward(rotations[:, joints])[1][:, -1])


def _chain(skeleton: Skeleton, joints: list[int], rotations: Array, positions: Array) -> ik.Chain:
    above: list[int] = []
    joint = int(skeleton.parents[joints[0]])
    while joint >= 0:
        above.append(joint)
        joint = int(skeleton.parents[joint])
    turn, place = quat.identity(len(rotations)), np.zeros((len(rotations), 3))
    for joint in reversed(above):
        place = place + quat.rotate(turn, positions[:, joint])
        turn = quat.multiply(turn, rotations[:, joint])
    place = place + quat.rotate(turn, positions[:, joints[0]])
    return ik.Chain(place, turn, positions[:, joints[1:]])
