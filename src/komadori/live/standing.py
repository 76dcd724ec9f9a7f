"""Feet that stand, live: a foot that comes to rest on the floor stays where it is until it leaves, and the leg bends for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat
from komadori.feet import HEIGHT, RELEASE, SPEED, Limb, limbs_of
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

FADE_S = 0.1
"""A foot that leaves comes back to where it was captured within this time."""
LEAST_M = 1e-4
"""Less than this shows nowhere."""
FARTHEST = 0.2
"""Leg lengths that a foot may be kept from where it was captured: beyond that it is let go."""


@dataclass
class _Leg:
    limb: Limb
    levels: Array
    """(n,) how high its points are when they stand."""
    axis: Array
    """What its knee bends about, in the frame of the thigh."""
    last: Array | None = None
    anchor: Array | None = None
    """Where the standing point is kept, x and z."""
    point: int = 0
    offset: Array | None = None


class Standing:
    """The legs of a body of `skeleton` that stands on the floor at rest, in the pose of local `rotations` (J, 4)."""

    def __init__(self, skeleton: Skeleton, rotations: Array, fps: float) -> None:
        self._skeleton, self._fps = skeleton, fps
        rest = Motion(skeleton, fps, rotations[None], skeleton.offsets[None])
        turned, places = rest.world_transforms()
        self._legs = [
            _Leg(
                limb,
                places[0, list(limb.points), 1],
                quat.rotate(quat.inverse(turned[0, limb.upper]), np.array([1.0, 0.0, 0.0])),
            )
            for limb in limbs_of(rest)
        ]
        self._length = max(
            (
                float(
                    np.linalg.norm(places[0, leg.limb.lower] - places[0, leg.limb.upper])
                    + np.linalg.norm(places[0, leg.limb.end] - places[0, leg.limb.lower])
                )
                for leg in self._legs
            ),
            default=1.0,
        )

    def push(self, rotations: Array, positions: Array) -> tuple[Array, bool]:
        """The next frame's local rotations with standing feet kept in place, and whether a foot touches down in it."""
        turned, places = (
            each[0] for each in kinematics.world_transforms(self._skeleton, rotations[None], positions[None])
        )
        touched = False
        for leg in self._legs:
            touched |= self._follow(leg, places[list(leg.limb.points)])
        moved = [leg for leg in self._legs if leg.offset is not None and np.abs(leg.offset).max() > LEAST_M]
        return (self._bent(moved, rotations, turned, places) if moved else rotations), touched

    def _follow(self, leg: _Leg, points: Array) -> bool:
        """Decide whether the leg stands, and how far its foot has to be moved; True where it touches down."""
        speeds = (
            np.full(len(points), np.inf) if leg.last is None else np.linalg.norm(points - leg.last, axis=1) * self._fps
        )
        heights = points[:, 1] - leg.levels
        leg.last = points
        wide = RELEASE if leg.anchor is not None else 1.0
        on = (heights < wide * HEIGHT * self._length) & (speeds < wide * SPEED * self._length)
        touched = False
        if leg.anchor is not None:
            away = leg.anchor - points[leg.point, ::2]
            if not on.any() or np.linalg.norm(away) > FARTHEST * self._length:
                leg.anchor = None
            elif not on[leg.point]:
                # The foot rolls: it now stands on another of its points, where that one is seen.
                other = int(np.flatnonzero(on)[-1])
                leg.anchor, leg.point = points[other, ::2] + away, other
        elif on.any():
            leg.point = int(np.flatnonzero(on)[-1])
            kept = np.zeros(2) if leg.offset is None else leg.offset[::2]
            leg.anchor, touched = points[leg.point, ::2] + kept, True
        if leg.anchor is not None:
            away = leg.anchor - points[leg.point, ::2]
            leg.offset = np.array([away[0], 0.0, away[1]])
        elif leg.offset is not None:
            leg.offset = leg.offset * max(0.0, 1.0 - 1.0 / (FADE_S * self._fps))
        return touched

    def _bent(self, legs: Sequence[_Leg], rotations: Array, turned: Array, places: Array) -> Array:
        limbs = [leg.limb for leg in legs]
        upper, lower, end = (places[[getattr(limb, name) for limb in limbs]] for name in ("upper", "lower", "end"))
        hinge = quat.rotate(turned[[limb.upper for limb in limbs]], np.array([leg.axis for leg in legs]))
        goal = end + np.array([leg.offset for leg in legs])
        turns = kinematics.two_bone(upper, lower, end, goal, hinge=hinge)
        made = np.array(rotations)
        for at, limb in enumerate(limbs):
            thigh, shin = turns[0][at], turns[1][at]
            for joint, above, own in ((limb.upper, None, thigh), (limb.lower, thigh, shin), (limb.end, shin, None)):
                parent = int(self._skeleton.parents[joint])
                over = turned[parent] if parent >= 0 else quat.IDENTITY
                over = over if above is None else quat.multiply(above, over)
                world = turned[joint] if own is None else quat.multiply(own, turned[joint])
                made[joint] = quat.multiply(quat.inverse(over), world)
        return made
