"""PMX and PMD models: what is in the file is in the Character, mirrored and in metres."""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mmd_files import ROTATES, Pmx, leg
from mmd_files import pmd as made_pmd

import komadori
from komadori import quat
from komadori.errors import FormatError
from komadori.formats import load_character, mmd
from komadori.formats.mmd import body, pmd, pmx, textures
from komadori.formats.mmd import model as m

from realdata import real

GENE = "character_mmd/Gene/Gene.pmx"


@pytest.mark.parametrize("version", [2.0, 2.1])
@pytest.mark.parametrize("utf8", [False, True])
@pytest.mark.parametrize("sizes", [(1,) * 6, (2,) * 6, (4,) * 6, (4, 1, 2, 2, 1, 4)])
@pytest.mark.parametrize("extra", [0, 3])
def test_every_way_of_writing_a_pmx_says_the_same(
    version: float, utf8: bool, sizes: tuple[int, int, int, int, int, int], extra: int
) -> None:
    file = leg(version=version, utf8=utf8, sizes=sizes, extra=extra, bodies=[("体", 2, 1)], joints=[(0, 0)])
    model = pmx.parse(file.emit(), "doll.pmx")
    kinds = 5 if version == 2.1 else 4
    assert model.version == version
    assert model.name == "人形"
    assert model.english == "doll"
    np.testing.assert_array_equal(model.vertices.kinds, np.arange(kinds))
    np.testing.assert_array_equal(model.vertices.positions, [[n, 1.0, 2.0] for n in range(kinds)])
    assert model.vertices.extra.shape == (kinds, extra, 4)
    assert (model.vertices.edges == 1.5).all()
    assert model.vertices.sdef is not None
    assert (model.vertices.sdef[3] == np.arange(9)).all()
    np.testing.assert_array_equal(model.triangles, [[0, 1, 2], [2, 1, 3]])
    assert [bone.name for bone in model.bones] == ["左足ＩＫ", "左足首", "左ひざ", "左足", "センター", "従う骨"]
    ik = model.bones[0].ik
    assert ik is not None
    assert ik.target == 1
    assert ik.loops == 40
    assert [link.bone for link in ik.links] == [2, 3]
    assert ik.links[0].lower is not None
    assert ik.links[1].lower is None
    assert model.bones[5].append == m.Append(2, 0.5, True, False)
    words = ["group", "vertex", "bone", "uv", "material"] + (["flip", "impulse"] if version == 2.1 else [])
    assert [morph.kind for morph in model.morphs] == words
    assert model.frames[0].entries == (("bone", 0), ("morph", 1))
    assert model.bodies[0].bone == 2
    assert model.bodies[0].rotation == (6.0, 7.0, 8.0)
    assert model.bodies[0].mode == 1
    assert model.joints[0].numbers == tuple(float(n) for n in range(24))
    assert model.soft_bodies == b""


def test_bones_with_every_flag_are_read_to_the_end() -> None:
    file = Pmx()
    flags = ROTATES | 0x100 | 0x200 | 0x400 | 0x800 | 0x1000 | 0x2000 | 0x80
    more = file.bone(0) + struct.pack("<f3f6fi", -1.0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 7)
    file.bones = [("a", -1, (0.0, 0.0, 0.0), 0x1 | ROTATES, file.bone(1)), ("b", 0, (0.0, 1.0, 0.0), flags, more)]
    a, b = pmx.parse(file.emit(), "x").bones
    assert a.tail == 1
    assert b.tail == (0.0, 1.0, 0.0)
    assert b.append == m.Append(0, -1.0, True, True, True)
    assert b.fixed_axis == (1, 0, 0)
    assert b.local_axes == ((1, 0, 0), (0, 0, 1))
    assert b.external_parent == 7


def test_parents_come_first_and_the_map_leads_back() -> None:
    model = pmx.parse(leg().emit(), "x")
    skeleton = body.skeleton(model)
    assert skeleton.names == ("センター", "左足ＩＫ", "左足", "左ひざ", "左足首", "従う骨")
    for bone, joint in enumerate(model.joint_of.tolist()):
        assert model.order[joint] == bone
        parent = model.bones[bone].parent
        assert skeleton.parents[joint] == (-1 if parent < 0 else model.joint_of[parent])
    rest = body.character(model).rest.world_positions()[0]
    np.testing.assert_allclose(rest, 0.08 * model.positions[model.order] * (1, 1, -1), atol=1e-12)


