"""Every format: 2,000 broken files (60 of USD and C3D), each read or refused in one line, within time and memory (`make fuzz` breaks more, for hours)."""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import resource
import signal
import sys
import traceback
from itertools import count
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if sys.platform != "linux":
    pytest.skip("limits and forks as Linux has them", allow_module_level=True)

from fuzz_mutators import broken
from fuzz_running import LIBRARIES, here
from fuzz_seeds import Seed, seeds
from fuzz_shapes import BY_FORMAT, MUTATORS

from komadori import formats
from komadori.errors import KomadoriError
from komadori.formats import apart

CASES, APART = 2000, 60
"""Broken files of each format; of USD and C3D fewer, whose libraries take a tenth of a second for one and crash on many (make fuzz)."""
SECONDS = 5
"""A file that takes longer hangs."""
MEMORY = 700_000_000
"""Bytes that reading may take beyond what the process has."""
LARGEST = 40_000
"""Sound files above this size are broken by `make fuzz` alone, for 2,000 of them take minutes."""


def known() -> dict[str, list[Seed]]:
    """The sound files of each format, the small ones; where all are large, the smallest."""
    found: dict[str, list[Seed]] = {}
    for seed in seeds():
        if seed.form in BY_FORMAT:
            found.setdefault(seed.form, []).append(seed)
    return {
        form: [one for one in listed if len(one.data) <= LARGEST] or [min(listed, key=lambda one: len(one.data))]
        for form, listed in found.items()
    }


SEEDS = known()


def cases_of(form: str) -> int:
    """How many files of a format are broken here."""
    return APART if form.startswith(("USD", "C3D")) else CASES


def read(path: Path) -> None:
    """Reads a file as a motion or whatever it holds, and as a character; an error of ours must be one line."""
    suffix = path.suffix.lower()
    readers = [formats.load]
    if suffix in formats.suffixes("read_character"):
        readers.append(formats.load_character)
    for reader in readers:
        try:
            reader(path)
        except KomadoriError as error:
            if "\n" in str(error):
                raise ValueError("an error of more than one line") from error


def worked_through(form: str, folder: Path, first: int, tell: int) -> None:
    """In a child: reads the broken files from number `first` on, telling the number of each before; never returns."""
    apart.read = here
    gc.disable()
    faulthandler.disable()
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 2)
    used = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(first, cases_of(form)):
        os.write(tell, f"{number}\n".encode())
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            read(made(form, number, folder))
        except BaseException:
            os.write(tell, traceback.format_exc(limit=-4).encode())
            os._exit(1)
        if number % 50 == 49:
            gc.collect()
    os._exit(0)


def made(form: str, number: int, folder: Path) -> Path:
    """The broken file of that number: the same every time."""
    rng = random.Random(f"{form} {number}")
    seed = SEEDS[form][number % len(SEEDS[form])]
    place = folder / str(number % len(SEEDS[form]))
    if not place.exists():
        place.mkdir()
        for name, data in seed.beside.items():
            (place / name).write_bytes(data)
    path = place / f"case{seed.suffix}"
    path.write_bytes(broken(seed.data, MUTATORS[form], rng))
    return path


@pytest.mark.parametrize("form", sorted(BY_FORMAT))
def test_broken_files_of_every_format(form: str, tmp_path: Path) -> None:
    """A library that crashes, hangs or takes memory may: komadori reads its formats in a separate process."""
    if form not in SEEDS:
        pytest.skip("no sound file can be made without the library of this format")
    number = 0
    for attempt in count():
        told, tell = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(told)
            worked_through(form, tmp_path, number, tell)
        os.close(tell)
        with os.fdopen(told, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        _, status = os.waitpid(child, 0)
        lines = said.splitlines()
        last = max((int(line) for line in lines if line.isdigit()), default=number)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            break
        outside = SEEDS[form][0].suffix in LIBRARIES
        stayed = os.WIFSIGNALED(status) or "MemoryError" in said
        where = f"file {last}: {said[-2000:]} (signal {status & 127})"
        assert outside, where
        assert stayed, where
        number = last + 1
        assert attempt < CASES
        if number >= cases_of(form):
            break
