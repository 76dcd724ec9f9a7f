"""USD: what UsdSkel itself says of a file is what is read, and what is written passes USD's own validators."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from extras import damaged, needs, small_character
from fuzz_mutators import DECLARED, retyped
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import formats, kinematics
from komadori.character import Character
from komadori.errors import FormatError, OptionError
from komadori.formats import usd
from komadori.formats.usd.opening import quiet
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.skinning import skinned
from komadori.timesheet import Timesheet

from bodies import tree, wander
from realdata import real, reals

KINDS = ("usda", "usdc", "usdz")
FILES = reals("misc_usd/*.usda")
with_usd = needs("pxr")


def read_here(path: Path, unit: str | None = None) -> Motion:
    """In this process: quicker, for files that were made here."""
    motion = usd.read_here(path, "motion", unit)
    assert isinstance(motion, Motion)
    return motion


def written(data: bytes, folder: Path, kind: str = "usda") -> Path:
    path = folder / f"file.{kind}"
    path.write_bytes(data)
    return path


def text(body: str, head: str = "", folder: Path | None = None, name: str = "made.usda") -> Path:
    assert folder is not None
    path = folder / name
    path.write_text(f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Y"\n{head}\n)\n{body}\n', encoding="utf-8")
    return path


ONE_JOINT = """
def SkelRoot "R"
{
    def Skeleton "S" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["a", "a/b"]
        uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,2,0,1))]
        uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,3,0,1))]
        rel skel:animationSource = </R/A>
    }
    def SkelAnimation "A"
    {
        uniform token[] joints = ["a/b"]
        float3[] translations.timeSamples = { %s }
        quatf[] rotations = [(1, 0, 0, 0)]
        half3[] scales = [(1, 1, 1)]
    }
}
"""
VARIANT = """
def SkelRoot "R" (
    variants = {
        string v = "x"
    }
    prepend variantSets = "v"
)
{
    variantSet "v" = {
        "x" (
            prepend references = @%s@
        ) {
        }
    }
}
"""
MOVING = "0: [(0, 2, 0)], 4: [(4, 2, 0)]"


# What UsdSkel says


def spoken_by_usd(path: Path) -> tuple[Any, Any, list[np.ndarray]]:
    """The stage, the skeleton query, and joint positions in metres with Y up at each time code, by USD's own code."""
    from pxr import Usd, UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(path))
    skeleton = next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root.Find(skeleton)
    if root:
        cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(skeleton))
    metres, z_up = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage) == "Z"
    poses = []
    for time in np.arange(stage.GetStartTimeCode(), stage.GetEndTimeCode() + 1):
        joints = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode(time)))
        world = joints @ np.array(UsdGeom.XformCache(Usd.TimeCode(time)).GetLocalToWorldTransform(skeleton))
        places = world[:, 3, :3] * metres
        poses.append(places[:, [0, 2, 1]] * [1, 1, -1] if z_up else places)
    return stage, query, poses


@with_usd
@pytest.mark.parametrize("path", FILES)
def test_joints_stand_where_usd_says(path: Path) -> None:
    motion = usd.read_motion(path)
    _, query, poses = spoken_by_usd(path)
    if not query.GetAnimQuery():
        pytest.skip("no SkelRoot: UsdSkel binds nothing")
    assert len(motion) == len(poses)
    assert np.abs(motion.world_positions() - np.array(poses)).max() < 1e-5


@with_usd
def test_a_skeleton_without_a_root_is_read_all_the_same() -> None:
    motion = read_here(real("misc_usd/canonical_walk.usda"))
    assert (len(motion), motion.fps) == (31, 30.0)
    # Written by hand from the file: the hips go half a metre forward and turn by a quarter about Y.
    assert np.allclose(motion.world_positions()[-1, 0], [0.0, 1.0, 0.5], atol=1e-6)
    assert np.allclose(motion.rotations[-1, 0], [0.0, 0.70710677, 0.0, 0.70710677], atol=1e-6)


