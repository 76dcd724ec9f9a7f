"""Heads: how the joints that strands hang from move in the world, and how far loose things lag behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat
from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.methods.hair.following import Lag, lag_of
from komadori.methods.hair.heading import Complex, front_of, headings_of, trunk_of
from komadori.methods.hair.obstacles import Obstacles, obstacles_of
from komadori.methods.hair.strands import Index, Strands
from komadori.motion import Motion
from komadori.numerics.cuts import cuts_of
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

BANK = np.geomspace(4.0, 60.0, 9)
"""Swings, radians per second, that the lag is computed for; a bone's own lies between two of them."""


@dataclass(frozen=True, eq=False)
class Heads:
    """`turns` (F, H, 4) of the H holders in the world; the lag of each is that of 12 numbers, its place and its axes."""

    fps: float
    turns: Array
    lags: tuple[Lag, ...]
    of: Index
    """(C,) each chain's holder among them."""
    headings: Complex
    """(F,) which way the body faces, as `headings_of` tells."""
    obstacles: Obstacles | None
    """What is in the strands' way; None if nothing ever is."""

    def headed(self, seconds: Array) -> Complex:
        """(n,) the body's heading at any moment."""
        at, frames = seconds * self.fps, np.arange(len(self.headings))
        return np.asarray(np.interp(at, frames, self.headings.real) + 1j * np.interp(at, frames, self.headings.imag))

    def turned(self, seconds: Array) -> Array:
        """(n, H, 4) at any moment, the short way between two frames."""
        at = np.clip(seconds * self.fps, 0.0, len(self.turns) - 1.0)
        left = np.minimum((at + 1e-9).astype(np.intp), len(self.turns) - 1)
        part = np.maximum(at - left, 0.0)
        if (part < 1e-9).all():
            return np.asarray(self.turns[left])
        right = np.minimum(left + 1, len(self.turns) - 1)
        return quat.slerp(self.turns[left], self.turns[right], part[:, None])


def heads_of(
    strands: Strands, motion: Motion, damping: float, camera: Camera | None, floor_m: float | None = None
) -> Heads:
    """The holders of `strands` in `motion`; what a camera travels on its own counts as their travel the other way."""
    holders, of = np.unique(strands.holders, return_inverse=True)
    skeleton, solids = motion.skeleton, strands.solids
    trunk = trunk_of(skeleton)
    met = [] if solids is None else [*solids.joints.ravel().tolist(), *solids.stands.tolist()]
    carriers = _carriers(skeleton, [*holders.tolist(), *trunk, *met])
    part = _part(skeleton, carriers)
    turns, places = kinematics.world_transforms(part, motion.rotations[:, carriers], motion.positions[:, carriers])
    place_of = np.searchsorted(carriers, np.arange(len(skeleton)))
    root = motion.positions[:, 0]
    seen = _travel(camera, root) if camera is not None else np.zeros((len(motion), 3))
    own = [turns[:, place_of[h]] if h >= 0 else quat.identity(len(motion)) for h in holders.tolist()]
    both = quat.continuous(np.stack(own, axis=1))
    # A chain that is the body's root moves with itself.
    ways = [places[:, place_of[h]] if h >= 0 else root for h in holders.tolist()]
    cuts = cuts_of(np.stack(ways, axis=1), both, motion.fps)
    lags = []
    for place, turn in zip(ways, own, strict=True):
        axes = np.swapaxes(quat.to_matrix(turn), 1, 2).reshape(len(motion), 9)
        lags.append(lag_of(np.concatenate([place - seen, axes], axis=1), motion.fps, BANK, damping, cuts))
    rest, world = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    faced = [quat.multiply(turns[:, place_of[joint]], quat.inverse(rest[0, joint])) for joint in trunk]
    headings = headings_of(front_of(skeleton, world[0]), faced, motion.fps, cuts)
    met_on_the_way = obstacles_of(strands, motion.fps, turns, places, place_of, floor_m)
    return Heads(motion.fps, both, tuple(lags), of.astype(np.intp), headings, met_on_the_way)


def _carriers(skeleton: Skeleton, joints: Sequence[int]) -> Index:
    """The root, `joints` and all joints above them, in order: what must be known to know where these are."""
    found = {0}
    for joint in joints:
        while joint >= 0 and joint not in found:
            found.add(joint)
            joint = int(skeleton.parents[joint])
    return np.array(sorted(found), dtype=np.intp)


def _part(skeleton: Skeleton, joints: Index) -> Skeleton:
    """The skeleton of `joints` alone, among which are all their parents."""
    above = skeleton.parents[joints]
    parents = np.where(above >= 0, np.searchsorted(joints, above), -1)
    return Skeleton(tuple(skeleton.names[j] for j in joints), parents, skeleton.offsets[joints], skeleton.rest[joints])


def _travel(camera: Camera, way: Array) -> Array:
    """(F, 3) the path of a camera, without what it travels along with the body: a tracking shot blows no wind."""
    frames = camera.frames
    if frames is not None and frames != len(way):
        raise OptionError(
            "camera", expected=Note("as many frames as the motion has ({count})", count=len(way)), found=frames
        )
    if camera.position.ndim == 1:
        return np.zeros((len(way), 3))
    steps, body = np.diff(camera.position, axis=0), np.diff(way, axis=0)
    size = np.maximum(np.linalg.norm(body, axis=1, keepdims=True), 1e-12)
    shared = np.clip(np.sum(steps * body, axis=1, keepdims=True) / size, 0.0, size)
    own = steps - shared * body / size
    return np.concatenate([np.zeros((1, 3)), np.cumsum(own, axis=0)])
