"""Measuring a clip: every definition computed from where its joints are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from komadori import feet, roles
from komadori.errors import OptionError
from komadori.feet import Contacts
from komadori.measures.definitions import DEFINITIONS
from komadori.motion import Motion
from komadori.quat import Array
from komadori.result import Measure
from komadori.timesheet import Timesheet
from komadori.words import Note

Mask = NDArray[np.bool_]

NORMAL = 1.4826
"""The standard deviation of a normal distribution in medians of its absolute value."""
ROUNDING = 1e-9
"""Metres: smaller amounts are rounding."""
THIRD = 20.0
"""The variance of a third difference of white noise of variance 1: the sum of the squares of 1, 3, 3, 1."""


@dataclass(frozen=True)
class Measured:
    """The measures of a clip by name, in the order of DEFINITIONS; measures that cannot be computed are omitted."""

    values: Mapping[str, Measure]
    frames: int
    fps: float
    notes: tuple[Note, ...] = field(default=())

    def __getitem__(self, name: str) -> Measure:
        return self.values[name]

    def plain(self) -> dict[str, float]:
        """The bare numbers, for tables."""
        return {name: one.value for name, one in self.values.items()}


def measure(motion: Motion, *, sheet: Timesheet | None = None, against: Motion | None = None) -> Measured:
    """Every measure of `motion`: skating, jitter, jerk, penetration, speed, symmetry, drawings per second.

    With `against`, the clip as it was captured, also contact accuracy and hold error. `sheet` says which frame of it each frame
    shows; without one they are compared frame by frame, and must be equally long.

    >>> from komadori.characters import sample
    >>> round(measure(sample("walk"))["drawings_per_second"].value)
    24
    """
    if len(motion) == 0:
        raise OptionError("motion", problem=Note("the motion has no frames"))
    source = _source(motion, sheet, against)
    motion = motion.with_worlds()
    places = motion.world_positions()
    if not np.isfinite(places).all():
        raise OptionError(
            "motion",
            expected=Note("finite numbers"),
            found=Note("NaN or infinity"),
            advice=Note("clean it first: komadori clean"),
        )
    found = feet.contacts(motion)
    values: dict[str, float] = {
        "jitter": 1e3 * jitter(places),
        "jerk": float(np.linalg.norm(_third(places), axis=-1).mean()) * motion.fps**3 if len(places) > 3 else 0.0,
        "speed": float(np.linalg.norm(np.diff(places, axis=0), axis=-1).mean()) * motion.fps
        if len(places) > 1
        else 0.0,
        "peak_speed": peak_speed(places, motion.fps),
        "drawings_per_second": motion.fps * _drawings(motion) / len(motion),
    }
    values |= _of_feet(motion, found, places, None if against is None else (against, source))
    values |= _of_sides(motion, places)
    if against is not None and against.skeleton.same_joints(motion.skeleton):
        values["hold_error"] = 100.0 * hold_error(places, against.world_positions(), source)
    ordered = {one.name: Measure(values[one.name], one.unit) for one in DEFINITIONS if one.name in values}
    return Measured(MappingProxyType(ordered), len(motion), motion.fps, tuple(found.notes))


def jitter(places: Array) -> float:
    """How much joints jitter, in the unit of `places` (F, J, 3): the standard deviation of white noise that would do the same.

    A third difference removes slow movement, the median removes what is fast but rare.
    """
    if len(places) < 4 or not places.shape[1]:
        return 0.0
    return float((NORMAL * np.median(np.abs(_third(places)), axis=(0, 2)) / THIRD**0.5).mean())


def peak_speed(places: Array, fps: float) -> float:
    """The highest speed of any joint of `places` (F, J, 3), over two frames: over one, noise would dominate."""
    if len(places) < 3:
        return 0.0
    return float(np.linalg.norm(places[2:] - places[:-2], axis=-1).max(initial=0.0)) * 0.5 * fps


def hold_error(shown: Array, captured: Array, source: NDArray[np.int64]) -> float:
    """How far joints (F, J, 3) are on average from where the captured clip has them at the frame that is due."""
    return float(np.linalg.norm(shown - captured[due(source, len(captured))], axis=-1).mean())


def due(source: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """(F,) the frame of a clip of `length` that would be shown if the sheet with this `source` held nothing.

    A drawing that is held stands for the frames that follow it, up to the next drawing; what omission leaps over is not due.

    >>> due(np.array([0, 0, 0, 3, 9, 9]), 20).tolist()
    [0, 1, 2, 3, 9, 10]
    """
    starts = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    begin = np.repeat(starts, np.diff(np.append(starts, len(source))))
    after = np.append(source[starts][1:], length)
    last = np.repeat(np.maximum(after - 1, source[starts]), np.diff(np.append(starts, len(source))))
    return np.asarray(np.minimum(source + np.arange(len(source)) - begin, last))


def contact_accuracy(shown: Mask, captured: Mask) -> float | None:
    """The F1 score of (F, feet) standing against that of the captured clip; None if no foot ever stands in either."""
    both = int((shown & captured).sum())
    either = int(shown.sum()) + int(captured.sum())
    return 2.0 * both / either if either else None


def _third(places: Array) -> Array:
    return np.diff(places, n=3, axis=0)


def _drawings(motion: Motion) -> int:
    """How many frames differ from the one before them, and the first."""
    turned = (motion.rotations[1:] != motion.rotations[:-1]).any(axis=(1, 2))
    moved = (motion.positions[1:] != motion.positions[:-1]).any(axis=(1, 2))
    return 1 + int((turned | moved).sum())


def _source(motion: Motion, sheet: Timesheet | None, against: Motion | None) -> NDArray[np.int64]:
    """Which frame of the captured clip each frame shows."""
    if against is None:
        return np.zeros(0, dtype=np.int64)
    source = np.arange(len(motion)) if sheet is None else sheet.source
    if len(source) != len(motion):
        raise OptionError("sheet", expected=Note("as many frames as the motion has ({count})", count=len(motion)), found=len(source))  # fmt: skip
    if (len(source) and source.max() >= len(against)) or (sheet is None and len(against) != len(motion)):
        raise OptionError(
            "against",
            expected=Note("a clip with every frame that is shown ({count} of them)", count=int(source.max()) + 1),
            found=len(against),
            advice=Note("give the sheet too, or resample both to one frame rate"),
        )
    return np.asarray(source, dtype=np.int64)


def _of_feet(
    motion: Motion, found: Contacts, places: Array, captured: tuple[Motion, NDArray[np.int64]] | None
) -> dict[str, float]:
    if not found.joints:
        return {}
    lowest = places[:, list(found.joints), 1].min(axis=1)
    depth = np.maximum(0.0, found.ground - lowest)
    depth[depth < ROUNDING] = 0.0
    values = {"penetration": 1e3 * float(depth.mean()), "penetration_deepest": 1e3 * float(depth.max())}
    stands, sheet = found, None
    if captured is not None and captured[0].skeleton.same_joints(motion.skeleton):
        # Steps and stands are those of the capture: a held drawing does not slip, and a leap is a step.
        stands, sheet = feet.contacts(captured[0]), captured[1]
        score = contact_accuracy(found.standing, stands.standing[due(sheet, len(stands))])
        values |= {} if score is None else {"contact_accuracy": score}
    slip = feet.slippage(motion, stands, sheet)
    if slip.steps:
        values |= {"skating": 1e3 * slip.per_second, "skating_worst": 1e3 * slip.worst}
    return values


def _of_sides(motion: Motion, places: Array) -> dict[str, float]:
    found = roles.known(motion.skeleton)
    middle = places[:, found.get("hips", 0), None]
    pairs = [(found[left], found[right]) for left in found if left.startswith("left_") and (right := "right_" + left[5:]) in found]  # fmt: skip
    if not pairs or len(places) < 2:
        return {}
    ways = np.linalg.norm(np.diff(places - middle, axis=0), axis=-1).sum(axis=0)
    left, right = ways[[a for a, _ in pairs]], ways[[b for _, b in pairs]]
    total = float((left + right).sum())
    return {"symmetry": 1.0 - float(np.abs(left - right).sum()) / total} if total > 1e-9 else {}
