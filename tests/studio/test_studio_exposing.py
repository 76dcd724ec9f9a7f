"""Larger edits of an exposure sheet: on ones, twos and threes, sliding a drawing, pasting."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from komadori.errors import OptionError
from komadori.studio.exposing import on_step, pasted, slid

SHEET = [0, 0, 0, 3, 3, 3, 6, 9, 9, 9]


def test_ones_show_the_motion_between_the_drawings() -> None:
    assert on_step(SHEET, 0, 10, 1, 12).in_place(SHEET) == [0, 1, 2, 3, 4, 5, 6, 9, 10, 11]


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_every_drawing_stays_for_so_many_frames_and_the_sheet_for_its_length(step: int) -> None:
    made = on_step(SHEET, 2, 9, step, 12).in_place(SHEET)
    assert len(made) == len(SHEET)
    assert made[:2] == SHEET[:2]
    assert made[9:] == SHEET[9:]
    for begin in range(2, 9, step):
        assert len(set(made[begin : min(begin + step, 9)])) == 1
    assert made == sorted(made)


def test_ones_never_leave_the_motion() -> None:
    assert max(on_step([0, 4, 4, 4, 4, 4], 0, 6, 1, 6).in_place([0] * 6)) == 5


def test_a_drawing_slides_between_its_neighbours_and_keeps_its_length() -> None:
    wide = [0, 0, 0, 5, 5, 9, 9, 9]
    for to, begin in ((-5, 1), (1, 1), (2, 2), (4, 4), (5, 5), (99, 5)):
        made = slid(wide, 3, to).in_place(wide)
        assert made == [0] * begin + [5, 5] + [9] * (6 - begin)


def test_the_first_and_the_last_drawing_do_not_slide() -> None:
    for frame in (0, 7):
        with pytest.raises(OptionError, match="stay where they are"):
            slid(SHEET, frame, 2)
    with pytest.raises(OptionError, match="begins"):
        slid(SHEET, 4, 2)


def test_what_is_pasted_takes_the_place_of_what_is_there() -> None:
    assert pasted(SHEET, 3, [7, 7, 8], 12).in_place(SHEET) == [0, 0, 0, 7, 7, 8, 6, 9, 9, 9]
    assert pasted(SHEET, 9, [1, 2], 12).in_place(SHEET) == [0, 0, 0, 3, 3, 3, 6, 9, 9, 1, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: on_step(SHEET, 4, 4, 2, 12),
        lambda: on_step(SHEET, 0, 11, 2, 12),
        lambda: on_step(SHEET, 0, 4, 0, 12),
        lambda: on_step(SHEET, 0, 4, 99, 12),
        lambda: pasted(SHEET, 10, [1], 12),
        lambda: pasted(SHEET, 0, [12], 12),
        lambda: pasted(SHEET, 0, [], 12),
        lambda: slid(SHEET, -1, 2),
    ],
)
def test_what_cannot_be_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(OptionError):
        wrong()
