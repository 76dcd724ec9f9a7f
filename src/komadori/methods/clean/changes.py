"""What cleaning changed: kinds of changes, listed by joint and frame, and summarised for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from komadori.registry import Row
from komadori.result import Measure
from komadori.words import Note, ranges

MOST_NAMES = 4
"""Joints that a row names."""


class Kind:
    """The kinds of changes, in the order in which they are made."""

    CUT: ClassVar[str] = "cut"
    AXES: ClassVar[str] = "axes"
    GAP: ClassVar[str] = "gap"
    SWAP: ClassVar[str] = "swap"
    SPIKE: ClassVar[str] = "spike"
    JITTER: ClassVar[str] = "jitter"
    FLOOR: ClassVar[str] = "floor"
    SKATE: ClassVar[str] = "skate"
    ALL: ClassVar[tuple[str, ...]] = (CUT, AXES, GAP, SWAP, SPIKE, JITTER, FLOOR, SKATE)


LABELS: Mapping[str, Note] = {
    Kind.CUT: Note("cut off"),
    Kind.AXES: Note("size and axes"),
    Kind.GAP: Note("gaps filled"),
    Kind.SWAP: Note("sides put back"),
    Kind.SPIKE: Note("spikes taken out"),
    Kind.JITTER: Note("jitter smoothed"),
    Kind.FLOOR: Note("floor levelled"),
    Kind.SKATE: Note("feet kept in place"),
}
UNITS: Mapping[str, Note] = {"degrees": Note("degrees"), "times": Note("times"), "pairs": Note("pairs")}
COLUMNS = ("kind", "joint", "first", "last", "amount", "unit")


@dataclass(frozen=True)
class Change:
    """One change: what kind, of which joint (-1: the whole body), from which to which frame of the source, and how much."""

    kind: str
    joint: int
    first: int
    last: int
    amount: float
    unit: str

    def plain(self, names: Sequence[str]) -> dict[str, Any]:
        """For tables, with the joint's name."""
        joint = names[self.joint] if self.joint >= 0 else ""
        return {"kind": self.kind, "joint": joint, "first": self.first, "last": self.last, "amount": round(self.amount, 4), "unit": self.unit}  # fmt: skip


def told_rows(changes: Sequence[Change], names: Sequence[str], measures: Mapping[str, Measure]) -> list[Row]:
    """A row for each kind of change that was made: how often, where, how much."""
    rows: list[Row] = []
    for kind in Kind.ALL:
        made = [change for change in changes if change.kind == kind]
        if not made:
            continue
        joints = list(dict.fromkeys(names[change.joint] for change in made if change.joint >= 0))
        frames = sorted({frame for change in made for frame in range(change.first, change.last + 1)})
        where = ", ".join(joints[:MOST_NAMES]) + (" ..." if len(joints) > MOST_NAMES else "")
        largest = max(made, key=lambda change: change.amount)
        values = {
            "frames": ranges(frames, 4),
            "amount": largest.amount,
            "unit": UNITS.get(largest.unit, largest.unit),
            "joints": where,
        }
        if joints:
            rows.append((LABELS[kind], Note("frames {frames}: {joints}; up to {amount:.3g} {unit}", **values)))
        elif largest.unit:
            rows.append((LABELS[kind], Note("frames {frames}: {amount:.3g} {unit}", **values)))
        else:
            rows.append((LABELS[kind], Note("frames {frames}", **values)))
    if not rows:
        rows.append((Note("changed"), Note("nothing: the clip is clean")))
    most = measures["largest_change"].value
    rows.append((Note("joints moved"), Note("{mean:.2f} mm on average, {most:.1f} mm at most", mean=measures["mean_change"].value, most=most)))  # fmt: skip
    return rows
