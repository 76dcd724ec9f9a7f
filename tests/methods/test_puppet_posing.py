"""Posing by hand: what is dragged comes to the hand, bones keep their lengths, and feet stay where they stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import kinematics, quat, roles
from komadori.characters import character
from komadori.errors import OptionError
from komadori.methods.puppet import dragged, rest_pose
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton

GIRL = character("girl").skeleton
ROLES = roles.known(GIRL)


def seen(skeleton: Skeleton, pose: Pose) -> tuple[Array, Array]:
    turns, places = kinematics.world_transforms(skeleton, pose.rotations[None], pose.positions[None])
    return turns[0], places[0]


@pytest.mark.parametrize("role", ["left_hand", "right_hand", "left_foot", "right_foot", "head", "left_lower_arm"])
def test_a_joint_comes_to_a_place_within_reach(role: str) -> None:
    rest = rest_pose(GIRL)
    joint = ROLES[role]
    chest = seen(GIRL, rest)[1][ROLES["spine"]]
    # A little towards the body and to the front: every limb reaches that, a single bone only turns towards it.
    at = seen(GIRL, rest)[1][joint]
    goal = at + 0.15 * (chest - at) + np.array([0.0, 0.0, 0.06])
    after = seen(GIRL, dragged(GIRL, rest, joint, goal))[1][joint]
    assert np.linalg.norm(after - goal) < (0.07 if role == "left_lower_arm" else 2e-4)


@given(st.tuples(*[st.floats(-2.0, 2.0)] * 3), st.sampled_from(["right_hand", "left_foot", "head", "hips"]))
@settings(max_examples=40, deadline=None)
def test_bones_keep_their_lengths_wherever_the_hand_goes(goal: tuple[float, float, float], role: str) -> None:
    rest = rest_pose(GIRL)
    pose = dragged(GIRL, rest, ROLES[role], goal)
    np.testing.assert_allclose(np.linalg.norm(pose.rotations, axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(pose.positions[1:], rest.positions[1:])


def test_feet_stay_where_they_stand_when_the_body_is_lowered() -> None:
    rest = rest_pose(GIRL)
    turns, places = seen(GIRL, rest)
    lower = dragged(GIRL, rest, 0, places[0] - np.array([0.0, 0.12, 0.0]))
    after_turns, after = seen(GIRL, lower)
    for role in ("left_foot", "right_foot"):
        np.testing.assert_allclose(after[ROLES[role]], places[ROLES[role]], atol=2e-4)
        assert quat.angle(quat.multiply(quat.inverse(turns[ROLES[role]]), after_turns[ROLES[role]])) < 1e-6
    np.testing.assert_allclose(after[0], places[0] - [0.0, 0.12, 0.0], atol=1e-12)


def test_a_foot_keeps_its_sole_level_and_the_rest_of_the_body_stands_still() -> None:
    rest = rest_pose(GIRL)
    turns, places = seen(GIRL, rest)
    foot = ROLES["right_foot"]
    pose = dragged(GIRL, rest, foot, places[foot] + [0.0, 0.2, 0.15])
    assert quat.angle(quat.multiply(quat.inverse(turns[foot]), seen(GIRL, pose)[0][foot])) < 1e-6
    leg = {ROLES["right_upper_leg"], ROLES["right_lower_leg"], foot}
    others = [joint for joint in range(len(GIRL)) if joint not in leg]
    np.testing.assert_allclose(pose.rotations[others], rest.rotations[others], atol=1e-12)


@pytest.mark.parametrize("joint", [-1, 10_000])
def test_a_joint_that_is_not_there_is_refused(joint: int) -> None:
    with pytest.raises(OptionError, match="joint: expected joints of the skeleton, 0 to 74, found "):
        dragged(GIRL, rest_pose(GIRL), joint, [0, 0, 0])


@pytest.mark.parametrize("target", [[0.0, np.nan, 0.0], [0.0, 0.0], [1e30, 0.0, 0.0]])
def test_a_target_that_is_no_place_is_refused(target: list[float]) -> None:
    with pytest.raises(OptionError):
        dragged(GIRL, rest_pose(GIRL), ROLES["right_hand"], target)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_knee_bends_to_the_front_and_an_elbow_to_the_back(side: str) -> None:
    rest = rest_pose(GIRL)
    _, places = seen(GIRL, rest)
    leg = dragged(GIRL, rest, ROLES[f"{side}_foot"], places[ROLES[f"{side}_foot"]] + [0.0, 0.25, 0.0])
    knee = ROLES[f"{side}_lower_leg"]
    assert seen(GIRL, leg)[1][knee][2] - places[knee][2] > 0.1
    hand, shoulder = places[ROLES[f"{side}_hand"]], places[ROLES[f"{side}_upper_arm"]]
    arm = dragged(GIRL, rest, ROLES[f"{side}_hand"], 0.7 * hand + 0.3 * shoulder)
    elbow = ROLES[f"{side}_lower_arm"]
    assert seen(GIRL, arm)[1][elbow][2] - places[elbow][2] < -0.05