@with_usd
@pytest.mark.parametrize("name", ["arm", "dqs"])
def test_skin_follows_as_usd_bakes_it(name: str) -> None:
    from pxr import Gf, Usd, UsdGeom, UsdSkel

    path = real(f"misc_usd/{name}.usda")
    character = usd.read(path)
    motion = next(iter(character.motions.values()))
    stage, _, _ = spoken_by_usd(path)
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.Mesh) or prim.IsA(UsdSkel.Root):
            # Komadori bends by linear blending alone.
            UsdSkel.BindingAPI(prim).CreateSkinningMethodAttr("classicLinear")
    root = UsdSkel.Root(next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Root)))
    assert UsdSkel.BakeSkinning(root, Gf.Interval(1, 10))
    z_up = UsdGeom.GetStageUpAxis(stage) == "Z"
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    baked = []
    for frame in (0, 4, 9):
        time = Usd.TimeCode(frame + 1)
        for prim in meshes:
            mesh = UsdGeom.Mesh(prim)
            points = np.array(mesh.GetPointsAttr().Get(time), dtype=float)
            world = np.array(UsdGeom.XformCache(time).GetLocalToWorldTransform(prim))
            points = (np.c_[points, np.ones(len(points))] @ world)[:, :3] * 0.01
            baked.append((frame, points[:, [0, 2, 1]] * [1, 1, -1] if z_up else points))
    posed, _ = skinned(character, motion)
    for frame, points in baked:
        nearest = np.linalg.norm(posed[frame][:, None] - points[None], axis=-1)
        # Corners are regrouped on reading, so points are matched by place: each baked one is one of ours.
        assert nearest.min(axis=0).max() < 1e-5


# Round trips


@with_usd
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("roots", [1, 3])
def test_a_motion_comes_back(kind: str, roots: int, tmp_path: Path) -> None:
    motion = wander(tree(20, seed=roots, roots=roots), 30, 24000 / 1001)
    back = read_here(written(usd.emit(motion, kind), tmp_path, kind))
    assert back.skeleton.names == motion.skeleton.names
    assert np.array_equal(back.skeleton.parents, motion.skeleton.parents)
    assert np.abs(back.skeleton.offsets - motion.skeleton.offsets).max() < 1e-12
    assert (back.fps, len(back), back.notes) == (motion.fps, len(motion), ())
    assert np.abs(back.world_positions() - motion.world_positions()).max() < 1e-5


@with_usd
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=8),
        min_size=1,
        max_size=6,
        unique=True,
    ),
    frames=st.integers(1, 6),
    seed=st.integers(0, 1000),
)
@settings(max_examples=40)
def test_any_name_is_kept(names: list[str], frames: int, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    plain = tree(len(names), seed=seed)
    motion = wander(Skeleton(tuple(names), plain.parents, plain.offsets, plain.rest), frames)
    back = read_here(written(usd.emit(motion, "usda"), tmp_path_factory.mktemp("names")))
    assert back.skeleton.names == tuple(names)
    assert len(back) == frames
    assert np.abs(back.world_positions() - motion.world_positions()).max() < 1e-5


@with_usd
def test_holds_are_written_at_both_ends_and_read_back(tmp_path: Path) -> None:
    from pxr import Usd, UsdSkel

    motion = wander(tree(5), 12).retimed(Timesheet(24, [0, 0, 0, 0, 3, 4, 9, 9, 9, 9, 9, 9]))
    path = written(usd.emit(motion, "usda"), tmp_path)
    stage = Usd.Stage.Open(str(path))
    animation = UsdSkel.Animation(next(prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Animation)))
    assert animation.GetRotationsAttr().GetTimeSamples() == [0, 3, 4, 5, 6, 11]
    back = read_here(path)
    assert (back.rotations[1:4] == back.rotations[0]).all()
    assert (back.positions[7:] == back.positions[6]).all()
    assert np.abs(back.world_positions() - motion.world_positions()).max() < 1e-5


