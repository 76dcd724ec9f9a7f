"""What must hold of the horse's skeleton and of its gaits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from komadori import feet, quat, roles
from komadori.characters import character
from komadori.characters.body import SIDES
from komadori.characters.horse_gait import GAITS, TROT, WALK, reached
from komadori.characters.horse_skeleton import skeleton
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array

FINE = 240.0
HOOVES = ("left_back_foot_end", "left_front_pastern_end", "right_back_foot_end", "right_front_pastern_end")
every = pytest.mark.parametrize("name", list(GAITS))


@pytest.fixture(scope="module")
def fine() -> dict[str, Motion]:
    return {name: gait.motion(FINE) for name, gait in GAITS.items()}


def place(motion: Motion, joint: str) -> Array:
    return motion.world_positions()[:, motion.skeleton.index(joint)]


def standing(motion: Motion, hoof: str) -> np.ndarray:
    """(F,) whether a hoof's toe is on the ground."""
    return place(motion, hoof)[:, 1] < 2e-4


def strikes(motion: Motion, hoof: str) -> Array:
    """Phases of the cycle, 0 to 1, in which the hoof comes down."""
    on = standing(motion, hoof)
    gait = GAITS["walk" if motion.duration_s < 3.7 else "trot"]
    frames = np.flatnonzero(on[1:] & ~on[:-1]) + 1
    return np.asarray(frames / motion.fps / gait.cycle_s % 1.0)


# The body


def test_it_has_a_quadrupeds_roles() -> None:
    bones = skeleton()
    limbs = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
    trunk = {"hips", "spine", "chest", "upper_chest", "neck", "head", "tail"}
    assert set(bones.roles) == trunk | {f"{side}_{limb}" for side, _ in SIDES for limb in limbs}
    assert roles.body_plan(bones) == "quadruped"
    found = roles.find(replace(bones, roles={}))
    assert all(bones.roles[role] == joint for role, joint in found.items())
    assert len(found) >= 20


def test_it_stands_on_four_hooves() -> None:
    rest = character("horse").rest.world_positions()[0]
    bones = skeleton()
    for hoof in HOOVES:
        assert rest[bones.index(hoof), 1] == pytest.approx(0.0)
    for side, sign in SIDES:
        assert sign * rest[bones.index(f"{side}_front_foot"), 0] > 0.1
        # The hock points back, the stifle and the elbow as a horse's do.
        assert rest[bones.index(f"{side}_back_lower_leg"), 2] < rest[bones.index(f"{side}_back_upper_leg"), 2]
        assert rest[bones.index(f"{side}_front_lower_leg"), 2] < rest[bones.index(f"{side}_front_upper_leg"), 2]


# The gaits


def test_the_motions_come_with_it() -> None:
    motions = character("horse").motions
    assert set(motions) == {"walk", "trot"}
    assert [len(motions[name]) for name in ("walk", "trot")] == [85, 97]
    for motion in motions.values():
        np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0, atol=1e-9)
        assert motion.skeleton is skeleton()


def test_a_walk_has_four_beats_hind_before_fore_on_each_side(fine: dict[str, Motion]) -> None:
    beats = [float(np.median(strikes(fine["walk"], hoof))) for hoof in HOOVES]
    order = [HOOVES[n] for n in np.argsort(np.array(beats) % 0.999)]
    assert order == ["left_back_foot_end", "left_front_pastern_end", "right_back_foot_end", "right_front_pastern_end"]
    gaps = np.diff(sorted(np.array(beats) % 0.999))
    np.testing.assert_allclose(gaps, 0.25, atol=0.02)


def test_a_trot_has_two_beats_of_diagonal_pairs(fine: dict[str, Motion]) -> None:
    on = {hoof: standing(fine["trot"], hoof) for hoof in HOOVES}
    assert (on["left_back_foot_end"] == on["right_front_pastern_end"]).mean() > 0.99
    assert (on["right_back_foot_end"] == on["left_front_pastern_end"]).mean() > 0.99
    assert not (on["left_back_foot_end"] & on["right_back_foot_end"]).any()
    none = ~np.any(list(on.values()), axis=0)
    # Twice a cycle it hangs in the air.
    starts = np.flatnonzero(none[1:] & ~none[:-1])
    assert len(starts) == 2 * TROT.cycles
    assert 0.12 < none.mean() < 0.25


def test_a_walk_never_leaves_the_ground(fine: dict[str, Motion]) -> None:
    count = np.sum([standing(fine["walk"], hoof) for hoof in HOOVES], axis=0)
    assert set(count.tolist()) <= {2, 3}


@every
def test_each_hoof_stands_for_its_share_of_the_cycle(fine: dict[str, Motion], name: str) -> None:
    for hoof in HOOVES:
        assert standing(fine[name], hoof)[:-1].mean() == pytest.approx(GAITS[name].duty, abs=0.02)


