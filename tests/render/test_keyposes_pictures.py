"""Pictures of key poses: every key is there, where it belongs, in every kind of file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from komadori.characters import sample
from komadori.methods.keyposes import keyposes
from komadori.render.drawing import Circle, Drawing, Line, Polyline, Rect, Text, encoded
from komadori.render.keyposes import VERMILION, curve_chart, error_chart, key_strip, keyposes_chart
from komadori.render.layout import moved, placed

RESULT = keyposes(sample("pitch"), count=10)
STILL = keyposes(sample("pitch").taken([3] * 8))
ONE = keyposes(sample("pitch")[:1])


def marks(drawing: Drawing) -> list[Circle]:
    return [item for item in drawing.items if isinstance(item, Circle) and item.fill == VERMILION]


def words(drawing: Drawing) -> list[str]:
    return [item.text for item in drawing.items if isinstance(item, Text)]


def test_the_strip_shows_every_key_and_its_moment() -> None:
    drawing = key_strip(RESULT, title="Pitch")
    assert {str(frame) for frame in RESULT.frames} <= set(words(drawing))
    assert "Pitch" in words(drawing)
    across = sorted(mark.x for mark in marks(drawing))
    assert np.corrcoef(across, RESULT.frames)[0, 1] == pytest.approx(1.0)


@pytest.mark.parametrize("dims", [2, 3])
def test_the_curve_passes_through_its_keys(dims: int) -> None:
    drawing = curve_chart(RESULT, dims=dims, other=keyposes(sample("pitch"), count=10, solver="synopsis"))
    line = max((item for item in drawing.items if isinstance(item, Polyline)), key=lambda item: item.width)
    assert len(line.points) == 10
    assert [(mark.x, mark.y) for mark in marks(drawing)] == list(line.points)
    for item in drawing.items:
        if isinstance(item, Circle):
            assert 0 <= item.x <= drawing.width
            assert 0 <= item.y <= drawing.height


def test_errors_fall_to_the_chosen_count() -> None:
    drawing = error_chart(RESULT)
    (mark,) = marks(drawing)
    (line,) = (item for item in drawing.items if isinstance(item, Polyline))
    assert (mark.x, mark.y) in line.points
    assert f"10 keys, {RESULT.error:.3g} m" in words(drawing)
    assert {"chosen keys", "least possible", "evenly spread"} <= set(words(drawing))
    assert "least possible" not in words(error_chart(RESULT, optimum=False))


@pytest.mark.parametrize("result", [RESULT, STILL, ONE], ids=["pitch", "still", "one frame"])
@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_all_kinds_of_files_can_be_made(result: Any, suffix: str) -> None:
    for drawing in (key_strip(result), keyposes_chart(result, title="clip", language="ja")):
        ((_, data),) = encoded(drawing, f"picture{suffix}").items()
        assert len(data) > 500


def test_drawings_are_moved_whole() -> None:
    assert moved(Line(1, 2, 3, 4), 10, 20) == Line(11, 22, 13, 24)
    assert moved(Rect(1, 2, 3, 4), 10, 20) == Rect(11, 22, 3, 4)
    assert moved(Polyline(((1.0, 2.0),)), 10, 20) == Polyline(((11.0, 22.0),))
    page = placed([(0, 0, Drawing(10, 10, ())), (20, 5, Drawing(10, 10, (Circle(1, 1, 1),)))])
    assert (page.width, page.height) == (30, 15)
    assert page.items[-1] == Circle(21, 6, 1)
