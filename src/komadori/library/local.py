"""Work on this machine: as many processes as asked for, each taking the next clip when it has done one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence

from komadori.library.hands import Hand, Limits
from komadori.library.jobs import Job, Record, balanced


def run(jobs: Sequence[Job], count: int, limits: Limits) -> Iterator[Record]:
    """The record of every job, as they come. When the caller stops, the processes stop at once."""
    waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    for job in balanced(jobs):
        waiting.put(job)
    answers: queue.SimpleQueue[Record | BaseException] = queue.SimpleQueue()
    hands = [Hand(limits) for _ in range(max(1, min(count, len(jobs))))]
    threads = [threading.Thread(target=_work, args=(hand, waiting, answers), daemon=True) for hand in hands]
    for thread in threads:
        waiting.put(None)
        thread.start()
    try:
        for _ in jobs:
            answer = answers.get()
            if isinstance(answer, BaseException):
                raise answer
            yield answer
    finally:
        for hand in hands:
            hand.stop()
        for thread in threads:
            thread.join(10.0)


def _work(
    hand: Hand, waiting: queue.SimpleQueue[Job | None], answers: queue.SimpleQueue[Record | BaseException]
) -> None:
    while (job := waiting.get()) is not None:
        try:
            answers.put(hand.work(job))
        except Exception as error:
            # Raised again where the answers are read, which would wait forever for a thread that ended without a word.
            answers.put(error)
            break
    hand.close()