@with_usd
@pytest.mark.parametrize("kind", KINDS)
def test_a_character_comes_back(kind: str, tmp_path: Path) -> None:
    character = small_character()
    formats.save(character, tmp_path / f"file.{kind}")
    back = formats.load_character(tmp_path / f"file.{kind}")
    assert back.name == character.name
    assert back.skeleton.names == character.skeleton.names
    assert np.abs(back.binds - character.binds).max() < 1e-9
    assert [mesh.name for mesh in back.meshes] == [mesh.name for mesh in character.meshes]
    assert [m.name for m in back.materials] == ["skin", "0 dress"]
    assert np.allclose(back.materials[1].colour, character.materials[1].colour, atol=1e-6)
    assert [m.two_sided for m in back.materials] == [True, False]
    for ours, theirs in zip(character.meshes, back.meshes, strict=True):
        assert theirs.material == ours.material
        corners, others = ours.triangles.reshape(-1), theirs.triangles.reshape(-1)
        assert np.abs(theirs.vertices[others] - ours.vertices[corners]).max() < 1e-6
        assert np.abs(theirs.normals[others] - ours.normals[corners]).max() < 1e-6
        assert (theirs.uvs is None) == (ours.uvs is None)
        if ours.uvs is not None and theirs.uvs is not None:
            assert np.abs(theirs.uvs[others] - ours.uvs[corners]).max() < 1e-6
        assert set(theirs.morphs) == set(ours.morphs)
        for name in ours.morphs:
            assert np.abs(theirs.morphs[name][others] - ours.morphs[name][corners]).max() < 1e-6
    pictures = [image.data for image in back.images]
    assert pictures == ([character.images[0].data] if kind == "usdz" else [])
    assert back.materials[0].image == (0 if kind == "usdz" else None)
    for name, motion in character.motions.items():
        other = back.motions[name]
        assert (other.fps, len(other)) == (motion.fps, len(motion))
        assert np.abs(other.world_positions() - motion.world_positions()).max() < 1e-5
        was, now = (skinned(body, clip)[0][-1] for body, clip in ((character, motion), (back, other)))
        assert np.linalg.norm(was[:, None] - now[None], axis=-1).min(axis=1).max() < 1e-5


@with_usd
@pytest.mark.parametrize("path", FILES)
def test_real_files_come_back(path: Path, tmp_path: Path) -> None:
    character = usd.read(path)
    back = usd.read(written(usd.emit_character(character, {}, "usdc"), tmp_path, "usdc"))
    assert list(back.motions) == list(character.motions)
    for name, motion in character.motions.items():
        assert np.abs(back.motions[name].world_positions() - motion.world_positions()).max() < 1e-5
        was, now = (skinned(body, clip)[0][-1] for body, clip in ((character, motion), (back, back.motions[name])))
        if len(was):
            assert np.linalg.norm(was[:, None] - now[None], axis=-1).min(axis=1).max() < 1e-5


# USD's own validators


@with_usd
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", ["motion", "character", "still"])
def test_usd_validators_find_no_error(kind: str, what: str, tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom, UsdValidation

    thing: Motion | Character = wander(tree(12), 10) if what == "motion" else small_character()
    if what == "still":
        thing = Character("still", tree(3))
    formats.save(thing, tmp_path / f"file.{kind}")
    stage = Usd.Stage.Open(str(tmp_path / f"file.{kind}"))
    registry = UsdValidation.ValidationRegistry()
    context = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    assert [error.GetErrorAsString() for error in context.Validate(stage)] == []
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.Mesh):
            points, extent = UsdGeom.Mesh(prim).GetPointsAttr().Get(), UsdGeom.Mesh(prim).GetExtentAttr().Get()
            assert np.array_equal(extent, [np.min(points, axis=0), np.max(points, axis=0)])


@with_usd
def test_the_validators_can_find_one(tmp_path: Path) -> None:
    from pxr import Usd, UsdValidation

    stage = Usd.Stage.Open(str(text(ONE_JOINT % MOVING, folder=tmp_path).rename(tmp_path / "a.usda")))
    registry = UsdValidation.ValidationRegistry()
    assert UsdValidation.ValidationContext(registry.GetOrLoadAllValidators()).Validate(stage)


# Time, units and axes


@with_usd
def test_time_codes_are_frames(tmp_path: Path) -> None:
    motion = read_here(text(ONE_JOINT % MOVING, "    timeCodesPerSecond = 30", tmp_path))
    assert motion.fps == 30.0
    assert np.allclose(motion.world_positions()[:, 1, 0], [0, 1, 2, 3, 4])
    ranged = read_here(text(ONE_JOINT % MOVING, "    startTimeCode = 1\n    endTimeCode = 3", tmp_path, "b.usda"))
    assert np.allclose(ranged.world_positions()[:, 1, 0], [1, 2, 3])
    between = ", ".join(f"{k * 0.2:.10g}: [({k}, 2, 0)]" for k in range(6))
    assert read_here(text(ONE_JOINT % between, "    timeCodesPerSecond = 24", tmp_path, "c.usda")).fps == 120.0
    odd = read_here(text(ONE_JOINT % "0: [(0, 2, 0)], 0.7: [(1, 2, 0)], 3.1: [(2, 2, 0)]", "", tmp_path, "d.usda"))
    assert "between the frames" in odd.notes[0]


