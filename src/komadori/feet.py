"""Feet: when they stand on the ground, how much they slip there, and how they are kept in place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.words import Note

Mask = NDArray[np.bool_]

HEIGHT = 0.06
SPEED = 0.6
"""Defaults of `contacts`: leg lengths, and leg lengths a second."""
_RELEASE = 1.25
"""A standing foot is let go at thresholds this much wider than those that catch it, so that it does not flicker."""
_SHORTEST_S = 0.07
"""Contacts and gaps shorter than this are no steps."""
_WINDOW_S = 0.05
"""Speeds are taken over this time: captured points tremble from frame to frame."""
_TRAVEL_S = 0.25
_ROLLING = 0.2
"""A standing point may move at this share of the body's own speed, itself taken over a quarter of a second."""
_LOWEST = 5.0
"""Percentile of a point's heights that counts as its height when it stands; the least may be an outlier."""
_FITS = 4
_STEEPEST = 0.1
"""A floor may be tilted by this much; more would be stairs, or a climb, and no floor."""


@dataclass(frozen=True, eq=False)
class Contacts:
    """Which points of the feet stand on the ground, frame by frame.

    `joints` are the points: a foot's ankle and toes (or whatever ends it), an animal's paws; `limbs` says for each
    which limb it belongs to, 0 for the first. `on` (F, n) is true where the point stands, `ground` is a height in metres.
    """

    joints: tuple[int, ...]
    limbs: tuple[int, ...]
    on: Mask
    ground: float
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", frozen(self.on, np.bool_, (-1, len(self.joints)), "on"))

    def __len__(self) -> int:
        return len(self.on)

    @property
    def standing(self) -> Mask:
        """(F, limbs) whether the limb stands, on whichever of its points."""
        columns = _columns(self)
        return np.array([_any(self.on[:, c]) for c in columns], dtype=bool).reshape(len(columns), len(self)).T

    def touchdowns(self) -> NDArray[np.intp]:
        """The frames in which some limb begins to stand, in order; the first frame of the clip is none."""
        standing = self.standing
        return np.flatnonzero((standing[1:] & ~standing[:-1]).any(axis=1)) + 1

    def liftoffs(self) -> NDArray[np.intp]:
        """The frames in which some limb stands no more but did in the frame before, in order."""
        standing = self.standing
        return np.flatnonzero((standing[:-1] & ~standing[1:]).any(axis=1)) + 1


@dataclass(frozen=True)
class Slip:
    """How far standing feet move over the ground, in metres: a second, a frame, and at most in any one contact."""

    per_second: float
    per_frame: float
    worst: float


@dataclass(frozen=True)
class _Limb:
    """The joints of one leg: the chain that is solved, and the points that stand (the last is the foremost)."""

    upper: int
    lower: int
    end: int
    points: tuple[int, ...]


def contacts(motion: Motion, *, height: float = HEIGHT, speed: float = SPEED) -> Contacts:
    """Which points of the feet stand, in which frames.

    A point stands while it is lower than `height` leg lengths above its usual lowest place and slower than `speed` leg
    lengths a second; both are wider for one that already stands, gaps and contacts of a few hundredths of a second
    are taken out. What counts is time, not frames: 24 and 120 fps give the same contacts.
    """
    if not (np.isfinite(height) and height > 0.0):
        raise OptionError(f"height: expected more than 0 leg lengths, found {height}")
    if not (np.isfinite(speed) and speed > 0.0):
        raise OptionError(f"speed: expected more than 0 leg lengths a second, found {speed}")
    limbs = _limbs(motion)
    joints = tuple(point for limb in limbs for point in limb.points)
    owners = tuple(i for i, limb in enumerate(limbs) for _ in limb.points)
    if not limbs or len(motion) == 0:
        notes = () if limbs else (Note("no legs were recognised: where feet stand is unknown"),)
        return Contacts(joints, owners, np.zeros((len(motion), len(joints)), dtype=bool), 0.0, notes)
    world = motion.world_positions()
    places = world[:, list(joints)]
    leg = max(_leg_length(world, limbs), 1e-9)
    fast = _speeds(places, motion.fps, _WINDOW_S) / leg
    # At a run feet roll over the ground: what is slow is measured by the body's own speed.
    travel = _speeds(world[:, [limb.upper for limb in limbs]].mean(axis=1)[:, None], motion.fps, _TRAVEL_S) / leg
    fast = fast / np.maximum(1.0, _ROLLING * travel / speed)
    heights = places[..., 1] - _sloped(places, fast < speed, height * leg, leg)
    above = (heights - _levels(heights, limbs)) / leg
    caught = (above < height) & (fast < speed)
    kept = (above < _RELEASE * height) & (fast < _RELEASE * speed)
    shortest = max(1, round(_SHORTEST_S * motion.fps))
    on = np.stack([_settled(kept[:, i], caught[:, i], shortest) for i in range(len(joints))], axis=1)
    return Contacts(joints, owners, on, float(np.percentile(places[..., 1].min(axis=1), _LOWEST)))


