"""Pictures: drawings a second of the built-in girl, beside two usual ways without OpenGL, and what films take."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
from PIL import Image, ImageDraw

from bench.tables import Table, spoken, together
from komadori import fast
from komadori.characters import character, sample
from komadori.methods.retarget import retarget
from komadori.render import film, raster
from komadori.render.raster import View
from komadori.render.shot import Shot, shot_of
from komadori.render.toon import FINER, Painter

FRAMES = 24
WANTED_FPS = {(1920, 1080): 24.0}
"""Pictures per second with NumPy alone."""
WANTED_FAST = {(640, 360): 150.0, (1920, 1080): 48.0}
"""With the `fast` extra."""
SIZES = ((640, 360), (1280, 720), (1920, 1080))


def tables() -> list[Table]:
    return [_drawing(), _films()]


def shot_at(size: tuple[int, int]) -> Shot:
    girl = character("girl")
    pitch = retarget(sample("pitch"), girl).motion
    return shot_of(pitch[48 : 48 + FRAMES], girl, size=size)


def corners_of(shot: Shot, view: View) -> np.ndarray:
    """The triangles that face the eye, as both peers get them."""
    places = shot.skin.posed(shot.motion.pose(12))[0][0]
    corners = view.seen(np.asarray(places, dtype=np.float64))[:, shot.painter.triangles]
    return np.asarray(corners[:, :, raster.area_of(corners) < 0.0])


def by_polygons(corners: np.ndarray, view: View) -> Image.Image:
    """Pillow's polygons from far to near: one tone a triangle, no lines, no shadow."""
    large = Image.new("RGB", (view.width, view.height))
    pen = ImageDraw.Draw(large)
    order = np.argsort(corners[2].mean(axis=0))
    for points in corners[:2].transpose(2, 1, 0)[order].reshape(-1, 6).tolist():
        pen.polygon(points, fill=(200, 120, 60))
    return large.reduce(FINER)


def _by_boxes(corners: np.ndarray, view: View) -> np.ndarray:
    """NumPy over every pixel of every triangle's box, the nearest by sorting: the nearest triangle alone, no colours."""
    low = np.maximum(np.floor(corners[:2].min(axis=1)), 0).astype(int)
    high = np.minimum(np.ceil(corners[:2].max(axis=1)).T, [view.width, view.height]).T.astype(int)
    wide, tall = np.maximum(high - low, 0)
    count = wide * tall
    owner = np.repeat(np.arange(len(count)), count)
    nth = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    x, y = low[0, owner] + nth % wide[owner], low[1, owner] + nth // wide[owner]
    (x0, x1, x2), (y0, y1, y2) = corners[:2, :, owner]
    u = (x1 - x - 0.5) * (y2 - y - 0.5) - (x2 - x - 0.5) * (y1 - y - 0.5)
    v = (x2 - x - 0.5) * (y0 - y - 0.5) - (x0 - x - 0.5) * (y2 - y - 0.5)
    w = (x0 - x - 0.5) * (y1 - y - 0.5) - (x1 - x - 0.5) * (y0 - y - 0.5)
    inside = (u <= 0.0) & (v <= 0.0) & (w <= 0.0)
    owner, spot = owner[inside], (y * view.width + x)[inside]
    depth = corners[2].mean(axis=0)[owner]
    order = np.lexsort((depth, spot))
    return np.asarray(owner[order[np.append(np.diff(spot[order]) > 0, True)]])


def _worked(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of processor time, the least of a few."""
    least = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        work()
        least = min(least, time.process_time() - begin)
    return least


def _compiled(shot: Shot) -> tuple[float | None, str]:
    """Seconds a picture with compiled loops, and the processor time of one; None if they cannot be had."""
    if find_spec("numba") is None:
        return None, ""
    was = fast.enabled()
    fast.enable()
    try:
        shot.picture(12)
        whole = together({"": lambda: sum(1 for _ in shot.pictures())}, repeats=3)[""]
        return whole / FRAMES, spoken(_worked(partial(shot.picture, 12)))
    finally:
        fast.enable(was)


def _drawing() -> Table:
    rows, failed = [], []
    for size in SIZES:
        shot = shot_at(size)
        painter: Painter = shot.painter
        view = raster.view_of(shot.camera, FINER * size[0], FINER * size[1])
        corners = corners_of(shot, view)
        times = together(
            {
                "boxes": lambda c=corners, v=view: _by_boxes(c, v),  # type: ignore[misc]
                "polygons": lambda c=corners, v=view: by_polygons(c, v),  # type: ignore[misc]
                "komadori": lambda s=shot: sum(1 for _ in s.pictures()),  # type: ignore[misc]
            },
            repeats=3,
        )
        times["komadori"] /= FRAMES
        work = [spoken(_worked(partial(by_polygons, corners, view))), spoken(_worked(partial(shot.picture, 12)))]
        compiled, compiled_work = _compiled(shot)
        speeds = [f"{1.0 / times[name]:.0f}" for name in ("boxes", "polygons", "komadori")]
        named = f"{size[0]} x {size[1]}"
        shown = ("numba is not installed", "") if compiled is None else (f"{1.0 / compiled:.0f}", compiled_work)
        rows.append((named, f"{painter.triangles.shape[1]:,}", *speeds, shown[0], *work, shown[1]))
        for wanted, seconds, how in (
            (WANTED_FPS.get(size), times["komadori"], "NumPy"),
            (WANTED_FAST.get(size), compiled, "the fast extra"),
        ):
            if wanted is not None and seconds is not None and 1.0 / seconds < wanted:
                failed.append(f"{named} at {1.0 / seconds:.0f} pictures per second with {how}, {wanted:g} wanted")
    columns = (
        "picture",
        "triangles",
        "boxes in NumPy, no colours",
        "Pillow polygons, one tone, no lines",
        "komadori",
        "with the fast extra",
        "processor time of Pillow's",
        "of komadori's, alone and with its ground",
        "of the fast extra's",
    )
    about = (
        "Pictures per second of the built-in girl pitching, every one a new drawing, all with four samples a pixel. "
        "komadori's with skinning, depth, two tones, ink, shadow and ground, on both cores. Processor time is that of a single "
        "picture in one thread: it depends less on what else the machine does."
    )
    return Table("Drawing", columns, tuple(rows), about, tuple(failed))


def _films() -> Table:
    rows = []
    for size in SIZES[:1] + SIZES[2:]:
        pictures = list(shot_at(size).pictures())
        works = {
            "MP4 (H.264)": lambda p=pictures: film.video(p, 24.0),
            "WebM (VP9)": lambda p=pictures: film.video(p, 24.0, "webm"),
            "GIF": lambda p=pictures: film.gif(p, 24.0),
        }
        for name, seconds in together(works, repeats=2).items():
            data = len(works[name]())
            rows.append((f"{size[0]} x {size[1]}", name, spoken(seconds / FRAMES), f"{data / FRAMES / 1024:.0f} KB"))
    about = "Writing alone, after drawing; every picture a new drawing."
    return Table("Films", ("picture", "file", "a picture", "size of one"), tuple(rows), about)
