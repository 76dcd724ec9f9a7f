"""The parameters of key pose extraction, defined once for every face."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from komadori.errors import OptionError
from komadori.keyed import Interpolation
from komadori.parameters import check, parameter
from komadori.words import Note


@dataclass(frozen=True, kw_only=True, eq=False)
class KeyposesOptions:
    """What an animator can ask of `keyposes`."""

    count: int | None = parameter(
        None, "how many key poses (chosen at the bend of the error curve if not given)", unit="poses", low=2, high=1e9
    )
    tolerance: float | None = parameter(
        None, "as few key poses as keep the error at or below this", unit="m", low=0.0, high=1e6
    )
    solver: Literal["greedy", "optimal", "synopsis"] = parameter(
        "greedy", "greedy: the paper; optimal: the least possible error; synopsis: Action Synopsis, for comparison"
    )
    measure: Literal["max", "sum"] = parameter(
        "max", "what the error is: the largest distance of a frame from the polyline, or the sum over all frames"
    )
    dims: int = parameter(3, "dimensions of the motion curve (the paper: 2 to 5)", low=2, high=30)
    velocity_weight: Literal["balanced"] | float = parameter(
        "balanced", "weight of velocities: balanced gives them the variance of positions, 1 is the paper to the letter"
    )
    time_weight: float = parameter(
        0.0,
        "how far a second of movement without a key counts, so that slow motion gets keys",
        unit="m/s",
        low=0.0,
        high=1e6,
    )
    root_weight: float = parameter(
        0.0, "weight of the body's own way through the scene (1: as much as a hand's)", low=0.0, high=1e6
    )
    max_gap: int | None = parameter(None, "longest way from one key to the next", unit="frames", low=1, high=1e9)
    pins: tuple[int, ...] = parameter((), "frames that must be keys", unit="frames")
    contacts: bool = parameter(False, "make keys of the frames in which a foot touches down or lifts off")
    joints: tuple[str, ...] = parameter(
        (), "joints or roles to look at (hands, feet and head if not given)", reads="names", flag="--joint"
    )
    interpolation: Interpolation = parameter(
        "stepped", "what lies between keys: the key before, straight lines, or curves fitted to the motion"
    )

    def __post_init__(self) -> None:
        check(self)
        if self.count is not None and self.tolerance is not None:
            raise OptionError(Note("give either count or tolerance, not both"))
        weight = self.velocity_weight
        if weight != "balanced":
            number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
            if not number or not 0.0 <= float(weight) < math.inf:
                raise OptionError(
                    "velocity_weight",
                    expected=Note("{words} or a number from {low:g} on", words="balanced", low=0),
                    found=weight,
                )
        pins = tuple(self.pins) if not isinstance(self.pins, str) else (self.pins,)
        for pin in pins:
            if isinstance(pin, bool) or not isinstance(pin, int | np.integer) or pin < 0:
                raise OptionError("pins", expected=Note("whole numbers from 0 on"), found=pin)
        object.__setattr__(self, "pins", tuple(sorted({int(pin) for pin in pins})))
        joints = (self.joints,) if isinstance(self.joints, str) else tuple(self.joints)
        object.__setattr__(self, "joints", joints)
