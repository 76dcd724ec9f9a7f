"""The walker: a pair of legs that stands for every person, so that one translator serves all human rigs."""

from __future__ import annotations

import numpy as np

from komadori import quat, roles
from komadori.errors import OptionError
from komadori.methods.translate.aligning import align, headings, leg_length, sampled, smoothed
from komadori.methods.translate.walker_table import REFERENCES, WALK
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

SIDES = ("left", "right")
JOINTS = ("upper_leg", "lower_leg", "foot")
TURN_S = 0.4
"""Time over which a person's heading is averaged: the pelvis itself turns with every step."""
_LENGTHS = (0.45, 0.43, 0.17)
SLOPE = 3
"""At most so many frames of a person for one of the reference, or the other way about, while the two are lined up."""
LONGEST = 1.4
"""A stride may be this much longer than the reference's, against the leg; beyond, the animal would do the splits."""
_STRIDE_S = 0.35
"""Time over which the length of strides is measured."""
_STEADY_S = 0.06
_GROUND = 0.02
"""Metres above its lowest place up to which the reference's foot is put on the ground."""
_CYCLES_S = (0.4, 4.0)
"""Shortest and longest time from one step of a foot to its next."""


def skeleton() -> Skeleton:
    """Hips, and on each side thigh, shank, foot and toes: legs hang down at rest, the feet point along +Z."""
    names, parents, offsets, known = ["hips"], [-1], [(0.0, 0.9, 0.0)], {"hips": 0}
    for side, x in zip(SIDES, (0.09, -0.09), strict=True):
        bones = [(x, 0.0, 0.0), (0.0, -_LENGTHS[0], 0.0), (0.0, -_LENGTHS[1], 0.0), (0.0, 0.0, _LENGTHS[2])]
        for role, offset in zip((*JOINTS, "toes"), bones, strict=True):
            known[f"{side}_{role}"] = len(names)
            parents.append(0 if role == JOINTS[0] else len(names) - 1)
            names.append(f"{side}_{role}")
            offsets.append(offset)
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), roles=known)


def legs(motion: Motion) -> Motion:
    """The walker doing what the legs of `motion` do, by where its joints are: how its bones' own axes lie does not matter."""
    known = roles.known(motion.skeleton)
    missing = [f"{side}_{role}" for side in SIDES for role in JOINTS if f"{side}_{role}" not in known]
    if missing:
        raise OptionError(f"the motion's legs were not recognised: no joint plays {missing[0]}")
    world = motion.world_positions()
    heading = headings(motion, world, TURN_S)
    body, count = skeleton(), len(motion)
    left = quat.rotate(heading, np.array([1.0, 0.0, 0.0]))
    turned = np.repeat(heading[:, None], len(body), axis=1)
    for side in SIDES:
        chain = [known[f"{side}_{role}"] for role in JOINTS]
        tip = known.get(f"{side}_toes", _tip(motion.skeleton, chain[-1]))
        places = world[:, [*chain, tip]]
        for role, bone in zip(JOINTS, np.moveaxis(np.diff(places, axis=1), 1, 0), strict=True):
            at = body.roles[f"{side}_{role}"]
            turned[:, at] = _frame(bone, left, pointing=role == JOINTS[-1])
        turned[:, body.roles[f"{side}_toes"]] = turned[:, body.roles[f"{side}_foot"]]
    rotations = quat.identity(count, len(body))
    rotations[:, 0] = heading
    child = np.arange(1, len(body))
    rotations[:, 1:] = quat.multiply(quat.inverse(turned[:, body.parents[child]]), turned[:, child])
    scale = sum(_LENGTHS) / leg_length(motion.skeleton, known, world)
    positions = np.repeat(body.offsets[None], count, axis=0)
    positions[:, 0] = (0.5 * (world[:, known["left_upper_leg"]] + world[:, known["right_upper_leg"]])) * scale
    return Motion(body, motion.fps, quat.continuous(rotations), positions)


def in_step(motion: Motion, gait: str) -> Motion:
    """The reference `gait` in step with the person in `motion`, with strides as long against the leg.

    People's joints turn each in their own way; when a foot is where is what they share. So the reference is lined up with the
    person by dynamic time warping, contact on contact, and scaled about its mean pose by the person's strides: it stands
    still where the person does.
    """
    apart, fps = _strides(motion), motion.fps
    cycle = _cycle_s(apart, fps)
    model = reference(gait, int(np.ceil(len(motion) / (cycle * fps) * 1.5)) + 3, cycle, fps)
    places = align(motion, model, slope=SLOPE, open_ends=True).places
    beside = sampled(model, smoothed(places[:, None], fps, _STEADY_S)[:, 0], fps)
    # By how fast the feet pass each other, not by how far apart they are: who stops in mid-stride stands.
    swing, usual = (np.gradient(values) ** 2 for values in (apart, _strides(model)))
    scale = np.sqrt(smoothed(swing[:, None], fps, _STRIDE_S)[:, 0] / usual.mean())
    room = LONGEST - 1.0
    scale = np.minimum(scale, 1.0) + room * np.tanh(np.maximum(scale - 1.0, 0.0) / room)
    mean = quat.mean(model.rotations)
    turns = quat.log(quat.multiply(quat.inverse(mean), beside.rotations)) * scale[:, None, None]
    rotations = quat.multiply(mean, quat.exp(turns))
    rotations[:, 0] = headings(motion, motion.world_positions(), TURN_S)
    return beside.replaced(rotations=rotations)


