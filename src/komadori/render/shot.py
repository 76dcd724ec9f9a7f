"""A shot: a motion on a character before a camera, as pictures one after another; held drawings are drawn once."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori.camera import Camera
from komadori.character import Character
from komadori.errors import OptionError, unquoted
from komadori.motion import Motion
from komadori.quat import Array
from komadori.render import drawers, toon
from komadori.render import ground as grounds
from komadori.render.drawers import Task
from komadori.render.face import Face, acted
from komadori.render.framing import CAMERAS as CAMERAS
from komadori.render.framing import SAMPLED, Frames, Take, framed
from komadori.render.raster import view_of
from komadori.render.stand_in import stand_in
from komadori.render.toon import FINER, Cel, Painter, Pixels
from komadori.skinning import Numbers, Skin, skin_of
from komadori.timesheet import Timesheet
from komadori.words import Note

SMALLEST, LARGEST = 16, 4096
"""Pixels that a picture may be wide or high."""
MOST_GHOSTS = 12
GHOST = np.array([96, 134, 196])


@dataclass(frozen=True, eq=False)
class Shot:
    """A motion before a camera; make it with `shot_of`.

    `sheet` says which frame of `motion` each picture shows: frames of the same pose are one drawing.
    """

    motion: Motion
    sheet: Timesheet
    skin: Skin
    painter: Painter
    camera: Camera
    size: tuple[int, int]
    ground: float
    light: Array
    onion: int = 0
    face: Face | None = None
    """What the face does, its own cel over held drawings; None leaves it as the character's file has it."""

    def __len__(self) -> int:
        return len(self.sheet)

    @property
    def fps(self) -> float:
        """Pictures per second."""
        return self.sheet.fps

    def picture(self, frame: int, *, paper: Pixels | None = None, posed: tuple[Array, Array] | None = None) -> Pixels:
        """(H, W, 3) what is on show at `frame`; the empty `paper` and the `posed` skin are made if not given."""
        if paper is None:
            paper = grounds.paper(view_of(self.camera.at(frame), *self.size), self.ground)
        result = np.array(paper)
        self._laid(result, frame, posed)
        return result

    def figures(self, frames: list[int]) -> list[Pixels]:
        """Each (H, W, 4) the drawing and its shadow at one of `frames` on nothing: colours times cover, and the cover."""
        width, height = self.size
        places, normals = self._skinned(self.sheet.source[frames].tolist(), frames)
        result = [np.zeros((height, width, 4), dtype=np.uint8) for _ in frames]
        for picture, frame, *posed in zip(result, frames, places, normals, strict=True):
            self._laid(picture, frame, (posed[0], posed[1]))
        return result

    def _laid(self, result: Pixels, frame: int, posed: tuple[Array, Array] | None) -> None:
        """Lay what is on show at `frame` on a picture, which is changed."""
        width, height = self.size
        fine = view_of(self.camera.at(frame), FINER * width, FINER * height)
        places, normals = self._posed(int(self.sheet.source[frame]), frame) if posed is None else posed
        dark = grounds.shadow(self.painter, places, fine, self.light, self.ground)
        if dark is not None:
            dark.over(result)
        for age, source in reversed(list(enumerate(self._before(frame)))):
            ghost = self.painter.cel(*self._posed(source, source), fine, self.light)
            if ghost is not None:
                _tinted(ghost).over(result, 0.5 * (1.0 - age / (self.onion + 1.0)))
        cel = self.painter.cel(places, normals, fine, self.light)
        if cel is not None:
            cel.over(result)

    def pictures(self) -> Generator[Pixels]:
        """Every picture in turn. While drawing and camera are held, the very same array comes again."""
        with closing(pictures_of((self,))) as drawn:
            yield from (picture for (picture,) in drawn)

    def starts(self) -> list[int]:
        """The frames at which something new is on show."""
        return np.flatnonzero(np.append(True, np.diff(self.sheet.source) != 0) | self._moved()).tolist()

    def drawn(self, frames: list[int], paper: Pixels | None) -> list[Pixels]:
        """The pictures at `frames`, whose skin is posed at once, which is quicker than one by one."""
        posed = zip(*self._skinned(self.sheet.source[frames].tolist(), frames), strict=True)
        return [self.picture(frame, paper=paper, posed=pose) for frame, pose in zip(frames, posed, strict=True)]

    def empty(self) -> Pixels | None:
        """The paper before anything is drawn on it; None if the camera moves over it."""
        if self.camera.frames is not None:
            return None
        return grounds.paper(view_of(self.camera, *self.size), self.ground)

    def _moved(self) -> NDArray[np.bool_]:
        """(F,) whether the camera stands elsewhere than in the frame before, or the face is another."""
        moved = np.zeros(len(self), dtype=bool) if self.face is None else self.face.changes()
        for way in (self.camera.position, self.camera.target, self.camera.up):
            if way.ndim == 2:
                moved[1:] |= (way[1:] != way[:-1]).any(axis=1)
        return moved

    def _posed(self, source: int, frame: int) -> tuple[Array, Array]:
        """The skin in the pose of `source` with the face of `frame`."""
        places, normals = self._skinned([source], [frame])
        return places[0], normals[0]

    def _skinned(self, sources: list[int], frames: list[int]) -> tuple[Numbers, Numbers]:
        poses = self.motion.taken(sources)
        if self.face is None:
            return self.skin.posed(poses)
        return self.skin.posed(self.face.put_on(poses, frames), self.face.at(frames))

    def _before(self, frame: int) -> list[int]:
        """The source frames of the drawings before the one at `frame`, the last one first."""
        runs = [run.source for run in self.sheet.runs() if run.start + run.length <= frame]
        return runs[::-1][: self.onion]


