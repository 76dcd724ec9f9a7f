"""Notes: what a method says of its work, kept so that every face can show it in English or Japanese."""

from __future__ import annotations

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
        """The note in `language` ("en" or "ja"), and so the notes in it; English where no translation exists."""
        values = {name: v.in_language(language) if isinstance(v, Note) else v for name, v in self.values.items()}
        return translated(self.template, language).format(**values)


def _restored(template: str, values: dict[str, Any]) -> Note:
    return Note(template, **values)


def translated(text: str, language: str) -> str:
    """`text` (an English template, help line or label) in `language`, or `text` itself."""
    if language != "ja":
        return text
    from komadori.words_ja import JAPANESE

    return JAPANESE.get(text, text)
