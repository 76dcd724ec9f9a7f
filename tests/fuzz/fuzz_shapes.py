"""Ways to break formats of their own shape: counted records, sections, trees, archives, datagrams. Lengths are put
right again, so that a reader comes as far as the thing that is wrong."""

from __future__ import annotations

import io
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

from fuzz_mutators import FLOATS, INTEGERS, Mutator, behind_line, binary, glb, json_values, number_in, table, text, usda
from fuzz_packets import joined, parted
from mmd_files import Pmx, leg

from komadori.formats.fbx import records as fbx


def _list_broken(items: list[Any], rng: random.Random, change: Callable[[Any], Any]) -> list[Any]:
    """A list with one of its items left out, doubled, moved or changed."""
    made = list(items)
    if not made:
        return made
    at, how = rng.randrange(len(made)), rng.randrange(6)
    if how == 0:
        del made[at]
    elif how == 1:
        made[at:at] = [made[at]] * rng.choice((1, 2, 200))
    elif how == 2:
        made.insert(rng.randrange(len(made)), made.pop(at))
    else:
        made[at] = change(made[at])
    return made


def vmd(data: bytes, rng: random.Random) -> bytes:
    """The lists of a VMD, each with its count: bones, morphs, cameras, lights, shadows; or a count that lies."""
    out, at = [data[:50]], 50
    for size in (111, 23, 61, 28, 9):
        if at + 4 > len(data):
            break
        (count,) = struct.unpack_from("<I", data, at)
        kept = min(count, (len(data) - at - 4) // size)
        items = [data[at + 4 + n * size : at + 4 + (n + 1) * size] for n in range(kept)]
        at += 4 + kept * size
        if rng.random() < 0.5:
            items = _list_broken(items, rng, lambda one: _in_record(one, 15, rng))
        told = rng.choice(INTEGERS) if rng.random() < 0.05 else len(items)
        out += [struct.pack("<I", told), *items]
    return b"".join([*out, data[at:]])


def _in_record(one: bytes, named: int, rng: random.Random) -> bytes:
    """A record with a number (behind its name of `named` bytes) made another, or another name."""
    if rng.random() < 0.2:
        return rng.randbytes(named) + one[named:]
    body = number_in(one[named : named + (len(one) - named) // 4 * 4], rng)
    return (one[:named] + body + one[named + len(body) :])[: len(one)]


def pmx(data: bytes, rng: random.Random) -> bytes:
    """Another PMX, with other sizes, senseless parents and flags; or a number of this one."""
    if rng.random() < 0.5:
        return number_in(data, rng) if rng.random() < 0.5 else binary(data, rng)
    made: Pmx = leg(
        version=rng.choice((2.0, 2.1, 2.0, 9.0)),
        utf8=rng.random() < 0.5,
        extra=rng.choice((0, 0, 1, 4, 5)),
        sizes=tuple(rng.choice((1, 2, 4)) for _ in range(6)),
        textures=tuple(rng.choice(("a.png", "../a.png", "\0", "a" * 300)) for _ in range(rng.randrange(3))),
        bodies=[("b", rng.randrange(-2, 9), rng.randrange(4)) for _ in range(rng.randrange(3))],
        joints=[(rng.randrange(-1, 4), rng.randrange(-1, 4)) for _ in range(rng.randrange(3))],
        skinned=tuple(rng.randrange(-1, 9) for _ in range(2)),
    )
    made.bones = [
        (name, rng.randrange(-2, 8) if rng.random() < 0.3 else parent, place, flags ^ (rng.random() < 0.2) * 0x20, more)
        for name, parent, place, flags, more in _list_broken(made.bones, rng, lambda one: one)
    ]
    return made.emit()


def sts(data: bytes, rng: random.Random) -> bytes:
    """The counts of an STS, its numbers and its names."""
    how = rng.randrange(4)
    if how == 0:
        at = 18 + rng.choice((0, 1, 2))
        return data[:at] + bytes([rng.choice((0, 1, 2, 255))]) + data[at + 1 :]
    if how == 1:
        return data[:23] + number_in(data[23:], rng)
    if how == 2:
        cels, frames = rng.randrange(1, 256), rng.randrange(1, 400)
        return data[:18] + struct.pack("<BHH", cels, frames, 0) + rng.randbytes(2 * cels * frames) + data[-4:]
    return data[: rng.randrange(23, len(data))] + rng.randbytes(rng.randrange(8)) if len(data) > 24 else data


def sxf(data: bytes, rng: random.Random) -> bytes:
    """The sections of an SXF, each with its length."""
    parts, at = [], 8
    while at + 6 <= len(data):
        marker, size = struct.unpack_from(">HI", data, at)
        parts.append((marker, data[at + 6 : at + 6 + size]))
        at += 6 + size

    def changed(part: tuple[int, bytes]) -> tuple[int, bytes]:
        form, values = rng.choice(((">H", INTEGERS[:7]), (">I", INTEGERS)))
        size = struct.calcsize(form)
        if len(part[1]) < size:
            return part[0], rng.randbytes(12)
        at = rng.randrange(len(part[1]) - size + 1) if rng.random() < 0.6 else min(2, len(part[1]) - size)
        return part[0], part[1][:at] + struct.pack(form, rng.choice(values)) + part[1][at + size :]

    made = _list_broken(parts, rng, changed)
    return data[:8] + b"".join(struct.pack(">HI", marker, len(part)) + part for marker, part in made)


def c3d(data: bytes, rng: random.Random) -> bytes:
    """The header of a C3D, the parameters behind it, or a coordinate."""
    if len(data) < 1024:
        return binary(data, rng)
    how = rng.randrange(4)
    if how == 0:  # Words of the header: markers, analogue samples, frames, where the data begin, the scale.
        at = 2 * rng.randrange(12)
        return data[:at] + struct.pack("<H", rng.choice(INTEGERS[:7])) + data[at + 2 :]
    if how == 1:
        at = rng.randrange(512, min(len(data), 4096))
        return data[:at] + bytes([rng.choice((0, 1, 2, 4, 0x7F, 0x80, 0xFF))]) + data[at + 1 :]
    if how == 2:
        at = rng.randrange(512, min(len(data), 4096) - 4)
        return data[:at] + struct.pack("<f", rng.choice(FLOATS)) + data[at + 4 :]
    at = rng.randrange(max(len(data) - 4096, 0), len(data) - 4)
    return data[:at] + struct.pack("<f", rng.choice(FLOATS)) + data[at + 4 :]


def archive(inner: dict[str, Mutator], aligned: int = 0, packed: bool = False) -> Mutator:
    """A mutator of an archive: one of its files by the mutator of its suffix, its name, or whether it is there."""

    def mutate(data: bytes, rng: random.Random) -> bytes:
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as file:
                entries = [(info.filename, file.read(info)) for info in file.infolist()]
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, OSError, EOFError):
            return binary(data, rng)

        def changed(entry: tuple[str, bytes]) -> tuple[str, bytes]:
            name, body = entry
            if rng.random() < 0.1:
                return rng.choice(("../../a.npy", "/etc/a.usda", "a\0b", "", "a.npy", name + "x")), body
            for suffix, own in inner.items():
                if name.endswith(suffix):
                    return name, own(body, rng)
            return name, binary(body, rng)

        return _zipped(_list_broken(entries, rng, changed)[:50], aligned, packed and rng.random() < 0.5)

    return mutate


def _zipped(entries: list[tuple[str, bytes]], aligned: int, packed: bool) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as file:
        for number, (name, body) in enumerate(entries):
            # A name twice is warned of; it is a thing that a stranger may do, and here it is told apart.
            info = zipfile.ZipInfo(name if name not in file.namelist() else f"{number}{name}")
            if aligned:
                start = out.tell() + 30 + len(info.filename.encode()) + 4
                info.extra = struct.pack("<HH", 0x1986, -start % aligned) + bytes(-start % aligned)
            file.writestr(info, body)
    return out.getvalue()


def npy(data: bytes, rng: random.Random) -> bytes:
    """One array of a .npz: another shape or type in its header, or another number in its body."""
    (size,) = struct.unpack_from("<H", data, 8) if len(data) > 10 else (0,)
    head, body = data[10 : 10 + size], data[10 + size :]
    if rng.random() < 0.5:
        return data[: 10 + size] + number_in(body, rng)
    swaps = (
        (b"<f8", rng.choice((b"<f4", b">f8", b"<i8", b"|O", b"<U1", b"<c16", b"|V8"))),
        (b"False", b"True "),
        (b"(4, 72)", rng.choice((b"(4, 156)", b"(0, 72)", b"(4,)", b"(9999999999, 72)", b"(-1, 72)", b"(1, 4, 72)"))),
        (b"shape", b"shpae"),
    )
    old, new = rng.choice(swaps)
    head = head.replace(old, new)
    return data[:8] + struct.pack("<H", len(head)) + head + body


def fbx_tree(data: bytes, rng: random.Random) -> bytes:
    """The records of a binary FBX: left out, doubled, moved, with other values; text if it is one."""
    if not data.startswith(fbx.MAGIC):
        return text(data, rng)
    try:
        tree = _records(data, 27, len(data))
    except (struct.error, ValueError, RecursionError):
        return binary(data, rng)
    return fbx.encoded(_tree_broken(tree, rng))


def _records(data: bytes, at: int, end: int) -> list[fbx.Record]:
    found = []
    while at + 25 <= end:
        stop, count, size, length = struct.unpack_from("<QQQB", data, at)
        if stop == 0:
            break
        if not at < stop <= len(data) or count > 10_000:
            raise ValueError("not a record")
        start = at + 25 + length
        values, place = [], start
        for _ in range(count):
            width = _width(data, place)
            values.append(data[place : place + width])
            place += width
        inner = _records(data, start + size, stop)
        found.append(fbx.Record(data[at + 25 : start], tuple(values), tuple(inner), block=stop > start + size))
        at = stop
    return found


def _width(data: bytes, at: int) -> int:
    kind = data[at : at + 1]
    if kind in b"RS" and kind:
        return 5 + int(struct.unpack_from("<I", data, at + 1)[0])
    if kind in b"dfli" and kind:
        return 13 + int(struct.unpack_from("<I", data, at + 9)[0])
    return {b"C": 2, b"Y": 3, b"I": 5, b"F": 5, b"L": 9, b"D": 9}[kind] if kind in b"CYIFLD" and kind else 1


def _tree_broken(tree: list[fbx.Record], rng: random.Random) -> list[fbx.Record]:
    def changed(one: fbx.Record) -> fbx.Record:
        if one.inner and rng.random() < 0.8:
            return fbx.Record(one.name, one.values, tuple(_tree_broken(list(one.inner), rng)), one.block)
        values = _list_broken(list(one.values), rng, lambda value: _other_value(value, rng))
        return fbx.Record(one.name, tuple(values[:300]), one.inner, one.block)

    # At the top a change inside is worth more than another order of whole parts.
    if len(tree) > 3 and rng.random() < 0.8:
        at = rng.randrange(len(tree))
        return [*tree[:at], changed(tree[at]), *tree[at + 1 :]]
    return _list_broken(tree, rng, changed)


def _other_value(value: bytes, rng: random.Random) -> bytes:
    kind = value[:1]
    if kind == b"D":
        return kind + struct.pack("<d", rng.choice(FLOATS))
    if kind in (b"L", b"I"):
        return kind + struct.pack(
            "<q" if kind == b"L" else "<i", rng.choice((0, -1, 1, 2**31 - 1, 46186158000)) % 2**31
        )
    if kind == b"S":
        return fbx.value(rng.choice(("", "Model", "a\0\1b", "x" * 3000, "Lcl Rotation", "\ufffd")))
    if kind in (b"d", b"f", b"l", b"i") and len(value) > 13:
        _, count, packed, _ = struct.unpack_from("<cIII", value)
        body = zlib.decompress(value[13:]) if packed else value[13:]
        body = number_in(body, rng)
        if rng.random() < 0.2:
            count = rng.choice(INTEGERS)
        return struct.pack("<cIII", kind, count, 0, len(body)) + body
    return binary(value, rng) if len(value) > 8 else value


def datagrams(change: Mutator) -> Mutator:
    """A mutator of datagrams, which come late, twice or never, or are changed."""

    def mutate(data: bytes, rng: random.Random) -> bytes:
        made = _list_broken(list(parted(data)), rng, lambda one: change(one, rng)[:65_000])
        return joined(made[:60])

    return mutate


def osc(data: bytes, rng: random.Random) -> bytes:
    """The messages of an OSC bundle, each with its size."""
    if not data.startswith(b"#bundle\0"):
        return binary(data, rng)
    parts, at = [], 16
    while at + 4 <= len(data):
        (size,) = struct.unpack_from(">i", data, at)
        if size < 0:
            break
        parts.append(data[at + 4 : at + 4 + size])
        at += 4 + size

    def changed(part: bytes) -> bytes:
        how = rng.randrange(6)
        if how == 0:
            return data[:16] + struct.pack(">i", len(part)) + part  # A bundle within the bundle.
        if how == 1 and b"," in part:
            tag = part.index(b",") + 1
            return part[:tag] + rng.choice((b"ffff", b"ssss", b"iiii", b"dddd", b"[[[[", b"bbbb")) + part[tag + 4 :]
        if how == 2:
            other = rng.choice(parts)
            return other[: len(other) // 8 * 4] + part[len(other) // 8 * 4 :]
        if len(part) < 8:
            return part + b"\0" * 4
        at = rng.randrange(len(part) // 4) * 4
        worth = rng.choice(
            (struct.pack(">f", rng.choice(FLOATS)), struct.pack(">I", rng.choice(INTEGERS)), b"\xff" * 4)
        )
        return part[:at] + worth + part[at + 4 :]

    made = _list_broken(parts, rng, changed)
    return data[:16] + b"".join(struct.pack(">i", len(part)) + part for part in made)


def fields(data: bytes, rng: random.Random, depth: int = 0) -> bytes:
    """The fields of a mocopi packet, one inside another, each with its length."""
    parts, at = [], 0
    while at + 8 <= len(data):
        (size,) = struct.unpack_from("<I", data, at)
        parts.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + size]))
        at += 8 + size

    def changed(part: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
        name, body = part
        nested = name in (b"head", b"fram", b"btrs", b"btdt", b"skdf", b"bons", b"bndt")
        if nested and depth < 6 and rng.random() < 0.9:
            return name, fields(body, rng, depth + 1)
        if rng.random() < 0.2:
            return rng.choice((b"tran", b"bnid", b"fram", b"time", b"\xff\0\1\2")), body
        return name, number_in(body, rng)

    made = _list_broken(parts, rng, changed)
    return b"".join(struct.pack("<I", len(body)) + name + body for name, body in made)


BY_FORMAT: dict[str, Mutator] = {
    "BVH .bvh": text,
    "Acclaim ASF/AMC .amc": text,
    "glTF binary .glb": glb,
    "glTF .gltf": json_values,
    "MikuMikuDance model .pmx": pmx,
    "MikuMikuDance motion .vmd": vmd,
    "MikuMikuDance pose .vpd": text,
    "VRM avatar .vrm": glb,
    "VRM animation .vrma": glb,
    "USD text .usda": usda,
    "USD .usd": binary,
    "USDZ .usdz": archive({".usda": usda, ".usdc": binary}, aligned=64),
    "FBX .fbx": fbx_tree,
    "C3D .c3d": c3d,
    "TRC .trc": table,
    "AMASS .npz": archive({".npy": npy}, packed=True),
    "XDTS .xdts": behind_line,
    "TDTS .tdts": behind_line,
    "STS .sts": sts,
    "SXF .sxf": sxf,
    "JSON .json": json_values,
    "CSV .csv": table,
    "Celsys CSV .celsys.csv": table,
    "TVPaint CSV .tvpaint.csv": table,
    "After Effects .txt": text,
    "puppet .json": json_values,
    "translator .json": json_values,
    "trace .json": json_values,
    "trace .csv": table,
    "take .csv": table,
    "script .txt": text,
    "recipe .toml": text,
    "camera .json": json_values,
}
"""How files of each declared format are broken, by the format's name and first suffix."""
BY_PROTOCOL: dict[str, Mutator] = {"VMC .vmc": datagrams(osc), "mocopi .mocopi": datagrams(fields)}
MUTATORS = {**BY_FORMAT, **BY_PROTOCOL}
