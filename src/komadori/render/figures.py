"""Figures: poses of a motion side by side in one picture, and motions side by side in a moving one."""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, cast

import numpy as np

from komadori.errors import OptionError
from komadori.files import write_bytes
from komadori.flesh import HEAD, THICKEST
from komadori.motion import Motion
from komadori.quat import Array
from komadori.render.body import Body, Camera, body_of, camera_of, drawn
from komadori.render.drawing import WHITE, Drawing, Item, Line, Rect, Text
from komadori.words import Note

if TYPE_CHECKING:
    from PIL import Image

GROUND, LABEL = "#b8c0c9", "#4a5460"
MOST_FIGURES = 200
MOST_PICTURES = 3000
COLOURS = 48
"""Colours of a GIF: the flat tones, and the blends along their edges."""


def strip(
    motion: Motion,
    frames: Sequence[int],
    *,
    height: float = 220.0,
    view: str = "three-quarter",
    labels: Sequence[str] | None = None,
) -> Drawing:
    """The poses at `frames` side by side, `height` points tall, standing on one ground line.

    Each figure is centred on its hips; how high it stands is kept. `labels` stand below (the frame numbers if not
    given; empty strings for none).
    """
    if not 1 <= len(frames) <= MOST_FIGURES:
        raise OptionError("frames", expected=Note("1 to {most} poses", most=MOST_FIGURES), found=len(frames))
    if labels is not None and len(labels) != len(frames):
        raise OptionError(
            "labels", expected=Note("one label per frame ({count} in total)", count=len(frames)), found=len(labels)
        )
    chosen = motion.taken([range(len(motion))[_checked(motion, frame)] for frame in frames])
    world = chosen.world_positions()
    # Seen as the clip begins: strips of other moments then share the camera.
    begins = motion.taken([0]).world_positions()[0]
    camera, body = camera_of(motion.skeleton, begins, view), body_of(motion.skeleton, _tallest(world))
    seen = camera.seen(world)
    seen[..., 0] -= seen[:, body.middle, None, 0]
    ground = float(seen[..., 1].min())
    seen[..., 1] -= ground
    margin = _margin(body)
    names = [str(frame) for frame in frames] if labels is None else list(labels)
    foot = 24.0 if any(names) else 8.0
    scale = (height - foot - 6.0) / (float(seen[..., 1].max()) + 2.2 * margin)
    edge = margin * scale + 6.0
    first = edge - float(seen[0, :, 0].min()) * scale
    centres = first + np.append(0.0, np.cumsum(_spacing(seen[..., 0], margin, scale)))
    width = float(centres[-1]) + float(seen[-1, :, 0].max()) * scale + edge
    floor = height - foot - margin * scale * 0.5
    items: list[Item] = [Rect(0, 0, width, height, fill=WHITE), _floor(width, floor + margin * scale * 0.5)]
    for pose, x, name in zip(seen, centres.tolist(), names, strict=True):
        items += drawn(body, motion.skeleton, pose, (x, floor), scale, _outline(height))
        if name:
            items.append(Text(x, height - 7.0, name, 12.0, LABEL, "middle"))
    return Drawing(width, height, tuple(items), "poses")


def motion_gif(
    motions: Sequence[Motion],
    path: str | PathLike[str],
    labels: Sequence[str] | None = None,
    *,
    height: float = 260.0,
    view: str = "three-quarter",
) -> None:
    """Writes `motions` side by side as a GIF that plays in time and loops; one camera and one scale for all."""
    write_bytes(path, gif(motions, labels, height=height, view=view))


