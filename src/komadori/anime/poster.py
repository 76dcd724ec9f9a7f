"""The poster: the drawings of an animation on one page, each with its number and its exposure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from komadori.errors import OptionError
from komadori.methods.keyposes import keyposes
from komadori.motion import Motion
from komadori.pipeline import PipelineResult
from komadori.render.drawing import Circle, Drawing, Item, Line, Polygon, Rect, Text, text_width
from komadori.render.shot import Shot, shot_of
from komadori.render.toon import Cel, Pixels
from komadori.timesheet import Run, Timesheet
from komadori.words import Note

WIDTH = 1800
COLUMNS, ROWS = 7, 2
MARGIN, HEAD, FOOT = 70.0, 160.0, 140.0
TALL, WIDE = 1.5, 2.4
"""Size of a figure's picture in columns; arms and shadows may overlap the neighbours."""
TOUCHED = 5
"""Opacity, of 255, above which a row counts as part of a figure."""
LABEL = 64.0
"""Height below the ground line for number and exposures."""
PAPER, INK, MUTED, RULE, SNAP = "#fdfaf3", "#22272e", "#7a7566", "#e3dccb", "#d1451f"


@dataclass(frozen=True)
class _Cell:
    """One figure: the drawing that is shown, its number, and whether in-betweens before it were omitted."""

    run: Run
    number: int
    snaps: bool


