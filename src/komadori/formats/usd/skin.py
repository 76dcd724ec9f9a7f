"""Skinned meshes, materials and pictures of a USD stage as a Character."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character, Image, Material, Mesh
from komadori.errors import FormatError, one_line
from komadori.formats import rigid, surfaces
from komadori.formats.surfaces import Surface
from komadori.formats.usd import values
from komadori.formats.usd.opening import inside, quiet, stage_at
from komadori.formats.usd.reading import Rig, animations_of, motion_of, prims, rig_of
from komadori.quat import Array
from komadori.words import Note


def read_character_here(path: Path) -> Character:
    """The first animated skeleton, the meshes that are bound to it, and its animations."""
    with quiet(path):
        stage = stage_at(path)
        rig, _ = rig_of(stage, path, None)
        return _character(stage, rig, path)


@dataclass
class _Looks:
    """Materials and pictures as they are encountered, each once."""

    path: Path
    materials: list[Material] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def number(self, key: str, material: Material) -> int:
        if key not in self.places:
            self.places[key] = len(self.materials)
            self.materials.append(material)
        return self.places[key]


def _character(stage: Any, rig: Rig, path: Path) -> Character:
    from pxr import UsdGeom, UsdSkel

    looks = _Looks(path)
    meshes: list[Mesh] = []
    bare = 0
    binds = _binds(rig)
    for prim in prims(stage):
        if not prim.IsA(UsdGeom.Mesh):
            continue
        bound = UsdSkel.BindingAPI(prim).GetInheritedSkeleton()
        if not bound or bound.GetPrim() != rig.prim:
            bare += 1
            continue
        surface = _surface(prim, rig, looks, path)
        if surface is None:
            bare += 1
        else:
            meshes += surfaces.meshes(surface)
    notes = [*rig.notes, *looks.notes]
    if bare:
        notes.append(Note("Skipped {count:mesh that is|meshes that are} attached to no joint.", count=bare))
    animations = animations_of(stage, rig)
    default = stage.GetDefaultPrim()
    return Character(
        name=default.GetDisplayName() or path.stem if default else path.stem,
        skeleton=rig.skeleton,
        meshes=tuple(meshes),
        materials=tuple(looks.materials),
        images=tuple(looks.images),
        binds=binds,
        motions={name: motion_of(stage, rig, animation, path) for name, animation in animations.items()},
        notes=tuple(notes),
    )


def _binds(rig: Rig) -> Array:
    """Inverse bind matrices (J, 4, 4) for points in metres with Y up; a joint's size at rest is part of them."""
    from pxr import UsdSkel

    given = values.matrices(UsdSkel.Skeleton(rig.prim).GetBindTransformsAttr(), len(rig.tokens))
    if given is None:
        bind = np.broadcast_to(np.eye(4), (len(rig.tokens), 4, 4)).copy()
        for joint, parent in enumerate(rig.skeleton.parents.tolist()):
            bind[joint] = (bind[parent] if parent >= 0 else np.eye(4)) @ rig.rest[joint]
    else:
        bind = given[rig.order]
    flat = ~np.isfinite(bind).all(axis=(1, 2)) | (np.abs(np.linalg.det(np.nan_to_num(bind))) < 1e-18)
    bind[flat] = np.eye(4)
    return np.asarray(rigid.affine(rig.stretch) @ np.linalg.inv(bind) @ np.linalg.inv(rig.here))


def _surface(prim: Any, rig: Rig, looks: _Looks, path: Path) -> Surface | None:
    """One mesh as it was bound; None if it has no weights or no faces."""
    from pxr import UsdGeom, UsdSkel

    mesh, place = UsdGeom.Mesh(prim), one_line(str(prim.GetPath()), 100)
    points = _points(mesh.GetPointsAttr())
    counts = _counts(mesh.GetFaceVertexCountsAttr())
    corners = _counts(mesh.GetFaceVertexIndicesAttr())
    skin = _weights(UsdSkel.BindingAPI(prim), rig, len(points), path, place)
    if skin is None or not len(points) or not len(counts):
        return None
    if counts.min() < 0 or counts.sum() != len(corners):
        raise FormatError(
            path, place, expected=Note("{count} corners in all faces", count=len(corners)), found=str(counts.sum())
        )
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise FormatError(path, place, problem=Note("a face refers to a point that does not exist"))
    if not np.isfinite(points).all():
        raise FormatError(path, place, problem=Note("a point is NaN or infinite"))
    bound = UsdSkel.BindingAPI(prim).GetGeomBindTransformAttr()
    stands = bound.Get()
    home = rig.here @ (np.eye(4) if stands is None else values.numbers(bound, stands, (4, 4)).T)
    triangles, faces = surfaces.fans(counts)
    # The second reason undoes the first: a mirrored left-handed face is right-handed.
    if (mesh.GetOrientationAttr().Get() == "leftHanded") != (np.linalg.det(home[:3, :3]) < 0.0):
        triangles = triangles[:, ::-1]
    uvs = _values(UsdGeom.PrimvarsAPI(prim).GetPrimvar("st"), corners, counts, 2)
    return Surface(
        name=one_line(str(prim.GetDisplayName() or prim.GetName()), 120),
        points=points @ home[:3, :3].T + home[:3, 3],
        joints=skin[0],
        weights=skin[1],
        corners=corners,
        triangles=triangles,
        materials=_materials(mesh, looks, len(counts))[faces],
        normals=_normals(mesh, corners, counts, home),
        uvs=None if uvs is None else np.stack([uvs[:, 0], 1.0 - uvs[:, 1]], axis=-1),
        morphs=_morphs(prim, home, len(points)),
    )


