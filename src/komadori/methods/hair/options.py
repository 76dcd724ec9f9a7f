"""What can be asked of `hair`: the wave, the wind, how hair follows the head; and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from komadori.camera import Camera
from komadori.errors import OptionError, unquoted
from komadori.methods.hair.traces import Trace
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.words import Note

Preset = Literal["breeze", "stream", "gust", "underwater", "run"]
Vector = tuple[float, float, float]

LETTERS: Mapping[str, str] = {"k": "wavelength", "s": "calm", "p": "stiffness", "a": "size"}
"""The paper's letters, as in the formula -> what the options are called; older recipes and scenes have the letters."""

PLAIN: Mapping[str, float] = {
    "wavelength": 0.5,
    "calm": 1.5,
    "stiffness": 1.2,
    "size": 0.65,
    "period": 1.0,
    "gust": 0.0,
    "hang": 1.0,
}
"""What holds if neither the call nor a preset says otherwise."""

PRESETS: Mapping[str, Mapping[str, float]] = {
    "breeze": {
        "wavelength": 0.65,
        "calm": 1.7,
        "stiffness": 1.4,
        "size": 0.5,
        "period": 2.0,
        "gust": 0.25,
        "blow": 0.8,
        "rise": 0.0,
    },
    "stream": {
        "wavelength": 0.5,
        "calm": 1.4,
        "stiffness": 1.1,
        "size": 0.7,
        "period": 1.0,
        "gust": 0.1,
        "blow": 5.0,
        "rise": 1.5,
    },
    "gust": {
        "wavelength": 0.55,
        "calm": 1.3,
        "stiffness": 1.0,
        "size": 0.8,
        "period": 1.0,
        "gust": 0.8,
        "blow": 5.0,
        "rise": 1.8,
    },
    "underwater": {
        "wavelength": 0.8,
        "calm": 2.5,
        "stiffness": 0.8,
        "size": 1.5,
        "period": 4.0,
        "gust": 0.3,
        "blow": 1.2,
        "rise": 0.8,
        "hang": 0.2,
    },
    "run": {
        "wavelength": 0.5,
        "calm": 1.3,
        "stiffness": 1.1,
        "size": 0.75,
        "period": 0.5,
        "gust": 0.0,
        "blow": 6.5,
        "rise": 1.5,
    },
}
"""`blow` is a wind from the body's front to its back, `rise` one upwards, metres per second."""

GUST_PERIODS = 4
"""A gust comes and goes in so many periods of the wave, so that the whole still loops."""


