"""Reading BVH: bytes to a Document, with one clear error line for any fault."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError, at_line, quoted
from komadori.formats import decimals
from komadori.formats.bvh.document import CHANNELS, Document
from komadori.quat import Array
from komadori.words import Note

MOST_JOINTS = 100_000
"""A hierarchy with more joints than this is not a body."""

LARGEST = 1e12
"""No length or angle is larger than this, in any unit: sums and squares of what is read never overflow."""

_MOTION = re.compile(rb"(?:^|(?<=[\r\n]))[ \t]*motion[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_FRAMES = re.compile(r"frames[ \t]*:?[ \t]*(.*)", re.IGNORECASE)
_FRAME_TIME = re.compile(r"frame[ \t]*time[ \t]*:?[ \t]*(.*)", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_WORD = re.compile(r"\S+")
_BRACE = re.compile(r"\{(?=\s|$)")
_BY_LOWER_CASE = {channel.lower(): channel for channel in CHANNELS}


def parse(data: bytes, name: str) -> Document:
    """The Document in `data`; `name` is the file's name for error messages (FormatError and no other)."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        # Windows editors call this "Unicode".
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    data = data.removeprefix(b"\xef\xbb\xbf")
    found = _MOTION.search(data)
    header = _decoded(data[: found.start()] if found else data)
    tree = _Hierarchy(name)
    line = 1
    for line, text in enumerate(header, 1):
        tree.read(text, line)
    if not found:
        tree.finish(line, "the end of the file")
        raise FormatError(name, at_line(line), expected=Note("MOTION"), found=Note("the end of the file"))
    tree.finish(line, "MOTION")
    return _with_motion(data, found.end(), line, tree, name)


def _decoded(header: bytes) -> list[str]:
    """The lines of the hierarchy. Names are mostly ASCII, in Japan often cp932; latin-1 reads anything."""
    for encoding in ("utf-8", "cp932"):
        try:
            text = header.decode(encoding)
            break
        except UnicodeDecodeError:
            continue
    else:
        text = header.decode("latin-1")
    return re.split(r"\r\n|\r|\n", text)


@dataclass
class _Hierarchy:
    """The joints read so far, and those still open. A loop over words instead of recursion, so that nesting can be any depth."""

    file: str
    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    offsets: list[tuple[float, ...] | None] = field(default_factory=list)
    channels: list[tuple[str, ...] | None] = field(default_factory=list)
    ends: list[bool] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    begun: bool = False
    brace_due: bool = False

    def read(self, text: str, line: int) -> None:
        """Parse one line."""
        words = _Words(text)
        while word := words.next():
            key = word.upper()
            if self.brace_due:
                if word != "{":
                    raise self._wrong(line, "'{'", quoted(word))
                self.brace_due = False
            elif not self.begun:
                if key != "HIERARCHY":
                    plain = key.isprintable() and key.isascii()
                    advice = "" if plain else Note("is this a BVH file, saved as plain text?")
                    raise self._wrong(line, Note("HIERARCHY"), quoted(word), advice)
                self.begun = True
            elif key in ("ROOT", "JOINT", "END"):
                self._opened(key, words, line)
            elif key == "OFFSET":
                self._offset(words, line)
            elif key == "CHANNELS":
                self._channels(words, line)
            elif key == "}":
                self._closed(line)
            else:
                raise self._wrong(line, self._due(), quoted(word))

    def finish(self, line: int, found: str) -> None:
        """Check that the hierarchy is whole where `found` ends it."""
        if not self.begun:
            raise FormatError(self.file, at_line(line), expected=Note("HIERARCHY"), found=found)
        if self.brace_due:
            raise FormatError(self.file, at_line(line), expected="'{'", found=found)
        if self.open:
            of = quoted(self.names[self.open[-1]])
            raise FormatError(
                self.file, at_line(line), expected=Note("'}}' that closes {joint}", joint=of), found=found
            )
        if not self.names:
            raise FormatError(self.file, at_line(line), expected=Note("ROOT"), found=found)

    def _due(self) -> str:
        if not self.open:
            return Note("ROOT or MOTION")
        return Note("OFFSET, CHANNELS, JOINT, End Site or '}}'")

    def _wrong(self, line: int, expected: str, found: str, advice: str = "") -> FormatError:
        return FormatError(self.file, at_line(line), expected=expected, found=found, advice=advice)

    def _opened(self, key: str, words: _Words, line: int) -> None:
        """A new ROOT, JOINT or End Site; its name runs to the brace or to the end of the line."""
        name, braced = words.to_brace()
        parent = self.open[-1] if self.open else -1
        right = parent < 0 if key == "ROOT" else parent >= 0 and not self.ends[parent]
        if not right:
            raise self._wrong(line, self._due(), quoted(f"{key} {name}"))
        if key != "END" and not name:
            raise self._wrong(line, Note("a name after {key}", key=key), Note("nothing"))
        if len(self.names) == MOST_JOINTS:
            raise FormatError(
                self.file,
                at_line(line),
                problem=Note("more than {most:,} joints", most=MOST_JOINTS),
            )
        self.open.append(len(self.names))
        self.names.append("End Site" if key == "END" else name)
        self.parents.append(parent)
        self.offsets.append(None)
        self.channels.append(None)
        self.ends.append(key == "END")
        self.brace_due = not braced

    def _offset(self, words: _Words, line: int) -> None:
        if not self.open:
            raise self._wrong(line, self._due(), "'OFFSET'")
        joint = self.open[-1]
        if self.offsets[joint] is not None:
            raise self._wrong(line, Note("one OFFSET in {joint}", joint=quoted(self.names[joint])), Note("a second"))
        self.offsets[joint] = tuple(_number(words.next(), self.file, line, _THREE) for _ in range(3))

    def _channels(self, words: _Words, line: int) -> None:
        if not self.open or self.ends[self.open[-1]]:
            raise self._wrong(line, self._due(), "'CHANNELS'")
        joint = self.open[-1]
        if self.channels[joint] is not None:
            raise self._wrong(line, Note("one CHANNELS in {joint}", joint=quoted(self.names[joint])), Note("a second"))
        word = words.next()
        whole = word.isascii() and word.isdigit() and int(word[:9]) <= 6 and len(word) < 9
        if not whole:
            raise self._wrong(line, Note("a number of channels, 0 to 6"), quoted(word) if word else Note("nothing"))
        found: list[str] = []
        for number in range(int(word)):
            channel = words.next()
            known = _BY_LOWER_CASE.get(channel.lower())
            if known is None:
                expected = Note("{count} channel names ({names})", count=word, names=", ".join(CHANNELS))
                raise self._wrong(line, expected, quoted(channel) if channel else Note("only {number}", number=number))
            if known in found:
                raise self._wrong(line, Note("every channel once"), quoted(channel))
            found.append(known)
        self.channels[joint] = tuple(found)

    def _closed(self, line: int) -> None:
        if not self.open:
            raise self._wrong(line, self._due(), "'}'")
        joint = self.open.pop()
        if self.offsets[joint] is None:
            raise self._wrong(line, Note("OFFSET in {joint}", joint=quoted(self.names[joint])), "'}'")


