"""The floor: what was captured on a tilted or drifting one stands on a level one, and nothing goes below it."""

from __future__ import annotations

import numpy as np
import pytest

import komadori
from bench.clips_hair import fallen
from komadori import Motion, quat
from komadori.characters import character, sample
from komadori.methods.floor.touching import touching_of
from komadori.pipeline import look
from komadori.quat import Array
from komadori.skinning import skinned

from realdata import real

GIRL = character("girl")


def on_girl(name: str) -> Motion:
    return komadori.retarget(sample(name), GIRL).motion


def raised(motion: Motion, by: Array) -> Motion:
    """`motion` with its root raised by (F,) metres."""
    positions = np.array(motion.positions)
    positions[:, 0, 1] += by
    return motion.replaced(positions=positions)


def lowest(motion: Motion) -> Array:
    """(F,) the height of the lowest place of the girl's own skin, by every vertex of it."""
    hanging = np.zeros(len(GIRL.skeleton), dtype=bool)
    for chain in GIRL.chains():
        hanging[list(chain.joints)] = True
    loose = np.concatenate([(m.weights * hanging[m.joints]).sum(axis=1) > 0.5 for m in GIRL.meshes])
    places = skinned(GIRL, motion)[0]
    return np.asarray(places[:, ~loose, 1].min(axis=1))


def quickest(motion: Motion) -> Array:
    """(J,) the greatest acceleration of every joint, in metres per second squared."""
    return np.asarray(
        np.linalg.norm(np.diff(motion.world_positions(), n=2, axis=0), axis=-1).max(axis=0) * motion.fps**2
    )


@pytest.mark.parametrize("rise", [-0.15, 0.15])
def test_a_tilted_floor_is_levelled_and_nothing_else_changes(rise: float) -> None:
    walk = on_girl("walk")
    tilted = raised(walk, np.linspace(0.0, rise, len(walk)))
    level = komadori.floor(tilted, character=GIRL).motion
    assert np.ptp(lowest(tilted)) > 0.14
    assert np.ptp(lowest(level)) < 0.025
    # Joints stay where they are, seen from the hips: only toes bend.
    legs = [GIRL.skeleton.roles[f"left_{role}"] for role in ("upper_leg", "lower_leg", "foot")]
    for joint in legs:
        assert np.degrees(quat.angle(quat.multiply(level.rotations[:, joint], quat.inverse(tilted.rotations[:, joint])))).max() < 4.0  # fmt: skip


def test_a_level_floor_stays_as_it_is() -> None:
    kick = sample("kick")
    np.testing.assert_array_equal(komadori.floor(kick).motion.rotations, kick.rotations)
    np.testing.assert_array_equal(komadori.floor(kick).motion.positions, kick.positions)


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("sunk", [0.0, -0.12])
def test_a_body_that_falls_lies_on_the_floor_neither_in_it_nor_above(forward: bool, sunk: float) -> None:
    fall = fallen(sample("walk"), forward)
    lies = np.clip((np.arange(len(fall)) / fall.fps - 1.2) / 0.3, 0.0, 1.0)
    made = komadori.floor(komadori.retarget(raised(fall, sunk * lies), GIRL).motion, character=GIRL)
    assert made.height_m is not None
    above = lowest(made.motion) - made.height_m
    assert above.min() > -0.02
    assert np.abs(above[-12:]).max() < 0.02


def test_hands_and_feet_come_up_without_a_jolt() -> None:
    """A crouch whose feet are pushed 6 cm through the floor for a moment, by the legs alone."""
    walk = on_girl("slow-walk")
    dip = 0.06 * np.exp(-0.5 * ((np.arange(len(walk)) - 70) / 4.0) ** 2)
    low = raised(walk, -dip)
    made = komadori.floor(low, character=GIRL)
    assert made.height_m is not None
    assert (lowest(low) - made.height_m).min() < -0.05
    assert (lowest(made.motion) - made.height_m).min() > -0.012
    assert (quickest(made.motion) <= 1.5 * np.maximum(quickest(low), 20.0)).all()


