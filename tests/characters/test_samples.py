"""What must hold of the built-in body and of every sample motion on it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from komadori import quat
from komadori.characters import DESCRIPTIONS, SAMPLES, humanoid, sample
from komadori.characters.acting import Take, through
from komadori.characters.body import ANKLE_HEIGHT, HEEL, HEIGHT
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import translated

FINE = 240.0
SIDES = ("left", "right")
WALKS = ("walk", "slow-walk", "jog")
ACTIONS = ("pitch", "kick")

every = pytest.mark.parametrize("name", SAMPLES)


@pytest.fixture(scope="module")
def fine() -> dict[str, Motion]:
    return {name: sample(name, FINE) for name in SAMPLES}


def place(motion: Motion, joint: str) -> Array:
    return motion.world_positions()[:, motion.skeleton.index(joint)]


def speed(motion: Motion, joint: str) -> Array:
    return np.asarray(np.linalg.norm(np.diff(place(motion, joint), axis=0), axis=-1) * motion.fps)


def turning(motion: Motion, joint: str) -> Array:
    """How fast a joint turns in the world, radians per second."""
    world = motion.world_transforms()[0][:, motion.skeleton.index(joint)]
    return np.asarray(quat.angle(quat.multiply(quat.inverse(world[:-1]), world[1:])) * motion.fps)


def local(motion: Motion, joint: str) -> Array:
    return motion.rotations[:, motion.skeleton.index(joint)]


def heel(motion: Motion, side: str) -> Array:
    world = motion.world_transforms()[0][:, motion.skeleton.index(f"{side}_foot")]
    under = np.array([HEEL[0], HEEL[1] - ANKLE_HEIGHT, HEEL[2]])
    return np.asarray(place(motion, f"{side}_foot") + quat.rotate(world, under))


def contacts(points: Array, height: float, fps: float) -> list[tuple[int, int]]:
    """Runs of frames in which a point rests on the ground: as low as it gets there, for a tenth of a second."""
    low = np.concatenate([[False], points[:, 1] < height + 5e-4, [False]])
    edges = np.flatnonzero(np.diff(low.astype(int)))
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > 0.1 * fps]


# The body


def test_the_body_stands_in_a_t_pose() -> None:
    body = humanoid()
    assert len(body) == 31
    rest = Motion(body, 24.0, body.rest[None], body.offsets[None]).world_positions()[0]
    assert rest[:, 1].max() == pytest.approx(HEIGHT)
    assert rest[:, 1].min() > 0.0
    at = {name: rest[joint] for joint, name in enumerate(body.names)}
    assert at["left_hand"][0] > 0.5
    assert at["left_hand"][1] == pytest.approx(at["left_upper_arm"][1])
    assert at["left_toes"][2] > at["left_foot"][2]
    for name in body.names:
        if name.startswith("left_"):
            mirror = at[name.replace("left_", "right_")]
            np.testing.assert_array_equal(mirror, at[name] * [-1.0, 1.0, 1.0])


def test_the_body_has_vrm_roles() -> None:
    body = humanoid()
    trunk = {"hips", "spine", "chest", "upper_chest", "neck", "head"}
    limbs = ("shoulder", "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot", "toes")
    assert set(body.roles) == trunk | {f"{side}_{limb}" for side in SIDES for limb in limbs}
    assert all(body.names[joint] == role for role, joint in body.roles.items())
    assert body.end_sites.sum() == 7


# The names


def test_the_names_and_their_lines() -> None:
    assert SAMPLES == ("pitch", "kick", "walk", "slow-walk", "jog")
    assert tuple(DESCRIPTIONS) == SAMPLES
    for text in DESCRIPTIONS.values():
        assert translated(text, "ja") != text


@pytest.mark.parametrize("name", ["", "Pitch", "jump", "\n", None])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(OptionError, match="pitch, kick, walk, slow-walk, jog") as caught:
        sample(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fps", [0.0, -24.0, float("nan"), float("inf"), 1e9, 1e5])
def test_a_rate_that_cannot_be(fps: float) -> None:
    with pytest.raises(OptionError):
        sample("walk", fps)


# The numbers


@every
def test_lengths(name: str) -> None:
    motion = sample(name)
    wanted = {"pitch": 129, "kick": 91, "walk": 97, "slow-walk": 145, "jog": 73}
    assert len(motion) == wanted[name]
    assert motion.fps == 24.0
    assert motion.skeleton is humanoid()


@every
def test_the_same_bytes_twice(name: str) -> None:
    one, two = sample(name), sample(name)
    assert one.rotations.tobytes() == two.rotations.tobytes()
    assert one.positions.tobytes() == two.positions.tobytes()


@every
@pytest.mark.parametrize(("slow", "fast", "every_nth"), [(24.0, 120.0, 5), (30.0, 60.0, 2), (8.0, 24.0, 3)])
def test_a_moment_is_the_same_at_any_rate(name: str, slow: float, fast: float, every_nth: int) -> None:
    one, two = sample(name, slow), sample(name, fast)
    shared = slice(0, (len(one) - 1) * every_nth + 1, every_nth)
    np.testing.assert_allclose(one.rotations, two.rotations[shared], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(one.positions, two.positions[shared], rtol=0.0, atol=1e-12)


@every
def test_bones_keep_their_length(name: str) -> None:
    motion = sample(name)
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(
        motion.positions[:, 1:], np.broadcast_to(humanoid().offsets[1:], (len(motion), 30, 3))
    )
    assert (np.einsum("fji,fji->fj", motion.rotations[1:], motion.rotations[:-1]) > 0.0).all()


# The ground


@every
@pytest.mark.parametrize("side", SIDES)
def test_nothing_sinks_into_the_ground(fine: dict[str, Motion], name: str, side: str) -> None:
    motion = fine[name]
    assert motion.world_positions()[..., 1].min() > -0.005
    assert heel(motion, side)[:, 1].min() > -0.005


@every
@pytest.mark.parametrize("side", SIDES)
def test_a_standing_foot_does_not_slip(fine: dict[str, Motion], name: str, side: str) -> None:
    motion = fine[name]
    toes, heels = place(motion, f"{side}_toes"), heel(motion, side)
    stands = [(toes, run) for run in contacts(toes, 0.02, FINE)] + [(heels, run) for run in contacts(heels, 0.0, FINE)]
    assert len(stands) >= 2
    for points, (start, stop) in stands:
        assert np.ptp(points[start:stop, [0, 2]], axis=0).max() < 1e-3


@every
def test_the_body_flies_in_a_jog_alone(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    lowest = np.minimum.reduce(
        [p[:, 1] - h for s in SIDES for p, h in ((place(motion, f"{s}_toes"), 0.02), (heel(motion, s), 0.0))]
    )
    if name == "jog":
        assert 0.2 < np.mean(lowest > 1e-3) < 0.4
        assert 0.04 < lowest.max() < 0.1
    else:
        # The last stride before a kick is a small leap.
        assert lowest.max() < (0.05 if name == "kick" else 0.02)


def test_a_jogger_sinks_onto_the_leg_and_rises_in_the_air(fine: dict[str, Motion]) -> None:
    motion = fine["jog"]
    height = place(motion, "hips")[:, 1]
    down = np.minimum.reduce([place(motion, f"{side}_toes")[:, 1] for side in SIDES]) < 0.0205
    assert height[down].min() == height.min()
    assert not down[np.argmax(height[20:-20]) + 20]
    assert 0.05 < np.ptp(height) < 0.11


# The body's limits


@every
@pytest.mark.parametrize("side", SIDES)
def test_knees_and_elbows_bend_one_way(fine: dict[str, Motion], name: str, side: str) -> None:
    shin = local(fine[name], f"{side}_lower_leg")
    np.testing.assert_allclose(shin[:, 1:3], 0.0, atol=1e-9)
    knee = np.degrees(2.0 * np.arctan2(shin[:, 0], shin[:, 3]))
    assert knee.min() > 3.0
    assert knee.max() < 140.0
    motion = fine[name]
    # The forearm leaves the upper arm's line only forwards (about -Y on the left), never backwards.
    bone = quat.rotate(local(motion, f"{side}_lower_arm"), [1.0 if side == "left" else -1.0, 0.0, 0.0])
    elbow = np.degrees(np.arctan2(bone[:, 2], np.abs(bone[:, 0]) * np.sign(bone[:, 0] * bone[0, 0])))
    np.testing.assert_allclose(bone[:, 1], 0.0, atol=1e-9)
    assert elbow.min() > 0.0
    assert quat.angle(local(motion, f"{side}_lower_arm")).max() < np.pi


@every
def test_the_trunk_stays_within_human_ranges(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    world = motion.world_transforms()[0]
    hips, chest, head = (world[:, motion.skeleton.index(j)] for j in ("hips", "upper_chest", "head"))
    assert np.degrees(quat.angle(quat.multiply(quat.inverse(hips), chest))).max() < 85.0
    assert np.degrees(quat.angle(quat.multiply(quat.inverse(chest), head))).max() < 90.0
    for side in SIDES:
        assert np.degrees(quat.angle(local(motion, f"{side}_foot"))).max() < 75.0
        assert np.degrees(quat.angle(local(motion, f"{side}_upper_leg"))).max() < 125.0


# The movement


LIMITS = {
    "pitch": (30.0, 1500.0),
    "kick": (20.0, 600.0),
    "walk": (6.0, 160.0),
    "slow-walk": (3.0, 70.0),
    "jog": (8.0, 400.0),
}
"""Metres per second and metres per second squared; real throwing hands pass 1,000 m/s^2."""


@every
def test_nothing_jumps(fine: dict[str, Motion], name: str) -> None:
    at = fine[name].world_positions()
    fastest = np.linalg.norm(np.diff(at, axis=0), axis=-1).max() * FINE
    hardest = np.linalg.norm(np.diff(at, 2, axis=0), axis=-1).max() * FINE**2
    top_speed, top_acceleration = LIMITS[name]
    assert fastest < top_speed
    assert hardest < top_acceleration
    # A jump in speed would double its acceleration with every doubling of the rate.
    finer = (
        np.linalg.norm(np.diff(sample(name, 4.0 * FINE).world_positions(), 2, axis=0), axis=-1).max()
        * (4.0 * FINE) ** 2
    )
    assert finer < 2.0 * hardest


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_opens_and_ends_calm_but_alive(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    half = int(FINE / 2)
    moving = np.linalg.norm(np.diff(motion.world_positions(), axis=0), axis=-1) * FINE
    for part in (moving[:half], moving[-half:]):
        assert part.max() < 0.2
        assert part.max(axis=1).min() > 1e-4


def test_the_pitch_is_a_whip(fine: dict[str, Motion]) -> None:
    motion = fine["pitch"]
    hand = speed(motion, "right_hand")
    assert 15.0 < hand.max() < 30.0
    release = hand.argmax()
    # Half of the top speed or more only for a moment, around the release.
    assert np.count_nonzero(hand > 0.5 * hand.max()) / FINE < 0.14
    # From the ground up: hips, chest, elbow, hand.
    order = [
        turning(motion, "hips").argmax(),
        turning(motion, "upper_chest").argmax(),
        speed(motion, "right_lower_arm").argmax(),
        release,
    ]
    assert order == sorted(set(order))
    # The front foot stands before the hips turn fastest, and the chest bows over it afterwards.
    assert contacts(heel(motion, "left"), 0.0, FINE)[-1][0] < order[0]
    ahead = place(motion, "head")[:, 2] - place(motion, "left_foot")[:, 2]
    assert ahead[release : release + int(0.5 * FINE)].max() > 0.1


def test_the_kick_is_a_whip(fine: dict[str, Motion]) -> None:
    motion = fine["kick"]
    knee, foot = speed(motion, "right_lower_leg"), speed(motion, "right_foot")
    assert 9.0 < foot.max() < 18.0
    swing = slice(int(1.35 * FINE), int(1.8 * FINE))
    assert turning(motion, "right_upper_leg")[swing].argmax() < foot[swing].argmax()
    assert knee[swing].argmax() < foot[swing].argmax() + int(0.15 * FINE)
    # It stands on the left foot alone, and the hips are above that foot.
    impact = int(foot.argmax())
    assert place(motion, "right_toes")[impact - 5 : impact + 60, 1].min() > 0.02
    assert abs(place(motion, "hips")[impact, 0] - place(motion, "left_foot")[impact, 0]) < 0.08


@pytest.mark.parametrize(("name", "metres_a_second"), [("walk", 1.3), ("slow-walk", 0.5), ("jog", 7.0 / 3.0)])
def test_a_walk_goes_forward_at_its_pace(fine: dict[str, Motion], name: str, metres_a_second: float) -> None:
    hips = place(fine[name], "hips")
    assert (hips[-1, 2] - hips[0, 2]) / ((len(hips) - 1) / FINE) == pytest.approx(metres_a_second, rel=0.02)
    assert 0.015 < np.ptp(hips[:, 1]) < (0.11 if name == "jog" else 0.06)
    assert 0.02 < np.ptp(hips[:, 0]) < 0.1


@pytest.mark.parametrize("name", WALKS)
def test_the_feet_of_a_walk_alternate(fine: dict[str, Motion], name: str) -> None:
    motion = fine[name]
    strikes = sorted(
        (start, side) for side in SIDES for start, _ in contacts(heel(motion, side), 0.0, FINE) if start > 0
    )
    assert len(strikes) >= 6
    assert all(a[1] != b[1] for a, b in pairwise(strikes))
    np.testing.assert_allclose(np.diff([frame for frame, _ in strikes]), strikes[1][0] - strikes[0][0], atol=2)
    # The arms swing against the legs.
    for side, other in (("left", "right"), ("right", "left")):
        hand = place(motion, f"{side}_hand")[:, 2] - place(motion, "hips")[:, 2]
        foot = place(motion, f"{other}_foot")[:, 2] - place(motion, "hips")[:, 2]
        assert np.corrcoef(hand, foot)[0, 1] > 0.6


def test_a_slow_walk_stands_longer_on_both_feet(fine: dict[str, Motion]) -> None:
    def both(name: str) -> float:
        motion = fine[name]
        down = [(place(motion, f"{side}_toes")[:, 1] < 0.0205) | (heel(motion, side)[:, 1] < 0.0005) for side in SIDES]
        return float(np.mean(down[0] & down[1]))

    assert 0.05 < both("walk") < 0.26 < both("slow-walk") < 0.6


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_repeats(name: str) -> None:
    motion = sample(name)
    np.testing.assert_allclose(motion.rotations[0], motion.rotations[-1], atol=1e-9)


# The machinery


def test_a_curve_passes_its_keys_and_never_their_extremes() -> None:
    keys = ((0.0, 1.0), (0.5, 1.0), (0.7, 3.0), (1.0, 2.0), (2.0, 2.0))
    assert through(keys, [row[0] for row in keys])[:, 0] == pytest.approx([1.0, 1.0, 3.0, 2.0, 2.0])
    values = through(keys, np.linspace(-1.0, 3.0, 2001))[:, 0]
    assert values.min() == 1.0
    assert values.max() <= 3.0
    assert (values[:750] == 1.0).all()
    assert (values[1000:] == 2.0).all()
    softened = through(keys, np.linspace(-1.0, 3.0, 2001), 0.1)[:, 0]
    assert softened.min() >= 1.0 - 1e-12
    assert softened.max() < 3.0


def test_a_table_with_a_wrong_row_is_refused() -> None:
    with pytest.raises(OptionError, match="hips: expected rows of a time and x, y, z"):
        Take(1.0, {"hips": ((0.0, 1.0),)}, {}).channels(np.zeros(1))
