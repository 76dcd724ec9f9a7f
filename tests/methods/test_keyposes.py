"""Key poses: the curve is the paper's, the choice is the definition's, and every wish of an animator is kept."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import komadori
from komadori import feet
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.methods.keyposes import KeyposesOptions, KeyposesResult, keyposes
from komadori.methods.keyposes.features import frame_features, principal_curve, watched
from komadori.motion import Motion, joined
from komadori.numerics import polyline_largest, polyline_segments, polyline_summed
from komadori.numerics.polyline import LEAST, key_errors
from komadori.quat import Array

from bodies import tree, wander
from realdata import real, reals

DOCS = Path(__file__).parents[2] / "docs"
SOLVERS = ("greedy", "optimal", "synopsis")


def clip(path: Path, **prepared: Any) -> Motion:
    return komadori.load(path).prepared(**prepared)


def sliding(corners: list[tuple[float, float]], frames: int = 15) -> Motion:
    """A standing body, moved along straight lines from corner to corner: no limb stirs."""
    pose = sample("walk")[:1]
    way = [np.linspace(a, b, frames, endpoint=False) for a, b in itertools.pairwise(corners)]
    path = np.concatenate([*way, [corners[-1]]])
    still = pose.taken(np.zeros(len(path), dtype=int))
    positions = still.positions.copy()
    positions[:, 0, [0, 2]] += path
    return still.replaced(positions=positions)


# The curve


def scaled(values: Array, dims: int) -> Array:
    """Classical multidimensional scaling of the full matrix of squared distances, as the paper computes it."""
    squared = np.square(values[:, None] - values[None]).sum(axis=-1)
    centre = np.eye(len(values)) - 1.0 / len(values)
    variances, vectors = np.linalg.eigh(-0.5 * centre @ squared @ centre)
    return np.asarray((vectors * np.sqrt(np.maximum(variances, 0.0)))[:, ::-1][:, :dims])


@pytest.mark.parametrize("name", ["pitch", "kick", "walk"])
def test_the_curve_is_classical_mds_of_all_distances(name: str) -> None:
    motion = sample(name)
    result = keyposes(motion, dims=4)
    expected = scaled(frame_features(motion, watched(motion.skeleton), result.options).values, 4)
    signs = np.sign(np.sum(result.curve * expected, axis=0))
    assert result.curve == pytest.approx(expected * signs, abs=1e-9)


def test_features_are_thirty_numbers_of_equation_1() -> None:
    motion = sample("pitch")
    options = KeyposesOptions(velocity_weight=1.0)
    values = frame_features(motion, watched(motion.skeleton), options).values
    world = motion.world_positions()
    roles = motion.skeleton.roles
    ends = world[:, [roles[role] for role in ("left_hand", "right_hand", "left_foot", "right_foot", "head")]]
    ends = ends - world[:, roles["hips"], None]
    assert values.shape == (len(motion), 30)
    assert values[:, :15] == pytest.approx(ends.reshape(-1, 15), abs=1e-12)
    assert values[50, 15:] == pytest.approx(((ends[51] - ends[49]) / 2).ravel(), abs=1e-12)
    balanced = frame_features(motion, watched(motion.skeleton), KeyposesOptions()).values
    assert balanced[:, 15:].var(axis=0).sum() == pytest.approx(balanced[:, :15].var(axis=0).sum())


@given(st.integers(0, 2**32 - 1))
def test_signs_are_fixed_by_the_largest_loading(seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(40, 6))
    curve, share = principal_curve(values, 3)
    loadings = (values - values.mean(axis=0)).T @ curve
    assert (loadings[np.argmax(np.abs(loadings), axis=0), range(3)] > 0.0).all()
    turned, _ = principal_curve(values[::-1].copy(), 3)
    assert curve == pytest.approx(turned[::-1], abs=1e-9)
    assert 0.5 < share < 1.0


def test_the_place_and_start_of_a_clip_do_not_matter() -> None:
    motion = sample("kick")
    positions = motion.positions.copy()
    positions[:, 0] += [5.0, 0.0, -3.0]
    assert (
        keyposes(motion.replaced(positions=positions), count=9).frames.tolist()
        == keyposes(motion, count=9).frames.tolist()
    )


# The choice


def definition(curve: Array, count: int) -> list[int]:
    """Section 2.2: first and last, then again and again the farthest frame from the polyline."""
    keys = [0, len(curve) - 1]
    while len(keys) < count:
        keys.append(int(np.argmax(np.round(key_errors(curve, np.array(sorted(keys))), 12))))
    return keys


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh", "quadruped_tencent_dog_bvh/30fps*.bvh"))
def test_greedy_is_the_paper_on_every_clip(path: Path) -> None:
    motion = clip(path)
    result = keyposes(motion, count=15)
    assert result.order.tolist() == definition(result.curve, 15)
    assert result.frames.tolist() == sorted(result.order.tolist())
    assert result.error == pytest.approx(result.errors[13], abs=1e-12)
    for count in (2, 5, 30):
        assert result.at(count).order.tolist() == keyposes(motion, count=count).order.tolist()


@pytest.mark.parametrize(
    "path", reals("human_cmu_bvh/124_01.bvh", "human_cmu_bvh/02_01.bvh", "human_cmu_bvh/49_06.bvh")
)
def test_the_optimum_beats_greedy_at_every_count(path: Path) -> None:
    motion = clip(path)
    best, greedy = keyposes(motion, count=15, solver="optimal"), keyposes(motion, count=15)
    both = min(len(best.errors), len(greedy.errors))
    assert (best.errors[:both] <= greedy.errors[:both]).all()
    assert best.error == pytest.approx(best.errors[13], abs=1e-12)
    assert greedy.least_error == pytest.approx(best.error)
    assert greedy.least_frames.tolist() == best.frames.tolist()
    assert best.least_frames is best.frames
    assert greedy.ratio == pytest.approx(greedy.error / best.error)
    assert best.ratio == 1.0
    assert best.at(9).error == pytest.approx(best.errors[7], abs=1e-12)
    assert greedy.even_error > greedy.error


@pytest.mark.parametrize("page", ["keyposes.md", "ja/keyposes.md"])
def test_the_pitch_is_chosen_as_the_docs_say(page: str) -> None:
    """CMU 124_01 at 24 fps, 15 keys: the table of docs/keyposes.md, row by row."""
    motion = clip(real("human_cmu_bvh/124_01.bvh"))
    greedy, synopsis = keyposes(motion, count=15), keyposes(motion, count=15, solver="synopsis")
    best = keyposes(motion, count=15, solver="optimal")
    rows = re.findall(r"^\|[^|]+\| ([\d.]+) m \|([^|]*)\|$", (DOCS / page).read_text(encoding="utf-8"), re.M)
    assert [error for error, _ in rows] == [
        f"{error:.3g}" for error in (greedy.even_error, synopsis.error, greedy.error, best.error)
    ]
    for (_, keys), result in zip(rows[1:], (synopsis, greedy, best), strict=True):
        assert [int(key) for key in keys.split()] == result.frames.tolist()
    assert greedy.least_error == best.error
    # The paper's finding: neighbours where the motion is violent; Action Synopsis spreads its keys.
    assert np.diff(greedy.frames).min() == 1
    assert np.diff(synopsis.frames).min() >= 4
    assert np.diff(synopsis.frames).max() < np.diff(greedy.frames).max()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("measure", ["max", "sum"])
@given(data=st.data())
def test_every_wish_is_kept(solver: Any, measure: Any, data: st.DataObject) -> None:
    frames = data.draw(st.integers(2, 40))
    motion = wander(tree(6), frames, seed=data.draw(st.integers(0, 99)), speed=0.3)
    pins = data.draw(st.lists(st.integers(0, frames - 1), max_size=3))
    gap = data.draw(st.none() | st.integers(1, frames))
    result = keyposes(motion, solver=solver, measure=measure, pins=tuple(pins), max_gap=gap, time_weight=0.1)
    assert {0, frames - 1, *pins} <= set(result.frames.tolist())
    assert gap is None or np.diff(result.frames).max(initial=0) <= gap
    assert sorted(result.order.tolist()) == result.frames.tolist()
    assert result.counts.tolist() == list(range(int(result.counts[0]), int(result.counts[-1]) + 1))
    assert len(result.errors) == len(result.counts)
    assert result.error == pytest.approx(result.errors[len(result) - int(result.counts[0])], abs=1e-8)
    assert result.error >= result.least_error - 1e-9
    assert result.sheet.source.tolist() == [max(k for k in result.frames.tolist() if k <= f) for f in range(frames)]


def test_pins_are_part_of_the_optimisation() -> None:
    motion = sample("kick")
    free = keyposes(motion, count=10, solver="optimal")
    pin = next(frame for frame in range(1, len(motion)) if frame not in free.frames)
    pinned = keyposes(motion, count=10, solver="optimal", pins=(pin,))
    assert pin in pinned.frames
    patched = sorted({*free.at(9).frames.tolist(), pin})
    assert pinned.error <= key_errors(pinned.curve, np.array(patched)).max() + 1e-12
    assert pinned.error >= free.error


def test_contacts_become_keys() -> None:
    motion = sample("walk")
    found = feet.contacts(motion)
    steps = {*found.touchdowns().tolist(), *found.liftoffs().tolist()}
    for solver in SOLVERS:
        result = keyposes(motion, contacts=True, solver=solver)
        assert steps <= set(result.frames.tolist())
        assert any("touches down" in note for note in result.notes)


# How many


def test_a_count_is_chosen_and_explained() -> None:
    result = keyposes(sample("pitch"))
    assert 5 <= len(result) <= 40
    assert result.notes[-1].startswith(f"Chose {len(result)} keys, at the bend of the error curve")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tolerance_gives_the_fewest_keys_that_keep_it(solver: Any) -> None:
    result = keyposes(sample("pitch"), tolerance=1.5, solver=solver)
    assert result.error <= 1.5
    assert (result.errors[: len(result) - 2] > 1.5).all()
    assert not any("bends" in note for note in result.notes)


def test_a_tolerance_out_of_reach_is_said() -> None:
    result = keyposes(sample("pitch"), tolerance=0.0, solver="synopsis")
    assert any(note.startswith("No number of keys reaches 0 m") for note in result.notes)


# Slow motion, and the way through the scene


def test_slow_motion_gets_keys_when_time_counts() -> None:
    motion = joined([sample("slow-walk"), sample("pitch")])
    walk = len(sample("slow-walk"))
    gaps, keys = [], []
    for weight in (0.0, 0.5, 1.0):
        frames = keyposes(motion, count=14, time_weight=weight).frames
        keys.append(int(np.sum(frames < walk)))
        gaps.append(int(np.diff(frames).max()))
    assert keys[0] < keys[2]
    assert gaps[0] > gaps[1] > gaps[2]


def test_standing_still_needs_no_keys_even_when_time_counts() -> None:
    pitch = sample("pitch")
    motion = pitch.taken([*[0] * 80, *range(len(pitch))])
    for solver in ("greedy", "optimal"):
        frames = keyposes(motion, count=15, time_weight=0.5, solver=solver).frames
        assert not np.any((frames > 0) & (frames < 78))


def test_the_body_s_way_gets_keys_when_the_root_counts() -> None:
    motion = sliding([(0, 0), (2, 0), (2, 2), (4, 2)])
    without, with_root = keyposes(motion), keyposes(motion, root_weight=1.0, count=4)
    assert without.frames.tolist() == [0, 45]
    assert any("keys are enough" in note for note in without.notes)
    assert with_root.frames.tolist() == [0, 15, 30, 45]
    assert with_root.error == pytest.approx(0.0, abs=1e-9)


def test_the_root_counts_more_the_more_it_weighs() -> None:
    motion = sample("walk")
    shares = [np.ptp(keyposes(motion, count=5, root_weight=weight).curve[:, 0]) for weight in (0.0, 0.5, 2.0)]
    assert shares[0] < shares[1] < shares[2]


# Any body


@pytest.mark.parametrize("path", reals("quadruped_tencent_dog_bvh/30fps*.bvh"))
@pytest.mark.parametrize("solver", SOLVERS)
def test_animals_have_key_poses_too(path: Path, solver: Any) -> None:
    result = keyposes(clip(path), count=12, solver=solver)
    assert len(result) == 12
    assert len(result.joints) == 5
    assert not result.notes


def test_a_subset_of_joints_decides_alone() -> None:
    motion = sample("pitch")
    arm = keyposes(motion, count=8, joints=("right_hand", "right_lower_arm"))
    assert len(arm.joints) == 2
    assert arm.frames.tolist() != keyposes(motion, count=8).frames.tolist()
    by_name = keyposes(motion, count=8, joints=arm.joints)
    assert by_name.frames.tolist() == arm.frames.tolist()
    hips = keyposes(motion, count=8, joints=("hips",))
    assert len(hips) == 8


def test_without_roles_all_ends_decide() -> None:
    result = keyposes(wander(tree(9), 40), count=5)
    assert len(result) == 5
    assert any("No hands, feet or head" in note for note in result.notes)


def test_missing_ends_are_named() -> None:
    motion = sample("pitch")
    roles = {name: joint for name, joint in motion.skeleton.roles.items() if name not in ("head", "left_hand")}
    result = keyposes(motion.with_skeleton(motion.skeleton.with_roles(roles)), count=6)
    assert len(result.joints) == 3
    assert result.notes[0] == "No left hand, head in this skeleton; used the other ends."


# Bad input


@pytest.mark.parametrize("solver", SOLVERS)
def test_one_frame_is_its_own_key(solver: Any) -> None:
    result = keyposes(sample("pitch")[:1], solver=solver)
    assert result.frames.tolist() == [0]
    assert result.error == 0.0
    assert result.even_error == 0.0
    assert len(result.motion) == 1
    assert result.keyed("bezier").worst_mm == 0.0


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_clip_that_does_not_move_has_two(solver: Any) -> None:
    still = sample("pitch").taken([40] * 30)
    result = keyposes(still, solver=solver)
    assert result.frames.tolist() == [0, 29]
    assert result.error <= LEAST
    assert any("keys are enough" in note for note in result.notes)
    asked = keyposes(still, solver=solver, count=10)
    assert len(asked) == 2
    assert any(note.startswith("Used 2 keys instead of 10") for note in asked.notes)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"count": 1}, "count: expected a number between 2"),
        ({"count": 130}, "count: expected at most one key per frame"),
        ({"count": 2.5}, "count: expected a whole number"),
        ({"count": 5, "tolerance": 0.1}, "give either count or tolerance, not both"),
        ({"tolerance": -1.0}, "tolerance: expected a number between 0 and 1e"),
        ({"count": 3, "max_gap": 10}, "at least 14"),
        ({"max_gap": 0}, "max_gap: expected a number between 1 and 1e"),
        ({"pins": (129,)}, "pins: expected frames of the motion, 0 to 128, found 129"),
        ({"pins": (-1,)}, "pins: expected whole numbers, 0 or more, found "),
        ({"pins": "12"}, "pins: expected a list, found "),
        ({"solver": "best"}, "solver: expected one of"),
        ({"velocity_weight": -1.0}, "velocity_weight"),
        ({"velocity_weight": float("nan")}, "velocity_weight"),
        ({"velocity_weight": "heavy"}, "velocity_weight: expected one of"),
        ({"time_weight": float("inf")}, "time_weight"),
        ({"dims": 1}, "dims: expected a number between 2 and 30, found 1"),
        (
            {"joints": ("tentacle",)},
            "joint: expected one of hips, spine, chest, upper_chest, neck, head, head_end, left_shoulder",
        ),
        ({"joints": (3,)}, "joints: expected names of joints or roles, found 3"),
    ],
)
@pytest.mark.parametrize("solver", SOLVERS)
def test_wrong_wishes_are_refused_with_a_reason(given: dict[str, Any], words: str, solver: str) -> None:
    with pytest.raises(OptionError, match=words):
        keyposes(sample("pitch"), **{"solver": solver, **given})


def test_no_frames_and_no_numbers_are_refused() -> None:
    motion = sample("pitch")
    with pytest.raises(OptionError, match="motion: the motion has no frames"):
        keyposes(motion[:0])
    rotations = motion.rotations.copy()
    rotations[5] = np.nan
    with pytest.raises(OptionError, match="NaN or infinity"):
        keyposes(Motion(motion.skeleton, 24, rotations, motion.positions))


def test_another_count_must_be_there() -> None:
    result = keyposes(sample("pitch"))
    with pytest.raises(OptionError, match="count: expected a whole number from 2 to 129, found 1"):
        result.at(1)


# What can be made of it


def test_sample_and_hold_keeps_exact_numbers() -> None:
    motion = sample("pitch")
    result = keyposes(motion, count=9)
    assert len(result.motion) == len(motion)
    assert result.sheet.drawings.tolist() == result.frames.tolist()
    assert (result.motion.positions == motion.positions[result.sheet.source]).all()
    assert len(result) == 9


def test_more_keys_and_better_curves_lie_nearer() -> None:
    result = keyposes(sample("pitch"), count=12)
    worst = [result.keyed(kind).worst_mm for kind in ("stepped", "linear", "bezier")]
    assert worst[0] > worst[1] > worst[2] > result.at(40).keyed("bezier").worst_mm
    assert result.keyed().frames.tolist() == result.frames.tolist()


def test_the_input_is_never_changed() -> None:
    motion = sample("kick")
    before = motion.rotations.copy(), motion.positions.copy()
    for solver in SOLVERS:
        keyposes(motion, solver=solver, count=6)
    assert (motion.rotations == before[0]).all()
    assert (motion.positions == before[1]).all()


def test_sums_of_long_clips_say_that_they_are_solved_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyline_summed, "ALL_AT_ONCE", 100)
    monkeypatch.setattr(polyline_summed, "WINDOW", 50)
    assert not any("window by window" in note for note in keyposes(sample("pitch"), count=20, solver="optimal").notes)
    result = keyposes(sample("pitch"), count=20, solver="optimal", measure="sum")
    assert len(result) == 20
    assert any("window by window" in note for note in result.notes)
    assert isinstance(result, KeyposesResult)
    assert result.error == pytest.approx(result.errors[20 - int(result.counts[0])])


def test_long_clips_say_that_their_error_curve_is_partly_the_greedy_one(monkeypatch: pytest.MonkeyPatch) -> None:
    exact, greedy = (keyposes(sample("walk"), solver=solver) for solver in ("optimal", "greedy"))
    assert not any("greedy choice" in note for note in exact.notes)
    least = exact.errors
    monkeypatch.setattr(polyline_largest, "AT_ONCE", 90)
    monkeypatch.setattr(polyline_largest, "EVERY", 90)
    result = keyposes(sample("walk"), solver="optimal")
    assert any("greedy choice" in note for note in result.notes)
    assert (result.frames == exact.frames).all()
    place = len(exact) - int(exact.counts[0])
    assert (result.errors[place:] == least[place:]).all()
    unlike = result.errors != least
    assert unlike.any()
    assert (result.errors[unlike] == greedy.errors[: len(unlike)][unlike]).all()
    # One count that is asked for is exact, however few keys it has.
    assert keyposes(sample("walk"), solver="optimal", count=5).error == least[5 - int(exact.counts[0])]


def test_an_optimum_that_would_take_memory_or_hours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for most in ("MOST", "MOST_TRIED"):
        with monkeypatch.context() as patch:
            patch.setattr(polyline_segments, most, 50)
            with pytest.raises(OptionError, match="solver: the clip is too long, or too still for minutes"):
                keyposes(sample("pitch"), solver="optimal")
    monkeypatch.setattr(polyline_segments, "MOST", 50)
    assert len(keyposes(sample("pitch"), solver="optimal", max_gap=20)) > 5


def test_two_runs_choose_the_same() -> None:
    motion = sample("kick")
    for solver in SOLVERS:
        one, two = keyposes(motion, solver=solver), keyposes(motion, solver=solver)
        assert one.order.tolist() == two.order.tolist()
        assert one.errors.tolist() == two.errors.tolist()


def test_the_velocity_unit_is_the_weight_that_it_names() -> None:
    motion = sample("pitch")
    for unit, weight in (("per-frame", 1.0), ("per-second", motion.fps)):
        named, number = (komadori.keyposes(motion, count=12, velocity_weight=value) for value in (unit, weight))
        assert named.frames.tolist() == number.frames.tolist()
    assert (
        komadori.keyposes(motion, count=12, velocity_weight="per-second").frames.tolist()
        != komadori.keyposes(motion, count=12, velocity_weight="per-frame").frames.tolist()
    )
