"""The studio's server: the page, what it fetches, and one live line to each page. Thin: the desk does the work."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from komadori.errors import FormatError, KomadoriError
from komadori.studio.desk import Answer, Desk
from komadori.studio.hand import Hand
from komadori.studio.messages import (
    Ask,
    Dropped,
    EditKey,
    EditPose,
    EditTake,
    Part,
    SavedTold,
    Shelf,
    Tell,
    Trouble,
    Watch,
)
from komadori.studio.messages import Save as SaveNow
from komadori.studio.safety import Guard
from komadori.studio.saving import Save
from komadori.studio.scene import Scene

PAGE = Path(__file__).parent / "page"
"""The built page (`web/` is its source)."""
MOST_BYTES = 512 * 1024 * 1024
"""The largest drop of files."""
SAVE_AFTER_S = 0.3
"""A change is on disk this long after it was made."""
REST_S = 0.4
"""A hand that has not changed anything for so long rests."""
QUICK = (EditKey, EditPose, EditTake)
"""What is asked while a hand is moving: done at once, since changing threads would take longer."""


class Studio:
    """The desk, its save file, and the pages that look at it."""

    def __init__(self, desk: Desk, save: Save, greeting: list[Trouble]) -> None:
        self.desk = desk
        self.save = save
        self.greeting = greeting
        self.lines: set[Line] = set()
        self._saved = desk.revision
        self._unsaved = asyncio.Event()

    def changed(self) -> None:
        """Tells every page, and sees that the change is saved."""
        self._unsaved.set()
        for line in self.lines:
            line.wake()

    async def keep_saving(self) -> None:
        """Saves whenever something changed, until cancelled."""
        while True:
            await self._unsaved.wait()
            await asyncio.sleep(SAVE_AFTER_S)
            self._unsaved.clear()
            try:
                await self.save_now()
            except KomadoriError as error:
                for line in self.lines:
                    await line.tell(Trouble(str(error), "save"))

    async def save_now(self) -> int:
        """Saves the scene; the revision that is then on disk."""
        revision, scene = self.desk.revision, self.desk.scene
        if revision != self._saved:
            await asyncio.to_thread(self.save.write, scene)
            self._saved = revision
        return revision


class Line:
    """The live line to one page. What is asked is done in turn; of what is told, only the newest counts."""

    def __init__(self, studio: Studio, socket: WebSocket) -> None:
        self._studio = studio
        self._socket = socket
        self._watched: Part | None = None
        self._scene_news = asyncio.Event()
        self._part_news = asyncio.Event()
        self._at_rest = asyncio.Event()
        self._hand = Hand(studio.desk, asyncio.get_running_loop().time, studio.changed)
        self._hand_news = asyncio.Event()

    async def run(self) -> None:
        """Serves the page until it goes."""
        await self._socket.accept()
        self._studio.lines.add(self)
        self.wake()
        jobs = (self._tell_scene(), self._tell_part(), self._tell_afterthoughts(), self._tell_pose())
        tellers = [asyncio.create_task(job) for job in jobs]
        try:
            for trouble in self._studio.greeting:
                await self.tell(trouble)
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                if message.get("text") is not None:
                    self._hand.keep()
                    await self._asked(message["text"])
                elif message.get("bytes") is not None and self._hand.feel(message["bytes"]):
                    self._hand_news.set()
        finally:
            self._hand.leave()
            self._studio.lines.discard(self)
            for task in tellers:
                task.cancel()
            await asyncio.gather(*tellers, return_exceptions=True)

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

    async def _asked(self, text: str) -> None:
        desk = self._studio.desk
        try:
            ask = msgspec.json.decode(text, type=Ask)
            if not isinstance(ask, QUICK):
                await asyncio.to_thread(desk.prepare, ask)
            if isinstance(ask, Watch):
                self._watched = ask.part
                self._part_news.set()
            elif isinstance(ask, SaveNow):
                await self.tell(SavedTold(await self._studio.save_now()))
            else:
                desk.do(ask)
                self._studio.changed()
        except msgspec.DecodeError as error:
            await self.tell(Trouble(f"the page asked for something unknown: {error}"))
        except KomadoriError as error:
            await self.tell(Trouble(str(error)))
            # The page may already show what it asked for: tell it what holds.
            self._scene_news.set()

    async def _tell_pose(self) -> None:
        while True:
            await self._hand_news.wait()
            self._hand_news.clear()
            pose = self._hand.answer()
            if pose is not None:
                await self.tell(pose)

    async def _tell_scene(self) -> None:
        desk, stage = self._studio.desk, ("", "")
        while True:
            await self._scene_news.wait()
            self._scene_news.clear()
            news = desk.scene_told()
            scene = news.scene
            if (scene.motion, scene.character) != stage:
                try:
                    body = await asyncio.to_thread(desk.body_told, news.revision, scene)
                except KomadoriError as error:
                    await self.tell(Trouble(str(error), "body"))
                else:
                    await self.tell(body)
                stage = (scene.motion, scene.character)
            await self.tell(news)

    async def _tell_part(self) -> None:
        desk = self._studio.desk
        done: tuple[Part, Scene] | None = None
        while True:
            await self._part_news.wait()
            self._part_news.clear()
            part, revision, scene = self._watched, desk.revision, desk.scene
            if part is None or done == (part, scene):
                continue
            try:
                answers = desk.answers(part, revision, scene)
                while (answer := await asyncio.to_thread(next, answers, None)) is not None:
                    await self.tell(answer)
                    if self._part_news.is_set():
                        break  # Something newer was asked for: what is left of this answer is stale.
                else:
                    done = (part, scene)
                    self._at_rest.set()
            except KomadoriError as error:
                await self.tell(Trouble(str(error), part))
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
            with contextlib.suppress(KomadoriError):  # It was told with the answer itself.
                for answer in await asyncio.to_thread(desk.afterthoughts, part, revision, scene):
                    if (part, scene) == (self._watched, desk.scene):
                        await self.tell(answer)


def encoded(message: Tell | Shelf | Dropped) -> str:
    """A message as the page reads it."""
    return msgspec.json.encode(message).decode()


def app(desk: Desk, save: Save, hosts: tuple[str, ...], token: str, greeting: list[Trouble] | None = None) -> Starlette:
    """The application; `hosts` are the names (with port) under which it may be called."""
    studio = Studio(desk, save, greeting or [])

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        saving = asyncio.create_task(studio.keep_saving())
        try:
            yield
        finally:
            saving.cancel()
            await asyncio.gather(saving, return_exceptions=True)
            await studio.save_now()

    async def live(socket: WebSocket) -> None:
        await Line(studio, socket).run()

    async def shelf(_: Request) -> Response:
        return await _answer(lambda: Shelf(desk.shelf.items()))

    async def drop(request: Request) -> Response:
        try:
            data = await _bounded(request)
        except ClientDisconnect:
            return Response(status_code=400)
        except KomadoriError as error:
            return _json(Trouble(str(error)), 413)
        return await _answer(lambda: desk.shelf.dropped(unpacked(data)))

    async def offer(request: Request) -> Response:
        data = await run_in_threadpool(desk.offered, request.path_params["name"])
        if data is None:
            return _json(Trouble("this is no longer there; the page fetches it anew"), 404)
        return Response(data, media_type="application/octet-stream")

    async def page(_: Request) -> Response:
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
    ]
    if (PAGE / "assets").is_dir():
        routes.append(Mount("/assets", StaticFiles(directory=PAGE / "assets")))
    return Starlette(routes=routes, lifespan=running, middleware=[Middleware(Guard, hosts=hosts, token=token)])


async def _answer(make: Callable[[], Shelf | Dropped]) -> Response:
    """What `make` gives, computed off the event loop; its error as one clear line."""
    try:
        return _json(await run_in_threadpool(make))
    except KomadoriError as error:
        return _json(Trouble(str(error)), 422)


def _json(message: Tell | Shelf | Dropped, status: int = 200) -> Response:
    return Response(encoded(message), status, media_type="application/json")


async def _bounded(request: Request) -> bytes:
    """The body of a request, as long as it stays within what a drop may be; its stated length is not trusted."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            raise FormatError("drop", expected=f"at most {MOST_BYTES >> 20} MB in one drop", found="more")
        parts.append(part)
    return b"".join(parts)


class _File(msgspec.Struct):
    name: str
    size: int


class _Drop(msgspec.Struct):
    files: list[_File]


def unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """The files of a drop: length of a line of JSON (4 bytes), the JSON with names and sizes, then file after file."""
    length = int.from_bytes(data[:4], "little")
    try:
        listed = msgspec.json.decode(data[4 : 4 + length], type=_Drop).files
    except msgspec.DecodeError as error:
        raise FormatError("drop", expected="a list of names and sizes", found=str(error)) from None
    at, files = 4 + length, []
    for file in listed:
        if file.size < 0 or at + file.size > len(data):
            raise FormatError("drop", expected=f"{file.size} bytes of {file.name!r}", found=f"{len(data) - at}")
        files.append((file.name, data[at : at + file.size]))
        at += file.size
    return files
