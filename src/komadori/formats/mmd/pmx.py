"""PMX 2.0 and 2.1: bytes to Model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.formats.mmd import model as m
from komadori.formats.mmd.binary import Reader, check_magic
from komadori.formats.mmd.model import (
    Append,
    Bone,
    Frame,
    Ik,
    IkLink,
    Joint,
    Model,
    Morph,
    RigidBody,
    Surface,
    Vertices,
)
from komadori.words import Note

MAGIC = b"PMX "
VERSIONS = (2.0, 2.1)

_SIGNED = {1: "b", 2: "h", 4: "i"}
_UNSIGNED = {1: "B", 2: "H", 4: "i"}
_MATERIAL_MORPH = [("how", "u1"), ("numbers", "<f4", 28)]
_MORPHS = ("group", "vertex", "bone", "uv", "uv1", "uv2", "uv3", "uv4", "material", "flip", "impulse")


@dataclass(frozen=True)
class _Sizes:
    """How the file writes text and numbers; the letters are those of `struct`."""

    encoding: str
    extra: int
    vertex: str
    texture: str
    material: str
    bone: str
    morph: str
    body: str


def parse(data: bytes, name: str) -> Model:
    """The model in the bytes of a PMX file; errors use `name` for it."""
    reader = Reader(data, name)
    check_magic(reader, MAGIC, "a PMX model")
    (version,) = reader.values("f", "the version")
    if not any(abs(version - known) < 1e-4 for known in VERSIONS):
        raise reader.wrong(Note("PMX version 2.0 or 2.1"), f"{version:g}", reader.at - 4)
    sizes = _sizes(reader)
    names = [_text(reader, sizes, what) for what in ("the name", "the English name", "the comment", "the comment")]
    vertices = _vertices(reader, sizes)
    corners = reader.count(_width(sizes.vertex), "triangle corners")
    if corners % 3:
        raise reader.wrong(Note("a multiple of 3 triangle corners"), f"{corners}", reader.at - 4)
    triangles = reader.records(np.dtype(f"<{sizes.vertex}"), corners, "triangle corners")
    textures = tuple(_text(reader, sizes, "a texture's path") for _ in range(reader.count(4, "textures")))
    surfaces = tuple(_surface(reader, sizes) for _ in range(reader.count(80, "materials")))
    bones = tuple(_bone(reader, sizes) for _ in range(reader.count(28, "bones")))
    morphs = tuple(_morph(reader, sizes) for _ in range(reader.count(14, "morphs")))
    frames = tuple(_frame(reader, sizes) for _ in range(reader.count(13, "display frames")))
    bodies = tuple(_body(reader, sizes) for _ in range(reader.count(70, "rigid bodies")))
    joints = tuple(_joint(reader, sizes) for _ in range(reader.count(107, "joints")))
    return m.checked(
        Model(
            name,
            round(version, 1),
            names[0],
            names[1],
            names[2],
            names[3],
            vertices,
            triangles.astype(np.int64).reshape(-1, 3),
            textures,
            surfaces,
            bones,
            morphs,
            frames,
            bodies,
            joints,
            soft_bodies=data[reader.at :],
        )
    )


def _sizes(reader: Reader) -> _Sizes:
    (count,) = reader.values("B", "the header")
    if count < 8:
        raise reader.wrong(Note("a header of 8 settings"), f"{count}", reader.at - 1)
    encoding, extra, *widths = reader.take(count, "the header")[:8]
    if encoding not in (0, 1):
        raise reader.wrong(Note("text encoding 0 (UTF-16) or 1 (UTF-8)"), f"{encoding}")
    if extra > 4:
        raise reader.wrong(Note("at most 4 additional UVs"), f"{extra}")
    for width in widths:
        if width not in (1, 2, 4):
            raise reader.wrong(Note("index sizes of 1, 2 or 4 bytes"), f"{width}")
    vertex, *others = widths
    return _Sizes("utf-8" if encoding else "utf-16-le", extra, _UNSIGNED[vertex], *(_SIGNED[w] for w in others))


def _width(letter: str) -> int:
    return np.dtype(letter).itemsize


def _text(reader: Reader, sizes: _Sizes, what: str) -> str:
    size = reader.count(1, Note("bytes of {what}", what=what))
    return reader.take(size, what).decode(sizes.encoding, "replace").rstrip("\0")


def _vertices(reader: Reader, sizes: _Sizes) -> Vertices:
    """Records of five lengths: one walk finds where each begins, then each kind is read at once."""
    bone, extra = f"<{sizes.bone}", sizes.extra
    head = np.dtype(
        [("position", "<f4", 3), ("normal", "<f4", 3), ("uv", "<f4", 2), ("extra", "<f4", (extra, 4)), ("kind", "u1")]
    )
    tail = [("edge", "<f4")]
    two, four = ("bones", bone, 2), ("bones", bone, 4)
    bodies = [
        np.dtype([("bones", bone, (1,)), *tail]),
        np.dtype([two, ("weights", "<f4"), *tail]),
        np.dtype([four, ("weights", "<f4", 4), *tail]),
        np.dtype([two, ("weights", "<f4"), ("sdef", "<f4", 9), *tail]),
        np.dtype([four, ("weights", "<f4", 4), *tail]),
    ]
    count = reader.count(head.itemsize + bodies[0].itemsize, "vertices")
    starts = _starts(reader, count, head.itemsize, [body.itemsize for body in bodies])
    heads = _scattered(reader.data, head, starts)
    bones, weights = np.full((count, 4), -1, dtype=np.int64), np.zeros((count, 4))
    edges = np.empty(count, dtype=np.float32)
    sdef: NDArray[np.float32] | None = None
    for kind, layout in enumerate(bodies):
        rows = np.flatnonzero(heads["kind"] == kind)
        if not len(rows):
            continue
        body = _scattered(reader.data, layout, starts[rows] + head.itemsize)
        edges[rows] = body["edge"]
        bones[rows, : body["bones"].shape[1]] = body["bones"]
        if kind == m.BDEF1:
            weights[rows, 0] = 1.0
        elif kind in (m.BDEF4, m.QDEF):
            weights[rows] = body["weights"]
        else:
            weights[rows, 0], weights[rows, 1] = body["weights"], 1.0 - body["weights"].astype(np.float64)
        if kind == m.SDEF:
            sdef = np.zeros((count, 9), dtype=np.float32)
            sdef[rows] = body["sdef"]
    return Vertices(
        reader.finite(heads["position"], "the vertices"),
        heads["normal"],
        heads["uv"],
        heads["extra"],
        heads["kind"],
        bones,
        reader.finite(weights, "the vertices' weights"),
        edges,
        sdef,
    )


def _starts(reader: Reader, count: int, head: int, bodies: list[int]) -> NDArray[np.int64]:
    data, at = reader.data, reader.at
    sizes = [head + body for body in bodies]
    starts = []
    kind = -1
    try:
        for _ in range(count):
            starts.append(at)
            kind = data[at + head - 1]
            at += sizes[kind]
    except IndexError:
        if at + head > len(data):
            raise reader.wrong(
                Note("{count} vertices", count=count), Note("the file's end in vertex {vertex}", vertex=len(starts)), at
            ) from None
        raise reader.wrong(Note("a vertex weighted in a way from 0 to 4"), f"{kind}", at + head - 1) from None
    if at > len(data):
        raise reader.wrong(Note("{count} vertices", count=count), Note("the file's end in the last one"))
    reader.at = at
    return np.array(starts, dtype=np.int64)


def _scattered(data: bytes, layout: np.dtype[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Records of one layout that begin at the bytes `starts`."""
    anywhere: NDArray[Any] = np.ndarray((max(len(data) - layout.itemsize + 1, 0),), layout, data, strides=(1,))
    return anywhere[starts]


