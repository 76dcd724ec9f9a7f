"""Puppets made from clips: frames of a motion become keys, placed where one of its joints was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from komadori import roles
from komadori.errors import OptionError
from komadori.methods.puppet.keys import Grip, Key, joint_of
from komadori.methods.puppet.rig import Puppet
from komadori.motion import Motion
from komadori.numerics.rbf import Kernel
from komadori.quat import Array
from komadori.words import Note


def puppet_from(
    motion: Motion,
    frames: Sequence[int],
    handle: str = "right_hand",
    *,
    kernel: Kernel = "linear",
    polynomial: bool = True,
    ik: Grip | str | None = None,
    ground: float | None = None,
) -> Puppet:
    """A puppet whose keys are the poses of `motion` at `frames`, each where the joint or role `handle` is in that frame.

    On a ground places count from below the root, and all lie at the same distance to the side: a step goes forward.
    """
    if not len(frames):
        raise OptionError("frames", expected=Note("at least one frame to make a key of"), found=Note("none"))
    joint = joint_of(motion.skeleton, handle)
    poses = [motion.pose(frame) for frame in frames]
    world = motion.taken([range(len(motion))[frame] for frame in frames]).world_positions()
    places = world[:, joint]
    if ground is not None:
        places = _without_sway(motion, places - world[:, 0] * np.array([1.0, 0.0, 1.0]), world)
    keys = [
        Key(place, pose, f"frame {frame}")
        for place, pose, frame in zip(places, poses, _distinct_names(frames), strict=True)
    ]
    return Puppet(motion.skeleton, keys, kernel, polynomial, ik, ground)


def _without_sway(motion: Motion, places: Array, world: Array) -> Array:
    known = roles.known(motion.skeleton)
    if not {"left_upper_leg", "right_upper_leg"} <= set(known):
        return places
    aside = (world[:, known["left_upper_leg"]] - world[:, known["right_upper_leg"]]).mean(axis=0)
    aside = aside * np.array([1.0, 0.0, 1.0]) / max(float(np.linalg.norm(aside[::2])), 1e-12)
    off = places @ aside
    return np.asarray(places - (off - off.mean())[:, None] * aside)


def _distinct_names(frames: Sequence[int]) -> list[str]:
    """Names for the keys: a frame that is used twice gets a number."""
    return [
        str(frame) if list(frames[:place]).count(frame) == 0 else f"{frame} ({list(frames[:place]).count(frame) + 1})"
        for place, frame in enumerate(frames)
    ]
