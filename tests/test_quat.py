from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from komadori import quat

Array = NDArray[np.float64]
ORDERS = ["".join(order) for order in itertools.permutations("XYZ")]


def turn_matrix(axis: str, radians: float) -> Array:
    """A turn about one axis, as every textbook writes it."""
    c, s = math.cos(radians), math.sin(radians)
    rows = {
        "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return np.array(rows[axis], dtype=np.float64)


def some(count: int, seed: int = 0) -> Array:
    return quat.normalized(np.random.default_rng(seed).normal(size=(count, 4)))


def same_turn(a: Array, b: Array, within: float = 1e-12) -> bool:
    return bool((quat.angle(quat.multiply(quat.inverse(a), b)) <= within).all())


unit = st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: sum(x * x for x in q) > 1e-3)
angles = st.floats(-10, 10)


@given(unit, unit)
def test_the_product_is_the_product_of_the_matrices(a: list[float], b: list[float]) -> None:
    p, q = quat.normalized(a), quat.normalized(b)
    assert np.allclose(quat.to_matrix(quat.multiply(p, q)), quat.to_matrix(p) @ quat.to_matrix(q), atol=1e-12)


@given(unit)
def test_a_turn_and_its_inverse_cancel(q: list[float]) -> None:
    p = quat.normalized(q)
    assert np.allclose(quat.multiply(p, quat.inverse(p)), quat.IDENTITY, atol=1e-15)


@given(unit, st.lists(st.floats(-100, 100), min_size=3, max_size=3))
def test_rotate_is_the_matrix_times_the_vector(q: list[float], v: list[float]) -> None:
    p = quat.normalized(q)
    assert np.allclose(quat.rotate(p, v), quat.to_matrix(p) @ np.array(v), atol=1e-10)


@given(unit)
def test_matrices_and_back(q: list[float]) -> None:
    p = quat.normalized(q)
    matrix = quat.to_matrix(p)
    assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    assert same_turn(quat.from_matrix(matrix), p, 1e-7)
    assert quat.from_matrix(matrix)[3] >= 0.0


@pytest.mark.parametrize("axis", np.eye(3))
def test_half_turns_survive_the_matrix(axis: Array) -> None:
    half = quat.from_axis_angle(axis, math.pi)
    assert same_turn(quat.from_matrix(quat.to_matrix(half)), half, 1e-9)


@pytest.mark.parametrize("order", [*ORDERS, "X", "ZY", "YXY"])
@given(values=st.lists(angles, min_size=3, max_size=3))
def test_euler_angles_are_turns_about_moving_axes_in_the_order_named(order: str, values: list[float]) -> None:
    expected = np.eye(3)
    for letter, value in zip(order, values, strict=False):
        expected = expected @ turn_matrix(letter, value)
    assert np.allclose(quat.to_matrix(quat.from_euler(values[: len(order)], order)), expected, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@given(q=unit)
def test_euler_round_trip(order: str, q: list[float]) -> None:
    p = quat.normalized(q)
    found = quat.to_euler(p, order)
    assert same_turn(quat.from_euler(found, order), p, 1e-6)
    assert abs(found[1]) <= math.pi / 2 + 1e-12


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("middle", [math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-10, math.pi / 2 - 1e-8])
@given(first=angles, last=angles)
def test_euler_round_trip_in_gimbal_lock(order: str, middle: float, first: float, last: float) -> None:
    p = quat.from_euler([first, middle, last], order)
    assert same_turn(quat.from_euler(quat.to_euler(p, order), order), p, 1e-6)


@pytest.mark.parametrize("order", ORDERS)
def test_in_lock_the_last_angle_is_zero(order: str) -> None:
    assert quat.to_euler(quat.from_euler([0.3, math.pi / 2, 0.4], order), order)[2] == 0.0


@given(st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3))
def test_log_undoes_exp(v: list[float]) -> None:
    if np.linalg.norm(v) < math.pi - 1e-6:
        assert np.allclose(quat.log(quat.exp(v)), v, atol=1e-9)


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-13, 1e-8, 1e-4])
def test_tiny_turns_keep_their_digits(size: float) -> None:
    v = np.array([size, -2.0 * size, 0.5 * size])
    assert np.allclose(quat.log(quat.exp(v)), v, rtol=1e-9, atol=0.0)


