"""The bytes of a binary FBX 7.5: records with their properties, one inside another, between a header and a footer."""

from __future__ import annotations

import functools
import struct
import zlib
from array import array as packed_list
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

VERSION: Final = 7500
MAGIC: Final = b"Kaydara FBX Binary  \x00\x1a\x00"
CREATED: Final = "1970-01-01 10:00:00:000"
"""The time that the two identifiers below belong to: programs check that the three fit one another."""
FILE_ID: Final = bytes.fromhex("28b32aebb624ccc2bfc8b02aa92bfcf1")
FOOT_ID: Final = bytes.fromhex("fabcab09d0c8d466b176fb831cf7267e")
LAST: Final = bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b")
_HEAD: Final = struct.Struct("<QQQB")
_EMPTY: Final = bytes(_HEAD.size)
_ARRAY: Final = struct.Struct("<cIII")
_LETTERS: Final = {"f8": b"d", "f4": b"f", "i8": b"l", "i4": b"i"}
PACKED_FROM: Final = 128
"""Bytes: shorter arrays are not worth compressing."""
MOVED_TOGETHER: Final = 65_536
"""Records whose ends are moved at once."""


@dataclass(frozen=True, slots=True)
class Record:
    """A named record: `values` are its properties as bytes, `inner` the records inside it."""

    name: bytes
    values: tuple[bytes, ...] = ()
    inner: tuple[Record, ...] = ()
    block: bool = False
    """Whether it ends as one that has records inside even if it has none."""
    size: int = field(init=False)

    def __post_init__(self) -> None:
        size = _HEAD.size + len(self.name) + sum(map(len, self.values)) + sum(record.size for record in self.inner)
        object.__setattr__(self, "size", size + (_HEAD.size if self.inner or self.block else 0))

    def put(self, pieces: list[bytes | bytearray], heads: list[int], at: int) -> None:
        """Adds this record's bytes, which begin at the file's byte `at`, and where its own and its inner records' heads begin."""
        end = at + self.size
        own = sum(map(len, self.values))
        heads.append(at)
        pieces += (_HEAD.pack(end, len(self.values), own, len(self.name)), self.name, *self.values)
        at += _HEAD.size + len(self.name) + own
        for record in self.inner:
            record.put(pieces, heads, at)
            at += record.size
        if self.inner or self.block:
            pieces.append(_EMPTY)


class Section:
    """A record that holds many others, each kept as its bytes: thousands of joints are a million records, whose tree takes
    six times the memory of the file."""

    def __init__(self, name: str) -> None:
        self.counts: Counter[str] = Counter()
        """How many records of each name it holds."""
        self._head = record(name, block=True)
        self._data = bytearray()
        self._heads = packed_list("Q")
        self._base = 0
        """The byte of the file at which the heads say that `_data` begins."""

    @property
    def size(self) -> int:
        """Bytes."""
        return self._head.size + len(self._data)

    def add(self, one: Record) -> None:
        """One more record, the last."""
        self._count_from(0)
        pieces: list[bytes | bytearray] = []
        heads: list[int] = []
        one.put(pieces, heads, len(self._data))
        self._heads.extend(heads)
        self._data += b"".join(pieces)
        self.counts[one.name.decode()] += 1

    def put(self, pieces: list[bytes | bytearray], _: list[int], at: int) -> None:
        """Adds the section's bytes, which begin at the file's byte `at`."""
        name = self._head.name
        self._count_from(at + _HEAD.size + len(name))
        pieces += (_HEAD.pack(at + self.size, 0, 0, len(name)) + name, self._data, _EMPTY)

    def _count_from(self, base: int) -> None:
        """Lets the ends that stand in the data count from the byte of the file at which it begins."""
        by, self._base = base - self._base, base
        if not by:
            return
        data, heads = np.frombuffer(self._data, dtype=np.uint8), np.frombuffer(self._heads, dtype=np.uint64)
        for first in range(0, len(heads), MOVED_TOGETHER):
            at = heads[first : first + MOVED_TOGETHER, None].astype(np.intp) + np.arange(8)
            data[at] = (data[at].view("<i8") + by).view(np.uint8)