class _Words:
    """The words of one line, taken in turn. The line itself is never copied: a whole hierarchy may stand on one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next(self) -> str:
        """The next word; empty at the end of the line."""
        found = _WORD.search(self._text, self._at)
        self._at = found.end() if found else len(self._text)
        return found[0] if found else ""

    def to_brace(self) -> tuple[str, bool]:
        """What stands before the next brace, or up to the end of the line, and whether there is a brace."""
        brace, begin = _BRACE.search(self._text, self._at), self._at
        self._at = brace.end() if brace else len(self._text)
        return self._text[begin : brace.start() if brace else self._at].strip(), brace is not None


_THREE = Note("three numbers after OFFSET")


def _number(word: str, file: str, place: int | str, expected: str) -> float:
    """The number that `word` is, or a FormatError; `place` is the number of its line, or words for it."""
    octets = word.encode("utf-8", "surrogateescape")
    if len(octets) <= decimals.LONGEST and decimals.NUMBER.fullmatch(octets):
        value = float(octets)
        if abs(value) <= LARGEST:
            return value
        if math.isfinite(value):
            raise FormatError(
                file, _place(place), expected=Note("a number of at most {most:g}", most=LARGEST), found=quoted(word)
            )
    advice = Note("write decimals with a point, not a comma") if "," in word else ""
    raise FormatError(
        file,
        _place(place),
        expected=expected,
        found=quoted(word) if word else Note("the end of the line"),
        advice=advice,
    )


def _place(place: int | str) -> str:
    return at_line(place) if isinstance(place, int) else place


def _with_motion(data: bytes, start: int, line: int, tree: _Hierarchy, name: str) -> Document:
    """The Document, once the lines that follow MOTION (at byte `start`, in `line`) are read as well."""
    lines = _lines(data, start, line)
    declared_text, at, _ = _labelled(lines, _FRAMES, "Frames: and a number of frames", name)
    if not (declared_text.isascii() and declared_text.isdigit() and len(declared_text) < 19):
        raise FormatError(name, at_line(at), expected=Note("a number of frames"), found=quoted(declared_text))
    declared = int(declared_text)
    time_text, at, behind = _labelled(lines, _FRAME_TIME, "Frame Time: and a number of seconds", name)
    time_s = _number(time_text, name, at, Note("a frame time in seconds"))
    if not 1e-6 <= time_s <= 1e6 and not (time_s == 0.0 and declared <= 1):
        expected = Note("a frame time between 0.000001 and 1,000,000 seconds")
        raise FormatError(name, at_line(at), expected=expected, found=quoted(time_text))
    channels = tuple(group or () for group in tree.channels)
    width = sum(map(len, channels))
    if width == 0 and declared > 0:
        raise FormatError(
            name,
            at_line(at),
            problem=Note("the file has frames, but no joint has channels"),
        )
    values = _rows(data, behind, at, width, declared, name)
    if len(values) * len(tree.names) > 2 * values.size + 100_000:
        # Joints that never move cost nothing in the file, but take memory in every frame.
        expected = Note("channels in most joints")
        raise FormatError(
            name,
            expected=expected,
            found=Note("{width} channels for {count} joints", width=width, count=len(tree.names)),
        )
    return Document(
        names=tuple(tree.names),
        parents=np.array(tree.parents, dtype=np.intp),
        offsets=np.array(tree.offsets, dtype=np.float64),
        channels=channels,
        ends=np.array(tree.ends, dtype=bool),
        frame_time_text=time_text,
        frame_time_s=time_s,
        declared=declared,
        values=values,
    )


def _lines(data: bytes, start: int, line: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Line number, first byte, first byte of the next line, and text of every line from byte `start` (in `line`) on."""
    while start < len(data):
        end = _LINE_END.search(data, start)
        stop, behind = (end.start(), end.end()) if end else (len(data), len(data))
        yield line, start, behind, data[start:stop]
        start, line = behind, line + 1


