"""The command line's voice: language, columns, line breaks, JSON."""

from __future__ import annotations

import io
import json
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.cli.columns import cut, padded, width, wrapped
from komadori.cli.json_out import print_json
from komadori.cli.say import Say, language_of
from komadori.words import Note
from komadori.words_ja import JAPANESE

JAPANESE_TEXT = st.text(alphabet="絵コマ打ち、。（）「」abc 12", max_size=60)


@pytest.mark.parametrize(
    ("args", "environ", "language"),
    [
        ([], {}, "en"),
        ([], {"LANG": "ja_JP.UTF-8"}, "ja"),
        ([], {"LC_ALL": "C", "LANG": "ja_JP.UTF-8"}, "en"),
        ([], {"LC_ALL": "", "LC_MESSAGES": "ja_JP", "LANG": "de_DE"}, "ja"),
        ([], {"KOMADORI_LANG": "en", "LANG": "ja_JP.UTF-8"}, "en"),
        ([], {"KOMADORI_LANG": "ja", "LC_ALL": "C"}, "ja"),
        (["--lang", "ja", "info"], {}, "ja"),
        (["info", "x", "--lang=en"], {"KOMADORI_LANG": "ja"}, "en"),
        (["--lang", "ja", "info", "--lang", "en"], {}, "en"),
        (["info", "--", "--lang", "ja"], {}, "en"),
        (["info", "--lang"], {"LANG": "ja"}, "ja"),
        (["info", "--lang", "klingon"], {"LANG": "ja"}, "ja"),
    ],
)
def test_the_language_is_the_nearest_wish(args: list[str], environ: dict[str, str], language: str) -> None:
    assert language_of(args, environ) == language


def test_a_note_within_a_note_is_translated_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("komadori.words_ja.JAPANESE", {"{n} {unit}": "{n}{unit}", "cats": "匹"})
    note = Note("{n} {unit}", n=3, unit=Note("cats"))
    assert (Say("en").text(note), Say("ja").text(note)) == ("3 cats", "3匹")


def test_what_a_file_is_called_cannot_break_the_line() -> None:
    assert "\n" not in Say().text(Note("{path}", path="a\nb\x1b[2J"))


@given(JAPANESE_TEXT, st.integers(8, 40))
def test_wrapping_loses_nothing_and_keeps_to_the_width(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    # Only a piece that may not be broken at all can stick out, and the longest of these is made of marks and Latin.
    for line in lines:
        assert width(line) <= columns or not any(c in "絵コマ打ち" for c in line[1:-1].strip("、。（）「」abc 12"))


def test_japanese_lines_do_not_begin_with_a_full_stop() -> None:
    for columns in range(8, 30, 2):
        lines = wrapped("速い動きの中割りを抜き、遅い動きは前の絵で止めます。（中無し）", columns)
        assert not any(line[0] in "、。）" or line[-1] == "（" for line in lines)


@given(JAPANESE_TEXT, st.integers(2, 40))
def test_padding_and_cutting_are_measured_in_columns(text: str, columns: int) -> None:
    assert width(padded(text, columns)) == max(width(text), columns)
    assert width(cut(text, columns)) <= columns
    assert width(text) > columns or cut(text, columns) == text


def test_json_is_one_line_of_ascii(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"a": np.arange(3), "b": np.float64(0.5), "c": [float("nan"), np.inf], "d": Note("{x}", x="絵"), "e": None}
    print_json(data)
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"a": [0, 1, 2], "b": 0.5, "c": [None, None], "d": "絵", "e": None}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_counting_tells_how_far_the_work_is_and_leaves_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, clock = Terminal(), iter(range(1000))
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    got = list(Say("en").counted("abc", lambda done: Note("drawing picture {done} of {count}", done=done, count=3)))
    assert got == ["a", "b", "c"]
    lines = screen.getvalue().split("\r")
    assert [line.strip() for line in lines if line.strip()] == [f"drawing picture {n} of 3" for n in (1, 2, 3)]
    assert screen.getvalue().endswith("\r" + " " * len("drawing picture 1 of 3") + "\r")
    still = io.StringIO()
    monkeypatch.setattr("sys.stderr", still)
    assert list(Say("en").counted("abc", str)) == ["a", "b", "c"]
    assert still.getvalue() == ""


def test_every_text_of_the_program_is_as_wide_as_terminals_draw_it() -> None:
    wcwidth = pytest.importorskip("wcwidth", reason="a judge of the tests")
    texts = {text for pair in JAPANESE.items() for text in pair}
    assert [text for text in texts if width(text) != wcwidth.wcswidth(text)] == []
    assert width("が") == wcwidth.wcswidth("が") == 2  # with a combining mark
