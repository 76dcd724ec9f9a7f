"""Result: what every method returns, whatever else it has to show: a motion, a sheet or none, notes, and measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from komadori.shown import Shown

if TYPE_CHECKING:
    from komadori.motion import Motion
    from komadori.timesheet import Timesheet
    from komadori.words import Note


@dataclass(frozen=True)
class Measure:
    """A named number of a result, with its unit (empty for a count or a ratio).

    >>> Measure(0.28, "m²")
    Measure(value=0.28, unit='m²')
    """

    value: float
    unit: str = ""


class Result(Shown):
    """The base of all results. Subclasses are frozen dataclasses that add the evidence of their own method."""

    if TYPE_CHECKING:
        # Declared for readers and type checkers alone: subclasses give them as fields or as cached properties.

        @property
        def motion(self) -> Motion:
            """The motion that the method made."""

        @property
        def sheet(self) -> Timesheet | None:
            """Which source frame each output frame shows, where the method decides that; else None."""

        @property
        def notes(self) -> tuple[Note, ...]:
            """Notes that the reader should know or can act on."""

    @property
    def clip(self) -> Motion:
        """What a motion file gets: the motion, unless the method was asked for another form of it."""
        return self.motion

    @property
    def measures(self) -> Mapping[str, Measure]:
        """Named numbers with their units, in the order in which a reader wants them."""
        return {}
