"""Sony mocopi's UDP stream: packets of nested fields, each with a length, a name of four letters, and a value.

A packet says either how the body is built (skdf) or how it is posed (fram). Bones are numbered; numbers are little-endian, metres, Y up,
right-handed, and quaternions x, y, z, w.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import numpy as np

from komadori import quat
from komadori.live.heard import NUMBER, ROLES, Heard, finite_place, finite_turn, unturned
from komadori.live.osc import LARGEST, Malformed
from komadori.quat import Array

PORT = 12351
"""Where mocopi's application sends to by default."""
MOST_BONES = 256
MOST_FIELDS = 4096

BONES: Mapping[str, int] = {
    "hips": 0, "spine": 2, "chest": 4, "upper_chest": 7, "neck": 8, "head": 10,
    "left_shoulder": 11, "left_upper_arm": 12, "left_lower_arm": 13, "left_hand": 14,
    "right_shoulder": 15, "right_upper_arm": 16, "right_lower_arm": 17, "right_hand": 18,
    "left_upper_leg": 19, "left_lower_leg": 20, "left_foot": 21, "left_toes": 22,
    "right_upper_leg": 23, "right_lower_leg": 24, "right_foot": 25, "right_toes": 26,
}  # fmt: skip
"""Role -> mocopi's number. Its spine has seven joints and its neck two: those between are added to the role below them."""
PARENTS: Mapping[int, int] = {
    0: -1, 1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 8, 10: 9, 11: 7, 12: 11, 13: 12, 14: 13, 15: 7, 16: 15, 17: 16,
    18: 17, 19: 0, 20: 19, 21: 20, 22: 21, 23: 0, 24: 23, 25: 24, 26: 25,
}  # fmt: skip
"""How its bones hang together, which every skeleton packet repeats."""


class MocopiReader:
    """Makes frames of mocopi's packets; the skeleton that is sent in between says how tall the performer is."""

    def __init__(self) -> None:
        self._hips_rest_m: float | None = None

    def read(self, datagram: bytes) -> list[Heard]:
        """The frame of this packet, if it is one; raises Malformed if it is not mocopi's."""
        if len(datagram) > LARGEST:
            raise Malformed("too large")
        top = dict(_fields(datagram))
        if b"head" not in top:
            raise Malformed("no head")
        if b"skdf" in top:
            self._skeleton(top[b"skdf"])
            return []
        return [self._frame(top[b"fram"])] if b"fram" in top else []

    def _skeleton(self, data: bytes) -> None:
        bones = _transforms(dict(_fields(data)).get(b"bons", b""), b"bndt")
        if 0 in bones and 0.0 < bones[0][1][1] < 10.0:
            self._hips_rest_m = float(bones[0][1][1])

    def _frame(self, data: bytes) -> Heard:
        fields = dict(_fields(data))
        bones = _transforms(fields.get(b"btrs", b""), b"btdt")
        if not bones:
            raise Malformed("no bones")
        turns, known = unturned(), np.zeros(len(ROLES), dtype=bool)
        for role, number in BONES.items():
            if number not in bones:
                continue
            turn, above = bones[number][0], PARENTS[number]
            while above >= 0 and above not in _PLAYED:
                turn = quat.multiply(bones[above][0], turn) if above in bones else turn
                above = PARENTS[above]
            turns[NUMBER[role]], known[NUMBER[role]] = turn, True
        hips = bones[0][1] if 0 in bones else None
        count = _number(fields.get(b"fnum", b""), "<I")
        stamp = _number(fields.get(b"uttm", b""), "<d")
        stamp = None if stamp is None or not np.isfinite(stamp) else stamp
        return Heard(turns, known, hips, {}, stamp, None if count is None else int(count), self._hips_rest_m)


_PLAYED = frozenset(BONES.values())


def _fields(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    count = 0
    while at < len(data):
        if at + 8 > len(data):
            raise Malformed("cut off")
        size = int.from_bytes(data[at : at + 4], "little")
        name = data[at + 4 : at + 8]
        at += 8
        count += 1
        if at + size > len(data) or count > MOST_FIELDS:
            raise Malformed("a size that does not fit")
        yield name, data[at : at + size]
        at += size


def _transforms(data: bytes, kind: bytes) -> dict[int, tuple[Array, Array]]:
    """Turns and places by bone."""
    found: dict[int, tuple[Array, Array]] = {}
    for name, inner in _fields(data):
        if name != kind:
            continue
        fields = dict(_fields(inner))
        bone = _number(fields.get(b"bnid", b""), "<H")
        values = fields.get(b"tran", b"")
        if bone is None or bone >= MOST_BONES or len(values) != 28:
            raise Malformed("a bone")
        numbers = struct.unpack("<7f", values)
        turn, place = finite_turn(*numbers[:4]), finite_place(*numbers[4:])
        if turn is not None and place is not None:
            found[int(bone)] = turn, place
    return found


def _number(data: bytes, form: str) -> float | None:
    return float(struct.unpack(form, data)[0]) if len(data) == struct.calcsize(form) else None
