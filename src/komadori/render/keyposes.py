"""Pictures of key poses: the poses in a row over their time line, the motion curve, and the error for every count."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from komadori.motion import Motion
from komadori.quat import Array
from komadori.render.charts import BLUE, GREEN, VERMILION, nice
from komadori.render.drawing import WHITE, Circle, Drawing, Item, Line, Point, Polyline, Rect, Text, text_width
from komadori.render.figures import strip
from komadori.render.layout import moved, placed
from komadori.timesheet import Frames
from komadori.words import translated

INK, MUTED, RULE, SHADE, EDGE = "#22272e", "#6b7480", "#e4e7eb", "#eef1f4", "#9aa3ad"
PURPLE = "#cc79a7"
EARLY, LATE = (196, 205, 214), (58, 68, 80)
"""Colours of the curve at its beginning and its end."""
POSES_IN_ROW = 16
PANEL, ERRORS_HEIGHT = 420.0, 250.0
TURN, TILT = math.radians(-38.0), math.radians(24.0)
"""From where the curve is seen in three dimensions."""
MOST_POINTS = 1500
"""A longer curve is drawn with every n-th frame only."""
COUNTS_SHOWN = 3
"""The error plot runs to so many times the chosen count."""


class Keys(Protocol):
    """What a result must tell for its pictures."""

    @property
    def source_motion(self) -> Motion:
        """The clip."""

    @property
    def curve(self) -> Array:
        """(F, dims) the motion curve."""

    @property
    def frames(self) -> Frames:
        """(K,) the key frames, sorted."""

    @property
    def counts(self) -> Frames:
        """(n,) numbers of keys."""

    @property
    def errors(self) -> Array:
        """(n,) the error for each of them."""

    @property
    def least_errors(self) -> tuple[Frames, Array]:
        """(counts, errors) of the optimum."""

    def even_errors(self, most: int) -> tuple[Frames, Array]:
        """(counts, errors) of evenly spread keys."""


def key_strip(result: Keys, *, height: float = 200.0, view: str = "three-quarter", title: str = "") -> Drawing:
    """The key poses in rows (the paper's figure 2), each tied to its moment on a time line below."""
    frames = result.frames.tolist()
    count = math.ceil(len(frames) / POSES_IN_ROW)
    size = math.ceil(len(frames) / count)
    groups = [frames[n : n + size] for n in range(0, len(frames), size)]
    strips = [strip(result.source_motion, group, height=height, view=view) for group in groups]
    width = max(240.0, *(poses.width for poses in strips))
    top, parts = (30.0 if title else 0.0), []
    for group, poses in zip(groups, strips, strict=True):
        row = _row(result, group, poses, width)
        parts.append((0.0, top, row))
        top += row.height + 6.0
    made = placed(parts, title or "key poses")
    if title:
        made = Drawing(made.width, made.height, (*made.items, Text(14, 22, title, 15, INK, bold=True)), title)
    return made


def curve_chart(
    result: Keys, *, dims: int = 2, other: Keys | None = None, title: str = "", language: str = "en"
) -> Drawing:
    """The motion curve with its keys and polyline (the paper's figure 1), seen in 2 or 3 dimensions.

    Dots are frames, light at the beginning and dark at the end. `other` is a second choice of keys, drawn dashed.
    """
    items: list[Item] = [Rect(0, 0, PANEL, PANEL, fill=WHITE)]
    scene = _Scene(result.curve, dims)
    items += scene.frame(language)
    path = scene.seen(result.curve)
    every = max(1, math.ceil(len(path) / MOST_POINTS))
    items += _ramp(path[::every])
    if other is not None:
        ends = scene.seen(result.curve[other.frames])
        items += [Line(*a, *b, PURPLE, 1.5, (5, 3)) for a, b in itertools.pairwise(ends)]
        items += [Circle(x, y, 3.0, fill=WHITE, colour=PURPLE, width=1.5) for x, y in ends]
    keys = scene.seen(result.curve[result.frames])
    if len(keys) > 1:
        items.append(Polyline(tuple(keys), BLUE, 1.8))
    items += [Circle(x, y, 3.6, fill=VERMILION, colour=WHITE, width=1.0) for x, y in keys]
    items += _numbers(keys, result.frames.tolist(), path)
    if title:
        items.append(Text(16, 24, translated(title, language), 13, INK, bold=True, english=title))
    return Drawing(PANEL, PANEL, tuple(items), translated(title or "motion curve", language))


def error_chart(
    result: Keys, *, width: float = 2 * PANEL, language: str = "en", optimum: bool = True, even: bool = True
) -> Drawing:
    """The error for every number of keys: as chosen, the least possible, and of evenly spread keys."""
    most = min(max(COUNTS_SHOWN * len(result.frames), 12), max(int(result.counts[-1]), len(result.frames), 2))
    chosen = (result.counts[result.counts <= most], result.errors[: int(np.sum(result.counts <= most))])
    lines: list[tuple[str, str, tuple[float, ...], tuple[Frames, Array]]] = []
    if even:
        lines.append(("evenly spread", EDGE, (2, 3), result.even_errors(most)))
    if optimum:
        counts, errors = result.least_errors
        lines.append(("least possible", GREEN, (6, 3), (counts[counts <= most], errors[: int(np.sum(counts <= most))])))
    lines.append(("chosen keys", BLUE, (), chosen))
    plot = _ErrorPlot(width, max(float(errors.max(initial=0.0)) for _, _, _, (_, errors) in lines), most)
    plot.axes(language)
    for _, colour, dash, (counts, errors) in lines:
        points = [(plot.x(n), plot.y(e)) for n, e in zip(counts.tolist(), errors.tolist(), strict=True)]
        if dash:
            plot.items += [Line(*a, *b, colour, 1.6, dash) for a, b in itertools.pairwise(points)]
        elif len(points) > 1:
            plot.items.append(Polyline(tuple(points), colour, 2.2))
    plot.mark(len(result.frames), result, language)
    plot.legend([(label, colour, dash) for label, colour, dash, _ in reversed(lines)], language)
    return Drawing(width, ERRORS_HEIGHT, tuple(plot.items), translated("error for every number of keys", language))


def keyposes_chart(
    result: Keys, *, title: str = "", language: str = "en", other: Keys | None = None, optimum: bool = True
) -> Drawing:
    """Curve in two and three dimensions and the errors, on one page."""
    head = 34.0 if title else 0.0
    parts = [
        (0.0, head, curve_chart(result, dims=2, other=other, language=language, title="motion curve, 2 components")),
        (PANEL, head, curve_chart(result, dims=3, other=other, language=language, title="motion curve, 3 components")),
        (0.0, head + PANEL, error_chart(result, language=language, optimum=optimum)),
    ]
    made = placed(parts, title or translated("key poses", language))
    if not title:
        return made
    return Drawing(made.width, made.height, (*made.items, Text(16, 24, title, 17, INK, bold=True)), title)


def _row(result: Keys, frames: Sequence[int], poses: Drawing, width: float) -> Drawing:
    """Poses over a time line of the whole clip, on which all keys are marked and these are tied to their figures."""
    centres = [item.x for item in poses.items if isinstance(item, Text)]
    last, fps = max(len(result.curve) - 1, 1), result.source_motion.fps
    line, left, right = poses.height + 34.0, 18.0, width - 18.0

    def x(frame: float) -> float:
        return left + (right - left) * frame / last

    # The figures stand over their own time as far as the row has room.
    over = sum(map(x, frames)) / len(frames) - sum(centres) / len(centres)
    shift = min(max(over, 0.0), width - poses.width)
    items: list[Item] = [Rect(0, 0, width, line + 26.0, fill=WHITE), *(moved(item, shift, 0.0) for item in poses.items)]
    items.append(Line(left, line, right, line, EDGE, 2.0))
    every = next((n for n in (1, 2, 5, 10, 30, 60, 300, 600, 3600) if (right - left) * n * fps / last > 40.0), 10**6)
    for second in range(0, int(last / fps) + 1, every):
        at = x(second * fps)
        items += [Line(at, line, at, line + 6, EDGE, 1.0), Text(at, line + 18, f"{second} s", 10, MUTED, "middle")]
    items += [Line(x(frame), line - 4, x(frame), line + 4, EDGE, 1.2) for frame in result.frames.tolist()]
    for frame, centre in zip(frames, centres, strict=True):
        start, end = centre + shift, x(frame)
        items.append(
            Polyline(((start, poses.height - 2), (start, poses.height + 4), (end, line - 8), (end, line)), EDGE)
        )
        items.append(Circle(end, line, 3.4, fill=VERMILION, colour=WHITE, width=1.0))
    return Drawing(width, line + 26.0, tuple(items))


class _Scene:
    """Where points of the curve lie in the panel, flat or turned in space."""

    def __init__(self, curve: Array, dims: int) -> None:
        self.dims = dims
        self.low, self.high = curve[:, :dims].min(axis=0), curve[:, :dims].max(axis=0)
        size = float((self.high - self.low).max()) or 1.0
        self.step = nice(size / 5)
        self.low, self.high = np.floor(self.low / self.step - 1e-9), np.ceil(self.high / self.step + 1e-9)
        self.high = np.maximum(self.high, self.low + 1) * self.step
        self.low = self.low * self.step
        self.centre = (self.low + self.high) / 2
        corners = self._turned(self._corners())
        extent = np.ptp(corners, axis=0)
        room = np.array([PANEL - 84.0, PANEL - 100.0])
        self.scale = float((room / np.maximum(extent, 1e-12)).min())
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        self.origin = np.array([PANEL / 2 + 12.0, PANEL / 2 + 6.0]) - self.scale * middle * np.array([1.0, -1.0])

    def seen(self, points: Array) -> list[Point]:
        """Points of the curve (n, dims or more) in the panel."""
        flat = self.origin + self.scale * self._turned(points[:, : self.dims]) * np.array([1.0, -1.0])
        return [(float(x), float(y)) for x, y in flat]

    def frame(self, language: str) -> list[Item]:
        """Grid, axes and their labels."""
        return self._frame_3d(language) if self.dims == 3 else self._frame_2d(language)

    def _corners(self) -> Array:
        grids = np.meshgrid(*zip(self.low.tolist(), self.high.tolist(), strict=True), indexing="ij")
        return np.stack([grid.ravel() for grid in grids], axis=1)

    def _turned(self, points: Array) -> Array:
        """(n, 2) right and up. In space the first two components lie on the floor, the third stands."""
        moved = points - self.centre
        if self.dims == 2:
            return np.asarray(moved)
        right = moved[:, 0] * math.cos(TURN) - moved[:, 1] * math.sin(TURN)
        depth = moved[:, 0] * math.sin(TURN) + moved[:, 1] * math.cos(TURN)
        return np.stack([right, moved[:, 2] * math.cos(TILT) + depth * math.sin(TILT)], axis=1)

    def _ticks(self, axis: int) -> list[float]:
        count = round((self.high[axis] - self.low[axis]) / self.step)
        return [float(self.low[axis] + n * self.step) for n in range(count + 1)]

    def _line(self, a: Sequence[float], b: Sequence[float], colour: str = RULE, width: float = 1.0) -> Line:
        (x1, y1), (x2, y2) = self.seen(np.array([a, b], dtype=np.float64))
        return Line(x1, y1, x2, y2, colour, width)

    def _value(self, number: float) -> str:
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9)) + (1 if f"{self.step:.1e}"[:3] == "2.5" else 0)
        return f"{number:.{digits}f}".replace("-", "\u2212") if abs(number) > 1e-12 else "0"

    def _frame_2d(self, language: str) -> list[Item]:
        (x0, x1), (y0, y1) = zip(self.low.tolist(), self.high.tolist(), strict=True)
        items: list[Item] = []
        for value in self._ticks(0):
            items.append(self._line((value, y0), (value, y1)))
            x, y = self.seen(np.array([[value, y0]]))[0]
            items.append(Text(x, y + 15, self._value(value), 10, MUTED, "middle"))
        for value in self._ticks(1):
            items.append(self._line((x0, value), (x1, value)))
            x, y = self.seen(np.array([[x0, value]]))[0]
            items.append(Text(x - 6, y + 3.5, self._value(value), 10, MUTED, "end"))
        right, bottom = self.seen(np.array([[x1, y0]]))[0]
        left, top = self.seen(np.array([[x0, y1]]))[0]
        items.append(_words(right, bottom + 30, "1st component (m)", language, anchor="end"))
        items.append(_words(left - 30, top - 10, "2nd component (m)", language))
        return items

    def _frame_3d(self, language: str) -> list[Item]:
        (x0, x1), (y0, y1), (z0, z1) = zip(self.low.tolist(), self.high.tolist(), strict=True)
        items: list[Item] = []
        for value in self._ticks(0):
            items += [self._line((value, y0, z0), (value, y1, z0)), self._line((value, y1, z0), (value, y1, z1))]
        for value in self._ticks(1):
            items += [self._line((x0, value, z0), (x1, value, z0)), self._line((x0, value, z0), (x0, value, z1))]
        for value in self._ticks(2):
            items += [self._line((x0, y0, value), (x0, y1, value)), self._line((x0, y1, value), (x1, y1, value))]
            x, y = self.seen(np.array([[x0, y0, value]]))[0]
            items.append(Text(x - 6, y + 3.5, self._value(value), 10, MUTED, "end"))
        for a, b in (((x0, y0, z0), (x1, y0, z0)), ((x1, y0, z0), (x1, y1, z0)), ((x0, y0, z0), (x0, y0, z1))):
            items.append(self._line(a, b, EDGE, 1.2))
        for place, label, anchor in (
            (((x0 + x1) / 2, y0, z0), "1st component (m)", "end"),
            ((x1, (y0 + y1) / 2, z0), "2nd", "start"),
            ((x0, y0, z1), "3rd", "middle"),
        ):
            x, y = self.seen(np.array([place]))[0]
            items.append(_words(x, y - 8 if label == "3rd" else y + 18, label, language, anchor=anchor))
        return items


