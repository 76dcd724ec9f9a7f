from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import quat
from komadori.errors import OptionError
from komadori.motion import COMPUTED, Motion, Origin, joined
from komadori.timesheet import Timesheet
from komadori.words import Note

from bodies import tree, wander

RATES = [8.0, 12.0, 24000 / 1001, 24.0, 25.0, 30.0, 50.0, 60.0, 100.0, 120.0]


def rows_of(motion: Motion) -> list[int]:
    assert motion.origin is not None
    assert motion.origin.rows.shape == (len(motion), 1)
    return motion.origin.rows[:, 0].tolist()


def same_frames(a: Motion, b: Motion) -> bool:
    """Whether two motions have the very same numbers, signs of quaternions aside."""
    turned = (a.rotations == b.rotations).all(axis=-1) | (a.rotations == -b.rotations).all(axis=-1)
    return a.rotations.shape == b.rotations.shape and bool(turned.all()) and np.array_equal(a.positions, b.positions)


# Resampling


def test_120_becomes_24_by_taking_every_fifth_frame() -> None:
    motion = wander(tree(6), 643, 120.0)
    less = motion.resampled(24.0)
    assert len(less) == 129
    assert less.fps == 24.0
    assert rows_of(less) == list(range(0, 643, 5))
    assert same_frames(less, motion[::5])


@pytest.mark.parametrize("frames", [1, 2, 7, 30])
def test_up_and_back_gives_the_same_frames(frames: int) -> None:
    motion = wander(tree(5), frames, 24.0)
    more = motion.resampled(120.0)
    assert len(more) == 5 * (frames - 1) + 1
    assert rows_of(more)[::5] == list(range(frames))
    assert set(rows_of(more)) - set(range(frames)) <= {COMPUTED}
    back = more.resampled(24.0)
    assert same_frames(back, motion)
    assert rows_of(back) == list(range(frames))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RATES), st.sampled_from(RATES), st.integers(0, 60), st.integers(0, 50))
def test_frame_k_lies_at_k_over_fps_seconds(before: float, after: float, frames: int, seed: int) -> None:
    motion = wander(tree(3, seed), frames, before, seed)
    other = motion.resampled(after)
    step = Fraction(before).limit_denominator(1001) / Fraction(after).limit_denominator(1001)
    times = [k * step for k in range(len(other))]
    assert all(time <= frames - 1 for time in times)
    assert frames == 0 or len(other) * step > frames - 1
    for k, time in enumerate(times):
        left = int(time)
        right, part = min(left + 1, frames - 1), float(time - left)
        turn = quat.slerp(motion.rotations[left], motion.rotations[right], part)
        assert (quat.angle(quat.multiply(quat.inverse(turn), other.rotations[k])) < 1e-7).all()
        expected = (1 - part) * motion.positions[left] + part * motion.positions[right]
        assert np.allclose(other.positions[k], expected, atol=1e-12)
        assert rows_of(other)[k] == (left if part == 0 else COMPUTED)


@pytest.mark.parametrize("fps", RATES)
def test_resampling_keeps_the_bones(fps: float) -> None:
    motion = wander(tree(8), 40, 30.0, speed=0.5).resampled(fps)
    world, parents = motion.world_positions(), motion.skeleton.parents
    bones = np.linalg.norm(world[:, 1:] - world[:, parents[1:]], axis=-1)
    assert np.allclose(bones, np.linalg.norm(motion.skeleton.offsets[1:], axis=-1), atol=1e-12)
    assert np.allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0)


def test_ntsc_to_film_and_back_is_not_the_same_rate() -> None:
    motion = wander(tree(3), 2001, 24.0)
    ntsc = motion.resampled(24000 / 1001)
    assert ntsc.fps == 24000 / 1001
    assert len(ntsc) == 2000 * 1000 // 1001 + 1
    assert [row for row in rows_of(ntsc) if row != COMPUTED] == [0, 1001]


@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), float("inf")])
def test_no_rate(fps: float) -> None:
    for motion in (wander(tree(2), 3), wander(tree(2), 0)):
        for call in (motion.resampled, motion.prepared):
            with pytest.raises(OptionError) as caught:
                call(fps)
            assert "\n" not in str(caught.value)


# Taking and retiming


@given(st.lists(st.integers(-9, 8), max_size=30))
def test_taken_frames_keep_their_numbers(frames: list[int]) -> None:
    motion = wander(tree(4), 9, speed=2.0)
    taken = motion.taken(frames)
    assert np.array_equal(taken.positions, motion.positions[frames] if frames else np.empty((0, 4, 3)))
    assert rows_of(taken) == [frame % 9 for frame in frames]
    for k, frame in enumerate(frames):
        assert same_frames(taken[k : k + 1], motion[frame % 9 : frame % 9 + 1])
    assert (np.einsum("...i,...i->...", taken.rotations[1:], taken.rotations[:-1]) >= 0.0).all()


def test_retimed_follows_the_sheet() -> None:
    motion = wander(tree(4), 9, 120.0)
    shown = motion.retimed(Timesheet(24, np.array([0, 0, 3, 8, 8])))
    assert rows_of(shown) == [0, 0, 3, 8, 8]
    assert shown.fps == 24.0
    with pytest.raises(OptionError, match="sheet: expected frames of the motion, 0 to 8, found 9"):
        motion.retimed(Timesheet(24, np.array([9])))


