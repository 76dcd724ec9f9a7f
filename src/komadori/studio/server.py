"""The studio's server: the page, what it fetches, and one live line to each page. Thin: the desk does the work."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from komadori.errors import KomadoriError
from komadori.render.shot import CAMERAS
from komadori.render.toon import STYLES
from komadori.studio import panels, working
from komadori.studio.bilingual import both, both_of, error_message, note_message
from komadori.studio.desk import Desk
from komadori.studio.door import PATIENCE_S, Ticket
from komadori.studio.exporting import exported, formats
from komadori.studio.exports import Exports
from komadori.studio.hand import Hand
from komadori.studio.keeping import Keeper
from komadori.studio.messages import (
    Ask,
    Dropped,
    EditKey,
    EditPose,
    EditTake,
    ErrorMessage,
    Export,
    ExportEnded,
    Follow,
    Formats,
    Methods,
    ProgressUpdate,
    Remove,
    Said,
    Shelf,
    ShelfUpdate,
    StopExport,
    Tell,
    Watch,
)
from komadori.studio.messages import Save as SaveNow
from komadori.studio.parts.live import Follower
from komadori.studio.safety import Guard
from komadori.studio.saving import Save
from komadori.studio.scene import Scene
from komadori.studio.telling import Answer, scene_update
from komadori.studio.uploads import MOST_BYTES, bounded, unpacked
from komadori.words import Note

PAGE = Path(__file__).parent / "page"
"""The built page (`web/` is its source)."""
LOG = logging.getLogger("uvicorn.error")
REST_S = 0.4
"""A hand that has not changed anything for so long rests."""
UNEXPECTED = Note("something went wrong in the studio and is in its log; undo the last step, or open something else")
MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""What a mistake of ours raises: it is logged and said, and the line to the page stays."""
QUICK = (EditKey, EditPose, EditTake)
"""What is asked while a hand is moving: done at once, since changing threads would take longer."""


class Studio:
    """The desk, who saves it, and the pages that look at it."""

    def __init__(self, desk: Desk, save: Save, greeting: list[ErrorMessage]) -> None:
        self.desk = desk
        self.keeper = Keeper(desk, save, self._saved)
        self.greeting = greeting
        self.exports = Exports()
        self.lines: set[Line] = set()

    def changed(self) -> None:
        """Tells every page, and sees that the change is saved."""
        self.keeper.changed()
        for line in self.lines:
            line.wake()

    def _saved(self) -> None:
        for line in self.lines:
            line.saved.set()


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
        """A teller only ends by a mistake of ours: it is logged, and the page starts anew instead of waiting for ever."""
        if not teller.cancelled() and (error := teller.exception()) is not None:
            LOG.error("the studio met something that it did not expect", exc_info=error)
            self._closing = asyncio.create_task(self._socket.close(1011))

    def wake(self) -> None:
        """There is something new to tell."""
        self._scene_news.set()
        self._part_news.set()

    async def tell(self, answer: Answer) -> None:
        """Sends a message or arrays; a page that has gone is no error."""
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
            if not isinstance(ask, QUICK):
                await asyncio.to_thread(desk.prepare, ask)
            if isinstance(ask, Watch):
                self._watched, self._frame = ask.part, ask.frame
                self._part_news.set()
            elif isinstance(ask, SaveNow):
                await self.tell(await self._studio.keeper.now())
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
                desk.do(ask)
                self._studio.changed()
        except (msgspec.DecodeError, RecursionError) as error:
            await self.tell(note_message(Note("the page asked for something unknown: {error}", error=str(error))))
        except KomadoriError as error:
            await self.tell(error_message(error))
            # The page may already show what it asked for: tell it what holds.
            self._scene_news.set()
        except MISTAKES as error:
            await self._mistaken(error)
            self._scene_news.set()

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
        desk, stage = self._studio.desk, ("", "")
        while True:
            await self._scene_news.wait()
            self._scene_news.clear()
            news = scene_update(desk.revision, desk.history)
            scene = news.scene
            if (scene.motion, scene.character) != stage:
                try:
                    body = await asyncio.to_thread(desk.teller.body, news.revision, scene)
                except KomadoriError as error:
                    await self.tell(error_message(error, "body"))
                except MISTAKES as error:
                    await self._mistaken(error, "body")
                else:
                    await self.tell(body)
                stage = (scene.motion, scene.character)
            await self.tell(news)

    async def _tell_saved(self) -> None:
        keeper, problem = self._studio.keeper, None
        while True:
            await self.saved.wait()
            self.saved.clear()
            told = keeper.state
            await self.tell(told)
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
            if part is None or done == (part, scene):
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


