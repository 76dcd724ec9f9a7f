from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.errors import OptionError
from komadori.timesheet import Timesheet

sources = st.lists(st.integers(0, 9), max_size=40)


@given(sources)
def test_runs_tell_the_whole_sheet(source: list[int]) -> None:
    sheet = Timesheet(24, np.array(source, dtype=int))
    runs = sheet.runs()
    assert sum(run.length for run in runs) == len(sheet) == len(source)
    assert [run.source for run in runs for _ in range(run.length)] == source
    assert [run.start for run in runs] == sheet.starts.tolist()
    assert all(a.source != b.source for a, b in itertools.pairwise(runs))
    assert [run.length for run in runs for _ in range(run.length)] == sheet.exposures.tolist()


@given(sources)
def test_drawings_are_in_order_of_first_appearance(source: list[int]) -> None:
    sheet = Timesheet(24, np.array(source, dtype=int))
    assert sheet.drawings.tolist() == list(dict.fromkeys(source))


@given(sources, st.integers(0, 15))
def test_a_frame_is_shown_or_omitted(source: list[int], frames: int) -> None:
    omitted = Timesheet(24, np.array(source, dtype=int)).omitted(frames).tolist()
    assert omitted == [frame for frame in range(frames) if frame not in source]


@given(sources.filter(bool), st.data())
def test_then_is_one_sheet_on_top_of_another(source: list[int], data: st.DataObject) -> None:
    top = data.draw(st.lists(st.integers(0, len(source) - 1), max_size=20))
    both = Timesheet(24, np.array(source)).then(Timesheet(12, np.array(top, dtype=int)))
    assert both.source.tolist() == [source[frame] for frame in top]
    assert both.fps == 12


def test_then_on_ones_changes_nothing() -> None:
    sheet = Timesheet(24, np.array([0, 0, 3, 3, 4]))
    assert sheet.then(Timesheet.ones(5)) == sheet == Timesheet.ones(5).then(sheet)


@pytest.mark.parametrize("exposures", [1, 2, 3, 5])
@pytest.mark.parametrize("frames", [0, 1, 6, 7])
def test_on_twos_and_threes(exposures: int, frames: int) -> None:
    sheet = Timesheet.on(exposures, frames)
    assert len(sheet) == frames
    assert all(run.length == exposures for run in sheet.runs()[:-1])
    assert (sheet.source <= np.arange(frames)).all()
    assert (np.arange(frames) - sheet.source < exposures).all()


def test_edited_gives_a_copy() -> None:
    sheet = Timesheet.ones(6)
    assert sheet.edited(slice(1, 4), 1).source.tolist() == [0, 1, 1, 1, 4, 5]
    assert sheet.edited(slice(0, 2), [7, 8]).source.tolist() == [7, 8, 2, 3, 4, 5]
    assert sheet.edited(-1, 0).source.tolist() == [0, 1, 2, 3, 4, 0]
    assert sheet.source.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("frames", "source"),
    [(0, 1.5), (9, 0), (slice(0, 3), [1, 2]), (0, -1), (0, "two"), (slice(0, 1), [[1, 2], [3, 4]])],
)
def test_edits_that_make_no_sheet(frames: int | slice, source: object) -> None:
    with pytest.raises(OptionError) as caught:
        Timesheet.ones(6).edited(frames, source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source", [[0.5], [-1], [[0, 1]], ["a"], 3, [True], np.array([2**63], dtype=np.uint64), [2**70]]
)
def test_no_sheet(source: object) -> None:
    with pytest.raises(OptionError) as caught:
        Timesheet(24, source)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("fps", [0, -1, float("nan")])
def test_a_sheet_needs_a_rate(fps: float) -> None:
    with pytest.raises(OptionError):
        Timesheet.ones(3, fps)


def test_a_sheet_may_not_show_what_the_one_below_lacks() -> None:
    with pytest.raises(OptionError, match="expected frames of the first sheet, 0 to 2, found 3"):
        Timesheet.ones(3).then(Timesheet(24, np.array([3])))


def test_exposures_below_one() -> None:
    with pytest.raises(OptionError):
        Timesheet.on(0, 5)


def test_nobody_can_change_a_sheet() -> None:
    given_array = np.array([0, 1, 2])
    sheet = Timesheet(24, given_array)
    given_array[0] = 2
    assert sheet.source[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        sheet.source[0] = 1
    with pytest.raises(AttributeError):
        sheet.fps = 12  # type: ignore[misc]


def test_equality_hash_and_pickle() -> None:
    sheet = Timesheet(24000 / 1001, np.array([0, 0, 2]))
    again = pickle.loads(pickle.dumps(sheet))
    assert again == sheet
    assert hash(again) == hash(sheet)
    assert again != Timesheet(24, sheet.source)
    assert again != Timesheet(sheet.fps, np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="read-only"):
        again.source[0] = 1
