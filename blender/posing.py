# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing: a komadori motion as the values of bones' own channels, each in its rotation mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from komadori import quat
from komadori.errors import OptionError, quoted
from komadori.motion import Motion
from komadori.words import Note

from . import actions, armature
from .actions import Channel
from .reading import Reading, last_first

SAME = 1e-12
"""Joints that a method left alone carry the very numbers that they had."""
SIZING = {"COPY_SCALE", "LIMIT_SCALE", "MAINTAIN_VOLUME"}
"""Constraints that leave a bone where it is."""
SCALED = 1e-5
"""Sizes that differ less are the same."""
STILL = 4e-6
"""Shares of the armature's size: single precision makes a bone seem to move by less."""


def channels_of(
    reading: Reading,
    motion: Motion,
    *,
    everything: bool = False,
    only: set[str] | None = None,
    shown: np.ndarray | None = None,
) -> tuple[dict[Channel, np.ndarray], tuple[str, ...]]:
    """The channels (F_out,) that make the armature of `reading` move as `motion`, and the bones whose constraints must let go.

    Only bones that `motion` moves differently are touched, unless `everything` is asked for. `only` names the bones that may
    be; an OptionError if a bone that has to move is locked. `shown` (F_out,) are the frames of `reading` whose sizes bones take, the
    same frame if not given.
    """
    rig, count = reading.rig, len(motion)
    at = np.minimum(np.arange(count), len(reading.frames) - 1)
    moved = np.ones(len(motion.skeleton), dtype=bool) if everything else _moved(reading.motion, motion, at)
    bones = {int(rig.joints[j]) for j in np.flatnonzero(moved & (rig.joints >= 0))}
    if only is not None:
        bones = {n for n in bones if rig.object.data.bones[n].name in only}
    poses = _poses(reading, motion, at, bones, at if shown is None else shown)
    channels: dict[Channel, np.ndarray] = {}
    let_go, locked = [], []
    size = max(float(np.ptp(rig.rests[:, :3, 3], axis=0).max()), 1e-9)
    for n in (n for n in rig.order if n in bones):
        bone = rig.object.pose.bones[n]
        before = _basis(reading, n, reading.poses[at])
        basis = _basis(reading, n, poses)
        turn = quat.continuous(quat.from_matrix(_unscaled(basis)))
        turns = everything or _turns(turn, quat.from_matrix(_unscaled(before)))
        place = basis[:, :3, 3]
        off = place - (0.0 if everything else before[:, :3, 3])
        slides = not (bone.bone.use_connect and bone.parent) and np.abs(off).max() > STILL * size
        if everything and not (bone.bone.use_connect and bone.parent):
            slides = slides or bone.parent is None or any(bone.location)
        if (any(bone.lock_rotation) and _turns(turn, quat.from_matrix(_unscaled(before)))) or (
            any(bone.lock_location) and slides and np.abs(place - before[:, :3, 3]).max() > STILL * size
        ):
            locked.append(bone.name)
        # What drives the bone would take it elsewhere, even where it only goes along with the bone that it hangs from.
        driven = any(map(armature.acting, bone.constraints)) and not np.allclose(
            poses[:, n], reading.poses[at, n], rtol=0.0, atol=STILL * size
        )
        turns, slides = turns or driven, slides or (driven and not (bone.bone.use_connect and bone.parent))
        if turns:
            channels |= rotation_channels(bone, turn, reading.channels)
        if slides:
            path = actions.bone_path(bone.name, "location")
            channels |= {(path, axis): place[:, axis] for axis in range(3)}
        if (turns or slides) and any(map(armature.acting, bone.constraints)):
            let_go.append(bone.name)
            # A constraint may also have stretched the bone.
            channels |= _scale_channels(bone, basis)
    if locked:
        raise OptionError(
            Note(
                "Locked bones would have to move: {names}. Unlock them in the sidebar, or leave them out of the selection.",
                names=", ".join(map(quoted, locked[:6])) + (", ..." if len(locked) > 6 else ""),
            )
        )
    return channels, tuple(let_go)


def _scale_channels(bone: Any, basis: np.ndarray) -> dict[Channel, np.ndarray]:
    """The size of `basis` (F, 4, 4) as channels, if it is not what the bone has by itself."""
    sizes = np.linalg.norm(basis[:, :3, :3], axis=-2)
    if np.abs(sizes - np.array(bone.scale)).max() < SCALED:
        return {}
    path = actions.bone_path(bone.name, "scale")
    return {(path, axis): sizes[:, axis] for axis in range(3)}


def rotation_channels(bone: Any, turn: np.ndarray, before: dict[Channel, np.ndarray]) -> dict[Channel, np.ndarray]:
    """Rotations (F, 4) as the channels of the bone's rotation mode."""
    if bone.rotation_mode == "QUATERNION":
        path = actions.bone_path(bone.name, "rotation_quaternion")
        values = turn[:, [3, 0, 1, 2]]
        first = np.array([before[path, n][0] if (path, n) in before else bone.rotation_quaternion[n] for n in range(4)])
        values = values if values[0] @ first >= 0.0 else -values
    elif bone.rotation_mode == "AXIS_ANGLE":
        path = actions.bone_path(bone.name, "rotation_axis_angle")
        vector = quat.log(turn)
        size = np.linalg.norm(vector, axis=-1, keepdims=True)
        axis = np.where(size > 1e-12, vector / np.maximum(size, 1e-12), [0.0, 1.0, 0.0])
        values = np.concatenate([size, axis], axis=-1)
    else:
        path = actions.bone_path(bone.name, "rotation_euler")
        values = eulers(turn, bone.rotation_mode)
    return {(path, n): values[:, n] for n in range(values.shape[1])}


