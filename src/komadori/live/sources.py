"""Sources of a session: a socket that senders send to, and a file that is played as if it were live."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from komadori.errors import OptionError
from komadori.formats.vrm.normalised import Normalised
from komadori.live.heard import NUMBER, ROLES, Heard
from komadori.live.mocopi import MocopiReader
from komadori.live.osc import LARGEST, Malformed
from komadori.live.places import Place
from komadori.live.session import Session
from komadori.live.vmc import VmcReader
from komadori.words import Note

MOST_AT_ONCE = 512
"""How many datagrams are accepted between two frames; more than this is a flood."""
MOST_SENDERS = 16
BUFFER = 1 << 18


class Reader(Protocol):
    """Makes frames of one sender's datagrams."""

    def read(self, datagram: bytes) -> list[Heard]:
        """The frames that it completes; raises Malformed."""


class Source(Protocol):
    """Gives a session what has come since it was asked last."""

    def poll(self, session: Session, now_s: float) -> None:
        """Let `session` hear what came up to `now_s`."""

    def close(self) -> None:
        """Let go of what it holds."""

    @property
    def ended(self) -> bool:
        """Whether nothing will ever come again."""


READERS: dict[str, Callable[[], Reader]] = {"vmc": VmcReader, "mocopi": MocopiReader}


class Listener:
    """Datagrams of one protocol into a session: each sender has its own reader, and what is malformed is counted."""

    def __init__(self, kind: str) -> None:
        self._make = READERS[kind]
        self._readers: dict[object, Reader] = {}

    def take(self, session: Session, datagram: bytes, sender: object, now_s: float) -> None:
        """Let `session` hear a datagram. Whatever it holds, nothing is raised."""
        if sender not in self._readers and len(self._readers) >= MOST_SENDERS:
            self._readers.pop(next(iter(self._readers)))
        reader = self._readers.setdefault(sender, self._make())
        try:
            frames = reader.read(datagram)
        except Malformed:
            session.malformed()
            return
        for heard in frames:
            session.hear(heard, now_s, sender)


class UdpSource:
    """A socket that listens to one protocol."""

    ended = False

    def __init__(self, place: Place) -> None:
        self._listener = Listener(place.kind)
        family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.socket.setblocking(False)
        try:
            self.socket.bind((place.host, place.port))
        except OSError as error:
            self.socket.close()
            raise OptionError(_unbound(place, error)) from None
        self.port: int = self.socket.getsockname()[1]

    def poll(self, session: Session, now_s: float) -> None:
        """Let the session hear what waits in the socket."""
        for datagram, sender in self._waiting():
            self._listener.take(session, datagram, sender, now_s)

    def _waiting(self) -> Iterator[tuple[bytes, object]]:
        for _ in range(MOST_AT_ONCE):
            try:
                yield self.socket.recvfrom(LARGEST)
            except BlockingIOError:
                return
            except ConnectionError:
                continue  # Windows reports an answer that nobody waited for

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()


def _unbound(place: Place, error: OSError) -> Note:
    if error.errno == errno.EADDRINUSE:
        return Note("port {port} is in use by another program; close it, or listen on another port", port=place.port)
    return Note(
        "cannot listen on {host}:{port}: {reason}",
        host=place.host,
        port=place.port,
        reason=error.strerror or str(error),
    )


@dataclass
class FileSource:
    """A motion played as if a performer sent it, once or over and over."""

    poses: Normalised
    loop: bool = False
    _begin_s: float | None = None
    _next: int = 0

    @property
    def ended(self) -> bool:
        """Whether all of it has been played."""
        return not self.loop and self._next >= len(self.poses.hips)

    def poll(self, session: Session, now_s: float) -> None:
        """Let the session hear the frames whose time has come."""
        self._begin_s = now_s if self._begin_s is None else self._begin_s
        count = len(self.poses.hips)
        while not self.ended and now_s >= (due := self._begin_s + self._next / self.poses.fps) - 1e-9:
            session.hear(self._frame(self._next % count), min(due, now_s), "file")
            self._next += 1

    def _frame(self, frame: int) -> Heard:
        rotations = np.tile([0.0, 0.0, 0.0, 1.0], (len(ROLES), 1))
        known = np.zeros(len(ROLES), dtype=bool)
        for at, role in enumerate(self.poses.roles):
            if role in NUMBER:
                rotations[NUMBER[role]], known[NUMBER[role]] = self.poses.rotations[frame, at], True
        return Heard(rotations, known, self.poses.hips[frame])

    def close(self) -> None:
        """Nothing is held."""
