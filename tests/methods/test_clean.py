"""Cleaning: noise of known size goes, what is clean stays, and every change is told by joint and frame."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import komadori
from bench import noises
from komadori import quat
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.measures.measuring import peak_speed
from komadori.methods.clean import Kind, bridging, swaps
from komadori.motion import Motion
from komadori.numerics import gaps, smoothing
from komadori.pipeline import Recipe, Step

from realdata import real

FPS = 120.0


def kinds(result: komadori.CleanResult) -> set[str]:
    return {change.kind for change in result.changes}


def most_mm(one: Motion, other: Motion) -> float:
    return 1e3 * float(noises.distances(one, other).max())


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("name", ["walk", "pitch", "kick", "slow-walk"])
def test_a_clean_clip_stays_as_it_is(name: str, fps: float) -> None:
    clip = sample(name, fps)
    # The feet of the samples slide a little, as they would in a capture: that alone may change.
    result = komadori.clean(clip, skate=False)
    assert most_mm(clip, result.motion) < 1.0
    assert not kinds(result)


@pytest.mark.parametrize("noise", ["white", "spikes", "gaps", "drift", "all"])
def test_noise_is_brought_down_to_a_third(noise: str) -> None:
    clip = sample("pitch", FPS)
    clip = clip.taken(np.r_[np.arange(len(clip)), np.arange(len(clip))[::-1]])
    noisy = noises.NOISES[noise](clip, np.random.default_rng(5))
    made = komadori.clean(noisy, skate=False).motion
    assert noises.apart_m(clip, made) < noises.apart_m(clip, noisy) / 3.0
    assert peak_speed(made.world_positions(), FPS) > 0.95 * peak_speed(clip.world_positions(), FPS)


@pytest.mark.parametrize("name", ["human_cmu_bvh/124_07.bvh", "human_cmu_bvh/10_01.bvh", "human_cmu_bvh/07_04.bvh"])
def test_noise_on_real_clips_is_brought_down_to_a_third(name: str) -> None:
    clip = komadori.clean(komadori.load(real(name)), skate=False, jitter=False).motion[:900]
    noisy = noises.everything(clip, np.random.default_rng(2))
    made = komadori.clean(noisy, skate=False).motion
    assert noises.apart_m(clip, made) < noises.apart_m(clip, noisy) / 3.0


def test_a_pitch_keeps_its_peak() -> None:
    clip = komadori.load(real("human_cmu_bvh/124_07.bvh")).prepared(120.0)
    peak = peak_speed(clip.world_positions(), 120.0)
    noisy = noises.white(clip, np.random.default_rng(1))
    made = komadori.clean(noisy, skate=False).motion
    assert peak_speed(noisy.world_positions(), 120.0) > 1.1 * peak
    assert 0.95 * peak < peak_speed(made.world_positions(), 120.0) < 1.1 * peak


def test_jitter_is_told_by_joint_and_left_where_it_is_asked_for() -> None:
    noisy = noises.white(sample("kick", FPS), np.random.default_rng(3))
    result = komadori.clean(noisy, skate=False, leave=("right_hand", "hips"))
    told = {result.motion.skeleton.names[change.joint] for change in result.changes if change.kind == Kind.JITTER}
    names = noisy.skeleton.names
    assert {"head", "left_foot"} & told
    hand, hips = noisy.skeleton.roles["right_hand"], noisy.skeleton.roles["hips"]
    assert names[hand] not in told
    np.testing.assert_array_equal(result.motion.rotations[:, hand], noisy.rotations[:, hand])
    np.testing.assert_array_equal(result.motion.positions[:, hips], noisy.positions[:, hips])
    untouched = komadori.clean(noisy, skate=False, jitter=False)
    assert most_mm(untouched.motion, noisy) == 0.0


def test_white_noise_is_measured_and_movement_is_not() -> None:
    time = np.arange(600)[:, None, None] / FPS
    calm = np.concatenate([np.sin(5.0 * time), np.cos(4.0 * time), np.sin(3.0 * time)], axis=-1)
    assert smoothing.noise(calm)[0] < 1e-6
    shaken = calm + np.random.default_rng(0).normal(scale=0.01, size=calm.shape)
    assert smoothing.noise(shaken)[0] == pytest.approx(0.01, rel=0.08)
    left = smoothing.smoothed(shaken, FPS, smoothing.noise(shaken)) - calm
    assert np.sqrt((left**2).mean()) < 0.0033


def test_a_spike_is_bridged_and_told() -> None:
    clip = sample("walk", FPS)
    head = clip.skeleton.roles["head"]
    rotations = np.array(clip.rotations)
    rotations[200:202, head] = quat.multiply(rotations[200:202, head], quat.exp(np.array([0.9, 0.0, 0.0])))
    result = komadori.clean(clip.replaced(rotations=rotations), skate=False)
    (change,) = result.changes
    assert (change.kind, change.joint, change.first, change.last) == (Kind.SPIKE, head, 200, 201)
    assert change.amount == pytest.approx(np.degrees(0.9), rel=0.02)
    assert most_mm(result.motion, clip) < 1.0


def test_a_lost_joint_is_filled_with_the_speed_it_had() -> None:
    clip = sample("walk", FPS)
    leg = clip.skeleton.roles["left_upper_leg"]
    rotations = np.array(clip.rotations)
    fastest = (
        int(np.argmax(quat.angle(quat.multiply(quat.inverse(rotations[20:-20, leg]), rotations[21:-19, leg])))) + 20
    )
    rotations[fastest - 6 : fastest + 6, leg] = rotations[fastest - 7, leg]
    frozen = clip.replaced(rotations=rotations)
    result = komadori.clean(frozen, skate=False)
    assert [(c.kind, c.joint) for c in result.changes] == [(Kind.GAP, leg)]
    assert most_mm(result.motion, clip) < 0.3 * most_mm(frozen, clip)


def swinging(fps: float = FPS, frames: int = 480) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (F, 2, 4) of two joints that swing, and places that stay."""
    time = np.arange(frames) / fps
    turns = np.zeros((frames, 2, 3))
    turns[:, 0, 0], turns[:, 1, 2] = np.sin(5.0 * time), np.cos(4.0 * time)
    return quat.exp(turns), np.zeros((frames, 2, 3))


