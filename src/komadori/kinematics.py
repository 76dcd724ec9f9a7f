"""Forward kinematics over whole clips, and the two-bone inverse: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from komadori import fast, quat
from komadori.quat import Array
from komadori.skeleton import Skeleton

BLOCK = 4096
"""Frames worked on at once: a joint's rows then stay in the processor's cache."""
FEW = 512
"""Up to this many frames calls cost more than arithmetic, so whole levels of the tree are done at once."""

# Hamilton's product a b is a_w b plus, for each of a_x, a_y, a_z, the components of b in another order and sign.
_ORDER = np.array([[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2]])
_SIGN = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0], [-1.0, 1.0, 1.0, -1.0]])[:, :, None]
_ORDERS, _SIGNS = np.concatenate([[[0, 1, 2, 3]], _ORDER]), np.concatenate([np.ones((1, 4, 1)), _SIGN])
_W_FIRST = np.array([3, 0, 1, 2])
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])

STRAIGHT = 0.15
"""Sine of the angle under which a limb counts as straight: about 9 degrees."""
CLEARLY = 0.35
"""Sine of the angle from which on a limb is bent certainly, about 20 degrees: captured knees are seldom bent so far the wrong way."""


def world_positions(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Where every joint is: local rotations (F, J, 4) and positions (F, J, 3) to world positions (F, J, 3)."""
    return _forward(skeleton, rotations, positions, want_rotations=False)[1]


def world_transforms(skeleton: Skeleton, rotations: Array, positions: Array) -> tuple[Array, Array]:
    """World rotations (F, J, 4) and world positions (F, J, 3) of every joint."""
    return _forward(skeleton, rotations, positions, want_rotations=True)


def local_rotations(skeleton: Skeleton, world: Array) -> Array:
    """The inverse of forward kinematics: world rotations (..., J, 4) to rotations in the parent's frame."""
    result = np.array(world, dtype=np.float64)
    child = np.flatnonzero(skeleton.parents >= 0)
    result[..., child, :] = quat.multiply(quat.inverse(world[..., skeleton.parents[child], :]), world[..., child, :])
    return result


def _forward(skeleton: Skeleton, rotations: Array, positions: Array, want_rotations: bool) -> tuple[Array, Array]:
    frames, joints = rotations.shape[:2]
    world_q = np.empty((frames, joints, 4)) if want_rotations else np.empty((0, joints, 4))
    world_p = np.empty((frames, joints, 3))
    kernel = fast.forward_kernel()
    if kernel is not None:
        kernel(skeleton.parents, rotations, positions, world_q, world_p)
        return world_q, world_p
    for start in range(0, frames, BLOCK):
        stop = min(start + BLOCK, frames)
        # Joint by joint, component by component: q (J, 4, F) and p (J, 3, F), so that what is gathered lies together.
        q = np.array(rotations[start:stop].transpose(1, 2, 0), order="C")
        p = np.array(positions[start:stop].transpose(1, 2, 0), order="C")
        (_by_level if stop - start <= FEW else _by_joint)(skeleton, q, p, want_rotations)
        world_p[start:stop] = p.transpose(2, 0, 1)
        if want_rotations:
            world_q[start:stop] = q.transpose(2, 0, 1)
    return world_q, world_p


def _by_level(skeleton: Skeleton, q: Array, p: Array, all_rotations: bool) -> None:
    """Local to world, in place, a level of the tree at a time: few calls. Same sums, same bits as `_by_joint`."""
    # A leaf's own turn moves nothing: omit it unless it was asked for.
    levels = (skeleton.levels if all_rotations else skeleton.turning_levels)[1:]
    if levels:
        # Each joint's components in all four orders and signs: what is left for a level is one product and one sum.
        joints = np.concatenate(levels)
        turned = q[joints[:, None, None], _ORDERS]
        turned *= _SIGNS
        begin = 0
        for level in levels:
            terms = turned[begin : begin + len(level)]
            begin += len(level)
            terms *= q[skeleton.parents[level][:, None], _W_FIRST][:, :, None]
            q[level] = np.add.reduce(terms, axis=1)
    bones = np.flatnonzero(skeleton.parents >= 0)
    parent, bone = q[skeleton.parents[bones]], p[bones]
    axis_next, axis_last = parent[:, _NEXT], parent[:, _LAST]
    twice = axis_next * bone[:, _LAST]
    twice -= axis_last * bone[:, _NEXT]
    twice += twice
    bone += parent[:, 3:] * twice
    bone += axis_next * twice[:, _LAST]
    bone -= axis_last * twice[:, _NEXT]
    p[bones] = bone
    for level in skeleton.levels[1:]:
        p[level] += p[skeleton.parents[level]]


