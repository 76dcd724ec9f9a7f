"""Ink: lines where a drawing's depth has a step, round, as wide as the material wants, on what lies behind."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.character import Material
from komadori.quat import Array
from komadori.render import raster
from komadori.render.raster import Keys, Planes, View, Whole

FOLD, BORDER = 0.014, 0.0012
"""A step in depth, over the body's height, that is inked: within one material, and where another one begins."""
LINE_OF_HEIGHT = 1.0 / 440.0
"""Width of a usual line over the picture's height."""
THINNEST, THICKEST = 0.55, 1.7
"""How far a material's own width may lead away from the usual one: lines of one hand."""
SUDDEN = np.float32(1.5)
"""How much more a step must change than what is beside it."""
FOLDED = 0.5
"""Width of a line along a fold, over that of one around the body."""


@dataclass(frozen=True, eq=False)
class Pen:
    """How each of M materials is inked: packed `colours` (M,), `widths` (M,) over the usual one, and whether it has a
    line of its own where it borders on another, `outlined` (M,)."""

    colours: NDArray[np.uint32]
    widths: Array
    outlined: NDArray[np.bool_]
    height_m: float


def widths_of(materials: tuple[Material, ...]) -> Array:
    """(M,) each material's line over the usual one, which is the middle of what the materials ask for.

    A width in metres would vanish in a far shot and swell in a near one: only what is wider than what is kept.
    """
    asked = np.array([material.outline_m if material.outline is not None else 0.0 for material in materials])
    if not (asked > 0.0).any():
        return np.ones(len(asked))
    usual = float(np.median(asked[asked > 0.0]))
    return np.where(asked > 0.0, np.clip(asked / usual, THINNEST, THICKEST), 1.0)


def reach_of(pen: Pen, view: View) -> float:
    """Radius of the widest line in pixels of `view`."""
    return float(pen.widths.max()) * _radius(view)


def drawn(keys: Keys, near: Planes, materials: Whole, pen: Pen, view: View, flat: NDArray[np.uint32]) -> None:
    """Ink the steps in depth of `keys` (h, w), a part of `view`, into the packed colours `flat` (h * w,), which are changed.

    `near` and `materials` (T,) are those of the triangles that `keys` names. A line lies on what is behind the step: thin
    shapes stay as thin as they are. Around the body and its materials it has its full width, along folds half of it.
    """
    fronts, ways = _steps(keys, near, materials, pen, view)
    if not len(fronts):
        return
    every = keys.reshape(-1)
    # The nearest last: where dots meet, the one in front stays.
    order = np.argsort(every[fronts], kind="stable")
    fronts, ways = fronts[order], ways[order]
    front = materials[raster.numbers_of(every[fronts])]
    folds = materials[raster.numbers_of(every[fronts + ways])] == front
    folds &= every[fronts + ways] != 0
    wanted = pen.widths[front] * np.where(folds, FOLDED, 1.0) * _radius(view)
    radii = np.maximum(1.0, np.round(2.0 * wanted) / 2.0)
    ranks = np.arange(1, len(fronts) + 1, dtype=np.int32)
    foremost = np.zeros(keys.size, dtype=np.int32)
    for radius in np.unique(radii).tolist():
        some = np.flatnonzero(radii == radius)
        spots = _half_discs(fronts[some], ways[some], radius, keys.shape)
        foremost[spots] = np.maximum(foremost[spots], ranks[some, None])
    there = np.flatnonzero(foremost)
    mine = foremost[there] - 1
    own, ahead = every[there], every[fronts[mine]]
    same = (own != 0) & (materials[raster.numbers_of(own)] == front[mine])
    least = np.where(folds[mine], 0.5 * FOLD, 0.5 * BORDER) * pen.height_m
    good = (same == folds[mine]) & (raster.depth_of(own) - raster.depth_of(ahead) > least)
    flat[there[good]] = pen.colours[front[mine[good]]]


def _radius(view: View) -> float:
    return max(2.0, LINE_OF_HEIGHT * view.height)


