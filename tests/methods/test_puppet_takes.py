"""Takes, scripts, springs, balls and sequences: performing without a hand, and one performance after another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import Motion, Puppet, Take, quat
from komadori.characters import sample
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats.take import parse
from komadori.methods.puppet import (
    Scene,
    bouncing,
    following,
    parsed,
    puppet_from,
    sequence,
    spring,
    together,
)
from komadori.quat import Array


def pitch_puppet() -> Puppet:
    return puppet_from(sample("pitch"), [30, 50, 60, 70, 90])


def kick_puppet() -> Puppet:
    return puppet_from(sample("kick"), [20, 34, 40, 60], "right_foot")


def circle(count: int = 49) -> Array:
    t = np.linspace(0.0, 2.0 * np.pi, count)
    return np.c_[0.3 * np.sin(t), 1.2 + 0.3 * np.cos(t), 0.3 + 0 * t]


# --- takes


def test_a_smoothed_take_loses_its_tremble_and_keeps_its_ends_and_its_times() -> None:
    calm = Take.recorded(circle(241), 60)
    tremble = 0.01 * np.random.default_rng(3).standard_normal(calm.path.shape)
    shaken = Take(calm.path + tremble, calm.times)
    smooth = shaken.smoothed(0.08)
    np.testing.assert_array_equal(smooth.times, shaken.times)
    np.testing.assert_allclose(smooth.path[[0, -1]], shaken.path[[0, -1]], atol=1e-9)
    inside = slice(30, -30)
    left = np.abs(smooth.path - calm.path)[inside].mean()
    assert left < 0.5 * np.abs(tremble)[inside].mean()
    assert smooth.length < 0.6 * shaken.length


@given(st.floats(0.001, 5.0), st.integers(2, 60), st.floats(0.01, 30.0))
def test_smoothing_leaves_an_even_way_along_a_line_alone(sigma: float, count: int, seconds: float) -> None:
    line = np.linspace([0.0, 1.0, 2.0], [3.0, -1.0, 2.5], count)
    take = Take(line, np.linspace(5.0, 5.0 + seconds, count))
    np.testing.assert_allclose(take.smoothed(sigma).path, line, atol=1e-6)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), 1e9])
def test_smoothing_by_no_time_is_refused(seconds: float) -> None:
    with pytest.raises(OptionError, match="seconds"):
        Take.recorded(circle()).smoothed(seconds)


def test_a_take_of_one_place_stays_as_it_is_when_smoothed() -> None:
    assert Take.recorded([[1, 2, 3]]).smoothed().path.tolist() == [[1, 2, 3]]


def test_a_take_keeps_its_path_and_its_timing_apart() -> None:
    take = Take.recorded(circle(), 24)
    slow = take.lasting(10.0)
    assert slow.seconds == pytest.approx(10.0)
    np.testing.assert_array_equal(slow.path, take.path)
    np.testing.assert_allclose(take.sampled(24), circle(), atol=1e-12)
    # Performed again with a pause in the middle: the same places, at other times.
    hand = Take(np.array([[0.0, 0, 0], [1.0, 0, 0], [1.0 + 1e-9, 0, 0], [2.0, 0, 0]]), np.array([0.0, 1.0, 3.0, 4.0]))
    again = take.retimed(hand)
    assert again.seconds == pytest.approx(4.0)
    np.testing.assert_allclose(again.at([2.0])[0], take.along([0.5])[0], atol=1e-6)
    np.testing.assert_allclose(again.at([4.0])[0], take.path[-1], atol=1e-9)


@given(st.lists(st.tuples(*[st.floats(-5, 5)] * 3), min_size=2, max_size=20))
def test_retiming_by_itself_changes_nothing(places: list[tuple[float, float, float]]) -> None:
    take = Take.recorded(places, 12)
    moves = np.linalg.norm(np.diff(take.path, axis=0), axis=1)
    if take.length == 0.0 or moves.min() < 1e-6 * take.length:
        return
    np.testing.assert_allclose(take.retimed(take).path, take.path, atol=1e-5)


def test_a_pause_in_a_path_is_no_trouble() -> None:
    take = Take.recorded([[0.0, 0, 0], [0.0, 0, 0], [1.0, 0, 0]], 1)
    assert take.progress.tolist() == [0.0, 0.0, 1.0]
    assert Take.recorded([[1.0, 2, 3]]).sampled().tolist() == [[1.0, 2.0, 3.0]]
    assert Take.recorded(np.ones((4, 3))).progress[-1] == 1.0


@pytest.mark.parametrize(
    ("path", "times", "message"),
    [
        (
            [[0, 0, 0], [1, 0, 0]],
            [0.0, 0.0],
            "times: times must increase; the one at index 1 does not",
        ),
        ([[0, 0, 0], [1, 0, 0]], [0.0], "times"),
        ([[0, 0, 0], [1, 0, np.nan]], [0.0, 1.0], "frame 1"),
        (np.zeros((0, 3)), [], "at least one place"),
    ],
)
def test_bad_takes_are_named(path: Array, times: list[float], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Take(np.asarray(path, dtype=float), np.asarray(times))


def test_a_performance_shows_the_pose_of_every_place() -> None:
    puppet = pitch_puppet()
    motion = puppet.perform(circle(), 30)
    assert (len(motion), motion.fps) == (49, 30.0)
    for frame in (0, 20, 48):
        assert (
            quat.angle(
                quat.multiply(quat.inverse(motion.rotations[frame]), puppet.pose(circle()[frame]).rotations)
            ).max()
            < 1e-9
        )
    assert len(puppet.perform(Take.recorded(circle(), 24), 12)) == 25
    assert len(puppet.perform(np.zeros((0, 3)))) == 0


def test_another_clip_can_hold_the_handle() -> None:
    clip = sample("pitch")
    hand = clip.skeleton.roles["right_hand"]
    take = following(clip, hand)
    np.testing.assert_array_equal(take.path, clip.world_positions()[:, hand])
    relative = following(clip, hand, relative_to_root=True)
    np.testing.assert_allclose(relative.path[:, 1], take.path[:, 1])
    puppet = puppet_from(clip, range(0, len(clip), 4))
    mimic = puppet.perform(take)
    apart = np.linalg.norm(mimic.world_positions() - clip.world_positions(), axis=-1)
    assert np.median(apart) < 0.06


# --- scripts


def test_scripts_are_arithmetic_over_all_times_at_once() -> None:
    t = np.linspace(0.0, 3.0, 100)
    script = parsed(
        "# a comment\nw = 2*pi*0.5\nx = 0.3*sin(w*t)\ny = 1 + abs(cos(w*t))**2 / 4 - -0.5  # more\nz = min(t, 1) % 0.7"
    )
    expected = np.c_[0.3 * np.sin(np.pi * t), 1 + np.abs(np.cos(np.pi * t)) ** 2 / 4 + 0.5, np.minimum(t, 1) % 0.7]
    np.testing.assert_allclose(script.at(t), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2+3*4", 14), ("(2+3)*4", 20), ("2**3**2", 512), ("-2**2", -4), ("2^-1", 0.5), ("10-4-3", 3), ("12/4/3", 1),
        ("7 % 4", 3), ("1e-3", 0.001), (".5", 0.5), ("clip(5, 0, 2)", 2), ("atan2(1, 1)*4", np.pi), ("smooth(0, 2, 1)", 0.5),
        ("wave(0)", -1), ("wave(0.5)", 1), ("wave(3.25)", 0), ("--3", 3), ("max(1, -2)", 1), ("tau/pi", 2), ("log(e)", 1),
    ],
)  # fmt: skip
def test_operators_bind_as_everyone_expects(text: str, value: float) -> None:
    assert parsed(f"x = {text}").at([0.0])[0, 0] == pytest.approx(value)


def test_a_script_states_its_length() -> None:
    assert parsed("seconds = 2*2\nx = t").take().seconds == pytest.approx(4.0)
    assert len(parsed("x = t").take(1.0, 24)) == 25
    with pytest.raises(OptionError, match="seconds = 4"):
        parsed("x = t").take()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = __import__('os')", "line 1: expected arithmetic"),
        ("x = t.real", "line 1"),
        ("x = [1,2]", "line 1: expected"),
        ("x = 1\ny = 'a'", "line 2: expected arithmetic"),
        ("x = lambda: 0", "line 1"),
        ("import os", "line 1: expected name = expression"),
        ("x = exec(1)", "line 1: expected one of the functions"),
        ("x = foo", "line 1.*unknown name 'foo'"),
        ("x = y2 + 1\ny2 = 1", "line 1.*'y2'"),
        ("x = sin", "without its brackets"),
        ("x = sin(1, 2)", r"as many values as sin takes \(1\), found 2"),
        ("x = (1 + 2", "a closing bracket"),
        ("x = 1 +", "the end of the line"),
        ("x = 1 2", "an operator"),
        ("x = == 1", "line 1"),
        ("t = 3", "line 1: expected a name that is not used yet"),
        ("sin = 3", "line 1: expected a name that is not used yet"),
        ("x = 1/(t-1)", r"line 1: expected a finite x, found inf at t = 1"),
        ("x = 9**9**9**9", "line 1: expected a finite x"),
        ("x = log(-1)", "line 1: expected a finite x"),
        ("a = 3", "expected a line that sets x, y or z"),
        ("", "expected a line that sets x, y or z"),
        ("seconds = t\nx = t", "line 1: expected a length that does not change"),
        ("seconds = -1\nx = t", "line 1: expected a length"),
        ("x = " + "(" * 500 + "1" + ")" * 500, "line 1"),
        ("x = " + "+".join("1" * 2000), "line 1: expected an expression of at most"),
        ("x = " + "-" * 5000 + "1", "line 1"),
        ("x = " + "2**" * 100 + "1", "line 1: expected an expression that is not nested too deeply"),
        ("x = 1" + "\n#" * 20000, "at most"),
        ("x = 1\0", "line 1"),
        ("x = １", "line 1"),
    ],
)  # fmt: skip
def test_anything_but_arithmetic_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parsed(text, "dance.txt").at(np.arange(3.0))


@given(st.text(alphabet="xyz t0.1+-*/%^()=,\n#sincoe9", max_size=60))
def test_no_text_brings_anything_but_a_format_error(text: str) -> None:
    try:
        found = parsed(text).at(np.arange(4.0))
    except FormatError:
        return
    assert np.isfinite(found).all()


# --- tables


def test_tables_with_and_without_times_and_names() -> None:
    plain = parse(b"0,0,0\n1,0,0\n", "a.csv", 10)
    np.testing.assert_allclose(plain.times, [0.0, 0.1])
    timed = parse("\ufefft, x, y, z\n0, 0,0,0\n\n2.5, 1,2,3\n".encode(), "b.csv")
    np.testing.assert_allclose(timed.at([2.5]), [[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "expected lines of x, y, z, found none"),
        (b"x,y,z\n", "found none"),
        (b"0,0,0\n1,,0\n", "line 2: expected 3 numbers.*no gaps"),
        (b"0,0,0\n1,nan,0\n", "line 2"),
        (b"0,0,0\n1,0\n", "line 2: expected 3 numbers"),
        (b"0,0\n", "line 1: expected x, y, z or t, x, y, z"),
        (b"0,0,0,0\n0,1,1,1\n", "line 2: expected a time after 0 s"),
        (b"0,0,1e300\n", "line 1"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
def test_bad_tables_name_their_line(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse(data, "handle.csv")


# --- physics


def test_a_spring_lags_overshoots_and_rests() -> None:
    leader = np.zeros((240, 3))
    leader[24:, 0] = 1.0
    found = spring(leader, 24, frequency=1.0, damping=0.2).path[:, 0]
    assert found[25] < 0.3
    assert 1.2 < found.max() < 1.6
    assert abs(found[-1] - 1.0) < 0.01


def test_a_spring_is_the_closed_form_at_any_frame_rate() -> None:
    for fps in (3.0, 24.0, 1000.0):
        leader = np.zeros((int(2 * fps) + 1, 3))
        found = spring(leader, fps, frequency=1.0, damping=0.25, start=[1.0, 0, 0]).path[-1, 0]
        w, t = 2 * np.pi, 2.0
        free = w * np.sqrt(1 - 0.25**2)
        exact = np.exp(-0.25 * w * t) * (np.cos(free * t) + 0.25 * w / free * np.sin(free * t))
        assert found == pytest.approx(exact, abs=1e-9)


def test_no_stiffness_is_too_much() -> None:
    found = spring(circle(), 24, frequency=5000.0, damping=1.0)
    np.testing.assert_allclose(found.path, circle(), atol=1e-3)


def test_an_undamped_spring_keeps_its_swing() -> None:
    found = spring(np.zeros((2401, 3)), 24, frequency=1.0, damping=0.0, start=[0.0, 1.0, 0.0]).path[:, 1]
    np.testing.assert_allclose(found[::24], 1.0, atol=1e-8)


def test_a_ball_bounces_to_the_height_that_is_left_and_never_sinks() -> None:
    found = bouncing([0.0, 1.0, 0.0], [1.0, 0.0, 0.0], seconds=10.0, fps=1000, bounce=0.8, ground=0.2).path
    assert found[:, 1].min() >= 0.2
    assert found[-1, 1] == pytest.approx(0.2)
    np.testing.assert_allclose(found[:, 0], np.arange(len(found)) / 1000)
    fall = np.sqrt(2 * 0.8 / 9.81)
    second = found[int(1000 * fall) + 1 : int(1000 * (fall + 2 * 0.8 * fall)), 1]
    assert second.max() == pytest.approx(0.2 + 0.64 * 0.8, abs=1e-3)


def test_a_perfect_ball_never_stops() -> None:
    found = bouncing([0.0, 1.0, 0.0], seconds=60.0, bounce=1.0, fps=100).path
    assert found[-300:, 1].max() == pytest.approx(1.0, abs=1e-2)


def test_impossible_physics_is_refused() -> None:
    for call in (
        lambda: bouncing([0, -1, 0]),
        lambda: bouncing([0, 1, 0], bounce=2.0),
        lambda: bouncing([0, 1, 0], gravity=0.0),
        lambda: bouncing([0, 1, 0], seconds=1e9),
        lambda: spring(np.zeros((2, 3)), frequency=0.0),
        lambda: spring(np.zeros((2, 3)), damping=-1.0),
        lambda: spring(np.zeros((0, 3))),
    ):
        with pytest.raises(KomadoriError):
            call()


# --- sequences


def speeds(motion: Motion) -> Array:
    return np.linalg.norm(np.diff(motion.world_positions(), axis=0), axis=-1).max(axis=1) * motion.fps


def test_takes_of_different_key_sets_glide_into_each_other() -> None:
    first, second = (
        Scene(pitch_puppet(), Take.recorded(circle())),
        Scene(kick_puppet(), Take.recorded(circle() * [1, 0.3, 1]), blend_s=0.5),
    )
    alone = [scene.motion(24.0) for scene in (first, second)]
    joined = sequence([first, second])
    assert len(joined) == 49 + 49 - 12
    np.testing.assert_array_equal(joined.rotations[:30], alone[0].rotations[:30])
    end = joined.rotations[-20:]
    assert quat.angle(quat.multiply(quat.inverse(end), alone[1].rotations[-20:])).max() < 1e-9
    # The transition moves no faster than what must be covered in that time.
    gap = np.linalg.norm(alone[0].world_positions()[-7] - alone[1].world_positions()[6], axis=-1).max()
    assert speeds(joined)[30:55].max() < speeds(alone[0]).max() + speeds(alone[1]).max() + 3.0 * gap / 0.5


def test_a_scene_begins_where_the_body_has_come_to() -> None:
    clip = sample("walk")
    scenes = [Scene(None, clip), Scene(pitch_puppet(), Take.recorded(circle()))]
    stayed = sequence(scenes)
    assert np.linalg.norm(stayed.positions[-1, 0, ::2] - clip.positions[-1, 0, ::2]) < 1.5
    went = sequence(scenes, stay=False)
    assert np.linalg.norm(went.positions[-1, 0, ::2]) < 1.5 < np.linalg.norm(clip.positions[-1, 0, ::2])


def test_a_gap_on_the_timeline_holds_the_last_pose() -> None:
    scene = Scene(pitch_puppet(), Take.recorded(circle()))
    joined = sequence([scene, Scene(pitch_puppet(), Take.recorded(circle()), start_s=4.0, blend_s=0.5)])
    assert len(joined) == 96 + 49
    np.testing.assert_array_equal(joined.rotations[60], joined.rotations[48])
    assert np.abs(np.diff(joined.rotations, axis=0)).max() < 0.3


def test_several_characters_share_a_handle_or_have_their_own() -> None:
    puppets = [pitch_puppet(), kick_puppet()]
    both = together(puppets, Take.recorded(circle()))
    assert [len(motion) for motion in both] == [49, 49]
    own = together(puppets, [Take.recorded(circle()), Take.recorded(circle(20))])
    assert [len(motion) for motion in own] == [49, 49]
    np.testing.assert_array_equal(own[1].rotations[19], own[1].rotations[48])
    with pytest.raises(OptionError, match="takes: expected one take, or one per puppet"):
        together(puppets, [Take.recorded(circle())] * 3)


def test_impossible_sequences_are_refused() -> None:
    other = puppet_from(Motion(*_tiny()), [0], "b")
    scene = Scene(pitch_puppet(), Take.recorded(circle()))
    for scenes, message in (
        ([], "at least one"),
        ([scene, Scene(other, Take.recorded(circle()))], "another skeleton"),
        (
            [scene, Scene(scene.puppet, scene.take, start_s=-1.0)],
            "scene 1, start_s: expected a start within 1000000 frames, found -1",
        ),
        (
            [scene, Scene(scene.puppet, scene.take, start_s=1e9)],
            "scene 1, start_s: expected a start within 1000000 frames, found 1000000000",
        ),
        ([Scene(scene.puppet, scene.take, blend_s=-1.0)], "blend_s"),
        ([Scene(None, Take.recorded(circle()))], "puppet: no puppet performs the take"),
    ):
        with pytest.raises(OptionError, match=message):
            sequence(scenes)


def _tiny() -> tuple[object, float, Array, Array]:
    from komadori.skeleton import Skeleton

    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.ones((2, 3)))
    return skeleton, 24.0, quat.identity(3, 2), np.ones((3, 2, 3))


# --- the examples

EXAMPLES = Path(__file__).parents[2] / "examples" / "puppet"


@pytest.mark.parametrize("name", ["juggling", "kick", "dance", "hips"])
def test_the_papers_examples_play_and_render(name: str) -> None:
    from komadori.render.figures import strip

    puppet = komadori.load(EXAMPLES / f"{name}.json")
    script = EXAMPLES / f"{name}.txt"
    take = parsed(script.read_text(encoding="utf-8"), script.name).take()
    motion = puppet.perform(take)
    assert 60 < len(motion) < 200
    # They move, never wildly, stay on the ground, and hardly ever where the keys define nothing.
    assert (0.2 if name == "hips" else 1.0) < speeds(motion).max() < 25.0
    assert motion.world_positions()[..., 1].min() > -0.05
    assert puppet.poses(take.sampled()).defined.min() > 0.9
    assert len(strip(motion, [0, len(motion) // 2]).items) > 20


def _example(name: str) -> tuple[komadori.Motion, np.ndarray]:
    script = EXAMPLES / f"{name}.txt"
    path = parsed(script.read_text(encoding="utf-8"), script.name).take(fps=24.0).sampled(24.0)
    return komadori.load(EXAMPLES / f"{name}.json", kind="puppet").perform(path), path


def test_the_foot_of_the_kick_is_at_the_handle() -> None:
    motion, path = _example("kick")
    ankle = motion.world_positions()[:, motion.skeleton.index("right_foot")]
    assert np.linalg.norm(ankle - path, axis=1).max() < 0.01


def test_a_hand_that_has_the_ball_is_below_it() -> None:
    motion, path = _example("juggling")
    beat, place = np.divmod(np.arange(len(path)) / 24.0, 1.0)
    for number, side in enumerate(("right", "left")):
        held = (place <= 0.35) & (beat % 2 == number)
        palm = motion.world_positions()[:, motion.skeleton.index(f"{side}_fingers")] + [0.0, 0.05, 0.0]
        assert np.linalg.norm(palm - path, axis=1)[held].max() < 0.02


def test_hips_write_the_letter_and_feet_stay() -> None:
    motion, path = _example("hips")
    world = motion.world_positions()
    assert np.linalg.norm(world[:, motion.skeleton.index("hips")] - path, axis=1).max() < 0.005
    assert np.ptp(path[:, 0]) > 0.15
    assert np.ptp(path[:, 1]) > 0.08
    for side in ("left", "right"):
        assert np.ptp(world[:, motion.skeleton.index(f"{side}_foot")], axis=0).max() < 0.03


def test_the_example_walks() -> None:
    from komadori.methods.puppet import walk_of

    assert walk_of(komadori.load(EXAMPLES / "walk.json")).stride == pytest.approx(1.2, abs=0.1)