def _points(attribute: Any) -> Array:
    return values.numbers(attribute, _first(attribute), (-1, 3))


def _counts(attribute: Any) -> NDArray[np.int64]:
    return values.wholes(attribute, _first(attribute))


def _first(attribute: Any) -> Any:
    """An attribute's value at its default, or at its first time sample."""
    from pxr import Usd

    value = attribute.Get()
    return attribute.Get(Usd.TimeCode.EarliestTime()) if value is None else value


def _weights(binding: Any, rig: Rig, points: int, path: Path, place: str) -> tuple[NDArray[np.int64], Array] | None:
    """Joints and weights (P, K), or None for a mesh without."""
    indices, pulls = binding.GetJointIndicesPrimvar(), binding.GetJointWeightsPrimvar()
    if not indices.HasValue() or not pulls.HasValue():
        return None
    joints = values.wholes(indices.GetAttr(), indices.ComputeFlattened())
    weights = values.numbers(pulls.GetAttr(), pulls.ComputeFlattened())
    size = int(indices.GetElementSize())
    rigidly = indices.GetInterpolation() == "constant"
    rows = 1 if rigidly else points
    if size < 1 or len(joints) != rows * size or len(weights) != len(joints):
        found = Note("{count} joints and {weights} weights", count=len(joints), weights=len(weights))
        raise FormatError(
            path,
            place,
            expected=Note("joints and weights for {rows} points, {size} for each", size=size, rows=rows),
            found=found,
        )
    names = values.tokens(binding.GetJointsAttr()) or [rig.tokens[i] for i in np.argsort(rig.order)]
    number = {token: joint for joint, token in enumerate(rig.tokens)}
    table = np.array([number.get(name, -1) for name in names], dtype=np.int64)
    if len(joints) and not 0 <= joints.min() <= joints.max() < len(table):
        raise FormatError(
            path,
            place,
            expected=Note("joints 0 to {last}", last=len(table) - 1),
            found=Note("{least} to {most}", least=joints.min(), most=joints.max()),
        )
    joints = table[joints]
    weights = np.where(joints < 0, 0.0, weights)
    if rigidly:
        joints, weights = np.tile(joints, points), np.tile(weights, points)
    return surfaces.gathered(points, np.repeat(np.arange(points), size), joints, weights)


def _values(primvar: Any, corners: NDArray[np.int64], counts: NDArray[np.int64], width: int) -> Array | None:
    """A primvar at each corner, (C, width), or None if the mesh has it not or not in a way that fits."""
    if not primvar or not primvar.HasValue():
        return None
    try:
        flat = values.numbers(primvar.GetAttr(), primvar.ComputeFlattened(), (-1, width))
    except values.UnfitError:
        return None
    if not np.isfinite(flat).all():
        return None
    return _at_corners(flat, primvar.GetInterpolation(), corners, counts)


def _at_corners(
    values: Array, interpolation: str, corners: NDArray[np.int64], counts: NDArray[np.int64]
) -> Array | None:
    if interpolation == "faceVarying":
        return values if len(values) == len(corners) else None
    if interpolation in ("vertex", "varying"):
        return values[corners] if len(corners) == 0 or len(values) > corners.max() else None
    if interpolation == "uniform":
        return np.repeat(values, counts, axis=0) if len(values) == len(counts) else None
    return np.repeat(values[:1], len(corners), axis=0) if len(values) else None


def _normals(mesh: Any, corners: NDArray[np.int64], counts: NDArray[np.int64], home: Array) -> Array | None:
    """The mesh's own normals, (C, 3); a subdivided surface has none of its own, by USD's rule."""
    from pxr import UsdGeom

    if mesh.GetSubdivisionSchemeAttr().Get() != "none":
        return None
    found = _values(UsdGeom.PrimvarsAPI(mesh.GetPrim()).GetPrimvar("normals"), corners, counts, 3)
    if found is None:
        plain = _points(mesh.GetNormalsAttr())
        if len(plain) and np.isfinite(plain).all():
            found = _at_corners(plain, mesh.GetNormalsInterpolation(), corners, counts)
    return None if found is None else surfaces.unit_normals(found @ np.linalg.inv(home[:3, :3]))