def test_a_hop_stays_a_hop_and_stairs_stay_stairs() -> None:
    walk = on_girl("slow-walk")[:72]
    apart = np.arange(len(walk))
    hop = raised(walk, np.where((apart > 30) & (apart < 40), 0.3 * np.sin(np.pi * (apart - 30) / 10.0), 0.0))
    rise = lowest(komadori.floor(hop, character=GIRL).motion)
    assert rise.max() - np.median(rise) > 0.25
    stairs = raised(walk, 0.18 * (apart // 24))
    np.testing.assert_allclose(
        komadori.floor(stairs, character=GIRL).motion.positions[:, 0], stairs.positions[:, 0], atol=0.02
    )


def test_both_halves_can_be_switched_off_and_a_height_given() -> None:
    walk = on_girl("walk")
    tilted = raised(walk, np.linspace(0.0, 0.1, len(walk)))
    off = komadori.floor(tilted, character=GIRL, level=False, lift=False)
    assert off.motion is tilted
    levelled = komadori.floor(tilted, character=GIRL, lift=False).motion
    np.testing.assert_array_equal(levelled.rotations, tilted.rotations)
    high = komadori.floor(walk, character=GIRL, height_m=0.5)
    assert high.height_m == 0.5
    assert abs(np.median(lowest(high.motion)) - 0.5) < 0.02


def test_a_body_without_a_skin_has_the_flesh_that_it_is_drawn_with() -> None:
    from komadori.render.shot import shot_of

    walk = sample("walk")
    drawn = shot_of(walk, size=(64, 64)).skin.posed(walk)[0][..., 1].min(axis=1)
    found = np.min(list(touching_of(None, walk).lowest(walk).values()), axis=0)
    np.testing.assert_allclose(found, drawn, atol=0.004)


def test_what_has_no_hips_is_left_alone() -> None:
    two = komadori.Skeleton(("a", "b"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    clip = Motion(two, 24.0, quat.identity(5, 2), np.broadcast_to(two.offsets, (5, 2, 3)))
    assert komadori.floor(clip).motion is clip


@pytest.mark.parametrize(("clip", "was"), [("08_04", 0.06), ("13_17", 0.07), ("85_01", 0.05)])
def test_real_clips_stay_above_the_floor_in_the_finished_look(clip: str, was: float) -> None:
    """A walk over a floor that rises by 13 cm, a boxer on his toes, a flip whose hands go through the floor."""
    motion = komadori.load(real(f"human_cmu_bvh/{clip}.bvh"))
    motion = motion[: round(6.0 * motion.fps)].prepared()
    low = lowest(komadori.retarget(motion, GIRL).motion)
    assert np.percentile(low, 25) - low.min() > was
    made = lowest(look("snappy").run(motion, GIRL).motion)
    assert np.percentile(made, 25) - made.min() < 0.02


def test_who_runs_in_place_comes_down_to_the_floor_of_the_picture() -> None:
    """Hips that stay where they are: no foot ever stands still, and each step comes down a little differently."""
    from komadori.anime.pair import pair_of

    jog = sample("jog")
    positions = np.array(jog.positions)
    positions[:, 0] = [0.0, 3.0, 0.0]
    made = look("tv").run(jog.replaced(positions=positions), GIRL)
    assert made.floor_m is not None
    assert abs(lowest(made.motion).min() - made.floor_m) < 0.015
    pair = pair_of(made, "three-quarter", "toon", (64, 64))
    assert pair.before.ground == pair.after.ground == made.floor_m


def test_a_body_that_is_none_has_no_floor() -> None:
    two = komadori.Skeleton(("a", "b"), [-1, 0], [[0.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    turns = quat.from_axis_angle((1.0, 0.0, 0.0), np.linspace(0.0, 1.0, 10))[:, None].repeat(2, axis=1)
    clip = Motion(two, 24.0, turns, np.broadcast_to(two.offsets, (10, 2, 3)))
    found = komadori.floor(clip)
    assert found.height_m is None
    assert "floor" not in found.measures
    assert look("film").run(clip).floor_m is None
