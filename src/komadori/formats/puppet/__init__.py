"""Puppets (.json): JSON that a person can read and edit (docs/puppet.md has the schema)."""

from __future__ import annotations

from typing import Any

from komadori.formats.format import Format, Late


def _is_one(value: Any) -> bool:
    return isinstance(value, dict) and value.get("komadori") == "puppet"


FORMAT = Format(
    "puppet",
    (".json",),
    kind="puppet",
    holds="Puppet",
    parse=Late("komadori.formats.puppet.reading", "parse"),
    emit=Late("komadori.formats.puppet.writing", "emit"),
    fits=_is_one,
)
