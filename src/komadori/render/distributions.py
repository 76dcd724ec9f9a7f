"""Distributions: every measure of a library in its own row, a mark per clip, with the middle half boxed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from komadori.quat import Array
from komadori.render.charts import BLUE, INK, MUTED, RULE, VERMILION
from komadori.render.drawing import WHITE, Circle, Drawing, Item, Line, Rect, Text
from komadori.words import Note, told

WIDTH, LEFT, RIGHT = 880.0, 200.0, 30.0
TOP, ROW, FOOT = 60.0, 64.0, 16.0
BOX = "#cfe3f1"
DECADES = 2.0
"""A measure whose values span more powers of ten than this is drawn on a scale of powers."""
MOST_MARKS = 600
"""Of more clips than this only some are marked; the box knows them all."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """The values of one measure over a library."""

    label: str
    unit: str
    values: Array


def distributions_chart(rows: Sequence[Distribution], title: str = "", language: str = "en") -> Drawing:
    """A chart with a row per measure: every clip a mark, the middle half of them a box, the median a line."""
    shown = [row for row in rows if len(row.values)]
    height = TOP + ROW * len(shown) + FOOT
    items: list[Item] = [Rect(0, 0, WIDTH, height, fill=WHITE), Text(24.0, 30.0, title, 16.0, INK, bold=True)]
    legend = Note("a mark is a clip, the box the middle half, the line the median")
    items.append(Text(WIDTH - RIGHT, 30.0, told(legend, language), 11.0, MUTED, "end", english=str(legend)))
    for place, row in enumerate(shown):
        items += _row(row, TOP + ROW * place, language)
    return Drawing(WIDTH, height, tuple(items), title)


def _row(row: Distribution, top: float, language: str) -> list[Item]:
    values = np.sort(np.asarray(row.values, dtype=np.float64))
    at, ticks = _scale(values)
    middle, axis = top + 20.0, top + 38.0
    low, median, high = np.percentile(values, [25.0, 50.0, 75.0])
    items: list[Item] = [
        Text(24.0, middle + 1.0, told(row.label, language), 13.0, INK, english=str(row.label)),
        Text(24.0, middle + 16.0, told(row.unit, language) if row.unit else "", 11.0, MUTED, english=row.unit),
        Line(LEFT, axis, WIDTH - RIGHT, axis, RULE),
        Rect(at(low), middle - 11.0, max(at(high) - at(low), 1.0), 22.0, fill=BOX),
    ]
    kept = values[np.unique(np.linspace(0, len(values) - 1, min(len(values), MOST_MARKS)).astype(int))]
    # Neighbours are set off by a fixed pattern, so that the same library always gives the same picture.
    offsets = (np.arange(len(kept)) * 0.618034) % 1.0 * 16.0 - 8.0
    items += [Circle(at(value), middle + offset, 1.8, fill=BLUE) for value, offset in zip(kept, offsets.tolist(), strict=True)]  # fmt: skip
    items.append(Line(at(median), middle - 13.0, at(median), middle + 13.0, VERMILION, 2.0))
    for tick in ticks:
        items.append(Line(at(tick), axis, at(tick), axis + 4.0, MUTED))
        items.append(
            Text(at(tick), axis + 15.0, f"{tick:,.0f}" if abs(tick) >= 1000.0 else f"{tick:.3g}", 10.0, MUTED, "middle")
        )
    return items


def _scale(values: Array) -> tuple[Callable[[float], float], list[float]]:
    """Where a value lies on the axis, and the values that are written below it."""
    low, high = float(values[0]), float(values[-1])
    some = values[values > 0.0]
    powers = len(some) > 1 and low > 0.0 and np.log10(high / low) > DECADES
    if powers:
        first, last = np.log10(low), np.log10(high)
        ticks = [10.0**power for power in range(int(np.ceil(first)), int(np.floor(last)) + 1)]
    else:
        first, last = low, high
        ticks = [low, 0.5 * (low + high), high] if high > low else [low]
    span = (last - first) or 1.0

    def at(value: float) -> float:
        where = np.log10(value) if powers else value
        return float(LEFT + 10.0 + (WIDTH - RIGHT - LEFT - 20.0) * (where - first) / span)

    return at, ticks
