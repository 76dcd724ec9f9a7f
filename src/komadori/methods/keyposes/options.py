"""The parameters of key pose extraction, defined once for every face."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from komadori.errors import OptionError
from komadori.keyed import Interpolation
from komadori.parameters import as_float, check, parameter
from komadori.words import Note

UNITS = ("balanced", "per-frame", "per-second")


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyposesOptions:
    """The options of `keyposes`."""

    count: int | None = parameter(
        None,
        "how many key poses (chosen at the bend of the error curve if not given)",
        unit="poses",
        low=2,
        high=1e9,
        usual=(2, 24),
        label="number of keys",
    )
    tolerance: float | None = parameter(
        None,
        "use as few key poses as keep the error at or below this",
        unit="m",
        low=0.0,
        high=1e6,
        usual=(0.0, 0.5),
        label="allowed distance",
    )
    solver: Literal["greedy", "optimal", "synopsis"] = parameter(
        "greedy",
        "greedy: the paper; optimal: the least possible error; synopsis: Action Synopsis, for comparison",
        label="how keys are chosen",
        called={
            "greedy": "step by step (greedy)",
            "optimal": "least distance (optimal)",
            "synopsis": "Action Synopsis",
        },
    )
    measure: Literal["max", "sum"] = parameter(
        "max",
        "error to minimise: the largest distance of a frame from the polyline, or the sum over all frames",
        label="which distance counts",
        called={"max": "the largest", "sum": "the sum"},
    )
    dims: int = parameter(
        3,
        "dimensions of the motion curve (the paper: 2 to 5)",
        low=2,
        high=30,
        usual=(2, 6),
        label="detail of the curve",
    )
    velocity_weight: Literal["balanced", "per-frame", "per-second"] | float = parameter(
        "balanced",
        "weight of velocities: balanced gives them the variance of positions, per-frame (1) is exactly the paper, per-second counts metres per second",
        label="weight of speed",
        called={"per-frame": "per frame", "per-second": "per second"},
    )
    time_weight: float = parameter(
        0.0,
        "distance that a second of movement without a key counts as, so that slow motion gets keys",
        unit="m/s",
        low=0.0,
        high=1e6,
        usual=(0.0, 2.0),
        label="weight of time",
    )
    root_weight: float = parameter(
        0.0,
        "weight of the body's travel (1: as much as a hand)",
        low=0.0,
        high=1e6,
        usual=(0.0, 2.0),
        label="weight of travel",
    )
    max_gap: int | None = parameter(
        None, "largest gap between keys", unit="frames", low=1, high=1e9, usual=(1, 48), label="longest gap"
    )
    pins: tuple[int, ...] = parameter((), "frames that must be keys", unit="frames", label="pinned frames")
    contacts: bool = parameter(False, "make a key wherever a foot touches down or lifts off", label="keys at footfalls")
    joints: tuple[str, ...] = parameter(
        (), "joints or roles to consider (hands, feet and head if not given)", reads="names", flag="--joint"
    )
    interpolation: Interpolation = parameter(
        "stepped",
        "interpolation between keys: hold the key before, straight lines, or curves fitted to the motion",
        label="between keys",
        called={"stepped": "hold the key", "linear": "straight lines", "bezier": "fitted curves"},
    )

    def __post_init__(self) -> None:
        check(self)
        if self.count is not None and self.tolerance is not None:
            raise OptionError(Note("give either count or tolerance, not both"))
        weight = self.velocity_weight
        if not (isinstance(weight, str) and weight in UNITS):
            number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
            if not number or not 0.0 <= as_float(weight) < math.inf:
                raise OptionError(
                    "velocity_weight",
                    expected=Note("{words} or a number of at least {low:g}", words=", ".join(UNITS), low=0),
                    found=weight,
                )
        pins = tuple(self.pins) if not isinstance(self.pins, str) else (self.pins,)
        for pin in pins:
            if isinstance(pin, bool) or not isinstance(pin, int | np.integer) or pin < 0:
                raise OptionError("pins", expected=Note("whole numbers, 0 or more"), found=pin)
        object.__setattr__(self, "pins", tuple(sorted({int(pin) for pin in pins})))
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", joints)