def test_a_joint_at_the_end_of_its_range_is_not_lost() -> None:
    rotations, positions = swinging()
    time = np.arange(len(rotations)) / FPS
    for end in (0.0, -0.9):
        # A knee that bends and is straight for a while, again and again.
        knee = np.zeros((len(time), 3))
        knee[:, 0] = np.maximum(np.sin(5.0 * time), end)
        rotations[:, 0] = quat.exp(knee)
        assert not bridging.find(rotations, positions, FPS, 1.0).gaps.any(), end


def test_a_joint_that_is_lost_while_it_moves_slowly_is_found() -> None:
    rotations, positions = swinging()
    slow = np.zeros((len(rotations), 3))
    # Five degrees per second, and turning back in the gap: nothing leaps.
    slow[:, 0] = np.radians(1.5) * np.sin(3.0 * np.arange(len(rotations)) / FPS)
    rotations[:, 0] = quat.exp(slow)
    assert not bridging.find(rotations, positions, FPS, 1.0).gaps.any()
    start = int(0.9 * FPS)
    rotations[start : start + 14, 0] = rotations[start - 1, 0]
    assert np.flatnonzero(bridging.find(rotations, positions, FPS, 1.0).gaps[:, 0]).tolist() == [
        *range(start, start + 14)
    ]


def test_a_knee_that_is_lost_while_it_is_straight_is_found_when_it_leaps() -> None:
    rotations, positions = swinging()
    time = np.arange(len(rotations)) / FPS
    knee = np.zeros((len(time), 3))
    knee[:, 0] = np.maximum(np.sin(5.0 * time), 0.0)
    start = int(np.flatnonzero((knee[1:, 0] > 0.0) & (knee[:-1, 0] == 0.0))[1]) + 1
    knee[start : start + 6, 0] = 0.0
    rotations[:, 0] = quat.exp(knee)
    found = np.flatnonzero(bridging.find(rotations, positions, FPS, 1.0).gaps[:, 0])
    assert set(range(start + 1, start + 6)) <= set(found.tolist()) <= set(range(start - 1, start + 6))