def _labelled(
    lines: Iterator[tuple[int, int, int, bytes]], label: re.Pattern[str], expected: str, name: str
) -> tuple[str, int, int]:
    """What the next line that is not blank says after its label, its number, and the byte behind it."""
    at = 1
    for at, _, behind, octets in lines:
        text = octets[: decimals.LONGEST].decode("latin-1").strip()
        if not text:
            continue
        match = label.fullmatch(text)
        if not match:
            raise FormatError(name, at_line(at), expected=expected, found=quoted(text))
        return match.group(1).strip(), at, behind
    raise FormatError(name, at_line(at), expected=expected, found=Note("the end of the file"))


def _rows(data: bytes, start: int, line: int, width: int, declared: int, name: str) -> Array:
    """The numbers of all frames, (F, width); the line before byte `start` is `line`."""
    numbers = decimals.parsed(data, start)
    if numbers is None:
        raise _fault(data, start, line, width, name)
    values, line_ends = numbers
    if values.max(initial=0.0) > LARGEST or values.min(initial=0.0) < -LARGEST:
        raise _fault(data, start, line, width, name)
    counts = np.diff(line_ends, prepend=0)
    counts = counts[counts > 0]
    if width and not (counts == width).all() and not _evenly_wrapped(counts, width, declared):
        raise _fault(data, start, line, width, name)
    if width == 0 and len(values):
        raise FormatError(
            name,
            at_line(line + 1),
            problem=Note("the file has numbers, but no joint has channels"),
        )
    rows = len(values) // max(width, 1)
    if rows < declared:
        last = line + len(_LINE_END.findall(data, start))
        found = Note("{rows} of {declared:,} declared", rows=rows, declared=declared)
        raise FormatError(name, at_line(last), expected=Note("a row of numbers for every frame"), found=found)
    return values.reshape(rows, width)


def _evenly_wrapped(counts: NDArray[np.intp], width: int, declared: int) -> bool:
    """Whether lines of `counts` numbers hold exactly the declared frames: each on the same lines, or several a line."""
    if counts.sum() != declared * width:
        return False
    if (counts % width == 0).all():
        return True
    if len(counts) % declared:
        return False
    frames = counts.reshape(declared, -1)
    return bool((frames == frames[0]).all() and frames[0].sum() == width)


def _fault(data: bytes, start: int, line: int, width: int, name: str) -> FormatError:
    """The first thing that is wrong in the rows, named by line and column."""
    unequal: FormatError | None = None
    for at, _, _, octets in _lines(data, start, line + 1):
        count = 0
        for match in re.finditer(rb"[^ \t]+", octets):
            count += 1
            word = match.group()[: decimals.LONGEST + 1].decode("latin-1")
            try:
                _number(
                    word,
                    name,
                    Note("line {line}, column {column}", line=at, column=match.start() + 1),
                    Note("a finite number"),
                )
            except FormatError as error:
                return error
        if count not in (0, width) and unequal is None:
            unequal = FormatError(
                name, at_line(at), expected=Note("{width} numbers in a row", width=width), found=f"{count}"
            )
    return unequal or FormatError(name, problem=Note("not every row has {width} numbers", width=width))
