"""The parameters of limited animation, defined once for every face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from komadori.camera import Camera, camera_of
from komadori.errors import OptionError
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.words import Note

STAND_OUT = 1.7
"""Between the steadiest actions and the least steady walks and runs: see docs/benchmarks/timing.md."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LimitedOptions:
    """The options of `limited`."""

    omit: int | None = parameter(
        None,
        "in-betweens to omit where the motion is fastest (if not given: up to omit-up-to in each action that stands out)",
        unit="frames",
        low=0,
        high=1e6,
        usual=(0, 12),
        label="omit in-betweens",
    )
    hold: int | None = parameter(
        None,
        "drawings to remove by holds (a third of the frames if not given)",
        unit="drawings",
        low=0,
        high=1e9,
        label="hold drawings",
    )
    hold_share: float | None = parameter(
        None,
        "the same as a share of the frames, if hold is not given",
        low=0.0,
        high=1.0,
        usual=(0.0, 0.8),
        label="share held",
    )
    max_exposures: int = parameter(
        3,
        "longest exposure of a drawing in frames: 2 is on twos, 3 on threes",
        unit="frames",
        low=1,
        high=1000,
        usual=(1, 6),
        label="longest hold",
    )
    keep_length: bool = parameter(
        True,
        "repeat calm frames in place of the omitted ones to keep the length of the clip",
        label="keep the clip's length",
    )
    omission: Literal["iterative", "at-once", "centred"] = parameter(
        "iterative",
        "iterative: the paper, omit the fastest frame and measure again; at-once: omit the fastest frames of the original clip; centred: measure again, and widen the gap to both sides",
        label="how to omit",
        called={"iterative": "one by one", "at-once": "all at once", "centred": "to both sides"},
    )
    solver: Literal["auto", "greedy", "literal", "optimal", "optimal-free", "uniform"] = parameter(
        "auto",
        "auto: optimal if it is quick, else greedy; greedy: the paper; literal: Algorithm 2 as printed, frame by frame; optimal: least error, a hold shows its first frame; optimal-free: a hold shows its best frame; uniform: every drawing for max-exposures frames",
        label="how holds are chosen",
        called={
            "greedy": "step by step (greedy)",
            "literal": "as printed (literal)",
            "optimal": "least change (optimal)",
            "optimal-free": "least change, any frame",
            "uniform": "evenly",
        },
    )
    omit_up_to: int = parameter(
        4,
        "in-betweens to omit at most in an action that stands out, if omit is not given (the paper: 4 to 6)",
        unit="frames",
        low=0,
        high=1e6,
        usual=(0, 8),
        label="omit at most",
    )
    stand_out: float = parameter(
        STAND_OUT,
        "how much faster an action's fastest moment must be than the second around it, if omit is not given",
        low=1.0,
        high=1000.0,
        usual=(1.0, 4.0),
        label="fast enough to omit",
    )
    actions: bool = parameter(
        False,
        "split the clip into actions at its calm moments and omit in each (always on if omit is not given)",
        label="split into actions",
    )
    cuts: tuple[int, ...] = parameter(
        (), "frames at which a new action begins, if you know them", unit="frames", label="actions begin at"
    )
    action_omits: tuple[int, ...] = parameter(
        (),
        "in-betweens to omit in each action in turn (omit for all if not given)",
        label="omit in each action",
    )
    layers: Literal["whole", "parts"] = parameter(
        "whole",
        "whole: one sheet; parts: a sheet each for body, head and limbs, with the root on ones and feet kept from slipping",
        label="sheets",
        called={"whole": "one for the body", "parts": "one for each part"},
    )
    max_drift: int | None = parameter(
        None,
        "how far a shown frame may be from its original time, so that sound still fits",
        unit="frames",
        low=0,
        high=1e9,
        usual=(0, 24),
        label="largest drift in time",
    )
    peaks: bool = parameter(
        True,
        "always draw the moments in which a hand, a foot or the head is highest or farthest out",
        label="always draw peaks",
    )
    pins: tuple[int, ...] = parameter((), "frames that must be drawn", unit="frames", label="pinned frames")
    contacts: bool = parameter(
        False, "always draw the frames in which a foot touches down or lifts off", label="always draw footfalls"
    )
    camera: Camera | None = parameter(
        None, "measure changes in this camera's image instead of the world", reads="camera"
    )
    weights: Mapping[str, float] | Array | None = parameter(
        None, "weight of each joint: (J,) numbers, or joint name or role -> weight (1 for the others)", faces=False
    )

    def __post_init__(self) -> None:
        check(self)
        if self.camera is not None:
            object.__setattr__(self, "camera", camera_of(self.camera))
        for name in ("cuts", "action_omits", "pins"):
            values = tuple(_whole(name, value) for value in getattr(self, name))
            object.__setattr__(self, name, values)
        if list(self.cuts) != sorted(set(self.cuts)):
            raise OptionError("cuts", expected=Note("increasing frame numbers"), found=self.cuts)
        if self.layers == "parts" and self.solver == "uniform":
            raise OptionError(
                "layers",
                expected=Note("whole, as the solver is uniform"),
                found=self.layers,
                advice=Note("parts works with every other solver"),
            )


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise OptionError(name, expected=Note("whole numbers, 0 or more"), found=value)
    return int(value)
