"""The flow: every strand's bones at any moment, from the wave, the wind, gravity and the head's recorded motion.

Everything is computed in the frame of the joint that a strand hangs from. There its rest pose stands still, and only what
belongs to the world (up, the wind, the lag behind the head's path) has to be turned, once a frame for all its strands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.methods.hair.eights import Bends, bends_of
from komadori.methods.hair.heading import turned_wind
from komadori.methods.hair.heads import BANK, Heads
from komadori.methods.hair.obstacles import Obstacles
from komadori.methods.hair.planes import carried, cross, dot, plane_ups, unit
from komadori.methods.hair.strands import Index, Strands
from komadori.quat import Array

GAIN = 5.0
"""How much air moves hair: at so much a strand of 90 cm streams at 60 degrees behind a head that runs at 3 m/s."""
SWING = 6.0
"""A bone at one metre from the root swings at so many radians per second; shorter is faster, as pendulums are."""
SIZE_M = 0.8
"""Strands of this length are pushed by air in proportion to it; shorter ones are stiffer than that."""
STIFF = 0.7
"""The root follows air less than the tip: by this power of the way along the strand."""
HELD = 0.4
"""The root yields to weight less than the tip does: by this power of the way along the strand."""
INWARD = 0.75
"""The part of a push towards the body that is not taken: hair lies on the head and does not go into it."""
TOUCHING = 0.3
"""A strand with less room to the skin than this share of a bone lies on it."""
CLING = 0.6
"""Strands that lie on the skin give way by so much less along it where the air presses them on."""
BEFORE_FACE = 0.7
"""The part of a push forwards that strands before the face do not take: animators keep the face uncovered."""
SAG_FROM = 0.5
"""Sine of the angle from straight down below which a strand that hangs already sags less and less."""
AIR = 1.2
"""Metres per second of air at which a wave has two thirds of its size."""
LIFTS = 6
LIFTED = 12
"""Moments of a cycle that are looked at to find the room that a wave needs."""
MARGIN = 1.25
"""How much larger a wave may be than it is drawn where it is trimmed."""
FALLING = np.array([1.0, 0.6, 1.0])
"""Hair follows a head up and down by less than sideways: in a handstand its weight wins over the way down."""
ARCH = 0.7
"""Where its weight pulls a strand back on itself, it goes round by the outside: below this length of what is left."""
BLOCK = 40_000
"""Bones that are computed at once: what they need stays in the processor's cache."""

UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Wave:
    """The wave of every chain, (C,) each: the paper's parameters, and how far each chain is ahead, in radians."""

    k: Array
    s: Array
    p: Array
    a: Array
    phase: Array


@dataclass(frozen=True, eq=False)
class Air:
    """The wind (3,) in the world, metres per second; `gust` of it comes and goes, once in `periods` of the wave.

    Where it `turns`, it is the wind past the rest pose, and goes round with a body that turns: it always comes from the front.
    """

    wind: Array
    gust: float
    periods: int
    turns: bool = False

    def strength(self, cycles: Array) -> Array:
        """(n,) the wind's share at `cycles` (n,) of the wave."""
        turn = (2.0 * np.pi / self.periods) * np.mod(cycles, self.periods)
        return np.asarray(1.0 + self.gust * (0.65 * np.sin(turn) + 0.35 * np.sin(2.0 * turn + 1.3)))


_OF_THE_STRANDS = (
    "_slopes", "roundness", "_drawn", "_bends", "_sideways", "_rest_lines", "_steady_lines", "_steady_push", "_rest_ups", "_lift",
)  # fmt: skip
"""What depends on the strands, their wave and the wind alone, and neither on gusts nor on how the head moves."""


