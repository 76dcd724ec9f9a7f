"""Posing by hand: a joint is taken and drawn to a place, and the limb that it belongs to follows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.methods.puppet.keys import Grip, place
from komadori.methods.puppet.reaching import held
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton

_FEET = ("left_foot", "right_foot")
_BASES = {"head": "spine", "neck": "spine"}
"""Where the bend begins for joints that belong to no limb."""
_STRETCH = 0.998
"""Share of its length to which a limb is stretched at most: drawn out of reach, its elbow or knee still knows its bend."""


def dragged(skeleton: Skeleton, pose: Pose, joint: int, target: ArrayLike) -> Pose:
    """`pose` with `joint` brought to `target` (3,) in the world, or as near as it reaches, with the least turn of its limb.

    Dragging the root moves the whole body while feet stay where they stand. A foot keeps its turn in the world.
    """
    if not 0 <= joint < len(skeleton):
        raise OptionError(f"joint {joint} is not there: the skeleton has {len(skeleton)}")
    goal = place(target, "target")
    rotations, positions = np.array(pose.rotations)[None], np.array(pose.positions)[None]
    turns, places = kinematics.world_transforms(skeleton, rotations, positions)
    known = roles.known(skeleton)
    feet = [known[role] for role in _FEET if role in known and skeleton.parents[known[role]] >= 0]
    above = int(skeleton.parents[joint])
    if above >= 0:
        base = next(
            (known[_BASES[role]] for role in _BASES if known.get(role) == joint and _BASES[role] in known), None
        )
        grip = Grip(skeleton.names[joint], None if base is None else skeleton.names[base])
        rotations = _drawn(skeleton, grip, rotations, positions, places[0], goal)
        held_still = [joint] if joint in feet else []
    else:
        positions[0, joint] = goal
        for foot in feet:
            grip = Grip(skeleton.names[foot])
            rotations = _drawn(
                skeleton, grip, rotations, positions, places[0] + goal - places[0, joint], places[0, foot]
            )
        held_still = feet
    if held_still:
        now, _ = kinematics.world_transforms(skeleton, rotations, positions)
        for foot in held_still:
            rotations[0, foot] = quat.multiply(quat.inverse(now[0, skeleton.parents[foot]]), turns[0, foot])
    return Pose(quat.normalized(rotations[0]), positions[0])


def _drawn(skeleton: Skeleton, grip: Grip, rotations: Array, positions: Array, places: Array, goal: Array) -> Array:
    """Rotations in which the grip's joint is at `goal`, or as near as it comes; `places` (J, 3) are those before it."""
    chain = places[list(grip.chain(skeleton))]
    most = _STRETCH * float(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())
    away = goal - chain[0]
    far = float(np.linalg.norm(away))
    if far > most and len(chain) > 2:
        goal = chain[0] + away * (most / far)
    return held(skeleton, grip, rotations, positions, goal[None])[0]
