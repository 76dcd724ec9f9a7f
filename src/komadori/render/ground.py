"""The ground: the empty picture with its faint lines, and the shadow that a pose casts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.render import raster
from komadori.render.cel import FINER, Cel, even, packed, reduced
from komadori.render.raster import Rows, View, Whole
from komadori.render.textures import Pixels

PAPER = (233, 238, 242)
GRID = (208, 216, 224)
SHADOW = (170, 181, 196)
LINE_PX = 1.2
"""Half the width of a line on the ground, with its soft edge, in pixels of a picture up to 720 high."""
CROWDED = 8.0
"""Lines fade where a metre has fewer pixels than this."""


def paper(view: View, ground: float) -> Pixels:
    """(H, W, 3) the empty picture: flat paper, and on the ground a faint line at every metre."""
    result = np.empty((view.height, view.width, 3), dtype=np.uint8)
    result[:] = np.array(PAPER, dtype=np.uint8)
    # Where the ray of a pixel meets the ground: everything is even in px and py but for one division.
    to_right, to_up = view.axes[0] / view.focal, -view.axes[1] / view.focal
    start = -view.axes[2] - 0.5 * view.width * to_right - 0.5 * view.height * to_up
    px = np.arange(0.5, view.width, dtype=np.float32)
    py = np.arange(0.5, view.height, dtype=np.float32)[:, None]
    drop = float(view.position[1] - ground)
    if abs(drop) < 1e-6:
        return result
    fall = (start[1] + to_up[1] * py + to_right[1] * px).astype(np.float32)
    # What lies farther than lines can be told apart, or above the horizon, stays paper.
    seen = np.flatnonzero((fall * np.float32(-drop) > drop * drop / (view.focal * 100.0)).any(axis=1))
    if not len(seen):
        return result
    low, high = int(seen[0]), int(seen[-1]) + 1
    fall, py = fall[low:high], py[low:high]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.where(fall * np.float32(drop) < 0.0, np.float32(-drop) / fall, np.float32(np.inf))
        cover = np.zeros(fall.shape, dtype=np.float32)
        thick = LINE_PX * max(1.0, view.height / 720.0)
        for axis in (0, 2):
            way = (start[axis] + to_up[axis] * py + to_right[axis] * px).astype(np.float32)
            place = np.float32(view.position[axis]) + far * way
            # How much of a metre a pixel spans there: lines keep their width and fade where they would crowd.
            aside = np.float32(to_right[axis]) * fall - way * np.float32(to_right[1])
            along = np.float32(to_up[axis]) * fall - way * np.float32(to_up[1])
            span = np.sqrt(aside * aside + along * along) * np.abs(far / fall)
            away = np.abs(place - np.rint(place)) / span
            cover = np.fmax(cover, np.clip(thick - away, 0.0, 1.0) * np.clip(1.0 - CROWDED * span, 0.0, 1.0))
    spots = np.flatnonzero(np.isfinite(cover) & (cover > 0.0))
    share = cover.reshape(-1)[spots, None]
    light, dark = np.array(PAPER, dtype=np.float32), np.array(GRID, dtype=np.float32)
    result[low:high].reshape(-1, 3)[spots] = (light + share * (dark - light) + 0.5).astype(np.uint8)
    return result


def shadow(
    triangles: Whole, two_sided: NDArray[np.bool_], vertices: Array, view: View, light: Array, ground: float
) -> Cel | None:
    """The shadow on the ground of `triangles` (3, T) of `vertices` (V, 3), for a `view` FINER times as large as the picture."""
    over = (vertices[:, 1:2] - ground) / max(float(light[1]), 0.5)
    fallen = np.array(vertices - np.maximum(over, 0.0) * light)
    fallen[:, 1] = ground
    corners = view.seen(fallen)[:, triangles]
    shown = (corners[2].min(axis=0) > 0.0) & ((raster.area_of(corners) < 0.0) | two_sided)
    rows = raster.rows_of(corners[:, :, np.flatnonzero(shown)], view.width, view.height)
    if not len(rows.y):
        return None
    top, bottom = even(int(rows.y.min()), int(rows.y.max()) + 1, view.height)
    left, right = even(int(rows.left.min()), int(rows.right.max()), view.width)
    rows = Rows(rows.triangle, rows.y - top, rows.left - left, rows.right - left)
    dark = raster.covered(rows, right - left, bottom - top)
    fine = np.where(dark, packed(np.array(SHADOW) / 255.0), np.uint32(0)).astype(np.uint32)
    return Cel(left // FINER, top // FINER, reduced(fine))