def _words(x: float, y: float, text: str, language: str, **look: Any) -> Text:
    return Text(x, y, translated(text, language), 11, MUTED, english=text, **look)


def _ramp(path: list[Point]) -> list[Item]:
    """The curve as a thin line and a dot per frame, from light to dark."""
    lines: list[Item] = []
    dots: list[Item] = []
    pieces = min(24, max(1, len(path) - 1))
    bounds = np.linspace(0, len(path) - 1, pieces + 1).astype(int)
    for n, (a, b) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        part = (n + 0.5) / pieces
        colour = "#" + "".join(f"{round(e + part * (f - e)):02x}" for e, f in zip(EARLY, LATE, strict=True))
        lines.append(Polyline(tuple(path[a : b + 1]), colour, 1.0))
        dots += [Circle(x, y, 1.7, fill=colour) for x, y in path[a : b + 1]]
    return lines + dots


def _numbers(keys: list[Point], frames: list[int], path: list[Point]) -> list[Item]:
    """Frame numbers beside their keys: outward from the curve's middle, and none that would cover another."""
    centre = np.mean(np.array(path), axis=0)
    taken: list[tuple[float, float, float, float]] = [(x - 4, y - 4, x + 4, y + 4) for x, y in keys]
    items: list[Item] = []
    for (x, y), frame in zip(keys, frames, strict=True):
        text = str(frame)
        wide = text_width(text, 10) + 2
        outward = math.atan2(y - centre[1], x - centre[0])
        for turn in (0.0, 0.6, -0.6, 1.2, -1.2, 2.0, -2.0, math.pi):
            cx = x + math.cos(outward + turn) * (8 + wide / 2)
            cy = y + math.sin(outward + turn) * 11
            box = (cx - wide / 2, cy - 5, cx + wide / 2, cy + 5)
            if all(box[2] < o[0] or box[0] > o[2] or box[3] < o[1] or box[1] > o[3] for o in taken):
                taken.append(box)
                items.append(Text(cx, cy + 3.5, text, 10, INK, "middle"))
                break
    return items


