"""A floor that drifts or is tilted: found from where feet come to rest, and taken out of the body's height."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from komadori.feet.contacts import limbs_of
from komadori.motion import Motion
from komadori.quat import Array

SLOW = 0.6
"""Leg lengths per second below which a foot may stand."""
WINDOW_S = 0.35
"""Half the time of a step: within most of such stretches some foot stands."""
LEAST_M, RESTS = 0.02, 30
"""A smaller drift is left: floors and shoes are not flatter. This accuracy needs this many contacts; fewer give less."""
MOST = 0.25
"""Leg lengths: a larger rise is a climb."""
STEEPEST = 0.1
"""Metres per metre, or metres per second: beyond that nobody's floor leans or drifts."""
DEGREES = (1, 2, 3, 4)
SPREAD = 0.35
"""A drift must explain where feet rest: what is left may be no more than this share of it, and a centimetre."""
GAIN = 0.7
"""A higher degree must leave less than this share of what the lower one leaves."""
FEWEST = 5
"""Places of rest for each degree of freedom, without which nothing can be determined."""


def rise(motion: Motion) -> Array:
    """(F,) by how much the floor lies too high in each frame, in metres; zeros where it lies still."""
    frames = len(motion)
    none = np.zeros(frames)
    limbs = limbs_of(motion)
    if not limbs or frames < 8:
        return none
    world = motion.world_positions()
    joints = [point for limb in limbs for point in limb.points]
    leg = float(np.median(sum(np.linalg.norm(world[:, b] - world[:, a], axis=1) for a, b in ((limbs[0].upper, limbs[0].lower), (limbs[0].lower, limbs[0].end)))))  # fmt: skip
    rests = _rests(world[:, joints], motion.fps, leg)
    if len(rests) < FEWEST:
        return none
    at, column = rests[:, 0], rests[:, 1]
    heights = world[at, np.array(joints)[column], 1]
    time = 2.0 * at / max(frames - 1, 1) - 1.0
    places = world[at, np.array(joints)[column]][:, ::2]
    flat = world[:, 0, ::2] - places.mean(axis=0)
    fits = [_fitted(legendre.legvander(time, degree), heights, legendre.legvander(np.linspace(-1.0, 1.0, frames), degree)) for degree in DEGREES if len(at) >= FEWEST * degree]  # fmt: skip
    if np.linalg.norm(np.ptp(places, axis=0)) > leg and len(at) >= 2 * FEWEST:
        plane = np.c_[np.ones(len(at)), places - places.mean(axis=0)]
        fits.insert(0, _fitted(plane, heights, np.c_[np.ones(frames), flat]))
    best = min(fits, key=lambda fit: fit[1])
    chosen = next((fit for fit in fits if fit[1] <= best[1] / GAIN), best)
    curve, left = chosen
    drift = float(np.ptp(curve))
    per_second = float(np.abs(np.diff(curve)).max(initial=0.0)) * motion.fps
    travel = float(np.linalg.norm(np.diff(world[:, 0, ::2], axis=0), axis=1).max(initial=0.0)) * motion.fps
    least = LEAST_M * float(np.sqrt(max(1.0, RESTS / len(at))))
    believable = least < drift < MOST * leg and left < min(SPREAD * drift, 0.01 + 0.1 * drift)
    if not believable or per_second > STEEPEST * max(1.0, travel):
        return none
    return np.asarray(curve - curve[0])


def _rests(places: Array, fps: float, leg: float) -> NDArray[np.intp]:
    """(n, 2) frame and column of the lowest slow point in every stretch of time of about a step."""
    step = max(1, round(0.025 * fps))
    at = np.arange(len(places))
    after, before = np.minimum(at + step, len(at) - 1), np.maximum(at - step, 0)
    speed = np.linalg.norm(places[after] - places[before], axis=-1) * (fps / np.maximum(after - before, 1))[:, None]
    found = []
    width = max(2, round(WINDOW_S * fps))
    for start in range(0, len(places), width):
        part = slice(start, start + width)
        heights = np.where(speed[part] < SLOW * leg, places[part, :, 1], np.inf)
        if np.isfinite(heights).any():
            frame, column = np.unravel_index(int(np.argmin(heights)), heights.shape)
            found.append((start + int(frame), int(column)))
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _fitted(rows: NDArray[Any], heights: Array, everywhere: NDArray[Any]) -> tuple[Array, float]:
    """The curve over all frames that fits the heights, outliers weighing little, and how much it leaves."""
    weight = np.ones(len(heights))
    for _ in range(12):
        solved = np.linalg.lstsq(rows * weight[:, None], heights * weight, rcond=None)[0]
        left = np.abs(heights - rows @ solved)
        scale = max(1.4826 * float(np.median(left)), 1e-4)
        weight = 1.0 / np.sqrt(1.0 + (left / (2.0 * scale)) ** 2)
    return np.asarray(everywhere @ solved), float(np.sqrt(np.average(left**2, weights=weight**2)))
