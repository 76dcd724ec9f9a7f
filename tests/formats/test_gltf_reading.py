"""Reading glTF: containers, accessors, nodes with scales, animation curves and skins, against the specification."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from gltf_files import Handmade, arm, glb
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import quat
from komadori.character import Character
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.formats import gltf
from komadori.formats.gltf import container
from komadori.formats.gltf.meshes import instances_of, normals_of

from realdata import real, reals

TURN = np.sqrt(0.5)
EVERY = ("quadruped_gltf/*.glb", "character_gltf/*.glb", "character_vrm/**/*.vrm", "character_vrma/*.vrma")


def parsed(made: Handmade, name: str = "a.glb") -> gltf.Gltf:
    return gltf.parse(made.glb(), name)


# Containers


def test_the_three_ways_to_hold_bytes_are_the_same(tmp_path: Path) -> None:
    made = arm()
    (tmp_path / "some data.bin").write_bytes(made.data)
    (tmp_path / "a.gltf").write_bytes(made.gltf_beside("some%20data.bin"))
    beside = gltf.parse((tmp_path / "a.gltf").read_bytes(), "a.gltf", tmp_path)
    for document in (parsed(made), gltf.parse(made.gltf(), "b.gltf"), beside):
        assert document.buffer(0)[: len(made.data)] == made.data
        assert document.accessor(0).tolist() == [[0, 1, 0], [1, 1, 0], [1, 1.5, 0], [1.5, 1, 0]]


def test_a_byte_order_mark_and_leading_space_are_forgiven() -> None:
    assert gltf.parse(b"\xef\xbb\xbf \n" + arm().gltf(), "a.gltf").json["scene"] == 0


# Accessors


def test_strides_and_offsets() -> None:
    made = Handmade()
    rows = np.arange(40, dtype="<f4").reshape(4, 10)
    view = made.view(rows.tobytes(), byteStride=40)
    made.json["accessors"] = [
        {"bufferView": view, "byteOffset": 8, "componentType": 5126, "count": 4, "type": "VEC3"},
        {"bufferView": view, "byteOffset": 36, "componentType": 5126, "count": 4, "type": "SCALAR"},
    ]
    assert parsed(made).accessor(0).tolist() == rows[:, 2:5].tolist()
    assert parsed(made).accessor(1).tolist() == rows[:, 9].tolist()


@pytest.mark.parametrize(("dtype", "values", "meant"), [
    ("u1", [0, 51, 255], [0.0, 0.2, 1.0]),
    ("i1", [-128, -127, 127], [-1.0, -1.0, 1.0]),
    ("u2", [0, 13107, 65535], [0.0, 0.2, 1.0]),
    ("i2", [-32768, 0, 32767], [-1.0, 0.0, 1.0]),
])  # fmt: skip
def test_normalised_integers(dtype: str, values: list[int], meant: list[float]) -> None:
    made = Handmade()
    made.put(values, "SCALAR", dtype, normalized=True)
    assert parsed(made).accessor(0) == pytest.approx(meant, abs=1e-15)


def test_sparse_values_lie_over_others_or_over_zeros() -> None:
    made = Handmade()
    made.put(np.ones((4, 3)), "VEC3")
    sparse = {
        "count": 2,
        "indices": {"bufferView": made.view(np.array([1, 3], dtype="<u2").tobytes()), "componentType": 5123},
        "values": {"bufferView": made.view(np.array([[1, 2, 3], [4, 5, 6]], dtype="<f4").tobytes())},
    }
    made.json["accessors"][0]["sparse"] = sparse
    made.json["accessors"].append({"componentType": 5126, "count": 5, "type": "VEC3", "sparse": sparse})
    assert parsed(made).accessor(0).tolist() == [[1, 1, 1], [1, 2, 3], [1, 1, 1], [4, 5, 6]]
    assert parsed(made).accessor(1).tolist() == [[0, 0, 0], [1, 2, 3], [0, 0, 0], [4, 5, 6], [0, 0, 0]]


def test_matrices_are_stored_by_columns_and_columns_are_aligned() -> None:
    made = Handmade()
    made.put([list(range(16))], "MAT4")
    view = made.view(bytes([1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0]))
    made.json["accessors"].append({"bufferView": view, "componentType": 5121, "count": 1, "type": "MAT3"})
    assert parsed(made).accessor(0)[0].tolist() == np.arange(16).reshape(4, 4).T.tolist()
    assert parsed(made).accessor(1)[0].tolist() == [[1, 4, 7], [2, 5, 8], [3, 6, 9]]


# Nodes and skeletons


def test_joints_are_skin_joints_and_their_bare_ends() -> None:
    skeleton, joint_of = gltf.skeleton_of(parsed(arm()))
    assert skeleton.names == ("upper", "lower", "tip")
    assert skeleton.parents.tolist() == [-1, 0, 1]
    assert joint_of == {0: 0, 1: 1, 2: 2}
    assert skeleton.offsets.tolist() == [[0, 1, 0], [1, 0, 0], [0.5, 0, 0]]


def test_nodes_above_the_joints_are_worked_into_them() -> None:
    # As exporters do: an armature that is turned and scaled, with joints in centimetres below it.
    made = arm()
    made.json["nodes"] += [{"name": "Armature", "rotation": [-TURN, 0, 0, TURN], "scale": [0.01] * 3, "children": [0]}]
    made.json["scenes"][0]["nodes"] = [4, 3]
    skeleton, _ = gltf.skeleton_of(parsed(made))
    assert skeleton.names == ("upper", "lower", "tip")
    assert skeleton.offsets == pytest.approx(np.array([[0, 0, -0.01], [0.01, 0, 0], [0.005, 0, 0]]), abs=1e-12)
    assert skeleton.rest[0] == pytest.approx([-TURN, 0, 0, TURN])


def test_what_lies_between_joints_is_a_joint_and_names_differ() -> None:
    nodes = [
        {"name": "a", "children": [1]},
        {"children": [2]},
        {"name": "a", "children": [3]},
        {"name": "a", "mesh": 0},
    ]
    made = Handmade(nodes=nodes, scenes=[{"nodes": [0]}], skins=[{"joints": [0, 2]}], meshes=[{"primitives": []}])
    skeleton, joint_of = gltf.skeleton_of(parsed(made))
    assert skeleton.names == ("a", "node_1", "a_2")
    assert 3 not in joint_of


def test_the_largest_of_several_trees_comes_first() -> None:
    nodes = [{"name": "foot"}, {"name": "hips", "children": [2]}, {"name": "head"}]
    made = Handmade(nodes=nodes, scenes=[{"nodes": [0, 1]}])
    skeleton, _ = gltf.skeleton_of(parsed(made))
    assert skeleton.names == ("hips", "head", "foot")
    assert skeleton.parents.tolist() == [-1, 0, -1]


def test_more_nodes_can_be_asked_for() -> None:
    made = arm()
    made.json["nodes"] += [{"name": "hat", "children": [5]}, {"name": "brim"}]
    made.json["nodes"][2]["children"] = [4]
    assert gltf.skeleton_of(parsed(made), also=[4])[0].names == ("upper", "lower", "tip", "hat", "brim")


def world_of(document: gltf.Gltf) -> dict[str, np.ndarray]:
    """World positions by multiplying matrices, the plain way."""
    found = {}
    for node in document.nodes:
        matrix, at = node.matrix, node.parent
        while at != -1:
            matrix, at = document.nodes[at].matrix @ matrix, document.nodes[at].parent
        found[node.name] = matrix[:3, 3]
    return found


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["even", "uneven", "mirrored", "evenly mirrored", "sheared"]))
def test_joints_are_where_the_nodes_are_whatever_the_scales(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    nodes: list[dict[str, object]] = []
    for n in range(6):
        size = rng.uniform(0.2, 3.0, 1 if "even" in kind and kind != "uneven" else 3) * np.ones(3)
        if "mirrored" in kind:
            size *= rng.choice([-1, 1], 3)
        turn = quat.normalized(rng.normal(size=4))
        entry = {"name": f"n{n}", "translation": rng.normal(size=3).tolist(), "children": [n + 1] if n < 5 else []}
        if kind == "sheared":
            matrix = np.eye(4)
            matrix[:3, :3], matrix[:3, 3] = rng.normal(size=(3, 3)), rng.normal(size=3)
            entry["matrix"] = matrix.T.reshape(-1).tolist()
            del entry["translation"]
        else:
            entry |= {"rotation": turn.tolist(), "scale": size.tolist()}
        nodes.append(entry)
    document = parsed(Handmade(nodes=nodes, scenes=[{"nodes": [0]}], skins=[{"joints": [1, 2, 4]}]))
    rig = gltf.rig_of(document)
    motion = gltf.motion(document)
    truth = world_of(document)
    for joint, name in enumerate(rig.skeleton.names):
        assert motion.world_positions()[0, joint] == pytest.approx(truth[name], abs=1e-9)
    # And back: the nodes' own rotations and positions.
    turns, places = rig.to_nodes(motion.rotations, motion.positions)
    rest = np.stack([document.nodes[n].translation for n in rig.nodes])
    assert places[0] == pytest.approx(rest, abs=1e-6)
    own = np.stack([document.nodes[n].rotation for n in rig.nodes])
    assert np.abs(np.einsum("ji,ji->j", turns[0], own)) == pytest.approx(1.0, abs=1e-9)


def test_a_scene_in_a_mirror_is_read_without_it(tmp_path: Path) -> None:
    # Exporters that turn left-handed axes into right-handed ones sometimes leave the mirror at the top of the scene.
    truth, path = sample("kick"), tmp_path / "kick.glb"
    komadori.save(truth, path)
    text, data = container.split(path.read_bytes(), "kick")
    scene = json.loads(text)
    scene["nodes"].append({"name": "Armature", "scale": [-1.0, 1.0, 1.0], "children": scene["scenes"][0]["nodes"]})
    scene["scenes"][0]["nodes"] = [len(scene["nodes"]) - 1]
    path.write_bytes(glb(json.dumps(scene).encode(), bytes(data or b"")))
    found = komadori.load(path, kind="motion")
    assert [note for note in found.notes if "mirrored" in note]
    order = [found.skeleton.names.index(name) for name in truth.skeleton.names]
    assert found.world_positions()[:, order] == pytest.approx(truth.world_positions(), abs=1e-5)


# Animations


def swing(mode: str, times: list[float], values: list[list[float]], path: str = "translation") -> komadori.Motion:
    made = arm()
    made.animate(1, path, times, values, mode)
    return gltf.motion(parsed(made))


def test_keys_that_are_frames_are_taken_as_they_are() -> None:
    values = [[1, 0, 0], [1, 2, 0], [1, 4, 1], [1, 5, 0]]
    motion = swing("LINEAR", [0, 1 / 30, 2 / 30, 3 / 30], values)
    assert motion.fps == 30.0
    assert motion.positions[:, 1].tolist() == values
    assert motion.notes == ()


def test_keys_far_apart_are_interpolated_at_24() -> None:
    motion = swing("LINEAR", [0, 1], [[0, 0, 0], [24, 0, 0]])
    assert (motion.fps, len(motion)) == (24.0, 25)
    assert motion.positions[:, 1, 0] == pytest.approx(np.arange(25))


def test_uneven_keys_take_a_rate_that_they_fit_or_24_with_a_note() -> None:
    values = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    fits = swing("LINEAR", [0, 3 / 30, 7 / 30], values)
    assert (fits.fps, len(fits), fits.notes) == (30.0, 8, ())
    odd = swing("LINEAR", [0, 0.111, 0.37], values)
    assert (odd.fps, len(odd)) == (24.0, 10)
    assert "between frames" in odd.notes[0]
    assert odd.positions[-1, 1, 0] == pytest.approx(2.0)


def test_steps_change_on_their_key() -> None:
    motion = swing("STEP", [0, 5 / 24, 7 / 24, 1], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    assert motion.positions[:, 1, 0].tolist() == [0] * 5 + [1] * 2 + [2] * 17 + [3]


def test_turns_are_slerped_the_short_way() -> None:
    half = np.sin(np.pi / 8), np.cos(np.pi / 8)
    motion = swing("LINEAR", [0, 1], [[0, 0, 0, 1], [-TURN, 0, 0, -TURN]], "rotation")
    assert np.abs(motion.rotations[12, 1]) == pytest.approx([half[0], 0, 0, half[1]], abs=1e-7)
    angles = quat.angle(motion.rotations[:, 1])
    assert np.diff(angles) == pytest.approx(np.pi / 2 / 24, abs=1e-6)


def test_cubic_keys_are_the_specifications_hermite_curve() -> None:
    # Two keys 2 s apart: from 0 with slope 3, to 1 with slope -1; t^3 and t^2 by hand.
    values = [[[9, 9, 9], [0, 0, 0], [3, 0, 0]], [[-1, 0, 0], [1, 0, 0], [9, 9, 9]]]
    motion = swing("CUBICSPLINE", [0, 2], np.reshape(values, (6, 3)).tolist())
    t = np.arange(49) / 48
    curve = (t**3 - 2 * t**2 + t) * 2 * 3 + (-2 * t**3 + 3 * t**2) * 1 + (t**3 - t**2) * 2 * -1
    assert motion.positions[:, 1, 0] == pytest.approx(curve, abs=1e-6)
    assert motion.positions[:, 1, 1:] == pytest.approx(0.0)


def test_of_two_keys_at_one_time_the_later_counts() -> None:
    motion = swing("LINEAR", [0, 1 / 24, 1 / 24, 3 / 24], [[0, 0, 0], [1, 0, 0], [5, 0, 0], [7, 0, 0]])
    assert motion.positions[:, 1, 0].tolist() == pytest.approx([0, 5, 6, 7])


def test_our_own_word_on_rate_and_length_counts_while_it_is_true() -> None:
    made = arm()
    made.animate(1, "translation", [0, 0.5, 1], [[0, 0, 0], [1, 0, 0], [4, 0, 0]], "STEP")
    for said, meant in (({"fps": 30, "frames": 31}, (30.0, 31)), ({"fps": 30, "frames": 99}, (24.0, 25))):
        made.json["animations"][0]["extras"] = {"komadori": said}
        motion = gltf.motion(parsed(made))
        assert (motion.fps, len(motion)) == meant


def test_a_later_first_key_is_frame_0_and_is_noted() -> None:
    motion = swing("LINEAR", [1 / 24, 2 / 24, 3 / 24], [[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    assert motion.positions[:, 1, 0].tolist() == [0, 1, 2]
    assert "0.0417 s" in motion.notes[0]


def test_a_scale_that_grows_moves_the_joints_below_and_is_noted() -> None:
    motion = swing("LINEAR", [0, 1], [[1, 1, 1], [3, 3, 3]], "scale")
    assert motion.world_positions()[24, 2] == pytest.approx([1 + 3 * 0.5, 1, 0], abs=1e-6)
    assert "scaled in" in motion.notes[0]


def test_morph_tracks_are_noted_not_lost() -> None:
    made = arm()
    made.animate(1, "translation", [0, 1], [[0, 0, 0], [1, 0, 0]])
    made.animate(3, "weights", [0, 1], [0, 1])
    motion = gltf.motion(parsed(made))
    assert "1 track" in motion.notes[0]
    assert motion.notes[0].in_language("ja") != motion.notes[0]


def test_animations_are_chosen_by_name(tmp_path: Path) -> None:
    made = arm()
    for name in ("walk", "run", "walk"):
        made.animate(1, "translation", [0, 1], [[len(made.data), 0, 0], [1, 0, 0]], name=name + " ")
        made.json["animations"][-1]["name"] = name
    (tmp_path / "a.glb").write_bytes(made.glb())
    first = komadori.load(tmp_path / "a.glb").positions[0, 1, 0]
    assert komadori.load(tmp_path / "a.glb", clip="walk").positions[0, 1, 0] == first
    assert komadori.load(tmp_path / "a.glb", clip="walk_2").positions[0, 1, 0] != first
    with pytest.raises(OptionError, match="walk, run, walk_2"):
        komadori.load(tmp_path / "a.glb", clip="fly")
    with pytest.raises(OptionError, match="states its own"):
        komadori.load(tmp_path / "a.glb", unit="cm")


def test_no_animation_is_the_rest_pose() -> None:
    motion = gltf.motion(parsed(arm()))
    assert len(motion) == 1
    assert motion.world_positions()[0].tolist() == [[0, 1, 0], [1, 1, 0], [1.5, 1, 0]]
    assert "rest pose" in motion.notes[0]


# Characters


def skinned(character: Character, frame: int = 0, name: str | None = None) -> list[np.ndarray]:
    """Vertices in the world by plain linear blending: of the rest pose, or of a motion."""
    motion = character.rest if name is None else character.motions[name]
    turns, places = motion.world_transforms()
    world = np.zeros((len(character.skeleton), 4, 4))
    world[:, :3, :3], world[:, :3, 3], world[:, 3, 3] = quat.to_matrix(turns[frame]), places[frame], 1.0
    bones = world @ character.binds
    return [
        np.einsum("vk,vkij,vj->vi", m.weights, bones[m.joints], np.c_[m.vertices, np.ones(len(m.vertices))])[:, :3]
        for m in character.meshes
    ]


def test_a_skin_follows_its_joints() -> None:
    made = arm()
    made.animate(1, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, TURN, TURN]])
    character = gltf.character_of(parsed(made))
    assert skinned(character)[0] == pytest.approx(np.array([[0, 1, 0], [1, 1, 0], [1, 1.5, 0], [1.5, 1, 0]]), abs=1e-7)
    # The lower joint turned by 90 degrees about z at (1, 1, 0).
    moved = skinned(character, 24, "a")[0]
    assert moved[3] == pytest.approx([1, 1.5, 0], abs=1e-6)
    assert moved[2] == pytest.approx([1 - 0.75 * 0.5, 1 + 0.25 * 0.5, 0], abs=1e-6)
    assert character.meshes[0].triangles.tolist() == [[0, 1, 2], [1, 3, 2]]
    assert character.meshes[0].weights.sum(axis=1) == pytest.approx(1.0)


def by_the_book(document: gltf.Gltf) -> list[np.ndarray]:
    """Vertices at rest as the specification computes them, from the file's own matrices."""
    found = []
    for instance in instances_of(document)[0]:
        node, attributes = document.nodes[instance.node], instance.primitive.one("attributes")
        flat = document.accessor(attributes.whole("POSITION")).astype(float)
        vertices = np.c_[flat, np.ones(len(flat))]
        if node.skin is None:
            found.append((vertices @ document.worlds[instance.node].T)[:, :3])
            continue
        skin = document.listed("skins")[node.skin]
        joints = skin.references("joints", len(document.nodes))
        inverse = document.accessor(skin.whole("inverseBindMatrices"))
        bones = np.stack([document.worlds[joint] for joint in joints]) @ inverse
        which = document.accessor(attributes.whole("JOINTS_0")).astype(int)
        weights = document.accessor(attributes.whole("WEIGHTS_0")).astype(float)
        found.append(np.einsum("vk,vkij,vj->vi", weights, bones[which], vertices)[:, :3])
    return found


