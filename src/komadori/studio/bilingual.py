"""Sentences on their way to the page: every one in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from komadori.studio.messages import Said
from komadori.words import Note, translated


def in_both_languages(notes: Iterable[Note]) -> list[Said]:
    """The notes in both languages."""
    return [both(note) for note in notes]


def both(text: str) -> Said:
    """A note, or words of the catalogue, in both languages."""
    return Said(str(text), text.in_language("ja") if isinstance(text, Note) else translated(text, "ja"))
