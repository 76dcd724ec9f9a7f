"""Undo and redo: every change can be taken back, a drag in one step."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from komadori.studio.history import DEPTH, History
from komadori.studio.scene import Scene


def scene(number: int) -> Scene:
    return Scene(motion=f"sample:{number}")


@given(st.lists(st.integers(0, 5), max_size=30))
def test_undoing_everything_and_redoing_it_gives_each_scene_again(numbers: list[int]) -> None:
    history = History(scene(0))
    seen = [history.present]
    for number in numbers:
        history = history.changed(scene(number))
        if history.present != seen[-1]:
            seen.append(history.present)
    back = [history.present]
    while history.past:
        history = history.undone()
        back.append(history.present)
    assert back == seen[::-1]
    forth = [history.present]
    while history.future:
        history = history.redone()
        forth.append(history.present)
    assert forth == seen


def test_one_drag_is_one_step_back() -> None:
    history = History(scene(0))
    for number in (1, 2, 3):
        history = history.changed(scene(number), "drag 1")
    history = history.changed(scene(4), "drag 2")
    assert history.undone().present == scene(3)
    assert history.undone().undone().present == scene(0)


def test_a_drag_goes_on_after_an_undo_as_a_step_of_its_own() -> None:
    history = History(scene(0)).changed(scene(1), "drag").undone().changed(scene(2), "drag")
    assert history.undone().present == scene(0)


def test_a_change_forgets_what_was_undone() -> None:
    history = History(scene(0)).changed(scene(1)).undone().changed(scene(2))
    assert not history.future


def test_nothing_to_undo_or_redo_is_no_change() -> None:
    history = History(scene(0))
    assert history.undone() == history == history.redone()


def test_the_past_is_bounded() -> None:
    history = History(scene(0))
    for number in range(DEPTH + 50):
        history = history.changed(scene(number + 1))
    assert len(history.past) == DEPTH
