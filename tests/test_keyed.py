"""Keyed: what keys make again, and how far that lies from the motion they came from."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from komadori import quat
from komadori.errors import OptionError
from komadori.keyed import Keyed, keyed

from bodies import tree, wander

KEYS = [0, 9, 17, 30, 44]


@pytest.mark.parametrize("interpolation", ["stepped", "linear", "bezier"])
def test_keys_keep_their_poses(interpolation: str) -> None:
    motion = wander(tree(7), 50, speed=0.1)
    made = keyed(motion, KEYS, interpolation)
    again = made.motion()
    assert len(again) == 50
    assert again.fps == motion.fps
    assert quat.angle(quat.multiply(quat.inverse(again.rotations[KEYS]), motion.rotations[KEYS])).max() < 1e-9
    assert again.positions[KEYS] == pytest.approx(motion.positions[KEYS])
    # After the last key everything stays.
    assert again.positions[45:] == pytest.approx(np.repeat(motion.positions[44:45], 5, axis=0))
    away = np.linalg.norm(again.world_positions() - motion.world_positions(), axis=-1)
    assert made.worst_mm == pytest.approx(1000 * away.max())
    assert away[made.worst_frame, motion.skeleton.index(made.worst_joint)] * 1000 == pytest.approx(made.worst_mm)


def test_curves_lie_nearer_than_lines_and_lines_nearer_than_steps() -> None:
    motion = wander(tree(7), 45, speed=0.1)
    worst = [keyed(motion, KEYS, kind).worst_mm for kind in ("stepped", "linear", "bezier")]
    assert worst[0] > 1.5 * worst[1]
    assert worst[1] > 2.0 * worst[2]


def test_every_frame_as_a_key_is_the_motion_itself() -> None:
    motion = wander(tree(5), 20)
    for kind in ("stepped", "linear", "bezier"):
        assert keyed(motion, range(20), kind).worst_mm < 1e-9


def test_steps_hold_and_lines_are_halfway_between() -> None:
    motion = wander(tree(4), 45, speed=0.1)
    assert (keyed(motion, KEYS).at([8.9])[1] == motion.positions[:1]).all()
    turn, place = keyed(motion, [0, 10, 44], "linear").at([5.0])
    assert place[0] == pytest.approx((motion.positions[0] + motion.positions[10]) / 2)
    assert turn[0] == pytest.approx(quat.slerp(motion.rotations[0], motion.rotations[10], np.full(4, 0.5)))


def test_tangents_are_slopes_a_second() -> None:
    motion = wander(tree(3), 40, speed=0.01)
    made = keyed(motion, [0, 20, 39], "bezier")
    assert made.position_tangents is not None
    slope = (motion.positions[21, 0] - motion.positions[19, 0]) / 2 * motion.fps
    assert made.position_tangents[:, 1, 0] == pytest.approx(np.stack([slope, slope]), rel=0.05, abs=1e-3)


def test_it_can_be_sent_to_another_process() -> None:
    made = keyed(wander(tree(3), 20), [0, 10, 19], "bezier")
    again = pickle.loads(pickle.dumps(made))
    assert isinstance(again, Keyed)
    assert (again.motion().rotations == made.motion().rotations).all()
    assert repr(again) == "Keyed(3 bezier keys over 20 frames at 24 fps)"


@pytest.mark.parametrize("frames", [[], [1, 5], [0, 5, 5], [0, 20]])
def test_keys_must_rise_from_the_first_frame(frames: list[int]) -> None:
    motion = wander(tree(3), 20)
    with pytest.raises(OptionError, match="frames"):
        Keyed(motion.skeleton, 24, 20, frames, motion.rotations[: len(frames)], motion.positions[: len(frames)])
    with pytest.raises(OptionError):
        keyed(motion, frames)


def test_unknown_interpolation_and_missing_tangents_are_named() -> None:
    motion = wander(tree(3), 20)
    with pytest.raises(OptionError, match="interpolation: expected one of stepped, linear, bezier, found 'cubic'"):
        keyed(motion, [0, 19], "cubic")
    with pytest.raises(OptionError, match="tangents"):
        Keyed(motion.skeleton, 24, 20, np.array([0]), motion.rotations[:1], motion.positions[:1], "bezier")
