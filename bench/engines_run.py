"""One run of one engine, in the environment that has it: start it, hand out the clips, make trouble, tell the outcome of it.

`python -m bench.engines_run ENGINE TROUBLE SHELF OUT SECONDS` prints one line of JSON; `bench.engines` calls it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.engines import COUNT, EMPTY, KILL_S, KILLS, MEMORY_MB, PACKAGES, WORKERS
from komadori.library.jobs import Job

LOOK_S = 0.01


def nothing(number: int) -> int:
    """A task without work."""
    return number


def work(job: Job) -> str:
    """A clip as a task of the engine."""
    from komadori.library.work import worked

    return worked(job).status


class Dask:
    """A scheduler, and workers that their nanny begins again when they die."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "scheduler.json"
        common = ["--no-dashboard", "--scheduler-file", str(self.file)]
        self.scheduler = _quiet("-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", *common)
        while not self.file.exists():
            time.sleep(LOOK_S)
        more = ["--nworkers", str(WORKERS), "--nthreads", "1", "--memory-limit", f"{MEMORY_MB}MB", "--local-directory", str(folder)]  # fmt: skip
        self.nanny = _quiet("-m", "dask", "worker", *common, *more)
        make: Any = importlib.import_module("distributed").Client
        self.client = make(scheduler_file=str(self.file))
        self.client.wait_for_workers(WORKERS)
        self.address = self.client.scheduler.address.removeprefix("tcp://")

    def results(self, call: Any, things: list[Any]) -> Iterator[Any]:
        """An answer or an error for each, as they come; None now and then, so that the caller can stop."""
        waiting = [self.client.submit(call, one, pure=False, retries=3) for one in things]
        while waiting:
            done = [future for future in waiting if future.done()]
            waiting = [future for future in waiting if future not in set(done)] if done else waiting
            for future in done:
                yield future.result() if future.status == "finished" else RuntimeError(_named(future))
            if self.client.status != "running":
                raise ConnectionError("the scheduler is gone")
            yield None
            time.sleep(LOOK_S)

    def roots(self) -> list[int]:
        return [self.scheduler.pid, self.nanny.pid]

    def workers(self) -> list[int]:
        # A worker is begun by multiprocessing; a process of ours is its child.
        return [pid for pid in _below(self.nanny.pid) if "spawn_main" in _command(pid)]

    def head(self) -> int | None:
        return self.scheduler.pid

    def close(self) -> None:
        for process in (self.nanny, self.scheduler):
            for pid in [*_below(process.pid), process.pid]:
                _signal(pid, signal.SIGKILL)


class Ray:
    """A head with its workers; the memory monitor ends a worker when the machine has a few gigabytes less than now."""

    def __init__(self, folder: Path) -> None:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        total, free = (int(lines[name].split()[0]) / 2**10 for name in ("MemTotal", "MemAvailable"))
        share = (total - free + WORKERS * MEMORY_MB) / total
        # By default a task that was ended for its memory is tried forever.
        os.environ.update(
            RAY_memory_usage_threshold=f"{share:.3f}", RAY_task_oom_retries="3", RAY_USAGE_STATS_ENABLED="0"
        )
        self.ray: Any = importlib.import_module("ray")
        home = str(Path(__file__).parent.parent)
        self.ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR", _node_ip_address="127.0.0.1", object_store_memory=100 * 2**20, runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join([home, os.environ.get("PYTHONPATH", "")])}})  # fmt: skip

    def results(self, call: Any, things: list[Any]) -> Iterator[Any]:
        remote = self.ray.remote(max_retries=3, num_cpus=1)(call)
        waiting = [remote.remote(one) for one in things]
        while waiting:
            done, waiting = self.ray.wait(waiting, num_returns=min(50, len(waiting)), timeout=0.2)
            yield None
            for one in done:
                try:
                    yield self.ray.get(one)
                except (self.ray.exceptions.RayError, OSError) as error:
                    yield RuntimeError(type(error).__name__)

    def roots(self) -> list[int]:
        return [pid for pid in _below(os.getpid()) if "ps -eo" not in _command(pid)]

    def workers(self) -> list[int]:
        # Agents of the node are called so too; they are no workers, and the whole node ends with each of them.
        called = {pid: _command(pid).strip() for pid in self.roots()}
        return [pid for pid, name in called.items() if name.startswith("ray::") and not name.endswith("Agent")]

    def head(self) -> int | None:
        return next((pid for pid in self.roots() if "gcs_server" in _command(pid)), None)

    def close(self) -> None:
        for pid in self.roots():
            _signal(pid, signal.SIGKILL)


