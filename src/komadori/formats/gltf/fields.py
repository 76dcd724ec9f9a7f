"""Asking a glTF's JSON for values: every one is checked for type and range, and a fault names its place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from komadori import json_text
from komadori.errors import FormatError
from komadori.words import Note

MOST = 2**31 - 1
"""No count, offset or length in a file that we take is larger."""


class Fields:
    """One object of the file, with the name of the file and of the place where the object stands."""

    def __init__(self, value: Any, name: str, place: str) -> None:
        self.value = json_text.mapping(value, name, place)
        self.name = name
        self.place = place

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def at(self, key: str) -> str:
        """The place of the value `key`."""
        return f"{self.place}.{key}" if self.place else key

    def refused(self, key: str, expected: str, found: str, advice: str = "") -> FormatError:
        """The error to raise for the value `key`."""
        return FormatError(self.name, self.at(key), expected=expected, found=found, advice=advice)

    def whole(self, key: str, default: int | None = None, low: int = 0, high: int = MOST) -> int:
        """A whole number, or `default` if not given (None demands it)."""
        if key not in self.value and default is not None:
            return default
        return json_text.whole(self.value.get(key), self.name, self.at(key), low, high)

    def index(self, key: str, count: int) -> int | None:
        """The number of one of `count` things, or None if it is not given."""
        if key not in self.value:
            return None
        return reference(self.value[key], count, self.name, self.at(key))

    def text(self, key: str, default: str = "") -> str:
        """A string, or `default` if not given."""
        return json_text.text(self.value[key], self.name, self.at(key)) if key in self.value else default

    def flag(self, key: str) -> bool:
        """True or false; false if not given."""
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            raise self.refused(key, "true or false", json_text.kind(value))
        return value

    def numbers(self, key: str, count: int | None, default: tuple[float, ...]) -> tuple[float, ...]:
        """`count` finite numbers (None takes any), or `default` if not given."""
        if key not in self.value:
            return default
        values = json_text.sequence(self.value[key], self.name, self.at(key))
        if count is not None and len(values) != count:
            raise self.refused(key, f"{count} numbers", f"{len(values)} of them")
        return tuple(finite(value, self.name, f"{self.at(key)}[{n}]") for n, value in enumerate(values))

    def number(self, key: str, default: float) -> float:
        """One finite number, or `default` if not given."""
        return finite(self.value[key], self.name, self.at(key)) if key in self.value else default

    def one(self, key: str) -> Fields:
        """The object `key`; empty if it is not given."""
        return Fields(self.value.get(key, {}), self.name, self.at(key))

    def many(self, key: str) -> list[Fields]:
        """The objects in the list `key`; none if not given."""
        values = json_text.sequence(self.value.get(key, []), self.name, self.at(key))
        return [Fields(value, self.name, f"{self.at(key)}[{n}]") for n, value in enumerate(values)]

    def references(self, key: str, count: int) -> tuple[int, ...]:
        """Numbers of things of which there are `count`; none if not given."""
        values = json_text.sequence(self.value.get(key, []), self.name, self.at(key))
        return tuple(reference(value, count, self.name, f"{self.at(key)}[{n}]") for n, value in enumerate(values))

    def texts(self, key: str) -> tuple[str, ...]:
        """Strings; none if not given."""
        values = json_text.sequence(self.value.get(key, []), self.name, self.at(key))
        return tuple(json_text.text(value, self.name, f"{self.at(key)}[{n}]") for n, value in enumerate(values))


def finite(value: Any, name: str, place: str) -> float:
    """`value`, which must be a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
        raise FormatError(name, place, expected=Note("a finite number"), found=json_text.kind(value))
    return float(value)


def _fits(value: int | float) -> bool:
    # Beyond the range of a 32 bit float nothing in a glTF can lie; a double would still overflow when multiplied.
    return abs(value) < 3.5e38 if isinstance(value, int) else math.isfinite(value) and abs(value) < 3.5e38


def reference(value: Any, count: int, name: str, place: str) -> int:
    """`value`, which must be the number of one of `count` things."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
        expected = (
            Note("a whole number below {count}", count=count)
            if count
            else Note("no reference: there is nothing to refer to")
        )
        raise FormatError(name, place, expected=expected, found=json_text.kind(value))
    return value


def told_apart(names: Iterable[str]) -> list[str]:
    """`names`, each once: a second "Bone" becomes "Bone_2"."""
    found: dict[str, None] = {}
    counts: dict[str, int] = {}
    for own in names:
        name = own
        while name in found:
            counts[own] = counts.get(own, 1) + 1
            name = f"{own}_{counts[own]}"
        found[name] = None
    return list(found)
