"""Moving pictures as an animated PNG, written with only NumPy and zlib: every browser plays it."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError
from komadori.render.textures import Pixels
from komadori.words import Note

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOURS, _EXACT = 256, 192
_MOST_MS = 65535


def apng(pictures: Sequence[Pixels], times_ms: Sequence[int]) -> bytes:
    """`pictures` (H, W, 3), all of one size, each shown for so many milliseconds, over and over; one is a plain PNG.

    Up to 256 colours, the most frequent ones exactly. After the first only what has changed is written.
    """
    if not pictures or len(pictures) != len(times_ms):
        raise OptionError(
            "pictures",
            expected=Note("at least one picture, and a time for each"),
            found=Note("{pictures} pictures and {times} times", pictures=len(pictures), times=len(times_ms)),
        )
    palette, numbered = _in_palette(pictures)
    height, width = numbered[0].shape
    parts = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", palette.tobytes()),
    ]
    if len(numbered) == 1:
        return _SIGNATURE + b"".join([*parts, _chunk(b"IDAT", _packed(numbered[0])), _chunk(b"IEND", b"")])
    parts.append(_chunk(b"acTL", struct.pack(">II", len(numbered), 0)))
    order = 0
    for n, (picture, time) in enumerate(zip(numbered, times_ms, strict=True)):
        top, bottom, left, right = (0, height, 0, width) if n == 0 else _changed(numbered[n - 1], picture)
        frame = (order, right - left, bottom - top, left, top, min(max(int(time), 0), _MOST_MS), 1000, 0, 0)
        parts.append(_chunk(b"fcTL", struct.pack(">IIIIIHHBB", *frame)))
        data = _packed(picture[top:bottom, left:right])
        order += 1
        if n == 0:
            parts.append(_chunk(b"IDAT", data))
        else:
            parts.append(_chunk(b"fdAT", struct.pack(">I", order) + data))
            order += 1
    return _SIGNATURE + b"".join([*parts, _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _packed(picture: Pixels) -> bytes:
    """Rows without filters, which are best for flat colours by number."""
    rows = np.zeros((picture.shape[0], picture.shape[1] + 1), dtype=np.uint8)
    rows[:, 1:] = picture
    return zlib.compress(rows.tobytes(), 9)


def _changed(before: Pixels, after: Pixels) -> tuple[int, int, int, int]:
    """Top, bottom, left and right of what differs; one pixel if nothing does, because a frame cannot be empty."""
    rows, columns = (np.flatnonzero((before != after).any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return 0, 1, 0, 1
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _in_palette(pictures: Sequence[Pixels]) -> tuple[NDArray[np.uint8], list[Pixels]]:
    """(n, 3) colours, and each picture (H, W) as numbers of them."""
    weights = np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
    flat = [picture.astype(np.int32) @ weights for picture in pictures]
    colours, counts = np.unique(np.concatenate([one.reshape(-1) for one in flat]), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    # Of the rare ones, edges mostly, some from everywhere: those that come first would all be dark.
    rare = np.sort(colours[order[_EXACT:]])
    some = rare[np.unique(np.linspace(0, len(rare) - 1, _COLOURS - _EXACT).astype(int))] if len(rare) else rare
    kept = np.sort(np.concatenate([colours[order[:_EXACT]], some]))
    every, few = (np.stack([packed >> shift & 255 for shift in (16, 8, 0)], axis=-1) for packed in (colours, kept))
    nearest = np.empty(len(colours), dtype=np.uint8)
    for start in range(0, len(colours), 4096):
        away = every[start : start + 4096, None] - few
        nearest[start : start + 4096] = np.argmin((away * away).sum(axis=-1), axis=1)
    return few.astype(np.uint8), [nearest[np.searchsorted(colours, one)] for one in flat]
