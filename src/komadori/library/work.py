"""The work on one clip: read, run the recipe, measure, write every file and last of all the record."""

from __future__ import annotations

import time
import traceback
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from komadori.anime.files import ExportOptions, file_of
from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.characters import character as built_in
from komadori.errors import FormatError, KomadoriError, OptionError, one_line
from komadori.files import read_bytes
from komadori.formats import SAMPLE, load, load_character, split, suffixes
from komadori.library.jobs import CLIPS, DONE, FAILED, Job, Record, kept, sha256
from komadori.library.store import fetched, is_remote, store_at
from komadori.measures import measure
from komadori.motion import Motion
from komadori.pipeline import PipelineResult, Recipe
from komadori.words import Note

FIGURES, HEIGHT = 6, 90
"""Figures on a small poster, and its height."""
MOST_FRAMES = 1_000_000
"""The longest that a clip may become: a file with a wrong frame time must not exhaust the machine."""


def worked(job: Job) -> Record:
    """The record of the work on `job`, done now or, where the work continues after a stop, before.

    Errors in the clip are reported in its record. What is wrong with the output (a full disk) is raised: no record could be written.
    """
    begin = time.perf_counter()
    store = store_at(job.output)
    record = Record(job.name, job.given, FAILED, recipe_sha256=sha256(job.recipe.encode()), version=job.version)
    files: dict[str, bytes] = {}
    path = job.given
    try:
        with fetched(job.given) as path:
            digest = sha256(path.encode() if path.startswith(SAMPLE) else read_bytes(split(path)[0]))
            before = kept(job, store, digest) if job.resume else None
            if before is not None:
                return before
            record = replace(record, input_sha256=digest, key=job.key(digest))
            result = _run(job, path)
        made = measure(result.motion, sheet=result.sheet, against=result.original)
        title = job.name.rpartition("/")[2]
        options = ExportOptions(title)
        files = {f"{title}{suffix}": file_of(result, options, suffix) for suffix in job.files}
        record = replace(
            record,
            status=DONE,
            facts={
                "frames": len(result.motion),
                "source_frames": len(result.source),
                "fps": result.motion.fps,
                "drawings": result.drawings,
                **{name: round(value, 9) for name, value in made.plain().items()},
            },
            notes=tuple(str(note) for note in result.notes),
            files={name: len(data) for name, data in files.items()},
            poster=poster(result),
        )
    except KomadoriError as error:
        record = _failed(record, error.note)
    except MemoryError:
        record = _failed(record, Note("there was not enough memory for this clip; raise --memory"))
    except RecursionError:
        record = _failed(record, Note("the file is nested too deeply to be read"))
    except Exception as error:
        # A fault of ours must neither stop the other clips nor look like one of theirs.
        record = _failed(record, Note("this is a bug in komadori, not in your file: {what}; please report it", what=_traced(error)))  # fmt: skip
    if is_remote(job.given):
        record = _of_address(record, str(Path(path).parent), job.given.rpartition("/")[0])
    for name, data in files.items() if record.status == DONE else ():
        store.write(f"{CLIPS}/{job.name}/{name}", data)
    record = replace(record, seconds=round(time.perf_counter() - begin, 4))
    # Last: if a record exists, so does every file that it lists.
    store.write(job.record, record.encoded())
    return record


def _of_address(record: Record, copied: str, folder: str) -> Record:
    """The record with the address of a clip wherever it speaks of the copy that was worked on."""
    notes = tuple(note.replace(copied, folder) for note in record.notes)
    return replace(record, error=record.error.replace(copied, folder), error_ja=record.error_ja.replace(copied, folder), notes=notes)  # fmt: skip


def _traced(error: Exception) -> str:
    """What was raised, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return one_line(f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}", 300)


def _failed(record: Record, note: Note) -> Record:
    return replace(record, status=FAILED, error=str(note), error_ja=note.in_language("ja"))


def _run(job: Job, path: str) -> PipelineResult:
    recipe = Recipe.parse(job.recipe, job.look)
    motion = load(path, kind="motion", unit=job.unit)
    if not len(motion):
        raise FormatError(job.given, problem=Note("the motion has no frames"))
    if motion.duration_s * 24.0 > max(MOST_FRAMES, len(motion)):
        raise FormatError(
            job.given,
            expected=Note("a clip that makes at most {most:,} frames at {fps:.6g} fps", most=MOST_FRAMES, fps=24.0),
            found=Note("{seconds:,.0f} seconds, which would make {frames:,.0f}", seconds=motion.duration_s, frames=motion.duration_s * 24.0),
            advice=Note("check its frame time"),
        )  # fmt: skip
    body = _own(path, motion) if job.character is None else named_character(job.character)
    try:
        return recipe.run(motion, body)
    except OptionError as error:
        raise FormatError(job.given, problem=error.note) from None


@lru_cache(maxsize=2)
def named_character(given: str) -> Character:
    """The built-in character of that name, or the one in a file; read once a process."""
    if given in CHARACTERS:
        return built_in(given)
    with fetched(given) as path:
        found = load_character(path)
    if not found.meshes:
        expected = Note("a character with a skin, or one of {names}", names=", ".join(CHARACTERS))
        raise FormatError(given, expected=expected, found=Note("only a skeleton"))
    return found


def _own(path: str, motion: Motion) -> Character | None:
    """The body in the clip's own file, if it has a skin."""
    file = split(path)[0]
    if Path(file).suffix.lower() not in suffixes("read_character"):
        return None
    own = load_character(file)
    fits = len(own.skeleton) == len(motion.skeleton) and np.array_equal(own.skeleton.parents, motion.skeleton.parents)
    return own if own.meshes and fits else None


def poster(result: PipelineResult) -> str:
    """A few drawings as stick figures in a row, as a small SVG: drawn without a renderer, in a moment."""
    starts = result.sheet.starts
    frames = starts[np.unique(np.linspace(0, len(starts) - 1, min(FIGURES, len(starts))).astype(int))]
    world = result.motion.taken(frames).world_positions()
    parents = result.motion.skeleton.parents
    named = sorted(set(result.motion.skeleton.roles.values())) or list(range(len(parents)))
    # Only bones between joints with a role: fingers, toes and hair would only blur.
    body = set(named)
    lines = []
    for joint in named:
        above = int(parents[joint])
        while above >= 0 and above not in body:
            above = int(parents[above])
        if above >= 0:
            lines.append((above, joint))
    seen = np.stack([0.8 * world[..., 0] + 0.6 * world[..., 2], world[..., 1]], axis=-1)[:, named]
    if not lines or not np.isfinite(seen).all():
        return ""
    middle = 0.5 * (seen[..., 0].min(axis=1) + seen[..., 0].max(axis=1))
    tall = max(float(np.ptp(seen[..., 1])), 1e-6)
    scale, floor = (HEIGHT - 10.0) / tall, float(seen[..., 1].min())
    wide = max(float(np.ptp(seen[..., 0], axis=1).max()) * scale + 8.0, 30.0)
    place = {joint: n for n, joint in enumerate(named)}
    strokes = []
    for figure, pose in enumerate(seen):
        x = (pose[:, 0] - middle[figure]) * scale + wide * (figure + 0.5)
        y = HEIGHT - 5.0 - (pose[:, 1] - floor) * scale
        strokes += [f"M{x[place[a]]:.0f} {y[place[a]]:.0f}L{x[place[b]]:.0f} {y[place[b]]:.0f}" for a, b in lines]
    width = wide * len(seen)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {HEIGHT}" height="{HEIGHT}">'
        f'<path d="{"".join(strokes)}" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/></svg>'
    )