@with_usd
def test_units_and_axes(tmp_path: Path) -> None:
    body = ONE_JOINT % MOVING
    centimetres = tmp_path / "cm.usda"
    centimetres.write_text(f"#usda 1.0\n{body}")
    motion = read_here(centimetres)
    assert np.allclose(motion.world_positions()[0, 1], [0, 0.03, 0])
    assert "No unit" in motion.notes[0]
    assert np.allclose(read_here(centimetres, "m").world_positions()[0, 1], [0, 3, 0])
    standing = tmp_path / "z.usda"
    standing.write_text(f'#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 0.1\n)\n{body}')
    assert np.allclose(read_here(standing).world_positions()[-1, 1], [0.4, 0, -0.3])
    with pytest.raises(OptionError, match="states its own"):
        read_here(standing, "cm")
    with pytest.raises(OptionError, match="furlong"):
        read_here(centimetres, "furlong")


@with_usd
def test_clips_are_chosen_by_name(tmp_path: Path) -> None:
    formats.save(small_character(), tmp_path / "a.usdc")
    assert len(formats.load(tmp_path / "a.usdc")) == 20
    assert len(formats.load(tmp_path / "a.usdc", clip="idle")) == 7
    with pytest.raises(OptionError, match=r"walk\|1, idle"):
        formats.load(tmp_path / "a.usdc", clip="run")


@with_usd
def test_what_usd_cannot_hold_is_refused() -> None:
    motion = wander(tree(3), 4)
    with pytest.raises(OptionError, match="no frames"):
        usd.emit(motion[:0], "usda")
    with pytest.raises(OptionError, match="not finite"):
        usd.emit(motion.replaced(positions=motion.positions * np.nan), "usda")
    with pytest.raises(OptionError, match="another skeleton"):
        usd.emit_character(Character("a", tree(4)), {"m": motion}, "usda")
    with pytest.raises(OptionError, match="usdq"):
        usd.emit(motion, "usdq")


# Nothing outside the folder


