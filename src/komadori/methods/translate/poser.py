"""The poser: an animal's body made ready for acting, and the bodily angles that a frame of acting asks of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori import kinematics, quat
from komadori.methods.translate.acting import ON, Beats
from komadori.methods.translate.anatomy import Anatomy, Joints
from komadori.methods.translate.cycles import Cycle
from komadori.methods.translate.manner import AS
from komadori.methods.translate.stepping import BENDING
from komadori.methods.translate.turning import back, product, spun
from komadori.quat import Array

_NOSE = 0.15
"""Units from the ground at which a lowered nose is near it."""
_COLUMNS = ("bend", "lean", "unroll", "neck", "neck_yaw", "head", "head_yaw", "head_roll", "tail", "tail_yaw", "arch")
_AXES = {"bend": 1, "lean": 2, "unroll": 2, "neck": 0, "neck_yaw": 1, "head": 0, "head_yaw": 1, "head_roll": 2, "tail": 0, "tail_yaw": 1, "arch": 0}  # fmt: skip
_IN = {name: column for column, name in enumerate(_COLUMNS)}
_CARRIED = np.array([column for column, name in enumerate(_COLUMNS) if name in AS])
_CARRIED_FROM = np.array([AS[name] for name in _COLUMNS if name in AS])
"""Angles that are the manner's own."""
_PLAIN = (("spine", "bend"), ("spine", "lean"), ("spine", "unroll"), ("neck", "neck_yaw"), ("head", "head"),
          ("head", "head_yaw"), ("head", "head_roll"), ("tail", "tail_yaw"))  # fmt: skip
"""Angles that all joints of a part share alike."""


@dataclass(frozen=True, eq=False)
class Poser:
    """Turns acted frames into poses."""

    body: Anatomy
    cycles: tuple[Cycle, ...]
    acting: Joints
    weights: Array
    """(columns, 3 n) the rotation vector that each bodily angle of `_COLUMNS` adds to each acting joint."""
    line: Joints
    """The joints between the root and the legs, parents first."""
    roots: slice | Joints
    """The joints that hang on none: a range where they come first, so that what is read is a view."""
    trunk: Joints
    """All joints but these and those of the legs."""
    fps: float


def poser(body: Anatomy, cycles: tuple[Cycle, ...], fps: float) -> Poser:
    """Everything that can be computed before the first frame."""
    mean = cycles[0].mean
    world, _ = kinematics.world_transforms(body.skeleton, mean[None], body.positions[None])
    groups = {"spine": body.spine, "neck": body.neck, "head": body.head, "tail": body.tail}
    acting = np.concatenate(list(groups.values())).astype(np.intp)
    shares = np.zeros((len(acting), len(_COLUMNS)))
    start = 0
    for name, joints in groups.items():
        rows = slice(start, start + len(joints))
        start += len(joints)
        if not len(joints):
            continue
        for column, angle in enumerate(_COLUMNS):
            part = 1.0 / len(joints)
            if name == "neck" and angle == "neck":
                # Lowered from the withers: the first joints of the neck turn most.
                falling = np.arange(len(joints), 0, -1.0)
                shares[rows, column] = falling / falling.sum()
            elif (name, angle) in _PLAIN:
                shares[rows, column] = part
            elif name == "neck" and angle == "arch" and len(joints) > 1:
                # Raised at the withers, bent at the poll.
                shares[rows, column] = [-0.6, *[0.0] * (len(joints) - 2), 1.0]
            elif name == "head" and angle == "arch":
                shares[rows, column] = 0.6
            elif name == "head" and angle == "neck":
                # The face keeps part of its own slant while the neck goes down.
                shares[rows, column] = -0.45
            elif name == "tail" and angle == "tail":
                shares[rows, column] = np.where(np.arange(len(joints)) < 2, 0.5, 0.0) if len(joints) > 1 else 1.0
    parents = body.skeleton.parents[acting]
    away = back(np.where((parents >= 0)[:, None], world[0, np.maximum(parents, 0)], quat.IDENTITY))
    # A lowered tail turns the other way about than a lowered nose: it points backwards.
    turns = np.stack([quat.rotate(away, axis) for axis in np.eye(3)], axis=1)
    axes = [_AXES[name] for name in _COLUMNS]
    weights = (shares.T[:, :, None] * turns[:, axes].transpose(1, 0, 2)).reshape(len(_COLUMNS), -1)
    line: set[int] = set()
    for anchor in body.legs.anchors.tolist():
        while anchor >= 0:
            line.add(anchor)
            anchor = int(body.skeleton.parents[anchor])
    roots = np.flatnonzero(body.skeleton.parents < 0)
    return Poser(
        body,
        cycles,
        acting,
        weights,
        np.array(sorted(line), dtype=np.intp),
        _range(roots),
        np.setdiff1d(np.arange(len(body.skeleton)), np.concatenate([roots, body.legs.paths.ravel()])),
        fps,
    )


def _range(joints: Joints) -> slice | Joints:
    return slice(0, len(joints)) if len(joints) == joints[-1] + 1 else joints


def lowest_neck(p: Poser) -> float:
    """Radians by which the neck can be lowered until the nose is near the ground, while the body is lowered a little."""
    body, tries = p.body, np.radians(np.arange(5.0, 71.0, 5.0))
    rotations = np.repeat(p.cycles[0].mean[None], len(tries), axis=0)
    rotvecs = (tries[:, None] * p.weights[_IN["neck"]]).reshape(len(tries), -1, 3)
    rotations[:, p.acting] = product(spun(rotvecs), rotations[:, p.acting])
    positions = np.repeat(body.positions[None], len(tries), axis=0)
    if not len(body.head):
        return float(tries[-1])
    low = kinematics.world_positions(body.skeleton, rotations, positions)[:, body.skeleton.below(body.head.tolist()), 1]
    free = np.flatnonzero(low.min(axis=1) > _NOSE * body.unit_m)
    return float(tries[free[-1]]) if len(free) else float(tries[0])


def angles_of(beats: Beats) -> Array:
    """(n, columns) the bodily angles of `_COLUMNS`, in radians."""
    manner, look = beats.manner, beats.body[:, ON["look"]]
    bend = np.minimum(np.maximum(BENDING * beats.body[:, ON["turning"]], -0.35), 0.35)
    out = np.zeros((len(manner), len(_COLUMNS)))
    out[:, _CARRIED] = manner[:, _CARRIED_FROM]
    out[:, _IN["bend"]] += bend - 0.6 * manner[:, AS["yaw"]]
    out[:, _IN["unroll"]] = -0.6 * manner[:, AS["roll"]]
    out[:, _IN["neck_yaw"]] += 0.7 * look
    out[:, _IN["head_yaw"]] += 0.3 * look
    out[:, _IN["tail_yaw"]] -= bend
    # A rearing animal still looks ahead.
    out[:, _IN["neck"]] += 0.5 * beats.body[:, ON["rear"]]
    return out
