"""Acting: a person's rows in, what the animal's body and hooves do out, frame by frame with a bounded look ahead."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from komadori.methods.translate.cycles import Cycle, nearest
from komadori.methods.translate.footing import Footing
from komadori.methods.translate.footwork import TOGETHER_S, Footwork, Swing
from komadori.methods.translate.manner import AS, FIELDS, manner_of
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.reading import ALL, kernel, spans
from komadori.methods.translate.rearing import Rearing
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
"""Leg lengths per second from which a running person makes an animal gallop that can; the second where it showed no trot."""
EARLIEST = -0.15
"""A fore foot swings at most this share of a cycle before the person's foot that it follows."""
QUICKEST = 2.0
"""Cycles per second at which the back and the tail go at most, however quick the feet are."""
LEAD_S = 0.35
"""The neck looks to where the person faces; it gets there within about this time."""
SOFT = (0.3, 4.0)
"""Units per second at which a body that leapt touches down, and by how much it brakes before that, units per second squared."""
ON_THE_SPOT = 0.4
"""Leg lengths per second under which a jump goes up and not forward."""
JUMPING = 0.9
"""Leg lengths per second at which both feet rise in a jump: boxers who hop on their toes are slower."""
TIPTOE = 0.05
"""Units by which a body rises at most while a hoof stands."""
UNEVEN = 4.0
"""How much farther apart an uneven walk's middles are set than in the person, whose legs are longer for their body."""
LEAPING = 0.15
"""Radians by which the body pitches in a leap."""
_QUICK = np.array([{"height": 1.8, "sway": 0.8, "pitch": 0.6}.get(name, 2.5) for name in FIELDS])
"""Units and radians per second by which manners change at most."""
_FADE_S, _FADED = 0.25, 1e-3
_JUMP_S = 0.05
_WIDTH = 0.085
"""Leg lengths from the middle at which a person's foot stands in a plain walk."""


@dataclass(frozen=True)
class Stage:
    """What acting needs to know of the animal: its gaits (a walk first), what bounds its hooves (in its units), and its unit in metres."""

    cycles: tuple[Cycle, ...]
    grounds: tuple[Ground, ...]
    unit_m: float
    trots: bool
    """Whether it has its own trot."""
    neck: float
    """Radians by which the neck can be lowered before the nose is at the ground."""
    crouch: float
    """Units by which the body can be lowered."""
    rear: float
    """Radians by which it rears when the person jumps on the spot; 0: it leaps."""
    gain: float = 0.0
    """Units of the animal that it goes where a person goes a leg length; 0: as its walk suggests."""


BEAT = ("x", "z", "heading", "turning", "ahead", "phase", "alive", "look", "rear")
"""What acting determines for the body in a frame; lengths in units of the animal."""
ON = {name: n for n, name in enumerate(BEAT)}
HOOF = ("x", "z", "yaw", "height", "progress", "lifted", "fold", "side", "ahead")
"""What it determines for each hoof; the last two are where it lands, relative to the body at that time."""


@dataclass(frozen=True, eq=False)
class Beats:
    """Acted frames: `body` (n, BEAT), `hooves` (n, 4, HOOF), `weights` (n, gaits), `manner` (n, FIELDS)."""

    body: Array
    hooves: Array
    weights: Array
    manner: Array


Beat = tuple[Array, Array, Array, Array]
"""One frame of the same."""


