from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import load, quat
from komadori.characters import sample
from komadori.motion import COMPUTED, Motion
from komadori.numerics import cleaning

from bodies import tree, wander
from realdata import real, reals

JOINTS = 12


def clip(frames: int = 60, seed: int = 0, fps: float = 120.0, speed: float = 0.02) -> Motion:
    """A smooth clip with nothing wrong in it."""
    return wander(tree(JOINTS, seed), frames, fps, seed, speed)


def with_pose(motion: Motion, frames: list[int], pose: str, seed: int = 0) -> Motion:
    """The clip with these frames replaced by zeros, or by a pose from elsewhere; their rows are still the file's."""
    rotations, positions = motion.rotations.copy(), motion.positions.copy()
    if pose == "zero":
        rotations[frames], positions[frames] = quat.IDENTITY, 0.0
    elif pose == "nan":
        rotations[frames] = np.nan
    else:
        random = np.random.default_rng(seed + 77)
        rotations[frames] = quat.normalized(random.normal(size=(JOINTS, 4)))
    return Motion(motion.skeleton, motion.fps, rotations, positions, motion.origin)


def rows_of(motion: Motion) -> list[int]:
    assert motion.origin is not None
    assert motion.origin.rows.shape[1] == 1
    return motion.origin.rows[:, 0].tolist()


def told(motion: Motion) -> list[str]:
    return [note for note in motion.notes if "frame" in note and not note.startswith("resampled")]


# What must be found


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_pose_that_the_body_jumps_from_at_the_start_is_left_out(count: int, seed: int) -> None:
    whole = clip(seed=seed)
    bad = with_pose(whole, list(range(count)), "other", seed)
    assert rows_of(bad.prepared(120.0)) == list(range(count, 60))
    assert rows_of(bad.prepared(120.0, keep_first=True)) == list(range(60))
    listed = "0" if count == 1 else f"0-{count - 1}"
    assert [note.values["frames"] for note in bad.prepared(120.0).notes] == [listed]
    assert not told(bad.prepared(120.0, keep_first=True))


@pytest.mark.parametrize("pose", ["zero", "other", "nan"])
@pytest.mark.parametrize("frames", [[20], [20, 21], [20, 21, 22, 23], [15, 30, 31, 50]])
@pytest.mark.parametrize("seed", range(3))
def test_dropouts_inside_are_bridged_and_time_does_not_shift(pose: str, frames: list[int], seed: int) -> None:
    whole = clip(seed=seed)
    mended = with_pose(whole, frames, pose, seed).prepared(120.0)
    assert len(mended) == len(whole)
    assert rows_of(mended) == [COMPUTED if frame in frames else frame for frame in range(60)]
    # The movement is smooth: what is laid between the neighbours lies near what was lost.
    assert np.degrees(quat.angle(quat.multiply(quat.inverse(mended.rotations), whole.rotations))).max() < 3.0
    assert np.abs(mended.positions - whole.positions).max() < 0.02
    assert np.allclose(np.linalg.norm(mended.rotations, axis=-1), 1.0)
    assert "Filled in" in told(mended)[0]


@pytest.mark.parametrize("pose", ["zero", "other", "nan"])
@pytest.mark.parametrize("count", [1, 3])
def test_dropouts_at_the_end_are_left_out(pose: str, count: int) -> None:
    mended = with_pose(clip(), list(range(60 - count, 60)), pose).prepared(120.0)
    assert rows_of(mended) == list(range(60 - count))


def test_zeros_are_left_out_however_many() -> None:
    assert rows_of(with_pose(clip(), list(range(25)), "zero").prepared(120.0)) == list(range(25, 60))
    mended = with_pose(clip(), list(range(20, 45)), "zero").prepared(120.0)
    assert rows_of(mended) == [*range(20), *[COMPUTED] * 25, *range(45, 60)]


