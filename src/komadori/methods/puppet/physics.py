"""Handles that physics moves: a spring that follows, and a ball that bounces. Exact at any frame rate and stiffness."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from komadori.errors import OptionError
from komadori.methods.puppet.keys import path_of, place
from komadori.methods.puppet.take import Take, frame_times
from komadori.quat import Array
from komadori.words import Note

GRAVITY = 9.81


def spring(
    leader: ArrayLike | Take,
    fps: float = 24.0,
    *,
    frequency: float = 2.0,
    damping: float = 0.3,
    start: ArrayLike | None = None,
) -> Take:
    """The path of a weight on a spring that is fixed to `leader` (F, 3): it lags, overshoots and comes to rest.

    `frequency` in swings per second; `damping` 0 never comes to rest, 1 comes to rest without a swing. Between frames the leader
    goes straight, and the equation is solved exactly, so that no stiffness is too much.
    """
    if not 0.0 < frequency < 1e4:
        raise OptionError("frequency", expected=Note("a frequency above 0 and below 10,000 Hz"), found=frequency)
    if not 0.0 <= damping <= 100.0:
        raise OptionError(
            "damping", expected=Note("a number between {low:g} and {high:g}", low=0.0, high=100.0), found=damping
        )
    path = leader.sampled(fps) if isinstance(leader, Take) else path_of(leader, "leader")
    if not len(path):
        raise OptionError("leader", expected=Note("at least one place to follow"), found=Note("none"))
    dt = 1.0 / fps
    pace_unit = 2.0 * math.pi * frequency
    # Speeds in units of the spring's own: then both numbers of the state are of one size.
    step = _exponential(np.array([[0.0, 1.0], [-1.0, -2.0 * damping]]) * pace_unit, dt)
    result = np.empty_like(path)
    result[0] = path[0] if start is None else place(start, "start")
    speed = np.zeros(3)
    for frame in range(1, len(path)):
        # Seen from the leader, plus the lag behind one that moves evenly, the weight swings freely.
        pace = (path[frame] - path[frame - 1]) / dt
        lag = pace * (-2.0 * damping / pace_unit)
        away, speed_away = step @ np.stack([result[frame - 1] - path[frame - 1] - lag, (speed - pace) / pace_unit])
        result[frame] = path[frame] + lag + away
        speed = speed_away * pace_unit + pace
    return Take.recorded(result, fps)


def bouncing(
    start: ArrayLike,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    *,
    seconds: float = 4.0,
    fps: float = 24.0,
    ground: float = 0.0,
    bounce: float = 0.8,
    gravity: float = GRAVITY,
) -> Take:
    """A ball that is thrown and bounces: every bounce keeps `bounce` of its upward speed; then it rolls on.

    Its height is computed from the bounces' own times, so it never sinks into the ground, whatever the frame rate.
    """
    if not 0.0 <= bounce <= 1.0:
        raise OptionError(
            "bounce", expected=Note("a number between {low:g} and {high:g}", low=0.0, high=1.0), found=bounce
        )
    if not 0.0 < gravity < 1e6:
        raise OptionError("gravity", expected=Note("a number above 0, in m/s^2"), found=gravity)
    at, pace = place(start, "start"), place(velocity, "velocity")
    if at[1] < ground:
        raise OptionError(
            "start",
            expected=Note("a place above the ground"),
            found=Note("a place {depth:g} m below it", depth=float(ground - at[1])),
        )
    times = frame_times(seconds, fps)
    path = at + times[:, None] * pace
    path[:, 1] = _heights(times, float(at[1] - ground), float(pace[1]), bounce, gravity) + ground
    return Take(path, times)


def _heights(times: Array, height: float, speed: float, bounce: float, gravity: float) -> Array:
    result = np.zeros_like(times)
    begin = 0.0
    while begin <= times[-1]:
        landing = begin + (speed + math.sqrt(speed * speed + 2.0 * gravity * height)) / gravity
        flying = (times >= begin) & (times < landing)
        t = times[flying] - begin
        result[flying] = np.maximum(height + speed * t - 0.5 * gravity * t * t, 0.0)
        speed = bounce * math.sqrt(speed * speed + 2.0 * gravity * height)
        # Endless tiny bounces end after a finite time; what is left of them is rolling.
        if 2.0 * speed / gravity < 1e-3 or landing <= begin:
            break
        begin, height = landing, 0.0
    return result


def _exponential(matrix: Array, dt: float) -> Array:
    """e^(matrix dt) of a 2 x 2 matrix, by halving until a short series serves and squaring back."""
    halvings = max(0, math.ceil(math.log2(max(float(np.abs(matrix * dt).sum()), 1e-12))) + 3)
    small = matrix * (dt / 2**halvings)
    result = term = np.eye(2)
    for order in range(1, 14):
        term = term @ small / order
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result