def _morphs(prim: Any, home: Array, points: int) -> dict[str, Array]:
    """Blend shapes as displacements (P, 3) in metres."""
    from pxr import UsdSkel

    binding = UsdSkel.BindingAPI(prim)
    names, targets = values.tokens(binding.GetBlendShapesAttr()), binding.GetBlendShapeTargetsRel().GetTargets()
    found: dict[str, Array] = {}
    for name, target in zip(names, targets, strict=False):
        shape = UsdSkel.BlendShape(prim.GetStage().GetPrimAtPath(target))
        if not shape:
            continue
        offsets = _points(shape.GetOffsetsAttr())
        at = _counts(shape.GetPointIndicesAttr())
        if not len(at):
            at = np.arange(len(offsets))
        if len(at) != len(offsets) or (len(at) and not 0 <= at.min() <= at.max() < points):
            continue
        moved = np.zeros((points, 3))
        moved[at] = np.nan_to_num(offsets) @ home[:3, :3].T
        found[one_line(str(name), 120)] = moved
    return found


def _materials(mesh: Any, looks: _Looks, faces: int) -> NDArray[np.int64]:
    """The material of each face, (faces,)."""
    from pxr import UsdShade

    prim = mesh.GetPrim()
    result = np.full(faces, _material(prim, mesh, looks), dtype=np.int64)
    for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
        at = _counts(subset.GetIndicesAttr())
        at = at[(at >= 0) & (at < faces)]
        result[at] = _material(subset.GetPrim(), mesh, looks)
    return result


def _material(prim: Any, mesh: Any, looks: _Looks) -> int:
    """The number of the material bound to `prim`, or of one made of the mesh's display colour, or -1."""
    from pxr import UsdShade

    bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    double = bool(mesh.GetDoubleSidedAttr().Get())
    if bound:
        surface, *_ = bound.ComputeSurfaceSource()
        key = f"{bound.GetPath()} {double}"
        return (
            looks.number(key, _preview(bound, surface, double, looks)) if key not in looks.places else looks.places[key]
        )
    colour = mesh.GetDisplayColorPrimvar()
    shown = values.numbers(colour.GetAttr(), colour.Get(), (-1, 3)) if colour else np.zeros((0, 3))
    if not len(shown) or not np.isfinite(shown[0]).all():
        return -1
    red, green, blue = (surfaces.srgb(float(value)) for value in shown[0])
    name = f"{mesh.GetPrim().GetName()} colour"
    return looks.number(f"{shown[0]} {double}", Material(name, (red, green, blue, 1.0), two_sided=double))


def _preview(bound: Any, surface: Any, double: bool, looks: _Looks) -> Material:
    """A UsdPreviewSurface as a flat material."""
    from pxr import UsdShade

    name = one_line(str(bound.GetPrim().GetDisplayName() or bound.GetPrim().GetName()), 120)
    colour, alpha, image = np.ones(3), 1.0, None
    if surface:
        diffuse = surface.GetInput("diffuseColor")
        if diffuse:
            sources, _ = diffuse.GetConnectedSources()
            if sources:
                shader = UsdShade.Shader(sources[0].source.GetPrim())
                image = _image(shader, looks)
            else:
                value = diffuse.Get()
                colour = np.full(3, 0.18) if value is None else values.numbers(diffuse.GetAttr(), value, (3,))
        opacity = surface.GetInput("opacity")
        given = opacity.Get() if opacity and not opacity.HasConnectedSource() else None
        if given is not None:
            alpha = float(np.clip(np.nan_to_num(values.numbers(opacity.GetAttr(), given, (1,))[0]), 0.0, 1.0))
    red, green, blue = (surfaces.srgb(float(np.nan_to_num(value))) for value in colour)
    kind = "opaque" if alpha >= 1.0 else "blend"
    return Material(name, (red, green, blue, alpha), image, two_sided=double, alpha=kind)


def _image(shader: Any, looks: _Looks) -> int | None:
    """The picture of a UsdUVTexture: one in the file's folder or package, never elsewhere."""
    from pxr import Ar, Sdf

    file = shader.GetInput("file") if shader else None
    asset = file.Get() if file else None
    if not isinstance(asset, Sdf.AssetPath):
        return None
    home = Path(os.path.realpath(looks.path.parent))
    resolved = str(asset.resolvedPath)
    data = b""
    if resolved and inside(resolved, home):
        opened = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(resolved))
        data = bytes(opened.GetBuffer()) if opened else b""
    mime = surfaces.picture_kind(data)
    name = str(asset.path).replace("\\", "/").rpartition("/")[2]
    if mime is None:
        template = "Texture missing, or neither PNG nor JPEG: {name}. Using a plain colour."
        looks.notes.append(Note(template, name=one_line(name, 80)))
        return None
    for place, image in enumerate(looks.images):
        if image.name == name and image.data == data:
            return place
    looks.images.append(Image(name, mime, data))
    return len(looks.images) - 1
