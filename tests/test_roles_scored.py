"""Roles over generated namings: how many bodies are recognised, with limits; and bodies that were once mistaken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.clips_roles import KEPT_ASIDE, Case, by_names_alone, nameless, score, variants
from komadori import kinematics, quat, roles
from komadori.characters import humanoid
from komadori.motion import Pose
from komadori.roles import lexicon
from komadori.skeleton import Skeleton


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return list(variants(seed=7))


def test_nearly_every_way_to_name_a_body_is_understood(cases: list[Case]) -> None:
    for row in score(cases):
        assert row.rate >= 0.95, (row.group, row.wrong[:3])
        assert row.found >= 0.9 * row.roles, row.group


def test_names_alone_tell_a_body_in_every_language_of_the_word_lists(cases: list[Case]) -> None:
    told = [row for row in score(cases, by_names_alone) if row.group not in KEPT_ASIDE]
    for row in told:
        assert row.rate >= 0.95, (row.group, row.wrong[:3])


def test_a_scorer_that_finds_nothing_scores_nothing(cases: list[Case]) -> None:
    assert all(row.rate == 0.0 and row.found == 0 for row in score(cases[:48], lambda _: {}))


def body(text: str) -> Skeleton:
    """A skeleton from lines "name parent x y z"."""
    lines = [line.split() for line in text.strip().splitlines()]
    names = [line[0] for line in lines]
    return Skeleton(
        tuple(names),
        np.array([names.index(line[1]) if line[1] != "-" else -1 for line in lines]),
        np.array([[float(value) for value in line[2:]] for line in lines]),
    )


BIOVISION = """
Hips - 0 0 0
Chest Hips 0 5.21 0
Neck Chest 0 18.65 0
Head Neck 0 5.45 0
LeftCollar Chest 1.12 16.23 1.87
LeftUpArm LeftCollar 5.54 0 0
LeftLowArm LeftUpArm 0 -11.96 0
LeftHand LeftLowArm 0 -9.93 0
RightCollar Chest -1.12 16.23 1.87
RightUpArm RightCollar -6.07 0 0
RightLowArm RightUpArm 0 -11.82 0
RightHand RightLowArm 0 -10.65 0
LeftUpLeg Hips 3.91 0 0
LeftLowLeg LeftUpLeg 0 -18.34 0
LeftFoot LeftLowLeg 0 -17.37 0
RightUpLeg Hips -3.91 0 0
RightLowLeg RightUpLeg 0 -17.63 0
RightFoot RightLowLeg 0 -17.14 0
"""


def test_the_classic_biovision_skeleton_is_recognised() -> None:
    skeleton = body(BIOVISION)
    found = {role: skeleton.names[joint] for role, joint in roles.find(skeleton).items()}
    assert found == {
        "hips": "Hips",
        "spine": "Chest",
        "neck": "Neck",
        "head": "Head",
        **{
            f"{side}_{role}": f"{side.title()}{name}"
            for side in ("left", "right")
            for role, name in (
                ("shoulder", "Collar"),
                ("upper_arm", "UpArm"),
                ("lower_arm", "LowArm"),
                ("hand", "Hand"),
                ("upper_leg", "UpLeg"),
                ("lower_leg", "LowLeg"),
                ("foot", "Foot"),
            )
        },
    }
    assert roles.body_plan(skeleton) == "biped"


def test_a_neck_beside_the_upper_chest_leads_to_the_head() -> None:
    text = BIOVISION.replace("Collar Chest", "Collar Chest2").replace("Neck Chest", "Chest2 Chest 0 9 0\nNeck Chest")
    skeleton = body(text.replace("UpArm", "Shoulder").replace("LowArm", "Elbow").replace("Hand", "Wrist"))
    found = roles.find(skeleton)
    assert set(roles.MAIN) <= set(found)
    assert skeleton.names[found["neck"]] == "Neck"
    assert skeleton.names[found["head"]] == "Head"


def child(legs: float) -> Skeleton:
    """The built-in body with legs so many times as long, under names that say nothing."""
    own = humanoid()
    offsets = np.array(own.offsets)
    for side in ("left", "right"):
        for role in ("lower_leg", "foot"):
            offsets[own.roles[f"{side}_{role}"]] *= legs
    return replace(nameless(own), offsets=offsets, roles=own.roles)


@pytest.mark.parametrize("legs", [1.0, 0.75, 0.6])
@pytest.mark.parametrize("bend", [0.0, 60.0, 100.0])
def test_a_person_with_short_legs_who_bends_down_is_no_animal(legs: float, bend: float) -> None:
    skeleton = child(legs)
    rotations = np.array(skeleton.rest)
    rotations[skeleton.roles["spine"]] = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(bend))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        # Arms that hang where the floor is, as one who bends down lets them.
        down = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(sign * 80.0))
        back = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(-bend))
        rotations[skeleton.roles[f"{side}_upper_arm"]] = quat.multiply(back, down)
    pose = Pose(rotations, np.array(skeleton.offsets))
    fingerless = {role: joint for role, joint in skeleton.roles.items() if "_" not in role or "al" not in role[-3:]}
    assert roles.body_plan(skeleton.with_roles(fingerless), pose) == "biped"
    if legs < 0.7:
        return
    # As files have it that lay bones along their own axes: the rest pose is this pose.
    world = kinematics.world_positions(skeleton, rotations[None], skeleton.offsets[None])[0]
    offsets = world.copy()
    below = np.flatnonzero(skeleton.parents >= 0)
    offsets[below] -= world[skeleton.parents[below]]
    assert roles.body_plan(replace(skeleton, offsets=offsets, roles=fingerless)) == "biped"


def test_words_in_names() -> None:
    assert lexicon.tokens("Bip01_L_UpperArm02") == ["bip", "l", "upper", "arm"]
    assert lexicon.tokens("Schulter.Links") == ["schulter", "links"]
    assert lexicon.tokens("épauleGauche") == ["epaule", "gauche"]
    assert lexicon.words_in("armlet", 0) is None
    assert lexicon.words_in("左足首", 1) == (("side", "left"), ("part", "ankle"))


def test_controls_twists_and_hair_play_no_role() -> None:
    plain = body(BIOVISION)
    names = (*plain.names, "LeftHand_IK", "LeftUpArmTwist", "Head_Hair")
    parents = np.array([*plain.parents, 0, plain.index("LeftUpArm"), plain.index("Head")])
    more = Skeleton(names, parents, np.vstack([plain.offsets, np.ones((3, 3))]))
    assert roles.find(more) == roles.find(plain)