class Acting:
    """The state of an animal that is acted. Give it rows with `push`; it answers for frames that lie `ahead` rows back."""

    def __init__(self, stage: Stage, fps: float, shin: float, options: ActingOptions) -> None:
        self._stage, self._fps, self._shin, self._options = stage, fps, shin, options
        self._spans, self._kernel = spans(fps), kernel(fps)
        self._rows: deque[Array] = deque(maxlen=len(self._kernel) + self._spans.preview)
        self._footwork = Footwork(fps)
        self._footing = Footing(fps, shin)
        self._rearing = Rearing(fps)
        self._steering = Steering(fps, self._spans.preview)
        self._stepping = Stepping(fps, stage.grounds, options)
        self._slow: deque[Array] = deque(maxlen=self._spans.preview + 1)
        self._seen = 0
        self._shown = -1
        self._before: Array | None = None
        self._lifts = [1.0, 1.0]
        self._landed: list[tuple[float, float] | None] = [None, None]
        self._landed_at = [0, 0]
        self._middles = [(0.0, _WIDTH), (0.0, _WIDTH)]
        self._open: list[Swing | None] = [None, None]
        self._earlier: list[Swing | None] = [None, None]
        self._stands_s = [0.65, 0.65]
        self._phase, self._alive, self._look = 0.0, 0.0, 0.0
        self._weights = np.eye(len(stage.cycles))[0]
        self._gait = self._asked("walk")
        own = stage.gain or stage.cycles[0].stride_m / stage.unit_m / PLAIN_STRIDE
        # A plain walk uses two thirds of the legs' reach, to leave room for a lively one.
        room = ROOM * 2.0 * min(ground.reach for ground in stage.grounds) / (STANCE * PLAIN_STRIDE)
        self._gain = max(min(own, room, PACE[1]), PACE[0])

    @property
    def off_feet(self) -> int:
        """Frames so far in which the person was off their feet."""
        return self._footing.lost

    def push(self, row: Array) -> Beat | None:
        """The next row with speeds; the body (BEAT,), hooves (4, HOOF), weights and manner of a frame, once one is ready."""
        footwork = self._footwork
        if not self._seen:
            footwork.floor = float(min(row[ALL["left_y"]], row[ALL["right_y"]]))
            footwork.toes = float(min(row[ALL["left_toe_y"]], row[ALL["right_toe_y"]]))
        return self._taken(self._footing.advance(row, footwork.floor, footwork.toes))

    def finish(self) -> Iterator[Beat]:
        """The frames that are left, as if the person continued as at the end."""
        last = self._rows[-1]
        for frame in range(1, self._spans.reach + self._spans.preview + 1):
            if (beat := self._taken(self._carried(last, frame))) is not None:
                yield beat

    def _taken(self, row: Array) -> Beat | None:
        if not self._seen:
            # Before the first frame the person is assumed to have moved the same way.
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
        slow = self._kernel @ np.array(list(self._rows)[-len(self._kernel) :])
        self._slow.append(slow)
        self._steer(slow)
        if self._seen <= self._spans.reach + self._spans.preview:
            return None
        return self._beat()

    def _carried(self, row: Array, frames: int) -> Array:
        """`row` some frames earlier or later, the body continuing as it does."""
        moved = np.array(row)
        moved[ALL["x"]] += frames / self._fps * row[ALL["speed_x"]]
        moved[ALL["z"]] += frames / self._fps * row[ALL["speed_z"]]
        return moved

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
        if swing.jump and self._reared(swing, row):
            return
        self._gait = self._chosen(row)
        cycle = stage.cycles[nearest(stage.cycles, self._gait)]
        swings = [swing]
        if self._gait == "gallop" and self._earlier[foot] is None and swing.lifted < self._footwork.cycle_s * self._fps:
            # If the clip begins at full gallop, hooves are in the air already: those of the previous step.
            earlier = Swing(foot, swing.lifted - round(self._footwork.cycle_s * self._fps), peak=swing.peak)
            self._earlier[foot] = earlier
            swings.insert(0, earlier)
        for hoof in range(4):
            source, lag = self._source(hoof, cycle)
            if swing.jump:
                source, lag = hoof % 2, (0.0 if hoof < 2 else -_JUMP_S / self._footwork.cycle_s)
            for one in swings if source == foot else ():
                self._stepping.ordered(hoof, Order(one, lag, 1.0 - float(cycle.duty[hoof])))

    def _reared(self, swing: Swing, row: list[float]) -> bool:
        """Whether the jump that begins with `swing` makes the animal rear: one on the spot does, if it is not known to leap."""
        quick = min(row[ALL["left_rise"]], row[ALL["right_rise"]])
        on_the_spot = math.hypot(row[ALL["speed_x"]], row[ALL["speed_z"]]) < ON_THE_SPOT
        if not self._stage.rear or not on_the_spot or quick < JUMPING:
            return False
        if (swings := self._rearing.begin(swing.lifted)) is not None:
            for hoof in range(4):
                self._stepping.forget(hoof, swing.lifted - TOGETHER_S * self._fps)
            for side, own in enumerate(swings):
                self._stepping.ordered(2 + side, Order(own, 0.0, 0.5))
        return True

    def _source(self, hoof: int, cycle: Cycle) -> tuple[int, float]:
        """The person's foot that a hoof follows, and how much later, in cycles."""
        phases = cycle.phases
        if cycle.name == "gallop":
            # In a gallop the hind feet land together, a person's feet alternate: all hooves follow one foot.
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
                if (earlier := self._earlier[foot]) is not None and earlier.landed is None:
                    earlier.landed = swing.landed - round(self._footwork.cycle_s * self._fps)
                self._landed[foot] = here = _place(self._row_at(swing.landed), foot)
                middle = 0.5 * (self._middles[0][0] + self._middles[1][0])
                swing.placed = (here[0] - middle, here[1])
                share = swing.peak / 0.17
                self._lifts[foot] += 0.6 * (share - self._lifts[foot])
                self._landed_at[foot] = swing.landed
                if not self._footwork.flying:
                    self._rearing.land(swing.landed)

    def _shift(self) -> None:
        """Hooves stand as much wider, and as unevenly fore and aft, as the person's feet do."""
        mean = 0.5 * (self._middles[0][0] + self._middles[1][0])
        for hoof in range(4):
            ahead, aside = self._middles[hoof % 2]
            ahead = 0.12 * math.tanh(UNEVEN * self._options.asymmetry * (ahead - mean) / 0.12)
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
        if self._steering.way and self._rearing.begun(self._seen - 1 - self._spans.reach):
            # On its hind legs it does not travel.
            heading, x, z = self._steering.way[-1].heading, 0.0, 0.0
            sine, cosine = math.sin(heading), math.cos(heading)
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

    def _beat(self) -> Beat:
        self._shown += 1
        frame, fps, stepping = self._shown, self._fps, self._stepping
        root, later = self._steering.way[0], self._steering.way[-1]
        back = -1 - self._spans.reach - self._spans.preview
        raw, before, slow = self._rows[back], self._rows[back - 1], self._slow[0]
        stage, floor = self._stage, self._footwork.floor
        manner = manner_of(raw.tolist(), slow.tolist(), floor, self._shin, self._options, stage.neck, stage.crouch)
        if self._rearing.begun(frame):
            manner[AS["height"]] = min(float(manner[AS["height"]]), 0.0)
        elif not all(hoof.lifted for hoof in stepping.hooves):
            manner[AS["height"]] = min(float(manner[AS["height"]]), TIPTOE)
        else:
            # A leap: the nose goes up with the body and down with it.
            rise = float(raw[ALL["height"]] - before[ALL["height"]]) * fps
            manner[AS["pitch"]] -= LEAPING * math.tanh(rise)
        manner = self._calm(manner)
        stepping.lifts, stepping.high = self._lifts, float(manner[AS["height"]])
        stepping.rears = self._rearing.end(frame)
        stepping.fore_lift = 1.0 + float(manner[AS["fore_lift"]])
        stepping.advance(frame, root, later, self._spans.preview / fps)
        self._turn_over(frame)
        wish = float(self._slow[-1][ALL["heading"]]) - root.heading
        look = 0.9 * math.tanh(wish / 0.9)
        self._look += (look - self._look) * min(1.0, 1.0 / (LEAD_S * fps))
        weights = np.array([1.0 if cycle.name == self._gait else 0.0 for cycle in self._stage.cycles])
        self._weights = self._weights + (weights - self._weights) * min(1.0, 1.0 / (_FADE_S * fps))
        if np.abs(self._weights - weights).max() < _FADED:
            self._weights = weights
        body = np.array([
            root.x, root.z, root.heading, root.turning, root.ahead, self._phase % 1.0, self._alive, self._look,
            self._stage.rear * self._rearing.share(frame),
        ])  # fmt: skip
        hooves = np.array([
            [hoof.x, hoof.z, hoof.yaw, hoof.height, hoof.progress, float(hoof.lifted), hoof.fold, *hoof.near[:2]]
            for hoof in stepping.hooves
        ])  # fmt: skip
        return body, hooves, self._weights, manner

    def _calm(self, manner: Array) -> Array:
        """`manner`, no faster than a standing body can change: captured people shake and fall."""
        if self._before is not None:
            most = _QUICK / self._fps
            least = -most
            # A leap ends in a soft landing.
            high = max(float(self._before[AS["height"]]), 0.0)
            least[AS["height"]] = max(least[AS["height"]], -(SOFT[0] + math.sqrt(2.0 * SOFT[1] * high)) / self._fps)
            manner = self._before + np.minimum(np.maximum(manner - self._before, least), most)
        self._before = manner
        return manner

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
    found += acting.finish()
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
