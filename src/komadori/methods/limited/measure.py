"""What counts as a step: every joint's world position, weighted, or its place in a camera's image."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from komadori.errors import OptionError
from komadori.methods.limited.options import LimitedOptions
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note


def frame_points(motion: Motion, options: LimitedOptions, world: Array | None = None) -> Array:
    """(F, D): one row per frame, such that squared distances between rows are the paper's SSD (equation 1), weighted.

    `world` (F, J, 3) are the motion's world positions if they are known already.
    """
    world = motion.world_positions() if world is None else world
    if options.camera is not None:
        world = options.camera.projected(world)
    if options.weights is not None:
        world = world * np.sqrt(joint_weights(motion.skeleton, options.weights))[:, None]
    return np.ascontiguousarray(world.reshape(len(motion), world.shape[1] * world.shape[2]))


def joint_weights(skeleton: Skeleton, weights: Mapping[str, float] | Array) -> Array:
    """(J,) weights, from numbers or from joint names and roles; joints that are not named weigh 1."""
    if isinstance(weights, Mapping):
        values = np.ones(len(skeleton))
        for name, weight in weights.items():
            joint = skeleton.roles.get(name)
            values[skeleton.index(name) if joint is None else joint] = weight
    else:
        values = np.asarray(weights, dtype=np.float64)
    if values.shape != (len(skeleton),) or not np.isfinite(values).all() or (values < 0.0).any():
        raise OptionError(
            "weights",
            expected=Note("one finite number, 0 or more, per joint ({count} in total)", count=len(skeleton)),
            found=weights,
        )
    return values