def test_a_calibration_pose_and_then_zeros() -> None:
    bad = with_pose(with_pose(clip(), [0], "other"), [1], "zero")
    assert rows_of(bad.prepared(120.0)) == list(range(2, 60))
    assert [note.values["frames"] for note in bad.prepared(120.0).notes] == ["0", "1"]
    assert rows_of(bad.prepared(120.0, keep_first=True)) == [0, COMPUTED, *range(2, 60)]


def test_two_foreign_poses_in_a_row_inside() -> None:
    bad = with_pose(with_pose(clip(), [30], "other", 1), [31], "other", 2)
    assert rows_of(bad.prepared(120.0)) == [*range(30), COMPUTED, COMPUTED, *range(32, 60)]


def test_the_body_elsewhere_for_a_frame() -> None:
    whole = clip()
    positions = whole.positions.copy()
    positions[30, 0] += 10.0
    bad = Motion(whole.skeleton, 120.0, whole.rotations, positions, whole.origin)
    assert rows_of(bad.prepared(120.0)) == [*range(30), COMPUTED, *range(31, 60)]


def test_frames_in_notes_are_the_files_own() -> None:
    bad = with_pose(clip(), [30], "zero")[10:]
    assert bad.prepared(120.0).notes[0].values["frames"] == "30"
    bare = Motion(bad.skeleton, bad.fps, bad.rotations, bad.positions)
    assert bare.prepared(120.0).notes[0].values["frames"] == "20"


# What must be left alone


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 80), st.floats(0.0, 1.0))
def test_a_smooth_clip_stays_whole(seed: int, frames: int, speed: float) -> None:
    motion = clip(frames, seed, speed=speed)
    assert rows_of(motion.prepared(120.0)) == list(range(frames))
    # At speed 0 it stands still, which is told.
    assert not [note for note in motion.prepared(120.0).notes if motion.moves or "No joint moves" not in note]


def test_a_clip_that_moves_on_smoothly_from_its_rest_pose_keeps_it() -> None:
    skeleton = tree(JOINTS)
    turn = np.random.default_rng(1).normal(size=(JOINTS, 3))
    ramp = np.clip((np.arange(60) - 5) / 40, 0.0, 1.0) ** 2
    positions = np.zeros((60, JOINTS, 3))
    motion = Motion(skeleton, 120.0, quat.exp(ramp[:, None, None] * turn), positions)
    assert len(motion.prepared(120.0)) == 60


