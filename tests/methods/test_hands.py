"""Hands that were not captured: relaxed, a fist in a strike, flat on the ground; captured fingers are left alone."""

from __future__ import annotations

import numpy as np
import pytest

import komadori
from komadori import Motion, kinematics, quat
from komadori.characters import character, sample
from komadori.methods.hands import HandsOptions, hands
from komadori.methods.retarget import retarget
from komadori.pipeline import Recipe, look

from realdata import real

GIRL = character("girl")
BONES = GIRL.skeleton
FPS = 24.0


def standing(frames: int = 96) -> Motion:
    return GIRL.rest.taken(np.zeros(frames, dtype=int))


def arms(elbow_deg: np.ndarray) -> Motion:
    """The girl whose right elbow is bent so far in each frame."""
    motion = standing(len(elbow_deg))
    rotations = np.array(motion.rotations)
    angle = np.radians(elbow_deg)
    rotations[:, BONES.index("right_lower_arm")] = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle)
    return motion.replaced(rotations)


def punch(seconds: float) -> Motion:
    """A bent arm that stretches within that time, two seconds into the clip."""
    time = np.arange(120) / FPS
    return arms(140.0 * (1.0 - np.clip((time - 2.0) / seconds, 0.0, 1.0)))


def bend_deg(motion: Motion, side: str = "right") -> np.ndarray:
    turns = motion.rotations[:, motion.skeleton.index(f"{side}_fingers")]
    return np.degrees(quat.angle(turns))


def test_a_hand_at_rest_is_relaxed_and_bends_towards_its_palm() -> None:
    for side in ("left", "right"):
        made = hands(standing()).motion
        assert bend_deg(made, side) == pytest.approx(24.0)
        # In the rest pose arms are out and palms look down.
        assert made.world_positions()[0, BONES.index(f"{side}_fingers_end"), 1] < (
            standing().world_positions()[0, BONES.index(f"{side}_fingers_end"), 1] - 0.02
        )
    assert bend_deg(hands(standing(), curl=0.0).motion).max() == 0.0


def test_a_punch_is_thrown_with_a_fist_and_a_slow_reach_is_not() -> None:
    struck, slow = hands(punch(0.12)), hands(punch(1.5))
    assert bend_deg(struck.motion)[49] > 100.0
    assert bend_deg(struck.motion)[0] < 30.0
    assert bend_deg(struck.motion)[-1] < 30.0
    assert bend_deg(slow.motion).max() < 30.0
    assert struck.measures["fist"].value > 10.0
    assert bend_deg(hands(punch(0.12), fists=False).motion).max() < 30.0
    # A limit that no hand reaches is a switch as well.
    assert bend_deg(hands(punch(0.12), strike_m_s=20.0).motion).max() < 30.0


def test_fists_stay_closed_between_strikes_of_one_fight() -> None:
    time = np.arange(240) / FPS
    bent = 140.0 * (1.0 - np.clip((time - 2.0) / 0.12, 0.0, 1.0)) + 140.0 * np.clip((time - 2.5) / 0.6, 0.0, 1.0)
    bent -= 140.0 * np.clip((time - 4.2) / 0.12, 0.0, 1.0)
    shown = hands(arms(bent)).fist["right"]
    assert shown[48:103].min() > 0.9
    assert shown[-1] < 0.1


def test_who_spins_with_arms_out_does_not_strike() -> None:
    motion = standing(48)
    rotations = np.array(motion.rotations)
    rotations[:, 0] = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.arange(48) / FPS * 2.0 * np.pi * 2.0)
    assert max(values.max() for values in hands(motion.replaced(rotations)).fist.values()) == 0.0


def test_a_hand_on_the_ground_lies_flat() -> None:
    """Upside down she stands on her hands, arms overhead."""
    motion = standing(72)
    rotations = np.array(motion.rotations)
    rotations[:, 0] = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.pi)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joint = BONES.index(f"{side}_upper_arm")
        rotations[:, joint] = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * np.pi / 2.0)
    made = hands(motion.replaced(rotations))
    assert made.measures["flat"].value == 100.0
    assert bend_deg(made.motion).max() < 1.0
    assert bend_deg(hands(motion.replaced(rotations), flat=False).motion).min() > 20.0


