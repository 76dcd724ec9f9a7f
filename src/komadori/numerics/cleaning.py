"""Frames that are not part of a movement: calibration poses at the start, drop-outs and spikes anywhere.

A spike is a position that nobody can have reached. The others show as a jump of the whole body between two frames, with calm on the other side. Fast movement does not look
like that (its neighbouring steps are fast too), nor does a single joint that flips over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.quat import Array

Mask = NDArray[np.bool_]
Frames = NDArray[np.intp]

JUMP_ANGLE = np.radians(5.0)
"""A joint that turns less than this from one frame to the next has not jumped."""
JUMP_TRAVEL = 0.1
"""A body that moves less than this share of its size from one frame to the next has not jumped."""
JUMP_RATIO = 5.0
"""How many times larger than the steps around it a jump is."""
JUMP_SHARE = 1.0 / 3.0
"""The share of moving joints that must jump together."""
NEAR = 5
"""Steps looked at before and after a jump."""
FEWEST = 3
"""With fewer steps than this on one side, nothing is known about what is usual there."""
LONGEST_GLITCH = 3
"""Jumps in a row from the first that leaves the body's path to the one that comes back to it, less one."""
ROUNDS = 8
"""How often the clip is checked again after something was removed."""
HELD_SHARE = 0.2
"""Where more frames than this repeat the one before, the clip is drawn and not captured: its jumps are meant."""
SPIKE = 20.0
"""Body sizes per frame: no body ever moves farther."""
SPIKE_SHARE = 0.25
"""At most this share of a clip is spikes: if more of it lies elsewhere, the movement continues there."""
FLIP = np.radians(75.0)
"""No joint of a body turns farther than this from one frame to the next and back again..."""
FLIP_S = 0.08
"""...within this time..."""
FLIP_BACK, FLIP_CALM = 0.35, 0.5
"""...to within this share of the leap of where it was, with all steps around it below this share."""
BLOCK = 4096
"""Frames worked on at once, to bound the memory."""


@dataclass(frozen=True)
class Found:
    """Which frames are not part of the movement: `calibration` (F,) at the start, `dropouts` (F,) and `spikes` (F,)."""

    calibration: Mask
    dropouts: Mask
    spikes: Mask


@dataclass(frozen=True)
class _Clip:
    """Local `rotations` (F, J, 4) and `positions` (F, J, 3) of a body of that `size`."""

    rotations: Array
    positions: Array
    size: float

    def apart(self, a: Frames, b: Frames) -> tuple[Array, Array]:
        """How far frames `a` and `b` (n,) lie apart: (n, J) radians, and (n,) the largest travel in body sizes."""
        angles, travel = np.empty((len(a), self.rotations.shape[1])), np.empty(len(a))
        for start in range(0, len(a), BLOCK):
            part = slice(start, start + BLOCK)
            dot = np.einsum("fji,fji->fj", self.rotations[a[part]], self.rotations[b[part]])
            angles[part] = 2.0 * np.arccos(np.minimum(np.abs(dot), 1.0))
            travel[part] = np.linalg.norm(self.positions[b[part]] - self.positions[a[part]], axis=-1).max(axis=-1)
        return angles, travel / self.size


