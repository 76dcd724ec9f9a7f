"""Editing the exposure sheet by hand: what each edit may and may not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.studio.sheets import deleted, drawn, inserted, moved_edge

sources = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def runs(source: list[int]) -> list[int]:
    return [frame for n, frame in enumerate(source) if n == 0 or frame != source[n - 1]]


def edges(source: list[int]) -> list[int]:
    return [n for n in range(1, len(source)) if source[n] != source[n - 1]]


@given(sources, st.data())
def test_a_moved_edge_keeps_every_drawing_and_every_other_edge(source: list[int], data: st.DataObject) -> None:
    found = edges(source)
    if not found:
        return
    edge = data.draw(st.sampled_from(found))
    to = data.draw(st.integers(-3, len(source) + 3))
    after = moved_edge(source, edge, to)
    assert len(after) == len(source)
    assert runs(after) == runs(source)
    moved = [n for n in edges(after) if n not in found]
    assert len(moved) <= 1
    low = max([n for n in found if n < edge], default=0) + 1
    high = min([n for n in found if n > edge], default=len(source)) - 1
    assert min(max(to, low), high) in edges(after)


@given(sources, st.data())
def test_an_exposure_put_in_and_taken_out_again_changes_nothing(source: list[int], data: st.DataObject) -> None:
    frame = data.draw(st.integers(0, len(source) - 1))
    longer = inserted(source, frame)
    assert len(longer) == len(source) + 1
    assert runs(longer) == runs(source)
    assert deleted(longer, frame) == source


@given(sources, st.data())
def test_drawing_another_frame_changes_the_rest_of_that_run_alone(source: list[int], data: st.DataObject) -> None:
    frame = data.draw(st.integers(0, len(source) - 1))
    after = drawn(source, frame, 5, 10)
    assert after[frame] == 5
    assert after[:frame] == source[:frame]
    rest = next((n for n in range(frame, len(source)) if source[n] != source[frame]), len(source))
    assert after[rest:] == source[rest:]
    assert set(after[frame:rest]) == {5}


@pytest.mark.parametrize("frame", [-1, 6, 10**12])
def test_frames_that_are_not_on_the_sheet_are_refused(frame: int) -> None:
    source = [0, 0, 1, 1, 2, 2]
    for edit in (lambda: moved_edge(source, frame, 1), lambda: inserted(source, frame), lambda: deleted(source, frame)):
        with pytest.raises(OptionError, match="expected a frame of the sheet"):
            edit()


def test_an_edge_must_be_one() -> None:
    with pytest.raises(OptionError, match="a frame at which a drawing begins"):
        moved_edge([0, 0, 1], 1, 2)


def test_a_sheet_never_becomes_empty() -> None:
    with pytest.raises(OptionError, match="the last exposure stays"):
        deleted([3], 0)


def test_only_frames_of_the_clip_can_be_drawn() -> None:
    with pytest.raises(OptionError, match="expected a frame of the motion, 0 to 9, found 10"):
        drawn([0, 1], 0, 10, 10)
