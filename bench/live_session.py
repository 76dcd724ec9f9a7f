"""Live sessions: what a frame costs from packet to packet, an hour with a simulated clock, and what the filter takes and leaves."""

from __future__ import annotations

import os
import pickle
import resource
import socket
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Protocol

import numpy as np

from bench.clips import real_data
from bench.tables import Table
from komadori import quat
from komadori.character import Character
from komadori.characters import character
from komadori.live import LiveOptions, Loop, Place, Session, Shown, VmcSink, played, vmc
from komadori.live.cleaning import Tracker
from komadori.live.heard import ROLES, Heard
from komadori.live.sources import Listener
from komadori.quat import Array

RATE = 60.0
ALLOWED_MS = 10.0
GROWTH_MB = 2.0
STATE_GROWTH = 0.02
MINUTES, SLICE_MIN = 60.0, 15.0
KEPT = os.environ.get("KOMADORI_LIVE_KEPT", "")
"""A file for the long session, which takes minutes: `python -m bench.live_session` runs a slice of it and keeps it there."""
LONGEST = 900
FACE = {"Blink": 0.5, "A": 0.3, "I": 0.1, "U": 0.0, "E": 0.0, "O": 0.2, "Joy": 0.0}


class Simulated:
    """A clock that continues when somebody waits."""

    now_s = 0.0

    def now(self) -> float:
        return self.now_s

    def wait(self, until_s: float, source: object) -> None:
        self.now_s = until_s


class Sender:
    """A sample motion as VMC packets, 60 a second, over and over."""

    ended = False

    def __init__(self, body: Character, name: str = "pitch") -> None:
        poses = played(f"sample:{name}", body).poses
        made = Session(body, LiveOptions(hair="none", feet=False)).body
        self._frames: list[list[bytes]] = []
        for frame in range(len(poses.hips)):
            turns = np.tile([0.0, 0.0, 0.0, 1.0], (len(ROLES), 1))
            for at, role in enumerate(poses.roles):
                turns[ROLES.index(role)] = poses.rotations[frame, at]
            self._frames.append(vmc.written(turns, made.present, poses.hips[frame], FACE, 0.0)[:])
        self._listener = Listener("vmc")
        self._next = 0
        self.packets = 0

    def poll(self, session: Session, now_s: float) -> None:
        while self._next / RATE <= now_s + 1e-9:
            for datagram in self._frames[self._next % len(self._frames)]:
                # Unstamped, as many senders are: the same frames come round again.
                self._listener.take(session, datagram, "sender", self._next / RATE)
                self.packets += 1
            self._next += 1

    def close(self) -> None:
        pass


def tables() -> list[Table]:
    return [_work(), _long(), _filter()]


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
    """A long session that continues where it was, in another process as well."""

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


def kept() -> Long:
    """The session as KEPT has it, or a new one."""
    if KEPT and Path(KEPT).exists():
        with Path(KEPT).open("rb") as file:
            found: Long = pickle.load(file)
        return found
    return Long()


def next_slice() -> Long:
    """The session after one slice more, which is kept."""
    session = kept()
    if session.minutes < MINUTES:
        session.go_on(SLICE_MIN)
        if KEPT:
            Path(KEPT).write_bytes(pickle.dumps(session))
    return session


