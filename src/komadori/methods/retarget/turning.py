"""How a body's turns become another's: limbs point the same way in the world, trunk, hands and feet turn alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from komadori import quat
from komadori.methods.retarget.bodies import SIDES, UP, Body, alike, neck_line, trunk_line
from komadori.quat import Array
from komadori.roles import FINGERS, THUMB

_ARM = ("upper_arm", "lower_arm", "hand")
_LEG = ("upper_leg", "lower_leg", "foot")
_DIGITS = (THUMB, *(FINGERS[i : i + 3] for i in range(0, 12, 3)))

BONES: tuple[tuple[str, str], ...] = tuple(
    (f"{side}_{role}", f"{side}_{after}")
    for side in SIDES
    for chain in (_ARM, _LEG, *_DIGITS)
    for role, after in pairwise(chain)
)
"""Bones that must point the same way in both bodies: from the joint of one role to that of the next."""
LIMBS: tuple[tuple[str, str], ...] = tuple(
    (f"{side}_{role}", f"{side}_{after}")
    for side in SIDES
    for role, after in (
        ("upper_arm", "lower_arm"),
        ("lower_arm", "hand"),
        ("upper_leg", "lower_leg"),
        ("lower_leg", "foot"),
    )
)
"""The bones over which the error of direction is stated."""
_NEXT = dict(BONES)
_ABOVE: dict[str, str] = {
    **{
        f"{side}_{role}": f"{side}_{before}"
        for side in SIDES
        for chain in (_ARM, (*_LEG, "toes"), *(("hand", *digit) for digit in _DIGITS))
        for before, role in pairwise(chain)
    },
}
_TRUNK = ("hips", "spine", "chest", "upper_chest", "neck")


def wanted_rotations(source: Body, target: Body, turned: Array, places: Array) -> dict[int, Array]:
    """World rotations (F, 4) of the target's joints that have something to do, by joint.

    `turned` (F, J, 4) and `places` (F, J, 3) are the source's world rotations and positions.
    """
    aligned = alignments(source, target)
    wanted: dict[int, Array] = {}

    def delta(joint: int) -> Array:
        return quat.multiply(turned[:, joint], quat.inverse(source.turned[joint]))

    def give(joint: int, moved: Array, align: Array) -> None:
        wanted[joint] = quat.multiply(moved, quat.multiply(align, target.turned[joint]))
        given[joint] = align

    given: dict[int, Array] = {}
    ahead = aligned["hips"]
    give(target.roles["hips"], delta(source.pelvis), ahead)
    carrying = [source.pelvis, *source.trunk]
    for joint, moved in _shared_out(source, target, carrying, target.trunk, [delta(j) for j in carrying]):
        give(joint, moved, ahead)
    if "head" in source.roles:
        top = carrying[-1]
        neck = source.neck or [top, source.roles["head"]]
        for joint, moved in _shared_out(source, target, neck, target.neck, [delta(j) for j in neck], ends=False):
            give(joint, moved, ahead)
    for role, align in aligned.items():
        if role in _TRUNK:
            continue
        own, other = target.roles[role], source.roles[role]
        give(own, delta(other), align)
        after = _NEXT.get(role)
        if after is not None and after in source.roles and after in target.roles:
            # Joints on the way that turn or slide by themselves bend the line from one role to the next.
            bone = quat.rotate(quat.inverse(target.turned[own]), target.line(role, after))
            line = places[:, source.roles[after]] - places[:, other]
            swing = quat.between(quat.rotate(wanted[own], bone), line)
            has_length = np.linalg.norm(line, axis=-1, keepdims=True) > 1e-9
            wanted[own] = np.where(has_length, quat.multiply(swing, wanted[own]), wanted[own])
        toes = source.roles.get(role.replace("foot", "toes"), -1) if role.endswith("_foot") else -1
        if toes >= 0:
            # Where joints are scaled or slide, toes lie elsewhere than the foot's own turn says: what is seen counts.
            told = quat.rotate(delta(other), source.places[toes] - source.places[other])
            wanted[own] = quat.multiply(_swing(told, places[:, toes] - places[:, other]), wanted[own])
    if not (source.rested and target.rested):
        _straighten(source, target, places, wanted)
    for joint, namesake in _namesakes(source, target):
        above = int(target.skeleton.parents[joint])
        if above in given and joint not in given:
            give(joint, delta(namesake), given[above])
    return wanted


def _straighten(source: Body, target: Body, places: Array, wanted: dict[int, Array]) -> None:
    """Swing trunk and neck, in `wanted`, until they point as the source's joints do.

    For poses that nobody made straight: how a spine is bent in them is unknown, and counts as no bend. The head keeps
    its own turn.
    """
    there, here = alike(source.roles, target.roles)
    moved = _posed(target, wanted, len(places))
    theirs, ours = trunk_line(places, there), trunk_line(moved, here)
    if theirs is not None and ours is not None and not (source.four or target.four):
        swing = _swing(ours, theirs)
        for joint in {target.roles["hips"], target.pelvis, *target.trunk} & wanted.keys():
            wanted[joint] = quat.multiply(swing, wanted[joint])
    moved = _posed(target, wanted, len(places))
    theirs, ours = neck_line(places, there), neck_line(moved, here)
    if theirs is not None and ours is not None:
        swing = _swing(ours, theirs)
        for joint in set(target.neck) & wanted.keys():
            wanted[joint] = quat.multiply(swing, wanted[joint])


def _posed(target: Body, wanted: dict[int, Array], frames: int) -> Array:
    """(F, J, 3) where the joints of the target's trunk and neck come to lie with those turns, its hips at the origin."""
    hips = target.roles["hips"]
    ends = [target.roles.get(role, -1) for role in ("neck", "head")]
    ends += [target.roles.get(f"{side}_{role}", -1) for side in SIDES for role in ("upper_leg", "upper_arm")]
    places = np.zeros((frames, len(target.skeleton), 3))
    turned = {hips: wanted[hips]}
    for joint in dict.fromkeys(joint for end in ends if end >= 0 for joint in target.path(hips, end)[1:]):
        above = int(target.skeleton.parents[joint])
        places[:, joint] = places[:, above] + quat.rotate(turned[above], target.skeleton.offsets[joint])
        turned[joint] = wanted.get(joint, quat.multiply(turned[above], target.local[joint]))
    return places


