"""One clip of the animal for each style, beside a person in that style: the paper's linear systems drive the animal."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from acting_people import (
    FPS,
    LEFT,
    acted,
    assert_sound,
    body_of,
    captured,
    going,
    head_height,
    led,
    ready,
    turned,
)  # fmt: skip

import komadori
from komadori import Character, Motion, OptionError
from komadori.characters import character
from komadori.methods.translate import ActingOptions, QuadrupedResult, chain
from komadori.methods.translate.features import angles_deg
from komadori.methods.translate.paired import Paired, paired

LOWERED = 0.6
"""Radians."""


def horse_walk() -> Motion:
    horse = body_of("built-in")
    assert isinstance(horse, Character)
    return horse.motions["walk"]


def stooped(motion: Motion) -> Motion:
    return turned(motion, "spine", LEFT, LOWERED)


def low(motion: Motion) -> Motion:
    """The animal with its neck held low, as an animator would draw it sad."""
    return turned(motion, "neck", LEFT, LOWERED)


@cache
def learnt() -> Paired:
    walk = going("walk", 3.0)
    return paired(ready("built-in"), [walk, stooped(walk)], [horse_walk(), low(horse_walk())])


def driven(person: Motion) -> QuadrupedResult:
    return chain.driven(ready("built-in"), person, ActingOptions(), learnt())


def bend(seconds: float = 3.0) -> Motion:
    walk = going("walk", seconds)
    return led(walk, 0.9 * np.clip((np.arange(len(walk)) - 20) / 50, 0.0, 1.0))


def test_every_system_is_the_papers() -> None:
    assert [one.report.chosen.kind for one in learnt().translators] == ["n4sid"] * 3
    assert all(one.report.radius < 1.0 for one in learnt().translators)


def test_the_style_of_the_clip_comes_with_the_style_of_the_person() -> None:
    plain, sad = driven(bend()), driven(stooped(bend()))
    for made in (plain, sad):
        assert_sound(made)
    taught = [head_height_of(clip) for clip in (horse_walk(), low(horse_walk()))]
    got = head_height(plain), head_height(sad)
    # The way from the one style to the other, gone by a person who turns as nobody in the pairs does.
    share = (got[0] - got[1]) / (taught[0] - taught[1])
    assert 0.8 < share < 1.2


def head_height_of(clip: Motion) -> float:
    known, world = komadori.roles.known(clip.skeleton), clip.world_positions()
    return float((world[:, known["head"], 1] - world[:, known["hips"], 1]).mean())


def test_the_clips_own_legs_come_back_on_the_persons_own_beat() -> None:
    """As in section 4.2, but from a person: the fore legs are those of the hind legs, which are those of the person."""
    made, walk = driven(going("walk", 3.0)), acted(going("walk", 3.0))
    legs = [joint for path in ready("built-in").body.legs.paths for joint in path.tolist() if joint >= 0]
    mean = ready("built-in").stage.cycles[0].mean[legs]
    away = angles_deg(made.motion.rotations[:, legs], walk.motion.rotations[:, legs]).mean()
    still = angles_deg(np.broadcast_to(mean, made.motion.rotations[:, legs].shape), walk.motion.rotations[:, legs])
    assert away < 0.6 * still.mean()
    assert made.footfalls is not None
    assert made.footfalls.name == "walk"


@pytest.mark.parametrize("person", ["91_29", "13_17"])
def test_people_that_no_pair_shows_are_sound(person: str) -> None:
    clip = captured(person)[60:330]
    pairs = paired(ready("built-in"), [clip[:90]], [horse_walk()])
    assert_sound(chain.driven(ready("built-in"), clip, ActingOptions(), pairs))


def test_pairs_are_given_to_quadruped_by_name() -> None:
    walk = going("walk", 2.0)
    made = komadori.quadruped(walk, character("horse"), people=(walk,), clips=(horse_walk(),), loop=True)
    assert len(made.motion) == len(walk)
    assert len(made.learnt) >= 2
    assert not acted(walk).learnt


def test_pairs_that_are_none_are_refused() -> None:
    walk, horse = going("walk", 2.0), character("horse")
    with pytest.raises(OptionError, match="one clip of the animal for each person"):
        komadori.quadruped(walk, horse, people=(walk,))
    with pytest.raises(OptionError, match="of another rig than the animal"):
        komadori.quadruped(walk, horse, people=(walk,), clips=(walk,))
    other = captured("08_01")
    with pytest.raises(OptionError, match="of another rig than the first"):
        komadori.quadruped(walk, horse, people=(walk, other), clips=(horse_walk(), horse_walk()))
    assert walk.fps == FPS
