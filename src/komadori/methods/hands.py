"""Hands: fingers that were not captured hang relaxed, close to a fist in a strike, and lie flat on the ground."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat, roles
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

__all__ = ["HandsOptions", "HandsResult", "hands"]

SIDES = ("left", "right")
FINGERS = ("index", "middle", "ring", "little")
BONES = ("proximal", "intermediate", "distal")
THUMB = ("thumb_metacarpal", "thumb_proximal", "thumb_distal")
RELAXED = {"index": (14, 20, 10), "middle": (20, 24, 12), "ring": (25, 27, 14), "little": (28, 28, 14)}
"""Degrees that the joints of a hanging hand bend, from the knuckle on: more towards the little finger."""
FIST = (80, 95, 60)
THUMB_RELAXED, THUMB_FIST = (4, 6, 8), (18, 32, 42)
ONE_RELAXED, ONE_FIST = 24.0, 145.0
"""The same of a body whose fingers have one joint for all."""
STILL_DEG, POSED_DEG = 5.0, 30.0
"""Fingers that turn farther than this in the clip, or stand this far from the rest pose, were posed by somebody and are kept."""
THROWN = 3.3
"""A hand that moves this many times as fast as one that strikes, seen from the chest, throws or hits: it is closed as well."""
SAME_FIGHT_S = 2.5
"""Between strikes that follow one another within this time the hands stay closed."""
LOW, LYING = 0.13, 0.08
"""A hand begins to lie on the ground below the first height and lies there below the second, both in body heights..."""
QUICK, RESTING = 0.90, 0.35
"""...where it moves slower than this, in body heights per second: a wrist rolls over a hand that stands."""
OPENING_S = 0.1
"""It opens this long before it gets there."""
BLEND_S = 0.07
"""Hands change shape over some three times this."""
SPEED_S = 0.03
"""Speeds are those of paths smoothed over this time, or noise would be a strike."""


@dataclass(frozen=True, kw_only=True)
class HandsOptions:
    """What hands do that were not captured."""

    curl: float = parameter(
        1.0, "how far the fingers of a relaxed hand bend: 0 leaves them straight", low=0.0, high=2.0
    )
    fists: bool = parameter(True, "make a fist in a strike")
    flat: bool = parameter(True, "flatten a hand that rests on the ground")
    strike_m_s: float = parameter(
        1.7, "a hand that moves away from the shoulder faster than this is striking", unit="m/s", low=0.2, high=20.0
    )
    hold_s: float = parameter(
        0.7, "time for which a fist stays closed before and after the strike", unit="s", low=0.0, high=10.0
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class HandsResult(Result):
    """The motion with its hands, and what each hand does when: `fist` and `flat` map a side to (F,) shares from 0 to 1."""

    source_motion: Motion
    options: HandsOptions
    motion: Motion
    fist: Mapping[str, Array]
    flat: Mapping[str, Array]
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How many hands were given a shape, and for which share of the clip a hand is a fist or lies flat."""
        shares = [100.0 * _share(shown) for shown in (self.fist, self.flat)]
        return {"hands": Measure(len(self.fist)), "fist": Measure(shares[0], "%"), "flat": Measure(shares[1], "%")}


def _share(shown: Mapping[str, Array]) -> float:
    return float(np.mean([values > 0.5 for values in shown.values()])) if shown else 0.0


def _rows(result: HandsResult) -> list[Row]:
    measures = result.measures
    told = Note(
        "a fist for {fist:.0f} % of the time, flat on the ground for {flat:.0f} %",
        fist=measures["fist"].value,
        flat=measures["flat"].value,
    )
    return [(Note("hands"), told if result.fist else Note("as captured"))]


