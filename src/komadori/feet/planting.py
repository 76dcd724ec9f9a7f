"""Planting: keeping feet in place while they are on the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat
from komadori.errors import OptionError, unquoted
from komadori.feet.contacts import Contacts, Limb, Mask, anywhere, check, columns_of, limbs_of, runs, standing_steps
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

UP = np.array([0.0, 1.0, 0.0])
SINK_S = 0.15
"""A body that sinks does so over this time, not within a frame."""
DRIFT = 0.3
"""Leg lengths that a standing foot of captured motion is held back, at most: a body that drifts farther takes its feet along."""
_STRAIGHT = 0.5
"""How much of the slack between a leg's length and its reach may be used before the body sinks instead."""


def planted(
    motion: Motion,
    contacts: Contacts,
    *,
    blend_s: float = 0.1,
    like: Motion | None = None,
    heights: Sequence[float] | None = None,
    sink_m: float = 0.0,
    drift: float = math.inf,
) -> Motion:
    """The motion with every standing foot kept where it stands: legs bend for it, all other joints stay as they are.

    A foot is moved as a whole, keeping its world rotation, so that the point that stands does not move over the ground:
    its ankle while the toes come down, then its toes. The place is the mean of where it stood. The correction fades
    in before and out after the contact over `blend_s` seconds. With `like` (another motion of the same length and
    skeleton) feet stand where, and turned as, they do in that one. With `heights` (metres, one for each of
    `contacts.joints`) a point stands at its height, and never swings below it. Where a leg is too short the body sinks, by
    at most `sink_m` metres; if that does not suffice the leg points at the place, and a note says so. What a foot slides
    during a stand is taken back by at most `drift` leg lengths to either side.
    """
    if not (np.isfinite(blend_s) and blend_s >= 0.0):
        raise OptionError("blend_s", expected=Note("0 seconds or more"), found=blend_s)
    if not (np.isfinite(sink_m) and sink_m >= 0.0):
        raise OptionError("sink_m", expected=Note("0 metres or more"), found=sink_m)
    if not drift >= 0.0:
        raise OptionError("drift", expected=Note("0 leg lengths or more"), found=drift)
    if heights is not None and (len(heights) != len(contacts.joints) or not np.isfinite(heights).all()):
        raise OptionError(
            "heights",
            expected=Note("one number per point of contact ({count} in total)", count=len(contacts.joints)),
            found=unquoted(str(heights)),
        )
    check(motion, contacts)
    if like is not None:
        check(like, contacts)
    if not contacts.on.any():
        return motion
    turned, places = motion.world_transforms()
    like_turned, like_places = (turned, places) if like is None else like.world_transforms()
    blend = max(0, round(blend_s * motion.fps))
    moves = []
    for columns in columns_of(contacts):
        limb = _limb_of(motion, contacts.joints[columns[-1]])
        on = contacts.on[:, columns]
        if limb is None or not on.any():
            continue
        points = [contacts.joints[c] for c in columns]
        foot_turn = quat.identity(len(motion))
        if like is not None:
            goal = quat.slerp(turned[:, limb.end], like_turned[:, limb.end], _weight(anywhere(on), blend))
            foot_turn = quat.multiply(goal, quat.inverse(turned[:, limb.end]))
        ankle = places[:, limb.end]
        now = ankle[:, None] + quat.rotate(foot_turn[:, None], places[:, points] - ankle[:, None])
        wanted = np.array(now if like is None else like_places[:, points])
        if heights is not None:
            wanted[..., 1] = [heights[c] for c in columns]
        bones = [
            np.linalg.norm(places[0, b] - places[0, a]) for a, b in ((limb.upper, limb.lower), (limb.lower, limb.end))
        ]
        offset = _offsets(now, wanted, on, blend, drift * float(sum(bones)))
        if heights is not None:
            offset[:, 1] += np.maximum(0.0, (wanted - now)[..., 1].max(axis=1) - offset[:, 1])
        moves.append(_Move(limb, offset, foot_turn))
    drop = _drop(places, moves, sink_m, max(1, round(SINK_S * motion.fps)))
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    positions[:, motion.skeleton.parents < 0, 1] -= drop[:, None]
    places = places - drop[:, None, None] * UP
    short, frames_short = 0.0, 0
    for move in moves:
        offset = move.offset + drop[:, None] * UP
        moved = np.flatnonzero((offset != 0.0).any(axis=1) | (quat.angle(move.foot_turn) > 0.0))
        foot_turn = move.foot_turn[moved]
        missed = _solve(motion.skeleton, rotations, move.limb, moved, offset[moved], foot_turn, turned, places)
        frames_short += int((missed > 1e-3).sum())
        short = max(short, float(missed.max(initial=0.0)))
    result = (
        motion.replaced(rotations=rotations, positions=positions)
        if drop.any()
        else motion.replaced(rotations=rotations)
    )
    if frames_short:
        result = result.noted(
            Note(
                "In {count:frame|frames} a foot is up to {cm:.1f} cm off its contact point because the leg is too short for the stride.",
                count=frames_short,
                cm=100.0 * short,
            )
        )
    return result


