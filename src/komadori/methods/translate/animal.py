"""The animal that is driven: which of its clips teaches, that clip without its travel, and its contacts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet, kinematics, quat, roles
from komadori.character import Character
from komadori.errors import OptionError, unquoted
from komadori.methods.translate import gaits
from komadori.methods.translate.aligning import headings, leg_length, smoothed
from komadori.methods.translate.features import finite
from komadori.methods.translate.gaits import Footfalls
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

LOW = 0.3
"""A foot is down in the lowest share of its heights, while it does not move forward against the body."""
_FORWARD = 0.1
"""Share of the foot's greatest speed up to which it does not count as moving forward."""
_LOOP = 0.06
"""A clip whose last pose lies within this (radians, the mean over joints) of its first is a loop."""
_NEAR, _MOSTLY = 0.02, 75.0
"""Leg lengths within which a loose joint counts as hung on the end of a leg, and in how many percent of the frames it must lie there."""
_LEAST_STANCE = 0.1
_STEP = 0.15
"""Leg lengths that every foot goes fore and aft in a clip that shows steps."""
WALKS = ("walk", "歩")
OTHER_WALKS = (
    "back",
    "backward",
    "backwards",
    "left",
    "right",
    "turn",
    "start",
    "stop",
    "jump",
    "sit",
    "eat",
    "attack",
    "hit",
)
"""Words that identify a clip of a walk, and words that say it is not a plain one."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")
_SOLE = 0.03
"""Leg lengths above its lowest joint up to which a joint of a foot may be what it stands on."""
_HELD, _FEWEST = 0.004, 5
"""Radians, and sizes of the body, within which a pose is held; and frames that a clip has at least."""
_FLOOR = 0.25
"""Leg lengths from y = 0 within which feet are taken to stand on it."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A clip of the animal, on the spot and facing +Z: what the translators learn from.

    `still` is the clip without travel and heading, loose hooves hung on their legs; `on` (F, 4) when its feet stand (LH,
    RH, LF, RF); `points` the joint that stands of each, and `heights` at which; `skeleton` the animal's own, with
    `followers`, pairs of its own joint that hangs loose and the joint that it lies on. Joint n of `still` is joint `order`[n] of `skeleton`.
    """

    name: str
    still: Motion
    loop: bool
    on: NDArray[np.bool_]
    points: tuple[int, ...]
    heights: tuple[float, ...]
    skeleton: Skeleton
    followers: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    leg_m: float
    travels: bool
    """Whether the clip itself goes anywhere; drawn loops often walk on the spot, with feet that slide."""
    floor: float = 0.0
    """The height of the ground in the clip, which `still` has at 0."""

    @property
    def footfalls(self) -> Footfalls | None:
        """Its gait."""
        return gaits.footfalls(self.on, self.still.fps, self.loop)


def clip_of(animal: Character | Motion) -> tuple[str, Motion] | None:
    """The animal's clip of a walk, with its name; a clip that is given alone is taken as it is. None if there is no such clip."""
    if isinstance(animal, Motion):
        return "", animal
    walks = [
        (sum(word in words for word in OTHER_WALKS), words != ["walk"], place, name)
        for place, (name, motion) in enumerate(animal.motions.items())
        if len(motion) >= _FEWEST and told(words := words_of(name), WALKS)
    ]
    return (min(walks)[-1], animal.motions[min(walks)[-1]]) if walks else None


def words_of(title: str) -> list[str]:
    """The words in a clip's name, without the armature's: `Armature|Wolf_WalkCycle` has wolf, walk and cycle."""
    last = title.rpartition("|")[2]
    return [word.lower() for word in _WORDS.findall(last)]


