"""Meshes and skins of a glTF on its skeleton, and the Character that they make together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat
from komadori.character import Character, Mesh, inverse_binds
from komadori.errors import FormatError
from komadori.formats.gltf import ours, surfaces
from komadori.formats.gltf.animations import motions_of
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields
from komadori.formats.gltf.packed import DRACO, need_draco
from komadori.formats.gltf.rig import Rig, inverse_of, rig_of, world_matrix
from komadori.quat import Array
from komadori.words import Fact, Note

TRIANGLES, FAN = 4, 6
"""Modes of primitives; between them lies the strip."""
MOST_NUMBERS = 30_000_000
"""Numbers (240 MB) that the meshes of any file may come to; of a large file, four for every byte."""


@dataclass(frozen=True)
class Instance:
    """One mesh of the character: a primitive of a mesh that a node shows."""

    node: int
    mesh: int
    primitive: Fields


def character_of(document: Gltf, also: Iterable[int] = ()) -> Character:
    """The file as a Character: skeleton, skinned and rigid meshes, materials, pictures and animations.

    `also` are nodes that are joints although no skin or animation says so (VRM's humanoid bones).
    """
    document = replace(document, also=document.also | set(also))
    rig = rig_of(document)
    images, notes = surfaces.images_of(document)
    notes += surfaces.undrawn(document, images)
    shown, skipped = instances_of(document)
    if skipped:
        notes.append(Fact("{count:mesh part|mesh parts} made of points or lines will not be drawn.", count=skipped))
    _refuse_bombs(document, shown)
    binding = _Binding(document, rig)
    meshes = tuple(_mesh(document, instance, binding) for instance in shown)
    return Character(
        name=Path(document.name).stem,
        skeleton=rig.skeleton,
        meshes=meshes,
        materials=surfaces.materials_of(document, images),
        images=images,
        binds=binding.binds,
        chain_hints=ours.chains_of(document, rig.skeleton),
        expressions=ours.expressions_of(document, [mesh.morphs for mesh in meshes]),
        meta=_meta(document),
        motions=motions_of(document, rig),
        document=document,
        notes=(*notes, *binding.notes()),
    )


def instances_of(document: Gltf) -> tuple[list[Instance], int]:
    """What the character's meshes are, in their order, and how many primitives are not triangles."""
    shown, skipped = [], 0
    for node in document.scene:
        mesh = document.nodes[node].mesh
        if mesh is None:
            continue
        for primitive in document.listed("meshes")[mesh].many("primitives"):
            if primitive.whole("mode", TRIANGLES, high=6) < TRIANGLES:
                skipped += 1
            else:
                shown.append(Instance(node, mesh, primitive))
    return shown, skipped


def mesh_owners(document: Gltf) -> dict[int, tuple[int, ...]]:
    """Mesh of the file -> the character's meshes that show it."""
    found: dict[int, tuple[int, ...]] = {}
    for number, instance in enumerate(instances_of(document)[0]):
        found[instance.mesh] = (*found.get(instance.mesh, ()), number)
    return found


def _refuse_bombs(document: Gltf, shown: Sequence[Instance]) -> None:
    """Many nodes may show one mesh, and accessors without data cost nothing: the sum is bounded before it is taken."""
    accessors, numbers = document.listed("accessors"), 0
    for instance in shown:
        attributes = instance.primitive.one("attributes")
        number = attributes.index("POSITION", len(accessors))
        count = accessors[number].whole("count") if number is not None else 0
        sets = sum(1 for key in attributes.value if key.startswith("JOINTS_"))
        pulls = 8 * sets if sets and document.nodes[instance.node].skin is not None else 2
        # Places, normals and uvs, joints with their weights, and blend shapes.
        numbers += count * (8 + pulls + 3 * len(instance.primitive.many("targets")))
        indices = instance.primitive.index("indices", len(accessors))
        corners = accessors[indices].whole("count") if indices is not None else count
        numbers += corners if instance.primitive.whole("mode", TRIANGLES) == TRIANGLES else 3 * corners
    if numbers > max(MOST_NUMBERS, 4 * document.weight):
        raise FormatError(
            document.name,
            "meshes",
            expected=Note("meshes of plausible size"),
            found=Note("{numbers} numbers in total", numbers=numbers),
        )


class _Binding:
    """How vertices come to the joints: collects inverse bind matrices that all meshes can share.

    glTF has them by skin, in the space of each mesh; a Character has one for each joint, in metres. So every skin's
    vertices are moved by one matrix into a space where its joints' matrices are those of the character.
    """

    def __init__(self, document: Gltf, rig: Rig) -> None:
        self.document, self.rig = document, rig
        self.binds = inverse_binds(rig.skeleton)
        self.joint_of = rig.joint_of_node
        self._bound = np.zeros(len(rig.skeleton), dtype=bool)
        self._skins: dict[int, tuple[list[int], Array]] = {}
        self._uneven = 0
        turns, places = kinematics.world_transforms(rig.skeleton, rig.skeleton.rest[None], rig.skeleton.offsets[None])
        self._rigid = np.broadcast_to(np.eye(4), (len(rig.skeleton), 4, 4)).copy()
        self._rigid[:, :3, :3] = quat.to_matrix(turns[0])
        self._rigid[:, :3, 3] = places[0]

    def skin(self, number: int) -> tuple[list[int], Array]:
        """The joints of a skin, and the matrix (4, 4) that its vertices are to be moved by."""
        if number not in self._skins:
            self._skins[number] = self._read(self.document.listed("skins")[number])
        return self._skins[number]

    def rigid(self, node: int) -> tuple[int, Array]:
        """The joint that a node without a skin follows, and the matrix that its vertices are to be moved by."""
        world, at = world_matrix(self.document, node), node
        while at != -1 and at not in self.joint_of:
            at = self.document.nodes[at].parent
        joint = self.joint_of.get(at, 0)
        return joint, inverse_of(self._rigid[joint] @ self.binds[joint]) @ world

    def notes(self) -> list[Note]:
        """What could not be kept."""
        if not self._uneven:
            return []
        return [
            Note(
                "{count:skin binds|skins bind} shared joints in a different pose and may look distorted.",
                count=self._uneven,
            )
        ]

    def _read(self, skin: Fields) -> tuple[list[int], Array]:
        nodes = skin.references("joints", len(self.document.nodes))
        if not nodes:
            raise skin.refused("joints", "at least one joint", "none")
        joints = [self.joint_of[node] for node in nodes]
        inverse = np.broadcast_to(np.eye(4), (len(nodes), 4, 4))
        number = skin.index("inverseBindMatrices", len(self.document.listed("accessors")))
        if number is not None:
            inverse = self.document.accessor(number).astype(np.float64)
            if inverse.ndim != 3 or inverse.shape[1:] != (4, 4) or len(inverse) < len(nodes):
                raise skin.refused("inverseBindMatrices", f"{len(nodes)} matrices", str(inverse.shape))
            inverse = np.array(inverse[: len(nodes)])
            # The specification knows no other last row; with one, a matrix may have no inverse.
            inverse[:, 3] = (0.0, 0.0, 0.0, 1.0)
        # A joint of the skeleton has no scale: the node's, at rest, goes into the matrix.
        worlds = np.stack([world_matrix(self.document, node) for node in nodes])
        scaled = np.linalg.inv(self._rigid[joints]) @ worlds
        wanted = scaled @ inverse
        move = self._space(joints, wanted)
        fresh = [n for n, joint in enumerate(joints) if not self._bound[joint]]
        known = [n for n, joint in enumerate(joints) if self._bound[joint]]
        away = [np.abs(self.binds[joints[n]] @ move - wanted[n]).max() for n in known]
        self._uneven += bool(away) and max(away) > 1e-4 * max(1.0, float(np.abs(wanted).max()))
        back = inverse_of(move)
        for n in fresh:
            self.binds[joints[n]] = wanted[n] @ back
            self._bound[joints[n]] = True
        return joints, move

    def _space(self, joints: list[int], wanted: Array) -> Array:
        """The matrix from a skin's own space to metres: by a joint that another skin bound, else by its first one."""
        for n, joint in enumerate(joints):
            if self._bound[joint]:
                space = inverse_of(self.binds[joint]) @ wanted[n]
                break
        else:
            space = self._rigid[joints[0]] @ wanted[0]
        return space if abs(np.linalg.det(space)) > 1e-18 else np.eye(4)


def _mesh(document: Gltf, instance: Instance, binding: _Binding) -> Mesh:
    mesh, primitive = document.listed("meshes")[instance.mesh], instance.primitive
    if DRACO in primitive.one("extensions"):
        need_draco()
    node = document.nodes[instance.node]
    attributes = primitive.one("attributes")
    vertices = _attribute(document, attributes, "POSITION", 3, None)
    if vertices is None:
        raise attributes.refused("POSITION", "vertices", "none")
    count = len(vertices)
    triangles = _triangles(document, primitive, count)
    if node.skin is not None:
        joints, weights, move = _weights(document, attributes, binding.skin(node.skin), count)
    else:
        joint, move = binding.rigid(instance.node)
        joints, weights = np.full((count, 1), joint), np.ones((count, 1))
    normals = _attribute(document, attributes, "NORMAL", 3, count)
    linear = move[:3, :3]
    vertices = vertices @ linear.T + move[:3, 3]
    if np.linalg.det(linear) < 0.0:
        triangles = triangles[:, ::-1]
    normals = normals_of(vertices, triangles) if normals is None else _unit(normals @ inverse_of(linear))
    material = primitive.index("material", len(document.listed("materials")))
    chosen = surfaces.uv_set(document.listed("materials")[material]) if material is not None else 0
    return Mesh(
        name=mesh.text("name") or node.name,
        vertices=vertices,
        normals=normals,
        triangles=triangles,
        joints=joints,
        weights=weights,
        uvs=_attribute(document, attributes, f"TEXCOORD_{chosen}", 2, count),
        material=material,
        morphs=_morphs(document, mesh, primitive, count, linear),
    )


def _attribute(document: Gltf, attributes: Fields, key: str, size: int, count: int | None) -> NDArray[Any] | None:
    number = attributes.index(key, len(document.listed("accessors")))
    if number is None:
        return None
    values = document.accessor(number)
    if values.ndim != 2 or values.shape[1] != size or (count is not None and len(values) != count):
        wanted = f"{'any number' if count is None else count} of {size}"
        raise attributes.refused(key, wanted, " x ".join(map(str, values.shape)))
    return values.astype(np.float64)


def _triangles(document: Gltf, primitive: Fields, count: int) -> NDArray[np.int64]:
    number = primitive.index("indices", len(document.listed("accessors")))
    indices = np.arange(count) if number is None else document.accessor(number)
    if indices.ndim != 1 or indices.dtype.kind not in "iu" or indices.max(initial=0) >= count:
        raise primitive.refused("indices", f"numbers of {count} vertices", "others")
    indices = indices.astype(np.int64)
    mode = primitive.whole("mode", TRIANGLES)
    if mode == TRIANGLES:
        return indices[: len(indices) // 3 * 3].reshape(-1, 3)
    n = np.arange(max(0, len(indices) - 2))
    if mode == FAN:
        return indices[np.stack([np.zeros_like(n), n + 1, n + 2], axis=1)]
    # Every second triangle of a strip turns the other way.
    odd = n % 2
    return indices[np.stack([n, n + 1 + odd, n + 2 - odd], axis=1)]


def _weights(
    document: Gltf, attributes: Fields, skin: tuple[list[int], Array], count: int
) -> tuple[NDArray[np.int64], Array, Array]:
    known, move = skin
    sets: list[tuple[NDArray[Any], NDArray[Any]]] = []
    while f"JOINTS_{len(sets)}" in attributes:
        n = len(sets)
        joints = _attribute(document, attributes, f"JOINTS_{n}", 4, count)
        weights = _attribute(document, attributes, f"WEIGHTS_{n}", 4, count)
        if joints is None or weights is None:
            raise attributes.refused(f"WEIGHTS_{n}", f"as many as JOINTS_{n}", "none")
        sets.append((joints, weights))
    if not sets:
        return np.full((count, 1), known[0]), np.ones((count, 1)), move
    joints, weights = (np.concatenate(parts, axis=1) for parts in zip(*sets, strict=True))
    weights = np.maximum(weights, 0.0)
    joints = np.where(weights > 0.0, joints, 0).astype(np.int64)
    if joints.max(initial=0) >= len(known):
        raise attributes.refused("JOINTS_0", f"numbers of {len(known)} joints", str(joints.max()))
    used = weights.any(axis=0)
    used[0] = True
    joints, weights = joints[:, used], weights[:, used]
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), np.eye(1, weights.shape[1]))
    return np.array(known)[joints], weights, move


