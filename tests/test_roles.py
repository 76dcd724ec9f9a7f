"""Roles: the right joint for every naming that we know, the same by shape alone, and never an error."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import formats, roles
from komadori.characters import sample
from komadori.motion import Motion
from komadori.roles import names, tables
from komadori.skeleton import END_SUFFIX, Skeleton

from realdata import real, reals

ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toes")


def expected(middle: str, arm: str, leg: str, left: tuple[str, str]) -> dict[str, str]:
    """Role -> joint name, from "hips spine chest upper_chest neck head" ("-" for none) and sided templates."""
    found = dict(zip(("hips", "spine", "chest", "upper_chest", "neck", "head"), middle.split(), strict=True))
    for side, word in zip(("left", "right"), left, strict=True):
        for kind, text in ((ARM, arm), (LEG, leg)):
            found |= {f"{side}_{role}": name.format(word) for role, name in zip(kind, text.split(), strict=True)}
    return {role: name for role, name in found.items() if name != "-"}


LONG = ("Left", "Right")
MIXAMO_ARM, MIXAMO_LEG = "{}Shoulder {}Arm {}ForeArm {}Hand", "{}UpLeg {}Leg {}Foot {}ToeBase"
CLASSIC_ARM = "{}Collar {}Shoulder {}Elbow {}Wrist"
RIGS = {
    "human_cmu_bvh/02_01.bvh": expected("Hips LowerBack Spine Spine1 Neck Head", MIXAMO_ARM, MIXAMO_LEG, LONG),
    "human_cmu_asfamc/02_01.amc": expected(
        "root lowerback upperback thorax lowerneck head",
        "{}clavicle {}humerus {}radius {}wrist",
        "{}femur {}tibia {}foot {}toes",
        ("l", "r"),
    ),
    "human_bandai_bvh_NC/dataset-1_walk_normal_001.bvh": expected(
        "Hips Spine Chest - Neck Head",
        "Shoulder_{} UpperArm_{} LowerArm_{} Hand_{}",
        "UpperLeg_{} LowerLeg_{} Foot_{} Toes_{}",
        ("L", "R"),
    ),
    "human_other_bvh/animateddrawings_fair1_zombie.bvh": expected(
        "Hips Spine Spine1 Spine3 Neck Head", MIXAMO_ARM, MIXAMO_LEG, LONG
    ),
    "human_other_bvh/animateddrawings_rokoko_jesse_dance.bvh": expected(
        "Hips Spine Spine1 Spine2 Neck Head", MIXAMO_ARM, MIXAMO_LEG, LONG
    ),
    "human_other_bvh/mocopi-mobile-arm-raise-turn.bvh": expected(
        "root torso_2 torso_4 torso_7 neck_1 head",
        "{}_shoulder {}_up_arm {}_low_arm {}_hand",
        "{}_up_leg {}_low_leg {}_foot {}_toes",
        ("l", "r"),
    ),
    "human_other_bvh/threejs_pirouette.bvh": expected(
        "hip abdomen chest - neck head", "{}Collar {}Shldr {}ForeArm {}Hand", "{}Thigh {}Shin {}Foot -", ("l", "r")
    ),
    "odd_bvh/assimp_Boxing_Toes.bvh": expected(
        "Hips Ab Chest - Neck Head", CLASSIC_ARM, "{}Hip {}Knee {}Ankle {}Toes", LONG
    ),
    "odd_bvh/bvhpython_test_mocapbank.bvh": expected(
        "Hips Chest Chest2 - Neck Head", CLASSIC_ARM, "{}Hip {}Knee {}Ankle -", LONG
    ),
    "odd_bvh/pybvh_bvh_test2.bvh": expected(
        "Hips Chest Chest2 Chest4 Neck Head", CLASSIC_ARM, "{}Hip {}Knee {}Ankle {}Toe", LONG
    ),
    "odd_bvh/bvhtoolbox_walk01.bvh": expected(
        "Hips Spine Spine1 - Neck Head", MIXAMO_ARM, "{}UpLeg {}Leg {}Foot -", LONG
    ),
    "odd_bvh/bvhpython_test_freebvh.bvh": expected(
        "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck mixamorig:Head",
        "mixamorig:{}Shoulder mixamorig:{}Arm mixamorig:{}ForeArm mixamorig:{}Hand",
        "mixamorig:{}UpLeg mixamorig:{}Leg mixamorig:{}Foot mixamorig:{}ToeBase",
        LONG,
    ),
    "quadruped_tencent_dog_bvh/30fps_trim_dog_walk.bvh": {
        **expected(
            "b_Hips b_Spine b_Spine1 b_Spine3 b__Neck b_Head",
            "b_{}Clav b_{}Arm b_{}ForeArm b_{}Hand",
            "b_{}LegUpper b_{}Leg b_{}Leg1 b_{}Ankle",
            LONG,
        ),
        "tail": "b_Tail001",
        "jaw": "Dog_Jaw",
    },
    "quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh": {
        **expected("Hips Spine Spine1 - Neck Head", MIXAMO_ARM, "{}UpLeg {}Leg {}Foot -", LONG),
        "tail": "Tail",
    },
}
"""Written by hand from looking at the files: every role of trunk, arms and legs, and the joint that plays it."""

MADE_UP = {
    "Blender": (
        ["hips", "spine", "chest", "neck", "head"],
        ["shoulder.{}", "upper_arm.{}", "lower_arm.{}", "hand.{}"],
        ["upper_leg.{}", "lower_leg.{}", "foot.{}", "toes.{}"],
        ("L", "R"),
    ),
    "Rigify": (
        ["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003", "DEF-spine.004", "DEF-spine.006"],
        ["DEF-shoulder.{}", "DEF-upper_arm.{}", "DEF-forearm.{}", "DEF-hand.{}"],
        ["DEF-thigh.{}", "DEF-shin.{}", "DEF-foot.{}", "DEF-toe.{}"],
        ("L", "R"),
    ),
    "VRM 1": (
        ["hips", "spine", "chest", "upperChest", "neck", "head"],
        ["{}Shoulder", "{}UpperArm", "{}LowerArm", "{}Hand"],
        ["{}UpperLeg", "{}LowerLeg", "{}Foot", "{}Toes"],
        ("left", "right"),
    ),
    "VRoid": (
        [f"J_Bip_C_{n}" for n in ("Hips", "Spine", "Chest", "UpperChest", "Neck", "Head")],
        ["J_Bip_{}_Shoulder", "J_Bip_{}_UpperArm", "J_Bip_{}_LowerArm", "J_Bip_{}_Hand"],
        ["J_Bip_{}_UpperLeg", "J_Bip_{}_LowerLeg", "J_Bip_{}_Foot", "J_Bip_{}_ToeBase"],
        ("L", "R"),
    ),
    "3ds Max Biped": (
        [f"Bip01 {n}" for n in ("Pelvis", "Spine", "Spine1", "Spine2", "Neck", "Head")],
        ["Bip01 {} Clavicle", "Bip01 {} UpperArm", "Bip01 {} Forearm", "Bip01 {} Hand"],
        ["Bip01 {} Thigh", "Bip01 {} Calf", "Bip01 {} Foot", "Bip01 {} Toe0"],
        ("L", "R"),
    ),
    "Unreal": (
        ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
        ["clavicle_{}", "upperarm_{}", "lowerarm_{}", "hand_{}"],
        ["thigh_{}", "calf_{}", "foot_{}", "ball_{}"],
        ("l", "r"),
    ),
    "MMD": (
        ["センター", "上半身", "上半身2", "首", "頭"],
        ["{}肩", "{}腕", "{}ひじ", "{}手首"],
        ["{}足", "{}ひざ", "{}足首", "{}つま先"],
        ("左", "右"),
    ),
    "MMD's D bones": (
        ["センター", "上半身", "上半身２", "首", "頭"],
        ["{}肩", "{}腕", "{}ひじ", "{}手首"],
        ["{}足D", "{}ひざD", "{}足首D", "{}足先EX"],
        ("左", "右"),
    ),
    "namespace of a file": (
        [f"scene:Character1_{n}" for n in ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")],
        ["scene:Character1_{}Shoulder", "scene:Character1_{}Arm", "scene:Character1_{}ForeArm", "scene:Character1_{}Hand"],
        ["scene:Character1_{}UpLeg", "scene:Character1_{}Leg", "scene:Character1_{}Foot", "scene:Character1_{}ToeBase"],
        ("Left", "Right"),
    ),
}  # fmt: skip
MIDDLES = {5: ("hips", "spine", "chest", "neck", "head"), 6: ("hips", "spine", "chest", "upper_chest", "neck", "head")}


def figure(middle: list[str], arm: list[str], leg: list[str], sides: tuple[str, str]) -> Skeleton:
    """A standing body with these joint names: trunk in a row, arms at the chest, legs at the hips."""
    joints: list[str] = list(middle)
    parents = [-1, *range(len(middle) - 1)]
    offsets = [[0.0, 1.0, 0.0]] + [[0.0, 0.15, 0.0]] * (len(middle) - 1)
    for side, sign in zip(sides, (1.0, -1.0), strict=True):
        for limb, at, bones in (
            (arm, len(middle) - 3, [[0.03, 0.1, 0.0], [0.12, 0.0, 0.0], [0.3, 0.0, 0.0], [0.25, 0.0, 0.0]]),
            (leg, 0, [[0.1, -0.05, 0.0], [0.0, -0.42, 0.0], [0.0, -0.4, 0.0], [0.0, -0.06, 0.14]]),
        ):
            for name, bone in zip(limb, bones, strict=True):
                parents.append(at)
                at = len(joints)
                joints.append(name.format(side))
                offsets.append([sign * bone[0], bone[1], bone[2]])
    return Skeleton(tuple(joints), np.array(parents), np.array(offsets))


def nameless(skeleton: Skeleton) -> Skeleton:
    """The same joints as joint_0, joint_1, ...; end sites stay end sites."""
    renamed = [f"joint_{i}" + (END_SUFFIX if end else "") for i, end in enumerate(skeleton.end_sites)]
    return Skeleton(tuple(renamed), skeleton.parents, skeleton.offsets, skeleton.rest)


def loaded(path: Path) -> Motion:
    motion = formats.load(path)
    return motion.with_skeleton(motion.skeleton.with_roles({}))


@pytest.mark.parametrize("file", RIGS)
def test_every_real_rig_has_the_roles_that_a_person_reads_in_it(file: str) -> None:
    skeleton = loaded(real(file)).skeleton
    found = roles.find(skeleton)
    trunk_and_limbs = {r: skeleton.names[j] for r, j in found.items() if r in RIGS[file] or r.endswith((*ARM, *LEG))}
    trunk_and_limbs |= {r: skeleton.names[found[r]] for r in ("spine", "chest", "upper_chest", "tail") if r in found}
    assert trunk_and_limbs == RIGS[file]


@pytest.mark.parametrize("file", RIGS)
def test_shape_alone_finds_the_main_roles_of_every_real_rig(file: str) -> None:
    motion = loaded(real(file))
    pose = motion.pose(min(1, len(motion) - 1))
    found = roles.find(nameless(motion.skeleton), pose)
    assert {role: motion.skeleton.names[found[role]] for role in roles.MAIN if role in found} == {
        role: RIGS[file][role] for role in roles.MAIN
    }


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh", "human_bandai_bvh_NC/*.bvh", "quadruped_*_bvh*/*.bvh"))
def test_every_clip_has_one_answer_by_name_and_by_shape(path: Path) -> None:
    motion = loaded(path)
    named = roles.find(motion.skeleton)
    # Frame 0 may be a calibration pose, which is as good as any to tell left from right.
    formed = roles.find(nameless(motion.skeleton), motion.pose(0))
    assert {r: formed[r] for r in roles.MAIN} == {r: named[r] for r in roles.MAIN}


@pytest.mark.parametrize("path", reals("human_*_bvh*/*.bvh", "quadruped_*_bvh*/*.bvh"))
def test_plans_of_real_bodies(path: Path) -> None:
    motion = loaded(path)
    want = "quadruped" if "dog" in path.parent.name else "biped"
    assert roles.body_plan(motion.skeleton) == want
    assert roles.body_plan(nameless(motion.skeleton), motion.pose(0)) == want


@pytest.mark.parametrize("rig", MADE_UP)
def test_other_namings(rig: str) -> None:
    middle, arm, leg, sides = MADE_UP[rig]
    skeleton = figure(middle, arm, leg, sides)
    found = {role: skeleton.names[joint] for role, joint in names.by_name(skeleton)[0].items()}
    want = dict(zip(MIDDLES[len(middle)], middle, strict=True))
    for side, word in zip(("left", "right"), sides, strict=True):
        want |= {f"{side}_{role}": name.format(word) for role, name in zip((*ARM, *LEG), (*arm, *leg), strict=True)}
    assert found == want


def test_a_shoulder_is_a_collar_bone_or_an_upper_arm_as_the_rest_of_the_rig_says() -> None:
    mixamo = figure(["Hips", "Spine", "Spine1", "Neck", "Head"], MIXAMO_ARM.split(), MIXAMO_LEG.split(), LONG)
    classic = figure(
        ["Hips", "Chest", "Chest2", "Neck", "Head"], CLASSIC_ARM.split(), ["{}Hip", "{}Knee", "{}Ankle", "{}Toe"], LONG
    )
    assert mixamo.names[roles.find(mixamo)["left_shoulder"]] == "LeftShoulder"
    assert classic.names[roles.find(classic)["left_upper_arm"]] == "LeftShoulder"


def test_a_joint_that_hangs_elsewhere_does_not_play_the_role() -> None:
    body = figure(["Hips", "Spine", "Spine1", "Neck", "Head"], MIXAMO_ARM.split(), MIXAMO_LEG.split(), LONG)
    # A control called LeftHand at the root, before the real one.
    strange = Skeleton(
        ("root", "mixamorig:LeftHand", *body.names),
        np.array([-1, 0, *np.where(body.parents < 0, 0, body.parents + 2)]),
        np.vstack([np.zeros((2, 3)), body.offsets]),
    )
    assert strange.names[roles.find(strange)["left_hand"]] == "LeftHand"


def test_a_limb_without_its_upper_bone_is_not_read_further() -> None:
    stump = Skeleton(("Hips", "LeftForeArm", "LeftHand"), np.array([-1, 0, 1]), np.ones((3, 3)))
    assert roles.find(stump) == {"hips": 0}


def test_a_joint_at_the_crown_is_not_the_head() -> None:
    body = figure(["Hips", "Spine", "Spine1", "Neck", "Head"], MIXAMO_ARM.split(), MIXAMO_LEG.split(), LONG)
    crowned = Skeleton(
        (*body.names, "crown"), np.array([*body.parents, 4]), np.vstack([body.offsets, [0.0, 0.25, 0.0]])
    )
    assert roles.find(nameless(body))["head"] == 4
    assert roles.find(nameless(crowned))["head"] == 4


def glb_nodes(path: Path) -> Skeleton:
    """The node tree of a GLB as a skeleton: enough to look at names and hierarchy."""
    data = path.read_bytes()
    nodes: list[dict[str, Any]] = json.loads(data[20 : 20 + struct.unpack("<I", data[12:16])[0]])["nodes"]
    parent = {kid: i for i, node in enumerate(nodes) for kid in node.get("children", ())}
    order: list[int] = [i for i in range(len(nodes)) if i not in parent]
    for node in order:
        order.extend(nodes[node].get("children", ()))
    place = {node: i for i, node in enumerate(order)}
    # Several nodes may have one name: all but the first get their number.
    told = {nodes[i].get("name"): i for i in reversed(order)}
    return Skeleton(
        tuple(
            nodes[i]["name"] if told.get(nodes[i].get("name")) == i else f"{nodes[i].get('name')} {i}" for i in order
        ),
        np.array([place[parent[i]] if i in parent else -1 for i in order]),
        np.array([nodes[i].get("translation", (0.0, 0.0, 0.0)) for i in order], dtype=float),
        np.array([nodes[i].get("rotation", (0.0, 0.0, 0.0, 1.0)) for i in order], dtype=float),
    )


ANIMALS = expected(
    "Back Torso Torso2 Torso3 Neck1 Head",
    "FrontShoulder.{0} FrontUpperLeg.{0} FrontLowerLeg.{0} FrontLowerLeg.{0}_end",
    "BackLeg.{0} BackUpperLeg.{0} BackLowerLeg.{0} BackLowerLeg.{0}_end",
    ("L", "R"),
) | {"tail": "Tail1"}
FOX = {
    "hips": "b_Hip_01",
    "spine": "b_Spine01_02",
    "chest": "b_Spine02_03",
    "neck": "b_Neck_04",
    "head": "b_Head_05",
    "tail": "b_Tail01_012",
    "left_upper_arm": "b_LeftUpperArm_09",
    "left_lower_arm": "b_LeftForeArm_010",
    "left_hand": "b_LeftHand_011",
    "right_upper_arm": "b_RightUpperArm_06",
    "right_lower_arm": "b_RightForeArm_07",
    "right_hand": "b_RightHand_08",
    "left_upper_leg": "b_LeftLeg01_015",
    "left_lower_leg": "b_LeftLeg02_016",
    "left_foot": "b_LeftFoot01_017",
    "left_toes": "b_LeftFoot02_018",
    "right_upper_leg": "b_RightLeg01_019",
    "right_lower_leg": "b_RightLeg02_020",
    "right_foot": "b_RightFoot01_021",
    "right_toes": "b_RightFoot02_022",
}


@pytest.mark.parametrize(
    ("file", "want"),
    [
        ("quaternius_Horse.glb", ANIMALS),
        ("quaternius_Wolf.glb", ANIMALS),
        ("quaternius_Husky.glb", ANIMALS),
        ("Fox.glb", FOX),
    ],
)
def test_rigged_animals(file: str, want: dict[str, str]) -> None:
    skeleton = glb_nodes(real(f"quadruped_gltf/{file}"))
    assert {role: skeleton.names[joint] for role, joint in roles.find(skeleton).items()} == want
    assert roles.body_plan(skeleton) == "quadruped"


@pytest.mark.parametrize(
    ("file", "elbow", "hand", "foot"),
    [
        ("character_gltf/CesiumMan.glb", "Skeleton_arm_joint_L__3_", "Skeleton_arm_joint_L__2_", "leg_joint_L_3"),
        ("character_gltf/RiggedFigure.glb", "arm_joint_L_2", "arm_joint_L_3", "leg_joint_L_3"),
        ("character_gltf/babylon_HVGirl.glb", "mixamorig:LeftForeArm", "mixamorig:LeftHand", "mixamorig:LeftFoot"),
        ("character_vrm/Godette_vrm_v4.vrm", "lowerarm.l_Armature", "hand.l_Armature", "foot.l_Armature"),
        ("character_vrm/vrmaddon_Example.vrm", "lower_arm.L", "hand.L", "foot.L"),
        ("character_vrma/threevrm_test.vrma", "leftLowerArm", "leftHand", "leftFoot"),
        ("character_vrma/tk256ailab_original_01.vrma", "J_Bip_L_LowerArm", "J_Bip_L_Hand", "J_Bip_L_Foot"),
    ],
)
def test_rigged_figures(file: str, elbow: str, hand: str, foot: str) -> None:
    skeleton = glb_nodes(real(file))
    found = roles.find(skeleton)
    assert set(roles.MAIN) <= set(found)
    told = [skeleton.names[found[f"left_{role}"]] for role in ("lower_arm", "hand", "foot")]
    assert told == [elbow, hand, foot]
    assert roles.body_plan(skeleton) == "biped"


def test_fingers_follow_vrm_1() -> None:
    skeleton = loaded(real("human_other_bvh/animateddrawings_rokoko_jesse_dance.bvh")).skeleton
    found = {role: skeleton.names[joint] for role, joint in roles.find(skeleton).items()}
    assert found["left_thumb_metacarpal"] == "LeftHandThumb1"
    assert found["left_thumb_distal"] == "LeftHandThumb3"
    assert found["right_index_proximal"] == "RightHandIndex1"
    assert found["right_little_distal"] == "RightHandPinky3"


def test_bipeds_finger_numbers_are_not_mixed_up() -> None:
    # Finger01 is the thumb's second joint, Finger1 the index finger's first.
    chain = ["Bip01 Pelvis", "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand"]
    fingers = [f"Bip01 L Finger{n}" for n in ("0", "01", "02", "1", "11", "12")]
    skeleton = Skeleton((*chain, *fingers), np.array([-1, 0, 1, 2, 3, 4, 5, 3, 7, 8]), np.ones((10, 3)))
    found = {role: skeleton.names[joint] for role, joint in roles.find(skeleton).items()}
    assert found["left_thumb_proximal"] == "Bip01 L Finger01"
    assert found["left_index_proximal"] == "Bip01 L Finger1"
    assert found["left_index_distal"] == "Bip01 L Finger12"


@pytest.mark.parametrize("file", RIGS)
def test_every_joint_is_in_exactly_one_part_and_takes_its_children_along(file: str) -> None:
    skeleton = loaded(real(file)).skeleton
    masks = roles.parts(skeleton)
    assert (np.sum(list(masks.values()), axis=0) == 1).all()
    found = roles.find(skeleton)
    assert masks["root"][found["hips"]]
    assert masks["head"][skeleton.below([found["neck"]])].all()
    for side in ("left", "right"):
        assert masks[f"{side}_arm"][skeleton.below([found[f"{side}_upper_arm"]])].all()
        assert masks[f"{side}_leg"][skeleton.below([found[f"{side}_upper_leg"]])].all()
    assert ("tail" in masks) == ("dog" in file)


def test_parts_of_the_cmu_body() -> None:
    skeleton = loaded(real("human_cmu_bvh/02_01.bvh")).skeleton
    told = {
        part: [n for n, on in zip(skeleton.names, mask, strict=True) if on]
        for part, mask in roles.parts(skeleton).items()
    }
    assert told["root"] == ["Hips"]
    assert told["body"] == ["LowerBack", "Spine", "Spine1"]
    assert told["left_leg"][:2] == ["LHipJoint", "LeftUpLeg"]
    assert told["left_arm"][0] == "LeftShoulder"
    assert told["head"][0] == "Neck"


def test_parts_of_something_that_is_no_body_are_the_root_alone() -> None:
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.ones((3, 3)))
    assert roles.parts(chain)["root"].all()
    assert roles.body_plan(chain) == "unknown"


def test_a_skeletons_own_roles_come_first() -> None:
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.ones((3, 3)), roles={"hips": 0, "tail": 1})
    assert roles.known(chain) == {"hips": 0, "tail": 1}
    assert roles.parts(chain)["tail"].tolist() == [False, True, True]


@given(
    parents=st.lists(st.floats(0.0, 1.0, exclude_max=True), max_size=60),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.0, 1e-9, 1.0, 1e12]),
    words=st.lists(st.text(max_size=12), min_size=61, max_size=61, unique=True),
)
def test_any_tree_gets_roles_or_none_and_never_an_error(
    parents: list[float], seed: int, scale: float, words: list[str]
) -> None:
    tree = np.array([-1, *(int(share * (i + 1)) for i, share in enumerate(parents))])
    offsets = np.random.default_rng(seed).normal(size=(len(tree), 3)) * scale
    skeleton = Skeleton(tuple(words[: len(tree)]), tree, offsets)
    found = roles.find(skeleton)
    assert all(0 <= joint < len(tree) for joint in found.values())
    assert len(set(found.values())) == len(found)
    assert roles.body_plan(skeleton) in ("biped", "quadruped", "unknown")
    assert (np.sum(list(roles.parts(skeleton).values()), axis=0) == 1).all()


@pytest.mark.parametrize("offsets", [np.full((12, 3), np.nan), np.full((12, 3), np.inf), np.zeros((12, 3))])
def test_broken_offsets_do_no_harm(offsets: np.ndarray[Any, Any]) -> None:
    parents = np.array([-1, 0, 0, 0, 1, 2, 3, 6, 6, 6, 7, 8])
    assert roles.find(Skeleton(tuple(map(str, range(12))), parents, offsets)) == {}


def test_long_chains_and_wide_stars_are_read_in_no_time() -> None:
    many = 5000
    chain = Skeleton(tuple(f"c{i}" for i in range(many)), np.arange(-1, many - 1), np.ones((many, 3)))
    star = Skeleton(tuple(f"s{i}" for i in range(many)), np.array([-1] + [0] * (many - 1)), np.ones((many, 3)))
    assert roles.find(chain) == {}
    assert roles.find(star) == {}


def test_the_tables_speak_only_of_roles_that_exist() -> None:
    for convention in tables.CONVENTIONS:
        assert set(convention.names) <= {*tables.MIDDLE, *tables.SIDED}, convention.name


def test_a_leg_whose_foot_hangs_from_the_root_ends_where_its_shin_does() -> None:
    """Rigs with inverse kinematics, such as the animals of Quaternius, control feet apart from the legs."""
    names = ["root", "Body", "Neck", "Head"]
    parents = [-1, 0, 1, 2]
    offsets = [[0, 0, 0], [0, 2.3, 0], [0, 1.0, 1.5], [0, 1.0, 0.8]]
    for end, z in (("Front", 1.8), ("Back", -2.2)):
        for side, x in (("L", 0.5), ("R", -0.5)):
            first = len(names)
            names += [f"{end}UpLeg.{side}", f"{end}LowLeg.{side}", f"{end}LowLeg.{side}_end", f"{end}Foot.{side}"]
            parents += [1, first, first + 1, 0]
            offsets += [[x, 0.8, z], [0, -1.4, 0.2], [0, -1.5, -0.2], [x, 0.1, z]]
    skeleton = Skeleton(tuple(names), parents, offsets)
    found = roles.find(skeleton)
    assert set(roles.MAIN) <= found.keys()
    assert names[found["left_foot"]] == "BackLowLeg.L_end"
    assert names[found["right_hand"]] == "FrontLowLeg.R_end"
    assert roles.body_plan(skeleton.with_roles(found)) == "quadruped"


def test_two_numbered_joints_below_the_head_are_a_neck() -> None:
    body = sample("walk").skeleton
    head, chest = body.roles["head"], body.roles["upper_chest"]
    # The neck in two, and trunk and neck counted from 1.
    at = body.roles["neck"]
    label = {
        "spine": "Spine1",
        "chest": "Spine2",
        "upper_chest": "Spine3",
        "hips": "Hips",
        "head": "Head",
        "neck": "Neck2",
    }
    named = {body.roles[role]: name for role, name in label.items()}
    sided = {"shoulder": "Shoulder", "upper_arm": "Arm", "lower_arm": "ForeArm", "hand": "Hand", "upper_leg": "UpLeg", "lower_leg": "Leg", "foot": "Foot"}  # fmt: skip
    named |= {body.roles[f"{side.lower()}_{role}"]: side + name for side in LONG for role, name in sided.items()}
    every = [named.get(joint, name) for joint, name in enumerate(body.names)]
    parents = [int(parent) + (parent >= at) for parent in body.parents]
    parents = [*parents[:at], parents[at], at, *parents[at + 1 :]]
    offsets = np.concatenate([body.offsets[: at + 1], [[0.0, 0.04, 0.0]], body.offsets[at + 1 :]])
    found = roles.find(Skeleton((*every[:at], "Neck1", *every[at:]), np.array(parents), offsets))
    assert found["neck"] == at
    assert found["head"] == head + 1
    assert found["upper_chest"] == chest
