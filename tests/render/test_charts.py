from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from komadori.quat import Array
from komadori.render import charts
from komadori.render.charts import BLUE, GREEN, VERMILION, steps_chart
from komadori.render.drawing import Circle, Drawing, Line, Polygon, Polyline, Rect, Text
from komadori.timesheet import Frames, Timesheet


@dataclass
class Result:
    sheet: Timesheet
    steps_before: Array
    steps_after: Array
    omitted_frames: Frames = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    inserted_frames: Frames = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    omitted: int = 0
    held: int = 0

    @property
    def held_frames(self) -> Frames:
        return (1 + np.flatnonzero(np.diff(self.sheet.source) == 0)).astype(np.int64)


def worked(repeat: int = 1) -> Result:
    """12 frames, of which 5 and 6 are omitted; frame 1 is repeated twice for them, and 10 is held."""
    source = np.array([0, 1, 1, 1, 2, 3, 4, 7, 8, 9, 10, 10])
    place = np.array([0, 1, 2, 3, 5, 9, 20, 30, 33, 34, 35, 35.5]) / 10
    if repeat > 1:
        source = np.concatenate([source + 12 * n for n in range(repeat)])
        place = np.concatenate([place + 4 * n for n in range(repeat)])
    return Result(
        Timesheet(24, source),
        np.diff(place) ** 2,
        np.diff(place[source]) ** 2,
        np.array([5, 6]),
        np.array([2, 3]),
        2,
        1,
    )


def bars(drawing: Drawing, colour: str, *, in_plot: bool) -> list[Rect]:
    found = [item for item in drawing.items if isinstance(item, Rect) and item.fill == colour]
    low = charts.PLOT_TOP if in_plot else charts.PLOT_BOTTOM
    high = charts.PLOT_BOTTOM if in_plot else charts.HEIGHT
    return [item for item in found if low <= item.y and item.y + item.height <= high + 1e-6]


def test_each_new_drawing_has_a_bar_as_high_as_the_root_of_its_step() -> None:
    result = worked()
    drawing = steps_chart(result)
    shown = sorted([*bars(drawing, BLUE, in_plot=True), *bars(drawing, VERMILION, in_plot=True)], key=lambda r: r.x)
    roots = np.sqrt(result.steps_after)
    assert len(shown) == np.count_nonzero(roots)
    heights = np.array([bar.height for bar in shown])
    assert heights / heights.max() == pytest.approx(roots[roots > 0] / roots.max(), abs=1e-9)


def test_the_snap_alone_is_marked_and_every_omitted_frame_is() -> None:
    drawing = steps_chart(worked())
    (snap,) = bars(drawing, VERMILION, in_plot=True)
    assert snap.height == max(bar.height for bar in [*bars(drawing, BLUE, in_plot=True), snap])
    # Two captured frames that are gone, and the drawing that comes after the leap.
    assert len(bars(drawing, VERMILION, in_plot=False)) == 3


def test_the_strip_has_a_bar_where_a_new_drawing_appears_and_a_dot_where_a_frame_was_repeated() -> None:
    result = worked()
    drawing = steps_chart(result)
    runs = result.sheet.runs()
    strip = [*bars(drawing, BLUE, in_plot=False), *bars(drawing, VERMILION, in_plot=False)]
    assert len([bar for bar in strip if bar.y == charts.SHOWN]) == len(runs)
    dots = [item for item in drawing.items if isinstance(item, Circle) and item.fill == GREEN and item.y > 100]
    assert len(dots) == 2
    holds = [i for i in drawing.items if isinstance(i, Line) and i.colour == BLUE and i.y1 > 100]
    assert len(holds) == sum(run.length > 1 for run in runs)


def corners(drawing: Drawing) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for item in drawing.items:
        if isinstance(item, Rect):
            points += [(item.x, item.y), (item.x + item.width, item.y + item.height)]
        elif isinstance(item, Line):
            points += [(item.x1, item.y1), (item.x2, item.y2)]
        elif isinstance(item, Polygon | Polyline):
            points += item.points
        else:
            points.append((item.x, item.y))
    return points


STILL = Result(Timesheet(24, np.zeros(9, dtype=int)), np.zeros(8), np.zeros(8))
EMPTY = Result(Timesheet(24, np.zeros(0, dtype=int)), np.zeros(0), np.zeros(0))
ONE = Result(Timesheet(24, np.array([0])), np.zeros(0), np.zeros(0))
SHORTER = Result(Timesheet(24, np.array([0, 1, 3])), np.ones(3), np.array([1.0, 4.0]), np.array([2]), omitted=1)
TINY = Result(Timesheet.ones(5, 30), np.full(4, 1e-12), np.full(4, 1e-12))
HUGE = Result(Timesheet.ones(5, 120), np.full(4, 1e12), np.full(4, 1e12))
SLOW = Result(Timesheet.ones(40, 0.5), np.ones(39), np.ones(39))


@pytest.mark.parametrize("result", [worked(), STILL, EMPTY, ONE, SHORTER, TINY, HUGE, SLOW])
def test_nothing_is_drawn_outside_the_picture(result: Result) -> None:
    drawing = steps_chart(result)
    for x, y in corners(drawing):
        assert -1e-6 <= x <= drawing.width + 1e-6
        assert -1e-6 <= y <= drawing.height + 1e-6


def test_a_clip_of_an_hour_makes_a_picture_of_bounded_size() -> None:
    drawing = steps_chart(worked(repeat=7200))
    assert len(drawing.items) < 10_000
    ticks = [item for item in drawing.items if isinstance(item, Text) and item.y > charts.SHOWN + charts.STRIP]
    assert len(ticks) < 60


def test_labels_of_the_axis_never_overlap() -> None:
    for frames in (5, 24, 100, 129, 500, 3000, 20_000):
        drawing = steps_chart(Result(Timesheet.ones(frames), np.ones(frames - 1), np.ones(frames - 1)))
        row = sorted(t.x for t in drawing.items if isinstance(t, Text) and t.anchor == "middle")
        gaps = np.diff(np.unique(row))
        assert len(row) > 0
        assert (gaps >= 30).all()


def test_the_japanese_chart_has_no_english_left() -> None:
    drawing = steps_chart(worked(), title="投球", language="ja")
    texts = [item.text for item in drawing.items if isinstance(item, Text)]
    assert not [text for text in texts if re.search(r"[A-Za-z]{2,}", text)]
    assert all(item.english or item.text.isascii() for item in drawing.items if isinstance(item, Text))


def test_the_counts_are_told() -> None:
    texts = [item.text for item in steps_chart(worked(), title="Pitch").items if isinstance(item, Text)]
    assert "12 frames, 9 drawings: 2 omitted, 1 held" in texts
    assert "Pitch" in texts
