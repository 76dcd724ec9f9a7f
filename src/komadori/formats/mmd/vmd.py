"""VMD, MikuMikuDance's motions: bytes to a VmdDocument and back, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import quoted
from komadori.formats.mmd.binary import Reader, japanese
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.character import Character
    from komadori.formats.mmd.model import Model
    from komadori.motion import Motion

FPS = 30.0
"""MikuMikuDance knows no other rate."""
MAGIC = b"Vocaloid Motion Data 0002"
OLD_MAGIC = b"Vocaloid Motion Data file"
NAME_BYTES = 15
IK_NAME_BYTES = 20

BONE = np.dtype(
    [("name", "u1", NAME_BYTES), ("frame", "<u4"), ("shift", "<f4", 3), ("turn", "<f4", 4), ("curves", "u1", 64)]
)
MORPH = np.dtype([("name", "u1", NAME_BYTES), ("frame", "<u4"), ("weight", "<f4")])
CAMERA = np.dtype(
    [
        ("frame", "<u4"),
        ("distance", "<f4"),
        ("target", "<f4", 3),
        ("angles", "<f4", 3),
        ("curves", "u1", 24),
        ("view_deg", "<u4"),
        ("parallel", "u1"),
    ]
)
LIGHT = np.dtype([("frame", "<u4"), ("colour", "<f4", 3), ("direction", "<f4", 3)])
SHADOW = np.dtype([("frame", "<u4"), ("mode", "u1"), ("distance", "<f4")])

_SECTIONS = (("bones", BONE), ("morphs", MORPH), ("cameras", CAMERA), ("lights", LIGHT), ("shadows", SHADOW))


@dataclass(frozen=True)
class Switches:
    """From `frame` on: whether the model is seen, and which IKs are on; names as the file's bytes have them."""

    frame: int
    visible: int
    iks: tuple[tuple[bytes, int], ...]


@dataclass(frozen=True, eq=False)
class VmdDocument:
    """A VMD file: its keys as arrays of records, in MikuMikuDance's units and axes, in the order of the file.

    `sections` says how many of the six lists (bones, morphs, cameras, lights, shadows, switches) the file has: old
    ones end early. `rest` is whatever follows.
    """

    name: str
    header: bytes
    bones: NDArray[Any]
    morphs: NDArray[Any] = field(default_factory=lambda: np.zeros(0, MORPH))
    cameras: NDArray[Any] = field(default_factory=lambda: np.zeros(0, CAMERA))
    lights: NDArray[Any] = field(default_factory=lambda: np.zeros(0, LIGHT))
    shadows: NDArray[Any] = field(default_factory=lambda: np.zeros(0, SHADOW))
    switches: tuple[Switches, ...] = ()
    sections: int = 6
    rest: bytes = b""
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        """Frames from 0 to the last key of a bone or morph."""
        lists = [keys["frame"] for keys in (self.bones, self.morphs) if len(keys)]
        return 1 + max((int(frames.max()) for frames in lists), default=0)

    @property
    def stage_keys(self) -> int:
        """The keys of all that is not the model."""
        return len(self.cameras) + len(self.lights) + len(self.shadows)

    @property
    def model_name(self) -> str:
        """The model that the motion was made for."""
        return japanese(self.header[30:])

    @cached_property
    def bone_tracks(self) -> dict[str, NDArray[Any]]:
        """Bone -> its keys, rising in time; of two keys in one frame the later in the file counts."""
        return _tracks(self.bones)

    @cached_property
    def morph_tracks(self) -> dict[str, NDArray[Any]]:
        """Morph -> its keys, rising in time."""
        return _tracks(self.morphs)

    def motion(self, character: Character | Model | None = None) -> Motion:
        """The motion on `character`, which came from a PMX or PMD file, at 30 frames per second.

        Curves, append and IK are computed as MikuMikuDance does. Without a character a standard skeleton is taken, and
        a note says so.
        """
        from komadori.formats.mmd.playing import played

        return played(self, character)

    def emit(self) -> bytes:
        """The file."""
        parts = [self.header]
        for name, layout in _SECTIONS[: self.sections]:
            keys: NDArray[Any] = getattr(self, name)
            parts += [len(keys).to_bytes(4, "little"), np.ascontiguousarray(keys, layout).tobytes()]
        if self.sections > len(_SECTIONS):
            parts.append(len(self.switches).to_bytes(4, "little"))
            for one in self.switches:
                head = one.frame.to_bytes(4, "little") + bytes([one.visible]) + len(one.iks).to_bytes(4, "little")
                parts += [head, *(name.ljust(IK_NAME_BYTES, b"\0") + bytes([on]) for name, on in one.iks)]
        return b"".join([*parts, self.rest])


