"""The studio's server: the page, what it fetches, and one live line to each page. Thin: the desk does the work."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from komadori.errors import KomadoriError, OptionError
from komadori.render.shot import CAMERAS
from komadori.render.toon import STYLES
from komadori.studio import panels, working
from komadori.studio.bilingual import both, both_of, error_message, note_message
from komadori.studio.changes import changes
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.desk import Desk
from komadori.studio.door import PATIENCE_S, Ticket
from komadori.studio.exporting import NOT_A_VRM, exported, formats, unfit
from komadori.studio.exports import Exports
from komadori.studio.hand import Hand
from komadori.studio.keeping import Keeper
from komadori.studio.known import remember, remembered
from komadori.studio.media import TYPES
from komadori.studio.messages import (
    AnsweredUpdate,
    Ask,
    ChangesUpdate,
    Dropped,
    EditKey,
    EditKeyPose,
    EditPose,
    EditProject,
    EditTake,
    ErrorMessage,
    Export,
    ExportEnded,
    Follow,
    Formats,
    KeyposesUpdate,
    LimitedUpdate,
    Methods,
    MethodUpdate,
    ProgressUpdate,
    ProjectList,
    Redo,
    Remove,
    Said,
    SavedUpdate,
    SceneUpdate,
    Shelf,
    ShelfUpdate,
    StopExport,
    Tell,
    Undo,
    Watch,
)
from komadori.studio.messages import Save as SaveNow
from komadori.studio.pages import served
from komadori.studio.papers import are_papers
from komadori.studio.papers import read as read_paper
from komadori.studio.papers import taken as take_paper
from komadori.studio.parts.live import Follower
from komadori.studio.projects import Projects, copied, is_project
from komadori.studio.projects import packed as packed_project
from komadori.studio.projects import unpacked as unpack_project
from komadori.studio.safety import Guard
from komadori.studio.saving import Save, data_folder
from komadori.studio.scene import Opened, Scene
from komadori.studio.shelf import Shelf as ShelfOfFiles
from komadori.studio.spelling import all_spelled
from komadori.studio.streaming import LiveStage
from komadori.studio.telling import Answer, scene_update
from komadori.studio.undoing import undone
from komadori.studio.uploads import MOST_BYTES, bounded, unpacked
from komadori.words import Note

PAGE = Path(__file__).parent / "page"
"""The built page (`web/` is its source)."""
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
        self.lines: set[Line] = set()
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


def encoded(message: Tell | Shelf | Dropped | Formats | Methods | ProjectList) -> str:
    """A message as the page reads it."""
    try:
        return msgspec.json.encode(message).decode()
    except UnicodeEncodeError:
        # The name of a file that is not UTF-8, in an error or on the shelf.
        return msgspec.json.encode(all_spelled(msgspec.to_builtins(message))).decode()


def app(
    desk: Desk,
    save: Save,
    hosts: tuple[str, ...],
    token: str,
    greeting: list[ErrorMessage] | None = None,
    most_bytes: int = MOST_BYTES,
    ticket: Ticket | None = None,
    data: Path | None = None,
    moved: Callable[[Path], None] = lambda folder: None,
) -> ASGIApp:
    """The application; `hosts` are the names (with port) under which it may be called, `most_bytes` a drop's limit.

    A person who comes with the `ticket` is sent on to the address with the token, once. `data` is the user's data folder; `moved` is called with
    the folder of another project when that is opened.
    """
    studio = Studio(desk, save, greeting or [], data or data_folder(), moved)
    performers = LiveStage(desk)

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        saving = asyncio.create_task(studio.keeper.run())
        try:
            yield
        finally:
            await asyncio.to_thread(performers.stop)
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
        try:
            files = unpacked(data)
            if is_project(files):
                return _response(await run_in_threadpool(_received_project, studio.projects, *files[0]))
            if are_papers([name for name, _ in files]):
                return _response(await _read_papers(studio, request.query_params.get("part", ""), files))
        except KomadoriError as error:
            return _response(error_message(error), 422)
        return await _computed(lambda: desk.shelf.dropped(files))

    async def projects(_: Request) -> Response:
        return await _computed(lambda: ProjectList(studio.projects.listed(studio.save.folder)))

    async def shared(_: Request) -> Response:
        try:
            whole = await run_in_threadpool(packed_project, desk.scene, desk.shelf)
        except KomadoriError as error:
            return _response(error_message(error), 422)
        return Response(whole, media_type="application/zip")

    async def offer(request: Request) -> Response:
        try:
            data = await run_in_threadpool(desk.teller.offers.get, request.path_params["name"])
        except KomadoriError as error:
            return _response(error_message(error), 422)
        if data is None:
            return _response(note_message(Note("this is out of date; the page fetches it again")), 404)
        return Response(data, media_type="application/octet-stream")

    async def media(request: Request) -> Response:
        """A sound, a film or a still; a film is fetched in pieces, as it is played."""
        try:
            path = await run_in_threadpool(desk.shelf.media_file, request.query_params.get("key", ""))
        except KomadoriError as error:
            return _response(error_message(error), 404)
        return FileResponse(path, media_type=TYPES[path.suffix.lower()])

    async def listed(_: Request) -> Response:
        return await _computed(
            lambda: Formats(formats(), unfit(desk, desk.scene), both(NOT_A_VRM), list(CAMERAS), list(STYLES))
        )

    async def methods(_: Request) -> Response:
        return await _computed(panels.listed)

    async def export(request: Request) -> Response:
        file = studio.exports.get(request.path_params["key"])
        if file is None:
            return _response(note_message(Note("this file no longer exists; export it again")), 404)
        headers = {"content-disposition": f"attachment; filename*=UTF-8''{quote(file.name)}"}
        return Response(file.data, media_type="application/octet-stream", headers=headers)

    async def page(request: Request) -> Response:
        code = request.query_params.get("code")
        if code is not None and ticket is not None and ticket.taken(code):
            return RedirectResponse(f"/?token={token}", 303)
        index = PAGE / "index.html"
        if not index.is_file():
            return Response("The page is not built: run `make page` in the checkout.", 503, media_type="text/plain")
        return await run_in_threadpool(served, request, PAGE, index.name)

    async def asset(request: Request) -> Response:
        return await run_in_threadpool(served, request, PAGE / "assets", request.path_params["name"])

    routes: list[Any] = [
        Route("/", page),
        Route("/assets/{name}", asset),
        WebSocketRoute("/live", live),
        WebSocketRoute("/stream", performers.page),
        Route("/api/shelf", shelf),
        Route("/api/projects", projects),
        Route("/api/project", shared),
        Route("/api/drop", drop, methods=["POST"]),
        Route("/api/offer/{name}", offer),
        Route("/api/media", media),
        Route("/api/formats", listed),
        Route("/api/methods", methods),
        Route("/api/export/{key}", export),
    ]
    # Around everything, Starlette's own answers to errors too: every response has our security headers.
    return Guard(Starlette(routes=routes, lifespan=running), hosts=hosts, token=token)


def _received_project(projects: Projects, name: str, data: bytes) -> Dropped:
    """A project that came as one file, in its own folder; it is opened when the page asks for it."""
    stem = Path(name.replace("\\", "/")).stem[:60].strip(". ") or "project"
    folder = projects.new(projects.free(stem))
    unpack_project(data, Path(name).name, folder)
    return Dropped([], [], project=str(folder))


async def _read_papers(studio: Studio, part: str, files: list[tuple[str, bytes]]) -> Dropped:
    """Timesheets, recipes, puppets and traces, put into the scene one after another."""
    notes: list[Said] = []
    troubles: list[Said] = []
    for name, data in files:
        try:
            thing = await run_in_threadpool(read_paper, name, data)
            notes.append(both(take_paper(studio.desk, part, Path(name).name, data, thing)))
        except KomadoriError as error:
            troubles.append(both_of(error))
    studio.changed()
    return Dropped([], troubles, notes)


async def _computed(make: Callable[[], Shelf | Dropped | Formats | Methods | ProjectList]) -> Response:
    """What `make` gives, computed off the event loop; its error as one clear line."""
    try:
        return _response(await run_in_threadpool(make))
    except KomadoriError as error:
        return _response(error_message(error), 422)


def _response(message: Tell | Shelf | Dropped | Formats | Methods | ProjectList, status: int = 200) -> Response:
    return Response(encoded(message), status, media_type="application/json")
