"""How a message leaves for the page: as text on the live line, or as the answer to what it fetches."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from komadori.errors import KomadoriError
from komadori.studio.bilingual import error_message
from komadori.studio.messages import Dropped, Formats, Methods, ProjectList, Shelf, Tell
from komadori.studio.spelling import all_spelled


def encoded(message: Tell | Shelf | Dropped | Formats | Methods | ProjectList) -> str:
    """A message as the page reads it."""
    try:
        return msgspec.json.encode(message).decode()
    except UnicodeEncodeError:
        # The name of a file that is not UTF-8, in an error or on the shelf.
        return msgspec.json.encode(all_spelled(msgspec.to_builtins(message))).decode()


async def computed(make: Callable[[], Shelf | Dropped | Formats | Methods | ProjectList]) -> Response:
    """What `make` gives, computed off the event loop; its error as one clear line."""
    try:
        return response(await run_in_threadpool(make))
    except KomadoriError as error:
        return response(error_message(error), 422)


def response(message: Tell | Shelf | Dropped | Formats | Methods | ProjectList, status: int = 200) -> Response:
    """A message as the answer to a fetch."""
    return Response(encoded(message), status, media_type="application/json")
