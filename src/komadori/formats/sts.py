"""STS, the file of Shirahei Time Sheet: a column of numbers for each cel, 0 where it is empty, and the cels' names.

Little-endian: 0x11 "ShiraheiTimeSheet", the number of cels (1 byte), of frames (2), two spare bytes, then the numbers
(2 bytes each, cel by cel), then each name as a length byte and Shift-JIS. 24 frames per second are understood.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

import numpy as np

from komadori.cut import Cut
from komadori.errors import FormatError, OptionError, at_byte, quoted
from komadori.formats.format import Format
from komadori.formats.sheet_losses import lost as general_losses
from komadori.formats.xdts import FPS, unused
from komadori.timesheet import Timesheet
from komadori.words import Note

MAGIC = b"\x11ShiraheiTimeSheet"
HEAD = len(MAGIC) + 5
MOST_CELS, MOST_FRAMES, LARGEST = 255, 65535, 65535
CODE_PAGE = "cp932"


def emit(sheets: Mapping[str, Timesheet]) -> bytes:
    """`sheets` as an STS file."""
    cut = Cut.of(sheets)
    for what, count, most in ((Note("cels"), len(cut), MOST_CELS), (Note("frames"), cut.frames, MOST_FRAMES)):
        if not 1 <= count <= most:
            raise OptionError(
                Note("{form} holds 1 to {most} {what}, and the sheet has {count}", form="STS", most=most, what=what, count=count)
            )  # fmt: skip
    numbers = np.stack([cut.numbers(name) for name in cut])
    if numbers.max() > LARGEST:
        raise OptionError(
            Note("{form} counts drawings to {most}, and the sheet shows {number}", form="STS", most=LARGEST, number=numbers.max())
        )  # fmt: skip
    labels = [in_code_page(name, "STS") for name in cut]
    head = MAGIC + struct.pack("<BHH", len(cut), cut.frames, 0)
    return head + numbers.astype("<u2").tobytes() + b"".join(bytes([len(label)]) + label for label in labels)


def in_code_page(name: str, form: str, most: int = 255) -> bytes:
    """`name` in Shift-JIS, as the older Japanese programs store it."""
    try:
        label = name.encode(CODE_PAGE)
    except UnicodeEncodeError:
        raise OptionError(
            Note("{form} keeps names in Shift-JIS, and {name!r} has letters that it lacks", form=form, name=name)
        ) from None
    if len(label) > most:
        raise OptionError(
            Note("{form} has room for {most} bytes of a name, not for {name!r}", form=form, most=most, name=name)
        )
    return label


def parse(data: bytes, name: str) -> Cut:
    """The cels of an STS file."""
    if not data.startswith(MAGIC):
        raise FormatError(
            name, at_byte(0), expected=quoted(MAGIC[1:].decode()), found=quoted(data[1:18].decode("latin-1"))
        )
    if len(data) < HEAD:
        raise FormatError(name, at_byte(len(data)), expected=Note("{count} bytes", count=HEAD), found=f"{len(data)}")
    cels, frames, _ = struct.unpack_from("<BHH", data, len(MAGIC))
    end = HEAD + 2 * cels * frames
    if not cels or not frames or end > len(data):
        expected = Note("{cels} cels of {frames} frames", cels=cels or "1", frames=frames or "1")
        found = Note("{count} bytes", count=len(data) - HEAD)
        raise FormatError(name, at_byte(len(MAGIC)), expected=expected, found=found)
    numbers = np.frombuffer(data, dtype="<u2", count=cels * frames, offset=HEAD).reshape(cels, frames).astype(np.int64)
    columns: dict[str, object] = {}
    counts: dict[str, int] = {}
    at = end
    for cel in range(cels):
        size = data[at] if at < len(data) else 0
        # A truncated name must not lose the timing: the cel is then named after its position.
        label = data[at + 1 : at + 1 + size].decode(CODE_PAGE, "replace").strip("\0 ")
        at += 1 + size
        if numbers[cel].any():
            columns[unused(label or _letter(cel), columns, counts)] = numbers[cel]
    if not columns:
        raise FormatError(name, problem=Note("no track with cells"))
    return Cut.of_numbers(FPS, columns, frames=frames)  # type: ignore[arg-type]


def _letter(cel: int) -> str:
    """A, B, C ... as studios letter cels.

    >>> _letter(0), _letter(25), _letter(26)
    ('A', 'Z', 'AA')
    """
    return (_letter(cel // 26 - 1) if cel >= 26 else "") + chr(ord("A") + cel % 26)


def lost(sheets: Mapping[str, Timesheet]) -> tuple[Note, ...]:
    """What an STS file does not carry of a sheet."""
    return general_losses(Cut.of(sheets), "STS", rate=FPS)


FORMAT = Format("STS", (".sts",), read_sheets=parse, write_sheets=emit, left_out_sheets=lost)
