"""Skeletons, skins, meshes, materials and pictures as new objects of a glTF."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Character, Material, Mesh
from komadori.errors import OptionError
from komadori.formats.gltf import ours, surfaces
from komadori.formats.gltf.builder import INDICES, VERTICES, Builder
from komadori.formats.gltf.ours import OURS
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

HOLDER = "Armature"
"""The node that several roots hang from: a skin's joints must have one above them all."""
SQUASH = {"outer": "squash", "inner": "squash_pivot"}
"""The nodes that squash and stretch a body."""


def add_skeleton(builder: Builder, skeleton: Skeleton) -> list[int]:
    """A node for every joint, as a scene; the nodes' numbers."""
    _refuse_endless(skeleton.offsets, "the skeleton")
    _refuse_endless(skeleton.rest, "the skeleton")
    turns = quat.normalized(skeleton.rest)
    nodes = []
    for joint, name in enumerate(skeleton.names):
        entry: dict[str, Any] = {"name": name}
        if skeleton.offsets[joint].any():
            entry["translation"] = skeleton.offsets[joint].tolist()
        if np.abs(turns[joint, :3]).any():
            entry["rotation"] = turns[joint].tolist()
        nodes.append(builder.add("nodes", entry))
    for joint, below in enumerate(skeleton.children):
        if below:
            builder.objects("nodes")[nodes[joint]]["children"] = [nodes[child] for child in below]
    roots = [nodes[joint] for joint in np.flatnonzero(skeleton.parents < 0).tolist()]
    if len(roots) > 1:
        roots = [builder.add("nodes", {"name": _unused(skeleton, HOLDER), "children": roots})]
    builder.json["scene"] = 0
    builder.add("scenes", {"nodes": roots})
    return nodes


def add_squash(builder: Builder, nodes: list[int]) -> tuple[int, int]:
    """The two nodes, the outer one first, between the scene and whatever `nodes` (joints) hang from; those that are there already."""
    listed = builder.objects("nodes")
    known = {part: number for number, entry in enumerate(listed) if (part := ours.squash_part(entry))}
    if len(known) == len(SQUASH):
        return known["outer"], known["inner"]
    parent = {child: number for number, entry in enumerate(listed) for child in entry.get("children", ())}
    tops = []
    for node in nodes:
        while node in parent:
            node = parent[node]
        if node not in tops:
            tops.append(node)
    inner = builder.add("nodes", {"name": SQUASH["inner"], "children": tops, "extras": {OURS: {"squash": "inner"}}})
    outer = builder.add("nodes", {"name": SQUASH["outer"], "children": [inner], "extras": {OURS: {"squash": "outer"}}})
    scenes = builder.objects("scenes")
    for number, scene in enumerate(scenes):
        roots = scene.get("nodes", [])
        if any(node in tops for node in roots):
            scenes[number] = {**scene, "nodes": [outer, *(node for node in roots if node not in tops)]}
    return outer, inner


def add_skin(builder: Builder, skeleton: Skeleton, nodes: list[int], binds: Array) -> int:
    """A skin of all joints. A file of joints alone has one too: programs tell bones from other nodes by it."""
    _refuse_endless(binds, "the inverse bind matrices")
    matrices = np.array(binds, dtype=np.float32)
    matrices[:, 3] = (0.0, 0.0, 0.0, 1.0)
    # glTF lists the columns of a matrix.
    columns = np.ascontiguousarray(matrices.transpose(0, 2, 1)).reshape(-1, 16)
    skin: dict[str, Any] = {"joints": list(nodes), "inverseBindMatrices": builder.accessor(columns, "MAT4")}
    roots = np.flatnonzero(skeleton.parents < 0)
    if len(roots) == 1:
        skin["skeleton"] = nodes[int(roots[0])]
    return builder.add("skins", skin)


def add_character(builder: Builder, character: Character, nodes: list[int]) -> None:
    """Skin, meshes, materials and pictures of a character that was made by code or read from another format."""
    skin = add_skin(builder, character.skeleton, nodes, character.binds)
    textures: dict[int, int] = {}
    for number, image in enumerate(character.images):
        if surfaces.is_picture(image):
            picture = {"name": image.name, "bufferView": builder.view(image.data), "mimeType": image.mime}
            textures[number] = builder.add("textures", {"source": builder.add("images", picture)})
    for material in character.materials:
        builder.add("materials", _material(material, textures))
    written = [number for number, mesh in enumerate(character.meshes) if len(mesh.triangles)]
    for number in written:
        mesh = character.meshes[number]
        made = builder.add("meshes", _mesh(builder, mesh))
        shown = builder.add("nodes", {"name": mesh.name, "mesh": made, "skin": skin})
        builder.objects("scenes")[0]["nodes"].append(shown)
    say(builder, ours.about_character(character, written))
    if character.meta:
        builder.json["asset"] = {**_asset(character), **builder.json["asset"]}


def say(builder: Builder, told: dict[str, Any]) -> None:
    """Writes what komadori knows into the extras of the file."""
    if told:
        builder.json["extras"] = {OURS: told}


def _asset(character: Character) -> dict[str, Any]:
    return {key: value for key, value in character.meta.items() if key == "copyright" and isinstance(value, str)}