def _steps(keys: Keys, near: Planes, materials: Whole, pen: Pen, view: View) -> tuple[Whole, Whole]:
    """Pixels from which on a line begins, and the way from each to its neighbour behind: 1, -1, or a row down or up."""
    width = keys.shape[1]
    every = keys.reshape(-1)
    nearness = raster.nearness_of(keys)
    # Where all is glass nothing is there: nearness is then infinite, and no step is large enough.
    farthest = 1.0 / float(np.min(nearness, where=nearness > 0.0, initial=np.inf))
    # A step in depth is one in nearness over the product of both: smallest where things are farthest.
    least = np.float32(0.5 * BORDER * pen.height_m / max(farthest * farthest, 1e-12))
    fronts, ways = [], []
    for axis, way in ((1, 1), (0, width)):
        spots = np.flatnonzero(_sudden(nearness, axis, least))
        ahead = every[spots] > every[spots + way]
        fronts.append(np.where(ahead, spots, spots + way))
        ways.append(np.where(ahead, way, -way))
    front, ways_ = np.concatenate(fronts), np.concatenate(ways)
    inside = every[front + ways_] != 0
    kept = ~inside
    kept[inside] = _apart(every, front[inside], (front + ways_)[inside], width, near, materials, pen, view)
    return front[kept], ways_[kept]


def _sudden(nearness: NDArray[np.float32], axis: int, least: np.float32) -> NDArray[np.bool_]:
    """(h, w) where the next pixel along `axis` is farther or nearer by `least`, and more so than on one of both sides:
    a quick first choice that leaves out what is merely steep."""
    size = np.zeros_like(nearness)
    along = size if axis else size.T
    image = nearness if axis else nearness.T
    np.subtract(image[:, 1:], image[:, :-1], out=along[:, :-1])
    np.abs(along, out=along)
    result = size > least
    beside = result if axis else result.T
    beside[:, 1:-1] &= along[:, 1:-1] > SUDDEN * np.minimum(along[:, :-2], along[:, 2:])
    return result


def _apart(
    every: Keys, front: Whole, behind: Whole, width: int, near: Planes, materials: Whole, pen: Pen, view: View
) -> NDArray[np.bool_]:
    """Whether two surfaces that meet in the picture are apart in depth; a steep surface goes on, it does not step."""
    one, two = raster.numbers_of(every[front]), raster.numbers_of(every[behind])
    same = materials[one] == materials[two]
    least = np.where(~same & pen.outlined[materials[one]], BORDER, FOLD) * pen.height_m
    ahead, here = raster.depth_of(every[front]), raster.depth_of(every[behind])
    result = here - ahead > least
    some = np.flatnonzero(result)
    one, two, front, behind = (values[some] for values in (one, two, front, behind))
    ahead, here = ahead[some], here[some]
    # What each surface would be like at the other's pixel.
    onward = near.at(one, *raster.centres(behind % width, behind // width))
    back = near.at(two, *raster.centres(front % width, front // width))
    onward, back = (1.0 / np.maximum(values, 1e-9) for values in (onward, back))
    step = np.minimum(np.abs(here - onward), np.abs(back - ahead))
    # In a small picture a pixel spans more than that: a bend between two pixels is no step.
    result[some] = step > np.maximum(least[some], here / view.focal)
    return np.asarray(result)


def _half_discs(spots: Whole, ways: Whole, radius: float, shape: tuple[int, ...]) -> Whole:
    """(n, k) the pixels around each of `spots` (n,) on the side of its way; itself where one would lie outside the picture."""
    height, width = shape
    reach = math.floor(radius)
    dy, dx = (part.reshape(-1) for part in np.mgrid[-reach : reach + 1, 1 : reach + 1])
    there = dx * dx + dy * dy <= radius * radius
    dx, dy = dx[there], dy[there]
    # The same half of a disc turned to the right, to the left, down and up.
    columns, rows = np.stack([dx, -dx, dy, dy]), np.stack([dy, dy, dx, -dx])
    turn = np.where(np.abs(ways) == 1, 0, 2) + (ways < 0)
    result = spots[:, None] + (rows * width + columns)[turn]
    x, y = spots % width, spots // width
    rim = np.flatnonzero((x < reach) | (x >= width - reach) | (y < reach) | (y >= height - reach))
    px, py = x[rim, None] + columns[turn[rim]], y[rim, None] + rows[turn[rim]]
    result[rim] = np.where((px >= 0) & (px < width) & (py >= 0) & (py < height), result[rim], spots[rim, None])
    return np.asarray(result)
