"""Following: how far a strand lags behind a head that moves, in closed form of the recorded motion.

A point that hangs loosely from a moving one is that point's path convolved with the answer of a damped swing to a push. The
way is recorded at frames and straight between them, so the integral over every stretch is a sum of exponentials: nothing is
stepped, any moment can be asked for alone, and a clip that was sampled more finely gives the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori.numerics.cuts import Mask, shots
from komadori.quat import Array

Complex = NDArray[np.complex128]

FIRST_S = 0.2
"""Before its first frame a body is taken to have moved as it does, on average, in its first moments."""


@dataclass(frozen=True, eq=False)
class Lag:
    """`at(seconds)` is how far a loose point lies off the way `values` (F, D), for every frequency of a bank."""

    fps: float
    speeds: Array
    """(F, D) a second, from each frame to the next; the last continues."""
    rates: Complex
    """(K,) complex: each swing is Re(scale exp(rate t))."""
    scales: Complex
    states: Complex
    """(F, K, D) complex: the integral over all that was before each frame."""

    def at(self, seconds: ArrayLike) -> Array:
        """(n, K, D) the lag at `seconds` (n,), which lie in the clip; later ones continue as the clip ends, at rest."""
        at = np.atleast_1d(np.asarray(seconds, dtype=np.float64)) * self.fps
        last = len(self.states) - 1
        frame = np.clip(np.floor(at + 1e-9).astype(np.intp), 0, last)
        part = (np.maximum(at - frame, 0.0) / self.fps)[:, None, None]
        rates, scales = self.rates[None, :, None], self.scales[None, :, None]
        grown = np.exp(rates * part)
        speeds = np.where((frame < last)[:, None, None], self.speeds[frame][:, None], 0.0)
        return np.asarray(-np.real(grown * self.states[frame] + speeds * scales * (grown - 1.0) / rates))


def lag_of(values: Array, fps: float, frequencies: Array, damping: float, cuts: Mask | None = None) -> Lag:
    """The lag behind `values` (F, D) of swings of `frequencies` (K,), radians per second; `damping` below 1 overshoots.

    At a steady speed v a point lags by v 2 damping / frequency; where the way stops, it swings past and settles. After each
    of `cuts` (F - 1,) it begins again, as at the first frame.
    """
    frames = len(values)
    parts = shots(np.zeros(frames - 1, dtype=np.bool_) if cuts is None else cuts)
    speeds = np.zeros_like(values)
    speeds[:-1] = np.diff(values, axis=0) * fps
    speeds[[part.stop - 1 for part in parts]] = 0.0
    other = math.sqrt(1.0 - damping * damping)
    rates: Complex = (frequencies * complex(-damping, other)).astype(np.complex128)
    scales = np.full(len(frequencies), complex(1.0, -damping / other))
    states = np.empty((frames, len(frequencies), values.shape[1]), dtype=np.complex128)
    grown = np.exp(rates / fps)[:, None]
    gain = scales[:, None] * (grown - 1.0) / rates[:, None]
    for part in parts:
        states[part.start] = -(scales / rates)[:, None] * _first_speed(values[part], fps)
        for frame in range(part.start, part.stop - 1):
            states[frame + 1] = grown * states[frame] + gain * speeds[frame]
    return Lag(fps, speeds, rates, scales, states)


def _first_speed(values: Array, fps: float) -> Array:
    """(D,) a second, over FIRST_S; straight between frames, so that the frame rate does not matter."""
    at = min(FIRST_S * fps, len(values) - 1.0)
    if at <= 0.0:
        return np.zeros(values.shape[1])
    left = min(int(at), len(values) - 2)
    there = values[left] + (at - left) * (values[left + 1] - values[left])
    return np.asarray((there - values[0]) * (fps / at))