def _work() -> Table:
    rows, failed = [], []
    for name, options in (("girl", LiveOptions()), ("girl", LiveOptions(look_ahead=6)), ("mannequin", LiveOptions())):
        body = character(name)
        session, sender = Session(body, options), Sender(body)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("127.0.0.1", 0))
            sink = VmcSink(Place("vmc", port=receiver.getsockname()[1]), session.body, options.fps)
            times = []
            for number in count():
                now = number / options.fps
                began = time.thread_time()
                sender.poll(session, now)
                shown = session.tick(now)
                if shown is not None:
                    sink.show(shown)
                times.append(1e3 * (time.thread_time() - began))
                if now > 20.0:
                    break
            sink.close()
        hair = 0 if session._springs is None else len(session._springs.joints)
        middle, high, most = np.percentile(times, [50, 99, 100])
        rows.append((name, str(hair), str(options.look_ahead), f"{middle:.1f} ms", f"{high:.1f} ms", f"{most:.1f} ms"))
        if high > ALLOWED_MS:
            failed.append(f"{name}: {high:.1f} ms at the 99th percentile, {ALLOWED_MS:g} allowed")
    columns = ("character", "joints of hair", "look-ahead", "median", "99th percentile", "longest")
    about = (
        "Processor time of one frame, from the packets that came (60 a second, a whole body with its face each) to the packets that are sent: reading, filter, feet,"
        " hair, solver, writing. The delay is the look-ahead and this."
    )
    return Table("Work a frame", columns, tuple(rows), about, tuple(failed))


def _long() -> Table:
    held = kept()
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
        "60 frames per second come in, each in two packets, 24 go out, with a simulated clock. The session is put on disk and taken up again in a new process every"
        f" {SLICE_MIN:g} minutes: memory is the most that any of them took beyond its first 30 s, the state all that the session and its sender remember."
    )
    return Table("Long sessions", columns, (row,), about, tuple(failed))


class Mean:
    """The mean turn of the last `count` packets."""

    def __init__(self, count: float) -> None:
        self._count = max(1, round(count))
        self._held: list[Array] = []

    def next(self, turns: Array) -> Array:
        self._held = [*self._held, turns][-self._count :]
        newest = self._held[-1]
        away = [quat.log(quat.multiply(_near(one, newest), quat.inverse(newest))) for one in self._held]
        return quat.multiply(quat.exp(np.mean(away, axis=0)), newest)


class Exponential:
    """A low-pass with one cut-off, in hertz."""

    def __init__(self, cutoff_hz: float) -> None:
        self._share = 1.0 / (1.0 + RATE / (2.0 * np.pi * cutoff_hz))
        self._at: Array | None = None

    def next(self, turns: Array) -> Array:
        self._at = turns if self._at is None else quat.slerp(self._at, _near(turns, self._at), self._share)
        return self._at


class Kalman:
    """A body that turns on at a steady speed, in its steady state: `gain` says how far a packet is believed."""

    def __init__(self, gain: float) -> None:
        self._gain = gain
        self._rate = 2.0 - gain - 2.0 * np.sqrt(1.0 - gain)
        self._at: Array | None = None
        self._spin = np.zeros(3)

    def next(self, turns: Array) -> Array:
        if self._at is None:
            self._at = turns
            return turns
        ahead = quat.multiply(quat.exp(self._spin), self._at)
        missed = quat.log(quat.multiply(_near(turns, ahead), quat.inverse(ahead)))
        self._spin = self._spin + self._rate * missed
        self._at = quat.normalized(quat.multiply(quat.exp(self._gain * missed), ahead))
        return self._at


class Ours:
    """What a session does."""

    def __init__(self, clean: bool) -> None:
        self._tracker, self._at = Tracker(np.zeros(3), clean), 0.0

    def next(self, turns: Array) -> Array:
        # Bones that nobody sends are sent as well here: each filter works on all of them.
        self._tracker.hear(Heard(turns, np.ones(len(ROLES), dtype=bool)), self._at)
        pose = self._tracker.at(self._at)
        self._at += 1.0 / RATE
        assert pose is not None
        return pose.rotations


class Filter(Protocol):
    def next(self, turns: Array) -> Array: ...


TREMOR_DEG = 0.5
CHOSEN_ON = ("kick", "pitch", "jog")
REAL = ("human_cmu_bvh/10_01.bvh", "human_cmu_bvh/02_01.bvh", "human_cmu_styles/91_10.bvh", "human_other_bvh/threejs_pirouette.bvh")  # fmt: skip


