"""Feet on the ground after retargeting: the source says when they stand, the target's own shape says how high."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from komadori import feet, kinematics, quat, roles
from komadori.feet import Contacts
from komadori.methods.retarget.bodies import ON_ITS_LEG, SIDES, UP, Body, cosines
from komadori.motion import Motion
from komadori.quat import Array

_SMOOTH_S = 0.1
"""Heights are corrected no quicker than this: a foot that rolls from heel to toes must not jump."""


def contacts_on(target: Motion, source: Motion, found: Contacts) -> Contacts:
    """When the target's feet stand: as the source's do, point by point; a foot with fewer points stands on any."""
    own = feet.contacts(target)
    on = np.zeros((len(target), len(own.joints)), dtype=bool)
    names, there = _legs(target), {name: limb for limb, name in enumerate(_legs(source))}
    for column, limb in enumerate(own.limbs):
        mine = [c for c, other in enumerate(own.limbs) if other == limb]
        theirs = [c for c, other in enumerate(found.limbs) if other == there.get(names[limb])]
        if not theirs:
            continue
        if len(mine) == len(theirs):
            on[:, column] = found.on[:, theirs[mine.index(column)]]
        else:
            on[:, column] = found.on[:, theirs].any(axis=1)
    return replace(own, on=on)


def _legs(motion: Motion) -> list[str]:
    """The role of each limb that stands, by its upper joint: of two bodies one may lack a leg."""
    playing = {joint: role for role, joint in roles.known(motion.skeleton).items()}
    return [playing[limb.upper] for limb in feet.limbs_of(motion)]


def on_the_ground(
    motion: Motion,
    stands: Contacts,
    source: Body,
    target: Body,
    places: Array,
    scale: float,
    lifts: Mapping[str, float],
    *,
    plant: bool,
) -> tuple[Motion, Array]:
    """`motion` with standing feet in place and at their height, and by how much each is off in the end, (n,) metres.

    `places` (F, J, 3) are the source's joints in the world; `lifts` says how much higher each ankle of the target stands.
    """
    if not stands.on.any() or not lifts:
        return motion, np.zeros(0)
    result = motion
    if plant:
        like = _at_height(motion, stands, source, target, places, scale, lifts)
        result = feet.planted(motion, stands, like=like, drift=feet.DRIFT).with_worlds()
    off = []
    after = result.world_positions()
    for side in lifts:
        wish, standing = _wish(after, stands, side, source, target, places, scale, lifts[side])
        off.append(wish[standing])
    return result, np.concatenate(off)


def _at_height(
    motion: Motion,
    stands: Contacts,
    source: Body,
    target: Body,
    places: Array,
    scale: float,
    lifts: Mapping[str, float],
) -> Motion:
    """`motion` with every foot raised or lowered, all the time, to the height that the source's has."""
    turned, world = motion.world_transforms()
    rotations = np.array(motion.rotations)
    width = max(1, round(_SMOOTH_S * motion.fps))
    for side in SIDES:
        joints = [target.roles.get(f"{side}_{role}", -1) for role in ("upper_leg", "lower_leg", "foot")]
        if side not in lifts or min(joints) < 0:
            continue
        wish, _ = _wish(world, stands, side, source, target, places, scale, lifts[side])
        upper, lower, foot = (world[:, joint] for joint in joints)
        if not target.four:
            # A leg that lies on the floor points as it did: it does not bend for a foot that is longer or shorter.
            wish = np.where(cosines(upper - foot, UP) > ON_ITS_LEG, wish, 0.0)
        goal = foot.copy()
        goal[:, 1] += _smoothed(wish, width)
        bends = quat.cross(lower - upper, foot - lower)
        axis = quat.rotate(quat.inverse(turned[:, joints[0]]), bends).sum(axis=0)
        turns = kinematics.two_bone(upper, lower, foot, goal, hinge=quat.rotate(turned[:, joints[0]], axis))
        new = {joint: turned[:, joint] for joint in target.path(joints[0], joints[2])}
        # What hangs on the way (twist bones) turns with the bone that it belongs to.
        for start, stop, turn in ((joints[0], joints[1], turns[0]), (joints[1], joints[2], turns[1])):
            for joint in target.path(start, stop)[:-1]:
                new[joint] = quat.multiply(turn, turned[:, joint])
        for joint in target.path(joints[0], joints[2]):
            above = int(target.skeleton.parents[joint])
            parent = quat.identity(len(motion)) if above < 0 else new.get(above, turned[:, above])
            rotations[:, joint] = quat.multiply(quat.inverse(parent), new[joint])
    return motion.replaced(rotations=rotations)


def _wish(
    world: Array,
    stands: Contacts,
    side: str,
    source: Body,
    target: Body,
    places: Array,
    scale: float,
    lift: float,
) -> tuple[Array, NDArray[np.bool_]]:
    """How much the foot should be raised (F,), and the frames in which it stands (F,); toes count where they stand."""
    foot, tip = target.roles[f"{side}_foot"], target.tip(side)
    wish = scale * places[:, source.roles[f"{side}_foot"], 1] + lift - world[:, foot, 1]
    columns = {joint: c for c, joint in enumerate(stands.joints)}
    standing: NDArray[np.bool_] = np.zeros(len(world), dtype=np.bool_)
    if foot in columns:
        standing = np.asarray(stands.on[:, columns[foot]])
    other = source.tip(side)
    if tip is None or other is None or tip not in columns:
        return wish, standing
    toes = lift - target.toe_drop(side) + scale * source.toe_drop(side)
    on_toes = stands.on[:, columns[tip]]
    wish = np.where(on_toes, scale * places[:, other, 1] + toes - world[:, tip, 1], wish)
    return wish, standing | on_toes


def _smoothed(values: Array, width: int) -> Array:
    """The mean over `width` frames about each; the ends are repeated."""
    before = width // 2
    padded = np.concatenate([np.repeat(values[:1], before), values, np.repeat(values[-1:], width - 1 - before)])
    total = np.cumsum(np.concatenate([[0.0], padded]))
    return np.asarray((total[width:] - total[:-width]) / width)
