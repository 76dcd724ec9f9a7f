"""Editing the exposure sheet by hand: what each edit may and may not change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.studio.locks import END, all_locked, are_sound, laid
from komadori.studio.messages import EditSheet
from komadori.studio.parts.sheet import edit
from komadori.studio.scene import Lock
from komadori.timesheet import Timesheet

sources = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def sheet(source: list[int]) -> Timesheet:
    return Timesheet(24.0, np.array(source, dtype=np.int64))


def after(source: list[int], ask: EditSheet, frames: int = 10) -> list[int]:
    """What a sheet of nobody's edits shows after one."""
    locks = edit(laid(sheet(source), [], frames), ask, frames)
    assert are_sound(locks)
    return laid(sheet(source), locks, frames).source.tolist()


def moved_edge(source: list[int], frame: int, to: int) -> list[int]:
    return after(source, EditSheet("limited", "edge", frame, to))


def inserted(source: list[int], frame: int) -> list[int]:
    return after(source, EditSheet("limited", "insert", frame))


def deleted(source: list[int], frame: int) -> list[int]:
    return after(source, EditSheet("limited", "delete", frame))


def drawn(source: list[int], frame: int, shown: int, frames: int) -> list[int]:
    return after(source, EditSheet("limited", "draw", frame, shown), frames)


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
    new = moved_edge(source, edge, to)
    assert len(new) == len(source)
    assert runs(new) == runs(source)
    moved = [n for n in edges(new) if n not in found]
    assert len(moved) <= 1
    low = max([n for n in found if n < edge], default=0) + 1
    high = min([n for n in found if n > edge], default=len(source)) - 1
    assert min(max(to, low), high) in edges(new)


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
    rest = next((n for n in range(frame, len(source)) if source[n] != source[frame]), len(source))
    # Beside the same drawing a locked one would be longer than it says: such a neighbour begins or ends again.
    assume(5 not in source[max(frame - 1, 0) : rest + 1])
    new = drawn(source, frame, 5, 10)
    assert new[frame] == 5
    assert new[:frame] == source[:frame]
    assert new[rest:] == source[rest:]
    assert set(new[frame:rest]) == {5}


@pytest.mark.parametrize("frame", [-1, 6, 10**12])
def test_frames_that_are_not_on_the_sheet_are_refused(frame: int) -> None:
    source = [0, 0, 1, 1, 2, 2]
    for tried in (
        lambda: moved_edge(source, frame, 1),
        lambda: inserted(source, frame),
        lambda: deleted(source, frame),
    ):
        with pytest.raises(OptionError, match="expected a frame of the sheet"):
            tried()


def test_an_edge_must_be_one() -> None:
    with pytest.raises(OptionError, match="a frame at which a drawing begins"):
        moved_edge([0, 0, 1], 1, 2)


def test_a_sheet_never_becomes_empty() -> None:
    with pytest.raises(OptionError, match="the last exposure stays"):
        deleted([3], 0)


def test_only_frames_of_the_clip_can_be_drawn() -> None:
    with pytest.raises(OptionError, match="expected a frame of the motion, 1 to 10, found 11"):
        drawn([0, 1], 0, 10, 10)


def in_time(lengths: list[int]) -> list[int]:
    """A sheet that shows each drawing from its own frame on, for so many frames each."""
    return [int(begin) for begin, n in zip(np.cumsum([0, *lengths[:-1]]), lengths, strict=True) for _ in range(n)]


def exposures(source: list[int], drawing: int) -> int:
    return source.count(drawing)


exposed = st.lists(st.integers(1, 5), min_size=2, max_size=15)
edits = st.lists(
    st.tuples(st.sampled_from(["edge", "insert", "delete", "lock"]), st.integers(0, 99), st.integers(0, 99)), max_size=6
)


@given(exposed, exposed, edits)
def test_what_was_locked_holds_when_the_method_says_something_else(
    one: list[int], two: list[int], asked: list[tuple[str, int, int]]
) -> None:
    frames = max(sum(one), sum(two))
    before, other = sheet(in_time(one)), sheet(in_time(two))
    locks: list[Lock] = []
    for kind, frame, to in asked:
        over = laid(before, locks, frames)
        at = frame % len(over.source)
        if kind == "edge" and (at == 0 or over.source[at] == over.source[at - 1]):
            continue
        if kind == "delete" and len(over.source) == 1:
            continue
        start, end = over.run(at)
        locks = edit(over, EditSheet("limited", kind, at, to % len(over.source)), frames)
        assert are_sound(locks)
        now = laid(before, locks, frames)
        change = {"insert": 1, "delete": -1}.get(kind, 0)
        assert len(now.source) == len(over.source) + change, "nothing else became longer or shorter"
        if kind == "insert":
            assert now.source[start : end + 1].tolist() == [over.source[at]] * (end + 1 - start)
    shown = laid(before, locks, frames)
    again = laid(other, locks, frames)
    for first, _ in shown.locked:
        drawing = int(shown.source[first])
        assert exposures(again.source.tolist(), drawing) == exposures(shown.source.tolist(), drawing)
    if len(again.source):
        assert all(a <= b for a, b in pairwise(again.source.tolist())), "the motion never goes back"
    assert laid(before, [], frames).source.tolist() == before.source.tolist()


def test_a_lock_in_the_middle_of_a_long_hold_is_shown_for_as_long_as_it_says() -> None:
    assert laid(sheet([0] * 8), [Lock(3, 5, 3, 2)], 8).source.tolist() == [0, 0, 0, 3, 3, 5, 5, 5]


def test_unlocking_gives_a_drawing_back_to_the_method() -> None:
    made = sheet([0, 0, 2, 2, 4, 4])
    locks = edit(laid(made, [], 6), EditSheet("limited", "insert", 2), 6)
    locks = edit(laid(made, locks, 6), EditSheet("limited", "delete", 6), 6)
    over = laid(made, locks, 6)
    assert over.source.tolist() == [0, 0, 2, 2, 2, 4]
    assert over.locked == [(2, 5), (5, 6)]
    locks = edit(over, EditSheet("limited", "unlock", 3), 6)
    assert laid(made, locks, 6).source.tolist() == [0, 0, 2, 2, 4]


def test_a_drawing_that_was_taken_away_comes_back_when_its_place_is_unlocked() -> None:
    made = sheet([0, 1, 2, 3])
    locks = edit(laid(made, [], 4), EditSheet("limited", "delete", 1), 4)
    over = laid(made, locks, 4)
    assert over.source.tolist() == [0, 2, 3]
    assert edit(over, EditSheet("limited", "unlock", 0), 4) == []


@given(sources, sources)
def test_a_sheet_from_a_file_is_shown_whatever_the_method_says(source: list[int], other: list[int]) -> None:
    locks = all_locked(source)
    assert are_sound(locks)
    assert laid(sheet(other), locks, 10).source.tolist() == source
    assert locks[-1].last == END
