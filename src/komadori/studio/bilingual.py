"""Sentences on their way to the page: every one in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from komadori.errors import KomadoriError
from komadori.studio.messages import ErrorMessage, Said
from komadori.words import Note, translated


def in_both_languages(notes: Iterable[Note]) -> list[Said]:
    """The notes in both languages."""
    return [both(note) for note in notes]


def both(text: str) -> Said:
    """A note, or words of the catalogue, in both languages."""
    return Said(str(text), text.in_language("ja") if isinstance(text, Note) else translated(text, "ja"))


def both_of(error: KomadoriError) -> Said:
    """The line of an error in both languages."""
    return Said(str(error), error.in_language("ja"))


def note_message(note: Note, about: str = "") -> ErrorMessage:
    """A line of the studio's own as the page shows an error."""
    return ErrorMessage(str(note), about, note.in_language("ja"))


def error_message(error: KomadoriError, about: str = "") -> ErrorMessage:
    """An error as the page shows it."""
    return note_message(error.note, about)
