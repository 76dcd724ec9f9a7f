"""Which way is up in a BVH, and which hand its axes follow: the format does not say, the body shows it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from komadori import kinematics, quat
from komadori.motion import Pose
from komadori.quat import Array
from komadori.roles import body_plan
from komadori.skeleton import Skeleton

UPS = ("Y", "Z", "X", "-Y", "-Z", "-X")
"""Axes that may point up in a file."""
_ROWS = {
    # For each of our axes the file's axis and its sign: proper turns, the exact inverse of which is their transpose.
    "Y": ((0, 1), (1, 1), (2, 1)),
    "Z": ((0, 1), (2, 1), (1, -1)),
    "-Z": ((0, 1), (2, -1), (1, 1)),
    "-Y": ((0, -1), (1, -1), (2, 1)),
    "X": ((1, -1), (0, 1), (2, 1)),
    "-X": ((1, 1), (0, -1), (2, 1)),
}
_CLEAR = 2.0
"""An axis is clear along which the body rises so many times as far as along any other."""
_FLOOR = 0.15
"""Shares of the hips' height within which the lowest joint is on a floor at 0."""
_SAMPLES = 32
_WRONG_TOES, _RIGHT_KNEES = -0.5, 0.2
"""Cosines: left and right are swapped where feet say so clearly, and knees and elbows do not gainsay it."""


def y_up(vectors: Array, up: str = "Z", mirrored: bool = False) -> Array:
    """Vectors (..., 3) or quaternions (..., 4) of a world in which `up` is up, as they are where Y is up; exactly.

    From a `mirrored` world, whose axes are left-handed, they come as they are in a right-handed one.
    """
    return _changed(vectors, _matrix(up, mirrored))


def z_up(vectors: Array, up: str = "Z", mirrored: bool = False) -> Array:
    """The inverse of `y_up`."""
    return _changed(vectors, _matrix(up, mirrored).T)


def _matrix(up: str, mirrored: bool) -> Array:
    matrix = np.zeros((3, 3))
    for row, (column, sign) in enumerate(_ROWS[up]):
        matrix[row, column] = sign
    if mirrored:
        matrix[0] = -matrix[0]
    return matrix


def _changed(vectors: Array, matrix: Array) -> Array:
    order = np.argmax(np.abs(matrix), axis=1)
    signs = matrix[np.arange(3), order]
    turned = vectors[..., [*order, 3][: vectors.shape[-1]]]
    # A mirror turns rotations the other way round.
    flip = signs * (round(float(np.linalg.det(matrix))) if vectors.shape[-1] == 4 else 1)
    for axis in np.flatnonzero(flip < 0):
        np.negative(turned[..., axis], out=turned[..., axis])
    return turned


def found_up(skeleton: Skeleton, rotations: Array, positions: Array) -> str:
    """The axis along which the hips are above the feet in the motion, and also at rest or from a floor at 0; else "Y".

    Someone who lies down along Z in one clip has a rest pose that stands along Y, and feet anywhere in the room.
    """
    roles = skeleton.roles
    if not len(rotations) or not {"hips", "left_foot", "right_foot"} <= roles.keys():
        return "Y"
    moving = _sampled(skeleton, rotations, positions)
    rise = _rise(moving, roles)
    up = _clear(rise)
    if up in (None, "Y"):
        return "Y"
    axis, sign = "XYZ".index(up[-1]), -1.0 if up.startswith("-") else 1.0
    floor = float(np.median((sign * moving[..., axis]).min(axis=1)))
    resting = _rise(
        kinematics.world_positions(skeleton, quat.identity(1, len(skeleton)), skeleton.offsets[None]), roles
    )
    return up if _clear(resting) == up or abs(floor) < _FLOOR * abs(rise[axis]) else "Y"


def is_mirrored(skeleton: Skeleton, rotations: Array, positions: Array) -> bool:
    """Whether the joints that are called left lie on the right of a body whose Y is up, as left-handed axes make it.

    Which way is ahead is told by the feet, and by knees and elbows, which bend one way alone.
    """
    roles, sides = skeleton.roles, ("left", "right")
    wanted = {f"{side}_{role}" for side in sides for role in ("upper_leg", "lower_leg", "foot")}
    if not len(rotations) or not wanted | {"hips"} <= roles.keys():
        return False
    if body_plan(skeleton, Pose(rotations[0], positions[0])) == "quadruped":
        return False
    world = _sampled(skeleton, rotations, positions)
    across = _unit(world[:, roles["left_upper_leg"]] - world[:, roles["right_upper_leg"]])
    middle = 0.5 * (world[:, roles["left_upper_leg"]] + world[:, roles["right_upper_leg"]])
    top = world[:, roles["neck" if "neck" in roles else "head" if "head" in roles else "hips"]]
    up = _unit(top - middle)
    toes, bends = [], []
    for side in sides:
        foot = roles[f"{side}_foot"]
        tip = roles.get(f"{side}_toes", max(skeleton.children[foot], default=-1))
        if tip >= 0:
            toes.append(_ahead(up, across, world[:, tip] - world[:, foot]))
        for upper, lower, end, way in (
            ("upper_leg", "lower_leg", "foot", 1.0),
            ("upper_arm", "lower_arm", "hand", -1.0),
        ):
            if all(f"{side}_{role}" in roles for role in (upper, lower, end)):
                a, b, c = (world[:, roles[f"{side}_{role}"]] for role in (upper, lower, end))
                bends.append(_ahead(up, across, way * (b - 0.5 * (a + c))))
    told = [float(np.median(values)) for values in toes]
    return bool(told) and max(told) < _WRONG_TOES and float(np.median(bends)) < _RIGHT_KNEES


def _ahead(up: Array, across: Array, line: Array) -> Array:
    """(F,) cosine of the angle between where the left is, if `line` points ahead, and where it is said to be."""
    return np.asarray(np.einsum("fi,fi->f", _unit(quat.cross(up, line)), across))


def _sampled(skeleton: Skeleton, rotations: Array, positions: Array) -> Array:
    sample = slice(None, None, max(1, len(rotations) // _SAMPLES))
    return kinematics.world_positions(skeleton, rotations[sample], positions[sample])


def _rise(world: Array, found: Mapping[str, int]) -> Array:
    """From the middle of the feet to the hips (3,), in a typical frame of world positions (F, J, 3)."""
    feet = 0.5 * (world[:, found["left_foot"]] + world[:, found["right_foot"]])
    return np.asarray(np.median(world[:, found["hips"]] - feet, axis=0))


def _clear(rise: Array) -> str | None:
    """The axis along which `rise` (3,) points, "-Y" against it; None where two are about as likely."""
    size = np.abs(rise)
    axis = int(np.argmax(size))
    if not size[axis] > _CLEAR * np.delete(size, axis).max():
        return None
    return ("-" if rise[axis] < 0.0 else "") + "XYZ"[axis]


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
