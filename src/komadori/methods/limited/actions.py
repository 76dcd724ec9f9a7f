"""Actions: where a compound clip falls into single ones. The paper cut by hand; the calm moments tell as much."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

SMOOTH_S = 0.12
"""Width of the Gaussian over the speed: shorter bumps belong to one action."""
VALLEY = 0.45
"""Two bursts are two actions when the speed between them falls below this share of the weaker one."""
BURST = 0.35
"""A bump weaker than this share of the strongest burst is no action of its own."""
SHORTEST_S = 0.5


def action_starts(steps: Array, fps: float) -> tuple[int, ...]:
    """The frames at which an action begins, the first being 0, from the squared steps (F - 1,) of a clip.

    Speed is the root of the step, smoothed. Bursts are its peaks; the cut between two lies at the calmest frame.
    """
    frames = len(steps) + 1
    if frames < 3:
        return (0,)
    speed = _smoothed(np.sqrt(steps), SMOOTH_S * fps)
    peaks = _peaks(speed)
    strongest = float(speed.max())
    if strongest <= 0.0:
        return (0,)
    peaks = [p for p in peaks if speed[p] >= BURST * strongest]
    kept: list[int] = []
    valleys: list[int] = []
    for peak in peaks:
        if not kept:
            kept.append(peak)
            continue
        valley = kept[-1] + int(np.argmin(speed[kept[-1] : peak + 1]))
        apart = speed[valley] < VALLEY * min(speed[kept[-1]], speed[peak]) and peak - kept[-1] >= SHORTEST_S * fps
        if apart:
            kept.append(peak)
            valleys.append(valley)
        elif speed[peak] > speed[kept[-1]]:
            kept[-1] = peak
    # Step k leads from frame k to k + 1: the calm frame itself is the first of the next action.
    return (0, *(valley + 1 for valley in valleys))


def _smoothed(values: Array, sigma: float) -> Array:
    """Gaussian smoothing in which the ends count as often as they can be seen."""
    reach = max(1, math.ceil(3.0 * sigma))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    total = np.convolve(values, kernel, mode="full")[reach : reach + len(values)]
    seen = np.convolve(np.ones_like(values), kernel, mode="full")[reach : reach + len(values)]
    return np.asarray(total / seen)


def _peaks(values: Array) -> list[int]:
    """Frames that rise above the one before and do not lie below the one after."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    top: NDArray[np.bool_] = (values > padded[:-2]) & (values >= padded[2:])
    return np.flatnonzero(top).tolist()
