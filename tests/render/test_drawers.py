"""Drawers: who draws a picture changes nothing of it, whatever becomes of the processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from komadori import children, fast
from komadori.anime import files
from komadori.characters import character, sample
from komadori.errors import OptionError
from komadori.methods.retarget import retarget
from komadori.pipeline import look
from komadori.render import drawers
from komadori.render.drawers import Task
from komadori.render.shot import Shot, _Desk, pictures_of, shot_of
from komadori.render.textures import Pixels
from komadori.studio import exporting
from komadori.studio.messages import Export

FRAMES = 40


@pytest.fixture
def shots() -> tuple[Shot, Shot]:
    girl = character("girl")
    motion = retarget(sample("pitch"), girl).motion[40 : 40 + FRAMES]
    held = motion.taken(np.arange(FRAMES) // 3 * 3)
    return tuple(shot_of(one, girl, size=(96, 64), camera="front", face=True) for one in (motion, held))  # type: ignore[return-value]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Two processes draw beside this one, however little there is; those that were started."""
    found: list[subprocess.Popen[bytes]] = []
    start = drawers._Process._started

    def told(self: drawers._Process) -> subprocess.Popen[bytes]:
        process = start(self)
        found.append(process)
        return process

    monkeypatch.setattr(drawers, "WORTH_S", 0.0)
    monkeypatch.setenv(children.DRAWERS, "2")
    monkeypatch.setattr(drawers._Process, "_started", told)
    return found


def by_hand(shots: Sequence[Shot]) -> list[tuple[Pixels, ...]]:
    return [tuple(shot.picture(frame) for shot in shots) for frame in range(FRAMES)]


def assert_same(some: Sequence[tuple[Pixels, ...]], others: Sequence[tuple[Pixels, ...]]) -> None:
    assert len(some) == len(others)
    assert all(
        np.array_equal(a, b) for one, other in zip(some, others, strict=True) for a, b in zip(one, other, strict=True)
    )


def test_processes_draw_what_this_one_draws(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer, answered = drawers._Process._answer, []

    def told(self: drawers._Process, part: list[Task]) -> list[Pixels]:
        made = answer(self, part)
        answered.append(self)
        return made

    # Here nothing is drawn before a process has answered: what is compared is theirs.
    drawn, patience = _Desk.drawn, iter(range(600))

    def slowly(self: _Desk, tasks: Sequence[Task]) -> list[Pixels]:
        while not answered and next(patience, None) is not None:
            time.sleep(0.1)
        return drawn(self, tasks)

    monkeypatch.setattr(drawers._Process, "_answer", told)
    expected = by_hand(shots)
    monkeypatch.setattr(_Desk, "drawn", slowly)
    assert_same(list(pictures_of(shots)), expected)
    assert answered
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


def test_what_is_held_is_the_very_same_array(shots: tuple[Shot, Shot], started: object) -> None:
    held = [pictures[1] for pictures in pictures_of(shots)]
    starts = shots[1].starts()
    assert len(starts) < FRAMES
    for frame in range(1, FRAMES):
        assert (held[frame] is held[frame - 1]) == (frame not in starts)


def test_processes_that_are_killed_cost_no_picture(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]]
) -> None:
    made = []
    for pictures in pictures_of(shots):
        made.append(pictures)
        for process in started:
            process.kill()
    assert_same(made, by_hand(shots))


def test_processes_that_cannot_start_cost_no_picture(
    shots: tuple[Shot, Shot], started: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert_same(list(pictures_of(shots)), by_hand(shots))


def test_nobody_draws_on_for_a_film_that_was_given_up(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]]
) -> None:
    film = pictures_of(shots)
    for _ in zip(range(30), film, strict=False):
        pass
    film.close()  # type: ignore[attr-defined]
    assert started
    assert all(process.returncode is not None for process in started)


def test_a_film_that_nobody_finishes_is_let_go_in_any_thread(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    crews: list[drawers._Crew] = []
    closing = drawers._Crew.drawn

    def told(self: drawers._Crew, parts: Iterator[list[Task]]) -> Iterator[Pixels]:
        crews.append(self)
        return closing(self, parts)

    monkeypatch.setattr(drawers._Crew, "drawn", told)
    film = pictures_of(shots)
    next(film)
    # The crew's own threads are the hard case: a thread cannot wait for itself.
    assert crews[0].pool.submit(film.close).result(60.0) is None  # type: ignore[attr-defined]
    assert all(process.returncode is not None for process in started)


class _GivenUp(Exception):
    pass


def test_nobody_draws_on_for_a_file_that_was_given_up(
    started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "TOLD_EVERY", 1)
    girl, told = character("girl"), iter(range(30))

    def progress(*_: object) -> None:
        if next(told, None) is None:
            raise _GivenUp

    options = files.ExportOptions("pitch", size=(96, 64))
    with pytest.raises(_GivenUp) as video:
        files._film_video(look("tv").run(sample("pitch"), girl), options, progress)
    told = iter(range(30))
    ask = Export("limited", "picture", ".gif", "en", "front", "toon", 96, 64, False)
    made = exporting.Made(retarget(sample("pitch"), girl).motion, girl)
    with pytest.raises(_GivenUp) as gif:
        exporting._picture_file(made, "pitch.gif", ask, progress)
    # The errors, which are still here, hold all that was going on.
    assert video.tb
    assert gif.tb
    assert len(started) >= 3
    assert all(process.returncode is not None for process in started)


class _Broken:
    """A desk at which everything but the first picture goes wrong."""

    def drawn(self, tasks: Sequence[Task]) -> list[Pixels]:
        if (0, 20) in tasks:
            raise OptionError("size", expected="a pen", found="none")
        return [np.zeros((4, 4, 3), dtype=np.uint8) for _ in tasks]

    def shape(self, task: Task) -> tuple[int, int, int]:
        return 4, 4, 3


def test_what_goes_wrong_is_said_whoever_draws(started: object) -> None:
    with pytest.raises(OptionError, match="a pen"):
        list(drawers.drawn(_Broken(), [(0, frame) for frame in range(FRAMES)]))


def test_a_short_film_starts_nothing(shots: tuple[Shot, Shot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawers._Process, "_started", lambda self: pytest.fail("a process was started"))
    assert len(list(shots[0].pictures())) == FRAMES


def test_none_is_started_where_none_may_be(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(children.DRAWERS, "0")
    assert_same(list(pictures_of(shots)), by_hand(shots))
    assert not started


def test_nothing_of_the_working_directory_is_run(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "numpy", "komadori"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert_same(list(pictures_of(shots)), by_hand(shots))
    assert started
    assert not (tmp_path / "ran").exists()


def test_compiled_loops_draw_in_threads(
    shots: tuple[Shot, Shot], started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("numba")
    expected = by_hand(shots)
    monkeypatch.setattr(fast, "_enabled", True)
    assert_same(list(pictures_of(shots)), expected)
    assert not started
