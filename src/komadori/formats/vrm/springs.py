"""Spring bones and colliders of VRM 0.x (secondaryAnimation) and VRM 1.0 (VRMC_springBone), and the chains they show.

VRM 0.x was written by Unity: a collider's offset counts z the other way than glTF's nodes do, gravity is a direction in
Unity's world, a group names roots whose whole subtrees swing, and the last joint of a branch has a bone of 7 cm.
VRM 1.0 uses glTF's axes and names every joint; the last joint is only an end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from komadori import chains, json_text, kinematics, quat
from komadori.chains import Chain
from komadori.errors import quoted
from komadori.formats.vrm import fields
from komadori.skeleton import Skeleton
from komadori.springs import SHAPES, Collider, Spring, SpringBones, SpringJoint, Vector
from komadori.words import Fact, Note

LAST_BONE_M = 0.07
"""The length that VRM 0.x gives to the bone of a last joint."""

MOST_JOINTS = 100_000
"""Spring joints that a file may have in all: groups that name one subtree again and again must not take the memory."""

EXTENDED = "VRMC_springBone_extended_collider"
DOWN: Vector = (0.0, -1.0, 0.0)
NOWHERE: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Place:
    """What reading springs needs to know of the file: its skeleton, and which joint each node is."""

    name: str
    skeleton: Skeleton
    joint_of: Mapping[int, int]


def read_0(animation: Any, where: Place) -> tuple[SpringBones, list[Note]]:
    """The springs of VRM 0.x's `secondaryAnimation`."""
    name, place = where.name, "extensions.VRM.secondaryAnimation"
    given = json_text.mapping(animation, name, place)
    notes: list[Note] = []
    colliders: list[Collider] = []
    groups: list[list[int]] = []
    for here, group in fields.entries(given.get("colliderGroups"), name, f"{place}.colliderGroups"):
        joint = _joint(group.get("node"), where, f"{here}.node")
        members: list[int] = []
        for spot, shape in fields.entries(group.get("colliders"), name, f"{here}.colliders"):
            x, y, z = fields.vector(shape.get("offset"), name, f"{spot}.offset", NOWHERE)
            radius = fields.number(shape.get("radius"), name, f"{spot}.radius", 0.0)
            if joint is not None:
                members.append(len(colliders))
                colliders.append(Collider(joint, "sphere", (x, y, -z), radius))
        if joint is None:
            notes.append(_lost(here, "node", group.get("node")))
        groups.append(members)
    springs: list[Spring] = []
    total = 0
    for here, group in fields.entries(given.get("boneGroups"), name, f"{place}.boneGroups"):
        x, y, z = fields.vector(group.get("gravityDir"), name, f"{here}.gravityDir", DOWN)
        power = fields.number(group.get("gravityPower"), name, f"{here}.gravityPower", 0.0)
        settings = SpringJoint(
            -1,
            fields.number(group.get("stiffiness"), name, f"{here}.stiffiness", 1.0),  # so spelt in the format
            # Unity's x goes to the body's right; a character here has its left at +x. Both face +z.
            (-x * power, y * power, z * power),
            fields.number(group.get("dragForce"), name, f"{here}.dragForce", 0.4),
            fields.number(group.get("hitRadius"), name, f"{here}.hitRadius", 0.02),
        )
        meets = _met(group, groups, where, here, notes)
        centre = _centre(group, where, here, notes)
        label = fields.label(group.get("comment"), name, f"{here}.comment", "")
        for root in fields.indices(group.get("bones"), name, f"{here}.bones"):
            joint = where.joint_of.get(root)
            if joint is None:
                notes.append(_lost(f"{here}.bones", "node", root))
                continue
            for branch in _branches(where.skeleton, joint):
                total += len(branch)
                if total > MOST_JOINTS:
                    json_text.whole(total, name, place, 0, MOST_JOINTS)
                joints = tuple(replace(settings, joint=one) for one in branch)
                own = label or where.skeleton.names[branch[0]]
                springs.append(Spring(own, joints, _last_bone(where.skeleton, branch[-1]), centre, meets))
    return _apart(springs, colliders, where.skeleton, notes), notes


