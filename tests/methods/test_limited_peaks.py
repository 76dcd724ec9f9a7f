"""What limited animation must show and where it omits: limb peaks, actions that stand out, and the default solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import Motion, Skeleton, look, quat
from komadori.characters import SAMPLES, character, sample
from komadori.methods.limited import LimitedResult
from komadori.methods.limited.actions import action_starts, standing_out, way_there
from komadori.methods.limited.peaks import LOSS, LimbPeak, is_fast, limb_peaks, loss, shown_frames
from komadori.numerics import costs
from komadori.pipeline import LOOKS

from realdata import real, reals

SOLVERS = ("auto", "greedy", "optimal", "optimal-free")
ACTION: Any = {"hold_share": 0.6, "max_exposures": 4}
ACTIONS = reals(*(f"human_cmu_bvh/{name}.bvh" for name in ("144_05", "74_03", "13_17", "124_01", "85_01", "10_01")))
STEADY = reals(
    "human_cmu_bvh/35_22.bvh", "human_cmu_bvh/35_01.bvh", "human_cmu_bvh/02_01.bvh", "human_bandai_bvh_NC/*run*.bvh"
)


def losses(found: list[LimbPeak], source: np.ndarray) -> np.ndarray:
    return np.array([loss(each, source) for each in found])


def swinging(angles: np.ndarray, fps: float = 24.0) -> Motion:
    """A leg without any known name, one metre long, that swings forward by `angles` (F,) in radians."""
    skeleton = Skeleton(("a", "b", "c"), [-1, 0, 1], [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    rotations = quat.identity(len(angles), 3)
    rotations[:, 1] = quat.from_axis_angle([-1.0, 0.0, 0.0], angles)
    return Motion(skeleton, fps, rotations, np.broadcast_to(skeleton.offsets, (len(angles), 3, 3)).copy())


def kicks(count: int, gap: int = 40) -> np.ndarray:
    """Angles of a leg that kicks up to the horizontal within a few frames, `count` times, still in between."""
    t = np.arange(count * gap)
    return sum(0.5 * np.pi * np.exp(-0.5 * ((t - (n + 0.5) * gap) / 2.2) ** 2) for n in range(count))


def test_a_peak_is_where_an_end_of_the_body_is_highest_or_farthest() -> None:
    motion = swinging(kicks(2))
    found = limb_peaks(motion)
    assert [(each.limb, each.kind, each.peak.frame) for each in found] == [
        ("c", "height", 20), ("c", "spread", 20), ("c", "height", 60), ("c", "spread", 60),
    ]  # fmt: skip
    assert shown_frames(found) == [20, 60]
    # A swing of less than a share of the limb is no peak.
    assert limb_peaks(swinging(0.05 * kicks(2))) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_hands_feet_and_head_are_found_by_role(name: str) -> None:
    limbs = {each.limb for each in limb_peaks(sample(name))}
    assert limbs <= {"left_hand", "right_hand", "left_foot", "right_foot", "head"}
    assert limbs & {"left_foot", "right_foot"}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("layers", ["whole", "parts"])
@pytest.mark.parametrize("name", SAMPLES)
def test_every_solver_shows_every_peak(name: str, layers: Any, solver: Any) -> None:
    motion = sample(name)
    found = limb_peaks(motion)
    for omit in (None, 6):
        made = komadori.limited(motion, omit=omit, solver=solver, layers=layers, **ACTION)
        for sheet in (made.sheet, *made.layers.values()):
            assert losses(found, sheet.source).max() <= LOSS
        assert set(made.required) <= set(made.sheet.source.tolist())


def test_without_the_rule_the_throwing_hand_is_never_drawn_where_it_throws() -> None:
    """What the rule is for: with the omissions that the look `snappy` had, the throw of the pitch is gone."""
    motion = sample("pitch")
    hand = [each for each in limb_peaks(motion) if each.limb == "right_hand" and 70 <= each.peak.frame <= 80]
    lost = losses(hand, komadori.limited(motion, omit=6, solver="greedy", peaks=False, **ACTION).sheet.source)
    assert lost.max() > 0.5
    kept = losses(hand, komadori.limited(motion, omit=6, solver="greedy", **ACTION).sheet.source)
    assert kept.max() <= LOSS


def test_a_peak_in_a_layer_is_the_pose_of_that_frame() -> None:
    """Arms and spine have their own sheets, yet at a peak all of them show it."""
    motion = sample("pitch")
    made = komadori.limited(motion, omit=0, layers="parts", **ACTION)
    for frame in made.required:
        assert {int(sheet.source[frame]) for sheet in made.layers.values()} == {frame}


def test_uniform_shows_the_peak_inside_a_run() -> None:
    motion = swinging(kicks(2)[1:])
    plain = komadori.limited(motion, solver="uniform", max_exposures=4, peaks=False)
    assert plain.sheet.source[19] == 16
    made = komadori.limited(motion, solver="uniform", max_exposures=4)
    assert made.sheet.source[16:20].tolist() == [19] * 4
    assert made.sheet.exposures.tolist() == plain.sheet.exposures.tolist()
    assert (
        losses(limb_peaks(motion), made.sheet.source).max()
        <= LOSS
        < losses(limb_peaks(motion), plain.sheet.source).max()
    )


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("path", ACTIONS)
def test_no_look_loses_a_peak_of_real_actions(path: Path, name: str) -> None:
    made = look(name).run(komadori.load(path))
    assert isinstance(made.timing, LimitedResult)
    found = limb_peaks(made.timing.source_motion)
    assert len(found) >= 10
    assert losses(found, made.sheet.source).max() <= LOSS


def largest_leap(made: LimitedResult) -> int:
    """The most source frames between two neighbouring output frames."""
    return int(np.diff(made.sheet.source).max())


@pytest.mark.parametrize("path", STEADY)
def test_a_steady_walk_or_run_has_no_omission(path: Path) -> None:
    motion = komadori.load(path).prepared(fps=24)
    made = komadori.limited(motion)
    assert (made.omitted, made.actions) == (0, (0,))
    assert "nothing is omitted" in made.notes[0]
    assert largest_leap(made) <= 3
    # As it was: one leap of many frames, for there is always a fastest step.
    assert largest_leap(komadori.limited(motion, omit=4, solver="greedy", peaks=False)) >= 5


@pytest.mark.parametrize("name", ["walk", "slow-walk", "jog"])
def test_built_in_walks_have_no_omission(name: str) -> None:
    assert komadori.limited(sample(name)).omitted == 0


def test_omissions_follow_the_number_of_actions() -> None:
    for count in (1, 2, 5):
        made = komadori.limited(swinging(kicks(count)), hold=0)
        assert len(made.actions) == count
        assert count * 2 <= made.omitted <= count * 4
        # On the way up or down, never the peak itself.
        assert not {40 * n + 20 for n in range(count)} & set(made.omitted_frames.tolist())
    assert komadori.limited(swinging(kicks(2)), hold=0, omit_up_to=1).omitted == 2
    assert komadori.limited(swinging(kicks(2)), hold=0, omit_up_to=0).omitted == 0
    assert komadori.limited(swinging(kicks(2)), hold=0, stand_out=1000).omitted == 0


def test_what_was_found_is_said_in_real_plurals() -> None:
    def said(motion: Motion, **options: Any) -> str:
        return komadori.limited(motion, hold=0, **options).notes[0]

    two = said(swinging(kicks(2)))
    assert two.startswith("2 actions found, starting at frames 0 and ")
    assert two.endswith("in-betweens in each")
    assert said(swinging(kicks(1)), omit_up_to=1) == "1 action found; omitted 1 in-between"
    assert said(swinging(kicks(1))).startswith("1 action found; omitted ")
    three = said(swinging(kicks(3)), omit=2, actions=True)
    # Both frames between two kicks are as calm: the first of them begins the next action on every machine.
    assert three == "3 actions found, starting at frames 0, 40 and 80; omitted 2 in-betweens in each"
    assert said(sample("walk")).endswith("Set omit to omit in-betweens anyway.")
    japanese = komadori.limited(swinging(kicks(2)), hold=0).notes[0].in_language("ja")
    assert japanese.startswith("アクションは 2 個")


def test_a_tie_between_calm_frames_goes_to_the_first_however_sums_are_rounded() -> None:
    kick = np.sin(np.linspace(0.0, np.pi, 41)[1:-1]) ** 2
    steps = np.concatenate([kick, [1e-4, 1e-4], kick]) ** 2
    starts = {action_starts(steps * (1.0 + 1e-13 * way * np.arange(len(steps))), 24.0) for way in (-1.0, 0.0, 1.0)}
    assert len(starts) == 1


def test_a_burst_that_is_cut_off_by_the_clip_is_none() -> None:
    steps = np.full(100, 1.0)
    burst = np.array([1.8, 3.0, 2.0]) ** 2
    for at in (0, 97):
        cut = steps.copy()
        cut[at : at + 3] = burst
        assert standing_out(cut, 0, 101, 24.0, 1.7) is None
    whole = steps.copy()
    whole[1:4] = burst
    assert standing_out(whole, 0, 101, 24.0, 1.7) == (2, 4)


@pytest.mark.parametrize("look_name", ["tv", "film", "snappy", "subtle"])
def test_a_long_stride_that_the_clip_cuts_off_has_no_omission_in_any_look(look_name: str) -> None:
    made = look(look_name).run(komadori.load(real("human_cmu_bvh/08_07.bvh")), character("girl"))
    assert isinstance(made.timing, LimitedResult)
    assert made.timing.omitted == 0


def test_a_burst_stands_out_from_the_second_around_it_alone() -> None:
    steps = np.full(100, 1.0)
    assert standing_out(steps, 0, 101, 24.0, 1.7) is None
    steps[50:54] = [1.4**2, 3.0**2, 2.0**2, 1.1**2]
    # Step k leads into frame k + 1; the burst is what is at least 0.4 times as fast as the fastest.
    assert standing_out(steps, 0, 101, 24.0, 1.7) == (51, 53)
    assert standing_out(steps, 0, 101, 24.0, 3.1) is None
    kept = np.zeros(101, dtype=bool)
    assert way_there(steps, (51, 53), kept) == (51, 53)
    kept[52] = True
    assert way_there(steps, (51, 53), kept) == (51, 51)
    kept[51] = True
    assert way_there(steps, (51, 53), kept) == (53, 53)
    kept[53] = True
    assert way_there(steps, (51, 53), kept) is None


def test_a_slow_gesture_of_a_still_body_is_not_fast() -> None:
    slow = swinging(np.interp(np.arange(200), np.arange(0, 200, 10), kicks(1, 20)))
    assert not is_fast(slow, 1, 199)
    assert is_fast(swinging(kicks(1)), 1, 39)
    assert komadori.limited(slow, hold=0).omitted == 0


def test_the_paper_pitch_with_and_without_peaks() -> None:
    motion = komadori.load(real("human_cmu_bvh/124_01.bvh")).prepared(fps=24)
    hand = [each for each in limb_peaks(motion) if each.limb == "right_hand" and 80 <= each.peak.frame <= 95]
    assert {each.kind for each in hand} == {"height", "reach", "spread"}
    paper = komadori.limited(motion, omit=4, hold=33, solver="greedy", peaks=False)
    assert losses(hand, paper.sheet.source).max() > 0.5
    assert losses(hand, komadori.limited(motion).sheet.source).max() <= LOSS


def test_auto_is_the_optimum_where_it_is_quick_and_else_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = sample("pitch")
    auto = komadori.limited(motion)
    assert auto.solver == "optimal"
    assert auto.sheet == komadori.limited(motion, solver="optimal").sheet
    assert auto.error < komadori.limited(motion, solver="greedy").error
    assert (auto.comparable, auto.ratio) == (True, 1.0)
    monkeypatch.setattr(costs, "QUICK_S", 0.0)
    slow = komadori.limited(motion)
    assert slow.solver == "greedy"
    assert not slow.comparable
    assert slow.sheet == komadori.limited(motion, solver="greedy").sheet
    assert komadori.limited(motion, solver="optimal").solver == "optimal"


def test_layers_are_compared_with_nothing() -> None:
    assert not komadori.limited(sample("walk"), layers="parts").comparable


def test_what_must_be_drawn_is_named_where_holds_fall_short() -> None:
    made = komadori.limited(swinging(kicks(3)), hold_share=0.9)
    assert any("the 3 frames that must be drawn are never held" in note for note in made.notes)
    plain = komadori.limited(swinging(kicks(3)), hold_share=0.9, peaks=False)
    assert any("limit of 3 exposures per drawing was reached. Raise" in note for note in plain.notes)