def shifted(motion: Motion, ends: Sequence[tuple[Limb, Array]]) -> Motion:
    """`motion` with the end of each limb, a foot or a hand, moved by (F, 3) metres: knee or elbow bend, the end keeps its world rotation."""
    turned, places = motion.world_transforms()
    rotations = np.array(motion.rotations)
    for limb, offset in ends:
        moved = np.flatnonzero((offset != 0.0).any(axis=1))
        if len(moved):
            _solve(motion.skeleton, rotations, limb, moved, offset[moved], quat.identity(len(moved)), turned, places)
    return motion.replaced(rotations=rotations)


@dataclass(frozen=True, eq=False)
class _Move:
    """How far the end of a limb must be moved (F, 3), and turned (F, 4)."""

    limb: Limb
    offset: Array
    foot_turn: Array


def _limb_of(motion: Motion, joint: int) -> Limb | None:
    """The limb that `joint` belongs to."""
    limbs = limbs_of(motion)
    return next((limb for limb in limbs if motion.skeleton.below([limb.end])[joint]), None)


def _drop(places: Array, moves: list[_Move], most: float, frames: int) -> Array:
    """(F,) by how much the body must sink so that every leg comes to its place without being stretched, at most `most`."""
    drop = np.zeros(len(places))
    if most <= 0.0:
        return drop
    for move in moves:
        limb = move.limb
        upper, lower, end = (places[:, joint] for joint in (limb.upper, limb.lower, limb.end))
        now, reach = _norm(end - upper)[:, 0], (_norm(lower - upper) + _norm(end - lower))[:, 0]
        line = upper - end - move.offset
        allowed = now + _STRAIGHT * (reach - now)
        high = np.sqrt(np.maximum(allowed**2 - line[:, 0] ** 2 - line[:, 2] ** 2, 0.0))
        drop = np.maximum(drop, np.where(_norm(line)[:, 0] > allowed, line[:, 1] - high, 0.0))
    # The greatest nearby, then their mean: it never falls short of what a frame needs.
    padded = np.pad(np.minimum(drop, most), 2 * frames, mode="edge")
    highest = np.lib.stride_tricks.sliding_window_view(padded, 2 * frames + 1).max(axis=1)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(highest, 2 * frames + 1).mean(axis=1))


def _solve(
    skeleton: Skeleton,
    rotations: Array,
    limb: Limb,
    frames: NDArray[np.intp],
    offset: Array,
    foot_turn: Array,
    turned: Array,
    places: Array,
) -> Array:
    """Bend `limb` in `frames` so that its end moves by `offset` and turns by `foot_turn`; returns by how much it missed."""
    upper, lower, end = places[frames, limb.upper], places[frames, limb.lower], places[frames, limb.end]
    # The knee's axis lies still in the thigh: its mean over the clip serves where the leg is straight.
    bends = quat.cross(places[:, limb.lower] - places[:, limb.upper], places[:, limb.end] - places[:, limb.lower])
    axis = quat.rotate(quat.inverse(turned[:, limb.upper]), bends).sum(axis=0)
    hinge = quat.rotate(turned[frames, limb.upper], axis)
    goal = end + offset
    eased = upper + _eased(end - upper, goal - upper, _norm(lower - upper) + _norm(end - lower))
    turn_upper, turn_lower = kinematics.two_bone(upper, lower, end, eased, hinge=hinge)
    parents = skeleton.parents

    def local(joint: int, parent_turn: Array, own_turn: Array) -> Array:
        own = quat.multiply(own_turn, turned[frames, joint])
        if parents[joint] < 0:
            return own
        return quat.multiply(quat.inverse(quat.multiply(parent_turn, turned[frames, parents[joint]])), own)

    rotations[frames, limb.upper] = local(limb.upper, quat.identity(len(frames)), turn_upper)
    rotations[frames, limb.lower] = local(limb.lower, turn_upper, turn_lower)
    rotations[frames, limb.end] = local(limb.end, turn_lower, foot_turn)
    reached = upper + quat.rotate(turn_upper, lower - upper) + quat.rotate(turn_lower, end - lower)
    return np.asarray(np.linalg.norm(goal - reached, axis=1))