def read_1(extension: Any, where: Place) -> tuple[SpringBones, list[Note]]:
    """The springs of VRM 1.0's `VRMC_springBone`."""
    name, place = where.name, "extensions.VRMC_springBone"
    given = json_text.mapping(extension, name, place)
    notes: list[Note] = []
    number_of: dict[int, int] = {}
    colliders: list[Collider] = []
    listed = fields.entries(given.get("colliders"), name, f"{place}.colliders")
    for number, (here, entry) in enumerate(listed):
        joint = _joint(entry.get("node"), where, f"{here}.node")
        collider = _collider(entry, -1 if joint is None else joint, name, here)
        if joint is None or collider is None:
            notes.append(_lost(here, "node" if joint is None else "shape", entry.get("node")))
            continue
        number_of[number] = len(colliders)
        colliders.append(collider)
    groups: list[list[int]] = []
    for here, group in fields.entries(given.get("colliderGroups"), name, f"{place}.colliderGroups"):
        asked = fields.indices(group.get("colliders"), name, f"{here}.colliders")
        notes += [_lost(here, "collider", one) for one in asked if not 0 <= one < len(listed)]
        groups.append([number_of[one] for one in asked if one in number_of])
    springs: list[Spring] = []
    total = 0
    for here, spring in fields.entries(given.get("springs"), name, f"{place}.springs"):
        steps = fields.entries(spring.get("joints"), name, f"{here}.joints")
        total += len(steps)
        json_text.whole(total, name, place, 0, MOST_JOINTS)
        joints: list[SpringJoint] = []
        for spot, entry in steps:
            joint = _joint(entry.get("node"), where, f"{spot}.node")
            if joint is None:
                notes.append(_lost(spot, "node", entry.get("node")))
                joints.clear()
                break
            x, y, z = fields.vector(entry.get("gravityDir"), name, f"{spot}.gravityDir", DOWN)
            power = fields.number(entry.get("gravityPower"), name, f"{spot}.gravityPower", 0.0)
            joints.append(
                SpringJoint(
                    joint,
                    fields.number(entry.get("stiffness"), name, f"{spot}.stiffness", 1.0),
                    (x * power, y * power, z * power),
                    fields.number(entry.get("dragForce"), name, f"{spot}.dragForce", 0.5),
                    fields.number(entry.get("hitRadius"), name, f"{spot}.hitRadius", 0.0),
                )
            )
        meets = _met(spring, groups, where, here, notes)
        centre = _centre(spring, where, here, notes)
        if not _hang(where.skeleton, [one.joint for one in joints]):
            template = "{place}: the joints are not a parent-child chain; skipped the spring."
            notes.append(Note(template, place=here))
        elif joints:
            own = fields.label(spring.get("name"), name, f"{here}.name", where.skeleton.names[joints[0].joint])
            springs.append(Spring(own, tuple(joints), None, centre, meets))
    return _apart(springs, colliders, where.skeleton, notes), notes


def as_chains(bones: SpringBones, skeleton: Skeleton) -> tuple[Chain, ...]:
    """Every spring as a chain, root to tip."""
    world = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    found: list[Chain] = []
    for spring in bones.springs:
        joints = tuple(one.joint for one in spring.joints)
        above = int(skeleton.parents[joints[0]])
        label = [spring.name, *(skeleton.names[joint] for joint in joints)]
        name = spring.name if spring.name == skeleton.names[joints[0]] else f"{spring.name} {skeleton.names[joints[0]]}"
        found.append(
            Chain(name, chains.kind_by_name(label), joints, above, chains.lengths_of(world, joints), why="spring bone")
        )
    return tuple(found)


def _joint(node: Any, where: Place, place: str) -> int | None:
    """The joint of `node`, or None if the file has no such node."""
    return where.joint_of.get(json_text.whole(node, where.name, place, -1, 2**31))


def _lost(place: str, what: str, index: Any) -> Note:
    told = quoted(str(index), 20)
    return Note("{place}: {what} {index} is not in the file and was skipped.", place=place, what=what, index=told)


