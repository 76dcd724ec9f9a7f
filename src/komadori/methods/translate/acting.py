"""Acting: a person's rows in, what the animal's body and hooves do out, frame by frame with a bounded look ahead."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from komadori.methods.translate.cycles import Cycle, nearest
from komadori.methods.translate.footwork import Footwork, Swing
from komadori.methods.translate.manner import AS, manners
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.reading import ALL, kernel, spans
from komadori.methods.translate.steering import Steering
from komadori.methods.translate.stepping import Ground, Order, Stepping
from komadori.quat import Array

PLAIN_STRIDE = 1.39
"""Leg lengths that a plain walk covers in a cycle."""
STANCE, ROOM = 0.62, 0.66
"""Share of a cycle that a walking person's foot stands, and of its reach that an animal's leg takes for a plain stride."""
PACE = (0.5, 1.1)
"""An animal goes at least and at most so many of its units where a person goes a leg length."""
GALLOP, GALLOP_ONLY = 3.0, 2.2
"""Leg lengths a second from which a running person makes an animal gallop that can; the second where it showed no trot."""
EARLIEST = -0.15
"""A fore foot swings at most this share of a cycle before the person's foot that it follows."""
QUICKEST = 2.0
"""Cycles a second at which the back and the tail go at most, however quick the feet are."""
LEAD_S = 0.35
"""The neck looks to where the person faces; it gets there within about this time."""
_FADE_S = 0.25
_JUMP_S = 0.05
_WIDTH = 0.085
"""Leg lengths from the middle at which a person's foot stands in a plain walk."""


@dataclass(frozen=True)
class Stage:
    """The animal as acting needs it: its gaits (a walk first), what bounds its hooves (in its units), and its unit in metres."""

    cycles: tuple[Cycle, ...]
    grounds: tuple[Ground, ...]
    unit_m: float
    trots: bool
    """Whether it has a trot of its own."""
    neck: float
    """Radians by which the neck can be lowered before the nose is at the ground."""


BEAT = ("x", "z", "heading", "turning", "ahead", "phase", "alive", "look", "rise")
"""What acting says of the body in a frame; lengths in units of the animal."""
ON = {name: n for n, name in enumerate(BEAT)}
HOOF = ("x", "z", "yaw", "height", "progress", "lifted", "fold")
"""What it says of each hoof."""


@dataclass(frozen=True, eq=False)
class Beats:
    """Acted frames: `body` (n, BEAT), `hooves` (n, 4, HOOF), `weights` (n, gaits), `manner` (n, FIELDS)."""

    body: Array
    hooves: Array
    weights: Array
    manner: Array