def _eased(before: Array, goal: Array, reach: Array) -> Array:
    """`goal` (n, 3), drawn in where the leg would lock on the way to it: a snapping knee is more visible than a little
    foot slip. The leg grows from its length `before` towards `reach` (n, 1) and never quite locks.
    """
    now, want = _norm(before), _norm(goal)
    room = np.maximum(reach - now, 1e-9)
    growth = np.maximum(want - now, 0.0)
    # About 1 up to half the room, then levelling off.
    eased = now + growth / (1.0 + (growth / room) ** 4) ** 0.25
    return np.asarray(np.where(growth > 0.0, goal * (eased / np.maximum(want, 1e-9)), goal))


def _norm(v: Array) -> Array:
    return np.asarray(np.linalg.norm(v, axis=-1, keepdims=True))


def _offsets(now: Array, goal: Array, on: Mask, blend: int, farthest: float) -> Array:
    """How far the foot must be moved (F, 3), from its points now and where they should stand (F, n, 3).

    What it slides is taken back by at most `farthest` metres to either side.
    """
    offset = np.zeros((len(now), 3))
    step, _ = standing_steps(now, on)
    slid = np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
    spans = runs(anywhere(on))
    for start, stop in spans:
        span = slice(start, stop)
        wish = _standing_point(goal[span], on[span]) - _standing_point(now[span], on[span])
        offset[span, 1] = wish[:, 1]
        back = slid[span].mean(axis=0) - slid[span]
        back *= np.minimum(1.0, farthest / np.maximum(_norm(back), 1e-9))
        offset[span, ::2] = wish[:, ::2].mean(axis=0) + back
    ends = [0, *(edge for span in spans for edge in span), len(now)]
    for i, (start, stop) in enumerate(spans):
        for edge, room, way in ((start, start - ends[2 * i], -1), (stop - 1, ends[2 * i + 3] - stop, 1)):
            fade = _fade(min(blend, room))
            frames = edge + way * np.arange(1, len(fade) + 1)
            offset[frames] += fade[:, None] * offset[edge]
    return offset


def _weight(standing: Mask, blend: int) -> Array:
    """(F,) 1 where the limb stands, falling to 0 over `blend` frames before and after."""
    weight = standing.astype(np.float64)
    spans = runs(standing)
    ends = [0, *(edge for span in spans for edge in span), len(standing)]
    for i, (start, stop) in enumerate(spans):
        before, after = _fade(min(blend, start - ends[2 * i])), _fade(min(blend, ends[2 * i + 3] - stop))
        weight[start - len(before) : start] += before[::-1]
        weight[stop : stop + len(after)] += after
    return np.minimum(weight, 1.0)


def _fade(count: int) -> Array:
    """From nearly 1 to nearly 0 over `count` frames, level at both ends; two that overlap add up to 1."""
    x = 1.0 - np.arange(1, count + 1) / (count + 1)
    return np.asarray(x * x * (3.0 - 2.0 * x))


def _standing_point(places: Array, on: Mask) -> Array:
    """(F, 3) the foremost point that stands."""
    chosen = on.shape[1] - 1 - np.argmax(on[:, ::-1], axis=1)
    return np.take_along_axis(places, chosen[:, None, None], axis=1)[:, 0]
