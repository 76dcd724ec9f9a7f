"""A pair of shots: the original and the animation before one camera, and their film side by side over the sheet."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from komadori.camera import Camera
from komadori.motion import Motion
from komadori.pipeline import PipelineResult
from komadori.render import film
from komadori.render.drawing import Drawing, Item, Line, Rect, Text
from komadori.render.framing import Frames, framed, stature
from komadori.render.shot import Shot, pictures_of, shot_of, take_of
from komadori.render.toon import Pixels
from komadori.timesheet import Timesheet
from komadori.words import Note

BAR, INK, MUTED = "#fbf8f1", "#22272e", "#6b7480"


@dataclass(frozen=True, eq=False)
class Pair:
    """`before` and `after` are as long as each other; `sheet` is that of the body in `after`."""

    before: Shot
    after: Shot
    sheet: Timesheet

    def pictures(self, left: Note, right: Note, language: str = "en") -> Generator[Pixels]:
        """Every picture of the film: both sides with their titles, the timesheet running below."""
        wide, tall = self.before.size
        # Twice the rounded half: a video's size must be even.
        bar = _titles(2 * wide, 2 * round(0.035 * tall) + 12, left, right, language)
        with closing(pictures_of((self.before, self.after))) as drawn:
            both = (np.concatenate([bar, _divided(*sides)]) for sides in drawn)
            yield from film.with_sheet(both, self.sheet)


def pair_of(
    result: PipelineResult, camera: str | Camera, style: str, size: tuple[int, int], *, face: bool = True
) -> Pair:
    """Both motions of `result` as shots of `size`, seen by one camera that shows all of both; where they travel far it follows each. With `face` the eyes act."""
    count = max(len(result.original), len(result.motion))
    before, after = (_lasting(motion, count) for motion in (result.original, result.motion))
    character = result.character if result.character is not None and result.character.meshes else None
    shown = np.minimum(np.arange(count), len(result.sheet) - 1)
    same = camera
    if isinstance(camera, str):
        moments = _moments(result, before, after, shown)
        takes = [take_of(before, character, style), take_of(after, character, style, moments)]
        camera = same = framed(takes, camera, size)
        if camera.frames is not None:
            # A held drawing holds its camera too; otherwise the figure would slide across the picture while the ground moves on, and then jump.
            same = Camera(camera.position[moments], camera.target[moments], fov_deg=camera.fov_deg)
    one = shot_of(before, character, camera=camera, style=style, size=size, face=face, ground=result.floor_m)
    other = shot_of(after, character, camera=same, style=style, size=size, face=face, ground=one.ground)
    sheet = Timesheet(result.sheet.fps, result.sheet.source[shown])
    return Pair(one, other, sheet)


def _moments(result: PipelineResult, before: Motion, after: Motion, shown: Frames) -> Frames:
    """(F,) the moment of the original that each picture of the animation shows, whose body is in the same place; otherwise the same moment."""
    source = np.minimum(result.stepping.source[shown], len(before) - 1)
    hips = before.skeleton.roles.get("hips", 0)
    away = (after.world_positions()[:, hips] - before.world_positions()[source, hips])[:, ::2]
    near = np.linalg.norm(away, axis=1).max() < 0.25 * stature(before.skeleton)
    return np.asarray(source if near else np.arange(len(before)))


def _lasting(motion: Motion, count: int) -> Motion:
    """The motion with its last frame held until there are `count`."""
    return motion if len(motion) == count else motion.taken(np.minimum(np.arange(count), len(motion) - 1))


def _titles(width: int, height: int, left: Note, right: Note, language: str) -> Pixels:
    from komadori.render.png import image

    size = 0.5 * height
    items: list[Item] = [
        Rect(0, 0, width, height, fill=BAR),
        Text(0.5 * height, 0.68 * height, left.in_language(language), size, MUTED, english=left),
        Text(0.5 * (width + height), 0.68 * height, right.in_language(language), size, INK, bold=True, english=right),
        Line(0.5 * width, 0, 0.5 * width, height, "#d9d3c4", 2.0),
    ]
    return np.asarray(image(Drawing(width, height, tuple(items)), 1.0))


def _divided(left: Pixels, right: Pixels) -> Pixels:
    both = np.concatenate([left, right], axis=1)
    middle = left.shape[1]
    both[:, middle - 1 : middle + 1] = (217, 211, 196)
    return both
