"""Ink: lines where a drawing's depth has a step, round, as wide as the material wants, on what lies behind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import fast
from komadori.character import Material
from komadori.quat import Array
from komadori.render import loops, raster
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


Kinds = NDArray[np.uint16]
"""(h, w) the material at each pixel, counted from 1; 0 if nothing is. Compiled loops need none."""
_PLACES = 20
"""Bits for the number of a step beside its nearness: both are sorted as one number, which is quicker than an order of the first."""


@dataclass(frozen=True, eq=False)
class Pen:
    """How each of M materials is inked: packed `colours` (M,), `widths` (M,) over the usual one, and whether it has its
    own line where it borders on another, `outlined` (M,)."""

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


def drawn(
    keys: Keys,
    kinds: Kinds,
    near: Planes,
    materials: Whole,
    farthest: float,
    pen: Pen,
    view: View,
    flat: NDArray[np.uint32],
) -> None:
    """Ink the steps in depth of `keys` (h, w), a part of `view`, into the packed colours `flat` (h * w,), which are changed.

    `near` and `materials` (T,) are those of the triangles that `keys` names, none of which is `farthest` metres away or
    more. A line lies on what is behind the step: thin shapes stay as thin as they are. Around the body and its materials
    it has its full width, along folds half of it.
    """
    fronts, ways = _steps(keys, kinds, near, materials, farthest, pen, view)
    if not len(fronts):
        return
    every = keys.reshape(-1)
    loop = fast.compiled(loops.dotted)
    if loop is None:
        # The nearest last: where dots meet, the one in front stays.
        order = _far_to_near(raster.steps_of(every.take(fronts)))
        fronts, ways = fronts.take(order), ways.take(order)
    front = materials.take(raster.numbers_of(every.take(fronts)))
    behind = every.take(fronts + ways)
    folds = materials.take(raster.numbers_of(behind), mode="wrap") == front
    folds &= behind != 0
    wanted = pen.widths.take(front) * np.where(folds, FOLDED, 1.0) * _radius(view)
    radii = np.maximum(1.0, np.round(2.0 * wanted) / 2.0)
    if loop is not None:
        least_fold, least_border = 0.5 * FOLD * pen.height_m, 0.5 * BORDER * pen.height_m
        foremost = raster.scratch("dots", (keys.size,), np.int32)
        lines = (fronts, ways, front, folds, radii, materials, raster.STEPS, least_fold, least_border)
        loop(keys, *lines, pen.colours, foremost, flat)
        return
    ranks = np.arange(1, len(fronts) + 1, dtype=np.int32)
    foremost = raster.blank("foremost", (keys.size,), np.int32)
    dots = []
    for radius in np.unique(radii).tolist():
        some = np.flatnonzero(radii == radius)
        spots = _half_discs(fronts.take(some), ways.take(some), radius, keys.shape)
        rank = np.repeat(ranks.take(some), spots.shape[1])
        np.maximum.at(foremost, spots.reshape(-1), rank)
        dots.append((spots.reshape(-1), rank))
    theirs = [spots.take(np.flatnonzero(foremost.take(spots) == rank)) for spots, rank in dots]
    there = np.concatenate(theirs)
    mine = foremost.take(there) - 1
    own, ahead, fold = every.take(there), every.take(fronts.take(mine)), folds.take(mine)
    same = (own != 0) & (materials.take(raster.numbers_of(own), mode="wrap") == front.take(mine))
    least = np.where(fold, 0.5 * FOLD, 0.5 * BORDER) * pen.height_m
    good = (same == fold) & (raster.depth_of(own) - raster.depth_of(ahead) > least)
    flat[there[good]] = pen.colours.take(front.take(mine[good]))


def _far_to_near(steps: Whole) -> Whole:
    """The order of `steps` (n,), the least first; of equal ones the first first."""
    if len(steps) >= 1 << _PLACES:
        return np.argsort(steps, kind="stable")
    both = steps << _PLACES
    both |= np.arange(len(steps))
    both.sort()
    both &= (1 << _PLACES) - 1
    return both


def _radius(view: View) -> float:
    return max(2.0, LINE_OF_HEIGHT * view.height)


def _steps(
    keys: Keys, kinds: Kinds, near: Planes, materials: Whole, farthest: float, pen: Pen, view: View
) -> tuple[Whole, Whole]:
    """Pixels from which on a line begins, and the way from each to its neighbour behind: 1, -1, or a row down or up."""
    height, width = keys.shape
    every = keys.reshape(-1)
    # A step in depth is one in nearness over the product of both: smallest where things are farthest.
    # Half of it, for depths are not exact here.
    least, least_fold = (
        np.float32(0.5 * part * pen.height_m / max(farthest * farthest, 1e-12)) for part in (BORDER, FOLD)
    )
    loop = fast.compiled(loops.stepped)
    if loop is not None:
        found = raster.scratch("found", (2, 2 * keys.size + 1), np.int64)
        planes = (near.x, near.y, near.start, materials, pen.outlined)
        limits = (BORDER * pen.height_m, FOLD * pen.height_m, view.focal)
        loop(keys, least, SUDDEN, raster.NEARNESS, raster.STEPS, *planes, *limits, found)
        return np.array(found[0, : found[0, -1]]), np.array(found[1, : found[0, -1]])
    # Those along rows before those along columns, however many rows are looked at together: where two begin at one pixel,
    # the later one's line is drawn.
    fronts: dict[int, list[Whole]] = {1: [], width: []}
    ways: dict[int, list[Whole]] = {1: [], width: []}
    for rows in raster.bands_of(height, width):
        nearness, kind = _rimmed(keys, rows, np.float32), _rimmed(kinds, rows, np.uint16)
        for way, stride in ((1, 1), (width, width + 2)):
            spots = _sudden(nearness, kind, stride, (least / raster.NEARNESS, least_fold / raster.NEARNESS))
            x, y = raster.places_of(spots, width + 2, slice(rows.start - 1, rows.stop + 2))
            spots = (y * width + x)[x < width]
            ahead = every.take(spots) > every.take(spots + way)
            fronts[way].append(np.where(ahead, spots, spots + way))
            ways[way].append(np.where(ahead, way, -way))
    front, ways_ = (np.concatenate([*parts[1], *parts[width]]) for parts in (fronts, ways))
    inside = every.take(front + ways_) != 0
    kept = ~inside
    kept[inside] = _apart(every, front[inside], (front + ways_)[inside], width, near, materials, pen, view)
    return front[kept], ways_[kept]


def _rimmed(picture: NDArray[Any], rows: slice, dtype: type) -> NDArray[Any]:
    """(n + 3, w + 2) some rows of a picture, one above and two below, each pixel at a side twice.

    Beyond the sides nothing changes: no step leads there, and none is the smaller for it. The last two of a row are its last
    pixel and the first one of the next row.
    """
    height, width = picture.shape
    first, last = max(rows.start - 1, 0), min(rows.stop + 2, height)
    result = np.empty((rows.stop - rows.start + 3, width + 2), dtype=dtype)
    above = first - (rows.start - 1)
    inner = result[above : above + last - first]
    inner[:, :width] = picture[first:last]
    result[:above], result[above + len(inner) :] = inner[0], inner[-1]
    result[:, width] = result[:, width - 1]
    result[:-1, width + 1] = result[1:, 0]
    result[-1, width + 1] = 0
    return result


def _sudden(nearness: NDArray[np.float32], kinds: Kinds, stride: int, limits: tuple[np.float32, np.float32]) -> Whole:
    """Pixels of `nearness` with its rim, counted through all rows, whose neighbour `stride` further is farther or nearer by the
    first of `limits`, or by the second where both are of one kind, and more so than on one of both sides: a quick first
    choice that leaves out what is merely steep. A key is nearness too, in steps so small that its number is lost."""
    row = nearness.shape[1]
    inner = slice(row, (len(nearness) - 2) * row)
    flat, kind = nearness.reshape(-1), kinds.reshape(-1)
    size = flat[stride:] - flat[:-stride]
    np.abs(size, out=size)
    chosen = size[inner] > limits[0]
    chosen &= kind[stride:][inner] != kind[:-stride][inner]
    chosen |= size[inner] > limits[1]
    spots = np.flatnonzero(chosen)
    spots += row
    beside = np.minimum(size.take(spots - stride), size.take(spots + stride))
    return np.asarray(spots[size.take(spots) > SUDDEN * beside])


def _apart(
    every: Keys, front: Whole, behind: Whole, width: int, near: Planes, materials: Whole, pen: Pen, view: View
) -> NDArray[np.bool_]:
    """Whether two surfaces that meet in the picture are apart in depth; a steep surface continues, it does not step."""
    one, two = raster.numbers_of(every.take(front)), raster.numbers_of(every.take(behind))
    same = materials.take(one) == materials.take(two)
    least = np.where(~same & pen.outlined[materials[one]], BORDER, FOLD) * pen.height_m
    ahead, here = raster.depth_of(every.take(front)), raster.depth_of(every.take(behind))
    result = here - ahead > least
    some = np.flatnonzero(result)
    one, two, front, behind = (values[some] for values in (one, two, front, behind))
    ahead, here = ahead[some], here[some]
    # What each surface would be like at the other's pixel.
    onward = near.at(one, *raster.centres(behind % width, behind // width))
    back = near.at(two, *raster.centres(front % width, front // width))
    onward, back = (1.0 / np.maximum(values, 1e-9) for values in (onward, back))
    step = np.minimum(np.abs(here - onward), np.abs(back - ahead))
    # In a small picture a pixel spans more than that: a bend between two pixels is not a step.
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
