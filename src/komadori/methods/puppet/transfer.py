"""A puppet's keys on another body: turns are carried over joint by joint through roles, places grow with the body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.methods.puppet.keys import Grip, Key, joint_of
from komadori.methods.puppet.reaching import effector_places
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

_TRUNK = ("spine", "chest", "upper_chest")
_NEXT = {
    "shoulder": "upper_arm", "upper_arm": "lower_arm", "lower_arm": "hand",
    "upper_leg": "lower_leg", "lower_leg": "foot", "foot": "toes",
}  # fmt: skip
"""A limb's joint -> the one that its bone leads to."""


@dataclass(frozen=True, eq=False)
class Moved:
    """Keys for the other body, its grip, and what is to be said of them; `hand_error_m` is the worst of all keys."""

    keys: tuple[Key, ...]
    ik: Grip | None
    hand_error_m: float
    notes: tuple[Note, ...]


class _Body:
    """A skeleton at rest: its roles, where its joints are, and which way it faces."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.roles = roles.known(skeleton)
        turns, places = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
        self.turns, self.places = turns[0], places[0]
        missing = [role for role in roles.MAIN if role not in self.roles]
        if missing:
            some = ", ".join(missing[:4])
            raise OptionError(
                "body",
                problem=Note("the joints {names} were not recognised in this body", names=some),
                advice=Note("name its joints' roles first"),
            )
        self.leg = self.length("upper_leg", "lower_leg") + self.length("lower_leg", "foot")
        self.arm = self.length("upper_arm", "lower_arm") + self.length("lower_arm", "hand")
        left = self.at("left_upper_leg") - self.at("right_upper_leg")
        up = self.at("head") - self.at("hips")
        left = left / np.linalg.norm(left)
        ahead = quat.cross(left, up)
        ahead /= np.linalg.norm(ahead)
        self.frame = quat.from_matrix(np.stack([left, quat.cross(ahead, left), ahead], axis=1))

    def at(self, role: str) -> Array:
        """Where the joint of `role` is at rest."""
        return np.asarray(self.places[self.roles[role]])

    def length(self, role: str, following: str) -> float:
        """The mean length of a bone of both sides."""
        return float(
            np.mean([np.linalg.norm(self.at(f"{s}_{following}") - self.at(f"{s}_{role}")) for s in ("left", "right")])
        )

    def bone(self, role: str) -> Array | None:
        """The direction of a limb's bone at rest, or None if the role has none of its own."""
        side, _, part = role.partition("_")
        following = f"{side}_{_NEXT.get(part, '')}"
        if side not in ("left", "right") or following not in self.roles:
            return None
        line = self.at(following) - self.at(role)
        size = float(np.linalg.norm(line))
        return line / size if size > 1e-9 else None


def moved(skeleton: Skeleton, keys: Sequence[Key], grip: Grip | None, other: Skeleton, grounded: bool) -> Moved:
    """`keys` of `skeleton` as keys of `other`: every limb points where it pointed, and the hips are as many leg lengths high.

    Between different rest poses bones are first laid along each other. Joints without a role stay at rest. A key's
    place is scaled by the legs' lengths; with a grip it keeps its place at the effector instead.
    """
    source, target = _Body(skeleton), _Body(other)
    pairs = _pairs(source, target)
    poses = np.stack([key.pose.rotations for key in keys]), np.stack([key.pose.positions for key in keys])
    if grounded:
        poses[1][:, 0, ::2] = 0.0
    rotations, positions = _carried(source, target, pairs, *poses)
    ratio = target.leg / source.leg
    places = ratio * np.stack([key.position for key in keys])
    new_grip = None if grip is None else _grip(grip, source, target)
    if grip is not None and new_grip is not None:
        # The handle lay at the hand, or a little off it; so it shall here.
        off = np.stack([key.position for key in keys]) - effector_places(skeleton, grip, *poses)
        places = effector_places(other, new_grip, rotations, positions) + ratio * off
    made = tuple(
        Key(place, Pose(q, p), key.name) for place, q, p, key in zip(places, rotations, positions, keys, strict=True)
    )
    error = _hand_error(source, target, poses, (rotations, positions))
    note = Fact(
        "Moved to another body: {count} joints matched by role, hands within {cm:.1f} cm of their places at its size.",
        count=len(pairs), cm=100.0 * error,
    )  # fmt: skip
    return Moved(made, new_grip, error, (note,))


