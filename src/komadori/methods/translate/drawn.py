"""Drawn: a walk for an animal that brings none, made from its rest pose alone."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from komadori import quat, roles
from komadori.methods.translate.aligning import leg_length
from komadori.methods.translate.animal import followers_of, hung_by, loosened_by, order_of
from komadori.methods.translate.gaits import GAITS
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

UPPER = ("left_upper_leg", "right_upper_leg", "left_upper_arm", "right_upper_arm")
FPS, DUTY = 30.0, 0.62
WALK, LIVELY = (0.85, 0.1), (1.5, 0.34)
"""Strides and lifts, in heights of the hips: of the walk, and of steps that show how far the joints may go."""
CYCLE_S = 1.05
"""Seconds that a cycle of an animal takes whose hips are 1 m high; larger ones take longer."""
LOWERED = 0.06
"""Heights of the hips by which the body is lower than at rest: straight legs could not step."""
_TUCKED = 0.3
"""Radians by which a hoof is tucked at the height of its swing."""
_BIASED = 0.12
"""Radians by which straight legs are bent to begin with, the knee forward."""
_FIRM, _FLAT, _ROUNDS = 60.0, 0.8, 12


def at_rest(skeleton: Skeleton) -> Motion:
    """A single frame of how `skeleton` stands at rest."""
    return Motion(skeleton, FPS, skeleton.rest[None], skeleton.offsets[None])


def drawn(rest: Motion, stride: float, lift: float) -> Motion | None:
    """A walk on the spot from the single frame `rest` of a four-legged body that stands, steps `lift` high and `stride` long; None if no legs are known."""
    skeleton = rest.skeleton
    known = roles.known(skeleton)
    if any(role not in known for role in UPPER):
        return None
    world = rest.world_positions()
    loose = followers_of(skeleton, world, leg_length(skeleton, known, world))
    order = order_of(skeleton, loose)
    body = hung_by(rest, loose, order)
    turned, places = (part[0] for part in body.world_transforms())
    known = roles.known(body.skeleton)
    uppers = [known[role] for role in UPPER]
    forward = (places[uppers[2:]].mean(axis=0) - places[uppers[:2]].mean(axis=0)) * np.array([1.0, 0.0, 1.0])
    forward /= max(float(np.linalg.norm(forward)), 1e-9)
    left = np.cross([0.0, 1.0, 0.0], forward)
    chains = [_chain(body.skeleton, upper, places) for upper in uppers]
    ground = float(np.mean([places[chain[-1], 1] for chain in chains]))
    unit = float(places[uppers[:2], 1].mean()) - ground
    if unit <= 0.0 or min(len(chain) for chain in chains) < 3:
        return None
    frames = max(round(CYCLE_S * np.sqrt(unit) * FPS), 16)
    rotations = np.repeat(turned[None], frames, axis=0)
    for chain, phase in zip(chains, GAITS["walk"], strict=True):
        angles = _steps(places[chain], forward, phase, frames, unit * np.array([stride, lift, LOWERED]))
        for k, joint in enumerate(chain[:-1]):
            below = body.skeleton.below([joint])
            turn = quat.from_axis_angle(left, angles[:, k])
            rotations[:, below] = quat.multiply(turn[:, None], turned[below][None])
    parents = body.skeleton.parents
    above = np.where((parents >= 0)[:, None], rotations[:, np.maximum(parents, 0)], quat.IDENTITY)
    local = quat.continuous(quat.multiply(quat.inverse(above), rotations))
    positions = np.repeat(body.positions, frames, axis=0)
    positions[:, parents < 0, 1] -= LOWERED * unit
    # The first frame once more, which marks a loop.
    made = Motion(body.skeleton, FPS, local, positions).taken(np.append(np.arange(frames), 0))
    return loosened_by(made, skeleton, loose, order)


def planted(frames: int) -> NDArray[np.bool_]:
    """(F, 4) when the feet of the walk stand, over a cycle of `frames`."""
    return np.asarray(np.mod(np.arange(frames)[:, None] / frames - np.array(GAITS["walk"]), 1.0) < DUTY)


def _chain(skeleton: Skeleton, upper: int, places: Array) -> list[int]:
    """The joints from `upper` down to the lowest that hangs on it."""
    below = np.flatnonzero(skeleton.below([upper]))
    joint = int(below[np.argmin(places[below, 1])])
    chain = [joint]
    while chain[0] != upper:
        chain.insert(0, int(skeleton.parents[chain[0]]))
    return [chain[0], *(b for a, b in itertools.pairwise(chain) if np.linalg.norm(places[b] - places[a]) > 0.0)]


def _steps(places: Array, forward: Array, phase: float, frames: int, sizes: Array) -> Array:
    """(F, bones) radians by which each bone of the leg at `places` (J, 3) turns from its rest, forward, over a cycle."""
    stride, lift, lowered = sizes.tolist()
    half = 0.5 * DUTY * stride
    bones = np.diff(places, axis=0)
    # Bones are complex numbers: down, and forward.
    flat = -bones[:, 1] + 1j * (bones @ forward)
    count = len(flat)
    share = np.mod(np.arange(frames) / frames - phase, 1.0)
    swung = np.clip((share - DUTY) / (1.0 - DUTY), 0.0, 1.0)
    ahead = np.where(swung > 0.0, -half + 2.0 * half * _smooth(swung), half - 2.0 * half * share / DUTY)
    goals = flat.sum() - lowered - lift * np.sin(np.pi * swung) ** 2 + 1j * ahead
    tucks = -_TUCKED * np.sin(np.pi * swung) ** 2
    straight = np.abs(np.angle(flat[1:] / flat[:-1])) < _BIASED
    usual = np.zeros(count)
    if straight[: max(count - 2, 1)].all():
        usual[0], usual[1:] = _BIASED, -_BIASED
    # From a bone to the next it turns as little as may be.
    smooth = np.eye(count) - np.eye(count, k=-1)
    flatness = np.zeros((1, count))
    flatness[0, -1] = _FLAT if count > 2 else 0.0
    size = float(np.abs(flat).sum())
    angles = np.zeros((frames, count))
    now = np.array(usual)
    # Twice around: the first frame then follows on the last.
    for frame in [*range(frames), *range(frames)]:
        for _ in range(_ROUNDS):
            turned = flat * np.exp(1j * now)
            miss = (goals[frame] - turned.sum()) / size
            slope = 1j * turned / size
            rows = np.concatenate([_FIRM * np.stack([slope.real, slope.imag]), smooth, flatness])
            wanted = np.concatenate(
                [
                    _FIRM * np.array([miss.real, miss.imag]),
                    smooth @ (usual - now),
                    flatness[0, -1:] * (tucks[frame] - now[-1]),
                ]
            )
            step = np.linalg.lstsq(rows, wanted, rcond=None)[0]
            now = now + np.clip(step, -0.3, 0.3)
        angles[frame] = now
    return -angles


def _smooth(x: Array) -> Array:
    return np.asarray(x * x * (3.0 - 2.0 * x))
