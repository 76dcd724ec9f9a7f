"""Numbers, vectors and references out of VRM's JSON: asked for by type, with VRM's defaults if they are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from komadori import json_text
from komadori.errors import FormatError
from komadori.springs import Vector
from komadori.words import Note

LARGEST = 1e12
"""No length, force or weight of an avatar comes near this; beyond it sums would overflow."""


def number(value: Any, name: str, place: str, default: float) -> float:
    """`value`, which must be a finite number; `default` if nothing is given."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LARGEST:
        raise FormatError(name, place, expected=Note("a number"), found=json_text.kind(value))
    return float(value)


def vector(value: Any, name: str, place: str, default: Vector) -> Vector:
    """`value`, which must be three numbers: a list (VRM 1.0) or an object of x, y and z (VRM 0.x)."""
    if value is None:
        return default
    if isinstance(value, Mapping):
        x, y, z = (number(value.get(axis), name, f"{place}.{axis}", 0.0) for axis in "xyz")
        return x, y, z
    parts = json_text.sequence(value, name, place)
    if len(parts) != 3:
        raise FormatError(name, place, expected=Note("three numbers"), found=f"{len(parts)}")
    x, y, z = (number(part, name, place, 0.0) for part in parts)
    return x, y, z


def colour(value: Any, name: str, place: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """`value`, which must be as many numbers as `default` has (or more, as VRM 0.x writes them), cut to 0 to 1."""
    if value is None:
        return default
    parts = json_text.sequence(value, name, place)
    if len(parts) < len(default):
        raise FormatError(name, place, expected=Note("{count} numbers", count=len(default)), found=f"{len(parts)}")
    return tuple(min(1.0, max(0.0, number(part, name, place, 0.0))) for part in parts[: len(default)])


def part(value: Any, name: str, place: str) -> dict[str, Any]:
    """`value`, which must be an object; an empty one if nothing is given."""
    return {} if value is None else json_text.mapping(value, name, place)


def entries(value: Any, name: str, place: str) -> list[tuple[str, dict[str, Any]]]:
    """The objects in the list `value` (none if nothing is given), each with its place."""
    if value is None:
        return []
    listed = json_text.sequence(value, name, place)
    return [(f"{place}[{n}]", json_text.mapping(entry, name, f"{place}[{n}]")) for n, entry in enumerate(listed)]


def indices(value: Any, name: str, place: str) -> list[int]:
    """The whole numbers in the list `value` (none if nothing is given)."""
    if value is None:
        return []
    found = json_text.sequence(value, name, place)
    return [json_text.whole(one, name, f"{place}[{n}]", -1, 2**31) for n, one in enumerate(found)]


def label(value: Any, name: str, place: str, default: str) -> str:
    """`value`, which must be a string; `default` if nothing (or an empty string) is given."""
    return default if value is None or value == "" else json_text.text(value, name, place)
