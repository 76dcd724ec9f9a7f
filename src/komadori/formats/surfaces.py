"""Polygons as other programs keep them (values per corner, faces of any size) as komadori's triangle meshes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Mesh
from komadori.quat import Array

Index = NDArray[np.int64]

MOST_JOINTS = 16
"""A vertex follows at most so many joints: those that pull hardest."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A skinned surface of P points whose faces have C corners in all.

    `points` (P, 3) in metres as bound, `joints` and `weights` (P, K); `corners` (C,) is the point at each corner,
    `triangles` (T, 3) are three corners each, `materials` (T,) a number per triangle or -1. `normals` (C, 3) and `uvs`
    (C, 2), v downwards, may be missing; `morphs` are displacements (P, 3).
    """

    name: str
    points: Array
    joints: Index
    weights: Array
    corners: Index
    triangles: Index
    materials: Index
    normals: Array | None = None
    uvs: Array | None = None
    morphs: Mapping[str, Array] = field(default_factory=dict)


def fans(counts: Index) -> tuple[Index, Index]:
    """Triangles (T, 3) of corners, and the face (T,) of each, for faces of `counts` corners one after another.

    A face is cut from its first corner, which is right for convex ones; faces of one or two corners give none.
    """
    counts = np.maximum(counts, 0)
    starts = np.cumsum(counts) - counts
    number = np.maximum(counts - 2, 0)
    faces = np.repeat(np.arange(len(counts)), number)
    step = np.arange(len(faces)) - np.repeat(np.cumsum(number) - number, number)
    first = starts[faces]
    return np.stack([first, first + step + 1, first + step + 2], axis=-1).reshape(-1, 3), faces


def gathered(points: int, where: Index, joints: Index, weights: Array) -> tuple[Index, Array]:
    """Joints and weights (P, K) from a list of pulls: `weights` (N,) of `joints` (N,) on the points `where` (N,).

    Rows sum to 1. A point that nothing pulls follows joint 0.
    """
    keep = (weights > 0.0) & np.isfinite(weights) & (where >= 0) & (where < points)
    where, joints, weights = where[keep], joints[keep], weights[keep]
    order = np.lexsort((joints, -weights, where))
    where, joints, weights = where[order], joints[order], weights[order]
    rank = np.arange(len(where)) - np.searchsorted(where, where)
    near = rank < MOST_JOINTS
    where, joints, weights, rank = where[near], joints[near], weights[near], rank[near]
    width = int(rank.max(initial=0)) + 1
    all_joints, all_weights = np.zeros((points, width), dtype=np.int64), np.zeros((points, width))
    all_joints[where, rank], all_weights[where, rank] = joints, weights
    all_weights[all_weights.sum(axis=1) <= 0.0, 0] = 1.0
    return all_joints, all_weights / all_weights.sum(axis=1, keepdims=True)


def meshes(surface: Surface) -> Iterator[Mesh]:
    """One mesh per material; corners that agree in all they carry share a vertex."""
    normals = surface.normals
    if normals is None:
        normals = smooth_normals(surface.points, surface.corners[surface.triangles])[surface.corners]
    columns = [surface.corners, _numbered(normals)]
    if surface.uvs is not None:
        columns.append(_numbered(surface.uvs))
    table = np.stack(columns, axis=-1)
    for place, material in enumerate(np.unique(surface.materials).tolist()):
        triangles = surface.triangles[surface.materials == material]
        used, inverse = np.unique(triangles, return_inverse=True)
        _, first, merged = np.unique(table[used], axis=0, return_index=True, return_inverse=True)
        corners = used[first]
        at = surface.corners[corners]
        yield Mesh(
            name=surface.name if place == 0 else f"{surface.name}.{place}",
            vertices=surface.points[at],
            normals=normals[corners],
            triangles=merged.reshape(-1)[inverse.reshape(-1)].reshape(-1, 3),
            joints=surface.joints[at],
            weights=surface.weights[at],
            uvs=None if surface.uvs is None else surface.uvs[corners],
            material=None if material < 0 else material,
            morphs={name: offsets[at] for name, offsets in surface.morphs.items()},
        )


def smooth_normals(points: Array, triangles: Index) -> Array:
    """(P, 3) unit normals: each triangle around a point counts by its area; upwards if there is none."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    face = quat.cross(b - a, c - a)
    result = np.zeros_like(points)
    for i in range(3):
        np.add.at(result, triangles[:, i], face)
    return unit_normals(result)


def unit_normals(normals: Array) -> Array:
    """`normals` (N, 3) at unit length, and upwards if they have none."""
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    usable = np.isfinite(length) & (length > 1e-20)
    return np.where(usable, normals / np.where(usable, length, 1.0), np.array([0.0, 1.0, 0.0]))


def srgb(linear: float) -> float:
    """A linear colour value as the eye sees it, 0 to 1."""
    value = min(max(linear, 0.0), 1.0)
    return 12.92 * value if value <= 0.0031308 else float(1.055 * value ** (1.0 / 2.4) - 0.055)


def linear(seen: float) -> float:
    """The inverse of `srgb`."""
    value = min(max(seen, 0.0), 1.0)
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def picture_kind(data: bytes) -> str | None:
    """The mime type of a PNG or JPEG by its first bytes, or None."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    return "image/jpeg" if data.startswith(b"\xff\xd8\xff") else None


def _numbered(values: Array) -> Index:
    """(N,) equal numbers for equal rows."""
    return np.asarray(np.unique(np.round(values, 7) + 0.0, axis=0, return_inverse=True)[1]).reshape(-1)
