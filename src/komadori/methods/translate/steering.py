"""Steering: the way of the animal's body: the person's heading and speed as targets, within what legs can do."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

YAW_RATE = 1.7
"""Radians per second at which legs can turn the body, stepping around its hind feet."""
YAW_PUSH = 9.0
"""Radians per second squared, at which turning sets in and ends."""
YAW_TIME_S = 0.3
"""A heading catches up with its target within about this time."""
PUSH = 3.5
"""Units of the animal per second squared, by which it can speed up or slow down."""
ASIDE = 0.7
"""Share of a person's sideways speed: legs that swing fore and aft cross badly."""
_SHORT_S = 0.1


@dataclass(slots=True)
class Root:
    """Where the body is and goes, in units of the animal: place, heading, and speeds forward, to the left, and of turning."""

    x: float
    z: float
    heading: float
    ahead: float = 0.0
    aside: float = 0.0
    turning: float = 0.0

    def later(self, seconds: float, most: float = 0.7) -> tuple[float, float, float]:
        """Place and heading after `seconds`, continuing like this for at most `most` seconds of turning."""
        turn = self.turning * min(seconds, most)
        middle = self.heading + 0.5 * turn
        sine, cosine = math.sin(middle), math.cos(middle)
        return (
            self.x + seconds * (sine * self.ahead + cosine * self.aside),
            self.z + seconds * (cosine * self.ahead - sine * self.aside),
            self.heading + turn,
        )


class Steering:
    """Makes the way frame by frame; the last `preview` + 1 places are kept."""

    def __init__(self, fps: float, preview: int) -> None:
        self._fps = fps
        self.way: deque[Root] = deque(maxlen=preview + 1)
        self._wish = self._wish_rate = 0.0

    def advance(self, heading: float, ahead: float, aside: float, fastest: float) -> Root:
        """One frame on: towards `heading`, at speeds in the person's own frame already scaled to the animal."""
        if not self.way:
            # A clip that begins in mid-walk continues walking.
            self._wish = heading
            self.way.append(Root(0.0, 0.0, heading, _eased(ahead, fastest), ASIDE * aside))
            return self.way[-1]
        last, dt = self.way[-1], 1.0 / self._fps
        rate = (heading - self._wish) / dt
        self._wish_rate += (rate - self._wish_rate) * min(1.0, dt / _SHORT_S)
        self._wish = heading
        behind = heading - last.heading
        if abs(behind) > 1.5 * math.pi:
            behind = math.remainder(behind, 2.0 * math.pi)
        wanted = behind / YAW_TIME_S + self._wish_rate * max(0.0, 1.0 - abs(behind))
        # Stopping in time: no faster than what can be braked within the angle that is left.
        brake = math.sqrt(2.0 * 0.7 * YAW_PUSH * abs(behind)) + 0.6 * abs(self._wish_rate)
        wanted = max(-min(YAW_RATE, brake), min(min(YAW_RATE, brake), wanted))
        turning = last.turning + max(-YAW_PUSH * dt, min(YAW_PUSH * dt, wanted - last.turning))
        # An animal facing another way first turns, then walks.
        facing = 0.5 * (1.0 + math.cos(min(abs(behind), math.pi)))
        speeds = []
        for before, wish in ((last.ahead, _eased(ahead, fastest) * facing), (last.aside, ASIDE * aside * facing)):
            speeds.append(before + max(-PUSH * dt, min(PUSH * dt, wish - before)))
        moved = Root(last.x, last.z, last.heading, speeds[0], speeds[1], turning)
        x, z, turned = moved.later(dt)
        self.way.append(Root(x, z, turned, speeds[0], speeds[1], turning))
        return self.way[-1]


def _eased(speed: float, fastest: float) -> float:
    """`speed`, levelling off at `fastest`."""
    return speed / float((1.0 + (abs(speed) / max(fastest, 1e-6)) ** 8) ** 0.125)
