"""Live sessions: what a frame costs from packet to packet, and what the filter takes and leaves."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import PurePosixPath
from typing import Protocol

import numpy as np

from bench.clips import real_data
from bench.tables import Table
from komadori import quat
from komadori.character import Character
from komadori.characters import character
from komadori.live import LiveOptions, Place, Session, VmcSink, played, vmc
from komadori.live.cleaning import Tracker
from komadori.live.heard import ROLES, Heard
from komadori.live.sources import Listener
from komadori.quat import Array

RATE = 60.0
ALLOWED_MS = 10.0
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
    return [_work(), _filter()]


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