@given(unit)
def test_the_log_is_as_long_as_the_turn_and_never_beyond_a_half_turn(q: list[float]) -> None:
    p = quat.normalized(q)
    assert np.linalg.norm(quat.log(p)) == pytest.approx(float(quat.angle(p)), abs=1e-9)
    assert float(quat.angle(p)) <= math.pi + 1e-12


@given(unit, unit, st.floats(0, 1))
def test_slerp_has_constant_speed_and_goes_the_short_way(a: list[float], b: list[float], t: float) -> None:
    p, q = quat.normalized(a), quat.normalized(b)
    whole = float(quat.angle(quat.multiply(quat.inverse(p), q)))
    mid = quat.slerp(p, q, t)
    assert np.linalg.norm(mid) == pytest.approx(1.0)
    assert float(quat.angle(quat.multiply(quat.inverse(p), mid))) == pytest.approx(t * whole, abs=1e-7)
    assert float(quat.angle(quat.multiply(quat.inverse(mid), q))) == pytest.approx((1 - t) * whole, abs=1e-7)


@given(unit, unit)
def test_slerp_ends_where_it_should(a: list[float], b: list[float]) -> None:
    p, q = quat.normalized(a), quat.normalized(b)
    assert same_turn(quat.slerp(p, q, 0.0), p, 1e-7)
    assert same_turn(quat.slerp(p, q, 1.0), q, 1e-7)


@given(st.lists(unit, min_size=0, max_size=12))
def test_continuous_changes_signs_only_and_leaves_no_flip(frames: list[list[float]]) -> None:
    q = quat.normalized(np.array(frames).reshape(-1, 1, 4))
    smooth = quat.continuous(q)
    assert ((smooth == q).all(axis=-1) | (smooth == -q).all(axis=-1)).all()
    assert (np.einsum("...i,...i->...", smooth[1:], smooth[:-1]) >= 0.0).all()
    assert np.array_equal(smooth[:1], q[:1])


@given(unit, unit)
def test_between_turns_one_direction_to_the_other_by_the_shortest_way(a: list[float], b: list[float]) -> None:
    u, v = np.array(a[:3]), np.array(b[:3])
    if min(np.linalg.norm(u), np.linalg.norm(v)) < 1e-3:
        return
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    q = quat.between(u, v)
    assert np.allclose(quat.rotate(q, u), v, atol=1e-5)
    assert float(quat.angle(q)) == pytest.approx(math.atan2(np.linalg.norm(np.cross(u, v)), u @ v), abs=1e-5)


@pytest.mark.parametrize("axis", [*np.eye(3), np.array([1.0, 2.0, -3.0])])
def test_between_opposite_directions_is_a_half_turn(axis: Array) -> None:
    q = quat.between(axis, -axis)
    assert np.allclose(quat.rotate(q, axis), -axis, atol=1e-9)


def test_the_mean_does_not_mind_signs() -> None:
    middle = some(1)[0]
    spread = quat.multiply(middle, quat.exp(0.3 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]])))
    spread[::2] *= -1.0
    assert same_turn(quat.mean(spread), middle, 1e-7)


def test_zero_becomes_the_identity() -> None:
    assert np.array_equal(quat.normalized(np.zeros((2, 4))), quat.identity(2))


def test_everything_broadcasts() -> None:
    one, many = some(1)[0], some(12).reshape(3, 4, 4)
    assert quat.multiply(one, many).shape == (3, 4, 4)
    assert quat.rotate(many, np.ones(3)).shape == (3, 4, 3)
    assert quat.slerp(one, many, np.linspace(0, 1, 4)).shape == (3, 4, 4)
    assert quat.to_matrix(many).shape == (3, 4, 3, 3)
    assert quat.to_euler(many, "ZXY").shape == (3, 4, 3)
    assert quat.angle(many).shape == (3, 4)


def test_cross_is_numpys() -> None:
    a, b = np.random.default_rng(1).normal(size=(2, 5, 3))
    assert np.allclose(quat.cross(a, b), np.cross(a, b))
