"""Finding clips: folders, globs, lists and addresses become clips with their own names."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from komadori.errors import FileNotFound, OptionError, quoted
from komadori.files import read_bytes
from komadori.formats import SAMPLE, split, suffixes
from komadori.library.store import filesystem, is_remote, plain, reaching
from komadori.words import Note

LISTS = (".txt", ".lst")
"""Suffixes of files that list clips, a path per line; # begins a comment."""
_UNFIT = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]+')
"""Characters that some file systems do not allow in a name."""
LONGEST = 120
"""The longest part of a name, in characters."""


@dataclass(frozen=True)
class Clip:
    """A clip to work on: `given` leads to it, `name` is unique, `size` in bytes indicates how long it will take."""

    name: str
    given: str
    size: int = 0


def clips(given: Sequence[str], output: str | None = None) -> tuple[Clip, ...]:
    """Every clip that `given` names, each once, in the order of their names.

    A folder stands for every motion file in it and below, a glob (walks/*.bvh) for what it matches, a list (.txt) for the files in its
    lines, an fsspec address (s3://bucket/clips) for what lies there. An OptionError if nothing is found, or if `output`
    lies inside a folder that is read: its results would become input clips.
    """
    found: dict[str, Clip] = {}
    lists: set[str] = set()
    output = None if output is None else plain(output)
    for one in map(plain, given):
        if output is not None:
            _check_apart(one, output)
        for clip in _named(one, lists):
            if output is not None:
                _check_outside(clip.given, one, output)
            found.setdefault(_identity(clip.given), clip)
    if not found:
        raise OptionError(
            "IN",
            problem=Note(
                "no clips ({names}) in {given}",
                names=" ".join(suffixes("read")),
                given=", ".join(map(quoted, given)) or "-",
            ),
        )
    return tuple(sorted(unlike(found.values()), key=lambda clip: clip.name))


def unlike(found: Iterable[Clip]) -> list[Clip]:
    """The clips with names that differ, whatever order they come in: two called walk become walk-bvh and walk-fbx."""
    named = list(found)
    for ending in (_suffix, _digest):
        # Names that differ only in case are one file on some systems.
        often = Counter(clip.name.casefold() for clip in named)
        named = [
            replace(clip, name=f"{clip.name}-{ending(clip)}") if often[clip.name.casefold()] > 1 else clip
            for clip in named
        ]
    return named


def _suffix(clip: Clip) -> str:
    path, part = split(clip.given)
    return "-".join(filter(None, [PurePosixPath(path).suffix.lower().removeprefix("."), _fit(part) if part else ""]))


