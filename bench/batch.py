"""A whole library measured: throughput of one and of two processes, films, memory, growth, and what random kills cost.

Other work on the machine must not count. Linux tells of every process how long it ran and how long it waited for a processor: the time that a run would
have taken on free processors is what its busiest worker ran, and what it stood still for other reasons.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import komadori
from bench import kills
from bench.clips import real_data
from bench.tables import Table

CLIPS = int(os.environ.get("KOMADORI_BATCH_CLIPS", "2500"))
ALONE = int(os.environ.get("KOMADORI_BATCH_ALONE", str(CLIPS)))
"""How many of them one process works on alone: fewer if nobody can wait for it, of the same mix."""
SAME = int(os.environ.get("KOMADORI_BATCH_SAME", "600"))
"""Copies of one clip, for growth."""
KILLS = int(os.environ.get("KOMADORI_BATCH_KILLS", "50"))
KILLED = os.environ.get("KOMADORI_BATCH_KILLED", "")
"""A file with what `python -m bench.kills` printed, if it was run by itself."""
KEPT = os.environ.get("KOMADORI_BATCH_KEPT", "")
"""A folder for what was measured already: a run that lies there is not run again, so that a busy machine can be measured in slices."""
WANTED, MOST_MB, MOST_GROWTH_MB = 1.8, 150.0, 5.0
CMU_CLIPS, CMU_FRAMES = 2548, 4_000_000
LOOK_S = 0.1
FILMS = int(os.environ.get("KOMADORI_BATCH_FILMS", "12"))
"""Clips of which films are made."""
SCHEDSTAT = Path("/proc/self/schedstat")


def tables() -> list[Table]:
    """Throughput, then growth, then kills."""
    if not SCHEDSTAT.exists():
        raise ImportError("the system does not tell how long a process waits", name="schedstat")
    with tempfile.TemporaryDirectory(prefix="komadori-batch-") as folder:
        return [_throughput(Path(folder)), _growth(Path(folder)), _killed(Path(folder))]


@dataclass
class Worker:
    """What was seen of one process: when, how long it had run and waited for a processor, and its memory."""

    begin: float
    end: float = 0.0
    ran: float = 0.0
    waited: float = 0.0
    memory: list[float] = field(default_factory=list)

    @property
    def free_s(self) -> float:
        """How long it would have lived had a processor always been free for it."""
        return self.end - self.begin - self.waited


@dataclass(frozen=True)
class Run:
    """One batch: seconds on the wall, of processors in all, and what was seen of its workers."""

    wall_s: float
    cpu_s: float
    workers: tuple[Worker, ...]

    @property
    def free_s(self) -> float:
        """How long it takes on free processors: as long as its slowest worker."""
        return max(worker.free_s for worker in self.workers)

    @property
    def memory_mb(self) -> float:
        """The most that any worker ever had."""
        return max(max(worker.memory) for worker in self.workers)


def _kept(name: str, make: Callable[[], Run]) -> Run:
    """The run of that name: what KEPT has, or `make`'s, which is kept."""
    file = Path(KEPT, f"{name}.json")
    if KEPT and file.exists():
        held = json.loads(file.read_text())
        return Run(held["wall_s"], held["cpu_s"], tuple(Worker(**one) for one in held["workers"]))
    made = make()
    if KEPT:
        file.write_text(json.dumps(asdict(made)))
    return made


def _watched(*args: str | Path) -> Run:
    """Run a batch to its end."""
    begin = time.perf_counter()
    process = kills.begun(*args)
    seen: dict[int, Worker] = {}
    ended = threading.Event()
    used: list[float] = []

    def wait() -> None:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        used.append(usage.ru_utime + usage.ru_stime)
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    while not ended.wait(LOOK_S):
        for pid in kills.children(process.pid):
            with contextlib.suppress(OSError, ValueError, IndexError, StopIteration):
                now = time.perf_counter()
                ran, waited = (int(word) / 1e9 for word in Path(f"/proc/{pid}/schedstat").read_text().split()[:2])
                memory = _memory_mb(pid)
                # What ran before the first look was begun as long before, and with as much waiting.
                one = seen.setdefault(pid, Worker(now - ran - waited))
                one.end, one.ran, one.waited = now, ran, waited
                one.memory.append(memory)
    return Run(time.perf_counter() - begin, used[0], tuple(seen.values()))


def _memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024.0


def _library(folder: Path, count: int) -> tuple[Path, int]:
    """Copies of real clips over and over, `count` of them; and how many frames they have in all."""
    data = real_data()
    if data is None:
        raise ImportError("the real clips are not at hand", name="real clips")
    paths = sorted([*data.glob("human_cmu_bvh/*.bvh"), *data.glob("human_cmu_styles/*.bvh")])
    lengths = {path: len(komadori.load(path)) for path in paths}
    shelf = folder / "shelf"
    shelf.mkdir()
    total = 0
    for number, path in zip(range(count), itertools.cycle(paths), strict=False):
        shutil.copyfile(path, shelf / f"{path.stem}-{number:04d}.bvh")
        total += lengths[path]
    return shelf, total


