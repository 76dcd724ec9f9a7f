"""The skinned meshes, materials and pictures of a ufbx scene, and the character that they make."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character, Image, Material, Mesh
from komadori.errors import FormatError, one_line, quoted
from komadori.files import read_bytes
from komadori.formats import rigid, surfaces
from komadori.formats.fbx import ours
from komadori.formats.fbx.scene import Bones, Scene, matrix, members
from komadori.formats.surfaces import Surface
from komadori.quat import Array
from komadori.words import Note

BLACK, PLAIN = 0.1, 0.9
"""Colour values: a surface whose texture is missing is not as dark as this; this colour is used instead."""
FLAT = 1e-18
"""A matrix with a determinant below this has no usable inverse."""


@dataclass(frozen=True, eq=False)
class _Skin:
    """A mesh, where it stands, and its pulls: (node, vertices, weights, bone from mesh (4, 4)) a bone."""

    mesh: Any
    home: Array
    pulls: list[tuple[int, NDArray[np.int64], Array, Array]]


def character_of(ufbx: Any, loaded: Any, path: Path) -> Character:
    """What a loaded scene holds, in metres with Y up."""
    scene = Scene(ufbx, loaded, path)
    rest = scene.rest()
    meshes = members(loaded.meshes)
    skins = [skin for mesh in meshes for skin in _skins(scene, mesh, rest)]
    pulled = {node for skin in skins for node, *_ in skin.pulls}
    bound = _bound(scene, rest, skins, pulled)
    bones = scene.bones(scene.joints(pulled), _resting(scene, bound))
    binds = _binds(bones, bound)
    looks = _Looks(scene)
    stiff, lost = _hung(scene, [m for m in meshes if not any(skin.mesh is m for skin in skins)], rest, bones)
    made = [mesh for skin in (*skins, *stiff) for mesh in _meshes(scene, skin, bones, binds, looks)]
    notes = looks.notes
    if lost:
        notes.append(Note("Skipped {count:mesh that is|meshes that are} attached to no joint.", count=lost))
    motions = scene.motions(bones)
    return Character(
        name=path.stem,
        skeleton=bones.skeleton,
        meshes=tuple(made),
        materials=tuple(looks.materials),
        images=tuple(looks.images),
        binds=binds,
        motions=motions,
        notes=(*notes, *scene.lost),
    )


def _skins(scene: Scene, mesh: Any, rest: Array) -> list[_Skin]:
    """The mesh's skin, in a list of one, or of none."""
    for deformer in members(mesh.skin_deformers)[:1]:
        for node in members(mesh.instances)[:1]:
            home = np.asarray(rest[int(node.typed_id)] @ matrix(node.geometry_to_node))
            pulls = []
            for cluster in members(deformer.clusters):
                bone, to_bone = cluster.bone_node, matrix(cluster.geometry_to_bone)
                if bone is not None and np.isfinite(to_bone).all() and abs(np.linalg.det(to_bone)) > FLAT:
                    at = np.array(cluster.vertices, dtype=np.int64)
                    joint = int(scene.owners[int(bone.typed_id)])
                    pulls.append((joint, at, np.array(cluster.weights, dtype=np.float64), to_bone))
            if pulls and abs(np.linalg.det(home)) > FLAT:
                return [_Skin(mesh, home, pulls)]
    return []


def _hung(scene: Scene, meshes: list[Any], rest: Array, bones: Bones) -> tuple[list[_Skin], int]:
    """Meshes without a skin that hang from a joint (a face, a weapon), which they follow whole; and how many do not."""
    number, found, lost = bones.number(), [], 0
    for mesh in meshes:
        hung = []
        for node in members(mesh.instances):
            home = np.asarray(rest[int(node.typed_id)] @ matrix(node.geometry_to_node))
            bone = int(node.typed_id)
            while bone >= 0 and bone not in number:
                bone = int(scene.parents[bone])
            stand = rest[scene.stands[bone]]
            if bone >= 0 and min(abs(np.linalg.det(home)), abs(np.linalg.det(stand))) > FLAT:
                every = np.arange(len(mesh.vertices), dtype=np.int64)
                to_bone = np.linalg.inv(stand) @ home
                hung.append(_Skin(mesh, home, [(bone, every, np.ones(len(every)), to_bone)]))
        found += hung
        lost += not hung
    return found, lost


def _bound(scene: Scene, rest: Array, skins: list[_Skin], pulled: set[int]) -> Array:
    """The bind pose (N, 4, 4): by the first skin that names a node; the others keep their place to their parents."""
    bound = rest.copy()
    done: set[int] = set()
    for skin in skins:
        for node, _, _, to_bone in skin.pulls:
            if node not in done:
                bound[node] = skin.home @ np.linalg.inv(to_bone)
                done.add(node)
    for node in scene.order:
        parent = int(scene.parents[node])
        if node not in pulled and parent >= 0 and abs(np.linalg.det(rest[parent])) > FLAT:
            bound[node] = bound[parent] @ np.linalg.inv(rest[parent]) @ rest[node]
    return bound


