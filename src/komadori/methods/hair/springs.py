"""Spring bones as VRM specifies them (VRMC_springBone 1.0), simulated: the usual way to move hair, for comparison.

A bone's tip keeps its speed less the drag, is pulled to the rest pose and by gravity, is put back at its bone's length, and
pushed out of colliders; then the joint is turned to it. All bones of one depth go at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Chain, Character
from komadori.errors import OptionError, quoted
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.springs import Collider, Spring, SpringBones, SpringJoint
from komadori.words import Note

RATE = 60.0
"""Steps per second that a simulation takes at least: the rate that VRM players use."""
LIVE_RATE = 48.0
"""Steps per second of a live simulation, which has no time to spare: two for each frame of 24 a second."""
Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Level:
    """What is turned or moved at one depth of the skeleton: spring joints first (n), then other joints below springs."""

    joints: Index
    others: Index
    axes: Array
    lengths: Array
    stiffness: Array
    gravity: Array
    drag: Array
    radius: Array
    centres: Index
    slots: Index
    """(n, m) colliders of each, -1 if there are fewer."""


def simulate_springs(
    character: Character,
    motion: Motion,
    *,
    rate: float = RATE,
    settle: float = 0.0,
    chains: Sequence[Chain] | None = None,
) -> Motion:
    """`motion` with the character's spring bones (or those of `chains`, in usual settings) swinging as VRM specifies.

    Steps are whole parts of a frame, `rate` a second or more; `settle` seconds of the first pose go before. Unlike the wave,
    a frame depends on all before it and on the rate.
    """
    if not character.skeleton.same_joints(motion.skeleton):
        raise OptionError(
            "motion",
            problem=Note("the motion is of another skeleton than the character"),
            advice=Note("komadori.retarget transfers it first"),
        )
    springs = character.springs if chains is None and character.springs else springs_of(character, chains)
    if not springs:
        raise OptionError(
            "character",
            problem=Note(
                "{name} has no spring bones, and no chains that could become some", name=quoted(character.name)
            ),
        )
    if not len(motion):
        return motion
    parts = max(1, int(np.ceil(rate / motion.fps - 1e-9)))
    fine = motion.resampled(motion.fps * parts)
    levels = _levels(character.skeleton, springs)
    state = _State(character.skeleton, springs.colliders, levels, fine)
    for _ in range(round(settle * fine.fps)):
        state.step(0, 1.0 / fine.fps)
    turning = np.concatenate([level.joints for level in levels])
    rotations = np.array(motion.rotations)
    for frame in range(len(motion)):
        if frame:
            for part in range(parts):
                state.step((frame - 1) * parts + part + 1, 1.0 / fine.fps)
        rotations[frame, turning] = state.local[turning]
    return motion.replaced(rotations=rotations)


class SpringStream:
    """The spring bones of `character` (or its chains, in usual settings) live, at `fps` frames per second.

    Give every frame's pose to `push`; it answers with the pose in which hair, skirt and ribbons have swung on.
    """

    def __init__(
        self, character: Character, fps: float = 24.0, *, rate: float = LIVE_RATE, settle: float = 1.0
    ) -> None:
        self._springs = character.springs or springs_of(character)
        self._skeleton, self._fps, self._settle = character.skeleton, fps, settle
        self._parts = max(1, int(np.ceil(rate / fps - 1e-9)))
        self._levels = _levels(character.skeleton, self._springs) if self._springs else []
        self._turning = (
            np.concatenate([level.joints for level in self._levels]) if self._levels else np.zeros(0, np.intp)
        )
        self._state: _State | None = None
        self._last: Motion | None = None

    @property
    def joints(self) -> Index:
        """The joints that swing."""
        return self._turning

    def push(self, rotations: Array, positions: Array) -> Array:
        """Local rotations (J, 4) of the frame with those of the joints that swing."""
        if not self._levels:
            return rotations
        now = Motion(self._skeleton, self._fps, rotations[None], positions[None])
        step_s = 1.0 / (self._fps * self._parts)
        if self._state is None or self._last is None:
            self._state = _State(self._skeleton, self._springs.colliders, self._levels, now)
            for _ in range(round(self._settle / step_s)):
                self._state.step(0, step_s)
        else:
            q, p = self._last.rotations[0], self._last.positions[0]
            part = np.arange(1, self._parts + 1)[:, None] / self._parts
            fine = Motion(
                self._skeleton,
                self._fps * self._parts,
                quat.slerp(q[None], rotations[None], part),
                p[None] + part[..., None] * (positions - p)[None],
            )
            self._state.motion = fine
            self._state.turns, self._state.places = fine.world_transforms()
            for number in range(self._parts):
                self._state.step(number, step_s)
        self._last = now
        made = np.array(rotations)
        made[self._turning] = self._state.local[self._turning]
        return made


def springs_of(character: Character, chains: Sequence[Chain] | None = None) -> SpringBones:
    """Springs in usual settings for the chains of a character whose file states none."""
    found = character.chains() if chains is None else chains
    usual = {"stiffness": 0.6, "gravity": (0.0, -0.3, 0.0), "drag": 0.35}
    return SpringBones(
        tuple(
            Spring(chain.name, tuple(SpringJoint(joint, **usual) for joint in chain.joints))  # type: ignore[arg-type]
            for chain in found
            if len(chain.joints) > 1
        )
    )


class _State:
    """The moving part of a simulation: tips now and a step ago, and the turns of all joints."""

    def __init__(
        self, skeleton: Skeleton, colliders: Sequence[Collider], levels: Sequence[_Level], motion: Motion
    ) -> None:
        self.skeleton, self.levels, self.motion = skeleton, levels, motion
        self.collider_joints = np.array([c.joint for c in colliders], dtype=np.intp)
        self.offsets = np.array([c.offset for c in colliders]).reshape(-1, 3)
        self.tails = np.array([c.tail if c.shape == "capsule" else c.offset for c in colliders]).reshape(-1, 3)
        self.normals = np.array([c.normal for c in colliders]).reshape(-1, 3)
        self.sizes = np.array([c.radius_m for c in colliders])
        self.planes = np.array([c.shape == "plane" for c in colliders], dtype=bool)
        self.signs = np.array([-1.0 if c.inside else 1.0 for c in colliders])
        self.turns, self.places = motion.world_transforms()
        self.local = np.array(motion.rotations[0])
        for level in levels:
            self.local[level.joints] = skeleton.rest[level.joints]
        self.world_q, self.world_p = np.array(self.turns[0]), np.array(self.places[0])
        self.now: list[Array] = []
        for level in levels:
            self._place(level.joints, 0)
            self.world_q[level.joints] = quat.multiply(self._above(level.joints), self.local[level.joints])
            tips = self.world_p[level.joints] + quat.rotate(
                self.world_q[level.joints], level.axes * level.lengths[:, None]
            )
            self.now.append(self._to_centre(tips, level))
            self._follow(level.others, 0)
        self.before = [tips.copy() for tips in self.now]

    def step(self, frame: int, dt: float) -> None:
        """Go on by `dt` seconds with the body as it is at `frame` of the motion."""
        skeleton = self.skeleton
        swung_q, swung_p = self.world_q, self.world_p
        self.world_q, self.world_p = self.turns[frame].copy(), self.places[frame].copy()
        # What sits on a swinging joint is met where that joint was a step ago.
        for level in self.levels:
            for joints in (level.joints, level.others):
                self.world_q[joints], self.world_p[joints] = swung_q[joints], swung_p[joints]
        at, ends, normals = self._colliders()
        for n, level in enumerate(self.levels):
            joints = level.joints
            if not len(joints):
                self._follow(level.others, frame)
                continue
            self._place(joints, frame)
            above = self._above(joints)
            rest = quat.multiply(above, skeleton.rest[joints])
            roots = self.world_p[joints]
            moved = self.now[n] + (self.now[n] - self.before[n]) * (1.0 - level.drag)[:, None]
            tips = self._from_centre(moved, level)
            tips = tips + quat.rotate(rest, level.axes) * (level.stiffness * dt)[:, None] + level.gravity * dt
            tips = _at_length(tips, roots, level.lengths)
            for slot in level.slots.T:
                tips = self._collided(tips, roots, level, slot, at, ends, normals)
            self.before[n], self.now[n] = self.now[n], self._to_centre(tips, level)
            aim = quat.rotate(quat.inverse(rest), tips - roots)
            self.local[joints] = quat.multiply(skeleton.rest[joints], quat.between(level.axes, aim))
            self.world_q[joints] = quat.multiply(above, self.local[joints])
            self._follow(level.others, frame)

    def _above(self, joints: Index) -> Array:
        """World rotations of the joints' parents."""
        parents = self.skeleton.parents[joints]
        return np.where(parents[:, None] >= 0, self.world_q[parents], quat.IDENTITY)

    def _place(self, joints: Index, frame: int) -> None:
        parents = self.skeleton.parents[joints]
        inner = parents >= 0
        moved = quat.rotate(self.world_q[parents], self.motion.positions[frame, joints]) + self.world_p[parents]
        self.world_p[joints] = np.where(inner[:, None], moved, self.motion.positions[frame, joints])

    def _follow(self, joints: Index, frame: int) -> None:
        """Joints below springs that are not springs themselves."""
        if len(joints):
            self._place(joints, frame)
            self.world_q[joints] = quat.multiply(
                self.world_q[self.skeleton.parents[joints]], self.motion.rotations[frame, joints]
            )

    def _to_centre(self, tips: Array, level: _Level) -> Array:
        held = level.centres >= 0
        if not held.any():
            return tips
        there = quat.rotate(quat.inverse(self.world_q[level.centres]), tips - self.world_p[level.centres])
        return np.where(held[:, None], there, tips)

    def _from_centre(self, tips: Array, level: _Level) -> Array:
        held = level.centres >= 0
        if not held.any():
            return tips
        there = quat.rotate(self.world_q[level.centres], tips) + self.world_p[level.centres]
        return np.where(held[:, None], there, tips)

    def _colliders(self) -> tuple[Array, Array, Array]:
        """World positions of all colliders, of their other ends, and their normals."""
        turns, places = self.world_q[self.collider_joints], self.world_p[self.collider_joints]
        return (
            places + quat.rotate(turns, self.offsets),
            places + quat.rotate(turns, self.tails),
            quat.rotate(turns, self.normals),
        )

    def _collided(
        self, tips: Array, roots: Array, level: _Level, slot: Index, at: Array, ends: Array, normals: Array
    ) -> Array:
        """Tips pushed out of one collider each."""
        away = tips - at[slot]
        line = ends[slot] - at[slot]
        long = np.einsum("ij,ij->i", line, line)
        along = np.clip(np.einsum("ij,ij->i", away, line) / np.where(long > 0.0, long, 1.0), 0.0, 1.0)
        near = away - along[:, None] * line
        distance = np.linalg.norm(near, axis=1)
        sign = self.signs[slot]
        room = np.where(
            sign > 0.0, distance - level.radius - self.sizes[slot], self.sizes[slot] - level.radius - distance
        )
        push = near * (sign / np.maximum(distance, 1e-12))[:, None]
        normal = normals[slot]
        normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
        flat = self.planes[slot]
        room = np.where(flat, np.einsum("ij,ij->i", away, normal) - level.radius, room)
        push = np.where(flat[:, None], normal, push)
        hit = (slot >= 0) & (room < 0.0)
        out = _at_length(tips - push * room[:, None], roots, level.lengths)
        return np.where(hit[:, None], out, tips)


