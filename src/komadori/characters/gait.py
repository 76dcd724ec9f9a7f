"""Walks and a jog by rule: a gait in one table of phases, repeated step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori.characters.acting import Keys, through
from komadori.quat import Array

BEHIND = 0.035
"""How far the ankles stay behind the body's midpoint, so that it is carried over the feet and not over the heels."""


@dataclass(frozen=True)
class Gait:
    """A walk or a run: lengths in metres, angles in degrees, phases as shares of one cycle of a leg (0: its heel strikes).

    `foot` rows are phase, travelled share of the stride, up, pitch, pivot; `bounce` is how far the hips rise and fall,
    lowest `sink` of a cycle after each strike; a foot strikes the share `ahead` of a stride before the body's midpoint.
    The clip opens and ends on the left heel's strike, so it can be played in a loop.
    """

    seconds: float
    cycle_s: float
    stride: float
    foot: Keys
    width: float
    toe_out: float
    hips_height: float
    bounce: float
    sway: float
    hips_turn: float
    hips_tilt: float
    hips_lean: float
    chest_turn: float
    chest_lean: float
    head_lean: float
    arm_swing: float
    arm_forward: float
    arm_away: float
    elbow: float
    elbow_swing: float
    reach: float = 0.997
    sink: float = 0.35 / (4.0 * np.pi)
    arm_lag: float = 0.35 / (2.0 * np.pi)
    """Share of a cycle between a strike and the moment at which the arm of that side is farthest back."""
    ahead: float = 0.25
    """A quarter: midway between the feet in double support. Half of the time that a foot stands, if none ever is."""

    def channels(self, times: Array) -> dict[str, Array]:
        """Every part's columns at `times` (F,)."""
        cycle = times / self.cycle_s
        turn = 2.0 * np.pi * cycle
        none = np.zeros_like(times)
        # In a walk the body is lowest at a strike and highest as the other foot passes; a runner sinks onto the leg.
        height = self.hips_height - self.bounce * np.cos(2.0 * (turn - 2.0 * np.pi * self.sink))
        speed = self.stride / self.cycle_s
        onward = speed * times - 0.008 * np.sin(2.0 * turn)
        lead = np.cos(turn - 0.10)  # 1 as the left heel strikes
        over_left = np.sin(turn + 0.15)  # 1 as the left leg carries all
        parts = {
            "hips": [
                self.sway * over_left,
                height,
                onward,
                -self.hips_turn * lead,
                self.hips_lean + 1.0 * np.cos(2.0 * turn - 0.6),
                self.hips_tilt * np.sin(turn + 0.45),
            ],
            # The chest answers the hips a little late, the head later and less.
            "chest": [
                self.chest_turn * np.cos(turn - 0.45),
                self.chest_lean + 1.2 * np.cos(2.0 * turn - 1.0),
                -0.45 * self.hips_tilt * np.sin(turn + 0.1),
            ],
            "head": [
                0.2 * self.chest_turn * np.cos(turn - 0.7),
                self.head_lean + 1.2 * np.cos(2.0 * turn - 1.5),
                -0.2 * self.hips_tilt * np.sin(turn - 0.2),
            ],
        }
        for side, sign, start in (("left", 1.0, 0.0), ("right", -1.0, 0.5)):
            parts[f"{side}_foot"] = self._foot(cycle - start, sign, start)
            own = turn - 2.0 * np.pi * (start + self.arm_lag)
            swing, late, later = -np.cos(own), -np.cos(own - 0.6), -np.cos(own - 1.15)
            parts[f"{side}_arm"] = [
                self.arm_forward + self.arm_swing * swing,
                90.0 - self.arm_away + none,
                84.0 - 4.0 * swing,
                self.elbow + self.elbow_swing * late,
                4.0 + 8.0 * late,
                6.0 + 9.0 * later,
                28.0 + 5.0 * later,
            ]
            parts[f"{side}_leg"] = [none] * 6
        return {part: np.stack([none + column for column in columns], axis=-1) for part, columns in parts.items()}

    def _foot(self, cycle: Array, sign: float, start: float) -> list[Array]:
        """Columns of a foot at `cycle` (F,): whole numbers are its strikes."""
        whole = np.floor(cycle)
        travelled, up, pitch, pivot = through(self.foot, cycle - whole).T
        z = self.stride * (start + whole + travelled + self.ahead) - BEHIND
        none = np.zeros_like(cycle)
        narrow = 0.012 * np.sin(np.pi * np.clip(travelled, 0.0, 1.0)) ** 2
        return [sign * (0.5 * self.width - narrow), z, up, sign * self.toe_out + none, pitch, pivot]


