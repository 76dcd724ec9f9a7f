"""Clips made by code whose truth is known: units, axes, hands, falls and faults, written to a file and read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import komadori
from bench import clips_conventions
from bench.clips_hair import fallen
from bench.clips_postures import POSTURES, in_posture
from komadori import Motion, Skeleton, quat
from komadori.characters import sample
from komadori.formats.bvh.axes import UPS, z_up
from komadori.formats.units import METRES
from komadori.quat import Array
from komadori.roles import MAIN

PREFIX = "made:"
FAULTS = ("flipped joints", "begins in a T-pose")
"""Clips whose files hold what must be taken out first: they are compared with the truth as they were made ready."""
BRIDGED = ("spikes",)
"""Clips of which a part is lost in the file: nobody knows where the body was."""
SPIKE_M, SPIKES = 1460.0, 5
CUT_M, CUT_DEG = (2.0, 0.0, 3.0), 160.0
DRIFT_M_S = 0.05


def _in_world(motion: Motion, up: str, mirrored: bool = False) -> Motion:
    """`motion` in the numbers of a world in which `up` is up."""
    old = motion.skeleton
    offsets, rest = z_up(old.offsets, up, mirrored), z_up(old.rest, up, mirrored)
    skeleton = Skeleton(old.names, old.parents, offsets, rest)
    return Motion(skeleton, motion.fps, z_up(motion.rotations, up, mirrored), z_up(motion.positions, up, mirrored))


def _in_unit(motion: Motion, unit: str) -> Motion:
    # A BVH is written in centimetres.
    scale = METRES["cm"] / METRES[unit]
    old = motion.skeleton
    skeleton = Skeleton(old.names, old.parents, scale * old.offsets, old.rest)
    return Motion(skeleton, motion.fps, motion.rotations, scale * motion.positions)


def _spiked(motion: Motion) -> Motion:
    positions = np.array(motion.positions)
    positions[np.linspace(20, len(motion) - 20, SPIKES).astype(int), 0] = SPIKE_M
    return motion.replaced(positions=positions)


def _flipped(motion: Motion) -> Motion:
    """A forearm, a thigh and the chest turn over for a frame or two, far from the quick part."""
    rotations = np.array(motion.rotations)
    for joint, frames in (("left_lower_arm", [12, 13]), ("right_upper_leg", [20]), ("chest", [8, 9])):
        number = motion.skeleton.roles[joint]
        rotations[frames, number] = quat.multiply(rotations[frames, number], quat.exp(np.array([0.0, 0.0, 2.6])))
    return motion.replaced(rotations=rotations)


def _cut(motion: Motion) -> Motion:
    """From its middle on elsewhere, and facing another way: two takes in one clip."""
    half = len(motion) // 2
    turn = quat.from_axis_angle((0.0, 1.0, 0.0), np.radians(CUT_DEG))
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    rotations[half:, 0] = quat.multiply(turn, rotations[half:, 0])
    positions[half:, 0] = quat.rotate(turn, positions[half:, 0]) + np.array(CUT_M)
    return motion.replaced(rotations=rotations, positions=positions)


def _drifting(motion: Motion) -> Motion:
    """All of it, standing feet too, slowly to one side."""
    positions = np.array(motion.positions)
    positions[:, 0, 0] += DRIFT_M_S * np.arange(len(motion)) / motion.fps
    return motion.replaced(positions=positions)


def _without(motion: Motion, role: str) -> Motion:
    """A body of which the joint of `role`, and all below it, was not captured."""
    old = motion.skeleton
    keep = np.flatnonzero(~old.below([old.roles[role]]))
    parents = np.where(old.parents[keep] < 0, -1, np.searchsorted(keep, old.parents[keep]))
    found = {role: int(np.searchsorted(keep, joint)) for role, joint in old.roles.items() if joint in keep}
    names = tuple(old.names[joint] for joint in keep)
    skeleton = Skeleton(names, parents, old.offsets[keep], old.rest[keep]).with_roles(found)
    return Motion(skeleton, motion.fps, motion.rotations[:, keep], motion.positions[:, keep])


def _begun(motion: Motion) -> Motion:
    """A second of T-pose at the origin before the movement, held exactly."""
    count = round(motion.fps)
    skeleton = motion.skeleton
    pose = np.broadcast_to(skeleton.rest, (count, len(skeleton), 4))
    places = np.broadcast_to(skeleton.offsets, (count, len(skeleton), 3))
    rotations, positions = np.concatenate([pose, motion.rotations]), np.concatenate([places, motion.positions])
    return Motion(skeleton, motion.fps, rotations, positions)


def _asleep(turn: Array, motion: Motion) -> Motion:
    """The whole clip lying or upside down by `turn`, on a floor at 0."""
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    middle = positions[:, 0].mean(axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = quat.rotate(turn, positions[:, 0] - middle)
    laid = motion.replaced(rotations=rotations, positions=positions)
    positions[:, 0, 1] -= laid.world_positions()[..., 1].min()
    return motion.replaced(rotations=rotations, positions=positions)


def _makers() -> dict[str, tuple[str, Callable[[Motion], Motion], Callable[[Motion], Motion]]]:
    """Name -> the sample it begins with, what happens to the body, and how the file then tells it."""

    def same(motion: Motion) -> Motion:
        return motion

    result: dict[str, tuple[str, Callable[[Motion], Motion], Callable[[Motion], Motion]]] = {}
    for up in UPS:
        for hand, mirrored in (("", False), (", left-handed", True)):
            result[f"{up} up{hand}"] = (
                "kick",
                same,
                lambda motion, up=up, mirrored=mirrored: _in_world(motion, up, mirrored),  # type: ignore[misc]
            )
    for unit in METRES:
        result[f"in {unit}"] = ("walk", same, lambda motion, unit=unit: _in_unit(motion, unit))  # type: ignore[misc]
    result["falls on the back"] = ("pitch", lambda motion: fallen(motion, forward=False), same)
    result["falls on the face"] = ("pitch", lambda motion: fallen(motion, forward=True), same)
    for name, axis, degrees in (("on the side", (0, 0, 1), 90), ("on the hands", (0, 0, 1), 180)):
        turn = quat.from_axis_angle(axis, np.radians(degrees))
        result[f"always {name}, Z up"] = (
            "slow-walk",
            lambda motion, turn=turn: _asleep(turn, motion),  # type: ignore[misc]
            lambda motion: _in_world(motion, "Z"),
        )
    result["spikes"] = ("pitch", same, _spiked)
    result["flipped joints"] = ("pitch", same, _flipped)
    result["begins in a T-pose"] = ("kick", same, _begun)
    result["cut in its middle"] = ("kick", _cut, same)
    result["drifts to one side"] = ("kick", _drifting, same)
    result["right arm not captured"] = ("walk", lambda motion: _without(motion, "right_upper_arm"), same)
    for name, posture in POSTURES.items():
        result[name] = (
            "slow-walk",
            lambda motion, posture=posture: in_posture(motion, posture),  # type: ignore[misc]
            same,
        )
    result["stands still"] = ("pitch", lambda motion: motion.taken(np.zeros(48, dtype=int)), same)
    return result


AS = "as "
"""What the names of clips begin with that are told as others tell them."""
MAKERS = _makers()
CLIPS = (*(PREFIX + name for name in MAKERS), *(f"{PREFIX}{AS}{name}" for name in clips_conventions.CONVENTIONS))


def written(name: str, folder: Path) -> tuple[Path, Motion]:
    """The made clip `name` as a BVH file in `folder`, and the movement that it means."""
    if name.startswith(AS):
        return clips_conventions.written(name.removeprefix(AS), folder)
    begin, happens, told = MAKERS[name]
    truth = happens(sample(begin))
    path = folder / "made.bvh"
    komadori.save(told(truth), path)
    return path, truth


def roles_right(found: Skeleton, truth: Skeleton) -> dict[str, bool]:
    """Whether each main role that `truth` has is played in `found` by the joint of that name, or by one at its place."""
    result = {}
    for role in (role for role in MAIN if role in truth.roles):
        name = truth.names[truth.roles[role]]
        alike = [name]
        joint = truth.roles[role]
        # Bip01 and its pelvis are at one place: either is the hips.
        alike += [truth.names[kid] for kid in truth.children[joint] if not truth.offsets[kid].any()]
        result[role] = role in found.roles and found.names[found.roles[role]] in alike
    return result


def apart_m(found: Motion, truth: Motion) -> float:
    """How far any joint of `found` is from its place in `truth`, in metres; which way is ahead, and where 0 is, are free."""
    now, true = found.world_positions(), truth.world_positions()
    shared = [(found.skeleton.names.index(name), j) for j, name in enumerate(truth.skeleton.names) if name in found.skeleton.names]  # fmt: skip
    count = min(len(now), len(true))
    a, b = now[:count][:, [i for i, _ in shared]], true[:count][:, [j for _, j in shared]]
    a, b = a - a.mean(axis=(0, 1)), b - b.mean(axis=(0, 1))
    cross = (a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]).sum()
    angle = float(np.arctan2(cross, (a[..., 0] * b[..., 0] + a[..., 2] * b[..., 2]).sum()))
    return float(np.linalg.norm(_turned(a, angle) - b, axis=-1).max())


def _turned(places: Array, angle: float) -> Array:
    """`places` (..., 3) turned about Y by `angle`."""
    x, z = places[..., 0], places[..., 2]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * x + sin * z, places[..., 1], cos * z - sin * x], axis=-1)
