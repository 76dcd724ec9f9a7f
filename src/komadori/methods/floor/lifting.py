"""Lifting: an uneven captured floor is levelled, and what is below it comes up; toes bend, legs and arms bend, the body rises."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
from komadori.feet import Contacts, Limb
from komadori.methods.floor.touching import SIDES, TRUNK, Touching
from komadori.motion import Motion
from komadori.quat import Array

Mask = NDArray[np.bool_]

UP = np.array([0.0, 1.0, 0.0])
LEG_M = 0.8
"""The lengths below are those of a body with legs of this length; others have them in proportion."""
NEAR_M = 0.003
"""Anything nearer to the floor than this is on it."""
STEP_M = 0.25
"""A floor whose heights differ by more than this is stairs or a climb, and is not levelled."""
SUNK_M = 0.007
"""A foot or a hand may be below the floor by this much: it is invisible, while correcting it would bend a straight leg's knee far more."""
LYING = 0.45
"""A body whose hips are lower than this share of their height at rest lies, sits or crouches on the ground."""
SELDOM = 5.0
"""Percentile of the frames in which the lowest place of a body that never stands is on the floor."""
MEDIAN_S, SMOOTH_S = 0.6, 0.15
"""The floor's height is the median of so long, smoothed: toes that dip for a moment are not the floor."""
RISE_S = 0.15
"""A part that must come up does so over this time, not within a frame."""
MOST_BEND = np.radians(70.0)
"""Toes bend no farther than this."""
ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Lifted:
    """The motion above its floor, the floor's height, and (F,) how far the lowest place of the body was and is above it, in metres."""

    motion: Motion
    floor: float
    before: Array
    after: Array


def lifted(
    motion: Motion, touching: Touching, contacts: Contacts, *, floor: float | None, level: bool, lift: bool = True
) -> Lifted:
    """`motion` with nothing of the body below the floor, whose height is found if not given."""
    scale = _leg(motion) / LEG_M
    low = touching.lowest(motion)
    lowest = np.min(list(low.values()), axis=0)
    stands = contacts.standing.any(axis=1) if contacts.joints else np.zeros(len(motion), dtype=bool)
    stands |= _lying(motion, lowest)
    # A body that never stands, such as one running on the spot, comes down about equally far in every step.
    found = np.median(lowest[stands]) if stands.any() else np.percentile(lowest, SELDOM)
    height = float(found) if floor is None else floor
    rise = np.zeros(len(motion))
    if level and stands.any():
        rise = _levelling(lowest - height, stands, motion.fps, STEP_M * scale)
    trunk = low.get(TRUNK)
    if trunk is not None and lift:
        rise = rise + _risen(height - trunk - rise, motion.fps)
    result = motion
    if np.abs(rise).max(initial=0.0) > NEAR_M * scale:
        positions = np.array(motion.positions)
        positions[:, motion.skeleton.parents < 0, 1] += rise[:, None]
        result = motion.replaced(positions=positions)
        low = {part: each + rise for part, each in low.items()}
    near = NEAR_M * scale
    if lift:
        result, low = _toes_bent(result, touching, low, height, near)
    for _ in range(2 if lift else 0):
        moves = _moves(result, low, height, SUNK_M * scale)
        moves = [(limb, offset) for limb, offset in moves if np.abs(offset).max(initial=0.0) > near]
        if not moves:
            break
        result = feet.shifted(result, moves)
        low = touching.lowest(result)
    after = np.min(list(low.values()), axis=0) - height
    return Lifted(result, height, lowest - height, after)


def _leg(motion: Motion) -> float:
    """The length of a leg in metres; what a person's is if there is none."""
    for limb in feet.limbs_of(motion):
        lengths = np.linalg.norm(motion.skeleton.offsets, axis=1)
        total, joint = 0.0, limb.end
        while joint not in (-1, limb.upper):
            total += float(lengths[joint])
            joint = int(motion.skeleton.parents[joint])
        if total > 1e-6:
            return total
    return LEG_M


def _lying(motion: Motion, lowest: Array) -> Mask:
    """(F,) whether the hips are near the ground."""
    known = roles.known(motion.skeleton)
    if "hips" not in known:
        return np.zeros(len(motion), dtype=bool)
    hips = motion.world_positions()[:, known["hips"], 1]
    usual = float(np.percentile(hips - lowest, 90.0))
    return np.asarray(hips - lowest < LYING * max(usual, _leg(motion)))


def _levelling(above: Array, stands: Mask, fps: float, most: float) -> Array:
    """(F,) by how much the body must be raised for the floor under it, `above` (F,) where it stands, to be level; 0 throughout for stairs."""
    frames = np.flatnonzero(stands)
    # Between two stands, in the air, the floor goes evenly from one to the other.
    under = np.interp(np.arange(len(above)), frames, above[frames])
    under = _windowed(under, max(1, round(0.5 * MEDIAN_S * fps)), np.median)
    under = _windowed(under, max(1, round(SMOOTH_S * fps)), np.mean)
    return np.zeros(len(above)) if np.ptp(under) > most else -under


