"""The fuzzing program itself: it sees every kind of harm, and what it makes of sound files is mostly refused."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

if sys.platform != "linux":
    pytest.skip("limits and forks as Linux has them", allow_module_level=True)

import fuzz_running
from fuzz_mutators import broken
from fuzz_running import harm_of, outcomes_of, shrunk
from fuzz_seeds import seeds
from fuzz_shapes import BY_FORMAT, BY_PROTOCOL, MUTATORS
from fuzz_tally import Tally, page, rows

from komadori.formats.table import FORMATS
from komadori.live.sources import READERS


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


def test_cases_that_share_a_process_are_judged_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_running, "SECONDS", 1)
    harms = {"3": _fails, "5": _hogs, "6": _hangs, "7": lambda _: os.kill(os.getpid(), signal.SIGKILL)}

    def attempt(path: Path) -> bool:
        harm = harms.get(path.stem)
        if harm is not None:
            harm(path)
        return path.stem == "1"

    outcomes = outcomes_of([(b"x", tmp_path / f"{number}.bvh") for number in range(9)], attempt)
    assert [outcome.read for outcome in outcomes] == [number == 1 for number in range(9)]
    assert [outcome.harm.partition(" at")[0] for outcome in outcomes] == [
        "", "", "", "ZeroDivisionError", "", "memory", "hang", "signal 9", "",
    ]  # fmt: skip


def test_what_is_found_is_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def harm(data: bytes, _: Path) -> str:
        return "KeyError at a.py:1: x" if b"!" in data else ""

    monkeypatch.setattr(fuzz_running, "harm_of", harm)
    assert shrunk(b"a" * 500 + b"!" + b"b" * 500, tmp_path / "a", "KeyError at a.py:1: y") == b"!"


def test_every_format_and_protocol_can_be_broken() -> None:
    declared = {f"{form.name} {form.suffixes[0]}" for form in FORMATS}
    assert declared == set(BY_FORMAT)
    assert {name.split()[0].lower() for name in BY_PROTOCOL} == set(READERS)


def test_files_are_broken_in_many_ways_again_and_again() -> None:
    rng = random.Random(1)
    for seed in seeds():
        mutate = MUTATORS[seed.form]
        made = {broken(seed.data, mutate, rng) for _ in range(40)}
        assert len(made) > 20, seed.form
        # What is broken, cut off and empty can be broken once more.
        for data in (*sorted(made)[:10], seed.data[: rng.randrange(len(seed.data))], seed.data[:5], b""):
            broken(data, mutate, rng)


def test_a_tally_goes_on_from_run_to_run(tmp_path: Path) -> None:
    path = tmp_path / "tally.json"
    for harms in ((False, True, False), (False, False)):
        tally = Tally(path)
        tally.seeds.append(tally.next_seed())
        for harm in harms:
            tally.count("BVH .bvh").add(harm, read=not harm)
        tally.save()
    found = Tally(path)
    assert found.seeds == [0, 1]
    assert found.next_seed() == 2
    # Cases, read, in a library, harm, and how many came after the last harm.
    assert rows(found.counts) == [("BVH .bvh", 5, 4, 0, 1, 3), ("all", 5, 4, 0, 1, 3)]
    assert "| BVH .bvh | 5 | 4 | 0 | 1 | 3 |" in page(found)
