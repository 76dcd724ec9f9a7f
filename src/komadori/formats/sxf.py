"""SXF, the time sheet of RETAS STUDIO (Stylos, CoreRETAS): sections with a length each, big-endian, names in Shift-JIS.

"WBSC" and a version, then FF01 (frames, cels, rate, scene, cut, how the program shows them), FF02 (memo), FF03 (key drawings),
FF04 (in-between drawings), FF05 (dialogue), FF06, FF07 (camera work). A column is its length, its name, whether it is shown, the
size of a cell and the cells: a mark of 2 bytes (0: continues, 1: a number, 2: ○, 4: ●, 8: ×; they add up) and 8 of text. No
specification is public. OpenToonz reads and writes such files and refuses sections that are shorter than it expects; its
lengths are kept here. It writes names in UTF-8.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping

from komadori.cut import Cue, Cut, changes
from komadori.errors import FormatError, OptionError, at_byte, one_line, quoted
from komadori.formats.drawing_names import called
from komadori.formats.drawing_names import numbers as drawing_numbers
from komadori.formats.format import Format
from komadori.formats.sheet_losses import lost as general_losses
from komadori.formats.sheet_losses import named
from komadori.formats.sts import CODE_PAGE, in_code_page
from komadori.formats.xdts import FPS, unused
from komadori.json_text import most_frames
from komadori.timesheet import Timesheet
from komadori.words import Note

MAGIC = b"WBSC"
HEAD = 8
SETTINGS, MEMO, KEYS, CELLS, DIALOGUE, SPARE, CAMERA = range(0xFF01, 0xFF08)
GOES_ON, NUMBER, TICK, REVERSE, EMPTY = 0, 1, 2, 4, 8
TEXT = 8
"""Bytes of a cell's text."""
VISIBLE = 1
SPOKEN = 64
"""Bytes of a frame's dialogue as we write it; the file states its own."""
LEAST_DIALOGUE = 148
"""Bytes of the dialogue's section: OpenToonz refuses a file whose is shorter, however short the cut."""
VERSION = 0x0100_0007
SECONDS_VIEW = 8
"""How the program shows frames: as seconds and frames."""
PANES = (6, 1, 4, 8, 2, 16, 25)
"""The parts of the program's window, as other files have them."""
SHOWN = (1, 1, 1, 0, 0, 1, 0)
"""Which parts of the sheet it shows: keys, cels, dialogue, sound, camera, memo, heading."""
FORM_FRAMES, FORM_LINES = 144, 6
"""The paper form: six seconds per page, a heavier line every six frames."""
MOST_CELS, MOST_RATE, MOST_NUMBER = 1000, 1000, 99_999_999


def emit(sheets: Mapping[str, Timesheet]) -> bytes:
    """`sheets` as an SXF file: all drawings in the in-between columns, the keys among them in the key columns."""
    cut = named(Cut.of(sheets), _fits)
    if not 1 <= len(cut) <= MOST_CELS:
        raise OptionError(
            Note("{form} holds 1 to {most} {what}, and the sheet has {count}", form="SXF", most=MOST_CELS, what=Note("cels"), count=len(cut))
        )  # fmt: skip
    largest = max(int(cut.numbers(name).max(initial=0)) for name in cut)
    if largest > MOST_NUMBER:
        raise OptionError(
            Note("{form} counts drawings to {most}, and the sheet shows {number}", form="SXF", most=MOST_NUMBER, number=largest)
        )  # fmt: skip
    settings = struct.pack(">HIIH", 7, cut.frames, len(cut), round(cut.fps)) + struct.pack(">IIII", *_scene(cut))
    settings += struct.pack(">IIHHH", 0, 1, SECONDS_VIEW, FORM_LINES, FORM_FRAMES)
    settings += struct.pack(">7H7I", *PANES, *SHOWN)
    memo = in_code_page(cut.title, "SXF", 30_000)
    parts = {
        SETTINGS: settings,
        MEMO: struct.pack(">H", len(memo)) + memo + bytes(4),
        KEYS: b"".join(_column(cut, name, keys=True) for name in cut),
        CELLS: b"".join(_column(cut, name, keys=False) for name in cut),
        DIALOGUE: (struct.pack(">I", SPOKEN) + b"".join(_spoken(cut))).ljust(LEAST_DIALOGUE, b"\0"),
        SPARE: bytes(2),
        CAMERA: bytes(8),
    }
    body = b"".join(struct.pack(">HI", marker, len(part)) + part for marker, part in parts.items())
    return MAGIC + struct.pack(">I", VERSION) + body


