"""VRM's normalised humanoid: poses as turns away from the T-pose, the language in which VRM bodies exchange motion.

With the world rotations Q of a pose and W of the rest pose, a bone has turned D = Q W^-1 in the world, and its normalised
rotation is that turn in the frame of the bone that it hangs from: N = D_parent^-1 D. On a body without rest rotations N
is the local rotation itself. (VRMC_vrm_animation writes it W_parent R W^-1, for a local rotation R.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat
from komadori.errors import FormatError
from komadori.formats.vrm.humanoid import PARENTS, REQUIRED, ROLES, bone_name
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

STILL_M = 1e-9

SUNK = 0.25
"""A body whose lowest joint is so far from the ground, in heights of its hips, does not stand on it at rest."""

SLANT_DEG = 30.0
"""How far an arm or leg may point from where a T-pose has it."""

ARM_SWING_DEG, LEG_SWING_DEG = 100.0, 60.0
"""How far an arm, and a leg, may be moved to make a T of a rest pose."""

_LIMBS = (("upper_arm", "lower_arm", 1.0), ("lower_arm", "hand", 1.0), ("upper_leg", "foot", 0.0))


@dataclass(frozen=True, eq=False)
class Normalised:
    """A motion of a humanoid: `roles` (R) in an order in which parents come first, each with its parent's number or -1.

    `places` (R, 3) are world positions in the rest pose, in metres; `rotations` (F, R, 4) are normalised; `hips` (F, 3) is
    where the hips are.
    """

    fps: float
    roles: tuple[str, ...]
    parents: tuple[int, ...]
    places: Array
    rotations: Array
    hips: Array

    @property
    def travels(self) -> bool:
        """Whether the hips ever leave the place where they rest."""
        return bool(np.abs(self.hips - self.places[self.roles.index("hips")]).max(initial=0.0) > STILL_M)


def normalised(motion: Motion, name: str = "VRMA") -> Normalised:
    """`motion` as normalised rotations of its roles, away from VRM's T-pose; its rest pose must stand, facing +Z."""
    skeleton = motion.skeleton
    present = dict(skeleton.roles)
    missing = [role for role in REQUIRED if role not in present]
    if missing:
        told = ", ".join(bone_name(role) for role in missing)
        advice = Note("a whole humanoid is needed")
        raise FormatError(
            name,
            problem=Note("no joint for {told}", told=told),
            advice=advice,
        )
    around, rest_p, _ = as_a_t(skeleton, name)
    places = _on_the_ground(rest_p, present["hips"])
    if not places[present["hips"], 1] > 0.0:
        raise FormatError(name, problem=Note("the hips are below the feet in the rest pose"))
    chosen = [role for role in ROLES if role in present and not role.endswith("_eye")]
    joints = [present[role] for role in chosen]
    parents = [above(role, chosen) for role in chosen]
    world_q, world_p = motion.world_transforms()
    rotations = np.empty((len(motion), len(chosen), 4))
    for number, (joint, parent) in enumerate(zip(joints, parents, strict=True)):
        upper = joints[parent] if parent >= 0 else -1
        local = _below(motion, upper, joint)
        if local is None:
            local = quat.multiply(quat.inverse(world_q[:, upper]), world_q[:, joint])
        over = around[upper] if upper >= 0 else quat.IDENTITY
        rotations[:, number] = quat.multiply(quat.multiply(over, local), quat.inverse(around[joint]))
    return Normalised(
        motion.fps,
        tuple(chosen),
        tuple(parents),
        places[joints],
        quat.continuous(quat.normalized(rotations)),
        world_p[:, present["hips"]],
    )


def _below(motion: Motion, upper: int, joint: int) -> Array | None:
    """(F, 4): the turn of `joint` in the frame of `upper` (-1 for the world), or None if it does not hang below it.

    Made of the turns between the two alone: where those are held, so is this, to the last bit.
    """
    local, at = motion.rotations[:, joint], int(motion.skeleton.parents[joint])
    while at not in (upper, -1):
        local, at = quat.multiply(motion.rotations[:, at], local), int(motion.skeleton.parents[at])
    return local if at == upper else None


