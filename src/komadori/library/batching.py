"""Batch: a recipe over a library of clips, a row for each, always in a state from which the work can continue."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from komadori.characters import CHARACTERS
from komadori.errors import KomadoriError, OptionError, OutputError
from komadori.files import check_writable
from komadori.formats import SAMPLE, load, suffixes
from komadori.library import cluster, local, tables
from komadori.library.finding import Clip, clips
from komadori.library.hands import Limits
from komadori.library.index import page
from komadori.library.jobs import COLUMNS, CRASHED, DONE, FAILED, WAITING, Job, Record, decoded
from komadori.library.store import Folder, Store, is_remote, plain, store_at
from komadori.library.work import named_character
from komadori.pipeline import LOOKS, Recipe, look
from komadori.words import Note

FILES = ("glb", "xdts")
"""What is written if nothing else is asked for: no pictures, which take most of the time."""
PICTURES = (".mp4", ".webm", ".png", ".pdf", ".html")
TABLE, INDEX = "table", "index.html"
LOCAL = "local"
LEAST_BYTES = 20_000
"""What the smallest clip costs, in bytes of a larger one: reading it takes less time than the rest."""
MEMORY = "memory://"
"""fsspec addresses in the memory of one process: what other processes write there is lost."""


@dataclass(frozen=True)
class State:
    """How far a batch is: clips `done` of `count`, `failed` among them and `kept` from an earlier run, since `seconds`.

    `share` says how much of the work on the others is done, by the sizes of their files.
    """

    done: int
    count: int
    failed: int
    kept: int
    seconds: float
    share: float

    @property
    def a_minute(self) -> float:
        """Clips per minute, without those that were kept."""
        return 60.0 * (self.done - self.kept) / max(self.seconds, 1e-9)

    @property
    def left_s(self) -> float | None:
        """About how many seconds are left, None while nobody can know: by the sizes, for long clips go first."""
        return self.seconds * (1.0 - self.share) / self.share if self.share else None


Progress = Callable[[State], None]


@dataclass(frozen=True)
class BatchResult:
    """The outcome of every clip, in the order of their names."""

    records: tuple[Record, ...]
    output: str
    seconds: float
    files: tuple[str, ...]
    """The table in every form, and the page to browse."""

    @property
    def failed(self) -> tuple[Record, ...]:
        """The records of clips without a result."""
        return tuple(record for record in self.records if record.status in (FAILED, CRASHED))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [record.row() for record in self.records]


def batch(
    given: str | PathLike[str] | Iterable[str | PathLike[str]],
    output: str | PathLike[str],
    *,
    look: str | Recipe = LOOKS[0],
    character: str | None = None,
    files: Sequence[str] = FILES,
    jobs: int | None = None,
    on: str = LOCAL,
    resume: bool = False,
    unit: str | None = None,
    memory_mb: int = 2000,
    timeout_s: float = 1800.0,
    progress: Progress | None = None,
) -> BatchResult:
    """Run `look` (one of LOOKS, a recipe's file or a Recipe) over every clip that `given` names: files, folders, globs, lists.

    Each clip is worked on in a separate process, of `jobs` at once (as many as there are processors), or on a Dask cluster
    (`on="dask://host:port"`); one that fails, crashes or hangs gets its row, and the others continue. `files` are suffixes: motion formats, xdts, csv, json,
    pdf, png (a poster), mp4 or webm (a film), html. With `resume`, work that was done before is kept. `output` gets clips/, records/, the table and index.html.
    """
    names = [os.fspath(given)] if isinstance(given, str | PathLike) else [os.fspath(one) for one in given]
    target = plain(os.fspath(output))
    if target.startswith(MEMORY):
        expected = Note("a folder, or an address that all processes see")
        raise OptionError("-o", expected=expected, found=target)
    recipe = look if isinstance(look, Recipe) else recipe_of(look)
    wanted = checked_files(files)
    found = clips(names, target)
    if jobs is not None and jobs < 1:
        raise OptionError("jobs", expected=Note("a whole number, 1 or more"), found=jobs)
    if character is not None:
        # Once, here, instead of for every clip.
        named_character(character)
    store = store_at(target)
    if isinstance(store, Folder):
        if Path(store.address).exists() and not Path(store.address).is_dir():
            raise OutputError(target, Note("this is a file; name a folder"))
        check_writable(Path(store.address, INDEX))
        store.tidied()
    work = [job_of(clip, target, recipe, character, wanted, unit, resume) for clip in found]
    begin = time.monotonic()
    limits = Limits(memory_mb, timeout_s)
    count = jobs or os.cpu_count() or 1
    answers = local.run(work, count, limits) if on == LOCAL else _elsewhere(work, on, limits)
    records: dict[str, Record] = {}
    sizes = {job.name: job.size + LEAST_BYTES for job in work}
    whole, reached, failed, kept = sum(sizes.values()), 0, 0, 0
    try:
        for record in answers:
            records[record.clip] = record
            failed += record.status in (FAILED, CRASHED)
            if record.kept:
                kept, whole = kept + 1, whole - sizes[record.clip]
            else:
                reached += sizes[record.clip]
            if progress is not None:
                share = reached / whole if whole else 1.0
                progress(State(len(records), len(work), failed, kept, time.monotonic() - begin, share))
    except OutputError:
        # Where results cannot be written, no table can.
        raise
    except (KeyboardInterrupt, KomadoriError):
        _finish(store, work, records)
        raise
    written = _finish(store, work, records)
    seconds = time.monotonic() - begin
    return BatchResult(tuple(records[job.name] for job in work), target, seconds, written)


def recipe_of(given: str) -> Recipe:
    """A built-in look, or the recipe in a file."""
    if given in LOOKS:
        return look(given)
    if not Path(given).suffix and not Path(given).exists():
        words = ", ".join(LOOKS)
        raise OptionError("look", expected=Note("one of {words}, or a recipe's .toml file", words=words), found=given)
    return load(given, kind="recipe")


def checked_files(files: Sequence[str]) -> tuple[str, ...]:
    """The suffixes of the files that are wanted; an OptionError for one that nobody can write."""
    known = dict.fromkeys([*suffixes("write"), *suffixes("write_character"), *suffixes("write_sheets"), *PICTURES])
    found = [f".{word.strip().lower().removeprefix('.')}" for word in files if word.strip()]
    for suffix in found:
        if suffix not in known:
            names = ", ".join(name.removeprefix(".") for name in known)
            raise OptionError(
                "files", expected=Note("formats among {names}", names=names), found=suffix.removeprefix(".")
            )
    return tuple(dict.fromkeys(found))


def _elsewhere(work: list[Job], on: str, limits: Limits) -> Iterator[Record]:
    if not on.startswith(cluster.SCHEME):
        raise OptionError("--on", expected=Note("local, or dask://HOST:PORT"), found=on)
    return cluster.run(work, on, limits)


def job_of(clip: Clip, output: str, recipe: Recipe, character: str | None, files: tuple[str, ...], unit: str | None, resume: bool) -> Job:  # fmt: skip
    """What is to be done with one clip."""
    from komadori import __version__

    body = character if character is None or character in CHARACTERS else _absolute(character)
    return Job(clip.name, _absolute(clip.given), _absolute(output), recipe.toml(), recipe.name, body, files, unit, __version__, clip.size, resume)  # fmt: skip


def _absolute(given: str) -> str:
    """A path that means the same in every process: links are not followed, so that users recognise it."""
    return given if given.startswith(SAMPLE) or is_remote(given) else str(Path(plain(given)).absolute())


def _finish(store: Store, work: list[Job], records: dict[str, Record]) -> tuple[str, ...]:
    """Write the table and the page; a clip that was not reached is listed as waiting, or with its earlier result."""
    rows = []
    for job in work:
        record = records.get(job.name) or decoded(store.read(job.record))
        rows.append(record or Record(job.name, job.given, WAITING))
    plain = [record.row() for record in rows]
    made = {f"{TABLE}{suffix}": tables.encoded(plain, COLUMNS, suffix) for suffix in (".csv", ".sqlite")}
    if tables.can_write_parquet():
        made[f"{TABLE}.parquet"] = tables.encoded(plain, COLUMNS, ".parquet")
    made[INDEX] = page(rows).encode("utf-8", "replace")
    for name, data in made.items():
        store.write(name, data)
    assert all(record.status in (DONE, FAILED, CRASHED, WAITING) for record in rows)
    return tuple(f"{store.address}/{name}" for name in made)
