"""Writing BVH: numbers that were read go back as they were, others come out where they belong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import quat
from komadori.errors import OptionError
from komadori.formats import bvh
from komadori.formats.angles import nearest
from komadori.formats.bvh import Document
from komadori.formats.bvh.axes import y_up
from komadori.motion import COMPUTED, Motion, Origin
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

from realdata import real, reals

READABLE = [p for p in reals("*_bvh*/*.bvh", "odd_bvh/*.bvh") if "malformed" not in str(p.id)]
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def document_of(motion: Motion) -> Document:
    assert motion.origin is not None
    assert isinstance(motion.origin.document, Document)
    return motion.origin.document


def bits(values: np.ndarray) -> list[int]:
    return np.ascontiguousarray(values).view(np.uint64).ravel().tolist()


def made(frames: int = 20, seed: int = 0, rest: bool = False) -> Motion:
    """A body that no file knows: children out of order, every rest rotation its own."""
    rng = np.random.default_rng(seed)
    names = ("hips", "left leg", "spine", "left foot", "head", "head_end")
    parents = np.array([-1, 0, 0, 1, 2, 4])
    turns = quat.normalized(rng.normal(size=(6, 4))) if rest else quat.identity(6)
    turns[5] = quat.IDENTITY
    skeleton = Skeleton(names, parents, rng.uniform(-0.5, 0.5, (6, 3)), turns)
    rotations = quat.continuous(quat.normalized(turns + 0.3 * np.cumsum(rng.normal(size=(frames, 6, 4)) * 0.2, axis=0)))
    rotations[:, 5] = turns[5]
    positions = np.repeat(skeleton.offsets[None], frames, axis=0)
    positions[:, 0] += np.cumsum(rng.normal(size=(frames, 3)) * 0.01, axis=0)
    return Motion(skeleton, 24, rotations, positions)


def by_name(motion: Motion) -> np.ndarray:
    order = sorted(range(len(motion.skeleton)), key=lambda joint: motion.skeleton.names[joint])
    return motion.world_positions()[:, order]


# What was read


@pytest.mark.parametrize("path", READABLE)
def test_reading_then_writing_gives_back_the_same_doubles(path: Path) -> None:
    motion = komadori.load(path)
    before, after = document_of(motion), bvh.parse(bvh.emit(motion), "again.bvh")
    assert after.names == before.names
    assert after.channels == before.channels
    assert after.frame_time_text == before.frame_time_text
    assert np.array_equal(after.parents, before.parents)
    assert np.array_equal(after.ends, before.ends)
    assert bits(after.offsets) == bits(before.offsets)
    assert bits(after.values) == bits(before.values)


def test_a_frame_that_is_only_moved_in_time_keeps_its_numbers() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))
    source = [0, 0, 0, 7, 300, 2, 2]
    written = bvh.parse(bvh.emit(motion.retimed(Timesheet(24, source))), "held.bvh")
    assert bits(written.values) == bits(document_of(motion).values[source])
    assert float(written.frame_time_text) == pytest.approx(1 / 24, abs=1e-16)


@pytest.mark.parametrize("fps", [24.0, 30.0, 24000 / 1001, 50.0, 57.6, 100.0, 1 / 3])
def test_a_new_rate_is_understood_when_read_back(fps: float) -> None:
    motion = replace(made(3), fps=fps)
    assert bvh.parse(bvh.emit(motion), "a.bvh").motion("cm").fps == motion.fps


def test_a_rate_that_did_not_change_keeps_its_text() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))
    assert b"Frame Time: .0083333\n" in bvh.emit(motion[5:9])
    assert b"Frame Time: .0083333\n" not in bvh.emit(motion.resampled(24))


@pytest.mark.parametrize("path", READABLE)
def test_computed_frames_come_out_where_they_belong_and_others_stay(path: Path) -> None:
    motion = komadori.load(path).resampled(23.0)[:40]
    assert motion.origin is not None
    source, rows = document_of(motion), motion.origin.rows[:, 0]
    written = bvh.parse(bvh.emit(motion), "b.bvh")
    assert bits(written.values[rows != COMPUTED]) == bits(source.values[rows[rows != COMPUTED]])
    rotations, positions = replace(written, scale=source.scale).transforms()
    if source.up == "Z":
        rotations, positions = y_up(rotations), y_up(positions)
    world = replace(motion, rotations=rotations, positions=positions).world_positions()
    assert np.abs(world - motion.world_positions()).max(initial=0.0) < 1e-9


def test_only_the_joints_that_changed_are_computed() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))[:50]
    head = motion.skeleton.roles["head"]
    rotations = motion.rotations.copy()
    rotations[10:20, head] = quat.multiply(rotations[10:20, head], quat.exp([0.1, 0.2, 0.3]))
    changed = motion.replaced(rotations=rotations)
    written = bvh.parse(bvh.emit(changed), "b.bvh")
    different = np.argwhere(written.values != document_of(motion).values[:50])
    assert set(different[:, 0]) == set(range(10, 20))
    assert set(different[:, 1]) <= set(document_of(motion).columns()[head].values())
    back = written.motion("cmu")
    assert np.abs(back.world_positions() - changed.world_positions()).max() < 1e-12


def test_a_joint_gets_the_channels_that_it_needs() -> None:
    source = b"""HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 1 Yrotation
