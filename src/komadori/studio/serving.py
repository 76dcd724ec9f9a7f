"""Opening the studio: a socket on this machine alone, a token, and the address that has both."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from komadori.errors import KomadoriError, OptionError, OutputError
from komadori.studio.bilingual import error_message, note_message
from komadori.studio.desk import Desk
from komadori.studio.door import Door, Server, Ticket
from komadori.studio.doorway import Doorway, doorway
from komadori.studio.doorway import remember as remember_doorway
from komadori.studio.known import remember, remembered
from komadori.studio.messages import ErrorMessage, Open
from komadori.studio.projects import Projects
from komadori.studio.saving import Save, data_folder
from komadori.studio.shelf import Shelf
from komadori.words import Note

HOST = "127.0.0.1"
GIVE_WAY_S = 0.001
BACKLOG = 64
GRACE_S = 5
"""Ctrl+C waits so long for what is being answered."""


@dataclass(frozen=True)
class Opened:
    """A studio that is ready to serve."""

    desk: Desk
    save: Save
    socket: socket.socket
    token: str
    greeting: tuple[ErrorMessage, ...]
    ticket: Ticket = field(default_factory=Ticket)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.socket.getsockname()[1])

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.port}/?token={self.token}"

    @property
    def entrance(self) -> str:
        """What to start a browser with: good for one visit, and without the token, which other users could read there."""
        return f"http://{HOST}:{self.port}/?code={self.ticket.code}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the page may call."""
        return (f"{HOST}:{self.port}", f"localhost:{self.port}")

    def close(self) -> None:
        """Gives port and folder free again."""
        self.socket.close()
        self.save.release()


def opened(files: Sequence[Path] = (), project: Path | None = None, port: int = 0) -> Opened:
    """A studio with the project's scene, or with the `files` if some are given.

    Port 0 takes the one that the project had the last time, or any that is free. A file that cannot be read is refused here.
    """
    projects = Projects(data_folder())
    folder = projects.last() if project is None else project
    shelf = Shelf(folder / "files", files, remembered(data_folder(), folder))
    items = shelf.opened()
    door, save = doorway(data_folder(), folder), Save(folder)
    save.claim()
    try:
        listening = _listening(port) if port or not door.port else _listening_again(door.port)
    except OptionError:
        save.release()
        raise
    scene, note = save.read()
    greeting = [note_message(note, "save")] if note is not None else []
    try:
        remember(data_folder(), folder, files)
    except OutputError as error:
        greeting.append(error_message(error, "open"))
    shelf.swept()
    desk = Desk(shelf, scene)
    motion = next((clip for item in items for clip in item.motions), None)
    character = next((item.key for item in items if item.character), None)
    if motion is not None or character is not None:
        try:
            desk.prepare(Open(motion, character))
            desk.do(Open(motion, character))
        except KomadoriError as error:
            greeting.append(error_message(error, "open"))
    try:
        projects.remember(folder)
    except OutputError as error:
        greeting.append(error_message(error, "open"))
    made = Opened(desk, save, listening, door.token, tuple(greeting))
    remember_doorway(data_folder(), folder, Doorway(door.token, made.port))
    return made


def serve(studio: Opened, ready: Callable[[], None] = lambda: None) -> None:
    """Serves until interrupted."""
    import uvicorn

    from komadori.studio.server import app

    application = app(
        studio.desk,
        studio.save,
        studio.hosts,
        studio.token,
        list(studio.greeting),
        ticket=studio.ticket,
        moved=lambda folder: remember_doorway(data_folder(), folder, Doorway(studio.token, studio.port)),
    )
    # No legitimate message is larger than a scene with long takes; compression costs more than loopback.
    config = uvicorn.Config(
        application,
        http=Door,
        log_level="warning",
        ws_max_size=64 * 1024 * 1024,
        ws_per_message_deflate=False,
        lifespan="on",
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_S,
    )
    # A hand on the puppet waits for its pose: a thread that computes something else gives way within a millisecond.
    sys.setswitchinterval(GIVE_WAY_S)
    ready()
    try:
        Server(config).run(sockets=[studio.socket])
    finally:
        studio.close()


def _listening_again(port: int) -> socket.socket:
    """The port that pages still call, or another if somebody else has it by now."""
    try:
        return _listening(port)
    except OptionError:
        return _listening(0)


def _listening(port: int) -> socket.socket:
    # Only where the protocol is named does asyncio send small messages at once; else poses wait 40 ms for an echo.
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
        # From here on a browser that is quicker than the server waits at the door instead of being refused.
        made.listen()
    except OSError:
        made.close()
        raise OptionError(
            "--port", expected=Note("a free port"), found=port, advice=Note("leave --port out to use any free one")
        ) from None
    return made