class _ErrorPlot:
    """Counts to the right, errors up."""

    def __init__(self, width: float, highest: float, most: int) -> None:
        self.left, self.right, self.top, self.bottom = 62.0, width - 24.0, 52.0, ERRORS_HEIGHT - 40.0
        self.step = nice(highest / 4) if highest > 0.0 else 0.25
        self.highest = self.step * max(1, math.ceil(highest / self.step - 1e-9))
        self.most = max(most, 3)
        self.items: list[Item] = [Rect(0, 0, width, ERRORS_HEIGHT, fill=WHITE)]

    def x(self, count: float) -> float:
        return self.left + (self.right - self.left) * (count - 2) / (self.most - 2)

    def y(self, error: float) -> float:
        return self.bottom - (self.bottom - self.top) * error / self.highest

    def axes(self, language: str) -> None:
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9)) + (1 if f"{self.step:.1e}"[:3] == "2.5" else 0)
        for n in range(round(self.highest / self.step) + 1):
            y = self.y(n * self.step)
            self.items.append(Line(self.left, y, self.right, y, MUTED if n == 0 else RULE, 1.0))
            self.items.append(Text(self.left - 8, y + 4, f"{n * self.step:.{digits}f}", 11, MUTED, "end"))
        every = max(1, round(nice((self.most - 2) / 12)))
        for count in range(2 if every == 1 else every, self.most + 1, every):
            x = self.x(count)
            self.items += [Line(x, self.bottom, x, self.bottom + 5, MUTED, 1.0)]
            self.items.append(Text(x, self.bottom + 18, str(count), 11, MUTED, "middle"))
        self.items.append(_words(16, 24, "error (m)", language))
        self.items.append(_words(self.right, self.bottom + 33, "number of keys", language, anchor="end"))

    def mark(self, count: int, result: Keys, language: str) -> None:
        place = count - int(result.counts[0])
        x, y = self.x(count), self.y(float(result.errors[place]))
        self.items += [Line(x, y, x, self.bottom, VERMILION, 1.2, (3, 3)), Circle(x, y, 4.4, fill=VERMILION)]
        template = "{count} keys, {error:.3g} m"
        values = {"count": count, "error": float(result.errors[place])}
        english, said = template.format(**values), translated(template, language).format(**values)
        self.items.append(Text(x + 8, y - 8, said, 12, VERMILION, bold=True, english=english))

    def legend(self, entries: list[tuple[str, str, tuple[float, ...]]], language: str) -> None:
        x = self.right
        for label, colour, dash in reversed(entries):
            said = translated(label, language)
            x -= text_width(said, 12) + 4
            self.items.append(Text(x, 24, said, 12, INK, english=label))
            self.items.append(Line(x - 28, 20, x - 6, 20, colour, 2.2 if not dash else 1.6, dash))
            x -= 46
