"""Ways to break a file that know how files are made: numbers, lines, JSON values, chunks with their lengths put right."""

from __future__ import annotations

import json
import random
import re
import struct
from collections.abc import Callable
from typing import Any

Mutator = Callable[[bytes, random.Random], bytes]
LONGEST = 2 << 20
NASTY: tuple[Any, ...] = (
    0, -1, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 10**18, 10**400, 1e-308, 1e308, 0.5, -0.0, "", "a", "\ud800", None, True,
    [], {}, [[]], [0] * 50, "9" * 400,
)  # fmt: skip
WORDS = (
    b"0", b"-1", b"1e999", b"nan", b"inf", b"1e308", b"-1e-320", b"9" * 400, b"4294967296", b"{", b"}", b"", b"\xff", b"a" * 300,
    b"1e6", b"1e12", b"\xe3\x82\xbb", b'"', b"=1+1", b"0.000001",
)  # fmt: skip
INTEGERS = (0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1)
FLOATS = (float("nan"), float("inf"), -3.4e38, 1e-40, 1e12, -1.0, 0.0, 1e5)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def broken(data: bytes, mutate: Mutator, rng: random.Random) -> bytes:
    """`data` broken in one to three ways, now and then without regard to its structure."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = (binary if rng.random() < 0.15 else mutate)(data, rng)
    return data[:LONGEST]


def glb(data: bytes, rng: random.Random) -> bytes:
    """The JSON of a .glb, with all lengths right again; or a number in its binary part."""
    try:
        (length,) = struct.unpack_from("<I", data, 12)
        text, rest = data[20 : 20 + length], data[20 + length :]
    except struct.error:
        return binary(data, rng)
    if len(rest) > 16 and rng.random() < 0.3:
        return data[: -len(rest) + 8] + number_in(rest[8:], rng)
    text = json_values(text, rng)
    text += b" " * (-len(text) % 4)
    return data[:4] + struct.pack("<IIII", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


def number_in(data: bytes, rng: random.Random) -> bytes:
    """One aligned number of 4 bytes (or 2, or 8) made another."""
    form, values = rng.choice((("<I", INTEGERS), ("<f", FLOATS), ("<H", INTEGERS[:7]), ("<d", FLOATS)))
    size = struct.calcsize(form)
    if len(data) < size:
        return data + bytes(size)
    at = rng.randrange(len(data) // size) * size
    return data[:at] + struct.pack(form, rng.choice(values)) + data[at + size :]


def behind_line(data: bytes, rng: random.Random) -> bytes:
    """JSON behind a first line that names the format."""
    head, _, rest = data.partition(b"\n")
    return head + b"\n" + json_values(rest, rng)


def json_values(data: bytes, rng: random.Random) -> bytes:
    """One value of a JSON text left out, doubled, taken from elsewhere, or made another."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return text(data, rng)
    places = list(_places(value))
    if not places:
        return data
    # Lists of numbers have most places by far: now and then take one with a name, where the grammar is.
    named = [place for place in places if isinstance(place[1], str)]
    holder, key = rng.choice(named if named and rng.random() < 0.6 else places)
    how = rng.randrange(6)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.extend(holder[:] if len(holder) < 5000 else holder[:1])
    elif how == 2:
        other = rng.choice(places)
        holder[key] = _copy(other[0][other[1]]) if other[0] is not holder else None
    elif how == 3 and isinstance(holder[key], int | float) and abs(holder[key]) < 2**53:
        number = holder[key]
        holder[key] = rng.choice((-number, number * 1000, number + 1, number - 1, number * 1e290))
    else:
        holder[key] = rng.choice(NASTY)
    try:
        return json.dumps(value).encode()
    except (ValueError, RecursionError):
        return data


def _copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _places(value: Any) -> Any:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        keys = one.keys() if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        for key in keys:
            yield one, key
            if isinstance(one[key], dict | list):
                waiting.append(one[key])


