"""How wide text is on a terminal: a kanji takes two columns, and Japanese breaks between characters."""

from __future__ import annotations

import unicodedata

_NEVER_FIRST = "、。，．・：；？！）」』】〕〉》ー々%％…"
_NEVER_LAST = "（「『【〔〈《[("


def width(text: str) -> int:
    """Columns that `text` takes on a terminal: a kanji takes two.

    >>> width("frames"), width("コマ")
    (6, 4)
    """
    return sum(_columns(c) for c in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, columns: int) -> str:
    """`text` filled up with spaces to `columns`."""
    return text + " " * max(columns - width(text), 0)


def cut(text: str, columns: int) -> str:
    """As much of `text` as fits into `columns`."""
    if width(text) <= columns:
        return text
    while width(text) > columns - 1:
        text = text[:-1]
    return text + "…"


def wrapped(text: str, columns: int) -> list[str]:
    """`text` in lines of at most `columns`: English breaks at spaces, Japanese between characters but not before 。.

    >>> wrapped("one two three", 8)
    ['one two', 'three']
    >>> wrapped("絵を抜く。", 8)
    ['絵を抜', 'く。']
    """
    lines: list[str] = []
    line = ""
    for piece in _pieces(text):
        if line and width(line + piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line.rstrip()] if line.strip() else lines


def _pieces(text: str) -> list[str]:
    """`text` cut wherever a line may break."""
    pieces: list[str] = []
    for character in text:
        last = pieces[-1][-1] if pieces else ""
        breakable = last == " " or (_columns(character) == 2) or (last and _columns(last) == 2)
        glued = character in _NEVER_FIRST or character == " " or (last and last in _NEVER_LAST)
        if pieces and (glued or not breakable):
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