@dataclass(eq=False)
class _Desk:
    """Shots and their papers, which are made once."""

    shots: tuple[Shot, ...]
    papers: dict[int, Pixels | None] = field(default_factory=dict)

    def drawn(self, tasks: Sequence[Task]) -> list[Pixels]:
        found: dict[Task, Pixels] = {}
        for number, shot in enumerate(self.shots):
            frames = [frame for owner, frame in tasks if owner == number]
            if frames:
                if number not in self.papers:
                    self.papers[number] = shot.empty()
                drawn = shot.drawn(frames, self.papers[number])
                found |= {(number, frame): picture for frame, picture in zip(frames, drawn, strict=True)}
        return [found[task] for task in tasks]

    def shape(self, task: Task) -> tuple[int, int, int]:
        width, height = self.shots[task[0]].size
        return height, width, 3


def pictures_of(shots: Sequence[Shot]) -> Generator[tuple[Pixels, ...]]:
    """Every frame's pictures of `shots`, all as long as the first, side by side in turn; what is held is the very same array again."""
    starts = [set(shot.starts()) for shot in shots]
    frames = range(len(shots[0]))
    tasks = [(number, frame) for frame in frames for number, some in enumerate(starts) if frame in some]
    shown: list[Pixels] = [np.empty(0, dtype=np.uint8)] * len(shots)
    with closing(drawers.drawn(_Desk(tuple(shots)), tasks)) as drawings:
        for frame in frames:
            for number, some in enumerate(starts):
                if frame in some:
                    shown[number] = next(drawings)
            yield tuple(shown)


