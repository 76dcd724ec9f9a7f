"""Notes on their way to the page: every sentence in both languages."""

from __future__ import annotations

from collections.abc import Iterable

from komadori.studio.messages import Said
from komadori.words import Note


def in_both_languages(notes: Iterable[Note]) -> list[Said]:
    """The notes in both languages."""
    return [Said(str(note), note.in_language("ja")) for note in notes]