def _quiet(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _named(future: Any) -> str:
    return str(future.status) if future.status != "error" else type(future.exception()).__name__


def _below(root: int) -> list[int]:
    """Processes that `root` began, directly or not."""
    lines = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True).stdout.splitlines()
    table = [(int(a), int(b)) for a, b in (line.split() for line in lines)]
    found: set[int] = {root}
    while more := {pid for pid, parent in table if parent in found} - found:
        found |= more
    return sorted(found - {root})


def _command(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def _signal(pid: int, number: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
        return True
    return False


def _memory_mb(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024.0


def _disturbed(engine: Any, trouble: str, out: Path, stop: threading.Event, hits: list[int]) -> None:
    """Make trouble until told to stop."""
    if trouble == "kills":
        while len(hits) < KILLS and not stop.wait(KILL_S):
            found = engine.workers()
            if found and _signal(random.choice(found), signal.SIGKILL):
                hits.append(1)
    elif trouble == "head":
        while not stop.wait(LOOK_S) and len(list((out / "records").glob("*.json"))) < COUNT // 4:
            pass
        head = engine.head()
        if head and not stop.is_set():
            hits.append(_signal(head, signal.SIGKILL))
    elif trouble == "slow":
        found = engine.workers()[:1]
        while found and not stop.is_set():
            whole = [*found, *_below(found[0])]
            for pid in whole:
                _signal(pid, signal.SIGSTOP)
            stop.wait(0.9)
            for pid in whole:
                _signal(pid, signal.SIGCONT)
            stop.wait(0.1)


def _jobs(shelf: str, out: str) -> list[Job]:
    from komadori.library.batching import FILES, checked_files, job_of
    from komadori.library.finding import clips
    from komadori.pipeline import look

    return [job_of(clip, out, look("tv"), None, checked_files(FILES), None, False) for clip in clips([shelf])]


def _by_batch(engine: Any, shelf: str, out: str, most_s: float) -> tuple[str, int]:
    """`komadori batch` on the same cluster: how it ended, and rows that are done."""
    command = [sys.executable, "-m", "komadori", "batch", shelf, "-o", out, "--on", f"dask://{engine.address}", "--memory", str(MEMORY_MB), "--json"]  # fmt: skip
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=most_s)
    except subprocess.TimeoutExpired:
        return f"stopped after {most_s:.0f} s", 0
    if not made.stdout.strip():
        return f"status {made.returncode}: {made.stderr.strip().splitlines()[-1]}", 0
    counts = json.loads(made.stdout)["counts"]
    bad = ", ".join(f"{count} {status}" for status, count in counts.items() if status != "done")
    return f"status {made.returncode}{', ' + bad if bad else ''}", counts.get("done", 0)


def _by_engine(engine: Any, call: Any, things: list[Any], most_s: float) -> tuple[str, int]:
    answers, end = 0, time.perf_counter() + most_s
    told: dict[str, int] = {}
    ended = "all answered"
    try:
        for answer in engine.results(call, things):
            if isinstance(answer, BaseException):
                told[str(answer)] = told.get(str(answer), 0) + 1
            elif answer is not None:
                answers += 1
            if time.perf_counter() > end:
                ended = f"stopped after {most_s:.0f} s"
                break
    except Exception as error:
        ended = f"raised {type(error).__name__}"
    return ", ".join([ended, *(f"{count} {name}" for name, count in told.items())]), answers


def main(name: str, trouble: str, shelf: str, out: str, most_s: float) -> int:
    """Run, and print the outcome of it."""
    engine_name = "Ray" if name == "Ray" else "Dask"
    with tempfile.TemporaryDirectory(prefix="komadori-engines-", ignore_cleanup_errors=True) as scratch:
        begin = time.perf_counter()
        engine: Any = (Ray if engine_name == "Ray" else Dask)(Path(scratch))
        _by_engine(engine, nothing, list(range(WORKERS)), most_s)
        start_s = time.perf_counter() - begin
        told: dict[str, Any] = {"start_s": start_s, "rest_mb": _memory_mb(engine.roots())}
        if trouble == "empty":
            best = float("inf")
            for _ in range(EMPTY):
                begin = time.perf_counter()
                _by_engine(engine, nothing, list(range(COUNT)), most_s)
                best = min(best, time.perf_counter() - begin)
            told |= {"overhead_ms": 1e3 * best / COUNT, "version": metadata.version(PACKAGES[engine_name])}
        else:
            jobs, stop = _jobs(shelf, out), threading.Event()
            hits: list[int] = []
            threading.Thread(target=_disturbed, args=(engine, trouble, Path(out), stop, hits), daemon=True).start()
            begin = time.perf_counter()
            if name == engine_name:
                ended, answers = _by_engine(engine, work, jobs, most_s)
            else:
                ended, answers = _by_batch(engine, shelf, out, most_s)
            told |= {"ended": ended, "answers": answers, "seconds": time.perf_counter() - begin, "hit": len(hits)}
            stop.set()
        print("TOLD " + json.dumps(told), flush=True)
        engine.close()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]))
