"""VRM avatars, 0.x and 1.0: roles, front, springs, faces, colours and licence, and files that are not what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vrm_files

from komadori import quat
from komadori.character import Character
from komadori.errors import FormatError
from komadori.formats import gltf, vrm
from komadori.formats.vrm import facing, humanoid
from komadori.springs import Collider

from realdata import real, reals

AVATARS = reals("character_vrm/*.vrm", "character_vrm/springbone/*.vrm")
AHEAD = np.array([0.0, 0.0, 0.1])
SHINY = [0.25, 1.0, 0.0]


def read(made: dict[str, Any], binary: bytes = b"") -> Character:
    return vrm.read(vrm_files.packed(made, binary), "made.vrm")


def places(character: Character) -> dict[str, np.ndarray]:
    world = character.rest.world_positions()[0]
    return {role: world[joint] for role, joint in character.skeleton.roles.items()}


def joint_named(character: Character, name: str) -> int:
    return character.skeleton.index(name)


@pytest.mark.parametrize("made", [vrm_files.avatar_0(), vrm_files.avatar_1()], ids=["0.x", "1.0"])
def test_both_versions_give_the_same_roles_at_the_same_places_facing_front(made: dict[str, Any]) -> None:
    found = places(read(made))
    assert set(found) == set(vrm_files.ROLES)
    for role, place in vrm_files.PLACES.items():
        assert found[role] == pytest.approx(place, abs=1e-12), role


def test_thumbs_are_named_one_joint_further_out_in_0() -> None:
    made = vrm_files.avatar_0()
    names = {entry["bone"] for entry in made["extensions"]["VRM"]["humanoid"]["humanBones"]}
    assert {"leftThumbProximal", "leftThumbIntermediate"} <= names
    assert "leftThumbMetacarpal" not in names
    avatar = read(made)
    for role in ("left_thumb_metacarpal", "left_thumb_proximal", "right_thumb_proximal"):
        assert avatar.skeleton.names[avatar.skeleton.roles[role]] == f"b_{role}"


def test_drafts_of_1_with_old_thumb_names_are_understood() -> None:
    made = vrm_files.avatar_1()
    bones = made["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
    for side in ("left", "right"):
        metacarpal, proximal = bones.pop(f"{side}ThumbMetacarpal"), bones.pop(f"{side}ThumbProximal")
        bones |= {f"{side}ThumbProximal": metacarpal, f"{side}ThumbIntermediate": proximal}
    avatar = read(made)
    for role in ("left_thumb_metacarpal", "left_thumb_proximal"):
        assert avatar.skeleton.names[avatar.skeleton.roles[role]] == f"b_{role}"


def test_the_humanoid_of_vrm_is_a_tree_with_the_hips_on_top() -> None:
    assert set(humanoid.PARENTS) == set(humanoid.ROLES)
    for role in humanoid.ROLES:
        at = role
        for _ in range(20):
            if at == "hips":
                break
            at = humanoid.PARENTS[at]
        assert at == "hips", role
    assert humanoid.PARENTS["left_thumb_proximal"] == "left_thumb_metacarpal"
    assert humanoid.PARENTS["right_little_proximal"] == "right_hand"
    assert len(humanoid.BONES) == 55


def test_turning_an_avatar_and_back_gives_its_very_numbers() -> None:
    avatar = read(*vrm_files.face(vrm_files.avatar_0(), 5, ("smile",)))
    back = facing.turned(facing.turned(avatar), -1.0)
    assert np.array_equal(back.skeleton.rest, avatar.skeleton.rest)
    assert np.array_equal(back.skeleton.offsets, avatar.skeleton.offsets)
    assert np.array_equal(back.binds, avatar.binds)
    for one, other in zip(avatar.meshes, back.meshes, strict=True):
        assert np.array_equal(one.vertices, other.vertices)
        assert np.array_equal(one.morphs["smile"], other.morphs["smile"])


def skinned(character: Character) -> np.ndarray:
    """World positions of the first mesh's vertices at rest, one joint a vertex."""
    turns, at = character.rest.world_transforms()
    mesh, joint = character.meshes[0], int(character.meshes[0].joints[0, 0])
    inner = mesh.vertices @ character.binds[joint, :3, :3].T + character.binds[joint, :3, 3]
    return quat.rotate(turns[0, joint], inner) + at[0, joint]