def text(data: bytes, rng: random.Random) -> bytes:
    """Lines left out, doubled, swapped or cut off, words swapped, or a number made another."""
    lines = data.split(b"\n")
    row = rng.randrange(len(lines))
    how = rng.randrange(9)
    if how == 0:
        del lines[row]
    elif how == 1:
        lines[row:row] = lines[row : row + rng.randint(1, 8)] * rng.choice((1, 2, 50))
    elif how == 2:
        other = rng.randrange(len(lines))
        lines[row], lines[other] = lines[other], lines[row]
    elif how == 3:
        lines = lines[: row + 1]
    elif how == 4:
        return data.replace(b"\n", rng.choice((b" ", b"\r", b"\n\n")))
    elif how == 5:
        words = lines[row].split(b" ")
        rng.shuffle(words)
        lines[row] = b" ".join(words)
    else:
        numbers = list(NUMBER.finditer(data))
        if numbers:
            one = rng.choice(numbers)
            return data[: one.start()] + rng.choice(WORDS) + data[one.end() :]
        lines[row] = rng.choice(WORDS)
    return b"\n".join(lines)


MATRIX = b"((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))"
TYPED = {
    b"float": b"1", b"float[]": b"[1,2]", b"token": b'"a"', b"token[]": b'["a"]', b"string": b'"x"', b"double": b"1e308",
    b"matrix4d": MATRIX, b"matrix4d[]": b"[" + MATRIX + b"]", b"int[]": b"[1,2,3]", b"bool": b"true", b"quatf[]": b"[(1,0,0,0)]",
    b"asset": b"@a.png@", b"float3": b"(1,2,3)", b"float3[]": b"[(1,2,3)]", b"float2[]": b"[(1,2),(nan,4)]", b"half[]": b"[1]",
}  # fmt: skip
"""Types of USD, and a value of each."""
DECLARED = re.compile(
    rb"^([ \t]*(?:uniform |custom )*)[\w]+(?:\[\])? ([\w:]+)( = .*?|\.timeSamples = \{.*?\})( \()?$",
    re.MULTILINE | re.DOTALL,
)


def usda(data: bytes, rng: random.Random) -> bytes:
    """An attribute of another type, at its default or over time; else as any text."""
    declared = list(DECLARED.finditer(data)) if rng.random() < 0.4 else []
    if not declared:
        return text(data, rng)
    return retyped(data, rng.choice(declared), rng.choice(list(TYPED)), rng.random() < 0.3)


def retyped(data: bytes, declared: re.Match[bytes], kind: bytes, over_time: bool = False) -> bytes:
    """`data` with a declared attribute made one of another type."""
    value = TYPED[kind]
    stated = b".timeSamples = {0: %s, 1: %s}" % (value, value) if over_time else b" = " + value
    line = declared[1] + kind + b" " + declared[2] + stated + (declared[4] or b"")
    return data[: declared.start()] + line + data[declared.end() :]


def table(data: bytes, rng: random.Random) -> bytes:
    """A table's cells and columns, else as any text."""
    if rng.random() < 0.4:
        return text(data, rng)
    rows = [row.split(b",") for row in data.split(b"\n")]
    row = rng.choice(rows)
    cell, how = rng.randrange(len(row)), rng.randrange(5)
    if how == 0:
        del row[cell]
    elif how == 1:
        row[cell:cell] = row[cell : cell + 1] * rng.choice((1, 2, 300))
    elif how == 2:
        for each in rows:
            each[cell : cell + 1] = each[cell : cell + 1] * rng.choice((0, 2))
    elif how == 3:
        row[cell] = rng.choice(rng.choice(rows))
    else:
        row[cell] = rng.choice(WORDS)
    return b"\n".join(b",".join(each) for each in rows)


def binary(data: bytes, rng: random.Random) -> bytes:
    """Bytes cut off, changed, doubled or left out."""
    if len(data) < 8:
        return data + rng.randbytes(8)
    at = rng.randrange(len(data) - 4)
    how = rng.randrange(6)
    if how == 0:
        return data[:at]
    if how == 1:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if how == 2:
        number = rng.choice((*INTEGERS, len(data)))
        return data[:at] + struct.pack("<I", number) + data[at + 4 :]
    if how == 3:
        return data[:at] + struct.pack("<f", rng.choice(FLOATS)) + data[at + 4 :]
    size = rng.randint(1, 256)
    if how == 4:
        return data[:at] + data[at : at + size] * rng.choice((2, 3, 100)) + data[at + size :]
    return data[:at] + data[at + size :]
