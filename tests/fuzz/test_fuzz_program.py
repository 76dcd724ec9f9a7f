"""The fuzzing program itself: it sees every kind of harm, and what it makes of sound files is mostly refused."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if sys.platform != "linux":
    pytest.skip("limits and forks as Linux has them", allow_module_level=True)

import fuzz_running
from fuzz_mutators import mutated
from fuzz_running import harm_of, shrunk
from fuzz_seeds import seeds


def _fails(_: Path) -> None:
    raise ZeroDivisionError("oh")


def _hogs(_: Path) -> None:
    bytearray(2_000_000_000)


def _hangs(_: Path) -> None:
    while True:
        time.process_time()


def test_every_kind_of_harm_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_running, "SECONDS", 1)
    assert harm_of(b"x", tmp_path / "a.bvh") == ""
    assert harm_of(b"x", tmp_path / "a.bvh", _fails).startswith("ZeroDivisionError at test_fuzz_program.py")
    assert harm_of(b"x", tmp_path / "a.bvh", _hogs) == "memory"
    assert harm_of(b"x", tmp_path / "a.bvh", _hangs) == "hang"


def test_what_is_found_is_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def harm(data: bytes, _: Path) -> str:
        return "KeyError at a.py:1: x" if b"!" in data else ""

    monkeypatch.setattr(fuzz_running, "harm_of", harm)
    assert shrunk(b"a" * 500 + b"!" + b"b" * 500, tmp_path / "a", "KeyError at a.py:1: y") == b"!"


def test_files_are_broken_in_many_ways() -> None:
    rng = random.Random(1)
    for suffix, sound in seeds():
        made = {mutated(sound, suffix, rng) for _ in range(40)}
        assert len(made) > 25, suffix
