"""Planting: keeps feet in place while they are on the ground; the legs bend for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from komadori import feet
from komadori.feet import Contacts, Slip
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["PlantOptions", "PlantResult", "plant"]


@dataclass(frozen=True, kw_only=True)
class PlantOptions:
    """How standing feet are kept in place."""

    blend_s: float = parameter(
        0.1, "time in which a foot reaches its contact point and leaves it again", unit="s", low=0.0, high=5.0
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class PlantResult(Result):
    """The motion with its feet planted, and how far they slipped before and after."""

    source_motion: Motion
    options: PlantOptions
    motion: Motion
    contacts: Contacts
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def slip_before(self) -> Slip:
        """How far standing feet moved before."""
        return feet.slippage(self.source_motion, self.contacts)

    @property
    def slip_after(self) -> Slip:
        """How far they move now."""
        return feet.slippage(self.motion, self.contacts)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Slip of standing feet before and after, in millimetres per second."""
        before, after = 1e3 * self.slip_before.per_second, 1e3 * self.slip_after.per_second
        return {"slip_before": Measure(before, "mm/s"), "slip_after": Measure(after, "mm/s")}


def _rows(result: PlantResult) -> list[Row]:
    measures = result.measures
    slip = Note(
        "{after:.1f} mm/s (before: {before:.1f})",
        after=measures["slip_after"].value,
        before=measures["slip_before"].value,
    )
    return [(Note("foot slip"), slip)]


@method(
    PlantOptions,
    stage="shape",
    rows=_rows,
    panel=False,
    title="{path}: feet planted",
    example="komadori plant walk.bvh -o planted.bvh",
)
def plant(motion: Motion, options: PlantOptions) -> PlantResult:
    """`motion` with standing feet kept where they stand; the stance is found by `komadori.feet.contacts`."""
    found = feet.contacts(motion)
    return PlantResult(
        motion,
        options,
        feet.planted(motion, found, blend_s=options.blend_s, drift=feet.DRIFT),
        found,
        tuple(found.notes),
    )
