"""Cut: the sheet of a whole cut, as studios exchange it. A timesheet for each cel, its blanks, dialogue, camera work, and the heading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from komadori.errors import OptionError, one_of
from komadori.timesheet import Frames, Run, Timesheet
from komadori.words import Note

Numbering = Literal["source", "drawing"]
"""What a cel's number is in a file: the source frame counted from 1, or 1, 2, 3 in order of first appearance, as animators count."""
NUMBERINGS: tuple[str, ...] = get_args(Numbering)


class Cue(NamedTuple):
    """A line of dialogue or an instruction to the camera: output frames `start` to `start + length`.

    The speaker of camera work is its kind (PAN), where the text says from where to where.
    """

    start: int
    length: int
    text: str
    speaker: str = ""
    column: str = ""
    """The column of the sheet that it is in, such as S1."""


@dataclass(frozen=True, eq=False)
class Cut(Mapping[str, Timesheet]):
    """The timesheets of a cut by track, the bottom cel first, with everything else on the sheet.

    It is a mapping of its tracks, so whatever takes timesheets by name takes a cut. A timesheet always shows a drawing; the
    output frames in which a cel is empty nonetheless (×) are its `blank` frames, in which the sheet holds the drawing before.

    >>> cut = Cut.of_numbers(24, {"A": [1, 1, 0, 2], "B": [0, 5, 5, 0]}, cut="12")
    >>> cut["A"].source.tolist(), cut.blank["A"], len(cut["B"])
    ([0, 0, 0, 1], (2,), 3)
    """

    tracks: Mapping[str, Timesheet]
    frames: int = 0
    """How long the cut is; the longest track where 0 is given."""
    blank: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    """What drawings are called that are not called by their plain number (1a, A0007): for a track, number -> name."""
    dialogue: tuple[Cue, ...] = ()
    camera: tuple[Cue, ...] = ()
    title: str = ""
    episode: str = ""
    scene: str = ""
    cut: str = ""
    numbering: Numbering = "source"
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if self.numbering not in NUMBERINGS:
            raise OptionError("numbering", expected=one_of(NUMBERINGS), found=self.numbering)
        shared_rate(self.tracks)
        longest = max(len(sheet) for sheet in self.tracks.values())
        if 0 < self.frames < longest:
            raise OptionError(
                "frames", expected=Note("at least {count}, the length of a track", count=longest), found=self.frames
            )
        blank = {}
        for name, marked in self.blank.items():
            kept = tuple(sorted({int(frame) for frame in marked}))
            if name not in self.tracks or (kept and not 0 <= kept[0] <= kept[-1] < len(self.tracks[name])):
                raise OptionError(
                    "blank",
                    problem=Note("blank frames are given for a track that the sheet does not have: {name}", name=name),
                )
            if kept:
                blank[name] = kept
        if not set(self.names) <= set(self.tracks):
            raise OptionError(
                "names",
                problem=Note(
                    "names are given for a track that the sheet does not have: {names}",
                    names=", ".join(map(str, self.names)),
                ),
            )
        names = {name: MappingProxyType(dict(called)) for name, called in self.names.items() if called}
        object.__setattr__(self, "names", MappingProxyType(names))
        object.__setattr__(self, "tracks", MappingProxyType(dict(self.tracks)))
        object.__setattr__(self, "frames", self.frames or longest)
        object.__setattr__(self, "blank", MappingProxyType(blank))
        object.__setattr__(self, "dialogue", tuple(Cue(*cue) for cue in self.dialogue))
        object.__setattr__(self, "camera", tuple(Cue(*cue) for cue in self.camera))
        for cue in (*self.dialogue, *self.camera):
            if cue.start < 0 or cue.length < 1 or cue.start + cue.length > self.frames:
                raise OptionError(
                    "dialogue and camera",
                    expected=Note("cues within the {count} frames of the cut", count=self.frames),
                    found=cue,
                )

    @classmethod
    def of(cls, sheets: Mapping[str, Timesheet]) -> Cut:
        """`sheets` as a cut: itself if it is one."""
        return sheets if isinstance(sheets, Cut) else cls(sheets)

    @classmethod
    def of_numbers(
        cls,
        fps: float,
        columns: Mapping[str, ArrayLike],
        *,
        frames: int = 0,
        names: Mapping[str, Mapping[int, str]] = MappingProxyType({}),
        **rest: Any,
    ) -> Cut:
        """The cut in which each column shows source frame number - 1, and nothing at 0. Columns without a number are omitted."""
        tracks, blank = {}, {}
        for name, given in columns.items():
            numbers = np.asarray(given, dtype=np.int64)
            shown = np.flatnonzero(numbers)
            frames = max(frames, len(numbers))
            if not len(shown):
                continue
            numbers = numbers[: shown[-1] + 1]
            # Each frame takes the last number before it; what comes before the first takes the first.
            last = np.maximum.accumulate(np.where(numbers > 0, np.arange(len(numbers)), shown[0]))
            tracks[name] = Timesheet(fps, numbers[last] - 1)
            blank[name] = tuple(np.flatnonzero(numbers == 0).tolist())
        names = {name: called for name, called in names.items() if name in tracks}
        return cls(tracks, frames=frames, blank=blank, names=names, **rest)

    def __getitem__(self, name: str) -> Timesheet:
        return self.tracks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tracks)

    def __len__(self) -> int:
        return len(self.tracks)

    def __eq__(self, other: object) -> bool:
        """Equal in everything on the sheet; compared with a plain mapping, only the tracks count."""
        if isinstance(other, Cut):
            told = [item.name for item in fields(self) if item.name != "notes"]
            return all(getattr(self, name) == getattr(other, name) for name in told)
        return isinstance(other, Mapping) and dict(self.tracks) == dict(other)

    def __hash__(self) -> int:
        return hash(tuple(self.tracks.items()))

    def __repr__(self) -> str:
        return f"Cut({self.frames} frames at {self.fps:g} fps, {', '.join(self.tracks)})"

    @property
    def fps(self) -> float:
        """The rate of all its tracks."""
        return shared_rate(self.tracks)

    def replaced(self, **changes: Any) -> Cut:
        """A copy with some of its parts changed."""
        return Cut(**{**{item.name: getattr(self, item.name) for item in fields(self)}, **changes})

    def numbers(self, name: str, numbering: str | None = None) -> Frames:
        """(frames,) the drawing number that a track shows in each output frame, 0 where its cel is empty."""
        sheet = self.tracks[name]
        shown = np.zeros(self.frames, dtype=np.int64)
        shown[: len(sheet)] = sheet.source + 1
        if (numbering or self.numbering) == "drawing":
            shown[: len(sheet)] = numbered(sheet)
        shown[list(self.blank.get(name, ()))] = 0
        return shown

    def key_frames(self, name: str) -> frozenset[int]:
        """The output frames in which the key drawings of a track are first seen: an empty cel shows none.

        >>> Cut.of_numbers(24, {"A": [0, 0, 4, 4, 5, 9]}).key_frames("A")
        frozenset({2, 4, 5})
        """
        empty = set(self.blank.get(name, ()))
        seen = []
        for run in self.tracks[name].runs():
            frames = [frame for frame in range(run.start, run.start + run.length) if frame not in empty]
            if frames:
                seen.append(Run(frames[0], run.start + run.length - frames[0], run.source))
        return _keys(seen)

    def called(self, name: str, number: int) -> str:
        """What drawing `number` of a track is called: its name if it has one, unless the drawings are renumbered."""
        return self.names.get(name, {}).get(number, str(number)) if self.numbering == "source" else str(number)