def test_the_character_is_mirrored_and_in_metres() -> None:
    file = leg(skinned=(2, 3), textures=("a.png",))
    character = body.character(pmx.parse(file.emit(), "x"))
    skin, cloth = character.meshes
    np.testing.assert_allclose(skin.vertices, 0.08 * np.array([[0, 1, -2], [1, 1, -2], [2, 1, -2]]), atol=1e-12)
    np.testing.assert_array_equal(skin.normals, [[0, 0, 1]] * 3)
    # Mirrored, (0, 1, 2) would show its back.
    np.testing.assert_array_equal(skin.triangles, [[0, 2, 1]])
    np.testing.assert_array_equal(cloth.triangles, [[1, 2, 0]])
    np.testing.assert_allclose(skin.weights.sum(axis=1), 1.0)
    names = character.skeleton.names
    assert names[skin.joints[0, 0]] == "左ひざ"
    assert skin.weights[0, 0] == 1.0
    assert [names[j] for j in skin.joints[1, :2]] == ["左足", "左ひざ"]
    np.testing.assert_allclose(skin.weights[1], [0.25, 0.75, 0.0, 0.0])
    # Four weights of which one names no bone: the others fill up to one.
    np.testing.assert_allclose(np.sort(skin.weights[2]), [0.0, 0.25, 0.25, 0.5])
    np.testing.assert_allclose(skin.morphs["morph 1"], [[0, 0, 0], [0, 0.08, -0.16], [0, 0, 0]], atol=1e-12)
    assert character.expressions["morph 1"] == {(0, "morph 1"): 1.0, (1, "morph 1"): 1.0}
    assert character.expressions["morph 0"] == {(0, "morph 1"): 0.5, (1, "morph 1"): 0.5}
    material = character.materials[0]
    assert material.colour == (0.5, 0.25, 1.0, 1.0)
    assert material.two_sided
    assert material.shade == pytest.approx((0.1, 0.2, 0.3))
    assert material.outline == (0, 0, 1, 1)
    assert material.outline_m == pytest.approx(0.5 * body.EDGE_M)


def test_names_that_are_there_twice_get_a_number() -> None:
    file = Pmx(bones=[(name, -1, (0.0, 0.0, 0.0), ROTATES, b"") for name in ("骨", "骨", "", "骨 (2)", "骨")])
    assert body.skeleton(pmx.parse(file.emit(), "x")).names == ("骨", "骨 (2)", "bone 2", "骨 (2) (2)", "骨 (3)")


def test_soft_bodies_are_passed_over_with_a_note() -> None:
    character = body.character(pmx.parse(leg(version=2.1, tail=b"\1\0\0\0 whatever").emit(), "x"))
    assert any("soft bodies" in note for note in character.notes)


@pytest.mark.parametrize("full", [True, False])
def test_a_pmd_is_read(full: bool) -> None:
    model = pmd.parse(made_pmd(full=full), "doll.pmd")
    assert model.name == "人形"
    assert len(model.bones) == 7
    assert model.english == ("doll" if full else "")
    np.testing.assert_array_equal(model.vertices.bones[:, :2], [[0, 2], [1, 2], [0, 2]])
    np.testing.assert_allclose(model.vertices.weights[:, 0], [0.0, 0.3, 0.6])
    ik = model.bones[4].ik
    assert ik is not None
    assert ik.target == 3
    assert ik.angle == 2.0
    assert [(link.bone, link.lower is not None) for link in ik.links] == [(2, True), (1, False)]
    assert model.bones[6].append == m.Append(1, 1.0, True, False)
    (morph,) = model.morphs
    # The morph's first vertex is the base's second: vertex 1 of the model.
    assert morph.name == "まばたき"
    assert morph.offsets["index"].tolist() == [1]
    assert model.textures == ("skin.png", "shine.sph")
    assert model.surfaces[0].texture == 0
    character = body.character(model)
    assert character.skeleton.names[0] == "センター"
    assert len(character.meshes[0].triangles) == 1
    if full:
        assert model.bodies[0].position == (3.0, 16.0, 5.0), "told from the bone"
        (chain,) = character.chain_hints or (None,)
        assert chain is None, "the hair's bone carries no skin"


def test_a_model_by_the_wrong_suffix_is_read_by_its_first_bytes(tmp_path: Path) -> None:
    (tmp_path / "doll.pmx").write_bytes(made_pmd())
    assert load_character(tmp_path / "doll.pmx").name == "人形"


# Pictures


