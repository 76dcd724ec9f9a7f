"""Cuts: where a clip continues elsewhere from one frame to the next, as edited captures do; nothing moved in between."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.quat import Array

Mask = NDArray[np.bool_]

LEAP_M_S, TURN_DEG_S = 20.0, 1500.0
"""Nobody moves or turns as quickly as this for a frame or two alone."""
STANDS_OUT = 4.0
"""A cut is so many times as quick as what is usual about it: who flies or spins for long does move so."""
ABOUT = 6
"""Frames before and after that tell what is usual."""


def cuts_of(places: Array, turns: Array, fps: float) -> Mask:
    """(F - 1,) whether the clip is cut between a frame and the next, by the positions (F, n, 3) and rotations (F, n, 4) of what it shows."""
    if len(places) < 2:
        return np.zeros(max(len(places) - 1, 0), dtype=np.bool_)
    went = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1) * fps
    turned = np.degrees(quat.angle(quat.multiply(turns[1:], quat.inverse(turns[:-1])))).max(axis=1) * fps
    return _stands_out(went, LEAP_M_S) | _stands_out(turned, TURN_DEG_S)


def _stands_out(speeds: Array, least: float) -> Mask:
    fast = np.flatnonzero(speeds > least)
    result = np.zeros(len(speeds), dtype=np.bool_)
    for at in fast.tolist():
        usual = float(np.median(speeds[max(at - ABOUT, 0) : at + ABOUT + 1]))
        result[at] = speeds[at] > STANDS_OUT * usual
    return result


def shots(cuts: Mask) -> list[slice]:
    """The frames between cuts, in order.

    >>> shots(np.array([False, True, False, False]))
    [slice(0, 2, None), slice(2, 5, None)]
    """
    edges = [0, *(np.flatnonzero(cuts) + 1).tolist(), len(cuts) + 1]
    return [slice(start, stop) for start, stop in pairwise(edges)]