def test_a_joint_that_is_lost_amid_movement_and_found_at_rest_is_filled() -> None:
    rotations, positions = swinging()
    time = np.arange(len(rotations)) / FPS
    knee = np.zeros((len(time), 3))
    # Straight every now and then, so that its rests are nothing strange.
    knee[:, 0] = np.maximum(np.sin(5.0 * time), 0.0)
    stop = int(np.flatnonzero((knee[1:, 0] == 0.0) & (knee[:-1, 0] > 0.0))[1]) + 1
    knee[stop - 12 : stop, 0] = knee[stop - 13, 0]
    rotations[:, 0] = quat.exp(knee)
    assert np.flatnonzero(bridging.find(rotations, positions, FPS, 1.0).gaps[:, 0]).tolist() == [
        *range(stop - 12, stop)
    ]


def test_what_is_filled_swings_on_as_it_did_and_as_the_others_tell() -> None:
    rotations, positions = swinging()
    turns = 0.3 * np.sin(22.0 * np.arange(len(rotations)) / FPS)
    axis = np.array([1.0, 0.0, 0.0])
    rotations = np.stack(
        [rotations[:, 0], quat.exp(turns[:, None] * axis), quat.exp(0.7 * turns[:, None] * axis)], axis=1
    )
    positions = np.zeros((len(rotations), 3, 3))
    for bad in ([1], [1, 2]):
        # Half a swing: a cubic knows nothing of the turn in it.
        gone = np.zeros((len(rotations), 3), dtype=bool)
        gone[200:218, bad] = True
        broken = np.where(gone[..., None], rotations[[199]], rotations)
        filled, _ = bridging.bridged(broken, positions, gone, FPS, np.array([-1, 0, 1]))
        left = quat.angle(quat.multiply(quat.inverse(filled[200:218, 1]), rotations[200:218, 1])).max()
        held = quat.angle(quat.multiply(quat.inverse(broken[200:218, 1]), rotations[200:218, 1])).max()
        assert left < (0.03 if len(bad) == 1 else 0.2) * held, bad


def test_an_estimate_that_has_learnt_from_something_else_does_not_count() -> None:
    time = np.arange(480) / FPS
    values = np.stack([0.2 * np.sin(2.0 * time), 0.1 * np.cos(3.0 * time), np.zeros(480)], axis=1)
    gone = np.zeros(480, dtype=bool)
    gone[200:214] = True
    # It goes along with the curve, but for a flip within the gap.
    other = np.tile(values, 3)
    other[204:210] += 20.0
    filled = gaps.estimated(values, gone, 200, 214, FPS, (other, other, other))
    assert np.abs(filled - values[200:214]).max() < 0.01


def test_smoothing_moves_nothing_farther_than_noise_goes() -> None:
    values = np.zeros((50, 1, 3))
    far = values.copy()
    far[20] = 1.0
    near = smoothing.within(values, far, np.array([0.01]), np.ones(1))
    assert np.linalg.norm(near[20, 0]) == pytest.approx(smoothing.FARTHEST * 0.01)
    assert (smoothing.within(values, far, np.array([10.0]), np.zeros(1)) == values).all()


