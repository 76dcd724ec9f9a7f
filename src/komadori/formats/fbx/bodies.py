"""Meshes, skins, blend shapes, materials and pictures as objects of an FBX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from komadori.character import Character, Image, Material, Mesh
from komadori.errors import OptionError
from komadori.formats import rigid, surfaces
from komadori.formats.fbx import ours
from komadori.formats.fbx.curves import CENTIMETRES
from komadori.formats.fbx.objects import Objects
from komadori.formats.fbx.records import Record, Short, number, properties, record, switch, text, three
from komadori.quat import Array, to_matrix
from komadori.words import Note

SAME = 1e-7
"""Stretches that differ by less than this part are one and the same."""


def add_character(objects: Objects, character: Character, joints: Sequence[int]) -> None:
    """The body on its `joints`: materials, meshes with their skins, and the pose in which these were bound."""
    places, stretch = _bound(character.binds)
    pictures = [_picture(objects, image, number) for number, image in enumerate(character.images)]
    looks = [_material(objects, material, pictures) for material in character.materials]
    shown = []
    for mesh in character.meshes:
        if len(mesh.triangles):
            material = None if mesh.material is None or mesh.material >= len(looks) else looks[mesh.material]
            shown.append(_mesh(objects, mesh, joints, places, stretch, material))
    if shown:
        # The pose in which the skins were bound names the meshes too.
        _pose(objects, "BindPose", [*zip(joints, places, strict=True), *((model, np.eye(4)) for model in shown)])
        _rest_pose(objects, character, joints, places)


def _bound(binds: Array) -> tuple[Array, Array]:
    """Where every joint stood in the world when the skins were bound (J, 4, 4), and by what (3, 3) all vertices grow.

    A stretch that all joints' bind matrices share is the mesh's own (a file in another unit, say): it goes into the vertices,
    because a program that makes bones of these matrices wants them rigid.
    """
    if (np.abs(np.linalg.det(binds[:, :3, :3])) < 1e-18).any():
        raise OptionError(Note("a joint's bind matrix has no inverse: FBX cannot hold it"))
    _, stretch = rigid.decomposed(binds[:, :3, :3])
    first = stretch[0]
    shared = np.abs(stretch - first).max() <= SAME * np.abs(first).max() and np.linalg.det(first) > 0.0
    own = first if shared else np.eye(3)
    places = np.linalg.inv(binds @ rigid.affine(np.linalg.inv(own)))
    places[:, :3, 3] *= CENTIMETRES
    return np.asarray(places, dtype=np.float64), np.asarray(own)


def _pose(objects: Objects, kind: str, placed: Sequence[tuple[int, Array]]) -> None:
    nodes = [
        record("PoseNode", inner=[record("Node", node), record("Matrix", _columns(place))]) for node, place in placed
    ]
    inner = [
        record("Type", kind),
        record("Version", Short(100)),
        record("NbPoseNodes", Short(len(nodes))),
        *nodes,
    ]
    objects.add("Pose", kind, "Pose", kind, inner)


def _rest_pose(objects: Objects, character: Character, joints: Sequence[int], places: Array) -> None:
    """The pose in which the body rests, if it is not the one in which it was bound."""
    turned, where = character.rest.world_transforms()
    rest = rigid.affine(to_matrix(turned[0]), CENTIMETRES * where[0])
    if np.abs(rest - places).max() > 1e-6:
        _pose(objects, "RestPose", list(zip(joints, rest, strict=True)))


def _columns(matrix: Array) -> Array:
    """FBX lists the columns of a matrix."""
    return np.ascontiguousarray(matrix.T, dtype=np.float64)


def _mesh(
    objects: Objects, mesh: Mesh, joints: Sequence[int], places: Array, stretch: Array, material: int | None
) -> int:
    """The mesh with its skin and blend shapes; the number of its model."""
    for values in (mesh.vertices, mesh.normals, mesh.weights, *mesh.morphs.values()):
        if not np.isfinite(values).all():
            raise OptionError(
                Note("the mesh {name!r} has numbers that are not finite: FBX cannot hold them", name=mesh.name)
            )
    grow = CENTIMETRES * stretch.T
    normals = surfaces.unit_normals(mesh.normals @ np.linalg.inv(stretch))
    geometry = objects.add("Geometry", mesh.name, "Geometry", "Mesh", _shape(mesh, mesh.vertices @ grow, normals))
    model = objects.model(
        mesh.name,
        "Mesh",
        [
            three("Lcl Translation", "Lcl Translation", "", (0.0, 0.0, 0.0), "A"),
            three("Lcl Rotation", "Lcl Rotation", "", (0.0, 0.0, 0.0), "A"),
            three("Lcl Scaling", "Lcl Scaling", "", (1.0, 1.0, 1.0), "A"),
        ],
    )
    objects.link(model, 0)
    objects.link(geometry, model)
    if material is not None:
        objects.link(material, model)
    if mesh.morphs:
        _morphs(objects, mesh, geometry, grow)
    skin = objects.add(
        "Deformer", mesh.name, "Deformer", "Skin", [record("Version", Short(101)), record("Link_DeformAcuracy", 50.0)]
    )
    objects.link(skin, geometry)
    for joint in np.unique(mesh.joints[mesh.weights > 0.0]).tolist():
        pulled = np.where(mesh.joints == joint, mesh.weights, 0.0).sum(axis=1)
        at = np.flatnonzero(pulled > 0.0)
        cluster = objects.add(
            "Deformer",
            "",
            "SubDeformer",
            "Cluster",
            [
                record("Version", Short(100)),
                record("UserData", "", ""),
                record("Indexes", at.astype(np.int32)),
                record("Weights", pulled[at]),
                record("Transform", _columns(np.linalg.inv(places[joint]))),
                record("TransformLink", _columns(places[joint])),
            ],
        )
        objects.link(cluster, skin)
        objects.link(joints[joint], cluster)
    return model


def _shape(mesh: Mesh, points: Array, normals: Array) -> list[Record]:
    corners = mesh.triangles.astype(np.int32)
    ends = corners.copy()
    # The last corner of a face is determined by its sign.
    ends[:, 2] = ~ends[:, 2]
    layers = [_layer("Normal", 102, "ByPolygonVertex", "Direct", record("Normals", normals[corners.reshape(-1)]))]
    if mesh.uvs is not None:
        upwards = np.stack([mesh.uvs[:, 0], 1.0 - mesh.uvs[:, 1]], axis=-1)
        layers.append(
            _layer("UV", 101, "ByPolygonVertex", "IndexToDirect", record("UV", upwards), record("UVIndex", corners))
        )
    if mesh.material is not None:
        only = record("Materials", np.zeros(1, dtype=np.int32))
        layers.append(_layer("Material", 101, "AllSame", "IndexToDirect", only))
    elements = [
        record("LayerElement", inner=[record("Type", layer.name.decode()), record("TypedIndex", Short(0))])
        for layer in layers
    ]
    return [
        record("GeometryVersion", Short(124)),
        record("Vertices", points),
        record("PolygonVertexIndex", ends),
        *layers,
        record("Layer", Short(0), inner=[record("Version", Short(100)), *elements]),
    ]


def _layer(kind: str, version: int, mapping: str, reference: str, *values: Record) -> Record:
    return record(
        f"LayerElement{kind}",
        Short(0),
        inner=[
            record("Version", Short(version)),
            record("Name", ""),
            record("MappingInformationType", mapping),
            record("ReferenceInformationType", reference),
            *values,
        ],
    )


def _morphs(objects: Objects, mesh: Mesh, geometry: int, grow: Array) -> None:
    deformer = objects.add("Deformer", mesh.name, "Deformer", "BlendShape", [record("Version", Short(100))])
    objects.link(deformer, geometry)
    for name, moved in mesh.morphs.items():
        at = np.flatnonzero((moved != 0.0).any(axis=1))
        # Programs stumble over a shape that moves nothing at all.
        at = at if len(at) else np.zeros(min(1, len(moved)), dtype=np.intp)
        shape = objects.add(
            "Geometry",
            name,
            "Geometry",
            "Shape",
            [
                record("Version", Short(100)),
                record("Indexes", at.astype(np.int32)),
                record("Vertices", moved[at] @ grow),
                record("Normals", np.zeros((len(at), 3))),
            ],
        )
        channel = objects.add(
            "Deformer",
            name,
            "SubDeformer",
            "BlendShapeChannel",
            [
                record("Version", Short(100)),
                record("DeformPercent", 0.0),
                record("FullWeights", np.array([100.0])),
                properties(number("DeformPercent", 0.0, "A")),
            ],
        )
        objects.link(channel, deformer)
        objects.link(shape, channel)


def _picture(objects: Objects, image: Image, place: int) -> tuple[int, Image]:
    """A picture inside the file, under a name that no other has."""
    ending = {"image/png": ".png", "image/jpeg": ".jpg"}.get(image.mime, "")
    name = image.name.replace("\\", "/").rpartition("/")[2] or f"picture{place}"
    name = name if "." in name else f"{name}{ending}"
    made = objects.add(
        "Video",
        name,
        "Video",
        "Clip",
        [
            record("Type", "Clip"),
            properties(("Path", "KString", "XRefUrl", "", name)),
            record("UseMipMap", Short(0)),
            record("Filename", name),
            record("RelativeFilename", name),
            record("Content", bytes(image.data)),
        ],
    )
    return made, image


def _material(objects: Objects, material: Material, pictures: Sequence[tuple[int, Image]]) -> int:
    red, green, blue = (surfaces.linear(value) for value in material.colour[:3])
    alpha = min(max(float(material.colour[3]), 0.0), 1.0)
    rows: list[tuple[Any, ...]] = [
        three("DiffuseColor", "Color", "", (red, green, blue), "A"),
        number("DiffuseFactor", 1.0, "A"),
        three("AmbientColor", "Color", "", (0.0, 0.0, 0.0), "A"),
        three("EmissiveColor", "Color", "", (0.0, 0.0, 0.0), "A"),
        three("TransparentColor", "Color", "", (1.0, 1.0, 1.0), "A"),
        number("TransparencyFactor", 1.0 - alpha, "A"),
        number("Opacity", alpha, "A"),
    ]
    if said := ours.about_material(material):
        rows.append(text(ours.KEY, said, "U"))
    made = objects.add(
        "Material",
        material.name,
        "Material",
        "",
        [
            record("Version", Short(102)),
            record("ShadingModel", "lambert"),
            record("MultiLayer", Short(0)),
            properties(*rows),
        ],
    )
    if material.image is not None and material.image < len(pictures):
        video, image = pictures[material.image]
        texture = _texture(objects, image)
        objects.link(video, texture)
        objects.link(texture, made, "DiffuseColor")
        if material.alpha != "opaque":
            objects.link(texture, made, "TransparencyFactor")
    return made


def _texture(objects: Objects, image: Image) -> int:
    name = image.name or "picture"
    return objects.add(
        "Texture",
        name,
        "Texture",
        "",
        [
            record("Type", "TextureVideoClip"),
            record("Version", Short(202)),
            record("TextureName", f"{name}\0\1Texture"),
            properties(switch("UseMaterial", True)),
            record("FileName", name),
            record("RelativeFilename", name),
        ],
    )
