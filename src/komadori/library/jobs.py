"""Jobs and records: what is to be done with a clip, and the outcome of it, as its own file beside the results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from komadori.library.store import Store
from komadori.measures import DEFINITIONS

RECORDS, CLIPS = "records", "clips"
"""Folders of the output: the records, one per clip, and the clips' files."""
DONE, FAILED, CRASHED, WAITING = "done", "failed", "crashed", "waiting"
"""The possible outcomes for a clip. A crashed clip is tried again when the work continues: the cause may be gone."""
COLUMNS = (
    "clip", "input", "status", "error", "frames", "source_frames", "fps", "drawings", *(one.name for one in DEFINITIONS),
    "notes", "files", "input_sha256", "recipe_sha256", "version", "seconds",
)  # fmt: skip
LARGEST = 2**53
"""No number in a table is larger."""
TIMES = ("seconds",)
"""Columns that differ from run to run."""


@dataclass(frozen=True)
class Job:
    """Everything that a process needs to know to work on one clip, wherever it runs."""

    name: str
    given: str
    output: str
    recipe: str
    """The recipe as TOML."""
    look: str
    character: str | None
    files: tuple[str, ...]
    unit: str | None
    version: str
    size: int = 0
    resume: bool = False

    @property
    def record(self) -> str:
        """The name of its record."""
        return f"{RECORDS}/{self.name}.json"

    def key(self, input_sha256: str) -> str:
        """What identifies a piece of work: the bytes of the clip, the recipe, the body, the files, the program."""
        return sha256(
            json.dumps([input_sha256, self.recipe, self.character, self.files, self.unit, self.version]).encode()
        )


@dataclass(frozen=True)
class Record:
    """The outcome of a clip."""

    clip: str
    input: str
    status: str
    error: str = ""
    error_ja: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Frames, drawings and measures, by the names of the columns."""
    notes: tuple[str, ...] = ()
    files: Mapping[str, int] = field(default_factory=dict)
    """The files that were made, and how many bytes each has."""
    poster: str = ""
    """A small picture, as SVG."""
    key: str = ""
    input_sha256: str = ""
    recipe_sha256: str = ""
    version: str = ""
    seconds: float = 0.0
    kept: bool = False
    """Whether it was done in an earlier run. No file says so."""

    def row(self) -> dict[str, Any]:
        """The row of the table."""
        return {
            "clip": self.clip,
            "input": self.input,
            "status": self.status,
            "error": self.error or None,
            **self.facts,
            "notes": " | ".join(self.notes) or None,
            "files": " ".join(self.files) or None,
            "input_sha256": self.input_sha256 or None,
            "recipe_sha256": self.recipe_sha256 or None,
            "version": self.version or None,
            "seconds": self.seconds,
        }

    def encoded(self) -> bytes:
        """As the bytes of its file."""
        held = {name: value for name, value in vars(self).items() if name != "kept"}
        return json.dumps(held, ensure_ascii=True, sort_keys=True).encode()


def decoded(data: bytes | None) -> Record | None:
    """The record in a file; None if there is none, or if it is not a valid record."""
    try:
        held = json.loads(data or b"")
        made = Record(**{**held, "notes": tuple(held["notes"])})
        return made if _is_sound(made) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _is_sound(record: Record) -> bool:
    """Whether every value is of its kind, and every number one that a table can hold."""
    words = [getattr(record, one.name) for one in fields(record) if one.type == "str"]
    counts = list(record.files.values())
    numbers = [value for value in record.facts.values() if value is not None]
    return (
        all(isinstance(word, str) for word in [*words, *record.notes, *record.files, *record.facts])
        and record.status in (DONE, FAILED, CRASHED)
        and all(type(count) is int for count in counts)
        and all(type(number) in (int, float) and abs(number) < LARGEST for number in [*numbers, record.seconds])
    )


def kept(job: Job, store: Store, input_sha256: str) -> Record | None:
    """The record of the same work, done before, with all its files still there; else None."""
    record = decoded(store.read(job.record))
    if record is None or record.status != DONE or record.key != job.key(input_sha256):
        return None
    whole = all(store.size(f"{CLIPS}/{job.name}/{name}") == size for name, size in record.files.items())
    return replace(record, kept=True) if whole else None


def balanced(jobs: Sequence[Job]) -> list[Job]:
    """The largest first, so that no long clip starts when all others are finished."""
    return sorted(jobs, key=lambda job: (-job.size, job.name))


def sha256(data: bytes) -> str:
    """The digest of some bytes."""
    return hashlib.sha256(data).hexdigest()
