"""Holds and omission decided while the frames come in: arrays in, one exposure out, a bounded number of frames later."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from komadori.methods.limited.actions import AROUND_S, SHORTEST_S, SNAPS
from komadori.quat import Array

PACE = 0.01
"""How fast the worth of a drawing follows the share that is asked for: its logarithm moves so much a frame. Faster, and the calm of one second
costs drawings that the next would need: see docs/benchmarks/live.md."""
PACE_REACH = 4.0
"""The worth never leaves what it began with by more than this, as a logarithm."""


@dataclass(frozen=True)
class Exposure:
    """One frame that is shown."""

    frame: int
    """Its number in the output, from 0 on."""
    source: int
    """The frame of the input that it shows."""
    before: int
    """What it would show without holds: another frame only where in-betweens are omitted."""
    new: bool
    """Whether this is a new drawing, and not the one before held on."""


@dataclass(frozen=True)
class Leaps:
    """When in-betweens are omitted. The speed is the root of a squared step, per frame."""

    most: int
    """In-betweens omitted in one burst."""
    stand_out: float
    """How many times as fast as its surroundings a burst is."""
    fast: float
    """The least speed of a burst."""


@dataclass(frozen=True)
class Rules:
    """The settings, in frames, squared distances and shares."""

    look_ahead: int
    max_exposures: int
    worth: float
    """The squared error that a drawing must save to be made."""
    fps: float
    share: float | None = None
    """The share of the frames that should be held; `worth` then follows what is done."""
    leaps: Leaps | None = None


class CausalHolds:
    """Give every frame's row to `push`: it answers for the frame `look_ahead` before, or with None at the start.

    Each decision is the first step of the best plan for what is known: the frames up to the newest, and behind it the same velocity
    without end, for which the best plan repeats itself and has a cost per frame. A run shows its best frame, as `optimal-free`
    does, as far as it is known when the run begins. Only so many frames are remembered as a decision looks at.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._log_worth = 0.0
        # Source frames by number, from `_oldest` on; what each output frame from `_next` on should show; which frames must be drawn.
        self._points: deque[Array] = deque()
        self._oldest = 0
        self._count = 0
        self._next = 0
        self._timeline: deque[int] = deque()
        self._musts: set[int] = set()
        # The speed of every step, and that of the limbs alone: a body that sets off or turns back is fast as a whole.
        around = max(1, round(AROUND_S * rules.fps)) + rules.look_ahead
        self._speeds: deque[float] = deque(maxlen=around)
        self._limb_speeds: deque[float] = deque(maxlen=around)
        self._limbs: Array | None = None
        self._shown: int | None = None
        self._run = 0
        self._rest_until = 0

    @property
    def worth(self) -> float:
        """What a drawing must save at present."""
        return self._rules.worth * math.exp(self._log_worth)

    @property
    def remembered(self) -> int:
        """Frames kept in memory."""
        return len(self._points)

    @property
    def oldest(self) -> int:
        """The earliest source frame that can still be shown."""
        return self._oldest

    def push(self, point: Array, must: bool = False, limbs: Array | None = None) -> Exposure | None:
        """The next frame's row (D,) in; `must` says that it has to be drawn. The exposure that is due out, if there is one.

        `limbs` is the same row without the body's travel: in-betweens are omitted only where the limbs are sudden as well.
        """
        limbs = point if limbs is None else limbs
        if self._limbs is not None:
            self._speeds.append(float(np.linalg.norm(point - self._points[-1])))
            self._limb_speeds.append(float(np.linalg.norm(limbs - self._limbs)))
        self._limbs = np.array(limbs, dtype=np.float64)
        self._points.append(np.array(point, dtype=np.float64))
        self._timeline.append(self._count)
        if must:
            self._musts.add(self._count)
        self._count += 1
        return self._decided() if self._count - self._next > self._rules.look_ahead else None

    def finish(self) -> Iterator[Exposure]:
        """What is left when no more frames come, one after the other."""
        while self._next < self._count:
            yield self._decided()

    def _point(self, source: int) -> Array:
        return self._points[source - self._oldest]

    def _decided(self) -> Exposure:
        if self._rules.leaps is not None:
            self._leap(self._rules.leaps)
        before = self._timeline[0]
        plan = self._plan()
        if plan is None:
            assert self._shown is not None
            shown, new = self._shown, False
            self._run += 1
        else:
            # A drawing that comes again right away is the same one held on, whatever the limit.
            shown, new = plan, plan != self._shown
            self._run = 1
        self._shown = shown
        made = Exposure(self._next, shown, before, new)
        if self._rules.share is not None:
            moved = self._log_worth + PACE * (float(new) - (1.0 - self._rules.share))
            self._log_worth = min(max(moved, -PACE_REACH), PACE_REACH)
        self._timeline.popleft()
        self._next += 1
        while self._oldest < min(self._shown, self._next - 1, *self._timeline) and len(self._points) > 1:
            self._points.popleft()
            self._musts.discard(self._oldest)
            self._oldest += 1
        return made

    def _plan(self) -> int | None:
        """The source frame to draw now, or None if the drawing before is held on."""
        most, known = self._rules.max_exposures, len(self._timeline)
        worth = self.worth
        rows = [self._point(source) for source in self._timeline]
        newest = self._points[-1]
        velocity = newest - self._points[-2] if len(self._points) > 1 else np.zeros_like(newest)
        ahead = np.array([*rows, *(newest + step * velocity for step in range(1, most))])
        apart = np.square(ahead[:, None] - ahead[None]).sum(axis=-1)
        # sums[x, k]: the error of showing frame x of the window over its first k frames.
        sums = np.concatenate([np.zeros((len(ahead), 1)), np.cumsum(apart, axis=1)], axis=1)
        musts = [source in self._musts for source in self._timeline] + [False] * (most - 1)
        rate = _rate(worth, float(np.square(velocity).sum()), most, self._rules.look_ahead)
        # togo[i]: the cost from frame i on when a run begins there; behind the window each frame costs `rate`.
        togo = [0.0] * known + [-rate * k for k in range(most)]
        first = self._timeline[0]
        for i in range(known - 1, -1, -1):
            best = math.inf
            for size in range(1, most + 1):
                # A later run will know what comes behind the window when it begins; this one does not.
                end = min(i + size, known if i == 0 else i + self._rules.look_ahead + 1)
                costs = sums[i:end, i + size] - sums[i:end, i]
                at = _allowed(costs, musts[i : i + size])
                if at is not None and worth + costs[at] + togo[i + size] < best:
                    best = worth + float(costs[at]) + togo[i + size]
                    if i == 0:
                        first = self._timeline[at]
            togo[i] = best
        if self._shown is not None:
            held, least = 0.0, togo[0]
            errors = np.square(ahead[: most - self._run] - self._point(self._shown)).sum(axis=-1).tolist()
            for size, error in enumerate(errors, start=1):
                if musts[size - 1] and self._timeline[size - 1] != self._shown:
                    break
                held += error
                if held + togo[size] < least:
                    return None
        return first

    def _leap(self, leaps: Leaps) -> None:
        """Lay the timeline over the in-betweens of a burst that is about to begin: the drawing before stays, the one behind comes early."""
        known = len(self._timeline)
        untouched = self._timeline[0] == self._next and self._timeline[-1] == self._count - 1
        if known < 3 or self._shown is None or not untouched or self._next < self._rest_until:
            return
        into = list(self._speeds)[-known:]
        if len(into) < known or len(self._speeds) < 2 * known:
            return
        fastest = max(range(1, known), key=into.__getitem__)
        stands_out = all(_stands_out(speeds, known, leaps) for speeds in (self._speeds, self._limb_speeds))
        # A burst that still gains speed may have its fastest moment ahead.
        if not stands_out or (fastest == known - 1 and into[0] < SNAPS * into[fastest]):
            return
        first = fastest
        while first > 0 and into[first - 1] >= SNAPS * into[fastest]:
            first -= 1
        last = fastest
        while last < known - 1 and into[last + 1] >= SNAPS * into[fastest]:
            last += 1
        if first > 0:
            return
        # The burst's last frame is where the leap lands.
        gone = [at for at in range(min(last, leaps.most)) if self._timeline[at] not in self._musts]
        if gone != list(range(len(gone))) or not gone:
            return
        stay = min(len(gone), max(self._rules.max_exposures - self._run, 0))
        early = min(len(gone) - stay, self._rules.max_exposures - 1)
        landing = self._timeline[stay + early]
        for at in range(stay + early):
            self._timeline[at] = self._shown if at < stay else landing
        self._rest_until = self._next + round(SHORTEST_S * self._rules.fps)


def _stands_out(speeds: deque[float], known: int, leaps: Leaps) -> bool:
    """Whether the fastest of the `known` newest steps is a burst among all that are remembered; the first of them has begun already."""
    fastest = max(list(speeds)[1 - known :])
    return fastest >= leaps.stand_out * float(np.median(speeds)) and fastest >= leaps.fast


def _allowed(costs: Array, musts: list[bool]) -> int | None:
    """Which of a run's frames it shows: the cheapest, or the only one that must be; None if two must."""
    wanted = [at for at, must in enumerate(musts) if must]
    if len(wanted) > 1:
        return None
    return wanted[0] if wanted else int(costs.argmin())


def _rate(worth: float, step: float, most: int, look_ahead: int) -> float:
    """What a frame costs at best if every step is `step`: runs of one length, each showing the most central frame that is known."""
    rates = []
    for size in range(1, most + 1):
        shown = min((size - 1) // 2, look_ahead)
        rates.append((worth + step * sum((at - shown) ** 2 for at in range(size))) / size)
    return min(rates)
