"""Charts of a timing: how far the pose moves at each frame, before and after, and which frames bring a new drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.render.drawing import WHITE, Circle, Drawing, Item, Line, Polygon, Polyline, Rect, Text, text_width
from komadori.timesheet import Frames, Timesheet
from komadori.words import translated

# Okabe and Ito's colours: told apart by colour-blind eyes, and in grey by their lightness.
BLUE, VERMILION, GREEN = "#0072b2", "#d55e00", "#009e73"
INK, MUTED, RULE, AREA, EDGE, BAND = "#22272e", "#6b7480", "#e4e7eb", "#dfe3e8", "#9aa3ad", "#fbe9df"

WIDTH, HEIGHT = 880.0, 430.0
LEFT, RIGHT = 78.0, 22.0
PLOT_TOP, PLOT_BOTTOM = 98.0, 290.0
CAPTURED, SHOWN, STRIP = 312.0, 346.0, 24.0
"""Upper edges of the two strips of drawings, and their height."""
MOST_COLUMNS = 1200
"""A clip with more frames than this is drawn column by column, several frames each."""


class Timing(Protocol):
    """What a method's result must provide for its chart."""

    @property
    def sheet(self) -> Timesheet:
        """The sheet that is shown."""

    @property
    def steps_before(self) -> Array:
        """(F - 1,) squared steps of the source."""

    @property
    def steps_after(self) -> Array:
        """(F_out - 1,) squared steps of what is shown."""

    @property
    def omitted_frames(self) -> Frames:
        """Source frames that were omitted."""

    @property
    def inserted_frames(self) -> Frames:
        """Output frames that were filled by a repeat."""

    @property
    def held_frames(self) -> Frames:
        """Output frames that show the drawing before once more."""

    @property
    def omitted(self) -> int:
        """How many frames were omitted."""

    @property
    def held(self) -> int:
        """How many drawings were removed by holds."""


