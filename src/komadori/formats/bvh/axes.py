"""Which way is up in a BVH, and whether its axes are right-handed: the format does not say, so the body decides."""

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
    # For each of our axes the file's axis and its sign: proper rotations, whose exact inverse is the transpose.
    "Y": ((0, 1), (1, 1), (2, 1)),
    "Z": ((0, 1), (2, 1), (1, -1)),
    "-Z": ((0, 1), (2, -1), (1, 1)),
    "-Y": ((0, -1), (1, -1), (2, 1)),
    "X": ((1, -1), (0, 1), (2, 1)),
    "-X": ((1, 1), (0, -1), (2, 1)),
}
_CLEAR = 2.0
"""An axis is clearly up if the body extends this many times as far along it as along any other."""
_FLOOR = 0.15
"""Shares of the hips' height within which the lowest joint is on a floor at 0."""
_SUNK = 0.05
"""...and how far it may be below if somebody lies on it."""
_STOOD = 0.1
"""The share of a clip in which someone who then lies down must have stood upright along the rest pose's axis."""
_SAMPLES = 32
_WRONG_TOES, _RIGHT_KNEES = -0.5, 0.2
"""Cosines: left and right are swapped if the feet clearly say so, and knees and elbows do not contradict it."""


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
    # A mirror reverses rotations.
    flip = signs * (round(float(np.linalg.det(matrix))) if vectors.shape[-1] == 4 else 1)
    for axis in np.flatnonzero(flip < 0):
        np.negative(turned[..., axis], out=turned[..., axis])
    return turned


def found_up(skeleton: Skeleton, rotations: Array, positions: Array) -> str:
    """The axis along which the hips are above the feet in the motion, and also at rest or from a floor at 0; else "Y".

    Someone who lies down along Z in one clip has a rest pose that stands along Y, and feet anywhere in the room. Where the rest pose is
    that of no body, as in files that lay each bone along its own axis, and there is no floor at 0 either, the motion alone decides.
    """
    roles = skeleton.roles
    if not len(rotations) or not {"hips", "left_foot", "right_foot"} <= roles.keys():
        return "Y"
    moving = _sampled(skeleton, rotations, positions)
    rise = _rise(moving, roles)
    up = _clear(rise)
    if up == "Y":
        return "Y"
    rest = kinematics.world_positions(skeleton, quat.identity(1, len(skeleton)), skeleton.offsets[None])
    at_rest = _clear(_rise(rest, roles))
    # If the legs point the same way as the trunk, the bones are laid along their own axes and show no pose.
    stands = at_rest if at_rest == _clear(_trunk(rest[0], roles)) else None
    if up is None:
        # Somebody who sits or leans throughout does so in the world in which the rest pose stands, unless there is a floor along Y.
        return "Y" if stands is None or _on_floor(moving, "Y", rest, roles) else stands
    if at_rest == "Y" and _standing_share(moving, roles, "Y") >= _STOOD:
        # Somebody who falls and lies down stood before, as the rest pose does.
        return "Y"
    near = _FLOOR * float(np.abs(rise).max())
    floor, level = (float(np.median(_lowest(moving, axis))) for axis in (up, "Y"))
    if stands is None and abs(level) >= near:
        return up
    if at_rest == up or (abs(floor) < near and not (stands and _on_floor(moving, stands, rest, roles))):
        return up
    return "Y" if stands is None or stands == "Y" or _on_floor(moving, "Y", rest, roles) else stands


def is_mirrored(skeleton: Skeleton, rotations: Array, positions: Array) -> bool:
    """Whether the joints that are called left lie on the right of a body whose Y is up, as left-handed axes make it.

    Which way is ahead is determined by the feet, and by knees and elbows, which bend one way alone.
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


def _lowest(world: Array, up: str) -> Array:
    """(F,) how high the lowest joint of world positions (F, J, 3) is along `up`."""
    places = world[..., "XYZ".index(up[-1])]
    return np.asarray(-places.max(axis=1) if up.startswith("-") else places.min(axis=1))


def _on_floor(world: Array, up: str, rest: Array, found: Mapping[str, int]) -> bool:
    """Whether a body lies or sits on a floor at 0 along `up`, in world positions (F, J, 3): never far above it, and never below.

    A body that stands along another axis is about as thick before as behind where it stands at the origin, and anywhere in the room.
    """
    lowest = _lowest(world, up) / max(float(np.linalg.norm(_rise(rest, found))), 1e-12)
    return bool(np.percentile(lowest, 5) > -_SUNK and np.percentile(lowest, 95) < _FLOOR)


def _trunk(world: Array, found: Mapping[str, int]) -> Array:
    """From the hips to the neck or head (3,), in world positions (J, 3)."""
    top = next((found[role] for role in ("neck", "head") if role in found), found["hips"])
    return np.asarray(world[top] - world[found["hips"]])


def _standing_share(world: Array, found: Mapping[str, int], up: str) -> float:
    """The share of frames of world positions (F, J, 3) in which the hips are above the feet along `up`."""
    rises = world[:, found["hips"]] - 0.5 * (world[:, found["left_foot"]] + world[:, found["right_foot"]])
    return float(np.mean([_clear(rise) == up for rise in rises]))


def _clear(rise: Array) -> str | None:
    """The axis along which `rise` (3,) points, "-Y" against it; None if two are about as likely."""
    size = np.abs(rise)
    axis = int(np.argmax(size))
    if not size[axis] > _CLEAR * np.delete(size, axis).max():
        return None
    return ("-" if rise[axis] < 0.0 else "") + "XYZ"[axis]


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