@pytest.mark.parametrize("path", reals(*EVERY))
def test_real_characters_stand_as_the_specification_says(path: Path) -> None:
    document = gltf.parse(path.read_bytes(), path.name, path.parent)
    character = gltf.character_of(document)
    truth = by_the_book(document)
    size = max((np.abs(v).max() for v in truth), default=1.0)
    for got, want in zip(skinned(character), truth, strict=True):
        assert np.abs(got - want).max() < 1e-6 * max(1.0, size)


def test_scaled_armatures_and_rigid_meshes() -> None:
    made = arm()
    made.json["nodes"] += [
        {"name": "Armature", "rotation": [-TURN, 0, 0, TURN], "scale": [100] * 3, "children": [0]},
        {"name": "hat", "mesh": 0, "scale": [2, 2, 2], "translation": [0, 0.5, 0]},
    ]
    made.json["nodes"][1]["children"] += [5]
    made.json["scenes"][0]["nodes"] = [4, 3]
    document = parsed(made)
    character = gltf.character_of(document)
    assert len(character.meshes) == 2
    for got, want in zip(skinned(character), by_the_book(document), strict=True):
        assert got == pytest.approx(want, abs=1e-4)
    assert set(character.meshes[1].joints.ravel()) == {1} or set(character.meshes[0].joints.ravel()) == {1}