def slip(motion: Motion, contacts: Contacts) -> float:
    """How far a standing foot moves over the ground, in metres a second of standing (0 where none stands)."""
    return slippage(motion, contacts).per_second


def slippage(motion: Motion, contacts: Contacts) -> Slip:
    """How far standing feet move over the ground: of a foot on ankle and toes, its toes count."""
    _check(motion, contacts)
    if not contacts.joints or len(motion) < 2:
        return Slip(0.0, 0.0, 0.0)
    places = motion.world_positions()[:, list(contacts.joints)]
    total, count, worst = 0.0, 0, 0.0
    for columns in _columns(contacts):
        step, stood = _standing_steps(places[:, columns], contacts.on[:, columns])
        way = np.linalg.norm(step, axis=1)
        total, count = total + float(way.sum()), count + int(stood.sum())
        travelled = np.concatenate([[0.0], np.cumsum(way)])
        for start, stop in _runs(_any(contacts.on[:, columns])):
            worst = max(worst, float(travelled[stop - 1] - travelled[start]))
    mean = total / count if count else 0.0
    return Slip(mean * motion.fps, mean, worst)


def planted(motion: Motion, contacts: Contacts, *, blend_s: float = 0.1, like: Motion | None = None) -> Motion:
    """The motion with every standing foot kept where it stands: legs bend for it, all other joints stay as they are.

    A foot is moved as a whole, keeping its world rotation, so that the point that stands does not move over the ground:
    its ankle while the toes come down, then its toes. The place is the mean of where it stood. The correction fades
    in before and out after the contact over `blend_s` seconds. With `like` (another motion of the same length and
    skeleton) feet stand where, and turned as, they do in that one. Where a leg is too short it points at the place, and a
    note says so.
    """
    if not (np.isfinite(blend_s) and blend_s >= 0.0):
        raise OptionError(f"blend_s: expected 0 or more seconds, found {blend_s}")
    _check(motion, contacts)
    if like is not None:
        _check(like, contacts)
    if not contacts.on.any():
        return motion
    turned, places = motion.world_transforms()
    like_turned, like_places = (turned, places) if like is None else like.world_transforms()
    rotations = np.array(motion.rotations)
    blend = max(0, round(blend_s * motion.fps))
    limbs = {limb.points[-1]: limb for limb in _limbs(motion)}
    short, frames_short = 0.0, 0
    for columns in _columns(contacts):
        limb = limbs.get(contacts.joints[columns[-1]])
        on = contacts.on[:, columns]
        if limb is None or not on.any():
            continue
        points = [contacts.joints[c] for c in columns]
        weight = _weight(_any(on), blend)
        foot_turn = quat.identity(len(motion))
        if like is not None:
            goal = quat.slerp(turned[:, limb.end], like_turned[:, limb.end], weight)
            foot_turn = quat.multiply(goal, quat.inverse(turned[:, limb.end]))
        ankle = places[:, limb.end]
        now = ankle[:, None] + quat.rotate(foot_turn[:, None], places[:, points] - ankle[:, None])
        offset = _offsets(now, like_places[:, points] if like is not None else now, on, blend)
        moved = np.flatnonzero((offset != 0.0).any(axis=1) | (quat.angle(foot_turn) > 0.0))
        missed = _solve(motion.skeleton, rotations, limb, moved, offset[moved], foot_turn[moved], turned, places)
        frames_short += int((missed > 1e-3).sum())
        short = max(short, float(missed.max(initial=0.0)))
    result = motion.replaced(rotations=rotations)
    if frames_short:
        result = result.noted(
            Note(
                "a leg cannot quite reach its place on the ground in {count} frame(s), by up to {cm:.1f} cm",
                count=frames_short,
                cm=100.0 * short,
            )
        )
    return result


