"""Any body's motion on MikuMikuDance's standard bones: by roles, with the directions of the limbs kept."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.formats.mmd import body, standard
from komadori.formats.mmd.binary import UNIT_M, mirrored, mirrored_turns
from komadori.formats.mmd.bones import Posed
from komadori.formats.mmd.model import Model
from komadori.motion import Motion
from komadori.quat import Array
from komadori.roles import FINGERS, MAIN, THUMB
from komadori.words import Note

_FAR = np.radians(35.0)
"""Trunk, shoulders and feet are built differently from body to body; only beyond this angle are their rest poses unlike."""
_GROUND_M = 0.1
"""Feet that lie farther from the ground than this, at their lowest, are not meant to stand on it."""

_CHAINS = (
    ("shoulder", "upper_arm", "lower_arm", "hand", "middle_proximal"),
    ("upper_leg", "lower_leg", "foot", "toes"),
    THUMB,
    *(FINGERS[i : i + 3] for i in range(0, 12, 3)),
)
_NEXT = {
    "spine": ("upper_chest", "neck", "head"),
    "upper_chest": ("neck", "head"),
    "neck": ("head",),
    **{f"{side}_{a}": (f"{side}_{b}",) for side, _ in standard.SIDES for chain in _CHAINS for a, b in pairwise(chain)},
}
_FREE = ("head", "toes", "eye")
"""Ends that are turned as they are, whatever the bone before them does."""
_LOOSE = ("spine", "upper_chest", "neck", "head", "shoulder", "foot", "toes", "eye")


def fitted(motion: Motion, model: Model) -> Posed:
    """Poses of the standard `model` in which every limb points where it points in `motion`; legs as long as the model's.

    The hips' turn goes to the lower body and the centre carries the place of the legs' roots, scaled by leg length.
    """
    target = body.skeleton(model)
    joints = _joints(motion)
    names = {role: target.index(name) for role, name in standard.ROLE_BONES.items()}
    rest_q, rest_p = _rest(motion)
    _, stand = kinematics.world_transforms(target, target.rest[None], target.offsets[None])
    turned, placed = motion.world_transforms()
    yaw = _facing(rest_p, joints)
    align = _aligned(joints, names, rest_p, stand[0], yaw)
    world = {
        names[role]: quat.multiply(quat.multiply(turned[:, joint], quat.inverse(rest_q[joint])), align[role])
        for role, joint in joints.items()
    }
    frames = len(motion)
    whole = quat.identity(frames, len(target))
    for joint, parent in enumerate(target.parents.tolist()):
        whole[:, joint] = world[joint] if joint in world else whole[:, parent] if parent >= 0 else quat.IDENTITY
    local = kinematics.local_rotations(target, whole)
    shifts = np.zeros((frames, len(target), 3))
    shifts[:, target.index(standard.CENTRE)] = _centre(placed, rest_p, joints, names, stand[0], whole)
    order = model.joint_of
    return Posed(mirrored_turns(local[:, order]), mirrored(shifts[:, order]) / UNIT_M)


def _joints(motion: Motion) -> dict[str, int]:
    """Roles of the source that standard bones play; the arms hang from the highest part of the chest that there is."""
    found = roles.known(motion.skeleton)
    missing = [role for role in MAIN if role not in found and not role.endswith(("hand", "foot", "head"))]
    if missing:
        raise OptionError(
            Note("a VMD file holds human bodies, and no joint plays {names}", names=", ".join(missing[:4]))
        )
    joints = {role: found[role] for role in standard.ROLE_BONES if role in found}
    if "upper_chest" not in joints and "chest" in found:
        joints["upper_chest"] = found["chest"]
    return joints


def _rest(motion: Motion) -> tuple[Array, Array]:
    skeleton = motion.skeleton
    q, p = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    return q[0], p[0]


def _facing(rest: Array, joints: dict[str, int]) -> Array:
    """The turn about the vertical from a body that faces +z to the source's rest pose."""
    left = rest[joints["left_upper_leg"]] - rest[joints["right_upper_leg"]]
    left = left * (1.0, 0.0, 1.0)
    if np.linalg.norm(left) < 1e-6:
        return quat.identity()
    angle = np.arctan2(-left[2], left[0])
    return quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)


def _aligned(joints: dict[str, int], names: dict[str, int], rest: Array, stand: Array, yaw: Array) -> dict[str, Array]:
    """For each role the world turn that lays the model's rest pose over the source's: MikuMikuDance's arms hang lower."""
    lays: dict[str, Array] = {}
    for role in joints:
        below = next((other for other in _NEXT.get(role, ()) if other in joints), None)
        if below is None:
            continue
        theirs = rest[joints[below]] - rest[joints[role]]
        if np.linalg.norm(theirs) > 1e-6:
            lays[role] = quat.between(quat.rotate(yaw, stand[names[below]] - stand[names[role]]), theirs)
    angles = {role: float(quat.angle(turn)) for role, turn in lays.items()}
    align: dict[str, Array] = {}
    for role in joints:
        # The same on both sides, so that a nearly symmetrical body does not become lopsided.
        far = max(angles.get(role, 0.0), angles.get(_other_side(role), 0.0)) > _FAR
        if role in lays and (far or not role.endswith(_LOOSE)):
            align[role] = quat.multiply(lays[role], yaw)
        elif role not in lays and not role.endswith(_FREE) and _before(role) in align:
            # The last bone of a limb has no direction of its own: it follows the one before.
            align[role] = align[_before(role)]
        else:
            align[role] = yaw
    return align


def _other_side(role: str) -> str:
    side, _, part = role.partition("_")
    return {"left": f"right_{part}", "right": f"left_{part}"}.get(side, role)


def _before(role: str) -> str:
    return next((one for one, others in _NEXT.items() if role in others), "")


def _centre(
    placed: Array, rest: Array, joints: dict[str, int], names: dict[str, int], stand: Array, whole: Array
) -> Array:
    """Metres (F, 3) that the centre moves, so that the legs' roots are where the source's are, in scale."""
    legs = [f"{side}_upper_leg" for side, _ in standard.SIDES]
    ours = _leg_length(stand, names)
    theirs = _leg_length(rest, joints)
    scale = ours / theirs if theirs > 1e-6 else 1.0
    middle = scale * placed[:, [joints[role] for role in legs]].mean(axis=1)
    feet = [f"{side}_foot" for side, _ in standard.SIDES if f"{side}_foot" in joints]
    if feet and len(placed):
        lowest = scale * np.percentile(placed[:, [joints[role] for role in feet], 1].min(axis=1), 2.0)
        lift = stand[names[feet[0]], 1] - lowest
        middle[:, 1] += lift if abs(lift) < _GROUND_M else 0.0
    root = names["hips"]
    hang = stand[[names[role] for role in legs]].mean(axis=0) - stand[root]
    return np.asarray(middle - quat.rotate(whole[:, root], hang) - stand[root])


def _leg_length(places: Array, joints: dict[str, int]) -> float:
    chain = [joints[f"left_{role}"] for role in ("upper_leg", "lower_leg", "foot") if f"left_{role}" in joints]
    return float(np.linalg.norm(np.diff(places[chain], axis=0), axis=1).sum())
