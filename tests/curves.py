"""Curves of points and clocks that tests of polylines share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from komadori.quat import Array

seeds = st.integers(0, 2**32 - 1)


def curve(frames: int, seed: int, dims: int = 3, coarse: bool = False) -> Array:
    """A random walk with a still stretch in it; a coarse one is full of equal points and equal distances."""
    random = np.random.default_rng(seed)
    points = np.cumsum(random.normal(size=(frames, dims)), axis=0)
    points[frames // 3 : frames // 2] = points[frames // 3]
    return np.round(points) if coarse else points


def clock(frames: int, pace: float) -> Array | None:
    """Time that runs at `pace` a frame, and stands still now and then."""
    return np.cumsum(pace * (np.arange(frames) % 5 > 0)) if pace else None
