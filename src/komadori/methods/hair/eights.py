"""Eights: a strand's tip draws an 8 where the strand is straight; where it is curved, its wave is trimmed so that it still does.

Bones of a curved strand swing across different directions at different times, which makes the tip's path round: by the swing
itself, while the 8 comes of its square. The trim is the smallest change of the bones' sizes and moments, each in proportion
to its own, that takes the roundness away. It never turns the order in which the wave reaches the bones, and takes no more than
a part of a swing: a strand that is too bent for that keeps its wave, and its tip goes round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from komadori.methods.hair.planes import cross, dot, plane_ups, unit
from komadori.methods.hair.strands import Strands
from komadori.quat import Array

SAMPLES = 24
TRIALS = 16
STRAIGHT = 1e-7
FEWEST = 3
"""Bones that a tip needs to draw an 8."""
LESS, MORE = -0.5, 0.25
"""Logarithms of how much smaller or larger the trim may make a bone's swing."""
LATER = 0.75
"""The share of a step from one bone to the next that the trim may take away."""


@dataclass(frozen=True, eq=False)
class Bends:
    """Strands as the wave finds them, seen in their planes: `along`, `across` and `beside` (2, B) are each bone's axes.

    `curved` (C,) are those that an 8 needs a trim for; `aside` (3, B) are slopes across the planes, if there are any;
    `sag` (C,) is the share of the sag that acts.
    """

    strands: Strands
    curved: NDArray[np.bool_]
    along: Array
    across: Array
    beside: Array
    aside: Array | None
    sag: Array

    def trimmed(self, slopes: Array) -> Array:
        """`slopes` (3, B) of all bones, so that tips draw an 8."""
        if not self.curved.any():
            return slopes
        of, firsts, lengths = self.strands.of, self.strands.firsts, self.strands.lengths
        wave, mean = slopes[0] + 1j * slopes[1], slopes[2] * self.sag[of]
        size, moment = np.zeros(len(of)), np.zeros(len(of))
        for _ in range(TRIALS):
            own = wave * np.exp(size + 1j * moment)
            way = self._way(np.stack([own.real, own.imag, mean]))
            round_, phase, side = _roundness(way)
            reach = lengths * (side[:, of] * self.across).sum(axis=0) / (1.0 + mean**2) ** 1.5
            # What the roundness gains by a larger swing, and by an earlier one.
            larger = np.conj(own) * np.exp(-1j * phase[of]) * reach
            room = np.add.reduceat(np.abs(larger) ** 2, firsts)
            need = np.where(self.curved & (room > 1e-15), -round_ / np.maximum(room, 1e-15), 0.0)[of]
            size = np.clip(size + need * larger.imag, LESS, MORE)
            moment = self._in_order(wave, moment - need * larger.real)
        # The phase of the whole strand is set elsewhere: tips stay as far out of phase as they were.
        moment = moment - moment[firsts + self.strands.counts - 1][of]
        own = np.where(self.curved[of], wave * np.exp(size + 1j * moment), wave)
        return np.stack([own.real, own.imag, slopes[2]])

    def roundness(self, slopes: Array) -> Array:
        """(C,) how round the bend makes a tip's path under `slopes` (3, B), as a share of the 8 that it drew if straight."""
        own = slopes * np.stack(
            [np.ones(len(self.strands.of)), np.ones(len(self.strands.of)), self.sag[self.strands.of]]
        )
        straight = np.zeros_like(self.along)
        straight[0] = 1.0
        none = np.zeros_like(straight)
        eight = replace(self, along=straight, across=straight[::-1], beside=none)._way(own)[:, 0]
        return np.asarray(np.abs(_roundness(self._way(own))[0]) / np.maximum(0.5 * np.ptp(eight, axis=0), 1e-12))

    def _in_order(self, wave: Array, moment: Array) -> Array:
        """`moment` (B,), less where a bone would come too near the one before it, or too far behind it."""
        of, next_ = self.strands.of, self._next
        steps = np.abs(np.angle(wave[1:] * np.conj(wave[:-1])))
        change = np.diff(moment)
        limit = LATER * np.where(change < 0.0, steps, np.pi - steps)
        over = np.where(next_, np.abs(change) / np.maximum(limit, 1e-9), 0.0)
        worst = np.ones(len(self.strands))
        np.maximum.at(worst, of[1:], over)
        return np.asarray(moment / worst[of])

    @cached_property
    def _next(self) -> NDArray[np.bool_]:
        """(B - 1,) whether a bone and the one after it are of one strand."""
        return np.asarray(self.strands.of[1:] == self.strands.of[:-1])

    def _way(self, slopes: Array) -> Array:
        """(n, 2, C) the tips' paths over a cycle, in the strands' planes."""
        turn = 2.0 * np.pi * np.arange(SAMPLES)[:, None] / SAMPLES
        slope = np.cos(turn) * slopes[0] + np.sin(turn) * slopes[1] + slopes[2]
        size = 1.0 + slope * slope
        bones = self.along + slope[:, None] * self.across
        if self.aside is not None:
            aside = np.cos(turn) * self.aside[0] + np.sin(turn) * self.aside[1] + self.aside[2]
            size = size + aside * aside
            bones = bones + aside[:, None] * self.beside
        bones = bones * (self.strands.lengths / np.sqrt(size))[:, None]
        return np.add.reduceat(bones, self.strands.firsts, axis=2)


def bends_of(
    strands: Strands, aside: Array | None, lines: Array, ups: Array, world_up: Array, outward: Array, sag: Array
) -> Bends:
    """The bends of strands along `lines` (3, B) that swing across `ups` (3, B).

    `world_up` and `outward` (3, C) are in the holders' frames; `aside` and `sag` as in `Bends`.
    """
    of = strands.of
    chord = unit(np.add.reduceat(lines * strands.lengths, strands.firsts, axis=1))
    bent = np.maximum.reduceat(1.0 - dot(lines, chord[:, of]), strands.firsts)
    up, _ = plane_ups(chord, world_up, outward)
    axes = [np.stack([dot(chord[:, of], way), dot(up[:, of], way)]) for way in (lines, ups, cross(lines, ups))]
    return Bends(strands, (bent > STRAIGHT) & (strands.counts >= FEWEST), axes[0], axes[1], axes[2], aside, sag)


def _roundness(way: Array) -> tuple[Array, Array, Array]:
    """How round a way is (C,), the phase of its longest swing, and the direction (2, C) across that.

    The roundness is half the width of the ellipse, as long as the swing, that has the way's area: the two sides of an even 8 go
    round in opposite ways, and leave none.
    """
    turn = np.exp(-2j * np.pi * np.arange(SAMPLES) / SAMPLES)
    swing = np.einsum("n,nic->ic", turn, way) * (2.0 / SAMPLES)
    phase = 0.5 * np.angle(swing[0] ** 2 + swing[1] ** 2)
    level = swing * np.exp(-1j * phase)
    phase = np.where(level[1].real < 0.0, phase + np.pi, phase)
    level = swing * np.exp(-1j * phase)
    long = np.maximum(np.hypot(*level.real), 1e-300)
    side = np.stack([-level[1].real, level[0].real]) / long
    x, y = way[:, 0], way[:, 1]
    area = 0.5 * (x * np.roll(y, -1, axis=0) - y * np.roll(x, -1, axis=0)).sum(axis=0)
    return np.asarray(-area / (np.pi * long)), phase, side