def growth(before: Sequence[Key], after: Sequence[Key]) -> float:
    """How many times as large the places of keys are on another body, so that a path of the handle can grow with them."""
    old, new = np.stack([key.position for key in before]), np.stack([key.position for key in after])
    return float((old * new).sum() / max(float((old * old).sum()), 1e-12))


def _pairs(source: _Body, target: _Body) -> dict[int, tuple[str, str]]:
    """Joint of the target -> (its role, the role of the source that it follows)."""
    own = [role for role in _TRUNK if role in target.roles]
    theirs = [role for role in _TRUNK if role in source.roles]
    found: dict[int, tuple[str, str]] = {}
    for place, role in enumerate(own, start=1):
        if theirs:
            # As many joints as there are share the same bend: the uppermost always follows the uppermost.
            found[target.roles[role]] = (role, theirs[round(place * len(theirs) / len(own)) - 1])
    for role, joint in target.roles.items():
        if role in source.roles and role not in _TRUNK:
            found[joint] = (role, role)
    return found


def _carried(
    source: _Body, target: _Body, pairs: Mapping[int, tuple[str, str]], rotations: Array, positions: Array
) -> tuple[Array, Array]:
    turns, places = kinematics.world_transforms(source.skeleton, rotations, positions)
    away = quat.multiply(turns, quat.inverse(source.turns))
    body = quat.multiply(source.frame, quat.inverse(target.frame))
    skeleton = target.skeleton
    count = len(rotations)
    world = np.empty((count, len(skeleton), 4))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint not in pairs:
            at_rest = np.broadcast_to(skeleton.rest[joint], (count, 4))
            world[:, joint] = at_rest if parent < 0 else quat.multiply(world[:, parent], at_rest)
            continue
        role, led_by = pairs[joint]
        align = body
        own, theirs = target.bone(role), source.bone(led_by)
        if own is not None and theirs is not None:
            align = quat.multiply(quat.between(quat.rotate(body, own), theirs), body)
        world[:, joint] = quat.multiply(away[:, source.roles[led_by]], quat.multiply(align, target.turns[joint]))
    local = kinematics.local_rotations(skeleton, world)
    new_positions = np.repeat(skeleton.offsets[None], count, axis=0)
    new_positions[:, 0] = 0.0
    _, new_places = kinematics.world_transforms(skeleton, local, new_positions)
    hips = places[:, source.roles["hips"]] * (target.leg / source.leg)
    new_positions[:, 0] = hips - new_places[:, target.roles["hips"]]
    return local, new_positions


def _grip(grip: Grip, source: _Body, target: _Body) -> Grip:
    role_of = {joint: role for role, joint in source.roles.items()}

    def named(word: str) -> str:
        role = role_of.get(joint_of(source.skeleton, word))
        joint = target.roles[role] if role in target.roles else joint_of(target.skeleton, word)
        return target.skeleton.names[joint]

    limits = {named(word): limit for word, limit in grip.limits_deg.items()}
    return Grip(named(grip.effector), None if grip.base is None else named(grip.base), limits)


def _hand_error(source: _Body, target: _Body, before: tuple[Array, Array], after: tuple[Array, Array]) -> float:
    """The farthest that a hand, seen from its shoulder, lies from where it was, times the arms' lengths."""
    worst = 0.0
    old = kinematics.world_positions(source.skeleton, *before)
    new = kinematics.world_positions(target.skeleton, *after)
    for side in ("left", "right"):
        was = old[:, source.roles[f"{side}_hand"]] - old[:, source.roles[f"{side}_upper_arm"]]
        now = new[:, target.roles[f"{side}_hand"]] - new[:, target.roles[f"{side}_upper_arm"]]
        worst = max(worst, float(np.linalg.norm(now - was * (target.arm / source.arm), axis=1).max()))
    return worst
