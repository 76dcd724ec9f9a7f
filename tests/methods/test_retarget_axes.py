"""Retargeting from bodies that lie, stand on their heads, are mirrored, or rest in poses that are no poses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import kinematics, quat
from komadori.characters import humanoid, sample
from komadori.formats import bvh
from komadori.formats.bvh.axes import UPS, y_up, z_up
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

NAMES = ("walk", "kick", "pitch")


def in_axes(motion: Motion, up: str, mirrored: bool) -> Motion:
    """The motion as a program with other axes would have it."""
    skeleton = replace(motion.skeleton, offsets=z_up(motion.skeleton.offsets, up, mirrored))
    rotations, positions = z_up(motion.rotations, up, mirrored), z_up(motion.positions, up, mirrored)
    return Motion(skeleton, motion.fps, rotations, positions)


def nonsense_at_rest(motion: Motion) -> Motion:
    """The same movement with a rest pose that lays every bone along X, as some programs write BVH."""
    skeleton = motion.skeleton
    turns = quat.identity(len(skeleton))
    for joint, kids in enumerate(skeleton.children):
        if kids:
            turns[joint] = quat.between(np.array([1.0, 0.0, 0.0]), skeleton.offsets[kids[0]])
    above = np.where((skeleton.parents >= 0)[:, None], turns[skeleton.parents], quat.IDENTITY)
    offsets = quat.rotate(quat.inverse(above), skeleton.offsets)
    rotations = quat.multiply(quat.multiply(quat.inverse(above), motion.rotations), turns)
    positions = quat.rotate(quat.inverse(above), motion.positions)
    rest = quat.identity(len(skeleton))
    return Motion(Skeleton(skeleton.names, skeleton.parents, offsets, rest, skeleton.roles), motion.fps, rotations, positions)  # fmt: skip


def laid(motion: Motion, turn: Array) -> Motion:
    """The movement with the whole body turned, about a place 1 m up."""
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = np.array([0.0, 0.5, 0.0]) + quat.rotate(turn, positions[:, 0] - [0.0, 1.0, 0.0])
    return motion.replaced(rotations, positions)


def renamed(skeleton: Skeleton) -> Skeleton:
    return replace(skeleton, names=("someone else", *skeleton.names[1:]))


LYING = {
    "on the back": quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(-90.0)),
    "face down": quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(90.0)),
    "on the side": quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(90.0)),
    "head down": quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(180.0)),
    "askew": quat.normalized(np.array([0.6, 0.3, -0.5, 0.4])),
}


# Left out are those who by chance lie along Y: a skeleton along Z whose root stands it up along Y looks no different, and is far more common.
@pytest.mark.parametrize(
    ("up", "way"),
    [(up, way) for up in ("Y", "Z", "-Y", "X") for way in LYING
     if (up, way) not in (("Z", "on the back"), ("-Y", "head down"), ("X", "on the side"))],
)  # fmt: skip
def test_who_never_stands_is_upright_by_the_rest_pose(up: str, way: str, tmp_path: Path) -> None:
    # Somebody sleeps, or stands on their hands, for the whole clip: the skeleton of the file stands, and says which way is up.
    motion, file = laid(sample("slow-walk"), LYING[way]), tmp_path / "lies.bvh"
    komadori.save(in_axes(motion, up, False), file)
    again = komadori.load(file, unit="cm")
    document = again.origin and again.origin.document
    assert isinstance(document, bvh.document.Document)
    assert document.axes[0] == up


@pytest.mark.parametrize("mirrored", [False, True], ids=["right-handed", "left-handed"])
@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("name", NAMES)
def test_every_axis_may_be_up_and_either_hand_may_rule(name: str, up: str, mirrored: bool, tmp_path: Path) -> None:
    motion, file = sample(name), tmp_path / "turned.bvh"
    komadori.save(in_axes(motion, up, mirrored), file)
    again = komadori.load(file, unit="cm")
    document = again.origin and again.origin.document
    assert isinstance(document, bvh.document.Document)
    assert document.axes == (up, mirrored)
    told = [note for note in again.notes if " up; turned the body" in note or "left-handed axes" in note]
    assert len(told) == (up != "Y") + mirrored
    order = [again.skeleton.names.index(name) for name in motion.skeleton.names]
    np.testing.assert_allclose(again.world_positions()[:, order], motion.world_positions(), atol=1e-5)
    result = retarget(again, renamed(humanoid()), plant_feet=False)
    assert max(result.trunk_deg[1], result.head_deg[1], result.max_deg) < 0.1
    # The file's own numbers come back.
    assert bvh.parse(bvh.emit(again), "again").values.tolist() == document.values.tolist()


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_axes_there_and_back_are_exact(up: str, mirrored: bool) -> None:
    random = np.random.default_rng(3)
    for values in (random.normal(size=(5, 3)), random.normal(size=(5, 4))):
        np.testing.assert_array_equal(z_up(y_up(values, up, mirrored), up, mirrored), values)
    turn, line = quat.normalized(random.normal(size=(9, 4))), random.normal(size=(9, 3))
    turned = y_up(quat.rotate(turn, line), up, mirrored)
    np.testing.assert_allclose(quat.rotate(y_up(turn, up, mirrored), y_up(line, up, mirrored)), turned, atol=1e-12)


@pytest.mark.parametrize("how", LYING)
@pytest.mark.parametrize("name", NAMES)
def test_a_body_that_lies_all_through_the_clip_is_put_down_as_it_lies(name: str, how: str) -> None:
    motion = laid(sample(name), LYING[how])
    result = retarget(motion, renamed(humanoid()), plant_feet=False)
    np.testing.assert_allclose(result.motion.world_positions(), motion.world_positions(), atol=1e-9)


@pytest.mark.parametrize("how", LYING)
@pytest.mark.parametrize("name", NAMES)
def test_it_does_so_where_the_rest_pose_lies_too(name: str, how: str) -> None:
    motion = sample(name)
    skeleton = motion.skeleton
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    laid_rest = quat.rotate(LYING[how], rest)
    offsets = laid_rest.copy()
    child = np.flatnonzero(skeleton.parents >= 0)
    offsets[child] -= laid_rest[skeleton.parents[child]]
    rotations, positions = np.array(motion.rotations), quat.rotate(LYING[how], motion.positions)
    rotations = quat.multiply(quat.multiply(LYING[how], rotations), quat.inverse(LYING[how]))
    source = Motion(replace(skeleton, offsets=offsets), motion.fps, rotations, positions)
    result = retarget(source, renamed(humanoid()), plant_feet=False)
    # How far a trunk leans at rest is only known where it lies about along an axis.
    most = 0.06 if how == "askew" else 1e-6
    np.testing.assert_allclose(result.motion.world_positions(), source.world_positions(), atol=most)
    # And onto such a body.
    back = retarget(motion, renamed(source.skeleton), plant_feet=False)
    np.testing.assert_allclose(back.motion.world_positions(), motion.world_positions(), atol=most)


@pytest.mark.parametrize("how", ["upright", *LYING])
@pytest.mark.parametrize("name", NAMES)
def test_trunk_and_head_point_as_the_joints_do_where_no_pose_stands(name: str, how: str) -> None:
    motion = nonsense_at_rest(sample(name))
    if how in LYING:
        motion = laid(motion, LYING[how])
    result = retarget(motion, renamed(humanoid()), plant_feet=False)
    assert result.trunk_deg[1] < 0.1
    assert result.head_deg[1] < 0.1
    assert result.max_deg < 0.1
    # The face looks where it looked, as well as can be determined without a pose that is known to look ahead.
    roles, other = motion.skeleton.roles, result.motion
    ahead = [sample(name).world_transforms()[0], other.world_transforms()[0]]
    turn = LYING.get(how, quat.IDENTITY)
    theirs = quat.multiply(turn, ahead[0][:, roles["head"]])
    off = quat.multiply(quat.inverse(theirs), ahead[1][:, other.skeleton.roles["head"]])
    assert np.degrees(np.median(quat.angle(off))) < 30.0


def test_the_errors_of_trunk_and_head_are_measured() -> None:
    """Against a result that was bent by hand, and measured by hand."""
    motion = nonsense_at_rest(sample("walk"))
    result = retarget(motion, renamed(humanoid()))
    world, there = result.motion.world_positions(), motion.world_positions()
    lines = []
    for places, roles in ((there, motion.skeleton.roles), (world, result.motion.skeleton.roles)):
        legs = 0.5 * (places[:, roles["left_upper_leg"]] + places[:, roles["right_upper_leg"]])
        lines.append(places[:, roles["neck"]] - legs)
    cosine = np.einsum("fi,fi->f", *(line / np.linalg.norm(line, axis=1, keepdims=True) for line in lines))
    assert result.trunk_deg[1] == pytest.approx(np.degrees(np.arccos(np.clip(cosine, -1, 1)).max()), abs=1e-3)
    assert any("trunk" in note for note in result.notes)


def test_forward_kinematics_run_a_few_times_for_a_clip(monkeypatch: pytest.MonkeyPatch) -> None:
    walk, body = sample("walk"), renamed(humanoid())
    whole, real = [0], kinematics._forward

    def counted(skeleton: Skeleton, rotations: Array, positions: Array, want_rotations: bool) -> tuple[Array, Array]:
        whole[0] += len(rotations) == len(walk)
        return real(skeleton, rotations, positions, want_rotations)

    monkeypatch.setattr(kinematics, "_forward", counted)
    retarget(walk, body)
    # The motion, the body that it moves, feet at their height, and the result.
    assert whole[0] <= 4
