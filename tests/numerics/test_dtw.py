"""Dynamic time warping: exact against brute force, with slopes, bands and open ends; known warps come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import fast
from komadori.errors import OptionError
from komadori.numerics import dtw, dtw_loops


def least(costs: np.ndarray, slope: int | None, open_ends: bool, row: int, column: int) -> float:
    """The least cost of reaching a cell, by trying every way."""
    if row == 0 and (column == 0 or open_ends):
        return float(costs[row, column])
    best = np.inf
    if slope is None:
        ways = [(1, 1), (1, 0), (0, 1)]
    else:
        ways = [(1, w) for w in range(1, slope + 1)] + [(w, 1) for w in range(2, slope + 1)]
    for down, across in ways:
        if row < down or column < across or (open_ends and row == 0):
            continue
        if down == 1 and slope is not None:
            here = costs[row, column - across + 1 : column + 1].sum()
        elif slope is not None:
            here = costs[row - down + 1 : row + 1, column].sum()
        else:
            here = costs[row, column]
        best = min(best, least(costs, slope, open_ends, row - down, column - across) + here)
    return float(best)


def brute(costs: np.ndarray, slope: int | None, open_ends: bool) -> float:
    ends = range(costs.shape[1]) if open_ends else [costs.shape[1] - 1]
    return min(least(costs, slope, open_ends, len(costs) - 1, end) for end in ends)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from([None, 1, 2, 3]), st.booleans(), st.integers(0, 2**32 - 1))
def test_the_path_is_as_good_as_the_best_of_all(
    rows: int, columns: int, slope: int | None, open_ends: bool, seed: int
) -> None:
    costs = np.random.default_rng(seed).random((rows, columns))
    wanted = brute(costs, slope, open_ends)
    if np.isinf(wanted):
        with pytest.raises(OptionError, match="no path leads"):
            dtw.warp_costs(costs, slope=slope, open_ends=open_ends)
        return
    path = dtw.warp_costs(costs, slope=slope, open_ends=open_ends)
    assert path.cost == pytest.approx(wanted, abs=1e-12)
    assert costs[path.pairs[:, 0], path.pairs[:, 1]].sum() == pytest.approx(wanted, abs=1e-12)
    steps = np.diff(path.pairs, axis=0)
    assert ((steps >= 0) & (steps <= 1)).all()
    assert steps.any(axis=1).all()
    assert path.pairs[0, 0] == 0
    assert path.pairs[-1, 0] == rows - 1
    if not open_ends:
        assert path.pairs[0, 1] == 0
        assert path.pairs[-1, 1] == columns - 1


def test_distances_are_squared_as_in_the_paper_or_plain() -> None:
    a, b = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])
    assert dtw.warp(a, b).cost == pytest.approx(25.0)
    assert dtw.warp(a, b, metric="euclidean").cost == pytest.approx(5.0)


def test_a_band_keeps_the_path_near_the_straight_line() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(size=(40, 2)), random.normal(size=(60, 2))
    path = dtw.warp(a, b, band=4)
    line = path.pairs[:, 0] * 59 / 39
    assert (np.abs(path.pairs[:, 1] - line) <= 4 + 1e-9).all()
    assert path.cost >= dtw.warp(a, b).cost
    costs = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    costs[np.abs(np.arange(60)[None] - np.arange(40)[:, None] * 59 / 39) > 4] = 1e9
    assert path.cost == pytest.approx(dtw.warp_costs(costs).cost)


def test_a_slope_limits_runs() -> None:
    random = np.random.default_rng(4)
    a, b = np.cumsum(random.normal(size=(50, 3)), axis=0), np.cumsum(random.normal(size=(70, 3)), axis=0)
    steps = np.diff(dtw.warp(a, b, slope=2).pairs, axis=0)
    still = (steps == 0).any(axis=1)
    assert not (still[1:] & still[:-1]).any()


def test_a_known_warp_comes_back() -> None:
    time = np.linspace(0.0, 1.0, 120)
    warped = time + 0.08 * np.sin(2 * np.pi * time)

    def curve(t: np.ndarray) -> np.ndarray:
        return np.stack([np.sin(9 * t), np.cos(7 * t), t], axis=1)

    path = dtw.warp(curve(warped), curve(time))
    found = dtw.rows_of_b(path, 120) / 119
    assert np.abs(found - warped).max() < 1.0 / 119


def test_open_ends_find_a_piece() -> None:
    whole = np.cumsum(np.random.default_rng(5).normal(size=(80, 4)), axis=0)
    path = dtw.warp(whole[23:51], whole, open_ends=True)
    assert path.pairs[0].tolist() == [0, 23]
    assert path.pairs[-1].tolist() == [27, 50]
    assert path.cost == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (np.zeros((3, 2)), np.zeros((3, 1)), {}, "columns"),
        (np.zeros((0, 2)), np.zeros((3, 2)), {}, "a: expected rows"),
        (np.array([[0.0], [np.nan]]), np.zeros((3, 1)), {}, "row 1"),
        (np.zeros((3, 1)), np.zeros((3, 1)), {"band": -1}, "band"),
        (np.zeros((3, 1)), np.zeros((3, 1)), {"slope": 0}, "slope"),
        (np.zeros((3, 1)), np.zeros((3, 1)), {"metric": "cosine"}, "metric"),
        (np.zeros((3, 1)), np.zeros((30, 1)), {"slope": 2}, "no path leads"),
    ],
)
def test_what_cannot_be_is_said(a: np.ndarray, b: np.ndarray, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        dtw.warp(a, b, **options)


@pytest.mark.parametrize("band", [None, 5])
@pytest.mark.parametrize("open_ends", [False, True])
def test_the_plain_loop_finds_the_same_path(band: int | None, open_ends: bool) -> None:
    """The loop that the optional compiler is given, as it is."""
    random = np.random.default_rng(6)
    costs = random.random((70, 50))
    low, high = dtw._windows(70, 50, band)
    blocks = [costs[:33], costs[33:]]
    (up, left), totals = dtw._any_steps(iter(blocks), 70, 50, low, high, open_ends)
    ups, lefts = np.zeros((2, 70, 50), dtype=bool)
    best = np.full(51, np.inf)
    for first, block in ((0, blocks[0]), (33, blocks[1])):
        dtw_loops.next_rows(block, best, ups, lefts, np.array(low), np.array(high), first, open_ends)
    np.testing.assert_allclose(best[1:], totals, atol=1e-9)
    last = int(np.argmin(totals)) if open_ends else 49
    np.testing.assert_array_equal(dtw._back(ups, lefts, last, open_ends), dtw._back(up, left, last, open_ends))


def test_compiled_loops_find_the_same_path() -> None:
    pytest.importorskip("numba", reason="the optional extra `fast` is not installed")
    random = np.random.default_rng(7)
    a, b = np.cumsum(random.normal(size=(90, 3)), axis=0), np.cumsum(random.normal(size=(110, 3)), axis=0)
    plain, was = dtw.warp(a, b), fast.enabled()
    try:
        fast.enable()
        quick = dtw.warp(a, b)
    finally:
        fast.enable(was)
    np.testing.assert_array_equal(quick.pairs, plain.pairs)
    assert quick.cost == pytest.approx(plain.cost)
