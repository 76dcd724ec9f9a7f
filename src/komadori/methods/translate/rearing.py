"""Rearing: what a jump on the spot becomes for an animal that is not known to leap: it stands up on its hind legs and comes down again."""

from __future__ import annotations

import math

from komadori.methods.translate.footwork import USUAL_LIFT, Swing

UP_S, DOWN_S = 0.4, 0.5
"""How long it takes to rise and to come down."""
SHORTEST_S = 1.0
"""No rearing is over sooner."""
AFTER_S = 0.15
"""It ends this long after the person has landed, or later."""


class Rearing:
    """When the animal rears, in the person's frames; steps are planned ahead of what is shown, so several may be on at once."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._known: list[tuple[Swing, Swing]] = []

    def begin(self, frame: int) -> tuple[Swing, Swing] | None:
        """The swings of the fore hooves, unless it rears then already."""
        if self._known and ((end := self._known[-1][0].landed) is None or frame < end):
            return None
        self._known.append((Swing(0, frame, peak=USUAL_LIFT), Swing(1, frame, peak=USUAL_LIFT)))
        return self._known[-1]

    def land(self, frame: int) -> None:
        """The person has landed."""
        if not self._known or self._known[-1][0].landed is not None:
            return
        start = self._known[-1][0].lifted
        end = max(frame + round(AFTER_S * self._fps), start + round(SHORTEST_S * self._fps))
        for swing in self._known[-1]:
            swing.landed = end

    def begun(self, frame: int) -> bool:
        """Whether it is on, or about to be within the time it takes to rise."""
        return any(
            left.lifted - UP_S * self._fps <= frame and (left.landed is None or frame < left.landed)
            for left, _ in self._known
        )

    def end(self, frame: int) -> float | None:
        """The frame in which the rearing of `frame` ends: infinite where the person is in the air still, None if it does not rear."""
        for left, _ in self._known:
            if left.lifted <= frame and (left.landed is None or frame < left.landed):
                return math.inf if left.landed is None else float(left.landed)
        return None

    def share(self, frame: int) -> float:
        """How far it has risen at `frame`, 0 to 1. Frames are asked for in their order."""
        while len(self._known) > 1 and (end := self._known[0][0].landed) is not None and end < frame:
            del self._known[0]
        most = 0.0
        for left, _ in self._known:
            rise = (frame - left.lifted) / (UP_S * self._fps)
            fall = 1.0 if left.landed is None else (left.landed - frame) / (DOWN_S * self._fps)
            most = max(most, min(rise, fall, 1.0))
        return most * most * (3.0 - 2.0 * most)