def _material(material: Material, textures: dict[int, int]) -> dict[str, Any]:
    look: dict[str, Any] = {"baseColorFactor": surfaces.linear_colour(material)}
    if material.image in textures:
        look["baseColorTexture"] = {"index": textures[material.image]}
    entry: dict[str, Any] = {"name": material.name}
    entry["pbrMetallicRoughness"] = {**look, "metallicFactor": 0.0, "roughnessFactor": 1.0}
    if material.alpha != "opaque":
        entry["alphaMode"] = material.alpha.upper()
    if material.two_sided:
        entry["doubleSided"] = True
    toon: dict[str, Any] = {}
    if material.shade is not None:
        toon["shade"] = list(material.shade)
    if material.outline is not None:
        toon |= {"outline": list(material.outline), "outline_m": material.outline_m}
    if material.toon is not None:
        toon["toon"] = material.toon.numbers()
    return {**entry, "extras": {OURS: toon}} if toon else entry


def _mesh(builder: Builder, mesh: Mesh) -> dict[str, Any]:
    for values in (mesh.vertices, mesh.normals, mesh.weights, *mesh.morphs.values()):
        _refuse_endless(values, f"the mesh {mesh.name!r}")
    attributes = {
        "POSITION": builder.accessor(_small(mesh.vertices), "VEC3", target=VERTICES, bounds=True),
        "NORMAL": builder.accessor(_normals(mesh.normals), "VEC3", target=VERTICES),
    }
    if mesh.uvs is not None:
        attributes["TEXCOORD_0"] = builder.accessor(_small(mesh.uvs), "VEC2", target=VERTICES)
    joints, weights = _skin_rows(mesh.joints, mesh.weights)
    kind = np.uint8 if joints.max(initial=0) < 256 else np.uint16
    for n in range(joints.shape[1] // 4):
        part = slice(4 * n, 4 * n + 4)
        attributes[f"JOINTS_{n}"] = builder.accessor(_rows(joints[:, part], kind), "VEC4", target=VERTICES)
        attributes[f"WEIGHTS_{n}"] = builder.accessor(_rows(weights[:, part], np.float32), "VEC4", target=VERTICES)
    flat = mesh.triangles.reshape(-1)
    indices = flat.astype(np.uint16 if len(mesh.vertices) < 65536 else np.uint32)
    primitive: dict[str, Any] = {
        "attributes": attributes,
        "indices": builder.accessor(indices, "SCALAR", target=INDICES),
    }
    if mesh.material is not None:
        primitive["material"] = mesh.material
    entry: dict[str, Any] = {"name": mesh.name, "primitives": [primitive]}
    if mesh.morphs:
        primitive["targets"] = [
            {"POSITION": builder.accessor(_small(moved), "VEC3", target=VERTICES, bounds=True)}
            for moved in mesh.morphs.values()
        ]
        entry["extras"] = {"targetNames": list(mesh.morphs)}
    return entry


def _skin_rows(joints: NDArray[np.int64], weights: Array) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Joints and weights as glTF wants them: each joint once, none without weight, rows that sum to 1 in 32 bits."""
    order = np.argsort(joints, axis=1, kind="stable")
    joints = np.take_along_axis(joints, order, axis=1)
    weights = np.maximum(np.take_along_axis(weights, order, axis=1), 0.0)
    for column in range(joints.shape[1] - 1):
        twice = joints[:, column] == joints[:, column + 1]
        weights[:, column + 1] += np.where(twice, weights[:, column], 0.0)
        weights[:, column] = np.where(twice, 0.0, weights[:, column])
    heaviest = np.argsort(-weights, axis=1, kind="stable")
    joints, weights = np.take_along_axis(joints, heaviest, axis=1), np.take_along_axis(weights, heaviest, axis=1)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), np.eye(1, weights.shape[1]))
    small = weights.astype(np.float32)
    small[small < 1e-7] = 0.0
    small[:, 0] += (1.0 - small.astype(np.float64).sum(axis=1)).astype(np.float32)
    joints = np.where(small > 0.0, joints, 0)
    used = 1 + int(np.flatnonzero((small > 0.0).any(axis=0)).max(initial=0))
    width = -(-used // 4) * 4
    padded = [np.zeros((len(joints), width), dtype=values.dtype) for values in (joints, small)]
    padded[0][:, :used], padded[1][:, :used] = joints[:, :used], small[:, :used]
    return padded[0], padded[1]


def _rows(values: NDArray[Any], kind: type) -> NDArray[Any]:
    return np.ascontiguousarray(values, dtype=kind)


def _small(values: Array) -> NDArray[np.float32]:
    return np.ascontiguousarray(values, dtype=np.float32)


def _normals(normals: Array) -> NDArray[np.float32]:
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return _small(np.where(length > 1e-12, normals / np.where(length > 1e-12, length, 1.0), np.array([0.0, 1.0, 0.0])))


def _unused(skeleton: Skeleton, name: str) -> str:
    while name in skeleton.names:
        name += "_"
    return name


def _refuse_endless(values: NDArray[Any], what: str) -> None:
    if not np.isfinite(values).all():
        raise OptionError(Note("{what} has numbers that are not finite: glTF cannot hold them", what=what))
