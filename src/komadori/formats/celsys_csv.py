"""CSV as Celsys' programs write it (RETAS Stylos, Clip Studio Paint), and as studios' sheet tools and spreadsheets read it.

Row 1: "Frame", then over each group of columns its folder (原画, dialogue, 動画). Row 2: the name of each column. From row 3 on a
row per frame, counted from 1: a cel's number where it appears, nothing while it continues, × where it is empty, ○ and ● for
in-betweens that have no number yet. RETAS writes Shift-JIS, newer programs UTF-8. Tables that people type have one row of titles:
"Frame", then the name of each cel; spreadsheets put semicolons or tabs between cells.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from komadori.cut import Cue, Cut, changes
from komadori.errors import FormatError, OptionError, at_line, one_line
from komadori.formats.cells import inert, plain
from komadori.formats.drawing_names import called
from komadori.formats.drawing_names import numbers as drawing_numbers
from komadori.formats.format import Format
from komadori.formats.sheet_losses import lost as general_losses
from komadori.formats.sheet_losses import named
from komadori.formats.xdts import FPS, unused
from komadori.json_text import decoded, most_frames
from komadori.timesheet import Timesheet
from komadori.words import Note

EMPTY = "×"
EMPTIES = (EMPTY, "x", "X", "0")
IN_BETWEENS = ("○", "●", "・", "|", "｜")
FIRST = "Frame"
_FIRSTS = ("frame", "frames", "フレーム", "コマ")
CELLS, DIALOGUE = "動画", "台詞"
MOST_TITLES = 4096
"""How much of the first line is examined to recognise a table."""
_SPOKEN = ("台詞", "セリフ", "せりふ", "dialog", "sound", "n.")
_MOMENTS = ("time", "timecode", "tc")
_KEYS = ("原画", "action")


def begins(content: str) -> bool:
    """Whether a text begins as these tables do."""
    first = next((line for line in content.removeprefix("\ufeff").splitlines()[:3] if line.strip()), "")
    titles = next(csv.reader([first[:MOST_TITLES]], delimiter=_between(first)), [""])
    return len(titles) > 1 and titles[0].strip().lower() in _FIRSTS


def _between(line: str) -> str:
    """What stands between the cells of a line: a comma, or what spreadsheets put there in other countries."""
    return max(",;\t", key=line.count)


def text_of(data: bytes, name: str) -> str:
    """`data` as text: UTF-8, or else what Japanese Windows writes."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return decoded(data, name, "cp932")


