"""Saving as one works: the scene goes to one small file, whole or not at all; a damaged file is kept aside and said."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import msgspec

from komadori.files import write_bytes
from komadori.studio.scene import VERSION, Scene
from komadori.words import Note

NAME = "scene.json"


def data_folder() -> Path:
    """Where a user's programs keep their data on this system."""
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "komadori" / "studio"


class Save:
    """The save file of one project folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME

    def write(self, scene: Scene) -> None:
        """Puts the scene on disk; when this returns it is safe there."""
        write_bytes(self.path, msgspec.json.format(msgspec.json.encode(scene), indent=1) + b"\n")

    def read(self) -> tuple[Scene | None, Note | None]:
        """The scene that was saved last, if any, and what there is to say of it."""
        if not self.path.exists():
            return None, None
        data = self.path.read_bytes()
        try:
            version = msgspec.json.decode(data, type=_Versioned).version
            if version <= VERSION:
                return msgspec.json.decode(data, type=Scene), None
            reason = Note("it was saved by a newer komadori")
        except msgspec.DecodeError:
            reason = Note("it is damaged")
        aside = self._aside()
        self.path.rename(aside)
        return None, Note(
            "the saved scene could not be opened, {reason}; it is kept as {name}", reason=reason, name=aside.name
        )

    def _aside(self) -> Path:
        """A name for a save that cannot be opened, which no other has."""
        number = 1
        while (aside := self.folder / f"scene.unreadable-{number}.json").exists():
            number += 1
        return aside


class _Versioned(msgspec.Struct):
    version: int