def told(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether one of `words` begins with one that is wanted."""
    return any(word.startswith(one) for word in words for one in wanted)


def unlearnable(animal: Character) -> OptionError:
    """The error for an animal that has no clip of a walk and does not stand on four legs either."""
    listed = ", ".join(list(animal.motions)[:8]) or "none"
    return OptionError("animal", expected=Note("a clip with walk in its name to learn from"), found=unquoted(listed))


def steps(taught: Lesson) -> bool:
    """Whether all four feet stand, and swing, in the animal's clip."""
    places = taught.still.world_positions()[:, list(taught.points), 2]
    return bool(
        taught.on.any(axis=0).all()
        and not taught.on.all(axis=0).any()
        and np.ptp(places, axis=0).min() > _STEP * taught.leg_m
    )


def lesson(name: str, clip: Motion, fps: float) -> Lesson:
    """`clip` made ready to teach, at `fps`."""
    finite(clip, "the animal's clip")
    skeleton = clip.skeleton
    if roles.body_plan(skeleton, clip.pose(0)) != "quadruped":
        raise OptionError("animal", problem=Note("no four legs were recognised"))
    clip, loop = _unlooped(_moving(clip).resampled(fps))
    leg = leg_length(skeleton, roles.known(skeleton), clip.world_positions())
    followers = followers_of(skeleton, clip.world_positions(), leg)
    order = order_of(skeleton, followers)
    clip = hung_by(clip, followers, order)
    still, travels = _stilled(clip)
    world = still.world_positions()
    found = feet.contacts(clip)
    if len(found.joints) != 4:
        raise OptionError("animal", expected=Note("four feet that can be recognised"), found=len(found.joints))
    on = found.on
    if not travels or on.mean(axis=0).min() < _LEAST_STANCE:
        # Feet that slide, as drawn ones do, are never seen to stand still.
        on = standing(world[:, list(found.joints)], still.fps, loop)
    stands = [on[:, foot] if on[:, foot].any() else np.ones(len(on), dtype=bool) for foot in range(4)]
    points = _soles(still.skeleton, found.joints, [world[stand] for stand in stands], leg)
    heights = np.array([np.median(world[stand, point, 1]) for point, stand in zip(points, stands, strict=True)])
    # Nearly all clips stand on the plane y = 0, the joints a little above or below it; those that do not are put there.
    floor = float(np.median(heights)) if abs(np.median(heights)) > _FLOOR * leg else 0.0
    # Left and right stand at one height: a difference is an error of the animation and not a trait of the animal.
    heights = np.repeat(0.5 * (heights[::2] + heights[1::2]), 2) - floor
    still = _raised(still, -floor)
    return Lesson(
        name, still, loop, on, points, tuple(heights.tolist()), skeleton, followers, order, leg, travels, floor
    )


def another(name: str, clip: Motion, taught: Lesson) -> Lesson:
    """Another clip of the animal of `taught`, read with the same feet."""
    finite(clip, "the animal's clip")
    clip, loop = _unlooped(_moving(clip).resampled(taught.still.fps))
    clip = hung_by(clip, taught.followers, taught.order)
    still, travels = _stilled(clip)
    still = _raised(still, -taught.floor)
    places = still.world_positions()[:, list(taught.points)]
    found = feet.contacts(clip).on
    if not travels or found.shape[1] != 4 or found.mean(axis=0).min() < _LEAST_STANCE:
        found = standing(places, still.fps, loop)
    on = found
    return Lesson(
        name, still, loop, on, taught.points, taught.heights, taught.skeleton, taught.followers, taught.order,
        taught.leg_m, travels, taught.floor,
    )  # fmt: skip


def _unlooped(clip: Motion) -> tuple[Motion, bool]:
    """`clip` without the frame that closes a loop, and whether it is one."""
    gap = quat.angle(quat.multiply(quat.inverse(clip.rotations[0]), clip.rotations[-1]))
    loop = bool(gap.mean() < _LOOP) and len(clip) > 4
    return (clip[:-1] if loop else clip), loop


def standing(places: Array, fps: float, loop: bool) -> NDArray[np.bool_]:
    """(F, 4) when feet at `places` (F, 4, 3) stand, of an animal on the spot that faces +Z: low, and not swinging forward."""
    height = places[..., 1]
    span = np.ptp(height, axis=0)
    low = height < height.min(axis=0) + LOW * np.maximum(span, 1e-6)
    ahead = places[..., 2]
    if loop:
        ahead = np.concatenate([ahead[-1:], ahead, ahead[:1]])
        speed = 0.5 * fps * (ahead[2:] - ahead[:-2])
    else:
        speed = np.gradient(ahead, axis=0) * fps
    return np.asarray(low & (speed < _FORWARD * np.maximum(speed.max(axis=0), 1e-6)))


def _stilled(clip: Motion) -> tuple[Motion, bool]:
    """The clip on the spot, facing +Z, and whether it had gone anywhere."""
    world = clip.world_positions()
    known = roles.known(clip.skeleton)
    turn = quat.inverse(headings(clip, world, 0.4))
    hips = world[:, known["hips"]]
    path = smoothed(hips, clip.fps, 0.25)
    steps = np.diff(path[:, ::2], axis=0)
    travels = float(np.linalg.norm(steps.sum(axis=0))) > 0.1 * leg_length(clip.skeleton, known, world)
    centre = (path if travels else np.tile(path.mean(axis=0), (len(path), 1))) * np.array([1.0, 0.0, 1.0])
    roots = np.flatnonzero(clip.skeleton.parents < 0)
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    rotations[:, roots] = quat.multiply(turn[:, None], clip.rotations[:, roots])
    positions[:, roots] = quat.rotate(turn[:, None], clip.positions[:, roots] - centre[:, None])
    return Motion(clip.skeleton, clip.fps, quat.continuous(rotations), positions), travels


def loosened(motion: Motion, taught: Lesson) -> Motion:
    """`motion` of the lesson's skeleton on the animal's own, in which loose hooves do not hang on their legs."""
    return loosened_by(motion, taught.skeleton, taught.followers, taught.order)


def loosened_by(
    motion: Motion, skeleton: Skeleton, followers: tuple[tuple[int, int], ...], order: tuple[int, ...]
) -> Motion:
    """Like `loosened`, on `skeleton`."""
    if not followers:
        return motion
    rotations, positions = loose(motion.rotations, motion.positions, motion.skeleton, skeleton, followers, order)
    return Motion(skeleton, motion.fps, quat.continuous(rotations), positions).noted(*motion.notes)


def hung(motion: Motion, taught: Lesson) -> Motion:
    """A motion of the animal's own skeleton on the lesson's, in which hooves hang on their legs: what `loosened` undoes."""
    return hung_by(motion, taught.followers, taught.order)


def loose(
    rotations: Array,
    positions: Array,
    body: Skeleton,
    skeleton: Skeleton,
    followers: tuple[tuple[int, int], ...],
    order: tuple[int, ...],
) -> tuple[Array, Array]:
    """Like `loosened_by`, of local rotations (F, J, 4) and positions (F, J, 3) of `body`."""
    turned, places = kinematics.world_transforms(body, rotations, positions)
    back = np.argsort(order)
    turned, places = turned[:, back], places[:, back]
    rotations, positions = rotations[:, back], positions[:, back]
    for joint, _ in followers:
        above = int(skeleton.parents[joint])
        if above < 0:
            rotations[:, joint], positions[:, joint] = turned[:, joint], places[:, joint]
        else:
            away = quat.inverse(turned[:, above])
            rotations[:, joint] = quat.multiply(away, turned[:, joint])
            positions[:, joint] = quat.rotate(away, places[:, joint] - places[:, above])
    return rotations, positions


def order_of(skeleton: Skeleton, followers: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """The joints in an order in which each comes after what it hangs on, or lies on."""
    above = dict(enumerate(skeleton.parents.tolist())) | dict(followers)
    order: list[int] = []
    done: set[int] = set()
    for joint in range(len(skeleton)):
        way = []
        while joint >= 0 and joint not in done and joint not in way:
            way.append(joint)
            joint = above[joint]
        order += way[::-1]
        done.update(way)
    return tuple(order)


def hung_by(clip: Motion, followers: tuple[tuple[int, int], ...], order: tuple[int, ...]) -> Motion:
    """`clip` on a skeleton in which every loose joint is a child of the joint that it lies on, its joints in that `order`."""
    if not followers:
        return clip
    turned, places = clip.world_transforms()
    skeleton = clip.skeleton
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    for loose_one, joint in followers:
        back = quat.inverse(turned[:, joint])
        parents[loose_one] = joint
        rotations[:, loose_one] = quat.multiply(back, turned[:, loose_one])
        positions[:, loose_one] = quat.rotate(back, places[:, loose_one] - places[:, joint]).mean(axis=0)
        offsets[loose_one] = positions[0, loose_one]
    at = list(order)
    place = np.argsort(order)
    names = tuple(skeleton.names[joint] for joint in order)
    known = {role: int(place[joint]) for role, joint in roles.known(skeleton).items()}
    above = np.where(parents >= 0, place[np.maximum(parents, 0)], -1)[at]
    body = Skeleton(names, above, offsets[at], skeleton.rest[at], known)
    return Motion(body, clip.fps, quat.continuous(rotations[:, at]), positions[:, at])


def _soles(skeleton: Skeleton, toes: tuple[int, ...], worlds: list[Array], leg: float) -> tuple[int, ...]:
    """What stands of everything below each of `toes`, over the frames (F, J, 3) in which it does: below a horse's is a hoof.

    Of what is low enough, the joint whose height changes least; left and right stand on the same one.
    """
    found: list[int] = []
    for left in range(0, len(toes), 2):
        pair = [np.flatnonzero(skeleton.below([toes[foot]])) for foot in (left, left + 1)]
        far = []
        for below, world in zip(pair, worlds[left : left + 2], strict=True):
            middle, spread = np.median(world[:, below, 1], axis=0), world[:, below, 1].std(axis=0)
            far.append(np.where(middle < middle.min() + _SOLE * leg, spread, np.inf))
        if len(far[0]) == len(far[1]) and np.isfinite(far[0] + far[1]).any():
            far = [far[0] + far[1]] * 2
        found += [int(below[np.argmin(one)]) for below, one in zip(pair, far, strict=True)]
    return tuple(found)


def _raised(motion: Motion, by: float) -> Motion:
    positions = np.array(motion.positions)
    positions[:, motion.skeleton.parents < 0, 1] += by
    return motion.replaced(positions=positions)


def followers_of(skeleton: Skeleton, world: Array, leg: float) -> tuple[tuple[int, int], ...]:
    """Joints outside the body that lie on a joint of it in nearly all frames, as hooves do that hang from a rig's root, with that joint."""
    hips = roles.known(skeleton).get("hips", 0)
    body = skeleton.below([hips])
    while hips >= 0:
        body[hips] = True
        hips = int(skeleton.parents[hips])
    found = []
    for loose_one in np.flatnonzero(~body).tolist():
        above = int(skeleton.parents[loose_one])
        if above >= 0 and not body[above]:
            # It follows that joint.
            continue
        # A leg that is too short for its target lets go of the hoof now and then.
        far = np.percentile(np.linalg.norm(world - world[:, [loose_one]], axis=2), _MOSTLY, axis=0)
        far[~body] = np.inf
        nearest = int(np.argmin(far))
        if far[nearest] < _NEAR * leg:
            found.append((loose_one, nearest))
    return tuple(found)


def _moving(clip: Motion) -> Motion:
    """`clip` without the stretches at its ends in which nothing moves: some walks are followed by a long hold."""
    if len(clip) < _FEWEST:
        return clip
    away = [
        quat.angle(quat.multiply(quat.inverse(clip.rotations[[end]]), clip.rotations)).max(axis=1)
        + np.abs(clip.positions - clip.positions[[end]]).max(axis=(1, 2)) / _size(clip)
        for end in (0, -1)
    ]
    moved = [np.flatnonzero(far > _HELD) for far in away]
    if not (len(moved[0]) and len(moved[1])):
        return clip
    start, stop = int(moved[0][0]) - 1, int(moved[1][-1]) + 2
    return clip[start:stop] if stop - start >= _FEWEST else clip


def _size(clip: Motion) -> float:
    """How large the body is, in metres."""
    return float(np.linalg.norm(np.ptp(clip[:1].world_positions()[0], axis=0))) or 1.0
