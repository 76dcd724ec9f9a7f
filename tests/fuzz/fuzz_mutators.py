"""Ways to break a file that know how files are made: numbers, lines, JSON values, chunks with their lengths put right."""

from __future__ import annotations

import json
import random
import re
import struct
from typing import Any

NASTY: tuple[Any, ...] = (
    0, -1, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 10**18, 10**400, 1e-308, 1e308, 0.5, -0.0, "", "a", "\ud800", None, True,
    [], {}, [[]], [0] * 50, "9" * 400,
)  # fmt: skip
WORDS = (
    b"0",
    b"-1",
    b"1e999",
    b"nan",
    b"inf",
    b"1e308",
    b"-1e-320",
    b"9" * 400,
    b"4294967296",
    b"{",
    b"}",
    b"",
    b"\xff",
    b"a" * 300,
)
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def mutated(data: bytes, suffix: str, rng: random.Random) -> bytes:
    """`data` broken in one to three ways."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = _once(data, suffix, rng)
    return data[: 2 << 20]


def _once(data: bytes, suffix: str, rng: random.Random) -> bytes:
    if data[:4] == b"glTF" and rng.random() < 0.7:
        return _glb(data, rng)
    if suffix in (".json", ".gltf") and rng.random() < 0.7:
        return _json(data, rng)
    if suffix == ".xdts" and rng.random() < 0.7:
        head, _, rest = data.partition(b"\n")
        return head + b"\n" + _json(rest, rng)
    if suffix in (".bvh", ".toml", ".csv", ".asf", ".amc", ".vpd", ".txt") and rng.random() < 0.8:
        return _text(data, rng)
    return _binary(data, rng)


def _glb(data: bytes, rng: random.Random) -> bytes:
    try:
        (length,) = struct.unpack_from("<I", data, 12)
        text, rest = _json(data[20 : 20 + length], rng), data[20 + length :]
    except struct.error:
        return _binary(data, rng)
    text += b" " * (-len(text) % 4)
    return data[:4] + struct.pack("<IIII", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


def _json(data: bytes, rng: random.Random) -> bytes:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return _text(data, rng)
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


def _text(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    row = rng.randrange(len(lines))
    how = rng.randrange(7)
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
    else:
        numbers = list(NUMBER.finditer(data))
        if numbers:
            one = rng.choice(numbers)
            return data[: one.start()] + rng.choice(WORDS) + data[one.end() :]
        lines[row] = rng.choice(WORDS)
    return b"\n".join(lines)


def _binary(data: bytes, rng: random.Random) -> bytes:
    if len(data) < 8:
        return data + rng.randbytes(8)
    at = rng.randrange(len(data) - 4)
    how = rng.randrange(6)
    if how == 0:
        return data[:at]
    if how == 1:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if how == 2:
        number = rng.choice((0, 1, 0x7F, 0xFF, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, len(data)))
        return data[:at] + struct.pack("<I", number) + data[at + 4 :]
    if how == 3:
        number = rng.choice((float("nan"), float("inf"), -3.4e38, 1e-40))
        return data[:at] + struct.pack("<f", number) + data[at + 4 :]
    size = rng.randint(1, 256)
    if how == 4:
        return data[:at] + data[at : at + size] * rng.choice((2, 3, 100)) + data[at + size :]
    return data[:at] + data[at + size :]