def test_mirrored_meshes_keep_their_outside_out() -> None:
    made = arm()
    made.json["nodes"] += [{"name": "other hand", "mesh": 0, "scale": [-1, 1, 1]}]
    made.json["scenes"][0]["nodes"] += [4]
    for mesh in gltf.character_of(parsed(made)).meshes:
        assert normals_of(mesh.vertices, mesh.triangles) == pytest.approx(mesh.normals, abs=1e-6)


def test_eight_weights_strips_fans_and_morphs() -> None:
    made = arm()
    primitive = made.json["meshes"][0]["primitives"][0]
    zeros = np.zeros((4, 4))
    zeros[:, 0] = 1.0
    primitive["attributes"] |= {"JOINTS_1": made.put(zeros, "VEC4", "u2"), "WEIGHTS_1": made.put(zeros, "VEC4")}
    primitive["indices"] = made.put([0, 1, 2, 3], "SCALAR", "u1")
    primitive["mode"] = 5
    primitive["targets"] = [{"POSITION": made.put(np.full((4, 3), 0.1), "VEC3")}, {}]
    made.json["meshes"][0]["extras"] = {"targetNames": ["smile"]}
    mesh = gltf.character_of(parsed(made)).meshes[0]
    assert mesh.triangles.tolist() == [[0, 1, 2], [1, 3, 2]]
    assert mesh.weights.shape[1] > 2
    assert mesh.weights.sum(axis=1) == pytest.approx(1.0)
    assert list(mesh.morphs) == ["smile", "morph_1"]
    assert mesh.morphs["smile"] == pytest.approx(0.1)
    primitive["mode"] = 6
    assert gltf.character_of(parsed(made)).meshes[0].triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    primitive["mode"] = 1
    lines = gltf.character_of(parsed(made))
    assert lines.meshes == ()
    assert "points or lines" in lines.notes[0]


