"""Contacts: which points of the feet stand on the ground, in which frames, and how much they slip there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import frozen
from komadori.words import Note

Mask = NDArray[np.bool_]

HEIGHT = 0.06
SPEED = 0.6
"""Defaults of `contacts`: leg lengths, and leg lengths per second."""
RELEASE = 1.25
"""Hysteresis: a planted foot is released at thresholds this much wider, so that the contact does not flicker."""
_SHORTEST_S = 0.07
"""Contacts and gaps shorter than this do not count as steps."""
_WINDOW_S = 0.05
"""Speeds are taken over this time: captured points jitter from frame to frame."""
_TRAVEL_S = 0.25
_ROLLING = 0.2
"""A standing point may move at this share of the body's own speed, itself taken over a quarter of a second."""
_LOWEST = 5.0
"""Percentile of a point's heights that counts as its planted height; the minimum may be an outlier."""
_FITS = 4
_RAISED = 0.25
"""A foot this many leg lengths above its own hip joint stands on nothing: the body is upside down, or kicks."""
_STEEPEST = 0.1
"""A floor may be tilted by this much; more would be stairs or a climb."""


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
        columns = columns_of(self)
        return np.array([anywhere(self.on[:, c]) for c in columns], dtype=bool).reshape(len(columns), len(self)).T

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
    """How far standing feet move over the ground, in metres."""

    per_second: float
    """Metres in a second of standing, on average."""
    per_frame: float
    """Metres from one frame to the next, on average."""
    largest: float
    """The largest of those steps."""
    worst: float
    """Metres in any one contact, from touchdown to liftoff."""
    steps: int
    """The number of pairs of frames."""


@dataclass(frozen=True)
class Limb:
    """The joints of one leg: the chain that is solved, and the points that stand (the last is the foremost)."""

    upper: int
    lower: int
    end: int
    points: tuple[int, ...]


def contacts(motion: Motion, *, height: float = HEIGHT, speed: float = SPEED) -> Contacts:
    """Which points of the feet stand, in which frames.

    A point stands while it is lower than `height` leg lengths above its usual lowest place and slower than `speed` leg
    lengths per second; both are wider for one that already stands, gaps and contacts of a few hundredths of a second
    are taken out. What counts is time, not frames: 24 and 120 fps give the same contacts.
    """
    if not (np.isfinite(height) and height > 0.0):
        raise OptionError("height", expected=Note("a number of leg lengths above 0"), found=height)
    if not (np.isfinite(speed) and speed > 0.0):
        raise OptionError("speed", expected=Note("a number of leg lengths per second, above 0"), found=speed)
    limbs = limbs_of(motion)
    joints = tuple(point for limb in limbs for point in limb.points)
    owners = tuple(i for i, limb in enumerate(limbs) for _ in limb.points)
    if not limbs or len(motion) == 0:
        notes = (
            ()
            if limbs
            else (
                Note(
                    "No legs were recognised, so foot contacts are unknown. Use komadori info to see which joints were."
                ),
            )
        )
        return Contacts(joints, owners, np.zeros((len(motion), len(joints)), dtype=bool), 0.0, notes)
    world = motion.world_positions()
    places = world[:, list(joints)]
    leg = max(_leg_length(world, limbs), 1e-9)
    fast = _speeds(places, motion.fps, _WINDOW_S) / leg
    # In a run, feet roll over the ground, so "slow" is relative to the body's own speed.
    travel = _speeds(world[:, [limb.upper for limb in limbs]].mean(axis=1)[:, None], motion.fps, _TRAVEL_S) / leg
    fast = fast / np.maximum(1.0, _ROLLING * travel / speed)
    heights = places[..., 1] - _sloped(places, fast < speed, height * leg, leg)
    above = (heights - _levels(heights, limbs)) / leg
    hips = np.stack([world[:, limbs[owner].upper, 1] for owner in owners], axis=1)
    above = np.where(places[..., 1] - hips > _RAISED * leg, np.inf, above)
    caught = (above < height) & (fast < speed)
    kept = (above < RELEASE * height) & (fast < RELEASE * speed)
    shortest = max(1, round(_SHORTEST_S * motion.fps))
    on = np.stack([_settled(kept[:, i], caught[:, i], shortest) for i in range(len(joints))], axis=1)
    return Contacts(joints, owners, on, float(np.percentile(places[..., 1].min(axis=1), _LOWEST)))


