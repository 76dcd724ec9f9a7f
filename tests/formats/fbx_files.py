"""FBX files made by hand: two bones, a mesh that hangs from one of them or is bound to both, layers, scales, rotation orders."""

from __future__ import annotations

import numpy as np

from komadori.formats.fbx.curves import Curves, Track
from komadori.formats.fbx.objects import Objects
from komadori.formats.fbx.records import (
    Record,
    Short,
    choice,
    encoded,
    moment,
    number,
    properties,
    record,
    switch,
    three,
    whole,
)

TICKS = 46_186_158_000


def _numbers(values: list[float]) -> str:
    return f"*{len(values)} {{\n a: {','.join(f'{value:g}' for value in values)}\n}}"


def with_rigid_mesh(picture: str = "face.png", hangs_from: str = "head") -> bytes:
    """Hips at 1 m, a head 0.5 m above them, and a square of 0.2 m in front of it that has no skin; in centimetres.

    `hangs_from` is "head", or "scene" for a mesh that hangs from no bone.
    """
    square = [-10.0, -10.0, 10.0, 10.0, -10.0, 10.0, 10.0, 10.0, 10.0, -10.0, 10.0, 10.0]
    parent = {"head": 102, "scene": 0}[hangs_from]
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{
 FBXHeaderVersion: 1003
 FBXVersion: 7400
}}
GlobalSettings:  {{
 Version: 1000
 Properties70:  {{
  P: "UpAxis", "int", "Integer", "",1
  P: "UpAxisSign", "int", "Integer", "",1
  P: "FrontAxis", "int", "Integer", "",2
  P: "FrontAxisSign", "int", "Integer", "",1
  P: "CoordAxis", "int", "Integer", "",0
  P: "CoordAxisSign", "int", "Integer", "",1
  P: "UnitScaleFactor", "double", "Number", "",1
 }}
}}
Objects:  {{
 Model: 101, "Model::Hips", "LimbNode" {{
  Version: 232
  Properties70:  {{
   P: "Lcl Translation", "Lcl Translation", "", "A",0,100,0
  }}
 }}
 Model: 102, "Model::Head", "LimbNode" {{
  Version: 232
  Properties70:  {{
   P: "Lcl Translation", "Lcl Translation", "", "A",0,50,0
  }}
 }}
 NodeAttribute: 111, "NodeAttribute::Hips", "LimbNode" {{
  TypeFlags: "Skeleton"
 }}
 NodeAttribute: 112, "NodeAttribute::Head", "LimbNode" {{
  TypeFlags: "Skeleton"
 }}
 Geometry: 103, "Geometry::face", "Mesh" {{
  Vertices: {_numbers(square)}
  PolygonVertexIndex: *4 {{
   a: 0,1,2,-4
  }}
  LayerElementMaterial: 0 {{
   MappingInformationType: "AllSame"
   ReferenceInformationType: "IndexToDirect"
   Materials: *1 {{
    a: 0
   }}
  }}
 }}
 Model: 104, "Model::face", "Mesh" {{
  Version: 232
  Properties70:  {{
   P: "Lcl Translation", "Lcl Translation", "", "A",0,5,0
  }}
 }}
 Material: 105, "Material::skin", "" {{
  Version: 102
  ShadingModel: "lambert"
  Properties70:  {{
   P: "DiffuseColor", "Color", "", "A",0,0,0
  }}
 }}
 Texture: 106, "Texture::picture", "" {{
  Type: "TextureVideoClip"
  FileName: "{picture}"
  RelativeFilename: "{picture}"
 }}
}}
Connections:  {{
 C: "OO",101,0
 C: "OO",102,101
 C: "OO",111,101
 C: "OO",112,102
 C: "OO",103,104
 C: "OO",104,{parent}
 C: "OO",105,104
 C: "OP",106,105, "DiffuseColor"
}}
""".encode()


AXES = {
    "Y": ((1, 1), (2, 1), (0, 1)),
    "Z": ((2, 1), (1, -1), (0, 1)),
    "X": ((0, 1), (2, 1), (1, -1)),
    "-Y": ((1, -1), (2, 1), (0, -1)),
}
"""Axis and sign of up, front and coord for files in which another axis is up."""


def two_bones(change: str, up: str = "Y", unit_cm: float = 1.0, rate: tuple[int, float] = (11, 24.0)) -> bytes:
    """Two bones and a skin on both, half a second at 24 frames per second, with something that other programs do:

    "layers" (a second layer that adds, at half its weight), "pre_post" (rotations before and after the animated one, pivots),
    "scaled" (bones that are twice as large when they move as when the skin was bound), or "orders" (angles in another order).
    The file says which axis is `up`, how many centimetres its unit is long, and its `rate` (FBX's number of it, and its own rate).
    """
    objects = Objects()
    bones: list[int] = []
    for name, place in (("Hips", (0.0, 100.0, 0.0)), ("Head", (0.0, 50.0, 0.0))):
        rows = [
            three("Lcl Translation", "Lcl Translation", "", place, "A"),
            three("Lcl Rotation", "Lcl Rotation", "", (0.0, 0.0, 0.0), "A"),
            three(
                "Lcl Scaling", "Lcl Scaling", "", (2.0,) * 3 if change == "scaled" and not bones else (1.0,) * 3, "A"
            ),
            choice("InheritType", 1),
        ]
        if change == "pre_post":
            rows += [
                switch("RotationActive", True),
                three("PreRotation", "Vector3D", "Vector", (30.0, -50.0, 70.0)),
                three("PostRotation", "Vector3D", "Vector", (-20.0, 15.0, 95.0)),
                three("RotationPivot", "Vector3D", "Vector", (3.0, 5.0, -7.0)),
                three("ScalingPivot", "Vector3D", "Vector", (-2.0, 1.0, 4.0)),
            ]
        if change == "orders":
            rows += [switch("RotationActive", True), choice("RotationOrder", 4 if bones else 1)]
        bones.append(objects.model(name, "LimbNode", rows))
        limb = objects.add("NodeAttribute", name, "NodeAttribute", "LimbNode", [record("TypeFlags", "Skeleton")])
        objects.link(limb, bones[-1])
        objects.link(bones[-1], bones[-2] if len(bones) > 1 else 0)
    _skin(objects, bones)
    stop = TICKS // 2
    spans = [moment(name, ticks) for name, ticks in (("LocalStart", 0), ("LocalStop", stop))]
    stack = objects.add("AnimationStack", "take", "AnimStack", "", [properties(*spans)])
    _layer(objects, stack, bones, "linear", 1.0)
    if change == "layers":
        _layer(objects, stack, bones, "stepped", 0.5)
    settings = [
        *(
            whole(f"{axis}{part}", given[place])
            for axis, given in zip(("Up", "Front", "Coord"), AXES[up], strict=True)
            for place, part in enumerate(("Axis", "AxisSign"))
        ),
        number("UnitScaleFactor", unit_cm),
        choice("TimeMode", rate[0]),
        number("CustomFrameRate", rate[1]),
    ]
    return encoded(
        [
            record("FBXHeaderExtension", inner=[record("FBXVersion", Short(7500))]),
            record("GlobalSettings", inner=[record("Version", Short(1000)), properties(*settings)]),
            objects.records,
            objects.links,
        ]
    )


def _layer(objects: Objects, stack: int, bones: list[int], mode: str, weight: float) -> None:
    layer = objects.add(
        "AnimationLayer",
        mode,
        "AnimLayer",
        "",
        [properties(number("Weight", 100.0 * weight, "A"), choice("BlendMode", 0))],
    )
    objects.link(layer, stack)
    curves, random = Curves(24.0), np.random.default_rng(len(mode))
    frames = np.array([0, 4, 8, 12])
    for place, bone in enumerate(bones):
        track = Track(place, "R", mode, frames, random.uniform(-80.0, 80.0, size=(4, 3)))
        node = objects.add("AnimationCurveNode", "R", "AnimCurveNode", "", [])
        objects.link(node, layer)
        objects.link(node, bone, "Lcl Rotation")
        for axis, inner in zip("XYZ", curves.records(track), strict=True):
            objects.link(objects.add("AnimationCurve", "", "AnimCurve", "", inner), node, f"d|{axis}")


def _skin(objects: Objects, bones: list[int]) -> None:
    """A ribbon from the hips to above the head, bound to bones that stand upright at their own size."""
    points = np.array([(x, y, 5.0) for y in (100.0, 130.0, 160.0) for x in (-10.0, 10.0)])
    faces = np.array([0, 1, 3, ~2, 2, 3, 5, ~4], dtype=np.int32)
    shape = [record("Vertices", points), record("PolygonVertexIndex", faces)]
    geometry = objects.add("Geometry", "ribbon", "Geometry", "Mesh", shape)
    model = objects.model("ribbon", "Mesh", [])
    objects.link(model, 0)
    objects.link(geometry, model)
    skin = objects.add("Deformer", "ribbon", "Deformer", "Skin", [record("Version", Short(101))])
    objects.link(skin, geometry)
    for bone, height, pulled in ((bones[0], 100.0, [0, 1, 2, 3]), (bones[1], 150.0, [2, 3, 4, 5])):
        place = np.eye(4)
        place[3, 1] = height
        inner: list[Record] = [
            record("Indexes", np.array(pulled, dtype=np.int32)),
            record("Weights", np.array([1.0, 1.0, 0.5, 0.5] if bone == bones[0] else [0.5, 0.5, 1.0, 1.0])),
            record("Transform", np.linalg.inv(place)),
            record("TransformLink", place),
        ]
        cluster = objects.add("Deformer", "", "SubDeformer", "Cluster", inner)
        objects.link(cluster, skin)
        objects.link(bone, cluster)
