"""Roles: which joint is the left hand, by the names that rigs use, and by shape where names say nothing."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.roles import names, shape, words
from komadori.roles.tables import FINGERS, MAIN, MIDDLE, SIDED, THUMB, Plan
from komadori.skeleton import Skeleton

__all__ = [
    "FINGERS",
    "MAIN",
    "MIDDLE",
    "SIDED",
    "THUMB",
    "Plan",
    "body_plan",
    "find",
    "known",
    "parts",
    "told_by_names",
]


class Posed(Protocol):
    """A pose: `rotations` (J, 4) and `positions` (J, 3), both local to the parent."""

    @property
    def rotations(self) -> Array:
        """(J, 4) local to the parent."""

    @property
    def positions(self) -> Array:
        """(J, 3) local to the parent."""


def find(skeleton: Skeleton, pose: Posed | None = None) -> dict[str, int]:
    """The joint that plays each role ("left_hand": 17), in VRM's words in snake case; {} if nothing is recognised.

    Names decide: those of rigs that are known (`komadori.roles.tables`), else the words in them, in several languages
    (`komadori.roles.words`). Where they say too little, the shape decides: two pairs of equal limbs and a head. `pose` (any usual one, such as a clip's first frame) tells left from right where the rest pose cannot,
    as in files that lay each bone along its own axis. An animal's fore legs are its arms, its fore paws its hands.
    """
    return _with_neck(skeleton, _found(skeleton, pose))


def _found(skeleton: Skeleton, pose: Posed | None) -> dict[str, int]:
    named, _ = names.by_name(skeleton)
    missing = [role for role in MAIN if role not in named]
    if not missing:
        return named
    worded = words.by_words(skeleton)
    if sum(role in worded for role in MAIN) > len(MAIN) - len(missing):
        named = worded
    named = _with_ends(skeleton, named)
    missing = [role for role in MAIN if role not in named]
    if not missing:
        return named
    formed = shape.by_shape(skeleton, _world(skeleton, pose))
    shared = [role for role in MAIN if role in named and role in formed]
    if len(shared) >= 4 and all(named[role] == formed[role] for role in shared):
        return {**{role: formed[role] for role in missing if role in formed}, **named}
    return formed if sum(role in formed for role in MAIN) > 2 * (len(MAIN) - len(missing)) else named


def _with_neck(skeleton: Skeleton, found: dict[str, int]) -> dict[str, int]:
    """`found` with the neck, where a joint that has no role leads from what carries the arms to the head."""
    arms = [found[role] for role in ("left_upper_arm", "right_upper_arm") if role in found]
    if "neck" in found or "head" not in found or not arms:
        return found
    carrying = set(_above(skeleton, arms[0])).intersection(*(_above(skeleton, arm) for arm in arms))
    between: list[int] = []
    for joint in _above(skeleton, found["head"]):
        if joint in carrying:
            free = [link for link in between if link not in found.values()]
            return {**found, "neck": free[-1]} if free else found
        between.append(joint)
    return found


def _above(skeleton: Skeleton, joint: int) -> list[int]:
    """The joints above `joint`, the nearest first."""
    result = []
    while (joint := int(skeleton.parents[joint])) >= 0:
        result.append(joint)
    return result


def _with_ends(skeleton: Skeleton, found: dict[str, int]) -> dict[str, int]:
    """`found`, in which a limb that has lost its end gets it: rigs with inverse kinematics hang feet and hands from the root.

    The lower bone then ends in its own joint, an end site as a rule.
    """
    result = dict(found)
    for side in ("left", "right"):
        for upper, lower, end in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")):
            if f"{side}_{end}" in found or not {f"{side}_{upper}", f"{side}_{lower}"} <= found.keys():
                continue
            kids = [kid for kid in skeleton.children[found[f"{side}_{lower}"]] if kid not in result.values()]
            if len(kids) == 1 and float(np.linalg.norm(skeleton.offsets[kids[0]])) > 0.0:
                result[f"{side}_{end}"] = kids[0]
    return result


def told_by_names(skeleton: Skeleton) -> bool:
    """Whether the joints' names say which leg is the left one; else the shape does, as well as it can."""
    readings = (names.by_name(skeleton)[0], words.by_words(skeleton))
    return any({"left_upper_leg", "right_upper_leg"} <= found.keys() for found in readings)


def known(skeleton: Skeleton) -> dict[str, int]:
    """The skeleton's own roles if it has some (a VRM file says them), else those that `find` finds."""
    return dict(skeleton.roles) or find(skeleton)


def body_plan(skeleton: Skeleton, pose: Posed | None = None) -> Plan:
    """Whether the body walks on two or four limbs."""
    named, convention = names.by_name(skeleton)
    known_rig = convention is not None and 2 * sum(r in named for r in MAIN) > len(MAIN)
    # Animals are also rigged with people's names, above all 3ds Max's Biped: these have a tail, and stand on four.
    if convention is not None and known_rig and convention.plan != "unknown" and "tail" not in named:
        return convention.plan
    found = dict(skeleton.roles) or find(skeleton, pose)
    return shape.plan_of(found, _world(skeleton, None), _world(skeleton, pose))


def parts(skeleton: Skeleton) -> dict[str, NDArray[np.bool_]]:
    """Masks (J,) of the body's parts; every joint is in exactly one, and what hangs from a part belongs to it.

    "root" (the hips, and whatever hangs from no other part), "body" (spine and chest), "head" (neck and head),
    "left_arm", "right_arm", "left_leg", "right_leg", and "tail" if there is one.
    """
    roles = known(skeleton)
    tops = {
        "body": ("spine", "chest", "upper_chest"),
        "head": ("neck", "head"),
        "left_arm": ("left_shoulder", "left_upper_arm"),
        "right_arm": ("right_shoulder", "right_upper_arm"),
        "left_leg": ("left_upper_leg",),
        "right_leg": ("right_upper_leg",),
        "tail": ("tail",),
    }
    top_of = {roles[role]: part for part, group in tops.items() for role in group if role in roles}
    part_of: list[str] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        part_of.append(top_of.get(joint) or (part_of[parent] if parent >= 0 else "root"))
    _claim_links(skeleton, top_of, part_of)
    kinds = ["root", *tops] if "tail" in roles else ["root", *tops][:-1]
    return {kind: np.array([part == kind for part in part_of]) for kind in kinds}


def _claim_links(skeleton: Skeleton, top_of: dict[int, str], part_of: list[str]) -> None:
    """Give joints that lead to one part alone (CMU's hip joint above the thigh) to that part."""
    leads: list[set[str]] = [set() for _ in part_of]
    for joint in range(len(skeleton) - 1, -1, -1):
        if joint in top_of:
            leads[joint] = {top_of[joint]}
        else:
            leads[joint] = set().union(*(leads[kid] for kid in skeleton.children[joint]))
    own = set(known(skeleton).values())
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint in top_of or joint in own or parent < 0:
            continue
        # A joint above the hips leads to every part; one that leads to a single limb is that limb's first link.
        part_of[joint] = next(iter(leads[joint])) if len(leads[joint]) == 1 else part_of[joint]


def _world(skeleton: Skeleton, pose: Posed | None) -> Array:
    """World positions (J, 3) of `pose`, or of the rest pose."""
    local_q = skeleton.rest if pose is None else pose.rotations
    local_p = skeleton.offsets if pose is None else pose.positions
    if not (np.isfinite(local_q).all() and np.isfinite(local_p).all()):
        return np.full((len(skeleton), 3), np.nan)
    # Plain numbers: a call of NumPy for every joint takes 30 times as long, and a chain has no more than one joint a level.
    turned, placed = local_q.tolist(), local_p.tolist()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            placed[joint] = _moved(turned[parent], placed[parent], placed[joint])
            turned[joint] = _turned(turned[parent], turned[joint])
    return np.array(placed)


def _moved(q: list[float], place: list[float], v: list[float]) -> list[float]:
    """`v` turned by `q`, from `place` on: `quat.rotate` of one vector."""
    (x, y, z, w), (a, b, c) = q, v
    u, s, t = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return [
        place[0] + (a + w * u + (y * t - z * s)),
        place[1] + (b + w * s + (z * u - x * t)),
        place[2] + (c + w * t + (x * s - y * u)),
    ]


def _turned(a: list[float], b: list[float]) -> list[float]:
    """`quat.multiply` of two."""
    (ax, ay, az, aw), (bx, by, bz, bw) = a, b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
