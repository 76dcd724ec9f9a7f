"""Peaks of a curve: what counts as one, what is near it, and the fewest frames that share them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.numerics.peaks import near, peaks, shared

curves = st.lists(st.integers(0, 12), min_size=2, max_size=40).map(lambda xs: np.array(xs, dtype=np.float64))


def prominence(values: np.ndarray, top: int) -> float:
    """The textbook definition: down to the lowest frame before higher ground, on the better-guarded side."""
    sides = []
    for side in (values[:top][::-1], values[top + 1 :]):
        higher = np.flatnonzero(side > values[top])
        reach = side[: higher[0]] if len(higher) else side
        sides.append(values[top] - min([*reach.tolist(), values[top]]))
    return min(sides)


@given(curves, st.integers(1, 6))
def test_peaks_inside_a_curve_are_those_of_that_prominence(values: np.ndarray, least: int) -> None:
    # Low ends, so that no end of the curve counts by itself.
    values = np.concatenate([[-20.0], values, [-20.0]])
    found = peaks(values, least)
    tops = {
        frame
        for frame in range(1, len(values) - 1)
        if values[frame] > values[frame - 1]
        and prominence(values, frame) >= least
        and values[frame] >= values[frame + 1]
    }
    heights = sorted(values[frame] for frame in tops)
    # Of equal tops that no deep valley parts, the definition counts each and we the first.
    assert {peak.frame for peak in found} <= tops
    assert {peak.value for peak in found} == set(heights)
    for peak in found:
        assert peak.first <= peak.frame <= peak.last
        assert values[peak.first : peak.last + 1].max() == peak.value
        assert peak.rise == peak.value - max(values[peak.first], values[peak.last])
        assert peak.rise >= least


def test_a_curve_that_ends_on_the_way_has_its_peak_at_the_end() -> None:
    assert [peak.frame for peak in peaks(np.array([0.0, 1.0, 2.0, 3.0]), 1.0)] == [3]
    assert [peak.frame for peak in peaks(np.array([3.0, 2.0, 1.0]), 1.0)] == [0]
    # The clip begins just before the top: the far side alone tells its rise.
    (peak,) = peaks(np.array([4.8, 5.0, 3.0, 0.0]), 1.0)
    assert (peak.frame, peak.rise) == (1, 5.0)


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0], [1.0, 1.4, 1.1, 1.3]])
def test_small_waves_and_flat_curves_have_none(values: list[float]) -> None:
    assert peaks(np.array(values), 0.5) == []


@given(curves, st.integers(1, 4), st.floats(0.0, 0.9))
def test_near_a_peak_no_more_is_missing_than_allowed(values: np.ndarray, least: int, loss: float) -> None:
    for peak in peaks(values, least):
        first, last = near(values, peak, loss)
        assert first <= peak.frame <= last
        assert (values[first : last + 1] >= peak.value - loss * peak.rise).all()
        for beyond in (first - 1, last + 1):
            if peak.first <= beyond <= peak.last:
                assert values[beyond] < peak.value - loss * peak.rise


stretches = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)).map(lambda p: (p[0], p[0] + p[1])), max_size=8)


@given(stretches)
def test_shared_frames_are_as_few_as_can_be(given_: list[tuple[int, int]]) -> None:
    found = shared(given_)
    assert sorted(which for *_, group in found for which in group) == list(range(len(given_)))
    for first, last, group in found:
        assert first <= last
        assert all(given_[which][0] <= first and last <= given_[which][1] for which in group)
    # No two frames that pick the group's first stretch overlap: each group needs its own frame.
    leaders = [min((given_[which] for which in group), key=lambda stretch: stretch[1]) for *_, group in found]
    assert all(one[1] < other[0] for one, other in pairwise(leaders))
