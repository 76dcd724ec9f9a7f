"""How MikuMikuDance computes a pose of keys: bones in order of their layers, append, and IK by cyclic coordinate descent.

All of it in the file's own units, axes and numbering, F frames at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.formats.mmd.model import Append, IkLink, Model, Vector
from komadori.quat import Array

MOST_LOOPS = 256
CLOSE = 1e-4
"""Units between an IK bone and its target under which the IK has arrived."""
_STILL = 1e-4
_ORDERS = ("YXZ", "ZYX", "XZY")


@dataclass(frozen=True, eq=False)
class Posed:
    """rotations (F, J, 4) and offsets from the rest position (F, J, 3) of every bone in its parent's frame, keys computed."""

    turns: Array
    shifts: Array


def solved(model: Model, turns: Array, shifts: Array, ik_on: NDArray[np.bool_]) -> Posed:
    """What the keys' own rotations (F, J, 4) and offsets (F, J, 3) become; `ik_on` (F, J) says where an IK bone is at work.

    A bone with its own axis turns about that, by the angle of its key. A share of a turn that append adds is that of the source's whole turn, its own append and IK included, and stands
    after the bone's own. An IK's turn stands before both.
    """
    pose = _Pose(model, turns, shifts)
    for n in model.turning_order:
        bone = model.bones[n]
        if bone.fixed_axis is not None:
            pose.turns[:, n] = _about(pose.turns[:, n], bone.fixed_axis)
        if bone.append is not None and bone.append.source >= 0:
            pose.append(n, bone.append)
        if bone.ik is not None and ik_on[:, n].any():
            pose.reach(n, ik_on[:, n])
    return Posed(pose.turns, pose.shifts)


def own(model: Model, posed: Posed) -> tuple[Array, Array]:
    """The keys' own rotations and offsets that give `posed` where every IK is off: what append adds is taken away."""
    turns, shifts = posed.turns.copy(), posed.shifts.copy()
    seen: set[int] = set()
    for n in model.turning_order:
        seen.add(n)
        append = model.bones[n].append
        # A source that is computed later gives its keys alone, which is what `posed` holds only if nothing adds to it.
        if append is None or append.source < 0 or append.local:
            continue
        if append.source not in seen and model.bones[append.source].append is not None:
            continue
        if append.rotation:
            added = _share(posed.turns[:, append.source], append.ratio)
            turns[:, n] = quat.multiply(posed.turns[:, n], quat.inverse(added))
        if append.translation:
            shifts[:, n] = posed.shifts[:, n] - append.ratio * posed.shifts[:, append.source]
    return turns, shifts


def put_ik_bones(model: Model, posed: Posed, turns: Array, shifts: Array) -> None:
    """Set the IK bones' own rotations and offsets, in place, so that each stands where its target is in `posed`.

    An IK that is then computed finds its target in place, and leaves the links as they are.
    """
    pose = _Pose(model, posed.turns, posed.shifts)
    frames = np.arange(len(posed.turns))
    for n in model.order.tolist():
        ik = model.bones[n].ik
        if ik is None:
            continue
        turn, place = pose.world(ik.target, frames)
        above, base = pose.world(model.bones[n].parent, frames)
        back = quat.inverse(above)
        pose.turns[:, n] = turns[:, n] = quat.multiply(back, turn)
        pose.shifts[:, n] = shifts[:, n] = quat.rotate(back, place - base) - pose.offsets[n]


def _about(turns: Array, axis: Vector) -> Array:
    """Turns by the angles of `turns`, about `axis` alone."""
    length = float(np.linalg.norm(axis))
    if not 0.0 < length < np.inf:
        return quat.identity(len(turns))
    unit = np.array(axis) / length
    vectors = quat.log(turns)
    angles = np.linalg.norm(vectors, axis=-1)
    return quat.from_axis_angle(unit, np.where(vectors @ unit < 0.0, -angles, angles))


def _share(turn: Array, ratio: float) -> Array:
    return turn if ratio == 1.0 else quat.exp(ratio * quat.log(turn))


