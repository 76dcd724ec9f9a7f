"""Action Synopsis (Assa, Caspi, Cohen-Or 2005): poses where the motion curve lies farthest from its own average."""

from __future__ import annotations

import math

import numpy as np

from komadori import quat
from komadori.methods.keyposes.features import principal_curve, velocities
from komadori.motion import Motion
from komadori.numerics.polyline import Frames
from komadori.quat import Array

AVERAGE_S = 0.25
"""Width (standard deviation) of the low-pass that makes the average curve, and of the neighbourhood of a chosen pose."""
REACH = 4
"""Widths after which the low-pass is cut off."""


def synopsis_curve(motion: Motion, hips: int, dims: int) -> Array:
    """(F, dims): all joints' positions relative to the hips, rotations, and the velocities of both, reduced.

    Each of the four aspects has the same total variance.
    """
    frames, world_p = len(motion), motion.world_positions()
    positions = (world_p - world_p[:, hips : hips + 1]).reshape(frames, -1)
    turns = quat.continuous(motion.rotations).reshape(frames, -1)
    blocks = []
    for aspect in (positions, turns, velocities(positions), velocities(turns)):
        spread = float(aspect.var(axis=0).sum())
        blocks.append(aspect / math.sqrt(spread) if spread > 0.0 else np.zeros_like(aspect))
    return principal_curve(np.concatenate(blocks, axis=1), dims)[0]


def synopsis_order(curve: Array, keys: Frames, count: int, width: float) -> Frames:
    """`keys`, then frames in the order of choice, until there are `count` or the curve lies on its average.

    Chosen is the local maximum of the distance between `curve` (F, D) and its average (a Gaussian of `width`
    frames). The average is then pulled to the curve around it, so that its neighbours are not chosen soon.
    """
    frames = len(curve)
    reach = math.ceil(REACH * width)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    away = np.linalg.norm(curve - _average(curve, bell / bell.sum()), axis=1)

    def settle(frame: int) -> None:
        begin, end = max(0, frame - reach), min(frames, frame + reach + 1)
        away[begin:end] *= 1.0 - bell[begin - frame + reach : end - frame + reach]

    order = keys.tolist()
    for frame in order:
        settle(frame)
    while len(order) < min(count, frames):
        padded = np.concatenate([[-1.0], away, [-1.0]])
        peak = (away > padded[:-2]) & (away >= padded[2:]) & (away > 0.0)
        if not peak.any():
            break
        frame = int(np.argmax(np.where(peak, away, -1.0)))
        order.append(frame)
        settle(frame)
        away[frame] = 0.0
    return np.array(order, dtype=np.int64)


def _average(curve: Array, kernel: Array) -> Array:
    reach = len(kernel) // 2
    padded = np.concatenate([np.repeat(curve[:1], reach, axis=0), curve, np.repeat(curve[-1:], reach, axis=0)])
    return np.stack([np.convolve(column, kernel, mode="valid") for column in padded.T], axis=1)
