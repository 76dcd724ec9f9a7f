"""A key set on another body keeps its meaning: limbs point where they pointed, and the error at the hands is stated."""

from __future__ import annotations

import numpy as np
import pytest

from komadori import Motion, Puppet, kinematics, quat
from komadori.characters import girl_skeleton, humanoid, sample
from komadori.errors import OptionError
from komadori.formats import load
from komadori.methods.puppet import puppet_from
from komadori.methods.puppet.transfer import moved
from komadori.quat import Array
from komadori.skeleton import Skeleton

from realdata import real

BONES = [
    (f"{side}_{a}", f"{side}_{b}")
    for side in ("left", "right")
    for a, b in (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
]
CLIPS = ["human_cmu_bvh/07_01.bvh", "human_cmu_bvh/02_01.bvh", "human_bandai_bvh_NC/dataset-1_kick_normal_001.bvh"]


def resized(skeleton: Skeleton, by: float, arms: float = 1.0) -> Skeleton:
    """The same body larger, with arms longer still."""
    offsets = skeleton.offsets * by
    for role in ("left_lower_arm", "right_lower_arm", "left_hand", "right_hand"):
        offsets[skeleton.roles[role]] *= arms
    return Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.rest, skeleton.roles)


def directions(puppet: Puppet) -> Array:
    """(keys, bones, 3) where each limb's bones point."""
    rotations = np.stack([key.pose.rotations for key in puppet.keys])
    positions = np.stack([key.pose.positions for key in puppet.keys])
    world = kinematics.world_positions(puppet.skeleton, rotations, positions)
    found = np.stack(
        [world[:, puppet.skeleton.roles[b]] - world[:, puppet.skeleton.roles[a]] for a, b in BONES], axis=1
    )
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def pitch_puppet() -> Puppet:
    return puppet_from(sample("pitch"), [0, 30, 50, 60, 70, 90], ik="right_hand")


def test_to_itself_nothing_changes() -> None:
    puppet = pitch_puppet()
    there = puppet.moved_to(humanoid())
    for a, b in zip(puppet.keys, there.keys, strict=True):
        np.testing.assert_allclose(a.position, b.position, atol=1e-9)
        roled = sorted(humanoid().roles.values())
        assert quat.angle(quat.multiply(quat.inverse(a.pose.rotations), b.pose.rotations))[roled].max() < 1e-9
        np.testing.assert_allclose(a.pose.root, b.pose.root, atol=1e-9)


def test_on_a_larger_body_everything_grows() -> None:
    puppet = pitch_puppet()
    there = puppet.moved_to(resized(humanoid(), 1.5))
    np.testing.assert_allclose(directions(there), directions(puppet), atol=1e-9)
    for a, b in zip(puppet.keys, there.keys, strict=True):
        np.testing.assert_allclose(b.pose.root, 1.5 * np.asarray(a.pose.root), atol=1e-9)
        np.testing.assert_allclose(b.position, 1.5 * a.position, atol=1e-9)
    assert moved(humanoid(), puppet.keys, None, resized(humanoid(), 1.5), False).hand_error_m < 1e-9


def test_with_longer_arms_the_handle_stays_at_the_hand() -> None:
    puppet = pitch_puppet()
    there = puppet.moved_to(resized(humanoid(), 1.0, arms=1.4))
    hand = there.skeleton.roles["right_hand"]
    for key in there.keys:
        found = there.pose(key.position)
        world = kinematics.world_positions(there.skeleton, found.rotations[None], found.positions[None])[0]
        np.testing.assert_allclose(world[hand], key.position, atol=1e-4)
        assert np.degrees(quat.angle(quat.multiply(quat.inverse(found.rotations), key.pose.rotations))).max() < 0.1