@every
def test_a_standing_hoof_does_not_slip(fine: dict[str, Motion], name: str) -> None:
    for hoof in HOOVES:
        on, at = standing(fine[name], hoof), place(fine[name], hoof)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            assert np.ptp(at[first:end], axis=0).max() < 1e-3
        assert at[:, 1].min() > -1e-6
        # And while it is flat, the fetlock above it stands as well.
        fetlock = place(fine[name], hoof.removesuffix("_end"))
        middle = on & (np.abs(fetlock[:, 1] - skeleton().offsets[skeleton().index(hoof)] @ [0, -1, 0]) < 1e-5)
        assert middle.mean() > 0.5 * GAITS[name].duty


@every
def test_legs_keep_their_length_and_reach_the_ground(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    np.testing.assert_array_equal(
        motion.positions[:, 1:], np.broadcast_to(skeleton().offsets[1:], motion.positions[:, 1:].shape)
    )
    hooves = motion.world_transforms()[0][:, [skeleton().index(hoof.removesuffix("_end")) for hoof in HOOVES]]
    # A hoof turns about the axis across the body only.
    assert np.abs(quat.log(hooves)[..., 1:]).max() < 1e-9


@every
def test_the_loop_closes(fine: dict[str, Motion], name: str) -> None:
    motion, gait = fine[name], GAITS[name]
    np.testing.assert_allclose(np.abs(np.einsum("ji,ji->j", motion.rotations[0], motion.rotations[-1])), 1.0, atol=1e-9)
    travelled = motion.positions[-1, 0] - motion.positions[0, 0]
    np.testing.assert_allclose(travelled, [0.0, 0.0, gait.cycles * gait.stride], atol=1e-9)


@every
def test_it_moves_smoothly(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    step = quat.angle(quat.multiply(quat.inverse(motion.rotations[:-1]), motion.rotations[1:])) * FINE
    assert step.max() < (14.0 if name == "walk" else 30.0)
    speed = np.diff(place(motion, "head"), axis=0)[:, 2] * FINE
    assert speed.min() > 0.7 * GAITS[name].speed


def test_the_head_nods_and_the_tail_swings(fine: dict[str, Motion]) -> None:
    walk = fine["walk"]
    nose = place(walk, "head_end")[:, 1] - place(walk, "torso_3")[:, 1]
    assert 0.03 < np.ptp(nose) < 0.30
    power = np.abs(np.fft.rfft(nose[:-1] - nose[:-1].mean()))
    assert power.argmax() == 2 * WALK.cycles
    tip = place(walk, "tail_end")[:, 0]
    assert 0.05 < np.ptp(tip) < 0.8
    root = place(walk, "tail_2")[:, 0]
    # The tip follows the root late.
    lag = [float(root[:-1] @ np.roll(tip[:-1], -shift)) for shift in range(140)]
    assert 5 < int(np.argmax(lag)) < 139


def test_the_trot_bounces_more_and_is_faster(fine: dict[str, Motion]) -> None:
    rise = {name: float(np.ptp(place(motion, "torso_2")[:, 1])) for name, motion in fine.items()}
    assert rise["trot"] > 2.0 * rise["walk"]
    assert TROT.speed > 2.0 * WALK.speed
    on = standing(fine["trot"], "left_back_foot_end") | standing(fine["trot"], "right_back_foot_end")
    height = place(fine["trot"], "back")[:, 1]
    assert height[~on].mean() > height[on].mean()


@every
def test_contacts_are_found_by_the_feet_module(name: str) -> None:
    motion = GAITS[name].motion(60.0)
    found = feet.contacts(motion)
    assert feet.slippage(motion, found).per_second < 0.08


def test_times_that_two_rates_share_are_the_same() -> None:
    slow, fast = WALK.motion(24.0), WALK.motion(48.0)
    np.testing.assert_allclose(fast.rotations[::2], slow.rotations, atol=1e-12)


@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), 1e9])
def test_a_rate_that_cannot_be(fps: float) -> None:
    with pytest.raises(OptionError):
        WALK.motion(fps)


def test_a_leg_reaches_every_place_within_its_length() -> None:
    bones = skeleton()
    rest = np.stack(
        [bones.offsets[bones.index(f"left_{name}")] for name in ("back_upper_leg", "back_lower_leg", "back_foot")]
    )
    rng = np.random.default_rng(5)
    target = rest.sum(axis=0) + rng.uniform(-0.12, 0.12, (200, 3)) + [0.0, 0.12, 0.0]
    turns = reached(target, rest, None)
    end, turned = np.zeros((200, 3)), quat.identity(200)
    for turn, bone in zip(turns, rest, strict=True):
        turned = quat.multiply(turned, turn)
        end = end + quat.rotate(turned, np.broadcast_to(bone, (200, 3)))
    np.testing.assert_allclose(end, target, atol=1e-9)