def _solve(
    skeleton: Skeleton,
    rotations: Array,
    limb: _Limb,
    frames: NDArray[np.intp],
    offset: Array,
    foot_turn: Array,
    turned: Array,
    places: Array,
) -> Array:
    """Bend `limb` in `frames` so that its end moves by `offset` and turns by `foot_turn`; gives by how much it missed."""
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
    """`goal` (n, 3), drawn in where the leg would lock on the way to it: a knee that snaps straight shows more than a
    foot that slips a little. The leg grows from its length `before` towards `reach` (n, 1) and never quite locks.
    """
    now, want = _norm(before), _norm(goal)
    room = np.maximum(reach - now, 1e-9)
    growth = np.maximum(want - now, 0.0)
    # About 1 up to half the room, then levelling off.
    eased = now + growth / (1.0 + (growth / room) ** 4) ** 0.25
    return np.asarray(np.where(growth > 0.0, goal * (eased / np.maximum(want, 1e-9)), goal))


def _norm(v: Array) -> Array:
    return np.asarray(np.linalg.norm(v, axis=-1, keepdims=True))


def _offsets(now: Array, goal: Array, on: Mask, blend: int) -> Array:
    """How far the foot must be moved (F, 3), from its points now and where they should stand (F, n, 3)."""
    offset = np.zeros((len(now), 3))
    step, _ = _standing_steps(now, on)
    slid = np.concatenate([np.zeros((1, 2)), np.cumsum(step, axis=0)])
    spans = _runs(_any(on))
    for start, stop in spans:
        span = slice(start, stop)
        wish = _standing_point(goal[span], on[span]) - _standing_point(now[span], on[span])
        offset[span, 1] = wish[:, 1]
        flat = slid[span]
        offset[span, ::2] = (wish[:, ::2] + flat).mean(axis=0) - flat
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
    spans = _runs(standing)
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


def _standing_steps(places: Array, on: Mask) -> tuple[Array, Mask]:
    """Horizontal steps (F - 1, 2) of the point that stands before and after each, and whether one does (F - 1,)."""
    both = on[1:] & on[:-1]
    steps = np.diff(places[..., ::2], axis=0)
    # The last point is the foremost: while toes stand, the ankle may turn about them.
    chosen = both.shape[1] - 1 - np.argmax(both[:, ::-1], axis=1)
    step = np.take_along_axis(steps, chosen[:, None, None], axis=1)[:, 0]
    stood = _any(both)
    return np.where(stood[:, None], step, 0.0), stood


def _standing_point(places: Array, on: Mask) -> Array:
    """(F, 3) the foremost point that stands."""
    chosen = on.shape[1] - 1 - np.argmax(on[:, ::-1], axis=1)
    return np.take_along_axis(places, chosen[:, None, None], axis=1)[:, 0]


def _columns(contacts: Contacts) -> list[list[int]]:
    """The columns of `on` that belong to each limb."""
    return [[c for c, owner in enumerate(contacts.limbs) if owner == limb] for limb in sorted(set(contacts.limbs))]


def _check(motion: Motion, contacts: Contacts) -> None:
    if len(contacts) != len(motion):
        raise OptionError(f"contacts of {len(contacts)} frames do not fit a motion of {len(motion)}")
    if contacts.joints and max(contacts.joints) >= len(motion.skeleton):
        raise OptionError("contacts name joints that the motion's skeleton does not have")


def _limbs(motion: Motion) -> list[_Limb]:
    """The legs, left first, and an animal's fore legs after them."""
    skeleton = motion.skeleton
    found = roles.known(skeleton)
    four = roles.body_plan(skeleton, motion.pose(0) if len(motion) else None) == "quadruped"
    kinds = [("upper_leg", "lower_leg", "foot", "toes")]
    if four:
        kinds.append(("upper_arm", "lower_arm", "hand", ""))
    result = []
    for kind in kinds:
        for side in ("left", "right"):
            upper, lower, end, tip = (found.get(f"{side}_{role}", -1) for role in kind)
            if min(upper, lower, end) < 0:
                continue
            if tip < 0:
                tip = max(
                    skeleton.children[end],
                    key=lambda kid: float(skeleton.offsets[kid] @ skeleton.offsets[kid]),
                    default=-1,
                )
            has_tip = tip >= 0 and float(np.linalg.norm(skeleton.offsets[tip])) > 1e-6
            # An animal stands on its toes: its ankle is never on the ground.
            result.append(_Limb(upper, lower, end, ((tip,) if four else (end, tip)) if has_tip else (end,)))
    return result