@pytest.mark.parametrize("name", CLIPS)
def test_real_bodies_and_the_built_in_one_understand_each_other(name: str) -> None:
    clip = load(real(name)).prepared(fps=24)
    frames = list(np.linspace(5, len(clip) - 1, 6).astype(int))
    captured = puppet_from(clip, [int(f) for f in frames], ik="right_hand")
    there = captured.moved_to(humanoid())
    apart = np.degrees(np.arccos(np.clip(np.einsum("kbi,kbi->kb", directions(there), directions(captured)), -1, 1)))
    assert apart.max() < 0.1
    error = moved(captured.skeleton, captured.keys, None, humanoid(), False).hand_error_m
    assert error < 0.05
    assert "cm of their places" in there.notes[-1]
    # And back: as it was.
    back = there.moved_to(clip.skeleton)
    apart = np.degrees(np.arccos(np.clip(np.einsum("kbi,kbi->kb", directions(back), directions(captured)), -1, 1)))
    assert apart.max() < 0.1


@pytest.mark.parametrize("name", CLIPS)
def test_the_built_in_pitch_is_played_by_real_bodies_upright(name: str) -> None:
    clip = load(real(name))
    there = pitch_puppet().moved_to(clip.skeleton)
    take = np.stack([key.position for key in there.keys])
    motion = there.perform(take)
    world = motion.world_positions()
    roles = clip.skeleton.roles
    assert (world[:, roles["head"], 1] > world[:, roles["hips"], 1] + 0.2).all()
    feet = world[:, [roles["left_foot"], roles["right_foot"]], 1].min(axis=1)
    assert np.abs(feet).max() < 0.25


def test_the_uppermost_of_two_spines_follows_the_uppermost_of_three() -> None:
    body = humanoid()
    roles = {role: joint for role, joint in body.roles.items() if role != "upper_chest"}
    two = Skeleton(body.names, body.parents, body.offsets, body.rest, roles)
    puppet = pitch_puppet()
    there = puppet.moved_to(two)
    chest, upper = body.index("chest"), body.index("upper_chest")
    for a, b in zip(puppet.keys, there.keys, strict=True):
        old = kinematics.world_transforms(body, np.asarray(a.pose.rotations)[None], np.asarray(a.pose.positions)[None])[
            0
        ][0]
        new = kinematics.world_transforms(two, np.asarray(b.pose.rotations)[None], np.asarray(b.pose.positions)[None])[
            0
        ][0]
        assert quat.angle(quat.multiply(quat.inverse(old[upper]), new[chest])) < 1e-9


def test_a_walk_can_be_moved_too() -> None:
    from komadori.methods.puppet import walk_of

    walk = puppet_from(sample("walk"), [24, 30, 36, 42], "left_foot", ground=0.0)
    larger = walk_of(walk.moved_to(resized(humanoid(), 1.3)))
    assert larger.stride == pytest.approx(1.3 * walk_of(walk).stride, rel=1e-6)


def test_a_body_without_roles_is_refused() -> None:
    stick = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    with pytest.raises(
        OptionError,
        match="body: the joints hips, head, left_upper_arm, left_lower_arm were not recognised in this body; name its joints' roles first",
    ):
        pitch_puppet().moved_to(stick)
    motion = Motion(stick, 24, quat.identity(2, 2), np.ones((2, 2, 3)))
    with pytest.raises(OptionError, match="name its joints' roles first"):
        puppet_from(motion, [0, 1], "b").moved_to(humanoid())


@pytest.mark.parametrize("name", ["human_cmu_bvh/07_01.bvh", "human_bandai_bvh_NC/dataset-1_kick_normal_001.bvh"])
def test_the_built_in_girl_does_what_a_captured_person_did(name: str) -> None:
    girl = girl_skeleton.skeleton()
    clip = load(real(name)).prepared(fps=24)
    frames = [int(frame) for frame in np.linspace(5, len(clip) - 1, 6)]
    captured = puppet_from(clip, frames, ik="right_hand")
    there = captured.moved_to(girl)
    apart = np.degrees(np.arccos(np.clip(np.einsum("kbi,kbi->kb", directions(there), directions(captured)), -1, 1)))
    assert apart.max() < 0.1
    assert moved(captured.skeleton, captured.keys, captured.ik, girl, False).hand_error_m < 0.05
    # Her hair hangs from the head as it does at rest: nobody told it otherwise.
    hair = [joint for joint in range(len(girl)) if girl.names[joint] not in humanoid().names]
    for key in there.keys:
        np.testing.assert_allclose(key.pose.rotations[hair], girl.rest[hair], atol=1e-9)
