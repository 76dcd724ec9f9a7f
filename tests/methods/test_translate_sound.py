"""Whatever people do, an animal's hooves stay, its joints keep their range and nothing jerks: made-up performances and captured ones."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from acting_people import (
    FPS,
    LEFT,
    acted,
    assert_sound,
    body_of,
    captured,
    edited,
    faster,
    going,
    jumping,
    led,
    marching,
    ready,
    standing,
    steps_deg,
    turned,
)  # fmt: skip

import komadori
from komadori import Motion, quat, roles
from komadori.characters import sample
from komadori.feet.contacts import runs
from komadori.methods.translate import QuadrupedResult
from komadori.methods.translate.anatomy import MARGIN, SIDEWAYS, pose_angles
from komadori.methods.translate.animal import hung
from komadori.quat import Array

HELD_OFF, UNDER = 1.0, 0.06
"""Percent of the feet that should stand which may be held off their place; units of the animal that a flying hoof may be under the ground."""
DRIFT, HEIGHT, SKATE = 0.02, 0.01, 0.005
"""Units of the animal (centimetres, at hips 1 m high) by which a hoof that should stand may be off its place and off the ground, and move a frame on the mean."""


def wandering(kind: str) -> Motion:
    """Somebody who turns and changes pace all the time."""
    random = np.random.default_rng(3)
    wish = [np.convolve(random.normal(size=340), np.hanning(41), "same")[20:320] for _ in range(2)]
    return led(going(kind, 10.0), 0.02 * np.cumsum(wish[0]), np.clip(1.0 + wish[1] / 8.0, -0.5, 2.2))


def sideways() -> Motion:
    walk = going("walk", 6.0)
    way = np.zeros((len(walk), 3))
    way[:, 0] = -0.5 * walk.positions[:, 0, 2]
    return edited(walk, way=way)


def tumbled(axis: Array, radians: float) -> Motion:
    """Somebody who walks and then turns about `axis`, head over heels or to the ground."""
    walk = going("walk", 8.0)
    rotations, share = np.array(walk.rotations), np.clip((np.arange(len(walk)) - 80) / 30, 0.0, 1.0)
    rotations[:, 0] = quat.multiply(quat.from_axis_angle(axis, radians * share), rotations[:, 0])
    return walk.replaced(rotations=quat.continuous(rotations))


PERFORMANCES: dict[str, Callable[[], Motion]] = {
    "a spin": lambda: edited(marching(200), np.clip((np.arange(200) - 20) / 90, 0.0, 1.0) * 4.0 * np.pi),
    "a spin without a step": lambda: edited(standing(120), np.clip((np.arange(120) - 20) / 45, 0.0, 1.0) * np.pi),
    "side steps": sideways,
    "stops and starts": lambda: going("walk", 10.0).taken(
        np.concatenate([np.arange(60), np.full(30, 59), np.arange(60, 90), np.full(60, 89), np.arange(90, 180)])
    ),
    "a run that stops": lambda: going("jog", 6.0).taken(np.concatenate([np.arange(60), np.full(60, 59)])),
    "there and back": lambda: going("walk", 4.0).taken(np.concatenate([np.arange(90), np.arange(90)[::-1]])),
    "a run turned about": lambda: led(going("jog", 6.0), np.pi * np.clip((np.arange(180) - 80) / 10, 0.0, 1.0)),
    "wandering": lambda: wandering("walk"),
    "running about": lambda: wandering("jog"),
    "a sprint": lambda: faster(going("jog", 8.0), 1.7),
    "a deep bow": lambda: turned(
        going("walk", 5.0), "spine", LEFT, 1.6 * np.clip((np.arange(150) - 60) / 30, 0.0, 1.0)
    ),
    "a high jump": lambda: jumping(0.6),
    "a long jump": lambda: jumping(0.4, 3.0),
    "a jump back": lambda: jumping(0.3, -0.6),
    "a somersault": lambda: tumbled(LEFT, 2.0 * np.pi),
    "a cartwheel": lambda: tumbled(np.array([0.0, 0.0, 1.0]), 2.0 * np.pi),
    "eight frames": lambda: sample("jog", FPS)[30:38],
}


def assert_kept(made: QuadrupedResult, name: str) -> None:
    """Sound, and no way around it: feet that should stand do, and none goes through the ground."""
    assert_sound(made, name)
    body = ready(name).body
    if len(made.motion) > FPS:
        assert made.measures["feet_held_off"].value < HELD_OFF
    places = hung(made.motion, ready(name).taught).world_positions()[:, list(body.points)] / body.unit_m
    assert (places[..., 1] - body.heights / body.unit_m).min() > -UNDER
    moved = []
    for foot, height in enumerate(body.heights / body.unit_m):
        # Every frame in which the plan has the hoof stand counts, also those in which a joint's limits hold it off.
        for start, stop in runs(made.planned[:, foot]):
            place = places[start:stop, foot]
            away = (place - np.median(place, axis=0))[:, ::2]
            assert np.linalg.norm(away, axis=1).max() < DRIFT
            assert np.abs(place[:, 1] - height).max() < HEIGHT
            moved.append(np.linalg.norm(np.diff(place[:, ::2], axis=0), axis=1))
    assert np.concatenate(moved).mean() < SKATE


@pytest.mark.parametrize("what", list(PERFORMANCES))
def test_whatever_is_performed_is_sound(what: str) -> None:
    assert_kept(acted(PERFORMANCES[what]()), "built-in")


@pytest.mark.parametrize("what", ["a spin", "running about", "a cartwheel", "a high jump"])
@pytest.mark.parametrize("name", ["Horse", "Wolf", "dog"])
def test_whatever_is_performed_is_sound_for_other_animals(what: str, name: str) -> None:
    assert_kept(acted(PERFORMANCES[what](), name), name)


@pytest.mark.parametrize("person", ["124_01", "135_04", "49_06", "74_03", "85_01"])
@pytest.mark.parametrize("name", ["built-in", "Wolf"])
def test_throws_kicks_and_handstands_are_sound(person: str, name: str) -> None:
    assert_kept(acted(captured(person), name), name)


KICK = "human_bandai_bvh_NC/dataset-1_kick_normal_001.bvh"


@pytest.mark.parametrize("name", ["built-in", "Horse", "Wolf", "Fox", "FBX horse"])
def test_a_hoof_that_lands_out_of_reach_stands_where_its_leg_sets_it_down(name: str) -> None:
    """A spinning kick twists the body under a landing hoof: its place on the ground is 20 cm off what the thigh can do."""
    made = acted(captured(KICK), name)
    assert_kept(made, name)
    hips = made.motion.world_positions()[:, roles.known(made.motion.skeleton)["hips"]] / ready(name).body.unit_m
    # The body does not jump to the hoof instead.
    assert np.linalg.norm(np.diff(hips, n=2, axis=0), axis=1).max() < 0.125


@pytest.mark.parametrize("name", ["Fox", "FBX horse"])
@pytest.mark.parametrize("person", ["91_19", "35_22", "13_17"])
def test_other_peoples_animals_are_sound(name: str, person: str) -> None:
    assert_kept(acted(captured(person), name), name)


@pytest.mark.parametrize("person", ["91_22", "135_04"])
def test_a_leg_that_is_late_sets_its_hoof_down_a_moment_later(person: str) -> None:
    """Thrown about, a leg has not come down when its stance begins: its hoof stands from where it arrives, and nowhere before."""
    made = acted(captured(person), "other dog")
    assert_kept(made, "other dog")
    beast = ready("other dog")
    over = hung(made.motion, beast.taught).world_positions()[:, list(beast.body.points), 1] - beast.body.heights
    assert np.abs(over[made.planned]).max() < 0.003 * beast.body.unit_m


@pytest.mark.parametrize("name", ["bare built-in", "bare Fox", "bare Wolf", "bare FBX horse"])
@pytest.mark.parametrize("person", ["08_07", "91_02"])
def test_an_animal_without_a_clip_walks(name: str, person: str) -> None:
    """Its walk is made from how it stands at rest, and it says so."""
    made = acted(captured(person), name)
    assert_kept(made, name)
    assert ready(name).made_up
    assert made.speed.max() > 0.3 * ready(name).body.unit_m
    falls = ready(name).taught.footfalls
    assert falls is not None
    assert falls.name == "walk"
    assert any("no clip of a walk" in note for note in komadori.quadruped(captured(person)[:40], body_of(name)).notes)


@pytest.mark.parametrize("fps", [24.0, 60.0, 120.0])
def test_frame_rates_are_alike(fps: float) -> None:
    made = komadori.quadruped(going("jog", 3.0, fps), body_of("built-in"))
    assert steps_deg(made.motion).max() < 25.0 * 30.0 / fps
    assert made.slip.worst < 0.02
    assert made.measures["feet_held_off"].value < HELD_OFF


@pytest.mark.parametrize("name", ["built-in", "Horse", "Wolf", "dog", "Fox", "FBX horse"])
def test_ranges_are_those_of_the_clips_and_a_margin(name: str) -> None:
    """The bounds that `assert_sound` looks at come from the animal's own clips, seen again here."""
    beast = ready(name)
    legs = beast.body.legs
    seen = [pose_angles(legs, clip.rotations) for clip in beast.calm]
    bends, thighs = (np.concatenate(part) for part in zip(*seen, strict=True))
    solid = np.isfinite(legs.low)
    twins = [1, 0, 3, 2]
    low, high = bends.min(axis=0), bends.max(axis=0)
    low, high = np.minimum(low, low[twins]), np.maximum(high, high[twins])
    tiny = 1e-6
    assert (legs.low >= low - MARGIN - tiny)[solid].all()
    assert (legs.high <= high + MARGIN + tiny)[solid].all()
    ahead = thighs[..., 0]
    low, high = ahead.min(axis=0), ahead.max(axis=0)
    assert (legs.least[:, 0] >= np.minimum(low, low[twins]) - MARGIN - tiny).all()
    assert (legs.most[:, 0] <= np.maximum(high, high[twins]) + MARGIN + tiny).all()
    assert np.abs(legs.most[:, 1] - legs.least[:, 1]).max() < np.ptp(thighs[..., 1]) + 2.0 * SIDEWAYS + 0.4
    # Knees, elbows and hocks bend one way alone.
    one_way = solid & (np.percentile(bends, 10, axis=0) * np.percentile(bends, 90, axis=0) > 0.0)
    assert (legs.low[one_way] * legs.high[one_way] >= -tiny).all()


def test_a_handstand_is_waited_for() -> None:
    """Who is off their feet drives nothing: the animal comes to a halt, stands, and continues after; a note says so."""
    walk = going("walk", 8.0)
    rotations = np.array(walk.rotations)
    over = np.clip((np.arange(240) - 80) / 12, 0.0, 1.0) - np.clip((np.arange(240) - 150) / 12, 0.0, 1.0)
    rotations[:, 0] = quat.multiply(quat.from_axis_angle(LEFT, np.pi * over), rotations[:, 0])
    made = komadori.quadruped(walk.replaced(rotations=quat.continuous(rotations)), body_of("built-in"))
    assert_kept(made, "built-in")
    assert 50 < made.off_feet < 90
    assert any("off their feet" in note for note in made.notes)
    assert made.contacts.on[120:145].all()
    assert np.abs(made.speed[120:145]).max() < 0.02
    assert made.speed[:60].mean() > 0.5
    assert made.speed[-40:].mean() > 0.5
    known, world = roles.known(made.motion.skeleton), made.motion.world_positions()
    head = world[:, known["head"], 1] - world[:, known["hips"], 1]
    assert head[125:145].mean() == pytest.approx(head[:60].mean(), abs=0.1)