@dataclass
class _Plot:
    """The frame of one chart: where a frame and a value lie, and the items drawn so far."""

    frames: int
    fps: float
    top: float
    language: str
    items: list[Item] = field(default_factory=list)

    def x(self, frame: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (frame + 0.5) / self.frames

    def y(self, value: float) -> float:
        return PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * value / self.top

    def say(self, x: float, y: float, text: str, size: float = 12.0, **look: Any) -> None:
        """`text`, an English label, in the chart's language."""
        self.items.append(Text(x, y, translated(text, self.language), size, english=text, **look))

    @property
    def slot(self) -> float:
        return (WIDTH - LEFT - RIGHT) / self.frames


def steps_chart(result: Timing, *, title: str = "", language: str = "en", unit: str = "m") -> Drawing:
    """Steps over time before (area) and after (bars), and below them the frames that bring a new drawing.

    The height is the root of a squared step (Kitamura et al., figure 1, draws the square itself): the root of the sum over
    joints of squared distances, in `unit`. The strips are the paper's figure 8.
    """
    before = np.sqrt(np.asarray(result.steps_before, dtype=np.float64))
    after = np.sqrt(np.asarray(result.steps_after, dtype=np.float64))
    sheet = result.sheet
    frames = max(len(before) + 1, len(sheet), 1)
    highest = max(float(before.max(initial=0.0)), float(after.max(initial=0.0)))
    step = nice(highest / 4) if highest > 0.0 else 0.25
    plot = _Plot(frames, sheet.fps, step * max(1, math.ceil(highest / step - 1e-9)), language)
    plot.items.append(Rect(0, 0, WIDTH, HEIGHT, fill=WHITE))
    _headings(plot, result, title)
    _omissions(plot, np.asarray(result.omitted_frames))
    _axes(plot, step, unit)
    _before(plot, before)
    _after(plot, sheet, after, np.asarray(result.omitted_frames))
    _strips(plot, result, len(before) + 1)
    return Drawing(WIDTH, HEIGHT, tuple(plot.items), title or translated("Steps before and after", language))


def nice(least: float) -> float:
    """The smallest of 1, 2, 2.5 or 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(n * power for n in (1.0, 2.0, 2.5, 5.0, 10.0) if n * power >= least * (1 - 1e-9))


def _headings(plot: _Plot, result: Timing, title: str) -> None:
    if title:
        plot.items.append(Text(LEFT, 30, title, 17, INK, bold=True, english=title))
    else:
        plot.say(LEFT, 30, "Steps before and after", 17, bold=True)
    counts = {
        "frames": len(result.sheet),
        "drawings": len(result.sheet.drawings),
        "omitted": result.omitted,
        "held": result.held,
    }
    template = "{frames} frames, {drawings} drawings: {omitted} omitted, {held} held"
    summary = translated(template, plot.language).format(**counts)
    right = WIDTH - RIGHT
    plot.items.append(Text(right, 30, summary, 12, MUTED, "end", english=template.format(**counts)))
    x, y = LEFT, 56.0
    for colour, label, shape in (
        (AREA, "captured", "area"),
        (BLUE, "limited", "bar"),
        (VERMILION, "snap: in-betweens omitted", "bar"),
        (GREEN, "repeated to keep the length", "dot"),
        (BLUE, "held", "line"),
    ):
        if shape == "area":
            plot.items.append(Rect(x, y - 9, 16, 10, fill=colour, colour=EDGE, line=1.0))
        elif shape == "bar":
            plot.items.append(Rect(x + 5, y - 10, 5, 12, fill=colour))
        elif shape == "dot":
            plot.items.append(Circle(x + 8, y - 4, 3.2, fill=colour))
        else:
            plot.items.append(Line(x, y - 4, x + 16, y - 4, colour, 1.6))
        plot.say(x + 22, y, label, 12)
        x += 22 + text_width(translated(label, plot.language), 12) + 18


def _axes(plot: _Plot, step: float, unit: str) -> None:
    items = plot.items
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if f"{step:.1e}"[:3] == "2.5" else 0)
    for n in range(round(plot.top / step) + 1):
        y = plot.y(n * step)
        items.append(Line(LEFT, y, WIDTH - RIGHT, y, MUTED if n == 0 else RULE, 1.0))
        items.append(Text(LEFT - 8, y + 4, f"{n * step:.{digits}f}", 12, MUTED, "end"))
    plot.say(14, PLOT_TOP - 12, f"pose change in a frame, root of summed squares ({unit})", 12, colour=MUTED)
    base = SHOWN + STRIP
    every = _tick(plot)
    second = max(1, round(plot.fps))
    for frame in range(0, plot.frames, every):
        x = plot.x(frame)
        items.append(Line(x, base + 6, x, base + 11, MUTED, 1.0))
        items.append(Text(x, base + 24, str(frame), 12, INK, "middle"))
        if frame % second == 0:
            items.append(Line(x, PLOT_TOP, x, PLOT_BOTTOM, RULE, 1.0))
            items.append(Text(x, base + 41, f"{frame // second} s", 12, MUTED, "middle"))
    plot.say(LEFT - 18, base + 24, "frame", 12, colour=MUTED, anchor="end")
    plot.say(LEFT - 18, base + 41, "time", 12, colour=MUTED, anchor="end")


def _tick(plot: _Plot) -> int:
    """Frames between two ticks: a quarter or half of a second, or whole seconds, so that labels have room."""
    second = max(1, round(plot.fps))
    room = 34.0
    for every in (second // 4, second // 2):
        if every >= 1 and second % every == 0 and every * plot.slot >= room:
            return every
    times = next(n for n in (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10**9) if n * second * plot.slot >= room)
    return times * second


def _omissions(plot: _Plot, omitted: NDArray[np.int64]) -> None:
    """A band behind the moments that were omitted."""
    for start, end in _groups(omitted):
        left, right = plot.x(start) - plot.slot / 2, plot.x(end) + plot.slot / 2
        plot.items.append(Rect(left, PLOT_TOP, max(right - left, 1.0), PLOT_BOTTOM - PLOT_TOP, fill=BAND))


def _groups(frames: NDArray[np.int64]) -> list[tuple[int, int]]:
    """(first, last) of every stretch of consecutive numbers."""
    if not len(frames):
        return []
    parts = np.split(frames, np.flatnonzero(np.diff(frames) != 1) + 1)
    return [(int(part[0]), int(part[-1])) for part in parts]


def _columns(values: Array) -> list[tuple[int, float]]:
    """(frame, value); if there are too many, the largest of each group of neighbours."""
    count = max(1, math.ceil(len(values) / MOST_COLUMNS))
    starts = np.arange(0, len(values), count)
    peaks = np.maximum.reduceat(values, starts) if len(values) else values
    return list(zip(starts.tolist(), peaks.tolist(), strict=True))


def _before(plot: _Plot, before: Array) -> None:
    if not len(before):
        return
    # The step into frame f is drawn at f.
    line = tuple((plot.x(frame + 1), plot.y(value)) for frame, value in _columns(before))
    floor = plot.y(0.0)
    plot.items.append(Polygon(((line[0][0], floor), *line, (line[-1][0], floor)), fill=AREA))
    plot.items.append(Polyline(line, EDGE, 1.2))


def _after(plot: _Plot, sheet: Timesheet, after: Array, omitted: NDArray[np.int64]) -> None:
    snaps = _snaps(sheet, omitted)
    width = min(6.0, max(0.7, plot.slot * 0.55))
    columns = math.ceil(len(after) / MOST_COLUMNS) if len(after) else 1
    for frame, value in _columns(after):
        if value <= 0.0:
            continue
        snap = snaps[frame : frame + columns].any()
        top = plot.y(value)
        x = plot.x(frame + 1) - width / 2
        plot.items.append(Rect(x, top, width, PLOT_BOTTOM - top, fill=VERMILION if snap else BLUE))


def _snaps(sheet: Timesheet, omitted: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(F_out - 1,) whether the step into output frame f + 1 leaps over an omitted frame."""
    left, right = np.searchsorted(omitted, sheet.source[:-1], "right"), np.searchsorted(omitted, sheet.source[1:])
    return np.asarray(right > left)


def _strips(plot: _Plot, result: Timing, source_frames: int) -> None:
    """Two rows of bars: every captured frame, and every frame that brings a new drawing."""
    items = plot.items
    plot.say(LEFT - 18, CAPTURED + 16, "captured", 12, colour=MUTED, anchor="end")
    plot.say(LEFT - 18, SHOWN + 16, "shown", 12, colour=MUTED, anchor="end")
    width = min(3.2, max(0.6, plot.slot * 0.4))
    omitted = set(np.asarray(result.omitted_frames).tolist())
    for frame in range(0, source_frames, math.ceil(source_frames / MOST_COLUMNS)):
        gone = frame in omitted
        high, colour = (STRIP, VERMILION) if gone else (STRIP - 8, EDGE)
        items.append(Rect(plot.x(frame) - width / 2, CAPTURED + STRIP - high, width, high, fill=colour))
    inserted = set(np.asarray(result.inserted_frames).tolist())
    middle = SHOWN + STRIP / 2
    runs = result.sheet.runs()
    snaps = np.append(False, _snaps(result.sheet, np.asarray(result.omitted_frames)))
    for run in runs[:: math.ceil(max(1, len(runs)) / MOST_COLUMNS)]:
        x = plot.x(run.start)
        if run.length > 1:
            items.append(Line(x, middle, plot.x(run.start + run.length - 1) + plot.slot * 0.3, middle, BLUE, 1.4))
        items.append(Rect(x - width / 2, SHOWN, width, STRIP, fill=VERMILION if snaps[run.start] else BLUE))
    radius = min(3.2, max(1.2, plot.slot * 0.4))
    held = set(np.asarray(result.held_frames).tolist())
    items.extend(Circle(plot.x(frame), middle, radius, fill=GREEN) for frame in sorted(inserted & held))
