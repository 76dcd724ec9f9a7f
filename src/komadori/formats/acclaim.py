"""The text of Acclaim skeletons (.asf) and motions (.amc): bytes to documents, in the files' own units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NoReturn

import numpy as np

from komadori.errors import FormatError, at_line, quoted
from komadori.quat import Array
from komadori.words import Note

INCH = 0.0254
ROOT = "root"
MOST_BONES = 4096
LARGEST = 1e12
"""No number in a file may be larger: what is computed from it must stay finite."""

_CHANNELS = {"TX", "TY", "TZ", "RX", "RY", "RZ", "L"}
_ORDERS = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"}


@dataclass(frozen=True)
class AsfBone:
    """One bone in the file's units and angles; the root is a bone without length.

    `axis` holds the angles about x, y and z, and `axis_order` the order in which they are applied.
    """

    name: str
    direction: tuple[float, ...]
    length: float
    axis: tuple[float, ...]
    axis_order: str
    channels: tuple[str, ...]
    position: tuple[float, ...] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class AsfDocument:
    """A skeleton file: `bones` with the root first and every parent before its children; `length` is its unit."""

    name: str
    length: float
    degrees: bool
    bones: tuple[AsfBone, ...]
    parents: tuple[int, ...]

    @property
    def metres(self) -> float:
        """Metres in one unit of the file: values divided by `length` are inches."""
        return INCH / self.length


@dataclass(frozen=True, eq=False)
class AmcDocument:
    """A motion file: frame `numbers` (F,), and each bone's channels as written, (F, n)."""

    name: str
    skeleton: AsfDocument
    degrees: bool
    fps: float | None
    numbers: tuple[int, ...]
    values: dict[str, Array]


class _Lines:
    """A file's lines as words, with what an error needs to name the current one."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.number = 0
        text = data.decode("utf-8", "replace")
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def __iter__(self) -> Iterator[list[str]]:
        for number, line in enumerate(self.lines, 1):
            self.number = number
            words = line.partition("#")[0].translate(_SPACES).split()
            if words:
                yield words

    def wrong(self, expected: str, found: str, number: int | None = None) -> NoReturn:
        raise FormatError(self.name, at_line(number or self.number), expected=expected, found=found)

    def numbers(self, words: list[str], count: int, what: str) -> tuple[float, ...]:
        """The `count` numbers that follow words[0]."""
        if len(words) - 1 < count:
            some = Note("{count} numbers for {what}", count=count, what=what)
            self.wrong(some if count > 1 else Note("a number for {what}", what=what), f"{len(words) - 1}")
        return tuple(self.numeric(word, what) for word in words[1 : count + 1])

    def numeric(self, word: str, what: str) -> float:
        value = _number(word)
        if value is None:
            self.wrong(Note("a number for {what}", what=what), quoted(word))
        return value


_SPACES = str.maketrans(",()", "   ")


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST and "_" not in word else None


@dataclass
class _Draft:
    """What has been read of one `begin ... end` block, or of the root's section."""

    line: int
    name: str = ""
    direction: tuple[float, ...] | None = None
    length: float | None = None
    axis: tuple[float, ...] = (0.0, 0.0, 0.0)
    axis_order: str = "XYZ"
    channels: tuple[str, ...] = ()
    position: tuple[float, ...] = (0.0, 0.0, 0.0)

    def take(self, words: list[str], lines: _Lines) -> None:
        """One line of the block; anything not needed for motion (ids, limits, masses) is skipped."""
        key = words[0].casefold()
        what = Note("{key} of {name}", key=key, name=quoted(self.name)) if self.name else key
        if key == "name":
            if len(words) < 2 or words[1].casefold() == ROOT:
                lines.wrong(Note("a bone's name other than root's"), quoted(" ".join(words[1:])))
            self.name = words[1]
        elif key == "direction":
            self.direction = lines.numbers(words, 3, what)
        elif key == "length":
            self.length = lines.numbers(words, 1, what)[0]
        elif key == "axis":
            # A bone lists its angles here; the root has them in `orientation`.
            if self.name != ROOT:
                self.axis = lines.numbers(words, 3, what)
            self.axis_order = _order(words[4:] if self.name != ROOT else words[1:], lines, what)
        elif key == "orientation":
            self.axis = lines.numbers(words, 3, what)
        elif key == "position":
            self.position = lines.numbers(words, 3, what)
        elif key in ("dof", "order"):
            self.channels = _channels(words[1:], lines, what)

    def bone(self, lines: _Lines) -> AsfBone:
        if not self.name:
            lines.wrong(Note("a bone with a name"), Note("none"), self.line)
        if self.direction is None or self.length is None:
            lines.wrong(
                Note("direction and length of bone {name}", name=quoted(self.name)),
                Note("one of them missing"),
                self.line,
            )
        return AsfBone(self.name, self.direction, self.length, self.axis, self.axis_order, self.channels, self.position)


