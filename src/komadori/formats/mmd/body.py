"""A model file as a Character: metres, right-handed axes, a mesh for each material."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.character import Character, Image, Material, Mesh
from komadori.formats.mmd import chains, textures
from komadori.formats.mmd.binary import UNIT_M, mirrored
from komadori.formats.mmd.model import QDEF, SDEF, Model, Surface
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

EDGE_M = 0.002
"""The ink line of edge size 1. MikuMikuDance draws about a pixel, whatever the distance; this is that of a full figure."""

_TWO_SIDED, _EDGE = 0x01, 0x10


def character(model: Model, folder: Path | None = None) -> Character:
    """`model` as a Character; pictures are looked for in `folder`, the model's own, and nowhere else."""
    body = skeleton(model)
    images, image_of, notes = textures.found(model.textures, folder)
    weights, joints = _weights(model)
    meshes = _meshes(model, joints, weights)
    odd = int(np.isin(model.vertices.kinds, (SDEF, QDEF)).sum())
    if odd:
        notes.append(
            Note("{count} vertices bend by SDEF or QDEF in MikuMikuDance; here they follow their bones", count=odd)
        )
    if model.soft_bodies:
        notes.append(Note("the model's soft bodies were passed over"))
    return Character(
        model.name or model.english,
        body,
        meshes,
        tuple(_material(surface, image_of, images) for surface in model.surfaces),
        tuple(images),
        chain_hints=chains.hints(model, body),
        expressions=_expressions(model, meshes),
        meta=_meta(model),
        document=model,
        notes=tuple(notes),
    )


def skeleton(model: Model) -> Skeleton:
    """The bones as joints, parents first (`model.order`), at rest as the model stands, with their roles."""
    order = model.order
    places = UNIT_M * mirrored(model.positions[order])
    above = np.array([model.bones[n].parent for n in order], dtype=np.intp)
    parents = np.where(above >= 0, model.joint_of[above], -1)
    offsets = np.where(above[:, None] >= 0, places - places[parents], places)
    bare = Skeleton(_unlike([model.bones[n].name or f"bone {n}" for n in order.tolist()]), parents, offsets)
    return bare.with_roles(roles.find(bare))


def _unlike(names: list[str]) -> tuple[str, ...]:
    """`names`, a number added to those that were there before."""
    taken: set[str] = set()
    result = []
    times: dict[str, int] = {}
    for name in names:
        other = name
        while other in taken:
            times[name] = times.get(name, 1) + 1
            other = f"{name} ({times[name]})"
        taken.add(other)
        result.append(other)
    return tuple(result)


def _weights(model: Model) -> tuple[Array, NDArray[np.int64]]:
    """Weights (V, 4) that sum to 1, and joints (V, 4)."""
    bones = model.vertices.bones
    weights = np.where(bones >= 0, model.vertices.weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    none = np.abs(total[:, 0]) < 1e-6
    weights = weights / np.where(none[:, None], 1.0, total)
    weights[none] = (1.0, 0.0, 0.0, 0.0)
    return weights, model.joint_of[np.where((bones >= 0) & (weights != 0.0), bones, np.maximum(bones[:, :1], 0))]


def _meshes(model: Model, joints: NDArray[np.int64], weights: Array) -> tuple[Mesh, ...]:
    """One mesh a material, of the vertices that its triangles name."""
    vertices = model.vertices
    places = UNIT_M * mirrored(vertices.positions)
    normals = np.nan_to_num(mirrored(vertices.normals), posinf=0.0, neginf=0.0)
    uvs = np.nan_to_num(vertices.uvs.astype(np.float64), posinf=0.0, neginf=0.0)
    moved = [(morph.name, morph.offsets["index"].astype(np.int64), morph.offsets["shift"]) for morph in model.morphs
             if morph.kind == "vertex" and len(morph.offsets)]  # fmt: skip
    meshes = []
    first = 0
    for number, surface in enumerate(model.surfaces):
        corners = model.triangles[first : first + surface.indices // 3]
        first += surface.indices // 3
        used = np.zeros(len(places), dtype=bool)
        used[corners] = True
        rows = np.flatnonzero(used)
        place = np.cumsum(used) - 1
        morphs: dict[str, Array] = {}
        for name, index, shift in moved:
            here = used[index]
            if here.any():
                displaced = morphs.setdefault(name, np.zeros((len(rows), 3)))
                displaced[place[index[here]]] += UNIT_M * mirrored(shift[here])
        # Mirrored in z, a triangle shows its other side: two corners change places.
        triangles = place[corners][:, [0, 2, 1]]
        name = surface.name or f"material {number}"
        meshes.append(
            Mesh(name, places[rows], normals[rows], triangles, joints[rows], weights[rows], uvs[rows], number, morphs)
        )
    return tuple(meshes)


def _material(surface: Surface, image_of: list[int | None], images: list[Image]) -> Material:
    image = image_of[surface.texture] if surface.texture >= 0 else None
    alpha = "blend" if surface.diffuse[3] < 1.0 else "opaque"
    if alpha == "opaque" and image is not None and textures.has_alpha(images[image]):
        alpha = "mask"
    edge = bool(surface.flags & _EDGE)
    r, g, b, a = (_share(value) for value in surface.diffuse)
    return Material(
        surface.name,
        (r, g, b, a),
        image,
        # What the light does not reach has the ambient colour, and a toon is what draws that side apart.
        shade=(_share(surface.ambient[0]), _share(surface.ambient[1]), _share(surface.ambient[2]))
        if surface.toon >= 0
        else None,
        outline=tuple(map(_share, surface.edge_colour)) if edge else None,  # type: ignore[arg-type]  # four numbers
        outline_m=EDGE_M * max(float(np.nan_to_num(surface.edge_size)), 0.0) if edge else 0.0,
        two_sided=bool(surface.flags & _TWO_SIDED),
        alpha=alpha,
    )


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _expressions(model: Model, meshes: tuple[Mesh, ...]) -> dict[str, dict[tuple[int, str], float]]:
    """Every vertex morph alone, and the groups made of them."""
    single: dict[str, dict[tuple[int, str], float]] = {}
    for n, mesh in enumerate(meshes):
        for name in mesh.morphs:
            single.setdefault(name, {})[(n, name)] = 1.0
    result = dict(single)
    for morph in model.morphs:
        if morph.kind != "group":
            continue
        parts: dict[tuple[int, str], float] = {}
        for index, weight in zip(morph.offsets["index"].tolist(), morph.offsets["weight"].tolist(), strict=True):
            if 0 <= index < len(model.morphs):
                parts |= dict.fromkeys(single.get(model.morphs[index].name, ()), weight)
        if parts:
            result[morph.name] = parts
    return result


def _meta(model: Model) -> dict[str, str]:
    said = {
        "name": model.name,
        "english_name": model.english,
        "comment": model.comment,
        "english_comment": model.english_comment,
    }
    return {key: value for key, value in said.items() if value}