JOINT b
{
OFFSET 0 10 0
CHANNELS 2 Xposition Zrotation
End Site
{
OFFSET 0 5 0
}
}
}
MOTION
Frames: 3
Frame Time: 0.04
10.5 1 20
11 2 30
12 3 -0.0
"""
    motion = bvh.parse(source, "a.bvh").motion("cm")
    rotations, positions = motion.rotations.copy(), motion.positions.copy()
    rotations[1, 0] = quat.exp([0.3, 0.2, 0.1])
    positions[2, 2] += 0.01
    changed = motion.replaced(rotations, positions)
    written = bvh.parse(bvh.emit(changed), "b.bvh")
    assert written.channels[0][0] == "Yrotation"
    assert len(written.channels[0]) == 3
    assert written.channels[1] == ("Xposition", "Zrotation")
    assert written.names[2] == "b_end"
    assert set(written.channels[2]) == {"Xposition", "Yposition", "Zposition"}
    assert written.values[[0, 2], 0].tolist() == [10.5, 12.0]
    assert np.abs(written.motion("cm").world_positions() - changed.world_positions()).max() < 1e-14


def test_a_changed_skeleton_is_a_new_file() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))[:5]
    taller = replace(
        motion,
        skeleton=replace(motion.skeleton, offsets=motion.skeleton.offsets * 2),
        positions=motion.positions * 2,
    )
    back = bvh.parse(bvh.emit(taller), "b.bvh").motion("cm")
    assert np.abs(by_name(back) - by_name(taller)).max() < 1e-9


# What was not


@pytest.mark.parametrize("rest", [False, True])
def test_a_motion_from_elsewhere_is_the_same_when_read_back(rest: bool) -> None:
    motion = made(rest=rest)
    back = bvh.parse(bvh.emit(motion), "a.bvh").motion("cm")
    assert sorted(back.skeleton.names) == sorted(motion.skeleton.names)
    assert np.abs(by_name(back) - by_name(motion)).max() < 1e-12


def test_the_rest_pose_comes_out_upright() -> None:
    motion = made(rest=True)
    still = replace(motion, rotations=np.repeat(motion.skeleton.rest[None], len(motion), axis=0))
    back = bvh.parse(bvh.emit(still), "a.bvh").motion("cm")
    assert np.abs(quat.angle(back.rotations)).max() < 1e-7


def test_a_joint_that_moves_gets_position_channels() -> None:
    motion = made()
    positions = motion.positions.copy()
    positions[:, 3, 1] += np.linspace(0, 0.2, len(motion))
    moved = replace(motion, positions=positions)
    document = bvh.parse(bvh.emit(moved), "a.bvh")
    assert {n for n, c in zip(document.names, document.channels, strict=True) if len(c) == 6} == {"hips", "left foot"}
    assert np.abs(by_name(document.motion("cm")) - by_name(moved)).max() < 1e-12


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a{", "{", "a } b", "\ud800", "tab\tbed", "\u2028"])
def test_names_are_made_safe(name: str) -> None:
    skeleton = Skeleton((name, "other"), np.array([-1, 0]), np.ones((2, 3)))
    motion = Motion(skeleton, 24, quat.identity(2, 2), np.ones((2, 2, 3)))
    back = bvh.parse(bvh.emit(motion), "a.bvh")
    assert len(back.names) == 2
    assert back.names[1] == "other"


def test_no_frames() -> None:
    back = bvh.parse(bvh.emit(made(0)), "a.bvh").motion("cm")
    assert len(back) == 0
    assert len(back.skeleton) == 6


def test_a_single_pose_that_is_held_gets_a_frame_time() -> None:
    still = bvh.parse(
        b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0\n5\n", "a"
    )
    motion = still.motion("cm")
    assert b"Frame Time: 0\n" in bvh.emit(motion)
    assert bvh.parse(bvh.emit(motion.taken([0, 0, 0])), "b").motion("cm").fps == 24.0


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(value: float) -> None:
    positions = made().positions.copy()
    positions[3, 0, 1] = value
    with pytest.raises(OptionError, match="not finite"):
        bvh.emit(replace(made(), positions=positions))


def test_a_deep_chain_is_no_triangle_of_tabs() -> None:
    count = 3000
    skeleton = Skeleton(tuple(f"j{n}" for n in range(count)), np.arange(-1, count - 1), np.ones((count, 3)))
    data = bvh.emit(Motion(skeleton, 24, quat.identity(1, count), np.ones((1, count, 3))))
    assert len(data) < 1000 * count
    assert len(bvh.parse(data, "deep").names) == count


# Angles


@settings(max_examples=60)
@given(st.sampled_from(ORDERS), st.integers(0, 2**32 - 1), st.floats(0.01, 1.0))
def test_angles_mean_the_rotation_and_never_jump(order: str, seed: int, speed: float) -> None:
    rng = np.random.default_rng(seed)
    smooth = np.cumsum(np.cumsum(rng.normal(size=(60, 2, 3)) * 0.02 * speed, axis=0), axis=0)
    rotations = quat.from_euler(smooth, order)
    found = nearest(rotations, order, np.zeros((60, 2, 3)), np.zeros((60, 2), dtype=bool))
    assert np.abs(np.abs(np.einsum("fji,fji->fj", quat.from_euler(found, order), rotations)) - 1).max() < 1e-12
    # Away from gimbal lock the angles themselves come back, whole turns apart at most.
    if np.abs(np.cos(smooth[..., 1])).min() > 0.3:
        assert np.abs(found - smooth - (found[0] - smooth[0])).max() < 1e-9


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [90.0, -90.0])
def test_in_gimbal_lock_the_closest_solution_is_taken(order: str, middle: float) -> None:
    degrees = np.array([[[30.0, 80.0 * np.sign(middle), -50.0]], [[33.0, middle, -48.0]], [[30.0, middle, -50.0]]])
    truth = np.radians(degrees)
    given_rows = np.array([[True], [False], [False]])
    found = nearest(quat.from_euler(truth, order), order, truth, given_rows)
    assert (
        np.abs(
            quat.angle(quat.multiply(quat.inverse(quat.from_euler(found, order)), quat.from_euler(truth, order)))
        ).max()
        < 1e-7
    )
    assert np.abs(np.degrees(found[1:]) - degrees[1:]).max() < 5.0


def test_angles_go_on_from_rows_that_were_kept() -> None:
    # The file counts past a whole turn: what is computed in between does as well.
    truth = np.radians(np.linspace([[700.0, 10.0, -400.0]], [[760.0, 20.0, -420.0]], 13))
    given_rows = (np.arange(13) % 4 == 0)[:, None]
    found = nearest(quat.from_euler(truth, "ZXY"), "ZXY", np.where(given_rows[..., None], truth, 0.0), given_rows)
    assert np.abs(found - truth).max() < 1e-9


@pytest.mark.parametrize("order", ORDERS)
def test_the_middle_angle_may_pass_a_quarter_turn(order: str) -> None:
    # Past 90 degrees the angles with a small middle one mean the same, half a turn away.
    truth = np.radians(np.linspace([[10.0, 60.0, -5.0]], [[30.0, 123.0, 15.0]], 25))
    found = nearest(quat.from_euler(truth, order), order, truth, (np.arange(25) == 0)[:, None])
    assert np.abs(found - truth).max() < 1e-9


def test_an_origin_of_another_format_is_no_hindrance() -> None:
    motion = replace(made(), origin=Origin("something else", np.arange(20)[:, None]))
    assert bvh.emit(motion) == bvh.emit(made())
