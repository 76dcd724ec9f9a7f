"""Chains: what swings by itself on a body, by the file's hints, by name and by shape; each joint in one at most."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import chains
from komadori.chains import KINDS, Chain, kind_by_name
from komadori.character import Character
from komadori.characters import humanoid
from komadori.skeleton import Skeleton

from bodies import tree
from realdata import real


def grown(rows: dict[str, list[tuple[str, tuple[float, float, float]]]]) -> Skeleton:
    """The built-in body with rows of joints: name of the joint they hang from -> (name, offset), one below the other."""
    body = humanoid()
    names, parents, offsets = list(body.names), body.parents.tolist(), body.offsets.tolist()
    for above, row in rows.items():
        parent = names.index(above.split("#")[0])
        for name, offset in row:
            names.append(name)
            parents.append(parent)
            offsets.append(list(offset))
            parent = len(names) - 1
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), roles=body.roles)


DOWN, UP, BACK = (0.0, -0.1, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, -0.1)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("J_Sec_Hair2_01", "hair"),
        ("HairJoint-6f1a3", "hair"),
        ("ponytail.L", "hair"),
        ("前髪１", "hair"),
        ("左もみあげ2", "hair"),
        ("髪_後ろ", "hair"),
        ("右ツインテ先", "hair"),
        ("J_Sec_L_SkirtBack0_01", "skirt"),
        ("スカート_0_1", "skirt"),
        ("リボン左", "ribbon"),
        ("ネクタイ3", "ribbon"),
        ("Tail03", "tail"),
        ("しっぽ", "tail"),
        ("尾２", "tail"),
        ("Ear1.L", "ear"),
        ("左耳", "ear"),
        ("マント１", "cloth"),
        ("袖R", "cloth"),
        ("ForeArm", "other"),
        ("LeftToeBase", "other"),
        ("Bone.003", "other"),
        ("Details", "other"),
        ("胸", "other"),
        ("上半身", "other"),
    ],
)
def test_names_tell_the_kind(name: str, kind: str) -> None:
    assert kind_by_name([name]) == kind


def test_rows_are_listed_from_the_head_down_and_from_left_to_right() -> None:
    body = grown(
        {
            "hips": [("skirt_R_1", (-0.2, -0.1, 0.0)), ("skirt_R_2", DOWN)],
            "head#1": [("hair_R_1", (-0.1, 0.1, 0.0)), ("hair_R_2", DOWN), ("hair_R_3", DOWN)],
            "hips#1": [("skirt_L_1", (0.2, -0.1, 0.0)), ("skirt_L_2", DOWN)],
            "head#2": [("hair_L_1", (0.1, 0.1, 0.0)), ("hair_L_2", DOWN), ("hair_L_3", DOWN)],
            "upper_chest#1": [("ribbon_1", (0.0, 0.0, 0.1)), ("ribbon_2", DOWN)],
        }
    )
    found = chains.find(body)
    assert [chain.name for chain in found] == ["hair_L_1", "hair_R_1", "ribbon_1", "skirt_L_1", "skirt_R_1"]
    assert [chain.kind for chain in found] == ["hair", "hair", "ribbon", "skirt", "skirt"]
    assert found[0].hangs_from == body.roles["head"]
    assert [body.names[j] for j in found[0].joints] == ["hair_L_1", "hair_L_2", "hair_L_3"]
    np.testing.assert_allclose(found[0].lengths, [0.1, 0.1])
    assert all(chain.why == "its name" for chain in found)


def test_branches_split_and_a_holder_belongs_to_none() -> None:
    body = grown(
        {
            "head": [("hair_root", UP), ("hair_a1", DOWN), ("hair_a2", DOWN), ("hair_a3", DOWN), ("hair_a4", DOWN)],
            "hair_root": [("hair_b1", DOWN), ("hair_b2", DOWN)],
            "hair_a2": [("hair_c1", BACK), ("hair_c1_end", BACK)],
        }
    )
    rows = {chain.name: [body.names[j] for j in chain.joints] for chain in chains.find(body)}
    assert rows == {
        "hair_a1": ["hair_a1", "hair_a2", "hair_a3", "hair_a4"],
        "hair_b1": ["hair_b1", "hair_b2"],
        "hair_c1": ["hair_c1", "hair_c1_end"],
    }


def test_shape_tells_where_names_do_not() -> None:
    body = grown(
        {
            "head": [("x1", (0.08, 0.1, 0.0)), ("x2", DOWN), ("x3", DOWN)],
            "head#1": [("y1", (-0.08, 0.1, 0.0)), ("y2", UP), ("y3", UP)],
            "head#2": [("jaw_a", (0.0, -0.05, 0.1)), ("jaw_b", DOWN), ("jaw_c", DOWN)],
            "hips": [("z1", BACK), ("z2", BACK), ("z3", BACK)],
            "left_lower_arm": [("twist1", DOWN), ("twist2", DOWN), ("twist3", DOWN)],
        }
    )
    assert {(chain.name, chain.kind) for chain in chains.find(body)} == {("x1", "hair"), ("y1", "ear"), ("z1", "tail")}


def test_the_files_own_chains_come_first_and_are_kept() -> None:
    body = grown(
        {"head": [("hair1", UP), ("hair2", DOWN), ("hair3", DOWN)], "hips": [("tail1", BACK), ("tail2", BACK)]}
    )
    joints = tuple(map(body.index, ("hair1", "hair2", "hair3")))
    hint = Chain("fringe", "other", joints, body.roles["head"], (), why="spring bone")
    again = Chain("twice", "hair", joints[1:], joints[0], (), why="spring bone")
    found = Character("girl", body, chain_hints=(hint, again)).chains()
    assert [(chain.name, chain.kind, chain.why) for chain in found] == [
        ("fringe", "hair", "spring bone"),
        ("tail1", "tail", "its name"),
    ]
    np.testing.assert_allclose(found[0].lengths, [0.1, 0.1])


def test_the_body_itself_is_no_chain() -> None:
    assert chains.find(humanoid()) == ()


@given(st.integers(0, 500), st.integers(1, 40))
def test_any_tree_gives_sound_chains(seed: int, count: int) -> None:
    plain = tree(count, seed)
    random = np.random.default_rng(seed)
    words = ("hair", "skirt", "ear", "bone", "tail", "耳", "腕", "limb")
    names = tuple(f"{words[int(random.integers(len(words)))]}_{i}" for i in range(count))
    body = Skeleton(names, plain.parents, plain.offsets, plain.rest)
    sound(body, chains.find(body))


def sound(body: Skeleton, found: tuple[Chain, ...]) -> None:
    """What must hold of every chain."""
    for chain in found:
        assert chain.kind in KINDS
        assert len(chain.lengths) == len(chain.joints) - 1
        assert body.parents[chain.joints[0]] == chain.hangs_from or chain.why not in ("its name", "its shape")
        for above, below in zip(chain.joints, chain.joints[1:], strict=False):
            assert body.parents[below] == above
    taken = [joint for chain in found for joint in chain.joints]
    assert len(taken) == len(set(taken))
    assert not {j for role, j in body.roles.items() if role != "tail"}.intersection(taken)


@pytest.mark.parametrize("animal", ["Horse", "Husky", "Wolf"])
def test_animals_have_two_ears_and_a_tail(animal: str) -> None:
    character = komadori.load_character(real(f"quadruped_gltf/quaternius_{animal}.glb"))
    found = character.chains()
    sound(character.skeleton, found)
    assert [(chain.kind, chain.name) for chain in found] == [("ear", "Ear1.L"), ("ear", "Ear1.R"), ("tail", "Tail1")]
    assert [len(chain.joints) for chain in found[:2]] == [5, 5]


def test_the_fox_has_a_tail() -> None:
    character = komadori.load_character(real("quadruped_gltf/Fox.glb"))
    (tail,) = character.chains()
    assert [character.skeleton.names[joint][:8] for joint in tail.joints] == ["b_Tail01", "b_Tail02", "b_Tail03"]


def test_godette_is_listed_as_a_person_would() -> None:
    character = komadori.load_character(real("character_vrm/Godette_vrm_v4.vrm"))
    found = character.chains()
    sound(character.skeleton, found)
    assert [chain.name for chain in found] == [
        "FrontHair_L",
        "FrontHair_Center_L",
        "FrontHair_Center_R",
        "FrontHair_R",
        "HairBall_L",
        "HairBall_Center",
        "HairBall_R",
        "Ribbon",
    ]
    assert [chain.kind for chain in found] == 7 * ["hair"] + ["ribbon"]
    assert {character.skeleton.names[chain.hangs_from] for chain in found[:7]} == {"head_Armature"}


def test_gene_has_dozens_of_chains() -> None:
    character = komadori.load_character(real("character_mmd/Gene/Gene.pmx"))
    found = character.chains()
    sound(character.skeleton, found)
    assert Counter(chain.kind for chain in found) == {"hair": 22, "cloth": 9, "skirt": 6, "other": 1}
    kinds = [chain.name.lstrip("左右")[:2] for chain in found if chain.kind == "hair"]
    # Fringe, then sides, crown and back, each in one piece.
    assert list(dict.fromkeys(kinds)) == ["前髪", "横髪", "アホ", "後髪"]
    assert sorted(kinds, key=["前髪", "横髪", "アホ", "後髪"].index) == kinds
    assert all(0.03 < sum(chain.lengths) < 0.4 for chain in found)


def test_without_the_files_hints_the_names_tell_nearly_as_much() -> None:
    for name in ("character_vrm/Godette_vrm_v4.vrm", "character_mmd/Gene/Gene.pmx"):
        character = komadori.load_character(real(name))
        found = chains.find(character.skeleton)
        sound(character.skeleton, found)
        stated = {joint for chain in character.chain_hints if chain.kind == "hair" for joint in chain.joints}
        guessed = {joint for chain in found if chain.kind == "hair" for joint in chain.joints}
        assert len(stated & guessed) >= 0.9 * len(stated)


@pytest.mark.parametrize("name", ["CesiumMan", "RiggedFigure"])
def test_bodies_without_anything_that_swings(name: str) -> None:
    assert komadori.load_character(real(f"character_gltf/{name}.glb")).chains() == ()