def _resting(scene: Scene, bound: Array) -> Array:
    """The rest pose (N, 4, 4): the file's own if it states one, else the pose in which the skins were bound."""
    resting = bound.copy()
    for pose in members(scene.scene.poses):
        for placed in members(pose.bone_poses) if not pose.is_bind_pose else []:
            place = matrix(placed.bone_to_world)
            if placed.bone_node is not None and np.isfinite(place).all() and abs(np.linalg.det(place)) > FLAT:
                resting[int(placed.bone_node.typed_id)] = place
    return resting


def _binds(bones: Bones, bound: Array) -> Array:
    """Inverse bind matrices (J, 4, 4); the stretch of a moving joint is part of them, because joints here have none."""
    place = bound[bones.nodes]
    place[np.abs(np.linalg.det(place[:, :3, :3])) < FLAT] = np.eye(4)
    return np.asarray(rigid.affine(bones.stretch) @ np.linalg.inv(place))


class _Looks:
    """The materials of the file, and its pictures as they are encountered."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.images: list[Image] = []
        self.notes: list[Note] = []
        found = members(scene.scene.materials)
        self.materials = [self._material(material) for material in found]
        self.number = {int(material.typed_id): place for place, material in enumerate(found)}

    def _material(self, material: Any) -> Material:
        pbr, legacy = material.pbr, material.fbx
        base, opacity = pbr.base_color, pbr.opacity
        image = self._image(base.texture)
        red, green, blue = (surfaces.srgb(_finite(c)) for c in tuple(base.value_vec4)[:3])
        alpha = min(max(_finite(opacity.value_vec4.x), 0.0), 1.0) if opacity.has_value else _opacity(material)
        if base.texture is not None and image is None and max(red, green, blue) < BLACK:
            # Some programs set the colour behind a texture to black: without the texture the surface would be black.
            red = green = blue = PLAIN
        # A texture replaces the colour; it is not tinted by it.
        colour = (1.0, 1.0, 1.0, alpha) if image is not None else (red, green, blue, alpha)
        seen_through = alpha < 1.0 or opacity.texture is not None or legacy.transparency_factor.texture is not None
        made = Material(one_line(material.name, 120), colour, image, alpha="blend" if seen_through else "opaque")
        return ours.dressed(made, ours.said(material))

    def _image(self, texture: Any) -> int | None:
        """The picture of a texture: inside the file, or beside it (never elsewhere)."""
        if texture is None:
            return None
        name = str(texture.relative_filename or texture.filename or texture.name).replace("\\", "/")
        data = bytes(texture.content or b"") or self._beside(name)
        label, mime = name.rpartition("/")[2], surfaces.picture_kind(data)
        if mime is None:
            template = "Texture missing, or neither PNG nor JPEG: {name}. Using a plain colour."
            # A picture that was never saved has the path of a folder.
            told = name if label.strip(". ") else str(texture.name)
            note = Note(template, name=one_line(told, 80) or "?")
            self.notes += [] if note in self.notes else [note]
            return None
        for place, image in enumerate(self.images):
            if image.name == label and image.data == data:
                return place
        self.images.append(Image(label, mime, data))
        return len(self.images) - 1

    def _beside(self, name: str) -> bytes:
        folder = Path(os.path.realpath(self.scene.path.parent))
        for part in (name, name.rpartition("/")[2]):
            if part and "\0" not in part:
                there = Path(os.path.realpath(folder / part))
                if there.is_relative_to(folder) and there.is_file():
                    return read_bytes(there)
        return b""


def _meshes(scene: Scene, skin: _Skin, bones: Bones, binds: Array, looks: _Looks) -> list[Mesh]:
    """The triangles of one skinned mesh, placed so that the character's `binds` fit it."""
    mesh = skin.mesh
    name = one_line(mesh.name, 120) or "mesh"
    corners = np.array(mesh.vertex_indices, dtype=np.int64)
    points = np.array(mesh.vertices, dtype=np.float64).reshape(-1, 3)
    faces = np.array(mesh.faces, dtype=np.int64).reshape(-1, 2)
    if not len(corners) or not len(faces):
        return []
    sound = np.isfinite(points).all() and 0 <= corners.min() <= corners.max() < len(points)
    if not sound or (np.cumsum(faces[:, 1]) - faces[:, 1] != faces[:, 0]).any() or faces[:, 1].sum() != len(corners):
        raise FormatError(
            scene.path,
            Note("mesh {name}", name=quoted(name)),
            problem=Note("a face refers to a vertex that does not exist"),
        )
    moved, turn, far = _placed(points, skin, bones, binds)
    if far > 1e-3 * max(1.0, float(np.abs(moved).max())):
        template = "The mesh {name} was bound in a different pose, so its deformation is approximate."
        looks.notes.append(Note(template, name=name))
    number = bones.number()
    joints, weights = surfaces.gathered(
        len(points),
        np.concatenate([at for _, at, _, _ in skin.pulls]),
        np.concatenate([np.full(len(at), number[node]) for node, at, _, _ in skin.pulls]),
        np.concatenate([pull for _, _, pull, _ in skin.pulls]),
    )
    triangles, face = surfaces.fans(faces[:, 1])
    surface = Surface(
        name,
        moved,
        joints,
        weights,
        corners,
        triangles if np.linalg.det(turn) > 0.0 else triangles[:, ::-1],
        _face_materials(scene, mesh, looks, len(faces))[face],
        _normals(mesh, turn, len(corners)),
        _uvs(mesh, len(corners)),
        _morphs(scene, mesh, turn, len(points)),
    )
    return list(surfaces.meshes(surface))