def _surface(reader: Reader, sizes: _Sizes) -> Surface:
    name, english = _text(reader, sizes, "a material's name"), _text(reader, sizes, "a material's name")
    numbers = reader.values("4f4f3f", "a material")
    (flags,) = reader.values("B", "a material")
    *edge, size = reader.values("5f", "a material's edge")
    texture, sphere = reader.values(2 * sizes.texture, "a material's textures")
    sphere_mode, shared = reader.values("BB", "a material")
    (toon,) = reader.values("B" if shared else sizes.texture, "a material's toon")
    memo = _text(reader, sizes, "a material's memo")
    (indices,) = reader.values("i", "a material's triangles")
    return Surface(
        name, english, numbers[:4], numbers[4:8], numbers[8:], flags, (edge[0], edge[1], edge[2], edge[3]), size,
        texture, sphere, sphere_mode, bool(shared), toon, memo, indices,
    )  # fmt: skip


def _bone(reader: Reader, sizes: _Sizes) -> Bone:
    name, english = _text(reader, sizes, "a bone's name"), _text(reader, sizes, "a bone's name")
    x, y, z, parent, layer, flags = reader.values(f"3f{sizes.bone}iH", "a bone")
    reader.finite(np.array([x, y, z]), Note("bone {name}", name=name))
    tail: Any = reader.values(sizes.bone if flags & m.TAIL_IS_BONE else "3f", "a bone's tail")
    if flags & m.TAIL_IS_BONE:
        tail = tail[0]
    append = axis = axes = external = ik = None
    if flags & (m.APPEND_ROTATION | m.APPEND_TRANSLATION):
        source, ratio = reader.values(f"{sizes.bone}f", "a bone's append")
        reader.finite(np.array(ratio), Note("bone {name}'s append", name=name))
        append = Append(
            source,
            ratio,
            bool(flags & m.APPEND_ROTATION),
            bool(flags & m.APPEND_TRANSLATION),
            bool(flags & m.APPEND_LOCAL),
        )
    if flags & m.FIXED_AXIS:
        axis = reader.values("3f", "a bone's axis")
    if flags & m.LOCAL_AXES:
        six = reader.values("6f", "a bone's axes")
        axes = (six[:3], six[3:])
    if flags & m.EXTERNAL_PARENT:
        (external,) = reader.values("i", "a bone's external parent")
    if flags & m.HAS_IK:
        ik = _ik(reader, sizes, name)
    return Bone(name, english, (x, y, z), parent, layer, flags, tail, append, axis, axes, external, ik)


