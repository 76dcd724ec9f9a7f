"""Anatomy: the parts of an animal that act: legs with their bends and ranges, spine, neck, tail, and where its feet belong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.errors import OptionError, quoted
from komadori.methods.translate.animal import Lesson
from komadori.methods.translate.turning import applied, crossed
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

Joints = NDArray[np.intp]

UPPER = ("left_upper_leg", "right_upper_leg", "left_upper_arm", "right_upper_arm")
"""Where each leg begins, in the order LH, RH, LF, RF."""
HOOF = 0.22
"""Share of a leg, from the ground up, that is moved as a whole: hoof and pastern, or a paw."""
MARGIN, SIDEWAYS = np.radians(12.0), np.radians(15.0)
"""How far a joint may bend, and a thigh swing, beyond what the animal's own clips show; and a thigh sideways, which straight walks do not show."""
STRAIGHT = np.radians(4.0)
"""A joint that bends one way in all clips keeps this much bend."""
_LOCKED = np.radians(1.0)
_OTHER_WAY = 25.0
"""Percent of the frames that may show a joint bent the other way by mistake: a pastern, which does bend both ways, shows it in more."""
_LEFT = np.array([1.0, 0.0, 0.0])
_SAME = 1e-2
"""Leg lengths under which a bone has no length."""


@dataclass(frozen=True, eq=False)
class Legs:
    """Legs: arrays begin with one row for each.

    `paths` (L, m) are the joints from the trunk to the hoof, of which those from `first` on are solved for, the last (the
    hoof) turning as it is told; -1 where a leg has fewer joints than another: there nothing turns. `rest` (L, 4) is how the trunk, where the leg
    hangs on it, is turned in the mean pose; `hinges` (L, b, 3) about what the joints after it bend, in their parents' frames, `low` and `high` (L, b)
    the range of those bends in radians, `share` (L, b) how much of a common bend each takes, signed; `least` and `most` (L, 2) the range of the thigh against
    the trunk, forward and to the left; `longest` and `shortest` (L,) how far the hoof can be from the first of the joints.
    """

    feet: tuple[int, ...]
    paths: Joints
    first: int
    anchors: Joints
    offsets: Array
    sole: Array
    rest: Array
    hinges: Array
    low: Array
    high: Array
    share: Array
    least: Array
    most: Array
    longest: Array
    shortest: Array


@dataclass(frozen=True, eq=False)
class Anatomy:
    """What of the animal moves how. Joints are those of `skeleton`, in which loose hooves hang on their legs."""

    skeleton: Skeleton
    unit_m: float
    """Height of the hind legs' upper ends over the ground: the animal's measure."""
    legs: Legs
    points: tuple[int, ...]
    heights: Array
    positions: Array
    """(J, 3) where every joint lies against its parent."""
    hips: int
    centre: Array
    """The hips in the body's own frame, over the middle of which the body leans."""
    still: Joints
    """Joints that do not follow the cycle: from the root to the hips, and between the hips and the hind legs."""
    spine: Joints
    neck: Joints
    head: Joints
    tail: Joints


