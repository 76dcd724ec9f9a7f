"""One broken file, read in a process of its own within limits; and the smallest file that still does the same harm."""

from __future__ import annotations

import gc
import os
import resource
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

from komadori import formats
from komadori.errors import KomadoriError

SECONDS = 5
MEMORY, MEMORY_A_BYTE = 500_000_000, 10
SHRINKS = 150


def attempted(path: Path) -> None:
    """Reads `path` in every way in which it can be; errors of ours are what it may end in."""
    for read in (formats.load, formats.load_character):
        try:
            read(path)
        except KomadoriError as error:
            if "\n" in str(error):
                raise ValueError("an error of more than one line") from error


def harm_of(data: bytes, path: Path, attempt: Callable[[Path], None] = attempted) -> str:
    """What reading `data` does that it may not: one line, the same for the same fault; empty where all is well."""
    path.write_bytes(data)
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        _read_in_child(path, len(data), tell, attempt)
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hang" if number in (signal.SIGALRM, signal.SIGXCPU) else f"signal {number}"
    return said


def _read_in_child(path: Path, size: int, tell: int, attempt: Callable[[Path], None]) -> None:
    code = 0
    try:
        gc.disable()
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY + MEMORY_A_BYTE * size
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        # Twice the time on the clock: another process may have the processor.
        signal.setitimer(signal.ITIMER_REAL, 4 * SECONDS)
        attempt(path)
    except MemoryError:
        os.write(tell, b"memory")
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        os.write(
            tell, f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {str(error)[:100]}".encode()
        )
        code = 1
    os._exit(code)


def shrunk(data: bytes, path: Path, harm: str) -> bytes:
    """A smaller file that does the same, found by leaving pieces out."""
    kind, size, tries = harm.split(":")[0], len(data) // 2, 0
    while size >= 1 and tries < SHRINKS:
        at = 0
        while at < len(data) and tries < SHRINKS:
            less = data[:at] + data[at + size :]
            tries += 1
            if harm_of(less, path).split(":")[0] == kind:
                data = less
            else:
                at += size
        size //= 2
    return data
