"""Limb peaks: the moments in which a hand, a foot or the head is highest or farthest, which a sheet must show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.motion import Motion
from komadori.numerics import peaks as curves
from komadori.quat import Array
from komadori.skeleton import Skeleton

ENDS = ("left_hand", "right_hand", "left_foot", "right_foot", "head")
LEAST = 0.15
"""A peak rises at least this share of the limb (its bones from the hips to its end) over the valleys beside it."""
LOSS = 0.15
"""A drawing shows a peak when no more than this share of the rise is missing: neighbouring peaks share a drawing."""

FAST = 1.0
"""A burst is fast where the joints together (root mean square) move so many lengths of the longest limb a second."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class LimbPeak:
    """One limb at one extreme."""

    limb: str
    """Role of the limb's end, or the joint's name if no role is known."""
    kind: str
    """Which of `limb_curves`; low (a crouch, a bow or a landing) of the head alone."""
    peak: curves.Peak
    curve: Array
    """(F,) what the peak is a maximum of, in metres."""


def limb_peaks(motion: Motion, least: float = LEAST, world: Array | None = None) -> list[LimbPeak]:
    """The peaks of hands, feet and head, found by role; of all end joints if no role is known. In order of frames.

    `world` (F, J, 3) are the motion's world positions if they are known already.
    """
    ends, hips = limb_ends(motion.skeleton)
    world = motion.world_positions() if world is None else world
    found = []
    for limb, end in ends.items():
        kinds = limb_curves(world, end, hips)
        if limb != "head":
            del kinds["low"]
        length = limb_length(motion.skeleton, end, hips)
        for kind, curve in kinds.items():
            if length > 0.0:
                found += [LimbPeak(limb, kind, peak, curve) for peak in curves.peaks(curve, least * length)]
    return sorted(found, key=lambda each: each.peak.frame)


def limb_curves(world: Array, end: int, hips: int) -> dict[str, Array]:
    """What a limb's peaks are maxima of, (F,) each in metres, from world positions (F, J, 3).

    Its height; its reach, the distance from the hips; its spread, that distance along the ground; and its depth.
    """
    away = world[:, end] - world[:, hips]
    height = world[:, end, 1]
    return {
        "height": height,
        "reach": np.sqrt(np.add.reduce(away * away, axis=1)),
        "spread": np.hypot(away[:, 0], away[:, 2]),
        "low": -height,
    }


def shown_frames(found: Sequence[LimbPeak], most: float = LOSS) -> list[int]:
    """The fewest frames that show every peak (no more than `most` of its rise missing), each where it shows most."""
    stretches = [curves.near(each.curve, each.peak, most) for each in found]
    frames = []
    for first, last, which in curves.shared(stretches):
        span = slice(first, last + 1)
        missing = sum((found[n].peak.value - found[n].curve[span]) / found[n].peak.rise for n in which)
        frames.append(first + int(np.argmin(missing)))
    return frames


def with_next(frames: Mask) -> Mask:
    """`frames` (F,) and the frame behind each."""
    return np.asarray(frames | np.append(False, frames[:-1])[: len(frames)])


def with_peaks(source: NDArray[np.int64], found: Sequence[LimbPeak]) -> NDArray[np.int64]:
    """`source` in which a run that skips a peak inside it shows that peak's frame; of several the one with most to lose."""
    shown = source.copy()
    starts = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    ends = np.append(starts[1:], len(source))
    inside: dict[int, list[LimbPeak]] = {}
    for each in found:
        inside.setdefault(int(np.searchsorted(starts, each.peak.frame, "right")) - 1, []).append(each)
    for run, group in inside.items():
        span = slice(int(starts[run]), int(ends[run]))
        missing = [(each.peak.value - each.curve[span]) / each.peak.rise for each in group]
        worst = np.max(missing, axis=0)
        # A run that shows its peaks well enough stays as it is.
        if worst[source[starts[run]] - starts[run]] > LOSS:
            shown[span] = starts[run] + int(worst.argmin())
    return shown


def is_fast(motion: Motion, first: int, last: int) -> bool:
    """Whether somewhere in these frames the joints together move FAST lengths of the longest limb a second."""
    ends, hips = limb_ends(motion.skeleton)
    size = max((limb_length(motion.skeleton, end, hips) for end in ends.values()), default=0.0)
    world = motion[max(0, first - 1) : last + 1].world_positions()
    speed = motion.fps * np.sqrt(np.square(np.diff(world, axis=0)).sum(axis=2).mean(axis=1))
    return bool(speed.max(initial=0.0) >= FAST * size)


def loss(found: LimbPeak, source: NDArray[np.int64]) -> float:
    """The share of a peak's rise that the sheet `source` never shows: 0 where it is drawn, 1 where it is flat."""
    inside = source[(source >= found.peak.first) & (source <= found.peak.last)]
    if not len(inside):
        return 1.0
    return float((found.peak.value - found.curve[inside].max()) / found.peak.rise)


@lru_cache(32)
def limb_ends(skeleton: Skeleton) -> tuple[Mapping[str, int], int]:
    """The joint at the end of each limb, and the hips."""
    found = roles.known(skeleton)
    ends = {role: found[role] for role in ENDS if role in found}
    if not ends:
        ends = {skeleton.names[joint]: joint for joint, kids in enumerate(skeleton.children) if not kids}
    return MappingProxyType(ends), found.get("hips", 0)


@lru_cache(160)
def limb_length(skeleton: Skeleton, end: int, hips: int) -> float:
    """The length of the bones from the hips (or the root, where the limb does not hang from them) to `end`."""
    length, joint = 0.0, end
    while joint not in (hips, -1) and skeleton.parents[joint] >= 0:
        length += float(np.linalg.norm(skeleton.offsets[joint]))
        joint = int(skeleton.parents[joint])
    return length