WALK = Gait(
    seconds=4.0,
    cycle_s=1.0,
    stride=1.3,
    #     phase travelled up   pitch  pivot
    foot=(
        (0.00, 0.0, 0.000, 20.0, 0.0),  # heel strike
        (0.09, 0.0, 0.000, 0.0, 0.0),  # flat
        (0.30, 0.0, 0.000, 0.0, 1.0),
        (0.44, 0.0, 0.000, -13.0, 1.0),  # the heel lifts
        (0.52, 0.0, 0.000, -34.0, 1.0),
        (0.57, 0.0, 0.000, -50.0, 1.0),  # toe-off
        (0.585, 0.0, 0.004, -54.0, 1.0),
        (0.65, 0.09, 0.047, -67.0, 1.0),
        (0.80, 0.56, 0.060, -24.0, 0.7),  # passes the other leg
        (0.92, 0.94, 0.028, 16.0, 0.2),
        (0.98, 1.0, 0.005, 20.0, 0.0),
        (1.00, 1.0, 0.000, 20.0, 0.0),
    ),
    width=0.15,
    toe_out=7.0,
    hips_height=0.928,
    bounce=0.019,
    sway=0.022,
    hips_turn=7.0,
    hips_tilt=4.0,
    hips_lean=4.0,
    chest_turn=9.0,
    chest_lean=4.0,
    head_lean=2.0,
    arm_swing=25.0,
    arm_forward=1.0,
    arm_away=16.0,
    elbow=24.0,
    elbow_swing=11.0,
)

SLOW_WALK = Gait(
    seconds=6.0,
    cycle_s=1.5,
    stride=0.75,
    #     phase travelled up   pitch  pivot
    foot=(
        (0.00, 0.0, 0.000, 8.0, 0.0),
        (0.12, 0.0, 0.000, 0.0, 0.0),
        (0.40, 0.0, 0.000, 0.0, 1.0),
        (0.56, 0.0, 0.000, -12.0, 1.0),
        (0.65, 0.0, 0.000, -30.0, 1.0),
        (0.665, 0.0, 0.003, -34.0, 1.0),
        (0.71, 0.07, 0.018, -42.0, 1.0),
        (0.83, 0.55, 0.034, -20.0, 0.7),
        (0.93, 0.94, 0.017, 6.0, 0.2),
        (0.98, 1.0, 0.003, 8.0, 0.0),
        (1.00, 1.0, 0.000, 8.0, 0.0),
    ),
    width=0.18,
    toe_out=11.0,
    hips_height=0.915,
    bounce=0.012,
    sway=0.034,
    hips_turn=4.0,
    hips_tilt=3.0,
    hips_lean=6.0,
    chest_turn=4.0,
    chest_lean=17.0,
    head_lean=24.0,
    arm_swing=9.0,
    arm_forward=4.0,
    arm_away=12.0,
    elbow=16.0,
    elbow_swing=5.0,
)

JOG = Gait(
    seconds=3.0,
    cycle_s=0.75,
    stride=1.75,
    #     phase travelled up   pitch  pivot
    foot=(
        (0.00, 0.0, 0.000, 8.0, 0.0),  # strikes, heel first but lightly
        (0.05, 0.0, 0.000, 0.0, 0.0),
        (0.15, 0.0, 0.000, 0.0, 1.0),
        (0.25, 0.0, 0.000, -16.0, 1.0),
        (0.32, 0.0, 0.000, -40.0, 1.0),
        (0.35, 0.0, 0.000, -52.0, 1.0),  # toe-off, and no foot on the ground until the other strikes at a half
        (0.37, 0.006, 0.012, -60.0, 1.0),
        (0.46, 0.09, 0.150, -88.0, 1.0),
        (0.58, 0.32, 0.240, -84.0, 0.9),
        (0.70, 0.57, 0.220, -48.0, 0.6),  # passes the other leg
        (0.84, 0.82, 0.175, -6.0, 0.2),
        (0.93, 0.955, 0.075, 9.0, 0.0),
        (0.98, 0.998, 0.010, 9.0, 0.0),
        (1.00, 1.0, 0.000, 8.0, 0.0),
    ),
    width=0.11,
    toe_out=5.0,
    hips_height=0.886,
    bounce=0.032,
    sway=0.012,
    hips_turn=8.0,
    hips_tilt=4.0,
    hips_lean=8.0,
    chest_turn=11.0,
    chest_lean=10.0,
    head_lean=4.0,
    arm_swing=34.0,
    arm_forward=-6.0,
    arm_away=17.0,
    elbow=88.0,
    elbow_swing=12.0,
    sink=0.165,
    arm_lag=-0.03,
    ahead=0.155,
)
