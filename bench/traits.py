"""Traits of a walk, measured alike on a person and on an animal, from where joints are and nothing else."""

from __future__ import annotations

import numpy as np

from komadori import Motion, feet, quat, roles
from komadori.feet.contacts import runs
from komadori.methods.translate.aligning import headings, leg_length, smoothed
from komadori.quat import Array

TRAITS = ("stoop", "lift", "bounce", "hip roll", "stride", "cadence", "pace", "left-right lift", "left-right stride")

WALKING = 0.5
"""Share of a clip's long strides from which a swing is a step of the walk."""


def traits(motion: Motion) -> dict[str, float]:
    """Every trait as one number for the clip; lengths in leg lengths, of an animal's feet the hind ones."""
    known, world, fps = roles.known(motion.skeleton), motion.world_positions(), motion.fps
    leg = leg_length(motion.skeleton, known, world)
    hips, head = world[:, known["hips"]], world[:, known["head"]]
    legs = world[:, known["left_upper_leg"]] - world[:, known["right_upper_leg"]]
    found = feet.contacts(motion)
    ends = [max(j for j, limb in zip(found.joints, found.limbs, strict=True) if limb == side) for side in (0, 1)]
    ankles = [known.get(f"{side}_foot", end) for side, end in zip(("left", "right"), ends, strict=True)]
    if roles.body_plan(motion.skeleton, motion.pose(0)) == "quadruped":
        ankles = ends
    standing = found.standing
    forward = quat.rotate(headings(motion, world, 0.4), np.array([0.0, 0.0, 1.0]))
    swings = []
    for side in (0, 1):
        height = world[:, ankles[side], 1]
        for start, stop in runs(~standing[:, side]):
            if start > 0 and stop < len(motion):
                moved = float(np.linalg.norm((world[stop, ends[side]] - world[start - 1, ends[side]])[::2])) / leg
                peak = float(height[start:stop].max() - np.percentile(height, 5)) / leg
                ahead = float((world[stop, ends[side]] - world[stop, ends[1 - side]]) @ forward[stop]) / leg
                swings.append((side, stop, moved, peak, ahead))
    # Steps of the walk: a foot that is only set right, or turned on the spot, makes none.
    least = WALKING * np.percentile([swing[2] for swing in swings], 90) if swings else 0.0
    walked = [swing for swing in swings if swing[2] >= least]
    peaks, strides, steps = ([[s[n] for s in walked if s[0] == side] or [0.0] for side in (0, 1)] for n in (3, 2, 4))
    landings = [swing[1] for swing in walked]
    landings.sort()
    gaps = np.diff(landings)
    height = hips[:, 1] - smoothed(hips[:, 1:2], fps, 0.3)[:, 0]
    way = np.linalg.norm(np.diff(smoothed(hips, fps, 0.3), axis=0)[:, ::2], axis=1).sum()
    return {
        "stoop": float((head - hips)[:, 1].mean()) / leg,
        "lift": float(np.mean([np.mean(side) for side in peaks])),
        "bounce": float(height.std()) / leg,
        "hip roll": float(np.degrees(np.arctan2(legs[:, 1], np.hypot(legs[:, 0], legs[:, 2]))).std()),
        "stride": float(np.mean([np.mean(side) for side in strides])),
        "cadence": float(fps / np.median(gaps)) if len(gaps) else 0.0,
        "pace": float(way) * fps / len(motion) / leg,
        "left-right lift": float(np.mean(peaks[0]) - np.mean(peaks[1])),
        "left-right stride": float(np.mean(steps[0]) - np.mean(steps[1])),
    }


def ranks(values: Array) -> Array:
    """(n,) the rank of each value; ties share theirs."""
    order = np.argsort(values, kind="stable")
    result = np.empty(len(values))
    result[order] = np.arange(len(values), dtype=np.float64)
    for value in np.unique(values):
        result[values == value] = result[values == value].mean()
    return result


def spearman(a: Array, b: Array) -> float:
    """Rank correlation of (n,) and (n,)."""
    first, second = (ranks(np.asarray(v, dtype=np.float64)) for v in (a, b))
    if np.ptp(first) == 0.0 or np.ptp(second) == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