def shared_rate(sheets: Mapping[str, Timesheet]) -> float:
    """The one frame rate that all `sheets` have; an OptionError if they differ or there are none."""
    rates = {sheet.fps for sheet in sheets.values()}
    if len(rates) != 1:
        found = Note("none") if not rates else " and ".join(f"{rate:g}" for rate in sorted(rates))
        raise OptionError(Note("the tracks of a sheet need one frame rate, found {found}", found=found))
    return rates.pop()


def drawing_numbers(sheet: Timesheet) -> dict[int, int]:
    """Source frame -> drawing number: 1, 2, 3 in order of first appearance."""
    return {source: number for number, source in enumerate(sheet.drawings.tolist(), start=1)}


def numbered(sheet: Timesheet) -> Frames:
    """(F_out,) the drawing number of each output frame."""
    values, first, back = np.unique(sheet.source, return_index=True, return_inverse=True)
    rank = np.empty(len(values), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(1, len(values) + 1)
    return rank[back] if len(sheet) else np.zeros(0, dtype=np.int64)


def _keys(runs: Sequence[Run]) -> frozenset[int]:
    """The frames at which key drawings appear: the first, the last, and both sides of every omission.

    An omission is where more source frames pass than output frames do: a hold never does that.
    """
    keys = {run.start for run in (*runs[:1], *runs[-1:])}
    for run, following in pairwise(runs):
        if following.source - run.source > run.length:
            keys |= {run.start, following.start}
    return frozenset(keys)


def changes(numbers: Frames) -> list[tuple[int, int]]:
    """(frame, number) where a column changes, the first frame included."""
    if not len(numbers):
        return []
    at = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]]))
    return list(zip(at.tolist(), numbers[at].tolist(), strict=True))