def anatomy(taught: Lesson, clips: Sequence[Motion]) -> Anatomy:
    """The anatomy of the animal of `taught`; `clips` (on the same joints, on the spot) show how far its joints bend."""
    still, skeleton = taught.still, taught.still.skeleton
    known, world = roles.known(skeleton), still.world_positions()
    missing = [role for role in (*UPPER, "hips") if role not in known]
    if missing:
        raise OptionError(
            "animal",
            problem=Note("no {role} was recognised in the animal", role=missing[0]),
        )
    uppers = [known[role] for role in UPPER]
    heights = np.array(taught.heights)
    unit = float(np.mean(world[:, uppers[:2], 1]) - heights[:2].mean())
    trunk = _ancestors(skeleton, [known["hips"], *(known[r] for r in ("chest", "upper_chest", "neck") if r in known)])
    positions = np.median(still.positions, axis=0)
    builds: dict[tuple[int, int, int], list[int]] = {}
    paths: list[list[int]] = []
    firsts: list[int] = []
    for foot, (upper, point) in enumerate(zip(uppers, taught.points, strict=True)):
        path, first = _path(skeleton, upper, point, trunk, world)
        paths.append(path)
        firsts.append(first)
        # Hind and fore legs bend their own ways, however alike they are built.
        builds.setdefault((len(path), first, foot // 2), []).append(foot)
    legs = _merged(
        [
            _legs(taught, tuple(feet), [paths[f] for f in feet], first, positions, clips)
            for (_, first, _), feet in builds.items()
        ]
    )
    hips = known["hips"]
    between = [joint for path in legs.paths[:, : legs.first] for joint in path.tolist() if joint >= 0]
    hind = [j for j in between if skeleton.below([hips])[j] and not _on_spine(skeleton, j, known, hips)]
    spine, neck = _columns(skeleton, known, hips)
    centre = world[:, hips].mean(axis=0)
    tail = _chain(skeleton, known["tail"]) if "tail" in known else []
    return Anatomy(
        skeleton, unit, legs, taught.points, heights, positions, hips, centre,
        _array([*_ancestors(skeleton, [hips]), *hind]), _array(spine), _array(neck),
        _array([known["head"]] if "head" in known else []), _array(tail),
    )  # fmt: skip


def _array(joints: Sequence[int]) -> Joints:
    return np.array(list(joints), dtype=np.intp)


def _ancestors(skeleton: Skeleton, joints: Sequence[int]) -> list[int]:
    """The joints and everything above them, in order."""
    found: set[int] = set()
    for joint in joints:
        while joint >= 0:
            found.add(int(joint))
            joint = int(skeleton.parents[joint])
    return sorted(found)


def _path(skeleton: Skeleton, upper: int, point: int, trunk: list[int], world: Array) -> tuple[list[int], int]:
    """The joints from the trunk (not included) to the hoof that is moved as a whole, and which of them is `upper`."""
    path = [point]
    while int(skeleton.parents[path[0]]) >= 0 and int(skeleton.parents[path[0]]) not in trunk:
        path.insert(0, int(skeleton.parents[path[0]]))
    if upper not in path:
        raise OptionError(
            "animal",
            problem=Note(
                "no leg leads from {upper} to {foot}",
                upper=quoted(skeleton.names[upper]),
                foot=quoted(skeleton.names[point]),
            ),
        )
    first = path.index(upper)
    bones = np.linalg.norm(np.diff(world[:, path[first:]], axis=1), axis=2).mean(axis=0)
    rest = np.append(np.cumsum(bones[::-1])[::-1], 0.0)
    near = np.flatnonzero(rest <= HOOF * rest[0])
    end = int(near[0])
    while end + 1 < len(rest) and bones[end] < _SAME * rest[0] and rest[end + 1] > 0.0:
        end += 1
    if end < 2:
        end = min(2, len(rest) - 1)
    if end < 2:
        raise OptionError(
            "animal",
            problem=Note("the leg at {upper} has fewer than two bones", upper=quoted(skeleton.names[upper])),
        )
    return path[: first + end + 1], first


def _on_spine(skeleton: Skeleton, joint: int, known: Mapping[str, int], hips: int) -> bool:
    """Whether `joint` hangs on the fore part of the trunk rather than on the hips."""
    above = int(skeleton.parents[joint])
    while above >= 0 and above != hips:
        if above in (known.get("spine", -1), known.get("chest", -1), known.get("upper_chest", -1)):
            return True
        above = int(skeleton.parents[above])
    return False


def _columns(skeleton: Skeleton, known: Mapping[str, int], hips: int) -> tuple[list[int], list[int]]:
    """The joints of the spine after the hips, and of the neck before the head."""
    head = known.get("head", known.get("neck", hips))
    line: list[int] = []
    joint = head
    while joint >= 0 and joint != hips:
        line.insert(0, joint)
        joint = int(skeleton.parents[joint])
    if joint != hips:
        return [], []
    start = line.index(known["neck"]) if known.get("neck") in line else max(len(line) - 2, 0)
    return line[:start], [j for j in line[start:] if j != head]


def _chain(skeleton: Skeleton, joint: int) -> list[int]:
    """`joint` and what follows it to the tip, that tip omitted."""
    found = []
    while skeleton.children[joint]:
        found.append(joint)
        joint = skeleton.children[joint][0]
    return found


def _legs(
    taught: Lesson, feet: tuple[int, ...], paths: list[list[int]], first: int, positions: Array, clips: Sequence[Motion]
) -> Legs:
    skeleton = taught.still.skeleton
    turned, _ = kinematics.world_transforms(skeleton, quat.mean(taught.still.rotations)[None], positions[None])
    rest = np.array([turned[0, skeleton.parents[path[0]]] for path in paths])
    offsets = positions[np.array(paths)]
    hinges = np.array([quat.rotate(quat.inverse(turned[0, path[first:-2]]), _LEFT) for path in paths])
    bent, swung = [], []
    mirror = np.array([[1.0, 1.0 if foot % 2 == 0 else -1.0] for foot in feet])
    for n, path in enumerate(paths):
        for clip in clips:
            bent.append(bend_angles(clip.rotations[:, path[first + 1 : -1]], offsets[n, first + 1 :], hinges[n]))
            thigh = np.tile(rest[n], (len(clip), 1))
            for joint in path[: first + 1]:
                thigh = quat.multiply(thigh, clip.rotations[:, joint])
            swung.append(mirror[n] * thigh_angles(quat.rotate(thigh, offsets[n, first + 1])))
    # Left and right share their ranges: what one side does, the other can do.
    merged, thighs = np.concatenate(bent), np.concatenate(swung)
    fewest, farthest = merged.min(axis=0), merged.max(axis=0)
    usual = np.concatenate(bent[:: len(clips)])
    reach = np.stack([thighs.min(axis=0), thighs.max(axis=0)]) + np.outer([-1.0, 1.0], [MARGIN, SIDEWAYS])
    ends = np.sort(mirror[:, None] * reach, axis=1)
    world = taught.still.world_positions()
    bones = np.linalg.norm(np.diff(world[:, paths[0][first:]], axis=1), axis=2).mean(axis=0)
    solid = (bones[1:] > _SAME * bones.sum()) & (bones[:-1] > _SAME * bones.sum())
    sign = np.sign(np.median(usual, axis=0))
    low, high = fewest - MARGIN, farthest + MARGIN
    # Captured joints overextend now and then, some by a lot: their usual movement says which way they bend.
    one_way = np.percentile(usual * sign, _OTHER_WAY, axis=0) > -_LOCKED
    low = np.where(one_way & (sign > 0), np.maximum(low, np.minimum(STRAIGHT, np.maximum(fewest, _LOCKED))), low)
    high = np.where(one_way & (sign < 0), np.minimum(high, -np.minimum(STRAIGHT, np.maximum(-farthest, _LOCKED))), high)
    share = np.where(solid, _folding(world, [path[first:] for path in paths], usual), 0.0)
    low, high = np.where(solid, low, -np.inf), np.where(solid, high, np.inf)
    turned, places = taught.still.world_transforms()
    soles = []
    for foot, path in zip(feet, paths, strict=True):
        on = taught.on[:, foot] if taught.on[:, foot].any() else np.ones(len(world), dtype=bool)
        away = places[on, taught.points[foot]] - places[on, path[-1]]
        soles.append(np.median(quat.rotate(quat.inverse(turned[on, path[-1]]), away), axis=0))
    # The longest and the shortest leg that these bends allow, from the usual pose.
    swept = np.median(usual, axis=0) + np.linspace(-3.0, 3.0, 241)[:, None] * share
    length = _length(bones, np.clip(swept, np.where(solid, low, 0.0), np.where(solid, high, 0.0)))
    legs = len(feet)
    return Legs(
        feet, np.array(paths, dtype=np.intp), first,
        _array([int(skeleton.parents[path[0]]) for path in paths]), offsets,
        np.array(soles), rest, hinges, np.tile(low, (legs, 1)), np.tile(high, (legs, 1)), np.tile(share, (legs, 1)),
        ends[:, 0], ends[:, 1], np.full(legs, length.max()), np.full(legs, length.min()),
    )  # fmt: skip


def _merged(builds: Sequence[Legs]) -> Legs:
    """Legs of several builds as one of four legs: shorter ones get joints that do nothing."""
    first = max(build.first for build in builds)
    bones = max(build.paths.shape[1] - 1 - build.first for build in builds)
    rows: dict[int, tuple[object, ...]] = {}
    for build in builds:
        own = build.paths.shape[1] - 1 - build.first
        for leg, foot in enumerate(build.feet):
            path = np.full(first + bones + 1, -1, dtype=np.intp)
            offsets = np.zeros((len(path), 3))
            start = first - build.first
            path[start : start + build.first + own] = build.paths[leg, :-1]
            offsets[start : start + build.first + own] = build.offsets[leg, :-1]
            # The last bone leads to the joints that do nothing, and the hoof lies where they do.
            offsets[start + build.first + own] = build.offsets[leg, -1]
            path[-1] = build.paths[leg, -1]
            low, high, share = np.full(bones - 1, -np.inf), np.full(bones - 1, np.inf), np.zeros(bones - 1)
            hinges = np.tile(_LEFT, (bones - 1, 1))
            hinges[: own - 1] = build.hinges[leg]
            low[: own - 1], high[: own - 1], share[: own - 1] = build.low[leg], build.high[leg], build.share[leg]
            rows[foot] = (
                path, int(build.anchors[leg]), offsets, build.sole[leg], build.rest[leg], hinges, low, high, share,
                build.least[leg], build.most[leg], float(build.longest[leg]), float(build.shortest[leg]),
            )  # fmt: skip
    paths, anchors, *others = (np.array(part) for part in zip(*(rows[foot] for foot in sorted(rows)), strict=True))
    return Legs(tuple(sorted(rows)), paths, first, anchors.astype(np.intp), *others)


def bend_angles(local: Array, offsets: Array, hinges: Array) -> Array:
    """(n, L, b) bends between bones, in radians about `hinges` (L, b, 3), from local rotations (n, L, b, 4) of the joints between them.

    `offsets` (L, b + 1, 3): where those joints, and the one after, lie against their parents. Nothing else counts, wherever the body leans.
    """
    after = applied(local, offsets[..., 1:, :])
    before = offsets[..., :-1, :]
    across = crossed(hinges, before)
    flat = before - (before * hinges).sum(axis=-1, keepdims=True) * hinges
    # Forward is positive, and the hinge points to the left.
    return np.asarray(-np.arctan2((after * across).sum(axis=-1), (after * flat).sum(axis=-1)))


def thigh_angles(bone: Array) -> Array:
    """(..., 2) how far bones (..., 3) point forward and to the left, in radians."""
    down = np.hypot(bone[..., 2], bone[..., 1])
    return np.stack([np.arctan2(bone[..., 2], -bone[..., 1]), np.arctan2(bone[..., 0], down)], axis=-1)


def pose_angles(legs: Legs, rotations: Array) -> tuple[Array, Array]:
    """Bends (n, 4, b) and thighs (n, 4, 2; forward and to the left) of a whole body's local rotations (n, J, 4), in radians."""
    first, paths, offsets = legs.first, legs.paths, legs.offsets
    local = np.where((paths >= 0)[..., None], rotations[:, np.maximum(paths, 0)], quat.IDENTITY)
    thigh = legs.rest
    for k in range(first + 1):
        thigh = quat.multiply(thigh, local[:, :, k])
    bent = bend_angles(local[:, :, first + 1 : -1], offsets[:, first + 1 :], legs.hinges)
    return bent, thigh_angles(quat.rotate(thigh, offsets[:, first + 1]))


def _length(bones: Array, bend: Array) -> Array:
    """(n,) how far the ends of bones (b,) are apart, with bends (n, b - 1) between them."""
    angles = np.concatenate([np.zeros((len(bend), 1)), np.cumsum(bend, axis=1)], axis=1)
    return np.asarray(np.hypot((bones * np.cos(angles)).sum(axis=1), (bones * np.sin(angles)).sum(axis=1)))


def _folding(world: Array, paths: Sequence[Sequence[int]], usual: Array) -> Array:
    """(b,) how much each bend takes part when the animal itself makes its leg shorter, the most of them 1."""
    far = np.concatenate([np.linalg.norm(world[:, path[-1]] - world[:, path[0]], axis=1) for path in paths])
    shorter = far.mean() - far
    slopes = np.asarray((usual - usual.mean(axis=0)).T @ shorter)
    return slopes / max(float(np.abs(slopes).max()), 1e-12)
