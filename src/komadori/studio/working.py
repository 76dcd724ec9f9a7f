"""Long work with progress reports: it runs in its own thread, and stops when nobody waits for it any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")
Progress: TypeAlias = Callable[[int, int], None]
"""Called with how much is done, and how much there is."""


@dataclass(frozen=True)
class Step:
    """How far the work is."""

    done: int
    total: int


@dataclass(frozen=True)
class Finished(Generic[T]):
    """The work's result."""

    value: T


class _Stopped(BaseException):
    """Nobody waits any more. Not an Exception, so that no work can catch it as its own error and continue."""


def steps(work: Callable[[Progress], T]) -> Iterator[Step | Finished[T]]:
    """The steps of `work`, then its result; an error of the work is raised here. Closed early, it stops the work."""
    news: SimpleQueue[Step | Finished[T] | BaseException] = SimpleQueue()
    stopped = threading.Event()

    def progress(done: int, total: int) -> None:
        if stopped.is_set():
            raise _Stopped
        news.put(Step(done, total))

    def run() -> None:
        try:
            news.put(Finished(work(progress)))
        except BaseException as error:  # passed on to the waiting caller, whatever it is
            news.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        while True:
            item = news.get()
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, Finished):
                return
    finally:
        stopped.set()
