"""Limited animation live: what comes out, when, and how it compares with what can be known only afterwards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from bench.live import against, drawings, streamed
from komadori import OptionError
from komadori.characters import SAMPLES, sample
from komadori.methods.limited.causal import CausalHolds, Leaps, Rules
from komadori.methods.limited.measure import frame_points
from komadori.methods.limited.options import LimitedOptions


def rules(look_ahead: int = 3, worth: float = 0.1, most: int = 3, **more: object) -> Rules:
    return Rules(look_ahead, most, worth, 24.0, **more)


def shown(motion: komadori.Motion, **options: object) -> list[komadori.methods.limited.Drawing]:
    stream = komadori.limited.stream(motion.skeleton, **options)
    made = [stream.push(q, p) for q, p in zip(motion.rotations, motion.positions, strict=True)]
    return [each for each in [*made, *stream.finish()] if each is not None]


@pytest.mark.parametrize("look_ahead", [0, 1, 3, 6])
def test_each_frame_in_gives_the_one_that_lies_the_look_ahead_back(look_ahead: int) -> None:
    pitch = sample("pitch")
    stream = komadori.limited.stream(pitch.skeleton, look_ahead=look_ahead)
    frames = []
    for q, p in zip(pitch.rotations, pitch.positions, strict=True):
        made = stream.push(q, p)
        frames.append(None if made is None else made.exposure.frame)
    assert frames == [None] * look_ahead + list(range(len(pitch) - look_ahead))
    assert [each.exposure.frame for each in stream.finish()] == list(range(len(pitch) - look_ahead, len(pitch)))


def test_what_is_shown_is_a_frame_of_the_input_to_the_last_bit_and_new_says_when_it_changes() -> None:
    pitch = sample("pitch")
    made = shown(pitch)
    for each in made:
        np.testing.assert_array_equal(np.abs(each.rotations), np.abs(pitch.rotations[each.exposure.source]))
        np.testing.assert_array_equal(each.positions, pitch.positions[each.exposure.source])
    source = np.array([each.exposure.source for each in made])
    assert [each.new for each in made] == [True, *(np.diff(source) != 0).tolist()]
    assert 0.3 < drawings(source) / len(source) < 0.9


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 6),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
    st.floats(-9.0, 3.0),
    st.booleans(),
    st.integers(1, 60),
)
def test_no_run_is_too_long_no_frame_is_shown_from_far_away_and_nothing_is_remembered(
    look_ahead: int, most: int, seed: int, worth: float, leaps: bool, frames: int
) -> None:
    rng = np.random.default_rng(seed)
    points = np.cumsum(rng.normal(size=(frames, 6)) * rng.choice([0.0, 0.05, 1.0, 5.0], size=(frames, 1)), axis=0)
    holds = CausalHolds(
        rules(look_ahead, float(np.exp(worth)), most, leaps=Leaps(look_ahead, 1.7, 0.1) if leaps else None)
    )
    made = []
    for row in points:
        made.append(holds.push(row))
        assert holds.remembered <= look_ahead + most + 2 + look_ahead
    exposures = [each for each in [*made, *holds.finish()] if each is not None]
    source = np.array([each.source for each in exposures])
    assert len(source) == frames
    starts = np.flatnonzero(np.concatenate([[True], np.diff(source) != 0]))
    assert np.diff(np.append(starts, frames)).max() <= most + (look_ahead if leaps else 0)
    if not leaps:
        assert (source - np.arange(frames)).max() <= look_ahead
        assert (np.arange(frames) - source).max() < most
        assert all(each.before == each.frame for each in exposures)
    assert (np.diff(source) >= 0).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 6), st.integers(0, 2**32 - 1), st.integers(5, 40))
def test_the_future_beyond_the_look_ahead_changes_nothing(look_ahead: int, seed: int, cut: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.cumsum(rng.normal(size=(50, 4)), axis=0)
    other = points.copy()
    other[cut:] += rng.normal(size=(50 - cut, 4)) * 10.0
    one, two = (streamed(each, rules(look_ahead, 2.0, leaps=Leaps(4, 1.7, 0.5))) for each in (points, other))
    np.testing.assert_array_equal(one[: max(cut - look_ahead, 0)], two[: max(cut - look_ahead, 0)])


@pytest.mark.parametrize(("look_ahead", "most"), [(3, 1.5), (6, 1.25)])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_error_is_near_that_of_the_offline_optimum_and_below_plain_on_twos(
    name: str, look_ahead: int, most: float
) -> None:
    points = frame_points(sample(name), LimitedOptions())
    step = float(np.square(np.diff(points, axis=0)).sum(axis=1).mean())
    for times in (0.5, 1.0, 3.0):
        found = against(points, streamed(points, rules(look_ahead, times * step)))
        assert found.optimum <= most
        assert found.twos < 1.0


def test_two_poses_become_two_drawings_each_shown_by_its_middle() -> None:
    points = np.array([[0.0], [0.01], [0.02], [5.0], [5.01], [5.02]])
    assert streamed(points, rules(6, 1.0)).tolist() == [1, 1, 1, 4, 4, 4]


def test_frames_that_must_be_drawn_are() -> None:
    points = np.linspace(0.0, 1e-3, 48)[:, None]
    wanted = {5, 6, 20, 33}
    holds = CausalHolds(rules(3, 1.0))
    made = [holds.push(row, number in wanted) for number, row in enumerate(points)]
    source = {each.source: each.frame for each in [*made, *holds.finish()] if each is not None and each.new}
    assert wanted <= source.keys()
    free = set(streamed(points, rules(3, 1.0)).tolist())
    assert not wanted <= free


def test_a_body_that_sets_off_does_not_leap() -> None:
    frames = 60
    swing = 0.02 * np.sin(np.arange(frames)[:, None] + np.arange(6))
    burst = np.cumsum(np.isin(np.arange(frames), (40, 41, 42)) * 1.0)[:, None]
    for travel, limbs, leaps in ((burst, swing, False), (0.0 * burst, swing + burst, True)):
        holds = CausalHolds(rules(6, 1e-6, leaps=Leaps(4, 2.3, 0.2)))
        made = [holds.push(row + away, limbs=row) for row, away in zip(limbs, travel, strict=True)]
        before = {each.before for each in [*made, *holds.finish()] if each is not None}
        assert (len(before) < frames) is leaps


def test_a_throw_leaps_and_a_walk_does_not() -> None:
    for name, leaps in (("pitch", True), ("kick", True), ("walk", False), ("jog", False)):
        motion = sample(name)
        before = {each.exposure.before for each in shown(motion)}
        assert (len(before) < len(motion)) is leaps, name
        assert len({each.exposure.before for each in shown(motion, omit_up_to=0)}) == len(motion)


def test_a_leap_is_one_step_from_a_drawing_before_the_burst_to_one_in_it() -> None:
    """A calm line, then five fast frames: the first ones are skipped, and the drawing before them stays for longer."""
    speeds = np.concatenate([np.full(30, 0.01), np.full(5, 1.0), np.full(20, 0.01)])
    points = np.cumsum(speeds)[:, None]
    holds = CausalHolds(rules(4, 1e-6, leaps=Leaps(4, 2.0, 0.5)))
    made = [each for each in [*[holds.push(row) for row in points], *holds.finish()] if each is not None]
    before = np.array([each.before for each in made])
    gone = set(range(len(points))) - set(before.tolist())
    assert gone
    assert gone <= set(range(29, 35))
    assert np.diff(before).max() == len(gone) + 1


def test_frames_come_out_at_their_rate_whatever_rate_goes_in() -> None:
    walk = sample("walk", 120.0)
    fine = shown(walk, source_fps=120.0, tolerance=0.0, omit_up_to=0)
    coarse = sample("walk", 24.0)
    assert abs(len(fine) - len(coarse)) <= 1
    np.testing.assert_allclose(fine[10].positions, walk.positions[50], atol=1e-12)
    between = shown(sample("walk", 60.0), source_fps=60.0, tolerance=0.0, omit_up_to=0)
    assert abs(len(between) - len(coarse)) <= 1
    # Frame 1 lies two and a half frames in: midway between two of the input.
    sixty = sample("walk", 60.0)
    np.testing.assert_allclose(between[1].positions, 0.5 * (sixty.positions[2] + sixty.positions[3]), atol=1e-12)


def test_the_tolerance_follows_the_share_that_is_asked_for() -> None:
    jog = sample("jog")
    long = jog.taken(np.arange(1500) % len(jog))
    plain = [each.new for each in shown(long, omit_up_to=0)]
    following = [each.new for each in shown(long, omit_up_to=0, hold_share=0.5)]
    assert np.mean(plain) > 0.9
    assert 0.45 < np.mean(following[1000:]) < 0.55


def test_wrong_input_is_refused_by_name() -> None:
    walk = sample("walk")
    with pytest.raises(OptionError, match="look_ahead"):
        komadori.limited.stream(walk.skeleton, look_ahead=7)
    with pytest.raises(OptionError, match="source_fps"):
        komadori.limited.stream(walk.skeleton, source_fps=12.0)
    stream = komadori.limited.stream(walk.skeleton)
    with pytest.raises(OptionError, match="rotations"):
        stream.push(walk.rotations[0][:3], walk.positions[0])
    with pytest.raises(OptionError, match="finite"):
        stream.push(walk.rotations[0] * np.nan, walk.positions[0])
    assert stream.push(walk.rotations[0], walk.positions[0]) is None
    assert len(stream.finish()) == 1
