from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.cut import Cue, Cut
from komadori.errors import OptionError
from komadori.render import sheets
from komadori.render.drawing import Circle, Drawing, Line, Polyline, Rect, Text
from komadori.render.sheets import printed_sheet, seconds_and_frames
from komadori.timesheet import Timesheet

GRID_TOP = sheets.TITLES_TOP + sheets.TITLES_HEIGHT


def texts(page: Drawing) -> list[Text]:
    return [item for item in page.items if isinstance(item, Text)]


def circles(page: Drawing) -> list[Circle]:
    return [item for item in page.items if isinstance(item, Circle) and item.colour]


def numbers_in_rows(page: Drawing, x: float, rows: int) -> dict[int, str]:
    """Output frame -> what stands at it in the column with middle `x`."""
    height = (sheets.GRID_BOTTOM - GRID_TOP) / rows
    found = [t for t in texts(page) if abs(t.x - x) < 1e-6 and t.y > GRID_TOP]
    return {int((t.y - GRID_TOP) / height): t.text for t in found}


def column_middles(page: Drawing, track: str) -> list[float]:
    """The middles of the ACTION, CELL and SOURCE columns of `track`, left block then right block."""
    return sorted(t.x for t in texts(page) if t.text == track and t.bold and t.y < GRID_TOP)


def test_a_worked_sheet() -> None:
    sheet = Timesheet(24, np.array([0, 0, 2, 3, 9, 9, 9, 10]))
    (page,) = printed_sheet({"A": sheet}, title="Pitch", scene="3", cut="12")
    action, cell, source = column_middles(page, "A")[:3]
    assert numbers_in_rows(page, cell, 72) == {0: "1", 2: "2", 3: "3", 4: "4", 7: "5"}
    assert numbers_in_rows(page, action, 72) == {0: "1", 3: "3", 4: "4", 7: "5"}
    assert numbers_in_rows(page, source, 72) == {0: "1", 2: "3", 3: "4", 4: "10", 7: "11"}
    assert len(circles(page)) == 2 * 4
    words = [t.text for t in texts(page)]
    assert {"Pitch", "3", "12", "0+8", "1 / 1"} <= set(words)
    lines = [i for i in page.items if isinstance(i, Line) and i.x1 == i.x2 == cell]
    assert len(lines) == 2


def test_keys_are_the_ends_and_both_sides_of_an_omission_but_never_of_a_hold() -> None:
    assert Cut({"A": Timesheet(24, np.array([0, 0, 0, 3, 3, 3, 6, 7, 8]))}).key_frames("A") == {0, 8}
    assert Cut({"A": Timesheet(24, np.array([0, 1, 2, 5, 6]))}).key_frames("A") == {0, 2, 3, 4}
    assert Cut({"A": Timesheet(24, np.array([0, 0, 1, 2, 5, 6]))}).key_frames("A") == {0, 3, 4, 5}
    assert Cut({"A": Timesheet(24, np.zeros(0, dtype=int))}).key_frames("A") == frozenset()


def test_keys_can_be_chosen() -> None:
    (page,) = printed_sheet({"A": Timesheet.ones(10)}, keys={4})
    assert len(circles(page)) == 2
    (page,) = printed_sheet({"A": Timesheet.ones(10)}, keys=())
    assert not circles(page)


def test_the_ruling_at_24_is_fine_each_frame_heavier_in_sixes_and_heaviest_each_second() -> None:
    (page,) = printed_sheet({"A": Timesheet.ones(144)})
    block = [
        i for i in page.items if isinstance(i, Line) and i.y1 == i.y2 and i.x1 == sheets.MARGIN and i.y1 > GRID_TOP
    ]
    ruled = [i for i in block if i.colour != sheets.INK]
    assert len(ruled) == 72
    by_weight = {n: sum(i.width == w for i in ruled) for n, w in (("frame", 0.5), ("six", 0.8), ("second", 1.5))}
    assert by_weight == {"frame": 60, "six": 9, "second": 3}
    assert np.diff([i.y1 for i in ruled]) == pytest.approx(np.full(71, (sheets.GRID_BOTTOM - GRID_TOP) / 72))


@pytest.mark.parametrize(
    ("fps", "rows", "a_second"), [(24, 72, 24), (30, 90, 30), (25, 75, 25), (12, 72, 12), (60, 60, 60), (8, 72, 8)]
)
def test_other_rates_are_ruled_by_their_own_seconds(fps: float, rows: int, a_second: int) -> None:
    pages = printed_sheet({"A": Timesheet.ones(2 * rows, fps)})
    assert len(pages) == 1
    block = [i for i in pages[0].items if isinstance(i, Line) and i.y1 == i.y2 and i.x1 == sheets.MARGIN]
    seconds = sum(i.width == 1.5 for i in block if i.y1 > GRID_TOP)
    assert seconds == rows // a_second


def test_ntsc_is_ruled_in_whole_frames() -> None:
    assert len(printed_sheet({"A": Timesheet.ones(144, 24000 / 1001)})) == 1
    assert len(printed_sheet({"A": Timesheet.ones(96 * 2 + 1, 240)})) == 2


def test_a_length_is_seconds_and_frames() -> None:
    assert [seconds_and_frames(n, 24) for n in (0, 23, 24, 129)] == ["0+0", "0+23", "1+0", "5+9"]


