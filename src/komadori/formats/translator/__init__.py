"""Translators (.json): JSON with everything that running needs, as `files` reads and writes it."""

from __future__ import annotations

from typing import Any

from komadori.formats.format import Format, Late

_FILES = "komadori.formats.translator.files"


def _is_one(value: Any) -> bool:
    return isinstance(value, dict) and value.get("komadori") == "translator"


FORMAT = Format(
    "translator",
    (".json",),
    kind="translator",
    holds="Translator",
    parse=Late(_FILES, "parse"),
    emit=Late(_FILES, "emit"),
    fits=_is_one,
)