def _throughput(folder: Path) -> Table:
    shelf, frames = _library(folder, CLIPS)
    rows, made = [], {}
    for jobs in (1, 2):
        out = folder / f"out{jobs}"
        count = ALONE if jobs == 1 else CLIPS
        given = [shelf] if count == CLIPS else sorted(shelf.iterdir(), key=_number)[:count]
        command: list[str | Path] = [*given, "-o", out, "--jobs", str(jobs), "--files", "glb,xdts"]
        made[jobs] = _kept(f"processes-{jobs}", partial(_watched, *command))
        rows.append(_row(str(jobs), count, made[jobs]))
        shutil.rmtree(out, ignore_errors=True)
    ratio = made[1].free_s / ALONE / (made[2].free_s / CLIPS)
    cmu = made[2].free_s * CMU_FRAMES / frames
    films, filmed, film_frames = _films(folder, shelf)
    rows.append(_row("2, with films", filmed, films))
    with_films = films.free_s * CMU_FRAMES / film_frames
    alone = f" (which worked on {ALONE:,} of the files, of the same mix)" if ALONE < CLIPS else ""
    about = (
        f"{CLIPS:,} files (CMU clips over and over, {frames:,} frames), look tv, GLB and XDTS. On free processors: the wall clock less the time in which the "
        "slowest worker was ready and waited for a processor, as Linux counts it; this machine was shared with other work, so its wall clock says little. "
        f"Two processes have {ratio:.2f} times the throughput of one{alone}. The whole CMU library ({CMU_CLIPS:,} clips, {CMU_FRAMES:,} frames) would take "
        f"{cmu / 60.0:.1f} minutes on two cores without films, and {with_films / 3600.0:.1f} hours with films of every clip ({filmed} clips with {film_frames:,} frames were filmed), by its frames."
    )
    failed = [] if ratio >= WANTED else [f"{ratio:.2f} times the throughput of one process, {WANTED} are wanted"]
    if made[2].memory_mb > MOST_MB:
        failed.append(f"{made[2].memory_mb:.0f} MB a process, {MOST_MB:.0f} are wanted")
    columns = ("processes", "clips", "clips per minute on free processors", "processor time a clip", "wall clock", "largest worker")  # fmt: skip
    return Table("Throughput", columns, tuple(rows), about, tuple(failed))


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _row(name: str, count: int, run: Run) -> tuple[str, ...]:
    a_minute = 60.0 * count / run.free_s
    return (name, f"{count:,}", f"{a_minute:.0f}" if a_minute > 100 else f"{a_minute:.1f}", f"{1e3 * run.cpu_s / count:.0f} ms", f"{run.wall_s:.0f} s", f"{run.memory_mb:.0f} MB")  # fmt: skip


def _films(folder: Path, shelf: Path) -> tuple[Run, int, int]:
    """The same with films, on a few clips: pictures take most of the time."""
    few = sorted(shelf.iterdir())[:: max(1, CLIPS // FILMS)][:FILMS]
    out = folder / "films"
    run = _kept("films", partial(_watched, *few, "-o", out, "--jobs", "2", "--files", "glb,xdts,mp4"))
    shutil.rmtree(out, ignore_errors=True)
    return run, len(few), sum(len(komadori.load(path)) for path in few)


def _growth(folder: Path) -> Table:
    """One clip many times: long clips go first, so only equal ones show whether memory grows."""
    shelf = folder / "same"
    shelf.mkdir()
    first = sorted((folder / "shelf").iterdir())[0]
    for number in range(SAME):
        shutil.copyfile(first, shelf / f"{number:04d}.bvh")
    run = _kept("growth", partial(_watched, shelf, "-o", folder / "grown", "--jobs", "1"))
    (worker,) = run.workers
    tenth = max(1, len(worker.memory) // 10)
    early, late = statistics.median(worker.memory[tenth : 2 * tenth]), statistics.median(worker.memory[-tenth:])
    failed = (f"{late - early:+.1f} MB over {SAME} clips",) if late - early > MOST_GROWTH_MB else ()
    about = f"One clip ({first.stem.rpartition('-')[0]}) {SAME} times, one process: its memory in the second and in the last tenth of the time."
    row = (str(SAME), f"{early:.1f} MB", f"{late:.1f} MB", f"{late - early:+.1f} MB")
    return Table("Growth", ("clips", "second tenth", "last tenth", "growth"), (row,), about, failed)


def _killed(folder: Path) -> Table:
    if KILLED:
        lines = [json.loads(line) for line in Path(KILLED).read_text().splitlines() if line.startswith("{")]
        made = [kills.Round(**{name: value for name, value in line.items() if name != "round"}) for line in lines]
    else:
        made = list(kills.rounds(folder, KILLS))
    wrong = sum(one.wrong for one in made)
    often = Counter(one.victim for one in made)
    rows = []
    for victim, count in often.items():
        mine = [one for one in made if one.victim == victim]
        done = [one.done for one in mine]
        rows.append((victim, str(count), f"{min(done)} to {max(done)}", *(str(sum(getattr(one, name) for one in mine)) for name in ("repeated", "lost", "doubled", "changed", "files"))))  # fmt: skip
    about = (
        f"{len(made)} batches of {kills.CLIPS} clips, one of which cannot be read; somebody is killed with signal 9 at a random moment, then --resume. "
        f"Compared with an undisturbed run, row by row and byte by byte: {wrong} of {len(made)} differ."
    )
    columns = ("killed", "times", "clips done by then", "done again by --resume", "rows lost", "rows doubled", "rows changed", "files that differ")  # fmt: skip
    return Table("Random kills", columns, tuple(rows), about, (f"{wrong} tables differ",) if wrong else ())
