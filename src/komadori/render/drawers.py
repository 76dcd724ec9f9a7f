"""Drawers: processes that draw beside this one, or threads where loops are compiled.

Drawing with NumPy is thousands of short steps, after each of which a thread waits for the interpreter's lock: two threads
together are no quicker than one. Processes do not wait for one another. Each is given all that there is to draw from once,
then the numbers of a few drawings at a time, and answers with their pixels.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np

from komadori import children, fast
from komadori.render.textures import Pixels

MOST = 7
WORTH_S = 1.0
"""Seconds of drawing from which on the start of a process, a third of a second, pays."""
DRAWING_S, PIXEL_S = 6e-3, 17e-9
"""What a drawing and a pixel of it take, for that alone: docs/benchmarks/render.md has what they really take."""
TOGETHER = 8
"""Drawings that are made at once, for their skins are posed quicker together than one by one."""
TOGETHER_BYTES = 8 << 20
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline()); "
    "from komadori.render.drawers import main; main()"
)
_SIZE, _TASK = struct.Struct("<Q"), struct.Struct("<II")

Task = tuple[int, int]
"""A shot's number and a frame of it."""


class Desk(Protocol):
    """Whatever drawings are made from; it can be pickled."""

    def drawn(self, tasks: Sequence[Task]) -> list[Pixels]:
        """The pictures of some tasks."""
        ...

    def shape(self, task: Task) -> tuple[int, int, int]:
        """The shape of a task's picture."""
        ...


class _Lost(Exception):
    """A process that ended before it answered."""


def drawn(desk: Desk, tasks: Sequence[Task]) -> Generator[Pixels]:
    """The picture of each of `tasks` in turn, drawn here or by a helper."""
    helpers = helpers_for(desk, tasks)
    parts = _parts(desk, tasks, 1 + len(helpers))
    if not helpers:
        for part in parts:
            yield from desk.drawn(part)
        return
    crew = _Crew(desk, helpers)
    try:
        yield from crew.drawn(parts)
    finally:
        crew.close()


