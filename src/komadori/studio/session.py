"""One run of the studio: the desk, who saves it, which project is open, and the pages that look at it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from komadori.errors import OptionError
from komadori.studio.bilingual import note_message
from komadori.studio.desk import Desk
from komadori.studio.exports import Exports
from komadori.studio.keeping import Keeper
from komadori.studio.known import remember, remembered
from komadori.studio.messages import EditProject, ErrorMessage, ShelfUpdate
from komadori.studio.projects import Projects, copied
from komadori.studio.saving import Save
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf as ShelfOfFiles
from komadori.studio.telling import Answer
from komadori.words import Note


class Listener(Protocol):
    """A page as the studio knows it."""

    @property
    def saved(self) -> asyncio.Event:
        """Set when there is news of the saving."""
        ...

    def wake(self) -> None:
        """There is something new to tell."""
        ...

    async def tell(self, answer: Answer) -> None:
        """Sends a message or arrays; a page that has gone is not an error."""
        ...


class Studio:
    """The desk, who saves it, and the pages that look at it."""

    def __init__(
        self, desk: Desk, save: Save, greeting: list[ErrorMessage], data: Path, moved: Callable[[Path], None]
    ) -> None:
        self.desk = desk
        self.save = save
        self.data = data
        self._moved = moved
        self.projects = Projects(data)
        self.keeper = Keeper(desk, save, self._saved)
        self.greeting = greeting
        self.exports = Exports()
        self.lines: set[Listener] = set()
        self.session = secrets.token_hex(8)
        """Tells this run of the studio from others."""

    def changed(self) -> None:
        """Tells every page, and sees that the change is saved."""
        self.keeper.changed()
        for line in self.lines:
            line.wake()

    @property
    def project(self) -> str:
        """What the open project is called."""
        return self.projects.name(self.save.folder)

    async def opened(self, ask: EditProject) -> None:
        """Opens another project in all pages; the one that was open is saved first."""
        if (await self.keeper.now()).problem:
            raise OptionError(Note("the open project cannot be saved; it stays open"))
        before, scene = self.save.folder, self.desk.scene
        folder = self.projects.known(ask.name) if ask.edit == "open" else self.projects.new(ask.name)
        if folder.absolute() == before.absolute():
            return
        async with self.keeper.paused():
            shelf, kept, note = await asyncio.to_thread(
                self._taken_up, folder, before, scene if ask.edit == "save-as" else None
            )
            self.desk.become(shelf, kept)
        self.changed()
        for line in list(self.lines):
            if note is not None:
                await line.tell(note_message(note, "save"))
            await line.tell(ShelfUpdate())

    def _taken_up(
        self, folder: Path, before: Path, copy: Scene | None
    ) -> tuple[ShelfOfFiles, Scene | None, Note | None]:
        paths = self.desk.shelf.paths if copy is not None else remembered(self.data, folder)
        self.save.move_to(folder)
        if copy is not None:
            copied(before, folder)
            remember(self.data, folder, paths)
            self.save.write(copy)
        self.projects.remember(folder)
        self._moved(folder)
        shelf = ShelfOfFiles(folder / "files", (), paths)
        shelf.swept()
        scene, note = self.save.read()
        return shelf, scene, note

    def _saved(self) -> None:
        for line in self.lines:
            line.saved.set()
