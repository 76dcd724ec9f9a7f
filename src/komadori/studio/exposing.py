"""What larger edits do to an exposure sheet: each says which frames become which drawings, as pure functions of the source frames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

import numpy as np

from komadori.errors import OptionError
from komadori.words import Note

Drawings: TypeAlias = list[tuple[int, int]]
"""Source frames, and for how many frames each is shown."""
MOST_STEP = 24


class Exposed(NamedTuple):
    """Frames `start` to `end` (not included) become `drawings`."""

    start: int
    end: int
    drawings: Drawings

    def in_place(self, source: Sequence[int]) -> list[int]:
        """The whole sheet after it."""
        shown = [frame for frame, count in self.drawings for _ in range(count)]
        return [*source[: self.start], *shown, *source[self.end :]]


def on_step(source: Sequence[int], first: int, last: int, step: int, frames: int) -> Exposed:
    """Frames `first` to `last` with a new drawing every `step` frames: on ones, twos, threes.

    The drawings are those of the motion at these moments: between the drawings that there are, time continues evenly.

    >>> on_step([0, 0, 0, 3, 3, 3, 6], 0, 7, 2, 7).in_place([])
    [0, 0, 2, 2, 4, 4, 6]
    """
    _check_range(source, first, last)
    if not 1 <= step <= MOST_STEP:
        raise OptionError("step", expected=Note("a number of frames from 1 to {most}", most=MOST_STEP), found=step)
    times = _times(source, frames)
    # Motion continues, never back: what follows the range is not passed.
    most = source[last] if last < len(source) and source[last] >= source[last - 1] else frames - 1
    shown = [min(times[frame], most) for frame in range(first, last, step)]
    counts = [min(step, last - frame) for frame in range(first, last, step)]
    return Exposed(first, last, _joined(list(zip(shown, counts, strict=True))))


def slid(source: Sequence[int], frame: int, to: int) -> Exposed:
    """The drawing that begins at `frame` begins at `to` instead and is as long; its neighbours give and take, one frame stays of each.

    >>> slid([0, 0, 0, 5, 5, 9, 9, 9], 3, 4).in_place([])
    [0, 0, 0, 0, 5, 5, 9, 9]
    """
    _check_range(source, frame, frame + 1)
    start, end = _run(source, frame)
    if frame != start:
        raise OptionError("frame", expected=Note("a frame at which a drawing begins"), found=frame + 1)
    if start == 0 or end == len(source):
        raise OptionError(Note("the first and the last drawing stay where they are; drag their edges"))
    begin, finish = _run(source, start - 1)[0], _run(source, end)[1]
    to = min(max(to, begin + 1), finish - 1 - (end - start))
    longer = finish - to - (end - start)
    return Exposed(
        begin, finish, [(source[start - 1], to - begin), (source[start], end - start), (source[end], longer)]
    )


def pasted(source: Sequence[int], frame: int, shown: Sequence[int], frames: int) -> Exposed:
    """From `frame` on, `shown` in place of what is there; it may go beyond the end."""
    _check_range(source, frame, frame + 1)
    if not shown:
        raise OptionError("shown", expected=Note("at least one drawing"), found=Note("none"))
    wrong = next((one for one in shown if not 0 <= one < frames), None)
    if wrong is not None:
        raise OptionError("shown", expected=Note("a frame of the motion, 1 to {last}", last=frames), found=wrong + 1)
    return Exposed(frame, min(frame + len(shown), len(source)), _joined([(one, 1) for one in shown]))


def as_it_is(source: Sequence[int], first: int, last: int) -> Exposed:
    """Frames `first` to `last` as they are, to be kept so."""
    _check_range(source, first, last)
    return Exposed(first, last, _joined([(one, 1) for one in source[first:last]]))


def _times(source: Sequence[int], frames: int) -> list[int]:
    """The motion's frame at every frame of the sheet, if none were held: drawings where they begin, and evenly between."""
    begins = [frame for frame in range(len(source)) if frame == 0 or source[frame] != source[frame - 1]]
    places, shown = [float(begin) for begin in begins], [float(source[begin]) for begin in begins]
    last = len(source) - 1
    if begins[-1] < last:
        # The last drawing's own stretch continues at the motion's pace, as far as there is motion.
        places.append(float(last))
        shown.append(min(float(frames - 1), shown[-1] + last - begins[-1]))
    return [int(one) for one in np.floor(np.interp(np.arange(len(source)), places, shown) + 0.5)]


def _joined(drawings: Drawings) -> Drawings:
    """Neighbours that show the same are one drawing."""
    return [(frame, sum(count for _, count in group)) for frame, group in groupby(drawings, key=lambda one: one[0])]


def _run(source: Sequence[int], frame: int) -> tuple[int, int]:
    start, end = frame, frame + 1
    while start > 0 and source[start - 1] == source[frame]:
        start -= 1
    while end < len(source) and source[end] == source[frame]:
        end += 1
    return start, end


def _check_range(source: Sequence[int], first: int, last: int) -> None:
    if not 0 <= first < last <= len(source):
        found = Note("frames {first} to {last}", first=first + 1, last=last)
        raise OptionError("frames", expected=Note("frames of the sheet, 1 to {last}", last=len(source)), found=found)