def test_skin_turns_with_the_skeleton_and_its_bind_space_is_the_rest_pose() -> None:
    made, data = vrm_files.face(vrm_files.avatar_0(), 5, ())
    old = read(made, data)
    made, data = vrm_files.face(vrm_files.avatar_1(), 5, ())
    new = read(made, data)
    assert skinned(old) == pytest.approx(old.meshes[0].vertices, abs=1e-12)
    head = np.array(vrm_files.PLACES["head"])
    # The triangle hangs 0.1 m along the file's z from the head: behind it in a file that looks along -Z.
    assert skinned(new)[0] == pytest.approx(head + AHEAD, abs=1e-6)
    assert skinned(old)[0] == pytest.approx(head - AHEAD, abs=1e-6)


def test_springs_of_1_are_read_as_stated() -> None:
    avatar = read(vrm_files.avatar_1())
    (spring,) = avatar.springs.springs
    assert [avatar.skeleton.names[one.joint] for one in spring.joints] == [f"hair_{n}" for n in range(4)]
    first = spring.joints[0]
    assert (first.stiffness, first.gravity, first.drag, first.radius_m) == (2.0, (0.0, -0.5, 0.0), 0.3, 0.0)
    assert spring.tip is None
    assert spring.centre == avatar.skeleton.roles["hips"]
    sphere, capsule, plane = avatar.springs.colliders
    assert sphere == Collider(avatar.skeleton.roles["head"], "sphere", (0.0, 0.1, 0.02), 0.1)
    assert (capsule.shape, capsule.tail) == ("capsule", (0.0, -0.2, 0.0))
    # The extended collider counts, not the sphere that stands in for it.
    assert (plane.shape, plane.normal) == ("plane", (0.0, 1.0, 0.0))
    assert spring.colliders == (2, 0, 1)
    (chain,) = avatar.chain_hints
    assert (chain.kind, chain.why) == ("hair", "spring bone")
    assert chain.hangs_from == avatar.skeleton.roles["head"]
    assert chain.lengths == pytest.approx((0.1, 0.1, 0.1))


def test_springs_of_0_swing_whole_subtrees_in_unitys_axes() -> None:
    avatar = read(vrm_files.avatar_0())
    main, fork = avatar.springs.springs
    assert [avatar.skeleton.names[one.joint] for one in main.joints] == ["hair_0", "hair_1", "hair_2"]
    assert [avatar.skeleton.names[one.joint] for one in fork.joints] == ["fork_0"]
    assert main.tip == pytest.approx((0.0, -0.07, 0.0))
    assert fork.tip == pytest.approx((0.07, 0.0, 0.0))
    # Unity's x goes to the body's right and its z to the front: wind from its left and behind.
    assert main.joints[0].gravity == pytest.approx((-0.1, -0.5, 0.2))
    assert (main.joints[0].stiffness, main.joints[0].drag, main.joints[0].radius_m) == (2.5, 0.3, 0.02)
    (collider,) = avatar.springs.colliders
    assert collider.offset == (0.01, 0.1, -0.02)
    # In the world the collider lies in front of the head: Unity's z is the front.
    turns, at = avatar.rest.world_transforms()
    ahead = quat.rotate(turns[0, collider.joint], collider.offset)
    assert ahead == pytest.approx([-0.01, 0.1, 0.02])
    assert at[0, collider.joint] == pytest.approx(vrm_files.PLACES["head"])


@pytest.mark.parametrize("made", [vrm_files.avatar_0(), vrm_files.avatar_1()], ids=["0.x", "1.0"])
def test_springs_are_found_although_no_skin_uses_their_joints(made: dict[str, Any]) -> None:
    plain = read(made)
    hips = next(n for n, node in enumerate(made["nodes"]) if node["name"] == "b_hips")
    bare = read({**made, "skins": [{"joints": [hips]}]})
    for one, other in zip(plain.chain_hints, bare.chain_hints, strict=True):
        assert [plain.skeleton.names[j] for j in one.joints] == [bare.skeleton.names[j] for j in other.joints]
    assert not [note for note in bare.notes if "left out" in note]


