"""The studio's server: who may come in, what lies at which address, and what begins and ends with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from komadori.studio.desk import Desk
from komadori.studio.door import Ticket
from komadori.studio.dropping import dropped
from komadori.studio.fetching import fetches
from komadori.studio.line import Line
from komadori.studio.messages import ErrorMessage
from komadori.studio.pages import served
from komadori.studio.safety import Guard
from komadori.studio.saving import Save, data_folder
from komadori.studio.session import Studio
from komadori.studio.streaming import LiveStage
from komadori.studio.uploads import MOST_BYTES

PAGE = Path(__file__).parent / "page"
"""The built page (`web/` is its source)."""


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

    async def drop(request: Request) -> Response:
        return await dropped(studio, request, most_bytes)

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
        Route("/api/drop", drop, methods=["POST"]),
        *fetches(studio),
    ]
    # Around everything, Starlette's own answers to errors too: every response has our security headers.
    return Guard(Starlette(routes=routes, lifespan=running), hosts=hosts, token=token)