def _scene(cut: Cut) -> tuple[int, int, int, int]:
    return (_digits(cut.scene), 0, _digits(cut.cut), 0)


def _digits(number: str) -> int:
    found = re.search("[0-9]{1,9}", number, re.ASCII)
    return int(found[0]) if found else 0


def _column(cut: Cut, name: str, *, keys: bool) -> bytes:
    label = in_code_page(name, "SXF")
    marked = cut.key_frames(name)
    cells = [struct.pack(">H8x", GOES_ON)] * cut.frames
    for frame, number in changes(cut.numbers(name)):
        if not number:
            cells[frame] = struct.pack(">H8x", EMPTY)
        elif keys and frame not in marked:
            cells[frame] = struct.pack(">H8x", TICK)
        else:
            cells[frame] = struct.pack(">H8s", NUMBER, cut.called(name, number).encode(CODE_PAGE))
    content = struct.pack(">H", len(label)) + label + struct.pack(">II", VISIBLE, 2 + TEXT) + b"".join(cells)
    return struct.pack(">I", len(content)) + content


def _fits(name: str) -> bool:
    data = name.encode(CODE_PAGE, "ignore")
    return _words(data) == name != "" and len(data) <= TEXT


def _spoken(cut: Cut) -> Iterator[bytes]:
    """A record per frame: what is said in the frame where it begins, a bar while it continues."""
    said = [b""] * cut.frames
    for cue in sorted(cut.dialogue):
        line = f"{cue.speaker}「{cue.text}」".encode(CODE_PAGE, "replace")
        while len(line) > SPOKEN:
            line = line.decode(CODE_PAGE, "ignore")[:-2].encode(CODE_PAGE, "replace") + "」".encode(CODE_PAGE)
        said[cue.start : cue.start + cue.length] = [b"|"] * cue.length
        said[cue.start] = line
    return (line.ljust(SPOKEN, b"\0") for line in said)


def parse(data: bytes, name: str) -> Cut:
    """The cels of an SXF file: its in-between columns if they have drawings, else the key columns."""
    if not data.startswith(MAGIC):
        raise FormatError(name, at_byte(0), expected=quoted("WBSC"), found=quoted(data[:4].decode("latin-1")))
    parts = dict(_sections(data, name))
    settings = parts.get(SETTINGS, (0, b""))
    if len(settings[1]) < 6:
        raise FormatError(
            name, at_byte(settings[0]), expected=Note("the number of frames"), found=Note("the end of the file")
        )
    (frames,) = struct.unpack_from(">I", settings[1], 2)
    fps = FPS
    scene = cut_number = ""
    if len(settings[1]) >= 12:
        (rate,) = struct.unpack_from(">H", settings[1], 10)
        fps = float(rate) if 0 < rate <= MOST_RATE else FPS
    if len(settings[1]) >= 24:
        numbers = struct.unpack_from(">II", settings[1], 12)[0], struct.unpack_from(">I", settings[1], 20)[0]
        scene, cut_number = ("" if not n or n > 999_999_999 else str(n) for n in numbers)
    for marker in (CELLS, KEYS):
        at, part = parts.get(marker, (0, b""))
        columns, names, told = _columns(at, part, frames, name)
        if columns:
            break
    else:
        raise FormatError(name, problem=Note("no track with cells"))
    memo = parts.get(MEMO, (0, b""))[1]
    title = _words(memo[2:-4]).partition("\r")[0]
    if marker == CELLS:
        _, keys = parts.get(KEYS, (0, b""))
        left = [label for label in _columns(0, keys, frames, name)[0] if label not in columns] if keys else []
        template = (
            "The cels were read from the CELL columns; ACTION columns without a CELL column were not read: {names}"
        )
        told += [Note(template, names=one_line(", ".join(left), 80))] if left else []
    dialogue = _dialogue(parts.get(DIALOGUE, (0, b""))[1], frames)
    return Cut.of_numbers(
        fps,
        columns,
        frames=frames,
        names=names,
        title=title,
        scene=scene,
        cut=cut_number,
        dialogue=dialogue,
        notes=tuple(told),
    )


