"""Aligning: which moment of one motion belongs to which of another, whatever their skeletons (dynamic time warping)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
from komadori.errors import OptionError
from komadori.methods.translate.features import finite
from komadori.motion import Motion
from komadori.numerics import dtw
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.words import Note

CONTACT = 1.0
"""Weight of a foot that stands in the one and not in the other, in leg lengths."""
VELOCITY_S = 0.25
"""A velocity of a leg length a second counts as so many leg lengths."""
_SMOOTH_S = 0.08


@dataclass(frozen=True, eq=False)
class Warp:
    """How two motions line up: `path` (K, 2) pairs of frames, `cost` their summed distance (squared leg lengths)."""

    path: NDArray[np.intp]
    cost: float
    fps: float
    frames: tuple[int, int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", frozen(self.path, np.intp, (-1, 2), "path"))

    @property
    def places(self) -> Array:
        """(F,) for every frame of the first motion the moment in the second, in frames; it never runs backwards."""
        places = dtw.rows_of_b(dtw.Path(self.path, self.cost), self.frames[0])
        return np.maximum.accumulate(places)

    def applied_to(self, motion: Motion) -> Motion:
        """The second motion (or any as long), warped in time to the first: frame i of the result belongs to frame i there."""
        if len(motion) != self.frames[1]:
            raise OptionError(
                "motion",
                expected=Note("as many frames as the warp was made for ({count})", count=self.frames[1]),
                found=len(motion),
            )
        return sampled(motion, self.places, self.fps)


def sampled(motion: Motion, places: Array, fps: float) -> Motion:
    """`motion` at `places` (n,) in frames, between them by slerp, as a motion of `fps`."""
    left = np.clip(np.floor(places), 0, len(motion) - 1).astype(np.intp)
    right = np.minimum(left + 1, len(motion) - 1)
    part = np.clip(places - left, 0.0, 1.0)
    rotations = quat.slerp(motion.rotations[left], motion.rotations[right], part[:, None])
    positions = motion.positions[left] + part[:, None, None] * (motion.positions[right] - motion.positions[left])
    return replace(motion, fps=fps, rotations=quat.continuous(rotations), positions=positions, origin=None)


def align(
    a: Motion,
    b: Motion,
    *,
    parts: Sequence[str] | Mapping[str, str] | None = None,
    band_s: float | None = None,
    slope: int | None = None,
    open_ends: bool = False,
) -> Warp:
    """Line `b` up with `a` by dynamic time warping, across skeletons (Maeda et al., section 3.2).

    The distance of two poses is that of matched `parts` (roles or joint names; a mapping names those of `b` for those of `a`; the
    points that the legs stand on if not given): their places from the hips, heading removed, in leg lengths and about their
    mean; their velocities; and which feet stand. An animal's hind legs answer to a person's legs. `band_s`: farthest from the straight line between the ends. `slope`: at most so
    many frames of the one for a frame of the other. `open_ends`: `a` may lie anywhere inside `b`.
    """
    for motion, name in ((a, "a"), (b, "b")):
        if not len(motion):
            raise OptionError(name, problem=Note("the motion has no frames"))
        finite(motion, name)
    fps = a.fps
    named = dict(parts) if isinstance(parts, Mapping) else {part: part for part in parts or ()}
    if parts is not None and not named:
        raise OptionError("parts", expected=Note("at least one joint or role"), found=Note("none"))
    clips = (a, b.resampled(fps))
    first = pose_features(clips[0], list(named))
    second = pose_features(clips[1], list(named.values()))
    band = None if band_s is None else max(0, round(band_s * fps))
    path = dtw.warp(first, second, band=band, slope=slope, open_ends=open_ends)
    pairs = path.pairs
    if len(clips[1]) != len(b):
        pairs = np.stack([pairs[:, 0], np.minimum(np.round(pairs[:, 1] * (b.fps / fps)), len(b) - 1)], axis=1).astype(
            np.intp
        )
    return Warp(pairs, path.cost, fps, (len(a), len(b)))


def pose_features(motion: Motion, parts: Sequence[str]) -> Array:
    """(F, dims) what two bodies' poses are compared by: see `align`."""
    skeleton = motion.skeleton
    known = roles.known(skeleton)
    found = feet.contacts(motion)
    joints = [_joint(skeleton, known, part) for part in parts] or _ends(found)
    hips = known.get("hips", 0)
    world = motion.world_positions()
    leg = leg_length(skeleton, known, world)
    turn = quat.inverse(headings(motion, world))
    local = quat.rotate(turn[:, None], world[:, joints] - world[:, [hips]]) / leg
    local = local - local.mean(axis=0)
    velocity = smoothed(np.gradient(local, axis=0) * motion.fps if len(local) > 1 else np.zeros_like(local), motion.fps)
    standing = found.standing[:, :2].astype(np.float64)
    if standing.shape[1] < 2:
        standing = np.zeros((len(motion), 2))
    contact = smoothed(standing, motion.fps) * CONTACT
    flat = [local.reshape(len(motion), -1), VELOCITY_S * velocity.reshape(len(motion), -1), contact]
    return np.concatenate(flat, axis=1)


