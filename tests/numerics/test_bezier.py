"""Cubic pieces: cubics come back exactly, and no other tangents fit better."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.numerics.bezier import evaluated, fitted_tangents


@given(st.integers(0, 2**32 - 1))
def test_a_cubic_comes_back_exactly(seed: int) -> None:
    random = np.random.default_rng(seed)
    frames = np.arange(25)
    powers = (frames / 25.0)[:, None] ** np.arange(4)
    values = powers @ random.normal(size=(4, 5))
    keys = np.array([0, 7, 12, 24])
    arriving, leaving = fitted_tangents(values, keys)
    assert evaluated(values[keys], arriving, leaving, keys, frames) == pytest.approx(values, abs=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_no_other_tangents_fit_better(seed: int) -> None:
    random = np.random.default_rng(seed)
    values, keys, frames = random.normal(size=(20, 2)), np.array([0, 9, 19]), np.arange(20)
    arriving, leaving = fitted_tangents(values, keys)

    def error(change: float) -> float:
        shifts = random.normal(size=(2, 3, 2)) * change
        return float(
            np.square(evaluated(values[keys], arriving + shifts[0], leaving + shifts[1], keys, frames) - values).sum()
        )

    assert error(0.0) <= error(0.1) + 1e-12
    assert evaluated(values[keys], arriving, leaving, keys, keys) == pytest.approx(values[keys])


def test_neighbouring_keys_lie_on_a_line() -> None:
    values = np.array([[0.0], [1.0], [5.0]])
    keys = np.arange(3)
    arriving, leaving = fitted_tangents(values, keys)
    found = evaluated(values, arriving, leaving, keys, np.array([0.25, 0.5, 1.5, 2.0, 7.0]))
    assert found.ravel() == pytest.approx([0.25, 0.5, 3.0, 5.0, 5.0])


def test_one_key_stays() -> None:
    one = np.array([[2.0, 3.0]])
    assert evaluated(one, one, one, np.array([0]), np.arange(3)).tolist() == [[2, 3]] * 3
