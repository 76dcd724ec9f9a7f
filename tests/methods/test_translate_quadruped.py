"""A person acts an animal: feet stay, nothing jerks, joints keep their range; steps, turns, stops and manner come through."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from acting_people import (
    DRIFT,
    FPS,
    JERK,
    LEFT,
    STYLES,
    UP,
    acted,
    assert_sound,
    bent,
    body_of,
    captured,
    edited,
    head_height,
    jumping,
    lifts,
    marching,
    ready,
    standing,
    steps_deg,
    through_the_gaits,
    turned,
)  # fmt: skip

import komadori
from komadori import Character, Motion, OptionError, quat, roles
from komadori.characters import character, sample
from komadori.methods.translate import QuadrupedResult, QuadrupedStream, gaits
from komadori.methods.translate.aligning import headings
from komadori.methods.translate.animal import hung
from komadori.methods.translate.beast import beast
from komadori.methods.translate.features import angles_deg
from komadori.quat import Array
from komadori.skeleton import Skeleton

from bodies import tree, wander

# ---- steps and gaits ---------------------------------------------------------------------------------------------------


def test_a_walk_is_the_horses_walk() -> None:
    walk = sample("walk", FPS)
    made = acted(walk)
    assert_sound(made)
    assert (len(made.motion), made.motion.fps) == (len(walk), FPS)
    falls = made.footfalls
    assert falls is not None
    assert falls.order == ("LH", "LF", "RH", "RF")
    assert falls.name == "walk"
    assert falls.cycle_s == pytest.approx(1.0, abs=0.04)
    assert set(made.gaits) == {"walk"}
    names = [made.motion.skeleton.names[joint] for joint in made.contacts.joints]
    assert names[0] == "left_back_foot_end"
    assert names[2] == "left_front_pastern_end"
    assert made.motion.world_positions()[..., 1].min() > -0.01


def test_hind_hooves_keep_the_persons_beat() -> None:
    walk = sample("walk", FPS)
    made = acted(walk)
    theirs = komadori.feet.contacts(walk).standing
    ours = made.contacts.on[:, :2]
    assert gaits.contact_error(ours, theirs) < 1.5


def test_quick_is_quick_and_slow_is_slow() -> None:
    quick, slow = acted(sample("walk", FPS)), acted(sample("slow-walk", FPS))
    assert quick.footfalls is not None
    assert slow.footfalls is not None
    assert slow.footfalls.cycle_s > 1.3 * quick.footfalls.cycle_s
    assert slow.speed.mean() < 0.8 * quick.speed.mean()


def test_a_jog_is_a_trot() -> None:
    made = acted(sample("jog", FPS))
    assert_sound(made)
    falls = made.footfalls
    assert falls is not None
    assert falls.name == "trot"
    apart = np.mod(np.subtract(falls.phases, (0.0, 0.5, 0.5, 0.0)) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() * falls.cycle_s * FPS < 1.0
    # All four hooves are in the air for a while.
    assert 0.1 < np.mean(~made.contacts.on.any(axis=1)) < 0.5
    assert made.gaits[-1] == "trot"
    assert made.speed.mean() > 1.3 * acted(sample("walk", FPS)).speed.mean()


def test_from_a_walk_into_a_jog_the_gait_changes() -> None:
    walk, jog = sample("walk", FPS), sample("jog", FPS)
    shift = walk.positions[-1, 0] - jog.positions[0, 0] + np.array([0.0, 0.0, 0.05])
    later = np.array(jog.positions)
    later[:, 0] += shift * np.array([1.0, 0.0, 1.0])
    both = Motion(
        walk.skeleton,
        FPS,
        quat.continuous(np.concatenate([walk.rotations, jog.rotations])),
        np.concatenate([walk.positions, later]),
    )
    made = acted(both)
    assert_sound(made)
    assert made.gaits[30] == "walk"
    assert made.gaits[-20] == "trot"
    changes = sum(a != b for a, b in zip(made.gaits, made.gaits[1:], strict=False))
    assert changes == 1


@pytest.mark.parametrize(
    ("name", "gaits_gone"),
    [
        ("built-in", ["walk", "trot", "walk"]),
        ("Horse", ["walk", "trot", "gallop", "trot", "walk"]),
        ("Fox", ["walk", "trot", "gallop", "trot", "walk"]),
    ],
)
def test_through_the_gaits_and_to_a_halt(name: str, gaits_gone: list[str]) -> None:
    """Feet that slide where a clip was cut together are neither a run nor a jump; a tail that was drawn to whip is held."""
    made = acted(through_the_gaits(), name)
    assert_sound(made, name)
    assert [gait for gait, _ in itertools.groupby(made.gaits)] == gaits_gone
    assert made.contacts.on[-5:].all()
    trunk = made.motion.world_positions()[-40:, roles.known(made.motion.skeleton)["neck"], 1]
    assert np.ptp(trunk) < 0.1 * ready(name).body.unit_m


def test_the_gait_can_be_asked_for() -> None:
    walk = sample("walk", FPS)
    assert set(acted(walk, gait="trot").gaits[20:]) == {"trot"}
    assert acted(sample("jog", FPS), gait="walk").footfalls.name == "walk"  # type: ignore[union-attr]
    said = komadori.quadruped(walk, body_of("built-in"), gait="gallop").notes
    assert any("no clip of a gallop" in note for note in said)
    horse = body_of("built-in")
    assert isinstance(horse, Character)
    said = komadori.quadruped(sample("jog", FPS), horse.motions["walk"]).notes
    assert any("its trot is made from its walk" in note for note in said)
    assert not komadori.quadruped(walk, horse).notes


# ---- ways --------------------------------------------------------------------------------------------------------------


def test_standing_still_stands_still() -> None:
    walk = sample("walk", FPS)
    made = acted(walk.taken(np.concatenate([np.arange(80), np.full(70, 79)])))
    assert_sound(made)
    assert made.contacts.on[-20:].all()
    world = made.motion.world_positions()
    assert np.linalg.norm(world[-1] - world[-15], axis=-1).max() < 0.02
    # It comes to rest without a jolt: no joint turns faster than it did while it walked.
    steps = steps_deg(made.motion).max(axis=1)
    assert steps[80:].max() <= max(steps[:80].max(), 23.0)


def test_whoever_stands_all_the_time_makes_no_step() -> None:
    made = acted(standing(60))
    assert made.contacts.on.all()
    assert np.abs(made.speed).max() < 0.02


def test_a_bend_is_followed_and_leant_into() -> None:
    made = acted(bent(sample("walk", FPS), 30, 60, np.pi / 2))
    assert_sound(made)
    facing = headings(made.motion, made.motion.world_positions())
    assert angles_deg(facing[5], facing[-5]) == pytest.approx(90.0, abs=10.0)
    known, world = roles.known(made.motion.skeleton), made.motion.world_positions()
    straight = acted(sample("walk", FPS)).motion.world_positions()

    def outer(places: Array) -> float:
        legs = places[40:85, known["left_upper_leg"]] - places[40:85, known["right_upper_leg"]]
        return float(legs[:, 1].mean())

    # It turns to the left, so its left side is lower than when it goes straight on.
    assert outer(world) < outer(straight) - 0.003


def test_the_neck_leads_the_turn() -> None:
    made = acted(bent(sample("walk", FPS), 30, 40, np.pi / 2))
    known, world = roles.known(made.motion.skeleton), made.motion.world_positions()
    facing = headings(made.motion, world, 0.1)
    neck = quat.rotate(quat.inverse(facing), world[:, known["head"]] - world[:, known["neck"]])
    assert neck[38:60, 0].mean() > neck[:20, 0].mean() + 0.03


@pytest.mark.parametrize("turns", [0.5, 1.0, -0.5])
def test_turns_on_the_spot_are_stepped_around_the_hind_feet(turns: float) -> None:
    frames = 150
    share = np.clip((np.arange(frames) - 20) / 45, 0.0, 1.0)
    made = acted(edited(marching(frames), share * 2.0 * np.pi * turns))
    assert_sound(made)
    world = made.motion.world_positions()
    known = roles.known(made.motion.skeleton)
    fore = world[:, known["left_upper_arm"]] - world[:, known["left_upper_leg"]]
    angle = np.unwrap(np.arctan2(fore[:, 0], fore[:, 2]))
    assert np.degrees(angle[-1] - angle[0]) == pytest.approx(360.0 * turns, abs=15.0)
    rates = np.abs(np.diff(angle)) * FPS
    assert rates.max() < 3.0
    # Its hind quarters stay about where they are, its fore feet go around them.
    assert np.linalg.norm((world[:, known["hips"]] - world[0, known["hips"]])[:, ::2], axis=1).max() < 0.35
    downs = [np.sum(np.diff(made.contacts.on[20:110, foot].astype(int)) > 0) for foot in (2, 3)]
    assert min(downs) >= 3


def test_backwards_backs_up() -> None:
    walk = sample("walk", FPS)
    made = acted(walk.taken(np.arange(len(walk))[::-1]))
    assert_sound(made)
    assert made.speed[30:-10].max() < 0.0
    hips = made.motion.world_positions()[:, 0]
    ahead = acted(walk)
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(-np.sum(ahead.speed) / FPS, rel=0.15)


def test_a_walk_on_a_floor_that_slides_is_a_walk() -> None:
    walk = sample("walk", FPS)
    way = np.zeros((len(walk), 3))
    made, plain = acted(edited(walk, way=way)), acted(walk)
    assert_sound(made)
    assert made.speed.mean() == pytest.approx(plain.speed.mean(), rel=0.1)
    assert made.footfalls is not None
    assert made.footfalls.name == "walk"


def test_marching_on_the_spot_stays_there() -> None:
    made = acted(marching(150))
    assert_sound(made)
    hips = made.motion.world_positions()[:, 0]
    assert np.linalg.norm((hips - hips[0])[:, ::2], axis=1).max() < 0.1
    assert np.sum(np.diff(made.contacts.on[:, 0].astype(int)) > 0) >= 4


def test_sideways_steps_go_sideways() -> None:
    walk = sample("walk", FPS)
    way = np.zeros((len(walk), 3))
    way[:, 0] = 0.35 * (walk.positions[:, 0, 2] - walk.positions[0, 0, 2])
    made = acted(edited(walk, way=way))
    assert_sound(made)
    hips = made.motion.world_positions()[:, 0]
    assert hips[-1, 0] - hips[0, 0] > 0.3
    assert abs(hips[-1, 2] - hips[0, 2]) < 0.25
    facing = headings(made.motion, made.motion.world_positions())
    assert angles_deg(facing[0], facing[-1]) < 10.0


def test_a_jump_on_the_spot_makes_the_horse_rear() -> None:
    """The built-in horse shows no jump of its own: it stands up on its hind legs instead."""
    made = acted(jumping(0.35))
    assert_sound(made)
    assert made.contacts.on[:, :2].all()
    assert made.contacts.on[:35].all()
    assert made.contacts.on[-8:].all()
    body, world = ready("built-in").body, made.motion.world_positions()
    hooves = world[:, list(body.points[2:]), 1] - body.heights[2:]
    assert hooves[45:55].min(axis=1).max() > 0.5
    known = roles.known(made.motion.skeleton)
    trunk = world[:, known["neck"]] - world[:, known["hips"]]
    slant = np.degrees(np.arctan2(trunk[:, 1], np.hypot(trunk[:, 0], trunk[:, 2])))
    assert slant[45:55].max() > slant[:30].mean() + 25.0
    assert abs(slant[-1] - slant[0]) < 2.0


@pytest.mark.parametrize(
    ("name", "far"), [("built-in", 1.6), ("Wolf", 0.0), ("Wolf", 1.6), ("Horse", 0.0), ("dog", 1.6)]
)
def test_a_jump_forward_is_a_leap_and_so_is_every_jump_of_an_animal_that_shows_one(name: str, far: float) -> None:
    made = acted(jumping(0.35, far), name)
    assert_sound(made, name)
    air = ~made.contacts.on.any(axis=1)
    assert 4 <= air.sum() <= 24
    assert made.contacts.on[:30].all()
    assert made.contacts.on[-8:].all()
    unit = ready(name).body.unit_m
    height = made.motion.world_positions()[:, ready(name).body.hips, 1] / unit
    assert height[40:60].max() > height[:30].mean() + 0.08


def test_hops_on_the_toes_are_no_jumps() -> None:
    still = standing(120)
    way = np.zeros((120, 3))
    way[:, 1] = 0.02 * np.abs(np.sin(2.0 * np.pi * np.arange(120) / 20.0))
    way[:, ::2] = still.positions[:, 0, ::2]
    made = acted(edited(still, way=way))
    trunk = made.motion.world_positions()[:, roles.known(made.motion.skeleton)["neck"], 1]
    assert np.ptp(trunk) < 0.15


# ---- manner ------------------------------------------------------------------------------------------------------------


def test_a_stoop_lowers_the_neck_as_far_as_asked() -> None:
    walk = sample("walk", FPS)
    stooped = turned(walk, "spine", LEFT, np.radians(40.0))
    plain, low = head_height(acted(walk)), head_height(acted(stooped))
    assert low < plain - 0.25
    half = head_height(acted(stooped, stoop=0.5, head=0.5))
    assert low < half < plain
    none = {"stoop": 0.0, "head": 0.0, "lean": 0.0}
    assert head_height(acted(stooped, **none)) == pytest.approx(head_height(acted(walk, **none)), abs=0.02)
    assert_sound(acted(stooped, stoop=2.0))


def test_a_march_lifts_the_hooves() -> None:
    walk = sample("walk", FPS)
    known = roles.known(walk.skeleton)
    march = walk
    for side in ("left", "right"):
        height = walk.world_positions()[:, known[f"{side}_foot"], 1]
        swing = np.clip((height - height.min()) / np.ptp(height) - 0.15, 0.0, 1.0)
        march = turned(march, f"{side}_upper_leg", LEFT, -0.9 * swing)
        march = turned(march, f"{side}_lower_leg", LEFT, 0.9 * swing)
    made = acted(march)
    assert_sound(made)
    assert lifts(made).mean() > 1.5 * lifts(acted(walk)).mean()
    assert lifts(acted(march, lift=0.0)).mean() == pytest.approx(lifts(acted(walk, lift=0.0)).mean(), rel=0.15)
    assert lifts(acted(march, lift=2.0)).mean() > 1.1 * lifts(made).mean()


def test_one_foot_that_is_lifted_higher_lifts_its_own_hooves() -> None:
    walk = sample("walk", FPS)
    height = walk.world_positions()[:, roles.known(walk.skeleton)["left_foot"], 1]
    swing = np.clip((height - height.min()) / np.ptp(height) - 0.15, 0.0, 1.0)
    odd = turned(turned(walk, "left_upper_leg", LEFT, -0.8 * swing), "left_lower_leg", LEFT, 0.8 * swing)
    left, right, left_fore, right_fore = lifts(acted(odd))
    assert left > 1.2 * right
    assert left_fore > 1.1 * right_fore
    even = lifts(acted(odd, asymmetry=0.0))
    assert abs(even[0] - even[1]) < 0.4 * (left - right)


def test_a_bounce_and_a_roll_of_the_hips_come_through() -> None:
    walk = sample("walk", FPS)
    way = np.array(walk.positions[:, 0])
    way[:, 1] = 0.03 * np.sin(4.0 * np.pi * np.arange(len(walk)) / FPS)
    bouncy = edited(walk, way=way)

    def bounce(made: QuadrupedResult) -> float:
        height = made.motion.world_positions()[20:-20, roles.known(made.motion.skeleton)["hips"], 1]
        return float(height.std())

    assert bounce(acted(bouncy)) > 1.5 * bounce(acted(walk))
    assert bounce(acted(bouncy, bounce=0.0)) < 0.5 * bounce(acted(bouncy))
    rolling = turned(walk, "hips", np.array([0.0, 0.0, 1.0]), 0.15 * np.sin(2.0 * np.pi * np.arange(len(walk)) / FPS))

    def roll(made: QuadrupedResult) -> float:
        known, world = roles.known(made.motion.skeleton), made.motion.world_positions()
        return float((world[:, known["left_upper_leg"], 1] - world[:, known["right_upper_leg"], 1]).std())

    assert roll(acted(rolling)) > 2.0 * roll(acted(walk))
    assert roll(acted(rolling, sway=0.0)) < 0.3 * roll(acted(rolling))


def test_a_glance_and_raised_arms_show() -> None:
    walk = sample("walk", FPS)
    glance = turned(walk, "head", UP, 0.7)
    made, plain = acted(glance), acted(walk)
    known = roles.known(made.motion.skeleton)
    nose = made.motion.skeleton.children[known["head"]][0]

    def aside(result: QuadrupedResult) -> float:
        world = result.motion.world_positions()
        facing = headings(result.motion, world, 0.4)
        way = quat.rotate(quat.inverse(facing), world[:, nose] - world[:, known["neck"]])
        return float(way[:, 0].mean())

    assert aside(made) > aside(plain) + 0.1
    assert aside(acted(glance, head=0.0)) == pytest.approx(aside(acted(walk, head=0.0)), abs=0.02)
    raised = walk
    for side, way in (("left", 1.0), ("right", -1.0)):
        raised = turned(raised, f"{side}_upper_arm", np.array([0.0, 0.0, 1.0]), way * 1.6)
    tail = known["tail"]
    shown = angles_deg(acted(raised).motion.rotations[:, tail], plain.motion.rotations[:, tail]).mean()
    assert shown > 5.0


# ---- whole clips, loops, live ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("person", ["walk", "slow-walk", "jog"])
def test_there_is_no_transient_at_the_start(person: str) -> None:
    made = acted(sample(person, FPS))
    steps = steps_deg(made.motion).max(axis=1)
    assert steps[:6].max() <= max(steps[6:].max(), 23.0)
    assert made.speed[:5].mean() > 0.7 * made.speed.mean()


@pytest.mark.parametrize("person", ["walk", "slow-walk", "jog"])
def test_loops_close(person: str) -> None:
    cycle = sample(person, FPS)[:-1]
    made = komadori.quadruped(cycle, body_of("built-in"), loop=True).motion
    assert len(made) == len(cycle)
    steps = steps_deg(made).max(axis=1)
    assert angles_deg(made.rotations[0], made.rotations[-1]).max() <= steps.max()
    world = made.world_positions()
    falls = np.abs(np.diff(world[..., 1], axis=0)).max()
    assert np.abs(world[0, :, 1] - world[-1, :, 1]).max() <= falls


@pytest.mark.parametrize("person", ["walk", "jog"])
@pytest.mark.parametrize("fps", [24.0, 60.0])
def test_other_frame_rates_are_as_calm(person: str, fps: float) -> None:
    made = komadori.quadruped(sample(person, fps), body_of("built-in"))
    assert steps_deg(made.motion).max() < JERK * 30.0 / fps
    assert made.slip.worst < DRIFT


@pytest.mark.parametrize("person", ["walk", "jog", "pitch", "49_06"])
def test_live_frames_are_those_of_the_whole_clip(person: str) -> None:
    # In the last one, a cartwheel, the body gives way to hooves that would be missed.
    clip = captured(person) if person[0].isdigit() else sample(person, FPS)
    whole = komadori.quadruped(clip, body_of("built-in"))
    live = QuadrupedStream(clip.skeleton, body_of("built-in"), FPS)
    assert live.look_ahead <= 0.7 * FPS
    answers = [live.push(q, p) for q, p in zip(clip.rotations, clip.positions, strict=True)]
    assert all(frame is None for frame in answers[: live.look_ahead])
    assert all(frame is not None for frame in answers[live.look_ahead :])
    frames = [frame for frame in answers if frame is not None] + live.finish()
    assert len(frames) == len(clip)
    assert angles_deg(np.array([f.rotations for f in frames]), whole.motion.rotations).max() < 1e-3
    np.testing.assert_allclose([f.positions for f in frames], whole.motion.positions, atol=1e-6)
    assert (np.array([f.stands for f in frames]) == whole.contacts.on).all()


def test_what_was_seen_later_changes_nothing_before() -> None:
    """The look ahead is bounded: a clip that is cut off gives the same frames up to its look ahead before the cut."""
    walk = sample("walk", FPS)
    whole, part = acted(walk), acted(walk[:90])
    ahead = QuadrupedStream(walk.skeleton, body_of("built-in"), FPS).look_ahead
    same = 90 - ahead
    assert angles_deg(whole.motion.rotations[:same], part.motion.rotations[:same]).max() < 1e-6


def test_measures_say_what_came_out() -> None:
    made = komadori.quadruped(sample("walk", FPS), body_of("built-in"))
    values = {name: one.value for name, one in made.measures.items()}
    assert values["largest_joint_step"] == pytest.approx(steps_deg(made.motion).max())
    assert values["largest_foot_drift"] < 0.01
    assert values["steps"] == np.sum(~made.contacts.on[1:] & made.contacts.on[:-1])
    assert {one.unit for one in made.measures.values()} >= {"m/s", "s", "cm"}


def test_how_a_rigs_axes_lie_does_not_matter() -> None:
    """The same walk on a skeleton whose joints' own frames are turned at random drives the animal alike."""
    from komadori import kinematics
    from komadori.skeleton import Skeleton

    walk = sample("walk", FPS)
    turns = quat.normalized(np.random.default_rng(0).normal(size=(len(walk.skeleton), 4)))
    world, places = walk.world_transforms()
    rebound = quat.multiply(world, turns)
    rotations = kinematics.local_rotations(walk.skeleton, rebound)
    parents = walk.skeleton.parents
    offsets = np.array(walk.positions)
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            offsets[:, joint] = quat.rotate(quat.inverse(rebound[:, parent]), places[:, joint] - places[:, parent])
    skeleton = Skeleton(walk.skeleton.names, parents, offsets[0], roles=dict(walk.skeleton.roles))
    other = Motion(skeleton, FPS, quat.continuous(rotations), offsets)
    ours, theirs = acted(walk, head=0.0, stoop=0.0), acted(other, head=0.0, stoop=0.0)
    assert angles_deg(ours.motion.rotations, theirs.motion.rotations).max() < 1.0


