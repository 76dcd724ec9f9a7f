"""JSON from untrusted files: every fault is one FormatError, and every value is asked for by type."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from komadori import rates
from komadori.errors import FormatError, at_byte, quoted
from komadori.words import Note

Place = str | Callable[[], str]
"""Where a value stands in its file. A function is asked only when the value is refused: a long list names a place for every entry."""

MOST_FRAMES = 10_000_000
"""Frames that all tracks of one file may hold together (80 MB): a wrong length must not exhaust the memory."""
HELD_FRAMES = 200_000
"""Frames of all tracks together that the smallest of sheets may hold: more than two hours on one cel."""


def most_frames(size: int) -> int:
    """Frames that all tracks of a sheet of `size` bytes may hold together: a hold of absurd length must not take hours."""
    return min(MOST_FRAMES, HELD_FRAMES + size)


def decoded(data: bytes, name: str, encoding: str = "utf-8-sig") -> str:
    """`data` as text, or a FormatError that names the first invalid byte."""
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
        return json.loads(_paired(text), parse_constant=refuse)
    except json.JSONDecodeError as error:
        place = Note("line {line}, column {column}", line=error.lineno + first_line - 1, column=error.colno)
        found = quoted(text[error.pos : error.pos + 20]) if error.pos < len(text) else Note("the end of the file")
        raise FormatError(name, place, expected=Note("JSON ({msg})", msg=error.msg), found=found) from None
    except RecursionError:
        raise FormatError(name, problem=Note("the JSON is nested too deeply")) from None
    except ValueError:
        # Python refuses to turn thousands of digits into a number.
        raise FormatError(name, problem=Note("a number has thousands of digits")) from None


_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)")


def _paired(text: str) -> str:
    """`text` with the mark for an unknown letter in place of each half of a letter of two: no file can hold a half."""
    if r"\ud" not in text and r"\uD" not in text:
        return text
    return _ESCAPE.sub(lambda found: r"\ufffd" if found["half"] else found[0], text)


def mapping(value: Any, name: str, place: Place) -> dict[str, Any]:
    """`value`, which must be an object."""
    if not isinstance(value, dict):
        raise FormatError(name, _told(place), expected=Note("an object"), found=kind(value))
    return value


def sequence(value: Any, name: str, place: Place) -> list[Any]:
    """`value`, which must be a list."""
    if not isinstance(value, list):
        raise FormatError(name, _told(place), expected=Note("a list"), found=kind(value))
    return value


def text(value: Any, name: str, place: Place) -> str:
    """`value`, which must be a string."""
    if not isinstance(value, str):
        raise FormatError(name, _told(place), expected=Note("a string"), found=kind(value))
    return value


def whole(value: Any, name: str, place: Place, low: int, high: int) -> int:
    """`value`, which must be a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise FormatError(
            name,
            _told(place),
            expected=Note("a whole number from {low} to {high}", low=low, high=high),
            found=kind(value),
        )
    return value


def frame_rate(value: Any, name: str, place: Place) -> float:
    """`value`, which must be a frame rate."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not (rates.SLOWEST <= value <= 1e6 and math.isfinite(value)):
        expected = Note("a frame rate from 0.000001 to 1,000,000 fps")
        raise FormatError(name, _told(place), expected=expected, found=kind(value))
    return float(value)


def _told(place: Place) -> str:
    return place() if callable(place) else place


def kind(value: Any) -> str:
    """What `value` is, for an error message."""
    if value is None:
        return Note("nothing")
    if isinstance(value, dict):
        return Note("an object")
    if isinstance(value, list):
        return Note("a list")
    return quoted(value) if isinstance(value, str) else str(value)[:40]
