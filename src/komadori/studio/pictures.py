"""Sizes of a character's pictures, read from their headers: a small file may unfold into more than a browser can hold."""

from __future__ import annotations

import struct

from komadori.character import Character, Image
from komadori.errors import one_line
from komadori.words import Note

MOST_PIXELS = 8192 * 8192
"""A picture of more is not sent to the page; characters have at most a quarter of it."""
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
"""JPEG's markers that state a size."""


def picture_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) of a PNG or JPEG as its header states them, or None if it states none."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def too_large(image: Image) -> bool:
    """Whether the page is spared this picture."""
    size = picture_size(image.data)
    return size is not None and size[0] * size[1] > MOST_PIXELS


def notes_on_pictures(character: Character) -> list[Note]:
    """What there is to say of the pictures that are not shown."""
    template = "The texture {name} is not shown: {width} x {height} pixels exceed the limit of the page."
    notes = []
    for image in character.images:
        size = picture_size(image.data)
        if size is not None and too_large(image):
            notes.append(Note(template, name=one_line(image.name, 80), width=size[0], height=size[1]))
    return notes
