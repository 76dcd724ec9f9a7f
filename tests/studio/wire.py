"""Speaking with a running studio as its page does, and as no page would: requests, live lines and drops, for tests."""

from __future__ import annotations

import http.client
import json
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

from browser import Studio


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
    return connect(address, origin=sent, additional_headers=headers, proxy=None, max_size=None)  # type: ignore[arg-type]


def heard(line: ClientConnection, kind: str) -> dict[str, object]:
    """The next message of a kind."""
    while True:
        message = line.recv(timeout=60)
        if isinstance(message, str) and (found := json.loads(message))["type"] == kind:
            return found


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
