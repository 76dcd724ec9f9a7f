"""Walking: four keys and a ground, any speed, both ways, and feet that stay where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from komadori import Motion, Puppet, feet, quat
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.formats import load
from komadori.methods.puppet import Key, Walk, puppet_from, walk_of, walking
from komadori.quat import Array

from realdata import real

FRAMES = (24, 30, 36, 42)
"""Of the sample walk: left foot in front, under the body, behind, passing."""


@pytest.fixture(scope="module")
def puppet() -> Puppet:
    return puppet_from(sample("walk"), FRAMES, "left_foot", ground=0.0)


def worst_slip(walk: Walk, motion: Motion, travel: Array) -> float:
    """The farthest that any point of a foot's sole which stands moves during its stand, in metres."""
    world = motion.world_positions()
    worst = 0.0
    for step in walk.steps:
        since = travel / walk.stride - step.begin
        cycle = np.floor(since)
        stands = since - cycle <= step.duration
        for number in np.unique(cycle[stands]):
            worst = max(worst, float(np.ptp(world[stands & (cycle == number), step.leg.ball], axis=0).max()))
    return worst


@pytest.mark.parametrize("speed", [0.05, 0.4, 1.2, 2.5, 6.0, -0.4, -1.2])
@pytest.mark.parametrize("fps", [24.0, 60.0])
def test_feet_do_not_slip_at_any_speed(puppet: Puppet, speed: float, fps: float) -> None:
    walk = walk_of(puppet)
    motion = walking(puppet, speed, 4.0, fps)
    travel = speed * np.arange(len(motion)) / fps
    assert worst_slip(walk, motion, travel) < 1e-3
    went = motion.positions[-1, 0] - motion.positions[0, 0]
    assert went[2] == pytest.approx(travel[-1], abs=0.05 * walk.stride)


def test_an_independent_measure_finds_no_slip_either(puppet: Puppet) -> None:
    motion = walking(puppet, 1.2, 4.0)
    contacts = feet.contacts(motion)
    assert len(contacts.touchdowns()) >= 6
    found = feet.slippage(motion, contacts)
    assert found.worst < 1e-3


def test_speed_stops_and_turns_back_change_nothing_in_the_steps(puppet: Puppet) -> None:
    walk = walk_of(puppet)
    t = np.linspace(0.0, 6.0, 145)
    travel = 1.5 * np.sin(t)
    motion = walk.motion(travel)
    assert worst_slip(walk, motion, travel) < 1e-3
    # The same distance is the same pose, whichever way it was come to.
    here, there = walk.motion([0.7]), motion.taken([int(np.argmin(np.abs(travel[:30] - 0.7)))])
    again = walk.motion([travel[int(np.argmin(np.abs(travel[:30] - 0.7)))]])
    assert quat.angle(quat.multiply(quat.inverse(there.rotations), again.rotations)).max() < 1e-9
    assert np.isfinite(here.rotations).all()


def test_the_walk_moves_smoothly_and_stays_on_the_ground(puppet: Puppet) -> None:
    motion = walking(puppet, 1.2, 4.0, 120)
    world = motion.world_positions()
    speed = np.linalg.norm(np.diff(world, axis=0), axis=-1) * 120
    assert speed.max() < 6.0
    jump = np.abs(np.diff(speed, axis=0)).max(axis=1)
    assert jump.max() < 1.0
    known = motion.skeleton.roles
    balls = world[:, [known["left_toes"], known["right_toes"]], 1]
    assert balls.min() > 0.015
    assert balls.min(axis=1).max() < 0.03


def test_each_key_is_shown_once_a_cycle(puppet: Puppet) -> None:
    walk = walk_of(puppet)
    motion = walk.motion(np.linspace(0.0, walk.stride, 200))
    arms = [motion.skeleton.roles[role] for role in ("left_upper_arm", "right_upper_arm", "spine", "head")]
    for key in puppet.keys:
        apart = quat.angle(quat.multiply(quat.inverse(motion.rotations[:, arms]), key.pose.rotations[arms])).max(axis=1)
        assert np.degrees(apart.min()) < 3.0


def test_the_heading_turns_the_whole_walk(puppet: Puppet) -> None:
    walk = walk_of(puppet)
    ahead = walk.motion(np.linspace(0.0, 2.0, 40))
    left = walk.motion(np.linspace(0.0, 2.0, 40), heading=np.pi / 2)
    turned = quat.rotate(quat.from_axis_angle(np.array([0.0, 1, 0]), np.pi / 2), ahead.world_positions())
    np.testing.assert_allclose(left.world_positions(), turned, atol=1e-9)


