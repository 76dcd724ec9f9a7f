"""What strangers send to `komadori live`: datagrams of VMC and mocopi through a whole session, at times that we choose."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from komadori.characters import character
from komadori.live import LiveOptions, Session
from komadori.live.sources import Listener

sys.path.insert(0, str(Path(__file__).parent.parent))
import live_packets

PACKETS = {".vmc": "vmc", ".mocopi": "mocopi"}
"""How a file of datagrams ends, and who listens to them."""
STEP_S = 1.0 / 60.0


def joined(datagrams: list[bytes]) -> bytes:
    """Datagrams one after another, each behind its length."""
    return b"".join(struct.pack("<H", len(one)) + one for one in datagrams)


def parted(data: bytes) -> Iterator[bytes]:
    """The datagrams again; what is left over is one too."""
    at = 0
    while at + 2 <= len(data):
        (size,) = struct.unpack_from("<H", data, at)
        yield data[at + 2 : at + 2 + size]
        at += 2 + size


def sound(suffix: str) -> bytes:
    """Eight frames of one performer."""
    if suffix == ".vmc":
        return joined([live_packets.vmc(number * STEP_S) for number in range(8)])
    return joined([live_packets.mocopi(number, number * STEP_S) for number in range(8)])


def heard(suffix: str, data: bytes) -> bool:
    """Sends the datagrams to a session, and takes every frame that it shows; whether it heard a performer."""
    session = Session(character("mannequin"), LiveOptions(hair="none"))
    listener, seen = Listener(PACKETS[suffix]), False
    for number, datagram in enumerate(parted(data)):
        listener.take(session, datagram, "127.0.0.1", number * STEP_S)
        shown = session.tick(number * STEP_S)
        if shown is not None:
            seen = True
            if not (np.isfinite(shown.rotations).all() and np.isfinite(shown.positions).all()):
                raise AssertionError("a pose that is not finite")
    session.status(1.0)
    return seen