@with_usd
@pytest.mark.parametrize("arc", ["sublayer", "reference", "payload", "variant", "inner"])
@pytest.mark.parametrize("way", ["absolute", "dots", "link", "inside", "missing", "http"])
def test_only_the_folder_is_read(arc: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pxr import Usd

    home = tmp_path / "home"
    home.mkdir()
    outside = text(ONE_JOINT % MOVING, '    defaultPrim = "R"', tmp_path, "secret.usda")
    if way == "inside":
        text(ONE_JOINT % MOVING, '    defaultPrim = "R"', home, "near.usda")
    if way == "link":
        (home / "near.usda").symlink_to(outside)
    asset = {"absolute": str(outside), "dots": "../secret.usda", "http": "http://host.invalid/a.usda"}.get(
        way, "./near.usda"
    )
    head, body = "", ""
    if arc in ("sublayer", "inner"):
        head = f"    subLayers = [@{asset}@]"
    elif arc == "variant":
        body = VARIANT % asset
    else:
        body = (
            f'def SkelRoot "R" ( prepend {arc}s = @{asset}@ ) {{ }}'
            if arc == "reference"
            else f'def SkelRoot "R" ( payload = @{asset}@ ) {{ }}'
        )
    path = text(body, head, home, "middle.usda")
    if arc == "inner":
        path = text("", "    subLayers = [@./middle.usda@]", home, "top.usda")
    if way == "inside":
        assert len(read_here(path)) == 5
        return
    # Refused before anything is composed, and so before anything else is opened.
    monkeypatch.setattr(Usd.Stage, "Open", None)
    with pytest.raises(FormatError) as caught:
        read_here(path)
    assert "\n" not in str(caught.value)
    assert ("layer not found" if way == "missing" else "folder") in str(caught.value)


@with_usd
def test_pictures_outside_are_not_read(tmp_path: Path) -> None:
    from extras import PIXEL

    (tmp_path / "secret.png").write_bytes(PIXEL)
    home = tmp_path / "home"
    home.mkdir()
    formats.save(small_character(), home / "a.usdz")
    assert formats.load_character(home / "a.usdz").images[0].data == PIXEL
    from pxr import Sdf, Usd, UsdShade

    for asset, found in (("../secret.png", 0), (str(tmp_path / "secret.png"), 0), ("./near.png", 1)):
        (home / "near.png").write_bytes(PIXEL)
        stage = Usd.Stage.Open(str(home / "a.usdz")).Flatten()
        stage.Export(str(home / "b.usda"))
        changed = Usd.Stage.Open(str(home / "b.usda"))
        for prim in changed.Traverse():
            if prim.IsA(UsdShade.Shader) and prim.GetAttribute("inputs:file"):
                prim.GetAttribute("inputs:file").Set(Sdf.AssetPath(asset))
        changed.GetRootLayer().Save()
        read = formats.load_character(home / "b.usda")
        assert len(read.images) == found
        assert any("texture" in note.lower() for note in read.notes) == (not found)


@with_usd
def test_expressions_and_value_clips_are_refused(tmp_path: Path) -> None:
    told = 'def SkelRoot "R" ( prepend references = @`"${X}.usda"`@ ) { }'
    with pytest.raises(FormatError, match="expression"):
        read_here(text(told, '    expressionVariables = {\n        string X = "/etc/a"\n    }', tmp_path))
    clips = (
        ONE_JOINT % MOVING
        + 'over "R" ( clips = { dictionary default = { asset[] assetPaths = [@/etc/a.usda@] } } ) { }'
    )
    with pytest.raises(FormatError, match="value clips"):
        read_here(text(clips.replace('over "R"', 'def "Q"'), folder=tmp_path, name="b.usda"))


# Hostile files


@with_usd
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_give_one_line(kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = usd.emit_character(small_character(), {}, kind)
    lines = []
    for number, spoilt in enumerate(damaged(whole, 12)):
        path = tmp_path / f"{number}.{kind}"
        path.write_bytes(spoilt)
        try:
            usd.read(path)
        except FormatError as error:
            lines.append(str(error))
    assert len(lines) > 2
    assert not any("\n" in line for line in lines)
    assert capfd.readouterr() == ("", "")


@with_usd
@pytest.mark.parametrize(
    ("samples", "head", "match"),
    [
        (MOVING, "    startTimeCode = 0\n    endTimeCode = 1e15", "at most"),
        (MOVING, "    startTimeCode = 0\n    endTimeCode = -5", "at most"),
        ("0: [(0, 2, 0), (1, 1, 1)]", "", "1 values"),
        ("0: [(inf, 2, 0)], 1: [(1, 2, 0)]", "", "NaN or infinity"),
        (MOVING, "    timeCodesPerSecond = 0", "timeCodesPerSecond"),
    ],
)
def test_senseless_numbers_are_refused(samples: str, head: str, match: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=match):
        read_here(text(ONE_JOINT % samples, head, tmp_path))


@with_usd
@pytest.mark.parametrize(
    ("before", "after", "match"),
    [
        ('["a", "a/b"]', '["a", "a"]', "listed twice"),
        ('["a", "a/b"]', "[]", "joints"),
        ("def Skeleton", "def Xform", "Skeleton prim"),
        ("((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,1,0,1)), ", "", "rest or bind"),
    ],
)
def test_senseless_skeletons_are_refused(before: str, after: str, match: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=match):
        read_here(text((ONE_JOINT % MOVING).replace(before, after), folder=tmp_path))


@with_usd
def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "no.usda", "File not found"), (tmp_path, "this is a folder")):
        with pytest.raises(FormatError, match=why):
            usd.read(path)


@with_usd
def test_children_may_stand_before_their_parents(tmp_path: Path) -> None:
    swapped = (ONE_JOINT % MOVING).replace('["a", "a/b"]', '["a/b", "a"]')
    skeleton = read_here(text(swapped, folder=tmp_path)).skeleton
    assert skeleton.names == ("a", "b")
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    assert np.allclose(rest[:, 1], [2.0, 3.0])


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pxr", None)
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    for attempt in (
        lambda: usd.read_motion(tmp_path / "a.usda"),
        lambda: usd.read(tmp_path / "a.usda"),
        lambda: usd.emit(wander(tree(2), 2), "usda"),
    ):
        with pytest.raises(OptionError, match=r"pip install 'komadori\[usd\]'"):
            attempt()


@with_usd
def test_an_attribute_of_another_type_is_refused_in_one_line(tmp_path: Path) -> None:
    refused = []
    for made in (small_character(), wander(tree(3), 3)):
        data = formats.encoded(made, "a.usda")
        for number, declared in enumerate(DECLARED.finditer(data)):
            for kind in (b"float", b"asset", b"token[]", b"double", b"float2[]"):
                path = written(retyped(data, declared, kind, over_time=number % 3 == 0), tmp_path)
                try:
                    usd.read_here(path, "character")
                except FormatError as error:
                    refused.append(str(error))
    assert len(refused) > 50
    assert not [line for line in refused if "\n" in line]


@with_usd
def test_a_name_that_is_not_utf_8_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="UTF-8"), quiet(tmp_path / "a.usdc"):
        b"\xc2a".decode()
