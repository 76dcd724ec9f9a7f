"""Timesheet: for each output frame, the source frame that it shows. Timing is data, not an edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori import rates
from komadori.errors import OptionError, unquoted
from komadori.shown import Shown
from komadori.words import Note

Frames = NDArray[np.int64]


class Run(NamedTuple):
    """A drawing on show: output frames `start` to `start + length`, all showing `source`."""

    start: int
    length: int
    source: int


@dataclass(frozen=True, eq=False)
class Timesheet(Shown):
    """`source` (F_out,), integers: output frame f shows source frame source[f].

    >>> sheet = Timesheet(24, [0, 0, 1, 4, 4, 4])
    >>> sheet.runs()
    (Run(start=0, length=2, source=0), Run(start=2, length=1, source=1), Run(start=3, length=3, source=4))
    >>> sheet.drawings.tolist()
    [0, 1, 4]
    """

    fps: float
    source: Frames

    def __post_init__(self) -> None:
        source = np.array(self.source)
        if source.ndim != 1:
            raise OptionError(
                "source",
                expected=Note("one row of frames"),
                found=Note("an array of {count} dimensions", count=source.ndim),
            )
        if source.size and not np.issubdtype(source.dtype, np.integer):
            raise OptionError("source", expected=Note("whole numbers"), found=unquoted(str(source.dtype)))
        if source.size and source.min() < 0:
            raise OptionError("source", expected=Note("frame numbers of 0 or more"), found=int(source.min()))
        if source.size and source.dtype.kind == "u" and source.max() > np.iinfo(np.int64).max:
            raise OptionError("source", expected=Note("frames that fit into 64 bits"), found=int(source.max()))
        source = source.astype(np.int64)
        source.flags.writeable = False
        object.__setattr__(self, "fps", float(rates.exact(float(self.fps))))
        object.__setattr__(self, "source", source)

    @classmethod
    def ones(cls, frames: int, fps: float = 24.0) -> Timesheet:
        """Every frame shown once: on ones."""
        return cls(fps, np.arange(frames))

    @classmethod
    def on(cls, exposures: int, frames: int, fps: float = 24.0) -> Timesheet:
        """Every drawing shown for `exposures` frames: on twos (2), on threes (3).

        >>> Timesheet.on(3, 7).source.tolist()
        [0, 0, 0, 3, 3, 3, 6]
        """
        if exposures < 1:
            raise OptionError("exposures", expected=Note("a whole number, 1 or more"), found=exposures)
        return cls(fps, np.arange(frames) // exposures * exposures)

    def __len__(self) -> int:
        return len(self.source)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Timesheet) and self.fps == other.fps and bool(np.array_equal(self.source, other.source))
        )

    def __hash__(self) -> int:
        return hash((self.fps, self.source.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Timesheet, (self.fps, self.source))

    def __repr__(self) -> str:
        return f"Timesheet({len(self)} frames at {self.fps:g} fps, {len(self.drawings)} drawings)"

    @property
    def starts(self) -> Frames:
        """The output frames at which a new drawing appears."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.concatenate([[True], self.source[1:] != self.source[:-1]])).astype(np.int64)

    def runs(self) -> tuple[Run, ...]:
        """What is on show, run by run."""
        starts = self.starts
        lengths = np.diff(np.append(starts, len(self)))
        return tuple(map(Run, starts.tolist(), lengths.tolist(), self.source[starts].tolist()))

    @property
    def drawings(self) -> Frames:
        """The source frames that are shown at all, in order of first appearance."""
        values, first = np.unique(self.source, return_index=True)
        return np.asarray(values[np.argsort(first)], dtype=np.int64)

    @property
    def exposures(self) -> Frames:
        """(F_out,) how long the run is that each output frame belongs to."""
        lengths = np.diff(np.append(self.starts, len(self)))
        return np.repeat(lengths, lengths).astype(np.int64)

    def omitted(self, frames: int) -> Frames:
        """The source frames of a clip of `frames` frames that are never shown."""
        shown = np.zeros(frames, dtype=bool)
        shown[self.source[self.source < frames]] = True
        return np.flatnonzero(~shown).astype(np.int64)

    def then(self, other: Timesheet) -> Timesheet:
        """`other` applied to what this sheet shows: self first, other on top."""
        if len(other) and other.source.max() >= len(self):
            raise OptionError(
                "other",
                expected=Note("frames of the first sheet, 0 to {last}", last=len(self) - 1),
                found=int(other.source.max()),
            )
        return Timesheet(other.fps, self.source[other.source])

    def edited(self, frames: slice | int, source: ArrayLike) -> Timesheet:
        """A copy in which output `frames` show `source`."""
        values = np.asarray(source)
        if values.size and not np.issubdtype(values.dtype, np.integer):
            raise OptionError("source", expected=Note("whole numbers"), found=unquoted(str(values.dtype)))
        changed = self.source.copy()
        try:
            changed[frames] = values
        except (IndexError, ValueError):
            raise OptionError(
                "source",
                expected=Note("as many frames as are edited in the sheet of {count}", count=len(self)),
                found=int(values.size),
            ) from None
        return Timesheet(self.fps, changed)
