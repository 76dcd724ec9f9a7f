"""Hair that follows a moving head: streams, swings, overshoots and settles, as a closed form of the recorded motion."""

from __future__ import annotations

import numpy as np
import pytest
from hair_bodies import bones, moved, strand
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import Camera, Motion, quat
from komadori.characters import character as built_in
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.methods.hair import hair
from komadori.methods.hair.following import lag_of
from komadori.numerics.cuts import cuts_of, shots
from komadori.quat import Array

DOWN = (0.0, -1.0, 0.0)
BESIDE = np.array([3.0, 1.0, 0.0])
CALM = {"size": 0.0, "spread": 0.0, "gather": 0.0}


def run_and_stop(fps: float = 24.0, speed: float = 3.0) -> Array:
    """(F, 3) two seconds of travel along +z, then three of standing."""
    t = np.arange(round(5.0 * fps) + 1) / fps
    return np.stack([0.0 * t, 0.0 * t, speed * np.minimum(t, 2.0)], axis=1)


@given(st.floats(2.0, 30.0), st.floats(0.05, 0.95), st.integers(0, 2**31))
def test_the_lag_is_the_convolution_with_a_damped_swing(frequency: float, damping: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    way = np.cumsum(rng.normal(size=(12, 1)), axis=0)
    way[0] = way[1] = way[2] = way[3] = 0.0  # at rest before: nothing has to be known of the past
    lag = lag_of(way, 10.0, np.array([frequency]), damping)
    fine = np.linspace(0.0, 1.1, 22_001)
    at = np.interp(fine, np.arange(12) / 10.0, way[:, 0])
    other = frequency * np.sqrt(1.0 - damping**2)
    kernel = frequency**2 / other * np.exp(-damping * frequency * fine) * np.sin(other * fine)
    asked = np.arange(0, len(fine), 2000)
    loose = np.array([at[: i + 1] @ kernel[i::-1] for i in asked]) * (fine[1] - fine[0])
    found = lag.at(fine[asked])[:, 0, 0]
    np.testing.assert_allclose(found, loose - at[asked], atol=2e-2 * (1.0 + np.abs(way).max()))


def test_at_a_steady_speed_the_lag_is_steady() -> None:
    way = 2.0 * np.arange(40.0)[:, None] / 24.0
    lag = lag_of(way, 24.0, np.array([5.0, 9.0]), 0.3)
    np.testing.assert_allclose(
        lag.at(np.linspace(0.0, 1.5, 7))[..., 0], np.tile(-2.0 * 0.6 / np.array([5.0, 9.0]), (7, 1))
    )


def test_hair_streams_against_the_way_and_settles_after_a_stop() -> None:
    body = strand(direction=DOWN)
    tip = bones(hair(body, moved(body, run_and_stop()), **CALM).motion)[:, -1, 2]
    assert (tip[:48] < -0.7).all()
    assert tip[49:70].max() > 0.1, "it swings past the body"
    assert np.abs(tip[-1]) < 0.01
    still = bones(hair(body, moved(body, np.zeros((60, 3))), **CALM).motion)
    np.testing.assert_allclose(still, np.broadcast_to(DOWN, still.shape), atol=1e-12)


def test_faster_streams_more_and_follow_scales_it() -> None:
    body = strand(direction=DOWN)
    reach = [bones(hair(body, moved(body, run_and_stop(speed=v)), **CALM).motion)[24, -1, 2] for v in (0.5, 1.5, 5.0)]
    assert reach[0] > reach[1] > reach[2]
    none = bones(hair(body, moved(body, run_and_stop()), follow=0.0, **CALM).motion)
    np.testing.assert_allclose(none, np.broadcast_to(DOWN, none.shape), atol=1e-12)


def test_hair_swings_out_on_a_turn_and_comes_back() -> None:
    body = strand(direction=(0.0, 0.0, -1.0))
    t = np.arange(96) / 24.0
    yaw = np.radians(90.0) * np.clip((t - 1.0) / 0.3, 0.0, 1.0)
    turns = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), yaw)
    result = hair(body, moved(body, np.zeros((96, 3)), turns), **CALM)
    local = quat.rotate(quat.inverse(turns)[:, None], bones(result.motion))
    side = local[:, -1, 0]
    assert np.abs(side[:24]).max() < 1e-9
    # Turning to the left carries the back to the right: the tip stays behind, then swings past.
    assert side[24:34].max() > 0.25
    assert side[32:60].min() < -0.05
    assert abs(side[-1]) < 0.02


def test_running_is_as_wind_from_the_front() -> None:
    body = strand(direction=DOWN)
    way = 3.0 * np.arange(48)[:, None] / 24.0 * [0.0, 0.0, 1.0]
    run = hair(body, moved(body, way), **CALM)
    wind = hair(body, moved(body, 0.0 * way), wind=(0.0, 0.0, -3.0), **CALM)
    # Swings between two kernels of the bank are mixed: near, not the same.
    np.testing.assert_allclose(bones(run.motion)[24], bones(wind.motion)[24], atol=0.02)