@dataclass(frozen=True)
class _Steps:
    """Step i leads from frames[i] to frames[i + 1]: `angles` (n, J) and `travel` (n,).

    Frames that equal the one before them are omitted, so that a held drawing is one frame however long it is shown.
    """

    frames: Frames
    angles: Array
    travel: Array

    @classmethod
    def of(cls, clip: _Clip, kept: Frames) -> _Steps:
        """The steps along the frames `kept`."""
        angles, travel = clip.apart(kept[:-1], kept[1:])
        moved = (angles > 1e-6).any(axis=1) | (travel > 1e-9)
        return cls(kept[np.concatenate([[True], moved])], angles[moved], travel[moved])

    def needed(self) -> int:
        """How many joints must jump together for the whole body to have jumped."""
        turning = int((self.angles.max(axis=0, initial=0.0) > 1e-3).sum())
        return max(int(np.ceil(JUMP_SHARE * turning)), min(3, turning), 1)

    def jumps(self) -> Frames:
        """The numbers of the steps that are jumps of the whole body."""
        far = ((self.angles > JUMP_ANGLE).sum(axis=1) >= self.needed()) | (self.travel > JUMP_TRAVEL)
        near = np.flatnonzero(far)
        parts = [near[start : start + BLOCK] for start in range(0, len(near), BLOCK)]
        one = np.ones(1)
        return np.concatenate([near[:0], *(p[self.leaps(self.angles[p], self.travel[p], p, p, one)] for p in parts)])

    def leaps(self, angles: Array, travel: Array, first: Frames, last: Frames, frames: Array) -> Mask:
        """(n,) whether distances over steps `first` to `last` (n,) go far beyond what is usual before and after.

        `frames` (n,) is over how many frames the body had time to move.
        """
        usual_angle, usual_travel = np.zeros_like(angles), np.zeros_like(travel)
        told = np.zeros(len(first), dtype=bool)
        reach = np.arange(1, NEAR + 1)
        for index in (first[:, None] - reach, last[:, None] + reach):
            inside = (index >= 0) & (index < len(self.travel))
            enough = inside.sum(axis=1) >= FEWEST
            if enough.any():
                index, outside = np.where(inside, index, 0)[enough], ~inside[enough]
                for values, usual in ((self.angles, usual_angle), (self.travel, usual_travel)):
                    around = values[index]
                    around[outside] = np.nan
                    usual[enough] = np.maximum(usual[enough], _middle(around))
            told |= enough
        turned = (angles > JUMP_ANGLE) & (angles > JUMP_RATIO * frames[:, None] * usual_angle)
        travelled = (travel > JUMP_TRAVEL) & (travel > JUMP_RATIO * frames * usual_travel)
        leapt: Mask = told & ((turned.sum(axis=1) >= self.needed()) | travelled)
        return leapt


