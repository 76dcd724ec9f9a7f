"""Single joints that leap away, are lost or stand still: found by their steps, and bridged with the speed they had on both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.feet.contacts import runs
from komadori.numerics import gaps as gaps_of
from komadori.numerics import smoothing
from komadori.quat import Array

Mask = NDArray[np.bool_]

NEAR_S = 0.1
"""The time to each side over which a joint's usual step is taken."""
SPIKE_S = 0.1
"""A joint that returns within this time has glitched; one that stays has moved."""
LEAST_TURN, LEAST_WAY = np.radians(6.0), 0.03
"""A step below this, in radians or body sizes, is not a leap."""
RATIO = 5.0
"""How many times the usual step counts as a leap."""
BACK = 0.5
"""A joint is back when it lies no farther from where it leapt than this share of the leap."""
FROZEN = 3
"""How many frames a single joint must repeat before it counts as lost: trackers keep showing the last known position."""
LOST_S = 0.3
"""A joint that repeats itself for longer rests, as a foot does that stands flat."""
CAUGHT_UP = 0.3
"""The share of the way missed that a lost joint makes good in one step when it is found."""
MOVING_TURN, MOVING_WAY = np.radians(0.1), 3e-4
"""A joint that rotated or moved less than this per frame (radians, body sizes) may simply be still."""
HELD_SHARE = 0.2
"""Where more frames than this repeat the one before, the clip is drawn and not captured."""
SELDOM, LONG = 0.02, 6
"""A joint that repeats itself in a smaller share of its other frames, during steady movement and for so many frames, is lost."""
STEADY, GENTLE = 0.5, 0.1
"""A movement continues when its last step has this share of its usual one; speeds below this share of the moving ones say nothing."""
TELLING = np.radians(1.0)
"""A joint that never rotates by more than this says nothing about the others."""
LATE = 3
"""Frames of steady movement in one step: a joint that comes out of a rest so was lost for the last of it."""
UNTURNED = 1e-6
"""A smaller rotation counts as none."""
SPEED_FRAMES = 4
"""Steps from which the speed at the edge of a gap is taken; without noise the last one is the best estimate."""


@dataclass(frozen=True)
class Found:
    """(F, J) in which frames each joint leapt away, and in which it was lost."""

    spikes: Mask
    gaps: Mask


def find(rotations: Array, positions: Array, fps: float, size: float) -> Found:
    """Leaps and losses of each joint; `rotations` (F, J, 4) and `positions` (F, J, 3) local, `size` the body's."""
    lost: Mask = np.asarray(~(np.isfinite(rotations).all(axis=-1) & np.isfinite(positions).all(axis=-1)))
    spikes = np.zeros(lost.shape, dtype=bool)
    if len(rotations) < 4:
        return Found(spikes, lost)
    repeated = _repeated(rotations, positions)
    drawn: Mask = np.asarray(repeated.all(axis=1))
    if drawn.mean() > HELD_SHARE:
        return Found(spikes, lost)
    turned, moved = _steps(rotations, positions)
    limits = _at_limits(rotations, repeated)
    rests = (repeated & ~drawn[:, None]).sum(axis=0)
    for joint in range(rotations.shape[1]):
        if lost[:, joint].any():
            continue
        turns = _Path(rotations[:, joint], turned[:, joint], 1.0, LEAST_TURN, MOVING_TURN)
        ways = _Path(positions[:, joint], moved[:, joint] / size, size, LEAST_WAY, MOVING_WAY)
        for path in (turns, ways):
            spikes[:, joint] |= path.spikes(fps)
            lost[:, joint] |= _frozen(
                repeated[:, joint] & ~limits[:, joint], path, round(LOST_S * fps), int(rests[joint])
            )
            lost[:, joint] |= _released_late(repeated[:, joint] & limits[:, joint] & ~drawn, path)
    for start, stop in runs(drawn):
        # The whole body stands still during movement: frames that were dropped and filled with the one before.
        around = turned[[max(0, start - 2), min(stop, len(turned) - 1)]].max(axis=1)
        if start <= SPEED_FRAMES + 1 or stop >= len(drawn) - 1:
            continue
        # A calibration pose is not part of the movement: the body leaps into it.
        calm = turned[start - 2].mean() < RATIO * turned[start - 2 - SPEED_FRAMES : start - 2].mean()
        if calm and (around > MOVING_TURN).all():
            lost[start:stop] = True
    return Found(spikes, np.asarray(lost & ~spikes))