class _Pose:
    """A pose that is being computed, bone by bone."""

    def __init__(self, model: Model, turns: Array, shifts: Array) -> None:
        self.model = model
        self.turns = np.array(turns)
        self.shifts = np.array(shifts)
        places = model.positions
        parents = np.array([bone.parent for bone in model.bones])
        self.offsets = np.where(parents[:, None] >= 0, places - places[parents], places)

    def world(self, bone: int, frames: NDArray[np.intp]) -> tuple[Array, Array]:
        """Where `bone` is in `frames`: its rotation (n, 4) and place (n, 3); the identity for -1."""
        turn, place = quat.identity(len(frames)), np.zeros((len(frames), 3))
        while bone >= 0:
            own_turn = self.turns[frames, bone]
            place = quat.rotate(own_turn, place) + self.offsets[bone] + self.shifts[frames, bone]
            turn = quat.multiply(own_turn, turn)
            bone = self.model.bones[bone].parent
        return turn, place

    def append(self, bone: int, append: Append) -> None:
        source_turn, source_shift = self.turns[:, append.source], self.shifts[:, append.source]
        if append.local:
            frames = np.arange(len(self.turns))
            source_turn, place = self.world(append.source, frames)
            source_shift = place - self.model.positions[append.source]
        if append.rotation:
            self.turns[:, bone] = quat.multiply(self.turns[:, bone], _share(source_turn, append.ratio))
        if append.translation:
            self.shifts[:, bone] += append.ratio * source_shift

    def reach(self, bone: int, on: NDArray[np.bool_]) -> None:
        """Turn the IK's links so that its target comes to `bone`."""
        ik = self.model.bones[bone].ik
        assert ik is not None
        frames = np.flatnonzero(on)
        path = [ik.target]
        top = max((depth for link in ik.links if (depth := self._depth(ik.target, link.bone)) is not None), default=0)
        for _ in range(top):
            path.append(self.model.bones[path[-1]].parent)
        # A link that the target does not hang from cannot bring it anywhere.
        links = [(path.index(link.bone), link) for link in ik.links if link.bone in path[1:]]
        if not links:
            return
        chain = _Chain(self, path, frames, self.world(bone, frames)[1])
        loops = min(max(ik.loops, 0), MOST_LOOPS)
        for loop in range(loops):
            if not chain.keep_going():
                break
            for number, (place, link) in enumerate(links):
                chain.turn(place, link, ik.angle * (number + 1), early=loop < loops // 2)
        chain.put_back()

    def _depth(self, bone: int, above: int) -> int | None:
        depth = 0
        while bone >= 0:
            if bone == above:
                return depth
            bone, depth = self.model.bones[bone].parent, depth + 1
        return None


class _Chain:
    """The bones from an IK's target (0) up to its last link, in the frames that have not arrived yet."""

    def __init__(self, pose: _Pose, path: list[int], frames: NDArray[np.intp], goal: Array) -> None:
        self.pose, self.path, self.frames, self.goal = pose, path, frames, goal
        self.turns = pose.turns[frames[:, None], path]
        self.bones = pose.offsets[path] + pose.shifts[frames[:, None], path]
        above = pose.model.bones[path[-1]].parent
        self.base_turn, self.base = pose.world(above, frames)
        self.parents = np.empty((len(frames), len(path), 4))
        self.places = np.empty((len(frames), len(path), 3))
        self._forward(len(path) - 1)

    def _forward(self, top: int) -> None:
        """World positions, and the turns of the parents, from bone `top` of the path down."""
        for n in range(top, -1, -1):
            first = n == len(self.path) - 1
            above = self.base_turn if first else quat.multiply(self.parents[:, n + 1], self.turns[:, n + 1])
            self.parents[:, n] = above
            self.places[:, n] = (self.base if first else self.places[:, n + 1]) + quat.rotate(above, self.bones[:, n])

    def keep_going(self) -> bool:
        """Put the frames that have arrived back into the pose; whether any are left."""
        far = np.linalg.norm(self.goal - self.places[:, 0], axis=1) > CLOSE
        if not far.all():
            self.put_back()
            for name in ("frames", "goal", "turns", "bones", "base_turn", "base", "parents", "places"):
                setattr(self, name, getattr(self, name)[far])
        return bool(len(self.frames))

    def put_back(self) -> None:
        self.pose.turns[self.frames[:, None], self.path] = self.turns

    def turn(self, place: int, link: IkLink, most: float, early: bool) -> None:
        """Turn one link so that the target comes nearer to the goal, within the link's limits."""
        now, wanted = self.places[:, 0] - self.places[:, place], self.goal - self.places[:, place]
        now, wanted = _unit(now), _unit(wanted)
        cross = quat.cross(now, wanted)
        moves = np.einsum("fi,fi->f", cross, cross) > _STILL**2
        angle = np.arccos(np.clip(np.einsum("fi,fi->f", now, wanted), -1.0, 1.0))
        axis = quat.rotate(quat.inverse(self.parents[:, place]), _unit(cross))
        lower, upper = _limits(link)
        free = np.flatnonzero((lower != 0.0) | (upper != 0.0)) if link.lower is not None else np.arange(3)
        if len(free) == 0 or not moves.any():
            return
        if early and len(free) == 1:
            # A knee turns about its own axis, to the side that helps, by the whole angle, as babylon-mmd has it: the
            # angle seen along the axis would end nearer, but with knees elsewhere than in that player.
            side = np.where(axis[:, free[0]] < 0.0, -1.0, 1.0)
            axis = np.zeros_like(axis)
            axis[:, free[0]] = side
        angle = np.where(moves, np.minimum(angle, abs(most)), 0.0)
        turned = quat.multiply(quat.from_axis_angle(axis, angle), self.turns[:, place])
        if link.lower is not None:
            turned = _within(turned, lower, upper, bounce=early)
        self.turns[:, place] = np.where(moves[:, None], quat.normalized(turned), self.turns[:, place])
        self._forward(place - 1)


def _limits(link: IkLink) -> tuple[Array, Array]:
    if link.lower is None or link.upper is None:
        return np.full(3, -np.inf), np.full(3, np.inf)
    return np.minimum(link.lower, link.upper), np.maximum(link.lower, link.upper)


def _within(turns: Array, lower: Array, upper: Array, bounce: bool) -> Array:
    """Turns whose angles lie within limits; in the first half of the loops an angle beyond one is thrown back from it."""
    quarter = 0.5 * np.pi
    inner = [n for n in range(2) if -quarter < lower[n] and upper[n] < quarter]
    order = _ORDERS[inner[0] if inner else 2]
    axes = ["XYZ".index(letter) for letter in order]
    low, high = lower[axes], upper[axes]
    angles = quat.to_euler(turns, order)
    under, over = 2.0 * low - angles, 2.0 * high - angles
    back_up = np.where(bounce & (under <= high), under, low)
    back_down = np.where(bounce & (over >= low), over, high)
    return quat.from_euler(np.where(angles < low, back_up, np.where(angles > high, back_down, angles)), order)


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-300))