def _morphs(document: Gltf, mesh: Fields, primitive: Fields, count: int, linear: Array) -> dict[str, Array]:
    targets = primitive.many("targets")
    if not targets:
        return {}
    # VRM 0.x names them in the primitive.
    said = [owner.value.get("extras") for owner in (mesh, primitive)]
    named = next((one["targetNames"] for one in said if isinstance(one, dict) and "targetNames" in one), None)
    found: dict[str, Array] = {}
    for number, target in enumerate(targets):
        own = named[number] if isinstance(named, list) and number < len(named) else None
        name = own if isinstance(own, str) and own not in found else f"morph_{number}"
        moved = _attribute(document, target, "POSITION", 3, count)
        found[name] = np.zeros((count, 3)) if moved is None else moved @ linear.T
    return found


def normals_of(vertices: Array, triangles: NDArray[np.int64]) -> Array:
    """(V, 3) unit normals: those of the triangles around each vertex, by their area."""
    a, b, c = (vertices[triangles[:, n]] for n in range(3))
    faces = quat.cross(b - a, c - a)
    summed = np.zeros(vertices.shape)
    for corner in range(3):
        for axis in range(3):
            summed[:, axis] += np.bincount(triangles[:, corner], faces[:, axis], len(vertices))
    return _unit(summed)


def _unit(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0.0, vectors / np.where(length > 0.0, length, 1.0), np.array([0.0, 1.0, 0.0]))


def _meta(document: Gltf) -> dict[str, Any]:
    told = {key: value for key, value in document.fields.one("asset").value.items() if key != "version"}
    return {**told, **ours.meta_of(document)}