def test_part_of_a_clean_clip_is_clean() -> None:
    once = komadori.clean(komadori.load(real("human_cmu_styles/91_27.bvh"))[:1200], skate=False).motion
    for part in (once[: len(once) // 2], once[len(once) // 2 :]):
        assert most_mm(komadori.clean(part, skate=False).motion, part) < 1.0


def test_a_calibration_pose_of_several_frames_is_no_gap() -> None:
    clip = sample("walk", FPS)
    pose = np.repeat(clip.skeleton.rest[None], 7, axis=0)
    pose[0, 1:] = quat.multiply(pose[0, 1:], quat.exp(np.array([0.0, 0.3, 0.0])))
    rotations = np.concatenate([pose, clip.rotations])
    positions = np.concatenate([np.repeat(clip.positions[:1], 7, axis=0), clip.positions])
    result = komadori.clean(replace(clip, rotations=rotations, positions=positions), skate=False)
    assert Kind.GAP not in kinds(result)


@pytest.mark.parametrize("name", ["08_07", "13_17", "91_03"])
def test_what_was_cleaned_is_clean(name: str) -> None:
    folder = "human_cmu_styles" if name.startswith("91") else "human_cmu_bvh"
    once = komadori.clean(komadori.load(real(f"{folder}/{name}.bvh"))[:1200], skate=False).motion
    assert most_mm(komadori.clean(once, skate=False).motion, once) < 1.0


def test_numbers_that_are_none_are_filled() -> None:
    clip = sample("walk", FPS)
    arm = clip.skeleton.roles["right_lower_arm"]
    rotations = np.array(clip.rotations)
    rotations[100:110, arm] = np.nan
    rotations[:3, arm] = np.nan
    result = komadori.clean(clip.replaced(rotations=rotations), skate=False)
    assert np.isfinite(result.motion.rotations).all()
    assert {(c.kind, c.joint, c.first, c.last) for c in result.changes} == {
        (Kind.GAP, arm, 0, 2),
        (Kind.GAP, arm, 100, 109),
    }


def test_dropped_frames_are_filled() -> None:
    clip = sample("kick", FPS)
    repeated = np.arange(len(clip))
    repeated[150:153] = 149
    result = komadori.clean(clip.taken(repeated), skate=False)
    assert kinds(result) == {Kind.GAP}
    assert most_mm(result.motion, clip) < 0.4 * most_mm(clip.taken(repeated), clip)


def test_held_drawings_are_no_gaps() -> None:
    clip = komadori.limited(sample("kick")).motion
    result = komadori.clean(clip, skate=False)
    assert not {Kind.GAP, Kind.SPIKE} & kinds(result)


@pytest.mark.parametrize("name", ["walk", "kick"])
def test_swapped_sides_are_put_back(name: str) -> None:
    clip = sample(name, FPS)
    rotations = clip.rotations
    wrong = np.zeros(len(clip), dtype=bool)
    wrong[60:95] = True
    for both in swaps.pairs(clip.skeleton).values():
        rotations = swaps.exchanged(rotations, both, wrong)
    swapped = clip.replaced(rotations=rotations)
    result = komadori.clean(swapped, skate=False)
    assert Kind.SWAP in kinds(result)
    assert noises.apart_m(result.motion, clip) < 0.05 * noises.apart_m(swapped, clip)


def test_a_tilted_floor_is_levelled_and_stairs_are_not() -> None:
    walk = sample("walk", FPS)
    walk = walk.taken(np.arange(len(walk)))
    tilted = np.array(walk.positions)
    travel = np.linalg.norm(tilted[:, 0, ::2] - tilted[0, 0, ::2], axis=1)
    tilted[:, 0, 1] += 0.02 * travel
    result = komadori.clean(walk.replaced(positions=tilted), skate=False)
    assert kinds(result) == {Kind.FLOOR}
    assert most_mm(result.motion, walk) < 0.3 * 1e3 * 0.02 * travel.max()
    stairs = np.array(walk.positions)
    stairs[:, 0, 1] += 0.17 * np.floor(travel / 0.8)
    assert Kind.FLOOR not in kinds(komadori.clean(walk.replaced(positions=stairs), skate=False))


def test_skating_feet_are_kept_in_place() -> None:
    walk = sample("walk", 60.0)
    slid = np.array(walk.positions)
    slid[:, 0, 0] += 0.15 * np.arange(len(walk)) / 60.0
    before = komadori.measure(walk.replaced(positions=slid))
    result = komadori.clean(walk.replaced(positions=slid))
    after = komadori.measure(result.motion)
    assert Kind.SKATE in kinds(result)
    assert after["skating"].value < 0.2 * before["skating"].value
    # What was cleaned is clean.
    assert most_mm(komadori.clean(result.motion).motion, result.motion) < 5.0


@pytest.mark.parametrize("turn", [(90.0, 0.0, 0.0), (0.0, 0.0, 90.0), (180.0, 0.0, 0.0)])
def test_a_body_on_its_side_is_set_upright(turn: tuple[float, float, float]) -> None:
    clip = sample("walk")
    lying = quat.exp(np.radians(turn))
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    rotations[:, 0] = quat.multiply(lying, rotations[:, 0])
    positions[:, 0] = quat.rotate(lying, positions[:, 0])
    rest = np.array(clip.skeleton.rest)
    rest[0] = quat.multiply(lying, rest[0])
    skeleton = replace(clip.skeleton, rest=rest)
    result = komadori.clean(replace(clip, skeleton=skeleton, rotations=rotations, positions=positions), skate=False)
    assert Kind.AXES in kinds(result)
    world = result.motion.world_positions()
    roles = clip.skeleton.roles
    assert (world[:, roles["head"], 1] > world[:, roles["left_foot"], 1] + 1.0).all()
    assert not kinds(komadori.clean(clip, skate=False))


@pytest.mark.parametrize("scale", [100.0, 0.01, 1000.0])
def test_an_impossible_size_is_mended(scale: float) -> None:
    clip = sample("walk")
    skeleton = replace(clip.skeleton, offsets=clip.skeleton.offsets * scale)
    result = komadori.clean(replace(clip, skeleton=skeleton, positions=clip.positions * scale), skate=False)
    assert result.changes[0].kind == Kind.AXES
    assert most_mm(result.motion, clip) < 1.0
    assert "--unit" in result.notes[0]


def test_as_a_step_of_a_recipe_it_comes_first_and_can_be_undone() -> None:
    noisy = noises.white(sample("kick", FPS), np.random.default_rng(3))
    cleaned = Recipe([Step("clean", skate=False), Step("limited", omit=0)]).run(noisy)
    assert cleaned.steps[0].step.use == "clean"
    assert [made.step.use for made in cleaned.steps] == ["clean", "prepare", "floor", "limited"]
    off = dict.fromkeys(("axes", "swaps", "gaps", "spikes", "jitter", "floor", "skate"), False)
    undone = Recipe([Step("clean", **off), Step("limited", omit=0)]).run(noisy)
    plain = Recipe([Step("limited", omit=0)]).run(noisy)
    np.testing.assert_array_equal(undone.original.rotations, plain.original.rotations)
    assert not np.array_equal(cleaned.original.rotations, plain.original.rotations)
    for steps in ([Step("plant"), Step("clean")], [Step("prepare"), Step("clean")]):
        with pytest.raises(OptionError, match="as the first step"):
            Recipe(steps)
    Recipe([Step("clean"), Step("prepare"), Step("retarget")])


def test_frames_are_told_as_the_file_counts_them() -> None:
    clip = sample("walk", FPS)
    pose = clip.taken([0])
    far = np.array(pose.rotations)
    far[:, 1:] = quat.multiply(far[:, 1:], quat.exp(np.array([0.5, 0.4, 0.3])))
    head = clip.skeleton.roles["head"]
    rotations = np.concatenate([far, clip.rotations])
    rotations[300, head] = quat.multiply(rotations[300, head], quat.exp(np.array([0.9, 0.0, 0.0])))
    both = replace(clip, rotations=rotations, positions=np.concatenate([pose.positions, clip.positions]))
    result = komadori.clean(both, skate=False)
    assert result.first == 1
    assert [(c.kind, c.first, c.last) for c in result.changes] == [(Kind.CUT, 0, 0), (Kind.SPIKE, 300, 300)]


def test_odd_clips_pass_through() -> None:
    assert len(komadori.clean(sample("walk")[:0]).motion) == 0
    for frames in (1, 2, 3, 5, 9, 20):
        assert len(komadori.clean(sample("walk")[:frames]).motion) == frames
    with pytest.raises(OptionError, match="leave: expected joints"):
        komadori.clean(sample("walk"), leave=("tail",))