def helpers_for(desk: Desk, tasks: Sequence[Task]) -> list[_Helper]:
    """Those that are worth having for so much to draw: threads where loops are compiled, otherwise processes."""
    most = max(0, min(_cores() - 1, MOST, len(tasks) // 4))
    if fast.enabled():
        return [_Thread(desk) for _ in range(most)]
    pixels = sum(height * width for height, width, _ in map(desk.shape, tasks))
    if DRAWING_S * len(tasks) + PIXEL_S * pixels < WORTH_S or not sys.executable:
        return []
    allowed = os.environ.get(children.DRAWERS, "")
    if allowed.isdecimal() and len(allowed) < 4:
        most = min(int(allowed), len(tasks) // 4)
    return [_Process(desk) for _ in range(most)]


def _cores() -> int:
    """The processor's cores that this process may use."""
    able = getattr(os, "sched_getaffinity", None)
    return len(able(0)) if able is not None else os.cpu_count() or 1


def _parts(desk: Desk, tasks: Sequence[Task], drawers: int) -> Iterator[list[Task]]:
    most = max((math.prod(desk.shape(task)) for task in tasks), default=1)
    fair = len(tasks) if drawers == 1 else len(tasks) // (4 * drawers)
    together = max(1, min(TOGETHER, fair, TOGETHER_BYTES // most))
    return (list(tasks[at : at + together]) for at in range(0, len(tasks), together))


class _Helper(Protocol):
    """Draws beside this thread."""

    def drawn(self, part: list[Task]) -> list[Pixels]:
        """The pictures of a part, or `_Lost`."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...


@dataclass(slots=True)
class _Part:
    """A few drawings: the `job` of a helper that makes them, unless they are `made`."""

    tasks: list[Task]
    job: Future[list[Pixels]]
    made: list[Pixels] | None = None


class _Crew:
    """This process and its helpers, which all take the next part that nobody has begun."""

    def __init__(self, desk: Desk, helpers: list[_Helper]) -> None:
        self.desk, self.helpers = desk, helpers
        self.idle: queue.SimpleQueue[_Helper] = queue.SimpleQueue()
        for helper in helpers:
            self.idle.put(helper)
        self.pool = ThreadPoolExecutor(len(helpers), thread_name_prefix="drawer")

    def drawn(self, parts: Iterator[list[Task]]) -> Iterator[Pixels]:
        # Only a few ahead: a long film must not pile up in memory.
        ahead = 2 * len(self.helpers) + 4
        waiting = deque(self._begun(part) for part in islice(parts, ahead))
        while waiting:
            first = waiting[0]
            if first.made is None and not first.job.done():
                mine = next((part for part in waiting if part.made is None and part.job.cancel()), None)
                if mine is not None:
                    mine.made = self.desk.drawn(mine.tasks)
                    continue
            if first.made is None:
                try:
                    first.made = first.job.result()
                except _Lost:
                    # If an error of ours ended the helper, this process meets it as well, and raises it.
                    first.made = self.desk.drawn(first.tasks)
            waiting.popleft()
            waiting.extend(self._begun(part) for part in islice(parts, 1))
            yield from first.made

    def _begun(self, part: list[Task]) -> _Part:
        return _Part(part, self.pool.submit(self._by_helper, part))

    def _by_helper(self, part: list[Task]) -> list[Pixels]:
        # One that was lost is not handed out again: without any, all is drawn here.
        try:
            helper = self.idle.get_nowait()
        except queue.Empty:
            raise _Lost from None
        made = helper.drawn(part)
        self.idle.put(helper)
        return made

    def close(self) -> None:
        for helper in self.helpers:
            helper.kill()
        # This may run in one of these threads, and a thread cannot wait for itself.
        self.pool.shutdown(wait=False, cancel_futures=True)


class _Thread:
    """A thread of this process: compiled loops need no lock."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def drawn(self, part: list[Task]) -> list[Pixels]:
        return self.desk.drawn(part)

    def kill(self) -> None:
        """It ends with its part."""


class _Process:
    """A process that starts with its first part."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.process: subprocess.Popen[bytes] | None = None
        self.killed = False
        self.lock = threading.RLock()
        """Held while an answer is awaited: pipes are not closed while they are read."""

    def drawn(self, part: list[Task]) -> list[Pixels]:
        try:
            with self.lock:
                return self._answer(part)
        except (OSError, ValueError):
            self.kill()
            raise _Lost from None

    def _answer(self, part: list[Task]) -> list[Pixels]:
        process = self.process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(_SIZE.pack(len(part)) + b"".join(_TASK.pack(*task) for task in part))
        process.stdin.flush()
        return [_received(process.stdout.fileno(), self.desk.shape(task)) for task in part]

    def _started(self) -> subprocess.Popen[bytes]:
        process = self.process = subprocess.Popen(
            children.isolated(_START),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # One thread: there are as many processes as cores.
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        if self.killed:
            raise OSError("stopped")
        assert process.stdin is not None
        desk = pickle.dumps(self.desk, pickle.HIGHEST_PROTOCOL)
        process.stdin.write(json.dumps(children.paths()).encode() + b"\n" + _SIZE.pack(len(desk)) + desk)
        return process

    def kill(self) -> None:
        self.killed = True
        process = self.process
        if process is None:
            return
        process.kill()
        process.wait()
        with self.lock:
            for stream in (process.stdin, process.stdout):
                # What could not be written any more is lost with it.
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()


def _received(pipe: int, shape: tuple[int, int, int]) -> Pixels:
    picture = np.empty(shape, dtype=np.uint8)
    left = memoryview(picture.data).cast("B")
    while left:
        count = os.readv(pipe, [left]) if hasattr(os, "readv") else _read(pipe, left)
        if count == 0:
            raise OSError("the process has ended")
        left = left[count:]
    return picture


def _read(pipe: int, into: memoryview) -> int:
    data = os.read(pipe, len(into))
    into[: len(data)] = data
    return len(data)


def main() -> None:
    """Draw what is asked for on standard input until that ends."""
    # Ctrl+C reaches the whole terminal; who asked decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    desk: Desk = pickle.loads(asked.read(_SIZE.unpack(asked.read(_SIZE.size))[0]))
    while header := asked.read(_SIZE.size):
        some = asked.read(_SIZE.unpack(header)[0] * _TASK.size)
        for picture in desk.drawn([(shot, frame) for shot, frame in _TASK.iter_unpack(some)]):
            answers.write(np.ascontiguousarray(picture).data)
        answers.flush()
