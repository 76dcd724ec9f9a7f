"""Key poses: growth of greedy and optimum, with and without the fast extra, and greedy beside optimum and even keys."""

from __future__ import annotations

import importlib.util
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from math import log

import numpy as np

import komadori
from bench.tables import Table, seconds, spoken
from komadori import Motion, fast, quat
from komadori.characters import SAMPLES, sample
from komadori.motion import joined
from komadori.numerics import polyline_optimal

SALIENT_POSES = {500: "3.4 s (532 frames)", 1_000: "18.8 s (1,064 frames)"}
"""Salient Poses' own program on the same problem, measured on this kind of machine before."""
LIMITS = {500: 0.3, 1_000: 0.5, 10_000: 10.0}
"""Seconds with NumPy alone."""


def tables() -> list[Table]:
    return [_greedy(), _optimal(), _ratios()]


@cache
def varied(frames: int) -> Motion:
    """The built-in samples over and over, every joint swaying slowly on top, so that no two rounds are equal."""
    samples = joined([sample(name) for name in SAMPLES])
    motion = samples.taken(np.arange(frames) % len(samples))
    random = np.random.default_rng(0)
    shape = (1, len(motion.skeleton), 3)
    pace, phase = random.uniform(0.003, 0.05, shape), random.uniform(0.0, 6.0, shape)
    sway = 0.15 * np.sin(np.arange(frames)[:, None, None] * pace + phase)
    return motion.replaced(rotations=quat.multiply(motion.rotations, quat.exp(sway)))


@contextmanager
def _fast_loops() -> Iterator[None]:
    was = fast.enabled()
    fast.enable()
    try:
        yield
    finally:
        fast.enable(was)


def _greedy() -> Table:
    rows, times, failed = [], {}, []
    sizes = (1_000, 10_000, 100_000)
    for frames in sizes:
        motion = varied(frames)
        times[frames] = seconds(lambda m=motion: komadori.keyposes(m), repeats=5)  # type: ignore[misc]
        tracemalloc.start()
        result = komadori.keyposes(motion)
        peak = tracemalloc.get_traced_memory()[1] / (motion.rotations.nbytes + motion.positions.nbytes)
        tracemalloc.stop()
        each = f"{1e6 * times[frames] / frames:.2f} µs"
        rows.append((f"{frames:,}", f"{int(result.counts[-1]):,}", spoken(times[frames]), each, f"{peak:.2f}"))
    for small, large in pairwise(sizes):
        rows.append((f"{small:,} to {large:,}", "", f"x {times[large] / times[small]:.1f}", "", ""))
    if times[100_000] >= 1.0:
        failed.append(f"100,000 frames take {spoken(times[100_000])}, under 1 s wanted")
    about = "Features (with forward kinematics), curve, and the greedy keys for every count from 2 on; no frame x frame matrix."
    columns = ("frames", "counts", "time", "a frame", "peak memory, times the motion's arrays")
    return Table("Greedy, all counts", columns, tuple(rows), about, tuple(failed))


def _optimal() -> Table:
    rows, times, failed = [], {}, []
    compiled = importlib.util.find_spec("numba") is not None
    sizes = (250, 500, 1_000, 2_000, 10_000)
    for frames in sizes:
        motion = varied(frames)
        repeats = 5 if frames <= 1_000 else 1

        def work(motion: Motion = motion) -> object:
            return komadori.keyposes(motion, solver="optimal")

        plain = seconds(work, repeats)
        shown = "numba is not installed"
        if compiled:
            with _fast_loops():
                work()
                shown = spoken(seconds(work, repeats))
        times[frames] = plain
        rows.append((f"{frames:,}", spoken(plain), shown, SALIENT_POSES.get(frames, "")))
        limit = LIMITS.get(frames)
        if limit is not None and plain >= limit:
            failed.append(f"{frames:,} frames take {spoken(plain)}, under {limit:g} s wanted")
        if frames > polyline_optimal.ALL_AT_ONCE:
            failed.append(f"{frames:,} frames are solved window by window, not exactly")
    for small, large in pairwise(sizes):
        power = log(times[large] / times[small]) / log(large / small)
        rows.append((f"{small:,} to {large:,}", f"x {times[large] / times[small]:.1f} (frames ^ {power:.1f})", "", ""))
    about = (
        "The exact optimum for every count, and the keys of the chosen one; from curve to result. Up to 5,000 frames one "
        "table holds the clip (time grows with the cube of the frames); beyond, windows of at most 1,000 frames (time "
        "grows with the frames, and one window's table, 8 MB, is in memory at a time)."
    )
    columns = ("frames", "NumPy", "with the fast extra", "Salient Poses (another run, same kind of machine)")
    return Table("Optimum, all counts", columns, tuple(rows), about, tuple(failed))


def _ratios() -> Table:
    rows = []
    for name in SAMPLES:
        result = komadori.keyposes(sample(name))
        for count in (8, 15, 30):
            at = result.at(count)
            values = (at.error, at.least_error, at.even_error)
            ratios = (f"{at.error / at.least_error:.2f}", f"{at.even_error / at.least_error:.2f}")
            rows.append((name, str(count), *(f"{1000 * value:.0f} mm" for value in values), *ratios))
    about = "The largest distance of a frame from the polyline through the keys, on the motion curve."
    columns = ("sample", "keys", "greedy", "optimum", "evenly spread", "greedy / optimum", "even / optimum")
    return Table("Greedy beside the optimum and evenly spread keys", columns, tuple(rows), about)