def shot_of(
    motion: Motion,
    character: Character | None = None,
    *,
    camera: str | Camera = "three-quarter",
    style: str = "toon",
    size: tuple[int, int] = (640, 360),
    onion: int = 0,
    face: bool = False,
    blinks: bool = True,
    ground: float | None = None,
) -> Shot:
    """`motion` made ready for drawing, on a `character` whose skeleton it is, or on a body made of its bones.

    `camera` is one of CAMERAS, which show the whole action and follow a body that travels far, or a camera of your own; `onion` drawings before the present one
    shine through. `ground` is the height of the floor in metres, found from the body if not given. With `face` the eyes lead the head's turns, and blink unless `blinks` is off (`komadori.render.face`).
    """
    if not len(motion):
        raise OptionError("motion", problem=Note("the motion has no frames"))
    if not all(SMALLEST <= length <= LARGEST for length in size):
        raise OptionError(
            "size",
            expected=Note("{low} to {high} pixels in width and height", low=SMALLEST, high=LARGEST),
            found=unquoted(f"{size[0]}x{size[1]}"),
        )
    if not 0 <= onion <= MOST_GHOSTS:
        raise OptionError("onion", expected=Note("0 to {most} drawings", most=MOST_GHOSTS), found=onion)
    character = stand_in(motion.skeleton) if character is None else character
    painter, skin = _ready(character, style)
    take = take_of(motion, character, style)
    places = take.places(np.unique(np.linspace(0, len(motion) - 1, SAMPLED).round().astype(int)))
    if not np.isfinite(places).all():
        raise OptionError(
            "motion",
            expected=Note("finite numbers"),
            found=Note("NaN or infinity"),
            advice=Note("motion.prepared() repairs them"),
        )
    if ground is None:
        ground = grounds.height_of(places, grounds.hanging(character)[_some(painter)])
    seen_by = framed([take], camera, size) if isinstance(camera, str) else camera
    if seen_by.frames not in (None, len(motion)):
        raise OptionError(
            "camera",
            expected=Note("as many frames as the motion has ({count})", count=len(motion)),
            found=seen_by.frames,
        )
    sheet = drawings_of(motion)
    acting = acted(motion, character, blinks=blinks) if face else None
    return Shot(
        motion, sheet, skin, painter, seen_by, size, ground, toon.light_of(seen_by), int(onion), acting
    )  # fmt: skip


def take_of(motion: Motion, character: Character | None, style: str, path_frames: Frames | None = None) -> Take:
    """`motion` on its body as `framed` looks at it, by about 1,500 points of the skin."""
    painter, skin = _ready(stand_in(motion.skeleton) if character is None else character, style)
    few = _some(painter)
    return Take(
        motion,
        lambda frames: skin.places_of(motion.taken(frames), few),
        np.arange(len(motion)) if path_frames is None else path_frames,
    )


def _some(painter: Painter) -> NDArray[np.int64]:
    """About 1,500 points of a skin: enough to tell where it is."""
    used = np.unique(painter.triangles)
    return np.asarray(used[:: max(1, len(used) // 1500)])


def _ready(character: Character, style: str) -> tuple[Painter, Skin]:
    """A character made ready for drawing in a style: once, for films, posters and reports are made of several shots."""
    # Stored on the character and freed with it: elsewhere the skin, which references its character, would keep both alive forever.
    painters: dict[str, Painter] = vars(character).setdefault("_painters", {})
    if style not in painters:
        painters[style] = toon.painter_of(character, style)
    return painters[style], skin_of(character)


def drawings_of(motion: Motion) -> Timesheet:
    """Which frame of `motion` each of its frames looks like: the first one with the same pose."""
    turned = np.where(motion.rotations[..., 3:] < 0.0, -motion.rotations, motion.rotations)
    numbers = np.concatenate([turned.reshape(len(motion), -1), motion.positions.reshape(len(motion), -1)], axis=1)
    first: dict[bytes, int] = {}
    # Writing to a file and reading back leaves differences below a micrometre; adding 0 turns -0 into 0.
    rows = np.round(numbers, 6) + 0.0
    return Timesheet(
        motion.fps, np.array([first.setdefault(row.tobytes(), n) for n, row in enumerate(rows)], dtype=int)
    )


def _tinted(cel: Cel) -> Cel:
    pixels = np.array(cel.pixels)
    pixels[..., :3] = (0.35 * pixels[..., :3] + 0.65 * GHOST * (pixels[..., 3:] / 255.0)).astype(np.uint8)
    return Cel(cel.left, cel.top, pixels)
