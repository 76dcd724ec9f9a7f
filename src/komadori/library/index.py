"""The page to browse a batch: one self-contained file, with failures first, sortable by every measure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import Any
from urllib.parse import quote

from komadori.library.jobs import CLIPS, CRASHED, DONE, FAILED, WAITING, Record
from komadori.measures import DEFINITIONS
from komadori.words import Note, told

COLUMNS = ("status", "clip", "frames", "drawings", *(one.name for one in DEFINITIONS), "seconds")
LABELS = {"status": Note("status"), "clip": Note("clip"), "frames": Note("frames"), "drawings": Note("drawings"), "seconds": Note("seconds")}  # fmt: skip


def page(records: Sequence[Record]) -> str:
    """The page's whole text."""
    title = _title(records)
    data = {
        "title": title.in_language("ja"),
        "status": {status: told(status, "ja") for status in (CRASHED, FAILED, WAITING, DONE)},
        "columns": [[name, *_labels(name)] for name in COLUMNS],
        "rows": [_row(record) for record in records],
    }
    # "<" is always escaped in the script, so that a name cannot end it.
    held = json.dumps(data, ensure_ascii=True).replace("<", "\\u003c")
    parts = resources.files("komadori").joinpath("library")
    style = parts.joinpath("index.css").read_text(encoding="utf-8")
    script = parts.joinpath("index.js").read_text(encoding="utf-8")
    policy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(title)}</h1><input id=filter type=search placeholder=filter aria-label=filter></header>\n"
        "<table><thead><tr id=head></tr></thead><tbody id=rows></tbody></table>\n<footer>komadori</footer>\n"
        f"<script>const DATA = {held};\n{script}</script>\n</body>\n</html>\n"
    )


def _title(records: Sequence[Record]) -> Note:
    """How many clips there are, and the outcome of them."""
    done, waiting = (sum(record.status == status for record in records) for status in (DONE, WAITING))
    failed = len(records) - done - waiting
    counts = {"count": len(records), "done": done, "failed": failed, "waiting": waiting}
    if waiting:
        return Note("{count:clip|clips}: {done} done, {failed} failed, {waiting} waiting", **counts)
    return Note("{count:clip|clips}: {done} done, {failed} failed", **counts)


def _labels(name: str) -> tuple[str, str]:
    """A column's heading in English and Japanese."""
    found = next((one for one in DEFINITIONS if one.name == name), None)
    label = LABELS[name] if found is None else found.label
    unit = f" ({found.unit})" if found is not None and found.unit else ""
    return f"{label}{unit}", f"{told(label, 'ja')}{unit}"


def _row(record: Record) -> dict[str, Any]:
    """What the page knows of a clip; links lead to the files beside it."""
    folder = f"{CLIPS}/{record.clip}"
    links = {name: quote(f"{folder}/{name}") for name in record.files}
    values = {"status": record.status, "clip": record.clip, "seconds": record.seconds, **record.facts}
    return {
        "values": [values.get(name) for name in COLUMNS],
        "error": record.error,
        "error_ja": record.error_ja,
        "notes": list(record.notes),
        "poster": record.poster,
        "files": links,
    }
