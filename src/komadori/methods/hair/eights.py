"""Eights: a strand's tip draws an 8 where the strand is straight; where it is curved, its wave is trimmed so that it still does.

Bones of a curved strand swing across different directions at different times, which makes the tip's way round. The trim is
the smallest change of the bones' swings, each by its own size, that takes the roundness away, and less near the root; a straight strand has none.
"""

from __future__ import annotations

import numpy as np

from komadori.methods.hair.planes import dot, plane_ups, unit
from komadori.methods.hair.strands import Strands
from komadori.quat import Array

SAMPLES = 24
TRIALS = 5
STRAIGHT = 1e-7
FEWEST = 3
"""Bones that a tip needs to draw an 8."""


def trimmed(
    strands: Strands,
    slopes: Array,
    aside: Array | None,
    lines: Array,
    ups: Array,
    world_up: Array,
    outward: Array,
    sag: Array,
) -> Array:
    """`slopes` (3, B) of strands along `lines` (3, B) with planes `ups` (3, B), so that tips draw an 8.

    `aside` (3, B) are their slopes across those planes, if they have any; `world_up` and `outward` (3, C) are in the holders' frames, `sag` (C,) is the share of the sag that acts.
    """
    of, lengths = strands.of, strands.lengths
    chord = unit(np.add.reduceat(lines * lengths, strands.firsts, axis=1))
    bends = np.maximum.reduceat(1.0 - dot(lines, chord[:, of]), strands.firsts)
    curved = (bends > STRAIGHT) & (strands.counts >= FEWEST)
    if not curved.any():
        return slopes
    up, _ = plane_ups(chord, world_up, outward)
    along = np.stack([dot(chord[:, of], lines), dot(up[:, of], lines)])
    across = np.stack([dot(chord[:, of], ups), dot(up[:, of], ups)])
    result = slopes.copy()
    own = slopes * np.stack([np.ones(len(of)), np.ones(len(of)), sag[of]])
    for _ in range(TRIALS):
        minor, phase, side = _roundness(_way(strands, own, aside, along, across))
        reach = lengths * (side[:, of] * across).sum(axis=0) / (1.0 + own[2] ** 2) ** 1.5
        swing = np.sqrt(own[0] ** 2 + own[1] ** 2) * strands.far**0.25
        room = np.add.reduceat(reach * reach * swing, strands.firsts)
        need = np.where(curved & (room > 1e-15), -minor / np.maximum(room, 1e-15), 0.0)
        change = 1j * np.exp(1j * phase[of]) * need[of] * reach * swing
        own[0] += change.real
        own[1] -= change.imag
        result[0] += change.real
        result[1] -= change.imag
    return result


def _way(strands: Strands, slopes: Array, aside: Array | None, along: Array, across: Array) -> Array:
    """(n, 2, C) the tips' ways over a cycle, in the strands' planes."""
    turn = 2.0 * np.pi * np.arange(SAMPLES)[:, None] / SAMPLES
    slope = np.cos(turn) * slopes[0] + np.sin(turn) * slopes[1] + slopes[2]
    size = 1.0 + slope * slope
    if aside is not None:
        size = size + (np.cos(turn) * aside[0] + np.sin(turn) * aside[1] + aside[2]) ** 2
    bones = (along + slope[:, None] * across) * (strands.lengths / np.sqrt(size))[:, None]
    return np.add.reduceat(bones, strands.firsts, axis=2)


def _roundness(way: Array) -> tuple[Array, Array, Array]:
    """Of the ellipse that is a way's first harmonic: its half width (C,), signed, its phase, and the direction (2, C) across."""
    turn = np.exp(-2j * np.pi * np.arange(SAMPLES) / SAMPLES)
    swing = np.einsum("n,nic->ic", turn, way) * (2.0 / SAMPLES)
    phase = 0.5 * np.angle(swing[0] ** 2 + swing[1] ** 2)
    level = swing * np.exp(-1j * phase)
    phase = np.where(level[1].real < 0.0, phase + np.pi, phase)
    level = swing * np.exp(-1j * phase)
    main = level.real / np.maximum(np.hypot(*level.real), 1e-300)
    side = np.stack([-main[1], main[0]])
    return np.asarray((level.imag * side).sum(axis=0)), phase, side
