"""The parameters of limited animation, defined once for every face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.words import Note

STAND_OUT = 1.7
"""Between the steadiest actions and the least steady walks and runs: see docs/benchmarks/timing.md."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LimitedOptions:
    """What an animator can ask of `limited`."""

    omit: int | None = parameter(
        None,
        "in-betweens omitted where the motion is fastest (if not given: up to omit-up-to in each action that stands out)",
        unit="frames",
        low=0,
        high=1e6,
    )
    hold: int | None = parameter(
        None,
        "drawings removed by holding the one before (a third of the frames if not given)",
        unit="drawings",
        low=0,
        high=1e9,
    )
    hold_share: float | None = parameter(
        None, "drawings removed by holds as a share of the frames, where hold is not given", low=0.0, high=1.0
    )
    max_exposures: int = parameter(
        3, "longest time that a drawing may stay: 2 is on twos, 3 on threes", unit="frames", low=1, high=1000
    )
    keep_length: bool = parameter(True, "repeat calm frames for the omitted ones, so that the clip keeps its length")
    solver: Literal["auto", "greedy", "optimal", "optimal-free", "uniform"] = parameter(
        "auto",
        "auto: optimal where it is quick, else greedy; greedy: the paper; optimal: least error, a run shows its first frame; optimal-free: its best frame;"
        " uniform: every drawing for max-exposures frames",
    )
    omit_up_to: int = parameter(
        4,
        "most in-betweens omitted in an action that stands out, where omit is not given (the paper: 4 to 6)",
        unit="frames",
        low=0,
        high=1e6,
    )
    stand_out: float = parameter(
        STAND_OUT,
        "how many times as fast as the second around it an action's fastest moment must be, where omit is not given",
        low=1.0,
        high=1000.0,
    )
    actions: bool = parameter(
        False,
        "split the clip at its calm moments and give each action its own omissions (always where omit is not given)",
    )
    cuts: tuple[int, ...] = parameter((), "frames at which a new action begins, if you know them", unit="frames")
    action_omits: tuple[int, ...] = parameter((), "omissions of each action in turn (omit for all if not given)")
    layers: Literal["whole", "parts"] = parameter(
        "whole",
        "whole: one sheet; parts: a sheet for body, head and each limb, the root on ones, feet kept from slipping",
    )
    max_drift: int | None = parameter(
        None,
        "farthest that a shown frame may lie from its own time, so that sound still fits",
        unit="frames",
        low=0,
        high=1e9,
    )
    peaks: bool = parameter(True, "always draw the moments in which a hand, a foot or the head is highest or farthest")
    pins: tuple[int, ...] = parameter((), "frames that must be drawn", unit="frames")
    contacts: bool = parameter(False, "always draw the frames in which a foot touches down or lifts off")
    camera: Camera | None = parameter(None, "measure steps in this camera's image instead of the world", reads="camera")
    weights: Mapping[str, float] | Array | None = parameter(
        None, "weight of each joint: (J,) numbers, or joint name or role -> weight (1 for the others)", faces=False
    )

    def __post_init__(self) -> None:
        check(self)
        for name in ("cuts", "action_omits", "pins"):
            values = tuple(_whole(name, value) for value in getattr(self, name))
            object.__setattr__(self, name, values)
        if list(self.cuts) != sorted(set(self.cuts)):
            raise OptionError("cuts", expected=Note("rising frame numbers"), found=self.cuts)
        if self.layers == "parts" and self.solver == "uniform":
            raise OptionError(
                "layers",
                expected=Note("whole with the solver uniform"),
                found=self.layers,
                advice=Note("parts works with auto, greedy, optimal and optimal-free"),
            )


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise OptionError(name, expected=Note("whole numbers from 0 on"), found=value)
    return int(value)
