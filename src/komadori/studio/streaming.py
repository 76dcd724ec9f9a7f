"""A performer on the studio's stage: one live session for all pages, and what controllers send as OSC."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import msgspec
import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from komadori.errors import KomadoriError
from komadori.formats import encoded
from komadori.live import LiveOptions, Loop, Recording, Session, Shown, Status, opened, osc, places
from komadori.live.opening import performed
from komadori.live.sources import Source
from komadori.studio.bilingual import both, both_of
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.desk import Desk
from komadori.studio.messages import LiveArrays, Said
from komadori.studio.messages.live import (
    LiveAsk,
    LiveRecord,
    LiveStart,
    LiveStop,
    LiveTake,
    LiveTell,
    LiveTrouble,
    LiveUpdate,
    OscHeard,
    OscListen,
)
from komadori.studio.packing import packed
from komadori.studio.parts.translate import acting_of
from komadori.studio.scene import FPS
from komadori.words import Note

WAITING = 8
"""Messages that wait for a slow page; then the oldest are dropped, for only the newest pose counts."""
OF_THE_SCENE = "scene"
"""`file:scene` plays the motion that is open."""
STOPPED = Note("no performer yet; choose a source and start")
News: TypeAlias = LiveTell | bytes


class LiveStage:
    """Runs at most one session in its own thread and tells every page of it. Made with the studio's desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._pages: dict[asyncio.Queue[News], asyncio.AbstractEventLoop] = {}
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._take: Recording | None = None
        self._source = ""
        self._state: Status | None = None

    async def page(self, socket: WebSocket) -> None:
        """Serve one page until it goes; with the last one the session ends."""
        await socket.accept()
        news: asyncio.Queue[News] = asyncio.Queue(WAITING)
        self._pages[news] = asyncio.get_running_loop()
        controllers = Controllers(lambda heard: self._put(news, heard))
        teller = asyncio.create_task(self._tell(socket, news))
        self._put(news, self._update())
        try:
            while True:
                text = await socket.receive_text()
                await self._asked(text, news, controllers)
        except (WebSocketDisconnect, RuntimeError, KeyError):
            return
        finally:
            controllers.listen(0)
            teller.cancel()
            del self._pages[news]
            if not self._pages:
                await asyncio.to_thread(self.stop)

    async def _tell(self, socket: WebSocket, news: asyncio.Queue[News]) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                each = await news.get()
                if isinstance(each, bytes):
                    await socket.send_bytes(each)
                else:
                    await socket.send_text(msgspec.json.encode(each).decode())

    async def _asked(self, text: str, news: asyncio.Queue[News], controllers: Controllers) -> None:
        try:
            ask = msgspec.json.decode(text, type=LiveAsk)
            if isinstance(ask, OscListen):
                controllers.listen(ask.port)
            elif isinstance(ask, LiveRecord):
                await asyncio.to_thread(self._record, ask.on)
            elif isinstance(ask, LiveStop):
                await asyncio.to_thread(self.stop)
            else:
                await asyncio.to_thread(self.start, ask)
        except WRONG_JSON as error:
            note = Note("the page asked for something unknown: {error}", error=str(error))
            self._put(news, LiveTrouble(both(note)))
        except KomadoriError as error:
            self._put(news, LiveTrouble(both_of(error)))

    def start(self, ask: LiveStart) -> None:
        """Begin a session with the character on the stage; one that runs ends first."""
        self.stop()
        with self._lock:
            scene = self._desk.scene
            body = self._desk.results.staged(scene).character
            names = ("look_ahead", "hold_share", "max_exposures", "hair", "face", "clean", "feet")
            options = replace(LiveOptions(), fps=FPS, **{name: getattr(ask, name) for name in names})
            session = Session(body, options, acting_of(scene))
            place = places.source(ask.source)
            if place.kind == "file":
                # The page names what is on the shelf, never a path of this machine.
                key = scene.motion if place.file == OF_THE_SCENE else place.file
                source: Source = performed(self._desk.shelf.motion(key), body, key, loop=True)
            else:
                source = opened(place, body)
            self._source, self._state = ask.source, None
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, args=(session, source), daemon=True, name="live")
            self._thread.start()

    def stop(self) -> None:
        """End the session and wait until it has; what was being recorded becomes a take."""
        thread = self._thread
        if thread is None:
            return
        self._stop.set()
        thread.join()
        self._thread = None
        self._record(False)
        self._tell_all(self._update())

    def _run(self, session: Session, source: Source) -> None:
        try:
            loop = Loop(session, source, [_Stage(self)], told=self._told)
            loop.run(stopped=self._stop.is_set)
        finally:
            source.close()

    def _told(self, status: Status) -> None:
        self._state = status
        self._tell_all(self._update())

    def shown(self, frame: Shown) -> None:
        """Pass a frame on to every page, and to the take."""
        self._tell_all(packed(LiveArrays(frame.number, frame.new, frame.rotations, frame.positions)))
        with self._lock:
            if self._take is not None:
                self._take.show(frame)

    def _record(self, on: bool) -> None:
        with self._lock:
            take, self._take = self._take, None
            if on and self._thread is not None:
                self._take = Recording(self._desk.results.staged(self._desk.scene).character, FPS)
        if take is not None:
            if len(take):
                data = encoded(take.motion, "take.bvh")
                dropped = self._desk.shelf.dropped([("take.bvh", data)])
                self._tell_all(LiveTake(next(iter(key for item in dropped.items for key in item.motions), "")))
            take.close()
        self._tell_all(self._update())

    def _update(self) -> LiveUpdate:
        status, running = self._state, self._thread is not None
        recording = len(self._take) if self._take is not None else -1
        if not running or status is None:
            line = Note("waiting for packets") if running else STOPPED
            return LiveUpdate(running, self._source, 0.0, 0.0, 0, False, recording, both(line))
        line_said: Said = both(status.line())
        return LiveUpdate(
            running, self._source, status.packets_s, status.delay_ms, status.dropped, status.heard, recording, line_said
        )

    def _tell_all(self, news: News) -> None:
        for page in list(self._pages):
            self._put(page, news)

    def _put(self, page: asyncio.Queue[News], news: News) -> None:
        """Hand over to the page's own loop, from whatever thread; what a slow page has not fetched gives way."""

        def put() -> None:
            while page.full():
                page.get_nowait()
            page.put_nowait(news)

        loop = self._pages.get(page)
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(put)