def test_pictures_outside_the_models_folder_are_never_read(tmp_path: Path) -> None:
    inner = tmp_path / "model"
    (inner / "tex").mkdir(parents=True)
    secret = b"\x89PNG\r\n\x1a\n secret"
    (tmp_path / "secret.png").write_bytes(secret)
    (inner / "tex" / "Skin.PNG").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(17) + b"\6")
    (inner / "link.png").symlink_to(tmp_path / "secret.png")
    paths = ("..\\secret.png", str(tmp_path / "secret.png"), "tex/../../secret.png", "C:\\secret.png", "link.png",
             "tex\\skin.png", "gone.png", "tex", "a\0b.png", "")  # fmt: skip
    images, numbers, notes = textures.found(paths, inner)
    assert [image.name for image in images] == ["tex\\skin.png"]
    assert textures.has_alpha(images[0])
    assert numbers == [None] * 5 + [0] + [None] * 4
    assert not any(secret in image.data for image in images)
    assert any("outside" in note for note in notes)
    assert any("gone.png" in note for note in notes)


def test_bmp_and_tga_pictures_become_png(tmp_path: Path) -> None:
    bgr = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)
    rows = b"".join(row.tobytes() + bytes(3) for row in bgr[::-1])
    head = (
        b"BM"
        + struct.pack("<IHHI", 54 + len(rows), 0, 0, 54)
        + struct.pack("<IiiHHIIiiII", 40, 3, 2, 1, 24, 0, 0, 0, 0, 0, 0)
    )
    (tmp_path / "a.bmp").write_bytes(head + rows)
    packed = b"".join(b"\x80" + pixel.tobytes() for row in bgr for pixel in row)
    (tmp_path / "b.tga").write_bytes(bytes([0, 0, 10]) + bytes(9) + struct.pack("<HHBB", 3, 2, 24, 0x20) + packed)
    (tmp_path / "c.tga").write_bytes(b"\0\0\2" + bytes(9) + struct.pack("<HHBB", 60000, 60000, 32, 0))
    (tmp_path / "d.bmp").write_bytes(b"BM" + bytes(60))
    images, numbers, notes = textures.found(("a.bmp", "b.tga", "c.tga", "d.bmp"), tmp_path)
    assert numbers == [0, 1, None, None]
    PIL = pytest.importorskip("PIL.Image")
    import io

    for image in images:
        assert image.mime == "image/png"
        np.testing.assert_array_equal(np.array(PIL.open(io.BytesIO(image.data))), bgr[..., ::-1])
    assert any("c.tga, d.bmp" in note for note in notes)


# Chains


def test_chains_from_physics_branch_and_end_at_their_tips() -> None:
    file = Pmx(skinned=(0, 1, 2, 4))
    place = (0.0, 1.0, 0.0)
    to = [(ROTATES | 1, file.bone(n)) for n in range(8)]
    file.bones = [
        ("頭", -1, (0.0, 10.0, 0.0), ROTATES, b""),
        ("髪_1", 0, (0.0, 9.0, 0.0), *to[2]),
        ("髪_2", 1, (0.0, 7.0, 0.0), *to[3]),
        ("髪_先", 2, (0.0, 6.0, 0.0), ROTATES, b""),
        ("枝", 1, place, ROTATES, b""),
        ("錘", 2, place, 0x12, b""),
        ("支え", 0, place, 0x10, b""),
        ("尾", 6, place, ROTATES, b""),
        ("枝の錘", 4, place, 0x12, b""),
    ]
    file.bodies = [("a", 0, 0), ("b", 1, 1), ("c", 2, 2), ("d", 4, 1), ("e", 5, 1), ("f", 7, 1), ("g", 8, 1)]
    character = body.character(pmx.parse(file.emit(), "x"))
    names = character.skeleton.names
    told = [([names[j] for j in chain.joints], chain.kind, names[chain.hangs_from]) for chain in character.chain_hints]
    assert told == [(["髪_1", "髪_2", "髪_先"], "hair", "頭"), (["枝"], "other", "髪_1")]
    assert character.chain_hints[0].lengths == pytest.approx((0.16, 0.08))
    assert character.chain_hints[0].name == "髪"