def travel(motion: Motion) -> Array:
    """(F, 2) how fast the person goes forwards and to the left, in leg lengths a second."""
    known, world = roles.known(motion.skeleton), motion.world_positions()
    turn = quat.inverse(headings(motion, world, TURN_S))
    path = smoothed(world[:, known.get("hips", 0)], motion.fps, TURN_S)
    own = quat.rotate(turn, np.gradient(path, axis=0) * motion.fps)
    return np.asarray(own[:, ::-2] / leg_length(motion.skeleton, known, world))


def _strides(motion: Motion) -> Array:
    """(F,) how far the left foot is before the right one, in leg lengths."""
    known, world = roles.known(motion.skeleton), motion.world_positions()
    missing = [f"{side}_{role}" for side in SIDES for role in JOINTS if f"{side}_{role}" not in known]
    if missing:
        raise OptionError(f"the motion's legs were not recognised: no joint plays {missing[0]}")
    forward = quat.rotate(headings(motion, world, TURN_S), np.array([0.0, 0.0, 1.0]))
    between = world[:, known["left_foot"]] - world[:, known["right_foot"]]
    return np.asarray(np.einsum("fi,fi->f", between, forward) / leg_length(motion.skeleton, known, world))


def _cycle_s(apart: Array, fps: float) -> float:
    """Seconds from one step of a foot to its next: the lag at which the strides repeat best; the reference's if they do not."""
    swing = apart - apart.mean()
    power = float(swing @ swing)
    low, high = max(2, round(_CYCLES_S[0] * fps)), min(len(swing) * 2 // 3, round(_CYCLES_S[1] * fps))
    if power < 1e-6:
        return WALK.cycle_s
    passes = np.flatnonzero(np.diff(np.sign(apart)))
    # Feet pass each other twice a cycle: all that a clip of one or two steps can tell.
    halved = 2.0 * float(np.median(np.diff(passes))) / fps if len(passes) > 1 else WALK.cycle_s
    halved = min(max(halved, _CYCLES_S[0]), _CYCLES_S[1])
    if high <= low:
        return halved
    lags = np.arange(low, high)
    alike = np.array([float(swing[lag:] @ swing[:-lag]) / power * len(swing) / (len(swing) - lag) for lag in lags])
    best = float(alike.max())
    if best < 0.3:
        return halved
    # The first peak that is nearly as high: twice the time is alike too.
    peaks = np.flatnonzero((alike >= 0.85 * best) & (alike >= np.roll(alike, 1)) & (alike >= np.roll(alike, -1)))
    return float(lags[peaks[0] if len(peaks) else int(np.argmax(alike))]) / fps


def reference(gait: str, cycles: int, cycle_s: float | None = None, fps: float = 30.0) -> Motion:
    """The reference "walk" or "run", from its table: `cycles` cycles of `cycle_s` seconds, along +Z."""
    steps, body = REFERENCES[gait], skeleton()
    every = (steps.cycle_s if cycle_s is None else cycle_s) * fps
    frames = max(2, round(cycles * every))
    phase = np.arange(frames) / every
    waves = [np.ones(frames)]
    for k in range(1, len(steps.height) // 2 + 1):
        waves += [np.cos(2.0 * np.pi * k * phase), np.sin(2.0 * np.pi * k * phase)]
    maps = np.array(steps.turns) @ np.array(waves)
    rotations = quat.identity(frames, len(body))
    for n, joint in enumerate(f"{side}_{role}" for side in SIDES for role in JOINTS):
        rotations[:, body.roles[joint]] = quat.exp(maps[3 * n : 3 * n + 3].T)
    positions = np.repeat(body.offsets[None], frames, axis=0)
    positions[:, 0] = np.stack([0.0 * phase, steps.height @ np.array(waves), steps.stride * phase], axis=1)
    made = Motion(body, fps, quat.continuous(rotations), positions)
    ends = [body.roles[f"{side}_{role}"] for side in SIDES for role in ("foot", "toes")]
    lowest = made.world_positions()[:, ends, 1].min(axis=1)
    # A few harmonics leave a standing foot a little above or below the ground; a runner's flight is more than that.
    positions[:, 0, 1] -= np.minimum(lowest, lowest.min() + _GROUND)
    return made.replaced(positions=positions)


def _frame(bone: Array, left: Array, *, pointing: bool) -> Array:
    """(F, 4) the turn of a bone: it lies along -Y (or, `pointing`, along +Z), its X axis as near to `left` as can be."""
    along = bone / np.maximum(np.linalg.norm(bone, axis=1, keepdims=True), 1e-12)
    across = left - np.einsum("fi,fi->f", left, along)[:, None] * along
    across = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
    columns = (across, quat.cross(along, across), along) if pointing else (across, -along, quat.cross(across, -along))
    return quat.from_matrix(np.stack(columns, axis=-1))


def _tip(skeleton: Skeleton, foot: int) -> int:
    kids = skeleton.children[foot]
    if not kids:
        raise OptionError(f"the foot {skeleton.names[foot]!r} has no end: which way it points is unknown")
    return max(kids, key=lambda kid: float(np.linalg.norm(skeleton.offsets[kid])))
