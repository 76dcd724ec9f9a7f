"""Motions and characters as USD: a SkelRoot with a Skeleton, its SkelAnimations and its skinned meshes.

USD has no steps: between two samples it goes straight. A pose that is held is therefore written at the first and the
last frame of the hold and nowhere between, so every frame reads back as it was.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character, Image, Material, Mesh, inverse_binds
from komadori.errors import OptionError, one_of
from komadori.formats import rigid, surfaces
from komadori.formats.usd.opening import USD, quiet
from komadori.formats.usd.reading import FPS_KEY
from komadori.motion import Motion
from komadori.quat import Array, to_matrix
from komadori.skeleton import Skeleton
from komadori.words import Note

DEFAULT_FPS = 24.0
KINDS = ("usda", "usdc", "usdz")


def emit(motion: Motion, kind: str) -> bytes:
    """The bytes of a USD file ("usda", "usdc" or "usdz") with this motion on its skeleton."""
    character = Character("motion", motion.skeleton, binds=inverse_binds(motion.skeleton))
    return emit_character(character, {"motion": motion}, kind)


def emit_character(character: Character, motions: Mapping[str, Motion], kind: str) -> bytes:
    """The bytes of a USD file with this character, its own motions and `motions`; the first one is bound to it.

    Pictures go into a .usdz only: the other kinds are a single file without room for them.
    """
    if kind not in KINDS:
        raise OptionError("kind", expected=one_of(KINDS), found=kind)
    USD.check()
    clips = {**motions, **{name: clip for name, clip in character.motions.items() if name not in motions}}
    for name, clip in clips.items():
        _check(name, clip, character.skeleton)
    with tempfile.TemporaryDirectory(prefix="komadori-") as folder, quiet(f"the {kind} to write"):
        pictures = _pictures(character.images) if kind == "usdz" else []
        stage = _stage(character, clips, pictures)
        if kind == "usda":
            return str(stage.GetRootLayer().ExportToString()).encode("utf-8")
        file = Path(folder) / "root.usdc"
        stage.GetRootLayer().Export(str(file))
        return file.read_bytes() if kind == "usdc" else _package(file, character.images, pictures)


def _check(name: str, clip: Motion, skeleton: Skeleton) -> None:
    if not len(clip):
        raise OptionError(Note("the motion {name!r} has no frames: USD cannot hold it", name=name))
    if not (np.isfinite(clip.rotations).all() and np.isfinite(clip.positions).all()):
        raise OptionError(Note("the motion {name!r} has numbers that are not finite: prepare it first", name=name))
    if clip.skeleton.names != skeleton.names or not np.array_equal(clip.skeleton.parents, skeleton.parents):
        raise OptionError(Note("the motion {name!r} is one of another skeleton: retarget it first", name=name))


def _stage(character: Character, clips: Mapping[str, Motion], pictures: Sequence[str]) -> Any:
    from pxr import Usd, UsdGeom, UsdSkel, Vt

    first = next(iter(clips.values()), None)
    fps = first.fps if first is not None else DEFAULT_FPS
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(fps)
    stage.SetFramesPerSecond(fps)
    if first is not None:
        stage.SetStartTimeCode(0.0)
        stage.SetEndTimeCode(float(len(first) - 1))
    names = _Names()
    root = UsdSkel.Root.Define(stage, names.below("", character.name or "character"))
    _label(root.GetPrim(), character.name)
    stage.SetDefaultPrim(root.GetPrim())
    Usd.ModelAPI(root.GetPrim()).SetKind("component")
    home = str(root.GetPath())
    schema = UsdSkel.Skeleton.Define(stage, names.below(home, "Skeleton"))
    tokens = _tokens(character.skeleton)
    schema.CreateJointsAttr(Vt.TokenArray(list(tokens)))
    schema.CreateJointNamesAttr(Vt.TokenArray(list(character.skeleton.names)))
    rest = rigid.affine(to_matrix(character.skeleton.rest), character.skeleton.offsets)
    schema.CreateRestTransformsAttr(_matrices(rest))
    schema.CreateBindTransformsAttr(_matrices(_inverted(character.binds)))
    binding = UsdSkel.BindingAPI.Apply(schema.GetPrim())
    for place, (name, clip) in enumerate(clips.items()):
        animation = _animation(stage, names.below(home, name), name, clip, tokens, fps)
        if place == 0:
            binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    looks = _looks(stage, home, names, character.materials, pictures)
    for mesh in character.meshes:
        material = None if mesh.material is None or mesh.material >= len(looks) else mesh.material
        prim = _mesh(stage, names, home, mesh, schema)
        if material is not None:
            from pxr import UsdShade

            UsdShade.MaterialBindingAPI.Apply(prim.GetPrim()).Bind(looks[material])
            prim.CreateDoubleSidedAttr(character.materials[material].two_sided)
    return stage


def _animation(stage: Any, path: str, name: str, clip: Motion, tokens: tuple[str, ...], per_second: float) -> Any:
    from pxr import UsdSkel, Vt

    animation = UsdSkel.Animation.Define(stage, path)
    _label(animation.GetPrim(), name)
    animation.GetPrim().SetCustomDataByKey(FPS_KEY, float(clip.fps))
    animation.CreateJointsAttr(Vt.TokenArray(list(tokens)))
    animation.CreateScalesAttr(Vt.Vec3hArray.FromNumpy(np.ones((len(tokens), 3), dtype=np.float16)))
    step = per_second / clip.fps
    turned, moved = clip.rotations.astype(np.float32), clip.positions.astype(np.float32)
    rotations = animation.CreateRotationsAttr()
    # Its first and last samples also tell how long the motion is.
    for frame in _as_list(turned):
        rotations.Set(Vt.QuatfArray.FromNumpy(turned[frame]), float(frame * step))
    translations = animation.CreateTranslationsAttr()
    if (moved == moved[0]).all():
        translations.Set(Vt.Vec3fArray.FromNumpy(moved[0]))
    else:
        for frame in _as_list(moved):
            translations.Set(Vt.Vec3fArray.FromNumpy(moved[frame]), float(frame * step))
    return animation


def _as_list(values: NDArray[Any]) -> list[int]:
    """The frames that must be written: the first and the last of every hold."""
    changes = (values[1:] != values[:-1]).any(axis=(1, 2))
    told = np.ones(len(values), dtype=bool)
    told[1:-1] = changes[:-1] | changes[1:]
    return [int(frame) for frame in np.flatnonzero(told)]


def _mesh(stage: Any, names: _Names, home: str, mesh: Mesh, skeleton: Any) -> Any:
    from pxr import Sdf, UsdGeom, UsdSkel, Vt

    prim = UsdGeom.Mesh.Define(stage, names.below(home, mesh.name or "mesh"))
    _label(prim.GetPrim(), mesh.name)
    points = mesh.vertices.astype(np.float32)
    prim.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
    prim.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(mesh.triangles), 3, dtype=np.int32)))
    prim.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.triangles.reshape(-1).astype(np.int32)))
    prim.CreateSubdivisionSchemeAttr("none")
    prim.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(mesh.normals.astype(np.float32)))
    prim.SetNormalsInterpolation("vertex")
    if len(points):
        prim.CreateExtentAttr(Vt.Vec3fArray.FromNumpy(np.stack([points.min(axis=0), points.max(axis=0)])))
    if mesh.uvs is not None:
        upwards = np.stack([mesh.uvs[:, 0], 1.0 - mesh.uvs[:, 1]], axis=-1).astype(np.float32)
        primvars = UsdGeom.PrimvarsAPI(prim.GetPrim())
        primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "vertex").Set(Vt.Vec2fArray.FromNumpy(upwards))
    binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    width = mesh.joints.shape[1]
    binding.CreateJointIndicesPrimvar(False, width).Set(Vt.IntArray.FromNumpy(mesh.joints.reshape(-1).astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, width).Set(
        Vt.FloatArray.FromNumpy(mesh.weights.reshape(-1).astype(np.float32))
    )
    if mesh.morphs:
        shapes = [_morph(stage, names, str(prim.GetPath()), name, moved) for name, moved in mesh.morphs.items()]
        binding.CreateBlendShapesAttr(Vt.TokenArray(list(mesh.morphs)))
        binding.CreateBlendShapeTargetsRel().SetTargets(shapes)
    return prim


def _morph(stage: Any, names: _Names, home: str, name: str, moved: Array) -> Any:
    from pxr import UsdSkel, Vt

    shape = UsdSkel.BlendShape.Define(stage, names.below(home, name))
    at = np.flatnonzero((moved != 0.0).any(axis=1))
    # Without indices the offsets would be those of all points.
    at = at if len(at) else np.zeros(min(1, len(moved)), dtype=np.intp)
    shape.CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy(moved[at].astype(np.float32)))
    shape.CreatePointIndicesAttr(Vt.IntArray.FromNumpy(at.astype(np.int32)))
    return shape.GetPath()


def _looks(stage: Any, home: str, names: _Names, materials: Sequence[Material], pictures: Sequence[str]) -> list[Any]:
    """The materials as UsdPreviewSurface, in the order of the character's."""
    from pxr import Gf, Sdf, UsdGeom, UsdShade

    if not materials:
        return []
    scope = str(UsdGeom.Scope.Define(stage, names.below(home, "Looks")).GetPath())
    made = []
    for material in materials:
        prim = UsdShade.Material.Define(stage, names.below(scope, material.name or "material"))
        _label(prim.GetPrim(), material.name)
        place = str(prim.GetPath())
        shader = UsdShade.Shader.Define(stage, f"{place}/Surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        red, green, blue = (surfaces.linear(value) for value in material.colour[:3])
        diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
        diffuse.Set(Gf.Vec3f(red, green, blue))
        shader.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(1.0)
        shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(float(material.colour[3]))
        if material.image is not None and material.image < len(pictures):
            diffuse.ConnectToSource(_texture(stage, place, pictures[material.image], (red, green, blue)))
        prim.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        made.append(prim)
    return made


def _texture(stage: Any, place: str, picture: str, tint: tuple[float, float, float]) -> Any:
    from pxr import Gf, Sdf, UsdShade

    reader = UsdShade.Shader.Define(stage, f"{place}/Uvs")
    reader.CreateIdAttr("UsdPrimvarReader_float2")
    reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st")
    texture = UsdShade.Shader.Define(stage, f"{place}/Picture")
    texture.CreateIdAttr("UsdUVTexture")
    texture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath(picture))
    texture.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token).Set("sRGB")
    texture.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(*tint, 1.0))
    for axis in ("wrapS", "wrapT"):
        texture.CreateInput(axis, Sdf.ValueTypeNames.Token).Set("repeat")
    texture.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(
        reader.CreateOutput("result", Sdf.ValueTypeNames.Float2)
    )
    return texture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3)