def gif(
    motions: Sequence[Motion],
    labels: Sequence[str] | None = None,
    *,
    height: float = 260.0,
    view: str = "three-quarter",
) -> bytes:
    """`motions` side by side as a GIF file, `height` pixels tall. A clip that ends first stays on its last frame."""
    from komadori.render.png import MISSING, image

    try:
        from PIL.Image import Dither
    except ImportError:
        raise OptionError(MISSING) from None

    if not motions or any(not len(motion) for motion in motions):
        raise OptionError("motions", problem=Note("a motion has no frames"))
    if labels is not None and len(labels) != len(motions):
        raise OptionError(
            "labels", expected=Note("one label per motion ({count} in total)", count=len(motions)), found=len(labels)
        )
    worlds = [motion.world_positions() for motion in motions]
    camera = camera_of(motions[0].skeleton, worlds[0][0], view)
    panels = _panels(motions, worlds, camera, height, labels)
    # A GIF counts hundredths of a second, and players slow down below two.
    fps = min(50.0, max(motion.fps for motion in motions))
    count = max(1, math.ceil(max(motion.duration_s for motion in motions) * fps - 1e-6))
    if count > MOST_PICTURES:
        raise OptionError(
            "motions",
            expected=Note("at most {most:,} pictures", most=MOST_PICTURES),
            found=count,
            advice=Note("cut the motion"),
        )
    ends = np.round(100.0 * np.arange(1, count + 1) / fps).astype(int) * 10
    durations = np.diff(np.append(0, ends)).tolist()
    palette = _palette([image(panels.at(frame / fps), 1.0) for frame in range(0, count, max(1, count // 12))])
    # In its palette right away: as full colours, all pictures of a minute would take a gigabyte.
    shown = [image(panels.at(frame / fps), 1.0).quantize(palette=palette, dither=Dither.NONE) for frame in range(count)]
    file = io.BytesIO()
    # Pillow joins equal pictures and adds up their times: held drawings cost nothing.
    shown[0].save(file, "GIF", save_all=True, append_images=shown[1:], duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _palette(pictures: list[Image.Image]) -> Image.Image:
    """The colours that cover most of the pictures, exactly: averaging ones would turn white paper grey."""
    from PIL import Image

    counts: Counter[object] = Counter()
    for picture in pictures:
        counts.update({colour: n for n, colour in picture.getcolors(picture.width * picture.height) or ()})
    palette = Image.new("P", (1, 1))
    # Equally frequent colours in a fixed order: the same motions give the same file.
    chosen = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))[:COLOURS]
    palette.putpalette([level for colour, _ in chosen for level in cast("tuple[int, int, int]", colour)])
    return palette


class _Panels:
    """Motions seen by one camera, each in its own panel."""

    def __init__(self, motions: Sequence[Motion], seen: list[Array], bodies: list[Body], labels: Sequence[str]) -> None:
        self.motions, self.seen, self.bodies, self.labels = motions, seen, bodies, labels
        self.width = self.height = self.scale = self.left = self.floor = 0.0

    def at(self, time_s: float) -> Drawing:
        """What is on show at `time_s`."""
        total = self.width * len(self.motions)
        items: list[Item] = [Rect(0, 0, total, self.height, fill=WHITE)]
        for n, (motion, seen, body) in enumerate(zip(self.motions, self.seen, self.bodies, strict=True)):
            frame = min(len(motion) - 1, int(time_s * motion.fps + 1e-6))
            x = n * self.width
            ground = self.floor + body.radii.min() * self.scale
            items.append(Line(x + 8, ground, x + self.width - 8, ground, GROUND, 1.5))
            items += drawn(
                body, motion.skeleton, seen[frame], (x + self.left, self.floor), self.scale, _outline(self.height)
            )
            if self.labels:
                items.append(Text(x + self.width / 2, self.height - 8, self.labels[n], 13, LABEL, "middle"))
        return Drawing(total, self.height, tuple(items))


def _panels(
    motions: Sequence[Motion], worlds: list[Array], camera: Camera, height: float, labels: Sequence[str] | None
) -> _Panels:
    seen = [camera.seen(world) for world in worlds]
    bodies = [body_of(motion.skeleton, _tallest(world)) for motion, world in zip(motions, worlds, strict=True)]
    every = np.concatenate([part.reshape(-1, 3) for part in seen])
    low, high = every.min(axis=0), every.max(axis=0)
    margin = max(map(_margin, bodies))
    panels = _Panels(motions, [part - np.array([0.0, low[1], 0.0]) for part in seen], bodies, labels or ())
    foot = 26.0 if labels else 10.0
    reach = high[0] - low[0] + 2 * margin
    widest = 1.7 * height
    panels.height = height
    panels.scale = min((height - foot - 8.0) / (high[1] - low[1] + 2 * margin), (widest - 16.0) / reach)
    panels.width = float(math.ceil(reach * panels.scale + 16.0))
    panels.left = float(8.0 + (margin - low[0]) * panels.scale)
    panels.floor = height - foot - 4.0
    return panels


def _checked(motion: Motion, frame: int) -> int:
    motion.pose(frame)
    return frame


def _tallest(world: Array) -> Array:
    """The pose (J, 3) in which the body reaches farthest: bone lengths are the same in all, its extent is not."""
    return np.asarray(world[int(np.argmax(np.ptp(world, axis=1).max(axis=-1)))])


def _margin(body: Body) -> float:
    return max(HEAD, THICKEST) * body.height


def _outline(height: float) -> float:
    return max(0.8, height / 220.0)


def _floor(width: float, y: float) -> Line:
    return Line(4, y, width - 4, y, GROUND, 1.5)


def _spacing(across: Array, margin: float, scale: float) -> Array:
    """(n - 1,) points from each figure to the next: near enough to read as one action, far enough not to touch."""
    right, left = across.max(axis=1)[:-1], -across.min(axis=1)[1:]
    return np.asarray((right + left + 1.6 * margin) * scale)
