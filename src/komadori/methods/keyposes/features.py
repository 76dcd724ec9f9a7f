"""What a frame looks like to the method: where hands, feet and head are and how they move, and the curve these make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori import kinematics, roles
from komadori.errors import OptionError
from komadori.methods.keyposes.options import KeyposesOptions
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

ENDS = ("left_hand", "right_hand", "left_foot", "right_foot", "head")
"""The parts that an audience watches (section 2.1); an animal's fore paws are its hands."""


STILL = 0.03
"""Sizes of the body a second (about 6 cm per second) at which an end counts as half moving."""


@dataclass(frozen=True)
class Watched:
    """The joints that count, the joint that they are measured from, and what was missing."""

    joints: tuple[int, ...]
    hips: int
    notes: tuple[Note, ...] = ()


def watched(skeleton: Skeleton, names: Sequence[str] = ()) -> Watched:
    """Hands, feet and head by role, or the joints and roles that `names` say."""
    known = roles.known(skeleton)
    hips = known.get("hips", 0)
    if names:
        chosen = []
        for name in names:
            if not isinstance(name, str):
                raise OptionError("joints", expected=Note("names of joints or roles"), found=name)
            chosen.append(known[name] if name in known else skeleton.index(name))
        return Watched(tuple(dict.fromkeys(chosen)), hips)
    found = [known[role] for role in ENDS if role in known]
    if len(found) == len(ENDS):
        return Watched(tuple(found), hips)
    if found:
        missing = ", ".join(role.replace("_", " ") for role in ENDS if role not in known)
        return Watched(
            tuple(found), hips, (Fact("No {missing} in this skeleton; used the other ends.", missing=missing),)
        )
    leaves = tuple(joint for joint, kids in enumerate(skeleton.children) if not kids and joint != hips)
    note = Fact("No hands, feet or head were recognised; used all {count} ends of the skeleton.", count=len(leaves))
    return Watched(leaves or (hips,), hips, (note,))


@dataclass(frozen=True, eq=False)
class Look:
    """What every frame looks like, and how much time went by in which something moved."""

    values: Array
    """(F, D) the features."""
    clock: Array | None
    """(F,) seconds of movement until each frame, times the time's weight; None if time does not count."""


def frame_features(motion: Motion, seen: Watched, options: KeyposesOptions) -> Look:
    """Features (F, D): positions relative to the hips, then velocities, then the hips' own place; distances are equation (1).

    Velocity is the central difference a frame.
    """
    world, hips = _places(motion, seen)
    positions = (world - hips[:, None]).reshape(len(motion), -1)
    if seen.joints == (seen.hips,):
        positions = hips
    speeds = velocities(positions)
    weight = _velocity_weight(positions, speeds, options.velocity_weight, motion.fps)
    blocks = [positions, weight * speeds]
    if options.root_weight:
        # Its place alone: a corner is where the way bends, and speed along a straight way shows in the feet.
        blocks.append(options.root_weight * hips)
    clock = None
    if options.time_weight:
        way = options.root_weight * velocities(hips)
        speeds = np.concatenate([speeds, way], axis=1) if options.root_weight else speeds
        clock = options.time_weight * _moving_time(motion, speeds, len(seen.joints))
    return Look(np.concatenate(blocks, axis=1), clock)


def principal_curve(values: Array, dims: int) -> tuple[Array, float]:
    """The curve (F, dims) along the principal components of `values` (F, D), and the share of variance that it keeps.

    The same curve as classical multidimensional scaling of all F x F squared distances, up to signs: each component's
    largest loading is made positive.
    """
    centred = values - values.mean(axis=0)
    # Rounding of the mean must not look like motion.
    centred[:, np.ptp(values, axis=0) == 0.0] = 0.0
    variances, vectors = np.linalg.eigh(centred.T @ centred)
    vectors = vectors[:, ::-1][:, :dims]
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(vectors.shape[1])]
    curve = centred @ (vectors * np.where(largest < 0.0, -1.0, 1.0))
    if curve.shape[1] < dims:
        curve = np.concatenate([curve, np.zeros((len(curve), dims - curve.shape[1]))], axis=1)
    total = float(np.maximum(variances, 0.0).sum())
    return curve, float(np.maximum(variances[::-1][:dims], 0.0).sum() / total) if total > 0.0 else 1.0


def _places(motion: Motion, seen: Watched) -> tuple[Array, Array]:
    """World positions (F, n, 3) of the watched joints and (F, 3) of the hips; only bones that lead there are turned."""
    skeleton = motion.skeleton
    needed = np.zeros(len(skeleton), dtype=bool)
    for joint in (*seen.joints, seen.hips):
        while joint >= 0 and not needed[joint]:
            needed[joint] = True
            joint = int(skeleton.parents[joint])
    kept = np.flatnonzero(needed)
    place = np.full(len(skeleton) + 1, -1)
    place[kept] = np.arange(len(kept))
    small = Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        place[skeleton.parents[kept]],
        skeleton.offsets[kept],
        skeleton.rest[kept],
    )
    world = kinematics.world_positions(small, motion.rotations[:, kept], motion.positions[:, kept])
    return world[:, place[list(seen.joints)]], world[:, place[seen.hips]]


def velocities(values: Array) -> Array:
    """Central differences of `values` (F, D) a frame, one-sided at the ends."""
    if len(values) < 2:
        return np.zeros_like(values)
    ahead = np.concatenate([values[1:], values[-1:]])
    ahead -= np.concatenate([values[:1], values[:-1]])
    ahead[1:-1] *= 0.5
    return ahead


def _moving_time(motion: Motion, speeds: Array, ends: int) -> Array:
    """(F,) seconds of movement: the clock stands still while the ends do, and runs at full pace once they move."""
    skeleton = motion.skeleton
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    still = STILL * (float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0)
    squared = np.square(speeds).sum(axis=1) / ends * motion.fps**2
    share = squared / (squared + still * still)
    return np.append(0.0, np.cumsum((share[1:] + share[:-1]) / 2.0)) / motion.fps


def _velocity_weight(positions: Array, speeds: Array, weight: str | float, fps: float) -> float:
    if weight == "per-frame":
        return 1.0
    if weight == "per-second":
        return fps
    if weight != "balanced":
        return float(weight)
    spread = float(speeds.var(axis=0).sum())
    return float(np.sqrt(positions.var(axis=0).sum() / spread)) if spread > 0.0 else 1.0
