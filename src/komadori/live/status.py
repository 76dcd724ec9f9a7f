"""What happened on the way: packets per second, delay, and everything that was dropped."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from komadori.words import Note

WINDOW_S = 2.0
MOST_REMEMBERED = 512
GAP_S = 0.25
AWAY_S = 1.0


@dataclass(frozen=True)
class Status:
    """The state of a session at one moment."""

    packets_s: float
    delay_ms: float
    lost: int
    late: int
    doubled: int
    malformed: int
    others: int
    """Packets of a sender that is not listened to."""
    switched: int
    gaps: int
    skipped: int
    """Frames that could not be shown in time."""
    shown: int
    drawn: int
    heard: bool
    """Whether packets come at present."""
    finding_back: bool

    @property
    def dropped(self) -> int:
        """All packets that were discarded."""
        return self.lost + self.late + self.doubled + self.malformed + self.others

    def line(self) -> Note:
        """The status line."""
        if not self.heard:
            return Note(
                "waiting for packets; {shown} frames shown, {dropped} packets dropped",
                shown=self.shown,
                dropped=self.dropped,
            )
        held = 1.0 - self.drawn / self.shown if self.shown else 0.0
        said = Note(
            "{packets:.0f} packets/s, delay {delay:.0f} ms, {dropped} dropped, {shown} frames, {held:.0%} held",
            packets=self.packets_s, delay=self.delay_ms, dropped=self.dropped, shown=self.shown, held=held,
        )  # fmt: skip
        told = self._reasons()
        return Note("{said} ({reasons})", said=said, reasons=told) if told else said

    def _reasons(self) -> Note | None:
        known = [
            Note("lost: {count}", count=self.lost) if self.lost else None,
            Note("late: {count}", count=self.late) if self.late else None,
            Note("repeated: {count}", count=self.doubled) if self.doubled else None,
            Note("malformed: {count}", count=self.malformed) if self.malformed else None,
            Note("from another sender: {count}", count=self.others) if self.others else None,
            Note("gaps bridged: {count}", count=self.gaps) if self.gaps else None,
            Note("frames skipped: {count}", count=self.skipped) if self.skipped else None,
            Note("catching up") if self.finding_back else None,
        ]
        said: Note | None = None
        for each in known:
            if each is not None:
                said = each if said is None else Note("{first}, {second}", first=said, second=each)
        return said


@dataclass
class Counts:
    """The counters of a session; what they remember of the past is bounded."""

    lost: int = 0
    late: int = 0
    doubled: int = 0
    malformed: int = 0
    others: int = 0
    switched: int = 0
    gaps: int = 0
    skipped: int = 0
    shown: int = 0
    drawn: int = 0
    _times: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_REMEMBERED))

    def came(self, now_s: float) -> None:
        """Note a frame that came at `now_s`, and a gap before it."""
        if self._times and now_s - self._times[-1] > GAP_S:
            self.gaps += 1
        self._times.append(now_s)

    def status(self, now_s: float, delay_s: float, finding_back: bool) -> Status:
        """All of it, with the packets of the last seconds."""
        while self._times and now_s - self._times[0] > WINDOW_S:
            self._times.popleft()
        span = min(WINDOW_S, now_s - self._times[0]) if self._times else WINDOW_S
        rate = len(self._times) / max(span, 0.25)
        heard = bool(self._times) and now_s - self._times[-1] < AWAY_S
        return Status(
            rate, 1e3 * delay_s, self.lost, self.late, self.doubled, self.malformed, self.others, self.switched, self.gaps,
            self.skipped, self.shown, self.drawn, heard, finding_back,
        )  # fmt: skip