def encoded(message: Tell | Shelf | Dropped | Formats | Methods) -> str:
    """A message as the page reads it."""
    return msgspec.json.encode(message).decode()


def app(
    desk: Desk,
    save: Save,
    hosts: tuple[str, ...],
    token: str,
    greeting: list[ErrorMessage] | None = None,
    most_bytes: int = MOST_BYTES,
    ticket: Ticket | None = None,
) -> ASGIApp:
    """The application; `hosts` are the names (with port) under which it may be called, `most_bytes` a drop's limit.

    Whoever comes with the `ticket` is sent on to the address with the token, once.
    """
    studio = Studio(desk, save, greeting or [])

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        saving = asyncio.create_task(studio.keeper.run())
        try:
            yield
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
            await studio.keeper.now()

    async def live(socket: WebSocket) -> None:
        await Line(studio, socket).run()

    async def shelf(_: Request) -> Response:
        return await _computed(lambda: Shelf(desk.shelf.items()))

    async def drop(request: Request) -> Response:
        try:
            data = await bounded(request, most_bytes, PATIENCE_S)
        except ClientDisconnect:
            return Response(status_code=400)
        except KomadoriError as error:
            return _response(error_message(error), 413)
        return await _computed(lambda: desk.shelf.dropped(unpacked(data)))

    async def offer(request: Request) -> Response:
        try:
            data = await run_in_threadpool(desk.teller.offers.get, request.path_params["name"])
        except KomadoriError as error:
            return _response(error_message(error), 422)
        if data is None:
            return _response(note_message(Note("this is no longer there; the page fetches it anew")), 404)
        return Response(data, media_type="application/octet-stream")

    async def listed(_: Request) -> Response:
        return await _computed(lambda: Formats(formats(), list(CAMERAS), list(STYLES)))

    async def methods(_: Request) -> Response:
        return await _computed(panels.listed)

    async def export(request: Request) -> Response:
        file = studio.exports.get(request.path_params["key"])
        if file is None:
            return _response(note_message(Note("this file is no longer there; export it again")), 404)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
        return Response(file.data, media_type="application/octet-stream", headers=headers)

    async def page(request: Request) -> Response:
        code = request.query_params.get("code")
        if code is not None and ticket is not None and ticket.taken(code):
            return RedirectResponse(f"/?token={token}", 303)
        index = PAGE / "index.html"
        if not index.is_file():
            return Response("The page is not built: run `make page` in the checkout.", 503, media_type="text/plain")
        return Response(index.read_bytes(), media_type="text/html")

    routes: list[Any] = [
        Route("/", page),
        WebSocketRoute("/live", live),
        Route("/api/shelf", shelf),
        Route("/api/drop", drop, methods=["POST"]),
        Route("/api/offer/{name}", offer),
        Route("/api/formats", listed),
        Route("/api/methods", methods),
        Route("/api/export/{key}", export),
    ]
    if (PAGE / "assets").is_dir():
        routes.append(Mount("/assets", StaticFiles(directory=PAGE / "assets")))
    # Around everything, Starlette's own answers to errors too: what leaves this door has the headers of this house.
    return Guard(Starlette(routes=routes, lifespan=running), hosts=hosts, token=token)


async def _computed(make: Callable[[], Shelf | Dropped | Formats | Methods]) -> Response:
    """What `make` gives, computed off the event loop; its error as one clear line."""
    try:
        return _response(await run_in_threadpool(make))
    except KomadoriError as error:
        return _response(error_message(error), 422)


def _response(message: Tell | Shelf | Dropped | Formats | Methods, status: int = 200) -> Response:
    return Response(encoded(message), status, media_type="application/json")
