"""Editing a timesheet by hand: what the fingers do to the exposure sheet, as pure functions of its source frames."""

from __future__ import annotations

from komadori.errors import OptionError
from komadori.words import Note

Source = list[int]


def moved_edge(source: Source, frame: int, to: int) -> Source:
    """The drawing that begins at `frame` begins at `to` instead; it or the one before is shown longer for it.

    Neither of the two vanishes, and the drawings beyond them stay where they are.

    >>> moved_edge([0, 0, 0, 5, 5, 5], 3, 1)
    [0, 5, 5, 5, 5, 5]
    """
    _check_frame(source, frame)
    if frame == 0 or source[frame] == source[frame - 1]:
        raise OptionError("frame", expected=Note("a frame at which a drawing begins"), found=frame)
    before, after = source[frame - 1], source[frame]
    begin = next((f + 1 for f in range(frame - 2, -1, -1) if source[f] != before), 0)
    end = next((f for f in range(frame, len(source)) if source[f] != after), len(source))
    to = min(max(to, begin + 1), end - 1)
    return [*source[:begin], *[before] * (to - begin), *[after] * (end - to), *source[end:]]


def inserted(source: Source, frame: int) -> Source:
    """The drawing at `frame` is shown for one frame more; what follows comes later."""
    _check_frame(source, frame)
    return [*source[: frame + 1], source[frame], *source[frame + 1 :]]


def deleted(source: Source, frame: int) -> Source:
    """The exposure at `frame` is gone; what follows comes earlier. One frame always stays."""
    _check_frame(source, frame)
    if len(source) == 1:
        raise OptionError(Note("the last exposure stays: a sheet shows at least one drawing"))
    return [*source[:frame], *source[frame + 1 :]]


def drawn(source: Source, frame: int, shown: int, frames: int) -> Source:
    """From `frame` to the end of its run, the source frame `shown` is shown."""
    _check_frame(source, frame)
    if not 0 <= shown < frames:
        raise OptionError("frame", expected=Note("a frame of the motion, 0 to {last}", last=frames - 1), found=shown)
    end = next((f for f in range(frame, len(source)) if source[f] != source[frame]), len(source))
    return [*source[:frame], *[shown] * (end - frame), *source[end:]]


def _check_frame(source: Source, frame: int) -> None:
    if not 0 <= frame < len(source):
        raise OptionError(
            "frame", expected=Note("a frame of the sheet, 0 to {last}", last=len(source) - 1), found=frame
        )