@dataclass(frozen=True, eq=False)
class _Path:
    """The movement of one joint: its `values` (F, 4) or (F, 3), and how far each `step` (F - 1,) goes in radians or body sizes."""

    values: Array
    step: Array
    size: float
    least: float
    still: float

    def apart(self, one: int, other: int) -> float:
        """How far two frames lie apart."""
        if self.values.shape[1] == 4:
            return float(2.0 * np.arccos(min(1.0, abs(float(self.values[one] @ self.values[other])))))
        return float(np.linalg.norm(self.values[one] - self.values[other])) / self.size

    def spikes(self, fps: float) -> Mask:
        """(F,) frames in which the joint has leapt away, to be back soon after."""
        found = np.zeros(len(self.values), dtype=bool)
        usual = _usual(self.step, max(FROZEN, round(NEAR_S * fps)))
        for first, last in _leaps(self.step, usual, self.least, max(3, round(SPIKE_S * fps))):
            leap = min(self.step[first - 1], self.step[last])
            if self.apart(first - 1, last + 1) <= BACK * leap + (last - first + 2) * usual[first - 1]:
                found[first : last + 1] = True
        return found


def bridged(
    rotations: Array, positions: Array, bad: Mask, fps: float, parents: NDArray[np.intp]
) -> tuple[Array, Array]:
    """The clip with every joint's `bad` frames (F, J) laid between its good ones.

    A joint that trembles gets a cubic that keeps the speed on both sides; any other the middle of what its own movement and
    that of the other joints make likely.
    """
    trembles = (smoothing.noise(rotations) > 0.0) | (smoothing.noise(positions) > 0.0)
    rough, places = _crossed(rotations, positions, bad, trembles)
    rotations, positions = np.array(rough), np.array(places)
    gaps = [
        (joint, run) for joint in np.flatnonzero(bad.any(axis=0) & ~trembles).tolist() for run in runs(bad[:, joint])
    ]
    gaps = [(joint, (start, stop)) for joint, (start, stop) in gaps if start > 0 and stop < len(bad)]
    if not gaps:
        return rotations, positions
    middle = rough[len(rough) // 2]
    turns = quat.log(quat.multiply(quat.inverse(middle), rough))
    telling = (np.ptp(turns, axis=0).max(axis=-1) > TELLING) & ~trembles
    for joint, (start, stop) in gaps:
        gone = bad[:, joint]
        own = quat.log(quat.multiply(quat.inverse(rough[start - 1, joint]), rough[:, joint]))
        known = telling & ~bad[start:stop].any(axis=0)
        known[joint] = False
        near = known & _near(parents, joint)
        others = tuple(turns[:, which].reshape(len(turns), -1) for which in (near, known) if which.any())
        made = gaps_of.estimated(own, gone, start, stop, fps, others)
        rotations[start:stop, joint] = quat.multiply(rough[start - 1, joint], quat.exp(made))
        if np.ptp(places[:, joint], axis=0).max() > 0.0:
            positions[start:stop, joint] = gaps_of.estimated(places[:, joint], gone, start, stop, fps)
    return rotations, positions


def _near(parents: NDArray[np.intp], joint: int) -> Mask:
    """(J,) the joints next to one: its parent and its parent's parent, and whatever is below any of these or from it."""
    above = [joint, int(parents[joint])]
    above.append(int(parents[above[-1]]) if above[-1] >= 0 else -1)
    found: Mask = np.isin(parents, [one for one in above[:2] if one >= 0]) | np.isin(np.arange(len(parents)), above)
    below = np.flatnonzero(parents == joint)
    return np.asarray(found | np.isin(parents, below))


def _crossed(rotations: Array, positions: Array, bad: Mask, trembles: Mask) -> tuple[Array, Array]:
    """A cubic over every gap, and what is nearest in time at the ends of the clip."""
    rotations, positions = np.array(rotations), np.array(positions)
    for joint in np.flatnonzero(bad.any(axis=0)).tolist():
        gone = bad[:, joint]
        if gone.all():
            continue
        for start, stop in runs(gone):
            before, after = start - 1, stop
            if before < 0 or after >= len(gone):
                kept = after if before < 0 else before
                rotations[start:stop, joint], positions[start:stop, joint] = (
                    rotations[kept, joint],
                    positions[kept, joint],
                )
                continue
            q, p = rotations[:, joint], positions[:, joint]
            base = quat.inverse(q[before])
            steps = SPEED_FRAMES if trembles[joint] else 1
            into, out = _speed(gone, before, -1, steps), _speed(gone, after, 1, steps)
            end = quat.log(quat.multiply(base, q[after]))
            leaving = quat.log(quat.multiply(quat.inverse(q[into]), q[before])) / max(before - into, 1)
            coming = quat.log(quat.multiply(quat.inverse(q[after]), q[out])) / max(out - after, 1)
            turns = gaps_of.cubic(np.zeros(3), end, leaving, coming, after - before)
            rotations[start:stop, joint] = quat.multiply(q[before], quat.exp(turns))
            way = gaps_of.cubic(
                p[before],
                p[after],
                (p[before] - p[into]) / max(before - into, 1),
                (p[out] - p[after]) / max(out - after, 1),
                after - before,
            )
            positions[start:stop, joint] = way
    return rotations, positions


def _speed(gone: Mask, edge: int, way: int, steps: int) -> int:
    """The good frame a few steps beyond `edge`, from which on the speed at the edge is taken."""
    at = edge
    while 0 <= at + way < len(gone) and not gone[at + way] and abs(at - edge) < steps:
        at += way
    return at


def _steps(rotations: Array, positions: Array) -> tuple[Array, Array]:
    """(F - 1, J) how far each joint turns and goes from one frame to the next."""
    with np.errstate(invalid="ignore"):
        dots = np.abs(np.einsum("fji,fji->fj", rotations[1:], rotations[:-1]))
        return 2.0 * np.arccos(np.minimum(dots, 1.0)), np.linalg.norm(np.diff(positions, axis=0), axis=-1)


def _usual(step: Array, half: int) -> Array:
    """(n,) the median of the steps around each."""
    padded = np.pad(step, half, mode="reflect" if len(step) > half else "edge")
    return np.asarray(np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1), axis=1))


