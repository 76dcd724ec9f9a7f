"""The quick search for the least largest distance is the plain table, to the last bit, for every count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curves import clock, curve, seeds
from komadori import load
from komadori.characters import SAMPLES, sample
from komadori.methods.keyposes import keyposes
from komadori.numerics import polyline_largest, polyline_segments
from komadori.numerics.polyline import LEAST, Frames, elbow, fewest_keys, squared_distances
from komadori.numerics.polyline_largest import LargestOptima
from komadori.numerics.polyline_segments import segments_within, within_reach
from komadori.quat import Array

from realdata import real


def plain_table(points: Array, pins: Frames, max_gap: int | None, time: Array | None) -> Array:
    """(F, F): at [i, j] the largest squared distance inside the segment from i to j, infinite where it is not allowed."""
    frames = len(points)
    table = np.full((frames, frames), np.inf)
    for i in range(frames):
        for j in range(i + 1, frames):
            if ((pins > i) & (pins < j)).any() or (max_gap is not None and j - i > max_gap):
                continue
            inside = np.arange(i + 1, j)
            at = np.full_like(inside, i), np.full_like(inside, j)
            table[i, j] = squared_distances(points, inside, *at, time).max(initial=0.0)
    return table


def plain_errors(table: Array) -> tuple[Frames, Array]:
    """Every count, and its least error, by one table of ways for each number of segments."""
    best, errors = table[0], [table[0][-1]]
    while errors[-1] > LEAST**2:
        best = np.maximum(best[:, None], table).min(axis=0)
        errors.append(best[-1])
    least = np.sqrt(np.array(errors))
    allowed = np.isfinite(least)
    return 2 + np.flatnonzero(allowed), np.where(least[allowed] <= LEAST, 0.0, least[allowed])


def plain_keys(table: Array, count: int, error: float) -> list[int]:
    """Of all ways with that error the one with the least sum of squared errors; of equals the earlier frames, from the end."""
    table = np.where(table <= max(error, LEAST) ** 2 * (1.0 + 1e-12), table, np.inf)
    best = [table[0]]
    for _ in range(2, count):
        best.append((best[-1][:, None] + table).min(axis=0))
    way = [len(table) - 1]
    for before in reversed(best[:-1]):
        way.append(int(np.argmin(before + table[:, way[-1]])))
    return [0, *way[::-1]]


def pinned(frames: int, seed: int) -> Frames:
    return np.array(sorted({0, frames - 1, *({frames // 3, frames // 2} if seed % 3 == 0 else ())}))


def compared(points: Array, pins: Frames, max_gap: int | None, time: Array | None) -> None:
    """Asserts that every face of the quick search says what the plain table says."""
    table = plain_table(points, pins, max_gap, time)
    counts, errors = plain_errors(table)
    whole = LargestOptima(points, pins, max_gap, time)
    assert whole.counts.tolist() == counts.tolist()
    assert int(counts[0]) == fewest_keys(pins, max_gap)
    assert whole.errors.tolist() == errors.tolist()
    assert LargestOptima(points, pins, max_gap, time).elbow() == counts[elbow(counts, errors)]
    middle = int(counts[len(counts) // 2])
    for count in {int(counts[0]), middle, int(counts[-1])}:
        place = count - int(counts[0])
        alone = LargestOptima(points, pins, max_gap, time)
        assert alone.error(count) == errors[place]
        keys = plain_keys(table, count, errors[place])
        assert alone.keys(count).tolist() == keys
        assert whole.keys(count).tolist() == keys
    for tolerance in (0.0, float(errors[len(errors) // 2]), 0.3 * float(errors[0]), 2.0 * float(errors[0])):
        found = LargestOptima(points, pins, max_gap, time).first_within(tolerance)
        assert found == counts[np.flatnonzero(errors <= tolerance)[0]]


@given(
    seeds,
    st.integers(2, 48),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([None, 1, 3, 7, 40]),
    st.sampled_from([0.0, 0.3]),
)
def test_every_count_is_that_of_the_plain_table(
    seed: int, frames: int, dims: int, coarse: bool, max_gap: int | None, pace: float
) -> None:
    compared(curve(frames, seed, dims, coarse), pinned(frames, seed), max_gap, clock(frames, pace))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("pace", [0.0, 0.2])
def test_long_segments_are_found_too(seed: int, pace: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the sizes at which the search changes its ways made small."""
    monkeypatch.setattr(polyline_segments, "SHORT", 5)
    monkeypatch.setattr(polyline_segments, "STRIDES", (9, 3))
    monkeypatch.setattr(polyline_segments, "ROOM", 300)
    monkeypatch.setattr(polyline_segments, "BATCH", 50)
    monkeypatch.setattr(polyline_largest, "SAMPLED", 5)
    if seed % 2:
        monkeypatch.setattr(polyline_largest, "AT_ONCE", 20)
    compared(curve(110, seed, coarse=seed == 3), pinned(110, seed), None, clock(110, pace))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_samples_are_solved_as_the_plain_table_says(name: str) -> None:
    points = keyposes(sample(name)).curve
    compared(points[:140], np.array([0, min(140, len(points)) - 1]), None, None)


def test_a_real_clip_is_solved_as_the_plain_table_says() -> None:
    points = keyposes(load(real("human_cmu_bvh/02_01.bvh")).prepared(fps=24)).curve[:200]
    compared(points, np.array([0, len(points) - 1]), None, None)


def test_more_keys_may_be_worse() -> None:
    points = np.array([[6.0, 3.0], [0.0, 5.0], [5.0, 5.0], [1.0, 0.0], [6.0, 0.0]])
    compared(points, np.array([0, 4]), None, None)
    errors = LargestOptima(points, np.array([0, 4]), None, None).errors
    assert errors == pytest.approx([6.3246, 3.2009, 4.9029, 0.0], abs=1e-4)


@given(seeds, st.integers(3, 60), st.floats(0.05, 6.0))
def test_no_segment_beyond_reach_is_within(seed: int, frames: int, bound: float) -> None:
    points = curve(frames, seed)
    ends = np.full(frames, frames - 1)
    reach = within_reach(points, ends, bound**2)
    i, j = np.nonzero(plain_table(points, np.array([0, frames - 1]), None, None) <= bound**2)
    assert (j <= reach[i]).all()
    found = segments_within(points, ends, None, bound**2)
    assert sorted(zip(found.left.tolist(), found.right.tolist(), strict=True)) == list(
        zip(i.tolist(), j.tolist(), strict=True)
    )


def test_a_count_of_a_long_clip_looks_at_few_segments() -> None:
    """What is looked at grows with the frames times the gap between keys, not with all pairs of frames."""
    points = curve(4000, 1)
    optima = LargestOptima(points, np.array([0, 3999]), None, None)
    count = optima.elbow()
    segments = optima._found[1]
    assert segments is not None
    assert len(segments) < 0.08 * 4000**2 / 2
    keys = optima.keys(count)
    assert len(keys) == count
    assert len(optima.cuts) == 0