@pytest.mark.parametrize("exposures", [2, 3, 4])
def test_held_drawings_are_no_dropouts(exposures: int) -> None:
    motion = clip(96, fps=24.0, speed=0.3)
    held = motion.taken(np.arange(96) // exposures * exposures)
    assert rows_of(held.prepared(24.0)) == rows_of(held)


def test_a_cut_in_the_middle_is_kept() -> None:
    one, two = clip(40, 1), clip(40, 2)
    rotations = np.concatenate([one.rotations, two.rotations])
    positions = np.concatenate([one.positions, two.positions])
    cut = Motion(one.skeleton, 120.0, quat.continuous(rotations), positions)
    assert len(cut.prepared(120.0)) == 80
    assert cut.prepared(120.0).notes == ()


def flipped(whole: Motion, joint: int, frames: slice, degrees: float = 180.0) -> Motion:
    rotations = whole.rotations.copy()
    turn = quat.from_axis_angle([0.0, 1.0, 0.0], np.radians(degrees))
    rotations[frames, joint] = quat.multiply(rotations[frames, joint], turn)
    return Motion(whole.skeleton, whole.fps, rotations, whole.positions, whole.origin)


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("degrees", [90.0, 180.0])
@pytest.mark.parametrize("joint", [0, 3, JOINTS - 1])
def test_one_joint_that_flips_over_is_bridged_alone(fps: float, degrees: float, joint: int) -> None:
    whole = clip(fps=fps)
    mended = flipped(whole, joint, slice(30, 32), degrees).prepared(fps)
    assert mended.origin is not None
    rows = np.broadcast_to(mended.origin.rows, (60, JOINTS))
    kept = np.broadcast_to(np.arange(60)[:, None], (60, JOINTS)).copy()
    kept[30:32, joint] = COMPUTED
    assert np.array_equal(rows, kept)
    off = np.degrees(quat.angle(quat.multiply(quat.inverse(mended.rotations), whole.rotations)))
    assert off.max() < 3.0
    assert told(mended) == [f"Bridged frame 30-31: {whole.skeleton.names[joint]} flipped over and back."]


def test_a_turn_that_takes_its_time_or_stays_is_no_flip() -> None:
    whole = clip(fps=30.0)
    # Away for a fifth of a second; away for good; and out and back again over some frames, as a wrist that flicks.
    slow = whole.rotations.copy()
    for step, degrees in enumerate((40.0, 80.0, 120.0, 80.0, 40.0)):
        turn = quat.from_axis_angle([0.0, 1.0, 0.0], np.radians(degrees))
        slow[28 + step, 3] = quat.multiply(slow[28 + step, 3], turn)
    flick = Motion(whole.skeleton, 30.0, slow, whole.positions, whole.origin)
    for motion in (flipped(whole, 3, slice(30, 36)), flipped(whole, 3, slice(30, 60)), flick):
        assert not told(motion.prepared(30.0))
        assert rows_of(motion.prepared(30.0)) == list(range(60))


def test_a_flip_that_the_next_joint_undoes_is_none() -> None:
    # A shoulder that turns half about the arm, and an elbow that turns back: nothing moves.
    whole = clip()
    joint = next(kid for kid in range(JOINTS) if whole.skeleton.parents[kid] >= 0)
    rotations, turn = whole.rotations.copy(), quat.from_axis_angle([0.0, 1.0, 0.0], np.pi)
    above = int(whole.skeleton.parents[joint])
    rotations[30:32, above] = quat.multiply(rotations[30:32, above], turn)
    rotations[30:32, joint] = quat.multiply(quat.inverse(turn), rotations[30:32, joint])
    both = Motion(whole.skeleton, 120.0, rotations, whole.positions, whole.origin)
    assert rows_of(both.prepared(120.0)) == list(range(60))


def test_fingers_that_flip_are_left_alone() -> None:
    whole = clip()
    skeleton = whole.skeleton.with_roles({"hips": 0, "left_thumb_proximal": JOINTS - 1})
    motion = flipped(whole, JOINTS - 1, slice(30, 32)).with_skeleton(skeleton)
    assert rows_of(motion.prepared(120.0)) == list(range(60))


@pytest.mark.parametrize("count", [20, 60, 90])
@pytest.mark.parametrize("seed", range(3))
def test_a_pose_that_is_held_before_the_body_jumps_is_left_out_however_long(count: int, seed: int) -> None:
    whole = clip(200, seed)
    pose = whole.rotations.copy()
    pose[:count] = quat.normalized(np.random.default_rng(seed).normal(size=(JOINTS, 4)))
    positions = whole.positions.copy()
    positions[:count] = positions[count]
    bad = Motion(whole.skeleton, 120.0, pose, positions, whole.origin)
    assert rows_of(bad.prepared(120.0)) == list(range(count, 200))
    assert rows_of(bad.prepared(120.0, keep_first=True)) == list(range(200))
    turned = bad.taken(np.arange(200)[::-1])
    assert rows_of(turned.prepared(120.0)) == list(range(200))[::-1][: 200 - count]


def test_a_clip_that_begins_and_ends_with_a_rest_loses_nothing() -> None:
    # Held exactly at both ends, and then moved from there, without a jump.
    whole = clip(120)
    frames = np.concatenate([np.zeros(40, int), np.arange(120), np.full(40, 119)])
    assert rows_of(whole.taken(frames).prepared(120.0)) == frames.tolist()


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
@pytest.mark.parametrize("pose", ["none", "zero", "other"])
def test_clips_too_short_to_tell(frames: int, pose: str) -> None:
    motion = clip(frames)
    if pose != "none" and frames:
        motion = with_pose(motion, [0], pose)
    assert rows_of(motion.prepared(120.0)) == list(range(frames))
    assert len(motion.prepared()) == min(frames, 1)


@pytest.mark.parametrize("pose", ["zero", "nan"])
def test_a_clip_of_nothing_but_dropouts_is_kept_and_says_so(pose: str) -> None:
    bad = with_pose(clip(), list(range(60)), pose)
    assert rows_of(bad.prepared(120.0)) == list(range(60))
    assert "so none was removed" in bad.prepared(120.0).notes[0]


@pytest.mark.parametrize("frames", [[0], [0, 1, 30], [59], [20, 21]])
def test_prepared_once_is_prepared_for_good(frames: list[int]) -> None:
    once = with_pose(clip(), frames, "zero").prepared(120.0)
    twice = once.prepared(120.0)
    assert rows_of(twice) == rows_of(once)
    assert twice.notes == once.notes


def test_the_input_is_never_changed() -> None:
    bad = with_pose(clip(), [0, 30], "zero")
    before = bad.rotations.copy(), bad.positions.copy()
    bad.prepared()
    assert np.array_equal(bad.rotations, before[0])
    assert np.array_equal(bad.positions, before[1])


def test_bridged_goes_in_even_steps() -> None:
    whole = clip(7)
    bad = np.array([False, True, True, True, False, True, False])
    rotations, positions = cleaning.bridged(whole.rotations, whole.positions, bad)
    for frame, part in ((1, 0.25), (2, 0.5), (3, 0.75)):
        assert np.allclose(rotations[frame], quat.slerp(whole.rotations[0], whole.rotations[4], part))
        assert np.allclose(positions[frame], (1 - part) * whole.positions[0] + part * whole.positions[4])
    assert np.array_equal(rotations[~bad], whole.rotations[~bad])


def test_a_long_clip() -> None:
    motion = clip(100_000)
    bad = with_pose(motion, list(range(500, 100_000, 500)), "zero")
    assert rows_of(bad.prepared(120.0)) == [COMPUTED if f and f % 500 == 0 else f for f in range(100_000)]


# Real clips


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh"))
def test_cmu_clips_lose_their_added_pose_and_nothing_else(path: Path) -> None:
    motion = load(path)
    first = 2 if path.stem == "07_12" else 1
    assert rows_of(motion.prepared(motion.fps)) == list(range(first, len(motion)))


@pytest.mark.parametrize(
    "path",
    reals(
        "human_bandai_bvh_NC/*.bvh",
        "quadruped_*/*.bvh",
        "human_other_bvh/animated*.bvh",
        "human_other_bvh/threejs*.bvh",
        "odd_bvh/assimp*.bvh",
        "odd_bvh/bvhpython*.bvh",
        "odd_bvh/bvhtoolbox*.bvh",
        "odd_bvh/fairmotion*.bvh",
        "odd_bvh/pybvh*.bvh",
    ),
)
def test_clean_clips_lose_nothing(path: Path) -> None:
    motion = load(path)
    assert rows_of(motion.prepared(motion.fps)) == list(range(len(motion)))


def test_mocopi_starts_with_a_frame_of_rest() -> None:
    # Frame 0 has every angle at zero; in frame 1 the arms hang, and the body is calm from there on.
    motion = load(real("human_other_bvh/mocopi-mobile-arm-raise-turn.bvh"))
    assert rows_of(motion.prepared(motion.fps)) == list(range(1, len(motion)))


def test_the_dropout_of_07_12() -> None:
    motion = load(real("human_cmu_bvh/07_12.bvh")).prepared()
    assert [note.values["frames"] for note in motion.notes if "frames" in note.values] == ["0", "1"]
    assert rows_of(motion) == list(range(2, 264, 5))


def test_the_pitch_is_129_frames_of_the_file() -> None:
    motion = load(real("human_cmu_bvh/124_01.bvh"))
    pitch = motion.prepared()
    assert len(motion) == 644
    assert len(pitch) == 129
    assert pitch.fps == 24.0
    assert rows_of(pitch) == list(range(1, 644, 5))
    assert np.array_equal(pitch.positions, motion.positions[1::5])
    assert len(motion.prepared(keep_first=True)) == 129
    assert rows_of(motion.prepared(keep_first=True))[:2] == [0, 5]


@pytest.mark.parametrize("fps", [24.0, 60.0])
def test_a_real_clip_with_holes_cut_into_it(fps: float) -> None:
    whole = load(real("human_cmu_bvh/49_06.bvh"))[1:].resampled(fps)
    frames = [10, 40, 41, 70]
    rotations, positions = whole.rotations.copy(), whole.positions.copy()
    rotations[frames], positions[frames, 0] = quat.IDENTITY, 0.0
    mended = Motion(whole.skeleton, fps, rotations, positions).prepared(fps)
    assert len(mended) == len(whole)
    assert mended.notes[0].values["frames"] == "10, 40-41, 70"


@pytest.mark.parametrize("name", ["pitch", "kick", "walk", "slow-walk", "jog"])
def test_held_drawings_are_no_drop_outs(name: str) -> None:
    """Limited animation that is read again keeps all its frames, the lone last drawing too."""
    motion = sample(name)
    for drawn in (
        komadori.limited(motion).motion,
        komadori.limited(motion, solver="uniform").motion,
        komadori.limited(motion, solver="uniform", max_exposures=12).motion,
        komadori.keyposes(motion, count=8).motion,
    ):
        assert drawn.prepared(fps=24).notes == ()


# Spikes


def thrown(motion: Motion, frames: list[int], metres: float) -> Motion:
    """The clip with the whole body thrown far to either side, in turn, in these frames."""
    positions = np.array(motion.positions)
    for number, frame in enumerate(frames):
        positions[frame, 0, 0] += metres if number % 2 == 0 else -metres
    return Motion(motion.skeleton, motion.fps, motion.rotations, positions, motion.origin)


@pytest.mark.parametrize("frames", [[20, 21, 22, 23, 24], [10, 14, 15, 30, 44], [25], [20, 22, 24, 26, 28]])
@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("name", ["walk", "kick"])
def test_spikes_are_bridged(name: str, fps: float, frames: list[int]) -> None:
    whole = sample(name, fps)
    mended = thrown(whole, frames, 1460.0).prepared(fps)
    assert len(mended) == len(whole)
    assert np.abs(mended.world_positions() - whole.world_positions()).max() < 0.5
    assert np.abs(mended.positions[:, 0] - whole.positions[:, 0]).max() < 0.1
    assert [note for note in told(mended) if "spike" in note]


def test_spikes_at_the_ends_are_left_out_and_those_of_held_drawings_are_found_too() -> None:
    whole = sample("walk")
    assert len(thrown(whole, [0, 1, len(whole) - 1], 900.0).prepared(24.0)) == len(whole) - 3
    held = whole.taken(np.arange(len(whole)) // 3 * 3)
    mended = thrown(held, [9, 10, 11], 900.0).prepared(24.0)
    assert np.abs(mended.positions[:, 0]).max() < 10.0


def test_a_cut_to_another_place_and_a_fast_way_are_no_spikes() -> None:
    whole = sample("walk")
    positions = np.array(whole.positions)
    positions[len(whole) // 2 :, 0, 2] += 60.0
    cut = whole.replaced(positions=positions)
    assert not any("spike" in note for note in cut.prepared(24.0).notes)
    positions = np.array(whole.positions)
    positions[:, 0, 2] += 4.0 * np.arange(len(whole))
    assert not told(whole.replaced(positions=positions).prepared(24.0))


def test_a_clip_in_which_nothing_moves_says_so() -> None:
    walk = sample("walk")
    dead = walk.taken(np.zeros(40, dtype=int))
    assert any("No joint moves" in note for note in dead.prepared(24.0).notes)
    assert not any("No joint moves" in note for note in walk.prepared(24.0).notes)
