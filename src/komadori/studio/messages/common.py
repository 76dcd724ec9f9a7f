"""What every part's messages are made of: the parts' names, sentences in both languages, errors and progress."""

from __future__ import annotations

from typing import Any

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
    """Long work continues: so much of it is done."""

    about: str
    done: int
    total: int


class AnsweredUpdate(Struct, frozen=True, tag="answered"):
    """All that `part` gives with the scene of this revision has been told, or why it gives nothing."""

    part: str
    revision: int


class SavedUpdate(Struct, frozen=True, tag="saved"):
    """The scene of this revision is safely on disk (-1: none yet); `problem` says why nothing newer is."""

    revision: int
    problem: Said | None = None
    heard: int = 0
    """How many messages of this page were heard when that scene was taken: what they changed is on disk."""


class Edit(Struct, frozen=True, omit_defaults=True):
    """One difference: what lies at `path` is `value` now, or is `gone`.

    Of a list, `at` names the places whose values are given, and `cut` (from where, how many) what they take the place of.
    """

    path: list[str | int]
    value: Any = None
    gone: bool = False
    at: list[int] | None = None
    cut: tuple[int, int] | None = None


class ChangesUpdate(Struct, frozen=True, tag="changes"):
    """A message that the page has had before, by what is different in it; `about` is its type, and its part if it has one."""

    about: str
    edits: list[Edit]


class UndoneUpdate(Struct, frozen=True, tag="undone"):
    """What a step back (or forward again) changed, and in which part; an empty part is what is open."""

    part: str
    about: Said


class ErrorMessage(Struct, frozen=True, tag="error"):
    """Something did not work, in one clear line; everything else continues."""

    message: str
    about: str = ""
    ja: str = ""
    """The same in Japanese; empty if it is not known in it."""
