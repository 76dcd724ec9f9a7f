"""Posing by hand: a joint is taken and drawn to a place, and the limb that it belongs to follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.methods.puppet.keys import Grip, place
from komadori.methods.puppet.reaching import held
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

_LIMBS = (("upper_arm", "lower_arm", "hand", 1.0), ("upper_leg", "lower_leg", "foot", -1.0))
"""Roles of a limb's joints, and whether it bends its end to the front (an elbow) or to the back (a knee)."""
_BASES = {"head": "spine", "neck": "spine"}
"""Where the bend begins for joints that belong to no limb."""
_STRETCH = 0.998
"""Share of its length to which a limb is stretched at most: drawn out of reach, its elbow or knee still knows its bend."""
_BENT = 0.05
"""How far the middle of a limb is from the line between its ends, as a share of that line, where the limb counts as bent."""
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class _Limb:
    upper: int
    lower: int
    hinge: Array
    """(3,) the axis that it bends about, seen from the upper joint."""


@dataclass(frozen=True, eq=False)
class _Body:
    """What a hand needs to know of a skeleton: its limbs by their ends, its feet, and where other bends begin."""

    limbs: dict[int, _Limb]
    feet: tuple[int, ...]
    bases: dict[int, str]
    middles: dict[int, int]
    """Elbow or knee -> hand or foot."""


def dragged(skeleton: Skeleton, pose: Pose, joint: int, target: ArrayLike) -> Pose:
    """`pose` with `joint` brought to `target` (3,) in the world, or as near as it reaches, with the least turn of its limb.

    Dragging the root moves the whole body while feet stay where they stand. A foot keeps its turn in the world. The elbow or knee
    of a bent limb goes around while hand or foot stays where it is and as it is turned.
    """
    if not 0 <= joint < len(skeleton):
        raise OptionError(
            "joint", expected=Note("joints of the skeleton, 0 to {last}", last=len(skeleton) - 1), found=joint
        )
    goal = place(target, "target")
    body = _body(skeleton)
    rotations, positions = np.array(pose.rotations), np.array(pose.positions)
    turns, places = (each[0] for each in kinematics.world_transforms(skeleton, rotations[None], positions[None]))
    if joint in body.middles and _swivelled(
        skeleton, body.middles[joint], goal, (rotations, positions), (turns, places)
    ):
        return Pose(quat.normalized(rotations), positions)
    if skeleton.parents[joint] >= 0:
        moves = [(joint, goal)]
    else:
        positions[joint] = goal
        moves = [(foot, places[foot].copy()) for foot in body.feet]
        places += goal - places[joint]
    for end, at in moves:
        _draw(skeleton, body, end, at, (rotations, positions), (turns, places))
    return Pose(quat.normalized(rotations), positions)


def _draw(
    skeleton: Skeleton, body: _Body, joint: int, goal: Array, local: tuple[Array, Array], world: tuple[Array, Array]
) -> None:
    """Changes the rotations in `local` so that `joint` comes to `goal`; `world` is how the body stands before it."""
    (rotations, positions), (turns, places) = local, world
    grip = Grip(skeleton.names[joint], body.bases.get(joint))
    joints = list(grip.chain(skeleton))
    chain = places[joints]
    most = _STRETCH * float(np.linalg.norm(np.diff(chain, axis=0), axis=1).sum())
    away = goal - chain[0]
    far = float(np.linalg.norm(away))
    if far > most and len(joints) > 2:
        goal = chain[0] + away * (most / far)
    limb = body.limbs.get(joint)
    if limb is None:
        rotations[:] = held(skeleton, grip, rotations[None], positions[None], goal[None])[0][0]
        return
    hinge = quat.rotate(turns[limb.upper], limb.hinge)
    bends = kinematics.two_bone(chain[0], chain[1], chain[2], goal, hinge=hinge)
    above = turns[skeleton.parents[limb.upper]]
    upper, lower = quat.multiply(bends[0], turns[limb.upper]), quat.multiply(bends[1], turns[limb.lower])
    rotations[limb.upper] = quat.multiply(quat.inverse(above), upper)
    rotations[limb.lower] = quat.multiply(quat.inverse(upper), lower)
    if joint in body.feet:
        rotations[joint] = quat.multiply(quat.inverse(lower), turns[joint])


def _swivelled(
    skeleton: Skeleton, end: int, goal: Array, local: tuple[Array, Array], world: tuple[Array, Array]
) -> bool:
    """Turns a bent limb about the line from its first joint to its `end`, so that its middle comes towards `goal`; whether it is bent."""
    (rotations, _), (turns, places) = local, world
    lower = int(skeleton.parents[end])
    upper = int(skeleton.parents[lower])
    line = places[end] - places[upper]
    length = float(np.linalg.norm(line))
    if length < 1e-6:
        return False
    line = line / length
    now, then = (at - line * float(at @ line) for at in (places[lower] - places[upper], goal - places[upper]))
    if min(float(np.linalg.norm(now)), float(np.linalg.norm(then))) < _BENT * length:
        return False
    angle = np.arctan2(float(quat.cross(now, then) @ line), float(now @ then))
    turn = quat.from_axis_angle(line, np.asarray(angle))
    above = turns[skeleton.parents[upper]]
    rotations[upper] = quat.multiply(quat.inverse(above), quat.multiply(turn, turns[upper]))
    # The end stays as it was turned.
    rotations[end] = quat.multiply(quat.inverse(quat.multiply(turn, turns[lower])), turns[end])
    return True


@lru_cache(16)
def _body(skeleton: Skeleton) -> _Body:
    known = roles.known(skeleton)
    turns, places = (
        each[0] for each in kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    )
    left = np.array([1.0, 0.0, 0.0])
    if {"left_upper_leg", "right_upper_leg"} <= set(known):
        left = places[known["left_upper_leg"]] - places[known["right_upper_leg"]]
    ahead = quat.cross(left, _UP)
    limbs: dict[int, _Limb] = {}
    middles: dict[int, int] = {}
    for side in ("left", "right"):
        for *names, bends_to in _LIMBS:
            upper, lower, end = (known.get(f"{side}_{name}", -1) for name in names)
            # Twist bones on the way would have to share the turn: such limbs are drawn joint by joint.
            plain = min(upper, lower, end) >= 0 and skeleton.parents[end] == lower and skeleton.parents[lower] == upper
            if plain and skeleton.parents[upper] >= 0:
                axis = quat.cross(places[lower] - places[upper], float(bends_to) * ahead)
                limbs[end] = _Limb(upper, lower, quat.rotate(quat.inverse(turns[upper]), axis))
                middles[lower] = end
    feet = tuple(known[f"{side}_foot"] for side in ("left", "right") if known.get(f"{side}_foot") in limbs)
    fingers = {
        f"{side}_{finger}_distal": f"{side}_{finger}_{'metacarpal' if finger == 'thumb' else 'proximal'}"
        for side in ("left", "right")
        for finger in ("thumb", "index", "middle", "ring", "little")
    }
    bases = {
        known[role]: skeleton.names[known[base]]
        for role, base in {**_BASES, **fingers}.items()
        if role in known and base in known
    }
    return _Body(limbs, feet, bases, middles)