def test_long_sheets_go_on_and_a_drawing_that_lasts_is_carried_over() -> None:
    pages = printed_sheet({"A": Timesheet(24, np.zeros(300, dtype=int))}, keys=())
    assert [next(t.text for t in texts(p) if "/" in t.text) for p in pages] == ["1 / 3", "2 / 3", "3 / 3"]
    assert [sum(t.text == "(1)" for t in texts(p)) for p in pages] == [1, 2, 1]


def test_more_tracks_than_fit_go_on_pages_of_their_own() -> None:
    tracks = {name: Timesheet.ones(30) for name in "ABCDEF"}
    pages = printed_sheet(tracks)
    assert len(pages) == 2
    assert [{t.text for t in texts(p) if t.bold and t.text in tracks} for p in pages] == [set("ABCD"), set("EF")]


def test_a_track_that_ends_early_is_marked_empty() -> None:
    (page,) = printed_sheet({"A": Timesheet.ones(30), "B": Timesheet.ones(20)})
    crosses = [i for i in page.items if type(i).__name__ == "Polyline"]
    assert len(crosses) == 2


def test_the_japanese_page_speaks_japanese() -> None:
    (page,) = printed_sheet({"A": Timesheet.ones(30)}, language="ja")
    words = {t.text for t in texts(page)}
    assert {"作品", "シーン", "カット", "原画", "動画", "セリフ", "カメラ"} <= words
    assert not [word for word in words if re.search(r"[A-Za-z]{2,}", word)]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 2000), min_size=1, max_size=200), min_size=1, max_size=5),
    st.sampled_from([8, 12, 24, 25, 30, 60, 24000 / 1001, 240]),
    st.text(max_size=40),
)
def test_every_drawing_stands_on_the_pages_once_and_nothing_lies_outside(
    tracks: list[list[int]], fps: float, title: str
) -> None:
    sheet = {f"t{n}": Timesheet(fps, np.array(source)) for n, source in enumerate(tracks)}
    pages = printed_sheet(sheet, title=title, keys=())
    runs = sum(len(s.runs()) for s in sheet.values())
    # A number in the cell column and one in the source column for each run, a dot in the action column.
    dots = sum(isinstance(i, Circle) and i.radius < 2 for p in pages for i in p.items)
    assert dots == runs
    for page in pages:
        for item in page.items:
            if isinstance(item, Text):
                assert 0 <= item.x <= page.width
                assert 0 <= item.y <= page.height
            elif isinstance(item, Rect):
                assert item.height >= 0
                assert item.x + item.width <= page.width + 1e-6


def test_a_sheet_without_end_is_refused() -> None:
    with pytest.raises(OptionError, match="pages"):
        printed_sheet({"A": Timesheet(24, np.zeros(10**6, dtype=int))})


def test_an_empty_sheet_is_an_empty_page() -> None:
    (page,) = printed_sheet({"A": Timesheet(24, np.zeros(0, dtype=int))})
    assert "0+0" in {t.text for t in texts(page)}


def test_the_three_second_form_has_one_wide_column_and_more_tracks() -> None:
    sheets_of = {chr(ord("A") + n): Timesheet.on(2, 100) for n in range(8)}
    assert len(printed_sheet(sheets_of)) == 2
    pages = printed_sheet(sheets_of, seconds=3)
    assert len(pages) == 2
    assert all(len(column_middles(page, "H")) == 3 for page in pages)
    cell = column_middles(pages[1], "A")[1]
    assert numbers_in_rows(pages[1], cell, 72)[0] == "37"
    right = max(item.x2 for item in pages[0].items if isinstance(item, Line))
    assert right <= sheets.A4[0] - sheets.MARGIN + 1e-6
    with pytest.raises(OptionError, match="one of 6, 3"):
        printed_sheet(sheets_of, seconds=4)


def test_empty_cels_dialogue_and_camera_work_stand_in_their_columns() -> None:
    cut = Cut.of_numbers(
        24,
        {"A": [0, 0, 1, 1, 0, 2]},
        frames=12,
        scene="3",
        cut="45",
        dialogue=(Cue(6, 4, "abcd", "Ken"),),
        camera=(Cue(0, 10, "PAN"),),
    )
    (page,) = printed_sheet(cut)
    _, cell, _ = column_middles(page, "A")[:3]
    height = (sheets.GRID_BOTTOM - GRID_TOP) / 72
    crosses = {round((item.points[0][1] + item.points[1][1]) / 2 - GRID_TOP, 3) for item in page.items if isinstance(item, Polyline) and abs(sum(x for x, _ in item.points) / 2 - cell) < 1e-6}  # fmt: skip
    assert crosses == {round((frame + 0.5) * height, 3) for frame in (0, 4, 6)}
    assert numbers_in_rows(page, cell, 72) == {2: "1", 5: "2"}
    words = {t.text: t for t in texts(page)}
    assert {"3", "45", "PAN", "Ken", "a", "b", "c", "d"} <= set(words)
    assert [int((words[letter].y - GRID_TOP) / height) for letter in "abcd"] == [6, 7, 8, 9]
    assert words["PAN"].x > words["a"].x