def _order(words: list[str], lines: _Lines, what: str) -> str:
    order = words[0].upper() if words else "nothing"
    if order not in _ORDERS:
        lines.wrong(Note("an order such as XYZ for {what}", what=what), quoted(order))
    return order


def _channels(words: list[str], lines: _Lines, what: str) -> tuple[str, ...]:
    channels = tuple(word.upper() for word in words)
    for channel in channels:
        if channel not in _CHANNELS:
            lines.wrong(Note("TX, TY, TZ, RX, RY, RZ or L for {what}", what=what), quoted(channel))
    if len(set(channels)) != len(channels):
        lines.wrong(Note("every channel once for {what}", what=what), quoted(" ".join(channels)))
    return channels


@dataclass
class _Skeletal:
    """What has been read of an .asf file so far."""

    length: float = 1.0
    degrees: bool = True
    root: _Draft | None = None
    bones: dict[str, AsfBone] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)
    parented: set[str] = field(default_factory=set)

    def units(self, words: list[str], lines: _Lines) -> None:
        key = words[0].casefold()
        if key == "length":
            self.length = lines.numbers(words, 1, Note("the unit of length"))[0]
            if not 1e-9 <= self.length <= 1e9:
                lines.wrong(Note("a unit of length above 0"), quoted(words[1]))
        elif key == "angle":
            unit = words[1].casefold() if len(words) > 1 else "nothing"
            if unit[:3] not in ("deg", "rad"):
                lines.wrong(Note("angle deg or angle rad"), quoted(unit))
            self.degrees = unit[:3] == "deg"

    def add(self, bone: AsfBone, lines: _Lines) -> None:
        if bone.name in self.bones:
            lines.wrong(Note("a unique name for each bone"), Note("{name} twice", name=quoted(bone.name)))
        if len(self.bones) == MOST_BONES:
            lines.wrong(Note("at most {most} bones", most=MOST_BONES), Note("more than that"))
        self.bones[bone.name] = bone

    def link(self, words: list[str], lines: _Lines) -> None:
        """One line of the hierarchy: a parent and its children."""
        parent = ROOT if words[0].casefold() == ROOT else words[0]
        for name in (parent, *words[1:]):
            if name != ROOT and name not in self.bones:
                lines.wrong(Note("a bone of :bonedata in the hierarchy"), quoted(name))
        for child in words[1:]:
            if child == ROOT or child in self.parented:
                lines.wrong(Note("one parent per bone"), Note("another for {child}", child=quoted(child)))
            self.parented.add(child)
            self.children.setdefault(parent, []).append(child)


def parse_asf(data: bytes, name: str) -> AsfDocument:
    """The skeleton that an .asf file holds."""
    lines, found = _Lines(data, name), _Skeletal()
    section, draft = "", None
    for words in lines:
        head = words[0].casefold()
        if head.startswith(":"):
            if draft is not None:
                lines.wrong(Note("'end' of the block begun in line {line}", line=draft.line), quoted(words[0]))
            section = head
            if section == ":root":
                found.root = _Draft(lines.number, ROOT)
        elif section == ":units":
            found.units(words, lines)
        elif section == ":root" and found.root is not None:
            found.root.take(words, lines)
        elif section == ":bonedata":
            if head == "begin":
                if draft is not None:
                    lines.wrong(Note("'end' of the bone begun in line {line}", line=draft.line), Note("'begin'"))
                draft = _Draft(lines.number)
            elif draft is None:
                lines.wrong(Note("'begin' of a bone"), quoted(words[0]))
            elif head == "end":
                found.add(draft.bone(lines), lines)
                draft = None
            else:
                draft.take(words, lines)
        elif section == ":hierarchy" and head not in ("begin", "end"):
            found.link(words, lines)
    if draft is not None:
        lines.wrong(Note("'end' of the bone begun in line {line}", line=draft.line), Note("the end of the file"))
    if found.root is None:
        lines.wrong(Note("a :root section"), Note("none in the whole file"))
    if not found.root.channels:
        lines.wrong(Note("the root's 'order' (TX TY TZ RX RY RZ)"), Note("none"), found.root.line)
    found.root.direction, found.root.length = (0.0, 0.0, 0.0), 0.0
    return _ordered(found, found.root.bone(lines), lines)


