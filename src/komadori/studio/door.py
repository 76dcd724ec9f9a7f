"""The studio's front door: how many connections it accepts, and how long a request may take to arrive."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from komadori.formats import apart

MOST_CONNECTIONS = 128
"""Connections at once. A page has a handful; far fewer than the files that a process may have open."""
PATIENCE_S = 20.0
"""A request that is not there whole after so long, or a body of which nothing comes for so long, is given up."""


class Door(H11Protocol):
    """One connection; it is closed if there are too many, or where no request comes."""

    _hurry: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Lets a connection in."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Takes in what came; as long as a request is incomplete, its time runs on."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
        elif self._hurry is None:
            self._wait()

    def on_response_complete(self) -> None:
        """Waits for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._hurry = self.loop.call_later(PATIENCE_S, self._give_up)

    def _stop_waiting(self) -> None:
        if self._hurry is not None:
            self._hurry.cancel()
            self._hurry = None

    def _give_up(self) -> None:
        self._hurry = None
        # A live line has another protocol by now, and stays as long as its page.
        if self.transport.get_protocol() is self:
            self.transport.abort()


class Server(uvicorn.Server):
    """The server; when it is asked to end, readers of files end too, so that nothing waits for them."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Ctrl+C, or SIGTERM."""
        apart.stop()
        super().handle_exit(sig, frame)


class Ticket:
    """A code that opens the studio once: a browser's command line shows it to every user of the machine, and then it is worth nothing."""

    def __init__(self) -> None:
        self.code = secrets.token_urlsafe(24)
        self._used = False

    def taken(self, given: str) -> bool:
        """Whether `given` is the code, the first time it is asked for."""
        if self._used or not hmac.compare_digest(given.encode("utf-8", "replace"), self.code.encode()):
            return False
        self._used = True
        return True