def test_a_finer_recording_of_the_same_way_gives_the_same_hair() -> None:
    body = strand(direction=DOWN)
    coarse = moved(body, run_and_stop())
    both = [hair(body, motion).motion.world_positions() for motion in (coarse, coarse.resampled(240.0))]
    np.testing.assert_allclose(both[1][::10], both[0], atol=1e-9)


def test_between_frames_it_is_smooth() -> None:
    body = strand(direction=DOWN)
    result = hair(body, moved(body, run_and_stop()))
    fine = result.at(np.arange(0.0, 4.0, 1.0 / 480.0))
    assert quat.angle(quat.multiply(quat.inverse(fine[1:]), fine[:-1])).max() < 0.05


def test_waves_are_smaller_where_the_air_is_still() -> None:
    body = strand()
    result = hair(body, moved(body, run_and_stop()), spread=0.0, gather=0.0)
    heights = bones(result.motion)[:, -1, 1]
    assert np.ptp(heights[20:44]) > 1.5 * np.ptp(heights[90:114]) > 0.0


def test_a_cut_throws_no_hair() -> None:
    girl = built_in("girl")
    acts = [komadori.retarget(sample(name, 24.0), girl).motion for name in ("kick", "jog")]
    first, second = acts[0], moved_away(acts[1])
    clip = Motion(
        first.skeleton,
        24.0,
        quat.continuous(np.concatenate([first.rotations, second.rotations])),
        np.concatenate([first.positions, second.positions]),
    )
    calm = {"wind": (0.0, 0.0, -0.8), "preset": "breeze", "gust": 0.0, **CALM}
    whole = hair(girl, clip, **calm).motion.rotations
    for part, start in ((first, 0), (second, len(first))):
        alone = hair(girl, part, **calm).motion.rotations
        off = np.degrees(quat.angle(quat.multiply(quat.inverse(alone), whole[start : start + len(part)])))
        assert off.max() < 0.01


def moved_away(motion: Motion) -> Motion:
    """The same three metres away, and facing the other way."""
    turn = quat.from_axis_angle((0.0, 1.0, 0.0), np.radians(160.0))
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = quat.rotate(turn, positions[:, 0]) + np.array([2.0, 0.0, 3.0])
    return motion.replaced(rotations=rotations, positions=positions)


@pytest.mark.parametrize(("speed", "cut"), [(3.0, False), (60.0, False), (3.0, True)])
def test_only_a_leap_that_stands_out_is_a_cut(speed: float, cut: bool) -> None:
    # Who flies at 60 m/s all the time is in one shot.
    way = np.zeros((40, 1, 3))
    way[:, 0, 2] = speed * np.arange(40) / 24.0
    way[25:, 0, 0] += 4.0 if cut else 0.0
    still = quat.identity(40, 1)
    assert np.flatnonzero(cuts_of(way, still, 24.0)).tolist() == ([24] if cut else [])
    turned = np.array(still)
    turned[25:] = quat.from_axis_angle((0.0, 1.0, 0.0), 2.5)
    assert np.flatnonzero(cuts_of(way, turned, 24.0)).tolist() == [24]
    assert shots(cuts_of(way[:1], still[:1], 24.0)) == [slice(0, 1)]


def test_a_camera_that_tracks_changes_nothing_and_one_that_passes_blows() -> None:
    body = strand(direction=DOWN)
    way = run_and_stop()
    motion = moved(body, way)
    aim = way + np.array([0.0, 1.4, 0.0])
    alone = hair(body, motion, **CALM).motion.world_positions()
    still = hair(body, motion, camera=Camera([3.0, 1.0, 0.0], [0.0, 1.0, 0.0]), **CALM).motion.world_positions()
    tracked = hair(body, motion, camera=Camera(way + BESIDE, aim), **CALM).motion.world_positions()
    np.testing.assert_allclose(still, alone, atol=1e-12)
    np.testing.assert_allclose(tracked, alone, atol=1e-9)
    standing = moved(body, 0.0 * way)
    pan = Camera(way + BESIDE, [0.0, 1.4, 0.0])
    passed = bones(hair(body, standing, camera=pan, **CALM).motion)[24, -1]
    # A camera that goes to +z sees the body go to -z: its hair trails to +z.
    assert passed[2] > 0.4
    with pytest.raises(OptionError, match="camera"):
        hair(body, motion, camera=Camera(np.ones((3, 3)), [0.0, 0.0, 0.0]))


def test_a_motion_can_be_made_longer_or_shorter() -> None:
    body = strand(direction=DOWN)
    motion = moved(body, run_and_stop())
    assert len(hair(body, motion, seconds=1.0).motion) == 24
    longer = hair(body, motion, seconds=8.0, **CALM).motion
    assert len(longer) == 192
    assert abs(bones(longer)[-1, -1, 2]) < 1e-3
