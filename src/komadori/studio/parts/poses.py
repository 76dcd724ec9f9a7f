"""Poses in the studio: which joints a hand can take, poses in the scene, and key poses that were redrawn by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from komadori import quat, roles
from komadori.errors import OptionError
from komadori.methods.puppet import mirrored
from komadori.motion import Motion, Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.studio.messages import EditKeyPose, Grab
from komadori.studio.scene import MOST_POSED, PosedBody, PosedFrame, Scene
from komadori.words import Note

_FINGERS = ("thumb", "index", "middle", "ring", "little")
GRABS = (
    "right_hand", "left_hand", "right_foot", "left_foot", "head", "hips", "chest", "neck",
    "right_lower_arm", "left_lower_arm", "right_lower_leg", "left_lower_leg",
    *(f"{side}_{finger}_distal" for side in ("right", "left") for finger in _FINGERS),
)  # fmt: skip
"""Roles of the joints that can be dragged."""


def grabs(skeleton: Skeleton) -> list[Grab]:
    """The joints of a body that a hand can take."""
    known = roles.known(skeleton)
    return [Grab(int(known[role]), role) for role in GRABS if role in known] or [Grab(0, "root")]


def fits(pose: PosedBody, skeleton: Skeleton) -> bool:
    """Whether the pose is one of a body with as many joints."""
    return len(pose.rotations) == 4 * len(skeleton) and len(pose.positions) == 3 * len(skeleton)


def stored(pose: Pose) -> PosedBody:
    """A pose for the scene: finer than a millionth of a metre or of a turn shows nowhere."""
    return PosedBody(np.round(pose.rotations, 7).ravel().tolist(), np.round(pose.positions, 6).ravel().tolist())


def plain_pose(pose: PosedBody) -> Pose:
    """A pose out of the scene."""
    return Pose(np.reshape(pose.rotations, (-1, 4)), np.reshape(pose.positions, (-1, 3)))


def turned(skeleton: Skeleton, pose: Pose, joint: int, rotation: Sequence[float] | None) -> Pose:
    """The pose with one joint turned against its parent."""
    if not 0 <= joint < len(skeleton):
        raise OptionError(
            "joint", expected=Note("joints of the skeleton, 0 to {last}", last=len(skeleton) - 1), found=joint
        )
    turn = np.array(rotation or [0.0, 0.0, 0.0, 0.0])
    if not np.linalg.norm(turn) > 1e-6:
        raise OptionError("rotation", expected=Note("a rotation x, y, z, w that is not zero"), found=rotation)
    rotations = np.array(pose.rotations)
    rotations[joint] = quat.normalized(turn)
    return Pose(rotations, pose.positions)


def redrawn(motion: Motion, poses: Sequence[PosedFrame]) -> Motion:
    """The clip with the poses that a hand redrew; those of another body or of frames that it has not are omitted."""
    good = [one for one in poses if one.frame < len(motion) and fits(one.pose, motion.skeleton)]
    if not good:
        return motion
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    for one in good:
        pose = plain_pose(one.pose)
        rotations[one.frame], positions[one.frame] = _near(pose.rotations, rotations[one.frame]), pose.positions
    return motion.replaced(rotations, positions)


def _near(turns: Array, before: Array) -> Array:
    """The turns with the signs that lie nearest to those before: a joint that was not touched keeps its very numbers."""
    signed = turns * np.where((turns * before).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return np.where(np.abs(signed - before).max(axis=-1, keepdims=True) < 1e-6, before, signed)


def present(motion: Motion, scene: Scene, part: str, frame: int) -> Pose:
    """The pose of the clip's `frame` as it is now, redrawn or captured."""
    if not 0 <= frame < len(motion):
        raise OptionError(
            "frame", expected=Note("a frame of the motion, 1 to {last}", last=len(motion)), found=frame + 1
        )
    for one in scene.poses(part):
        if one.frame == frame and fits(one.pose, motion.skeleton):
            return plain_pose(one.pose)
    return motion.pose(frame)


def with_pose(scene: Scene, part: str, frame: int, pose: Pose | None) -> Scene:
    """The scene with the pose of a frame redrawn; None gives the captured one back."""
    others = [one for one in scene.poses(part) if one.frame != frame]
    if pose is not None:
        if len(others) >= MOST_POSED:
            raise OptionError(Note("{count} poses are edited already: reset some first", count=MOST_POSED))
        others = sorted([*others, PosedFrame(frame, stored(pose))], key=lambda one: one.frame)
    return scene.with_part(part, poses=others)


def edited(scene: Scene, ask: EditKeyPose, motion: Motion) -> Scene:
    """The scene after one edit of a key pose."""
    now = present(motion, scene, ask.part, ask.frame)
    match ask.edit:
        case "keep":
            return scene
        case "reset":
            return with_pose(scene, ask.part, ask.frame, None)
        case "mirror":
            return with_pose(scene, ask.part, ask.frame, mirrored(motion.skeleton, now))
        case "turn":
            pose = turned(motion.skeleton, now, ask.joint, ask.rotation)
            return with_pose(scene, ask.part, ask.frame, pose)
