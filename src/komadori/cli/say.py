"""What the command line says: its language, its lines and tables."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from komadori.cli.columns import cut, padded, width
from komadori.errors import one_line
from komadori.words import Note, advice, told

LANGUAGES = ("en", "ja")
AGAIN_S = 0.1
"""A progress line is rewritten no more often than this: printing must not slow the work."""

T = TypeVar("T")


def language_of(args: Sequence[str], environ: Mapping[str, str]) -> str:
    """The language that a call asks for: its --lang, else KOMADORI_LANG, else the locale.

    It is needed before the arguments are parsed, because the help page and errors use it too.

    >>> language_of(["info", "--lang=ja", "walk.bvh"], {}), language_of([], {"LANG": "ja_JP.UTF-8"})
    ('ja', 'ja')
    >>> language_of(["info", "--lang", "en"], {"KOMADORI_LANG": "ja"})
    'en'
    """
    asked = None
    for place, word in enumerate(args):
        if word == "--":
            break
        if word == "--lang" and place + 1 < len(args):
            asked = args[place + 1]
        elif word.startswith("--lang="):
            asked = word.removeprefix("--lang=")
    if asked in LANGUAGES:
        return asked
    named = (environ.get(name) for name in ("KOMADORI_LANG", "LC_ALL", "LC_MESSAGES", "LANG"))
    chosen = next((value for value in named if value), "en")
    return "ja" if chosen.lower().startswith("ja") else "en"


@dataclass(frozen=True)
class Say:
    """The output of one call: everything printed goes through it, in its `language`."""

    language: str = "en"

    def text(self, words: str) -> str:
        """`words` in this language, fit for one line; a Note inside a Note is translated too."""
        return one_line(told(words, self.language))

    def line(self, words: str) -> None:
        """One line on standard output."""
        print(self.text(words))

    def rows(self, rows: Iterable[tuple[str, str]], indent: int = 2) -> None:
        """A table of two columns, the second never wrapped, so that it works with grep too."""
        written = [(self.text(left), self.text(right)) for left, right in rows]
        column = max((width(left) for left, _ in written), default=0) + 2
        for left, right in written:
            print(" " * indent + padded(left, column) + right)

    @contextmanager
    def stage(self, words: str) -> Iterator[None]:
        """A status line while the work inside runs; only on a terminal, and erased afterwards."""
        if not sys.stderr.isatty():
            yield
            return
        shown = cut(self.text(words), 78)
        sys.stderr.write("\r" + shown)
        sys.stderr.flush()
        try:
            yield
        finally:
            sys.stderr.write("\r" + " " * width(shown) + "\r")
            sys.stderr.flush()

    def counted(self, items: Iterable[T], words: Callable[[int], str]) -> Iterator[T]:
        """`items` as they come, with a line that counts them in `words`; only on a terminal, and erased afterwards."""
        if not sys.stderr.isatty():
            yield from items
            return
        widest, told_s = 0, -math.inf
        try:
            for number, item in enumerate(items, 1):
                yield item
                if time.monotonic() - told_s < AGAIN_S:
                    continue
                shown = cut(self.text(words(number)), 78)
                widest, told_s = max(widest, width(shown)), time.monotonic()
                sys.stderr.write("\r" + padded(shown, widest))
                sys.stderr.flush()
        finally:
            sys.stderr.write("\r" + " " * widest + "\r")
            sys.stderr.flush()


def note_rows(notes: Iterable[Note]) -> list[tuple[str, str]]:
    """The rows of a summary with what the reader can act on; facts stay in the report and in --json."""
    return [(Note("note"), note) for note in advice(notes)]


def length(frames: int, fps: float) -> tuple[Note, Note]:
    """The row of a summary that tells how long a clip or a sheet is."""
    told = Note("{count:frame|frames} at {fps:.6g} fps, {seconds:.2f} s", count=frames, fps=fps, seconds=frames / fps)
    return Note("length"), told


def captured_length(frames: int, fps: float) -> tuple[Note, Note]:
    """The same of a clip as its file has it. In Japanese its frames are not コマ, which are those of an animation."""
    told = Note("{count:frame|frames} at {rate:.6g} fps, {seconds:.2f} s", count=frames, rate=fps, seconds=frames / fps)
    return Note("length"), told


def complain(text: str) -> None:
    """One line on standard error."""
    print(one_line(f"komadori: {text}"), file=sys.stderr, flush=True)
