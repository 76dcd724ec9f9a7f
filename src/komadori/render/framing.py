"""Framing: where a camera stands that has the whole action in its picture, and when it goes along."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, roles
from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.numerics.cuts import cuts_of, shots
from komadori.quat import Array
from komadori.render.body import UP, VIEWS, facing_of, turned_to
from komadori.render.body import Camera as Level
from komadori.skeleton import Skeleton
from komadori.words import Note

CAMERAS = (*VIEWS, "follow")
FOV_DEG, TILT_DEG = 28.0, 9.0
FILLED = 0.86
"""The share of the picture that the whole action takes."""
SAMPLED = 24
"""Frames that are looked at to find out what space the action takes; those in which a joint lies farthest out come on top."""
FOLLOWED_S, CLOSELY_S = 0.5, 0.2
"""A camera that follows goes where the hips go, smoothed over this time; over less if it would lag far behind."""
SMALLEST_SHARE = 0.45
"""Where a still camera would show the standing body smaller than this share of the picture's height, it follows instead."""
WORTH = 1.25
"""...but only if that makes the body this much larger: a narrow picture stays small either way."""
MORE_BACK = 0.2
"""A view is turned to how the body faces on the whole where it then shows its back in that much less of the clip."""

Frames = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Take:
    """A motion that is to be seen: `places` gives (n, V, 3) points of its skin at some frames, and `path_frames` (F,) says which
    frame of the first take's path each of its frames belongs to."""

    motion: Motion
    places: Callable[[Frames], Array]
    path_frames: Frames


def framed(takes: Sequence[Take], view: str, size: tuple[int, int]) -> Camera:
    """A camera that has all of `takes` in its picture of `size`, seen as the first one's body stands.

    It stands still where the body stays large enough; where the body travels far it follows the first take's path.
    """
    if view not in CAMERAS:
        raise OptionError(
            "camera", expected=Note("one of {words}, or a camera's file", words=", ".join(CAMERAS)), found=view
        )
    first = takes[0].motion
    level = _level(first, "three-quarter" if view == "follow" else view)
    tilt = math.radians(TILT_DEG)
    back = math.cos(tilt) * level.toward + math.sin(tilt) * UP
    axes = np.stack([level.right, np.cross(back, level.right), back])
    tall = FILLED * math.tan(math.radians(FOV_DEG) / 2.0)
    slopes = (tall * size[0] / size[1], tall)
    joints = [take.motion.world_positions() for take in takes]

    def seen_from(path: Array) -> tuple[Camera, float]:
        return _placed(takes, joints, path, axes, slopes)

    if view == "follow":
        return seen_from(smoothed_path(first))[0]
    best, share = seen_from(np.zeros((len(first), 3)))
    # Along the ground first; up a ladder or down the stairs if that is not enough; and closer, where a dog at a run turns round.
    for level_path, seconds, worth in ((True, FOLLOWED_S, WORTH), (False, FOLLOWED_S, WORTH), (True, CLOSELY_S, 1.05)):
        if share < SMALLEST_SHARE:
            other, larger = seen_from(smoothed_path(first, level=level_path, seconds=seconds))
            best, share = (other, larger) if larger > worth * share else (best, share)
    return best


def _placed(
    takes: Sequence[Take], joints: Sequence[Array], path: Array, axes: Array, slopes: tuple[float, float]
) -> tuple[Camera, float]:
    """The nearest camera that goes along `path` and has everything in its picture, and the least share of the picture's height that the
    standing body takes."""
    still = not path.any()
    points, hips = [], []
    for take, world in zip(takes, joints, strict=True):
        beside = (world - path[take.path_frames][:, None]) @ axes.T
        frames = _telling(beside, slopes)
        points.append(((take.places(frames) - path[take.path_frames[frames]][:, None]) @ axes.T).reshape(-1, 3))
        hips.append(beside[:, take.motion.skeleton.roles.get("hips", 0)])
    near = np.concatenate(points)
    centre, away = np.zeros(3), 0.0
    for axis, slope in enumerate(slopes):
        # The nearest place from which both edges of the action lie within the picture's two sides.
        high, low = (near[:, axis] + slope * near[:, 2]).max(), (near[:, axis] - slope * near[:, 2]).min()
        centre[axis] = 0.5 * (high + low)
        away = max(away, float(high - low) / (2.0 * slope))
    away = max(away, 0.1)
    target = centre @ axes
    eye = target + away * axes[2]
    farthest = max(away - float(np.concatenate(hips)[:, 2].min()), 1e-6)
    share = stature(takes[0].motion.skeleton) / (2.0 * math.tan(math.radians(FOV_DEG) / 2.0) * farthest)
    camera = Camera(eye, target, fov_deg=FOV_DEG) if still else Camera(eye + path, target + path, fov_deg=FOV_DEG)
    return camera, share


