"""The pace of an input against that of the training, and how the size of an answer follows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from komadori import roles
from komadori.methods.translate.features import ARM, LEG
from komadori.quat import Array
from komadori.skeleton import Skeleton

MEMORY_S = 1.5
"""The time over which size and speed are averaged: a little more than a cycle of a walk."""
_TRUST_S = 0.4
"""The training's own pace counts as much as this long a stretch of input: it keeps the first frames calm."""
_SLOW = 2.0 * math.log(0.85)
"""At 0.85 of the training's speed, and below, `caution` counts in full."""
_WALK, _STAND = 0.6, 0.45
"""Down to this drive an input is a slow walk; under that one it stands or turns, of which walks say nothing, and is left as it is."""
_RARE, _ROOM = 0.1, 0.97
"""Share of the training that may be slower than what counts as its slowest, and a little room below that."""
_POWERS = {"shoulder": 1.75, "upper_arm": 1.75, "lower_arm": 4.4, "hand": 4.4}
"""How strongly the joints of a person's arm follow the drive of the legs: elbows and wrists stiffen sooner than shoulders."""
STEADY = 0.87
"""Training whose slowest is above this share of its mean knows one pace only: no stops, no turns on the spot."""


@dataclass(frozen=True, eq=False)
class Pace:
    """Mean square of the training inputs (`size`) and of their steps per frame (`speed`); with speed 0 any pace will do.

    `weights` (k,) counts each component of an input; none: all alike. `slowest`: how slow the training was at its slowest, against its own mean.
    """

    size: float
    speed: float
    weights: tuple[float, ...] = ()
    slowest: float = 1.0

    @staticmethod
    def of(clips: Sequence[Array], fps: float) -> Pace:
        """The pace of training inputs (F, k), counted by the strength of each component, so that steps speak and noise does not."""
        every, steps = np.concatenate(clips), np.concatenate([np.diff(clip, axis=0) for clip in clips])
        weights = np.square(every).mean(axis=0)
        weights = weights / max(float(weights.max(initial=0.0)), 1e-300)
        size, speed = (float((values**2 @ weights).mean()) for values in (every, steps))
        pace = Pace(size, speed, tuple(weights.tolist()))
        drives = []
        for clip in clips:
            running = Running(pace, fps)
            drives += [pace.drive(*running.step(frame)) for frame in clip]
        return replace(pace, slowest=_ROOM * min(float(np.quantile(drives, _RARE)), 1.0))

    @cached_property
    def _counts(self) -> Array | None:
        return np.asarray(self.weights) if self.weights else None

    def powers(self, values: Array) -> Array:
        """(...) weighted square sums of values (..., k)."""
        squares = values * values
        return np.asarray(squares.sum(axis=-1) if self._counts is None else squares @ self._counts)

    def drive(self, size: float, speed: float) -> float:
        """How strongly an input of that mean square and mean square step swings arms (1: as in training): tempo times the cube root of the stride.

        Arms swing with the speed of the legs. In CMU walks (subjects 07 and 08) at 0.65 to 0.9 of the usual tempo their swing, against that of the
        legs, is 0.5 to 0.9 of the usual; longer strides make up for a part of it.
        """
        large = max(size, 1e-24) / max(self.size, 1e-24)
        quick = max(speed, 1e-24) / max(self.speed, 1e-24)
        return float(math.sqrt(quick) / large ** (1.0 / 3.0))


@dataclass(frozen=True)
class Manner:
    """How an answer follows the pace of its input.

    `tempo`: how much the swing shrinks where the input is slower than the training (0: not at all). `joints`: the power of the tempo that each output
    joint follows at `tempo` 1; none: all in proportion. `caution`: share by which an answer is drawn towards the mean pose where the input moves slower.
    """

    tempo: float = 0.0
    caution: float = 0.0
    joints: tuple[float, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether the pace does not matter."""
        return self.tempo == 0.0 and self.caution == 0.0

    def scale(self, pace: Pace, size: float, speed: float, count: int) -> Array:
        """(3 count,) factors of the exponential maps of `count` output joints: 1 unless the input is slower than the slowest training."""
        level = self._levels(count)
        if pace.speed <= 0.0:
            return np.ones(len(level))
        drive = pace.drive(size, speed) / pace.slowest
        if drive < _WALK:
            drive = max(_WALK, 1.0 - (1.0 - _WALK) * (drive - _STAND) / (_WALK - _STAND))
        swing = min(drive, 1.0)
        slow = min(max(math.log(max(speed / pace.speed, 1e-24)) / _SLOW, 0.0), 1.0)
        return np.asarray((1.0 - self.caution * slow) * np.exp(math.log(swing) * level))

    def _levels(self, count: int) -> Array:
        """(3 count,) the power of the drive that each number follows."""
        return self._joint_levels if self.joints else np.full(3 * count, self.tempo)

    @cached_property
    def _joint_levels(self) -> Array:
        return np.repeat(self.tempo * np.array(self.joints), 3)

    def scales(self, pace: Pace, u: Array, fps: float, loop: bool, count: int) -> Array:
        """(F, 3 count) those of inputs `u` (F, k); frame by frame as a stream sees them, but for a loop those of the whole."""
        if loop:
            steps = np.diff(u, axis=0, prepend=u[-1:])
            whole = self.scale(pace, float(pace.powers(u).mean()), float(pace.powers(steps).mean()), count)
            return np.broadcast_to(whole, (len(u), len(whole)))
        running = Running(pace, fps)
        return np.stack([self.scale(pace, *running.step(frame), count) for frame in u])


class Running:
    """Size and speed of an input over the last second or so, frame by frame."""

    def __init__(self, pace: Pace, fps: float) -> None:
        self._pace = pace
        self._keep = math.exp(-1.0 / max(MEMORY_S * fps, 1e-9))
        trust = _TRUST_S * fps
        self._size, self._frames = trust * pace.size, trust
        self._speed, self._steps = trust * pace.speed, trust
        self._before: Array | None = None

    def step(self, u: Array) -> tuple[float, float]:
        """Mean square and mean square step with the frame `u` (k,)."""
        keep = self._keep
        self._size, self._frames = keep * self._size + float(self._pace.powers(u)), keep * self._frames + 1.0
        if self._before is not None:
            moved = float(self._pace.powers(u - self._before))
            self._speed, self._steps = keep * self._speed + moved, keep * self._steps + 1.0
        self._before = u
        return self._size / self._frames, self._speed / self._steps


def arm_powers(source: Skeleton, target: Skeleton, inputs: Sequence[int], outputs: Sequence[int]) -> tuple[float, ...]:
    """How strongly each output joint follows the tempo, where a person's legs drive arms of the same body; none elsewhere."""
    if not source.same_joints(target) or roles.body_plan(source) == "quadruped":
        return ()
    known = {joint: role.partition("_")[2] for role, joint in roles.known(source).items()}
    if {known.get(joint) for joint in inputs} <= set(LEG) and {known.get(joint) for joint in outputs} <= set(ARM):
        return tuple(_POWERS[known[joint]] for joint in outputs)
    return ()
