"""Key poses: growth of greedy and optimum, and greedy beside optimum and even keys."""

from __future__ import annotations

import tracemalloc
from functools import cache
from itertools import pairwise
from math import log

import numpy as np

import komadori
from bench.tables import Table, seconds, spoken, worked
from komadori import Motion, quat
from komadori.characters import SAMPLES, sample
from komadori.methods.keyposes import KeyposesResult
from komadori.motion import joined

SALIENT_POSES = {500: "3.4 s (532 frames)", 1_000: "18.8 s (1,064 frames)"}
"""Salient Poses' own program on the same problem, measured on this kind of machine before."""
LIMITS = {500: 0.3, 1_000: 0.5, 10_000: 10.0}
"""Seconds with NumPy alone."""
ALL_COUNTS = 2_000
"""Frames up to which the errors of all counts are measured."""


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
    rows, chosen, failed = [], {}, []
    sizes = (250, 500, 1_000, 2_000, 10_000)
    for frames in sizes:
        motion = varied(frames)
        repeats = 5 if frames <= 1_000 else 1

        def work(motion: Motion = motion) -> KeyposesResult:
            return komadori.keyposes(motion, solver="optimal")

        count = len(work())
        chosen[frames] = worked(work, repeats)
        given = worked(lambda m=motion, n=count: komadori.keyposes(m, solver="optimal", count=n), repeats)  # type: ignore[misc]
        whole = worked(lambda: work().errors, repeats) if frames <= ALL_COUNTS else None
        shown = "not measured" if whole is None else spoken(whole)
        rows.append(
            (f"{frames:,}", str(count), spoken(chosen[frames]), spoken(given), shown, SALIENT_POSES.get(frames, ""))
        )
        limit = LIMITS.get(frames)
        if limit is not None and chosen[frames] >= limit:
            failed.append(f"{frames:,} frames take {spoken(chosen[frames])}, under {limit:g} s wanted")
    for small, large in pairwise(sizes):
        power = log(chosen[large] / chosen[small]) / log(large / small)
        grown = f"x {chosen[large] / chosen[small]:.1f} (frames ^ {power:.1f})"
        rows.append((f"{small:,} to {large:,}", "", grown, "", "", ""))
    about = (
        "Processor time from the motion to its keys, NumPy alone, exact in all rows: with the count chosen at the bend of the "
        "error curve, with that count given, and with the errors of all counts. The search looks only at segments whose "
        "error is below a bound."
    )
    columns = (
        "frames",
        "keys",
        "count chosen",
        "count given",
        "all counts",
        "Salient Poses (another run, elapsed time)",
    )
    return Table("Optimum", columns, tuple(rows), about, tuple(failed))


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
