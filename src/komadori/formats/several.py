"""Files with more than one body: which there are, and one of them alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.errors import one_line
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.words import Note

FEWEST = 12
"""Fewer joints than this are not a body but a weapon, a camera or a marker."""


def told(motion: Motion) -> Motion:
    """`motion` with the roles of the first body in it that moves, and a note that names the others; as it is if it has one body."""
    found = _bodies(motion.skeleton)
    if len(found) < 2:
        return motion
    alone = {top: _alone(motion, top) for top in found}
    first = next((top for top, body in alone.items() if len(body) < 2 or body.moves), found[0])
    skeleton = motion.skeleton
    kept = _kept(skeleton, first)
    mapped = {role: int(kept[joint]) for role, joint in _roles(alone[first]).items()}
    others = one_line(", ".join(skeleton.names[top] for top in found if top != first), 200)
    template = "The file holds {count} bodies. Worked with {name}; write FILE#NAME to take another one alone: {others}."
    note = Note(template, count=len(found), name=one_line(skeleton.names[first], 80), others=others)
    return motion.with_skeleton(skeleton.with_roles(mapped)).noted(note)


def one(motion: Motion, name: str) -> Motion | None:
    """The body whose topmost joint is called `name`, alone; None if the motion has no such body beside another."""
    found = _bodies(motion.skeleton)
    top = next((top for top in found if motion.skeleton.names[top] == name), None)
    return _alone(motion, top) if len(found) > 1 and top is not None else None


def _bodies(skeleton: Skeleton) -> list[int]:
    """The topmost joint of every body, in the order of the file: trees of their own, or branches of one node that carries them all."""
    tops = np.flatnonzero(skeleton.parents < 0).tolist()
    sizes = _sizes(skeleton)
    while len(tops) == 1:
        tops = [kid for kid in skeleton.children[tops[0]] if sizes[kid] >= FEWEST]
        if not tops or (len(tops) > 1 and len({sizes[top] for top in tops}) == len(tops)):
            # Arms, legs and trunk branch off: two people under one node have, as a rule, as many joints.
            return []
    return [top for top in tops if sizes[top] >= FEWEST and _is_body(_branch(skeleton, _kept(skeleton, top)))]


def _sizes(skeleton: Skeleton) -> list[int]:
    """How many joints hang from each, itself included."""
    sizes = [1] * len(skeleton)
    for joint in range(len(skeleton) - 1, -1, -1):
        if skeleton.parents[joint] >= 0:
            sizes[int(skeleton.parents[joint])] += sizes[joint]
    return sizes


def _is_body(skeleton: Skeleton) -> bool:
    found = roles.find(skeleton)
    return {"hips", "left_upper_leg", "right_upper_leg", "left_upper_arm", "right_upper_arm"} <= found.keys()


def _kept(skeleton: Skeleton, top: int) -> NDArray[np.intp]:
    """The joints of a body, in order: what hangs from `top`, and what carries it."""
    mask = skeleton.below([top])
    joint = int(skeleton.parents[top])
    while joint >= 0:
        mask[joint] = True
        joint = int(skeleton.parents[joint])
    return np.flatnonzero(mask)


def _branch(skeleton: Skeleton, kept: NDArray[np.intp]) -> Skeleton:
    place = {joint: number for number, joint in enumerate(kept.tolist())}
    parents = np.array([place.get(int(parent), -1) for parent in skeleton.parents[kept]])
    names = tuple(skeleton.names[joint] for joint in kept)
    return Skeleton(names, parents, skeleton.offsets[kept], skeleton.rest[kept])


def _alone(motion: Motion, top: int) -> Motion:
    kept = _kept(motion.skeleton, top)
    skeleton = _branch(motion.skeleton, kept)
    return Motion(skeleton, motion.fps, motion.rotations[:, kept], motion.positions[:, kept], notes=motion.notes)


def _roles(motion: Motion) -> dict[str, int]:
    return roles.find(motion.skeleton, motion.pose(0) if len(motion) else None)
