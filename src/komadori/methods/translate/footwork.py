"""Footwork: when a person's feet leave the ground and land, how high they swing, and what gait that is; frame by frame."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from komadori.methods.translate.reading import ALL

LIFTING, LANDING = (0.30, 0.36), (0.22, 0.30)
"""Speeds at which a foot begins and ends to swing: leg lengths per second, and a share of the body's speed."""
DRAGGED, DRAGS_S = 0.6, 0.3
"""A foot on the floor that is slower than this, in leg lengths per second, for this time, does not swing."""
OFF, DOWN = 0.09, 0.06
"""Leg lengths over the floor from which a foot swings, and under which it may stand."""
FLOOR_S = 1.2
"""The floor is the lowest place of either foot within this time."""
SHORTEST_S = 0.07
CYCLES_S = (0.4, 3.0)
FLIGHT_S = 0.35
"""The time window in which flight (both feet in the air) is detected."""
RUNS, WALKS = 0.16, 0.08
"""Share of frames in flight from which a person runs, and under which they walk."""
FAST = 0.9
"""Leg lengths per second below which nobody runs: hopping on the spot is not running."""
NO_WALK = 2.2
"""Leg lengths per second at which nobody walks."""
TOGETHER_S, RISING = 0.13, 0.3
"""Feet that lift within this time of each other jump, if they rise by this many leg lengths per second: sliding feet do not."""
ALOFT = 0.035
"""Leg lengths over the floor that one of two feet in the air is at least."""
USUAL_CYCLE_S, USUAL_RUN_S, USUAL_LIFT = 1.1, 0.74, 0.17


@dataclass(slots=True, eq=False)
class Swing:
    """A foot in the air: the frames of lifting and landing (None until it lands), how high its ankle went, in leg lengths."""

    foot: int
    lifted: int
    landed: int | None = None
    peak: float = 0.0
    jump: bool = False
    placed: tuple[float, float] | None = None
    """Where it landed, against the middle of where feet stand: leg lengths ahead and to the left."""


@dataclass(slots=True)
class _Foot:
    swing: Swing | None = None
    down_since: int = 0
    landings: list[int] = field(default_factory=list)
    calm: int = 0
    drags: int = 0


class Footwork:
    """Follows both feet."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._feet = (_Foot(), _Foot())
        self._lowest: deque[tuple[int, float]] = deque()
        self._lowest_toe: deque[tuple[int, float]] = deque()
        self._speed = 0.0
        self._air = 0.0
        self._frame = -1
        self.floor = self.toes = 0.0
        self.cycle_s = USUAL_CYCLE_S
        self.running = False
        self._timed = False

    @property
    def flying(self) -> bool:
        """Whether both feet are in the air."""
        return self._feet[0].swing is not None and self._feet[1].swing is not None

    def advance(self, row: list[float]) -> list[Swing]:
        """The next row (with speeds); returns the swings that begin with it."""
        self._frame += 1
        frame, fps, at = self._frame, self._fps, ALL
        self.floor = _lowest(self._lowest, frame, min(row[at["left_y"]], row[at["right_y"]]), FLOOR_S * fps)
        toes = self.toes = _lowest(
            self._lowest_toe, frame, min(row[at["left_toe_y"]], row[at["right_toe_y"]]), FLOOR_S * fps
        )
        pace = (row[at["speed_x"]] ** 2 + row[at["speed_z"]] ** 2) ** 0.5
        self._speed = pace if frame == 0 else self._speed + (pace - self._speed) * min(1.0, 1.0 / (0.15 * fps))
        begun, highest = [], 0.0
        for number, (foot, side) in enumerate(zip(self._feet, ("left", "right"), strict=True)):
            ankle = row[at[f"{side}_y"]] - self.floor
            over = min(ankle, row[at[f"{side}_toe_y"]] - toes)
            highest = max(highest, over)
            speed = row[at[f"{side}_speed"]]
            if foot.swing is None:
                if speed > LIFTING[0] + LIFTING[1] * self._speed or over > OFF:
                    foot.calm += 1
                else:
                    foot.calm = 0
                if foot.calm > 0.03 * fps or over > 1.5 * OFF:
                    foot.swing = Swing(number, frame - max(foot.calm - 1, 0), peak=ankle)
                    foot.calm = 0
                    other = self._feet[1 - number].swing
                    soon = TOGETHER_S * fps
                    rises = min(row[at["left_rise"]], row[at["right_rise"]]) > RISING
                    if other is not None and rises and not self.running and 0 < other.lifted > frame - soon:
                        other.jump = foot.swing.jump = True
                    begun.append(foot.swing)
            else:
                foot.swing.peak = max(foot.swing.peak, ankle)
                calm = speed < LANDING[0] + LANDING[1] * self._speed and over < DOWN
                foot.calm = foot.calm + 1 if calm else 0
                # A foot that turns on the ground, or is dragged a little, stands: it only does not stand still.
                drags = over < DOWN and speed < DRAGGED + LIFTING[1] * self._speed
                foot.drags = foot.drags + 1 if drags else 0
                if foot.drags > DRAGS_S * fps:
                    foot.calm = foot.drags
                if foot.calm > 0.03 * fps and frame - foot.swing.lifted >= SHORTEST_S * fps:
                    foot.swing.landed = frame - foot.calm + 1
                    self._landed(number, foot, foot.swing.landed)
        aloft = self.flying and highest > ALOFT
        self._air += ((1.0 if aloft else 0.0) - self._air) * min(1.0, 1.0 / (FLIGHT_S * fps))
        flies = self._air > (WALKS if self.running else RUNS)
        self.running = (flies and self._speed > FAST) or self._speed > NO_WALK
        if not self._timed:
            self.cycle_s = USUAL_RUN_S if self.running else USUAL_CYCLE_S
        return begun

    def _landed(self, number: int, foot: _Foot, frame: int) -> None:
        foot.swing, foot.calm, foot.drags = None, 0, 0
        other = self._feet[1 - number].landings
        estimates = []
        if foot.landings:
            estimates.append((frame - foot.landings[-1]) / self._fps)
        elif other:
            estimates.append(2.0 * (frame - other[-1]) / self._fps)
        foot.landings = [frame]
        for cycle in estimates:
            if CYCLES_S[0] <= cycle <= CYCLES_S[1]:
                self.cycle_s += (cycle - self.cycle_s) * (0.5 if self._timed else 1.0)
                self._timed = True


def _lowest(queue: deque[tuple[int, float]], frame: int, value: float, frames: float) -> float:
    """The least of the values within the last `frames`."""
    while queue and queue[-1][1] >= value:
        queue.pop()
    queue.append((frame, value))
    while queue[0][0] < frame - frames:
        queue.popleft()
    return queue[0][1]
