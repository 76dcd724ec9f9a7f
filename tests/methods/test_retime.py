"""Retiming: what the sheet says is shown, whichever way its numbers are meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from komadori import Cut, Recipe, Step, Timesheet, chains, limited, retime, roles, sample
from komadori.characters import character
from komadori.errors import OptionError
from komadori.motion import Motion


@pytest.fixture(scope="module")
def clip() -> Motion:
    return sample("pitch").prepared(fps=24)


def test_a_sheet_of_source_frames_gives_what_the_method_that_wrote_it_gave(clip: Motion) -> None:
    made = limited(clip)
    again = retime(clip, timing={"A": made.sheet})
    assert again.sheet == made.sheet
    assert np.array_equal(again.motion.rotations, made.motion.rotations)
    assert np.array_equal(again.motion.positions, made.motion.positions)
    assert "frames of the motion" in again.notes[0]


def test_drawings_show_the_pose_of_the_frame_in_which_they_first_appear(clip: Motion) -> None:
    exposures = (1, 1, 1, 2, 2, 3, 1, 1, 3, 4)
    made = retime(clip, exposures=exposures)
    assert made.sheet.source.tolist() == [0, 0, 0, 3, 3, 5, 0, 0, 5, 9]
    assert np.array_equal(made.motion.rotations[3], clip.rotations[3])
    assert "as drawings" in made.notes[0]
    assert made.measures["drawings"].value == 4
    forced = retime(clip, exposures=exposures, numbers="source")
    assert forced.sheet.source.tolist() == [number - 1 for number in exposures]


def test_on_ones_nothing_changes(clip: Motion) -> None:
    made = retime(clip, timing={"A": Timesheet.ones(len(clip))})
    assert np.array_equal(made.motion.rotations, clip.rotations)


def test_an_empty_cel_holds_the_drawing_before_and_is_told(clip: Motion) -> None:
    made = retime(clip, timing=Cut.of_numbers(24, {"A": [0, 0, 1, 0, 0, 2]}))
    # Drawing 1 first appears in the third frame, for before it there is nothing to see.
    assert made.sheet.source.tolist() == [2, 2, 2, 2, 2, 5]
    assert any("empty in frames 1-2, 4-5" in note for note in made.notes)


def test_a_sheet_can_be_at_another_rate_or_of_another_length(clip: Motion) -> None:
    slow = retime(clip, timing={"A": Timesheet(12, np.arange(20))}, numbers="drawing")
    assert slow.sheet.source.tolist() == list(range(0, 40, 2))
    assert slow.motion.fps == 12
    whole = retime(clip, timing={"A": Timesheet(24, np.arange(11))}, numbers="drawing", stretch=True)
    assert whole.sheet.source[[0, -1]].tolist() == [0, len(clip) - 1]
    longer = retime(clip, timing={"A": Timesheet(24, np.arange(200))}, numbers="drawing")
    assert longer.sheet.source.max() == len(clip) - 1


def test_parts_of_the_body_follow_tracks_of_their_own(clip: Motion) -> None:
    made = limited(clip, layers="parts")
    again = retime(clip, timing=made.layers)
    parts = roles.parts(clip.skeleton)
    for name, sheet in made.layers.items():
        joints = np.flatnonzero(parts[name])
        assert np.allclose(np.abs(np.einsum("fji,fji->fj", again.motion.rotations[:, joints], clip.rotations[sheet.source][:, joints])), 1.0)  # fmt: skip
    assert again.layers.keys() == made.layers.keys()


def test_hair_follows_its_own_track() -> None:
    girl = character("girl")
    clip = next(iter(girl.motions.values()), None)
    clip = sample("walk").prepared(fps=24) if clip is None else clip
    from komadori import retarget

    clip = retarget(clip, girl).motion
    rotations = np.array(clip.rotations)
    joints = sorted({joint for chain in chains.find(clip.skeleton) for joint in chain.joints})
    assert joints
    angle = np.linspace(0, 1, len(clip))
    rotations[:, joints] = np.stack([np.sin(angle), 0 * angle, 0 * angle, np.cos(angle)], axis=-1)[:, None]
    clip = clip.replaced(rotations=rotations)
    body, hair = Timesheet.on(4, 24), Timesheet.on(2, 24)
    for names, given in ((("A", "hair"), {}), (("A", "B"), {"hair_track": "B"})):
        made = retime(clip, timing=dict(zip(names, (body, hair), strict=True)), numbers="source", **given)
        assert np.allclose(made.motion.rotations[2, joints], clip.rotations[2, joints])
        assert np.allclose(made.motion.positions[3], clip.positions[0])
        others = [joint for joint in range(len(clip.skeleton)) if joint not in joints]
        assert np.allclose(np.abs((made.motion.rotations[3] * clip.rotations[0]).sum(-1))[others], 1.0)


def test_a_track_can_be_named_and_the_others_are_told(clip: Motion) -> None:
    sheets = {"A": Timesheet.on(2, 10), "B": Timesheet.on(3, 10)}
    first = retime(clip, timing=sheets)
    assert first.sheet == sheets["A"]
    assert "not used: B" in first.notes[0]
    assert retime(clip, timing=sheets, track="B").sheet == sheets["B"]


def test_it_is_a_step_of_a_recipe(clip: Motion) -> None:
    recipe = Recipe([Step("retime", exposures=[1, 1, 2, 2, 3, 3])])
    assert Recipe.parse(recipe.toml()) == recipe
    assert recipe.run(clip).sheet.source.tolist() == [0, 0, 2, 2, 4, 4]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"exposures": (0, 0)},
        {"exposures": (-1, 2)},
        {"exposures": (1,), "timing": {"A": Timesheet.ones(2)}},
        {"timing": {"A": Timesheet.ones(2)}, "track": "B"},
        {"timing": {"A": Timesheet.ones(2)}, "hair_track": "B"},
        {"timing": {"A": Timesheet(24, np.array([0, 500]))}},
        {"timing": {"A": Timesheet(24, np.zeros(0, dtype=int))}},
        {"timing": {}},
    ],
)
def test_what_no_sheet_can_ask_for_is_refused_in_one_line(clip: Motion, given: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as error:
        retime(clip, **given)
    assert "\n" not in str(error.value)