def above(role: str, chosen: list[str]) -> int:
    """The number in `chosen` of the bone that `role` hangs from, past bones that the body does not have; -1 for none."""
    parent = PARENTS[role]
    while parent and parent not in chosen:
        parent = PARENTS[parent]
    return chosen.index(parent) if parent else -1


def posed(skeleton: Skeleton, poses: Normalised) -> Motion:
    """The motion of another humanoid that strikes the same `poses`: what VRM players do with a VRMA.

    The hips travel in proportion to the height at which they rest, or stay where they rest. Roles that only one of the two
    has are left alone.
    """
    frames = len(poses.hips)
    rest_q, rest_p = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    rotations = np.repeat(skeleton.rest[None], frames, axis=0)
    positions = np.repeat(skeleton.offsets[None], frames, axis=0)
    for number, role in enumerate(poses.roles):
        joint = skeleton.role(role)
        if joint is None:
            continue
        around = rest_q[0, joint]
        # R = L W^-1 N W, with the local and world rest rotations L and W
        turn = quat.multiply(quat.multiply(quat.inverse(around), poses.rotations[:, number]), around)
        rotations[:, joint] = quat.multiply(skeleton.rest[joint], turn)
    hips = skeleton.role("hips")
    if hips is not None and poses.travels:
        scale = rest_p[0, hips, 1] / poses.places[poses.roles.index("hips"), 1]
        parent = int(skeleton.parents[hips])
        place = poses.hips * scale
        if parent >= 0:
            place = quat.rotate(quat.inverse(rest_q[0, parent]), place - rest_p[0, parent])
        positions[:, hips] = place
    return Motion(skeleton, poses.fps, quat.continuous(rotations), positions)


def _on_the_ground(places: Array, hips: int) -> Array:
    """World positions (J, 3) at rest, raised so that the feet stand at y = 0 where a file rests its hips at the origin (BVH).

    Players scale the travel of the hips by the height at which they rest.
    """
    lowest = places[:, 1].min()
    height = places[hips, 1] - lowest
    return places - [0.0, lowest, 0.0] if abs(lowest) > SUNK * height else places


def as_a_t(skeleton: Skeleton, name: str) -> tuple[Array, Array, bool]:
    """World rotations (J, 4) and positions (J, 3) of the body as a T, and whether limbs of its rest pose were moved for it.

    Arms that hang, as in an A-pose, are raised, and legs that stand apart are closed, the shortest way. A body that does
    not stand, or looks elsewhere than +Z, is refused.
    """
    present, local, moved = skeleton.roles, np.array(skeleton.rest), False
    turned, places = kinematics.world_transforms(skeleton, local[None], skeleton.offsets[None])
    across = places[0, present["left_upper_leg"], 0] - places[0, present["right_upper_leg"], 0]
    limit = np.cos(np.radians(SLANT_DEG))
    expected = Note("a rest pose that stands upright and faces +Z")
    advice = Note("retarget it to a body that does: komadori retarget IN --to girl -o OUT.vrma")
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for upper, lower, sideways in _LIMBS:
            joint = present[f"{side}_{upper}"]
            bone = places[0, present[f"{side}_{lower}"]] - places[0, joint]
            wanted = np.array([sign * sideways, sideways - 1.0, 0.0])
            least = np.cos(np.radians(ARM_SWING_DEG if sideways else LEG_SWING_DEG))
            length = float(np.linalg.norm(bone))
            if not length > 0.0 or float(bone @ wanted) < least * length or not across > 0.0:
                found = Note("{bone} pointing elsewhere", bone=bone_name(f"{side}_{upper}"))
                raise FormatError(name, expected=expected, found=found, advice=advice)
            if float(bone @ wanted) < limit * length:
                moved, parent = True, int(skeleton.parents[joint])
                world = quat.multiply(quat.between(bone, wanted), turned[0, joint])
                local[joint] = world if parent < 0 else quat.multiply(quat.inverse(turned[0, parent]), world)
                turned, places = kinematics.world_transforms(skeleton, local[None], skeleton.offsets[None])
    return turned[0], places[0], moved
