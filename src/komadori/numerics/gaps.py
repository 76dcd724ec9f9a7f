"""Filling a gap in a curve: the median of several estimates, each of which uses information that the others lack.

A cubic knows the speed on both sides; autoregression (Janssen, Veldhuis and Vries 1986) also how the curve swings; regression knows what
the other curves do meanwhile. An outlier among them does not move the median.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

Mask = NDArray[np.bool_]

STRAIGHT = 0.12
"""The share of the straight way in the cubic: speeds at the edges do not last through the whole gap."""
FAR = 8
"""Frames: beyond a gap so wide a speed may not carry farther than 1.5 times the way across."""
ORDER, ORDER_S = 16, 0.15
"""The order of the autoregression: frames at most, and in seconds."""
AROUND_S = 2.0
"""The time to each side from which autoregression learns."""
LONGEST_S = 0.5
"""Autoregression is useless over a gap longer than this."""
LEARNT_S = 10.0
"""The time to each side from which regression learns."""
STEADY, RIDGE = 1e-6, 1e-2
"""Shares of the mean power that are added, so that a few frames are not overfitted."""


def cubic(start: Array, end: Array, speed_start: Array, speed_end: Array, frames: int) -> Array:
    """(frames - 1, C) Hermite's cubic from `start` to `end` (C,) over so many frames; long gaps forget their speed."""
    t = np.arange(1, frames)[:, None] / frames
    # Beyond a few frames a speed says little of the way: it may not carry farther than the gap is wide.
    most = 1.5 * max(float(np.linalg.norm(end - start)), 1e-12)
    tangents = []
    for speed in (speed_start, speed_end):
        way = speed * frames
        length = float(np.linalg.norm(way))
        tangents.append(way * min(1.0, most / length) if length > most and frames > FAR else way)
    h01 = t * t * (3.0 - 2.0 * t)
    h10, h11 = t * (1.0 - t) ** 2, t * t * (t - 1.0)
    curve = (1.0 - h01) * start + h01 * end + h10 * tangents[0] + h11 * tangents[1]
    return np.asarray((1.0 - STRAIGHT) * curve + STRAIGHT * ((1.0 - t) * start + t * end))


def estimated(values: Array, gone: Mask, start: int, stop: int, fps: float, others: tuple[Array, ...] = ()) -> Array:
    """(stop - start, C) what `values` (F, C) are likely to be in their gap from `start` to `stop`.

    `gone` (F,) are all frames without their own value, which hold a first guess. `others` (F, D) are curves that are
    known throughout the gap; each of them gives an estimate.
    """
    first = _across(values, start, stop)
    made = [_swung(values, gone, start, stop, fps), *(_told(values, other, gone, start, stop, fps) for other in others)]
    # An estimate that deviates from the cubic by more than the distance across and the edge speeds explain has learnt something else.
    edge = np.concatenate([values[max(start - 2, 0) : start], values[stop : stop + 2]])
    speeds = np.linalg.norm(edge[1] - edge[0]) + np.linalg.norm(edge[-1] - edge[-2]) if len(edge) == 4 else 0.0
    most = float(np.linalg.norm(values[stop] - values[start - 1]) + 0.5 * (stop - start + 1) * speeds)
    sound = [one for one in made if one is not None and np.linalg.norm(one - first, axis=1).max() <= most]
    return np.asarray(np.median([first, *sound], axis=0))


def _across(values: Array, start: int, stop: int) -> Array:
    """The cubic with the speed of the last step on both sides, if there is one."""
    before, after = start - 1, stop
    into, out = max(before - 1, 0), min(after + 1, len(values) - 1)
    return cubic(values[before], values[after], values[before] - values[into], values[out] - values[after], stop - start + 1)  # fmt: skip


def _swung(values: Array, gone: Mask, start: int, stop: int, fps: float) -> Array | None:
    """The most likely values: each frame told by those before it, and by those after it, as everywhere around."""
    order = max(4, min(ORDER, round(ORDER_S * fps)))
    reach = round(AROUND_S * fps)
    if stop - start > LONGEST_S * fps:
        return None
    low, high = max(0, start - reach), min(len(values), stop + reach)
    middle = 0.5 * (values[start - 1] + values[stop])
    around = values[low:high] - middle
    if len(around) <= order:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(around, order + 1, axis=0)
    whole = ~np.lib.stride_tricks.sliding_window_view(gone[low:high], order + 1).any(axis=1)
    learnt = np.concatenate([windows[whole], windows[whole][..., ::-1]]).reshape(-1, order + 1)
    if len(learnt) < 8 * order:
        return None
    known, next_one = learnt[:, :order], learnt[:, order]
    power = known.T @ known
    weights = np.linalg.solve(power + max(STEADY * np.trace(power) / order, 1e-30) * np.eye(order), known.T @ next_one)
    surprise = np.append(-weights, 1.0)
    # Every window that touches the gap, forwards and backwards, is an equation for the frames in it.
    touching = [at for at in range(len(windows)) if at <= stop - 1 - low and at + order >= start - low]
    inside = slice(start - low, stop - low)
    rows = np.zeros((2 * len(touching), len(around)))
    for row, at in enumerate(touching):
        rows[2 * row, at : at + order + 1] = surprise
        rows[2 * row + 1, at : at + order + 1] = surprise[::-1]
    rest = around.copy()
    rest[inside] = 0.0
    return np.asarray(np.linalg.lstsq(rows[:, inside], -(rows @ rest), rcond=None)[0] + middle)


def _told(values: Array, other: Array, gone: Mask, start: int, stop: int, fps: float) -> Array | None:
    """Prediction from other curves, by regression over the surrounding frames; a cubic bridges the rest."""
    reach = round(LEARNT_S * fps)
    low, high = max(0, start - reach), min(len(values), stop + reach)
    good = np.flatnonzero(~gone[low:high]) + low
    if not other.shape[1] or len(good) < 24:
        return None
    mean = other[good].mean(axis=0)
    seen = other[good] - mean
    power = seen.T @ seen
    ridge = RIDGE * float(np.trace(power)) / len(power)
    if ridge < 1e-12:
        return None
    weights = np.linalg.solve(power + ridge * np.eye(len(power)), seen.T @ (values[good] - values[good].mean(axis=0)))
    told = (other[low:high] - mean) @ weights
    return np.asarray(told[start - low : stop - low] + _across(values[low:high] - told, start - low, stop - low))
