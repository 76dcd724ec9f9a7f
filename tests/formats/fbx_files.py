"""FBX files made by hand, as text: two bones, a mesh that hangs from one of them, and a material with a picture."""

from __future__ import annotations


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