def _swing(ours: Array, theirs: Array) -> Array:
    """(F, 4) the shortest turns from one line to the other; none if one has no length."""
    has_length = np.minimum(*(np.linalg.norm(line, axis=-1) for line in (ours, theirs))) > 1e-9
    return np.where(has_length[:, None], quat.between(ours, theirs), quat.identity(len(ours)))


def _namesakes(source: Body, target: Body) -> list[tuple[int, int]]:
    """Joints of the target without a role, and those of the source that have the same name and none either."""
    there = {name: joint for joint, name in enumerate(source.skeleton.names)}
    playing = [{*body.roles.values(), *body.trunk, *body.neck} for body in (source, target)]
    return [
        (joint, there[name])
        for joint, name in enumerate(target.skeleton.names)
        if there.get(name, -1) not in {-1, *playing[0]}
        and joint not in playing[1]
        and not target.skeleton.end_sites[joint]
    ]


def alignments(source: Body, target: Body) -> dict[str, Array]:
    """For each role that both play, the world rotation (4,) that brings the target's pose to stand as the source's does.

    The whole body is turned to the same heading; then every limb, from its root on, swings the shortest way until its
    bones are parallel to the source's, so that an A-pose becomes a T-pose without a twist; feet are laid flat where
    the source's are, hands turned palm to palm where fingers tell.
    """
    heading = [body.heading for body in (source, target)]
    turn = 0.0 if heading[0] is None or heading[1] is None else heading[0] - heading[1]
    ahead = quat.from_axis_angle(UP, np.asarray(turn))
    result: dict[str, Array] = {"hips": ahead}
    for role in _in_order(source, target):
        before = result.get(_ABOVE.get(role, "hips"), ahead)
        side, _, kind = role.partition("_")
        after = _NEXT.get(role)
        if after is not None and after in source.roles and after in target.roles:
            swing = quat.between(quat.rotate(before, target.line(role, after)), source.line(role, after))
            result[role] = _untwisted(source, target, role, quat.multiply(swing, before))
        elif kind in ("foot", "hand") and side in SIDES:
            frame_of = _sole if kind == "foot" else _palm
            theirs, ours = frame_of(source, side), frame_of(target, side)
            result[role] = before
            if theirs is not None and ours is not None:
                result[role] = quat.multiply(theirs, quat.inverse(ours))
        elif kind == "" and role == "head" and not (source.rested and target.rested):
            found = alike(source.roles, target.roles)
            lines = [neck_line(body.places, own) for body, own in zip((source, target), found, strict=True)]
            result[role] = before
            if lines[0] is not None and lines[1] is not None:
                result[role] = quat.multiply(quat.between(quat.rotate(before, lines[1]), lines[0]), before)
        else:
            result[role] = before
    return result


