"""Speaking with a running studio as its page does, and as no page would: requests, live lines and drops, for tests."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from websockets.sync.client import ClientConnection, connect

from komadori.studio.changes import applied

from browser import Studio

_TOLD: WeakKeyDictionary[ClientConnection, dict[str, dict[str, Any]]] = WeakKeyDictionary()
"""What each line has been told."""


T = TypeVar("T")


def in_a_loop(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine in its own thread: the browser's driver may keep a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()


def ask(
    house: Studio,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    token: str | None = "right",
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one request; underscores in header names stand for hyphens."""
    line = http.client.HTTPConnection("127.0.0.1", house.port, timeout=60)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent["X-Komadori-Token"] = house.token if token == "right" else token
    line.request(method, path, body, sent)
    answer = line.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    line.close()
    return found


def own(house: Studio) -> str:
    return f"http://127.0.0.1:{house.port}"


def live(house: Studio, token: str | None = None, origin: str | None = "own", **headers: str) -> ClientConnection:
    sent = own(house) if origin == "own" else origin
    address = f"ws://127.0.0.1:{house.port}/live?token={house.token if token is None else token}"
    return connect(address, origin=sent, additional_headers=headers, proxy=None, max_size=None)


def heard(line: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind; what comes as changes alone is put together, as the page does it."""
    while True:
        message = line.recv(timeout=60)
        if isinstance(message, str) and (found := whole(line, json.loads(message)))["type"] == kind:
            return found


def last(line: ClientConnection, about: str) -> dict[str, Any] | None:
    """What the line has told last of something: "scene", "body", "method limited"."""
    return _TOLD.get(line, {}).get(about)


def whole(line: ClientConnection, message: dict[str, Any]) -> dict[str, Any]:
    """A message with all that it says, whether it came whole or as changes."""
    told = _TOLD.setdefault(line, {})
    if message["type"] == "changes":
        about = message["about"]
        told[about] = applied(told[about], message["edits"])
        return told[about]
    about = f"{message['type']} {message.get('part', '')}".strip()
    told[about] = message
    return message


def drop(*files: tuple[str, bytes], sizes: dict[str, int] | None = None) -> bytes:
    """A drop as the page packs it; `sizes` lies about some."""
    listed = [{"name": name, "size": (sizes or {}).get(name, len(data))} for name, data in files]
    text = json.dumps({"files": listed}).encode()
    return len(text).to_bytes(4, "little") + text + b"".join(data for _, data in files)


def unpacked(data: bytes) -> dict[str, Any]:
    """A binary message as the page reads it: its fields, arrays among them."""
    length = int.from_bytes(data[:4], "little")
    found: dict[str, Any] = json.loads(data[4 : 4 + length])
    at = 4 + length
    for row in found.pop("arrays"):
        count = int(np.prod(row["shape"]))
        kind = {"f32": "<f4", "i32": "<i4"}[row["kind"]]
        found[row["name"]] = np.frombuffer(data, kind, count, at).reshape(row["shape"])
        at += 4 * count
    assert at == len(data)
    return found
