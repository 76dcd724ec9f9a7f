"""What a notebook displays: a motion as a moving figure, a sheet as its page, a character, a result with its charts."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import singledispatch
from html import escape

import numpy as np

from komadori.character import Character
from komadori.errors import KomadoriError
from komadori.formats import LONE_TRACK
from komadori.methods.exaggerate import ExaggerateResult
from komadori.methods.hair import HairResult
from komadori.methods.keyposes import KeyposesResult
from komadori.methods.limited import LimitedResult
from komadori.methods.retarget import RetargetResult
from komadori.motion import Motion
from komadori.render import svg
from komadori.render.apng import apng
from komadori.render.drawing import Drawing
from komadori.render.results import chart, strip
from komadori.render.sheets import printed_sheet
from komadori.render.shot import Shot, drawings_of, shot_of
from komadori.render.stand_in import stand_in
from komadori.result import Result
from komadori.shown import Bundle
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

SIZE, TILE = (272, 204), (200, 260)
"""Pixels of a moving figure, and of one view of a character."""
MOST_DRAWINGS = 96
"""Drawings up to which each is shown for just as long as it is held."""
MOST_PICTURES, PICTURES_A_SECOND = 60, 12.0
"""Else so many frames are shown, evenly chosen, at so many a second: a long clip in quick motion."""
LOOKED_THROUGH = 3000
"""Frames up to which held drawings are looked for: longer clips are shown speeded up anyway."""
MOST_BYTES = 190_000
"""What one moving figure may add to a notebook: above that it has fewer pictures."""


def bundle(value: object) -> Bundle:
    """What Jupyter is given for `value`: its own page pictures, or nothing if it cannot be drawn."""
    try:
        parts = _parts(value)
    except KomadoriError:
        # Display must not fail: a value that cannot be drawn shows its text.
        return {}
    return {"text/html": f"<div>{''.join(parts)}</div>"} if parts else {}


@singledispatch
def _parts(value: object) -> list[str]:
    """Pieces of a page."""
    return []


@_parts.register
def _(value: Motion) -> list[str]:
    return [_moving(value, None)]


@_parts.register
def _(value: Skeleton) -> list[str]:
    rest = Motion(value, 24.0, value.rest[None], value.offsets[None])
    return [_figure(_tiles(rest, stand_in(value)), repr(value))]


@_parts.register
def _(value: Character) -> list[str]:
    try:
        tiles = _tiles(value.rest, value)
    except KomadoriError:
        # No skin, or a skin whose pictures need a library that is not there.
        tiles = _tiles(value.rest, stand_in(value.skeleton))
    return [_figure(tiles, repr(value))]


@_parts.register
def _(value: Timesheet) -> list[str]:
    # One page, which is six seconds: a long clip has hundreds.
    rate = max(1, round(value.fps))
    part = Timesheet(value.fps, value.source[: 6 * rate])
    said = "" if len(part) == len(value) else f"the first {len(part)} of {len(value)} frames"
    return [_drawn(printed_sheet({LONE_TRACK: part})[0], 420), _caption(said)]


@_parts.register
def _(value: LimitedResult) -> list[str]:
    said = f"{value.drawings} drawings in {len(value.sheet)} frames: {value.omitted} omitted, {value.held} held"
    return [_moving(value.motion, None), _caption(said), _drawn(chart(value), 720), *_notes(value.notes)]


@_parts.register
def _(value: KeyposesResult) -> list[str]:
    return [_drawn(strip(value), 900), _drawn(chart(value), 720), *_notes(value.notes)]


@_parts.register
def _(value: HairResult) -> list[str]:
    said = f"{len(value.chains)} chains, a wave of {value.period_s:.2f} s in {value.drawings} drawings"
    return [_moving(value.motion, value.character), _caption(said), *_notes(value.notes)]


@_parts.register
def _(value: RetargetResult) -> list[str]:
    said = f"limbs {value.mean_deg:.1f} degrees from the source's on average"
    return [_moving(value.motion, None), _caption(said), *_notes(value.notes)]


@_parts.register
def _(value: ExaggerateResult) -> list[str]:
    said = f"joints turned by {value.largest_deg:.0f} degrees at most"
    return [_moving(value.motion, None), _caption(said), *_notes(value.notes)]


@_parts.register
def _(value: Result) -> list[str]:
    said = "; ".join(
        f"{name.replace('_', ' ')} {one.value:.4g} {one.unit}".rstrip() for name, one in value.measures.items()
    )
    return [_moving(value.motion, None), _caption(said), *_notes(value.notes)]


@dataclass(frozen=True)
class _Play:
    """Which frames are shown, and when each begins: one more time than frames, in milliseconds."""

    frames: list[int]
    begins_ms: list[int]
    said: str


def _play(motion: Motion) -> _Play:
    """Every drawing for as long as it is held if there are few; else evenly chosen frames, in their own time or quicker."""
    if len(motion) <= LOOKED_THROUGH:
        runs = drawings_of(motion).runs()
        if len(runs) <= MOST_DRAWINGS:
            starts = [run.start for run in runs]
            return _Play(starts, [round(1000.0 * at / motion.fps) for at in (*starts, len(motion))], "")
    count = min(MOST_PICTURES, max(2, int(motion.duration_s * PICTURES_A_SECOND)))
    frames = np.linspace(0, len(motion) - 1, count).round().astype(int)
    quicker = motion.duration_s * PICTURES_A_SECOND / count
    if quicker < 1.05:
        times = [*(1000.0 * frames / motion.fps), 1000.0 * len(motion) / motion.fps]
        return _Play(frames.tolist(), [round(at) for at in times], "")
    times = [round(1000.0 * n / PICTURES_A_SECOND) for n in range(count + 1)]
    return _Play(frames.tolist(), times, f"{count} of {len(motion)} frames, {quicker:.3g} times as fast")


def _moving(motion: Motion, character: Character | None) -> str:
    """A moving figure, on `character` if it can be drawn."""
    if not len(motion):
        return _caption(repr(motion))
    play = _play(motion)
    some = motion.taken(play.frames)
    try:
        shot = shot_of(some, character, size=SIZE)
    except KomadoriError:
        shot = shot_of(some, None, size=SIZE)
    said = f"{motion!r}{'; ' if play.said else ''}{play.said}"
    return _figure(_bounded(shot, play.begins_ms), said)


def _bounded(shot: Shot, begins_ms: list[int]) -> bytes:
    """The shot's pictures as an animated PNG; every second one is omitted until it is small enough."""
    # Each picture is its own drawing here, also where a pose comes back.
    pictures = list(replace(shot, sheet=Timesheet(shot.fps, np.arange(len(shot)))).pictures())
    starts, end = begins_ms[:-1], begins_ms[-1]
    while True:
        made = apng(pictures, np.diff([*starts, end]).tolist())
        if len(made) <= MOST_BYTES or len(pictures) == 1:
            return made
        pictures, starts = pictures[::2], starts[::2]


def _tiles(rest: Motion, character: Character) -> bytes:
    """The character from three sides."""
    views = ("front", "three-quarter", "side")
    tiles = [shot_of(rest, character, camera=view, size=TILE).picture(0) for view in views]
    return apng([np.concatenate(tiles, axis=1)], [0])


def _figure(picture: bytes, said: str) -> str:
    code = base64.b64encode(picture).decode("ascii")
    return f'<img alt="{escape(said)}" src="data:image/png;base64,{code}">{_caption(said)}'


def _drawn(drawing: Drawing, width: int) -> str:
    """A chart, at most `width` pixels wide; as a picture, so that its style stays within it."""
    code = base64.b64encode(svg.encoded(drawing)).decode("ascii")
    style = f"width:100%;max-width:{width}px;background:white"
    return f'<div><img alt="{escape(drawing.title)}" style="{style}" src="data:image/svg+xml;base64,{code}"></div>'


def _caption(said: str) -> str:
    return f'<div style="font-size:small">{escape(said)}</div>' if said else ""


def _notes(notes: tuple[str, ...]) -> list[str]:
    return [_caption(str(note)) for note in notes]
