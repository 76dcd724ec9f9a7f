"""A model's pictures: looked for in its own folder alone, as PNG or JPEG."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import numpy as np

from komadori.character import Image
from komadori.errors import FormatError
from komadori.files import read_bytes
from komadori.words import Note

LARGEST_BYTES = 64 * 2**20
"""Pictures of more bytes are omitted: no model needs them."""

MOST_PIXELS = 4096 * 4096
"""Pictures with more of them are omitted: a few bytes of a packed one can stand for any number."""

_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"
_DRIVE = re.compile(r"^[A-Za-z]:")


def found(paths: tuple[str, ...], folder: Path | None) -> tuple[list[Image], list[int | None], list[Note]]:
    """The pictures that are there, for each of `paths` the picture's number or None, and notes on what is missing."""
    images: list[Image] = []
    numbers: list[int | None] = []
    missing: list[str] = []
    refused: list[str] = []
    strange: list[str] = []
    for path in paths:
        number: int | None = None
        parts = inside(path)
        if parts is None:
            refused.append(path)
        elif folder is not None:
            file = _file(folder, parts)
            image = _image(path, file) if file is not None else None
            if file is None:
                missing.append(path)
            elif image is None:
                strange.append(path)
            else:
                number = len(images)
                images.append(image)
        numbers.append(number)
    notes = []
    if missing:
        notes.append(
            Note(
                "{count} of {all} textures are missing; using plain colours: {names}",
                **_listed(missing),
                all=len(paths),
            )
        )
    if refused:
        notes.append(
            Note(
                "{count:texture lies|textures lie} outside the model's folder and were not read: {names}",
                **_listed(refused),
            )
        )
    if strange:
        notes.append(
            Note(
                "{count:texture has|textures have} a format that komadori does not read; using a plain colour: {names}",
                **_listed(strange),
            )
        )
    return images, numbers, notes


def inside(path: str) -> list[str] | None:
    """The parts of a path that stays below the model's folder; None for any other."""
    if _DRIVE.match(path) or path.startswith(("/", "\\")) or "\0" in path:
        return None
    parts = [part for part in re.split(r"[\\/]+", path) if part not in ("", ".")]
    return None if ".." in parts or not parts else parts


def has_alpha(image: Image) -> bool:
    """Whether a picture can be transparent."""
    data = image.data
    return data.startswith(_PNG) and (data[25:26] in (b"\4", b"\6") or b"tRNS" in data[:4096])


def _listed(names: list[str]) -> dict[str, object]:
    return {"count": len(names), "names": ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")}


def _file(folder: Path, parts: list[str]) -> Path | None:
    """The file below `folder`; upper and lower case may differ, as they may where models are made."""
    here = folder
    try:
        for part in parts:
            there = here / part
            if not there.exists():
                like = (
                    [one for one in here.iterdir() if one.name.casefold() == part.casefold()] if here.is_dir() else []
                )
                if not like:
                    return None
                there = like[0]
            here = there
        # A link may lead elsewhere.
        if not here.is_file() or not here.resolve().is_relative_to(folder.resolve()):
            return None
        return here if here.stat().st_size <= LARGEST_BYTES else None
    except (OSError, ValueError):
        return None


def _image(name: str, file: Path) -> Image | None:
    try:
        data = read_bytes(file)
    except FormatError:
        return None
    if data.startswith(_PNG):
        return Image(name, "image/png", data)
    if data.startswith(_JPEG):
        return Image(name, "image/jpeg", data)
    pixels = _bmp(data) if data.startswith(b"BM") else _tga(data) if file.suffix.lower() == ".tga" else None
    return None if pixels is None else Image(name, "image/png", _png(pixels))


Pixels = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]


def _bmp(data: bytes) -> Pixels | None:
    """Rows of r, g, b from a plain BMP of 24 or 32 bits, or None."""
    if len(data) < 54:
        return None
    (start,) = struct.unpack_from("<I", data, 10)
    width, height, _, bits, packing = struct.unpack_from("<iiHHI", data, 18)
    if bits not in (24, 32) or packing not in (0, 3) or width <= 0 or height == 0:
        return None
    stride = (width * bits // 8 + 3) // 4 * 4
    if start + stride * abs(height) > len(data):
        return None
    rows = np.frombuffer(data, np.uint8, stride * abs(height), start).reshape(abs(height), stride)
    pixels = rows[:, : width * bits // 8].reshape(abs(height), width, bits // 8)[..., 2::-1]
    return pixels[::-1] if height > 0 else pixels


def _tga(data: bytes) -> Pixels | None:
    """Rows of r, g, b or r, g, b, a from a plain or run-length TGA of 24 or 32 bits, or None."""
    if len(data) < 18:
        return None
    skip, _, kind = data[:3]
    width, height, bits, how = struct.unpack_from("<HHBB", data, 12)
    size = bits // 8
    if kind not in (2, 10) or bits not in (24, 32) or not width or not height:
        return None
    if width * height > MOST_PIXELS:
        return None
    body = data[18 + skip :]
    if kind == 10:
        body = _unpacked(body, size, width * height * size)
    if len(body) < width * height * size:
        return None
    pixels = np.frombuffer(body, np.uint8, width * height * size).reshape(height, width, size)
    pixels = pixels[..., [2, 1, 0, 3][:size]]
    return pixels if how & 0x20 else pixels[::-1]


def _unpacked(body: bytes, size: int, wanted: int) -> bytes:
    pieces: list[bytes] = []
    at = done = 0
    while at < len(body) and done < wanted:
        count = (body[at] & 0x7F) + 1
        same = body[at] & 0x80
        piece = body[at + 1 : at + 1 + size] * count if same else body[at + 1 : at + 1 + size * count]
        at += 1 + (size if same else size * count)
        pieces.append(piece)
        done += len(piece)
    return b"".join(pieces)


def _png(pixels: Pixels) -> bytes:
    height, width, size = pixels.shape
    rows = np.zeros((height, 1 + width * size), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    head = struct.pack(">IIBBBBB", width, height, 8, 6 if size == 4 else 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return _PNG + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
