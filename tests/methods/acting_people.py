"""People who act, real and made up, the animals that they drive, and what must hold of every result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import komadori
from komadori import Character, Motion, quat, roles
from komadori.characters import character, sample
from komadori.feet.contacts import runs
from komadori.methods.translate import ActingOptions, QuadrupedResult, chain
from komadori.methods.translate.aligning import headings
from komadori.methods.translate.anatomy import pose_angles
from komadori.methods.translate.animal import hung
from komadori.methods.translate.beast import Beast, beast
from komadori.methods.translate.features import angles_deg
from komadori.quat import Array

from realdata import real

FPS = 30.0
JERK, DRIFT, HEIGHT = 25.0, 0.02, 0.01
"""Degrees per frame at 30 frames per second, and metres at an animal whose hips are 1 m high."""
UP, LEFT = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
STYLES = ("91_03", "91_11", "91_13", "91_16", "91_19", "91_29")


@cache
def ready(name: str) -> Beast:
    """An animal at 30 frames per second, learnt once."""
    return beast(body_of(name), FPS)


@cache
def body_of(name: str) -> Character | Motion:
    if name == "built-in":
        return character("horse")
    if name.startswith("bare "):
        whole = body_of(name.removeprefix("bare "))
        assert isinstance(whole, Character)
        return replace(whole, motions={})
    if name == "dog":
        return komadori.load(real("quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh")).prepared(30)[60:240]
    if name == "other dog":
        return komadori.load(real("quadruped_tencent_dog_bvh/30fps_trim_dog_walk.bvh")).prepared(30)
    if name == "Fox":
        return komadori.load_character(real("quadruped_gltf/Fox.glb"))
    if name == "FBX horse":
        return komadori.load_character(real("quadruped_fbx/quaternius_Horse.fbx"))
    return komadori.load_character(real(f"quadruped_gltf/quaternius_{name}.glb"))


def acted(person: Motion, name: str = "built-in", **options: Any) -> QuadrupedResult:
    return chain.driven(ready(name), person, ActingOptions(**options))


def steps_deg(motion: Motion) -> Array:
    return angles_deg(motion.rotations[1:], motion.rotations[:-1])


def assert_sound(made: QuadrupedResult, name: str = "built-in") -> None:
    """What must hold for every clip."""
    body = ready(name).body
    assert steps_deg(made.motion).max() < JERK
    motion = hung(made.motion, ready(name).taught)
    world = motion.world_positions()
    for foot, point in enumerate(body.points):
        for start, stop in runs(made.contacts.on[:, foot]):
            place = world[start:stop, point]
            assert np.linalg.norm((place - place[0])[:, ::2], axis=1).max() < DRIFT * body.unit_m
            assert np.abs(place[:, 1] - body.heights[foot]).max() < HEIGHT * body.unit_m
    assert made.slip.per_frame < 0.005 * body.unit_m
    bends, thighs = pose_angles(body.legs, motion.rotations)
    least, most = body.legs.least, body.legs.most
    slack = np.radians(1.0)
    assert (bends > body.legs.low - slack).all()
    assert (bends < body.legs.high + slack).all()
    assert (thighs > least - slack).all()
    assert (thighs < most + slack).all()


def edited(walk: Motion, turns: Array | None = None, way: Array | None = None) -> Motion:
    """`walk` with its root turned about the vertical by `turns` (F,), and put at `way` (F, 3) over the ground."""
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    if way is not None:
        positions[:, 0, ::2] = way[:, ::2]
        positions[:, 0, 1] += way[:, 1]
    if turns is not None:
        rotations[:, 0] = quat.multiply(quat.from_axis_angle(UP, turns), rotations[:, 0])
    return walk.replaced(rotations=quat.continuous(rotations), positions=positions)


def bent(walk: Motion, first: int, frames: int, angle: float) -> Motion:
    """`walk` led round a bend of `angle` radians to the left."""
    share = np.clip((np.arange(len(walk)) - first) / frames, 0.0, 1.0) * angle
    turn = quat.from_axis_angle(UP, share)
    steps = quat.rotate(turn[1:], np.diff(walk.positions[:, 0] * np.array([1.0, 0.0, 1.0]), axis=0))
    return edited(walk, share, np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))


def standing(frames: int) -> Motion:
    return sample("walk", FPS).taken(np.full(frames, 12))


def turned(motion: Motion, role: str, axis: Array, radians: Array | float) -> Motion:
    """`motion` with a joint turned about an axis of the body, before all else that it does."""
    rotations, joint = np.array(motion.rotations), roles.known(motion.skeleton)[role]
    world, _ = motion.world_transforms()
    above = world[:, motion.skeleton.parents[joint]]
    facing = headings(motion, motion.world_positions(), 0.4)
    local = quat.rotate(quat.inverse(above), quat.rotate(facing, axis))
    rotations[:, joint] = quat.multiply(
        quat.from_axis_angle(local, np.broadcast_to(radians, len(motion))), rotations[:, joint]
    )
    return motion.replaced(rotations=quat.continuous(rotations))


def marching(frames: int) -> Motion:
    """Somebody who marches on the spot, a step every half second."""
    motion = standing(frames)
    for side, way in (("left", 1.0), ("right", -1.0)):
        swing = np.clip(way * np.sin(2.0 * np.pi * np.arange(frames) / FPS), 0.0, 1.0)
        motion = turned(motion, f"{side}_upper_leg", LEFT, -0.7 * swing)
        motion = turned(motion, f"{side}_lower_leg", LEFT, 1.2 * swing)
    return motion


def head_height(made: QuadrupedResult) -> float:
    known, world = roles.known(made.motion.skeleton), made.motion.world_positions()
    return float((world[:, known["head"], 1] - world[:, known["hips"], 1]).mean())


def lifts(made: QuadrupedResult, name: str = "built-in") -> Array:
    """(4,) how high each hoof swings, on the mean."""
    body, world = ready(name).body, made.motion.world_positions()
    peaks = []
    for foot, point in enumerate(body.points):
        swings = runs(~made.contacts.on[:, foot])
        peaks.append(np.mean([world[a:b, point, 1].max() for a, b in swings if a > 0 and b < len(world)]))
    return np.array(peaks) - body.heights


@cache
def captured(name: str) -> Motion:
    if "/" in name:
        return komadori.load(real(name), kind="motion").prepared(30)
    folder = "human_cmu_styles" if name.startswith("91_") else "human_cmu_bvh"
    return komadori.load(real(f"{folder}/{name}.bvh")).prepared(30)


def jumping(height: float, far: float = 0.0, frames: int = 90) -> Motion:
    """Somebody who stands, jumps up by `height` metres and `far` forward, and stands again."""
    still = standing(frames)
    time = np.clip((np.arange(frames) - 40) / (FPS * np.sqrt(8.0 * height / 9.81)), 0.0, 1.0)
    way = np.zeros((frames, 3))
    way[:, 1] = 4.0 * height * time * (1.0 - time)
    way[:, ::2] = still.positions[:, 0, ::2]
    way[:, 2] += far * time
    return edited(still, way=way)


def going(kind: str, seconds: float, fps: float = FPS) -> Motion:
    """A built-in loop, walked on and on."""
    once = sample(kind, fps)
    count, at = len(once) - 1, np.arange(int(seconds * fps))
    motion = once.taken(at % count)
    positions = np.array(motion.positions)
    onward = (once.positions[count, 0] - once.positions[0, 0]) * np.array([1.0, 0.0, 1.0])
    positions[:, 0] += (at // count)[:, None] * onward
    return motion.replaced(positions=positions)


def led(motion: Motion, turns: Array, speed: Array | float = 1.0) -> Motion:
    """A straight way led along `turns` (F,) radians, at `speed` times its own."""
    steps = np.diff(motion.positions[:, 0] * np.array([1.0, 0.0, 1.0]), axis=0)
    steps = quat.rotate(quat.from_axis_angle(UP, turns)[1:], steps) * np.broadcast_to(speed, len(motion))[1:, None]
    return edited(motion, turns, np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))


def faster(motion: Motion, rate: float) -> Motion:
    at = np.arange(0.0, len(motion) - 1.001, rate)
    low, share = at.astype(int), (at % 1.0)[:, None]
    rotations = quat.continuous(quat.slerp(motion.rotations[low], motion.rotations[low + 1], share))
    positions = motion.positions[low] * (1.0 - share[..., None]) + motion.positions[low + 1] * share[..., None]
    return Motion(motion.skeleton, motion.fps, rotations, positions)


def joined(parts: Sequence[Motion], fade: int = 10) -> Motion:
    """One after the other, each faded in over `fade` frames where the one before ended: feet slide meanwhile, as in many an edited clip."""
    rotations, positions = np.array(parts[0].rotations), np.array(parts[0].positions)
    share = np.linspace(0.0, 1.0, fade + 2)[1:-1]
    for part in parts[1:]:
        q, p = np.array(part.rotations), np.array(part.positions)
        p[:, 0, ::2] += positions[-1, 0, ::2] - p[0, 0, ::2]
        q[:fade] = quat.slerp(np.broadcast_to(rotations[-1], q[:fade].shape), q[:fade], share[:, None])
        p[:fade, 0, 1] = (1.0 - share) * positions[-1, 0, 1] + share * p[:fade, 0, 1]
        rotations, positions = np.concatenate([rotations, q]), np.concatenate([positions, p])
    return Motion(parts[0].skeleton, FPS, quat.continuous(rotations), positions)


@cache
def through_the_gaits() -> Motion:
    """Somebody who stands, walks, jogs, runs fast, jogs, walks and stands."""
    jog = going("jog", 5.0)
    fast = [faster(jog[:90], 0.85), faster(jog, 1.5), jog[:45]]
    return joined([standing(30), going("walk", 3.0), *fast, going("walk", 2.0), standing(60)])
