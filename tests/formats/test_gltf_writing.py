"""Writing glTF: what was read is kept, keys are few and exact, and the same thing gives the same bytes."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_files import Handmade, arm
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import Motion, Skeleton, quat
from komadori.character import Chain, Character, Image, Material, Mesh
from komadori.characters import sample
from komadori.errors import FormatError, OptionError
from komadori.formats import gltf, keys
from komadori.keyed import keyed

from realdata import reals

EVERY = ("quadruped_gltf/*.glb", "character_gltf/*.glb", "character_vrm/**/*.vrm", "character_vrma/*.vrma")
WITHIN_M = 1e-5


def read_back(data: bytes) -> gltf.Gltf:
    return gltf.parse(data, "back.glb")


def far(a: Motion, b: Motion) -> float:
    assert (a.fps, len(a)) == (b.fps, len(b))
    assert a.skeleton.names == b.skeleton.names
    return float(np.abs(a.world_positions() - b.world_positions()).max(initial=0.0))


def modes(data: bytes) -> set[str]:
    return {s["interpolation"] for a in read_back(data).json["animations"] for s in a["samplers"]}


def key_counts(data: bytes, animation: int = 0) -> list[int]:
    document = read_back(data)
    samplers = document.listed("animations")[animation].many("samplers")
    return [len(document.accessor(sampler.whole("input"))) for sampler in samplers]


# Motions alone


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_motion_is_saved_and_loaded(suffix: str, tmp_path: Path) -> None:
    motion = sample("pitch", 24.0)
    komadori.save(motion, tmp_path / f"a{suffix}")
    back = komadori.load(tmp_path / f"a{suffix}")
    assert far(back, motion) < 1e-6
    assert np.abs(back.skeleton.offsets - motion.skeleton.offsets).max() == 0.0
    assert back.notes == ()
    assert back.skeleton.roles == motion.skeleton.roles


def test_a_limited_clip_is_steps_at_its_drawings() -> None:
    result = komadori.limited(sample("pitch", 24.0))
    data = gltf.emit(result.motion)
    assert modes(data) == {"STEP"}
    drawings = len(result.sheet.drawings)
    counts = key_counts(data)
    # One channel has a closing key, so that the file is as long as the clip.
    assert max(counts) <= drawings + 1
    assert len(data) < 0.75 * len(gltf.emit(replace(sample("pitch", 24.0), origin=None)))
    assert far(gltf.motion(read_back(data)), result.motion) < 1e-6


def test_a_captured_clip_is_lines_without_idle_keys() -> None:
    rest = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), [[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    turns = quat.identity(61, 3)
    turns[:, 1] = quat.from_axis_angle([0.0, 0.0, 1.0], np.linspace(0.0, 1.5, 61))
    places = np.broadcast_to(rest.offsets, (61, 3, 3)).copy()
    places[:, 0, 0] = np.abs(np.arange(61) - 20)
    motion = Motion(rest, 60, turns, places)
    data = gltf.emit(motion)
    assert modes(data) == {"LINEAR"}
    # An even turn is two keys, a path with a corner is three, what stays at rest is none.
    assert sorted(key_counts(data)) == [2, 3]
    assert far(gltf.motion(read_back(data)), motion) < 1e-6


def test_what_stands_still_away_from_rest_is_one_key() -> None:
    rest = Skeleton(("a", "b"), np.array([-1, 0]), [[0, 1, 0], [0, 1, 0]])
    turns = quat.identity(10, 2)
    turns[:, 1] = quat.from_axis_angle([0.0, 0.0, 1.0], 0.3)
    motion = Motion(rest, 24, turns, np.broadcast_to(rest.offsets, (10, 2, 3)))
    data = gltf.emit(motion)
    assert key_counts(data) == [2]
    assert far(gltf.motion(read_back(data)), motion) < 1e-6
    still = Motion(rest, 24, quat.identity(10, 2), motion.positions)
    assert far(gltf.motion(read_back(gltf.emit(still))), still) == 0.0


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.floats(0.0, 1.0), st.sampled_from([24.0, 29.97, 120.0]))
def test_every_frame_comes_back(seed: int, frames: int, still: float, fps: float) -> None:
    rng = np.random.default_rng(seed)
    parents = np.array([-1, 0, 1, 1, -1])
    skeleton = Skeleton(
        ("a", "b", "c", "d", "e"), parents, rng.normal(size=(5, 3)), quat.normalized(rng.normal(size=(5, 4)))
    )
    turns = quat.continuous(quat.normalized(np.cumsum(rng.normal(scale=0.2, size=(frames, 5, 4)), axis=0) + 1.0))
    places = skeleton.offsets + np.cumsum(rng.normal(scale=0.1, size=(frames, 5, 3)), axis=0)
    hold = np.maximum.accumulate(np.where(rng.uniform(size=frames) < still, 0, np.arange(frames)))
    motion = Motion(skeleton, fps, turns[hold], places[hold])
    back = gltf.motion(read_back(gltf.emit(motion)))
    assert far(back, motion) < WITHIN_M
    close = np.abs(np.einsum("fji,fji->fj", back.rotations, motion.rotations))
    assert close == pytest.approx(1.0, abs=1e-6)


def test_no_frames_is_a_skeleton_alone() -> None:
    motion = sample("pitch", 24.0)[0:0]
    back = gltf.motion(read_back(gltf.emit(motion)))
    assert back.skeleton.names == motion.skeleton.names
    assert "animations" not in read_back(gltf.emit(motion)).json


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    motion = sample("pitch", 24.0)
    places = motion.positions.copy()
    places[3, 0, 1] = value
    with pytest.raises(OptionError, match=r"not finite|32 bit"):
        gltf.emit(replace(motion, positions=places, origin=None))


@pytest.mark.parametrize("name", ["", "日本語", "a\nb", '"', "\ud800", "\u2028"])
def test_any_name_can_be_written(name: str) -> None:
    skeleton = Skeleton((name, "other"), np.array([-1, 0]), np.ones((2, 3)))
    motion = Motion(skeleton, 24, quat.identity(2, 2), np.ones((2, 2, 3)))
    back = gltf.skeleton_of(read_back(gltf.emit(motion)))[0]
    # Half a letter comes back as the mark of an unknown one: nothing else could be done with it.
    assert back.names == (name.replace("\ud800", "\ufffd") or "node_0", "other")


# Which keys


def test_held_motions_are_told_from_flowing_ones() -> None:
    pitch = replace(sample("pitch", 24.0), origin=None)
    assert not keys.held(pitch)
    assert keys.held(pitch.taken(np.arange(len(pitch)) // 2 * 2))
    # Standing still before and after is no hold between drawings.
    waits = np.concatenate([np.zeros(20, int), np.arange(len(pitch)), np.full(9, len(pitch) - 1)])
    assert not keys.held(pitch.taken(waits))
    # Frames left out unevenly: the file's rows tell.
    document = arm()
    document.animate(1, "translation", (np.arange(30) / 24).tolist(), np.arange(90).reshape(30, 3))
    read = gltf.motion(gltf.parse(document.glb(), "a"))
    assert not keys.held(read)
    assert not keys.held(read.taken(np.arange(0, 30, 3)))
    assert keys.held(read.taken(np.delete(np.arange(30), [7, 8, 15])))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_lines_between_the_keys_are_within_the_tolerance(seed: int, turning: bool) -> None:
    rng = np.random.default_rng(seed)
    corners = np.sort(rng.choice(np.arange(1, 39), 4, replace=False))
    at = np.concatenate([[0], corners, [39]])
    poses = quat.normalized(rng.normal(size=(6, 4))) if turning else rng.normal(size=(6, 3))
    piece = np.clip(np.searchsorted(at, np.arange(40), "right") - 1, 0, 4)
    u = (np.arange(40) - at[piece]) / (at[piece + 1] - at[piece])
    if turning:
        values = quat.continuous(quat.slerp(poses[piece], poses[piece + 1], u))
    else:
        values = poses[piece] + u[:, None] * (poses[piece + 1] - poses[piece])
    limit = np.full(1, keys.EXACT)
    found = keys.linear(values, keys.bent(values[:, None], limit, turning)[:, 0], keys.EXACT, turning)
    assert set(at) <= set(found)
    assert len(found) <= 12
    noisy = values + rng.normal(scale=3e-6, size=values.shape)
    kept = keys.linear(noisy, keys.bent(noisy[:, None], limit, turning)[:, 0], keys.EXACT, turning)
    assert len(kept) > 20


# Keys


@pytest.mark.parametrize(
    ("interpolation", "mode"), [("stepped", "STEP"), ("linear", "LINEAR"), ("bezier", "CUBICSPLINE")]
)
def test_keys_are_written_as_keys(interpolation: Any, mode: str, tmp_path: Path) -> None:
    motion = sample("pitch", 24.0)
    made = keyed(motion, np.arange(0, len(motion), 7), interpolation)
    komadori.save(made, tmp_path / "a.glb")
    data = (tmp_path / "a.glb").read_bytes()
    assert mode in modes(data)
    assert max(key_counts(data)) <= len(made) + 1
    assert far(komadori.load(tmp_path / "a.glb"), made.motion()) < 1e-6
    # A format without keys gets every frame.
    komadori.save(made, tmp_path / "a.bvh")
    assert len(komadori.load(tmp_path / "a.bvh", unit="cm")) == made.length


@pytest.mark.parametrize("interpolation", ["stepped", "linear", "bezier"])
def test_keys_fit_into_a_file_with_scales(interpolation: Any) -> None:
    document = scaled_arm()
    character = gltf.character_of(gltf.parse(document.glb(), "a"))
    motion = character.motions["a"]
    made = keyed(motion, np.arange(0, len(motion), 4), interpolation)
    back = gltf.character_of(read_back(gltf.emit_character(character, {"new": made})))
    assert far(back.motions["new"], made.motion()) < 1e-5
    assert far(back.motions["a"], motion) == 0.0


def scaled_arm(scale: Any = (0.01, 0.01, 0.01)) -> Handmade:
    made = arm()
    made.json["nodes"] += [{"name": "Armature", "rotation": [-0.5, 0.5, 0.5, 0.5], "scale": scale, "children": [0]}]
    made.json["scenes"][0]["nodes"] = [4, 3]
    times = np.arange(25) / 24
    turns = quat.from_axis_angle([0.0, 0.0, 1.0], np.sin(3 * times))
    made.animate(1, "rotation", times, turns)
    made.animate(0, "translation", times, np.stack([times * 30, 9 * times**2, 0 * times], axis=1))
    return made


@pytest.mark.parametrize("scale", [(1.0, 2.0, 0.5), (-1.0, 1.0, 1.0), (1.0, 1.0, 1.0)])
def test_uneven_scales_keep_the_places(scale: Any) -> None:
    character = gltf.character_of(gltf.parse(scaled_arm(scale).glb(), "a"))
    motion = character.motions["a"].taken(np.arange(24, -1, -1))
    back = gltf.character_of(read_back(gltf.emit_character(character, {"a": motion})))
    assert far(back.motions["a"], motion) < 1e-5


# Characters that were read


def rich() -> Handmade:
    """A file with all sorts of things that komadori does not know."""
    made = arm()
    made.data += b"bytes that no view names."
    made.animate(1, "rotation", [0, 0.5, 1], [[0, 0, 0, 1], [0, 0, 0.6, 0.8], [0, 0, 0, 1]], name="walk")
    made.animate(1, "rotation", [0, 1], [[0, 0, 0, 1], [1, 0, 0, 0]], name="run")
    primitive = made.json["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": made.put(np.ones((4, 3)), "VEC3", min=[1] * 3, max=[1] * 3)}]
    made.animate(3, "weights", [0, 0.5, 1], [0, 1, 0], name="walk")
    made.json["animations"][0]["extras"] = {"mood": "calm"}
    made.json |= {
        "extensionsUsed": ["FOO_bar"],
        "extensions": {"FOO_bar": {"accessor": 3, "list": [1, {"deep": None}]}},
        "extras": {"author": "誰か", "n": 1.25},
        "cameras": [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}],
        "materials": [{"name": "m", "extensions": {"FOO_bar": {"x": 1}}, "extras": [1, 2]}],
        "samplers": [{"magFilter": 9729}],
    }
    made.json["nodes"].append({"name": "cam", "camera": 0, "extras": {"note": "keep"}})
    made.json["scenes"][0]["nodes"].append(4)
    made.json["asset"]["copyright"] = "someone"
    return made


def without(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def test_nothing_is_lost_that_was_read() -> None:
    document = gltf.parse(rich().glb(), "a.glb")
    character = gltf.character_of(document)
    same = read_back(gltf.emit_character(character))
    assert same.json == document.json
    assert same.buffer(0) == document.buffer(0)
    motion = character.motions["walk"]
    more = read_back(gltf.emit_character(character, {"jump": motion.taken([0, 5, 9, 9, 9, 2])}))
    parts = ("animations", "accessors", "bufferViews", "buffers")
    assert without(more.json, *parts) == without(document.json, *parts)
    # The new animation is number 0, which is what viewers play; all else keeps its number.
    assert more.json["animations"][1:] == document.json["animations"]
    for kind in ("accessors", "bufferViews"):
        assert more.json[kind][: len(document.json[kind])] == document.json[kind]
    assert more.buffer(0).startswith(document.buffer(0))


def test_a_replaced_animation_makes_room_and_disturbs_nothing() -> None:
    made = rich()
    # An unknown extension names one of the accessors that the animation uses, and a view starts at an odd byte.
    times = made.json["animations"][0]["samplers"][0]["input"]
    made.json["extensions"]["FOO_bar"]["accessor"] = times
    made.data += b"ab"
    made.json["bufferViews"].append({"buffer": 0, "byteOffset": len(made.data), "byteLength": 5})
    made.data += b"PNG.."
    assert made.json["bufferViews"][-1]["byteOffset"] % 4
    made.json["images"] = [{"bufferView": len(made.json["bufferViews"]) - 1, "mimeType": "image/png"}]
    document = gltf.parse(made.glb(), "a.glb")
    character = gltf.character_of(document)
    short = character.motions["walk"].taken([0, 12, 12, 12, 24])
    data = gltf.emit_character(character, {"walk": short})
    back = read_back(data)
    assert without(back.json, "animations", "accessors", "bufferViews", "buffers") == without(
        document.json, "animations", "accessors", "bufferViews", "buffers"
    )
    assert [entry["name"] for entry in back.json["animations"]] == ["walk", "run"]
    assert back.json["animations"][0]["extras"]["mood"] == "calm"
    for before, after in zip(document.json["bufferViews"], back.json["bufferViews"], strict=False):
        if after["byteLength"] == before["byteLength"]:
            assert after["byteOffset"] % 4 == before["byteOffset"] % 4
    assert back.image(0).data == document.image(0).data
    # Every accessor that anything else names says what it said.
    primitive = document.json["meshes"][0]["primitives"][0]
    named = [times, *primitive["attributes"].values(), primitive["indices"], primitive["targets"][0]["POSITION"]]
    for number in [*named, document.json["skins"][0]["inverseBindMatrices"]]:
        assert np.array_equal(back.accessor(number), document.accessor(number))
    again = gltf.character_of(back)
    assert far(again.motions["run"], character.motions["run"]) == 0.0
    assert far(again.motions["walk"], short) < 1e-6
    # Writing over and over does not make the file grow.
    size = len(data)
    for _ in range(3):
        data = gltf.emit_character(gltf.character_of(read_back(data)), {"walk": short})
        assert len(data) <= size + 64


def test_morph_tracks_follow_the_frames_that_are_shown() -> None:
    character = gltf.character_of(gltf.parse(rich().glb(), "a.glb"))
    shown = character.motions["walk"].taken([0, 12, 12, 12, 24])
    back = read_back(gltf.emit_character(character, {"walk": shown}))
    entry = back.json["animations"][0]
    channel = next(one for one in entry["channels"] if one["target"]["path"] == "weights")
    sampler = entry["samplers"][channel["sampler"]]
    assert sampler["interpolation"] == "STEP"
    assert back.accessor(sampler["output"]).tolist() == [0.0, 1.0, 0.0]
    assert back.accessor(sampler["input"]) == pytest.approx([0, 1 / 24, 4 / 24])


def test_a_motion_from_a_file_goes_back_into_it(tmp_path: Path) -> None:
    (tmp_path / "a.glb").write_bytes(rich().glb())
    motion = komadori.load(tmp_path / "a.glb", clip="run")
    komadori.save(motion.taken(np.arange(25) // 5 * 5), tmp_path / "b.glb")
    back = komadori.load_character(tmp_path / "b.glb")
    assert list(back.motions) == ["walk", "run"]
    assert len(back.meshes) == 1
    assert far(back.motions["run"], motion.taken(np.arange(25) // 5 * 5)) < 1e-6


def test_matrices_of_animated_nodes_become_turns_and_places() -> None:
    made = arm()
    made.json["nodes"][1] |= {"matrix": [0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1]}
    del made.json["nodes"][1]["translation"]
    character = gltf.character_of(gltf.parse(made.glb(), "a"))
    rng = np.random.default_rng(5)
    turns = quat.continuous(quat.normalized(rng.normal(size=(6, 3, 4))))
    motion = Motion(character.skeleton, 24, turns, np.repeat(character.skeleton.offsets[None], 6, axis=0))
    back = read_back(gltf.emit_character(character, {"spin": motion}))
    assert back.json["nodes"][1]["scale"] == pytest.approx([2, 2, 2])
    assert far(gltf.motion(back), motion) < 1e-5


def test_other_files_buffers_and_pictures_come_along(tmp_path: Path) -> None:
    made = rich()
    png = b"\x89PNG\r\n\x1a\n...."
    (tmp_path / "p.png").write_bytes(png)
    (tmp_path / "d.bin").write_bytes(made.data)
    made.json["images"] = [{"uri": "p.png", "name": "p"}, {"uri": "gone.png"}]
    text = json.loads(made.gltf_beside("d.bin"))
    text["buffers"].append({"byteLength": 4, "uri": "data:application/octet-stream;base64,AQIDBA=="})
    text["bufferViews"].append({"buffer": 1, "byteLength": 4})
    (tmp_path / "a.gltf").write_text(json.dumps(text), encoding="utf-8")
    character = komadori.load_character(tmp_path / "a.gltf")
    (tmp_path / "else").mkdir()
    for name in ("b.glb", "b.gltf"):
        komadori.save(character, tmp_path / "else" / name)
        document = gltf.parse((tmp_path / "else" / name).read_bytes(), name, tmp_path / "else")
        assert len(document.json["buffers"]) == 1
        assert bytes(document.view(len(text["bufferViews"]) - 1)[0]) == b"\1\2\3\4"
        assert document.image(0).data == png
        assert document.json["images"][1] == {"uri": "gone.png"}
        back = gltf.character_of(document)
        assert np.array_equal(back.meshes[0].vertices, character.meshes[0].vertices)
        assert far(back.motions["walk"], character.motions["walk"]) == 0.0


@pytest.mark.parametrize("path", reals(*EVERY))
def test_real_files_round_trip(path: Path) -> None:
    document = gltf.parse(path.read_bytes(), path.name, path.parent)
    character = gltf.character_of(document)
    same = read_back(gltf.emit_character(character))
    # All but the skeletons that are no common root, which are repaired (test_gltf_packed).
    assert [{**skin, "skeleton": 0} for skin in same.json.get("skins", [])] == [
        {**skin, "skeleton": 0} for skin in document.json.get("skins", [])
    ]
    assert {**same.json, "skins": []} == {**document.json, "skins": []}
    wanted: dict[str, Motion] = {}
    for number, (name, motion) in enumerate(character.motions.items()):
        if number < 3:
            wanted[name] = motion.taken(np.arange(len(motion)) // 2 * 2)
            wanted[name + " smooth"] = replace(motion, origin=None)
    data = gltf.emit_character(character, wanted)
    assert data == gltf.emit_character(character, wanted)
    back = gltf.character_of(read_back(data))
    for name, motion in {**character.motions, **wanted}.items():
        assert far(back.motions[name], motion) < WITHIN_M
    for mesh, other in zip(character.meshes, back.meshes, strict=True):
        assert np.array_equal(mesh.vertices, other.vertices)
        assert np.array_equal(mesh.weights, other.weights)
    assert [image.data for image in back.images] == [image.data for image in character.images]
    for name, motion in list(character.motions.items())[:1]:
        alone = gltf.motion(read_back(gltf.emit(replace(motion, origin=None))))
        order = [alone.skeleton.index(joint) for joint in motion.skeleton.names]
        assert np.abs(alone.world_positions()[:, order] - motion.world_positions()).max() < WITHIN_M, name


# Characters made by code


def puppet() -> Character:
    """A character with everything: six weights per vertex, some of them twice, morphs, a picture, toon colours."""
    from PIL import Image as Picture

    motion = replace(sample("pitch", 24.0), origin=None)
    skeleton = motion.skeleton
    places = Character("", skeleton).rest.world_positions()[0]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.04
    vertices = (places[:, None] + corners).reshape(-1, 3)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]])
    triangles = (faces + 8 * np.arange(len(skeleton))[:, None, None]).reshape(-1, 3)
    own = np.repeat(np.arange(len(skeleton)), 8)
    parents = np.maximum(skeleton.parents[own], 0)
    joints = np.stack([own, parents, own, 0 * own, 0 * own + 3, 0 * own + 2], axis=1)
    weights = np.tile([0.5, 0.1, 0.2, 0.1, 0.05, 0.05], (len(own), 1))
    weights[::3] = [0, 0, 1, 0, 0, 0]
    file = io.BytesIO()
    Picture.new("RGB", (4, 4), (200, 30, 30)).save(file, "PNG")
    uvs = np.random.default_rng(0).random((len(vertices), 2))
    normals = np.tile([[0.0, 0.0, 0.0], [0.0, 3.0, 4.0]], (len(vertices) // 2, 1))
    morphs = {"smile": 0.1 * vertices, "笑い": -0.01 * vertices}
    mesh = Mesh("boxes", vertices, normals, triangles, joints, weights, uvs, 0, morphs)
    bare = Mesh("bare", vertices, normals, triangles, own[:, None], np.ones((len(own), 1)))
    skin = Material(
        "skin", (0.8, 0.5, 0.4, 1.0), 0, shade=(0.5, 0.2, 0.2), outline=(0.1, 0, 0, 1), outline_m=0.002, alpha="mask"
    )
    images = (Image("red", "image/png", file.getvalue()), Image("odd", "image/bmp", b"BM"))
    plain = Material("plain", image=1, two_sided=True, alpha="blend")
    tail = skeleton.index("left_foot")
    chain = Chain("sock", "cloth", (tail, skeleton.children[tail][0]), int(skeleton.parents[tail]), (0.0,), "a whim")
    return Character(
        "puppet",
        skeleton,
        (mesh, bare),
        (skin, plain),
        images,
        motions={"pitch": motion},
        meta={"copyright": "none"},
        chain_hints=(chain,),
        expressions={"happy": {(0, "smile"): 0.75}},
    )


def test_a_character_made_by_code_comes_back(tmp_path: Path) -> None:
    character = puppet()
    limited = komadori.limited(character.motions["pitch"]).motion
    komadori.save(character, tmp_path / "a.glb", motions={"limited": limited})
    back = komadori.load_character(tmp_path / "a.glb")
    assert back.skeleton.names == character.skeleton.names
    assert np.abs(back.binds - character.binds).max() < 1e-6
    assert far(back.motions["pitch"], character.motions["pitch"]) < 1e-6
    assert far(back.motions["limited"], limited) < 1e-6
    mesh, other = character.meshes[0], back.meshes[0]
    assert np.abs(mesh.vertices - other.vertices).max() < 1e-6
    assert np.array_equal(mesh.triangles, other.triangles)
    assert list(other.morphs) == ["smile", "笑い"]
    assert np.abs(mesh.morphs["smile"] - other.morphs["smile"]).max() < 1e-6
    dense = [np.zeros((len(m.vertices), len(character.skeleton))) for m in (mesh, other)]
    for table, m in zip(dense, (mesh, other), strict=True):
        np.add.at(table, (np.arange(len(table))[:, None], m.joints), m.weights)
    assert np.abs(dense[0] - dense[1]).max() < 1e-6
    skin, plain = back.materials
    assert skin.colour == pytest.approx(character.materials[0].colour)
    assert (skin.shade, skin.outline, skin.outline_m) == ((0.5, 0.2, 0.2), (0.1, 0.0, 0.0, 1.0), 0.002)
    assert (skin.alpha, plain.alpha, plain.two_sided) == ("mask", "blend", True)
    assert back.images[0].data == character.images[0].data
    assert plain.image is None
    assert back.meta["copyright"] == "none"
    assert dict(back.skeleton.roles) == dict(character.skeleton.roles)
    (chain,) = back.chain_hints
    assert (chain.name, chain.kind, chain.why) == ("sock", "cloth", "a whim")
    assert chain.joints == character.chain_hints[0].joints
    assert chain.hangs_from == character.chain_hints[0].hangs_from
    assert chain.lengths == pytest.approx(np.linalg.norm(back.skeleton.offsets[chain.joints[1]]))
    assert back.expressions["happy"] == {(0, "smile"): 0.75}


def test_weights_sum_to_one_in_the_file() -> None:
    rng = np.random.default_rng(3)
    skeleton = sample("pitch", 24.0).skeleton
    vertices, joints = rng.normal(size=(500, 3)), np.argsort(rng.random((500, len(skeleton))), axis=1)[:, :8]
    weights = rng.dirichlet(np.full(8, 0.3), 500)
    mesh = Mesh("cloud", vertices, vertices, rng.integers(0, 500, (90, 3)), joints, weights)
    back = read_back(gltf.emit_character(Character("cloud", skeleton, (mesh,))))
    attributes = back.json["meshes"][0]["primitives"][0]["attributes"]
    parts = [back.accessor(attributes[f"WEIGHTS_{n}"]).astype(np.float64) for n in range(2)]
    assert np.abs(sum(part.sum(axis=1) for part in parts) - 1.0).max() <= 2**-24
    used = np.concatenate([back.accessor(attributes[f"JOINTS_{n}"]) for n in range(2)], axis=1)
    assert not used[np.concatenate(parts, axis=1) == 0.0].any()


def test_the_same_thing_gives_the_same_bytes() -> None:
    assert gltf.emit_character(puppet()) == gltf.emit_character(puppet())
    assert gltf.emit_character(puppet(), text=True) == gltf.emit_character(puppet(), text=True)


def test_another_skeletons_motion_is_refused() -> None:
    character = gltf.character_of(gltf.parse(arm().glb(), "a"))
    with pytest.raises(OptionError, match="retarget"):
        gltf.emit_character(character, {"pitch": sample("pitch", 24.0)})


def test_a_character_needs_a_format_that_holds_one(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"\.glb"):
        komadori.save(puppet(), tmp_path / "a.bvh")
    with pytest.raises(FormatError, match=r"\.glb"):
        komadori.load_character(tmp_path / "a.bvh")
