"""Reading in a separate process: where a library may crash or hang on a bad file, only that process does.

The process starts isolated, so that nothing in the working directory or the environment is imported; what to read goes in on
its standard input, and what it gives comes back as a parcel, which is plain data. Its limits are its own (`apart_child`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from komadori import children
from komadori.errors import FormatError, KomadoriError, OptionError, quoted
from komadori.formats import parcel
from komadori.words import Note

SECONDS = 20.0
SECONDS_A_MEGABYTE = 3.0
"""Reading is given up after this long; the largest known files take a tenth of it."""
MEMORY = 2 << 30
MEMORY_A_BYTE = 60
"""The memory limit for reading; the libraries themselves take a good part of it."""
FAILURES = 256
"""How many files that made a reader fail are remembered, so that a listing does not wait for them again."""
_GRACE_S = 5.0
_ALARM = getattr(signal, "SIGALRM", 0)
_START = (
    "import json, sys; given = json.loads(sys.stdin.buffer.read()); sys.path[:] = given['path']; "
    "from komadori.formats.apart_child import main; main(given)"
)


@dataclass(frozen=True)
class Extra:
    """A library that komadori can do without: the kind of file, its module, its name, and the extra that installs it."""

    kind: str
    module: str
    library: str
    extra: str

    def check(self) -> None:
        """An OptionError of one line if it is not installed."""
        if find_spec(self.module) is None:
            raise OptionError(
                Note(
                    "{kind} files need the library {library}, which is not installed: pip install 'komadori[{extra}]'",
                    kind=self.kind,
                    library=self.library,
                    extra=self.extra,
                )
            )


@dataclass(frozen=True)
class _Asked:
    """The state of a file when it was read: if a reader failed on it, it is not read again until it changes."""

    module: str
    path: str
    size: int
    changed_ns: int
    library: str
    options: str
    seconds: float


def read(module: str, path: Path, needs: Extra, **options: str | None) -> Any:
    """What `read_here(path, **options)` of `module` gives, or its error; a FormatError if it crashes or never ends."""
    needs.check()
    try:
        about = path.stat()
        size, changed = about.st_size, about.st_mtime_ns
    except OSError:
        size, changed = 0, 0
    seconds = SECONDS + SECONDS_A_MEGABYTE * size / 1e6
    asked = _Asked(module, os.fspath(path), size, changed, needs.library, json.dumps(options), seconds)
    if (before := _FAILED.get(asked)) is not None:
        raise FormatError(path, expected=_sound(asked), found=before)
    value = _answer(asked)
    if isinstance(value, KomadoriError):
        raise value
    return value


_FAILED: dict[_Asked, Note] = {}
_RUNNING: set[subprocess.Popen[bytes]] = set()


def stop() -> None:
    """Ends every running reader, so that nobody waits for one any more."""
    for running in tuple(_RUNNING):
        running.kill()


def _run(command: list[str], env: dict[str, str], given: bytes, seconds: float) -> subprocess.CompletedProcess[bytes]:
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        _RUNNING.add(running)
        try:
            answer, told = running.communicate(given, seconds)
        except BaseException:
            running.kill()
            raise
        finally:
            _RUNNING.discard(running)
    return subprocess.CompletedProcess(command, running.returncode, answer, told)


def _answer(asked: _Asked) -> Any:
    given = {
        "path": children.paths(),
        "module": asked.module,
        "file": asked.path,
        "options": json.loads(asked.options),
        "memory": MEMORY + MEMORY_A_BYTE * asked.size,
        "seconds": asked.seconds,
        "parent": os.getpid(),
    }
    command = children.isolated(_START)
    # One thread: a library of linear algebra reserves memory for each, which the limit would count.
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    try:
        ended = _run(command, env, json.dumps(given).encode(), asked.seconds + _GRACE_S)
    except subprocess.TimeoutExpired:
        raise _failed(asked, _endless(asked)) from None
    except OSError as error:
        raise OptionError(
            Note("{path}: no process could be started to read it: {error}", path=asked.path, error=error)
        ) from None
    if ended.returncode != 0 or not ended.stdout:
        raise _failed(asked, _ending(asked, ended))
    try:
        return parcel.opened(ended.stdout)
    except parcel.Damaged as error:
        raise _failed(asked, Note("an error in that library, {told}", told=quoted(str(error)))) from None


def _sound(asked: _Asked) -> Note:
    return Note("a file that {library} can read", library=asked.library)


def _failed(asked: _Asked, found: Note) -> FormatError:
    """The error of a reader that was lost, which is remembered."""
    while len(_FAILED) >= FAILURES:
        _FAILED.pop(next(iter(_FAILED)))
    _FAILED[asked] = found
    return FormatError(asked.path, expected=_sound(asked), found=found)


def _endless(asked: _Asked) -> Note:
    return Note("no result after {seconds:g} s", seconds=round(asked.seconds, 1))


def _ending(asked: _Asked, ended: subprocess.CompletedProcess[bytes]) -> Note:
    if _ALARM and ended.returncode == -_ALARM:
        return _endless(asked)
    if ended.returncode < 0:
        return Note("a crash in that library (signal {signal})", signal=-ended.returncode)
    told = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    if not told:
        return Note("an error in that library without a message")
    return Note("an error in that library, {told}", told=quoted(told[-1]))
