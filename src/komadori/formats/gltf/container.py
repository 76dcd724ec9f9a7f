"""The outer shell of glTF: the chunks of a GLB, and the bytes that a URI stands for."""

from __future__ import annotations

import base64
import binascii
import os
import re
import struct
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from komadori.errors import FormatError, at_byte, quoted
from komadori.files import read_bytes
from komadori.words import Note

MAGIC = b"glTF"
JSON_CHUNK = 0x4E4F534A
BINARY_CHUNK = 0x004E4942
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def split(data: bytes, name: str) -> tuple[bytes, bytes | None]:
    """The JSON text of a .glb or .gltf file, and the GLB's binary chunk if it has one."""
    if data[:4] != MAGIC:
        start = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip()
        if not start.startswith(b"{"):
            expected = Note("a glTF: the letters glTF of a .glb, or the {{ of a .gltf")
            raise FormatError(name, at_byte(0), expected=expected, found=_bytes_spoken(data))
        return data, None
    if len(data) < 12:
        raise FormatError(
            name, expected=Note("a GLB header of 12 bytes"), found=Note("a file of {count}", count=len(data))
        )
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        advice = Note("glTF 1.0 is not read: convert it to 2.0") if version == 1 else ""
        raise FormatError(
            name,
            at_byte(4),
            expected=Note("glTF version 2"),
            found=Note("version {version}", version=version),
            advice=advice,
        )
    if length > len(data):
        found = Note("only {count}: the file is cut off", count=len(data))
        raise FormatError(
            name, at_byte(8), expected=Note("{length} bytes as the header says", length=length), found=found
        )
    chunks = _chunks(data, length, name)
    if not chunks or chunks[0][0] != JSON_CHUNK:
        raise FormatError(
            name,
            at_byte(16),
            problem=Note("the first chunk is not JSON"),
        )
    binary = next((content for kind, content in chunks[1:] if kind == BINARY_CHUNK), None)
    return chunks[0][1], binary


def _chunks(data: bytes, length: int, name: str) -> list[tuple[int, bytes]]:
    chunks, at = [], 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            found = Note("only {count}", count=length - at - 8)
            raise FormatError(name, at_byte(at), expected=Note("a chunk of {size} bytes", size=size), found=found)
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    return chunks


def packed(text: bytes, binary: bytes) -> bytes:
    """A GLB of a JSON text and a binary chunk (omitted if it is empty)."""
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        binary += b"\0" * (-len(binary) % 4)
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    return MAGIC + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def data_uri(binary: bytes, mime: str = "application/octet-stream") -> str:
    """A URI that holds the bytes themselves."""
    return f"data:{mime};base64,{base64.b64encode(binary).decode('ascii')}"


def resource(uri: str, folder: Path | None, name: str, place: str) -> tuple[bytes, str]:
    """The bytes that `uri` stands for, and their type if it states one.

    A data URI, or a file in `folder` or below it; anything else is refused.
    """
    if uri[:5].lower() == "data:":
        return _inline(uri, name, place)
    path = inside(uri, folder, name, place)
    if not there(path):
        raise FormatError(name, place, problem=Note("file not found: {uri}", uri=quoted(uri)))
    return read_bytes(path), ""


def there(path: Path) -> bool:
    """Whether `path` is a regular file: a pipe would never end."""
    try:
        return path.is_file()
    except OSError:
        return False


def inside(uri: str, folder: Path | None, name: str, place: str) -> Path:
    """The path beside the glTF that `uri` names: never one outside its folder, never the network."""
    advice = Note("only data URIs and files next to the glTF are read")
    if _SCHEME.match(uri) or uri.startswith("//"):
        raise FormatError(name, place, expected=Note("a file in the glTF's folder"), found=quoted(uri), advice=advice)
    relative = unquote(uri).replace("\\", "/")
    parts = relative.split("/")
    if not relative or relative.startswith("/") or ".." in parts or "\0" in relative or _SCHEME.match(relative):
        raise FormatError(name, place, expected=Note("a file in the glTF's folder"), found=quoted(uri), advice=advice)
    if folder is None:
        raise FormatError(
            name, place, expected=Note("a data URI"), found=quoted(uri), advice=Note("this glTF has no folder")
        )
    # A link can lead outside, as two dots can.
    real, home = Path(os.path.realpath(folder / relative)), Path(os.path.realpath(folder))
    if not real.is_relative_to(home):
        raise FormatError(
            name,
            place,
            problem=Note("{uri} is a link that leads out of the glTF's folder", uri=quoted(uri)),
        )
    return real


def _inline(uri: str, name: str, place: str) -> tuple[bytes, str]:
    head, comma, body = uri[5:].partition(",")
    mime = head.partition(";")[0]
    if not comma:
        raise FormatError(name, place, expected=Note("a comma in the data URI"), found=quoted(uri))
    if not head.lower().endswith(";base64"):
        return unquote_to_bytes(body), mime
    try:
        return base64.b64decode(body, validate=True), mime
    except (binascii.Error, ValueError):
        raise FormatError(name, place, expected=Note("base64 in the data URI"), found=quoted(body[:40])) from None


def _bytes_spoken(data: bytes) -> str:
    return Note("an empty file") if not data else quoted(data[:8].decode("latin-1"))