def _leg_length(world: Array, limbs: list[_Limb]) -> float:
    limb = limbs[0]
    bones = [
        np.linalg.norm(world[:, b] - world[:, a], axis=1) for a, b in ((limb.upper, limb.lower), (limb.lower, limb.end))
    ]
    return float(np.median(bones[0] + bones[1]))


def _sloped(places: Array, slow: Mask, near: float, leg: float) -> Array:
    """(F, n) how much higher the ground lies under each point than amid the clip: captured floors are often tilted.

    A plane through the slow points, of which those that hang higher than `near` above it are left out step by step; level
    where they cover too little ground to tell.
    """
    points = places.shape[1]
    centre = np.median(places[..., ::2].reshape(-1, 2), axis=0)
    flat = places[..., ::2] - centre
    height = places[..., 1] - np.percentile(places[..., 1], _LOWEST, axis=0)
    column = np.broadcast_to(np.arange(points), slow.shape)
    used = slow & (height < 3.0 * near)
    slope = np.zeros(2)
    for _ in range(_FITS):
        spread = flat[used]
        if len(spread) < 3 * points or np.linalg.norm(np.ptp(spread, axis=0)) < leg:
            return np.zeros(slow.shape)
        # Damped, so that a direction in which nobody walked stays level.
        rows = np.concatenate(
            [np.c_[spread, np.eye(points)[column[used]]], 0.3 * leg * np.eye(2, 2 + points) * len(spread) ** 0.5]
        )
        found = np.linalg.lstsq(rows, np.concatenate([height[used], np.zeros(2)]), rcond=None)[0]
        slope = found[:2]
        used = slow & (np.abs(height - flat @ slope - found[2:]) < near)
    return np.asarray(flat @ slope) if np.linalg.norm(slope) < _STEEPEST else np.zeros(slow.shape)


def _levels(heights: Array, limbs: list[_Limb]) -> Array:
    """(n,) the height at which each point stands: its own low percentile, or its twin's on the other side if lower."""
    own = np.percentile(heights, _LOWEST, axis=0)
    level = own.copy()
    starts = np.cumsum([0, *(len(limb.points) for limb in limbs)])
    for a in range(0, len(limbs) - 1, 2):
        if len(limbs[a].points) == len(limbs[a + 1].points):
            left, right = slice(starts[a], starts[a + 1]), slice(starts[a + 1], starts[a + 2])
            level[left] = level[right] = np.minimum(own[left], own[right])
    return level


def _speeds(places: Array, fps: float, window_s: float) -> Array:
    """(F, n) metres a second, as the mean over a window about each frame."""
    frames = len(places)
    half = max(1, round(0.5 * window_s * fps))
    at = np.arange(frames)
    before, after = np.maximum(at - half, 0), np.minimum(at + half, frames - 1)
    way = np.linalg.norm(places[after] - places[before], axis=-1)
    return np.asarray(way * (fps / np.maximum(after - before, 1))[:, None])


def _settled(kept: Mask, caught: Mask, shortest: int) -> Mask:
    """Runs of `kept` with a frame of `caught` in them, short gaps closed, and short runs left out."""
    result = np.zeros_like(kept)
    for start, stop in _runs(kept):
        result[start:stop] = caught[start:stop].any()
    for start, stop in _runs(~result):
        if stop - start < shortest and start > 0 and stop < len(result):
            result[start:stop] = True
    for start, stop in _runs(result):
        # A run that the clip cuts off may be the rest of a longer one.
        if stop - start < shortest and start > 0 and stop < len(result):
            result[start:stop] = False
    return result


def stands(standing: Mask) -> NDArray[np.int64]:
    """(F,) which stand each frame belongs to, counted from 1; 0 where the limb does not stand.

    >>> stands(np.array([True, True, False, True])).tolist()
    [1, 1, 0, 2]
    """
    result = np.zeros(len(standing), dtype=np.int64)
    for number, (start, stop) in enumerate(_runs(standing)):
        result[start:stop] = number + 1
    return result


def _any(on: Mask) -> Mask:
    """(F,) whether any column of `on` (F, n) is true."""
    return np.asarray(on.any(axis=1), dtype=np.bool_)


def _runs(mask: Mask) -> list[tuple[int, int]]:
    """Where `mask` is true: (first frame, frame after the last) of every run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
