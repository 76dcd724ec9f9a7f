"""A live session of an hour, with a simulated clock: what is missing, how the clock drifts, what grows."""

from __future__ import annotations

import pickle
import resource

from bench.live_session import Sender, Simulated
from bench.tables import Table
from komadori.characters import character
from komadori.live import Loop, Session, Shown

GROWTH_MB = 2.0
STATE_GROWTH = 0.02
MINUTES, SLICE_MIN = 60.0, 15.0


class Watch:
    """Remembers when the newest frame came."""

    at = 0.0

    def __init__(self, clock: Simulated) -> None:
        self._clock = clock

    def show(self, frame: Shown) -> None:
        self.at = self._clock.now_s

    def close(self) -> None:
        pass


class Long:
    """A long session, in several parts."""

    def __init__(self) -> None:
        body = character("mannequin")
        self.session, self.sender, self.clock = Session(body), Sender(body), Simulated()
        self.watch = Watch(self.clock)
        self.loop = Loop(self.session, self.sender, [self.watch], self.clock)
        self.minutes = 0.0
        self.grown_mb: list[float] = []
        self.state_bytes: list[int] = []

    def go_on(self, minutes: float) -> None:
        """So many minutes more; what memory it took beyond that after 30 s of them, and how large its state is."""
        self.loop.run(30.0)
        before = _most_mb()
        self.loop.run(60.0 * minutes - 30.0)
        self.minutes += minutes
        self.grown_mb.append(_most_mb() - before)
        self.state_bytes.append(len(pickle.dumps((self.session, self.sender))))


def _most_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def tables() -> list[Table]:
    held = Long()
    while held.minutes < MINUTES:
        held.go_on(SLICE_MIN)
    fps = held.session.options.fps
    wanted = round(60.0 * held.minutes * fps)
    drift = 1e3 * (held.watch.at - (wanted - 1) / fps)
    missing = wanted - held.session.options.look_ahead - held.loop.frames
    grown, state = max(held.grown_mb), held.state_bytes[-1] / held.state_bytes[0] - 1.0
    failed = [f"memory grows by {grown:.1f} MB"] if grown > GROWTH_MB else []
    failed += [f"the state grows by {100.0 * state:.1f} %"] if state > STATE_GROWTH else []
    failed += [f"the clock drifts by {drift:.3f} ms"] if abs(drift) > 0.01 else []
    failed += [f"{missing} frames are missing"] if missing else []
    row = (f"{held.minutes:g} min", f"{held.sender.packets:,}", f"{held.loop.frames:,}", str(missing), f"{abs(drift):.4f} ms", f"{grown:.1f} MB", f"{100.0 * state:+.1f} %")  # fmt: skip
    columns = ("simulated", "packets", "frames", "frames missing", "drift of the clock", "memory beyond that after 30 s", "size of the state, end against first quarter")  # fmt: skip
    about = (
        "60 frames per second come in, each in two packets, 24 go out, with a simulated clock. Memory is the most that any quarter took beyond its first 30 s, the"
        " state all that the session and its sender remember."
    )
    return [Table("Long sessions", columns, (row,), about, tuple(failed))]
