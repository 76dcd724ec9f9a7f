"""Saving: every change is on disk within a moment; if that fails, it is reported and retried."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor

from komadori.errors import KomadoriError
from komadori.studio.bilingual import both_of
from komadori.studio.desk import Desk
from komadori.studio.messages import SavedUpdate
from komadori.studio.saving import Save

PAUSE_S = 0.3
"""From the beginning of one save to that of the next: more than this, and the time of one save, is never lost."""
REST_S = 0.05
"""The least between the end of one save and the next, on a disk that takes longer than that."""
AGAIN_S = 3.0
"""After a save that failed."""
NEVER = -1
"""The revision of a scene that is not on disk."""


class Keeper:
    """Saves the desk's scene while it changes; `state` says how far that has come, `news` is called when it changes."""

    def __init__(self, desk: Desk, save: Save, news: Callable[[], None]) -> None:
        self._desk = desk
        self._save = save
        self._news = news
        self._unsaved = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        # A thread of its own: methods, uploads and exports may have taken all others, and a save waits for none of them.
        self._writer = ThreadPoolExecutor(1, "save")
        self.state = SavedUpdate(NEVER)
        # What was opened on the command line is not on disk yet, and a folder that cannot be written is reported at once.
        self._unsaved.set()

    def changed(self) -> None:
        """There is something to save."""
        self._unsaved.set()

    async def run(self) -> None:
        """Saves whenever something changed, until cancelled."""
        while True:
            await self._unsaved.wait()
            self._unsaved.clear()
            clock = asyncio.get_running_loop().time
            began = clock()
            if (await self.now()).problem:
                self._unsaved.set()
                await asyncio.sleep(AGAIN_S)
            else:
                await asyncio.sleep(max(REST_S, PAUSE_S - (clock() - began)))

    @contextlib.asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Nothing is written meanwhile; afterwards everything is unsaved."""
        async with self._one_at_a_time:
            yield
            self.state = SavedUpdate(NEVER)
        self.changed()

    async def now(self) -> SavedUpdate:
        """Saves; returns what is then on disk."""
        async with self._one_at_a_time:
            revision, scene = self._desk.revision, self._desk.scene
            if revision == self.state.revision and not self.state.problem:
                return self.state
            try:
                await asyncio.get_running_loop().run_in_executor(self._writer, self._save.write, scene)
            except KomadoriError as error:
                self.state = SavedUpdate(self.state.revision, both_of(error))
            else:
                self.state = SavedUpdate(revision)
        self._news()
        return self.state
