"""Random kills: workers, the parent, a cluster's workers and its scheduler end with signal 9, and --resume must mend what is left.

`python -m bench.kills [ROUNDS [FIRST]]` runs so many rounds and prints the outcome of them; `bench.batch` puts them into its page, and a test runs a few.
Every round has its own seed, so that rounds 1 to 50 may be run in slices: `python -m bench.kills 10 11` runs rounds 11 to 20.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import komadori
from komadori.characters import sample
from komadori.library.jobs import TIMES

SAMPLES = ("walk", "kick", "pitch", "slow-walk")
CLIPS = 16
WORKER, PARENT, CLUSTER_WORKER, SCHEDULER = "a worker", "the parent", "a worker of a cluster", "the scheduler of a cluster"  # fmt: skip
VICTIMS = (WORKER, PARENT, SCHEDULER, WORKER, PARENT, SCHEDULER, CLUSTER_WORKER)
"""Who is killed, round after round."""
ATTEMPTS = 5
"""A run that had ended before anybody was killed says nothing and is run again, so many times."""
LONGEST_S = 600.0
"""The longest that one run may take, on however busy a machine."""


@dataclass(frozen=True)
class Round:
    """What one kill did: who was hit, how many clips were done when the run had ended, and what differs after --resume."""

    victim: str
    done: int
    repeated: int
    """Of those, the clips that --resume did again."""
    lost: int
    doubled: int
    changed: int
    files: int
    """Files that are missing, differ, or should not be there."""

    @property
    def wrong(self) -> bool:
        """Whether anything differs from an undisturbed run."""
        return bool(self.repeated or self.lost or self.doubled or self.changed or self.files)


def rounds(folder: Path, count: int, first: int = 1, victims: tuple[str, ...] = VICTIMS) -> Iterator[Round]:
    """`count` kills at random moments from round `first` on, each of its own batch below `folder`."""
    shelf, whole = folder / "shelf", folder / "whole"
    if not whole.exists():
        library(shelf)
        finished(begun(shelf, "-o", whole, "--jobs", "2"))
    for number in range(first, first + count):
        yield _round(folder, shelf, whole, victims[(number - 1) % len(victims)], random.Random(number))


def library(shelf: Path) -> None:
    """A few short clips, and one that cannot be read."""
    for number in range(CLIPS - 1):
        name = SAMPLES[number % len(SAMPLES)]
        komadori.save(sample(name)[: 24 + number], shelf / f"{name}-{number:02d}.bvh")
    (shelf / "broken.bvh").write_text("HIERARCHY\nROOT\n")


def _round(folder: Path, shelf: Path, whole: Path, victim: str, rng: random.Random) -> Round:
    out = folder / "out"
    for _ in range(ATTEMPTS):
        shutil.rmtree(out, ignore_errors=True)
        at = rng.randrange(CLIPS - 3)
        with cluster(folder) if victim in (SCHEDULER, CLUSTER_WORKER) else contextlib.nullcontext() as there:
            where = ["--jobs", "2"] if there is None else ["--on", f"dask://{there.address}"]
            process = begun(shelf, "-o", out, *where)
            waited = time.monotonic() + LONGEST_S
            while process.poll() is None and len(whole_records(out)) < at and time.monotonic() < waited:
                time.sleep(0.005)
            # Somewhere within a clip, not always just after a record.
            time.sleep(rng.random() * 0.05)
            hit = process.poll() is None and _kill(_pid(victim, process.pid, there, rng))
            finished(process)
        if hit:
            break
    else:
        raise RuntimeError(f"{victim} could not be killed in {ATTEMPTS} runs")
    before = {name: when for name, when in whole_records(out).items() if '"status": "done"' in (out / name).read_text()}
    finished(begun(shelf, "-o", out, "--jobs", "2", "--resume"))
    after = whole_records(out)
    mine, want = rows(out), rows(whole)
    names = [row["clip"] for row in mine]
    by_name = {row["clip"]: row for row in mine}
    made, wanted = contents(out), contents(whole)
    return Round(
        victim,
        done=len(before),
        repeated=sum(after.get(name) != when for name, when in before.items()),
        lost=sum(row["clip"] not in by_name for row in want),
        doubled=len(names) - len(by_name),
        changed=sum(by_name.get(row["clip"], row) != row for row in want),
        files=sum(made.get(name) != wanted.get(name) for name in made.keys() | wanted.keys()),
    )


@dataclass(frozen=True)
class Cluster:
    """A scheduler and a worker with two threads, as separate processes."""

    scheduler: subprocess.Popen[bytes]
    workers: tuple[subprocess.Popen[bytes], ...]
    address: str


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2) -> Iterator[Cluster]:
    """A Dask cluster on this machine, gone when it is left."""
    with tempfile.TemporaryDirectory(prefix="cluster-", dir=folder, ignore_cleanup_errors=True) as home:
        file = Path(home, "scheduler.json")
        common = ("--no-dashboard", "--scheduler-file", str(file))
        scheduler = _quiet("-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", *common)
        more = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--local-directory", home)
        held = tuple(_quiet("-m", "dask", "worker", *more, *common) for _ in range(workers))
        try:
            end = time.monotonic() + LONGEST_S
            while not file.exists() and scheduler.poll() is None and time.monotonic() < end:
                time.sleep(0.02)
            address = str(json.loads(file.read_text())["address"]).removeprefix("tcp://")
            yield Cluster(scheduler, held, address)
        finally:
            for one in (*held, scheduler):
                one.kill()
                one.wait()


def begun(*args: str | Path) -> subprocess.Popen[bytes]:
    """`komadori batch` in a separate process."""
    return _quiet("-m", "komadori", "batch", *map(str, args))


def finished(process: subprocess.Popen[bytes]) -> int:
    """The status with which a process ends; it is ended where it takes too long."""
    try:
        return process.wait(LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def _quiet(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _pid(victim: str, parent: int, there: Cluster | None, rng: random.Random) -> int | None:
    if there is not None:
        return there.scheduler.pid if victim == SCHEDULER else rng.choice(there.workers).pid
    if victim == PARENT:
        return parent
    found = children(parent)
    return rng.choice(found) if found else None


def children(pid: int) -> list[int]:
    """The processes that `pid` began."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(word) for word in found.split()]


def _kill(pid: int | None) -> bool:
    with contextlib.suppress(ProcessLookupError):
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def whole_records(out: Path) -> dict[str, int]:
    """The records that lie there, and when each was written."""
    found = {}
    for path in (out / "records").rglob("*.json"):
        with contextlib.suppress(FileNotFoundError):
            found[path.relative_to(out).as_posix()] = path.stat().st_mtime_ns
    return found


def rows(folder: Path) -> list[dict[str, str]]:
    """The rows of a batch's table, without what differs from run to run."""
    held = csv.DictReader((folder / "table.csv").read_text(encoding="utf-8").splitlines())
    return [{name: value for name, value in row.items() if name not in TIMES} for row in held]


def contents(folder: Path) -> dict[str, bytes]:
    """Every result, and whatever was left lying about."""
    parts = [*(folder / "clips").rglob("*"), *folder.rglob(".komadori-*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in parts if path.is_file()}


def main(count: int, first: int = 1) -> int:
    """Run so many rounds from `first` on; 1 where anything was lost, doubled or changed."""
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="komadori-kills-") as folder:
        for number, made in enumerate(rounds(Path(folder), count, first), first):
            print(json.dumps({"round": number, **made.__dict__}), flush=True)
            wrong += made.wrong
    print(f"{wrong} of {count} rounds differ from an undisturbed run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["50"])))