class _Stage:
    """The sink that shows frames on the stage."""

    def __init__(self, stage: LiveStage) -> None:
        self._stage = stage

    def show(self, frame: Shown) -> None:
        """Pass it on."""
        self._stage.shown(frame)

    def close(self) -> None:
        """There is nothing to release."""


class Controllers(asyncio.DatagramProtocol):
    """Numbers that controllers send as OSC to a port of this machine, told one by one."""

    def __init__(self, told: Callable[[OscHeard | LiveTrouble], None]) -> None:
        self._told = told
        self._port = 0
        self._transport: asyncio.DatagramTransport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._free = asyncio.Event()
        """Set while no port is held."""
        self._free.set()

    def listen(self, port: int) -> None:
        """Listen to another port; 0 stops. The one that is open already stays open."""
        osc.library()
        if port != self._port:
            self._port = port
            self._opening = asyncio.get_running_loop().create_task(self._change(self._opening, port))

    async def _change(self, before: asyncio.Task[None] | None, port: int) -> None:
        """One change after another: a port that was let go is free only after the loop has been round."""
        if before is not None:
            await before
        if self._transport is not None:
            self._transport.close()
            self._transport = None
            await self._free.wait()
        if not port or port != self._port:
            return
        try:
            loop = asyncio.get_running_loop()
            self._transport, _ = await loop.create_datagram_endpoint(lambda: self, local_addr=(places.HERE, port))
        except OSError as error:
            self._port = 0
            self._told(LiveTrouble(both(_unbound(port, error))))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A port is held."""
        self._free.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is free again."""
        self._free.set()

    def datagram_received(self, data: bytes, addr: object) -> None:
        """Send every number in it; anything that is not OSC is ignored."""
        with contextlib.suppress(osc.Malformed):
            for message in osc.messages(data, (), prefix="/"):
                for index, value in enumerate(message.values[:8]):
                    if isinstance(value, float | int) and np.isfinite(value):
                        self._told(OscHeard(message.address[:200], index, float(value)))


def _unbound(port: int, error: OSError) -> Note:
    if error.errno == errno.EADDRINUSE:
        return Note("port {port} is in use by another program; close it, or listen on another port", port=port)
    reason = error.strerror or str(error)
    return Note("cannot listen on {host}:{port}: {reason}", host=places.HERE, port=port, reason=reason)
