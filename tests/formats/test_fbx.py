"""FBX: joints and skin are where ufbx itself says, and a bad file harms nobody."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from extras import PIXEL, damaged, needs
from fbx_files import two_bones, with_rigid_mesh
from ufbx_judge import POSES, asked

from komadori import formats, quat
from komadori.character import inverse_binds
from komadori.characters import character
from komadori.errors import FormatError, OptionError
from komadori.formats import fbx, rigid
from komadori.skinning import skinned

from bodies import wander
from realdata import real, reals

with_fbx = needs("ufbx")
HORSE = "quadruped_fbx/quaternius_Horse.fbx"


def compared(path: Path, folder: Path, within: float = 1e-6) -> int:
    """How many frames were compared: all joints turn and lie as ufbx's own evaluation of the scene has them, and so does the skin.

    A body whose unit cannot be its own is rescaled, and a note states by how much: ufbx's metres times that.
    """
    character, count = formats.load_character(path), 0
    scale = math.prod(note.values["scale"] for note in character.notes if "scaled it" in note)
    for name, frames in asked(POSES, path, folder).items():
        motion = character.motions[name]
        assert len(motion) == len(frames)
        turned, places = motion.world_transforms()
        posed = skinned(character, motion)[0] if character.meshes else None
        for frame, said in enumerate(frames):
            matrices = np.array([said["matrices"][joint] for joint in motion.skeleton.names])
            assert np.abs(places[frame] - scale * matrices[:, 3]).max() < within
            theirs, _ = rigid.decomposed(matrices[:, :3].transpose(0, 2, 1))
            assert np.abs(quat.to_matrix(turned[frame]) - quat.to_matrix(theirs)).max() < within
            if said["skin"] and posed is not None and frame % 8 == 0:
                some = slice(None, None, 1 + len(said["skin"]) // 300)
                distance = np.linalg.norm(posed[frame][some, None] - scale * np.array(said["skin"])[None], axis=-1)
                # Scales of the bones differ from 1 in the seventh digit.
                assert distance.min(axis=1).max() < 1e-4
            count += 1
    return count


@with_fbx
@pytest.mark.parametrize("path", reals("odd_fbx/*.fbx", HORSE))
def test_every_frame_is_as_ufbx_evaluates_it(path: Path, tmp_path: Path) -> None:
    """Pre- and post-rotation, pivots, rotation orders, stepped tangents, layers, scales that are not inherited."""
    if "huge" in path.name:
        with pytest.raises(FormatError, match="360000 seconds"):
            formats.load_character(path)
        return
    assert compared(path, tmp_path) > 0 or "half_skinned" in path.name


@with_fbx
@pytest.mark.parametrize("name", ["mannequin", "girl", "horse"])
def test_every_frame_of_the_built_in_characters(name: str, tmp_path: Path) -> None:
    made = character(name)
    motion = wander(made.skeleton, 6)
    formats.save(
        replace(made, meshes=made.meshes[:2], images=(), motions={}), tmp_path / "a.fbx", motions={"a": motion}
    )
    assert compared(tmp_path / "a.fbx", tmp_path) == 6


@with_fbx
@pytest.mark.parametrize("change", ["layers", "pre_post", "scaled", "orders"])
def test_what_others_do_with_joints(change: str, tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(two_bones(change))
    assert compared(tmp_path / "a.fbx", tmp_path) == 13


@with_fbx
@pytest.mark.parametrize("change", ["layers", "pre_post", "scaled"])
@pytest.mark.parametrize(
    ("up", "along_y"), [("Y", (0, 1, 0)), ("Z", (0, 0, -1)), ("X", (-1, 0, 0)), ("-Y", (0, -1, 0))]
)
def test_other_axes(up: str, along_y: tuple[int, int, int], change: str, tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(two_bones(change, up))
    assert compared(tmp_path / "a.fbx", tmp_path) == 13
    # The hips are 1 m from the origin along the file's Y, but for pivots.
    if change != "pre_post":
        np.testing.assert_allclose(formats.load(tmp_path / "a.fbx").positions[0, 0], along_y, atol=1e-9)


@with_fbx
@pytest.mark.parametrize(("unit_cm", "metres"), [(1.0, 1.0), (100.0, 100.0), (2.54, 2.54), (0.1, 0.1)])
def test_other_units(unit_cm: float, metres: float, tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(two_bones("pre_post", "Z", unit_cm))
    assert compared(tmp_path / "a.fbx", tmp_path) == 13
    character = formats.load_character(tmp_path / "a.fbx")
    scale = math.prod(note.values["scale"] for note in character.notes if "scaled it" in note)
    first = character.rest.world_positions()[0, 0]
    assert np.linalg.norm(first) == pytest.approx(metres * scale)


@with_fbx
@pytest.mark.parametrize(
    ("rate", "fps", "frames"),
    [((6, 0.0), 30.0, 16), ((3, 0.0), 60.0, 31), ((9, 0.0), 30000 / 1001, 15), ((10, 0.0), 25.0, 13), ((14, 15.0), 15.0, 8)],
)  # fmt: skip
def test_other_rates(rate: tuple[int, float], fps: float, frames: int, tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(two_bones("layers", rate=rate))
    # ufbx has 29.97 for 30000/1001, and asks a millionth of a second beside the frame.
    assert compared(tmp_path / "a.fbx", tmp_path, 2e-5 if rate[0] == 9 else 1e-6) == frames
    assert formats.load(tmp_path / "a.fbx").fps == pytest.approx(fps)


@with_fbx
def test_the_size_that_is_mended_is_stated_once() -> None:
    """By its own unit the horse would be 10 m tall."""
    notes = [note for note in formats.load_character(real(HORSE)).notes if "scaled it" in note]
    assert len(notes) == 1
    assert 0.0 < notes[0].values["scale"] < 1.0
    assert 1.5 < notes[0].values["after"] < 3.0


@with_fbx
def test_the_horse() -> None:
    character = formats.load_character(real(HORSE))
    assert list(character.motions) == [
        f"Armature|{name}" for name in ("Death", "Idle", "Jump", "Run", "Walk", "WalkSlow")
    ]
    assert character.motions["Armature|Walk"].fps == 24.0
    assert len(character.motions["Armature|Walk"]) == 65
    assert sum(len(mesh.triangles) for mesh in character.meshes) == 690
    assert [material.name for material in character.materials] == ["Material.003", "Material.006"]
    # The rest pose is the one that the skin was bound in, but for the scales that the bones move with.
    assert np.abs(inverse_binds(character.skeleton) - character.binds).max() < 1e-5
    for mesh in character.meshes:
        assert np.allclose(mesh.weights.sum(axis=1), 1.0)
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
        # Faces look the way their normals do.
        a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
        facing = np.einsum("ti,ti->t", np.cross(b - a, c - a), mesh.normals[mesh.triangles].mean(axis=1))
        assert (facing > 0.0).mean() > 0.95


@with_fbx
def test_a_clip_is_chosen_by_name() -> None:
    motion = formats.load(real(HORSE))
    assert "Took the animation Armature|Death." in motion.notes[-1]
    assert "Armature|Walk" in motion.notes[-1]
    assert len(formats.load(real(HORSE), clip="Armature|Idle")) == 151
    with pytest.raises(OptionError, match="it has Armature"):
        formats.load(real(HORSE), clip="Gallop")
    with pytest.raises(OptionError, match="states its own"):
        formats.load(real(HORSE), unit="cm")


@with_fbx
def test_it_becomes_a_glb(tmp_path: Path) -> None:
    character = formats.load_character(real(HORSE))
    formats.save(character, tmp_path / "horse.glb")
    back = formats.load_character(tmp_path / "horse.glb")
    motion, other = character.motions["Armature|Walk"], back.motions["Armature|Walk"]
    assert other.skeleton.names == motion.skeleton.names
    assert np.abs(other.world_positions() - motion.world_positions()).max() < 1e-4


@with_fbx
def test_damaged_files_give_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = real(HORSE).read_bytes()
    lines = []
    for number, spoilt in enumerate(damaged(whole, 16)):
        (tmp_path / f"{number}.fbx").write_bytes(spoilt)
        try:
            fbx.read(tmp_path / f"{number}.fbx")
        except FormatError as error:
            lines.append(str(error))
    assert len(lines) > 4
    assert not any("\n" in line for line in lines)
    assert capfd.readouterr() == ("", "")


@with_fbx
def test_other_files_are_refused(tmp_path: Path) -> None:
    for data in (b"", b"Kaydara FBX Binary  \x00\x1a\x00", b"; FBX 7.4.0 project file\n", b"v 0 0 0\nf 1 1 1\n"):
        (tmp_path / "a.fbx").write_bytes(data)
        with pytest.raises(FormatError):
            fbx.read(tmp_path / "a.fbx")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ufbx", None)
    (tmp_path / "a.fbx").write_bytes(b"Kaydara")
    with pytest.raises(OptionError, match=r"pip install 'komadori\[fbx\]'"):
        fbx.read(tmp_path / "a.fbx")


# Taking the stretch out of matrices


@pytest.mark.parametrize("kind", ["plain", "scaled", "sheared", "mirrored", "flat"])
def test_a_matrix_is_rotation_times_stretch(kind: str) -> None:
    random = np.random.default_rng(3)
    turn, _ = np.linalg.qr(random.normal(size=(50, 3, 3)))
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    size = np.abs(random.normal(size=(50, 3))) + 0.1
    stretch = {
        "plain": np.broadcast_to(np.eye(3), (50, 3, 3)),
        "scaled": size[:, :, None] * np.eye(3),
        "sheared": random.normal(size=(50, 3, 3)),
        "mirrored": size[:, :, None] * np.diag([1.0, -1.0, 1.0]),
        "flat": np.zeros((50, 3, 3)),
    }[kind]
    rotations, left = rigid.decomposed(turn @ stretch)
    assert np.allclose(np.linalg.norm(rotations, axis=1), 1.0)
    assert np.allclose(quat.to_matrix(rotations) @ left, turn @ stretch, atol=1e-12)
    if kind in ("plain", "scaled"):
        assert np.allclose(quat.to_matrix(rotations), turn, atol=1e-7)
        assert np.allclose(left, stretch, atol=1e-7)


@with_fbx
def test_a_mesh_that_hangs_from_a_bone_follows_it(tmp_path: Path) -> None:
    (tmp_path / "face.fbx").write_bytes(with_rigid_mesh())
    character = formats.load_character(tmp_path / "face.fbx")
    assert character.skeleton.names == ("Hips", "Head")
    (mesh,) = character.meshes
    assert mesh.joints[mesh.weights > 0.0].tolist() == [1] * len(mesh.vertices)
    np.testing.assert_allclose(mesh.vertices.mean(axis=0), [0.0, 1.55, 0.1], atol=1e-6)
    # The head turns to its left, and the face with it.
    rotations = np.array(character.rest.rotations)
    rotations[0, 1] = [0.0, 0.5**0.5, 0.0, 0.5**0.5]
    posed = skinned(character, character.rest.replaced(rotations=rotations))[0][0]
    np.testing.assert_allclose(posed.mean(axis=0), [0.1, 1.55, 0.0], atol=1e-6)
    assert not any("left out" in note for note in character.notes)


@with_fbx
def test_a_mesh_that_hangs_from_nothing_is_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / "face.fbx").write_bytes(with_rigid_mesh(hangs_from="scene"))
    character = formats.load_character(tmp_path / "face.fbx")
    assert not character.meshes
    assert any("Skipped 1 mesh that is attached to no joint" in note for note in character.notes)


@with_fbx
def test_a_surface_whose_picture_is_missing_is_plain_and_not_black(tmp_path: Path) -> None:
    (tmp_path / "face.fbx").write_bytes(with_rigid_mesh())
    missing = formats.load_character(tmp_path / "face.fbx")
    assert missing.materials[0].image is None
    assert min(missing.materials[0].colour[:3]) > 0.8
    assert any("Texture missing" in note and "face.png" in note for note in missing.notes)
    (tmp_path / "face.png").write_bytes(PIXEL)
    there = formats.load_character(tmp_path / "face.fbx")
    assert there.materials[0].image == 0
    assert not any("missing" in note for note in there.notes)


@with_fbx
@pytest.mark.parametrize("path", ["", ".", "textures/", "..", "//"])
def test_a_picture_without_a_name_is_told_by_the_name_of_its_texture(path: str, tmp_path: Path) -> None:
    """Blender writes the folder alone for a picture that was never saved."""
    (tmp_path / "face.fbx").write_bytes(with_rigid_mesh(path))
    assert any("JPEG: picture." in note for note in formats.load_character(tmp_path / "face.fbx").notes)


@with_fbx
def test_blend_shapes_that_move_are_told(tmp_path: Path) -> None:
    head, connections = with_rigid_mesh().split(b"Connections:")
    made = """
 Deformer: 201, "Deformer::shapes", "BlendShape" {
 }
 Deformer: 202, "SubDeformer::Smile", "BlendShapeChannel" {
  DeformPercent: 0
 }
 Geometry: 203, "Geometry::Smile", "Shape" {
  Indexes: *1 {
   a: 0
  }
  Vertices: *3 {
   a: 0,1,0
  }
 }
 AnimationStack: 204, "AnimStack::talk", "" {
  Properties70:  {
   P: "LocalStop", "KTime", "Time", "",46186158000
  }
 }
 AnimationLayer: 205, "AnimLayer::base", "" {
 }
 AnimationCurveNode: 206, "AnimCurveNode::DeformPercent", "" {
 }
 AnimationCurve: 207, "AnimCurve::", "" {
  KeyVer: 4009
  KeyTime: *2 {
   a: 0,46186158000
  }
  KeyValueFloat: *2 {
   a: 0,TOP
  }
  KeyAttrFlags: *1 {
   a: 4
  }
  KeyAttrDataFloat: *4 {
   a: 0,0,0,0
  }
  KeyAttrRefCount: *1 {
   a: 2
  }
 }
}
"""
    links = b"""
 C: "OO",201,103
 C: "OO",202,201
 C: "OO",203,202
 C: "OO",205,204
 C: "OO",206,205
 C: "OP",206,202, "DeformPercent"
 C: "OP",207,206, "d|DeformPercent"
}"""
    objects = head.rstrip().removesuffix(b"}")
    for top, said in (("100", True), ("0", False)):
        data = (
            objects
            + made.replace("TOP", top).encode()
            + b"Connections:"
            + connections.rstrip().removesuffix(b"}")
            + links
        )
        (tmp_path / "face.fbx").write_bytes(data)
        character = formats.load_character(tmp_path / "face.fbx")
        assert [list(mesh.morphs) for mesh in character.meshes] == [["Smile"]]
        assert any("blend shapes of talk" in note and "Smile" in note for note in character.notes) == said
        assert any("Smile" in note for note in formats.load(tmp_path / "face.fbx").notes) == said
