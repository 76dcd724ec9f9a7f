"""Where live data comes from and goes to, as words: `vmc:39539`, `mocopi:12351`, `file:sample:pitch`, `studio`."""

from __future__ import annotations

from dataclasses import dataclass

from komadori.errors import OptionError
from komadori.live import mocopi, vmc
from komadori.words import Note

HERE = "127.0.0.1"
"""Listening and sending stay on this machine unless another address is named."""
PORTS = {"vmc": vmc.PORT, "mocopi": mocopi.PORT}


@dataclass(frozen=True)
class Place:
    """One end of a session: a network address, a file, or the studio."""

    kind: str
    host: str = HERE
    port: int = 0
    file: str = ""


def source(text: str) -> Place:
    """The source that `text` names."""
    kind, _, rest = text.partition(":")
    if kind == "file" and rest:
        return Place("file", file=rest)
    if kind in PORTS:
        return _address("--from", text, kind, rest)
    raise OptionError("--from", expected=Note("vmc:PORT, mocopi:PORT or file:FILE"), found=text)


def target(text: str) -> Place:
    """The target that `text` names."""
    kind, _, rest = text.partition(":")
    if text == "studio":
        return Place("studio")
    if kind == "vmc":
        return _address("--to", text, kind, rest)
    raise OptionError("--to", expected=Note("vmc:PORT, vmc:HOST:PORT or studio"), found=text)


def _address(flag: str, text: str, kind: str, rest: str) -> Place:
    host, colon, port = rest.rpartition(":")
    if not rest:
        return Place(kind, port=PORTS[kind])
    if not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65535 or (colon and not host):
        raise OptionError(
            flag, expected=Note("a port from 0 to 65535, as in {kind}:{port}", kind=kind, port=PORTS[kind]), found=text
        )
    return Place(kind, host.strip("[]") or HERE, int(port))
