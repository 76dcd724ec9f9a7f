"""The printed timesheet (タイムシート) as the Japanese industry draws it: two columns of three seconds on an A4 page, or one."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from komadori.cut import Cue, Cut, changes, drawing_numbers
from komadori.errors import OptionError, one_of
from komadori.render.drawing import WHITE, Circle, Drawing, Item, Line, Polyline, Rect, Text, text_width
from komadori.timesheet import Run, Timesheet
from komadori.words import Note, translated

A4 = (595.28, 841.89)
MARGIN = 34.0
GAP = 22.0
HEAD_TOP, HEAD_HEIGHT = 30.0, 34.0
TITLES_TOP, TITLES_HEIGHT = 76.0, 27.0
GRID_BOTTOM = 822.0
FORMS = {6: (2, 4), 3: (1, 8)}
"""Seconds on a page -> its columns of three seconds, and the tracks that fit beside each other; further tracks continue on further pages."""
MOST_ROWS = 96
MOST_PAGES = 2000

INK, FAINT, HALF, HEAVY, AFTER = "#1d2328", "#c9d8d9", "#7ba3a6", "#2b6367", "#eef2f2"


def seconds_and_frames(frames: int, rate: int) -> str:
    """A length as sheets write it: 129 frames at 24 are 5+9.

    >>> seconds_and_frames(129, 24)
    '5+9'
    """
    return f"{frames // rate}+{frames % rate}"


@dataclass(frozen=True)
class _Ruling:
    """How a page is ruled: `rate` frames per second, `rows` frames per column, a heavier line every `beat`."""

    rate: int
    rows: int
    beat: int

    @property
    def row_height(self) -> float:
        return (GRID_BOTTOM - TITLES_TOP - TITLES_HEIGHT) / self.rows


@dataclass(frozen=True)
class _Columns:
    """Widths of the column groups of one block, left to right."""

    frame: float
    action: float
    dialogue: float
    cell: float
    source: float
    camera: float
    slots: int
    """Columns that the action and cell groups have, used or not."""


@dataclass(frozen=True, eq=False)
class _Track:
    """A sheet with what its columns show, computed once for all pages."""

    length: int
    runs: tuple[Run, ...]
    numbers: dict[int, str]
    """What is written for each source frame."""
    keys: frozenset[int]

    def between(self, first: int, end: int) -> tuple[Run, ...]:
        """The runs that are on show in output frames `first` to `end`."""
        begin = max(0, bisect_right(self.runs, first, key=lambda run: run.start) - 1)
        shown = self.runs[begin : bisect_left(self.runs, end, key=lambda run: run.start)]
        return tuple(run for run in shown if run.start + run.length > first)


@dataclass
class _Page:
    language: str
    items: list[Item] = field(default_factory=list)

    def say(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        """`text`, an English label, in the page's language."""
        self.items.append(Text(x, y, translated(text, self.language), size, english=text, **look))

    def put(self, x: float, y: float, text: str, size: float, **look: Any) -> None:
        """`text` as it is."""
        self.items.append(Text(x, y, text, size, **look))


def printed_sheet(
    sheets: Mapping[str, Timesheet],
    *,
    title: str = "",
    scene: str = "",
    cut: str = "",
    name: str = "",
    language: str = "en",
    keys: Collection[int] | None = None,
    seconds: int = 6,
) -> list[Drawing]:
    """`sheets` (track name -> sheet) as A4 pages, six seconds each at 24 frames per second, or three in wider columns.

    A number stands at the frame where a drawing appears, circled if it is a key; a line runs through the frames that
    hold it. The ACTION columns show the keys, with a dot for each in-between. Source frames, counted from 1, stand in
    separate narrow columns. `keys` are output frames, those of `Cut.key_frames` if not given. Of a cut, empty
    cels are crossed, dialogue and camera work stand in their columns, and the heading is its own if none is given.
    """
    if seconds not in FORMS:
        raise OptionError("seconds", expected=one_of(map(str, FORMS)), found=seconds)
    blocks, most = FORMS[seconds]
    cut_sheet = Cut.of(sheets)
    title, scene, cut = title or cut_sheet.title, scene or cut_sheet.scene, cut or cut_sheet.cut
    ruling = _ruling(cut_sheet.fps)
    total = cut_sheet.frames
    tracks = {
        label: _Track(
            len(sheet),
            _shown(sheet, cut_sheet.blank.get(label, ())),
            _written(cut_sheet, label),
            cut_sheet.key_frames(label) if keys is None else frozenset(keys),
        )
        for label, sheet in sheets.items()
    }
    groups = [dict(list(tracks.items())[n : n + most]) for n in range(0, len(tracks), most)]
    spans = range(0, max(total, 1), blocks * ruling.rows)
    count = len(spans) * len(groups)
    if count > MOST_PAGES:
        raise OptionError(
            "sheet",
            expected=Note("at most {most} pages", most=MOST_PAGES),
            found=Note("{pages} pages for {frames} frames", pages=count, frames=total),
            advice=Note("print a part of it"),
        )
    heading = {"title": title, "scene": scene, "cut": cut, "name": name, "time": seconds_and_frames(total, ruling.rate)}
    pages: list[Drawing] = []
    for start in spans:
        for group in groups:
            page = _Page(language, [Rect(0, 0, *A4, fill=WHITE)])
            _heading(page, {**heading, "sheet": f"{len(pages) + 1} / {count}"})
            width = (A4[0] - 2 * MARGIN - (blocks - 1) * GAP) / blocks
            for block in range(blocks):
                first = start + block * ruling.rows
                _block(page, group, ruling, cut_sheet, first, MARGIN + block * (width + GAP), width)
            pages.append(Drawing(*A4, tuple(page.items), title or translated("Time sheet", language)))
    return pages


