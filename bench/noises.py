"""Noise of known size, added to clips: white, spikes, gaps, drift, swapped sides and dropped frames; what cleaning is judged by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import Motion, quat
from komadori.methods.clean import swaps
from komadori.quat import Array

WHITE_DEG, WHITE_MM = 1.0, 3.0
"""Of every joint's turn and of the root's place: what cheap trackers show."""
SPIKES_A_SECOND, SPIKE_DEG = 1.5, 45.0
GAPS_A_SECOND, GAP_S = 0.7, 0.12
DRIFT_M = 0.08


def white(motion: Motion, rng: np.random.Generator, deg: float = WHITE_DEG, mm: float = WHITE_MM) -> Motion:
    """Every turn and the root's place tremble."""
    turns = rng.normal(scale=np.radians(deg), size=(*motion.rotations.shape[:2], 3))
    turns[:, motion.skeleton.end_sites] = 0.0
    positions = np.array(motion.positions)
    positions[:, 0] += rng.normal(scale=1e-3 * mm, size=positions[:, 0].shape)
    return motion.replaced(rotations=quat.multiply(motion.rotations, quat.exp(turns)), positions=positions)


def spikes(motion: Motion, rng: np.random.Generator) -> Motion:
    """Now and then a joint leaps away for one to three frames."""
    rotations = np.array(motion.rotations)
    for _ in range(max(1, round(SPIKES_A_SECOND * motion.duration_s))):
        joint, start = int(rng.choice(_turning(motion))), int(rng.integers(4, len(motion) - 8))
        axis = rng.normal(size=3)
        away = quat.exp(axis / np.linalg.norm(axis) * np.radians(SPIKE_DEG))
        stop = start + int(rng.integers(1, 4))
        rotations[start:stop, joint] = quat.multiply(rotations[start:stop, joint], away)
    return motion.replaced(rotations=rotations)


def gaps(motion: Motion, rng: np.random.Generator) -> Motion:
    """Now and then a joint is lost: it shows the last turn that was known, and then is suddenly elsewhere."""
    rotations = np.array(motion.rotations)
    length = max(4, round(GAP_S * motion.fps))
    for _ in range(max(1, round(GAPS_A_SECOND * motion.duration_s))):
        joint, start = int(rng.choice(_turning(motion))), int(rng.integers(8, len(motion) - length - 8))
        rotations[start : start + length, joint] = rotations[start - 1, joint]
    return motion.replaced(rotations=rotations)


def drift(motion: Motion, rng: np.random.Generator) -> Motion:
    """The floor rises over the clip, and sways a little on the way."""
    time = np.linspace(0.0, 1.0, len(motion))
    sign = rng.choice([-1.0, 1.0])
    positions = np.array(motion.positions)
    positions[:, 0, 1] += sign * DRIFT_M * (time + 0.15 * np.sin(2.0 * np.pi * time))
    return motion.replaced(positions=positions)


def swapped(motion: Motion, rng: np.random.Generator) -> Motion:
    """Left and right change places for a quarter of a second."""
    rotations = motion.rotations
    for both in swaps.pairs(motion.skeleton).values():
        start = int(rng.integers(4, max(5, len(motion) - int(motion.fps) // 4 - 4)))
        wrong = np.zeros(len(motion), dtype=bool)
        wrong[start : start + max(2, int(motion.fps // 4))] = True
        rotations = swaps.exchanged(rotations, both, wrong)
    return motion.replaced(rotations=rotations)


def everything(motion: Motion, rng: np.random.Generator) -> Motion:
    """All of white, spikes, gaps and drift at once; what is lost does not tremble."""
    return drift(gaps(spikes(white(motion, rng), rng), rng), rng)


NOISES = {"white": white, "spikes": spikes, "gaps": gaps, "drift": drift, "all": everything, "swapped": swapped}


def apart_m(one: Motion, other: Motion) -> float:
    """The root of the mean squared distance between the joints of two motions, in metres."""
    return float(np.sqrt((distances(one, other) ** 2).mean()))


def distances(one: Motion, other: Motion) -> Array:
    """(F, J) metres between the joints of two motions."""
    return np.asarray(np.linalg.norm(one.world_positions() - other.world_positions(), axis=-1))


def _turning(motion: Motion) -> NDArray[np.intp]:
    """Joints that turn at all: the others have nothing to lose."""
    still = np.abs(np.einsum("fji,ji->fj", motion.rotations, motion.rotations[0])).min(axis=0) > np.cos(np.radians(2.0))
    return np.flatnonzero(~still & ~motion.skeleton.end_sites & (motion.skeleton.parents >= 0))
