"""The floor: an uneven captured floor is levelled, and nothing of the body goes below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from komadori import feet, roles
from komadori.character import Character
from komadori.methods.floor.lifting import lifted
from komadori.methods.floor.touching import touching_of
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["FloorOptions", "FloorResult", "floor"]


@dataclass(frozen=True, kw_only=True)
class FloorOptions:
    """Where the floor is, and whose it is."""

    character: Character | None = parameter(
        None,
        "character whose skin must stay above the floor (if not given: bones of typical thickness)",
        reads="character",
    )
    height_m: float | None = parameter(
        None, "height of the floor (where the feet stand if not given)", unit="m", low=-1e3, high=1e3
    )
    level: bool = parameter(True, "level a captured floor that is tilted or drifts")
    lift: bool = parameter(True, "raise what is below the floor: toes, feet, hands, or the whole body")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class FloorResult(Result):
    """The motion on its floor. `before` and `after` (F,) say how far the body's lowest place is above it, in metres."""

    source_motion: Motion
    options: FloorOptions
    motion: Motion
    height_m: float | None
    """How high the floor is; None if nobody was recognised who could stand on one."""
    before: Array
    after: Array
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The floor's height, and how deep the body went and goes below it."""
        deep = [100.0 * max(0.0, -float(above.min(initial=0.0))) for above in (self.before, self.after)]
        return {
            **({} if self.height_m is None else {"floor": Measure(self.height_m, "m")}),
            "below_before": Measure(deep[0], "cm"),
            "below_after": Measure(deep[1], "cm"),
        }


def _rows(result: FloorResult) -> list[Row]:
    measures = result.measures
    told = Note(
        "at most {after:.1f} cm (before: {before:.1f})",
        after=measures["below_after"].value,
        before=measures["below_before"].value,
    )
    return [(Note("below the floor"), told)]


@method(
    FloorOptions,
    stage="place",
    rows=_rows,
    fps=None,
    panel=False,
    title="{path}: floor levelled",
    working="levelling the floor of {count} frames",
    example="komadori floor fall.bvh -o fall_on_the_floor.bvh",
)
def floor(motion: Motion, options: FloorOptions) -> FloorResult:
    """`motion` with its body on one level floor, and nothing of it below.

    Where the body stands or lies, the captured floor is found and its slow changes are taken out: capture volumes are tilted, inertial
    suits drift. Toes that would go through the floor bend, feet and hands are raised by bending legs and arms, and what else is below
    raises the body. All of it is smooth in time.
    """
    none = np.zeros(len(motion))
    if not len(motion) or "hips" not in roles.known(motion.skeleton) or not (options.level or options.lift):
        return FloorResult(motion, options, motion, options.height_m, none, none)
    character = options.character
    if character is not None and not motion.skeleton.same_joints(character.skeleton):
        character = None
    motion = motion.with_worlds()
    contacts = feet.contacts(motion)
    made = lifted(
        motion,
        touching_of(character, motion),
        contacts,
        floor=options.height_m,
        level=options.level,
        lift=options.lift,
    )
    return FloorResult(motion, options, made.motion, made.floor, made.before, made.after)
