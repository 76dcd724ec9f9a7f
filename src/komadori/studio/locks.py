"""Locks: what a hand set on the exposure sheet, kept over whatever the method says of the rest.

A lock says that a stretch of the method's sheet, frames `first` to `last`, is one drawing shown for `exposures` frames. It holds when
sliders move and the method makes another sheet; what is not locked is the method's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError
from komadori.studio.scene import Lock
from komadori.timesheet import Timesheet
from komadori.words import Note

END = 2**31 - 1
"""The last frame of any sheet: a lock that goes so far goes to the end."""
MOST_EXPOSURES = 400_000
"""Frames that an edited sheet may have."""
Sources = NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """Frames `start` to `end` of the sheet that is shown, made of the method's frames `first` to `last`; `lock` counts the locks, or is -1."""

    start: int
    end: int
    first: int
    last: int
    lock: int


@dataclass(frozen=True, eq=False)
class Laid:
    """A method's sheet with locks laid over it: what every frame shows, and where it comes from."""

    source: Sources
    pieces: tuple[Piece, ...]
    locks: tuple[Lock, ...]

    @property
    def locked(self) -> list[tuple[int, int]]:
        """The frames, first and one behind the last, that are locked."""
        return [(piece.start, piece.end) for piece in self.pieces if piece.lock >= 0 and piece.end > piece.start]

    def run(self, frame: int) -> tuple[int, int]:
        """The run of frames that shows the same drawing as `frame`: first, and one behind the last."""
        self.check(frame)
        other = np.flatnonzero(self.source != self.source[frame])
        at = int(np.searchsorted(other, frame))
        return int(other[at - 1]) + 1 if at else 0, int(other[at]) if at < len(other) else len(self.source)

    def check(self, frame: int) -> None:
        """An OptionError if the sheet has no such frame. Frames are counted from 0 here, and from 1 where people read them."""
        if not 0 <= frame < len(self.source):
            raise OptionError(
                "frame", expected=Note("a frame of the sheet, 1 to {last}", last=len(self.source)), found=frame + 1
            )

    def base(self, frame: int) -> int:
        """The method's frame that lies where `frame` is shown."""
        return self._begin(frame)

    def put(self, start: int, end: int, drawings: Sequence[tuple[int, int]]) -> list[Lock]:
        """The locks after frames `start` to `end` became `drawings`, each a source frame and its exposures."""
        first, last = self._begin(start), self._finish(end - 1)
        before: list[Lock] = []
        behind: list[Lock] = []
        for piece in self.pieces:
            if piece.lock < 0:
                continue
            lock = self.locks[piece.lock]
            if piece.start == piece.end:  # A drawing that was taken away: it stays so, unless it lies in between.
                if piece.last <= first and piece.start <= start:
                    before.append(lock)
                elif piece.first >= last and piece.start >= end:
                    behind.append(lock)
                continue
            if piece.start < start:
                cut = min(lock.last, first) if piece.end > start else lock.last
                before.append(Lock(lock.first, cut, lock.source, min(piece.end, start) - piece.start))
            if piece.end > end:
                cut = max(lock.first, last) if piece.start < end else lock.first
                behind.append(Lock(cut, lock.last, lock.source, piece.end - max(piece.start, end)))
        total = sum(count for _, count in drawings)
        marks = np.cumsum([0, *(count for _, count in drawings)])
        places = [first + (last - first) * int(mark) // max(total, 1) for mark in marks]
        places[-1] = last
        new = [
            Lock(begin, finish, source, count)
            for (source, count), (begin, finish) in zip(drawings, pairwise(places), strict=True)
        ]
        return [*before, *new, *behind]

    def _piece(self, frame: int) -> Piece:
        return next(piece for piece in self.pieces if piece.start <= frame < piece.end)

    def _begin(self, frame: int) -> int:
        piece = self._piece(frame)
        return piece.first + (piece.last - piece.first) * (frame - piece.start) // (piece.end - piece.start)

    def _finish(self, frame: int) -> int:
        piece = self._piece(frame)
        return piece.first + (piece.last - piece.first) * (frame + 1 - piece.start) // (piece.end - piece.start)


def laid(made: Timesheet, locks: Sequence[Lock], frames: int) -> Laid:
    """The method's sheet with `locks` over it; `frames` is how many the clip has. A lock of a frame that it has not is omitted.

    A drawing of the method that a lock cuts begins again behind it, at its own frame: a lock is shown for as long as it says, and
    the motion never goes back.
    """
    source = made.source
    count = len(source)
    good = [lock for lock in locks if lock.source < frames]
    parts: list[Sources] = []
    pieces: list[Piece] = []
    at = shown = 0
    for number, lock in enumerate(good):
        first, last = min(max(lock.first, at), count), min(max(lock.last, at), count)
        if first > at:
            before = good[number - 1] if number else None
            parts.append(_between(source, at, first, before, lock, frames))
            pieces.append(Piece(shown, shown + first - at, at, first, -1))
            shown += first - at
        parts.append(np.full(lock.exposures, lock.source, dtype=np.int64))
        pieces.append(Piece(shown, shown + lock.exposures, first, last, number))
        shown += lock.exposures
        at = last
    if at < count:
        parts.append(_between(source, at, count, good[-1] if good else None, None, frames))
        pieces.append(Piece(shown, shown + count - at, at, count, -1))
        shown += count - at
    if not 0 < shown <= MOST_EXPOSURES:
        return laid(made, (), frames)
    return Laid(np.concatenate(parts), tuple(pieces), tuple(good))


def all_locked(source: Sequence[int]) -> list[Lock]:
    """Locks that make any sheet this one, as a file has it: every drawing is locked."""
    runs = Timesheet(24.0, np.array(source, dtype=np.int64)).runs()
    locks = [Lock(run.start, run.start + run.length, run.source, run.length) for run in runs]
    return [*locks[:-1], Lock(locks[-1].first, END, locks[-1].source, locks[-1].exposures)] if locks else []


def are_sound(locks: Sequence[Lock]) -> bool:
    """Whether these can be locks of a sheet: in order, none over another, of frames that there may be."""
    ranged = all(
        0 <= lock.first <= lock.last <= END and 0 <= lock.source < END and 0 <= lock.exposures <= MOST_EXPOSURES
        for lock in locks
    )
    return (
        ranged
        and len(locks) <= MOST_EXPOSURES
        and all(one.last <= two.first for one, two in pairwise(locks))
        and sum(lock.exposures for lock in locks) <= MOST_EXPOSURES
    )


def _between(source: Sources, at: int, to: int, before: Lock | None, after: Lock | None, frames: int) -> Sources:
    """What the method shows from `at` to `to`, its drawings that a lock cuts beginning or ending again."""
    part = np.array(source[at:to])
    if before is not None and before.exposures and _goes_on(source, at, part[0], before.source, back=True):
        end = _run_end(part)
        limit = int(part[end]) - 1 if end < len(part) else frames - 1
        new = min(max(before.source + 1, at), limit)
        if new > before.source:
            part[:end] = new
    if after is not None and after.exposures and _goes_on(source, to, part[-1], after.source, back=False):
        begin = len(part) - _run_end(part[::-1])
        limit = int(part[begin - 1]) + 1 if begin else 0
        new = max(min(after.source - 1, at + begin), limit)
        if new < after.source:
            part[begin:] = new
    return part


def _goes_on(source: Sources, edge: int, shown: int, locked: int, back: bool) -> bool:
    """Whether the drawing `shown` beside a lock is the locked one, or one that the lock cuts and that would go back."""
    cut = 0 < edge < len(source) and source[edge] == source[edge - 1]
    return shown == locked or bool(cut and (shown < locked if back else shown > locked))


def _run_end(part: Sources) -> int:
    other = np.flatnonzero(part != part[0])
    return int(other[0]) if len(other) else len(part)