@dataclass(frozen=True)
class HairOptions:
    """The options of `hair`."""

    motion: Motion | None = parameter(None, "the body's motion; standing at rest if not given", reads="motion")
    _: KW_ONLY
    seconds: float | None = parameter(
        None,
        "length of the result (that of the motion, or one whole loop, if not given)",
        unit="s",
        low=0.0,
        high=36_000.0,
        recipe=False,
        label="length of the result",
    )
    chains: tuple[str, ...] | None = parameter(
        None, "names or kinds (hair, skirt, ribbon, tail, ear) of the chains that move; all if not given", reads="names"
    )
    preset: Preset | None = parameter(None, "preset for every setting that is not given", label="kind of wave")
    by: Literal["wave", "springs"] = parameter(
        "wave",
        "the drawn wave, or for comparison the file's spring bones, simulated as VRM specifies",
        label="hair moved by",
    )
    wind: Vector | None = parameter(None, "wind in the world, x, y, z in metres per second", unit="m/s", reads="vector")
    gust: float | None = parameter(
        None, "how much the wind comes and goes: 0 is steady", low=0.0, high=1.0, label="strength of gusts"
    )
    period: float | None = parameter(
        None,
        "seconds in which the wave repeats (1 if not given)",
        unit="s",
        low=0.02,
        high=600.0,
        usual=(0.2, 6),
        label="the wave repeats in",
    )
    wavelength: float | None = parameter(
        None,
        "length of the wave (k in the paper): 0.5 is one wave along a strand",
        low=0.05,
        high=100.0,
        usual=(0.1, 2),
        symbol="k",
        label="length of the wave",
    )
    calm: float | None = parameter(
        None,
        "how calm the hair is (s in the paper): smaller swings and sags more",
        low=0.1,
        high=100.0,
        usual=(0.1, 5),
        symbol="s",
        label="calmness",
    )
    stiffness: float | None = parameter(
        None,
        "how stiff the root is (p in the paper): larger moves it less",
        low=0.0,
        high=20.0,
        usual=(0, 4),
        symbol="p",
        label="stiffness of the root",
    )
    size: float | None = parameter(
        None,
        "size of the wave (a in the paper)",
        low=0.0,
        high=20.0,
        usual=(0, 3),
        symbol="a",
        label="size of the wave",
    )
    on: int = parameter(
        1,
        "exposure of each hair drawing in frames: 2 is on twos",
        low=1,
        high=12,
        usual=(1, 4),
        label="frames per drawing",
    )
    drawings: int | None = parameter(
        None,
        "drawings in a cycle; with on 2 or 3 they give the period",
        low=2,
        high=1000,
        label="drawings a cycle",
        usual=(2, 24),
    )
    spread: float = parameter(
        0.35,
        "how far neighbouring strands are out of step, in cycles: 0 puts all strands in phase",
        low=0.0,
        high=1.0,
        label="out of step",
    )
    delay: float = parameter(
        0.0, "delay of the whole loop, in cycles", low=0.0, high=1.0, label="start later in the loop"
    )
    gather: float = parameter(
        0.5, "how much neighbouring strands draw together and part again", low=0.0, high=1.0, label="strands gather"
    )
    follow: float = parameter(
        1.0,
        "how much hair trails behind, swings and overshoots as the head moves",
        low=0.0,
        high=5.0,
        usual=(0, 3),
        label="trail behind",
    )
    damping: float = parameter(
        0.35, "how soon a swing settles; near 1 it hardly overshoots", low=0.05, high=0.95, label="swings settle soon"
    )
    still: float = parameter(
        0.35,
        "size of the wave while a moving head is still, as a share of the full size",
        low=0.0,
        high=1.0,
        label="wave at rest",
    )
    hang: float | None = parameter(
        None, "how far strands hang down as the head tilts", low=0.0, high=5.0, usual=(0, 3), label="hang down"
    )
    collide: bool = parameter(True, "keep strands above the floor and outside the body", label="avoid body and floor")
    exact: bool = parameter(
        False, "draw the paper's curve exactly: no trimming, no gathering, no collisions", label="exactly as the paper"
    )
    floor_m: float | None = parameter(
        None, "height of the floor (where the feet stand if not given)", unit="m", low=-1e3, high=1e3, faces=False
    )
    camera: Camera | None = parameter(
        None, "a moving camera; hair reacts to its travel too", reads="camera", recipe=False
    )
    compare: Trace | None = parameter(None, "trace of a drawn strand to compare the result with", reads="trace")
    fit: Trace | None = parameter(None, "trace of a drawn strand whose wave is found and used", reads="trace")
    seed: int = parameter(
        0, "seed of the differences between strands", low=0, high=2**31, usual=(0, 100), label="variation"
    )
    fps: float | None = parameter(
        None, "frame rate where no motion gives one (24 if not given)", low=1.0, high=10_000.0, faces=False
    )

    def __post_init__(self) -> None:
        check(self)
        if self.wind is not None:
            object.__setattr__(self, "wind", checked_wind(self.wind))
        if isinstance(self.chains, str):
            object.__setattr__(self, "chains", (self.chains,))
        for name, kind in (("motion", Motion), ("camera", Camera)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise OptionError(name, expected=unquoted(kind.__name__), found=type(value).__name__)

    def value(self, name: str) -> float:
        """A parameter of the wave or the wind: as given, else of the preset, else the plain one."""
        given = getattr(self, name, None)
        if given is not None:
            return float(given)
        chosen = PRESETS[self.preset] if self.preset is not None else {}
        return float(chosen.get(name, PLAIN.get(name, 0.0)))


def checked_wind(wind: object) -> Vector:
    """Three finite numbers, of a speed that air can have."""
    try:
        values = np.asarray(wind, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.zeros(0)
    if values.shape != (3,) or not np.isfinite(values).all():
        raise OptionError("wind", expected=Note("x, y, z in metres per second, three finite numbers"), found=wind)
    if np.abs(values).max() > 200.0:
        raise OptionError("wind", expected=Note("at most 200 metres per second"), found=wind)
    x, y, z = values.tolist()
    return float(x), float(y), float(z)