def _risen(short: Array, fps: float) -> Array:
    """(F,) smooth, and nowhere less than what is `short` (F,): the greatest nearby, then their mean."""
    need = np.maximum(short, 0.0)
    if not need.any():
        return need
    half = max(1, round(0.5 * RISE_S * fps))
    return _windowed(_windowed(need, half, np.max), half, np.mean)


def _windowed(values: Array, half: int, reduce: object) -> Array:
    """`reduce` over windows of `half` frames before and after each; the ends are repeated."""
    padded = np.pad(values, half, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1)
    return np.asarray(reduce(windows, axis=1))  # type: ignore[operator]


def _toes_bent(
    motion: Motion, touching: Touching, low: dict[str, Array], floor: float, near: float
) -> tuple[Motion, dict[str, Array]]:
    """`motion` with toes that are below the floor bent up until they lie on it, as they do when a heel is raised."""
    known = roles.known(motion.skeleton)
    limbs = {limb.end: limb for limb in feet.limbs_of(motion)}
    levers = {}
    for side in SIDES:
        joint, foot = known.get(f"{side}_toes", -1), known.get(f"{side}_foot", -1)
        tips = motion.skeleton.children[joint] if joint >= 0 else ()
        if f"{side}_toes" in low and foot in limbs and joint not in (limbs[foot].upper, limbs[foot].lower):
            foot_m = float(np.linalg.norm(motion.skeleton.offsets[joint]))
            levers[side] = max([0.4 * foot_m, *(float(np.linalg.norm(motion.skeleton.offsets[tip])) for tip in tips)])
    bent = {side: np.zeros(len(motion)) for side in levers}
    ahead = {side: _ahead(motion, known[f"{side}_foot"], known[f"{side}_toes"]) for side in levers}
    result = motion
    for _ in range(ROUNDS):
        deep = {side: floor - low[f"{side}_toes"] for side in levers}
        if not any((depth > near).any() for depth in deep.values()):
            break
        changed = np.zeros(len(motion), dtype=bool)
        for side, depth in deep.items():
            more = np.arcsin(np.clip(depth / max(levers[side], 1e-6), 0.0, 0.9))
            changed |= more > 0.0
            bent[side] = np.minimum(bent[side] + more, MOST_BEND)
        turned, _ = motion.world_transforms()
        rotations = np.array(motion.rotations)
        for side, angle in bent.items():
            joint = known[f"{side}_toes"]
            turn = quat.multiply(quat.from_axis_angle(ahead[side], angle), turned[:, joint])
            above = turned[:, int(motion.skeleton.parents[joint])]
            rotations[:, joint] = quat.multiply(quat.inverse(above), turn)
        result = motion.replaced(rotations=quat.continuous(rotations))
        # Frames whose toes went no farther are as low as they were.
        again = touching.lowest(result.taken(np.flatnonzero(changed)))
        low = {part: _put(values, changed, again[part]) for part, values in low.items()}
    return result, low


def _put(values: Array, where: Mask, there: Array) -> Array:
    changed = np.array(values)
    changed[where] = there
    return changed


def _ahead(motion: Motion, foot: int, toes: int) -> Array:
    """(F, 3) the axis about which toes turn up: across the foot, level."""
    places = motion.world_positions()
    across = quat.cross(places[:, toes] - places[:, foot], np.broadcast_to(UP, places[:, foot].shape))
    length = np.linalg.norm(across, axis=1, keepdims=True)
    return np.asarray(np.where(length > 1e-6, across / np.maximum(length, 1e-6), np.array([1.0, 0.0, 0.0])))


def _moves(motion: Motion, low: dict[str, Array], floor: float, free: float) -> list[tuple[Limb, Array]]:
    """For every limb by how much its end must rise (F, 3) to be no deeper below the floor than `free` metres."""
    known = roles.known(motion.skeleton)
    result = []
    limbs = feet.limbs_of(motion)
    for limb in limbs:
        part = next((name for name, joint in known.items() if joint == limb.end), "")
        own = [low[name] for name in (part, part.replace("foot", "toes")) if name in low]
        if not own:
            continue
        rise = _risen(floor - np.min(own, axis=0) - free, motion.fps)
        result.append((limb, rise[:, None] * UP))
    ends = {limb.end for limb in limbs}
    for side in SIDES:
        arm = [known.get(f"{side}_{role}", -1) for role in ("upper_arm", "lower_arm", "hand")]
        if min(arm) >= 0 and arm[2] not in ends and f"{side}_hand" in low:
            rise = _risen(floor - low[f"{side}_hand"] - free, motion.fps)
            result.append((Limb(arm[0], arm[1], arm[2], (arm[2],)), rise[:, None] * UP))
    return result