def test_materials_and_pictures(tmp_path: Path) -> None:
    made = arm()
    png = b"\x89PNG\r\n\x1a\n...."
    (tmp_path / "skin.png").write_bytes(png)
    made.json |= {
        "images": [{"uri": "skin.png"}, {"uri": "gone.jpg"}, {"bufferView": made.view(png), "mimeType": "image/png"}],
        "textures": [{"source": 0}, {"source": 1}],
        "materials": [
            {
                "name": "skin",
                "pbrMetallicRoughness": {"baseColorFactor": [0.21404114, 1, 0, 0.5], "baseColorTexture": {"index": 0}},
                "alphaMode": "BLEND",
                "doubleSided": True,
            },
            {"pbrMetallicRoughness": {"baseColorTexture": {"index": 1}}},
        ],
    }
    made.json["meshes"][0]["primitives"][0]["material"] = 0
    (tmp_path / "a.gltf").write_bytes(made.gltf())
    character = komadori.load_character(tmp_path / "a.gltf")
    skin, other = character.materials
    assert skin.colour == pytest.approx((0.5, 1, 0, 0.5), abs=1e-6)
    assert (skin.image, skin.alpha, skin.two_sided) == (0, "blend", True)
    assert character.images[0].data == character.images[2].data == png
    assert character.images[0].mime == "image/png"
    assert other.image is None
    assert "gone.jpg" in character.notes[0]
    assert character.meshes[0].material == 0