def test_a_joint_follows_one_spring_only() -> None:
    made = vrm_files.avatar_1()
    springs = made["extensions"]["VRMC_springBone"]["springs"]
    springs.append({"name": "again", "joints": springs[0]["joints"][1:]})
    avatar = read(made)
    assert len(avatar.springs.springs) == 1
    assert any("share 2 joints" in note for note in avatar.notes)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda s: s["springs"][0]["joints"].reverse(), "not a parent-child chain"),
        (
            lambda s: s["springs"][0]["joints"][1].update(node=s["springs"][0]["joints"][0]["node"]),
            "not a parent-child chain",
        ),
        (lambda s: s["springs"][0]["joints"][1].update(node=4000), "not in the file"),
        (lambda s: s["springs"][0].update(colliderGroups=[9]), "collider group '9' is not in the file"),
        (lambda s: s["springs"][0].update(center=4000), "center '4000' is not in the file"),
        (lambda s: s["colliderGroups"][0].update(colliders=[7]), "collider '7' is not in the file"),
        (lambda s: s["colliders"][0].update(node=4000), "node '4000' is not in the file"),
        (lambda s: s["colliders"][0].update(shape={}), "shape"),
    ],
    ids=["backwards", "in a cycle", "joint", "group", "center", "collider", "collider's node", "no shape"],
)
def test_springs_that_name_what_is_not_there_are_told_of(change: Any, told: str) -> None:
    made = vrm_files.avatar_1()
    change(made["extensions"]["VRMC_springBone"])
    notes = read(made).notes
    assert any(told in note for note in notes), notes


def test_faces_by_the_names_of_1() -> None:
    made, data = vrm_files.face(vrm_files.avatar_0(), 5, ("a", "b"))
    groups = [
        {"name": "Joy", "presetName": "joy", "binds": [{"mesh": 0, "index": 1, "weight": 50}]},
        {"name": "Wink", "presetName": "unknown", "binds": [{"mesh": 0, "index": 0, "weight": 100}]},
        {"name": "Lost", "presetName": "a", "binds": [{"mesh": 0, "index": 9, "weight": 100}]},
    ]
    made["extensions"]["VRM"]["blendShapeMaster"] = {"blendShapeGroups": groups}
    old = read(made, data)
    assert {name: dict(weights) for name, weights in old.expressions.items()} == {
        "happy": {(0, "b"): 0.5, (1, "b"): 0.5},
        "Wink": {(0, "a"): 1.0, (1, "a"): 1.0},
        "aa": {},
    }
    assert any("morph 9 is not in the file" in note for note in old.notes)
    made, data = vrm_files.face(vrm_files.avatar_1(), 5, ("a", "b"))
    node = len(made["nodes"]) - 1
    bind = {"morphTargetBinds": [{"node": node, "index": 1, "weight": 0.5}]}
    made["extensions"]["VRMC_vrm"]["expressions"] = {"preset": {"happy": bind}, "custom": {"Wink": {}}}
    new = read(made, data)
    assert dict(new.expressions["happy"]) == {(0, "b"): 0.5, (1, "b"): 0.5}
    assert dict(new.expressions["Wink"]) == {}


def test_toon_colours_are_those_of_the_screen_in_both_versions() -> None:
    made, data = vrm_files.face(vrm_files.avatar_1(), 5, ())
    toon = {
        "specVersion": "1.0",
        "shadeColorFactor": SHINY,
        "outlineColorFactor": [0.0, 0.0, 1.0],
        "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": 0.002,
    }
    made["materials"][0]["extensions"] = {"VRMC_materials_mtoon": toon}
    new = read(made, data).materials
    assert new[0].shade == pytest.approx((0.537099, 1.0, 0.0), abs=1e-6)
    assert new[0].outline == pytest.approx((0.0, 0.0, 1.0, 1.0))
    assert new[0].outline_m == 0.002
    assert (new[1].shade, new[1].outline) == (None, None)
    made, data = vrm_files.face(vrm_files.avatar_0(), 5, ())
    old_toon = {
        "shader": "VRM/MToon",
        "vectorProperties": {"_Color": [0.5, 1, 1, 1], "_ShadeColor": [0.537099, 1.0, 0.0, 1.0]},
        "floatProperties": {"_OutlineWidthMode": 1, "_OutlineWidth": 0.2},
    }
    made["extensions"]["VRM"]["materialProperties"] = [old_toon, {"shader": "VRM_USE_GLTFSHADER"}]
    old = read(made, data).materials
    assert old[0].colour == (0.5, 1.0, 1.0, 1.0)
    assert old[0].shade == pytest.approx(new[0].shade, abs=1e-6)
    assert old[0].outline == (0.0, 0.0, 0.0, 1.0)
    assert old[0].outline_m == pytest.approx(0.002)
    assert old[1].shade is None


