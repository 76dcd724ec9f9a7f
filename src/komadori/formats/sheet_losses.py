"""What a timesheet's format cannot hold of a cut: one note for each thing that is lost."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import reduce

from komadori.cut import Cut
from komadori.errors import OptionError, one_line
from komadori.json_text import most_frames
from komadori.words import Note

HEADING = ("title", "episode", "scene", "cut")
UNTITLED = "komadori"
"""What stands as the title of a sheet that has none, if a format wants one."""


def checked_length(data: bytes, cut: Cut, form: str) -> bytes:
    """`data`, the sheet of `cut`; an OptionError if it would be refused on reading, as it holds too much for its size."""
    frames, most = len(cut) * cut.frames, most_frames(len(data))
    if frames > most:
        what = Note("frames")
        raise OptionError(
            Note("{form} holds 1 to {most} {what}, and the sheet has {count}", form=form, most=most, what=what, count=frames)
        )  # fmt: skip
    return data


def named(cut: Cut, fits: Callable[[str], bool]) -> Cut:
    """`cut` with the names of drawings of those tracks alone whose names all fit and differ; the others have plain numbers."""
    kept = {}
    for track, names in cut.names.items():
        told = [cut.called(track, int(source) + 1) for source in cut[track].drawings]
        if len(set(told)) == len(told) and all(map(fits, told)):
            kept[track] = names
    return cut.replaced(names=kept)


def lost(
    cut: Cut,
    form: str,
    *,
    dialogue: bool = False,
    camera: bool = False,
    heading: Collection[str] = (),
    rate: float | None = None,
    names: Callable[[str], bool] | None = None,
) -> tuple[Note, ...]:
    """The notes for a format called `form`, which holds what is named; `rate` is the only rate that it knows, and `names` says
    which names it has room for."""
    notes = []
    if cut.dialogue and not dialogue:
        notes.append(
            Note("{form} has no dialogue column; lines not written: {count}", form=form, count=len(cut.dialogue))
        )
    if cut.camera and not camera:
        notes.append(
            Note("{form} has no camera column; instructions not written: {count}", form=form, count=len(cut.camera))
        )
    kept = named(cut, names).names if names is not None else {}
    if (left := [track for track in cut.names if track not in kept]) and cut.numbering == "source":
        if names is None:
            template = "{form} has plain numbers: the names of drawings are not written for {tracks}"
        else:
            template = "{form} has no room for some names of drawings: plain numbers were written for {tracks}"
        notes.append(Note(template, form=form, tracks=one_line(", ".join(left), 80)))
    missing = [name for name in HEADING if getattr(cut, name) not in ("", UNTITLED) and name not in heading]
    if missing:
        listed = reduce(lambda told, name: Note("{first}, {rest}", first=told, rest=name), map(Note, missing))
        notes.append(Note("{form} has no place for the heading: {names}", form=form, names=listed))
    if rate is not None and cut.fps != rate:
        notes.append(
            Note("{form} states no frame rate: {fps:g} fps will be read as {rate:g}", form=form, fps=cut.fps, rate=rate)
        )
    return tuple(notes)