def _centre(fields_of: Mapping[str, Any], where: Place, place: str, notes: list[Note]) -> int:
    node = fields_of.get("center")
    if node is None or node == -1:
        return -1
    joint = _joint(node, where, f"{place}.center")
    if joint is None:
        notes.append(_lost(place, "center", node))
    return -1 if joint is None else joint


def _met(
    fields_of: Mapping[str, Any], groups: list[list[int]], where: Place, place: str, notes: list[Note]
) -> tuple[int, ...]:
    """The colliders in the groups that a spring names."""
    meets: dict[int, None] = {}
    for group in fields.indices(fields_of.get("colliderGroups"), where.name, f"{place}.colliderGroups"):
        if 0 <= group < len(groups):
            meets.update(dict.fromkeys(groups[group]))
        else:
            notes.append(_lost(place, "collider group", group))
    return tuple(meets)


def _collider(entry: Mapping[str, Any], joint: int, name: str, place: str) -> Collider | None:
    """The shape of a VRM 1.0 collider: the extended one if the file has it, which the plain one only imitates."""
    extensions = fields.part(entry.get("extensions"), name, f"{place}.extensions")
    extended = fields.part(extensions.get(EXTENDED), name, f"{place}.extensions.{EXTENDED}")
    shapes = fields.part(extended.get("shape") or entry.get("shape"), name, f"{place}.shape")
    for shape in SHAPES:
        if shapes.get(shape) is None:
            continue
        here = f"{place}.shape.{shape}"
        given = json_text.mapping(shapes[shape], name, here)
        return Collider(
            joint,
            shape,
            fields.vector(given.get("offset"), name, f"{here}.offset", NOWHERE),
            fields.number(given.get("radius"), name, f"{here}.radius", 0.0),
            fields.vector(given.get("tail"), name, f"{here}.tail", NOWHERE),
            fields.vector(given.get("normal"), name, f"{here}.normal", (0.0, 0.0, 1.0)),
            given.get("inside") is True,
        )
    return None


def _branches(skeleton: Skeleton, root: int) -> list[list[int]]:
    """The subtree of `root` as chains: each continues with a joint's first child, the other children begin their own."""
    found: list[list[int]] = []
    starts = [root]
    while starts:
        branch = [starts.pop(0)]
        while skeleton.children[branch[-1]]:
            first, *others = skeleton.children[branch[-1]]
            starts += others
            branch.append(first)
        found.append(branch)
    return found


def _last_bone(skeleton: Skeleton, joint: int) -> Vector:
    """Where the bone of a last joint ends: straight on from its parent, in the joint's frame."""
    along = quat.rotate(quat.inverse(skeleton.rest[joint]), skeleton.offsets[joint])
    length = float(np.linalg.norm(along))
    x, y, z = (along / length * LAST_BONE_M).tolist() if length > 0.0 else (0.0, -LAST_BONE_M, 0.0)
    return float(x), float(y), float(z)


def _hang(skeleton: Skeleton, joints: list[int]) -> bool:
    """Whether every joint is an ancestor of the next."""
    for above, joint in pairwise(joints):
        at = int(skeleton.parents[joint])
        while at > above:  # parents come before their children
            at = int(skeleton.parents[at])
        if at != above:
            return False
    return True


def _apart(springs: list[Spring], colliders: list[Collider], skeleton: Skeleton, notes: list[Note]) -> SpringBones:
    """The springs without the joints that an earlier one turns already: no joint can follow two."""
    turned: set[int] = set()
    kept: list[Spring] = []
    for spring in springs:
        ends = 0 if spring.tip is not None else 1
        own = [one.joint for one in spring.joints]
        turns = own[: len(own) - ends]
        shared = max((n + 1 for n, joint in enumerate(turns) if joint in turned), default=0)
        if shared:
            template = "The spring bones {name} share {count:joint|joints} with an earlier group, which keeps them."
            notes.append(Fact(template, name=quoted(spring.name), count=shared))
        turned.update(turns[shared:])
        if len(own) - shared > ends:
            kept.append(replace(spring, joints=spring.joints[shared:]))
    return SpringBones(tuple(kept), tuple(colliders))
