"""Exaggeration: the cartoon animation filter (Wang, Drucker, Agrawala, Cohen 2006), the half that paper 000 misses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from komadori import feet, quat
from komadori.motion import Motion
from komadori.numerics.filters import main_frequency, smoothed_curvature
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["ExaggerateOptions", "ExaggerateResult", "exaggerate"]


@dataclass(frozen=True, kw_only=True)
class ExaggerateOptions:
    """What an animator can ask of `exaggerate`."""

    amount: float = parameter(1.0, "how much: 0 is the clip as it is, 1 is clear, 2 is broad", low=0.0, high=5.0)
    width_s: float | None = parameter(
        None, "width of the filter (from the motion's main frequency if not given)", unit="s", low=0.005, high=5.0
    )
    root: float = parameter(0.5, "share of the amount that the root's travel gets", low=0.0, high=1.0)
    plant_feet: bool = parameter(True, "keep standing feet where they stood")


@dataclass(frozen=True, eq=False)
class ExaggerateResult(Result):
    """The exaggerated motion, and how it came about."""

    source_motion: Motion
    options: ExaggerateOptions
    motion: Motion
    width_s: float
    """Width of the Gaussian that was used."""
    largest_rad: float
    """The farthest that any joint was turned from where it was."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How wide the filter is, and how far joints were turned."""
        return {"width_s": Measure(self.width_s, "s"), "largest_deg": Measure(self.largest_deg, "degrees")}

    @property
    def largest_deg(self) -> float:
        """`largest_rad` in degrees."""
        return math.degrees(self.largest_rad)


def _rows(result: ExaggerateResult) -> list[Row]:
    turned = Note("a joint turns up to {degrees:.1f} degrees from where it was", degrees=result.largest_deg)
    return [(Note("turned"), turned)]


@method(
    ExaggerateOptions,
    stage="shape",
    rows=_rows,
    title="{path}: exaggerated",
    working="exaggerating {count} frames",
    example="komadori exaggerate sample:kick -o kick.bvh --amount 1.5",
)
def exaggerate(motion: Motion, options: ExaggerateOptions) -> ExaggerateResult:
    """`motion` with anticipation before and follow-through after each move: x - amount * (smoothed second derivative).

    Before a move starts the curve bends away from it, so the filter draws back first; where it stops, it overshoots and
    settles. Rotations are filtered in the plane that touches them, positions of the root as they are; timing stays.
    """
    check(options)
    width_s = options.width_s or _fitting_width_s(motion)
    notes: list[Note] = [Note("the filter is {width:.2f} s wide", width=width_s)]
    if len(motion) < 3 or options.amount == 0.0:
        return ExaggerateResult(motion, options, motion, width_s, 0.0, tuple(notes))
    sigma = width_s * motion.fps
    turn = -options.amount * _rotation_curvature(motion.rotations, sigma)
    rotations = quat.multiply(motion.rotations, quat.exp(turn))
    positions = motion.positions.copy()
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    positions[:, roots] -= options.amount * options.root * smoothed_curvature(positions[:, roots], sigma)
    changed = motion.replaced(rotations, positions)
    if options.plant_feet:
        changed, said = _standing(motion, changed)
        notes += said
    largest = float(np.linalg.norm(turn, axis=-1).max())
    return ExaggerateResult(motion, options, changed, width_s, largest, tuple(notes))


def _rotation_curvature(rotations: Array, sigma: float) -> Array:
    """(F, J, 3) the smoothed second derivative as a rotation vector, seen from each frame's own rotation."""
    curvature = smoothed_curvature(quat.continuous(rotations), sigma)
    # A quaternion moves half as far as the rotation turns; what points along it only changes its length.
    return 2.0 * quat.multiply(quat.inverse(rotations), curvature)[..., :3]


def _fitting_width_s(motion: Motion) -> float:
    """The width to which the filter answers most at the motion's main frequency: sigma w = sqrt(2)."""
    inner = motion.world_positions()
    frequency = main_frequency((inner - inner[:, :1]).reshape(len(motion), inner.shape[1] * 3))
    return float(np.clip(np.sqrt(2.0) / max(frequency, 1e-9) / motion.fps, 2.0 / motion.fps, 0.4))


def _standing(before: Motion, after: Motion) -> tuple[Motion, tuple[Note, ...]]:
    """`after` with the feet that stood in `before` held where they stood."""
    found = feet.contacts(before)
    if not found.on.any():
        return after, tuple(found.notes)
    return feet.planted(after, found), tuple(found.notes)
