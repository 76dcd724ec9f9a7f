"""Watching: what a person does, frame by frame, as a few numbers that any body shares (heading, speed, feet, trunk, head, arms)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.methods.translate.turning import matrices
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

SIDES = ("left", "right")
COLUMNS = (
    "x", "z", "height", "heading", "roll", "pelvis", "pitch", "lean", "twist", "upright", "head_yaw", "head_pitch",
    "head_roll", "arms", "reach_left", "reach_right", "left_x", "left_y", "left_z", "right_x", "right_y", "right_z",
    "left_toe_x", "left_toe_y", "left_toe_z", "right_toe_x", "right_toe_y", "right_toe_z",
)  # fmt: skip
"""What is seen of one frame. Lengths are in leg lengths, angles in radians; left, forward and down are positive."""
AT = {name: column for column, name in enumerate(COLUMNS)}
_UP, _AHEAD, _LEFT = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
Point = Any
"""x, y and z, each a number or an array."""
_ASKEW = 1.0
"""Radians from which a head's direction in the first frame is the file's axes and not the person's doing."""


class Ops(NamedTuple):
    """What is calculated with: for one frame plain numbers are quicker than arrays."""

    sin: Callable[[Any], Any]
    cos: Callable[[Any], Any]
    atan2: Callable[[Any, Any], Any]
    hypot: Callable[[Any, Any], Any]
    most: Callable[[Any, Any], Any]
    least: Callable[[Any, Any], Any]
    sign: Callable[[Any, Any], Any]


ARRAYS = Ops(np.sin, np.cos, np.arctan2, np.hypot, np.maximum, np.minimum, np.copysign)
NUMBERS = Ops(math.sin, math.cos, math.atan2, math.hypot, max, min, math.copysign)


