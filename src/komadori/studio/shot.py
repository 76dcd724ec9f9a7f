"""The shot: what is played of the clip, the sound and the reference that it is timed against, and which cels are shown."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct, field, structs

Key: TypeAlias = Annotated[str, Meta(min_length=1, max_length=600)]
Cel: TypeAlias = Literal["body", "hair"]
MOST_FRAMES = 2_000_000


class Sound(Struct, frozen=True, forbid_unknown_fields=True):
    """A sound from the shelf that begins at the frame `start` (before the first if that is negative)."""

    key: Key
    start: Annotated[int, Meta(ge=-MOST_FRAMES, le=MOST_FRAMES)] = 0
    muted: bool = False


class Reference(Struct, frozen=True, forbid_unknown_fields=True):
    """A film or stills from the shelf under the stage. At frame f it shows its second `offset_s` + `rate` * f / fps."""

    key: Key
    opacity: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.6
    offset_s: Annotated[float, Meta(ge=-36_000.0, le=36_000.0)] = 0.0
    rate: Annotated[float, Meta(ge=0.01, le=100.0)] = 1.0
    scale: Annotated[float, Meta(ge=0.05, le=20.0)] = 1.0
    x: Annotated[float, Meta(ge=-10.0, le=10.0)] = 0.0
    y: Annotated[float, Meta(ge=-10.0, le=10.0)] = 0.0
    """Where its middle is from the stage's, in widths and heights of the stage."""


Metres: TypeAlias = Annotated[float, Meta(ge=-1e6, le=1e6)]
Spot: TypeAlias = tuple[Metres, Metres, Metres]


class View(Struct, frozen=True, forbid_unknown_fields=True):
    """Where the audience looks from, at what: metres in the world, or from the place on the ground below the hips where it `follows`."""

    eye: Spot
    target: Spot
    fov_deg: Annotated[float, Meta(ge=1.0, le=170.0)] = 30.0
    follows: bool = False


class Shot(Struct, frozen=True, forbid_unknown_fields=True):
    """What is played, from the frame `first` up to `last` (not included); None is the beginning or the end."""

    first: Annotated[int, Meta(ge=0, le=MOST_FRAMES)] | None = None
    last: Annotated[int, Meta(ge=1, le=MOST_FRAMES)] | None = None
    sound: Sound | None = None
    reference: Reference | None = None
    muted: Annotated[list[Cel], Meta(max_length=8)] = field(default_factory=list)
    """Cels whose own timing is not shown: a muted body goes on ones, muted hair hangs with the body."""
    hair: bool = False
    """Whether the hair waves beside the body's timing, its own cel."""
    view: View | None = None
    """The view in which limited animation measures steps; None measures them in the world."""


def at_rate(shot: Shot, times: float) -> Shot:
    """The shot where a second has so many times as many frames: its frames are at the same seconds as before."""
    first = None if shot.first is None else min(round(shot.first * times), MOST_FRAMES)
    last = None if shot.last is None else max(round(shot.last * times), (first or 0) + 1)
    sound = None if shot.sound is None else structs.replace(shot.sound, start=round(shot.sound.start * times))
    return structs.replace(shot, first=first, last=last, sound=sound)