def _untwisted(source: Body, target: Body, role: str, align: Array) -> Array:
    """`align` turned about the bone until elbow or knee bend the same way.

    Rest poses agree on that well enough; a moment of a motion, taken because there is none, may not.
    """
    rested = source.frame is None and target.frame is None
    if rested or role not in source.hinges or role not in target.hinges:
        return align
    bone = source.line(role, _NEXT[role])
    bone = bone / max(float(np.linalg.norm(bone)), 1e-12)
    flat = [axis - (axis @ bone) * bone for axis in (source.hinges[role], quat.rotate(align, target.hinges[role]))]
    if min(float(np.linalg.norm(axis)) for axis in flat) < 1e-6:
        return align
    angle = np.arctan2(quat.cross(flat[1], flat[0]) @ bone, flat[1] @ flat[0])
    return quat.multiply(quat.from_axis_angle(bone, np.asarray(angle)), align)


def _in_order(source: Body, target: Body) -> list[str]:
    """The roles that both play, those that hang from another after it."""
    order = [*_NEXT, *_ABOVE]
    first = [role for role in order if role.endswith(_LEG + _ARM)]
    ranked = list(dict.fromkeys([*first, *order, *target.roles]))
    return [role for role in ranked if role in target.roles and role in source.roles and role != "hips"]


def _sole(body: Body, side: str) -> Array | None:
    """The frame of a foot that stands flat: up from the sole, ahead to the toes; None if the toes are unknown."""
    tip = body.tip(side)
    if tip is None:
        return None
    return _frame(body.soles[side], body.places[tip] - body.places[body.roles[f"{side}_foot"]])


def _palm(body: Body, side: str) -> Array | None:
    """The frame of a hand: across from the little finger to the index, ahead to the knuckles; None without them."""
    knuckles = [body.roles.get(f"{side}_{finger}_proximal") for finger in ("index", "little")]
    if knuckles[0] is None or knuckles[1] is None:
        return None
    index, little = body.places[knuckles[0]], body.places[knuckles[1]]
    return _frame(index - little, 0.5 * (index + little) - body.places[body.roles[f"{side}_hand"]])


def _frame(first: Array, second: Array) -> Array | None:
    """The rotation (4,) of the axes along `first` and, square to it, towards `second`; None if they are parallel."""
    along = first / max(float(np.linalg.norm(first)), 1e-12)
    ahead = second - (second @ along) * along
    length = float(np.linalg.norm(ahead))
    if length < 1e-6:
        return None
    ahead = ahead / length
    return quat.from_matrix(np.stack([along, ahead, quat.cross(along, ahead)], axis=-1))


def _shared_out(
    source: Body, target: Body, given: list[int], taken: list[int], moved: Sequence[Array], *, ends: bool = True
) -> list[tuple[int, Array]]:
    """The turns `moved` of the source's joints `given` for the target's joints `taken` of the same stretch of the body.

    As many joints take them one by one; else a joint takes the turn that the source has as far up the stretch.
    With `ends` the first of `given` is what the stretch hangs from, and the last of `taken` takes the last turn.
    """
    if not taken:
        return []
    own = list(range(int(ends), len(given)))
    if len(own) == len(taken):
        return [(joint, moved[i]) for joint, i in zip(taken, own, strict=True)]
    there, here = _middles(source, given), _middles(target, taken)
    if ends:
        there = [0.0, *_middles(source, given[1:])]
    result = []
    for place, joint in zip(here, taken, strict=True):
        if ends and joint == taken[-1]:
            result.append((joint, moved[-1]))
            continue
        after = int(np.clip(np.searchsorted(there, place), 1, max(len(there) - 1, 1)))
        if len(there) == 1:
            result.append((joint, moved[0]))
            continue
        room = max(there[after] - there[after - 1], 1e-9)
        share = float(np.clip((place - there[after - 1]) / room, 0.0, 1.0))
        result.append((joint, quat.slerp(moved[after - 1], moved[after], np.asarray(share))))
    return result


def _middles(body: Body, joints: list[int]) -> list[float]:
    """Where the middle of each joint's bone lies along the stretch from the first joint, 0, to past the last, 1."""
    if not joints:
        return []
    end = next((kid for role in ("neck", "head") if (kid := body.roles.get(role, -1)) >= 0 and kid not in joints), -1)
    points = [body.places[j] for j in joints]
    if end >= 0 and joints[-1] in body.path(joints[-1], end):
        points.append(body.places[end])
    else:
        points.append(points[-1])
    along = np.concatenate([[0.0], np.cumsum([np.linalg.norm(b - a) for a, b in pairwise(points)])])
    along = along / max(float(along[-1]), 1e-9)
    return [float(value) for value in 0.5 * (along[:-1] + along[1:])]