def parse(data: bytes, name: str) -> VmdDocument:
    """The document in the bytes of a VMD file; errors use `name` for it."""
    reader = Reader(data, name)
    if not data.startswith((MAGIC, OLD_MAGIC)):
        found = quoted(data[:25].decode("latin-1"))
        raise reader.wrong(Note("a VMD motion to begin with {magic}", magic=quoted(MAGIC.decode())), found)
    header = reader.take(30 + (10 if data.startswith(OLD_MAGIC) else 20), "the header")
    read: dict[str, NDArray[Any]] = {"bones": np.zeros(0, BONE)}
    sections = 0
    for what, layout in _SECTIONS:
        if not reader.left:
            break
        if reader.left < 4 and sections >= 2:
            # Some old files end in a few stray bytes; they are kept but have no meaning.
            break
        count = reader.count(layout.itemsize, Note("keys of {what}", what=what), "I")
        read[what] = reader.records(layout, count, Note("keys of {what}", what=what))
        sections += 1
    switches: tuple[Switches, ...] = ()
    if sections == len(_SECTIONS) and reader.left >= 4:
        switches = tuple(_switches(reader) for _ in range(reader.count(9, "switches", "I")))
        sections += 1
    if len(read["bones"]):
        # Shift and turn stand side by side: one look at seven numbers per key.
        start = read["bones"]["shift"]
        seven = np.lib.stride_tricks.as_strided(start, (len(start), 7), (BONE.itemsize, 4), writeable=False)
        reader.finite(seven, "the keys of bones")
    if "morphs" in read:
        reader.finite(read["morphs"]["weight"], "the keys of morphs")
    return VmdDocument(name, header, **read, switches=switches, sections=sections, rest=data[reader.at :])  # type: ignore[arg-type]  # arrays by name


def _switches(reader: Reader) -> Switches:
    frame, visible = reader.values("IB", "switches")
    count = reader.count(IK_NAME_BYTES + 1, "IK switches", "I")
    iks = []
    for _ in range(count):
        raw = reader.take(IK_NAME_BYTES + 1, "an IK switch")
        iks.append((raw[:-1], raw[-1]))
    return Switches(frame, visible, tuple(iks))


def _tracks(keys: NDArray[Any]) -> dict[str, NDArray[Any]]:
    if not len(keys):
        return {}
    raw = keys["name"]
    # What follows the first zero byte is left from earlier names in some writers' files.
    clean = raw * np.logical_and.accumulate(raw != 0, axis=1)
    # Two whole numbers sort ten times as fast as 15 letters.
    wide = np.zeros((len(keys), 16), dtype=np.uint8)
    wide[:, :NAME_BYTES] = clean
    first, second = wide.view(">u8").astype(np.uint64).T
    frames = keys["frame"].astype(np.int64)
    order = np.lexsort((frames, second, first))
    first, second, frames = first[order], second[order], frames[order]
    other = (first[1:] != first[:-1]) | (second[1:] != second[:-1])
    order = order[np.append(other | (frames[1:] != frames[:-1]), True)]
    # Where each name ends among the keys that count.
    sizes = np.diff(np.flatnonzero(np.concatenate([[True], _changes(wide[order]), [True]])))
    result: dict[str, NDArray[Any]] = {}
    for rows in np.split(order, np.cumsum(sizes)[:-1]):
        result.setdefault(japanese(wide[rows[0]].tobytes()), keys[rows])
    return result


def _changes(rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((rows[1:] != rows[:-1]).any(axis=1))


def key_curves(points: Sequence[int] = (20, 20, 107, 107)) -> bytes:
    """The 64 bytes of a key's curves, all four channels alike: x1, y1, x2, y2 from 0 to 127; the default is straight.

    MikuMikuDance writes four rows of 16, each shifted by a byte; bytes 2 and 3 of the first switch the physics of the
    bone, and are 0.
    """
    row = bytes(n for n in points for _ in range(4))
    rows = [row[shift:] + bytes(shift) for shift in range(4)]
    return row[:2] + b"\0\0" + row[4:] + b"".join(rows[1:])


def packed_curves(points: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(K, 64) bytes of keys whose curves have the control points `points` (K, 4, 4): of x, y, z and turn, x1, y1, x2, y2.

    The layout is that of `key_curves`, with the four channels side by side in each row.
    """
    row = np.ascontiguousarray(points.transpose(0, 2, 1)).reshape(-1, 16)
    rows = np.zeros((len(row), 4, 16), dtype=np.uint8)
    for shift in range(4):
        rows[:, shift, : 16 - shift] = row[:, shift:]
    rows[:, 0, 2:4] = 0
    return rows.reshape(-1, 64)


def channel_curves(curves: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Control points (K, 4, 4) of the curves that lead to each key: for x, y, z and turn, x1, y1, x2, y2 from 0 to 1.

    Each channel is read from the row that begins with it: the first row's own bytes may hold the physics switch.
    """
    return np.minimum(curves.reshape(-1, 4, 16)[:, :, ::4] / 127.0, 1.0)


def eased(share: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far a channel has come when `share` (n,) of the time has passed, on curves (n, 4) from (0, 0) to (1, 1)."""
    x1, y1, x2, y2 = (points[:, i] for i in range(4))
    result = share.copy()
    bent = np.flatnonzero(((x1 != y1) | (x2 != y2)) & (share > 0.0) & (share < 1.0))
    if not len(bent):
        return result
    x1, y1, x2, y2, t = x1[bent], y1[bent], x2[bent], y2[bent], share[bent]
    # x rises with s, so a step of Newton's that leaves the bracket is replaced by its middle.
    low, high, s = np.zeros(len(t)), np.ones(len(t)), t.copy()
    for _ in range(60):
        back = 1.0 - s
        miss = 3.0 * back * back * s * x1 + 3.0 * back * s * s * x2 + s**3 - t
        if np.abs(miss).max() < 1e-15:
            break
        low, high = np.where(miss < 0.0, s, low), np.where(miss > 0.0, s, high)
        slope = 3.0 * back * back * x1 + 6.0 * back * s * (x2 - x1) + 3.0 * s * s * (1.0 - x2)
        step = s - miss / np.maximum(slope, 1e-12)
        s = np.where((step > low) & (step < high), step, 0.5 * (low + high))
    back = 1.0 - s
    result[bent] = 3.0 * back * back * s * y1 + 3.0 * back * s * s * y2 + s**3
    return result
