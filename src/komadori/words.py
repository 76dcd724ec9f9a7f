"""Notes: what a method says of its work, kept so that every face can show it in English or Japanese."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Note(str):
    """A sentence that remembers its template and values. It *is* the English text.

    >>> note = Note("dropped {count} frame(s) at the start", count=1)
    >>> note
    'dropped 1 frame(s) at the start'
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, **values: Any) -> Note:
        """The sentence that `template` makes with `values`."""
        note = super().__new__(cls, template.format(**values))
        note.template = template
        note.values = values
        return note

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (self.template, self.values))

    def in_language(self, language: str) -> str:
        """The note in `language` ("en" or "ja"); English where no translation exists."""
        values = {
            name: told(value, language) if isinstance(value, Note) else value for name, value in self.values.items()
        }
        return translated(self.template, language).format(**values)


def _restored(template: str, values: dict[str, Any]) -> Note:
    return Note(template, **values)


def told(words: str, language: str) -> str:
    """`words`, a Note or a plain label, in `language`."""
    return words.in_language(language) if isinstance(words, Note) else translated(words, language)


def translated(text: str, language: str) -> str:
    """`text` (an English template, help line or label) in `language`, or `text` itself."""
    if language != "ja":
        return text
    from komadori.words_ja import JAPANESE

    return JAPANESE.get(text, text)


def ranges(numbers: Sequence[int], most: int = 8) -> str:
    """Rising whole numbers, short: neighbours as a range, and no more than `most` of those.

    >>> ranges([3, 89, 90, 91])
    '3, 89-91'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    told = [f"{first}-{last}" if last > first else str(first) for first, last in runs[:most]]
    return ", ".join(told if len(runs) <= most else [*told, "..."])