def _shown(sheet: Timesheet, blank: Collection[int]) -> tuple[Run, ...]:
    """The runs of a sheet; those in which its cel is empty show source frame -1."""
    if not blank:
        return sheet.runs()
    source = sheet.source.copy()
    source[list(blank)] = -1
    begun = changes(source)
    ends = [*(frame for frame, _ in begun[1:]), len(sheet)]
    return tuple(Run(frame, end - frame, shown) for (frame, shown), end in zip(begun, ends, strict=True))


def _written(cut: Cut, label: str) -> dict[int, str]:
    """The name of each drawing of a track if its file names them, else its number."""
    numbers = drawing_numbers(cut[label])
    if cut.names.get(label) and cut.numbering == "source":
        return {source: cut.called(label, source + 1) for source in numbers}
    return {source: str(number) for source, number in numbers.items()}


def _ruling(fps: float) -> _Ruling:
    rate = max(1, round(fps))
    seconds = min(3, MOST_ROWS // rate) if rate <= MOST_ROWS else 0
    # A slow sheet takes as many whole seconds as fill a column.
    seconds = max(seconds, 72 // rate) if rate < 24 else seconds
    rows = seconds * rate or MOST_ROWS
    return _Ruling(rate, rows, next((n for n in (6, 5, 4, 3, 2) if rate % n == 0), rate))


def _heading(page: _Page, values: Mapping[str, str]) -> None:
    x = MARGIN
    width = A4[0] - 2 * MARGIN
    for key, label, share in (
        ("title", "Title", 0.32),
        ("scene", "Scene", 0.12),
        ("cut", "Cut", 0.12),
        ("time", "Time", 0.14),
        ("name", "Name", 0.18),
        ("sheet", "Sheet", 0.12),
    ):
        page.items.append(Rect(x, HEAD_TOP, width * share, HEAD_HEIGHT, colour=HEAVY, line=1.0))
        page.say(x + 4, HEAD_TOP + 9, label, 6.5, colour=HEAVY)
        text, size = _fitted(values[key], width * share - 10, 13.0)
        middle = x + width * share / 2
        page.put(middle, HEAD_TOP + 26, text, size, colour=INK, anchor="middle")
        x += width * share


def _fitted(text: str, width: float, size: float) -> tuple[str, float]:
    """`text` in a size that fits, cut if even a small one does not."""
    smallest = 6.5
    size = max(smallest, min(size, size * width / max(1e-9, text_width(text, size))))
    while len(text) > 1 and text_width(text, size) > width:
        text = text[:-2].rstrip(".") + "."
    return text, size


def _fitting(text: str, width: float, size: float) -> float:
    """The `size` of a number, smaller if it would pass `width`: it must stay in its column or circle."""
    return min(size, size * width / text_width(text, size))


def _columns(tracks: int, width: float) -> _Columns:
    if width > A4[0] / 2:
        slots = max(6, tracks)
        action, cell, source = (22.0, 27.0, 18.0) if slots == 6 else (17.0, 20.0, 16.0)
        used = 24.0 + 36.0 + slots * (action + cell) + tracks * source
        return _Columns(24.0, action, 36.0, cell, source, width - used, slots)
    slots = max(3, tracks)
    frame, dialogue = 20.0, 19.0
    action, cell, source = (19.5, 23.0, 18.0) if slots == 3 else (16.5, 19.0, 16.0)
    used = frame + slots * action + dialogue + slots * cell + tracks * source
    return _Columns(frame, action, dialogue, cell, source, width - used, slots)


def _block(
    page: _Page,
    tracks: Mapping[str, _Track],
    ruling: _Ruling,
    cut: Cut,
    first: int,
    left: float,
    width: float,
) -> None:
    """One column of the page: output frames `first` to `first + rows`."""
    columns = _columns(len(tracks), width)
    height, total = ruling.row_height, cut.frames
    top = TITLES_TOP + TITLES_HEIGHT
    if first + ruling.rows > total:
        begin = top + max(0, total - first) * height
        page.items.append(Rect(left, begin, width, GRID_BOTTOM - begin, fill=AFTER))
    _rules(page, ruling, first, left, width)
    edges = _titles(page, columns, tracks, left, width)
    if first < total <= first + ruling.rows:
        end = top + (total - first) * height
        page.items.append(Line(left, end - 1.2, left + width, end - 1.2, INK, 0.8))
        page.items.append(Line(left, end + 1.2, left + width, end + 1.2, INK, 0.8))
    for n, track in enumerate(tracks.values()):
        places = (
            edges["action"] + (n + 0.5) * columns.action,
            edges["cell"] + (n + 0.5) * columns.cell,
            edges["source"] + (n + 0.5) * columns.source,
        )
        for run in track.between(first, first + ruling.rows):
            if run.source < 0:
                if run.start >= first:
                    _cross(page, places[1], top + (run.start - first + 0.5) * height, min(3.0, height * 0.32))
                continue
            _run(page, run, track.numbers[run.source], run.start in track.keys, places, columns, ruling, first, top)
        if first <= track.length < min(total, first + ruling.rows):
            _cross(page, places[1], top + (track.length - first + 0.5) * height, min(3.0, height * 0.32))

    for cues, edge, room in (
        (cut.dialogue, edges["dialogue"], columns.dialogue),
        (cut.camera, edges["camera"], columns.camera),
    ):
        labels = list(dict.fromkeys(cue.column for cue in cues))
        for cue in cues:
            middle = edge + (labels.index(cue.column) + 0.5) * room / len(labels)
            _cue(page, cue, middle, room / len(labels), ruling, first, top, along=cues is cut.dialogue)


def _cue(
    page: _Page,
    cue: Cue,
    x: float,
    room: float,
    ruling: _Ruling,
    first: int,
    top: float,
    *,
    along: bool,
) -> None:
    """A line of dialogue, its letters along the frames in which it is spoken; or camera work between two marks."""
    height = ruling.row_height
    begin, end = max(cue.start, first), min(cue.start + cue.length, first + ruling.rows)
    if begin >= end:
        return
    upper, lower = top + (begin - first) * height, top + (end - first) * height
    side = min(3.0, room * 0.2)
    for there, y in ((cue.start == begin, upper + 0.6), (cue.start + cue.length == end, lower - 0.6)):
        if there:
            page.items.append(Line(x - side, y, x + side, y, INK, 0.9))
    if not along:
        page.items.append(Line(x, upper, x, lower, INK, 0.7))
        text, size = _fitted(f"{cue.speaker} {cue.text}".strip(), room - 3, 7.0)
        wide = text_width(text, size) + 2
        middle = (upper + lower) / 2
        page.items.append(Rect(x - wide / 2, middle - size * 0.6, wide, size * 1.2, fill=WHITE))
        page.put(x, middle + size * 0.36, text, size, colour=INK, anchor="middle")
        return
    if cue.start == begin and cue.speaker and upper - 2 > top:
        text, size = _fitted(cue.speaker, room - 2, 6.5)
        page.put(x, upper - 2, text, size, colour=HEAVY, anchor="middle", bold=True)
    letters = [letter for letter in cue.text if not letter.isspace()]
    for n, letter in enumerate(letters):
        y = top + (cue.start - first + (n + 0.5) * cue.length / len(letters)) * height
        if upper < y < lower:
            size = min(7.0, 0.95 * cue.length / len(letters) * height, room - 2)
            page.put(x, y + size * 0.36, letter, size, colour=INK, anchor="middle")


def _rules(page: _Page, ruling: _Ruling, first: int, left: float, width: float) -> None:
    top, height = TITLES_TOP + TITLES_HEIGHT, ruling.row_height
    for row in range(1, ruling.rows + 1):
        frame = first + row
        y = top + row * height
        second, beat = frame % ruling.rate == 0, frame % ruling.rate % ruling.beat == 0
        colour, weight = (HEAVY, 1.5) if second else (HALF, 0.8) if beat else (FAINT, 0.5)
        page.items.append(Line(left, y, left + width, y, colour, weight))
        if beat:
            size = _fitting(str(frame), 15.0, 6.6)
            page.put(left + 16.5, y - height * 0.22, str(frame), size, colour=INK, anchor="end", bold=second)
        if second:
            page.put(left - 4, y + 2.8, str(frame // ruling.rate), 8.5, colour=HEAVY, anchor="end", bold=True)


def _titles(
    page: _Page, columns: _Columns, tracks: Mapping[str, _Track], left: float, width: float
) -> dict[str, float]:
    """The column groups' names and upright lines; the left edge of each group."""
    middle, grid = TITLES_TOP + 14.0, TITLES_TOP + TITLES_HEIGHT
    edges: dict[str, float] = {}
    x = left + columns.frame
    for key, label, count, each in (
        ("action", "ACTION", columns.slots, columns.action),
        ("dialogue", "DIAL.", 1, columns.dialogue),
        ("cell", "CELL", columns.slots, columns.cell),
        ("source", "SOURCE", len(tracks), columns.source),
        ("camera", "CAMERA", 1, columns.camera),
    ):
        edges[key] = x
        label = "SRC" if key == "source" and len(tracks) == 1 else label
        size = 6.5 if count * each > 25 else 5.4
        if count * each >= 15:
            page.say(x + count * each / 2, TITLES_TOP + 9.8, label, size, colour=HEAVY, anchor="middle")
        page.items.append(Line(x, TITLES_TOP, x, GRID_BOTTOM, HEAVY, 0.9))
        page.items.extend(Line(x + n * each, middle, x + n * each, GRID_BOTTOM, HALF, 0.5) for n in range(1, count))
        if key in ("action", "cell", "source"):
            page.items.append(Line(x, middle, x + count * each, middle, HALF, 0.5))
            for n, name in enumerate(tracks):
                text, size = _fitted(name, each - 3, 8.0)
                page.put(x + (n + 0.5) * each, grid - 4, text, size, colour=INK, anchor="middle", bold=True)
        x += count * each
    page.items.append(Line(left, grid, left + width, grid, HEAVY, 1.5))
    page.items.append(Rect(left, TITLES_TOP, width, GRID_BOTTOM - TITLES_TOP, colour=HEAVY, line=1.5))
    return edges


def _run(
    page: _Page,
    run: Run,
    number: str,
    key: bool,
    places: tuple[float, float, float],
    widths: _Columns,
    ruling: _Ruling,
    first: int,
    top: float,
) -> None:
    """A drawing in its columns: number (circled if it is a key), line through its holds, source frame."""
    height = ruling.row_height
    action, cell, source = places
    begin, end = max(run.start, first), min(run.start + run.length, first + ruling.rows)
    y = top + (begin - first + 0.5) * height
    size = min(7.6, height * 0.82)
    radius = min(5.2, height * 0.5 - 0.2)
    carried = run.start < first
    text = f"({number})" if carried else number
    lower = top + (end - first) * height - 1.2
    if end - begin > 1:
        page.items.append(Line(cell, y + height * 0.62, cell, lower, INK, 0.9))
    if carried:
        figure = _fitting(text, widths.cell - 2.0, 0.85 * size)
        page.put(cell, y + size * 0.36, text, figure, colour=HALF, anchor="middle")
        return
    for x, room in ((action, widths.action), (cell, widths.cell)) if key else ((cell, widths.cell),):
        figure = _fitting(text, 1.7 * radius, min(size, 1.5 * radius)) if key else _fitting(text, room - 2.0, size)
        if key:
            page.items.append(Circle(x, y, radius, fill=WHITE, colour=INK, width=0.8))
        page.put(x, y + figure * 0.36, text, figure, colour=INK, anchor="middle")
    if not key:
        page.items.append(Circle(action, y, min(1.3, height * 0.14), fill=INK))
    taken = str(run.source + 1)
    figure = _fitting(taken, widths.source - 2.0, 0.86 * size)
    page.put(source, y + size * 0.31, taken, figure, colour=HEAVY, anchor="middle")


def _cross(page: _Page, x: float, y: float, r: float) -> None:
    """The mark for an empty cell (カラ): nothing is shown from here on."""
    page.items.append(Polyline(((x - r, y - r), (x + r, y + r)), INK, 1.0))
    page.items.append(Polyline(((x - r, y + r), (x + r, y - r)), INK, 1.0))
