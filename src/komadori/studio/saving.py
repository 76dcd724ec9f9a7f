"""Saving as one works: the scene goes to one small file, whole or not at all; a damaged file is kept aside and said."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
from platformdirs import user_data_path

from komadori.errors import FormatError, OptionError, OutputError
from komadori.files import is_plain, read_bytes, write_bytes
from komadori.studio.checking import sound, told
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.scene import VERSION, Scene, upgraded
from komadori.words import Note

NAME = "scene.json"
LOCK = "scene.lock"


def data_folder() -> Path:
    """Where a user's programs keep their data on this system."""
    return user_data_path("komadori", appauthor=False, roaming=True) / "studio"


def parsed(data: bytes) -> Scene:
    """The scene in the bytes of a save, as far as it can be; a FormatError if there is none in it."""
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version == VERSION:
            return sound(msgspec.json.decode(data, type=Scene))[0]
        if version < VERSION:
            return sound(msgspec.convert(upgraded(msgspec.json.decode(data)), type=Scene))[0]
    except WRONG_JSON:
        raise FormatError(NAME, problem=Note("the saved scene is damaged")) from None
    raise FormatError(NAME, problem=Note("the scene was saved by a newer komadori"))


class Save:
    """The save file of one project folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self._held: BinaryIO | None = None

    def claim(self) -> None:
        """Takes the folder for this process until it ends, however it ends; refused if another studio has it.

        A folder that cannot be written, or a disk without locks, does not prevent opening.
        """
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            held = _own_file(self.folder / LOCK)
            try:
                locked(held)
            except (BlockingIOError, PermissionError):
                held.close()
                raise OptionError(
                    Note(
                        "another studio is open on {folder}: close it, or give this one a folder with --project",
                        folder=self.folder,
                    )
                ) from None
            self._held = held

    def release(self) -> None:
        """Gives the folder free again."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def move_to(self, folder: Path) -> None:
        """Takes another folder, and gives this one free; refused if another studio has it."""
        other = Save(folder)
        other.claim()
        self.release()
        self.folder, self.path, self._held = other.folder, other.path, other._held

    def write(self, scene: Scene) -> None:
        """Puts the scene on disk; when this returns it is safe there."""
        # A link in a project from elsewhere may point anywhere: it is replaced, never followed.
        write_bytes(self.path, msgspec.json.format(msgspec.json.encode(scene), indent=1) + b"\n", follow=False)

    def read(self) -> tuple[Scene | None, Note | None]:
        """The scene that was saved last, if any, and what there is to say of it."""
        if not os.path.lexists(self.path):
            return None, None
        if not is_plain(self.path):
            return self._set_aside(Note("it is a link, a pipe or a folder, not a regular file"))
        try:
            data = read_bytes(self.path)
            version = msgspec.json.decode(data, type=_Versioned).version
            if version == VERSION:
                return self._sound(msgspec.json.decode(data, type=Scene), data)
            if version < VERSION:
                return self._sound(msgspec.convert(upgraded(msgspec.json.decode(data)), type=Scene), data)
            reason = Note("it was saved by a newer komadori")
        except (*WRONG_JSON, FormatError):
            reason = Note("it is damaged")
        return self._set_aside(reason)

    def _sound(self, scene: Scene, data: bytes) -> tuple[Scene, Note | None]:
        """The scene without what cannot be; if something is lost that way, the file as it was is kept beside it."""
        kept, lost = sound(scene)
        if not lost:
            return kept, None
        aside = self._aside()
        with contextlib.suppress(OutputError):
            write_bytes(aside, data, follow=False)
        return kept, told(lost, aside.name)

    def _set_aside(self, reason: Note) -> tuple[None, Note]:
        aside = self._aside()
        try:
            self.path.rename(aside)
        except OSError:
            # Saving will overwrite or fail to; either is told.
            return None, Note("the saved scene could not be opened, {reason}", reason=reason)
        return None, Note(
            "the saved scene could not be opened, {reason}; it is kept as {name}", reason=reason, name=aside.name
        )

    def _aside(self) -> Path:
        """A name for a save that cannot be opened, which no other has."""
        number = 1
        while os.path.lexists(aside := self.folder / f"scene.unreadable-{number}.json"):
            number += 1
        return aside


class _Versioned(msgspec.Struct):
    version: Annotated[int, msgspec.Meta(ge=1)]


def _own_file(path: Path) -> BinaryIO:
    """The file at `path`, made if there is none, open for writing; a link or a pipe that lies there gives way to it."""
    if os.path.lexists(path) and not is_plain(path):
        path.unlink()
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.fdopen(os.open(path, flags, 0o666), "r+b")


def locked(file: BinaryIO) -> None:
    """Locks an open file until it is closed; BlockingIOError or PermissionError if another process has it."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
