"""The stand-in: a body with volume for a motion that has a skeleton alone, made of its bones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from komadori import flesh, kinematics
from komadori.character import Character, Material, Mesh
from komadori.quat import Array
from komadori.render.body import body_of
from komadori.skeleton import Skeleton

_AROUND, _ALONG = 14, 5
"""Corners of a ring, and rings of each round end."""
LIT, SHADE, INK = (0.945, 0.957, 0.973, 1.0), (0.64, 0.70, 0.79), (0.13, 0.19, 0.25, 1.0)


def stand_in(skeleton: Skeleton) -> Character:
    """A character on `skeleton` whose limbs are tapered capsules around its bones, with a ball for a head."""
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    body = body_of(skeleton, rest)
    meshes = []
    for limb in range(int(body.limbs.max(initial=0)) + 1):
        parts = [
            (_capsule(rest[a], rest[b], body.radii[a], body.radii[b]), a) for a, b in body.bones[body.limbs == limb]
        ]
        if parts:
            meshes.append(_mesh(f"limb {limb}", parts))
    if body.head is not None:
        centre = flesh.skull(skeleton, body.head, rest)
        radius = flesh.HEAD * body.height
        meshes.append(_mesh("head", [(_capsule(centre, centre, radius, radius), body.head)]))
    if not meshes:
        radius = max(0.03 * body.height, 0.02)
        meshes.append(_mesh("points", [(_capsule(p, p, radius, radius), joint) for joint, p in enumerate(rest)]))
    # A material for each limb: a line then runs where one passes before another.
    materials = [Material(mesh.name, LIT, shade=SHADE, outline=INK, outline_m=0.003) for mesh in meshes]
    meshes = [replace(mesh, material=n) for n, mesh in enumerate(meshes)]
    return Character("stand-in", skeleton, tuple(meshes), tuple(materials))


def _capsule(a: Array, b: Array, ra: float, rb: float) -> tuple[Array, Array]:
    """Vertices and normals (n, 3) of rings around a limb from `a` to `b`, from pole to pole."""
    bone = b - a
    length = float(np.linalg.norm(bone))
    along = bone / length if length > 1e-9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(along, [1.0, 0.0, 0.0] if abs(along[0]) < 0.7 else [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    turn = 2.0 * np.pi * np.arange(_AROUND) / _AROUND
    ring = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * np.cross(along, side)
    places, normals = [], []
    for centre, radius, angles in (
        (a, ra, np.linspace(-0.5 * np.pi, 0.0, _ALONG)),
        (b, rb, np.linspace(0.0, 0.5 * np.pi, _ALONG)),
    ):
        for angle in angles:
            out = np.cos(angle) * ring + np.sin(angle) * along
            places.append(centre + radius * out)
            normals.append(out)
    return np.concatenate(places), np.concatenate(normals)


def _mesh(name: str, parts: list[tuple[tuple[Array, Array], int]]) -> Mesh:
    corner = np.arange(_AROUND)
    after = (corner + 1) % _AROUND
    bands = [
        np.stack([corner + low, after + low, corner + low + _AROUND, after + low, after + low + _AROUND, corner + low + _AROUND], -1)
        for low in range(0, (2 * _ALONG - 1) * _AROUND, _AROUND)
    ]  # fmt: skip
    one = np.concatenate(bands).reshape(-1, 3)
    size = 2 * _ALONG * _AROUND
    joints = np.repeat(np.array([joint for _, joint in parts], dtype=np.int64), size)[:, None]
    return Mesh(
        name,
        np.concatenate([places for (places, _), _ in parts]),
        np.concatenate([normals for (_, normals), _ in parts]),
        np.concatenate([one + n * size for n in range(len(parts))]),
        joints,
        np.ones(joints.shape),
    )