def _telling(beside: Array, slopes: tuple[float, float]) -> Frames:
    """Frames to look at: some evenly, and those in which a joint comes nearest to an edge of the picture."""
    even = np.linspace(0, len(beside) - 1, SAMPLED).round().astype(int)
    edges = []
    for axis, slope in enumerate(slopes):
        edges += [int((beside[..., axis] + slope * beside[..., 2]).max(axis=1).argmax())]
        edges += [int((beside[..., axis] - slope * beside[..., 2]).min(axis=1).argmin())]
    return np.unique(np.concatenate([even, edges]))


def _level(motion: Motion, view: str) -> Level:
    """The level view of the body as it stands in the first frame; as it faces on the whole if that would show too much of its back."""
    skeleton, world = motion.skeleton, motion.world_positions()
    known = skeleton.roles
    facing = facing_of(skeleton, world)
    if {"hips", "head"} <= known.keys() and roles.body_plan(skeleton) == "quadruped":
        # Along the trunk, whatever left and right are called: an animal is long, and shows its face or its tail.
        ahead = (world[:, known["head"]] - world[:, known["hips"]]) * [1.0, 0.0, 1.0]
        length = np.linalg.norm(ahead, axis=1, keepdims=True)
        facing = np.where(length > 1e-6, ahead / np.maximum(length, 1e-6), facing)
    mean = facing.mean(axis=0)
    first, whole = facing[0], mean / max(float(np.linalg.norm(mean)), 1e-9)
    backs = [float(np.mean(facing @ turned_to(front, "three-quarter").toward < -0.2)) for front in (first, whole)]
    turns = np.linalg.norm(mean) > 1e-3 and backs[1] + MORE_BACK < backs[0]
    return turned_to(whole if turns else first, view)


def stature(skeleton: Skeleton) -> float:
    """How tall the body stands in its rest pose, in metres; of one that lies there, how long it is."""
    _, places = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    body = places[0][skeleton.below([skeleton.roles.get("hips", 0)])]
    size = np.ptp(body, axis=0)
    return max(float(size[1]), 0.7 * float(size.max()), 1e-6)


def smoothed_path(motion: Motion, *, level: bool = True, seconds: float = FOLLOWED_S) -> Array:
    """(F, 3) where the body goes, smoothed: a camera on rails, not one that shakes with every step; `level` stays on the ground.

    Where the motion is cut, so is the path.
    """
    turns, world = motion.world_transforms()
    hips = motion.skeleton.roles.get("hips", 0)
    place = np.array(world[:, hips])
    place[:, 1] = 0.0 if level else place[:, 1] - place[0, 1]
    parts = shots(cuts_of(world[:, [hips]], turns[:, [hips]], motion.fps))
    return np.concatenate([_smooth(place[part], seconds * motion.fps) for part in parts])


def _smooth(place: Array, sigma: float) -> Array:
    reach = max(1, math.ceil(3.0 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    # Beyond the ends the path continues as it came: the camera neither lags at the start nor brakes before the end.
    before = 2.0 * place[0] - place[np.minimum(np.arange(reach, 0, -1), len(place) - 1)]
    after = 2.0 * place[-1] - place[np.maximum(len(place) - 1 - np.arange(1, reach + 1), 0)]
    longer = np.concatenate([before, place, after])
    return np.stack([np.convolve(longer[:, axis], weights, mode="valid") for axis in range(3)], axis=1)
