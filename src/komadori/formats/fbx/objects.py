"""The objects of an FBX that is being written, and how they are connected."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from komadori.formats.fbx.records import Record, Section, Short, label, properties, record

FIRST = 1_000_000
"""The number of the first object: small ones are a file's own (0 is the scene)."""


class Objects:
    """Objects in their order, each with its own number, and the links between them."""

    def __init__(self) -> None:
        self.records = Section("Objects")
        self.links = Section("Connections")
        self._next = FIRST

    def fresh(self) -> int:
        """An unused number."""
        self._next += 1
        return self._next

    def add(
        self, section: str, name: str, kind: str, sort: str, inner: Iterable[Record], *, block: bool = False
    ) -> int:
        """An object's number; `kind` and `sort` are its class and subclass in the file."""
        made = self.fresh()
        self.records.add(record(section, made, label(name, kind), sort, inner=inner, block=block))
        return made

    def model(self, name: str, sort: str, rows: Iterable[tuple[Any, ...]]) -> int:
        """A node of the scene."""
        inner = [
            record("Version", Short(232)),
            properties(*rows),
            record("Shading", True),
            record("Culling", "CullingOff"),
        ]
        return self.add("Model", name, "Model", sort, inner)

    def link(self, part: int, whole: int, name: str | None = None) -> None:
        """Connects `part` to `whole`, or to its property `name`."""
        given = ("OO", part, whole) if name is None else ("OP", part, whole, name)
        self.links.add(record("C", *given))
