"""Limited animation: the greedy passes equal the plain definition, the optimum equals exhaustive search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import Motion, Skeleton, Timesheet, quat
from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.methods.limited.actions import action_starts

import plain_limited as plain
from realdata import real, reals

PAPER: Any = {"solver": "greedy", "peaks": False}
"""The paper's method to the letter: its own solver, and nothing that must be drawn."""


def moving(path: object, fps: float = 24.0) -> Motion:
    """A single joint on a path (F, 3): its points are the path itself."""
    path = np.asarray(path, dtype=np.float64).reshape(-1, 3)
    skeleton = Skeleton(("root",), [-1], [[0.0, 0.0, 0.0]])
    return Motion(skeleton, fps, quat.identity(len(path), 1), path[:, None, :])


def points_of(motion: Motion) -> np.ndarray:
    return motion.world_positions().reshape(len(motion), -1)


# Whole numbers on a small grid make equal steps common, which is where definitions part.
paths = st.integers(1, 24).flatmap(
    lambda n: st.lists(st.integers(0, 3), min_size=n, max_size=n).map(lambda xs: [[float(x), 0.0, 0.0] for x in xs])
)


@given(paths, st.integers(0, 8), st.integers(0, 20), st.integers(1, 4), st.booleans())
def test_greedy_is_the_plain_definition_ties_included(
    path: list[list[float]], omit: int, hold: int, most: int, keep: bool
) -> None:
    motion = moving(path)
    points = points_of(motion)
    result = komadori.limited(motion, omit=omit, hold=hold, max_exposures=most, keep_length=keep, **PAPER)
    shown, omitted = plain.omission(points, omit, most, keep)
    shown, held = plain.holds(points, shown, hold, most)
    assert result.sheet.source.tolist() == shown
    assert (result.omitted, result.held) == (omitted, held)


