"""Bone lengths from the markers that some AMASS files keep: with the angles known, the places of joints are linear in the offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from komadori import kinematics, quat
from komadori.formats.smpl.bodies import PELVIS, Body
from komadori.quat import Array

FRAMES = 60
"""Frames that are looked at, spread over the clip: bones do not change."""
MARKER_M, BONE_M = 0.015, 0.04
"""How far the middle of a joint's markers lies from the joint, and how far bones differ from the average's, as deviations."""
LEAST = 6
"""Joints that must have markers."""

_SIDED: dict[str, tuple[str, ...]] = {
    "wrist": ("OWR", "IWR"), "elbow": ("IEL", "ELB"), "knee": ("KNE", "KNI"), "shoulder": ("FSH", "BSH"), "foot": ("MT1", "MT5"), "ankle": ("ANK",),
    "index1": ("IBH",), "index2": ("IPIP",), "index3": ("IDIP",), "middle1": ("MBH",), "middle2": ("MPIP",), "middle3": ("MDIP",),
    "ring1": ("RBH",), "ring2": ("RPIP",), "ring3": ("RDIP",), "pinky1": ("PBH",), "pinky2": ("PPIP",), "pinky3": ("PDIP",),
    "thumb2": ("TMP",), "thumb3": ("TPIPO", "TPIPI"),
}  # fmt: skip
AROUND: dict[str, tuple[str, ...]] = {
    "pelvis": ("LFWT", "RFWT", "LBWT", "RBWT"),
    "head": ("LFHD", "LBHD", "RFHD", "RBHD"),
    **{
        f"{side}_{joint}": tuple(side[0].upper() + label for label in labels)
        for side in ("left", "right")
        for joint, labels in _SIDED.items()
    },
}
"""Joint -> the markers, as AMASS labels them, in whose middle it lies."""


def middles(labels: list[str], markers: Array) -> dict[str, Array]:
    """Joint -> (F, 3) the middle of its markers, NaN in frames in which one is missing."""
    place = {label: n for n, label in enumerate(labels)}
    return {
        joint: markers[:, [place[label] for label in around]].mean(axis=1)
        for joint, around in AROUND.items()
        if all(label in place for label in around)
    }


def fitted(body: Body, turns: Array, trans: Array, seen: Mapping[str, Array]) -> Array | None:
    """(J, 3) the joints at rest in the model's space that bring them nearest to the middles `seen` of their markers.

    Bones that no marker tells apart keep the proportions of an average body of the same size. `turns` (F, J, 4) and `trans` (F, 3)
    are as the file has them. None if too few joints have markers.
    """
    known = [name for name in body.names if name in seen]
    if len(known) < LEAST or not len(turns):
        return None
    frames = np.unique(np.linspace(0, len(turns) - 1, FRAMES).astype(np.int64))
    skeleton = body.skeleton()
    world, _ = kinematics.world_transforms(
        skeleton, turns[frames], np.broadcast_to(skeleton.offsets, (len(frames), *skeleton.offsets.shape))
    )
    matrices = quat.to_matrix(world)
    columns = 3 * len(body.names)
    rows, wanted = [], []
    for name in known:
        block = np.zeros((len(frames), 3, columns))
        block[:, :, :3] = np.eye(3)
        joint = body.names.index(name)
        while joint > 0:
            above = body.parents[joint]
            block[:, :, 3 * joint : 3 * joint + 3] = matrices[:, above]
            joint = above
        there = seen[name][frames] - trans[frames]
        found = np.isfinite(there).all(axis=1)
        rows.append(block[found].reshape(-1, columns))
        wanted.append(there[found].reshape(-1))
    system, target = np.concatenate(rows), np.concatenate(wanted)
    if len(target) < 3 * LEAST:
        return None
    average = np.concatenate([[PELVIS], np.array(body.offsets)[1:]]).reshape(-1)
    size = _size(system, target, average)
    # Thousands of rows say the same: one frame's worth of them counts beside what is known of bodies.
    weight = 1.0 / (MARKER_M * np.sqrt(len(target) / (3.0 * len(known))))
    left = np.concatenate([weight * system, np.eye(columns) / BONE_M])
    right = np.concatenate([weight * target, size * average / BONE_M])
    rest: Array = np.linalg.lstsq(left, right, rcond=None)[0].reshape(-1, 3)
    for joint, parent in enumerate(body.parents):
        if parent >= 0:
            rest[joint] += rest[parent]
    return rest


def _size(system: Array, target: Array, average: Array) -> float:
    """How many times as large as the average the body is; the pelvis' own place does not grow with it."""
    bones = average.copy()
    bones[:3] = 0.0
    # The place of the pelvis is free: three columns beside the one of the size.
    least = np.column_stack([system @ bones, system[:, :3]])
    size = float(np.linalg.lstsq(least, target, rcond=None)[0][0])
    return float(np.clip(size, 0.5, 1.5))
