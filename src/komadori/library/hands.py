"""Workers: each a process that works on one clip at a time, is monitored, and is replaced when it dies, hangs or uses too much memory."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from dataclasses import dataclass, replace

from komadori.errors import OutputError
from komadori.library.jobs import CRASHED, FAILED, Job, Record, sha256
from komadori.library.store import store_at
from komadori.library.worker import NO_MEMORY, command, receive, send
from komadori.words import Note

ATTEMPTS = 3
"""How often a clip is tried if its process dies."""
GROWN = 0.6
"""A process that has had more than this share of its memory is replaced after its clip."""


@dataclass(frozen=True)
class Limits:
    """The limits of a process: megabytes, and seconds for one clip."""

    memory_mb: int = 2000
    timeout_s: float = 1800.0


class Hand:
    """One worker process. It starts with the first job, and again whenever it was lost."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.peak_mb = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """Its process, while there is one."""
        return None if self._process is None else self._process.pid

    def work(self, job: Job) -> Record:
        """The record of `job`, even if the process dies over it; an OutputError if nothing can be written."""
        reason = Note("stopped")
        for _ in range(ATTEMPTS):
            answer = self._ask(job)
            if isinstance(answer, Record):
                return answer
            if isinstance(answer, OutputError):
                raise answer
            reason = answer
            if self._stopped:
                break
        return crashed(job, reason)

    def stop(self) -> None:
        """End the process at once: files are complete or absent, so only the current clip is lost."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Let the idle process end."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            process.wait(10.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _ask(self, job: Job) -> Record | OutputError | Note:
        """The answer of the process, or why there is none."""
        process = self._begun()
        if process is None:
            return Note("stopped")
        assert process.stdin is not None
        assert process.stdout is not None
        hung = threading.Event()

        def end() -> None:
            hung.set()
            process.kill()

        timer = threading.Timer(self.limits.timeout_s, end)
        timer.daemon = True
        timer.start()
        try:
            send(process.stdin, vars(job))
            answer, peak = receive(process.stdout)
        except (EOFError, OSError):
            status = process.wait()
            self.close()
            if self._stopped:
                # We ended it: the clip is not at fault, and stays pending.
                return Note("stopped")
            if hung.is_set():
                return Note("it took longer than {seconds:g} s; raise --timeout", seconds=self.limits.timeout_s)
            if status < 0:
                return Note("its process was ended by signal {number}; it may need more --memory", number=-status)
            if status == NO_MEMORY:
                return Note("there was not enough memory for this clip; raise --memory")
            return Note("its process ended with status {number}; it may need more --memory", number=status)
        finally:
            timer.cancel()
        self.peak_mb = max(self.peak_mb, float(peak))
        if self.limits.memory_mb and peak > GROWN * self.limits.memory_mb:
            self.close()
        if isinstance(answer, OutputError):
            return answer
        return Record(**answer)

    def _begun(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    command(self.limits.memory_mb),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(),
                )
            return self._process


def crashed(job: Job, reason: Note) -> Record:
    """The record of a clip whose process died, written so that the table can list it."""
    status = FAILED if reason.template.startswith("it took") else CRASHED
    record = Record(job.name, job.given, status, str(reason), reason.in_language("ja"))
    record = replace(record, recipe_sha256=sha256(job.recipe.encode()), version=job.version)
    if reason.template != "stopped":
        store_at(job.output).write(job.record, record.encoded())
    return record


def _environment() -> dict[str, str]:
    """This process's environment with one thread per process: there are as many processes as cores."""
    single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **single}