def _ik(reader: Reader, sizes: _Sizes, name: str) -> Ik:
    target, loops, angle = reader.values(f"{sizes.bone}if", "an IK")
    links = []
    for _ in range(reader.count(1 + _width(sizes.bone), "IK links")):
        bone, limited = reader.values(f"{sizes.bone}B", "an IK link")
        six = reader.values("6f", "an IK link's limits") if limited else None
        if six is not None:
            reader.finite(np.array(six), Note("bone {name}'s IK", name=name))
        links.append(IkLink(bone) if six is None else IkLink(bone, six[:3], six[3:]))
    reader.finite(np.array(angle), Note("bone {name}'s IK", name=name))
    return Ik(target, loops, angle, tuple(links))


def _morph(reader: Reader, sizes: _Sizes) -> Morph:
    name, english = _text(reader, sizes, "a morph's name"), _text(reader, sizes, "a morph's name")
    panel, kind = reader.values("BB", "a morph")
    if kind >= len(_MORPHS):
        raise reader.wrong(Note("a morph of a kind from 0 to {last}", last=len(_MORPHS) - 1), f"{kind}", reader.at - 1)
    word = _MORPHS[kind]
    index = {"group": sizes.morph, "flip": sizes.morph, "bone": sizes.bone}.get(word, sizes.vertex)
    index = {"material": sizes.material, "impulse": sizes.body}.get(word, index)
    fields: dict[str, list[Any]] = {
        "group": [("weight", "<f4")],
        "flip": [("weight", "<f4")],
        "vertex": [("shift", "<f4", 3)],
        "bone": [("shift", "<f4", 3), ("turn", "<f4", 4)],
        "material": _MATERIAL_MORPH,
        "impulse": [("local", "u1"), ("velocity", "<f4", 3), ("torque", "<f4", 3)],
    }
    layout = np.dtype([("index", f"<{index}"), *fields.get(word, [("shift", "<f4", 4)])])
    count = reader.count(layout.itemsize, "morph offsets")
    offsets = reader.records(layout, count, "morph offsets")
    if word == "vertex":
        reader.finite(offsets["shift"], Note("morph {name}", name=name))
    return Morph(name, english, panel, word, offsets)


def _frame(reader: Reader, sizes: _Sizes) -> Frame:
    name, english = _text(reader, sizes, "a frame's name"), _text(reader, sizes, "a frame's name")
    (special,) = reader.values("B", "a display frame")
    entries = []
    for _ in range(reader.count(1 + min(_width(sizes.bone), _width(sizes.morph)), "entries of a display frame")):
        (kind,) = reader.values("B", "a display frame")
        (number,) = reader.values(sizes.morph if kind else sizes.bone, "a display frame")
        entries.append(("morph" if kind else "bone", int(number)))
    return Frame(name, english, bool(special), tuple(entries))


def _body(reader: Reader, sizes: _Sizes) -> RigidBody:
    name, english = _text(reader, sizes, "a rigid body's name"), _text(reader, sizes, "a rigid body's name")
    bone, group, passes, shape, *n, mode = reader.values(f"{sizes.bone}BHB14fB", "a rigid body")
    size, place, turn = (n[0], n[1], n[2]), (n[3], n[4], n[5]), (n[6], n[7], n[8])
    return RigidBody(
        name, english, bone, group, passes, shape, size, place, turn, n[9], n[10], n[11], n[12], n[13], mode
    )


def _joint(reader: Reader, sizes: _Sizes) -> Joint:
    name, english = _text(reader, sizes, "a joint's name"), _text(reader, sizes, "a joint's name")
    kind, a, b, *numbers = reader.values(f"B{2 * sizes.body}24f", "a joint")
    return Joint(name, english, kind, a, b, tuple(numbers))
