"""FBX: joints and skin are where ufbx itself says, and a bad file harms nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from extras import PIXEL, damaged, needs
from fbx_files import with_rigid_mesh

from komadori import formats
from komadori.character import inverse_binds
from komadori.errors import FormatError, OptionError
from komadori.formats import fbx, rigid
from komadori.skinning import skinned

from realdata import real

with_fbx = needs("ufbx")
HORSE = "quadruped_fbx/quaternius_Horse.fbx"

# ufbx poses the whole scene itself: matrices of all bones, and the skin. In a process of its own, for it may crash.
SECOND_OPINION = """
import gc, os, sys
gc.disable()
import numpy as np, ufbx
path, clip, time, out = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
scene = ufbx.load_file(path, target_axes=ufbx.axes_right_handed_y_up, target_unit_meters=1.0,
                       space_conversion=ufbx.SpaceConversion.MODIFY_GEOMETRY)
stack = scene.find_anim_stack(clip)
anim = stack.anim
posed = scene.evaluate(anim, time, evaluate_skinning=True)
nodes = [posed.nodes[i] for i in range(len(posed.nodes))]
meshes = [posed.meshes[i] for i in range(len(posed.meshes))]
bones = [n for n in nodes if n.bone is not None]
skin = np.concatenate([np.array(mesh.skinned_position.values) for mesh in meshes])
assert not meshes[0].skinned_is_local
np.savez(out, names=[n.name for n in bones], places=[n.node_to_world.c3 for n in bones], skin=skin)
os._exit(0)
"""


@with_fbx
@pytest.mark.parametrize(("clip", "frame"), [("Armature|Walk", 0), ("Armature|Walk", 17), ("Armature|Jump", 20)])
def test_joints_and_skin_are_where_ufbx_says(clip: str, frame: int, tmp_path: Path) -> None:
    character = formats.load_character(real(HORSE))
    motion = character.motions[clip]
    out = tmp_path / "said.npz"
    command = [sys.executable, "-c", SECOND_OPINION, str(real(HORSE)), clip, str(frame / motion.fps), str(out)]
    subprocess.run(command, check=True)
    said = np.load(out)
    places = dict(zip(said["names"].tolist(), said["places"], strict=True))
    ours = motion.world_positions()[frame]
    theirs = np.array([places[name] for name in motion.skeleton.names])
    assert np.abs(ours - theirs).max() < 1e-6
    posed = skinned(character, motion)[0][frame]
    distance = np.linalg.norm(posed[:, None] - said["skin"][None], axis=-1)
    # Scales of the bones differ from 1 in the seventh digit.
    assert distance.min(axis=1).max() < 1e-4
    assert distance.min(axis=0).max() < 1e-4


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
    # The rest pose is the one that the skin was bound in.
    assert np.abs(inverse_binds(character.skeleton) - character.binds).max() < 1e-6
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
    with pytest.raises(OptionError, match="its own unit"):
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


def test_it_is_written_through_blender_only(tmp_path: Path) -> None:
    from bodies import tree, wander

    with pytest.raises(FormatError, match="through Blender only"):
        formats.save(wander(tree(3), 2), tmp_path / "a.fbx")
    assert not (tmp_path / "a.fbx").exists()


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
    from komadori import quat

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
    assert any("1 mesh(es) hang from no joint" in note for note in character.notes)


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
