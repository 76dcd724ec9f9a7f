"""What a fitted wave must beat to show that a strand was drawn as a wave: a rigid swing, and springs in a wind.

Neither knows of the wave: a strand that swings as one piece about its root, and a chain of springs in a wind that comes and goes.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from komadori.methods.hair.traces import Comparison, Trace, compared
from komadori.methods.hair.wave import joints
from komadori.quat import Array

STEPS, CYCLES, SHIFTS = 128, 4, 16
"""Steps per cycle of the simulation, cycles until it has settled, and moments at which the wind may begin."""
_RATE = 96.0
"""Steps per second for which the drags are meant."""
_SETTINGS = tuple(itertools.product((2.0, 8.0, 30.0), (0.05, 0.2, 0.5), (0.5, 2.0, 6.0), (1.0, 4.0, 12.0)))
"""Stiffness, drag, gravity and gust, for a strand of length 1."""


@dataclass(frozen=True)
class Baselines:
    """How near the two come to the drawings that they are scored on."""

    rigid: Comparison
    springs: Comparison


def baselines(learnt: Trace, asked: Trace, period: float) -> Baselines:
    """Both, with a cycle of `period` seconds: fitted on the drawings `learnt`, scored on the drawings `asked`."""
    found = (rigid_swing(learnt, asked.seconds, period), blown_springs(learnt, asked.seconds, period))
    rigid, springs = (compared(joints(asked.lengths, tilts), asked) for tilts in found)
    return Baselines(rigid, springs)


def rigid_swing(learnt: Trace, seconds: Array, period: float) -> Array:
    """(n, bones) tilts of a strand that keeps its mean shape and swings about its root once a cycle."""
    mean = learnt.tilts.mean(axis=0)
    swing, *_ = np.linalg.lstsq(_turn(learnt.seconds, period), (learnt.tilts - mean).mean(axis=1), rcond=None)
    return np.asarray(mean + (_turn(seconds, period) @ swing)[:, None])


def blown_springs(learnt: Trace, seconds: Array, period: float) -> Array:
    """(n, bones) tilts of a chain of springs in a wind that comes and goes once a cycle: the best of 81 settings and 16 beginnings."""
    made = _simulated(learnt.lengths / learnt.lengths.sum(), learnt.tilts.mean(axis=0), period)
    best: tuple[float, Array] | None = None
    for tilts in made:
        for shift in range(SHIFTS):
            begin = shift * STEPS // SHIFTS
            error = compared(joints(learnt.lengths, tilts[_steps(learnt.seconds, period, begin)]), learnt).angle_deg
            if best is None or error < best[0]:
                best = (error, np.asarray(tilts[_steps(seconds, period, begin)]))
    assert best is not None
    return best[1]


def _turn(seconds: Array, period: float) -> Array:
    angle = 2.0 * np.pi * np.asarray(seconds) / period
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _steps(seconds: Array, period: float, begin: int) -> Array:
    return np.asarray((np.round(np.asarray(seconds) / period * STEPS).astype(np.intp) - begin) % STEPS)


def _simulated(lengths: Array, rest: Array, period: float) -> Array:
    """(81, STEPS, bones) tilts in the last cycle: each bone's tip is pulled to its rest tilt, down, and by the wind."""
    stiffness, drag, gravity, gust = (column[:, None] for column in np.array(_SETTINGS).T)
    dt = period / STEPS
    kept = (1.0 - drag) ** (dt * _RATE)
    tips = np.repeat(joints(lengths, rest[None]), len(_SETTINGS), axis=0)
    ways = np.stack([np.cos(rest), np.sin(rest)], axis=1)
    before, found = tips.copy(), np.empty((len(_SETTINGS), STEPS, len(lengths)))
    for step in range(CYCLES * STEPS):
        push = gust * np.array([1.0, np.sin(2.0 * np.pi * step / STEPS)]) - gravity * np.array([0.0, 1.0])
        new = tips.copy()
        for bone, length in enumerate(lengths, 1):
            wanted = new[:, bone - 1] + length * ways[bone - 1]
            force = stiffness * (wanted - tips[:, bone]) / length + push
            place = tips[:, bone] + kept * (tips[:, bone] - before[:, bone]) + dt * dt * force
            line = place - new[:, bone - 1]
            new[:, bone] = new[:, bone - 1] + length * line / np.linalg.norm(line, axis=1, keepdims=True)
        before, tips = tips, new
        if step >= (CYCLES - 1) * STEPS:
            lines = np.diff(tips, axis=1)
            found[:, step % STEPS] = np.arctan2(lines[..., 1], lines[..., 0])
    return found
