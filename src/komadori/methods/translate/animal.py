"""The animal that is driven: which of its clips teaches, that clip without its travel, and when its feet stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
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
_NEAR = 0.02
"""Leg lengths within which another root counts as hung on the end of a leg."""
_LEAST_STANCE = 0.1
_SOLE = 0.03
"""Leg lengths above its lowest joint up to which a joint of a foot may be what it stands on."""
_FLOOR = 0.25
"""Leg lengths from y = 0 within which feet are taken to stand on it."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """A clip of the animal, on the spot and facing +Z: what the translators learn from.

    `still` is the clip without travel and heading, loose hooves hung on their legs; `on` (F, 4) when its feet stand (LH,
    RH, LF, RF); `points` the joint that stands of each, and `heights` at which; `skeleton` the animal's own, with
    `followers`, pairs of a root of its own and the joint that it hangs on.
    """

    name: str
    still: Motion
    loop: bool
    on: NDArray[np.bool_]
    points: tuple[int, ...]
    heights: tuple[float, ...]
    skeleton: Skeleton
    followers: tuple[tuple[int, int], ...]
    leg_m: float
    travels: bool
    """Whether the clip itself goes anywhere; drawn loops often walk on the spot, with feet that slide."""
    floor: float = 0.0
    """The height of the ground in the clip, which `still` has at 0."""

    @property
    def footfalls(self) -> Footfalls | None:
        """Its gait."""
        return gaits.footfalls(self.on, self.still.fps, self.loop)


def clip_of(animal: Character | Motion) -> tuple[str, Motion]:
    """The animal's clip of a walk, with its name; a clip that is given alone is taken as it is."""
    if isinstance(animal, Motion):
        return "", animal
    for name, motion in animal.motions.items():
        last = name.lower().rpartition("|")[2]
        if (last.startswith("walk") or last.endswith("walk")) and len(motion) > 4:
            return name, motion
    listed = ", ".join(list(animal.motions)[:8]) or "none"
    raise OptionError("animal", expected=Note("a clip with walk in its name to learn from"), found=unquoted(listed))


def lesson(name: str, clip: Motion, fps: float) -> Lesson:
    """`clip` made ready to teach, at `fps`."""
    finite(clip, "the animal's clip")
    skeleton = clip.skeleton
    if roles.body_plan(skeleton, clip.pose(0)) != "quadruped":
        raise OptionError("animal", expected=Note("four legs to walk on"), found=Note("none that were recognised"))
    clip, loop = _unlooped(clip.resampled(fps))
    leg = leg_length(skeleton, roles.known(skeleton), clip.world_positions())
    followers = _followers(skeleton, clip.world_positions(), leg)
    clip = _hung(clip, followers)
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
    # Left and right stand at one height: where they do not, that is the drawing's slip and not the animal's way.
    heights = np.repeat(0.5 * (heights[::2] + heights[1::2]), 2) - floor
    still = _raised(still, -floor)
    return Lesson(name, still, loop, on, points, tuple(heights.tolist()), skeleton, followers, leg, travels, floor)


def another(name: str, clip: Motion, taught: Lesson) -> Lesson:
    """Another clip of the animal of `taught`, read with the same feet."""
    finite(clip, "the animal's clip")
    clip, loop = _unlooped(clip.resampled(taught.still.fps))
    clip = _hung(clip, taught.followers)
    still, travels = _stilled(clip)
    still = _raised(still, -taught.floor)
    places = still.world_positions()[:, list(taught.points)]
    found = feet.contacts(clip).on
    if not travels or found.shape[1] != 4 or found.mean(axis=0).min() < _LEAST_STANCE:
        found = standing(places, still.fps, loop)
    on = found
    return Lesson(
        name, still, loop, on, taught.points, taught.heights, taught.skeleton, taught.followers, taught.leg_m,
        travels, taught.floor,
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
    """`motion` of the lesson's skeleton on the animal's own, in which loose hooves are roots."""
    if not taught.followers:
        return motion
    turned, places = motion.world_transforms()
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    for root, _ in taught.followers:
        rotations[:, root], positions[:, root] = turned[:, root], places[:, root]
    return Motion(taught.skeleton, motion.fps, quat.continuous(rotations), positions).noted(*motion.notes)


def _hung(clip: Motion, followers: tuple[tuple[int, int], ...]) -> Motion:
    """`clip` on a skeleton in which every loose root is a child of the joint that it lies on."""
    if not followers:
        return clip
    turned, places = clip.world_transforms()
    skeleton = clip.skeleton
    parents, offsets = np.array(skeleton.parents), np.array(skeleton.offsets)
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    for root, joint in followers:
        back = quat.inverse(turned[:, joint])
        parents[root] = joint
        rotations[:, root] = quat.multiply(back, turned[:, root])
        positions[:, root] = quat.rotate(back, places[:, root] - places[:, joint]).mean(axis=0)
        offsets[root] = positions[0, root]
    body = Skeleton(skeleton.names, parents, offsets, skeleton.rest, roles.known(skeleton))
    return Motion(body, clip.fps, quat.continuous(rotations), positions)


def _soles(skeleton: Skeleton, toes: tuple[int, ...], worlds: list[Array], leg: float) -> tuple[int, ...]:
    """What stands of all that hangs on each of `toes`, over the frames (F, J, 3) in which it does: below a horse's is a hoof.

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


def _followers(skeleton: Skeleton, world: Array, leg: float) -> tuple[tuple[int, int], ...]:
    """Roots after the first that lie on a joint of the body in every frame, with that joint."""
    found = []
    own = skeleton.below([0])
    for root in np.flatnonzero(skeleton.parents < 0)[1:].tolist():
        far = np.linalg.norm(world - world[:, [root]], axis=2).max(axis=0)
        far[~own] = np.inf
        far[root:] = np.inf
        nearest = int(np.argmin(far))
        if far[nearest] < _NEAR * leg:
            found.append((root, nearest))
    return tuple(found)
