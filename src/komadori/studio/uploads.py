"""Files on their way from the page: one body that holds a model with all its textures, bounded while it arrives."""

from __future__ import annotations

import asyncio

import msgspec
from starlette.requests import Request

from komadori.errors import FormatError, quoted
from komadori.studio.decoding import WRONG_JSON
from komadori.words import Note

MOST_BYTES = 512 * 1024 * 1024
"""The largest drop of files."""


async def bounded(request: Request, most_bytes: int, patience_s: float) -> bytes:
    """The body of a request, as long as it stays within `most_bytes`; its stated length is not trusted.

    Given up if nothing comes for `patience_s` seconds.
    """
    body = bytearray()
    parts = aiter(request.stream())
    while True:
        try:
            part = await asyncio.wait_for(anext(parts), patience_s)
        except StopAsyncIteration:
            break
        except TimeoutError:
            raise FormatError(
                "drop", problem=Note("nothing arrived for {seconds:g} s; drop the files again", seconds=patience_s)
            ) from None
        if len(body) + len(part) > most_bytes:
            raise FormatError(
                "drop",
                problem=Note("more than {most:g} MB in one drop", most=most_bytes / 2**20),
            )
        body += part
    return bytes(body)


class _File(msgspec.Struct):
    name: str
    size: int


class _Drop(msgspec.Struct, forbid_unknown_fields=True):
    files: list[_File]


def unpacked(data: bytes) -> list[tuple[str, bytes]]:
    """The files of a drop: length of a line of JSON (4 bytes), the JSON with names and sizes, then file after file."""
    length = int.from_bytes(data[:4], "little")
    try:
        listed = msgspec.json.decode(data[4 : 4 + length], type=_Drop).files
    except WRONG_JSON as error:
        raise FormatError("drop", expected=Note("a list of names and sizes"), found=str(error)) from None
    at, files = 4 + length, []
    for file in listed:
        if file.size < 0 or at + file.size > len(data):
            raise FormatError(
                "drop",
                expected=Note("{count} bytes of {name}", count=file.size, name=quoted(file.name)),
                found=f"{len(data) - at}",
            )
        files.append((file.name, data[at : at + file.size]))
        at += file.size
    return files
