"""The token and the port of each project, remembered: a page that is open when the studio is restarted finds it again.

They lie in the user's own data folder, which others cannot read, never in a project: one from a stranger brings no token of its own.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from pathlib import Path

import msgspec

from komadori.errors import KomadoriError, OutputError
from komadori.files import read_bytes, write_bytes
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.spelling import spelled

NAME = "doors.json"
MOST = 200
"""Projects whose doors are remembered."""
_TOKEN = re.compile(r"[\w-]{32}")


class Doorway(msgspec.Struct, frozen=True):
    """Where a project was last open: its token, and its port."""

    token: str
    port: int = 0


class _Known(msgspec.Struct):
    projects: dict[str, Doorway] = {}


def doorway(data: Path, project: Path) -> Doorway:
    """The project's doorway, a new one if none is known; `data` is the user's data folder."""
    known = _read(data).projects.get(spelled(project.absolute()))
    if known is None or not _TOKEN.fullmatch(known.token) or not 0 <= known.port < 2**16:
        return Doorway(secrets.token_urlsafe(24))
    return known


def remember(data: Path, project: Path, door: Doorway) -> None:
    """Keeps a doorway for the next time. Where that cannot be written, the next time has a new one."""
    known = _read(data)
    if known.projects.get(spelled(project.absolute())) == door:
        return
    known.projects.pop(spelled(project.absolute()), None)
    known.projects[spelled(project.absolute())] = door
    kept = dict(list(known.projects.items())[-MOST:])
    path = data / NAME
    with contextlib.suppress(OSError, OutputError):
        data.mkdir(parents=True, exist_ok=True)
        # The mode comes first: what is written over a file keeps the mode that the file has.
        path.touch(mode=0o600)
        path.chmod(0o600)
        write_bytes(path, msgspec.json.encode(_Known(kept)), follow=False)


def _read(data: Path) -> _Known:
    try:
        return msgspec.json.decode(read_bytes(data / NAME), type=_Known)
    except (KomadoriError, *WRONG_JSON):
        return _Known()
