"""Running recipes: what each step must leave as it was, what the sheets say, and how feet are measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import komadori
from komadori import Motion, OptionError, Recipe, Step, feet, look
from komadori.characters import character, sample
from komadori.methods.limited import LimitedResult
from komadori.pipeline import LOOKS
from komadori.words import Note

from realdata import real

GIRL = character("girl")
HAIR = sorted({joint for chain in GIRL.chains() for joint in chain.joints})
BODY = [joint for joint in range(len(GIRL.skeleton)) if joint not in HAIR]


def same(one: Motion, other: Motion) -> bool:
    return np.array_equal(one.rotations, other.rotations) and np.array_equal(one.positions, other.positions)


def test_a_recipe_does_what_its_methods_do_in_turn() -> None:
    clip = sample("kick")
    made = Recipe([Step("exaggerate", amount=0.5), Step("limited", omit=3, hold=20)]).run(clip)
    broad = komadori.exaggerate(clip.prepared(), amount=0.5).motion
    by_hand = komadori.limited(komadori.floor(broad, level=False).motion, omit=3, hold=20)
    assert same(made.motion, by_hand.motion)
    assert made.sheet == by_hand.sheet
    assert isinstance(made.timing, LimitedResult)
    assert [step.step.use for step in made.steps] == ["prepare", "floor", "exaggerate", "floor", "limited"]
    assert same(made.original, clip)
    assert made.drawings == by_hand.drawings


def test_without_a_timing_the_sheet_is_on_ones() -> None:
    made = Recipe([Step("exaggerate")]).run(sample("walk"))
    assert made.sheet == komadori.Timesheet.ones(len(made.motion))
    assert made.timing is None


def test_a_character_takes_the_motion_before_all_else() -> None:
    made = look("tv").run(sample("kick"), GIRL)
    steps = ["prepare", "retarget", "floor", "plant", "hands", "floor", "hair", "limited"]
    assert [step.step.use for step in made.steps] == steps
    assert made.motion.skeleton.same_joints(GIRL.skeleton)
    assert same(made.original, komadori.floor(komadori.retarget(sample("kick"), GIRL).motion, character=GIRL).motion)
    named = Recipe([Step("retarget", scale=2.0)]).run(sample("kick"), GIRL)
    assert getattr(named.steps[1].result, "scale", None) == 2.0


def test_hair_before_the_timing_is_held_with_the_body() -> None:
    made = Recipe([Step("hair"), Step("limited", omit=0, hold=40, max_exposures=3)]).run(sample("walk"), GIRL)
    held = np.flatnonzero(np.diff(made.sheet.source) == 0)
    assert len(held) == 40
    np.testing.assert_array_equal(made.motion.rotations[held], made.motion.rotations[held + 1])
    assert list(made.sheets) == ["A"]


@pytest.mark.parametrize("on", [1, 2, 3])
def test_hair_after_the_timing_has_its_own_clock_over_a_held_body(on: int) -> None:
    clip = sample("walk")
    made = Recipe([Step("limited"), Step("hair", on=on)]).run(clip, GIRL)
    plain = Recipe([Step("limited")]).run(clip, GIRL)
    np.testing.assert_array_equal(made.motion.rotations[:, BODY], plain.motion.rotations[:, BODY])
    np.testing.assert_array_equal(made.motion.positions, plain.motion.positions)
    assert made.sheets == {"A": plain.sheet, "B": komadori.Timesheet.on(on, len(clip))}
    # The hair is that of the body as it was captured: a head that is held and leaps would jolt it.
    free = komadori.hair(GIRL, plain.original, on=on).motion
    np.testing.assert_array_equal(made.motion.rotations[:, HAIR], free.rotations[:, HAIR])


def test_hair_keeps_pace_where_the_clip_became_shorter() -> None:
    made = Recipe([Step("limited", omit=6, keep_length=False), Step("hair")]).run(sample("pitch"), GIRL)
    assert len(made.motion) == 123
    assert made.sheets["B"].source[[0, -1]].tolist() == [0, 128]


def test_a_body_without_hair_is_told_and_left_alone() -> None:
    for body in (None, character("mannequin")):
        made = Recipe([Step("hair"), Step("limited")]).run(sample("walk"), body)
        assert Note("The character has no hair, ribbon, skirt or tail to move.") in made.notes
    made = Recipe([Step("retarget"), Step("limited")]).run(sample("walk"))
    assert "No character was given, so the motion stays on its own skeleton. Use --character to draw one." in made.notes


def test_a_step_that_cannot_be_done_is_named() -> None:
    with pytest.raises(OptionError, match="step limited: pins: expected frames of the motion, 0 to 96, found 500"):
        Recipe([Step("limited", pins=[500])]).run(sample("walk"))
    with pytest.raises(OptionError, match="motion: the motion has no frames"):
        look("tv").run(sample("walk")[:0])


def test_progress_is_told_before_every_step() -> None:
    told: list[tuple[str, int, int]] = []
    look("tv").run(sample("walk")[:20], GIRL, progress=lambda *now: told.append(now))
    assert [(number, count) for _, number, count in told] == [(n, 8) for n in range(8)]
    assert told[-1][0] == "step 8 of 8: limited"


@pytest.mark.parametrize("name", LOOKS)
@pytest.mark.parametrize("clip", ["pitch", "kick", "walk"])
def test_looks_keep_the_length_and_stay_within_their_exposures(name: str, clip: str) -> None:
    made = look(name).run(sample(clip), GIRL)
    again = look(name).run(sample(clip), GIRL)
    assert same(made.motion, again.motion)
    assert len(made.motion) == len(sample(clip))
    most = dict(look(name).steps[[step.use for step in look(name).steps].index("limited")].given)["max_exposures"]
    assert made.sheet.exposures.max() <= most
    assert made.drawings < 0.8 * len(made.motion)


@pytest.mark.parametrize("name", LOOKS)
def test_the_clips_that_people_know_stand_on_their_feet(name: str) -> None:
    clip = komadori.load(real("human_cmu_bvh/02_01.bvh"))
    made = look(name).run(clip, GIRL)
    # A sixth of a centimetre a frame is what a captured walk itself slips.
    assert made.slip_after.per_frame < 0.0016
    raw = look(name).run(clip)
    assert raw.slip_after.per_frame < raw.slip_before.per_frame


def test_slip_is_the_way_of_a_standing_foot() -> None:
    still = sample("walk").taken([0] * 10)
    on = np.ones((10, 1), dtype=bool)
    foot = still.skeleton.roles["left_foot"]
    contacts = feet.Contacts((foot,), (0,), on, 0.0)
    assert feet.slippage(still, contacts) == feet.Slip(0.0, 0.0, 0.0, 0.0, 9)
    positions = np.array(still.positions)
    positions[5:, 0, 0] += 0.04  # one slide of four centimetres
    slid = still.replaced(positions=positions)
    found = feet.slippage(slid, contacts)
    assert found.steps == 9
    assert found.largest == pytest.approx(0.04)
    assert found.per_frame == pytest.approx(0.04 / 9)
    # A foot that was lifted in between has stepped, not slipped, even where the lifted frame is not shown.
    on[4] = False
    stepped = feet.slippage(slid.taken([0, 1, 2, 3, 5, 6]), replace(contacts, on=on), np.array([0, 1, 2, 3, 5, 6]))
    assert stepped == feet.Slip(0.0, 0.0, 0.0, 0.0, 4)
    # Up and down is not a slip.
    positions = np.array(still.positions)
    positions[5:, 0, 1] += 0.04
    assert feet.slippage(still.replaced(positions=positions), contacts).largest == 0.0


def test_a_foot_that_rolls_over_its_toes_does_not_slip() -> None:
    still = sample("walk").taken([0, 0, 0, 0])
    foot, toes = still.skeleton.roles["left_foot"], still.skeleton.roles["left_toes"]
    world = still.world_positions()[0]
    # The heel comes up: the ankle turns about the toes, which then leave the ground.
    shown = np.repeat(world[None], 4, axis=0)
    shown[2:, foot] += [0.05, 0.03, 0.0]
    places = Motion(_points(len(world)), 24.0, komadori.quat.identity(4, len(world)), shown)
    on = np.array([[True, True], [True, True], [False, True], [True, False]])
    assert feet.slippage(places, feet.Contacts((foot, toes), (0, 0), on, 0.0)).largest == 0.0
    shown[2:, toes] += [0.0, 0.0, 0.02]
    slid = Motion(_points(len(world)), 24.0, komadori.quat.identity(4, len(world)), shown)
    assert feet.slippage(slid, feet.Contacts((foot, toes), (0, 0), on, 0.0)).largest == pytest.approx(0.02)


def _points(count: int) -> komadori.Skeleton:
    """Joints that hang on nothing: each one's position is its place in the world."""
    return komadori.Skeleton(tuple(f"p{n}" for n in range(count)), [-1] * count, np.zeros((count, 3)))