def _digest(clip: Clip) -> str:
    return hashlib.sha256(_identity(clip.given).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _named(given: str, lists: set[str]) -> list[Clip]:
    """The clips that one name stands for. `lists` are those that were read: each is read once, also where it names itself."""
    if given.startswith(SAMPLE):
        return [Clip(_fit(given.removeprefix(SAMPLE)), given)]
    if is_remote(given):
        return _at_address(given)
    path = Path(given)
    if path.is_dir():
        return [_clip(one, one.relative_to(path)) for one in _in_folder(path)]
    if not path.exists() and glob.has_magic(given):
        matched = [Path(one) for one in sorted(glob.glob(given, recursive=True))]  # noqa: PTH207
        folders = [clip for one in matched if one.is_dir() for clip in _named(str(one), lists)]
        return [*(_clip(one, Path(one.name)) for one in matched if one.is_file() and _is_motion(one)), *folders]
    if path.suffix.lower() in LISTS and path.is_file():
        return _in_list(path, lists)
    # A missing file, or one of an unknown format, gets its row too.
    return [_clip(Path(given), Path(Path(given).name))]


def _in_folder(folder: Path) -> list[Path]:
    """Every motion file below `folder`; links to folders are not followed, and hidden files are skipped."""
    found = []
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        # A pipe of that name would block.
        paths = [path for name in sorted(names) if not name.startswith(".") and _is_file(path := Path(top, name))]
        moving = any(path.suffix.lower() == ".amc" for path in paths)
        # Next to its motions a skeleton is not a clip.
        found += [path for path in paths if _is_motion(path) and not (moving and path.suffix.lower() == ".asf")]
    return found


def _is_file(path: Path) -> bool:
    """Whether it can be a clip: a file, or a link that leads nowhere, which becomes a row that says so; never a pipe."""
    return path.is_file() or (path.is_symlink() and not path.exists())


def _in_list(path: Path, lists: set[str]) -> list[Clip]:
    if (own := os.path.realpath(path)) in lists:
        return []
    lists.add(own)
    text = read_bytes(path).decode("utf-8-sig", "surrogateescape")
    lines = [line.strip() for line in text.splitlines()]
    found = []
    for line in lines:
        if not line or line.startswith("#"):
            continue
        apart = line.startswith(SAMPLE) or is_remote(line) or Path(line).is_absolute()
        found += _named(line if apart else str(path.parent / line), lists)
    return found


def _at_address(given: str) -> list[Clip]:
    system, path = filesystem(given)
    if glob.has_magic(path):
        return [clip for one in _matched(system, path, given) for clip in _at_address(one)]
    if PurePosixPath(path).suffix.lower() in suffixes("read"):
        return [Clip(_fitted(PurePosixPath(path).name), given)]
    found = []
    try:
        with reaching(given):
            inside = system.find(path, detail=True)
    except FileNotFoundError:
        raise FileNotFound(given) from None
    for name, about in sorted(inside.items()):
        if _is_motion(PurePosixPath(name)):
            inner = name.removeprefix(path.rstrip("/")).lstrip("/")
            found.append(Clip(_fitted(inner), f"{given.rstrip('/')}/{inner}", int(about.get("size") or 0)))
    return found


def _matched(system: Any, path: str, given: str) -> list[str]:
    """The addresses of motion files and folders that a glob matches."""
    with reaching(given):
        found = system.glob(path, detail=True)
    wanted = [name for name, about in sorted(found.items()) if about["type"] == "directory" or _is_motion(PurePosixPath(name))]  # fmt: skip
    return [str(system.unstrip_protocol(name)) for name in wanted]


def _clip(path: Path, inner: Path) -> Clip:
    file, part = split(str(path))
    try:
        size = Path(file).stat().st_size
    except OSError:
        size = 0
    if part is None:
        return Clip(_fitted(inner.as_posix()), str(path), size)
    return Clip(f"{_fitted(split(inner.as_posix())[0])}-{_fit(part)}", str(path), size)


def _is_motion(path: Path | PurePosixPath) -> bool:
    return path.suffix.lower() in suffixes("read")


def _fitted(inner: str) -> str:
    """A clip's name from where it lies: without its suffix, and fit for every file system."""
    parts = PurePosixPath(inner).with_suffix("").parts
    return "/".join(_fit(part) for part in parts if part not in ("/", "..")) or "clip"


def _fit(part: str) -> str:
    whole = part.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _UNFIT.sub("_", whole).strip(" .")[:LONGEST] or "clip"


def _identity(given: str) -> str:
    """Equal for two spellings of one file's path."""
    if given.startswith(SAMPLE) or is_remote(given):
        return given
    path, part = split(given)
    return os.path.realpath(path) + (f"#{part}" if part else "")


def _check_apart(given: str, output: str) -> None:
    if given.startswith(SAMPLE):
        return
    if is_remote(given) or is_remote(output):
        inside = f"{output.rstrip('/')}/".startswith(f"{given.rstrip('/')}/")
    else:
        folder = Path(os.path.realpath(given))
        inside = folder.is_dir() and Path(os.path.realpath(output)).is_relative_to(folder)
    if inside:
        raise _within(output, given)


def _check_outside(clip: str, given: str, output: str) -> None:
    """A glob or a list may lead into the output even if its name does not show it."""
    if clip.startswith(SAMPLE) or is_remote(clip) or is_remote(output):
        return
    if Path(os.path.realpath(split(clip)[0])).is_relative_to(os.path.realpath(output)):
        raise _within(output, given)


def _within(output: str, given: str) -> OptionError:
    return OptionError(
        "-o",
        problem=Note(
            "{output} lies in {given}",
            output=quoted(output),
            given=quoted(given),
        ),
        advice=Note("its results would be read as clips the next time"),
    )