def _leaps(step: Array, usual: Array, least: float, longest: int) -> list[tuple[int, int]]:
    """(first, last) frame of every time a joint leaps away and, soon after, leaps again."""
    far = np.flatnonzero(step > np.maximum(least, RATIO * usual))
    found, place = [], 0
    while place + 1 < len(far):
        first, last = int(far[place]) + 1, int(far[place + 1])
        if last - first < longest:
            found.append((first, last))
            place += 1
        place += 1
    return found


def _repeated(rotations: Array, positions: Array) -> Mask:
    """(F, J) whether a joint is exactly where it was in the frame before."""
    same = (rotations[1:] == rotations[:-1]).all(axis=-1) & (positions[1:] == positions[:-1]).all(axis=-1)
    return np.concatenate([np.zeros((1, same.shape[1]), dtype=bool), same])


def _at_limits(rotations: Array, repeated: Mask) -> Mask:
    """(F, J) whether a joint is at the end of its range, as a knee that is straight: not turned at all, or where it stops more than once."""
    found: Mask = np.asarray((np.abs(rotations[..., :3]) < UNTURNED).all(axis=-1))
    for joint in np.flatnonzero(repeated.any(axis=0)).tolist():
        stops = [(start, stop) for start, stop in runs(repeated[:, joint]) if stop - start >= FROZEN]
        held = rotations[[start for start, _ in stops], joint]
        alike = (np.abs(np.abs(held @ held.T) - 1.0) < UNTURNED**2).sum(axis=1) > 1 if len(stops) else []
        for (start, stop), again in zip(stops, alike, strict=True):
            found[start:stop, joint] |= bool(again)
    return found


def _frozen(repeated: Mask, path: _Path, most: int, total: int) -> Mask:
    """(F,) frames in which a joint repeats itself although it moved before and leaps on after; alone it does so in `total`."""
    step, least = path.step, path.still
    lost = np.zeros(len(repeated), dtype=bool)
    for start, stop in runs(repeated):
        if not FROZEN <= stop - start <= most or start < SPEED_FRAMES or stop > len(step) - SPEED_FRAMES:
            continue
        before, after = step[start - SPEED_FRAMES : start - 1].mean(), step[stop : stop + SPEED_FRAMES].mean()
        # A joint that rests, or is at the end of its range, leaves gently; one that was lost is as far on as the others.
        caught_up = step[stop - 1] > max(3.0, CAUGHT_UP * (stop - start)) * min(before, after)
        # Measured movement never repeats exactly, however slow; drawn movement slows down before it stops.
        strange = total - (stop - start) < SELDOM * len(repeated) and stop - start >= LONG
        steady = min(step[start - 2], step[stop - 1]) > STEADY * before
        # Lost during movement, and found at rest: it stops from one frame to the next, and leaps as far as it would have gone.
        into_rest = after <= least < before and step[start - 2] > STEADY * before and stop - start >= LONG
        into_rest = into_rest and step[stop - 1] > max(3.0, CAUGHT_UP * (stop - start)) * before
        if into_rest or (
            min(before, after) > (GENTLE * least if strange and steady else least)
            and (caught_up or (strange and steady))
        ):
            lost[start:stop] = True
    return lost


def _released_late(repeated: Mask, path: _Path) -> Mask:
    """(F,) the last frames of a rest out of which a joint leaps into steady movement: as many as that movement takes for the leap."""
    step = path.step
    lost = np.zeros(len(repeated), dtype=bool)
    for start, stop in runs(repeated):
        if stop - start < LONG or stop > len(step) - SPEED_FRAMES or start < 1:
            continue
        on = step[stop : stop + SPEED_FRAMES]
        frames = int(np.ceil(step[stop - 1] / max(float(on.mean()), 1e-12))) - 1
        if step[stop - 1] > path.least and on.min() > max(path.still, STEADY * on.max()) and frames >= LATE:
            lost[max(start, stop - frames) : stop] = True
    return lost
