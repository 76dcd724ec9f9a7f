"""The other side of `apart`: a process that reads one file, within limits that it sets itself, and ends with its parent."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
from pathlib import Path
from typing import Any

from komadori.errors import KomadoriError, UnreadableFile
from komadori.formats import parcel
from komadori.words import Note

_PR_SET_PDEATHSIG = 1


def main(given: dict[str, Any]) -> None:
    """Reads what `apart.read` asks for, writes the answer to standard output, and ends."""
    # The collector crashes on the objects of ufbx 0.0.5; nothing here lives long enough to need it.
    gc.disable()
    # A library may print: only the answer must go to the pipe.
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        # Unbuffered, so that a crash message comes last: its last line is reported.
        sys.stdout = sys.stderr
        _die_with(given["parent"])
        _limit(given["memory"], given["seconds"])
        answer.write(parcel.packed(_served(given["module"], Path(given["file"]), given["options"])))
        answer.flush()
    # A normal exit would run the collector after all.
    os._exit(0)


def _served(module: str, path: Path, options: dict[str, str | None]) -> Any:
    try:
        return importlib.import_module(module).read_here(path, **options)
    except KomadoriError as error:
        return error
    except MemoryError:
        return UnreadableFile(path, Note("it does not fit into memory"))


def _limit(memory: int, seconds: float) -> None:
    """No more than `memory` bytes, and no more than `seconds`, even inside a library that never returns to Python."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; there the parent alone keeps the time.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    # Some systems know the limit and refuse to set it.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for ending in (signal.SIGALRM, signal.SIGINT):
        signal.signal(ending, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _die_with(parent: int) -> None:
    """Asks Linux to end this process when its parent ends; elsewhere the limit of time does."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
