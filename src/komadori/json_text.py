"""JSON from files that nobody vouches for: every fault is one FormatError, and every value is asked for by type."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from komadori.errors import FormatError, at_byte, quoted
from komadori.words import Note

MOST_FRAMES = 10_000_000
"""Frames that all tracks of one file may hold together (80 MB): a lying length must not take the memory."""


def decoded(data: bytes, name: str, encoding: str = "utf-8-sig") -> str:
    """`data` as text, or a FormatError that names the first byte that is none."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        found = Note("the byte 0x{byte:02x}", byte=data[error.start])
        raise FormatError(name, at_byte(error.start), expected=Note("UTF-8 text"), found=found) from None


def loaded(text: str, name: str, first_line: int = 1) -> Any:
    """The value that `text` holds; NaN and Infinity are not JSON, and nesting is bounded."""

    def refuse(constant: str) -> NoReturn:
        raise FormatError(name, expected=Note("JSON"), found=constant)

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        place = Note("line {line}, column {column}", line=error.lineno + first_line - 1, column=error.colno)
        found = quoted(text[error.pos : error.pos + 20]) if error.pos < len(text) else Note("the end of the file")
        raise FormatError(name, place, expected=Note("JSON ({msg})", msg=error.msg), found=found) from None
    except RecursionError:
        raise FormatError(name, expected=Note("JSON of sane depth"), found=Note("lists nested too deeply")) from None
    except ValueError:
        # Python refuses to turn thousands of digits into a number.
        raise FormatError(name, expected=Note("JSON"), found=Note("a number of thousands of digits")) from None


def mapping(value: Any, name: str, place: str) -> dict[str, Any]:
    """`value`, which must be an object."""
    if not isinstance(value, dict):
        raise FormatError(name, place, expected=Note("an object"), found=kind(value))
    return value


def sequence(value: Any, name: str, place: str) -> list[Any]:
    """`value`, which must be a list."""
    if not isinstance(value, list):
        raise FormatError(name, place, expected=Note("a list"), found=kind(value))
    return value


def text(value: Any, name: str, place: str) -> str:
    """`value`, which must be a string."""
    if not isinstance(value, str):
        raise FormatError(name, place, expected=Note("a string"), found=kind(value))
    return value


def whole(value: Any, name: str, place: str, low: int, high: int) -> int:
    """`value`, which must be a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(
            name, place, expected=Note("a whole number from {low} to {high}", low=low, high=high), found=kind(value)
        )
    return value


def frame_rate(value: Any, name: str, place: str) -> float:
    """`value`, which must be a frame rate."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not (0 < value <= 1e6 and math.isfinite(value)):
        expected = Note("frames a second, above 0 and at most 1,000,000")
        raise FormatError(name, place, expected=expected, found=kind(value))
    return float(value)


def kind(value: Any) -> str:
    """What `value` is, for an error message."""
    if value is None:
        return Note("nothing")
    if isinstance(value, dict):
        return Note("an object")
    if isinstance(value, list):
        return Note("a list")
    return quoted(value) if isinstance(value, str) else str(value)[:40]
