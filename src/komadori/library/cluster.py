"""Work on many machines: Dask hands the jobs out, and a separate process on each machine does them, as it would here."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from komadori.errors import KomadoriError, OptionError, OutputError
from komadori.library.hands import Hand, Limits, crashed
from komadori.library.jobs import Job, Record, balanced
from komadori.words import Note

SCHEME = "dask://"
CONNECT_S, LOOK_S = 20.0, 0.1
"""How long a scheduler may take to answer, and how often results are polled."""
OTHER_VERSION = "the cluster's worker has komadori {there}, and {here} was asked for"
TOGETHER = 8
"""Short clips that go out as one piece of work, at most."""
PIECE_BYTES = 4_000_000
"""Bytes of clips in one piece, unless one clip has more."""
RETRIES = 5
"""How often a piece is retried after its machine was lost."""

_HANDS: dict[int, Hand] = {}
"""On a machine that works: the process of each of its threads."""


def run(jobs: Sequence[Job], address: str, limits: Limits) -> Iterator[Record]:
    """The record of every job, as they come. A lost machine costs only time; a lost scheduler ends the work, which can continue later."""
    try:
        import distributed
    except ImportError:
        raise KomadoriError(
            Note("{address} needs Dask, which is not installed: pip install 'komadori[cluster]'", address=address)
        ) from None
    there = address.removeprefix(SCHEME)
    if not there or "/" in there:
        raise OptionError("--on", expected=Note("local, or dask://HOST:PORT"), found=address)
    try:
        make: Any = distributed.Client
        client = make(f"tcp://{there}", timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        raise KomadoriError(Note("no Dask scheduler answers at {address}", address=address)) from None
    try:
        pending = {client.submit(work_on, piece, limits, pure=False, retries=RETRIES): piece for piece in pieces(jobs)}
        yield from _answers(client, pending, address)
    finally:
        # Records are files: nothing is lost by not waiting for a scheduler that may be gone.
        client.close(timeout=2.0)


def pieces(jobs: Sequence[Job]) -> list[tuple[Job, ...]]:
    """Jobs in pieces of about one size, the largest first: a long clip alone, short ones together."""
    made: list[list[Job]] = []
    size = 0
    for job in balanced(jobs):
        if not made or len(made[-1]) >= TOGETHER or size + job.size > PIECE_BYTES:
            made.append([])
            size = 0
        made[-1].append(job)
        size += job.size
    return [tuple(piece) for piece in made]


def work_on(piece: Sequence[Job], limits: Limits) -> list[Record | OutputError]:
    """What a machine of the cluster does with a piece of the work: a separate process, so that a clip can only crash that process."""
    from komadori import __version__

    hand = _hand(limits)
    answers: list[Record | OutputError] = []
    for job in piece:
        if job.version != __version__:
            reason = Note(OTHER_VERSION, there=__version__, here=job.version)
            answers.append(crashed(job, reason))
            continue
        try:
            answers.append(hand.work(job))
        except OutputError as error:
            answers.append(error)
    return answers


def _hand(limits: Limits) -> Hand:
    """The process of this thread; another one where an earlier batch had other limits."""
    held = _HANDS.get(threading.get_ident())
    if held is None or held.limits != limits:
        if held is not None:
            held.close()
        held = _HANDS[threading.get_ident()] = Hand(limits)
    return held


def _answers(client: Any, pending: dict[Any, tuple[Job, ...]], address: str) -> Iterator[Record]:
    while pending:
        done = [future for future in pending if future.done()]
        # When a scheduler is gone its futures are cancelled, which says nothing about their clips.
        if client.status != "running" or any(future.cancelled() for future in done):
            raise KomadoriError(
                Note(
                    "lost the connection to the scheduler at {address}; finished clips are kept: continue with --resume",
                    address=address,
                )
            )
        for future in done:
            piece = pending.pop(future)
            if future.status == "finished":
                for answer in future.result():
                    if isinstance(answer, OutputError):
                        raise answer
                    yield answer
            else:
                yield from (crashed(job, _reason(future.exception())) for job in piece)
        if not done:
            time.sleep(LOOK_S)


def _reason(error: BaseException | None) -> Note:
    """Why a piece returned no answer."""
    if type(error).__name__ == "KilledWorker":
        return Note("the cluster lost the machine that worked on it {count} times", count=RETRIES + 1)
    return Note("the cluster could not work on it: {error}", error=f"{type(error).__name__}: {error}")
