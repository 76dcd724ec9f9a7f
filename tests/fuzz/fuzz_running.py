"""One broken file, read in a separate process within limits; and the smallest file that still does the same harm."""

from __future__ import annotations

import gc
import importlib
import math
import os
import resource
import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz_packets import PACKETS, heard

from komadori import formats
from komadori.character import Character
from komadori.cut import Cut
from komadori.errors import KomadoriError
from komadori.formats import apart
from komadori.motion import Motion

SECONDS = 5
CLOCK = 24
"""Seconds on the clock for a second of processor time: what waits and never works is a hang too."""
MEMORY, MEMORY_A_BYTE = 500_000_000, 10
SHRINKS = 150
READ = 3
"""The status of a process that could make something of its file."""
AGAIN = {
    Motion: (".bvh", ".vmd", ".glb", ".vrma", ".fbx", ".npz"),
    Character: (".glb", ".fbx"),
    Cut: (".xdts", ".tdts", ".sts", ".sxf", ".json", ".csv", ".celsys.csv", ".tvpaint.csv", ".txt"),
}
"""How what was read is written again: files that we write, we read."""


@dataclass(frozen=True)
class Outcome:
    """What reading a broken file did: the harm (empty if there was none), whether something was read, and whether the
    harm stays in the process in which komadori reads such files."""

    harm: str = ""
    read: bool = False
    apart: bool = False


def here(module: str, path: Path, needs: apart.Extra, **options: str | None) -> Any:
    """Like `apart.read`, without another process: this one is apart already."""
    needs.check()
    return importlib.import_module(module).read_here(path, **options)


def attempted(path: Path) -> bool:
    """Reads `path` in every way in which it can be, and writes and reads again what it held; whether it held anything.

    Errors of ours, of one line, are what it may end in.
    """
    if path.suffix in PACKETS:
        return heard(path.suffix, path.read_bytes())
    apart.read = here
    read = False
    for reader in (formats.load, formats.load_character):
        try:
            thing = reader(path)
        except KomadoriError as error:
            if "\n" in str(error):
                raise ValueError("an error of more than one line") from error
            continue
        read = True
        for suffix in _written_as(thing, path):
            _again(thing, path.with_name(f"again{suffix}"))
    return read


def _written_as(thing: Any, path: Path) -> tuple[str, ...]:
    """One of the suffixes, another for another file, and if nothing is listed the file's own."""
    for kind, suffixes in AGAIN.items():
        if isinstance(thing, kind):
            return (suffixes[sum(path.read_bytes()) % len(suffixes)],)
    return (path.suffix,)


def _again(thing: Any, path: Path) -> None:
    try:
        path.write_bytes(formats.encoded(thing, path))
    except KomadoriError:
        return
    try:
        (formats.load_character if isinstance(thing, Character) else formats.load)(path)
    except KomadoriError as error:
        raise AssertionError(f"{path.suffix} is written and not read: {error}") from error


def outcomes_of(cases: Sequence[tuple[bytes, Path]], attempt: Callable[[Path], Any] = attempted) -> list[Outcome]:
    """What reading each case does. Many share a process, each within limits of its own: half the time goes into forks else.

    Where a process comes to harm, the case that it was at is tried again in a separate process, whose word counts.
    """
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cases):
        outcomes += _together(cases[len(outcomes) :], attempt)
        if len(outcomes) < len(cases):
            outcomes.append(outcome_of(*cases[len(outcomes)], attempt))
    return outcomes


def _together(cases: Sequence[tuple[bytes, Path]], attempt: Callable[[Path], Any]) -> list[Outcome]:
    """The outcomes of the cases before the first that does harm."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)
        try:
            for data, path in cases:
                path.write_bytes(data)
                _limit(len(data))
                os.write(tell, b"R" if attempt(path) else b"-")
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return [Outcome(read=mark == ord("R")) for mark in said]


def outcome_of(data: bytes, path: Path, attempt: Callable[[Path], Any] = attempted) -> Outcome:
    """What reading `data` at `path` does; harm is one line, the same for the same fault."""
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
    library = path.suffix in LIBRARIES
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        harm = "hang" if number in (signal.SIGALRM, signal.SIGXCPU) else f"signal {number}"
        return Outcome(harm, apart=library)
    return Outcome(said, os.WEXITSTATUS(status) == READ, library and said == "memory")


LIBRARIES = (".fbx", ".c3d", ".usd", ".usda", ".usdc", ".usdz")
"""Formats that komadori reads in a separate process: where a library crashes, hangs or takes memory, that process ends alone."""


def harm_of(data: bytes, path: Path, attempt: Callable[[Path], Any] = attempted) -> str:
    """What reading `data` does that it may not; empty if all is well."""
    return outcome_of(data, path, attempt).harm


def _read_in_child(path: Path, size: int, tell: int, attempt: Callable[[Path], Any]) -> None:
    code = 0
    try:
        _limit(size)
        code = READ if attempt(path) else 0
    except MemoryError:
        os.write(tell, b"memory")
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        os.write(tell, f"{type(error).__name__} at {place}: {str(error)[:300]}".encode(errors="replace"))
        code = 1
    os._exit(code)


def _limit(size: int) -> None:
    """From now on 5 s of processor time, and ten times the input and 500 MB of memory more than there is."""
    gc.disable()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY + MEMORY_A_BYTE * size
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    spent = resource.getrusage(resource.RUSAGE_SELF)
    end = math.ceil(spent.ru_utime + spent.ru_stime) + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
    # Much more time on the clock: other processes may have the processor.
    signal.setitimer(signal.ITIMER_REAL, CLOCK * SECONDS)


def kind_of(harm: str) -> str:
    """What faults that are the same have in common: their kind and place."""
    return ":".join(harm.split(":")[:2])


def shrunk(data: bytes, path: Path, harm: str) -> bytes:
    """A smaller file that does the same, found by leaving pieces out."""
    kind, size, tries = kind_of(harm), len(data) // 2, 0
    while size >= 1 and tries < SHRINKS:
        at = 0
        while at < len(data) and tries < SHRINKS:
            less = data[:at] + data[at + size :]
            tries += 1
            if kind_of(harm_of(less, path)) == kind:
                data = less
            else:
                at += size
        size //= 2
    return data