@pytest.mark.parametrize("path", reals("human_*bvh*/*.bvh", "quadruped_*bvh*/*.bvh"))
def test_greedy_is_the_plain_definition_on_real_clips(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)[:240]
    points = points_of(motion)
    for omit, hold, most in ((4, None, 3), (6, 70, 2)):
        wanted = len(motion) // 3 if hold is None else hold
        result = komadori.limited(motion, omit=omit, hold=hold, max_exposures=most, **PAPER)
        before, omitted = plain.omission(points, omit, most)
        shown, held = plain.holds(points, before, wanted, most)
        assert result.sheet.source.tolist() == shown
        assert (result.omitted, result.held) == (omitted, held)
        assert result.error == pytest.approx(plain.error(points, shown, before), rel=1e-9)


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 9), st.just(0)), min_size=n, max_size=n
        )
    ),
    st.integers(1, 9),
    st.integers(1, 4),
)  # fmt: skip
def test_the_optimum_is_what_exhaustive_search_finds(
    path: list[tuple[int, int, int]], drawings: int, most: int
) -> None:
    motion = moving(path)
    frames = len(motion)
    drawings = min(drawings, frames)
    fewest = -(-frames // most)
    for solver, free in (("optimal", False), ("optimal-free", True)):
        result = komadori.limited(
            motion, omit=0, hold=frames - drawings, max_exposures=most, solver=solver, peaks=False
        )
        runs = max(drawings, fewest)
        assert len(result.sheet.runs()) == runs == frames - result.held
        assert result.error == pytest.approx(plain.least_error(points_of(motion), runs, most, free))
        assert result.error == pytest.approx(
            plain.error(points_of(motion), result.sheet.source.tolist(), range(frames))
        )
        assert result.sheet.exposures.max(initial=0) <= most


@pytest.mark.parametrize("path", reals("human_*bvh*/*.bvh", "quadruped_*bvh*/*.bvh"))
def test_the_optimum_is_never_worse_than_greedy(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)[:300]
    for omit in (0, 4):
        greedy = komadori.limited(motion, omit=omit, solver="greedy")
        best = komadori.limited(motion, omit=omit, hold=greedy.held, solver="optimal")
        free = komadori.limited(motion, omit=omit, hold=greedy.held, solver="optimal-free")
        assert best.held == greedy.held == free.held
        assert free.error <= best.error * (1 + 1e-12)
        assert best.error <= greedy.error * (1 + 1e-12)
        assert greedy.ratio >= 1 - 1e-12
        assert greedy.optimum == pytest.approx(best.error)


def test_the_blocks_of_the_table_do_not_change_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    from komadori.numerics import partition

    rng = np.random.default_rng(3)
    motion = moving(rng.normal(size=(400, 3)).cumsum(axis=0))
    whole = komadori.limited(motion, omit=3, hold=180, solver="optimal")
    monkeypatch.setattr(partition, "CELLS", 64 * 7)
    assert komadori.limited(motion, omit=3, hold=180, solver="optimal").sheet == whole.sheet


def test_uniform_is_plain_on_twos() -> None:
    motion = moving(np.arange(30).reshape(10, 3))
    result = komadori.limited(motion, solver="uniform", max_exposures=2, peaks=False)
    assert result.sheet == Timesheet.on(2, 10)
    assert (result.omitted, result.held) == (0, 5)


def test_deletions_pile_up_at_one_place() -> None:
    """The largest step grows with each omission, so neighbours go one after the other."""
    t = np.arange(40)
    x = 10.0 / (1.0 + np.exp(-(t - 20) / 2.0)) + 0.001 * t
    result = komadori.limited(moving(np.stack([x, 0 * x, 0 * x], axis=1)), omit=4, hold=0)
    assert np.diff(result.omitted_frames).tolist() == [1, 1, 1]
    assert len(result.sheet) == len(x)
    assert result.steps_after.max() > 10 * result.steps_before.max()
    assert result.omitted_frames.tolist() == [21, 22, 23, 24]


SWING = [0.0, 1.0, 5.0, 8.0, 11.0, 14.0, 17.0, 18.0, 18.4, 18.6]
REST = [18.65, 18.7, 22.0, 22.05, 22.1, 25.5, 25.55, 25.6, 29.2, 29.25, 29.3, 29.32]


def test_figure_3_one_by_one_takes_neighbours_and_leaps_farther_than_at_once() -> None:
    """Figure 3: one by one frames 2 to 5 go; at once only frame 2 of them, and the rest from elsewhere."""
    motion = moving([[x, 0.0, 0.0] for x in SWING + REST])
    made = {way: komadori.limited(motion, omit=4, hold=0, omission=way, **PAPER) for way in ("iterative", "at-once")}
    assert made["iterative"].omitted_frames.tolist() == [2, 3, 4, 5]
    assert [frame for frame in made["at-once"].omitted_frames.tolist() if frame < len(SWING)] == [2]
    assert made["at-once"].omitted == 4
    assert made["iterative"].steps_after.max() > 4.0 * made["at-once"].steps_after.max()


def test_figure_3_fails_where_the_fastest_frames_stand_side_by_side_and_centred_does_not() -> None:
    """The hole of section 3.4 grows forwards only; frames before it may be faster than those behind."""
    motion = moving([[x, 0.0, 0.0] for x in (0.0, 0.2, 3.0, 6.0, 9.1, 9.4, 9.6, 9.8, 9.9, 10.0)])
    leap = {
        way: komadori.limited(motion, omit=3, hold=0, omission=way, **PAPER).steps_after.max()
        for way in ("iterative", "at-once", "centred")
    }
    assert leap["iterative"] < leap["at-once"] <= leap["centred"]


@given(paths, st.integers(0, 8), st.sampled_from(["at-once", "centred"]), st.booleans())
def test_other_omissions_keep_the_ends_the_length_and_what_must_be_drawn(
    path: list[list[float]], omit: int, way: str, keep: bool
) -> None:
    motion = moving(path)
    pin = len(path) // 2
    made: Any = {"omission": way, "keep_length": keep, "pins": (pin,), "hold": 0, **PAPER}
    result = komadori.limited(motion, omit=omit, **made)
    shown = result.sheet.source.tolist()
    assert len(shown) == len(path) - (0 if keep else result.omitted)
    assert (shown[0], shown[-1]) == (0, len(path) - 1)
    assert pin in shown
    assert shown == sorted(shown)


@given(paths, st.integers(0, 20), st.integers(1, 4))
def test_literal_holds_overwrite_one_frame_a_round(path: list[list[float]], hold: int, most: int) -> None:
    """Algorithm 2 in plain words, round by round."""
    points = points_of(moving(path))
    shown = list(range(len(path)))
    for _ in range(hold):
        fits = [
            (float(np.square(points[shown[k]] - points[shown[k - 1]]).sum()), k)
            for k in range(1, len(shown))
            if shown[k] != shown[k - 1] and shown.count(shown[k - 1]) < most
        ]
        if not fits:
            break
        k = min(fits)[1]
        shown[k] = shown[k - 1]
    made: Any = {"solver": "literal", "peaks": False}
    result = komadori.limited(moving(path), omit=0, hold=hold, max_exposures=most, **made)
    assert result.sheet.source.tolist() == shown
    assert result.held == len(path) - len(set(shown))


def test_the_pitch_of_table_1() -> None:
    """CMU 124_01 is the paper's Pitch: 129 frames at 24 fps, 4 omitted, 33 held."""
    motion = komadori.load(real("human_cmu_bvh/124_01.bvh")).prepared(fps=24)
    assert len(motion) == 129
    result = komadori.limited(motion, omit=4, hold=33, **PAPER)
    assert (result.omitted, result.held, len(result.sheet)) == (4, 33, 129)
    assert len(result.sheet.runs()) == 129 - 4 - 33
    assert result.sheet.exposures.max() == 3
    assert 1.0 < result.ratio < 2.5
    # The throw itself: the four frames lie together where the hand is fastest.
    assert np.diff(result.omitted_frames).max() == 1
    # The peaks of the limbs cost that very leap: the counts are the same, the frames are others.
    kept = komadori.limited(motion, omit=4, hold=33)
    assert (kept.omitted, kept.held, len(kept.sheet)) == (4, 33, 129)
    assert kept.omitted_frames.tolist() != result.omitted_frames.tolist()
    assert set(kept.required) <= set(kept.sheet.source.tolist())


@pytest.mark.parametrize("path", reals("human_cmu_bvh/124_01.bvh", "human_bandai_bvh_NC/*kick*.bvh"))
def test_a_frame_that_is_only_moved_keeps_its_numbers(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)
    result = komadori.limited(motion)
    assert np.array_equal(np.abs(result.motion.rotations), np.abs(motion.rotations[result.sheet.source]))
    assert np.array_equal(result.motion.positions, motion.positions[result.sheet.source])
    assert motion.origin is not None
    assert result.motion.origin is not None
    assert np.array_equal(result.motion.origin.rows, motion.origin.rows[result.sheet.source])


sheets = st.tuples(
    st.integers(3, 40),
    st.integers(0, 6),
    st.integers(0, 30),
    st.integers(1, 4),
    st.integers(0, 5),
    st.integers(0, 10**6),
)


@given(sheets, st.sampled_from(["greedy", "optimal", "optimal-free"]))
def test_drift_pins_and_exposures_hold_together(numbers: tuple[int, int, int, int, int, int], solver: str) -> None:
    frames, omit, hold, most, drift, seed = numbers
    rng = np.random.default_rng(seed)
    motion = moving(rng.integers(0, 5, size=(frames, 3)).cumsum(axis=0))
    pins = tuple(sorted(rng.choice(frames, size=rng.integers(0, 4), replace=False).tolist()))
    result = komadori.limited(
        motion,
        omit=omit,
        hold=hold,
        max_exposures=most,
        max_drift=drift,
        pins=pins,
        solver=solver,
    )
    source = result.sheet.source
    assert len(source) == frames
    assert np.abs(source - np.arange(frames)).max() <= drift
    assert set(pins) <= set(source.tolist())
    assert result.sheet.exposures.max() <= most
    assert (np.diff(source) >= 0).all()
    if solver != "optimal-free":
        assert source[0] == 0
    if solver != "greedy":
        greedy = komadori.limited(
            motion, omit=omit, hold=hold, max_exposures=most, max_drift=drift, pins=pins, solver="greedy"
        )
        same = komadori.limited(
            motion,
            omit=omit,
            hold=greedy.held,
            max_exposures=most,
            max_drift=drift,
            pins=pins,
            solver=solver,
        )
        assert same.held == greedy.held
        assert same.error <= greedy.error * (1 + 1e-12)


def test_a_drift_of_nothing_leaves_every_frame_at_its_time() -> None:
    motion = moving(np.random.default_rng(0).normal(size=(30, 3)))
    assert komadori.limited(motion, max_drift=0).sheet == Timesheet.ones(30)


def test_without_keeping_the_length_the_clip_gets_shorter() -> None:
    motion = moving(np.random.default_rng(1).normal(size=(30, 3)))
    result = komadori.limited(motion, omit=5, hold=4, keep_length=False)
    assert (len(result.sheet), len(result.motion), result.omitted) == (25, 25, 5)
    assert len(result.inserted_frames) == 0


def test_what_cannot_be_reached_is_said() -> None:
    motion = moving(np.random.default_rng(2).normal(size=(12, 3)))
    result = komadori.limited(motion, omit=3, hold=40, max_exposures=1)
    assert (result.omitted, result.held) == (0, 0)
    assert "Omitted 0 of the 3" in result.notes[0]
    assert "Held 0 of the 40" in result.notes[1]


def test_rounds_that_take_and_give_the_same_frame_are_said() -> None:
    """A straight run into a stop: from the third round on the definition deletes a repeat and puts it back."""
    x = np.concatenate([np.zeros(8), np.linspace(0, 10, 9), np.full(8, 10.0)]) + np.linspace(0, 0.1, 25)
    result = komadori.limited(moving(np.stack([x, 0 * x, 0 * x], axis=1)), omit=4, hold=0)
    assert result.omitted == 4
    assert len(result.omitted_frames) == 2
    assert "removed only 2 frames" in result.notes[0]


def test_clips_of_no_one_and_two_frames() -> None:
    for frames in (0, 1, 2):
        for solver in ("greedy", "optimal", "optimal-free", "uniform"):
            result = komadori.limited(moving(np.zeros((frames, 3))), solver=solver)
            assert len(result.motion) == frames
            assert result.error == 0.0


def test_steps_seen_by_a_camera() -> None:
    """Motion along the line of sight is nothing in the image; the same motion across it is."""
    x = np.linspace(0.0, 1.0, 12)
    path = np.concatenate([np.stack([0 * x, 0 * x, x], axis=1), np.stack([0.3 * x, 0 * x, 1 + 0 * x], axis=1)])
    camera = Camera(position=[0.0, 0.0, 40.0], target=[0.0, 0.0, 0.0])
    world = komadori.limited(moving(path), omit=2, hold=0)
    seen = komadori.limited(moving(path), omit=2, hold=0, camera=camera)
    assert (world.omitted_frames < 12).all()
    assert (seen.omitted_frames >= 12).all()


def test_a_camera_that_moves_with_the_body_sees_no_step() -> None:
    x = np.linspace(0.0, 3.0, 20)
    path = np.stack([x, 0 * x, 0 * x], axis=1)
    camera = Camera(position=path + np.array([0.0, 0.0, 5.0]), target=path)
    assert komadori.limited(moving(path), camera=camera).steps_before.max() < 1e-24
    with pytest.raises(OptionError, match="camera: expected as many frames as the motion has"):
        komadori.limited(moving(path[:10]), camera=camera)


def test_weights_choose_what_counts() -> None:
    rng = np.random.default_rng(5)
    skeleton = Skeleton(("root", "hand"), [-1, 0], [[0, 0, 0], [0, 1, 0]], roles={"left_hand": 1})
    positions = rng.normal(size=(40, 2, 3))
    motion = Motion(skeleton, 24, quat.identity(40, 2), positions)
    only_root = Motion(Skeleton(("root",), [-1], [[0, 0, 0]]), 24, quat.identity(40, 1), positions[:, :1])
    for weights in ({"left_hand": 0.0}, {"hand": 0.0}, np.array([1.0, 0.0])):
        assert (
            komadori.limited(motion, weights=weights, peaks=False).sheet
            == komadori.limited(only_root, peaks=False).sheet
        )
    with pytest.raises(OptionError, match="weights: expected one finite number, 0 or more, per joint"):
        komadori.limited(motion, weights=np.ones(3))
    with pytest.raises(OptionError, match="joint: expected one of root, hand, found 'tail'"):
        komadori.limited(motion, weights={"tail": 1.0})


def bursts(count: int, gap: int = 30) -> np.ndarray:
    """A joint that jumps to a new place `count` times, calm in between."""
    t = np.arange(count * gap)
    x = sum(1.0 / (1.0 + np.exp(-(t - (i + 0.5) * gap))) for i in range(count))
    return np.stack([x, 0 * t, 0 * t], axis=1)


def test_each_action_gets_its_own_omissions_and_keeps_its_time() -> None:
    motion = moving(bursts(3))
    result = komadori.limited(motion, omit=2, hold=0, actions=True)
    assert len(result.actions) == 3
    assert result.omitted == 6
    for begin in result.actions:
        assert result.sheet.source[begin] == begin
    assert all(np.isin(f // 30, [0, 1, 2]) for f in result.omitted_frames)
    assert np.bincount(result.omitted_frames // 30).tolist() == [2, 2, 2]
    by_hand = komadori.limited(motion, hold=0, cuts=result.actions[1:], action_omits=(0, 3, 1))
    assert np.bincount(by_hand.omitted_frames // 30, minlength=3).tolist() == [0, 3, 1]


def test_one_burst_is_one_action_at_any_frame_rate() -> None:
    for count in (1, 2, 4):
        for rate in (24, 30, 60, 120):
            path = bursts(count, gap=30 * rate // 24)[:, 0]
            path = np.interp(
                np.linspace(0, 30 * count, 30 * count * rate // 24), np.arange(30 * count), bursts(count)[:, 0]
            )
            assert len(action_starts(np.square(np.diff(path)), rate)) == count


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"omit": -1}, "omit: expected a number between 0"),
        ({"omit": 1.5}, "omit: expected a whole number"),
        ({"max_exposures": 0}, "max_exposures: expected a number between 1"),
        ({"solver": "best"}, "solver: expected one of auto, greedy"),
        ({"pins": (99,)}, "expected frames of the motion, 0 to 9, found 99"),
        ({"pins": (-1,)}, "pins: expected whole numbers, 0 or more, found -1"),
        ({"cuts": (5, 3)}, "cuts: expected increasing frame numbers, found"),
        ({"cuts": (99,)}, "expected frames of the motion, 0 to 9, found 99"),
        ({"action_omits": (1, 2)}, "action_omits: expected one number per action"),
        ({"keep_length": 1}, "expected true or false"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        komadori.limited(moving(np.zeros((10, 3))), **options)


def test_the_call_has_the_options_signature() -> None:
    import inspect

    signature = inspect.signature(komadori.limited)
    assert signature.parameters["omit_up_to"].default == 4
    assert signature.parameters["max_exposures"].default == 3
    with pytest.raises(TypeError, match=r"limited\(\)"):
        komadori.limited(moving(np.zeros((3, 3))), omti=4)


def test_a_share_of_the_frames_is_held_where_no_number_is_given() -> None:
    motion = moving([[x * x / 100.0, 0.0, 0.0] for x in range(50)])
    by_number = komadori.limited(motion, omit=0, hold=25)
    assert komadori.limited(motion, omit=0, hold_share=0.5).sheet == by_number.sheet
    assert komadori.limited(motion, omit=0, hold=25, hold_share=0.1).sheet == by_number.sheet
    assert any("of the 45 drawings" in note for note in komadori.limited(motion, omit=0, hold_share=0.9).notes)


@pytest.mark.parametrize("solver", [3, True, None, ["greedy"]])
def test_a_choice_that_is_no_word_is_refused(solver: object) -> None:
    with pytest.raises(OptionError, match="solver: expected one of auto, greedy"):
        komadori.limited(moving([[0.0, 0.0, 0.0]]), solver=solver)


def test_a_motion_without_frames_has_an_empty_sheet() -> None:
    result = komadori.limited(moving(np.zeros((0, 3))))
    assert (len(result.sheet), len(result.motion), result.omitted, result.held) == (0, 0, 0, 0)