def _words(data: bytes) -> str:
    """Text of the file: Shift-JIS from RETAS STUDIO, UTF-8 from OpenToonz."""
    try:
        return data.decode().strip("\0 ")
    except UnicodeDecodeError:
        return data.decode(CODE_PAGE, "replace").strip("\0 ")


def _sections(data: bytes, name: str) -> Iterator[tuple[int, tuple[int, bytes]]]:
    """(marker, (where its content begins, the content)) of each section."""
    at = HEAD
    while at + 6 <= len(data):
        marker, size = struct.unpack_from(">HI", data, at)
        at += 6
        if marker >> 8 != 0xFF or size > len(data) - at:
            expected = Note("a section within the file")
            raise FormatError(name, at_byte(at - 6), expected=expected, found=Note("{count} bytes", count=size))
        yield marker, (at, data[at : at + size])
        at += size


def _columns(
    start: int, part: bytes, frames: int, name: str
) -> tuple[dict[str, list[int]], dict[str, dict[int, str]], list[Note]]:
    """The numbers of each column with drawings, what the drawings are called, and notes."""
    columns: dict[str, list[int]] = {}
    names: dict[str, dict[int, str]] = {}
    counts: dict[str, int] = {}
    told: list[Note] = []
    at, taken = 0, 0
    while at + 6 <= len(part):
        size, letters = struct.unpack_from(">IH", part, at)
        body = part[at + 6 : at + 4 + size]
        place = at_byte(start + at)
        if size < 2 or size > len(part) - at - 4 or letters + 8 > len(body):
            raise FormatError(
                name, place, expected=Note("a column within its section"), found=Note("{count} bytes", count=size)
            )
        label = _words(body[:letters])
        (each,) = struct.unpack_from(">I", body, letters + 4)
        cells = body[letters + 8 :]
        taken += frames
        # A column may end before the cut does: its last drawing stays.
        if each < 2 or len(cells) % each or len(cells) // each > frames or taken > most_frames(len(part)):
            expected = Note("{frames} cells of {each} bytes", frames=frames, each=max(each, 2))
            raise FormatError(name, place, expected=expected, found=Note("{count} bytes", count=len(cells)))
        shown = _shown(cells, each, frames)
        if any(shown):
            label = unused(label or f"track {len(columns) + 1}", columns, counts)
            known, note = drawing_numbers(filter(None, shown), label)
            columns[label], names[label] = [known.get(cell, 0) for cell in shown], called(known)
            told += [note] if note is not None else []
        at += 4 + size
    return columns, names, told


def _shown(cells: bytes, each: int, frames: int) -> list[str]:
    """The drawing that each frame shows by its name; an empty one where the cel is empty."""
    shown, current = [], ""
    for at in range(0, len(cells), each):
        (mark,) = struct.unpack_from(">H", cells, at)
        # Marks are bits: a drawing may be an in-between as well.
        if mark & NUMBER:
            current = _words(cells[at + 2 : at + each]) or current
        elif mark & EMPTY:
            current = ""
        shown.append(current)
    return shown + [current] * (frames - len(shown))


def _dialogue(part: bytes, frames: int) -> tuple[Cue, ...]:
    """A line where a record speaks; bars carry it on."""
    if len(part) < 4:
        return ()
    (each,) = struct.unpack_from(">I", part, 0)
    cues: list[Cue] = []
    for frame in range(min(frames, (len(part) - 4) // each) if each else 0):
        said = _words(part[4 + frame * each : 4 + (frame + 1) * each])
        if said == "|" and cues and cues[-1].start + cues[-1].length == frame:
            cues[-1] = cues[-1]._replace(length=cues[-1].length + 1)
        elif said and said != "|":
            speaker, mark, rest = said.partition("「")
            cues.append(Cue(frame, 1, rest.removesuffix("」") if mark else said, speaker if mark else ""))
    return tuple(cues)


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What an SXF file does not carry of a sheet."""
    cut = Cut.of(sheets)
    notes = list(general_losses(cut, "SXF", dialogue=True, heading=("title", "scene", "cut"), names=_fits))
    if not cut.fps.is_integer():
        notes.append(Note("SXF has whole frame rates: {fps:g} fps became {rate}", fps=cut.fps, rate=round(cut.fps)))
    return tuple(notes)


FORMAT = Format("SXF", (".sxf",), read_sheets=parse, write_sheets=emit, left_out_sheets=lost)