@pytest.mark.parametrize("frames", [[9], [-10], [0, 100]])
def test_no_such_frame(frames: list[int]) -> None:
    motion = wander(tree(2), 9)
    with pytest.raises(OptionError):
        motion.taken(frames)
    with pytest.raises(OptionError):
        motion.pose(frames[-1])


def test_slices() -> None:
    motion = wander(tree(3), 10, 24.0)
    assert rows_of(motion[2:5]) == [2, 3, 4]
    assert motion[2:5].fps == 24.0
    assert rows_of(motion[1:8:2]) == [1, 3, 5, 7]
    assert motion[1:8:2].fps == 12.0
    assert motion[::3].fps == 8.0
    assert rows_of(motion[::-1]) == list(range(9, -1, -1))
    assert motion[::-1].fps == 24.0
    assert len(motion[20:]) == 0
    assert motion[::2].duration_s == motion.duration_s
    with pytest.raises(TypeError, match=r"motion\.pose"):
        motion[3]  # type: ignore[index]


# Replacing


@settings(max_examples=40)
@given(
    st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3))), st.sets(st.tuples(st.integers(0, 4), st.integers(0, 3)))
)
def test_replaced_keeps_the_rows_of_what_did_not_change(
    turned: set[tuple[int, int]], moved: set[tuple[int, int]]
) -> None:
    motion = wander(tree(4), 5)
    rotations, positions = motion.rotations.copy(), motion.positions.copy()
    for place in turned:
        rotations[place] = quat.multiply(rotations[place], quat.exp([0.1, 0.0, 0.0]))
    for place in moved:
        positions[place] += 0.5
    changed = motion.replaced(rotations, positions)
    assert changed.origin is not None
    for frame in range(5):
        for joint in range(4):
            kept = (frame, joint) not in turned | moved
            row = np.broadcast_to(changed.origin.rows, (5, 4))[frame, joint]
            assert row == (frame if kept else COMPUTED)


def test_a_flipped_sign_is_no_change() -> None:
    motion = wander(tree(4), 5)
    flipped = motion.replaced(rotations=-motion.rotations)
    assert flipped.origin is not None
    assert (flipped.origin.rows != COMPUTED).all()
    assert same_frames(flipped, motion)


def test_replaced_wants_the_same_shape() -> None:
    motion = wander(tree(4), 5)
    with pytest.raises(OptionError):
        motion.replaced(rotations=motion.rotations[:3])
    with pytest.raises(OptionError):
        motion.replaced(positions=motion.positions[:, :2])


# The type itself


@pytest.mark.parametrize(
    "parts",
    [
        {"rotations": np.zeros((3, 2, 3))},
        {"rotations": np.zeros((3, 4, 4))},
        {"rotations": "a"},
        {"positions": np.zeros((2, 2, 3))},
        {"fps": 0.0},
        {"fps": float("nan")},
        {"origin": Origin("file", np.zeros((2, 1), dtype=np.int64))},
    ],
    ids=str,
)
def test_no_motion(parts: dict[str, object]) -> None:
    whole = {"skeleton": tree(2), "fps": 24.0, "rotations": quat.identity(3, 2), "positions": np.zeros((3, 2, 3))}
    with pytest.raises(OptionError) as caught:
        Motion(**(whole | parts))
    assert "\n" not in str(caught.value)


def test_nobody_can_change_a_motion() -> None:
    motion = wander(tree(3), 4)
    for array in (motion.rotations, motion.positions, motion.pose(0).rotations, motion.pose(0).root):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    with pytest.raises(AttributeError):
        motion.fps = 12.0  # type: ignore[misc]


def test_pickle() -> None:
    motion = wander(tree(3), 4, 24000 / 1001).noted(Note("dropped {count}", count=1))
    again = pickle.loads(pickle.dumps(motion))
    assert same_frames(again, motion)
    assert again.fps == motion.fps
    assert again.notes == motion.notes
    assert again.notes[0].values == {"count": 1}
    assert rows_of(again) == rows_of(motion)
    with pytest.raises(ValueError, match="read-only"):
        again.rotations[0] = 0.0


def test_joined() -> None:
    motion = wander(tree(3), 10)
    assert same_frames(joined([motion[:4], motion[4:]]), motion)
    with pytest.raises(OptionError):
        joined([])
    with pytest.raises(OptionError):
        joined([motion, motion.resampled(12.0)])
    with pytest.raises(OptionError):
        joined([motion, wander(tree(3, 9), 4)])


def test_kept_world_transforms_are_those_of_the_motion_and_cannot_be_changed() -> None:
    motion = wander(tree(9), 12)
    kept = motion.with_worlds()
    assert kept.with_worlds() is kept
    for ours, theirs in zip(kept.world_transforms(), motion.world_transforms(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        with pytest.raises(ValueError, match="read-only"):
            ours[0] = 0.0
    np.testing.assert_array_equal(kept.world_positions(), motion.world_positions())
    # What is made of it has its own.
    moved = kept.replaced(positions=kept.positions + 1.0)
    assert not np.allclose(moved.world_positions(), kept.world_positions())