def _filter() -> Table:
    still = _trembled("pitch", still=True)
    wanted = _apart_by_packet(Ours(True), still)[0]
    made: dict[str, Callable[[], Filter]] = {
        "as sent": lambda: Ours(False),
        "One-Euro": lambda: Ours(True),
    }
    others: tuple[tuple[str, Callable[[float], Filter], float, float], ...] = (
        ("moving mean", Mean, 1.0, 60.0),
        ("exponential", Exponential, 20.0, 0.05),
        ("constant speed (Kalman)", Kalman, 0.95, 0.005),
    )
    for name, kind, low, high in others:
        for _ in range(14):
            middle = 0.5 * (low + high)
            calm = _apart_by_packet(kind(middle), still)[0] < wanted
            low, high = (low, middle) if calm else (middle, high)
        made[name] = partial(kind, high)
    data = real_data()
    performers = [*CHOSEN_ON, "walk", "slow-walk", *(REAL if data else ())]
    clips = [_trembled(name) for name in performers]
    rows = []
    for name, make in made.items():
        step = f"{np.degrees(_apart_by_packet(make(), still)[0]):.2f}°"
        rows.append((name, step, *(f"{np.degrees(_apart_by_packet(make(), clip)[1]):.2f}°" for clip in clips)))
    columns = ("filter", "step a packet, nobody moves", *(f"off the true pose: {PurePosixPath(name).stem}" for name in performers))  # fmt: skip
    about = (
        f"A tremor of {TREMOR_DEG:g}° on every bone, 60 packets per second. The step is what trembles where nobody moves; the others are set to tremble as little as"
        " the One-Euro filter does. What a filter costs is lag where somebody moves: how far bones are off the true pose, on average."
        f" One-Euro's numbers were chosen on {', '.join(CHOSEN_ON)}; the others were kept aside. Real clips tremble themselves, which counts as true here."
    )
    return Table("The filter", columns, tuple(rows), about)


def _trembled(name: str, still: bool = False) -> tuple[Array, Array, list[int]]:
    """The turns that are sent, the true ones, and the bones that move."""
    rng = np.random.default_rng(0)
    data = real_data()
    file = str(data / name) if data and "/" in name else f"sample:{name}"
    poses = played(file, character("mannequin")).poses
    times = np.arange(0.0, (len(poses.hips) - 2) / poses.fps, 1.0 / RATE)[:LONGEST]
    columns = [ROLES.index(role) for role in poses.roles if role in ROLES]
    kept = [at for at, role in enumerate(poses.roles) if role in ROLES]
    true = np.tile([0.0, 0.0, 0.0, 1.0], (len(times), len(ROLES), 1))
    at = np.zeros(len(times)) if still else times * poses.fps
    whole = at.astype(int)
    part = np.repeat((at - whole)[:, None], len(kept), axis=1)
    true[:, columns] = quat.slerp(poses.rotations[whole][:, kept], poses.rotations[whole + 1][:, kept], part)
    sent = quat.multiply(quat.exp(rng.normal(scale=np.radians(TREMOR_DEG), size=(*true.shape[:2], 3))), true)
    return sent, true, columns


def _apart_by_packet(filter: Filter, clip: tuple[Array, Array, list[int]]) -> tuple[float, float]:
    """The mean step from packet to packet, and how far from the truth, after half a second."""
    sent, true, columns = clip
    shown = np.array([filter.next(turns) for turns in sent])[30:, columns]
    return _apart(shown[1:], shown[:-1]), _apart(shown, true[30:, columns])


def _near(turns: Array, other: Array) -> Array:
    """The same turns, on the side of the sphere on which `other` is."""
    return np.where((turns * other).sum(axis=-1, keepdims=True) < 0.0, -turns, turns)


def _apart(a: Array, b: Array) -> float:
    return float(quat.angle(quat.multiply(a, quat.inverse(b))).mean())


if __name__ == "__main__":
    # Under its own name, so that another process knows what lies on the disk.
    from bench import live_session

    print(f"{live_session.next_slice().minutes:g} of {MINUTES:g} minutes")
