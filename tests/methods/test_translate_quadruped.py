"""A person drives an animal: feet stay, feet fall in the animal's order, quick is quick, standing stands, turns turn."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import komadori
from komadori import Character, Motion, OptionError, feet, quat, roles
from komadori.characters import character, sample
from komadori.methods.translate import animal, chain, gaits, walker
from komadori.methods.translate.aligning import headings
from komadori.methods.translate.features import angles_deg
from komadori.methods.translate.finishing import Performance
from komadori.quat import Array

from bodies import tree, wander
from realdata import real

CALM = 0.005
"""Metres a frame that a standing foot may move, at a body of 1.5 m."""
WILD = 15.0
"""Degrees that a joint may bend farther than in all clips of the animal."""


@pytest.fixture(scope="module")
def horse() -> Character:
    return character("horse")


@cache
def taught(beast: str, doing: str) -> chain.Chain:
    """What an animal teaches at 30 frames a second, learnt once."""
    name, clip, _ = animal.clip_of(beast_of(beast), doing)
    return chain.learnt(animal.lesson(name, clip, 30.0), doing)


def beast_of(name: str) -> Character | Motion:
    if name == "built-in":
        return character("horse")
    if name == "dog":
        return komadori.load(real("quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh")).prepared(30)[60:240]
    return komadori.load_character(real(f"quadruped_gltf/quaternius_{name}.glb"))


def performed(person: Motion, beast: str = "built-in", doing: str = "walk") -> tuple[Performance, chain.Chain]:
    learnt = taught(beast, doing)
    return chain.driven(learnt, person), learnt


def skate(made: Performance, learnt: chain.Chain) -> float:
    """Metres a frame, the animal scaled to 1.5 m at the back (1.6 leg lengths)."""
    return made.slip.per_frame * 1.5 / (1.6 * learnt.lesson.leg_m)


def bends(motion: Motion) -> dict[str, Array]:
    """(F,) for every knee, elbow and ankle: degrees between the bones that meet there."""
    known, world = roles.known(motion.skeleton), motion.world_positions()
    found = {}
    for side in ("left", "right"):
        for limb in (("upper_leg", "lower_leg", "foot", "toes"), ("upper_arm", "lower_arm", "hand")):
            chain_of = [known[f"{side}_{role}"] for role in limb if f"{side}_{role}" in known]
            bones = np.diff(world[:, chain_of], axis=1)
            bones = bones / np.linalg.norm(bones, axis=2, keepdims=True)
            for n, role in enumerate(limb[1 : len(chain_of) - 1]):
                cosine = np.einsum("fi,fi->f", bones[:, n], bones[:, n + 1])
                found[f"{side}_{role}"] = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    return found


def bent(walk: Motion, first: int, frames: int, angle: float) -> Motion:
    """`walk` led round a bend of `angle` radians to the left."""
    share = np.clip((np.arange(len(walk)) - first) / frames, 0.0, 1.0)
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), share * angle)
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    positions[1:, 0] = positions[0, 0] + np.cumsum(quat.rotate(turn[1:], np.diff(walk.positions[:, 0], axis=0)), axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return walk.replaced(rotations=rotations, positions=positions)


@pytest.mark.parametrize(("gait", "name", "strike"), [("walk", "walk", 117), ("run", "jog", 90)])
def test_the_references_are_the_built_in_samples(gait: str, name: str, strike: int) -> None:
    legs = walker.legs(sample(name, 120.0))
    table = walker.reference(gait, 1, fps=120.0)
    joints = [legs.skeleton.roles[f"{side}_{role}"] for side in walker.SIDES for role in walker.JOINTS]
    cycle = legs[strike : strike + len(table)]
    assert angles_deg(cycle.rotations[:, joints], table.rotations[:, joints]).mean() < 1.5
    stride = cycle.positions[-1, 0, 2] - cycle.positions[0, 0, 2]
    assert table.positions[-1, 0, 2] - table.positions[0, 0, 2] == pytest.approx(stride, rel=0.02)
    in_air = ~feet.contacts(walker.reference(gait, 4)).standing.any(axis=1)
    assert (in_air.mean() > gaits.RUNNING) == (gait == "run")


def test_how_a_rigs_axes_lie_does_not_matter() -> None:
    """The same walk on a skeleton whose joints' own frames are turned at random gives the same legs."""
    walk = sample("walk", 30.0)
    turns = quat.normalized(np.random.default_rng(0).normal(size=(len(walk.skeleton), 4)))
    world, places = walk.world_transforms()
    rebound = quat.multiply(world, turns)
    from komadori import kinematics
    from komadori.skeleton import Skeleton

    rotations = kinematics.local_rotations(walk.skeleton, rebound)
    parents = walk.skeleton.parents
    offsets = np.array(walk.positions)
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            offsets[:, joint] = quat.rotate(quat.inverse(rebound[:, parent]), places[:, joint] - places[:, parent])
    skeleton = Skeleton(walk.skeleton.names, parents, offsets[0], None, dict(walk.skeleton.roles))  # type: ignore[arg-type]
    other = Motion(skeleton, 30.0, quat.continuous(rotations), offsets)
    assert angles_deg(walker.legs(other).rotations, walker.legs(walk).rotations).max() < 1e-3


