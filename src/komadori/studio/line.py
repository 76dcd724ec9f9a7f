"""The live line to one page: what it asks is done in turn, and it is told what is new."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import struct
import zlib

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from komadori.errors import KomadoriError
from komadori.studio import working
from komadori.studio.bilingual import both, both_of, error_message, note_message
from komadori.studio.changes import changes
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.exporting import exported
from komadori.studio.hand import Hand
from komadori.studio.messages import (
    AnsweredUpdate,
    Ask,
    ChangesUpdate,
    EditKey,
    EditKeyPose,
    EditPose,
    EditProject,
    EditTake,
    ErrorMessage,
    Export,
    ExportEnded,
    Follow,
    KeyposesUpdate,
    LimitedUpdate,
    MethodUpdate,
    ProgressUpdate,
    Redo,
    Remove,
    Said,
    SavedUpdate,
    SceneUpdate,
    ShelfUpdate,
    StopExport,
    Undo,
    Watch,
)
from komadori.studio.messages import Save as SaveNow
from komadori.studio.parts.live import Follower
from komadori.studio.replies import encoded
from komadori.studio.scene import Opened, Scene
from komadori.studio.session import Studio
from komadori.studio.telling import Answer, scene_update
from komadori.studio.undoing import undone
from komadori.words import Note

LOG = logging.getLogger("uvicorn.error")
REST_S = 0.4
"""A hand that has not changed anything for so long rests."""
UNEXPECTED = Note("something went wrong in the studio and is in its log; undo the last step, or open something else")
MISTAKES = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError,
    struct.error, zlib.error,
)  # fmt: skip
"""A bug in komadori, or a failing disk: it is logged and reported, and the connection to the page stays open."""
QUICK = (EditKey, EditKeyPose, EditPose, EditTake)
"""What is asked while a hand is moving: done at once, since changing threads would take longer."""

AGAIN = (SceneUpdate, MethodUpdate, LimitedUpdate, KeyposesUpdate)
"""Messages sent again and again: the page gets only the differences."""


class Line:
    """The live line to one page. What is asked is done in turn; of what is told, only the newest counts."""

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        self._studio = studio
        self._socket = socket
        self._watched: str | None = None
        self._frame = 0
        self._scene_news = asyncio.Event()
        self._part_news = asyncio.Event()
        self._at_rest = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None
        self.saved = asyncio.Event()
        """Set when there is news of the saving."""
        self._follower = Follower()
        self._export: asyncio.Task[None] | None = None
        self._heard = 0
        self._heard_by: list[tuple[int, int]] = []
        """After each message, the scene's revision and how many were heard: what is on disk tells which of them are."""
        self._told: dict[str, Answer] = {}
        """What the page has, of that which is told again by its changes alone."""
        self._hand = Hand(studio.desk, asyncio.get_running_loop().time, studio.changed)
        self._hand_news = asyncio.Event()

    async def run(self) -> None:
        """Serves the page until it goes."""
        await self._socket.accept()
        self._studio.lines.add(self)
        self.wake()
        self.saved.set()
        jobs = (
            self._tell_scene(),
            self._tell_part(),
            self._tell_afterthoughts(),
            self._tell_saved(),
            self._tell_pose(),
        )
        tellers = [asyncio.create_task(job) for job in jobs]
        for teller in tellers:
            teller.add_done_callback(self._fell)
        try:
            for trouble in self._studio.greeting:
                await self.tell(trouble)
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                if message.get("text") is not None:
                    await self._received(message["text"])
                elif message.get("bytes") is not None:
                    await self._felt(message["bytes"])
        finally:
            self._hand.leave()
            self._studio.lines.discard(self)
            tasks = [*tellers, *([self._export] if self._export is not None else [])]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _fell(self, teller: asyncio.Task[None]) -> None:
        """A task that sends answers only ends through a bug in komadori: it is logged, and the page starts over instead of waiting forever."""
        if not teller.cancelled() and (error := teller.exception()) is not None:
            LOG.error("the studio met something that it did not expect", exc_info=error)
            self._closing = asyncio.create_task(self._socket.close(1011))

    def wake(self) -> None:
        """There is something new to tell."""
        self._scene_news.set()
        self._part_news.set()

    async def tell(self, answer: Answer) -> None:
        """Sends a message or arrays; a page that has gone is not an error."""
        if isinstance(answer, AGAIN):
            about = f"{answer.__struct_config__.tag} {getattr(answer, 'part', '')}".strip()
            before, self._told[about] = self._told.get(about), answer
            if before is not None:
                answer = ChangesUpdate(about, changes(before, answer))
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            if isinstance(answer, bytes):
                await self._socket.send_bytes(answer)
            else:
                await self._socket.send_text(encoded(answer))

    async def _received(self, text: str) -> None:
        desk = self._studio.desk
        try:
            self._hand.keep()
            ask = msgspec.json.decode(text, type=Ask)
            if isinstance(ask, EditProject):
                await self._studio.opened(ask)
                return
            if not isinstance(ask, QUICK):
                await asyncio.to_thread(desk.prepare, ask)
            if isinstance(ask, Watch):
                self._watched, self._frame = ask.part, ask.frame
                self._part_news.set()
            elif isinstance(ask, SaveNow):
                await self._studio.keeper.now()
                await self.tell(self._saved_by_now())
            elif isinstance(ask, Follow):
                if (driven := desk.results.driver.kept(desk.scene)) is not None:
                    await self.tell(await asyncio.to_thread(self._follower.followed, driven, ask))
            elif isinstance(ask, Export | StopExport):
                if self._export is not None:
                    self._export.cancel()
                self._export = asyncio.create_task(self._exported(ask)) if isinstance(ask, Export) else None
            elif isinstance(ask, Remove):
                for line in self._studio.lines:
                    await line.tell(ShelfUpdate())
            else:
                before = desk.scene
                desk.do(ask)
                self._studio.changed()
                if isinstance(ask, Undo | Redo) and desk.scene != before:
                    await self.tell(undone(before, desk.scene, isinstance(ask, Redo)))
        except WRONG_JSON as error:
            await self.tell(note_message(Note("the page asked for something unknown: {error}", error=str(error))))
        except KomadoriError as error:
            await self.tell(error_message(error))
            # The page may already show what it asked for: tell it what holds.
            self._scene_news.set()
        except MISTAKES as error:
            await self._mistaken(error)
            self._scene_news.set()
        finally:
            self._heard += 1
            self._heard_by.append((desk.revision, self._heard))

    def _saved_by_now(self) -> SavedUpdate:
        """What is on disk, and which of this page's messages are in it."""
        saved = self._studio.keeper.state
        while len(self._heard_by) > 1 and self._heard_by[1][0] <= saved.revision:
            del self._heard_by[0]
        covered = bool(self._heard_by) and self._heard_by[0][0] <= saved.revision
        return SavedUpdate(saved.revision, saved.problem, self._heard_by[0][1] if covered else 0)

    async def _mistaken(self, error: BaseException, about: str = "") -> None:
        LOG.error("the studio met something that it did not expect", exc_info=error)
        await self.tell(error_message(KomadoriError(UNEXPECTED), about))

    async def _felt(self, data: bytes) -> None:
        try:
            if self._hand.feel(data):
                self._hand_news.set()
        except MISTAKES as error:
            await self._mistaken(error, "puppet")

    async def _exported(self, ask: Export) -> None:
        """Makes a file, telling how far it is; the page then fetches it."""
        studio, scene = self._studio, self._studio.desk.scene
        steps = working.steps(lambda progress: exported(studio.desk, scene, ask, progress))
        message: Said | None = None
        try:
            while (step := await asyncio.to_thread(next, steps, None)) is not None:
                match step:
                    case working.Step(done, total):
                        await self.tell(ProgressUpdate("export", done, total))
                    case working.Finished(file):
                        await self.tell(studio.exports.put(file))
        except KomadoriError as error:
            message = both_of(error)
        except MISTAKES as error:
            LOG.error("the studio met something that it did not expect", exc_info=error)
            message = both(UNEXPECTED)
        finally:
            await self.tell(ExportEnded(message))

    async def _tell_pose(self) -> None:
        while True:
            await self._hand_news.wait()
            self._hand_news.clear()
            try:
                pose = self._hand.answer()
            except MISTAKES as error:
                await self._mistaken(error, "puppet")
                continue
            if pose is not None:
                await self.tell(pose)

    async def _tell_scene(self) -> None:
        desk = self._studio.desk
        stage: tuple[Opened, int] | None = None
        while True:
            await self._scene_news.wait()
            self._scene_news.clear()
            news = scene_update(desk.revision, desk.history, self._heard, self._studio.session, self._studio.project)
            scene = news.scene
            if (scene.opened, desk.generation) != stage:
                try:
                    body = await asyncio.to_thread(desk.teller.body, news.revision, scene)
                except KomadoriError as error:
                    await self.tell(error_message(error, "body"))
                except MISTAKES as error:
                    await self._mistaken(error, "body")
                else:
                    await self.tell(body)
                stage = (scene.opened, desk.generation)
            await self.tell(news)

    async def _tell_saved(self) -> None:
        keeper, problem = self._studio.keeper, None
        while True:
            await self.saved.wait()
            self.saved.clear()
            told = keeper.state
            await self.tell(self._saved_by_now())
            if told.problem and told.problem != problem:
                await self.tell(ErrorMessage(told.problem.en, "save", told.problem.ja))
            problem = told.problem

    async def _tell_part(self) -> None:
        desk = self._studio.desk
        done: tuple[str, Scene] | None = None
        while True:
            await self._part_news.wait()
            self._part_news.clear()
            part, revision, scene = self._watched, desk.revision, desk.scene
            if part is None:
                continue
            if done == (part, scene):
                await self.tell(AnsweredUpdate(part, revision))
                continue
            try:
                answers = desk.teller.answers(part, revision, scene, self._frame)
                while (answer := await asyncio.to_thread(next, answers, None)) is not None:
                    await self.tell(answer)
                    if self._part_news.is_set():
                        break  # Something newer was asked for: what is left of this answer is stale.
                else:
                    done = (part, scene)
                    self._at_rest.set()
            except KomadoriError as error:
                await self.tell(error_message(error, part))
                done = (part, scene)
            except MISTAKES as error:
                await self._mistaken(error, part)
                done = (part, scene)
            if done == (part, scene):
                await self.tell(AnsweredUpdate(part, revision))

    async def _tell_afterthoughts(self) -> None:
        """What takes long is looked for when the hand rests, one thing at a time, and told only if it still holds."""
        desk = self._studio.desk
        while True:
            await self._at_rest.wait()
            self._at_rest.clear()
            part, revision, scene = self._watched, desk.revision, desk.scene
            await asyncio.sleep(REST_S)
            if part is None or (part, scene) != (self._watched, desk.scene):
                continue
            try:
                answers = await asyncio.to_thread(desk.teller.afterthoughts, part, revision, scene)
            except KomadoriError:
                continue  # It was told with the answer itself.
            except MISTAKES as error:
                await self._mistaken(error, part)
                continue
            for answer in answers:
                if (part, scene) == (self._watched, desk.scene):
                    await self.tell(answer)