def eulers(turn: np.ndarray, order: str) -> np.ndarray:
    """(F, 3) x, y, z in radians of rotations (F, 4), without jumps from frame to frame."""
    found = np.empty((len(turn), 3))
    found[:, last_first(order)] = quat.to_euler(turn, order[::-1])
    middle = "XYZ".index(order[1])
    for frame in range(1, len(found)):
        # The same turn can be said in two ways; take the one that is nearer to the frame before.
        other = found[frame] + np.pi
        other[middle] = np.pi - found[frame, middle]
        options = np.stack([found[frame], other])
        options -= 2.0 * np.pi * np.round((options - found[frame - 1]) / (2.0 * np.pi))
        found[frame] = options[np.abs(options - found[frame - 1]).sum(axis=1).argmin()]
    return found


def _moved(before: Motion, after: Motion, at: np.ndarray) -> np.ndarray:
    """(J,) which joints differ from before in any frame."""
    turned = np.abs(np.abs(np.einsum("fji,fji->fj", before.rotations[at], after.rotations)) - 1.0) > SAME
    return np.asarray((turned | (np.abs(before.positions[at] - after.positions) > SAME).any(axis=-1)).any(axis=0))


def _turns(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((np.abs(np.einsum("fi,fi->f", a, b)) < 1.0 - 1e-10).any())


def _poses(reading: Reading, motion: Motion, at: np.ndarray, bones: set[int], shown: np.ndarray) -> np.ndarray:
    """(F_out, B, 4, 4) every bone in the armature's space: `bones` as `motion` says, the others as they follow."""
    rig = reading.rig
    old = reading.poses[at]
    poses = old.copy()
    turns, places = motion.world_transforms()
    worlds = reading.worlds[at]
    back = np.linalg.inv(worlds)
    upright = quat.inverse(quat.from_matrix(_unscaled(worlds)))
    joint = {int(bone): j for j, bone in enumerate(rig.joints) if bone >= 0}
    own = {name for name in rig.bones if name}
    for n in rig.order:
        parent = int(rig.parents[n])
        if n in bones:
            j = joint[n]
            turn = quat.multiply(upright, quat.multiply(quat.inverse(armature.TURN), turns[:, j]))
            # Size stays as it was: a stretched bone stays stretched.
            sizes = np.linalg.norm(reading.poses[shown, n, :3, :3], axis=-2)
            poses[:, n, :3, :3] = quat.to_matrix(turn) * sizes[:, None, :]
            place = armature.to_blender(places[:, j]) / rig.metres
            poses[:, n, :3, 3] = np.einsum("fij,fj->fi", back[:, :3, :3], place) + back[:, :3, 3]
        elif parent >= 0 and (rig.object.data.bones[n].name in own or not _placed(rig.object.pose.bones[n])):
            poses[:, n] = poses[:, parent] @ np.linalg.inv(old[:, parent]) @ old[:, n]
    return poses


def _placed(bone: Any) -> bool:
    """Whether constraints say where the bone is, so that it does not go along with the one that it hangs from."""
    return any(armature.acting(one) and one.type not in SIZING for one in bone.constraints)


def _basis(reading: Reading, n: int, poses: np.ndarray) -> np.ndarray:
    """(F, 4, 4) what the bone's own channels have to make for it to stand as in `poses`."""
    rig = reading.rig
    parent = int(rig.parents[n])
    bone = rig.object.data.bones[n]
    if bone.use_inherit_rotation and bone.inherit_scale == "FULL" and bone.use_local_location:
        if parent < 0:
            return np.asarray(np.linalg.inv(rig.rests[n]) @ poses[:, n])
        place = poses[:, parent] @ (np.linalg.inv(rig.rests[parent]) @ rig.rests[n])
        return np.asarray(np.linalg.inv(place) @ poses[:, n])
    from mathutils import Matrix

    rest = Matrix(rig.rests[n].tolist())
    more = {} if parent < 0 else {"parent_matrix_local": Matrix(rig.rests[parent].tolist())}
    found = []
    for frame in range(len(poses)):
        if parent >= 0:
            more["parent_matrix"] = Matrix(poses[frame, parent].tolist())
        found.append(bone.convert_local_to_pose(Matrix(poses[frame, n].tolist()), rest, invert=True, **more))
    return np.array([np.array(one) for one in found], dtype=np.float64)


def _unscaled(matrices: np.ndarray) -> np.ndarray:
    turn = matrices[..., :3, :3]
    return np.asarray(turn / np.linalg.norm(turn, axis=-2, keepdims=True))


def pose_now(rig_reading: Reading, motion: Motion) -> None:
    """Put the bones of an armature as the single frame of `motion` has them, without keys."""
    channels, _ = channels_of(rig_reading, motion, everything=True)
    by_path: dict[str, dict[int, float]] = {}
    for (path, index), values in channels.items():
        by_path.setdefault(path, {})[index] = float(values[0])
    ob = rig_reading.rig.object
    for path, values in by_path.items():
        bone, _, name = path.rpartition("].")
        setattr(ob.path_resolve(bone + "]"), name, [values[n] for n in sorted(values)])