def test_a_person_drives_the_built_in_horse() -> None:
    walk = sample("walk", 30.0)
    made, learnt = performed(walk)
    assert len(made.motion) == len(walk)
    assert made.motion.fps == 30.0
    falls = made.footfalls
    assert falls is not None
    assert falls.order == ("LH", "LF", "RH", "RF")
    assert falls.name == "walk"
    assert np.abs(np.subtract(falls.phases, (0.0, 0.5, 0.25, 0.75))).max() < 0.06
    assert falls.cycle_s == pytest.approx(1.0, abs=0.05)
    assert learnt.contact_error < 1.0


def test_hooves_stand_on_the_ground_and_nothing_is_below_it() -> None:
    for doing, person in (("walk", "walk"), ("run", "jog")):
        made, learnt = performed(sample(person, 30.0), doing=doing)
        names = [made.motion.skeleton.names[joint] for joint in learnt.lesson.points]
        assert names == [
            "left_back_foot_end",
            "right_back_foot_end",
            "left_front_pastern_end",
            "right_front_pastern_end",
        ]
        world = made.motion.world_positions()
        assert np.abs(world[:, learnt.lesson.points, 1][made.contacts.on]).max() < 0.005
        assert world[..., 1].min() > -0.01


def test_quick_is_quick_and_slow_is_slow() -> None:
    quick, _ = performed(sample("walk", 30.0))
    slow, _ = performed(sample("slow-walk", 30.0))
    assert quick.footfalls is not None
    assert slow.footfalls is not None
    assert slow.footfalls.cycle_s > 1.3 * quick.footfalls.cycle_s
    assert slow.speed.mean() < 0.8 * quick.speed.mean()


def test_standing_still_stands_still() -> None:
    walk = sample("walk", 30.0)
    made, _ = performed(walk.taken(np.concatenate([np.arange(80), np.full(60, 79)])))
    assert made.contacts.on[-15:].all()
    world = made.motion.world_positions()
    assert np.linalg.norm(world[-1] - world[-10], axis=-1).max() < 0.02
    # It comes to rest without a jolt: no joint turns faster than it did while it walked.
    steps = angles_deg(made.motion.rotations[1:], made.motion.rotations[:-1]).max(axis=1)
    assert steps[80:].max() <= steps[:80].max()


def test_a_turn_turns_the_animal() -> None:
    made, learnt = performed(bent(sample("walk", 30.0), 30, 60, np.pi / 2))
    hips = made.motion.world_positions()[:, 0]
    before, after = hips[25] - hips[10], hips[-1] - hips[-16]
    angle = np.degrees(np.arctan2(after[0], after[2]) - np.arctan2(before[0], before[2]))
    assert angle == pytest.approx(90.0, abs=12.0)
    facing = headings(made.motion, made.motion.world_positions())
    assert angles_deg(facing[10], facing[-5]) == pytest.approx(90.0, abs=8.0)
    assert skate(made, learnt) < CALM
    assert not made.motion.notes


def test_who_walks_backwards_makes_the_animal_back_up(horse: Character) -> None:
    walk = sample("walk", 30.0)
    back = walk.taken(np.arange(len(walk))[::-1])
    made, learnt = performed(back)
    hips = made.motion.world_positions()[:, 0]
    ahead, _ = performed(walk)
    assert hips[-1, 2] - hips[0, 2] == pytest.approx(-np.sum(ahead.speed) / 30.0, rel=0.1)
    assert made.footfalls is not None
    assert made.footfalls.cycle_s == pytest.approx(1.0, abs=0.05)
    assert skate(made, learnt) < CALM
    # It begins where the person does.
    assert np.linalg.norm((hips[0] - back.world_positions()[0, 0])[::2]) < 0.5
    assert any("backwards: the animal does so too" in note for note in komadori.quadruped(back, horse).motion.notes)