@dataclass(frozen=True, eq=False)
class Flow:
    """All strands, ready to be asked for any moment: `at(seconds)`."""

    strands: Strands
    wave: Wave
    period_s: float
    air: Air
    heads: Heads | None = None
    follow: float = 1.0
    damping: float = 0.35
    hang: float = 1.0
    still: float = 1.0
    gather: float = 0.0
    obstacles: Obstacles | None = None
    exact: bool = False
    """Whether every bone's tilt off its line is the paper's, whatever its tip then draws."""

    def at(self, seconds: ArrayLike, cycles: ArrayLike | None = None) -> Array:
        """(n, B, 4) the local turn of every bone's joint at `seconds` (n,); `cycles` of the wave, if known exactly."""
        moments, turns = self._moments(seconds, cycles)
        bones = len(self.strands.of)
        result = np.empty((len(moments), bones, 4))
        step = max(1, BLOCK // bones)
        for start in range(0, len(moments), step):
            part = slice(start, start + step)
            self._local(self._swung(*self._aims(moments[part], turns[part])), result[part])
        return result

    def directions(self, seconds: ArrayLike, cycles: ArrayLike | None = None) -> Array:
        """(n, B, 3) where every bone points, in its holder's frame."""
        aims, lengths = self._aims(*self._moments(seconds, cycles))
        return np.asarray(np.moveaxis(aims / lengths, 0, -1))

    def at_rest(self, air: Air) -> Flow:
        """The same strands on a head that stands still, in `air`, whose wind is the same: what both share is computed once."""
        made = Flow(self.strands, self.wave, self.period_s, air, gather=self.gather, damping=self.damping)
        if not self.exact:
            vars(made).update({name: vars(self)[name] for name in _OF_THE_STRANDS if name in vars(self)})
        return made

    def plane(self, chain: int) -> tuple[Array, Array]:
        """The direction in which a chain streams and the up of its plane, (3,) each in its holder's frame, as a head at rest has it."""
        strands, bones = self.strands, self.strands.bones(chain)
        lines, _, _ = self._steady_lines
        chord = unit((lines[:, 0, bones] * strands.lengths[bones]).sum(axis=1))
        up = quat.rotate(quat.inverse(strands.holder_rests[chain]), UP)
        square, _ = plane_ups(chord[:, None], up[:, None], self._outward[chain][:, None])
        return chord, square[:, 0]

    def _moments(self, seconds: ArrayLike, cycles: ArrayLike | None) -> tuple[Array, Array]:
        moments = np.atleast_1d(np.asarray(seconds, dtype=np.float64))
        turns = moments / self.period_s if cycles is None else np.atleast_1d(np.asarray(cycles, dtype=np.float64))
        return moments, turns

    def _aims(self, seconds: Array, cycles: Array) -> tuple[Array, Array]:
        """(3, n, B) vectors along the bones in the holder's frame, and their lengths (n, B)."""
        of = self.strands.of
        push, size, ups = self._pushes(seconds, cycles)
        lines, side_ups, sag = self._rest_lines if push is None else self._lines(push, ups, size)
        angle = (2.0 * np.pi) * np.mod(cycles, 1.0)
        cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
        along, across, weight = self._slopes
        slope = cosine * along
        slope += sine * across
        slope += sag[:, of] * weight
        if size is not None and not self.exact:
            slope *= size[:, of]
        aims = slope * side_ups
        aims += lines
        length = slope * slope
        length += 1.0
        if self._sideways is not None:
            along, across, weight = self._sideways
            side = cosine * along + sine * across + weight
            aims += side * cross(lines, side_ups)
            length += side * side
        np.sqrt(length, out=length)
        if self.strands.guard is None and self.obstacles is None:
            return aims, length
        aims = self._guarded(aims / length)
        if self.obstacles is not None:
            aims = self.obstacles.kept(aims, seconds)
        return aims, np.ones_like(length)

    @cached_property
    def _slopes(self) -> Array:
        """(3, B): the tangent of a bone's tilt is cos t, sin t and 1 (times the sag's share) times these."""
        return self._drawn if self.exact else self._bends.trimmed(self._drawn)

    @cached_property
    def roundness(self) -> Array:
        """(C,) how round each strand's bend alone makes its tip's path, as a share of the 8 that it drew if straight."""
        return self._bends.roundness(self._drawn)

    @cached_property
    def _drawn(self) -> Array:
        """(3, B) `_slopes` as the paper has them, before any trim."""
        strands, wave, of = self.strands, self.wave, self.strands.of
        both = []
        for x in (strands.near, strands.far):
            size = -(wave.a / wave.s)[of] * (x / np.pi) ** wave.p[of]
            angle = x / wave.k[of] + 0.5 * np.pi + wave.phase[of]
            both.append(np.stack([size * np.sin(angle), -size * np.cos(angle), size / wave.s[of]]))
        return np.asarray((both[1] - both[0]) / (strands.far - strands.near))

    @cached_property
    def _bends(self) -> Bends:
        lines, ups, sag = self._steady_lines
        up = quat.rotate(quat.inverse(self.strands.holder_rests), UP).T
        return bends_of(self.strands, self._sideways, lines[:, 0], ups[:, 0], up, self._outward.T, sag[0])

    @cached_property
    def _sideways(self) -> Array | None:
        """(3, B) as `_slopes`, across the strand's plane: neighbours draw together as the lump passes, and part behind it."""
        strands, wave = self.strands, self.wave
        if self.gather == 0.0 or not strands.bundles:
            return None
        result = np.zeros((3, len(strands.of)))
        lines, ups, _ = self._steady_lines
        tips = np.array([strands.ends[strands.bones(c).stop - 1] for c in range(len(strands))])
        # A wave three times as long as the strand's own: along a whole bundle most of it is of one mind.
        for bundle in strands.bundles:
            middle = tips[list(bundle)].mean(axis=0)
            ahead = float(np.mean(wave.phase[list(bundle)])) + np.pi
            for chain in bundle:
                bones = strands.bones(chain)
                side = cross(lines, ups)[:, 0, bones].mean(axis=1)
                need = float(np.clip((middle - tips[chain]) @ side / strands.totals[chain], -0.4, 0.4))
                x = strands.far[bones]
                size = 2.0 * self.gather * need * x / np.pi
                angle = x / (3.0 * wave.k[chain]) + ahead
                result[:, bones] = size * np.stack([0.7 * np.sin(angle), -0.7 * np.cos(angle), np.full(len(x), 0.3)])
        return result

    @cached_property
    def _rest_lines(self) -> tuple[Array, Array, Array]:
        """`_lines` of strands that nothing bends."""
        return self._lines(None, self._rest_ups)

    @cached_property
    def _steady_lines(self) -> tuple[Array, Array, Array]:
        """`_lines` of strands that hang from a head that stands still, in the wind without gusts."""
        push = self._steady_push
        return self._rest_lines if push is None else self._lines(push, self._rest_ups)

    @cached_property
    def _steady_push(self) -> Array | None:
        steady = Flow(self.strands, self.wave, self.period_s, Air(self.air.wind, 0.0, 1), damping=self.damping)
        return steady._pushes(np.zeros(1), np.zeros(1))[0]

    @cached_property
    def _rest_ups(self) -> Array:
        return quat.rotate(quat.inverse(self.strands.holder_rests), UP).T[:, None]

    @cached_property
    def _lift(self) -> Array | None:
        """(3, 1, B) how much strands on the skin point away from it, so that their whole wave has room above it."""
        strands, drawn = self.strands, self._drawn
        if strands.guard is None:
            return None
        turn = 2.0 * np.pi * np.arange(LIFTED)[:, None] / LIFTED
        wave = MARGIN * (np.cos(turn) * drawn[0] + np.sin(turn) * drawn[1])
        lift = np.zeros((3, 1, len(strands.of)))
        for _ in range(LIFTS):
            lines, ups, sag = self._planar(self._bent(self._steady_push, lift, self._rest_ups), self._rest_ups)
            aims = unit(lines + (wave + sag[:, strands.of] * drawn[2]) * ups)
            lift += strands.guard.lift(aims, strands.directions.T, strands.lengths)[:, None]
        return lift

    def _lines(self, push: Array | None, ups: Array, size: Array | None = None) -> tuple[Array, Array, Array]:
        """Where bones point before they wave (3, n, B), their planes' ups, and the share (n, C) of the sag that acts.

        `size` (n, C) is that of their waves, if it is not the whole.
        """
        lift = self._lift
        lines = self._bent(push, lift if lift is None or size is None else lift * size[:, self.strands.of], ups)
        return self._planar(self._guarded(lines), ups)

    def _bent(self, push: Array | None, lift: Array | None, ups: Array) -> Array:
        """(3, n, B) unit: bones at rest, bent by what is given; `ups` (3, n, C) is the world's."""
        lines = self.strands.directions.T[:, None]
        if push is None and lift is None:
            return lines
        for more in (push, lift):
            lines = lines if more is None else lines + more
        size = np.sqrt(dot(lines, lines))
        if size.min() < ARCH:
            away = self._outward.T[:, None]
            away = away - np.maximum(dot(away, ups), 0.0) * ups
            lines = lines + np.maximum(ARCH - size, 0.0) * away[:, :, self.strands.of]
            size = np.sqrt(dot(lines, lines))
        return np.asarray(lines / np.maximum(size, 1e-9))

    def _planar(self, lines: Array, ups: Array) -> tuple[Array, Array, Array]:
        """`lines` (3, n, B) with what `_lines` tells of their planes; `ups` (3, n, C) is the world's."""
        strands, of = self.strands, self.strands.of
        chord = unit(np.add.reduceat(lines * strands.lengths, strands.firsts, axis=2))
        up, steep = plane_ups(chord, ups, self._outward.T[:, None])
        sag = np.ones_like(steep) if self.exact else np.minimum(1.0, steep / SAG_FROM)
        return lines, carried(up[:, :, of], chord[:, :, of], lines), sag

    def _guarded(self, lines: Array) -> Array:
        """`lines` (3, n, B), unit, kept out of the body."""
        strands = self.strands
        return lines if strands.guard is None else strands.guard.kept(lines, strands.directions.T, strands.lengths)

    def _pushes(self, seconds: Array, cycles: Array) -> tuple[Array | None, Array | None, Array]:
        """What bends strands off their rest (3, n, B), the size of their waves (n, C), and the world's up (3, n, C)."""
        strands, heads = self.strands, self.heads
        wind = self.air.wind
        strength = self.air.strength(cycles)[:, None]
        if heads is None:
            ups = self._rest_ups
            if not wind.any():
                return None, None, ups
            local = quat.rotate(quat.inverse(strands.holder_rests), wind).T[:, None]
            push = local[:, :, strands.of] * (self._wind_push * strength)
            return self._kept_out(push), np.broadcast_to(0.5 + 0.5 * strength, (len(cycles), len(strands))), ups
        back = quat.inverse(heads.turned(seconds))
        blowing = turned_wind(wind, heads.headed(seconds)) if self.air.turns else wind
        push = np.empty((3, len(seconds), len(strands.of)))
        size = np.empty((len(seconds), len(strands)))
        ups = np.empty((3, len(seconds), len(strands)))
        for holder, (chains, bones, matrix, tips) in enumerate(self._mixes):
            turn = back[:, holder]
            lag = heads.lags[holder].at(seconds).reshape(len(seconds), -1, 3) * FALLING
            behind = quat.rotate(turn[:, None], lag)
            moved = behind.transpose(2, 0, 1) @ matrix
            air = quat.rotate(turn, blowing).T[:, :, None] * strength
            up = quat.rotate(turn, UP).T[:, :, None]
            rest_up = quat.rotate(quat.inverse(strands.holder_rests[chains[0]]), UP)[:, None, None]
            felt = moved[:, :, tips] * (self._swing[bones][tips] / (2.0 * self.damping)) + air
            moved *= self.follow * self._push[bones]
            moved += air * self._wind_push[bones]
            self._face_kept_clear(moved, bones)
            moved += (rest_up - up) * (self.hang * self._heavy[bones])
            push[:, :, bones] = moved
            size[:, chains] = 1.0 - (1.0 - self.still) * np.exp(-np.sqrt(dot(felt, felt)) / AIR)
            ups[:, :, chains] = up
        return self._kept_out(push), size, ups

    def _face_kept_clear(self, push: Array, bones: Index) -> None:
        """Take from `push` (3, n, b), which is changed, most of what would throw `bones` before the face farther ahead."""
        front, share = self._fronts
        if share[bones].any():
            own = front[:, None, bones]
            push -= (share[bones] * np.maximum(dot(push, own), 0.0)) * own

    @cached_property
    def _fronts(self) -> tuple[Array, Array]:
        """(3, B) which way the face looks, in the holders' frames, and the share (B,) of pushes that way that is not taken."""
        strands = self.strands
        front = quat.rotate(quat.inverse(strands.holder_rests), strands.front).T[:, strands.of]
        return front, BEFORE_FACE * np.sqrt(strands.facing[strands.of])

    def _kept_out(self, push: Array) -> Array:
        """`push` itself, from which most of what goes towards the body is taken; what lies on the skin clings to it."""
        outward, share, cling = self._ways_out
        inward = dot(push, outward)
        np.minimum(inward, 0.0, out=inward)
        if cling is not None:
            pressed = inward / np.maximum(np.sqrt(dot(push, push)), 1e-12)
        push -= (share * inward) * outward
        if cling is not None:
            push *= 1.0 + cling * pressed
        return push

    @cached_property
    def _ways_out(self) -> tuple[Array, Array, Array | None]:
        """(3, 1, B) the way out of the body at each bone, the share (B,) of pushes inwards that is not taken, and who clings."""
        strands = self.strands
        level = self._outward.T[:, None, strands.of]
        if strands.guard is None:
            return level, np.full(len(strands.of), INWARD), None
        near = strands.guard.room < TOUCHING * strands.lengths
        ways = np.where(near, strands.guard.normals[:, None], level)
        return ways, np.where(near, 1.0, INWARD), np.where(near, CLING, 0.0)

    @cached_property
    def _outward(self) -> Array:
        """(C, 3) away from the body, in the holder's frame."""
        return quat.rotate(quat.inverse(self.strands.holder_rests), self.strands.outward)

    @cached_property
    def _loose(self) -> Array:
        """(B,) how freely each bone follows air."""
        return np.asarray(self.strands.loose[self.strands.of] * (self.strands.far / np.pi) ** STIFF)

    @cached_property
    def _heavy(self) -> Array:
        """(B,) how freely each bone hangs: what is below a bone pulls at it, too."""
        return np.asarray(self.strands.loose[self.strands.of] * (self.strands.far / np.pi) ** HELD)

    @cached_property
    def _swing(self) -> Array:
        """(B,) radians per second."""
        arc = self.strands.far / np.pi * self.strands.totals[self.strands.of]
        return np.clip(SWING / np.sqrt(arc), BANK[0], BANK[-1])

    @cached_property
    def _push(self) -> Array:
        """(B,) how far a metre of lag bends a bone."""
        return np.asarray(GAIN * self._loose / np.sqrt(SIZE_M * self.strands.totals[self.strands.of]))

    @cached_property
    def _wind_push(self) -> Array:
        """(B,) how far a metre a second of wind does: as much as running so fast through still air."""
        return np.asarray(self._push * 2.0 * self.damping / self._swing)

    @cached_property
    def _mixes(self) -> list[tuple[Index, Index, Array, Index]]:
        """For each holder: its chains, their bones, the matrix from its lags to the bones' ends, and the last bones."""
        strands, heads = self.strands, self.heads
        assert heads is not None
        found = []
        for holder in range(heads.turns.shape[1]):
            chains = np.flatnonzero(heads.of == holder).astype(np.intp)
            bones = np.concatenate(
                [np.arange(strands.bones(c).start, strands.bones(c).stop) for c in chains.tolist()]
            ).astype(np.intp)
            place = np.interp(np.log(self._swing[bones]), np.log(BANK), np.arange(len(BANK)))
            low = np.minimum(place.astype(np.intp), len(BANK) - 2)
            matrix = np.zeros((len(BANK), 4, len(bones)))
            each = np.arange(len(bones))
            for kernel, share in ((low, 1.0 - (place - low)), (low + 1, place - low)):
                matrix[kernel, 0, each] = share
                for axis in range(3):
                    matrix[kernel, 1 + axis, each] = share * strands.ends[bones, axis]
            last = np.cumsum(strands.counts[chains]) - 1
            found.append((chains, bones, matrix.reshape(-1, len(bones)), last.astype(np.intp)))
        return found

    def _swung(self, aims: Array, lengths: Array) -> Array:
        """(4, n, B) the shortest turn from each bone's rest to its aim."""
        rest = self.strands.directions.T[:, None]
        result = np.empty((4, *aims.shape[1:]))
        result[:3] = cross(rest, aims)
        result[3] = np.maximum(lengths + dot(rest, aims), 1e-9 * lengths)
        result /= np.sqrt(dot(result, result) + result[3] * result[3])
        return result

    def _local(self, swung: Array, out: Array) -> None:
        """Turns in the holder's frame (4, n, B) as turns in the parent's (n, B, 4)."""
        before = np.empty_like(swung)
        before[:, :, 1:] = swung[:, :, :-1]
        before[:3, :, self.strands.firsts] = 0.0
        before[3, :, self.strands.firsts] = 1.0
        ax, ay, az, aw = before
        bx, by, bz, bw = swung
        out[..., 0] = aw * bx - ax * bw - ay * bz + az * by
        out[..., 1] = aw * by + ax * bz - ay * bw - az * bx
        out[..., 2] = aw * bz - ax * by + ay * bx - az * bw
        out[..., 3] = aw * bw + ax * bx + ay * by + az * bz
        if not self._plain:
            out[:] = quat.multiply(quat.multiply(quat.inverse(self.strands.before), out), self.strands.rests)

    @cached_property
    def _plain(self) -> bool:
        """Whether no joint is turned at rest."""
        both = np.concatenate([self.strands.before, self.strands.rests])
        return bool((np.abs(both) == quat.IDENTITY).all())
