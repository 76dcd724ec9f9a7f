"""A person drives an animal: feet stay, feet fall in the animal's order, quick is quick, standing stands, turns turn."""

from __future__ import annotations

import numpy as np
import pytest

import komadori
from komadori import Character, Motion, OptionError, quat
from komadori.characters import character, sample
from komadori.methods.translate import animal, chain, gaits, walker
from komadori.methods.translate.aligning import headings
from komadori.methods.translate.features import angles_deg
from komadori.methods.translate.finishing import Performance

from bodies import tree, wander
from realdata import real

CALM = 0.005
"""Metres a frame that a standing foot may move, at a body of 1.5 m."""


@pytest.fixture(scope="module")
def horse() -> Character:
    return character("horse")


def performed(person: Motion, beast: Character | Motion, doing: str = "walk") -> tuple[Performance, chain.Chain]:
    name, clip, _ = animal.clip_of(beast, doing)
    learnt = chain.learnt(animal.lesson(name, clip, person.fps))
    return chain.driven(learnt, person), learnt


def skate(made: Performance, learnt: chain.Chain) -> float:
    """Metres a frame, the animal scaled to 1.5 m at the back (1.6 leg lengths)."""
    return made.slip.per_frame * 1.5 / (1.6 * learnt.lesson.leg_m)


def test_the_reference_walk_is_the_built_in_one() -> None:
    legs = walker.legs(sample("walk", 120.0))
    table = walker.reference("walk", 1, fps=120.0)
    joints = [legs.skeleton.roles[f"{side}_{role}"] for side in walker.SIDES for role in walker.JOINTS]
    cycle = legs.rotations[237 : 237 + len(table), joints]
    assert angles_deg(cycle, table.rotations[:, joints]).mean() < 2.5


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


def test_a_person_drives_the_built_in_horse(horse: Character) -> None:
    walk = sample("walk", 30.0)
    made, learnt = performed(walk, horse)
    assert len(made.motion) == len(walk)
    assert made.motion.fps == 30.0
    assert skate(made, learnt) < CALM
    falls = made.footfalls
    assert falls is not None
    assert falls.order == ("LH", "LF", "RH", "RF")
    assert falls.name == "walk"
    assert falls.cycle_s == pytest.approx(1.0, abs=0.05)
    assert learnt.contact_error < 1.0


def test_quick_is_quick_and_slow_is_slow(horse: Character) -> None:
    quick, _ = performed(sample("walk", 30.0), horse)
    slow, _ = performed(sample("slow-walk", 30.0), horse)
    assert quick.footfalls is not None
    assert slow.footfalls is not None
    assert slow.footfalls.cycle_s > 1.3 * quick.footfalls.cycle_s
    assert slow.speed.mean() < 0.8 * quick.speed.mean()


def test_no_limb_leaves_its_range_by_much(horse: Character) -> None:
    """Translated joints stay near turns that the horse itself made."""
    made, learnt = performed(sample("walk", 30.0), horse)
    own = learnt.lesson.still.rotations
    for joint in range(1, len(horse.skeleton)):
        apart = angles_deg(made.motion.rotations[:, None, joint], own[None, ::3, joint]).min(axis=1)
        assert apart.max() < 15.0, horse.skeleton.names[joint]


def test_standing_still_stands_still(horse: Character) -> None:
    walk = sample("walk", 30.0)
    halt = walk.taken(np.concatenate([np.arange(80), np.full(60, 79)]))
    made, _ = performed(halt, horse)
    assert made.contacts.on[-15:].all()
    hips = made.motion.world_positions()[:, 0]
    assert np.linalg.norm(hips[-1] - hips[-10]) < 0.02


def test_a_turn_turns_the_animal(horse: Character) -> None:
    walk = sample("walk", 30.0)
    frames = np.arange(len(walk))
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.clip((frames - 30) / 60, 0.0, 1.0) * np.pi / 2)
    steps = np.diff(walk.positions[:, 0], axis=0)
    positions, rotations = np.array(walk.positions), np.array(walk.rotations)
    positions[1:, 0] = positions[0, 0] + np.cumsum(quat.rotate(turn[1:], steps), axis=0)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    made, learnt = performed(walk.replaced(rotations=rotations, positions=positions), horse)
    hips = made.motion.world_positions()[:, 0]
    before, after = hips[25] - hips[10], hips[-1] - hips[-16]
    angle = np.degrees(np.arctan2(after[0], after[2]) - np.arctan2(before[0], before[2]))
    assert angle == pytest.approx(90.0, abs=12.0)
    facing = headings(made.motion, made.motion.world_positions())
    assert angles_deg(facing[10], facing[-5]) == pytest.approx(90.0, abs=8.0)
    assert skate(made, learnt) < CALM


def test_the_trot_is_a_trot(horse: Character) -> None:
    made, _ = performed(sample("walk", 30.0), horse, "run")
    assert made.footfalls is not None
    assert made.footfalls.name == "trot"


def test_a_running_person_makes_the_horse_trot(horse: Character) -> None:
    run = komadori.load(real("human_bandai_bvh_NC/dataset-1_run_normal_001.bvh")).prepared(30)
    assert any("learnt from trot" in note for note in komadori.quadruped(run, horse).notes)
    walk_only = komadori.quadruped(run, horse.motions["walk"])
    assert any("only learnt to walk" in note for note in walk_only.notes)
    assert any("a walk was asked for" in note for note in komadori.quadruped(run, horse, gait="walk").notes)


@pytest.mark.parametrize("person", ["08_01", "08_04", "08_07"])
@pytest.mark.parametrize("beast", ["built-in", "Horse", "Wolf", "dog"])
def test_captured_people_drive_all_animals(person: str, beast: str, horse: Character) -> None:
    clip = komadori.load(real(f"human_cmu_bvh/{person}.bvh")).prepared(30)
    if beast == "dog":
        dog = komadori.load(real("quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh")).prepared(30)
        driven: Character | Motion = dog[60:240]
    else:
        driven = (
            horse if beast == "built-in" else komadori.load_character(real(f"quadruped_gltf/quaternius_{beast}.glb"))
        )
    made, learnt = performed(clip, driven)
    assert skate(made, learnt) < CALM
    assert made.footfalls is not None
    assert learnt.lesson.footfalls is not None
    apart = np.mod(np.subtract(made.footfalls.phases, learnt.lesson.footfalls.phases) + 0.5, 1.0) - 0.5
    assert np.abs(apart).max() < 0.1
    assert learnt.contact_error < 2.0


def test_loose_hooves_stay_on_their_legs() -> None:
    rig = komadori.load_character(real("quadruped_gltf/quaternius_Horse.glb"))
    made, learnt = performed(sample("walk", 30.0), rig)
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