def test_ways_that_an_animal_cannot_go_are_said(horse: Character) -> None:
    walk = sample("walk", 30.0)
    there_and_back = walk.taken(np.concatenate([np.arange(100), np.arange(99)[::-1][:70]]))
    assert any(
        "frame(s): the animal goes forwards" in note for note in komadori.quadruped(there_and_back, horse).motion.notes
    )
    positions = np.array(walk.positions)
    positions[:, 0] = positions[:, 0] @ np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    sideways = komadori.quadruped(walk.replaced(positions=positions), horse).motion
    assert any("walks sideways in" in note for note in sideways.notes)
    assert len(komadori.quadruped(walk, horse).motion.notes) == 1


def test_a_jog_makes_the_horse_trot(horse: Character) -> None:
    jog = sample("jog", 30.0)
    made, learnt = performed(jog, doing="run")
    assert learnt.lesson.name == "trot"
    assert learnt.contact_error < 1.5
    falls = made.footfalls
    assert falls is not None
    assert falls.name == "trot"
    # Left hind and right fore come down together, and so do the other two, half a cycle later.
    apart = np.mod(np.subtract(falls.phases, (0.0, 0.5, 0.5, 0.0)) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() < 0.06
    assert falls.cycle_s == pytest.approx(0.75, abs=0.04)
    assert skate(made, learnt) < CALM
    # All four hooves are in the air for a while, and it goes about as fast against its legs as the person does.
    assert 0.05 < np.mean(~made.contacts.on.any(axis=1)) < 0.5
    assert made.speed.mean() / learnt.lesson.leg_m == pytest.approx(walker.travel(jog)[:, 0].mean(), rel=0.3)
    assert made.speed.mean() > 1.3 * performed(sample("walk", 30.0))[0].speed.mean()
    assert [str(note)[:27] for note in komadori.quadruped(jog, horse).motion.notes] == ["the animal learnt from trot"]


def test_a_gait_that_does_not_fit_is_said(horse: Character) -> None:
    jog, walk = sample("jog", 30.0), sample("walk", 30.0)

    def said(person: Motion, beast: Character | Motion, **more: str) -> str:
        return " / ".join(komadori.quadruped(person, beast, **more).motion.notes)

    assert "only learnt to walk" in said(jog, horse.motions["walk"])
    assert "the person runs: a walk was asked for" in said(jog, horse, gait="walk")
    assert "the person walks: a run was asked for" in said(walk, horse, gait="run")
    assert "the animal's clip is no walk (trot)" in said(walk, horse.motions["trot"])


def test_a_captured_run_of_one_cycle_makes_the_horse_trot(horse: Character) -> None:
    run = komadori.load(real("human_bandai_bvh_NC/dataset-1_run_normal_001.bvh")).prepared(30)
    made, learnt = performed(run, doing="run")
    left_hind, right_hind, left_fore, right_fore = made.contacts.on.T
    assert np.mean(left_hind == right_fore) > 0.9
    assert np.mean(right_hind == left_fore) > 0.9
    assert not (left_hind & right_hind).any()
    assert skate(made, learnt) < CALM
    assert any("learnt from trot" in note for note in komadori.quadruped(run, horse).motion.notes)


@cache
def captured(name: str) -> Motion:
    return komadori.load(real(f"human_cmu_bvh/{name}.bvh")).prepared(30)


@pytest.mark.parametrize("person", ["08_01", "08_04", "08_07"])
@pytest.mark.parametrize("beast", ["built-in", "Horse", "Wolf", "dog"])
def test_captured_people_drive_all_animals(person: str, beast: str) -> None:
    made, learnt = performed(captured(person), beast)
    leg = learnt.lesson.leg_m
    assert skate(made, learnt) < CALM
    assert made.footfalls is not None
    assert learnt.lesson.footfalls is not None
    apart = np.mod(np.subtract(made.footfalls.phases, learnt.lesson.footfalls.phases) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() < 0.1
    assert learnt.contact_error < 2.0
    # Standing feet are at their height, and stay where they are through every contact.
    heights = made.motion.world_positions()[:, learnt.lesson.points, 1]
    assert np.abs(heights - learnt.lesson.heights)[made.contacts.on].max() < 0.02 * leg
    assert made.slip.worst < 0.02 * leg


@pytest.mark.parametrize(
    ("beast", "person", "doing"),
    [
        ("built-in", "walk", "walk"),
        ("built-in", "jog", "run"),
        ("built-in", "08_07", "walk"),
        ("Horse", "08_07", "walk"),
        ("Wolf", "08_07", "walk"),
        ("dog", "08_07", "walk"),
    ],
)
def test_no_limb_leaves_its_range_by_much(beast: str, person: str, doing: str) -> None:
    """Knees, elbows and ankles bend as they do in some clip of the animal."""
    motion = captured(person) if person[0].isdigit() else sample(person, 30.0)
    made, _ = performed(motion, beast, doing)
    body = beast_of(beast)
    own = [bends(clip) for clip in (body.motions.values() if isinstance(body, Character) else [body])]
    for joint, bend in bends(made.motion).items():
        assert bend.min() > min(clip[joint].min() for clip in own) - WILD, joint
        assert bend.max() < max(clip[joint].max() for clip in own) + WILD, joint


@pytest.mark.parametrize(("person", "doing"), [("walk", "walk"), ("slow-walk", "walk"), ("jog", "run")])
def test_there_is_no_transient_at_the_start(person: str, doing: str) -> None:
    made, _ = performed(sample(person, 30.0), doing=doing)
    steps = angles_deg(made.motion.rotations[1:], made.motion.rotations[:-1]).max(axis=1)
    assert steps[:6].max() <= steps[6:].max()
    hips = made.motion.world_positions()[:, 0]
    jerks = np.linalg.norm(np.diff(hips, 2, axis=0), axis=1)
    assert jerks[:6].max() <= 1.5 * jerks[6:].max()


@pytest.mark.parametrize("person", ["walk", "slow-walk", "jog"])
def test_loops_close(person: str, horse: Character) -> None:
    cycle = sample(person, 30.0)[:-1]
    made = komadori.quadruped(cycle, horse, loop=True).motion
    assert len(made) == len(cycle)
    steps = angles_deg(made.rotations[1:], made.rotations[:-1]).max(axis=1)
    assert angles_deg(made.rotations[0], made.rotations[-1]).max() <= steps.max()
    world = made.world_positions()
    falls = np.abs(np.diff(world[..., 1], axis=0)).max()
    assert np.abs(world[0, :, 1] - world[-1, :, 1]).max() <= falls
    # Its feet still stand where they stand.
    still = np.linalg.norm(np.diff(world, axis=0), axis=2)[:, taught("built-in", "walk").lesson.points].min(axis=1)
    assert np.median(still) < CALM


def test_loose_hooves_stay_on_their_legs() -> None:
    made, learnt = performed(sample("walk", 30.0), "Horse")
    assert made.motion.skeleton is learnt.lesson.skeleton
    world = made.motion.world_positions()
    assert len(learnt.lesson.followers) == 4
    for root, joint in learnt.lesson.followers:
        gap = np.linalg.norm(world[:, root] - world[:, joint], axis=1)
        assert gap.max() < 0.002 * learnt.lesson.leg_m
        assert np.ptp(gap) < 1e-6


def test_footfalls_are_named() -> None:
    time = np.arange(80)
    for name, phases in gaits.GAITS.items():
        on = np.stack([np.mod(time / 20 - phase, 1.0) < 0.55 for phase in phases], axis=1)
        falls = gaits.footfalls(on, 20.0)
        assert falls is not None
        assert falls.name == name
        assert falls.cycle_s == pytest.approx(1.0)
    assert gaits.footfalls(np.ones((20, 4), dtype=bool), 20.0) is None


def test_what_cannot_be_driven_is_said(horse: Character) -> None:
    walk = sample("walk", 30.0)
    with pytest.raises(OptionError, match="gait must be"):
        komadori.quadruped(walk, horse, gait="amble")
    with pytest.raises(OptionError, match="fewer than a step"):
        komadori.quadruped(walk[:4], horse)
    with pytest.raises(OptionError, match="of an animal already"):
        komadori.quadruped(horse.motions["walk"], horse)
    with pytest.raises(OptionError, match="not recognised as one"):
        komadori.quadruped(walk, walk)
    with pytest.raises(OptionError, match="no clip to learn a walk from"):
        komadori.quadruped(walk, character("mannequin"))
    with pytest.raises(OptionError, match="no joint plays left_upper_leg"):
        komadori.quadruped(wander(tree(4), 40), horse)
