"""Who may talk to the studio: only this machine's own page, with its token; everything else is refused at once."""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-komadori-token"
OPEN = ("/", "/index.html", "/assets/")
"""What needs no token, the page itself, which holds no secret; whatever else there is or will be needs it."""
REFUSED = 4403
"""The WebSocket's closing code for a guest without the right to enter."""


def policy(hosts: Iterable[str]) -> str:
    """The page's content security policy: nothing from outside, no inline code, no frames."""
    sockets = " ".join(f"ws://{host}" for host in hosts)
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; "
        f"connect-src 'self' blob: {sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class Guard:
    """Lets a request pass when its Host is ours, its Origin (if any) is ours, and its token is right if one is needed.

    A foreign page that reaches this port through its own name (DNS rebinding) has another Host; one that posts across
    sites has another Origin; neither knows the token.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], token: str) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)
        self._token = token.encode()
        self._headers = [
            (b"content-security-policy", policy(hosts).encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or WebSocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        cache = _kept(scope["path"])

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [(name, value) for name, value in message["headers"] if name != b"cache-control"]
                message = {**message, "headers": [*kept, *self._headers, (b"cache-control", cache)]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(scope, receive, send_safely, *refusal)
            return
        await self._app(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> tuple[HTTPStatus, str] | None:
        found: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        host = found.get("host", [])
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST, "the studio answers on its own address only"
        origins = found.get("origin", [])
        changes = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if any(origin.lower() not in self._origins for origin in origins) or (changes and len(origins) != 1):
            return HTTPStatus.FORBIDDEN, "another site may not speak with the studio"
        # Another program's page on this machine (another port) is of the same site, and a stranger all the same.
        if scope["path"] != "/" and not {"same-origin", "none"}.issuperset(found.get("sec-fetch-site", [])):
            return HTTPStatus.FORBIDDEN, "another site may not speak with the studio"
        if not _is_open(scope["path"]) and not self._has_token(scope, found):
            return HTTPStatus.UNAUTHORIZED, "the token is missing or wrong; open the address that the program printed"
        return None

    def _has_token(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [*headers.get(TOKEN_HEADER, []), *asked.get("token", [])]
        return len(given) == 1 and hmac.compare_digest(given[0].encode("utf-8", "replace"), self._token)


def _is_open(path: str) -> bool:
    return any(path == place or (place.endswith("s/") and path.startswith(place)) for place in OPEN)


def _kept(path: str) -> bytes:
    """How long a browser may keep an answer: what the page is made of has another name when it changes, the rest is never kept."""
    if path.startswith("/assets/"):
        return b"private, max-age=31536000, immutable"
    return b"no-cache" if _is_open(path) else b"no-store"


async def _refuse(scope: Scope, receive: Receive, send: Send, status: HTTPStatus, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": REFUSED, "reason": reason})
        return
    body = json.dumps({"message": reason}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