def _placed(points: Array, skin: _Skin, bones: Bones, binds: Array) -> tuple[Array, Array, float]:
    """The points (P, 3) in the character's bind pose, the turn of most of them, and how far the bones disagree on it."""
    number = bones.number()
    total, moved = np.zeros(len(points)), np.zeros_like(points)
    first, far = None, 0.0
    for node, at, pull, to_bone in skin.pulls:
        joint = number[node]
        own = np.linalg.inv(binds[joint]) @ rigid.affine(bones.stretch[joint]) @ to_bone
        first = own if first is None else first
        far = max(far, float(np.abs((own - first)[:3]).max()))
        inside = (at < len(points)) & (pull > 0.0)
        at, pull = at[inside], pull[inside]
        np.add.at(moved, at, pull[:, None] * (points[at] @ own[:3, :3].T + own[:3, 3]))
        np.add.at(total, at, pull)
    loose = total <= 0.0
    moved[~loose] /= total[~loose, None]
    moved[loose] = points[loose] @ skin.home[:3, :3].T + skin.home[:3, 3]
    assert first is not None
    return moved, first[:3, :3], far


def _face_materials(scene: Scene, mesh: Any, looks: _Looks, faces: int) -> NDArray[np.int64]:
    own = [looks.number.get(int(material.typed_id), -1) for material in members(mesh.materials)]
    given = np.array(mesh.face_material, dtype=np.int64)
    if not own or len(given) != faces:
        return np.full(faces, own[0] if own else -1, dtype=np.int64)
    return np.array(own, dtype=np.int64)[np.clip(given, 0, len(own) - 1)]


def _normals(mesh: Any, turn: Array, corners: int) -> Array | None:
    values = _at_corners(mesh.vertex_normal, 3, corners)
    # Normals turn with the inverse transpose.
    return None if values is None else surfaces.unit_normals(values @ np.linalg.inv(turn))


def _uvs(mesh: Any, corners: int) -> Array | None:
    values = _at_corners(mesh.vertex_uv, 2, corners)
    return None if values is None else np.stack([values[:, 0], 1.0 - values[:, 1]], axis=-1)


def _at_corners(attribute: Any, width: int, corners: int) -> Array | None:
    """A value per corner, (C, width), if the mesh has them for all."""
    if not attribute.exists:
        return None
    values = np.array(attribute.values, dtype=np.float64).reshape(-1, width)
    index = np.array(attribute.indices, dtype=np.int64)
    if len(index) != corners or not 0 <= index.min(initial=0) <= index.max(initial=0) < len(values):
        return None
    taken = values[index]
    return taken if np.isfinite(taken).all() else None


def _morphs(scene: Scene, mesh: Any, turn: Array, points: int) -> dict[str, Array]:
    """Blend shapes as displacements (P, 3) in metres."""
    found: dict[str, Array] = {}
    for deformer in members(mesh.blend_deformers):
        for channel in members(deformer.channels):
            shape = channel.target_shape
            if shape is None:
                continue
            at = np.array(shape.offset_vertices, dtype=np.int64)
            offsets = np.array(shape.position_offsets, dtype=np.float64).reshape(-1, 3)
            if len(at) == len(offsets) and np.isfinite(offsets).all() and (not len(at) or at.max() < points):
                moved = np.zeros((points, 3))
                moved[at] = offsets @ turn.T
                found[one_line(channel.name or shape.name, 120)] = moved
    return found


def _opacity(material: Any) -> float:
    """How much of a surface of the old kind is seen, from 0 to 1.

    Files so often state full transparency for surfaces that are clearly visible that it is ignored.
    """
    stated = material.props.find_prop("Opacity")
    if stated is not None:
        return min(max(_finite(stated.value_vec4.x), 0.0), 1.0)
    factor, tint = material.fbx.transparency_factor, material.fbx.transparency_color
    if not factor.has_value:
        return 1.0
    clear = _finite(factor.value_vec4.x) * _finite(max(tuple(tint.value_vec4)[:3]) if tint.has_value else 1.0)
    return 1.0 - clear if 0.0 < clear < 1.0 else 1.0


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
