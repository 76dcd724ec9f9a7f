"""Polylines: greedy is the paper's definition to the letter, the optimum is what exhaustive search finds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curves import clock, curve, seeds
from komadori import fast
from komadori.numerics import polyline, polyline_summed
from komadori.numerics.polyline import LEAST, elbow, even_keys, fewest_keys, greedy, key_errors, with_gaps_filled
from komadori.numerics.polyline_optimal import optimal
from komadori.quat import Array


def plain_distance(p: Array, a: Array, b: Array) -> float:
    """Distance of a point to a segment, as in a school book."""
    along = b - a
    if not along.any():
        return float(np.linalg.norm(p - a))
    t = float(np.clip((p - a) @ along / (along @ along), 0.0, 1.0))
    return float(np.linalg.norm(p - (a + t * along)))


def plain_greedy(points: Array, keys: list[int], time: Array | None) -> tuple[list[int], list[float]]:
    """Section 2.2, step by step: all frames are looked at again for every key."""
    chosen, errors = list(keys), list[float]()
    while True:
        sorted_keys = np.array(sorted(chosen))
        inside = np.setdiff1d(np.arange(len(points)), sorted_keys)
        after = np.searchsorted(sorted_keys, inside)
        squared = polyline.squared_distances(points, inside, sorted_keys[after - 1], sorted_keys[after], time)
        if squared.max(initial=0.0) <= LEAST**2:
            return chosen, [*errors, 0.0]
        errors.append(float(np.sqrt(squared.max())))
        chosen.append(int(inside[np.argmax(squared)]))


def exhaustive(points: Array, count: int, pins: Array, max_gap: int | None, time: Array | None, total: bool) -> float:
    """The least error of all sets of `count` keys."""
    frames = len(points)
    best = np.inf
    for inner in itertools.combinations(range(1, frames - 1), count - 2):
        keys = np.array([0, *inner, frames - 1])
        if not set(pins) <= set(keys) or (max_gap is not None and np.diff(keys).max() > max_gap):
            continue
        distances = key_errors(points, keys, time)
        best = min(best, float(distances.sum() if total else distances.max()))
    return best


@given(seeds, st.integers(1, 5))
def test_a_distance_is_that_to_the_segment(seed: int, dims: int) -> None:
    points = curve(12, seed, dims, coarse=bool(seed % 2))
    frames, a, b = np.random.default_rng(seed).integers(0, 12, (3, 20))
    found = np.sqrt(polyline.squared_distances(points, frames, a, b))
    assert found == pytest.approx(
        [plain_distance(points[f], points[i], points[j]) for f, i, j in zip(frames, a, b, strict=True)], abs=1e-12
    )


def test_waiting_counts_as_distance() -> None:
    points = np.zeros((11, 2))
    assert key_errors(points, np.array([0, 10]), 0.5 * np.arange(11)) == pytest.approx(
        [0, 0.5, 1, 1.5, 2, 2.5, 2, 1.5, 1, 0.5, 0]
    )


@given(seeds, st.integers(2, 60), st.booleans(), st.sampled_from([0.0, 0.25]))
def test_greedy_is_the_definition_to_the_last_bit(seed: int, frames: int, coarse: bool, pace: float) -> None:
    points = curve(frames, seed, coarse=coarse)
    keys = [0, frames - 1, *({frames // 2} if frames > 8 else ())]
    order, errors = plain_greedy(points, keys, clock(frames, pace))
    found = greedy(points, np.array(keys), clock=clock(frames, pace))
    assert found.order.tolist() == order
    assert found.errors.tolist() == errors
    assert found.given == len(keys)


@given(seeds, st.integers(2, 40))
def test_sums_follow_the_insertions(seed: int, frames: int) -> None:
    points = curve(frames, seed)
    found = greedy(points, np.array([0, frames - 1]), total=True)
    for n, error in enumerate(found.errors):
        keys = np.sort(found.order[: n + 2])
        assert error == pytest.approx(key_errors(points, keys).sum(), abs=1e-9)


def test_ties_go_to_the_earliest_frame() -> None:
    points = np.array([[0.0, 0], [1, 1], [2, 0], [3, 1], [4, 0]])
    assert greedy(points, np.array([0, 4])).order.tolist() == [0, 4, 1, 2, 3]


def test_a_straight_line_needs_no_key() -> None:
    points = np.linspace([0.1, 0.2, 0.3], [3.3, 1.7, 9.1], 50)
    assert greedy(points, np.array([0, 49])).order.tolist() == [0, 49]
    assert optimal(points, np.array([0, 49])).counts.tolist() == [2]


@given(
    seeds,
    st.integers(2, 9),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, 1, 2, 3]),
    st.sampled_from([0.0, 0.3]),
)
def test_the_optimum_is_what_exhaustive_search_finds(
    seed: int, frames: int, coarse: bool, total: bool, max_gap: int | None, pace: float
) -> None:
    points = curve(frames, seed, coarse=coarse)
    pins = np.array(sorted({0, frames - 1, *({2} if seed % 2 and frames > 3 else ())}))
    time = clock(frames, pace)
    best = optimal(points, pins, max_gap=max_gap, clock=time, total=total)
    assert best.counts[0] == fewest_keys(pins, max_gap)
    assert len(best.cuts) == 0
    for count, error in zip(best.counts.tolist(), best.errors.tolist(), strict=True):
        assert error == pytest.approx(exhaustive(points, count, pins, max_gap, time, total), abs=1e-12)
        keys = best.keys(count)
        assert len(keys) == count
        assert set(pins) <= set(keys.tolist())
        assert max_gap is None or np.diff(keys).max(initial=0) <= max_gap
        distances = key_errors(points, keys, time)
        assert float(distances.sum() if total else distances.max()) == pytest.approx(error, abs=1e-12)
    assert best.errors[-1] <= LEAST or best.counts[-1] == frames


@given(seeds, st.integers(2, 70), st.booleans(), st.sampled_from([0.0, 0.2]))
def test_the_optimum_is_never_worse_than_greedy(seed: int, frames: int, coarse: bool, pace: float) -> None:
    points = curve(frames, seed, coarse=coarse)
    ends = np.array([0, frames - 1])
    time = clock(frames, pace)
    best, found = optimal(points, ends, clock=time), greedy(points, ends, clock=time)
    both = min(len(best.errors), len(found.errors))
    assert (best.errors[:both] <= found.errors[:both]).all()


@pytest.mark.parametrize("pace", [0.0, 0.05])
def test_the_loops_that_are_compiled_do_the_same(monkeypatch: pytest.MonkeyPatch, pace: float) -> None:
    points = curve(60, 7, coarse=True)
    pins, time = np.array([0, 20, 59]), clock(60, pace)
    best = optimal(points, pins, max_gap=15, clock=time, total=True)

    def not_compiled(loop: Any) -> Any:
        return loop

    monkeypatch.setattr(fast, "compiled", not_compiled)
    other = optimal(points, pins, max_gap=15, clock=time, total=True)
    assert other.errors == pytest.approx(best.errors, rel=1e-12)
    assert other.keys(12).tolist() == best.keys(12).tolist()


def test_compiled_loops_give_the_same_sums() -> None:
    pytest.importorskip("numba")
    points = curve(200, 9)
    ends = np.array([0, 199])
    was = fast.enabled()
    try:
        fast.enable()
        compiled = optimal(points, ends, clock=clock(200, 0.1), total=True)
    finally:
        fast.enable(was)
    best = optimal(points, ends, clock=clock(200, 0.1), total=True)
    assert compiled.errors == pytest.approx(best.errors, rel=1e-12)
    assert np.array_equal(compiled.keys(20), best.keys(20))


def test_sums_of_long_clips_are_solved_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    points = curve(120, 5)
    ends = np.array([0, 60, 119])
    whole = optimal(points, ends, total=True)
    monkeypatch.setattr(polyline_summed, "ALL_AT_ONCE", 100)
    monkeypatch.setattr(polyline_summed, "WINDOW", 40)
    parts = optimal(points, ends, total=True)
    gaps = np.diff([0, *parts.cuts.tolist(), 119])
    assert len(parts.cuts) >= 2
    assert gaps.max() <= 40
    same = np.array(sorted({*parts.cuts.tolist(), *ends.tolist()}))
    monkeypatch.undo()
    # Cuts are pins, no more: window by window is the optimum that keeps them.
    pinned = optimal(points, same, total=True)
    assert parts.counts[0] == pinned.counts[0]
    count = int(parts.counts[0])
    keys = parts.keys(count)
    error = float(key_errors(points, keys).sum())
    assert len(keys) == count
    assert error == pytest.approx(parts.errors[0], abs=1e-9)
    assert error >= whole.errors[count - whole.counts[0]] - 1e-9
    assert error == pytest.approx(pinned.errors[0], abs=1e-9)


@given(seeds, st.integers(2, 80), st.integers(1, 30))
def test_gaps_are_filled_with_as_few_keys_as_can_be(seed: int, frames: int, max_gap: int) -> None:
    points = curve(frames, seed)
    keys = np.array(sorted({0, frames - 1, frames // 3}))
    filled = with_gaps_filled(points, keys, max_gap)
    assert filled[: len(keys)].tolist() == keys.tolist()
    assert len(set(filled.tolist())) == len(filled) == fewest_keys(keys, max_gap)
    assert np.diff(np.sort(filled)).max(initial=0) <= max_gap


def test_the_elbow_lies_where_the_curve_bends() -> None:
    counts = np.arange(2, 40)
    errors = np.where(counts < 10, 1.0 - 0.12 * (counts - 2), 0.04 * (39 - counts) / 29)
    assert counts[elbow(counts, errors)] in (9, 10)
    assert elbow(np.array([2]), np.array([0.0])) == 0
    assert elbow(np.array([2, 3]), np.array([1.0, 0.0])) == 0


def test_even_keys_reach_both_ends() -> None:
    assert even_keys(11, 3).tolist() == [0, 5, 10]
    assert even_keys(5, 5).tolist() == [0, 1, 2, 3, 4]
    assert even_keys(1, 1).tolist() == [0]
