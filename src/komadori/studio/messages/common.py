"""What every part's messages are made of: the parts' names, sentences in both languages, errors and progress."""

from __future__ import annotations

from msgspec import Struct


class Said(Struct, frozen=True):
    """A sentence for people, in both languages."""

    en: str
    ja: str


class Watch(Struct, frozen=True, tag="watch", forbid_unknown_fields=True):
    """This page looks at one part: tell what it gives, now and after every change."""

    part: str
    frame: int = 0
    """The frame that the page shows: what is sent piece by piece begins there."""


class Undo(Struct, frozen=True, tag="undo", forbid_unknown_fields=True):
    """One step back."""


class Redo(Struct, frozen=True, tag="redo", forbid_unknown_fields=True):
    """One step forward again."""


class Save(Struct, frozen=True, tag="save", forbid_unknown_fields=True):
    """Save now (it is saved all the time; this answers when it is safely on disk)."""


class ProgressUpdate(Struct, frozen=True, tag="progress"):
    """Long work goes on: so much of it is done."""

    about: str
    done: int
    total: int


class SavedUpdate(Struct, frozen=True, tag="saved"):
    """The scene of this revision is safely on disk (-1: none yet); `problem` says why nothing newer is."""

    revision: int
    problem: Said | None = None


class ErrorMessage(Struct, frozen=True, tag="error"):
    """Something did not work, in one clear line; everything else goes on."""

    message: str
    about: str = ""
    ja: str = ""
    """The same in Japanese; empty where it is not known in it."""
