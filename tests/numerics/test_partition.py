"""The best partition is what exhaustive search finds, whatever of it fits into memory."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.numerics import partition
from komadori.numerics.costs import QUICK_S, holds_cost_s, is_quick, keys_cost_s

tables = st.tuples(st.integers(1, 9), st.integers(1, 4), st.integers(0, 10**6))


def table(items: int, span: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 9, size=(span, items)).astype(np.float64)
    cost[1:][rng.random((span - 1, items)) < 0.3] = np.inf
    for size in range(1, span):
        cost[size, items - size :] = np.inf
    return cost


def by_search(cost: np.ndarray, parts: int) -> float:
    span, items = cost.shape
    best = np.inf
    for cuts in combinations(range(1, items), parts - 1):
        edges = [0, *cuts, items]
        sizes = np.diff(edges)
        if sizes.max() <= span:
            best = min(best, sum(cost[size - 1, at] for at, size in zip(edges, sizes, strict=False)))
    return best


@given(tables, st.integers(1, 9))
def test_it_is_what_exhaustive_search_finds(numbers: tuple[int, int, int], parts: int) -> None:
    cost = table(*numbers)
    items = cost.shape[1]
    count, error, sizes = partition.best_partition(cost, parts)
    reachable = [n for n in range(1, items + 1) if by_search(cost, n) < np.inf]
    assert count == min(max(parts, reachable[0]), items)
    assert error == by_search(cost, count)
    assert (len(sizes), sum(sizes)) == (count, items)
    begins = np.cumsum([0, *sizes[:-1]])
    assert sum(cost[size - 1, at] for size, at in zip(sizes, begins, strict=True)) == error


def test_a_table_that_is_computed_in_blocks_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = table(700, 3, 5)
    whole = partition.best_partition(cost, 420)
    monkeypatch.setattr(partition, "CELLS", 1)
    assert partition.best_partition(cost, 420) == whole


def test_what_is_quick_depends_on_the_cost_and_not_on_the_frames_alone() -> None:
    assert is_quick(holds_cost_s(129, 43, 3))
    assert is_quick(holds_cost_s(10_000, 3_333, 3))
    assert not is_quick(holds_cost_s(100_000, 33_333, 3))
    # On twos a half is all that can be held: nothing is left to choose.
    assert holds_cost_s(20_000, 10_000, 2) < holds_cost_s(20_000, 5_000, 2)
    assert is_quick(keys_cost_s(1_500, "max"))
    assert not is_quick(keys_cost_s(2_000, "max"))
    assert is_quick(keys_cost_s(700, "sum"))
    assert not is_quick(keys_cost_s(1_500, "sum"))
    assert is_quick(QUICK_S)