def record(name: str, *values: Any, inner: Iterable[Record] = (), block: bool = False) -> Record:
    """A record with these values: bool, int (64 bits), float, str, bytes, NumPy arrays, `short` integers."""
    return Record(_name(name), tuple(map(value, values)), tuple(inner), block)


@functools.lru_cache(1024)
def _name(name: str) -> bytes:
    """The name as bytes, the same ones each time: a skeleton of thousands of joints has half a million records."""
    return name.encode()


@dataclass(frozen=True, slots=True)
class Short:
    """An integer of 32 bits."""

    number: int


def value(one: Any) -> bytes:
    """One property as bytes."""
    match one:
        case bytes():
            return b"R" + struct.pack("<I", len(one)) + one
        case str():
            return _text(one)
        case bool():
            return b"C" + bytes([one])
        case Short():
            return b"I" + struct.pack("<i", one.number)
        case int():
            return b"L" + struct.pack("<q", one)
        case float():
            return b"D" + struct.pack("<d", one)
        case Ready():
            return one.data
    return array(one)


@functools.lru_cache(1024)
def _text(one: str) -> bytes:
    text = one.encode("utf-8", "replace")
    return b"S" + struct.pack("<I", len(text)) + text


@dataclass(frozen=True, slots=True)
class Ready:
    """A property that was made into bytes before, for those that occur again and again."""

    data: bytes


def array(values: NDArray[Any]) -> bytes:
    """An array property, compressed if that saves space."""
    flat = np.ascontiguousarray(values).reshape(-1)
    data, packed = flat.tobytes(), 0
    if len(data) >= PACKED_FROM:
        less = zlib.compress(data, 1)
        if len(less) < len(data):
            data, packed = less, 1
    return _ARRAY.pack(_LETTERS[flat.dtype.str[1:]], len(flat), packed, len(data)) + data


def encoded(records: Iterable[Record | Section]) -> bytes:
    """The whole file."""
    head = MAGIC + struct.pack("<I", VERSION)
    pieces: list[bytes | bytearray] = [head]
    at = len(head)
    for one in records:
        one.put(pieces, [], at)
        at += one.size
    foot = _EMPTY + FOOT_ID + bytes(4)
    at += len(foot)
    # Up to a multiple of 16, and a whole row if it is one already.
    pieces += [foot, bytes(16 - at % 16), struct.pack("<I", VERSION), bytes(120), LAST]
    return b"".join(pieces)


def properties(*rows: tuple[Any, ...]) -> Record:
    """The table of an object's properties: rows of name, type, label, flags and values."""
    return record("Properties70", inner=[record("P", *row) for row in rows])


def number(name: str, given: float, flags: str = "") -> tuple[Any, ...]:
    """A row that holds a number."""
    return (name, "double", "Number", flags, float(given))


def whole(name: str, given: int) -> tuple[Any, ...]:
    """A row that holds an integer."""
    return (name, "int", "Integer", "", Short(given))


def choice(name: str, given: int) -> tuple[Any, ...]:
    """A row that holds a choice by its number."""
    return (name, "enum", "", "", Short(given))


def switch(name: str, given: bool) -> tuple[Any, ...]:
    """A row that holds yes or no."""
    return (name, "bool", "", "", Short(int(given)))


def text(name: str, given: str, flags: str = "") -> tuple[Any, ...]:
    """A row that holds words."""
    return (name, "KString", "", flags, given)


def moment(name: str, ticks: int) -> tuple[Any, ...]:
    """A row that holds a time."""
    return (name, "KTime", "Time", "", ticks)


def three(name: str, kind: str, label: str, given: Iterable[float], flags: str = "") -> tuple[Any, ...]:
    """A row that holds three numbers."""
    return (name, kind, label, flags, *map(float, given))


def label(name: str, kind: str) -> str:
    """An object's name with its class, as binary files write it."""
    return f"{name.replace(chr(0), '')}\0\1{kind}"