def test_dragging_the_handle_over_the_ground_moves_the_body_instead(puppet: Puppet) -> None:
    held = puppet.changed(ik="left_foot", ground=0.1)
    path = np.c_[np.full(30, 0.075), np.full(30, 0.1), np.linspace(0.15, -0.15, 30)]
    motion = held.perform(path)
    foot = motion.world_positions()[:, motion.skeleton.roles["left_foot"]]
    assert np.ptp(foot, axis=0).max() < 1e-3
    assert motion.positions[-1, 0, 2] - motion.positions[0, 0, 2] == pytest.approx(0.3, abs=1e-9)
    # In the air the handle moves the foot, and the body stays.
    lifted = held.perform(path + np.array([0.0, 0.2, 0.0]))
    assert np.ptp(lifted.positions[:, 0, 2]) < 1e-9


def steps_by_hand(cycles: int = 3) -> np.ndarray:
    """A hand that walks a foot: back along the ground, and forward again through the air, a second per cycle."""
    u = np.arange(24 * cycles + 1) / 24.0 % 1.0
    down, over = u < 0.6, (u - 0.6) / 0.4
    height = np.where(down, 0.1, 0.1 + 0.12 * np.sin(np.pi * over))
    return np.c_[np.full(len(u), 0.075), height, np.where(down, 0.26 - 0.58 * u / 0.6, -0.32 + 0.58 * over)]


def test_the_other_foot_stays_where_it_stands_while_the_one_at_the_handle_is_in_the_air(puppet: Puppet) -> None:
    held = puppet.changed(ik="left_foot", ground=0.1)
    path = steps_by_hand()
    motion = held.perform(path)
    known, world = motion.skeleton.roles, motion.world_positions()
    down = path[:, 1] <= 0.1
    for stands, joint in ((down, "left_foot"), (~down, "right_toes")):
        both = stands[1:] & stands[:-1]
        slid = np.linalg.norm(np.diff(world[:, known[joint]][:, ::2], axis=0), axis=1)[both]
        assert slid.max() < 5e-4, joint
    assert feet.slippage(motion, feet.contacts(motion)).worst < 1e-3
    # It is a walk: both feet carry the body about as far.
    z = motion.positions[:, 0, 2]
    carried = np.diff(z)[~down[1:]].sum()
    assert 0.3 < carried / (z[-1] - z[0]) < 0.7


def test_a_handle_in_a_hand_has_no_foot_to_go_over(puppet: Puppet) -> None:
    up = np.array([0.0, 1.0, 0.0])
    away = puppet.changed(keys=[Key(key.position + up, key.pose) for key in puppet.keys])
    motion = away.perform(steps_by_hand() + up)
    assert np.ptp(motion.positions[:, 0, ::2], axis=0).max() < 0.05


def test_four_frames_of_a_real_walk_make_a_walk() -> None:
    clip = load(real("human_cmu_bvh/07_01.bvh")).prepared(fps=120)
    contacts = feet.contacts(clip)
    left = [column for column, limb in enumerate(contacts.limbs) if limb == 0]
    on = np.asarray(contacts.on[:, left].any(axis=1))
    down = np.flatnonzero(on[1:] & ~on[:-1]) + 1
    begin, end = down[0], down[1]
    frames = [int(begin + share * (end - begin)) for share in (0.0, 0.25, 0.5, 0.75)]
    puppet = puppet_from(clip, frames, "left_foot", ground=contacts.ground)
    walk = walk_of(puppet)
    assert 0.8 < walk.stride < 2.0
    for speed in (0.5, 1.4, -1.0):
        travel = speed * np.arange(97) / 24
        assert worst_slip(walk, walk.motion(travel), travel) < 1e-3


def test_what_is_no_walk_is_refused(puppet: Puppet) -> None:
    still = [Key(key.position, puppet.keys[0].pose) for key in puppet.keys]
    for bad, message in (
        (
            puppet.changed(ground=None),
            "ground: the puppet has no ground to walk on; make the puppet with ground=0",
        ),
        (puppet.changed(keys=puppet.keys[:2]), "at least 3 keys"),
        (puppet.changed(keys=still), "keys: no foot moves back relative to the body"),
    ):
        with pytest.raises(OptionError, match=message):
            walk_of(bad)
    with pytest.raises(OptionError, match="travel: expected distances in metres, found nan in frame 1"):
        walk_of(puppet).motion([0.0, np.nan])
    with pytest.raises(OptionError, match="frames"):
        walking(puppet, 1.0, 1e9)
