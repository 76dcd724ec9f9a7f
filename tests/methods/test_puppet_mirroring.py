"""Mirroring a pose, and the elbows and knees that are drawn around."""

from __future__ import annotations

import numpy as np
import pytest

from komadori import quat
from komadori.characters import character, sample
from komadori.kinematics import world_transforms
from komadori.methods.puppet import dragged, mirrored, rest_pose
from komadori.methods.retarget import retarget
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton

GIRL = character("girl").skeleton
SIDED = [role for role in GIRL.roles if role.startswith("left_")]


def world(skeleton: Skeleton, pose: Pose) -> tuple[Array, Array]:
    turns, places = world_transforms(skeleton, pose.rotations[None], pose.positions[None])
    return turns[0], places[0]


@pytest.fixture(scope="module")
def throwing() -> Pose:
    return retarget(sample("pitch"), character("girl")).motion.pose(74)


def test_mirroring_twice_gives_the_pose_back(throwing: Pose) -> None:
    body = sorted(GIRL.roles.values())
    again = mirrored(GIRL, mirrored(GIRL, throwing))
    turned = quat.angle(quat.multiply(quat.inverse(again.rotations), throwing.rotations))
    assert turned[body].max() < 1e-6


def test_one_side_does_what_the_other_did_and_the_body_faces_where_it_faced(throwing: Pose) -> None:
    """About the hips, seen as the body faces: x changes its sign, y and z stay."""
    hips = GIRL.roles["hips"]
    turns, before = world(GIRL, throwing)
    after_turns, after = world(GIRL, mirrored(GIRL, throwing))
    np.testing.assert_allclose(after[hips], before[hips], atol=1e-9)
    facing = quat.multiply(turns[hips], quat.inverse(world(GIRL, rest_pose(GIRL))[0][hips]))
    upright = np.array([0.0, facing[1], 0.0, facing[3]]) / np.hypot(facing[1], facing[3])

    def seen(places: Array, joint: int) -> Array:
        return np.asarray(quat.rotate(quat.inverse(upright), places[joint] - places[hips]))

    for role in ("hand", "lower_arm", "foot", "lower_leg"):
        left, right = GIRL.roles[f"left_{role}"], GIRL.roles[f"right_{role}"]
        for one, other in ((left, right), (right, left)):
            np.testing.assert_allclose(seen(after, one), seen(before, other) * [-1.0, 1.0, 1.0], atol=5e-3)
    assert np.abs(seen(after, GIRL.roles["left_hand"]) - seen(before, GIRL.roles["left_hand"])).max() > 0.05
    again = quat.multiply(after_turns[hips], quat.inverse(world(GIRL, rest_pose(GIRL))[0][hips]))
    assert np.arctan2(again[1], again[3]) == pytest.approx(np.arctan2(facing[1], facing[3]), abs=1e-6)


def test_what_is_no_part_of_the_body_keeps_its_turns(throwing: Pose) -> None:
    others = [joint for joint in range(len(GIRL)) if joint not in set(GIRL.roles.values())]
    assert others
    np.testing.assert_allclose(mirrored(GIRL, throwing).rotations[others], throwing.rotations[others], atol=1e-12)


@pytest.mark.parametrize(("middle", "end"), [("right_lower_arm", "right_hand"), ("left_lower_leg", "left_foot")])
def test_a_bent_elbow_or_knee_goes_around_while_its_end_stays(middle: str, end: str) -> None:
    joint, tip = GIRL.roles[middle], GIRL.roles[end]
    upper = int(GIRL.parents[joint])
    rest = world(GIRL, rest_pose(GIRL))[1]
    bent = dragged(GIRL, rest_pose(GIRL), tip, rest[upper] + 0.7 * (rest[tip] - rest[upper]))
    turns, before = world(GIRL, bent)
    line = (before[tip] - before[upper]) / np.linalg.norm(before[tip] - before[upper])
    out = before[joint] - before[upper]
    out = out - line * (out @ line)
    goal = before[joint] - out + np.cross(line, out)
    after_turns, after = world(GIRL, dragged(GIRL, bent, joint, goal))
    np.testing.assert_allclose(after[joint], goal, atol=1e-6)
    np.testing.assert_allclose(after[tip], before[tip], atol=1e-6)
    assert quat.angle(quat.multiply(quat.inverse(after_turns[tip]), turns[tip])) < 1e-6


def test_the_elbow_of_a_straight_arm_raises_the_arm() -> None:
    joint, tip = GIRL.roles["right_lower_arm"], GIRL.roles["right_hand"]
    rest = world(GIRL, rest_pose(GIRL))[1]
    upper = int(GIRL.parents[joint])
    reach = float(np.linalg.norm(rest[joint] - rest[upper]))
    goal = rest[upper] + np.array([0.0, reach, 0.0])
    raised = world(GIRL, dragged(GIRL, rest_pose(GIRL), joint, goal))[1]
    assert np.linalg.norm(raised[joint] - goal) < 0.05
    assert raised[tip][1] > rest[tip][1] + 0.2
