"""A model file as a Character: metres, right-handed axes, a mesh for each material."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from komadori import roles
from komadori.character import Bends, Character, Follow, Image, Material, Mesh
from komadori.formats.mmd import chains, textures
from komadori.formats.mmd.binary import UNIT_M, mirrored
from komadori.formats.mmd.model import QDEF, SDEF, Model, Surface
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact

EDGE_M = 0.002
"""The ink line of edge size 1. MikuMikuDance draws about a pixel, whatever the distance; this is that of a full figure."""

_TWO_SIDED, _EDGE = 0x01, 0x10


def character(model: Model, folder: Path | None = None) -> Character:
    """`model` as a Character; pictures are looked for in `folder`, the model's own, and nowhere else."""
    body = skeleton(model)
    images, image_of, notes = textures.found(model.textures, folder)
    weights, joints = _weights(model)
    meshes = _meshes(model, joints, weights)
    if model.soft_bodies:
        notes.append(Fact("The model's soft bodies were not read."))
    return Character(
        model.name or model.english,
        body,
        meshes,
        tuple(_material(surface, image_of, images) for surface in model.surfaces),
        tuple(images),
        chain_hints=chains.hints(model, body),
        follows=_follows(model),
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


def _follows(model: Model) -> tuple[Follow, ...]:
    """Append bones, in the order in which MikuMikuDance works them out; those that take the world's turn are not among them."""
    found = []
    for n in model.turning_order:
        append = model.bones[n].append
        if append is None or append.source < 0 or append.local or append.source == n or not np.isfinite(append.ratio):
            continue
        turn, shift = append.ratio * append.rotation, append.ratio * append.translation
        if turn or shift:
            found.append(Follow(int(model.joint_of[n]), int(model.joint_of[append.source]), turn, shift))
    return tuple(found)


def _bends(model: Model, rows: NDArray[np.intp]) -> Bends | None:
    """Of the vertices `rows` those that bend by SDEF or QDEF, numbered within the mesh."""
    vertices = model.vertices
    kinds = vertices.kinds[rows]
    dual = np.flatnonzero(kinds == QDEF)
    spherical = np.flatnonzero(kinds == SDEF)
    sdef = vertices.sdef
    if sdef is not None and len(spherical):
        chosen = rows[spherical]
        pairs, shares = vertices.bones[chosen, :2], vertices.weights[chosen, :2]
        # Without two bones, or with points that are not numbers, a vertex follows its bone.
        sound = (pairs >= 0).all(axis=1) & (shares > 0.0).all(axis=1) & np.isfinite(sdef[chosen]).all(axis=1)
        spherical, pairs, shares = spherical[sound], model.joint_of[pairs[sound]], shares[sound]
        centres = UNIT_M * mirrored(sdef[rows[spherical]].reshape(-1, 3, 3))
    else:
        spherical, centres = spherical[:0], np.zeros((0, 3, 3))
        pairs, shares = np.zeros((0, 2), dtype=np.int64), np.zeros((0, 2))
    if not len(spherical) and not len(dual):
        return None
    return Bends(spherical, centres, np.asarray(pairs, dtype=np.int64), shares, dual)


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
    """One mesh per material, of the vertices that its triangles name."""
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
            Mesh(
                name,
                places[rows],
                normals[rows],
                triangles,
                joints[rows],
                weights[rows],
                uvs[rows],
                number,
                morphs,
                _bends(model, rows),
            )
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