def poster(result: PipelineResult, *, title: str, view: str, style: str, language: str, face: bool = True) -> Pixels:
    """(H, W, 3) the drawings that carry the action, in reading order; below them the whole timesheet as a ribbon."""
    from komadori.render.png import image

    cells = _cells(result)
    rows = math.ceil(len(cells) / COLUMNS)
    columns = min(COLUMNS, len(cells))
    across = (WIDTH - 2 * MARGIN) / COLUMNS
    shot = _shot(result, view, style, across, face)
    # Each picture is cut to what all figures together fill, so that rows are no farther apart than necessary.
    figures = shot.figures([cell.run.start for cell in cells])
    top, bottom = _filled(figures)
    tall = bottom - top
    height = HEAD + rows * (tall + LABEL) + FOOT
    items: list[Item] = [Rect(0, 0, WIDTH, height, fill=PAPER), *_heading(result, title, language)]
    left = MARGIN + 0.5 * (COLUMNS - columns) * across
    places = []
    for n, cell in enumerate(cells):
        x = left + (n % COLUMNS + 0.5) * across
        y = HEAD + (n // COLUMNS) * (tall + LABEL) + tall
        items += _label(cell, x, y + 0.44 * LABEL, across)
        places.append((round(x - 0.5 * figures[n].shape[1]), round(y - tall)))
    items += _ribbon(result.sheet, [cell.run.start for cell in cells], height - FOOT + 34.0, language)
    page = np.array(image(Drawing(WIDTH, height, tuple(items)), 1.0))
    for figure, (x, y) in zip(figures, places, strict=True):
        _lay(page, figure[top:bottom], x, y)
    return page


def _cells(result: PipelineResult) -> list[_Cell]:
    """The drawings to show: all, or those between which the pose changes most."""
    runs = result.sheet.runs()
    numbers = {int(source): n + 1 for n, source in enumerate(result.sheet.drawings)}
    leaps = _leaps(result.sheet)
    chosen = list(range(len(runs)))
    most = COLUMNS * ROWS
    if len(runs) > most:
        shown = result.motion.taken([run.start for run in runs])
        # Both sides of a leap, if there are few: it is what the poster should show.
        pins = sorted({n - before for n, run in enumerate(runs) if run.start in leaps for before in (0, 1)})
        try:
            chosen = keyposes(shown, count=most, pins=tuple(pins[: most // 2])).frames.tolist()
        except OptionError:
            # A body without hands and feet, or values that are not finite: spread them evenly.
            chosen = np.unique(np.linspace(0, len(runs) - 1, most).round().astype(int)).tolist()
    return [_Cell(runs[n], numbers[runs[n].source], runs[n].start in leaps) for n in chosen]


def _leaps(sheet: Timesheet) -> set[int]:
    """The frames before which in-betweens are omitted: more source frames pass than are shown."""
    return {after.start for run, after in pairwise(sheet.runs()) if after.source - run.source > run.length}


def _shot(result: PipelineResult, view: str, style: str, across: float, face: bool) -> Shot:
    character = result.character if result.character is not None and result.character.meshes else None
    motion, side = in_place(result.motion), round(TALL * across)
    # The camera is chosen for a square, which the figures fill; what is wider is room for shadows.
    camera = shot_of(motion, character, camera=view, style=style, size=(side, side)).camera
    size = (round(WIDE * across), side)
    # The eyes follow the head's turns, but a still with closed eyes is a bad picture.
    return shot_of(motion, character, camera=camera, style=style, size=size, face=face, blinks=False, ground=result.floor_m)  # fmt: skip


def in_place(motion: Motion) -> Motion:
    """The motion without its travel over the ground: every figure stands in the middle of its column."""
    hips = motion.world_positions()[:, motion.skeleton.roles.get("hips", 0)]
    positions = np.array(motion.positions)
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    positions[:, roots, ::2] -= (hips - hips[:1])[:, None, ::2]
    return motion.replaced(positions=positions)


def _filled(figures: list[Pixels]) -> tuple[int, int]:
    """The first row that any figure touches, and the one after the last."""
    rows = np.flatnonzero(np.max([figure[..., 3].max(axis=1) for figure in figures], axis=0) > TOUCHED)
    return (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, len(figures[0]))


def _lay(page: Pixels, figure: Pixels, x: int, y: int) -> None:
    """Puts a figure onto the page in place, cut off at the page's edge."""
    left, right = max(0, -x), min(figure.shape[1], page.shape[1] - x)
    Cel(x + left, y, figure[:, left:right]).over(page)


def _heading(result: PipelineResult, title: str, language: str) -> list[Item]:
    sheet = result.sheet
    counts = Note(
        "{frames} frames, {drawings} drawings, average exposure {exposures:.1f} frames, {fps:g} fps",
        frames=len(sheet),
        drawings=result.drawings,
        exposures=len(sheet) / max(1, len(sheet.runs())),
        fps=sheet.fps,
    )
    name = Note("look: {name}", name=result.recipe.name or "-")
    right = WIDTH - MARGIN
    return [
        Text(MARGIN, 84, title, 46, INK, bold=True, english=title),
        Text(MARGIN, 120, counts.in_language(language), 20, MUTED, english=counts),
        Text(right, 84, name.in_language(language), 24, SNAP, "end", bold=True, english=name),
        Text(right, 120, "komadori", 20, MUTED, "end"),
        Line(MARGIN, 138, right, 138, INK, 2.0),
    ]


def _label(cell: _Cell, x: float, y: float, across: float) -> list[Item]:
    """Below a figure: its number in a circle, a square for every frame of its exposure, a mark where frames are omitted."""
    items: list[Item] = [Line(x - 0.46 * across, y - 26, x + 0.46 * across, y - 26, RULE, 2.0)]
    radius, square, gap = 15.0, 9.0, 4.0
    stay = min(cell.run.length, 12)
    whole = 2 * radius + 10 + stay * (square + gap)
    left = x - 0.5 * whole
    colour = SNAP if cell.snaps else INK
    items.append(Circle(left + radius, y, radius, fill=PAPER, colour=colour, width=2.0))
    # Long numbers are set smaller, to fit the circle.
    size = min(17.0, 17.0 * 1.4 * radius / text_width(str(cell.number), 17.0))
    items.append(Text(left + radius, y + 0.36 * size, str(cell.number), size, colour, "middle", bold=True))
    for n in range(stay):
        at = left + 2 * radius + 10 + n * (square + gap)
        items.append(Rect(at, y - 0.5 * square, square, square, fill=colour if n == 0 else "#b9b2a0"))
    if cell.snaps:
        # Two slanted strokes, as a sheet marks a leap.
        for dx in (-26.0, -16.0):
            a, b = left + dx, left + dx + 7.0
            items.append(Polygon(((a, y + 12), (b, y - 12), (b + 4, y - 12), (a + 4, y + 12)), fill=SNAP))
    return items


def _ribbon(sheet: Timesheet, shown: list[int], y: float, language: str) -> list[Item]:
    """The whole sheet in one line: a block for every drawing, as long as its exposure; the drawings above are dark."""
    width = WIDTH - 2 * MARGIN
    runs = sheet.runs()
    leaps, chosen = _leaps(sheet), set(shown)
    items: list[Item] = []
    for run in runs:
        left = MARGIN + width * run.start / len(sheet)
        right = MARGIN + width * (run.start + run.length) / len(sheet)
        colour = SNAP if run.start in leaps else INK if run.start in chosen else "#cfc8b6"
        items.append(Rect(left, y, max(right - left - 2.0, 1.0), 22.0, fill=colour))
    rate = max(1, round(sheet.fps))
    every = rate * max(1, math.ceil(len(sheet) / rate / 20))
    for frame in range(0, len(sheet), every):
        x = MARGIN + width * frame / len(sheet)
        items.append(Line(x, y + 26, x, y + 34, MUTED, 1.5))
        items.append(Text(x + 4, y + 44, f"{frame // rate} s", 15, MUTED))
    x = MARGIN
    for colour, words in (
        (INK, Note("drawing shown above")),
        (SNAP, Note("omitted in-betweens before it")),
        ("#cfc8b6", Note("other drawings")),
    ):
        items.append(Rect(x, y + 70, 14, 14, fill=colour))
        text = words.in_language(language)
        items.append(Text(x + 22, y + 83, text, 16, MUTED, english=words))
        # English is drawn if there is no Japanese font.
        x += 22 + max(text_width(text, 16), text_width(words, 16)) + 40
    return items
