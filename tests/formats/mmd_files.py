"""PMX, PMD and VMD files made by hand for tests: small, with every kind of thing in them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SIGNED = {1: "b", 2: "h", 4: "i"}
UNSIGNED = {1: "B", 2: "H", 4: "i"}


@dataclass
class Pmx:
    """How a PMX is written; `bones` are (name, parent, position, flags, extra bytes)."""

    version: float = 2.0
    utf8: bool = False
    extra: int = 0
    sizes: tuple[int, int, int, int, int, int] = (1, 1, 1, 1, 1, 1)
    name: str = "人形"
    bones: list[tuple[str, int, tuple[float, float, float], int, bytes]] = field(default_factory=list)
    textures: tuple[str, ...] = ()
    bodies: list[tuple[str, int, int]] = field(default_factory=list)
    joints: list[tuple[int, int]] = field(default_factory=list)
    skinned: tuple[int, ...] = (0,)
    tail: bytes = b""

    def text(self, text: str) -> bytes:
        raw = text.encode("utf-8" if self.utf8 else "utf-16-le")
        return struct.pack("<i", len(raw)) + raw

    def index(self, which: int, value: int) -> bytes:
        letters = UNSIGNED if which == 0 else SIGNED
        return struct.pack("<" + letters[self.sizes[which]], value)

    def bone(self, value: int) -> bytes:
        return self.index(3, value)

    def emit(self) -> bytes:
        out = [b"PMX ", struct.pack("<f", self.version), bytes([8, int(self.utf8), self.extra, *self.sizes])]
        out += [self.text(self.name), self.text("doll"), self.text("comment"), self.text("")]
        out += self._vertices()
        out += [struct.pack("<i", 6)] + [self.index(0, n) for n in (0, 1, 2, 2, 1, 3)]
        out += [struct.pack("<i", len(self.textures))] + [self.text(path) for path in self.textures]
        out += [struct.pack("<i", 2), self._material("肌", 0 if self.textures else -1), self._material("服", -1)]
        out.append(struct.pack("<i", len(self.bones)))
        for name, parent, place, flags, more in self.bones:
            out += [self.text(name), self.text(name.encode("ascii", "ignore").decode())]
            out += [struct.pack("<3f", *place), self.bone(parent), struct.pack("<iH", 0, flags)]
            out.append(more if flags & 1 else struct.pack("<3f", 0, 1, 0) + more)
        out += self._morphs()
        out += [struct.pack("<i", 1), self.text("表情"), self.text("Exp"), b"\1", struct.pack("<i", 2)]
        out += [b"\0", self.bone(0), b"\1", self.index(4, 1)]
        out.append(struct.pack("<i", len(self.bodies)))
        for name, bone, mode in self.bodies:
            out += [self.text(name), self.text(""), self.bone(bone), struct.pack("<BHB14fB", 1, 2, 0, *range(14), mode)]
        out.append(struct.pack("<i", len(self.joints)))
        for a, b in self.joints:
            out += [self.text("joint"), self.text(""), b"\0", self.index(5, a), self.index(5, b)]
            out.append(struct.pack("<24f", *range(24)))
        return b"".join([*out, self.tail])

    def _vertices(self) -> list[bytes]:
        """One vertex of each kind that the version knows."""
        kinds = 5 if self.version > 2.05 else 4
        out = [struct.pack("<i", kinds)]
        for kind in range(kinds):
            out.append(struct.pack("<8f", kind, 1.0, 2.0, 0.0, 0.0, -1.0, 0.25, 0.75))
            out += [struct.pack("<4f", 1, 2, 3, 4)] * self.extra
            out.append(bytes([kind]))
            a = self.skinned[kind % len(self.skinned)]
            b = self.skinned[(kind + 1) % len(self.skinned)]
            if kind == 0:
                out.append(self.bone(a))
            elif kind in (1, 3):
                out += [self.bone(a), self.bone(b), struct.pack("<f", 0.25)]
                out.append(struct.pack("<9f", *range(9)) if kind == 3 else b"")
            else:
                out += [
                    self.bone(a),
                    self.bone(b),
                    self.bone(-1),
                    self.bone(a),
                    struct.pack("<4f", 0.5, 0.25, 9.0, 0.25),
                ]
            out.append(struct.pack("<f", 1.5))
        return out

    def _material(self, name: str, texture: int) -> bytes:
        out = [self.text(name), self.text(""), struct.pack("<11f", 0.5, 0.25, 1, 1, 0, 0, 0, 5, 0.1, 0.2, 0.3)]
        out += [bytes([0x11]), struct.pack("<5f", 0, 0, 1, 1, 0.5), self.index(1, texture), self.index(1, -1), b"\0"]
        out += [b"\1\2", self.text("memo"), struct.pack("<i", 3)]
        return b"".join(out)

    def _morphs(self) -> list[bytes]:
        v, b, m, mat, body = (lambda n, w=w: self.index(w, n) for w in (0, 3, 4, 2, 5))
        kinds: list[tuple[int, bytes]] = [
            (0, m(1) + struct.pack("<f", 0.5)),
            (1, v(1) + struct.pack("<3f", 0, 1, 2)),
            (2, b(0) + struct.pack("<7f", 0, 0, 0, 0, 0, 0, 1)),
            (3, v(1) + struct.pack("<4f", 0, 0, 0, 0)),
            (8, mat(-1) + b"\1" + struct.pack("<28f", *range(28))),
        ]
        if self.version > 2.05:
            kinds += [(9, m(1) + struct.pack("<f", 1)), (10, body(0) + b"\1" + struct.pack("<6f", *range(6)))]
        out = [struct.pack("<i", len(kinds))]
        for kind, offset in kinds:
            out += [self.text(f"morph {kind}"), self.text(""), bytes([1, kind]), struct.pack("<i", 1), offset]
        return out


ROTATES = 0x1A
"""Flags of a bone that is shown and turned, and whose tail is a direction."""


def leg_bones(pmx: Pmx) -> list[tuple[str, int, tuple[float, float, float], int, bytes]]:
    """A leg with its IK, children before parents, and a bone that follows the knee by half."""
    ik = pmx.bone(1) + struct.pack("<if", 40, 2.0) + struct.pack("<i", 2)
    ik += pmx.bone(2) + b"\1" + struct.pack("<6f", -np.pi, 0, 0, -0.008, 0, 0) + pmx.bone(3) + b"\0"
    return [
        ("左足ＩＫ", 4, (1.0, 1.0, 0.2), ROTATES | 0x24, ik),
        ("左足首", 2, (1.0, 1.0, 0.2), ROTATES, b""),
        ("左ひざ", 3, (1.0, 5.0, -0.2), ROTATES, b""),
        ("左足", 4, (1.0, 9.0, 0.0), ROTATES, b""),
        ("センター", -1, (0.0, 8.0, 0.0), ROTATES | 4, b""),
        ("従う骨", 4, (2.0, 8.0, 0.0), ROTATES | 0x100, pmx.bone(2) + struct.pack("<f", 0.5)),
    ]


def leg(**how: Any) -> Pmx:
    """A PMX of one leg."""
    pmx = Pmx(**how)
    pmx.bones = leg_bones(pmx)
    return pmx


def pmd(bones: list[tuple[str, int, int, int, tuple[float, float, float]]] | None = None, full: bool = True) -> bytes:
    """A PMD; `bones` are (name, parent, kind, other, position)."""
    bones = bones or [
        ("センター", 0xFFFF, 1, 0, (0.0, 8.0, 0.0)),
        ("左足", 0, 4, 0, (1.0, 9.0, 0.0)),
        ("左ひざ", 1, 4, 0, (1.0, 5.0, -0.2)),
        ("左足首", 2, 6, 0, (1.0, 1.0, 0.2)),
        ("左足ＩＫ", 0, 2, 0, (1.0, 1.0, 0.2)),
        ("髪", 0, 0, 0, (0.0, 12.0, 0.0)),
        ("左目", 0, 5, 1, (0.5, 11.0, 0.0)),
    ]
    out = [b"Pmd", struct.pack("<f", 1.0), named("人形", 20), named("comment", 256), struct.pack("<I", 3)]
    out += [struct.pack("<8fHHBB", n, 1, 2, 0, 0, -1, 0.25, 0.75, n % 2, 2, 30 * n, 0) for n in range(3)]
    out += [struct.pack("<I3H", 3, 0, 1, 2), struct.pack("<I", 1)]
    out += [
        struct.pack("<11fBBI", 0.5, 0.25, 1, 1, 5, 0, 0, 0, 0.1, 0.2, 0.3, 0, 1, 3),
        named("skin.png*shine.sph", 20),
    ]
    out.append(struct.pack("<H", len(bones)))
    for name, parent, kind, other, place in bones:
        out += [named(name, 20), struct.pack("<HHBH3f", parent, 0, kind, other, *place)]
    out += [struct.pack("<H", 1), struct.pack("<HHBHf2H", 4, 3, 2, 40, 0.5, 2, 1)]
    out += [
        struct.pack("<H", 2),
        named("base", 20),
        struct.pack("<IB", 2, 0),
        struct.pack("<I3fI3f", 2, 0, 0, 0, 1, 0, 0, 0),
    ]
    out += [named("まばたき", 20), struct.pack("<IB", 1, 2), struct.pack("<I3f", 1, 0.0, -1.0, 0.5)]
    if not full:
        return b"".join(out)
    out += [struct.pack("<B1H", 1, 1), struct.pack("<B", 1), named("体\n", 50), struct.pack("<IHB", 1, 0, 1)]
    out += [b"\1", named("doll", 20), named("", 256), *(named(f"bone{n}", 20) for n in range(len(bones)))]
    out += [named("blink", 20), named("body", 50), bytes(1000), struct.pack("<I", 1)]
    out += [named("髪", 20), struct.pack("<HBHB14fB", 5, 1, 2, 0, *range(14), 1), struct.pack("<I", 0)]
    return b"".join(out)


def named(text: str, size: int) -> bytes:
    return text.encode("cp932").ljust(size, b"\0")
