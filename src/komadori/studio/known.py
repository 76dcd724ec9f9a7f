"""Files that the user named on the command line, remembered for each project so that it opens again with them.

The list lies in the user's own data folder, never in a project: a project from a stranger names files as it likes, and reads none.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from komadori.errors import KomadoriError
from komadori.files import read_bytes, write_bytes
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.spelling import can_be_spelled, spelled

NAME = "opened.json"
MOST_FILES = 64
"""Files that are remembered for one project, the newest first."""
MOST_PROJECTS = 200


class _Known(msgspec.Struct):
    projects: dict[str, list[str]] = {}


def remembered(data: Path, project: Path) -> list[Path]:
    """The files that were opened in `project`, newest first; `data` is the user's data folder."""
    return [Path(name) for name in _read_known(data).projects.get(_name(project), []) if Path(name).is_absolute()]


def remember(data: Path, project: Path, files: Iterable[Path]) -> None:
    """Adds files to those of `project`. Raises OutputError if that cannot be written."""
    named = [str(path) for file in files if can_be_spelled(path := Path(file).absolute())]
    if not named:
        return
    known = _read_known(data)
    before = known.projects.pop(_name(project), [])
    known.projects[_name(project)] = list(dict.fromkeys([*named, *before]))[:MOST_FILES]
    kept = dict(list(known.projects.items())[-MOST_PROJECTS:])
    write_bytes(data / NAME, msgspec.json.format(msgspec.json.encode(_Known(kept)), indent=1) + b"\n")


def _read_known(data: Path) -> _Known:
    try:
        return msgspec.json.decode(read_bytes(data / NAME), type=_Known)
    except (KomadoriError, *WRONG_JSON):
        # No list, or none that can be read: nothing is remembered, and nothing of the work itself is in it.
        return _Known()


def _name(project: Path) -> str:
    return spelled(project.absolute())