def test_gene_as_a_person_would_list_her() -> None:
    character = load_character(real(GENE))
    assert len(character.skeleton) == 224
    assert character.name == "ジェネ / Gene"
    assert sum(len(mesh.vertices) for mesh in character.meshes) == 28646
    assert sum(len(mesh.triangles) for mesh in character.meshes) == 47106
    names = character.skeleton.names
    listed = {chain.name: chain for chain in character.chain_hints}
    hair = [f"前髪{n}" for n in (1,)] + [f"右横髪{n}" for n in (1, 2)]
    hair += [f"後髪{row}{n}" for row, count in (("A", 7), ("B", 8), ("C", 3)) for n in range(1, count + 1)]
    cloak = ["前クローク1", "前クローク2", *(f"横クローク{n}" for n in range(1, 6)), "後クローク1", "後クローク2"]
    kinds = {
        "hair": [*hair, "アホ毛C_I"],
        "cloth": cloak,
        "skirt": [f"すそ{n}" for n in range(1, 7)],
        "other": ["イヤリング1"],
    }
    assert {kind: [c.name for c in character.chain_hints if c.kind == kind] for kind in kinds} == kinds
    assert len(listed) == sum(map(len, kinds.values()))
    for name in hair:
        assert names[listed[name].hangs_from] == "頭"
    assert names[listed["すそ1"].hangs_from] == "上半身補"
    assert names[listed["横クローク1"].hangs_from] == "右腕xca"
    assert [names[j] for j in listed["右横髪2"].joints] == ["右横髪2_1", "右横髪2_2", "右横髪2_3", "右横髪2End"]
    for chain in character.chain_hints:
        for above, joint in pairwise(chain.joints):
            assert character.skeleton.parents[joint] == above
        assert all(0.005 < length < 0.3 for length in chain.lengths), "hair is some centimetres long, a bone"


def test_gene_stands_upright_faces_us_and_her_left_is_left() -> None:
    character = load_character(real(GENE))
    roles, rest = character.skeleton.roles, character.rest.world_positions()[0]
    assert {role: character.skeleton.names[roles[role]] for role in ("hips", "left_toes", "right_lower_arm")} == {
        "hips": "センター", "left_toes": "左つま先EX", "right_lower_arm": "右ひじ",
    }  # fmt: skip
    assert 1.3 < rest[roles["head"], 1] < 1.5
    assert rest[roles["left_hand"], 0] > 0.3 > -0.3 > rest[roles["right_hand"], 0]
    assert rest[roles["left_toes"], 2] > rest[roles["left_foot"], 2] + 0.05
    for mesh in character.meshes:
        a, b, c = (mesh.vertices[mesh.triangles[:, n]] for n in range(3))
        outward = np.einsum("ij,ij->i", np.cross(b - a, c - a), mesh.normals[mesh.triangles[:, 0]])
        assert (outward > 0.0).mean() > 0.95 or len(mesh.triangles) < 400
    assert any("hair2.png" in note for note in character.notes), "her pictures do not lie beside her"


def test_d_bones_carry_the_legs_where_a_model_has_them() -> None:
    from komadori.formats.mmd import standard

    base = standard.model()
    numbers = {bone.name: n for n, bone in enumerate(base.bones)}
    bones = list(base.bones)
    for side in "左右":
        above = numbers[f"腰キャンセル{side}"]
        for part in ("足", "ひざ", "足首"):
            numbers[f"{side}{part}D"] = len(bones)
            bones.append(standard.bone(f"{side}{part}D", base.bones[numbers[f"{side}{part}"]].position, above, numbers))
            above = numbers[f"{side}{part}D"]
    skeleton = body.skeleton(standard.skinless("d", bones))
    assert skeleton.names[skeleton.roles["left_upper_leg"]] == "左足D"
    assert skeleton.names[skeleton.roles["right_foot"]] == "右足首D"


def test_a_model_loads_as_its_rest_pose_too() -> None:
    motion = komadori.load(real(GENE))
    assert len(motion) == 1
    assert (motion.rotations == quat.IDENTITY).all()


def test_a_ring_of_parents_is_one_clear_line() -> None:
    file = Pmx(bones=[("a", 1, (0.0,) * 3, ROTATES, b""), ("b", 0, (0.0,) * 3, ROTATES, b"")])
    with pytest.raises(FormatError, match="the parents form a cycle"):
        pmx.parse(file.emit(), "x.pmx")


def test_model_beside_is_found_only_when_it_is_alone(tmp_path: Path) -> None:
    folder = tmp_path / "motions"
    folder.mkdir()
    assert mmd.model_beside(folder / "a.vmd") is None
    (tmp_path / "one.pmx").touch()
    assert mmd.model_beside(folder / "a.vmd") == tmp_path / "one.pmx"
    (folder / "near.PMD").touch()
    assert mmd.model_beside(folder / "a.vmd") == folder / "near.PMD"
    (folder / "other.pmx").touch()
    assert mmd.model_beside(folder / "a.vmd") is None