def test_hands_of_a_body_without_legs_lie_on_no_ground() -> None:
    """Nothing but the hands would tell where the ground is."""
    motion = standing(72)
    roles = {role: joint for role, joint in motion.skeleton.roles.items() if not role.endswith(("_foot", "_toes"))}
    made = hands(motion.with_skeleton(motion.skeleton.with_roles(roles)))
    assert made.measures["flat"].value == 0.0


def test_hands_change_shape_without_a_pop() -> None:
    bends = bend_deg(hands(punch(0.12)).motion)
    # From open to closed in no fewer than four frames.
    assert np.abs(np.diff(bends)).max() < 0.3 * np.ptp(bends)
    np.testing.assert_array_equal(hands(punch(0.12)).motion.rotations, hands(punch(0.12)).motion.rotations)


def test_only_fingers_are_touched_and_captured_ones_stay() -> None:
    motion = punch(0.12)
    made = hands(motion).motion
    changed = np.flatnonzero((made.rotations != motion.rotations).any(axis=(0, 2)))
    assert {BONES.names[joint] for joint in changed} == {"left_fingers", "right_fingers"}
    rotations = np.array(motion.rotations)
    joint = BONES.index("right_fingers")
    rotations[:, joint] = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.linspace(0.0, 0.4, len(motion)))
    kept = hands(motion.replaced(rotations)).motion
    np.testing.assert_array_equal(kept.rotations[:, joint], rotations[:, joint])
    assert bend_deg(kept, "left").max() > 20.0


def test_a_body_without_fingers_is_told_so() -> None:
    horse = character("horse")
    made = hands(horse.rest)
    assert made.motion is horse.rest
    assert [str(note) for note in made.notes] == ["The body has no fingers to bend."]
    assert len(hands(GIRL.rest[:0]).motion) == 0


def test_every_look_gives_hands_and_a_recipe_can_leave_them_out() -> None:
    bare = sample("kick")[30:60]
    still = np.array(bare.rotations)
    for side in ("left", "right"):
        still[:, bare.skeleton.index(f"{side}_fingers")] = bare.skeleton.rest[bare.skeleton.index(f"{side}_fingers")]
    for name in ("film", "snappy", "subtle", "tv"):
        recipe = look(name)
        assert "hands" in [step.use for step in recipe.steps]
        assert bend_deg(recipe.run(bare.replaced(still), GIRL).motion).min() > 15.0
    without = Recipe([step for step in look("tv").steps if step.use != "hands"])
    assert bend_deg(without.run(bare.replaced(still), GIRL).motion).max() < 1.0


@pytest.mark.parametrize("name", ["character_vrm/Godette_vrm_v4.vrm", "character_mmd/Gene/Gene.pmx"])
def test_the_fingers_of_real_avatars_close_around_the_palm(name: str) -> None:
    body = komadori.load_character(real(name))
    known, bones = body.skeleton.roles, body.skeleton
    made = hands(retarget(punch(0.12), body).motion, HandsOptions(hold_s=1.0))
    assert made.motion.skeleton is not None
    at = int(np.argmax(made.fist["right"]))
    for side in ("left", "right"):
        _, world = kinematics.world_transforms(bones, made.motion.rotations[[0, at]], made.motion.positions[[0, at]])
        wrist, tips = known[f"{side}_hand"], [known[f"{side}_{f}_distal"] for f in ("index", "middle")]
        for tip in tips:
            open_m, closed_m = (float(np.linalg.norm(frame[tip] - frame[wrist])) for frame in world)
            assert closed_m < 0.75 * open_m


def test_a_boxer_has_fists_and_a_walker_has_none() -> None:
    clips = [komadori.load(real(f"human_cmu_bvh/{name}.bvh")) for name in ("13_17", "07_01")]
    shares = [hands(Recipe([]).run(clip, GIRL).motion).measures["fist"].value for clip in clips]
    assert shares[0] > 30.0
    assert shares[1] == 0.0
