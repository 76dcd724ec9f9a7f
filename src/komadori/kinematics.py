"""Forward kinematics over whole clips, and the two-bone inverse: arrays in, arrays out."""

from __future__ import annotations

import numpy as np

from komadori import fast
from komadori.quat import Array
from komadori.skeleton import Skeleton

BLOCK = 2048
"""Frames worked on at once: the vectors of one level then stay in the processor's cache."""


def world_positions(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    """Where every joint is: local rotations (F, J, 4) and positions (F, J, 3) to world positions (F, J, 3)."""
    return _forward(skeleton, rotations, positions, want_rotations=False)[1]


def world_transforms(skeleton: Skeleton, rotations: Array, positions: Array) -> tuple[Array, Array]:
    """World rotations (F, J, 4) and world positions (F, J, 3) of every joint."""
    return _forward(skeleton, rotations, positions, want_rotations=True)


def local_rotations(skeleton: Skeleton, world: Array) -> Array:
    """The inverse of forward kinematics: world rotations (..., J, 4) to rotations in the parent's frame."""
    from komadori import quat

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
        q, p = _forward_block(skeleton, rotations[start:stop], positions[start:stop], want_rotations)
        world_p[start:stop] = p.transpose(2, 1, 0)
        if want_rotations:
            world_q[start:stop] = q.transpose(2, 1, 0)
    return world_q, world_p


def _forward_block(skeleton: Skeleton, rotations: Array, positions: Array, all_rotations: bool) -> tuple[Array, Array]:
    """One block, component by component: q (4, J, F) and p (3, J, F), a level of the tree at a time."""
    q = np.ascontiguousarray(rotations.transpose(2, 1, 0))
    p = np.ascontiguousarray(positions.transpose(2, 1, 0))
    for level in skeleton.levels[1:]:
        parent = skeleton.parents[level]
        px, py, pz, pw = q[0, parent], q[1, parent], q[2, parent], q[3, parent]
        vx, vy, vz = p[0, level], p[1, level], p[2, level]
        tx = 2.0 * (py * vz - pz * vy)
        ty = 2.0 * (pz * vx - px * vz)
        tz = 2.0 * (px * vy - py * vx)
        p[0, level] = p[0, parent] + vx + pw * tx + (py * tz - pz * ty)
        p[1, level] = p[1, parent] + vy + pw * ty + (pz * tx - px * tz)
        p[2, level] = p[2, parent] + vz + pw * tz + (px * ty - py * tx)
        # A leaf's own turn moves nothing: leave it out unless it was asked for.
        turning = (
            np.arange(len(level)) if all_rotations else np.flatnonzero([bool(skeleton.children[j]) for j in level])
        )
        if len(turning) == 0:
            continue
        if len(turning) < len(level):
            px, py, pz, pw = px[turning], py[turning], pz[turning], pw[turning]
            level = level[turning]
        x, y, z, w = q[0, level], q[1, level], q[2, level], q[3, level]
        q[0, level] = pw * x + px * w + py * z - pz * y
        q[1, level] = pw * y - px * z + py * w + pz * x
        q[2, level] = pw * z + px * y - py * x + pz * w
        q[3, level] = pw * w - px * x - py * y - pz * z
    return q, p