@dataclass(frozen=True, eq=False)
class Watcher:
    """How a person's skeleton is read: its own joints that matter, with everything above them."""

    whole: Skeleton
    taken: NDArray[np.intp]
    """The joints of the whole skeleton that are followed, in its order."""
    body: Skeleton
    """The same joints as their own skeleton."""
    at: dict[str, int]
    leg_m: float
    stature: float
    """Leg lengths from the hips to the head of the resting body."""
    shin: float
    """Leg lengths from hip to ankle along the bones."""
    arm: float
    head_rest: Array
    """The head's turn when the skeleton rests, facing +Z."""

    @cached_property
    def _head_back(self) -> Array:
        return matrices(quat.inverse(self.head_rest))

    def rows(self, rotations: Array, positions: Array) -> Array:
        """(F, columns) from local rotations (F, J, 4) and positions (F, J, 3) of the whole skeleton."""
        if len(rotations) == 1:
            return self._one(rotations[0], positions[0])
        taken = self.taken
        turned, places = kinematics.world_transforms(self.body, rotations[:, taken], positions[:, taken])
        ahead = left = np.zeros((len(places), 3))
        if "head" in self.at:
            face = quat.multiply(turned[:, self.at["head"]], quat.inverse(self.head_rest))
            ahead, left = quat.rotate(face, _AHEAD), quat.rotate(face, _LEFT)
        columns = self._seen(list((places / self.leg_m).transpose(1, 2, 0)), ahead.T, left.T, ARRAYS)
        return np.stack(np.broadcast_arrays(np.zeros(len(places)), *columns)[1:], axis=1)

    def _one(self, rotations: Array, positions: Array) -> Array:
        """Like `rows` for one frame, in few calls."""
        world = np.zeros((len(self.taken), 4, 4))
        world[:, :3, :3], world[:, :3, 3], world[:, 3, 3] = matrices(rotations[self.taken]), positions[self.taken], 1.0
        frames = list(world)
        for joint, above in enumerate(self.body.parents.tolist()):
            if above >= 0:
                frames[joint] = frames[above] @ frames[joint]
        world = np.array(frames)
        ahead = left = (0.0, 0.0, 0.0)
        if "head" in self.at:
            face = world[self.at["head"], :3, :3] @ self._head_back
            ahead, left = face[:, 2].tolist(), face[:, 0].tolist()
        return np.array([self._seen((world[:, :3, 3] / self.leg_m).tolist(), ahead, left, NUMBERS)])

    def _seen(self, places: Sequence[Point], face: Point, ear: Point, ops: Ops) -> list[Any]:
        """A row's columns from joints at `places` and the directions of face and left ear: numbers of one frame, or arrays (F,) of many."""
        at, row = self.at, [0.0] * len(COLUMNS)

        def middle(a: Point, b: Point) -> Point:
            return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])

        def away(a: Point, b: Point) -> Point:
            return a[0] - b[0], a[1] - b[1], a[2] - b[2]

        legs = [places[at[f"{side}_upper_leg"]] for side in SIDES]
        armed = "left_upper_arm" in at
        arms = [places[at[f"{side}_upper_arm"]] for side in SIDES] if armed else legs
        hips, pelvis, shoulders = middle(*legs), away(*legs), away(*arms)
        wide = [ops.most(ops.hypot(v[0], v[2]), 1e-9) for v in (pelvis, shoulders)]
        heading = ops.atan2(
            -(pelvis[2] / wide[0] + shoulders[2] / wide[1]), pelvis[0] / wide[0] + shoulders[0] / wide[1]
        )
        sine, cosine = ops.sin(heading), ops.cos(heading)

        def own(v: Point) -> Point:
            """To the left, up and forward."""
            return cosine * v[0] - sine * v[2], v[1], sine * v[0] + cosine * v[2]

        row[AT["x"]], row[AT["height"]], row[AT["z"]] = hips
        row[AT["heading"]] = heading
        left, up, ahead = own(pelvis)
        row[AT["roll"]] = ops.atan2(up, ops.hypot(left, ahead))
        row[AT["pelvis"]] = ops.atan2(-ahead, left)
        top = middle(*arms) if armed else places[at.get("neck", at.get("head", at["hips"]))]
        left, up, ahead = own(away(top, hips))
        row[AT["pitch"]] = ops.atan2(ahead, ops.sign(ops.most(ops.hypot(left, up), 1e-6), up))
        row[AT["lean"]] = ops.atan2(left, ops.most(ops.hypot(ahead, up), 1e-6))
        left, up, ahead = own(shoulders)
        row[AT["twist"]] = ops.atan2(-ahead, left) - row[AT["pelvis"]]
        row[AT["upright"]] = 1.0
        if "head" in at:
            row[AT["upright"]] = (places[at["head"]][1] - places[at["hips"]][1]) / self.stature
            left, up, ahead = own(face)
            row[AT["head_yaw"]] = ops.atan2(left, ahead)
            row[AT["head_pitch"]] = -ops.atan2(up, ops.hypot(left, ahead))
            left, up, ahead = own(ear)
            row[AT["head_roll"]] = ops.atan2(up, ops.hypot(left, ahead))
        row[AT["arms"]] = -1.0
        if "left_hand" in at and "right_hand" in at:
            hands = [away(places[at[f"{side}_hand"]], arm) for side, arm in zip(SIDES, arms, strict=True)]
            raised = 0.5 * (hands[0][1] + hands[1][1]) / self.arm
            row[AT["arms"]] = ops.least(ops.most(raised, -1.0), 1.0)
            row[AT["reach_left"]], row[AT["reach_right"]] = own(hands[0])[2], own(hands[1])[2]
        for side in SIDES:
            for name, joint in ((f"{side}_x", f"{side}_foot"), (f"{side}_toe_x", f"{side}_tip")):
                row[AT[name] : AT[name] + 3] = places[at[joint]]
        return row