def find(rotations: Array, positions: Array, size: float, short: int) -> Found:
    """The calibration poses, drop-outs and spikes of a clip.

    `rotations` (F, J, 4) and `positions` (F, J, 3) are local; `size` is the body's, in the unit of the positions.
    A drop-out is a frame with a number that is not finite; a run of frames in which everything is zero, next to
    a jump; or at most `short` frames in which the body jumps away and back (at the end: away). At most `short`
    frames at the start from which the body jumps into the rest of the clip are a calibration pose, and so are any
    number in which it holds one pose exactly; so too at the end, as a drop-out. A clip of held drawings is left as it is, but for its spikes: frames in which a joint is farther away than it can have gone.
    """
    finite = np.isfinite(rotations).all(axis=(1, 2)) & np.isfinite(positions).all(axis=(1, 2))
    kept = np.flatnonzero(finite)
    spikes = np.zeros(len(rotations), dtype=bool)
    spikes[kept] = _spikes(positions[kept], size)
    kept = kept[~spikes[kept]]
    calibration = np.zeros(len(rotations), dtype=bool)
    clip = _Clip(rotations, positions, size)
    zero = _all_zero(rotations[kept], positions[kept])
    if zero.all() and len(kept) > 1:
        kept = kept[:0]
    elif zero.any():
        kept = kept[~_beside_jumps(zero, _seams(kept, _Steps.of(clip, kept)))]
    for _ in range(ROUNDS):
        if not len(kept):
            break
        steps = _Steps.of(clip, kept)
        # A pose held at either end, however long, says nothing about what lies between.
        lead, trail = _held(kept, steps)
        if len(steps.frames) < (1.0 - HELD_SHARE) * (len(kept) - (lead - 1) - (trail - 1)):
            break
        seams = _seams(kept, steps)
        if not len(seams):
            break
        # Jumps away and back first: otherwise a glitch near an end would remove the good frames beyond it too.
        gone = _glitches(clip, kept, steps, seams, short)
        head, tail = int(seams[0]), len(kept) - int(seams[-1])
        if gone.any():
            kept = kept[~gone]
        elif head <= (len(kept) // 2 if head == lead else min(short, (len(kept) - head) // 2)):
            calibration[kept[:head]] = True
            kept = kept[head:]
        elif tail <= (len(kept) // 2 if tail == trail else min(short, (len(kept) - tail) // 2)):
            kept = kept[:-tail]
        else:
            break
    dropouts = ~calibration & ~spikes
    dropouts[kept] = False
    return Found(calibration, dropouts, spikes)


def flips(rotations: Array, parents: Frames, fps: float) -> Mask:
    """(F, J) frames in which a joint flips over and back: `rotations` (F, J, 4), local; `parents` (J,).

    Trackers and solvers do so where a limb is hidden or points along an axis; a wrist that flicks takes its time, and comes back
    elsewhere. Where the joint above or below undoes the flip, nothing shows and nothing is a flip.
    """
    flipped = np.zeros(rotations.shape[:2], dtype=bool)
    if len(rotations) < 4 or not np.isfinite(rotations).all():
        return flipped
    step = np.empty((len(rotations) - 1, rotations.shape[1]))
    for start in range(0, len(step), BLOCK):
        part = slice(start, min(start + BLOCK, len(step)))
        dot = np.einsum("fji,fji->fj", rotations[1:][part], rotations[:-1][part])
        step[part] = 2.0 * np.arccos(np.minimum(np.abs(dot), 1.0))
    if (step.max(axis=1) == 0.0).mean() > HELD_SHARE:
        return flipped
    longest = max(1, round(FLIP_S * fps))
    for joint in np.flatnonzero((step > FLIP).sum(axis=0) > 1).tolist():
        far = np.flatnonzero(step[:, joint] > FLIP)
        for away, back in zip(far[:-1].tolist(), far[1:].tolist(), strict=True):
            leap = min(step[away, joint], step[back, joint])
            around = np.concatenate([step[max(0, away - NEAR) : away, joint], step[back + 1 : back + 1 + NEAR, joint]])
            apart = 2.0 * np.arccos(min(1.0, abs(float(rotations[away, joint] @ rotations[back + 1, joint]))))
            if back - away > longest or apart > FLIP_BACK * leap or around.max(initial=0.0) > FLIP_CALM * leap:
                continue
            beside = [(joint, kid) for kid in np.flatnonzero(parents == joint).tolist()]
            beside += [(int(parents[joint]), joint)] if parents[joint] >= 0 else []
            if not any(_undone(rotations, step, away, pair, FLIP_CALM * leap) for pair in beside):
                flipped[away + 1 : back + 1, joint] = True
    return flipped


def _undone(rotations: Array, step: Array, away: int, pair: tuple[int, int], least: float) -> bool:
    """Whether two joints, one below the other, leap together in a step and together stay where they were."""
    if min(step[away, pair[0]], step[away, pair[1]]) < least:
        return False
    both = quat.multiply(rotations[away : away + 2, pair[0]], rotations[away : away + 2, pair[1]])
    return float(2.0 * np.arccos(min(1.0, abs(float(both[0] @ both[1]))))) < least


def bridged(rotations: Array, positions: Array, bad: Mask) -> tuple[Array, Array]:
    """The clip with its `bad` frames (F,) laid between their good neighbours: slerp, and linear for positions.

    The first and the last frame must be good.
    """
    good, gone = np.flatnonzero(~bad), np.flatnonzero(bad)
    after = np.searchsorted(good, gone)
    left, right = good[after - 1], good[after]
    part = ((gone - left) / (right - left))[:, None]
    rotations, positions = np.array(rotations), np.array(positions)
    rotations[gone] = quat.slerp(rotations[left], rotations[right], part)
    positions[gone] = positions[left] + part[..., None] * (positions[right] - positions[left])
    return rotations, positions


def _spikes(positions: Array, size: float) -> Mask:
    """(F,) frames out of reach of the rest: the longest stretch without an impossible step counts, and what it reaches."""
    gone = np.zeros(len(positions), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1).max(axis=1, initial=0.0)
    breaks = np.flatnonzero(~(steps <= SPIKE * size)) + 1
    if not len(breaks):
        return gone
    starts, stops = [0, *breaks.tolist()], [*breaks.tolist(), len(positions)]
    longest = int(np.argmax(np.subtract(stops, starts)))
    for way in (range(longest + 1, len(starts)), range(longest - 1, -1, -1)):
        last = stops[longest] - 1 if way.step > 0 else starts[longest]
        for part in way:
            near, far = (starts[part], stops[part] - 1) if way.step > 0 else (stops[part] - 1, starts[part])
            with np.errstate(over="ignore", invalid="ignore"):
                away = float(np.linalg.norm(positions[near] - positions[last], axis=-1).max(initial=0.0))
            if away <= SPIKE * size:
                last = far
            else:
                gone[starts[part] : stops[part]] = True
    return gone if gone.sum() <= SPIKE_SHARE * len(gone) else np.zeros_like(gone)


def _all_zero(rotations: Array, positions: Array) -> Mask:
    """(F,) frames that stand at the origin with no joint turned, as a row of zeros in a file gives them."""
    unturned = (np.abs(rotations[..., :3]) < 1e-6).all(axis=(1, 2))
    return np.asarray(unturned & (np.abs(positions[:, 0]) < 1e-9).all(axis=-1))


def _middle(values: Array) -> Array:
    """The median over the second axis of what is not NaN, and NaN if nothing is: `nanmedian` loads masked arrays, which takes 40 ms."""
    ordered = np.sort(values, axis=1)
    count = (~np.isnan(values)).sum(axis=1, keepdims=True)
    low, high = (np.take_along_axis(ordered, middle, axis=1) for middle in (np.maximum(count - 1, 0) // 2, count // 2))
    return np.asarray(0.5 * (low + high)[:, 0])


def _seams(kept: Frames, steps: _Steps) -> Frames:
    """Where in `kept` a jump has just happened."""
    return np.searchsorted(kept, steps.frames[steps.jumps() + 1])


def _held(kept: Frames, steps: _Steps) -> tuple[int, int]:
    """How many frames of `kept` show the first pose before anything moves, and how many the last one after everything did."""
    if len(steps.frames) < 2:
        return len(kept), len(kept)
    first, last = np.searchsorted(kept, steps.frames[[1, -1]]).tolist()
    return first, len(kept) - last


def _beside_jumps(marked: Mask, seams: Frames) -> Mask:
    """Those runs of `marked` that begin or end at a seam."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marked, [False]]).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    hit = np.isin(begins, seams) | np.isin(ends, seams)
    chosen = np.zeros(len(marked) + 1, dtype=np.int64)
    np.add.at(chosen, begins[hit], 1)
    np.add.at(chosen, ends[hit], -1)
    return np.cumsum(chosen[:-1]) > 0


def _glitches(clip: _Clip, kept: Frames, steps: _Steps, seams: Frames, short: int) -> Mask:
    """Frames of `kept` between a seam at which the body leaves its path and one at which it is back on it."""
    gone = np.zeros(len(kept), dtype=bool)
    number = np.searchsorted(steps.frames, kept[seams]) - 1
    back = np.zeros((LONGEST_GLITCH + 1, len(seams)), dtype=bool)
    for span in range(1, min(LONGEST_GLITCH + 1, len(seams))):
        length = seams[span:] - seams[:-span]
        away = np.flatnonzero(length <= short)
        angles, travel = clip.apart(kept[seams[away] - 1], kept[seams[away + span]])
        frames = (length[away] + 1).astype(np.float64)
        back[span, away] = ~steps.leaps(angles, travel, number[away], number[away + span], frames)
    seam = 0
    while seam < len(seams):
        span = int(back[:, seam].argmax())
        gone[seams[seam] : seams[seam + span]] = True
        seam += span + 1
    return gone