def _at_length(tips: Array, roots: Array, lengths: Array) -> Array:
    away = tips - roots
    return np.asarray(roots + away * (lengths / np.maximum(np.linalg.norm(away, axis=1), 1e-12))[:, None])


def _levels(skeleton: Skeleton, springs: SpringBones) -> list[_Level]:
    """The bones of all springs by depth, each with the joints of that depth that merely hang from springs."""
    world_q, world_p = Motion(skeleton, 24.0, skeleton.rest[None], skeleton.offsets[None]).world_transforms()
    bones: dict[int, tuple[SpringJoint, Array, Spring]] = {}
    for spring in springs.springs:
        ends = [world_p[0, one.joint] for one in spring.joints[1:]]
        if spring.tip is not None:
            last = spring.joints[-1].joint
            ends.append(world_p[0, last] + quat.rotate(world_q[0, last], np.array(spring.tip)))
        for one, end in zip(spring.joints, ends, strict=False):
            bone = quat.rotate(quat.inverse(world_q[0, one.joint]), end - world_p[0, one.joint])
            if np.linalg.norm(bone) > 1e-9:
                bones[one.joint] = (one, bone, spring)
    if not bones:
        return []
    hang = skeleton.below(bones)
    result = []
    for depth in skeleton.levels:
        joints = np.array([j for j in depth.tolist() if j in bones], dtype=np.intp)
        others = np.array([j for j in depth.tolist() if hang[j] and j not in bones], dtype=np.intp)
        if not len(joints) and not len(others):
            continue
        kept = [bones[j] for j in joints.tolist()]
        axes = np.array([bone for _, bone, _ in kept]).reshape(-1, 3)
        lengths = np.linalg.norm(axes, axis=1)
        most = max((len(spring.colliders) for _, _, spring in kept), default=0)
        slots = np.full((len(kept), most), -1, dtype=np.intp)
        for row, (_, _, spring) in enumerate(kept):
            slots[row, : len(spring.colliders)] = spring.colliders
        result.append(
            _Level(
                joints,
                others,
                axes / lengths[:, None],
                lengths,
                np.array([one.stiffness for one, _, _ in kept]),
                np.array([one.gravity for one, _, _ in kept]).reshape(-1, 3),
                np.array([one.drag for one, _, _ in kept]),
                np.array([one.radius_m for one, _, _ in kept]),
                np.array([spring.centre for _, _, spring in kept], dtype=np.intp),
                slots,
            )
        )
    return result
