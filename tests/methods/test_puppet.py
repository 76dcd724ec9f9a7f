"""Spatial keyframing: keys are met, the paper's two figures hold, and nothing flips anywhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import Pose, Puppet, quat
from komadori.characters import humanoid, sample
from komadori.errors import OptionError
from komadori.methods.puppet import Grip, Key, mapped
from komadori.methods.puppet.reaching import effector_places
from komadori.methods.puppet.rotation import nearest_rotation
from komadori.numerics.rbf import Kernel
from komadori.quat import Array
from komadori.skeleton import Skeleton

KERNELS: list[Kernel] = ["linear", "cubic", "local"]
ONE = Skeleton(("body",), np.array([-1]), np.zeros((1, 3)))


def branch(joints: int = 3) -> Skeleton:
    return Skeleton(tuple(f"j{j}" for j in range(joints)), np.arange(joints) - 1, np.ones((joints, 3)))


def pose(rotations: Array, root: Array | None = None) -> Pose:
    positions = np.ones((len(rotations), 3))
    positions[0] = 0.0 if root is None else root
    return Pose(rotations, positions)


def yaw(*degrees: float) -> Array:
    """Turns about the vertical axis, (n, 4): at 0 the body looks along +z, at 90 along +x."""
    return quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(degrees))


def random_puppet(seed: int, count: int = 6, kernel: Kernel = "linear", polynomial: bool = True) -> Puppet:
    rng = np.random.default_rng(seed)
    keys = [
        (rng.normal(size=3), pose(quat.normalized(rng.normal(size=(3, 4))), rng.normal(size=3))) for _ in range(count)
    ]
    return Puppet(branch(), keys, kernel, polynomial)


def apart_deg(a: Array, b: Array) -> Array:
    return np.degrees(quat.angle(quat.multiply(quat.inverse(a), b)))


@given(
    seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(KERNELS), polynomial=st.booleans(), count=st.integers(1, 9)
)
def test_at_a_key_the_pose_is_the_keys(seed: int, kernel: Kernel, polynomial: bool, count: int) -> None:
    puppet = random_puppet(seed, count, kernel, polynomial)
    for key in puppet.keys:
        found = puppet.pose(key.position)
        assert apart_deg(found.rotations, key.pose.rotations).max() < 0.01
        np.testing.assert_allclose(found.root, key.pose.root, atol=1e-6)
        assert found.defined > 0.999


@pytest.mark.parametrize("name", ["pitch", "kick"])
def test_keys_of_a_whole_body_are_met(name: str) -> None:
    clip = sample(name)
    hand = clip.skeleton.roles["right_hand"]
    frames = list(range(0, len(clip), 9))
    world = clip.world_positions()
    puppet = Puppet(clip.skeleton, [(world[frame, hand], clip.pose(frame)) for frame in frames])
    found = puppet.poses(world[frames, hand])
    kept = puppet.blend.kept
    assert apart_deg(found.rotations[kept], clip.rotations[frames][kept]).max() < 0.01
    np.testing.assert_allclose(found.positions[kept], clip.positions[frames][kept], atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_elements_are_the_papers_functions_before_they_become_rotations(seed: int) -> None:
    puppet = random_puppet(seed, 7)
    handles = 3.0 * np.random.default_rng(seed + 100).normal(size=(30, 3))
    places = np.stack([key.position for key in puppet.keys])
    n = len(places)
    matrix = np.zeros((n + 4, n + 4))
    matrix[:n, :n] = np.linalg.norm(places[:, None] - places, axis=-1)
    matrix[:n, n:] = np.c_[np.ones(n), places]
    matrix[n:, :n] = matrix[:n, n:].T
    given_ = quat.to_matrix(np.stack([key.pose.rotations for key in puppet.keys])).reshape(n, -1)
    solved = np.linalg.solve(matrix, np.concatenate([given_, np.zeros((4, given_.shape[1]))]))
    rows = np.c_[np.linalg.norm(handles[:, None] - places, axis=-1), np.ones(30), handles]
    np.testing.assert_allclose(puppet.blend.elements(handles).reshape(30, -1), rows @ solved, atol=1e-9)


def papers_iteration(m: Array) -> tuple[Array, bool]:
    """The appendix of the paper, word for word: axes are the columns."""
    x, y, z = (m[:, i] / np.linalg.norm(m[:, i]) for i in range(3))
    for _ in range(10):
        if (x @ y) ** 2 + (y @ z) ** 2 + (z @ x) ** 2 <= 1e-6:
            return np.stack([x, y, z], axis=1), True
        u, v, w = np.cross(y, z), np.cross(z, x), np.cross(x, y)
        x, y, z = (a + b / np.linalg.norm(b) for a, b in ((x, u), (y, v), (z, w)))
        x, y, z = (a / np.linalg.norm(a) for a in (x, y, z))
    return np.stack([x, y, z], axis=1), False


def blends(seed: int, count: int) -> Array:
    rng = np.random.default_rng(seed)
    mixed = quat.to_matrix(quat.normalized(rng.normal(size=(count, 3, 4))))
    return np.asarray(np.einsum("nk,nkij->nij", rng.dirichlet([2, 1, 1], size=count), mixed))


def test_results_are_the_nearest_rotations() -> None:
    matrices = blends(0, 4000)
    turns, handedness = nearest_rotation(np.ascontiguousarray(matrices.reshape(-1, 9).T))
    np.testing.assert_allclose(np.linalg.norm(turns, axis=0), 1.0, atol=1e-12)
    found = quat.to_matrix(turns.T)
    np.testing.assert_allclose(found @ found.transpose(0, 2, 1), np.broadcast_to(np.eye(3), found.shape), atol=1e-9)
    u, _, v = np.linalg.svd(matrices)
    flip = np.ones((len(u), 1, 3))
    flip[:, 0, 2] = np.linalg.det(u @ v)
    nearest = (u * flip) @ v
    sure = handedness > 0.01
    assert sure.mean() > 0.8
    assert apart_deg(turns.T[sure], quat.from_matrix(nearest[sure])).max() < 1e-6


def test_the_papers_iteration_comes_near_the_same_rotation() -> None:
    # It first makes the axes equally long and is no least-squares solution; where it converges both agree roughly.
    matrices = blends(1, 400)
    matrices /= np.linalg.norm(matrices, axis=1, keepdims=True)
    turns, handedness = nearest_rotation(np.ascontiguousarray(matrices.reshape(-1, 9).T))
    apart = []
    for m, q, sure in zip(matrices, turns.T, handedness, strict=True):
        paper, converged = papers_iteration(m)
        if converged and sure > 0.5:
            apart.append(float(apart_deg(q, quat.from_matrix(paper))))
    assert len(apart) > 200
    assert np.median(apart) < 0.25
    assert max(apart) < 2.5


def test_stretched_rotations_are_fully_defined_and_their_rotation_is_found() -> None:
    turn = quat.normalized(np.random.default_rng(2).normal(size=(50, 4)))
    stretched = quat.to_matrix(turn) * np.array([100.0, 1.0, 7.0])
    found, handedness = nearest_rotation(np.ascontiguousarray(stretched.reshape(-1, 9).T))
    np.testing.assert_allclose(handedness, 1.0, atol=1e-9)
    assert apart_deg(found.T, turn).max() < 1e-5


def facing_deg(found: Pose) -> float:
    x, _, z = quat.rotate(found.rotations[0], np.array([0.0, 0.0, 1.0]))
    return float(np.degrees(np.arctan2(x, z)))


def test_figure_6_the_body_keeps_facing_the_handle_far_outside_the_keys() -> None:
    # The handle runs along a wall one metre ahead; angles would turn on forever, quaternions end at 180 degrees.
    wall = [(0.0, 0.0), (np.tan(np.radians(30.0)), 30.0)]
    puppet = Puppet(ONE, [(np.array([x, 0.0, 1.0]), pose(yaw(angle))) for x, angle in wall])
    for x in (-100.0, -3.0, -0.5, 0.2, 0.5, 1.0, 2.0, 10.0, 1e3, 1e6):
        found = puppet.pose([x, 0.0, 1.0])
        assert abs(facing_deg(found) - np.degrees(np.arctan2(x, 1.0))) < 15.1 if x > 0 else facing_deg(found) > -105.1
        assert found.defined == 1.0


def test_figure_7_between_the_last_and_the_first_key_of_a_circle_is_315() -> None:
    circle = [0.0, 90.0, 180.0, 270.0]
    keys = [(np.array([np.sin(np.radians(a)), 0.0, np.cos(np.radians(a))]), pose(yaw(a))) for a in circle]
    puppet = Puppet(ONE, keys)
    for angle in (45.0, 135.0, 225.0, 315.0):
        way = np.array([np.sin(np.radians(angle)), 0.0, np.cos(np.radians(angle))])
        for far in (0.4, 1.0, 5.0):
            assert (facing_deg(puppet.pose(far * way)) - angle) % 360.0 == pytest.approx(0.0, abs=1e-6) or (
                facing_deg(puppet.pose(far * way)) - angle
            ) % 360.0 == pytest.approx(360.0, abs=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("polynomial", [True, False])
def test_few_flat_straight_and_doubled_keys_all_work(kernel: Kernel, polynomial: bool) -> None:
    rng = np.random.default_rng(8)
    arrangements = {
        "one": np.zeros((1, 3)),
        "two": np.array([[0.0, 0, 0], [1.0, 0, 0]]),
        "three": rng.normal(size=(3, 3)),
        "plane": np.c_[rng.normal(size=(7, 2)), np.zeros(7)],
        "line": np.outer(np.arange(5.0), [1.0, 2.0, 3.0]),
        "twice": np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 0, 0]]),
        "nearly": np.array([[0.0, 0, 0], [1.0, 0, 0], [1e-3, 0, 0], [0, 1.0, 0]]),
        "all in one": np.zeros((4, 3)),
    }
    for name, places in arrangements.items():
        turns = quat.normalized(rng.normal(size=(len(places), 3, 4)))
        puppet = Puppet(branch(), [(p, pose(q)) for p, q in zip(places, turns, strict=True)], kernel, polynomial)
        found = puppet.poses(3.0 * rng.normal(size=(500, 3)))
        assert np.isfinite(found.rotations).all(), name
        np.testing.assert_allclose(np.linalg.norm(found.rotations, axis=-1), 1.0, atol=1e-9)
        kept = puppet.blend.kept
        at_keys = puppet.poses(places[kept]).rotations
        assert apart_deg(at_keys, turns[kept]).max() < 0.01, name


def test_of_keys_in_one_place_the_later_wins_and_a_note_says_so() -> None:
    first, second = pose(yaw(0.0)), pose(yaw(40.0))
    puppet = Puppet(ONE, [Key(np.zeros(3), first, "old"), Key(np.ones(3), first), Key(np.zeros(3), second, "new")])
    assert facing_deg(puppet.pose([0.0, 0.0, 0.0])) == pytest.approx(40.0)
    assert puppet.doubled == ("old",)
    assert "old" in puppet.perform(np.zeros((2, 3))).notes[0]


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(KERNELS), scale=st.sampled_from([1e-3, 0.1, 1e3]))
def test_a_kilometre_or_another_scale_change_no_pose(seed: int, kernel: Kernel, scale: float) -> None:
    puppet = random_puppet(seed, 7, kernel)
    handles = 1.5 * np.random.default_rng(seed).normal(size=(200, 3))
    before = puppet.poses(handles)
    sure = before.defined > 0.2
    for by, away in ((1.0, np.array([1000.0, -1000.0, 500.0])), (scale, np.zeros(3))):
        moved = Puppet(puppet.skeleton, [(by * key.position + away, key.pose) for key in puppet.keys], kernel)
        after = moved.poses(by * handles + away)
        assert apart_deg(before.rotations[sure], after.rotations[sure]).max(initial=0.0) < 1e-3
        np.testing.assert_allclose(before.defined, after.defined, atol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_sign_of_a_quaternion_means_nothing(kernel: Kernel) -> None:
    rng = np.random.default_rng(12)
    puppet = random_puppet(12, 6, kernel)
    signs = rng.choice([-1.0, 1.0], size=(6, 3, 1))
    flipped = [
        (key.position, pose(sign * key.pose.rotations, key.pose.root))
        for key, sign in zip(puppet.keys, signs, strict=True)
    ]
    handles = 2.0 * rng.normal(size=(2000, 3))
    one, other = puppet.poses(handles), Puppet(puppet.skeleton, flipped, kernel).poses(handles)
    assert one.defined.min() == 0.0
    assert apart_deg(one.rotations, other.rotations).max() < 1e-4


def change_deg(puppet: Puppet, a: Array, b: Array) -> Array:
    return apart_deg(puppet.poses(a).rotations, puppet.poses(b).rotations).max(axis=1)


def test_a_million_handles_find_no_flip_and_nothing_that_is_no_number() -> None:
    rng = np.random.default_rng(99)
    lowest = 1.0
    for number in range(10):
        puppet = random_puppet(1000 + number, 3 + number % 6, KERNELS[number % 3], polynomial=number % 2 == 0)
        # Lines through the scene, near and far: a flip is a wall, and a line does not miss a wall.
        ends = rng.normal(size=(20, 2, 3)) * 10.0 ** rng.uniform(-0.5, 1.5, size=(20, 1, 1))
        share = np.linspace(0.0, 1.0, 5000)[:, None]
        handles = (ends[:, :1] * (1.0 - share) + ends[:, 1:] * share).reshape(-1, 3)
        found = puppet.poses(handles)
        assert np.isfinite(found.rotations).all()
        assert np.isfinite(found.positions).all()
        np.testing.assert_allclose(np.linalg.norm(found.rotations, axis=-1), 1.0, atol=1e-9)
        assert (found.defined >= 0.0).all()
        assert (found.defined <= 1.0).all()
        lowest = min(lowest, float(found.defined.min()))
        moved = apart_deg(found.rotations[1:], found.rotations[:-1]).max(axis=1)
        moved[4999::5000] = 0.0
        steep = np.argsort(moved)[-50:]
        left, right = handles[steep], handles[steep + 1]
        # What is only steep becomes gentle under the glass; a jump stays a jump.
        for _ in range(28):
            middle = 0.5 * (left + right)
            first = change_deg(puppet, left, middle) > change_deg(puppet, middle, right)
            left, right = np.where(first[:, None], left, middle), np.where(first[:, None], middle, right)
        assert change_deg(puppet, left, right).max() < 0.1
    assert lowest == 0.0


def test_between_opposite_keys_the_pose_is_undefined_and_turns_over_without_a_jump() -> None:
    puppet = Puppet(ONE, [([0.0, 0.0, 0.0], pose(yaw(0.0))), ([1.0, 0.0, 0.0], pose(yaw(180.0)))])
    way = np.linspace(0.0, 1.0, 2001)
    found = puppet.poses(np.c_[way, 0 * way, 0 * way])
    middle = 1000
    assert found.defined[middle] == pytest.approx(0.0, abs=1e-9)
    assert found.defined[[0, 200, -200, -1]].min() == 1.0
    assert np.abs(np.diff(found.defined)).max() < 0.02
    assert apart_deg(found.rotations[1:, 0], found.rotations[:-1, 0]).max() < 2.0
    assert apart_deg(found.rotations[0, 0], found.rotations[-1, 0]) == pytest.approx(180.0)


def test_far_into_the_undefined_the_pose_is_the_nearest_keys() -> None:
    # Half turns about the three axes sum to a reflection between them.
    axes = np.eye(3)
    turns = [quat.from_axis_angle(axis, np.pi) for axis in axes]
    puppet = Puppet(ONE, [(axis, pose(np.asarray(q)[None])) for axis, q in zip(axes, turns, strict=True)])
    centre = np.full(3, 1 / 3)
    assert puppet.pose(centre).defined == 0.0
    for axis, q in zip(axes, turns, strict=True):
        way = centre + np.linspace(0.05, 0.9, 60)[:, None] * (axis - centre)
        found = puppet.poses(way)
        lost = np.flatnonzero(found.defined == 0.0)
        assert len(lost) > 5
        apart = apart_deg(found.rotations[lost, 0], q)
        assert (np.diff(apart) < 0.0).all()
        assert apart[-1] < 15.0


def test_one_call_for_many_handles_gives_what_single_calls_give() -> None:
    clip = sample("pitch")
    puppet = Puppet(clip.skeleton, [([f / 20, np.sin(f), 1], clip.pose(f)) for f in range(0, 100, 7)], ik="right_hand")
    handles = np.random.default_rng(0).normal(size=(40, 3)) + np.array([2.0, 1.0, 1.0])
    together = puppet.poses(handles)
    for number in (0, 13, 39):
        alone = puppet.pose(handles[number])
        np.testing.assert_allclose(alone.rotations, together.rotations[number], atol=1e-6)
        np.testing.assert_allclose(alone.root, together.positions[number, 0], atol=1e-9)
        assert alone.defined == pytest.approx(together.defined[number])


# --- inverse kinematics


def reaching_puppet(ik: str | Grip | None = "right_hand") -> tuple[Puppet, Array, Array]:
    """Keys at the right hand of a pitch; the puppet, and places and poses of the clip between its keys."""
    clip = sample("pitch")
    hand = clip.skeleton.roles["right_hand"]
    world = clip.world_positions()[:, hand]
    frames = list(range(30, 100, 8))
    puppet = Puppet(clip.skeleton, [(world[f], clip.pose(f)) for f in frames], ik=ik)
    between = [f for f in range(30, 95) if f not in frames]
    return puppet, world[between], clip.rotations[between]


def shoulder_to(puppet: Puppet, handles: Array) -> Array:
    plain = puppet.changed(ik=None).poses(handles)
    joint = puppet.skeleton.roles["right_upper_arm"]
    from komadori import kinematics

    return kinematics.world_positions(puppet.skeleton, plain.rotations, plain.positions)[:, joint]


def test_the_effector_is_at_the_handle_wherever_the_arm_reaches() -> None:
    puppet, handles, _ = reaching_puppet()
    handles = np.concatenate([handles, handles + 0.1 * np.random.default_rng(1).normal(size=handles.shape)])
    found = puppet.poses(handles)
    assert puppet.ik is not None
    reached = effector_places(puppet.skeleton, puppet.ik, found.rotations, found.positions)
    distance = np.linalg.norm(handles - shoulder_to(puppet, handles), axis=1)
    can = distance < 0.27 + 0.24 - 1e-4
    assert can.sum() > 40
    assert np.linalg.norm(reached - handles, axis=1)[can].max() < 1e-4
    # Out of reach the arm points at the handle and stretches.
    cannot = distance > 0.27 + 0.24 + 1e-3
    missed = np.linalg.norm(reached - handles, axis=1)[cannot]
    np.testing.assert_allclose(missed, distance[cannot] - 0.51, atol=2e-3)


def test_the_same_handle_gives_the_same_pose_whatever_came_before() -> None:
    puppet, handles, _ = reaching_puppet()
    goal = handles[20]
    roads = [np.linspace(start, goal, 30) for start in (handles[0], handles[40])]
    ends = [puppet.perform(road).rotations[-1] for road in roads]
    assert apart_deg(ends[0], ends[1]).max() < 1e-9
    np.testing.assert_array_equal(np.abs(puppet.pose(goal).rotations - puppet.pose(goal).rotations), 0.0)


def test_figure_4_keys_shape_the_rest_of_the_body_where_inverse_kinematics_alone_does_not() -> None:
    puppet, handles, truth = reaching_puppet(Grip("right_hand", base="spine"))
    keyed = puppet.poses(handles).rotations
    alone = Puppet(puppet.skeleton, puppet.keys[:1], ik=puppet.ik).poses(handles).rotations
    blend = puppet.changed(ik=None).poses(handles).rotations
    joints = [puppet.skeleton.roles[r] for r in ("chest", "upper_chest", "right_upper_arm", "right_lower_arm")]
    with_keys = apart_deg(keyed, truth)[:, joints].mean()
    without = apart_deg(alone, truth)[:, joints].mean()
    assert with_keys < 0.5 * without
    assert apart_deg(keyed, blend).mean() < 0.25 * apart_deg(alone, blend).mean()


def test_limits_hold_in_the_grip() -> None:
    puppet, handles, _ = reaching_puppet(Grip("right_hand", limits_deg={"right_lower_arm": 30.0}))
    joint = puppet.skeleton.roles["right_lower_arm"]
    assert apart_deg(puppet.poses(handles).rotations[:, joint], puppet.skeleton.rest[joint]).max() < 30.0001


# --- the learning aid


def test_the_map_tells_influence_and_where_a_key_would_help() -> None:
    clip = sample("pitch")
    puppet = Puppet(
        clip.skeleton,
        [
            Key([x, 0, z], clip.pose(10 * n), f"key {n}")
            for n, (x, z) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1), (3, 3)])
        ],
    )
    found = mapped(puppet, steps=9)
    assert found.keys == tuple(f"key {n}" for n in range(5))
    np.testing.assert_allclose(found.influence.sum(axis=1), 1.0, atol=1e-9)
    at_keys = mapped(puppet, np.stack([key.position for key in puppet.keys]))
    np.testing.assert_allclose(at_keys.influence, np.eye(5), atol=1e-9)
    np.testing.assert_allclose(at_keys.need, 0.0, atol=1e-6)
    assert np.ptp(found.places[:, 1]) < 1e-9
    assert found.places.min() < 0.0 < 3.0 < found.places.max()


def test_with_a_grip_the_map_names_the_place_where_blend_and_hand_part_most() -> None:
    puppet, handles, _ = reaching_puppet()
    found = mapped(puppet, handles)
    plain = puppet.changed(ik=None).poses(handles)
    assert puppet.ik is not None
    off = np.linalg.norm(
        effector_places(puppet.skeleton, puppet.ik, plain.rotations, plain.positions) - handles, axis=1
    )
    np.testing.assert_allclose(found.strain, off, atol=1e-9)
    better = puppet.with_key(found.best, puppet.pose(found.best))
    again = mapped(better, handles)
    assert again.strain.max() < found.strain.max()


def test_undefined_places_are_on_the_map() -> None:
    puppet = Puppet(ONE, [([0.0, 0, 0], pose(yaw(0.0))), ([1.0, 0, 0], pose(yaw(180.0)))])
    found = mapped(puppet, steps=31)
    assert found.defined.min() < 0.05
    assert abs(found.best[0] - 0.5) < 0.06


# --- what a puppet refuses


def test_keys_can_be_added_replaced_and_taken_away() -> None:
    puppet = random_puppet(0, 3)
    more = puppet.with_key([5, 5, 5], puppet.keys[0].pose, "far")
    assert len(more.keys) == 4
    assert len(more.with_key([6, 6, 6], puppet.keys[0].pose, "far").keys) == 4
    assert len(more.without_key("far").keys) == 3
    assert len(more.without_key(0).keys) == 3
    with pytest.raises(OptionError, match="key: expected the name of a key, or its number, 0 to 3, found 'near'"):
        more.without_key("near")


def test_a_puppet_can_be_pickled() -> None:
    puppet = random_puppet(0).changed(ik="j2")
    handles = np.random.default_rng(0).normal(size=(5, 3))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(puppet)).poses(handles).rotations, puppet.poses(handles).rotations
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"keys": []}, "the puppet has no keys"),
        ({"keys": [([0, np.nan, 0], pose(yaw(0.0)))]}, "key 0, position: expected three numbers within 1e"),
        ({"keys": [([0, 0], pose(yaw(0.0)))]}, "key 0, position: expected an array of 3, found 2"),
        ({"keys": [([0, 0, 1e300], pose(yaw(0.0)))]}, "key 0"),
        ({"keys": [([0, 0, 0], pose(yaw(0.0, 1.0)))]}, "key 0: expected as many joints as the skeleton has"),
        (
            {"keys": [([0, 0, 0], pose(np.full((1, 4), np.nan)))]},
            "key 0: the pose has NaN or infinity",
        ),
        ({"keys": [([0, 0, 0], "pose")]}, "key 0, pose: expected a Pose, such as motion"),
        ({"keys": [3]}, "key 0: expected"),
        (
            {"keys": [Key([0, 0, 0], pose(yaw(0.0)), "a"), Key([1, 0, 0], pose(yaw(0.0)), "a")]},
            "two keys are called 'a'",
        ),
        ({"kernel": "quintic"}, "kernel: expected one of linear, cubic, local, found 'quintic'"),
        ({"ik": "left_hand"}, "joint: expected a joint or role such as body, found 'left_hand'"),
        ({"ik": "body"}, "ik: expected a joint with parents that can move it to the handle, found 'body'"),
        ({"ground": float("inf")}, "ground: expected a height in metres, found inf"),
    ],
)
def test_bad_parts_are_named(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"keys": [([0, 0, 0], pose(yaw(0.0)))]}
    with pytest.raises(OptionError, match=message):
        Puppet(ONE, **{**good, **change})


def test_grips_are_checked() -> None:
    keys = [([0, 0, 0], Pose(humanoid().rest, humanoid().offsets))]
    with pytest.raises(OptionError, match="ik: expected a joint below 'right_upper_leg', found 'left_hand'"):
        Puppet(humanoid(), keys, ik=Grip("left_hand", base="right_upper_leg"))
    with pytest.raises(OptionError, match="from 0 to 180"):
        Grip("left_hand", limits_deg={"left_lower_arm": 200.0})
    with pytest.raises(OptionError, match="expected a joint or role such as"):
        Puppet(humanoid(), keys, ik=Grip("left_hand", limits_deg={"elbow": 20.0}))
    names = [humanoid().names[j] for j in Grip("left_hand").chain(humanoid())]
    assert names == ["left_upper_arm", "left_lower_arm", "left_hand"]


@pytest.mark.parametrize(
    ("handle", "message"), [([0, 0], "handle"), ([0, np.inf, 0], "handle"), ("here", "handle"), ([[0, 0, 0]], "handle")]
)
def test_bad_handles_are_named(handle: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        random_puppet(0).pose(handle)


def test_gaps_in_a_path_are_named() -> None:
    path = np.zeros((5, 3))
    path[3, 1] = np.nan
    with pytest.raises(OptionError, match="path: expected a place in every frame, found"):
        random_puppet(0).perform(path)
