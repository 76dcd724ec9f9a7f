"""Gaits: when the feet of a body stand, in which order, and what that gait is called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet, roles
from komadori.motion import Motion

RUNNING = 0.15
"""Share of frames without any foot on the ground from which a gait counts as running."""
FEET = ("LH", "RH", "LF", "RF")
"""The order of an animal's feet: left and right hind, left and right fore."""
GAITS = {"walk": (0.0, 0.5, 0.25, 0.75), "pace": (0.0, 0.5, 0.0, 0.5), "trot": (0.0, 0.5, 0.5, 0.0)}
"""When each foot comes down, in shares of a cycle after the left hind foot."""


@dataclass(frozen=True)
class Footfalls:
    """`phases`: when each foot comes down after the first, in cycles; `cycle_s`: how long a cycle lasts; `name`: the gait."""

    phases: tuple[float, ...]
    cycle_s: float
    name: str

    @property
    def order(self) -> tuple[str, ...]:
        """The feet in the order in which they come down, from the left hind on."""
        return tuple(FEET[i] for i in np.argsort(np.mod(self.phases, 1.0), kind="stable"))


def flight(motion: Motion) -> float | None:
    """Share of frames in which no foot stands; None if the body has no legs that are known, or stands on four."""
    if len(motion) < 3 or roles.body_plan(motion.skeleton, motion.pose(0)) != "biped":
        return None
    standing = feet.contacts(motion).standing
    if standing.shape[1] < 2:
        return None
    return float(np.mean(~standing.any(axis=1)))


def footfalls(standing: NDArray[np.bool_], fps: float, loop: bool = False) -> Footfalls | None:
    """The gait of (F, feet): when each foot comes down; None if one never does, or none does so twice (once in a loop)."""
    downs = [_downs(standing[:, foot], loop) for foot in range(standing.shape[1])]
    ups = [_downs(~standing[:, foot], loop) for foot in range(standing.shape[1])]
    gaps = [np.diff(events) for events in (*downs, *ups) if len(events) > 1]
    if any(not len(events) for events in downs) or not (gaps or loop):
        return None
    cycle = len(standing) / len(downs[0]) if loop else float(np.median(np.concatenate(gaps)))
    phases = []
    for own in downs:
        turns = np.array([np.exp(2j * np.pi * (down - first) / cycle) for down in own for first in downs[0]])
        phases.append(float(np.mod(np.round(np.angle(turns.mean()) / (2.0 * np.pi), 9), 1.0)))
    return Footfalls(tuple(phases), cycle / fps, named(tuple(phases)) if len(phases) == 4 else "")


def named(phases: tuple[float, ...]) -> str:
    """The gait whose footfalls lie nearest, or "other" if none is near."""
    far = {
        name: float(np.max(np.abs(np.mod(np.subtract(phases, ideal) + 0.5, 1.0) - 0.5)))
        for name, ideal in GAITS.items()
    }
    name = min(far, key=lambda gait: far[gait])
    return name if far[name] < 0.2 else "other"


def _downs(on: NDArray[np.bool_], loop: bool) -> NDArray[np.intp]:
    """The frames in which a foot begins to stand."""
    before = np.roll(on, 1)
    if not loop:
        before[0] = True
    return np.flatnonzero(on & ~before)


def contact_error(ours: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> float:
    """How far the touchdowns of `ours` (F, n) lie from the nearest of `theirs` (F, n), on the mean, in frames; nan if none."""
    gaps = []
    for one, other in zip(ours.T, theirs.T, strict=True):
        first, second = (np.flatnonzero(on[1:] & ~on[:-1]) + 1 for on in (one, other))
        if len(second):
            gaps += [int(np.min(np.abs(second - frame))) for frame in first]
    return float(np.mean(gaps)) if gaps else float("nan")
