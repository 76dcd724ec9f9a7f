"""Radial basis functions: through the values, the textbook's solution, and indifferent to where the scene stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.numerics import rbf
from komadori.quat import Array

KERNELS: list[rbf.Kernel] = ["linear", "cubic", "local"]


def textbook(places: Array, values: Array, at: Array, power: int) -> Array:
    """The paper's block matrix as it stands there, in raw coordinates."""
    n = len(places)
    matrix = np.zeros((n + 4, n + 4))
    matrix[:n, :n] = np.linalg.norm(places[:, None] - places, axis=-1) ** power
    matrix[:n, n] = matrix[n, :n] = 1.0
    matrix[:n, n + 1 :] = places
    matrix[n + 1 :, :n] = places.T
    solved = np.linalg.solve(matrix, np.concatenate([values, np.zeros((4, values.shape[1]))]))
    phi = np.linalg.norm(at[:, None] - places, axis=-1) ** power
    return np.asarray(phi @ solved[:n] + solved[n] + at @ solved[n + 1 :])


def scene(seed: int, count: int = 9) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 3)), rng.normal(size=(count, 4)), 3.0 * rng.normal(size=(20, 3))


@given(
    seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(KERNELS), polynomial=st.booleans(), count=st.integers(1, 12)
)
def test_the_field_goes_through_its_values(seed: int, kernel: rbf.Kernel, polynomial: bool, count: int) -> None:
    places, values, _ = scene(seed, count)
    field = rbf.solve(places, values, kernel, polynomial)
    np.testing.assert_allclose(field.values(places), values, atol=1e-7)


@pytest.mark.parametrize(("kernel", "power"), [("linear", 1), ("cubic", 3)])
@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_papers_system(kernel: rbf.Kernel, power: int, seed: int) -> None:
    places, values, at = scene(seed, 5 + seed)
    found = rbf.solve(places, values, kernel).values(at)
    np.testing.assert_allclose(found, textbook(places, values, at, power), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "cubic"])
def test_it_is_scipys_interpolation(kernel: rbf.Kernel) -> None:
    scipy: Any = pytest.importorskip("scipy.interpolate", reason="SciPy is for the benchmarks alone")
    for seed in range(10):
        places, values, at = scene(seed, 6 + 4 * seed)
        theirs = scipy.RBFInterpolator(places, values, kernel=kernel, degree=1)(at)
        np.testing.assert_allclose(rbf.solve(places, values, kernel).values(at), theirs, atol=1e-9)


@given(
    seed=st.integers(0, 2**32 - 1),
    kernel=st.sampled_from(KERNELS),
    polynomial=st.booleans(),
    scale=st.floats(1e-3, 1e3),
    away=st.floats(-1e3, 1e3),
)
def test_neither_origin_nor_scale_matter(
    seed: int, kernel: rbf.Kernel, polynomial: bool, scale: float, away: float
) -> None:
    places, values, at = scene(seed)
    before = rbf.solve(places, values, kernel, polynomial)
    after = rbf.solve(scale * places + away, values + away, kernel, polynomial)
    spread = 1.0 + np.abs(before.values(at)).max()
    tolerance = 1e-6 * spread * max(1.0, abs(away) / scale * 1e-6) * np.linalg.cond(places)
    np.testing.assert_allclose(after.values(scale * at + away) - away, before.values(at), atol=tolerance)


@given(
    seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(KERNELS), polynomial=st.booleans(), rank=st.integers(0, 3)
)
def test_places_in_a_plane_a_line_or_a_point_work(seed: int, kernel: rbf.Kernel, polynomial: bool, rank: int) -> None:
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(3, 3)))[0][:, :rank]
    places = rng.normal(size=(6 if rank else 1, rank)) @ basis.T + 5.0
    if min((np.linalg.norm(a - b) for i, a in enumerate(places) for b in places[:i]), default=1.0) < 1e-2:
        return
    values = rng.normal(size=(len(places), 3))
    field = rbf.solve(places, values, kernel, polynomial)
    np.testing.assert_allclose(field.values(places), values, atol=1e-6)
    assert field.span.shape[1] == (rank if polynomial else 0)
    # What the places do not span, the trend does not know: off their plane both sides are alike.
    square = rng.normal(size=3)
    square -= basis @ (basis.T @ square)
    here = places.mean(axis=0) + 0.3 * (basis @ rng.normal(size=rank))
    np.testing.assert_allclose(field.values(here[None] + square), field.values(here[None] - square), atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_two_places_give_a_line_and_one_a_constant(kernel: rbf.Kernel) -> None:
    places, values = np.array([[0.0, 0, 0], [2.0, 0, 0]]), np.array([[1.0], [5.0]])
    at = np.array([[1.0, 7, 0], [-1.0, 0, 3], [4.0, 0, 0]])
    np.testing.assert_allclose(rbf.solve(places, values, kernel).values(at)[:, 0], [3.0, -1.0, 9.0], atol=1e-9)
    np.testing.assert_allclose(rbf.solve(places[:1], values[:1], kernel).values(at), 1.0)


@given(seed=st.integers(0, 2**32 - 1), kernel=st.sampled_from(KERNELS), polynomial=st.booleans())
def test_influences_sum_to_one_and_make_the_values(seed: int, kernel: rbf.Kernel, polynomial: bool) -> None:
    places, values, at = scene(seed)
    field = rbf.solve(places, values, kernel, polynomial)
    share = field.influence(at)
    np.testing.assert_allclose(share.sum(axis=1), 1.0, atol=1e-7)
    np.testing.assert_allclose(share @ values, field.values(at), atol=1e-6 * (1.0 + np.abs(share).max()))
    np.testing.assert_allclose(field.influence(places), np.eye(len(places)), atol=1e-7)


def test_the_linear_trend_is_met_exactly_everywhere() -> None:
    places, _, at = scene(3)
    slope = np.array([[1.0, 2.0], [-3.0, 0.5], [0.1, 4.0]])
    for kernel in KERNELS:
        np.testing.assert_allclose(
            rbf.solve(places, places @ slope + 7.0, kernel).values(at), at @ slope + 7.0, atol=1e-8
        )


def test_of_places_that_fall_together_the_last_is_kept() -> None:
    places = np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 0, 1e-12], [1.0, 0, 0], [2.0, 0, 0]])
    assert rbf.distinct(places).tolist() == [2, 3, 4]
    assert rbf.distinct(np.zeros((3, 3))).tolist() == [2]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("gap", [1e-2, 1e-3, 3e-4])
def test_places_that_nearly_touch_still_have_their_values(kernel: rbf.Kernel, gap: float) -> None:
    places, values, _ = scene(5)
    places[1] = places[0] + np.array([gap, 0.0, 0.0]) * np.abs(places).max() * 2
    assert len(rbf.distinct(places, kernel)) == len(places)
    np.testing.assert_allclose(rbf.solve(places, values, kernel).values(places), values, atol=2e-4)


def test_the_local_kernel_reaches_only_so_far() -> None:
    places, values, _ = scene(7)
    field = rbf.solve(places, values, "local")
    far = places.mean(axis=0) + np.array([[100.0, 0, 0], [200.0, 0, 0], [300.0, 0, 0]])
    a, b, c = field.values(far)
    np.testing.assert_allclose(c - b, b - a, atol=1e-9)
