"""The animal that is driven: which of its clips teaches, that clip without its travel, and when its feet stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.translate import gaits
from komadori.methods.translate.aligning import headings, leg_length, smoothed
from komadori.methods.translate.features import finite
from komadori.methods.translate.gaits import Footfalls
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

LOW = 0.3
"""A foot is down in the lowest share of its heights, while it does not move forward against the body."""
_FORWARD = 0.1
"""Share of the foot's greatest speed up to which it does not count as moving forward."""
_LOOP = 0.06
"""A clip whose last pose lies within this (radians, the mean over joints) of its first is a loop."""
_NEAR = 0.02
"""Leg lengths within which another root counts as hung on the end of a leg."""
_LEAST_STANCE = 0.1
TEACHING = {"walk": ("walk",), "run": ("trot", "run", "canter", "gallop", "walk")}
"""For what a person does, the animal's clips that may answer, by name, the best first."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A clip of the animal, on the spot and facing +Z: what the translators learn from.

    `still` is the clip without travel and heading; `on` (F, 4) when its feet stand (LH, RH, LF, RF); `points` the joint that
    stands of each; `followers` pairs of a root of its own and the joint that it hangs on (rigs with loose hooves).
    """

    name: str
    still: Motion
    loop: bool
    on: NDArray[np.bool_]
    points: tuple[int, ...]
    followers: tuple[tuple[int, int], ...]
    leg_m: float
    ground: float
    travels: bool
    """Whether the clip itself goes anywhere; drawn loops often walk on the spot, with feet that slide."""

    @property
    def footfalls(self) -> Footfalls | None:
        """Its gait."""
        return gaits.footfalls(self.on, self.still.fps, self.loop)


def clip_of(animal: Character | Motion, doing: str) -> tuple[str, Motion, str]:
    """The animal's clip that answers to a person's "walk" or "run", with its name and the word that it was found by."""
    if isinstance(animal, Motion):
        return "", animal, ""
    motions: Mapping[str, Motion] = animal.motions
    for word in TEACHING[doing]:
        for name, motion in motions.items():
            last = name.lower().rpartition("|")[2]
            if (last.startswith(word) or last.endswith(word)) and len(motion) > 4:
                return name, motion, word
    listed = ", ".join(list(motions)[:8]) or "none"
    raise OptionError(f"the animal has no clip to learn a {doing} from (a name with walk or trot); it has {listed}")


def lesson(name: str, clip: Motion, fps: float) -> Lesson:
    """`clip` made ready to teach, at `fps`."""
    finite(clip, "the animal's clip")
    skeleton = clip.skeleton
    if roles.body_plan(skeleton, clip.pose(0)) != "quadruped":
        raise OptionError("the animal was not recognised as one: no four legs to walk on were found in its skeleton")
    clip = clip.resampled(fps)
    gap = quat.angle(quat.multiply(quat.inverse(clip.rotations[0]), clip.rotations[-1]))
    loop = bool(gap.mean() < _LOOP) and len(clip) > 4
    if loop:
        clip = clip[:-1]
    still, travels = _stilled(clip)
    world = still.world_positions()
    found = feet.contacts(clip)
    if len(found.joints) != 4:
        raise OptionError(f"the animal has {len(found.joints)} feet that were recognised, expected 4")
    leg = leg_length(skeleton, roles.known(skeleton), world)
    points = tuple(found.joints)
    on = found.on
    if not travels or on.mean(axis=0).min() < _LEAST_STANCE:
        # Feet that slide, as drawn ones do, are never seen to stand still.
        on = standing(world[:, list(points)], still.fps, loop)
    ground = float(
        np.median([np.median(world[on[:, foot], point, 1]) for foot, point in enumerate(points) if on[:, foot].any()])
    )
    return Lesson(name, still, loop, on, points, _followers(skeleton, world, leg), leg, ground, travels)


def standing(places: Array, fps: float, loop: bool) -> NDArray[np.bool_]:
    """(F, 4) when feet at `places` (F, 4, 3) stand, of an animal on the spot that faces +Z: low, and not swinging forward."""
    height = places[..., 1]
    span = np.ptp(height, axis=0)
    low = height < height.min(axis=0) + LOW * np.maximum(span, 1e-6)
    ahead = places[..., 2]
    if loop:
        ahead = np.concatenate([ahead[-1:], ahead, ahead[:1]])
        speed = 0.5 * fps * (ahead[2:] - ahead[:-2])
    else:
        speed = np.gradient(ahead, axis=0) * fps
    return np.asarray(low & (speed < _FORWARD * np.maximum(speed.max(axis=0), 1e-6)))


def _stilled(clip: Motion) -> tuple[Motion, bool]:
    """The clip on the spot, facing +Z, and whether it had gone anywhere."""
    world = clip.world_positions()
    known = roles.known(clip.skeleton)
    turn = quat.inverse(headings(clip, world, 0.4))
    hips = world[:, known["hips"]]
    path = smoothed(hips, clip.fps, 0.25)
    steps = np.diff(path[:, ::2], axis=0)
    travels = float(np.linalg.norm(steps.sum(axis=0))) > 0.1 * leg_length(clip.skeleton, known, world)
    centre = (path if travels else np.tile(path.mean(axis=0), (len(path), 1))) * np.array([1.0, 0.0, 1.0])
    roots = np.flatnonzero(clip.skeleton.parents < 0)
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    rotations[:, roots] = quat.multiply(turn[:, None], clip.rotations[:, roots])
    positions[:, roots] = quat.rotate(turn[:, None], clip.positions[:, roots] - centre[:, None])
    return Motion(clip.skeleton, clip.fps, quat.continuous(rotations), positions), travels


def _followers(skeleton: Skeleton, world: Array, leg: float) -> tuple[tuple[int, int], ...]:
    """Roots after the first that lie on a joint of the body in every frame, with that joint."""
    found = []
    own = skeleton.below([0])
    for root in np.flatnonzero(skeleton.parents < 0)[1:].tolist():
        far = np.linalg.norm(world - world[:, [root]], axis=2).max(axis=0)
        far[~own] = np.inf
        nearest = int(np.argmin(far))
        if far[nearest] < _NEAR * leg:
            found.append((root, nearest))
    return tuple(found)
