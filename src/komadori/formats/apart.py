"""Reading in a process of its own: where a library may crash or hang on a bad file, only that process does.

Run as a program (`python -m komadori.formats.apart MODULE PATH OPTIONS`) it calls the `read_here` of that module and sends
back what it gave.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from komadori.errors import FormatError, KomadoriError, OptionError, UnreadableFile, quoted
from komadori.words import Note

SECONDS = 120.0
"""Longer than any file that was met takes."""
LEAST_MEMORY = 4 << 30
MEMORY_A_BYTE = 60
"""Memory that reading may take: so much a byte of the file, and LEAST_MEMORY at least."""


@dataclass(frozen=True)
class Extra:
    """A library that komadori can do without: the kind of file, its module, its name, and the extra that installs it."""

    kind: str
    module: str
    library: str
    extra: str

    def check(self) -> None:
        """An OptionError of one line where it is not installed."""
        if find_spec(self.module) is None:
            raise OptionError(
                Note(
                    "{kind} files need the library {library}, which is not installed: pip install 'komadori[{extra}]'",
                    kind=self.kind,
                    library=self.library,
                    extra=self.extra,
                )
            )


def read(module: str, path: Path, needs: Extra, **options: str | None) -> Any:
    """What `read_here(path, **options)` of `module` gives, or its error; a FormatError where it crashes or never ends."""
    needs.check()
    library = needs.library
    command = [sys.executable, "-m", __name__, module, os.fspath(path), json.dumps(options)]
    # One thread: a library of linear algebra reserves memory for each, which the limit would count.
    settings = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
    try:
        ended = subprocess.run(
            command, env={**os.environ, **settings}, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise FormatError(
            path,
            expected=Note("a file that {library} can read", library=library),
            found=Note("no end after {seconds:g} s", seconds=SECONDS),
        ) from None
    except OSError as error:
        raise OptionError(
            Note("{path}: no process could be started to read it: {error}", path=path, error=error)
        ) from None
    if ended.returncode != 0 or not ended.stdout:
        raise FormatError(path, expected=Note("a file that {library} can read", library=library), found=_ending(ended))
    value = pickle.loads(ended.stdout)
    if isinstance(value, KomadoriError):
        raise value
    return value


def _ending(ended: subprocess.CompletedProcess[bytes]) -> str:
    if ended.returncode < 0:
        return Note("one on which it crashes (signal {signal})", signal=-ended.returncode)
    told = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    if not told:
        return Note("one on which it fails without a word")
    return Note("one on which it fails, {told}", told=quoted(told[-1]))


def _limit_memory(path: Path) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits.
        return
    try:
        wanted = max(LEAST_MEMORY, MEMORY_A_BYTE * path.stat().st_size)
    except OSError:
        wanted = LEAST_MEMORY
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _serve(module: str, path: Path, options: dict[str, str | None]) -> Any:
    try:
        return importlib.import_module(module).read_here(path, **options)
    except KomadoriError as error:
        return error
    except MemoryError:
        return UnreadableFile(path, Note("it is more than fits into memory"))


def main() -> None:
    """The program that `read` runs."""
    module, given, options = sys.argv[1:]
    # The collector crashes on the objects of ufbx 0.0.5; nothing here lives long enough to need it.
    gc.disable()
    # A library may print: only the answer goes to the pipe.
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)
        _limit_memory(Path(given))
        answer.write(pickle.dumps(_serve(module, Path(given), json.loads(options)), protocol=5))
        answer.flush()
    # An orderly end would collect after all.
    os._exit(0)


if __name__ == "__main__":
    main()