def _ordered(found: _Skeletal, root: AsfBone, lines: _Lines) -> AsfDocument:
    """The document with its bones sorted, every parent before its children."""
    bones: list[AsfBone] = []
    parents: list[int] = []
    waiting = [(ROOT, -1)]
    while waiting:
        name, parent = waiting.pop()
        waiting.extend((child, len(bones)) for child in reversed(found.children.get(name, ())))
        bones.append(root if name == ROOT else found.bones[name])
        parents.append(parent)
    if len(bones) <= len(found.bones):
        lost = next(name for name in found.bones if name not in {bone.name for bone in bones})
        lines.wrong(
            Note("every bone to descend from the root in :hierarchy"), Note("{lost} elsewhere", lost=quoted(lost))
        )
    return AsfDocument(lines.name, found.length, found.degrees, tuple(bones), tuple(parents))


def parse_amc(data: bytes, name: str, skeleton: AsfDocument) -> AmcDocument:
    """The motion that an .amc file holds for `skeleton`: every bone with channels, in every frame."""
    lines = _Lines(data, name)
    counts = {bone.name: len(bone.channels) for bone in skeleton.bones}
    rows: dict[str, list[list[str]]] = {bone: [] for bone, count in counts.items() if count}
    degrees, fps = skeleton.degrees, None
    numbers: list[int] = []
    for words in lines:
        head, count = words[0], len(words) - 1
        row = rows.get(head)
        if row is not None:
            if count != counts[head]:
                lines.wrong(
                    Note(
                        "as many values for {head} as in {name} ({count})",
                        count=counts[head],
                        head=quoted(head),
                        name=skeleton.name,
                    ),
                    f"{count}",
                )
            if len(row) != len(numbers) - 1:
                lines.wrong(
                    Note("each bone once in a frame, after its number"),
                    Note("{head} again or too early", head=quoted(head)),
                )
            row.append(words)
        elif head[0] == ":":
            key = head.casefold()
            if key in (":degrees", ":radians"):
                degrees = key == ":degrees"
            elif key == ":samples-per-second":
                fps = lines.numbers(words, 1, Note("the frame rate"))[0]
                if not 1e-3 <= fps <= 1e5:
                    lines.wrong(Note("a frame rate above 0"), quoted(words[1]))
        elif head.isascii() and head.isdigit() and len(head) <= 15 and count == 0:
            _complete(rows, numbers, lines)
            if numbers and int(head) <= numbers[-1]:
                lines.wrong(Note("a frame number above {frame}", frame=numbers[-1]), head)
            numbers.append(int(head))
        elif head not in counts or count:
            lines.wrong(
                Note("a frame's number or a bone of {name} that can move", name=skeleton.name), quoted(" ".join(words))
            )
    if not numbers:
        lines.wrong(Note("at least one numbered frame"), Note("none"))
    _complete(rows, numbers, lines)
    values = {bone: _numeric(row, counts[bone], lines) for bone, row in rows.items()}
    return AmcDocument(name, skeleton, degrees, fps, tuple(numbers), values)


def _complete(rows: dict[str, list[list[str]]], numbers: list[int], lines: _Lines) -> None:
    """Raise an error unless every bone has its line in all frames so far."""
    for bone, row in rows.items():
        if len(row) != len(numbers):
            lines.wrong(
                Note("a line for every bone in frame {frame}", frame=numbers[-1]),
                Note("none for {bone}", bone=quoted(bone)),
            )


def _numeric(row: list[list[str]], count: int, lines: _Lines) -> Array:
    """The numbers of one bone's lines, (F, count)."""
    try:
        flat = np.fromiter(map(float, chain.from_iterable(words[1:] for words in row)), np.float64)
    except ValueError:
        flat = np.full(1, np.nan)
    # Python reads 1_0 as ten; no Acclaim file means that.
    if not (np.abs(flat) <= LARGEST).all() or any("_" in word for words in row for word in words[1:]):
        for words in lines:
            if words[0] == row[0][0]:
                lines.numbers(words, count, quoted(words[0]))
    return flat.reshape(len(row), count)