def emit(sheets: Mapping[str, Timesheet]) -> bytes:
    """`sheets` as such a table, dialogue in its own columns."""
    cut = named(Cut.of(sheets), _fits)
    columns: list[tuple[str, str, list[str]]] = []
    spoken: dict[str, list[Cue]] = {}
    for cue in sorted(cut.dialogue):
        spoken.setdefault(cue.column, []).append(cue)
    for label, cues in spoken.items():
        cells = [""] * cut.frames
        for cue in cues:
            cells[cue.start] = inert(f"{cue.speaker}「{cue.text}」")
            cells[cue.start + 1 : cue.start + cue.length] = ["|"] * (cue.length - 1)
        columns.append((DIALOGUE, label, cells))
    for label in cut:
        if any(not c.isprintable() for c in label):
            raise OptionError(
                Note("a column cannot be called {name!r}: use plain text without spaces around it", name=label)
            )
        cells = [""] * cut.frames
        for frame, number in changes(cut.numbers(label)):
            cells[frame] = cut.called(label, number) if number else EMPTY
        columns.append((CELLS, label, cells))
    rows = io.StringIO()
    writer = csv.writer(rows, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    groups = [group for group, _, _ in columns]
    writer.writerow([FIRST, *("" if n and groups[n - 1] == group else group for n, group in enumerate(groups))])
    writer.writerow(["", *(inert(label) for _, label, _ in columns)])
    for frame in range(cut.frames):
        writer.writerow([frame + 1, *(cells[frame] for _, _, cells in columns)])
    return rows.getvalue().encode("utf-8-sig", "replace")


def _fits(name: str) -> bool:
    return name.isprintable() and name == name.strip() == inert(name) and name not in ("", *EMPTIES, *IN_BETWEENS)


def parse(data: bytes, name: str) -> Cut:
    """The cels of such a table: of the last folder of cels, for keys (原画) come before the drawings made from them (動画)."""
    content = text_of(data, name)
    if "\0" in content:
        raise FormatError(name, expected=Note("text"), found=Note("a zero byte"))
    try:
        lines = csv.reader(io.StringIO(content, newline=""), delimiter=_between(content.lstrip().partition("\n")[0]))
        rows = [row for row in lines if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise FormatError(name, expected=Note("CSV"), found=str(error)) from None
    alone = len(rows) > 1 and rows[1][0].strip().isdecimal()
    if len(rows) < (2 if alone else 3):
        raise FormatError(
            name, at_line(len(rows) + 1), expected=Note("two rows of titles and one row per frame"), found=Note("the end of the file")
        )  # fmt: skip
    folders, titles, body = (rows[0][:1], rows[0], rows[1:]) if alone else (rows[0], rows[1], rows[2:])
    width = len(titles)
    most = most_frames(len(data))
    if (width - 1) * len(body) > most:
        raise FormatError(name, expected=Note("at most {most} frames in total", most=most), found=f"{len(body)}")
    folder, groups = "", []
    for at in range(width):
        folder = folders[at].strip() if at < len(folders) and folders[at].strip() else folder
        groups.append(folder)
    spoken = [at for at in range(1, width) if groups[at].lower().startswith(_SPOKEN)]
    cels = [at for at in range(1, width) if at not in spoken and not titles[at].strip().lower().startswith(_MOMENTS)]
    drawn = [at for at in cels if not groups[at].lower().startswith(_KEYS)]
    for chosen in (drawn, cels):
        columns, names, told = _columns(chosen, titles, body)
        if columns:
            break
    else:
        raise FormatError(name, problem=Note("no track with cells"))
    dialogue = [cue for at in spoken for cue in _dialogue(at, plain(titles[at].strip()), body)]
    if left := [plain(titles[at].strip()) for at in cels if at not in chosen and _filled(at, body)]:
        left = [label for label in left if label not in columns]
        template = (
            "The cels were read from the CELL columns; ACTION columns without a CELL column were not read: {names}"
        )
        told += [Note(template, names=one_line(", ".join(left), 80))] if left else []
    return Cut.of_numbers(FPS, columns, frames=len(body), names=names, dialogue=tuple(dialogue), notes=tuple(told))


def _filled(at: int, body: list[list[str]]) -> bool:
    return any(at < len(row) and row[at].strip() for row in body)


def _columns(
    chosen: list[int], titles: list[str], body: list[list[str]]
) -> tuple[dict[str, list[int]], dict[str, dict[int, str]], list[Note]]:
    """The numbers of each column with drawings, what the drawings are called, and notes."""
    columns: dict[str, list[int]] = {}
    names: dict[str, dict[int, str]] = {}
    counts: dict[str, int] = {}
    told: list[Note] = []
    for at in chosen:
        shown, current = [], ""
        for row in body:
            cell = row[at].strip() if at < len(row) else ""
            if cell in EMPTIES:
                current = ""
            elif cell and cell not in IN_BETWEENS:
                current = cell
            shown.append(current)
        if any(shown):
            label = unused(plain(titles[at].strip()) or f"track {at}", columns, counts)
            known, note = drawing_numbers(filter(None, shown), label)
            columns[label], names[label] = [known.get(cell, 0) for cell in shown], called(known)
            told += [note] if note is not None else []
    return columns, names, told


def _dialogue(at: int, label: str, body: list[list[str]]) -> list[Cue]:
    cues: list[Cue] = []
    for frame, row in enumerate(body):
        cell = row[at].strip() if at < len(row) else ""
        if cell in IN_BETWEENS and cues and cues[-1].start + cues[-1].length == frame:
            cues[-1] = cues[-1]._replace(length=cues[-1].length + 1)
        elif cell and cell not in IN_BETWEENS:
            speaker, mark, rest = plain(cell).partition("「")
            said = rest.removesuffix("」") if mark else plain(cell)
            cues.append(Cue(frame, 1, said, speaker if mark else "", label))
    return cues


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What such a table does not carry of a sheet."""
    return general_losses(
        Cut.of(sheets), Note("CSV as Celsys' programs write it"), dialogue=True, rate=FPS, names=_fits
    )


FORMAT = Format("Celsys CSV", (".celsys.csv",), read_sheets=parse, write_sheets=emit, left_out_sheets=lost)
