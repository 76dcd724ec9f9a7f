"""PMD, the models of MikuMikuDance before PMX: bytes to Model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.formats.mmd import model as m
from komadori.formats.mmd.binary import Reader, check_magic, japanese
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
    Vector,
    Vertices,
)
from komadori.words import Note

MAGIC = b"Pmd"
NONE = 0xFFFF

_VERTEX = np.dtype(
    [
        ("position", "<f4", 3),
        ("normal", "<f4", 3),
        ("uv", "<f4", 2),
        ("bones", "<u2", 2),
        ("weight", "u1"),
        ("no_edge", "u1"),
    ]
)
_SKIN = np.dtype([("index", "<u4"), ("shift", "<f4", 3)])
_KNEE: tuple[Vector, Vector] = ((-math.pi, 0.0, 0.0), (math.radians(-0.5), 0.0, 0.0))
_ROTATE, _MOVE, _IK, _FOLLOWS, _HIDDEN, _TWIST, _SHARES = 0, 1, 2, 5, 7, 8, 9


def parse(data: bytes, name: str) -> Model:
    """The model in the bytes of a PMD file; errors use `name` for it."""
    reader = Reader(data, name)
    check_magic(reader, MAGIC, "a PMD model")
    (version,) = reader.values("f", "the version")
    title, comment = (japanese(reader.take(size, "the header")) for size in (20, 256))
    vertices = _vertices(reader)
    triangles = _triangles(reader)
    textures: list[str] = []
    surfaces = [_surface(reader, textures, n) for n in range(reader.count(70, "materials", "I"))]
    raw = [_raw_bone(reader) for _ in range(reader.count(39, "bones", "H"))]
    iks = dict(_ik(reader, raw) for _ in range(reader.count(11, "IKs", "H")))
    skins = [_skin(reader) for _ in range(reader.count(25, "morphs", "H"))]
    frames = _frames(reader, len(raw), len(skins))
    english = _english(reader, len(raw), len(skins), len(frames))
    if reader.left >= 1000:
        # The ten toons' file names: a material's own number is enough to know that it has one.
        reader.take(1000, "the toons' paths")
    bodies: list[RigidBody] = []
    joints: list[Joint] = []
    if reader.left >= 4:
        bodies = [_body(reader, raw) for _ in range(reader.count(83, "rigid bodies", "I"))]
    if reader.left >= 4:
        joints = [_joint(reader) for _ in range(reader.count(124, "joints", "I"))]
    bones = tuple(_bone(n, one, iks.get(n), english.get(("bone", n), "")) for n, one in enumerate(raw))
    return m.checked(
        Model(
            name,
            round(float(version), 2),
            title,
            english.get(("model", 0), ""),
            comment,
            english.get(("comment", 0), ""),
            vertices,
            triangles,
            tuple(textures),
            tuple(surfaces),
            bones,
            _morphs(reader, skins, english),
            tuple(frames),
            tuple(bodies),
            tuple(joints),
        )
    )


def _vertices(reader: Reader) -> Vertices:
    count = reader.count(_VERTEX.itemsize, "vertices", "I")
    rows = reader.records(_VERTEX, count, "vertices")
    bones, weights = np.full((count, 4), -1, dtype=np.int64), np.zeros((count, 4))
    bones[:, :2] = rows["bones"]
    bones[bones == NONE] = -1
    weights[:, 0] = np.minimum(rows["weight"] / 100.0, 1.0)
    weights[:, 1] = 1.0 - weights[:, 0]
    return Vertices(
        reader.finite(rows["position"], "the vertices"),
        rows["normal"],
        rows["uv"],
        np.zeros((count, 0, 4), dtype=np.float32),
        np.full(count, m.BDEF2, dtype=np.uint8),
        bones,
        weights,
        np.where(rows["no_edge"] == 0, 1.0, 0.0).astype(np.float32),
    )


def _triangles(reader: Reader) -> NDArray[np.int64]:
    corners = reader.count(2, "triangle corners", "I")
    if corners % 3:
        raise reader.wrong(Note("a multiple of 3 triangle corners"), f"{corners}", reader.at - 4)
    return reader.records(np.dtype("<u2"), corners, "triangle corners").astype(np.int64).reshape(-1, 3)


def _surface(reader: Reader, textures: list[str], number: int) -> Surface:
    r, g, b, a, shine, *rest = reader.values("11fBBI", "a material")
    specular, ambient, (toon, edge, indices) = rest[:3], rest[3:6], rest[6:]
    path, _, sphere = japanese(reader.take(20, "a texture's path")).partition("*")
    if path.lower().endswith((".sph", ".spa")):
        path, sphere = "", path
    return Surface(
        f"material {number}",
        "",
        (r, g, b, a),
        (specular[0], specular[1], specular[2], shine),
        (ambient[0], ambient[1], ambient[2]),
        # Thin surfaces are seen from both sides: MikuMikuDance shows the back of what is see-through.
        (0x01 if a < 1.0 else 0) | (0x10 if edge else 0),
        (0.0, 0.0, 0.0, 1.0),
        1.0,
        _numbered(textures, path),
        _numbered(textures, sphere),
        {".sph": 1, ".spa": 2}.get(sphere[-4:].lower(), 0),
        True,
        -1 if toon == 0xFF else toon,
        "",
        indices,
    )


def _numbered(textures: list[str], path: str) -> int:
    if not path:
        return -1
    if path not in textures:
        textures.append(path)
    return textures.index(path)


def _raw_bone(reader: Reader) -> dict[str, Any]:
    name = japanese(reader.take(20, "a bone's name"))
    parent, tail, kind, other, *place = reader.values("HHBH3f", "a bone")
    reader.finite(np.array(place), Note("bone {name}", name=name))
    return {"name": name, "parent": parent, "tail": tail, "kind": kind, "other": other, "place": tuple(place)}


def _bone(number: int, raw: dict[str, Any], ik: Ik | None, english: str) -> Bone:
    kind, other = raw["kind"], raw["other"]
    flags = m.ROTATABLE | m.ENABLED | (0 if kind in (6, _HIDDEN, _SHARES) else m.VISIBLE)
    if kind in (_MOVE, _IK):
        flags |= m.MOVABLE
    append = None
    if kind == _FOLLOWS and other not in (0, NONE):
        append = Append(other, 1.0, True, False)
    elif kind == _SHARES and raw["tail"] not in (0, NONE):
        append = Append(raw["tail"], other / 100.0, True, False)
    if append is not None:
        flags |= m.APPEND_ROTATION
    tail: int | Vector = (0.0, 0.0, 0.0)
    if raw["tail"] not in (0, NONE) and kind not in (_TWIST, _SHARES):
        tail, flags = raw["tail"], flags | m.TAIL_IS_BONE
    parent = -1 if raw["parent"] == NONE else raw["parent"]
    # Legs first, then the IK that uses them: PMX says so in layers, PMD by convention.
    layer = 1 if ik is not None else 0
    flags |= m.HAS_IK if ik is not None else 0
    return Bone(raw["name"], english, raw["place"], parent, layer, flags, tail, append, ik=ik)


def _ik(reader: Reader, bones: list[dict[str, Any]]) -> tuple[int, Ik]:
    bone, target, length, loops, angle = reader.values("HHBHf", "an IK")
    reader.finite(np.array(angle), "an IK")
    links = reader.values(f"{length}H", "an IK's links")
    if max((bone, target, *links)) >= len(bones):
        raise reader.wrong(
            Note("the number of one of {count} bones", count=len(bones)), f"{max((bone, target, *links))}"
        )
    knees = ["ひざ" in bones[link]["name"] for link in links]
    made = tuple(IkLink(link, *_KNEE) if knee else IkLink(link) for link, knee in zip(links, knees, strict=True))
    return bone, Ik(target, loops, 4.0 * angle, made)


def _skin(reader: Reader) -> tuple[str, int, NDArray[Any]]:
    name = japanese(reader.take(20, "a morph's name"))
    count = reader.count(_SKIN.itemsize, "morph offsets", "I")
    (panel,) = reader.values("B", "a morph")
    offsets = reader.records(_SKIN, count, "morph offsets")
    reader.finite(offsets["shift"], Note("morph {name}", name=name))
    return name, panel, offsets


def _morphs(
    reader: Reader, skins: list[tuple[str, int, NDArray[Any]]], english: dict[tuple[str, int], str]
) -> tuple[Morph, ...]:
    """Morphs name vertices by their place in the first list, the base."""
    base = next((offsets["index"] for _, panel, offsets in skins if panel == 0), np.zeros(0, dtype=np.uint32))
    result: list[Morph] = []
    for name, panel, offsets in skins:
        if panel == 0:
            continue
        if len(offsets) and offsets["index"].max() >= len(base):
            raise reader.wrong(
                Note("morph {name} to name one of {count} base vertices", name=name, count=len(base)),
                f"{offsets['index'].max()}",
            )
        named = np.array(offsets)
        named["index"] = base[offsets["index"]]
        result.append(Morph(name, english.get(("morph", len(result)), ""), panel, "vertex", named))
    return tuple(result)


def _frames(reader: Reader, bones: int, morphs: int) -> list[Frame]:
    if not reader.left:
        return []
    faces = reader.values(f"{reader.count(2, 'morphs to show', 'B')}H", "morphs to show")
    names = [japanese(reader.take(50, "a group's name")) for _ in range(reader.count(50, "groups", "B"))]
    pairs = [reader.values("HB", "bones to show") for _ in range(reader.count(3, "bones to show", "I"))]
    frames = [Frame("表情", "Exp", True, tuple(("morph", n - 1) for n in faces if 0 < n < morphs))]
    for n, name in enumerate(names, start=1):
        entries = tuple(("bone", bone) for bone, group in pairs if group == n and bone < bones)
        frames.append(Frame(name.strip(), "", False, entries))
    return frames


def _english(reader: Reader, bones: int, morphs: int, frames: int) -> dict[tuple[str, int], str]:
    if not reader.left or not reader.values("B", "the English names")[0]:
        return {}
    found = {("model", 0): japanese(reader.take(20, "the English name"))}
    found["comment", 0] = japanese(reader.take(256, "the English comment"))
    for what, count, size in (("bone", bones, 20), ("morph", morphs - 1, 20), ("frame", frames - 1, 50)):
        for n in range(max(count, 0)):
            found[what, n] = japanese(reader.take(size, "an English name"))
    return found


def _body(reader: Reader, bones: list[dict[str, Any]]) -> RigidBody:
    name = japanese(reader.take(20, "a rigid body's name"))
    bone, group, passes, shape, *n, mode = reader.values("HBHB14fB", "a rigid body")
    bone = -1 if bone == NONE else bone
    # Places are told from the bone, or from the centre if there is none.
    at = bones[bone]["place"] if 0 <= bone < len(bones) else bones[0]["place"] if bones else (0.0, 0.0, 0.0)
    place = (n[3] + at[0], n[4] + at[1], n[5] + at[2])
    size, turn = (n[0], n[1], n[2]), (n[6], n[7], n[8])
    return RigidBody(
        name, "", bone, group, passes, shape, size, place, turn, n[9], n[10], n[11], n[12], n[13], mode
    )  # fmt: skip


def _joint(reader: Reader) -> Joint:
    name = japanese(reader.take(20, "a joint's name"))
    a, b, *numbers = reader.values("ii24f", "a joint")
    return Joint(name, "", 0, a, b, tuple(numbers))