# ---- real people and animals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("person", [*STYLES, "08_07", "35_22", "144_05"])
@pytest.mark.parametrize("name", ["built-in", "Horse", "Wolf", "dog"])
def test_whatever_captured_people_do_is_sound(person: str, name: str) -> None:
    made = acted(captured(person), name)
    if person == "144_05":
        # Kicks and punches: only that nothing breaks.
        assert steps_deg(made.motion).max() < JERK
        assert made.slip.worst < DRIFT * ready(name).body.unit_m
    else:
        assert_sound(made, name)


@pytest.mark.parametrize("name", ["Horse", "Wolf"])
def test_a_jog_is_a_gallop_where_that_is_all_that_was_shown(name: str) -> None:
    jog = sample("jog", FPS)
    made = acted(jog, name)
    assert made.gaits[-1] == "gallop"
    falls, taught = made.footfalls, ready(name).stage.cycles[-1]
    assert falls is not None
    assert taught.name == "gallop"
    apart = np.mod(np.subtract(falls.phases, taught.phases) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() * falls.cycle_s * FPS < 1.0


@pytest.mark.parametrize("name", ["Horse", "Wolf"])
def test_a_captured_run_gallops_to_the_frame(name: str) -> None:
    """It begins in mid-run: hooves that are in the air in the gallop's own cycle are so from the first frame on."""
    made = acted(captured("35_22"), name)
    falls, taught = made.footfalls, ready(name).stage.cycles[-1]
    assert falls is not None
    assert (made.gaits[-1], taught.name) == ("gallop", "gallop")
    apart = np.mod(np.subtract(falls.phases, taught.phases) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() * falls.cycle_s * FPS < 1.0


def test_the_wolfs_thighs_stay_within_what_its_clips_show() -> None:
    wolf = body_of("Wolf")
    assert isinstance(wolf, Character)

    def thighs(motion: Motion) -> Array:
        known, world = roles.known(motion.skeleton), motion.world_positions()
        turn = quat.inverse(headings(motion, world, 0.1))
        found = []
        for side in ("left", "right"):
            bone = quat.rotate(turn, world[:, known[f"{side}_lower_leg"]] - world[:, known[f"{side}_upper_leg"]])
            found.append(np.degrees(np.arctan2(bone[:, 2], -bone[:, 1])))
        return np.array(found)

    shown = [
        thighs(motion) for name, motion in wolf.motions.items() if any(w in name for w in ("Walk", "Gallop", "Idle"))
    ]
    low, high = min(angle.min() for angle in shown), max(angle.max() for angle in shown)
    for person in STYLES:
        own = thighs(acted(captured(person), "Wolf").motion)
        assert own.min() > low - 15.0, person
        assert own.max() < high + 15.0, person


def test_loose_hooves_stay_on_their_legs() -> None:
    made = acted(sample("walk", FPS), "Horse")
    taught = ready("Horse").taught
    assert made.motion.skeleton is taught.skeleton
    world = made.motion.world_positions()
    assert len(taught.followers) == 4
    for root, joint in taught.followers:
        gap = np.linalg.norm(world[:, root] - world[:, joint], axis=1)
        assert gap.max() < 0.01 * taught.leg_m
        assert np.ptp(gap) < 1e-6


def test_hooves_that_hang_from_the_rigs_root_go_with_their_legs() -> None:
    """In this file hooves are targets of the legs' inverse kinematics: children of the root joint, one of them listed before its leg."""
    horse = ready("FBX horse")
    taught, names = horse.taught, horse.taught.skeleton.names
    assert {names[loose] for loose, _ in taught.followers} == {"BackFoot.L", "BackFoot.R", "FrontFoot.L", "FrontFoot.R"}
    assert taught.order != tuple(range(len(names)))
    made = acted(sample("walk", FPS), "FBX horse")
    assert made.motion.skeleton is taught.skeleton
    world = made.motion.world_positions()
    for loose, joint in taught.followers:
        gap = np.linalg.norm(world[:, loose] - world[:, joint], axis=1)
        assert gap.max() < 0.03 * taught.leg_m
        assert np.ptp(gap) < 1e-6
    assert {names[joint].split(".")[0] for joint in made.contacts.joints} <= {
        "BackFoot", "FrontFoot", "BackLowLeg", "FrontLowLeg"
    }  # fmt: skip
    again = hung(made.motion, taught)
    np.testing.assert_allclose(again.world_positions(), world[:, list(taught.order)], atol=1e-6)


def test_a_walk_that_ends_in_a_long_hold_is_learnt_without_the_hold() -> None:
    """The walk of this file is one round, then half the clip stands still."""
    horse = body_of("FBX horse")
    assert isinstance(horse, Character)
    clip = horse.motions["Armature|Walk"]
    falls = ready("FBX horse").taught.footfalls
    assert falls is not None
    assert falls.name == "walk"
    assert falls.cycle_s == pytest.approx(0.5 * clip.duration_s, rel=0.06)
    walk = sample("walk", FPS)
    held = character("horse").motions["walk"]
    longer = held.taken(np.concatenate([np.zeros(9, dtype=int), np.arange(len(held)), np.full(30, len(held) - 1)]))
    one, other = komadori.quadruped(walk, held).motion, komadori.quadruped(walk, longer).motion
    assert angles_deg(one.rotations, other.rotations).max() < 1.0


@pytest.mark.parametrize(
    ("names", "learnt"),
    [
        (("idle", "Walk_Left", "WolfWalkCycle", "walk_back"), "WolfWalkCycle"),
        (("Armature|SlowWalk", "Armature|Walk"), "Armature|Walk"),
        (("Take 001",), "Take 001"),
        (("sidewalk", "moonwalker"), ""),
    ],
)
def test_clips_are_known_by_their_words(names: tuple[str, ...], learnt: str) -> None:
    """A single clip may be called anything, if it shows steps."""
    horse = character("horse")
    named = replace(horse, motions=dict.fromkeys(names, horse.motions["walk"]))
    made = beast(named, FPS)
    assert made.clips["walk"] == learnt
    assert made.made_up == (learnt == "")


@pytest.mark.parametrize("frames", [1, 2, 40])
@pytest.mark.parametrize("whole", [True, False])
def test_a_clip_that_shows_no_steps_is_a_pose_to_start_from(frames: int, whole: bool) -> None:
    """An animal that only stands, as one frame of it or as a clip named walk: its steps are made up, and it says so."""
    horse = character("horse")
    stands = horse.motions["walk"].taken(np.zeros(frames, dtype=int))
    made = komadori.quadruped(sample("walk", FPS), replace(horse, motions={"walk": stands}) if whole else stands)
    assert made.speed.mean() > 0.4
    assert made.slip.worst < DRIFT
    assert steps_deg(made.motion).max() < JERK
    assert any("no clip of a walk" in note for note in made.notes)


def test_animals_rigged_with_peoples_names_are_animals() -> None:
    """3ds Max's Biped is used for horses and wolves too."""
    biped = {
        "back": "Bip01 Pelvis", "torso": "Bip01 Spine", "torso_2": "Bip01 Spine1", "torso_3": "Bip01 Spine2", "neck_1": "Bip01 Neck",
        "neck_2": "Bip01 Neck1", "head": "Bip01 Head", "tail_1": "Bip01 Tail",
    }  # fmt: skip
    for side, letter in (("left", "L"), ("right", "R")):
        parts = zip(
            ("front_shoulder", "front_upper_leg", "front_lower_leg", "front_foot", "back_leg", "back_upper_leg", "back_lower_leg", "back_foot"),
            ("Clavicle", "UpperArm", "Forearm", "Hand", "Thigh", "Calf", "HorseLink", "Foot"), strict=True,
        )  # fmt: skip
        biped |= {f"{side}_{ours}": f"Bip01 {letter} {theirs}" for ours, theirs in parts}
    clip = character("horse").motions["walk"]
    old = clip.skeleton
    skeleton = Skeleton(tuple(biped.get(name, name) for name in old.names), old.parents, old.offsets, old.rest)
    assert roles.body_plan(skeleton) == "quadruped"
    made = komadori.quadruped(sample("walk", FPS), Motion(skeleton, clip.fps, clip.rotations, clip.positions))
    assert made.slip.worst < DRIFT
    assert steps_deg(made.motion).max() < JERK


def test_an_animal_without_names_is_read_by_its_shape() -> None:
    """A horse's fore leg has two equal bones below the elbow, as a person's arm has: the upper arm is the one above."""
    clip = character("horse").motions["walk"]
    old = clip.skeleton
    names = tuple(f"Bone.{joint:03d}" for joint in range(len(old)))
    skeleton = Skeleton(names, old.parents, old.offsets, old.rest)
    clip = Motion(skeleton, clip.fps, clip.rotations, clip.positions)
    found = roles.find(skeleton, clip.pose(0))
    assert [old.names[found[f"left_{role}"]] for role in ("shoulder", "upper_arm", "lower_arm")] == [
        "left_front_shoulder", "left_front_upper_leg", "left_front_lower_leg"
    ]  # fmt: skip
    made = komadori.quadruped(sample("walk", FPS), clip)
    assert made.slip.worst < DRIFT
    assert made.measures["feet_held_off"].value < 1.0


@pytest.mark.parametrize("name", ["FBX horse", "Fox", "built-in"])
def test_hind_and_fore_legs_bend_their_own_ways(name: str) -> None:
    """However alike they are built: stifles and elbows bend opposite ways, or hocks and knees."""
    legs = ready(name).body.legs
    hind, fore = (np.where(np.isfinite(legs.low[foot]), legs.low[foot] * legs.high[foot], 1.0) for foot in (0, 2))
    assert (hind >= 0.0).all()
    assert (fore >= 0.0).all()


# ---- what cannot be ----------------------------------------------------------------------------------------------------


def test_footfalls_are_named() -> None:
    time = np.arange(80)
    for name, phases in gaits.GAITS.items():
        on = np.stack([np.mod(time / 20 - phase, 1.0) < 0.55 for phase in phases], axis=1)
        falls = gaits.footfalls(on, 20.0)
        assert falls is not None
        assert falls.name == name
        assert falls.cycle_s == pytest.approx(1.0)
    assert gaits.footfalls(np.ones((20, 4), dtype=bool), 20.0) is None


def test_what_cannot_be_driven_is_said() -> None:
    walk, horse = sample("walk", FPS), body_of("built-in")
    with pytest.raises(OptionError, match="gait: expected one of"):
        komadori.quadruped(walk, horse, gait="amble")
    with pytest.raises(OptionError, match="stoop: expected a number between 0 and 2"):
        komadori.quadruped(walk, horse, stoop=2.5)
    with pytest.raises(OptionError, match="expected at least one step"):
        komadori.quadruped(walk[:4], horse)
    with pytest.raises(OptionError, match="motion: expected a motion of a person, found one of an animal"):
        komadori.quadruped(horse.motions["walk"], horse)  # type: ignore[union-attr]
    with pytest.raises(OptionError, match="animal: no four legs were recognised"):
        komadori.quadruped(walk, walk)
    with pytest.raises(OptionError, match="expected a clip with walk in its name"):
        komadori.quadruped(walk, character("mannequin"))
    with pytest.raises(OptionError, match="motion: no joint was recognised as left_upper_leg"):
        komadori.quadruped(wander(tree(4), 40), horse)
    live = QuadrupedStream(walk.skeleton, horse, FPS)
    with pytest.raises(OptionError, match="rotations and positions must have 31 joints"):
        live.push(walk.rotations[0, :3], walk.positions[0, :3])
    with pytest.raises(OptionError, match="NaN or infinity"):
        live.push(walk.rotations[0] * np.nan, walk.positions[0])
    with pytest.raises(OptionError, match="does not repeat"):
        QuadrupedStream(walk.skeleton, horse, FPS, loop=True)