def _pictures(images: Sequence[Image]) -> list[str]:
    """Where each picture lies in the package."""
    return [f"textures/{place}.{'png' if image.mime == 'image/png' else 'jpg'}" for place, image in enumerate(images)]


def _package(layer: Path, images: Sequence[Image], pictures: Sequence[str]) -> bytes:
    from pxr import Sdf

    target = layer.with_name("packed.usdz")
    writer = Sdf.ZipFileWriter.CreateNew(str(target))
    writer.AddFile(str(layer), layer.name)
    for image, name in zip(images, pictures, strict=True):
        file = layer.with_name(name.replace("/", "-"))
        file.write_bytes(image.data)
        writer.AddFile(str(file), name)
    writer.Save()
    return target.read_bytes()


def _tokens(skeleton: Skeleton) -> tuple[str, ...]:
    """The joints' paths: the names with what USD does not allow replaced (`jointNames` has them as they are)."""
    names = _Names()
    tokens: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents.tolist(), strict=True):
        above = tokens[parent] if parent >= 0 else ""
        tokens.append(names.below("/" + above if above else "", name).removeprefix("/"))
    return tuple(tokens)


class _Names:
    """Gives every prim a path that nothing else has."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def below(self, home: str, name: str) -> str:
        """A path for something called `name` under `home` ("" is the top)."""
        from pxr import Sdf

        plain = "".join(letter if Sdf.Path.IsValidIdentifier(f"a{letter}") else "_" for letter in name) or "_"
        plain = plain if Sdf.Path.IsValidIdentifier(plain) else f"_{plain}"
        path, number = f"{home}/{plain}", 1
        while path in self.taken:
            number += 1
            path = f"{home}/{plain}_{number}"
        self.taken.add(path)
        return path


def _label(prim: Any, name: str) -> None:
    """Keeps a name that is not a valid path as the display name."""
    if name and name != prim.GetName():
        prim.SetDisplayName(name)


def _inverted(binds: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(binds), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise OptionError(Note("a bind matrix of the character cannot be inverted")) from None


def _matrices(columns: Array) -> Any:
    """USD's matrices work on rows."""
    from pxr import Vt

    return Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(columns.transpose(0, 2, 1)))