def slippage(motion: Motion, contacts: Contacts, source: NDArray[np.int64] | None = None) -> Slip:
    """How far standing feet move over the ground from one frame to the next: the one definition of foot slip.

    A foot that rolls turns about one of its points, so of the points that stand before or after a step the one that moves least
    counts. `motion` may be retimed: its frame f then shows frame `source`[f] of the clip that `contacts` were found in, a held
    drawing does not slip, and where omission leaps from one stand to another the foot has stepped.
    """
    if source is None:
        check(motion, contacts)
    frames = np.arange(len(contacts)) if source is None else np.asarray(source)
    if not contacts.joints or len(motion) < 2:
        return Slip(0.0, 0.0, 0.0, 0.0, 0)
    places = motion.world_positions()[:, list(contacts.joints)][..., ::2]
    found, worst = [], 0.0
    for columns in columns_of(contacts):
        stand = stands(anywhere(contacts.on[:, columns]))[frames]
        rows = np.flatnonzero((stand[1:] == stand[:-1]) & (stand[1:] > 0))
        way = np.linalg.norm(places[rows + 1][:, columns] - places[rows][:, columns], axis=-1)
        on = contacts.on[frames][:, columns]
        way = np.where(on[rows] | on[rows + 1], way, np.inf).min(axis=1)
        found.append(way)
        worst = max(worst, float(np.bincount(stand[rows], way).max(initial=0.0)) if len(rows) else 0.0)
    slips = np.concatenate(found)
    mean = float(slips.mean()) if len(slips) else 0.0
    return Slip(mean * motion.fps, mean, float(slips.max(initial=0.0)), worst, len(slips))


def standing_steps(places: Array, on: Mask) -> tuple[Array, Mask]:
    """Horizontal steps (F - 1, 2) of the point that stands before and after each, and whether one does (F - 1,)."""
    both = on[1:] & on[:-1]
    steps = np.diff(places[..., ::2], axis=0)
    # The last point is the foremost: while toes stand, the ankle may turn about them.
    chosen = both.shape[1] - 1 - np.argmax(both[:, ::-1], axis=1)
    step = np.take_along_axis(steps, chosen[:, None, None], axis=1)[:, 0]
    stood = anywhere(both)
    return np.where(stood[:, None], step, 0.0), stood


def columns_of(contacts: Contacts) -> list[list[int]]:
    """The columns of `on` that belong to each limb."""
    return [[c for c, owner in enumerate(contacts.limbs) if owner == limb] for limb in sorted(set(contacts.limbs))]


def check(motion: Motion, contacts: Contacts) -> None:
    """An OptionError if `contacts` are those of another motion."""
    if len(contacts) != len(motion):
        raise OptionError(
            "contacts",
            expected=Note("as many frames as the motion has ({count})", count=len(motion)),
            found=len(contacts),
        )
    if contacts.joints and max(contacts.joints) >= len(motion.skeleton):
        raise OptionError("contacts", problem=Note("the contacts are of joints that the motion does not have"))


def limbs_of(motion: Motion) -> list[Limb]:
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
            # An animal walks on its toes: its ankle is never on the ground.
            result.append(Limb(upper, lower, end, ((tip,) if four else (end, tip)) if has_tip else (end,)))
    return result


def _leg_length(world: Array, limbs: list[Limb]) -> float:
    limb = limbs[0]
    bones = [
        np.linalg.norm(world[:, b] - world[:, a], axis=1) for a, b in ((limb.upper, limb.lower), (limb.lower, limb.end))
    ]
    return float(np.median(bones[0] + bones[1]))


def _sloped(places: Array, slow: Mask, near: float, leg: float) -> Array:
    """(F, n) how much higher the ground lies under each point than in the middle of the clip: captured floors are often tilted.

    A plane through the slow points, of which those that hang higher than `near` above it are omitted step by step; level
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
        # Damped, so that the fit stays level along a direction in which nobody walked.
        rows = np.concatenate(
            [np.c_[spread, np.eye(points)[column[used]]], 0.3 * leg * np.eye(2, 2 + points) * len(spread) ** 0.5]
        )
        found = np.linalg.lstsq(rows, np.concatenate([height[used], np.zeros(2)]), rcond=None)[0]
        slope = found[:2]
        used = slow & (np.abs(height - flat @ slope - found[2:]) < near)
    return np.asarray(flat @ slope) if np.linalg.norm(slope) < _STEEPEST else np.zeros(slow.shape)


def _levels(heights: Array, limbs: list[Limb]) -> Array:
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
    """(F, n) metres per second, as the mean over a window about each frame."""
    frames = len(places)
    half = max(1, round(0.5 * window_s * fps))
    at = np.arange(frames)
    before, after = np.maximum(at - half, 0), np.minimum(at + half, frames - 1)
    way = np.linalg.norm(places[after] - places[before], axis=-1)
    return np.asarray(way * (fps / np.maximum(after - before, 1))[:, None])


def _settled(kept: Mask, caught: Mask, shortest: int) -> Mask:
    """Runs of `kept` with a frame of `caught` in them, short gaps closed, and short runs left out."""
    result = np.zeros_like(kept)
    for start, stop in runs(kept):
        result[start:stop] = caught[start:stop].any()
    for start, stop in runs(~result):
        if stop - start < shortest and start > 0 and stop < len(result):
            result[start:stop] = True
    for start, stop in runs(result):
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
    for number, (start, stop) in enumerate(runs(standing)):
        result[start:stop] = number + 1
    return result


def anywhere(on: Mask) -> Mask:
    """(F,) whether any column of `on` (F, n) is true."""
    return np.asarray(on.any(axis=1), dtype=np.bool_)


def runs(mask: Mask) -> list[tuple[int, int]]:
    """Where `mask` is true: (first frame, frame after the last) of every run."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