def _by_joint(skeleton: Skeleton, q: Array, p: Array, all_rotations: bool) -> None:
    """Local to world, in place, a joint at a time over all frames: nothing is gathered, little is allocated."""
    term, twice, product = np.empty(q.shape[2]), np.empty(p.shape[1:]), np.empty(q.shape[1:])
    orders, signs = _ORDER.tolist(), _SIGN[:, :, 0].tolist()
    for joint, above in enumerate(skeleton.parents.tolist()):
        if above < 0:
            continue
        parent, own, bone = q[above], q[joint], p[joint]
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            np.multiply(parent[j], bone[k], out=twice[i])
            twice[i] -= np.multiply(parent[k], bone[j], out=term)
        twice += twice
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            bone[i] += np.multiply(parent[3], twice[i], out=term)
            bone[i] += np.multiply(parent[j], twice[k], out=term)
            bone[i] -= np.multiply(parent[k], twice[j], out=term)
        bone += p[above]
        if not (all_rotations or skeleton.children[joint]):
            continue
        np.multiply(parent[3], own, out=product)
        for i, (order, sign) in enumerate(zip(orders, signs, strict=True)):
            for component, (other, positive) in enumerate(zip(order, sign, strict=True)):
                np.multiply(parent[i], own[other], out=term)
                (np.add if positive > 0.0 else np.subtract)(product[component], term, out=product[component])
        own[:] = product


def two_bone(
    upper: Array, middle: Array, end: Array, target: Array, *, hinge: Array | None = None
) -> tuple[Array, Array]:
    """World rotations of a limb's two bones that bring its end to `target`: two-bone inverse kinematics.

    `upper`, `middle`, `end` and `target` (..., 3) are world positions (hip, knee, ankle). Returns two rotations
    (..., 4): a new world rotation is `multiply(turn, old world rotation)`, of the upper joint with the first turn and
    of the middle joint with the second. The limb first bends or stretches in the plane that it bends in, then swings
    the shortest way: a target at `end` turns nothing. A target out of reach is pointed at.
    `hinge` (..., 3) is the axis that a bending limb's lower bone turns about: it says where a straight limb, or one
    bent slightly the wrong way, shall bend.
    """
    first, second = middle - upper, end - middle
    want = _length(target - upper)
    bend = quat.identity(*np.broadcast_shapes(first.shape, second.shape, target.shape)[:-1])
    axis = _unit_or(quat.cross(first, second), _square_to(first))
    passes = [axis]
    if hinge is not None:
        # Near straight the plane of the three points is noise: the hinge takes over, smoothly, within some degrees.
        straight = _unit_or(end - upper, first)
        along = _unit_or(hinge - _dot(hinge, straight) * straight, axis)
        scale = np.maximum(_length(first) * _length(second), 1e-300)
        plane = quat.cross(first, second) / scale
        # A clearly bent limb is more reliable than its hinge, which a twisted joint may have reversed.
        plane = np.where((_dot(plane, along) < 0.0) & (_length(plane) < CLEARLY), -plane, plane)
        weight = np.maximum(0.0, STRAIGHT - _length(plane))
        passes = [_unit_or(plane + weight * along, along), axis]
    for step, about in enumerate(passes):
        lower = quat.rotate(bend, second)
        if step:
            # Where the hinge just misses, the plane of the points itself reaches.
            about = _unit_or(quat.cross(first, lower), about)
        bend = quat.multiply(_bend(first, lower, want, about), bend)
    swing = quat.between(first + quat.rotate(bend, second), target - upper)
    return swing, quat.multiply(swing, bend)


def _bend(first: Array, second: Array, want: Array, axis: Array) -> Array:
    """The turn of `second` about `axis` after which first + second is `want` (..., 1) long, or as near as it can be."""
    height = _dot(first, axis) + _dot(second, axis)
    flat_first = first - _dot(first, axis) * axis
    flat_second = second - _dot(second, axis) * axis
    a, b = _length(flat_first), _length(flat_second)
    cosine = (want * want - height * height - a * a - b * b) / np.maximum(2.0 * a * b, 1e-300)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0))
    now = np.arctan2(_dot(quat.cross(flat_first, flat_second), axis), _dot(flat_first, flat_second))
    return quat.from_axis_angle(axis, (wanted - now)[..., 0])


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))[..., None]


def _length(v: Array) -> Array:
    return np.sqrt(_dot(v, v))


def _unit_or(v: Array, otherwise: Array) -> Array:
    """`v` (..., 3) at unit length, or `otherwise` if it has none."""
    v, otherwise = np.broadcast_arrays(v, otherwise)
    chosen = np.where(_length(v) > 1e-12, v, otherwise)
    return np.asarray(chosen / np.maximum(_length(chosen), 1e-300))


def _square_to(v: Array) -> Array:
    """Some direction perpendicular to `v` (..., 3)."""
    return quat.cross(v, np.eye(3)[np.argmin(np.abs(v), axis=-1)])