@pytest.mark.parametrize(("kind", "drawn"), [("image/ktx2", False), ("image/webp", True)])
@pytest.mark.parametrize("beside", [True, False])
def test_a_picture_that_cannot_be_drawn_gives_way_to_the_one_beside_it(kind: str, drawn: bool, beside: bool) -> None:
    made = arm()
    png, other = b"\x89PNG\r\n\x1a\n....", b"????"
    own = {"source": 0} if beside else {}
    made.json |= {
        "images": [
            {"bufferView": made.view(data), "mimeType": said} for data, said in ((png, "image/png"), (other, kind))
        ],
        "textures": [{**own, "extensions": {"KHR_texture_basisu": {"source": 1}}}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    }
    character = gltf.character_of(parsed(made))
    assert character.materials[0].image == (1 if drawn else 0 if beside else None)
    assert any("cannot draw" in note for note in character.notes) == (not drawn and not beside)


def test_roles_are_found_on_characters_and_their_motions() -> None:
    character = komadori.load_character(real("character_gltf/babylon_HVGirl.glb"))
    assert character.skeleton.names[character.skeleton.roles["left_hand"]] == "mixamorig:LeftHand"
    assert all(motion.skeleton.roles for motion in character.motions.values())


def test_quaternius_feet_are_roots_of_their_own() -> None:
    motion = komadori.load(real("quadruped_gltf/quaternius_Horse.glb"), clip="AnimalArmature|Gallop")
    roots = [motion.skeleton.names[joint] for joint in np.flatnonzero(motion.skeleton.parents < 0)]
    assert roots[0] == "Body"
    assert len(roots) == 5
    assert (len(motion), motion.fps) == (15, 24.0)


def test_glb_without_bytes() -> None:
    document = gltf.parse(glb(b'{"asset":{"version":"2.0"},"nodes":[{"name":"a"}]}'), "a.glb")
    assert gltf.skeleton_of(document)[0].names == ("a",)