@method(
    HandsOptions,
    stage="shape",
    rows=_rows,
    panel=False,
    title="{path}: hands",
    example="komadori hands boxing.bvh --no-fists -o boxing_hands.bvh",
)
def hands(motion: Motion, options: HandsOptions) -> HandsResult:
    """`motion` with hands if it has none: relaxed, a fist in a strike, flat on the ground. Fingers that move stay as they are.

    A hand strikes where it shoots out from the shoulder faster than `strike_m_s`; on the way there and back it is a fist
    too. It lies flat where it is low and all but still. All of it is smooth in time, without state or randomness.
    """
    skeleton = motion.skeleton
    known = roles.known(skeleton)
    found = {side: fingers for side in SIDES if len(motion) and (fingers := _fingers(skeleton, known, side))}
    free = {side: fingers for side, fingers in found.items() if not _captured(motion, fingers)}
    if not free:
        why = (
            Fact("The fingers are already animated, so the hands were not changed.")
            if found
            else Fact("The body has no fingers to bend.")
        )
        return HandsResult(motion, options, motion, {}, {}, (why,))
    turned, world = kinematics.world_transforms(skeleton, motion.rotations, motion.positions)
    rest_turned, rest = (
        part[0] for part in kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    )
    height = _height(known, rest)
    rotations = np.array(motion.rotations)
    fist, flat = {}, {}
    # Somebody who strikes with one hand has the other closed as well.
    strikes = np.max([_striking(motion.fps, turned, world, known, side, height, options) for side in free], axis=0)
    for side, fingers in free.items():
        on_ground = _lying(motion.fps, world, known, side, height) if options.flat else np.zeros(len(motion))
        flat[side] = _smoothed(on_ground, BLEND_S * motion.fps)
        fist[side] = _smoothed(strikes, BLEND_S * motion.fps) * (1.0 - flat[side])
        bends = _bends(skeleton, known, side, fingers, rest_turned, rest)
        for joint, (axis, relaxed, closed) in bends.items():
            open_share = (1.0 - fist[side] - flat[side]) * options.curl
            angle = np.radians(open_share * relaxed + fist[side] * closed)
            rotations[:, joint] = quat.multiply(skeleton.rest[joint], quat.exp(angle[:, None] * axis))
    return HandsResult(motion, options, motion.replaced(quat.continuous(rotations)), fist, flat)


def _fingers(skeleton: Skeleton, known: Mapping[str, int], side: str) -> dict[str, tuple[int, ...]]:
    """Finger -> its joints from the knuckle on, by role; "all" where one joint called fingers moves the four."""
    if f"{side}_hand" not in known:
        return {}
    found = {}
    for finger in FINGERS:
        found[finger] = tuple(known[role] for bone in BONES if (role := f"{side}_{finger}_{bone}") in known)
    found["thumb"] = tuple(known[role] for bone in THUMB if (role := f"{side}_{bone}") in known)
    if not any(found[finger] for finger in FINGERS):
        under = skeleton.below([known[f"{side}_hand"]]) & ~skeleton.end_sites
        named = [n for n in np.flatnonzero(under) if "finger" in skeleton.names[n].lower() and n not in known.values()]
        found["all"] = tuple(int(joint) for joint in named[:1])
    return (
        {finger: joints for finger, joints in found.items() if joints}
        if any(found[f] for f in found if f != "thumb")
        else {}
    )


