"""Footing: whether a person is on their feet; while they stand on their hands, lie or tumble, the animal waits where it is."""

from __future__ import annotations

import math

import numpy as np

from komadori.methods.translate.manner import PLAIN
from komadori.methods.translate.reading import ALL, EXTRA
from komadori.quat import Array

LOST, FOUND = 0.25, 0.4
"""Leg lengths that the hips must be over the lower foot: under the first a person is off their feet, above the second on them again."""
TILTED, UPRIGHT = 0.75, 0.5
"""Radians by which hips or trunk lean to a side, likewise."""
FADES_S, WAITS_S = 0.25, 0.3
"""The animal comes to its halt within the first time, and waits for the second after the person has found their feet."""
_SPEEDS = [ALL[name] for name in EXTRA]
_X = [column for name, column in ALL.items() if name == "x" or name.endswith(("left_x", "right_x", "toe_x"))]
_Z = [column for name, column in ALL.items() if name == "z" or name.endswith(("left_z", "right_z", "toe_z"))]
_LEVEL = {"roll": 0.0, "pelvis": 0.0, "lean": 0.0, "twist": 0.0, "head_yaw": 0.0, "head_roll": 0.0,
          "pitch": PLAIN["pitch"], "upright": PLAIN["upright"], "head_pitch": PLAIN["head_pitch"], "arms": PLAIN["arms"]}  # fmt: skip


class Footing:
    """Passes on a person's rows, with a quiet stance in place of anything done off the feet."""

    def __init__(self, fps: float, shin: float) -> None:
        self._fps, self._shin = fps, shin
        self._off, self._since = False, 10**9
        self._share = 0.0
        self._shift = np.zeros(3)
        self._held: Array | None = None
        self.lost = 0
        """Frames in which the person was off their feet."""

    def advance(self, row: Array, floor: float, toes: float) -> Array:
        """The next row (with speeds), as the animal is to see it; `floor` and `toes` are where ankles and toes stand."""
        was = self._off
        self._off = self._astray(row)
        self.lost += self._off
        self._since = 0 if self._off else self._since + 1
        waits = self._off or self._since < WAITS_S * self._fps
        step = 1.0 / (FADES_S * self._fps)
        self._share = min(1.0, self._share + step) if waits else max(0.0, self._share - step)
        if self._share == 0.0:
            self._held = None
        moved = self._moved(row)
        if self._share == 0.0:
            return moved
        if self._held is None:
            self._held = self._quiet(moved, floor, toes)
        elif was or self._off or waits:
            # Travel during that time does not count.
            at = self._held[[ALL["x"], ALL["z"], ALL["heading"]]] - row[[ALL["x"], ALL["z"], ALL["heading"]]]
            at[2] = 2.0 * math.pi * round(at[2] / (2.0 * math.pi))
            self._shift = at
            moved = self._moved(row)
        return moved + self._share * (self._held - moved)

    def _astray(self, row: Array) -> bool:
        over = row[ALL["height"]] - min(row[ALL["left_y"]], row[ALL["right_y"]])
        tilt = max(abs(row[ALL["roll"]]), abs(row[ALL["lean"]]))
        return bool(over < FOUND or tilt > UPRIGHT) if self._off else bool(over < LOST or tilt > TILTED)

    def _moved(self, row: Array) -> Array:
        moved = np.array(row)
        moved[_X] += self._shift[0]
        moved[_Z] += self._shift[1]
        moved[ALL["heading"]] += self._shift[2]
        return moved

    def _quiet(self, row: Array, floor: float, toes: float) -> Array:
        """The person of `row` standing quietly."""
        quiet = np.array(row)
        quiet[_SPEEDS] = 0.0
        for name, value in _LEVEL.items():
            quiet[ALL[name]] = value
        quiet[ALL["left_y"]] = quiet[ALL["right_y"]] = floor
        quiet[ALL["left_toe_y"]] = quiet[ALL["right_toe_y"]] = toes
        quiet[ALL["height"]] = floor + PLAIN["height"] * self._shin
        return quiet
