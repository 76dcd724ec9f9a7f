"""The loop of a session: packets are read, each frame is shown on time, and the clock never drifts."""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from komadori.live.session import Session, Shown
from komadori.live.sinks import Sink
from komadori.live.sources import Source, UdpSource
from komadori.live.status import Status

WAIT_S = 0.004
"""The longest wait without looking for packets."""
BEHIND = 3
"""How many frames a delayed loop may catch up at once; more are skipped, so that it is on time again."""
STATUS_S = 0.5
REMEMBERED = 240


class Clock(Protocol):
    """A clock that can wait."""

    def now(self) -> float:
        """Seconds, which never go back."""

    def wait(self, until_s: float, source: Source) -> None:
        """Return at `until_s`, or as soon as something arrives."""


class RealClock:
    """The machine's own."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def wait(self, until_s: float, source: Source) -> None:
        """Sleep until then, or until a packet waits in the source's socket."""
        left = until_s - self.now()
        if left <= 0.0:
            return
        if isinstance(source, UdpSource):
            select.select([source.socket], [], [], left)
        else:
            time.sleep(min(left, WAIT_S))


class Loop:
    """Runs a session until its source ends or `stopped` says so.

    Frame n is due at the start plus n frames, whatever happened before: the rate is kept and errors do not add up.
    """

    def __init__(
        self,
        session: Session,
        source: Source,
        sinks: Sequence[Sink],
        clock: Clock | None = None,
        told: Callable[[Status], None] | None = None,
    ) -> None:
        self._session, self._source, self._sinks = session, source, tuple(sinks)
        self._clock: Clock = clock or RealClock()
        self._told = told
        self.work_s: deque[float] = deque(maxlen=REMEMBERED)
        self.late_s: deque[float] = deque(maxlen=REMEMBERED)
        self.frames = 0
        self._start_s: float | None = None
        self._number = 0
        self._said_s = -float("inf")

    def run(self, seconds: float | None = None, stopped: Callable[[], bool] = lambda: False) -> None:
        """Run for so many seconds, or until stopped; called again, it continues where it was."""
        fps = self._session.options.fps
        start = self._start_s = self._clock.now() if self._start_s is None else self._start_s
        end = None if seconds is None else self._number + seconds * fps
        rest = self._session.look_ahead
        while not stopped() and (end is None or self._number < end - 1e-6):
            due = start + self._number / fps
            now = self._clock.now()
            if now < due:
                self._clock.wait(due, self._source)
                self._hear(self._clock.now())
                continue
            if now - due > BEHIND / fps:
                skipped = int((now - due) * fps)
                self._session.skip(skipped)
                self._number += skipped
                continue
            if self._source.ended:
                # What is still in the look-ahead is shown as well.
                rest -= 1
                if rest < 0:
                    break
            self._frame(due)
            self._number += 1
            if self._told is not None and now - self._said_s >= STATUS_S:
                self._said_s = now
                self._told(self.status())

    def _hear(self, now_s: float) -> None:
        self._source.poll(self._session, now_s)

    def _frame(self, due_s: float) -> None:
        began = self._clock.now()
        self._hear(began)
        shown: Shown | None = self._session.tick(due_s)
        if shown is not None:
            for sink in self._sinks:
                sink.show(shown)
            self.frames += 1
        ended = self._clock.now()
        self.work_s.append(ended - began)
        self.late_s.append(ended - due_s)

    def status(self) -> Status:
        """The state of the session now."""
        work = sorted(self.work_s)
        usual = work[len(work) // 2] if work else 0.0
        return self._session.status(self._clock.now(), usual)