def _captured(motion: Motion, fingers: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether somebody has posed these fingers: half of the joints move, or stand far from the rest pose.

    A thumb alone says nothing: many captures contain a thumb that nobody measured.
    """
    joints = [joint for chain in fingers.values() for joint in chain]
    own = motion.rotations[:, joints]
    moves = quat.angle(quat.multiply(quat.inverse(own[:1]), own)).max(axis=0)
    away = quat.angle(quat.multiply(quat.inverse(motion.skeleton.rest[joints]), own)).max(axis=0)
    posed = (np.degrees(moves) > STILL_DEG) | (np.degrees(away) > POSED_DEG)
    return bool(2 * posed.sum() >= len(joints))


def _bends(
    skeleton: Skeleton,
    known: Mapping[str, int],
    side: str,
    fingers: Mapping[str, tuple[int, ...]],
    rest_turned: Array,
    rest: Array,
) -> dict[int, tuple[Array, float, float]]:
    """Joint -> its axis, seen from the joint itself, and the degrees that it bends about it relaxed and in a fist."""
    hand = known[f"{side}_hand"]
    first = next(chain[0] for name in ("middle", "index", "ring", "little", "all") if (chain := fingers.get(name)))
    ahead = _unit(rest[first] - rest[hand])
    across = _across(skeleton, hand, first, fingers, rest, ahead)
    palm = _unit(np.cross(ahead, across)) * (1.0 if side == "left" else -1.0)
    result = {}
    for finger, joints in fingers.items():
        for n, joint in enumerate(joints):
            if finger == "thumb":
                goal = _unit(0.5 * ahead - across + 0.7 * palm)
                relaxed, closed = float(THUMB_RELAXED[n]), float(THUMB_FIST[n])
            else:
                goal = palm
                relaxed, closed = (ONE_RELAXED, ONE_FIST) if finger == "all" else (RELAXED[finger][n], FIST[n])
            children = skeleton.children[joint]
            along = _unit(rest[children[0]] - rest[joint]) if len(children) else ahead
            axis = np.cross(along, goal)
            if np.linalg.norm(axis) > 0.1:
                result[joint] = (quat.rotate(quat.inverse(rest_turned[joint]), _unit(axis)), relaxed, closed)
    return result


def _across(
    skeleton: Skeleton, hand: int, first: int, fingers: Mapping[str, tuple[int, ...]], rest: Array, ahead: Array
) -> Array:
    """Over the palm towards the thumb's side, square to the fingers, in the rest pose."""
    if fingers.get("index") and fingers.get("little"):
        across = rest[fingers["index"][0]] - rest[fingers["little"][0]]
    else:
        beside = [joint for joint in skeleton.children[hand] if joint != first]
        thumbs = [joint for joint in beside if "thumb" in skeleton.names[joint].lower()] or beside
        # A rest pose with arms out has its palms down and its thumbs ahead.
        across = rest[thumbs[0]] - rest[hand] if thumbs else np.array([0.0, 0.0, 1.0])
    square = across - (across @ ahead) * ahead
    return _unit(square) if np.linalg.norm(square) > 1e-6 else np.array([0.0, 0.0, 1.0])


def _striking(
    fps: float,
    turned: Array,
    world: Array,
    known: Mapping[str, int],
    side: str,
    height: float,
    options: HandsOptions,
) -> Array:
    """(F,) from 0 to 1: whether the hand strikes, or is on its way to or from a strike."""
    shoulder = known.get(f"{side}_upper_arm")
    if not options.fists or shoulder is None or len(world) < 3:
        return np.zeros(len(world))
    chest = next((known[role] for role in ("upper_chest", "chest", "spine", "hips") if role in known), 0)
    hand = known[f"{side}_hand"]
    # Seen from the chest, because who spins with arms out does not strike; and as fast as a person of usual height would be.
    seen = quat.rotate(quat.inverse(turned[:, chest]), world[:, hand] - world[:, chest])
    seen = _smoothed(seen, SPEED_S * fps) * (1.65 / height)
    reach = _smoothed(np.linalg.norm(world[:, hand] - world[:, shoulder], axis=1), SPEED_S * fps) * (1.65 / height)
    speed = np.linalg.norm(np.gradient(seen, axis=0), axis=1) * fps
    out = np.gradient(reach) * fps
    limit = options.strike_m_s
    share = np.maximum(_ramp(out, 0.75 * limit, limit), _ramp(speed, 0.8 * THROWN * limit, THROWN * limit))
    near = round(0.5 * SAME_FIGHT_S * fps)
    # Widened and narrowed again, gaps that are short are closed; padded, so that the ends stay as they are.
    joined = -_widened(-_widened(np.pad(share, near), near), near)[near : -near or None]
    return _widened(joined, round(options.hold_s * fps))


def _lying(fps: float, world: Array, known: Mapping[str, int], side: str, height: float) -> Array:
    """(F,) from 0 to 1: whether the hand rests on the ground, which is where the lowest foot or hand usually is."""
    ends = [joint for role, joint in known.items() if role.endswith(("_foot", "_toes", "_hand"))]
    if not any(role.endswith("_foot") for role in known):
        # Nothing else tells where the ground is: of a body without legs, the hands would be the lowest.
        return np.zeros(len(world))
    ground = float(np.percentile(world[:, ends, 1].min(axis=1), 5))
    place = _smoothed(world[:, known[f"{side}_hand"]], SPEED_S * fps)
    speed = np.linalg.norm(np.gradient(place, axis=0), axis=1) * fps if len(place) > 1 else np.zeros(len(place))
    low = 1.0 - _ramp((place[:, 1] - ground) / height, LYING, LOW)
    return _widened(low * (1.0 - _ramp(speed / height, RESTING, QUICK)), round(OPENING_S * fps))


def _height(known: Mapping[str, int], rest: Array) -> float:
    """About how tall the body is, from its limbs: they are as long in any rest pose."""
    chains = (
        ("hips", "spine", "chest", "upper_chest", "neck", "head"),
        ("left_upper_leg", "left_lower_leg", "left_foot"),
    )
    total = 0.0
    for chain in chains:
        joints = [known[role] for role in chain if role in known]
        total += float(np.linalg.norm(np.diff(rest[joints], axis=0), axis=1).sum())
    return max(1.22 * total, 1e-6)


def _ramp(values: Array, low: float, high: float) -> Array:
    """0 up to `low`, 1 from `high` on, smoothly between."""
    t = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def _widened(values: Array, frames: int) -> Array:
    """The most of each frame and its neighbours up to `frames` away."""
    padded = np.pad(values, frames, mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * frames + 1).max(axis=-1))


def _smoothed(values: Array, sigma: float) -> Array:
    """A Gaussian mean over frames; the ends continue as they are."""
    reach = max(1, math.ceil(3.0 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-3)) ** 2)
    weights /= weights.sum()
    padded = np.pad(values, [(reach, reach)] + [(0, 0)] * (values.ndim - 1), mode="edge")
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0) @ weights)


def _unit(v: Array) -> Array:
    return np.asarray(v / max(float(np.linalg.norm(v)), 1e-12))