def _ends(contacts: feet.Contacts) -> list[int]:
    """The foremost point of the left and the right leg."""
    last = {limb: joint for joint, limb in zip(contacts.joints, contacts.limbs, strict=True) if limb < 2}
    if len(last) < 2:
        raise OptionError(
            "parts",
            problem=Note("no two legs were recognised"),
            advice=Note("name the joints in parts"),
        )
    return [last[0], last[1]]


def _joint(skeleton: Skeleton, known: Mapping[str, int], part: str) -> int:
    if part in known:
        return known[part]
    if part in skeleton.names:
        return skeleton.names.index(part)
    raise OptionError("parts", expected=Note("a joint or role of the body"), found=part)


def leg_length(skeleton: Skeleton, known: Mapping[str, int], world: Array) -> float:
    """From hip to toe along the left leg's bones, in metres; the body's size where the legs are unknown."""
    chain = [known[f"left_{role}"] for role in ("upper_leg", "lower_leg", "foot", "toes") if f"left_{role}" in known]
    if len(chain) < 2:
        return float(np.linalg.norm(np.ptp(world[0], axis=0))) or 1.0
    bones = np.linalg.norm(np.diff(world[:, chain], axis=1), axis=2).sum(axis=1)
    return float(np.median(bones)) or 1.0


def headings(motion: Motion, world: Array, seconds: float = _SMOOTH_S) -> Array:
    """(F, 4) turns about the vertical from facing along +Z to the way that the body faces.

    From the hips' sideways axis, of an animal from croup to withers, smoothed over `seconds`.
    """
    known = roles.known(motion.skeleton)
    four = roles.body_plan(motion.skeleton, motion.pose(0)) == "quadruped"
    if four and {"left_upper_arm", "right_upper_arm", "left_upper_leg", "right_upper_leg"} <= known.keys():
        fore = world[:, known["left_upper_arm"]] + world[:, known["right_upper_arm"]]
        forward = fore - world[:, known["left_upper_leg"]] - world[:, known["right_upper_leg"]]
    elif {"left_upper_leg", "right_upper_leg"} <= known.keys():
        left = world[:, known["left_upper_leg"]] - world[:, known["right_upper_leg"]]
        forward = quat.cross(left, np.array([0.0, 1.0, 0.0]))
    else:
        return quat.identity(len(motion))
    forward = smoothed(forward, motion.fps, seconds)
    angle = np.unwrap(np.arctan2(forward[:, 0], forward[:, 2]))
    return quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)


def smoothed(values: Array, fps: float, seconds: float = _SMOOTH_S) -> Array:
    """A Gaussian over time; the ends continue as they are."""
    sigma = seconds * fps
    reach = int(3.0 * sigma)
    if reach < 1 or len(values) < 2:
        return values
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    padded = np.concatenate([np.repeat(values[:1], reach, axis=0), values, np.repeat(values[-1:], reach, axis=0)])
    result = np.zeros_like(values, dtype=np.float64)
    for k, weight in enumerate(kernel.tolist()):
        result += weight * padded[k : k + len(values)]
    return result