def test_meta_says_title_authors_and_licence() -> None:
    old, new = read(vrm_files.avatar_0()).meta, read(vrm_files.avatar_1()).meta
    assert (old["format"], old["title"], old["authors"], old["licence"]) == (
        "VRM 0.x",
        "Old avatar",
        ("B. Person",),
        "CC_BY",
    )
    assert (new["format"], new["title"], new["authors"]) == ("VRM 1.0", "Avatar", ("A. Person",))
    assert new["licence"] == new["fields"]["licenseUrl"] == "https://vrm.dev/licenses/1.0/"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e.pop("VRMC_vrm"), "not a VRM avatar"),
        (lambda e: e.update(VRMC_vrm=[]), "extensions.VRMC_vrm: expected an object"),
        (lambda e: e["VRMC_vrm"]["humanoid"].update(humanBones=3), "humanBones: expected an object, found 3"),
        (lambda e: e["VRMC_vrm"]["humanoid"]["humanBones"]["hips"].update(node=999), "a whole number from 0 to"),
        (
            lambda e: e["VRMC_vrm"]["humanoid"]["humanBones"]["head"].update(node=1),
            "one node (1) is named for two bones: hips and head",
        ),
        (lambda e: e["VRMC_springBone"].update(springs={}), "springs: expected a list"),
        (
            lambda e: e["VRMC_springBone"]["springs"][0]["joints"][0].update(stiffness="a"),
            "stiffness: expected a number",
        ),
        (lambda e: e["VRMC_springBone"]["springs"][0]["joints"][0].update(gravityDir=[0]), "three numbers"),
    ],
)
def test_what_is_no_avatar_is_refused_in_one_line(change: Any, message: str) -> None:
    made = vrm_files.avatar_1()
    change(made["extensions"])
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        read(made)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", AVATARS)
def test_real_avatars_stand_in_a_t_pose_and_look_to_the_front(path: Path) -> None:
    avatar = vrm.read(path.read_bytes(), path.name)
    found = places(avatar)
    assert avatar.meta["title"]
    assert {"hips", "spine"} <= set(found)
    if "left_hand" in found:
        assert not [note for note in avatar.notes if "missing" in note]
        assert found["left_hand"][0] > 0.3 > -0.3 > found["right_hand"][0]
        assert found["hips"][1] > found["left_lower_leg"][1] > found["left_foot"][1] > 0.0
    if "left_toes" in found:
        assert found["left_toes"][2] > found["left_foot"][2] + 0.03


def test_godette_has_the_hair_that_three_vrm_swings() -> None:
    avatar = vrm.read(real("character_vrm/Godette_vrm_v4.vrm").read_bytes(), "godette")
    assert len(avatar.skeleton.roles) == 45
    # three-vrm's spring bone manager counts 16 joints in this file.
    assert sum(len(spring.joints) for spring in avatar.springs.springs) == 16
    assert len(avatar.springs.colliders) == 4
    hair = [chain for chain in avatar.chain_hints if chain.kind == "hair"]
    heads = {avatar.skeleton.names[chain.hangs_from] for chain in hair}
    assert len(hair) == 7
    assert heads == {"head_Armature"}
    assert dict(avatar.expressions["blinkLeft"]) == {(0, "blink_left"): 1.0}
    assert avatar.materials[0].shade == pytest.approx((0.827, 0.735954, 0.85), abs=1e-5)
    assert avatar.meta["licence"] == "CC_BY"


@pytest.mark.parametrize("shape", ["plane", "sphere"])
def test_springs_of_a_gltf_without_an_avatar_are_read_too(shape: str) -> None:
    made = json.loads(real(f"character_vrm/threevrm_springbone_{shape}-collider.gltf").read_text())
    # Their vertices lie in files that are not at hand; the springs need none.
    for key in ("meshes", "accessors", "bufferViews", "buffers"):
        del made[key]
    for node in made["nodes"]:
        node.pop("mesh", None)
    document = gltf.parse(json.dumps(made).encode(), "springs.gltf")
    assert vrm.is_avatar(document)
    found = vrm.character(document)
    (spring,) = found.springs.springs
    assert [found.skeleton.names[one.joint] for one in spring.joints] == [f"Spring {letter}" for letter in "ABCDE"]
    (collider,) = found.springs.colliders
    assert (collider.shape, spring.colliders) == (shape, (0,))
    if shape == "plane":
        assert collider.normal == (0.0, 0.0, 1.0)


def test_odd_files() -> None:
    with pytest.raises(FormatError, match="expected JSON"):
        vrm.read(real("odd_vrm/malformed_glb_json.vrm").read_bytes(), "odd.vrm")
    with pytest.raises(FormatError, match="numbers of 2 joints"):
        vrm.read(real("odd_vrm/out_of_range_joints.vrm").read_bytes(), "odd.vrm")
    found = vrm.read(real("odd_vrm/missing_spring_collider_group.vrm").read_bytes(), "odd.vrm")
    assert any("collider group '5' is not in the file" in note for note in found.notes)
    (spring,) = found.springs.springs
    assert spring.colliders == ()
