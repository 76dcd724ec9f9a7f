"""How fast an input moves against the training, frame by frame: where it is slower, dynamics that were learnt no longer hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori.methods.translate.features import Space
from komadori.quat import Array

MEMORY_S = 0.6
"""The time over which size and speed are averaged."""
SLOW = 0.85
"""At this share of the training's pace, and below, an input counts as wholly strange (tuned on CMU subject 07)."""
_SLOW = 2.0 * math.log(SLOW)
ROOM = 0.2
"""Share of the range met in training that an answer may go beyond it, softly."""


@dataclass(frozen=True)
class Pace:
    """Mean square of the training inputs (`size`) and of their steps a frame (`speed`); with speed 0 any pace will do."""

    size: float
    speed: float

    @staticmethod
    def of(clips: Sequence[Array]) -> Pace:
        """The pace of training inputs (F, k)."""
        every, steps = np.concatenate(clips), np.concatenate([np.diff(clip, axis=0) for clip in clips])
        return Pace(float((every**2).sum(axis=1).mean()), float((steps**2).sum(axis=1).mean()))

    def strangeness(self, u: Array, fps: float, loop: bool) -> Array:
        """(F, 2) of inputs `u` (F, k), each from 0 (as in training, or quicker) to 1 (SLOW of that, or less).

        The first is that of its pace (speed against size: slow steps, or long ones), the second that of its speed alone.
        """
        size = (u**2).sum(axis=1)
        steps = np.diff(u, axis=0, prepend=u[-1:] if loop else u[:1])
        speed = (steps**2).sum(axis=1)
        if not loop and len(u) > 1:
            speed[0] = speed[1]
        if loop:
            return np.tile(self.shares(float(size.mean()), float(speed.mean())), (len(u), 1))
        keep = decay(fps)
        both = [self._averaged(values, start, keep) for values, start in ((size, self.size), (speed, self.speed))]
        return np.array([self.shares(a, b) for a, b in zip(*both, strict=True)])

    def shares(self, size: float, speed: float) -> tuple[float, float]:
        """Strangeness of an input with that mean square and mean square step."""
        if self.speed <= 0.0:
            return 0.0, 0.0
        quick = math.log(max(speed, 1e-24) / max(self.speed, 1e-24))
        large = math.log(max(size, 1e-24) / max(self.size, 1e-24))
        return min(max((quick - large) / _SLOW, 0.0), 1.0), min(max(quick / _SLOW, 0.0), 1.0)

    @staticmethod
    def _averaged(values: Array, start: float, keep: float) -> Array:
        """Weighted means over the frames around each: those long before and after count less."""
        forward, backward = np.empty(len(values)), np.empty(len(values))
        weights = np.empty(len(values))
        for way, result in ((1, forward), (-1, backward)):
            total, weight = 0.0, 0.0
            for t in range(len(values))[::way]:
                total, weight = keep * total + values[t], keep * weight + 1.0
                result[t] = total
                weights[t] = weight if way > 0 else weights[t] + weight - 1.0
        # A breath of the training's own value keeps a clip of a few frames calm.
        return np.asarray((forward + backward - values + start) / (weights + 1.0))


def decay(fps: float) -> float:
    """By how much an average fades a frame."""
    return float(np.exp(-1.0 / max(MEMORY_S * fps, 1e-9)))


def eased(y: Array, space: Space) -> Array:
    """Answers (..., k) within the range of training and a little room: beyond it they level off."""
    low, high = space.low, space.high
    room = ROOM * np.maximum(high - low, 1e-9)
    over, under = np.maximum(y - high, 0.0), np.maximum(low - y, 0.0)
    return np.asarray(np.clip(y, low, high) + room * np.tanh(over / room) - room * np.tanh(under / room))
