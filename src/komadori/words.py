"""Notes: what a method reports, kept so that every interface can show it in English or Japanese."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Formatter
from typing import Any


class _Writer(Formatter):
    """Fills templates as `str.format` does, and gives words their number: `{count:frame|frames}` is "1 frame", "2 frames"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """A value as its place in the template asks for it."""
        if "|" in format_spec:
            one, many = format_spec.split("|")
            return f"{value} {one if value == 1 else many}"
        return str(super().format_field(value, format_spec))


_WRITER = _Writer()


class Note(str):
    """A sentence that remembers its template and values. It *is* the English text.

    >>> Note("Dropped {count:frame|frames} at the start.", count=1)
    'Dropped 1 frame at the start.'
    >>> Note("Dropped {count:frame|frames} at the start.", count=3)
    'Dropped 3 frames at the start.'
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, **values: Any) -> Note:
        """The sentence that `template` makes with `values`."""
        note = super().__new__(cls, _WRITER.vformat(template, (), values))
        note.template = template
        note.values = values
        return note

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, (type(self), self.template, self.values))

    def in_language(self, language: str) -> str:
        """The note in `language` ("en" or "ja"), and so the notes in it; English if no translation exists."""
        values = {
            name: told(value, language) if isinstance(value, Note) else value for name, value in self.values.items()
        }
        return _WRITER.vformat(translated(self.template, language), (), values)


class Fact(Note):
    """A note that needs no action: reports, `komadori info` and --json show it, the terminal omits it."""


def _restored(kind: type[Note], template: str, values: dict[str, Any]) -> Note:
    return kind(template, **values)


def advice(notes: Iterable[Note]) -> tuple[Note, ...]:
    """The notes on which the reader can act.

    >>> advice([Fact("Resampled from 120 to 24 fps."), Note("No unit in the file. Use --unit to set it.")])
    ('No unit in the file. Use --unit to set it.',)
    """
    return tuple(note for note in notes if not isinstance(note, Fact))


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
