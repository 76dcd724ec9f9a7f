"""The columns of `make clips`: what each measures, its limit, and the tables and lines that come of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch

import numpy as np

from bench.clips_measures import Measured
from bench.tables import Table
from bench.timing import LOST, LOST_MOST, LOST_SHARE
from komadori.pipeline import LOOKS

TUNED = (
    "sample:*",
    "made:*",
    "human_cmu_bvh/*",
    "human_cmu_styles/*",
    "human_bandai_bvh_NC/*",
    "human_other_bvh/*",
    "odd_bvh/bvhpython_test_*",
    "odd_bvh/pybvh_bvh_test1.bvh",
)
"""Clips that defaults and methods were tuned on. All others, and all of any other folder, were kept aside."""
EXCUSED = (
    ("refused", "*malformed*"),
    ("refused", "odd_vrm/*"),
    ("refused", "odd_bvh/usdvrm_valid-empty-motion.bvh"),
    ("refused", "odd_fbx/*"),
    ("refused", "character_vrm/threevrm_springbone_*.gltf"),
    ("refused", "character_mmd/Gene/motion/00_normal.vmd"),
    ("refused", "character_mmd/Gene/motion/08_surprise.vmd"),
    ("refused", "made:stands still"),
    ("upright", "made:always *"),
    ("upright", "made:flies *"),
)
"""Column and clip that may pass its limit: broken files, scenes without bones, and motions of a face alone are refused with a line; who
lies all the time is never upright."""


DEAD = ("made:stands still",)
"""Clips of which no film must be made."""


@dataclass(frozen=True)
class Column:
    """One measure: from `low` to `high` is right. Animals have limits of their own where they differ."""

    name: str
    title: str
    unit: str
    low: float | None = None
    high: float | None = None
    digits: int = 1
    animals: tuple[float | None, float | None] | None = None
    about: str = ""

    def limits(self, plan: str = "") -> tuple[float | None, float | None]:
        """From where to where `plan` is right."""
        return self.animals if plan == "quadruped" and self.animals is not None else (self.low, self.high)

    def passes(self, value: float, plan: str = "") -> bool:
        """Whether `value` is within the limits; what is not a number is not."""
        low, high = self.limits(plan)
        return (low is None or value >= low) and (high is None or value <= high)

    def said(self, value: float) -> str:
        """The value as text, with its unit."""
        return f"{value:.{self.digits}f}{self.unit}"

    def limit_said(self, plan: str = "") -> str:
        """The limits as text."""
        low, high = self.limits(plan)
        ends = [f"at least {self.said(low)}"] if low is not None else []
        return " and ".join(ends + ([f"at most {self.said(high)}"] if high is not None else []))


COLUMNS = (
    Column("roles", "roles", "", low=1.0, digits=2, about="share of the main roles that were recognised"),
    Column("height", "height", " m", 0.8, 2.3, 2, (0.25, 4.0), "size of the body by the unit found, along its bones"),
    Column("upright", "upright", "", low=0.5, digits=2, about="cosine between up and the body in its most upright frame, by the axis found"),
    Column("truth", "off truth", " cm", high=1.0, about="of clips made by code: how far any joint is from where it is known to be"),
    Column("trunk", "trunk", "°", high=12.0, about="mean angle between the trunk of the capture and of the character"),
    Column("head", "head", "°", high=25.0, about="the same from neck to head; rigs set these joints differently"),
    Column("limbs", "limbs", "°", high=3.0, digits=2, about="the same of arms and legs"),
    Column("slip", "slip", " mm", high=1.0, digits=2, about="how far a planted foot moves in a frame, on average"),
    Column("floor", "floor, body", " cm", high=2.0, about="how far the lowest place of the body is off the floor of the picture, below or above"),
    Column("hair_floor", "floor, hair", " cm", high=2.0, about="how deep hair and cloth are below that floor"),
    Column("face", "face", " %", high=2.0, about="share of the frames with an upright head in which hair is blown before the face, and the head itself did not throw it there"),
    Column("size", "size", " %", low=40.0, digits=0, about="smallest height of the standing body in the picture of the default camera"),
    *(Column(look, f"peaks, {look}", "", high=LOST_MOST, digits=2, about=f"largest share of a limb peak that the look {look} loses") for look in LOOKS),
    Column("time", "time", " ms", high=25.0, about="processor time for a frame of the film: reading and the recipe, and drawing where films are drawn"),
)  # fmt: skip


@dataclass(frozen=True)
class Limits:
    """What is allowed: the columns, the share of all peaks that may lose too much, and the share of names that must be right."""

    columns: tuple[Column, ...] = COLUMNS
    peaks: float = LOST_SHARE
    names: float = 0.95

    def changed(self, given: Sequence[str]) -> Limits:
        """With limits given as NAME=NUMBER: the upper one of a column that has one, else the lower one."""
        result = self
        for text in given:
            name, _, number = text.partition("=")
            value = float(number)
            if name == "peaks":
                result = replace(result, peaks=value)
            elif name == "names":
                result = replace(result, names=value)
            elif name in (column.name for column in self.columns):
                columns = tuple(_limited(c, value) if c.name == name else c for c in result.columns)
                result = replace(result, columns=columns)
            else:
                known = ", ".join(column.name for column in self.columns)
                raise ValueError(f"no column is called {name!r}; there are {known}, peaks and names")
        return result


def _limited(column: Column, value: float) -> Column:
    if column.high is None:
        return replace(column, low=value, animals=None)
    return replace(column, high=value, animals=None)


def matches(clip: str, patterns: Sequence[str]) -> bool:
    """Whether `clip` is one of `patterns`."""
    return any(fnmatch(clip, pattern) for pattern in patterns)


def half(clip: str) -> str:
    """Which half a clip belongs to."""
    return "tuned" if matches(clip, TUNED) else "aside"


def failures(rows: Sequence[Measured], limits: Limits, excused: Sequence[tuple[str, str]] = EXCUSED) -> list[str]:
    """A line for every limit that is passed: clip, column, value, limit."""
    found = []
    for row in rows:
        may = [name for name, pattern in excused if fnmatch(row.clip, pattern)]
        if row.error:
            if not (row.refused and "refused" in may):
                found.append(f"{row.clip}: {'refused' if row.refused else 'failed'}: {row.error}")
            continue
        if matches(row.clip, DEAD):
            found.append(f"{row.clip}: refused: not, although nothing moves in it")
        for column in limits.columns:
            value = row.values.get(column.name)
            if value is None or column.passes(value, row.plan) or column.name in may:
                continue
            found.append(f"{row.clip}: {column.title}: {column.said(value)}, {column.limit_said(row.plan)}")
    for look in LOOKS:
        count, lost, _ = _peaks(rows, look)
        # Of a few peaks one may be lost: a percent of 20 would be none.
        if lost > math.ceil(limits.peaks * count):
            found.append(f"all clips: peaks, {look}: {lost} of {count} lose more than {100 * LOST:.0f} %, at most {100 * limits.peaks:g} %")  # fmt: skip
    return found


def _peaks(rows: Sequence[Measured], look: str) -> tuple[int, int, int]:
    """Limb peaks of all `rows`, those that lose too much, and those that lose far too much."""
    every = np.array([row.peaks[look] for row in rows if look in row.peaks]).reshape(-1, 3).sum(axis=0)
    return int(every[0]), int(every[1]), int(every[2])


def tables(rows: Sequence[Measured], limits: Limits, hidden: Sequence[str] = ()) -> list[Table]:
    """The columns with medians and worst values, the peaks, and a row for every clip but those `hidden`."""
    return [_columns(rows, limits), _all_peaks(rows, limits), _clips(rows, limits, set(hidden))]


def _columns(rows: Sequence[Measured], limits: Limits) -> Table:
    lines = []
    for column in limits.columns:
        cells = [column.title, column.about, column.limit_said()]
        if column.animals is not None:
            cells[2] += f" (animals: {column.limit_said('quadruped')})"
        for name in ("tuned", "aside"):
            own = [(row, value) for row in rows if half(row.clip) == name and (value := row.values.get(column.name)) is not None]  # fmt: skip
            values = [value for _, value in own]
            past = sum(not column.passes(value, row.plan) for row, value in own)
            worst = min if column.high is None else max
            cells += [str(len(own)), column.said(float(np.median(values))), column.said(worst(values)), str(past)] if own else ["0", "", "", ""]  # fmt: skip
        lines.append(tuple(cells))
    heads = [f"{name}: {word}" for name in ("tuned", "aside") for word in ("clips", "median", "worst", "past")]
    return Table("Columns", ("column", "what", "limit", *heads), tuple(lines), "Past: clips that pass the limit.")


def _all_peaks(rows: Sequence[Measured], limits: Limits) -> Table:
    lines = []
    for look in LOOKS:
        for name in ("tuned", "aside"):
            count, lost, far = _peaks([row for row in rows if half(row.clip) == name], look)
            lines.append((look, name, str(count), f"{lost} ({100 * lost / max(count, 1):.2f} %)", str(far)))
    about = f"At most {100 * limits.peaks:g} % of all peaks may lose more than {100 * LOST:.0f} % of their rise, none more than {100 * LOST_MOST:.0f} %."  # fmt: skip
    columns = ("look", "clips", "peaks", f"lose more than {100 * LOST:.0f} %", f"more than {100 * LOST_MOST:.0f} %")
    return Table("Limb peaks", columns, tuple(lines), about)


def _clips(rows: Sequence[Measured], limits: Limits, hidden: set[str]) -> Table:
    lines = []
    for row in rows:
        if row.clip in hidden:
            continue
        head = [row.clip, half(row.clip)]
        if row.error:
            word = "refused" if row.refused else "failed"
            lines.append((*head, f"{word}: {row.error.replace('|', '/')}", *[""] * (3 + len(limits.columns))))
            continue
        cells = [row.on, f"{row.frames}{' (cut)' if row.cut else ''}", row.told.get("unit", ""), row.told.get("up", "")]
        for column in limits.columns:
            value = row.values.get(column.name)
            said = "" if value is None else row.told.get(column.name) or column.said(value)
            cells.append(said if value is None or column.passes(value, row.plan) else f"**{said}**")
        lines.append((*head, *cells))
    columns = ("clip", "half", "on", "frames", "unit", "up", *(column.title for column in limits.columns))
    about = "Bold: past the limit. Slip: that of the capture in brackets. Floor: in brackets how deep in a twentieth of the frames. Face: in brackets with what a head that jerks back or spins throws there. Peaks: how many lose too much, of how many, and the largest loss."  # fmt: skip
    return Table("Clips", columns, tuple(lines), about)
