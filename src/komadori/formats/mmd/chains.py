"""Chains from a model's physics: the bones that its rigid bodies move, joined from root to tip as a person would list them."""

from __future__ import annotations

from itertools import takewhile

import numpy as np

from komadori.chains import Chain, kind_by_name
from komadori.formats.mmd.model import HAS_IK, VISIBLE, Model
from komadori.skeleton import Skeleton

_FOLLOWS = 0


def hints(model: Model, skeleton: Skeleton) -> tuple[Chain, ...]:
    """A chain for every line of bones that rigid bodies move, in the order of the file.

    Bones that only carry weights of the physics (not shown in the editor, no vertex follows them) do not form their own
    chain. A chain ends with the bone that marks its tip if there is one, and hangs from the nearest bone above that is
    more than a hidden support (the first, still bone of the same strand is one, too).
    """
    moved = {body.bone for body in model.bodies if body.mode != _FOLLOWS and body.bone >= 0}
    skinned = set(np.unique(model.vertices.bones[model.vertices.weights != 0.0]).tolist())
    weights = {n for n in moved if n not in skinned and not model.bones[n].flags & VISIBLE}
    children: dict[int, list[int]] = {}
    for n, bone in enumerate(model.bones):
        if n not in weights:
            children.setdefault(bone.parent, []).append(n)
    followed: set[int] = set()
    lines = []
    # By the skeleton's order: a line's first bone is met before those below it.
    for root in model.order.tolist():
        if root not in moved or root in followed:
            continue
        line = [root]
        while (below := _next(model, line[-1], children, moved)) is not None:
            line.append(below)
        followed |= set(line)
        if not skinned.isdisjoint(line):
            lines.append(line)
    lines.sort(key=lambda line: line[0])
    result: list[Chain] = []
    taken: set[str] = set()
    supports = _supports(model)
    for line in lines:
        result.append(_chain(model, skeleton, line, supports, skinned, taken))
        taken.add(result[-1].name)
    return tuple(result)


def _next(model: Model, bone: int, children: dict[int, list[int]], moved: set[int]) -> int | None:
    """The bone that continues from `bone`: the one its tail points to, else the first that is moved, else its tip."""
    below = children.get(bone, [])
    tail = model.bones[bone].tail
    if isinstance(tail, int) and tail in below and (tail in moved or not children.get(tail)):
        return tail
    return next((n for n in below if n in moved), below[0] if len(below) == 1 and not children.get(below[0]) else None)


def _supports(model: Model) -> set[int]:
    """Bones that nobody poses: hidden, with no append or IK of their own, and turned by no IK."""
    linked = {link.bone for bone in model.bones if bone.ik is not None for link in bone.ik.links}
    return {
        n
        for n, bone in enumerate(model.bones)
        if not bone.flags & (VISIBLE | HAS_IK) and bone.append is None and n not in linked
    }


def _stem(names: list[str]) -> str:
    """What all names begin with: "後髪A1" of 後髪A1_1, 後髪A1_2 and 後髪A1End."""
    if len(names) < 2:
        return ""
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in alike).rstrip("_-. ＿")


def _chain(
    model: Model, skeleton: Skeleton, line: list[int], supports: set[int], skinned: set[int], taken: set[str]
) -> Chain:
    names = [model.bones[n].name for n in line]
    stem = _stem(names)
    above = model.bones[line[0]].parent
    while above in supports and model.bones[above].parent >= 0:
        if above in skinned and not (stem and model.bones[above].name.startswith(stem)):
            break
        above = model.bones[above].parent
    joints = tuple(int(model.joint_of[n]) for n in line)
    lengths = np.linalg.norm(skeleton.offsets[list(joints[1:])], axis=1)
    return Chain(
        stem if stem and stem not in taken else skeleton.names[joints[0]],
        kind_by_name([*names, *(model.bones[n].english for n in line)]),
        joints,
        int(model.joint_of[above]) if above >= 0 else -1,
        tuple(lengths.tolist()),
        why="rigid bodies",
    )