def watcher(skeleton: Skeleton, positions: Array) -> Watcher:
    """How to read bodies of `skeleton`, whose joints lie at `positions` (J, 3) against their parents."""
    known = dict(roles.known(skeleton))
    for side in SIDES:
        for role in ("upper_leg", "lower_leg", "foot"):
            if f"{side}_{role}" not in known:
                raise OptionError(
                    "motion",
                    problem=Note("no joint was recognised as {role}", role=f"{side}_{role}"),
                )
        known[f"{side}_tip"] = known.get(f"{side}_toes", _tip(skeleton, known[f"{side}_foot"]))
    if "left_upper_arm" not in known or "right_upper_arm" not in known:
        known = {role: joint for role, joint in known.items() if not role.endswith(("upper_arm", "hand"))}
    wanted = ["hips", "neck", "head"]
    wanted += [f"{side}_{role}" for side in SIDES for role in ("upper_leg", "foot", "tip", "upper_arm", "hand")]
    used = {known[role] for role in wanted if role in known}
    for joint in list(used):
        above = joint
        while above >= 0:
            used.add(above)
            above = int(skeleton.parents[above])
    taken = np.array(sorted(used), dtype=np.intp)
    order = {joint: n for n, joint in enumerate(taken.tolist())}
    parents = np.array([order.get(int(skeleton.parents[joint]), -1) for joint in taken.tolist()])
    body = Skeleton(tuple(skeleton.names[joint] for joint in taken.tolist()), parents, positions[taken])
    at = {role: order[known[role]] for role in (*wanted, "hips") if role in known}
    at.setdefault("hips", 0)

    def way(role: str, above: str) -> float:
        """Metres along the bones from `above`, or from the nearest joint that both hang on, to `role`."""
        length, joint, stop = 0.0, known[role], {known[above]} if above in known else set()
        while joint not in stop and skeleton.parents[joint] >= 0:
            length += float(np.linalg.norm(positions[joint]))
            joint = int(skeleton.parents[joint])
        return length

    leg = np.mean([way(f"{side}_tip", f"{side}_upper_leg") for side in SIDES]) or 1.0
    rest = skeleton.rest if skeleton.rest is not None else quat.identity(len(skeleton))
    turned, places = kinematics.world_transforms(skeleton, rest[None], positions[None])
    across = places[0, known["left_upper_leg"]] - places[0, known["right_upper_leg"]]
    facing = quat.from_axis_angle(_UP, np.arctan2(-across[2], across[0]))
    head = quat.multiply(quat.inverse(facing), turned[0, known["head"]]) if "head" in known else quat.identity()
    stature = arm = 1.0
    if "head" in known:
        hips = places[0, known.get("hips", 0)]
        stature = max(float(np.linalg.norm(places[0, known["head"]] - hips)), 1e-3)
    if "left_hand" in known and "left_upper_arm" in known:
        arm = max(way("left_hand", "left_upper_arm"), 1e-3)
    shin = float(np.mean([way(f"{side}_foot", f"{side}_upper_leg") for side in SIDES])) / float(leg)
    return Watcher(skeleton, taken, body, at, float(leg), stature / float(leg), shin, arm / float(leg), head)


def checked(reader: Watcher, rotations: Array, positions: Array) -> Watcher:
    """`reader`, with a head that looks ahead in the first frame where its rest pose says that it looks away.

    In some files the joints' own axes lie anyhow when the skeleton rests.
    """
    if "head" not in reader.at:
        return reader
    first = reader.rows(rotations[:1], positions[:1])[0]
    if max(abs(first[AT["head_yaw"]]), abs(first[AT["head_pitch"]]), abs(first[AT["head_roll"]])) < _ASKEW:
        return reader
    taken = reader.taken
    turned, _ = kinematics.world_transforms(reader.body, rotations[:1, taken], positions[:1, taken])
    facing = quat.from_axis_angle(_UP, first[AT["heading"]])
    return replace(reader, head_rest=quat.multiply(quat.inverse(facing), turned[0, reader.at["head"]]))


def start_of(reader: Watcher, rotations: Array, positions: Array) -> Array:
    """(3,) the ground under the hips in the first frame, in metres."""
    taken = reader.taken
    places = kinematics.world_positions(reader.body, rotations[:1, taken], positions[:1, taken])
    return np.asarray(places[0, reader.at["hips"]] * np.array([1.0, 0.0, 1.0]))


def watched(motion: Motion) -> tuple[Watcher, Array]:
    """The reader of a clip's skeleton, and its rows (F, columns)."""
    reader = checked(watcher(motion.skeleton, motion.positions[0]), motion.rotations, motion.positions)
    return reader, reader.rows(motion.rotations, motion.positions)


def _tip(skeleton: Skeleton, foot: int) -> int:
    kids = skeleton.children[foot]
    return max(kids, key=lambda kid: float(np.linalg.norm(skeleton.offsets[kid]))) if kids else foot