class Acting:
    """The state of an animal that is acted. Give it rows with `push`; it answers for frames that lie `ahead` rows back."""

    def __init__(self, stage: Stage, fps: float, shin: float, options: ActingOptions) -> None:
        self._stage, self._fps, self._shin, self._options = stage, fps, shin, options
        self._spans, self._kernel = spans(fps), kernel(fps)
        self._rows: deque[Array] = deque(maxlen=len(self._kernel) + self._spans.preview)
        self._footwork = Footwork(fps)
        self._steering = Steering(fps, self._spans.preview)
        self._stepping = Stepping(fps, stage.grounds, options)
        self._slow: deque[Array] = deque(maxlen=self._spans.preview + 1)
        self._seen = 0
        self._shown = -1
        self._lifts = [1.0, 1.0]
        self._landed: list[tuple[float, float] | None] = [None, None]
        self._landed_at = [0, 0]
        self._middles = [(0.0, _WIDTH), (0.0, _WIDTH)]
        self._open: list[Swing | None] = [None, None]
        self._stands_s = [0.65, 0.65]
        self._phase, self._alive, self._look = 0.0, 0.0, 0.0
        self._weights = np.eye(len(stage.cycles))[0]
        self._gait = self._asked("walk")
        own = stage.cycles[0].stride_m / stage.unit_m / PLAIN_STRIDE
        # A plain walk takes two thirds of what the legs reach, so that there is room for a lively one.
        room = ROOM * 2.0 * min(ground.reach for ground in stage.grounds) / (STANCE * PLAIN_STRIDE)
        self._gain = max(min(own, room, PACE[1]), PACE[0])

    def push(self, row: Array) -> tuple[Array, Array, Array, Array] | None:
        """The next row with speeds; the body (BEAT,), hooves (4, HOOF), weights and manner of a frame, once one is ready."""
        if not self._seen:
            # What came before the first frame is taken to have been like it.
            self._rows.extend([self._carried(row, -k) for k in range(self._spans.reach, 0, -1)])
        self._rows.append(row)
        plain = row.tolist()
        begun = self._footwork.advance(plain)
        self._stepping.cycle = self._footwork.cycle_s * self._fps
        for swing in begun:
            self._lifted(swing, plain)
        self._followed()
        self._seen += 1
        if self._seen <= self._spans.reach:
            return None
        window = np.array(self._rows)[-len(self._kernel) :]
        slow = self._kernel @ window
        self._slow.append(slow)
        self._steer(slow)
        if self._seen <= self._spans.reach + self._spans.preview:
            return None
        return self._beat()

    def _carried(self, row: Array, frames: int) -> Array:
        """`row` some frames earlier or later, the body going on as it does."""
        moved = np.array(row)
        moved[ALL["x"]] += frames / self._fps * row[ALL["speed_x"]]
        moved[ALL["z"]] += frames / self._fps * row[ALL["speed_z"]]
        return moved

    def rest(self) -> list[Array]:
        """Rows that follow the last one given, so that all frames come out: the person goes on as at the end."""
        last = self._rows[-1]
        return [self._carried(last, k + 1) for k in range(self._spans.reach + self._spans.preview)]

    # The person's feet.

    def _lifted(self, swing: Swing, row: list[float]) -> None:
        foot, stage = swing.foot, self._stage
        self._open[foot] = swing
        here = _place(self._row_at(swing.lifted), foot)
        if (landed := self._landed[foot]) is not None:
            stood = (swing.lifted - self._landed_at[foot]) / self._fps
            if stood < 2.0 * self._footwork.cycle_s:
                self._stands_s[foot] += 0.5 * (min(stood, 1.4) - self._stands_s[foot])
            middle = (0.5 * (landed[0] + here[0]), 0.5 * (landed[1] + here[1]))
            before = self._middles[foot]
            self._middles[foot] = (0.5 * (before[0] + middle[0]), 0.5 * (before[1] + middle[1]))
        self._shift()
        self._gait = self._chosen(row)
        cycle = stage.cycles[nearest(stage.cycles, self._gait)]
        for hoof in range(4):
            source, lag = self._source(hoof, cycle)
            if swing.jump:
                source, lag = hoof % 2, (0.0 if hoof < 2 else -_JUMP_S / self._footwork.cycle_s)
            if source == foot:
                self._stepping.ordered(hoof, Order(swing, lag, 1.0 - float(cycle.duty[hoof])))

    def _source(self, hoof: int, cycle: Cycle) -> tuple[int, float]:
        """The person's foot that a hoof follows, and how much later, in cycles."""
        phases = cycle.phases
        if cycle.name == "gallop":
            # The hind feet of a gallop land together, a person's in turns: all hooves follow one foot.
            return 0, _wrapped(float(phases[hoof]))
        if hoof < 2:
            return hoof, 0.0
        lags = [_wrapped(float(phases[hoof])), _wrapped(float(phases[hoof] - phases[1]))]
        return (0, lags[0]) if lags[0] <= lags[1] else (1, lags[1])

    def _row_at(self, frame: int) -> list[float]:
        """A row of a moment ago: what a foot did is known a few frames later."""
        row: list[float] = self._rows[-1 - min(self._seen - frame, len(self._rows) - 1)].tolist()
        return row

    def _followed(self) -> None:
        for foot, swing in enumerate(self._open):
            if swing is not None and swing.landed is not None:
                self._open[foot] = None
                self._landed[foot] = here = _place(self._row_at(swing.landed), foot)
                middle = 0.5 * (self._middles[0][0] + self._middles[1][0])
                swing.placed = (here[0] - middle, here[1])
                share = swing.peak / 0.17
                self._lifts[foot] += 0.6 * (share - self._lifts[foot])
                self._landed_at[foot] = swing.landed

    def _shift(self) -> None:
        """Hooves stand as much wider, and as unevenly fore and aft, as the person's feet do."""
        mean = 0.5 * (self._middles[0][0] + self._middles[1][0])
        for hoof in range(4):
            ahead, aside = self._middles[hoof % 2]
            ahead = 0.12 * math.tanh(self._options.asymmetry * (ahead - mean) / 0.12)
            wider = 0.05 * math.tanh(0.5 * self._options.sway * (abs(aside) - _WIDTH) / 0.05)
            self._stepping.shift[hoof] = (wider if hoof % 2 == 0 else -wider, ahead)

    def _asked(self, doing: str) -> str:
        """The gait for what the person does, if the animal has it and nothing else was asked for."""
        wanted = self._options.gait
        if wanted in ("walk", "trot", "gallop"):
            doing = wanted
        elif wanted == "run" and doing == "walk":
            doing = "trot"
        names = [cycle.name for cycle in self._stage.cycles]
        if doing == "gallop" and doing not in names:
            doing = "trot"
        return doing if doing in names else "walk"

    def _chosen(self, row: list[float]) -> str:
        if not self._footwork.running:
            return self._asked("walk")
        speed = math.hypot(row[ALL["speed_x"]], row[ALL["speed_z"]])
        faster = (GALLOP if self._stage.trots else GALLOP_ONLY) * (0.85 if self._gait == "gallop" else 1.0)
        return self._asked("gallop" if speed > faster else "trot")

    # The way.

    def _steer(self, slow: Array) -> None:
        heading = float(slow[ALL["heading"]])
        sine, cosine = math.sin(heading), math.cos(heading)
        x, z = float(slow[ALL["speed_x"]]), float(slow[ALL["speed_z"]])
        ahead, aside = sine * x + cosine * z, cosine * x - sine * z
        cycle = self._footwork.cycle_s
        stride = min(max(math.hypot(ahead, aside) * cycle / PLAIN_STRIDE, 0.3), 2.5)
        scale = self._gain * stride ** (self._options.stride - 1.0)
        self._stepping.scale = scale
        gait = self._stage.cycles[nearest(self._stage.cycles, self._gait)]
        stances = []
        for hoof in range(4):
            own = (1.0 - self._options.timing) * float(gait.duty[hoof]) * cycle
            stance = own + self._options.timing * self._stands_s[hoof % 2]
            stances.append(min(max(stance, 0.18 * cycle, 0.12), 1.5))
        self._stepping.stances_s = stances
        fastest = min(1.8 * ground.reach / stance for ground, stance in zip(self._stage.grounds, stances, strict=True))
        root = self._steering.advance(heading, scale * ahead, scale * aside, fastest)
        if len(self._steering.way) == 1:
            self._stepping.begin(root)

    # The frame that is shown.

    def _beat(self) -> tuple[Array, Array, Array, Array]:
        self._shown += 1
        frame, fps, stepping = self._shown, self._fps, self._stepping
        root, later = self._steering.way[0], self._steering.way[-1]
        back = -1 - self._spans.reach - self._spans.preview
        raw, before, slow = self._rows[back], self._rows[back - 1], self._slow[0]
        manner = manners(
            raw[None], slow[None], np.array([self._footwork.floor]), self._shin, self._options, self._stage.neck
        )[0]
        stepping.lifts = self._lifts
        stepping.fore_lift = 1.0 + float(manner[AS["fore_lift"]])
        stepping.advance(frame, root, later, self._spans.preview / fps)
        self._turn_over(frame)
        wish = float(self._slow[-1][ALL["heading"]]) - root.heading
        look = 0.9 * math.tanh(wish / 0.9)
        self._look += (look - self._look) * min(1.0, 1.0 / (LEAD_S * fps))
        weights = np.array([1.0 if cycle.name == self._gait else 0.0 for cycle in self._stage.cycles])
        self._weights = self._weights + (weights - self._weights) * min(1.0, 1.0 / (_FADE_S * fps))
        rise = float(raw[ALL["height"]] - before[ALL["height"]]) * fps
        body = np.array([
            root.x, root.z, root.heading, root.turning, root.ahead, self._phase % 1.0, self._alive, self._look, rise,
        ])  # fmt: skip
        hooves = np.array([
            [hoof.x, hoof.z, hoof.yaw, hoof.height, hoof.progress, float(hoof.lifted), hoof.fold]
            for hoof in stepping.hooves
        ])  # fmt: skip
        return body, hooves, self._weights, manner

    def _turn_over(self, frame: int) -> None:
        """The body's cycle keeps step with the hind feet's landings, and stops where they do."""
        fps, cycle = self._fps, self._stage.cycles[nearest(self._stage.cycles, self._gait)]
        events = []
        for foot in (0, 1):
            hoof = self._stepping.hooves[foot]
            if hoof.lifted and hoof.order is not None:
                events.append((hoof.landing - frame, float(cycle.phases[foot])))
        moving = any(hoof.lifted for hoof in self._stepping.hooves)
        self._alive += ((1.0 if moving else 0.0) - self._alive) * min(1.0, 1.0 / (_FADE_S * fps))
        pace = 1.0 / (max(self._footwork.cycle_s, 0.3) * fps)
        if events:
            left, phase = min(events)
            gap = (phase - self._phase + 0.3) % 1.0 - 0.3
            pace = min(max(gap / max(left, 1.0), 0.3 * pace), 2.0 * pace)
        self._phase += min(pace, QUICKEST / fps) * min(1.0, 2.0 * self._alive)


def acted(acting: Acting, rows: Array) -> Beats:
    """All frames of a clip's rows (F, columns with speeds)."""
    found = [beat for row in rows if (beat := acting.push(row)) is not None]
    found += [beat for row in acting.rest() if (beat := acting.push(row)) is not None]
    body, hooves, weights, manner = (np.array(part) for part in zip(*found, strict=True))
    return Beats(body, hooves, weights, manner)


def _wrapped(phase: float) -> float:
    """A share of a cycle between EARLIEST and EARLIEST + 1."""
    return (phase - EARLIEST) % 1.0 + EARLIEST


def _place(row: list[float], foot: int) -> tuple[float, float]:
    """How far a foot is before the hips, and to which side, in leg lengths."""
    side = ("left", "right")[foot]
    x, z = row[ALL[f"{side}_x"]] - row[ALL["x"]], row[ALL[f"{side}_z"]] - row[ALL["z"]]
    sine, cosine = math.sin(row[ALL["heading"]]), math.cos(row[ALL["heading"]])
    return sine * x + cosine * z, cosine * x - sine * z
