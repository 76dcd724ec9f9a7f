"""Cycles: a gait of the animal as tables: the body over the cycle, each leg while it stands and while it swings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.translate import gaits
from komadori.methods.translate.anatomy import Anatomy, Legs
from komadori.methods.translate.animal import Lesson
from komadori.quat import Array

PHASES, PLACES = 32, 17
"""Rows of the tables: of the body's cycle, and of a leg's stance and swing."""
_WIDE = 0.06
"""Width, as a share of the table, over which frames are averaged into a row."""


@dataclass(frozen=True, eq=False)
class LegTables:
    """How legs move: (L, rows, m + 1, 4) local rotations of their joints, and last the hoof's turn in the body's frame.

    `stance` goes from the foremost place of a standing hoof to the hindmost, `swing` from lifting to landing.
    """

    stance: Array
    swing: Array


@dataclass(frozen=True, eq=False)
class Cycle:
    """A gait: `phases` (4,) when feet come down, `duty` (4,) the share of a cycle that they stand, `home` (4, 2) the
    middle of where they stand (left, forward), `half` (4,) how far before and behind it, `lift` (4,) how high they swing;
    `body` (PHASES, J, 4) local rotations over the cycle from the left hind foot's landing, `mean` (J, 4) their mean,
    `below` (J, 4) rotations with hooves at rest; `stride_m` metres per cycle.
    """

    name: str
    phases: Array
    duty: Array
    cycle_s: float
    stride_m: float
    home: Array
    half: Array
    lift: Array
    body: Array
    mean: Array
    legs: LegTables


def cycle_of(taught: Lesson, body: Anatomy, name: str) -> Cycle:
    """The tables of the gait in `taught`, called `name`."""
    still, on = taught.still, taught.on
    turned, places = still.world_transforms()
    falls = taught.footfalls
    ideal = gaits.GAITS.get(name, gaits.GAITS["walk"])
    phases = np.array(falls.phases if falls else ideal)
    cycle = falls.cycle_s if falls else still.duration_s
    soles = places[:, list(body.points)]
    duty = np.clip(on.mean(axis=0), 0.15, 0.85)
    home, half, lift = np.zeros((4, 2)), np.zeros(4), np.zeros(4)
    for foot in range(4):
        stood = on[:, foot] if on[:, foot].sum() > 1 else np.ones(len(on), dtype=bool)
        ahead = soles[stood, foot, 2]
        high, low = np.percentile(ahead, [96, 4])
        home[foot] = np.median(soles[stood, foot, 0]), 0.5 * (high + low)
        half[foot] = 0.5 * (high - low)
        lift[foot] = np.percentile(soles[:, foot, 1], 98) - np.percentile(soles[stood, foot, 1], 25)
    for pair in ((0, 1), (2, 3)):
        # Left and right mirror each other: a habit of one side is removed.
        wide = 0.5 * (home[pair[0], 0] - home[pair[1], 0])
        home[pair[0]], home[pair[1]] = (wide, home[list(pair), 1].mean()), (-wide, home[list(pair), 1].mean())
        for values in (half, lift, duty):
            values[list(pair)] = values[list(pair)].mean()
    phase = _phase(on[:, 0], taught.loop, cycle * still.fps)
    mean = quat.mean(still.rotations)
    rotations = _towards(still.rotations, mean)
    table = _regressed(rotations, phase, np.arange(PHASES) / PHASES, around=True)
    below = np.zeros(len(mean), dtype=bool)
    for path in body.legs.paths:
        below |= body.skeleton.below([int(path[-1])])
        below[int(path[-1])] = False
    steady = np.asarray(on.all(axis=1) if on.all(axis=1).any() else on.any(axis=1))
    if steady.any():
        mean[below] = quat.mean(rotations[steady])[below]
    table[:, below] = mean[below]
    table[:, body.still] = mean[body.still]
    legs = _leg_tables(body.legs, rotations, turned, soles, on, home, half, taught.loop)
    strides = 2.0 * half / duty
    # Drawn animals often slide farther with their hind feet than with their fore feet: midway between the mean and the
    # shortest no leg has to reach far beyond what it was drawn to do.
    stride = float(np.sqrt(strides.mean() * strides.min()))
    return Cycle(name, phases, duty, cycle, stride, home, half, lift, table, mean, legs)


def _leg_tables(
    build: Legs,
    rotations: Array,
    turned: Array,
    soles: Array,
    on: NDArray[np.bool_],
    home: Array,
    half: Array,
    loop: bool,
) -> LegTables:
    parts: list[list[Array]] = [[], []]
    grid = np.linspace(0.0, 1.0, PLACES)
    for foot, path in zip(build.feet, build.paths, strict=True):
        stood = on[:, foot] if on[:, foot].any() else np.ones(len(on), dtype=bool)
        behind = np.clip(0.5 - (soles[:, foot, 2] - home[foot, 1]) / (2.0 * max(half[foot], 1e-6)), 0.0, 1.0)
        swung = _progress(~on[:, foot], loop)
        known = np.isfinite(swung)
        if known.sum() < 3:
            known, swung = np.ones(len(on), dtype=bool), behind
        hoof = _towards(turned[:, path[-1]], quat.mean(turned[:, path[-1]]))
        own = np.where((path >= 0)[:, None], rotations[:, np.maximum(path, 0)], quat.IDENTITY)
        own = np.concatenate([own, hoof[:, None]], axis=1)
        parts[0].append(_regressed(own[stood], behind[stood], grid))
        parts[1].append(_regressed(own[known], swung[known], grid))
    return LegTables(np.array(parts[0]), np.array(parts[1]))


def _towards(q: Array, mean: Array) -> Array:
    """`q` with the signs that are nearer to `mean`, so that it can be averaged."""
    return np.where(np.einsum("...i,...i->...", q, mean)[..., None] < 0.0, -q, q)


def _regressed(q: Array, at: Array, grid: Array, around: bool = False) -> Array:
    """(rows, ..., 4) the mean of rotations (n, ..., 4) that lie at `at` (n,), about every place of `grid`."""
    far = at[None] - grid[:, None]
    if around:
        far = np.mod(far + 0.5, 1.0) - 0.5
    # As narrow as the frames allow, and if there are none the nearest.
    width = np.maximum(_WIDE, np.sort(np.abs(far), axis=1)[:, min(1, far.shape[1] - 1)])[:, None]
    weight = np.exp(-0.5 * (far / width) ** 2)
    weight /= weight.sum(axis=1, keepdims=True)
    return quat.normalized(np.tensordot(weight, q, axes=1))


def _phase(on: NDArray[np.bool_], loop: bool, cycle: float) -> Array:
    """(F,) the phase of every frame, 0 where the foot lands."""
    frames = np.arange(len(on))
    before = np.roll(on, 1)
    if not loop:
        before[0] = True
    downs = np.flatnonzero(on & ~before).astype(np.float64)
    if not len(downs):
        return np.asarray(np.mod(frames / max(cycle, 1.0), 1.0))
    if loop:
        downs = np.concatenate([downs - len(on), downs, downs + len(on)])
    else:
        downs = np.concatenate([[downs[0] - 2 * cycle, downs[0] - cycle], downs, downs[-1] + cycle * np.arange(1, 3)])
    return np.asarray(np.mod(np.interp(frames, downs, np.arange(len(downs))), 1.0))


def _progress(swings: NDArray[np.bool_], loop: bool) -> Array:
    """(F,) how far every swing has come, 0 to 1; nan while the foot stands, and in swings that the clip cuts off."""
    frames = len(swings)
    mask = np.tile(swings, 3) if loop else swings
    result = np.full(len(mask), np.nan)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        if start > 0 and stop < len(mask):
            # The frames before and after still stand: progress is 0 and 1 there.
            result[start:stop] = (np.arange(start, stop) - start + 0.5) / (stop - start)
    return result[frames : 2 * frames] if loop else result


def nearest(cycles: Sequence[Cycle], name: str) -> int:
    """Which of `cycles` is called `name`, or the first."""
    return next((n for n, cycle in enumerate(cycles) if cycle.name == name), 0)
