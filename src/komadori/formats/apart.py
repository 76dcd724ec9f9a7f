"""Reading in a process of its own: where a library may crash or hang on a bad file, only that process does.

The process starts isolated, so that nothing in the working directory or the environment is imported; what to read goes in on
its standard input, and what it gives comes back as a parcel, which is plain data. Its limits are its own (`apart_child`).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from komadori.errors import FormatError, KomadoriError, OptionError, quoted
from komadori.formats import parcel
from komadori.words import Note

SECONDS = 20.0
SECONDS_A_MEGABYTE = 3.0
"""Reading ends after so long; the largest files that were met take a tenth of it."""
MEMORY = 2 << 30
MEMORY_A_BYTE = 60
"""Reading takes no more memory than this, of which the libraries themselves take a good part."""
FAILURES = 256
"""How many files are remembered on which a reader failed: each listing would wait for it anew."""
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


@dataclass(frozen=True)
class _Asked:
    """One file as it was when it was read: the same is not read again where a reader failed on it."""

    module: str
    path: str
    size: int
    changed_ns: int
    library: str
    options: str
    seconds: float


def read(module: str, path: Path, needs: Extra, **options: str | None) -> Any:
    """What `read_here(path, **options)` of `module` gives, or its error; a FormatError where it crashes or never ends."""
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
    """Ends every reader that is at work, so that nobody waits for it any more."""
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
        "path": _paths(),
        "module": asked.module,
        "file": asked.path,
        "options": json.loads(asked.options),
        "memory": MEMORY + MEMORY_A_BYTE * asked.size,
        "seconds": asked.seconds,
        "parent": os.getpid(),
    }
    command = [sys.executable, "-I", "-c", _START]
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
        raise _failed(asked, Note("one on which it fails, {told}", told=quoted(str(error)))) from None


def _paths() -> list[str]:
    """Where a child may import from: Python's own modules first, then this package, then all else except the working directory."""
    home = str(Path(__file__).parents[2])
    others = [entry for entry in sys.path if Path(entry).is_absolute() and entry not in (home, str(Path.cwd()))]
    own = [entry for entry in others if _is_standard(entry)]
    return [*own, home, *(entry for entry in others if entry not in own)]


def _is_standard(entry: str) -> bool:
    standard = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    named = Path(entry)
    return named in standard or (named.parent in standard and named.name == "lib-dynload") or named.suffix == ".zip"


def _sound(asked: _Asked) -> Note:
    return Note("a file that {library} can read", library=asked.library)


def _failed(asked: _Asked, found: Note) -> FormatError:
    """The error of a reader that was lost, which is remembered."""
    while len(_FAILED) >= FAILURES:
        _FAILED.pop(next(iter(_FAILED)))
    _FAILED[asked] = found
    return FormatError(asked.path, expected=_sound(asked), found=found)


def _endless(asked: _Asked) -> Note:
    return Note("no end after {seconds:g} s", seconds=round(asked.seconds, 1))


def _ending(asked: _Asked, ended: subprocess.CompletedProcess[bytes]) -> Note:
    if _ALARM and ended.returncode == -_ALARM:
        return _endless(asked)
    if ended.returncode < 0:
        return Note("one on which it crashes (signal {signal})", signal=-ended.returncode)
    told = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    if not told:
        return Note("one on which it fails without a word")
    return Note("one on which it fails, {told}", told=quoted(told[-1]))
