"""Reading little-endian records out of a file that is not trusted, and the code page in which MikuMikuDance names things."""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError, at_byte, quoted
from komadori.quat import Array
from komadori.words import Note

UNIT_M = 0.08
"""Metres in one unit of MikuMikuDance: a figure of 20 units is 1.6 m tall."""

_MIRROR = np.array([1.0, 1.0, -1.0])
_MIRROR_TURN = np.array([-1.0, -1.0, 1.0, 1.0])


def mirrored(vectors: Any) -> Array:
    """Directions (..., 3) from MikuMikuDance's left-handed axes to ours, or back: z points the other way."""
    return np.asarray(np.asarray(vectors, dtype=np.float64) * _MIRROR)


def mirrored_turns(turns: Any) -> Array:
    """Quaternions (..., 4) from left-handed axes to right-handed ones, or back."""
    return np.asarray(np.asarray(turns, dtype=np.float64) * _MIRROR_TURN)


class Reader:
    """A cursor over a file's bytes; reading past the end is a FormatError."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.at = 0

    @property
    def left(self) -> int:
        """Bytes that were not read yet."""
        return len(self.data) - self.at

    def wrong(self, expected: str, found: str, at: int | None = None, advice: str = "") -> FormatError:
        """The error to raise at byte `at` (where reading stands if not given)."""
        return FormatError(
            self.name,
            at_byte(self.at if at is None else at),
            expected=expected,
            found=found,
            advice=advice,
        )

    def take(self, size: int, what: str) -> bytes:
        """The next `size` bytes."""
        if size < 0 or size > self.left:
            raise self.wrong(
                _bytes(size, what),
                Note("{left} to the end of the file", left=self.left),
            )
        self.at += size
        return self.data[self.at - size : self.at]

    def values(self, layout: str, what: str) -> tuple[Any, ...]:
        """The next numbers, by a layout of `struct`."""
        form = _form(layout)
        if form.size > self.left:
            raise self.wrong(
                _bytes(form.size, what),
                Note("{left} to the end of the file", left=self.left),
            )
        self.at += form.size
        return form.unpack_from(self.data, self.at - form.size)

    def count(self, least: int, what: str, layout: str = "i") -> int:
        """A number of things that follow, each of at least `least` bytes: a number larger than the file can hold is refused."""
        at = self.at
        (number,) = self.values(layout, Note("the number of {what}", what=what))
        if not 0 <= number * least <= self.left:
            raise self.wrong(
                Note("at most {left} {what}, which fill the file", left=self.left // least, what=phrase(what)),
                f"{number}",
                at,
            )
        return int(number)

    def records(self, dtype: np.dtype[Any], count: int, what: str) -> NDArray[Any]:
        """The next `count` records, without a copy."""
        size = count * dtype.itemsize
        if size > self.left:
            raise self.wrong(
                Note("{count} {what} of {itemsize} bytes", count=count, what=phrase(what), itemsize=dtype.itemsize),
                Note("{left} bytes to the end of the file", left=self.left),
            )
        self.at += size
        return np.frombuffer(self.data, dtype, count, self.at - size)

    def finite(self, values: NDArray[Any], what: str) -> NDArray[Any]:
        """`values`, all of which must be numbers."""
        if not np.isfinite(values).all():
            raise FormatError(self.name, phrase(what), expected=Note("finite numbers"), found=Note("NaN or infinity"))
        return values


@cache
def _form(layout: str) -> struct.Struct:
    return struct.Struct("<" + layout)


def japanese(raw: bytes) -> str:
    """A name in MikuMikuDance's code page (cp932): up to the first zero byte, without a character that was cut in two."""
    raw = raw.partition(b"\0")[0]
    for end in (len(raw), len(raw) - 1):
        try:
            return raw[: max(end, 0)].decode("cp932")
        except UnicodeDecodeError:
            continue
    return raw.decode("cp932", "replace")


def cut(name: str, size: int = 15) -> bytes:
    """`name` in cp932, cut to `size` bytes between characters; what the code page lacks becomes "?"."""
    raw = name.encode("cp932", "replace")
    while len(raw) > size:
        name = name[:-1]
        raw = name.encode("cp932", "replace")
    return raw


def padded(name: str, size: int) -> bytes:
    """`name` in cp932 in a field of `size` bytes, filled with zeros."""
    return cut(name, size).ljust(size, b"\0")


def check_magic(reader: Reader, magic: bytes, what: str) -> None:
    """The file must begin so."""
    found = reader.data[: len(magic)]
    if found != magic:
        raise reader.wrong(
            Note("{what} to begin with {magic}", what=phrase(what), magic=quoted(magic.decode("latin-1"))),
            quoted(found.decode("latin-1")),
        )
    reader.at += len(magic)


def phrase(what: str) -> Note:
    """What a part of a file is called, for an error: plain words at the call, because files have very many parts."""
    return what if isinstance(what, Note) else Note(what)


def _bytes(size: int, what: str) -> Note:
    if size == 1:
        return Note("1 byte of {what}", what=phrase(what))
    return Note("{size} bytes of {what}", size=size, what=phrase(what))
