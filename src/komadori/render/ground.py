"""The ground: where a body stands, the empty picture with its faint lines, and the shadow that a pose casts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character
from komadori.quat import Array
from komadori.render import outline, raster
from komadori.render.cel import FINER, Cel, packed, part_of, reduced
from komadori.render.raster import View
from komadori.render.textures import Pixels

if TYPE_CHECKING:
    from komadori.render.toon import Painter

Single = NDArray[np.float32]

PAPER = (233, 238, 242)
GRID = (208, 216, 224)
SHADOW = (170, 181, 196)
LINE_PX = 1.2
"""Half the width of a line on the ground with its soft edge, in pixels."""
CROWDED = 8.0
"""Lines fade where a metre has fewer pixels than this."""


STANDING = 25.0
"""The ground is where this percentile of the frames has the body's lowest place: jumps and dips do not move it."""


def height_of(places: Array, hangs: NDArray[np.bool_]) -> float:
    """How high the ground is under a body whose skin goes through `places` (F, V, 3), metres.

    What `hangs` (V,) does not count: hair may fall lower than the body that lies on the ground.
    """
    body = places if hangs.all() else places[:, ~hangs]
    return float(np.percentile(body[..., 1].min(axis=1), STANDING))


def hanging(character: Character) -> NDArray[np.bool_]:
    """(V,) the vertices of all meshes that go with a chain: hair, ribbons, a skirt, a tail."""
    loose = np.zeros(len(character.skeleton), dtype=bool)
    for chain in character.chains():
        loose[list(chain.joints)] = True
    return np.concatenate([(mesh.weights * loose[mesh.joints]).sum(axis=1) > 0.5 for mesh in character.meshes])


def paper(view: View, ground: float) -> Pixels:
    """(H, W, 3) the empty picture: flat paper, and on the ground a faint line at every metre."""
    result = np.empty((view.height, view.width, 3), dtype=np.uint8)
    result[:] = np.array(PAPER, dtype=np.uint8)
    drop = float(view.position[1] - ground)
    # The path of a pixel's ray, on each axis of the world, is even in px and py.
    right, up = view.axes[0] / view.focal, -view.axes[1] / view.focal
    start = -view.axes[2] - 0.5 * view.width * right - 0.5 * view.height * up
    px, py = np.arange(0.5, view.width), np.arange(0.5, view.height)[:, None]
    # Where a pixel spans so much of the ground, lines would crowd: what is above the horizon has no ground at all.
    ends = start[1] + up[1] * py + right[1] * px[[0, -1]]
    low_enough = (-ends * np.sign(drop)).max(axis=1) > math.sqrt(abs(drop) * CROWDED / (4.0 * view.focal**2))
    if not low_enough.any():
        return result
    first, last = np.flatnonzero(low_enough)[[0, -1]].tolist()
    band = max(1, raster.TOGETHER // view.width)
    for top in range(first, last + 1, band):
        _lined(result[top : top + band], px, py[top : top + band], (right, up, start), view, drop)
    return result


def _lined(picture: Pixels, px: Array, py: Array, ways: tuple[Array, Array, Array], view: View, drop: float) -> None:
    """Draw the ground's lines into some rows of the picture, which are changed."""
    right, up, start = ways
    fall = (start[1] + up[1] * py + right[1] * px).astype(np.float32)
    cover = np.zeros(fall.size, dtype=np.float32)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.float32(-drop) / fall
        for axis in (0, 2):
            way = (start[axis] + up[axis] * py).astype(np.float32) + (right[axis] * px).astype(np.float32)
            place = far * way
            place += np.float32(view.position[axis])
            aside = np.abs(place - np.rint(place))
            # How much of a metre a pixel spans is greatest at an end of its row: most pixels need no closer look.
            widest = _spans(way[:, [0, -1]], fall[:, [0, -1]], right, up, axis, drop).max(axis=1, keepdims=True)
            near = np.flatnonzero((aside < LINE_PX * np.fmin(widest, 1.0)) & (far > 0.0))
            span = _spans(way.reshape(-1)[near], fall.reshape(-1)[near], right, up, axis, drop)
            # Lines keep their width, and fade where they would crowd.
            line = np.clip(LINE_PX - aside.reshape(-1)[near] / span, 0.0, 1.0) * np.clip(1.0 - CROWDED * span, 0.0, 1.0)
            cover[near] = np.maximum(cover[near], line)
    spots = np.flatnonzero(cover)
    light, dark = np.array(PAPER, dtype=np.float32), np.array(GRID, dtype=np.float32)
    mixed = light + cover[spots, None] * (dark - light) + np.float32(0.5)
    picture.reshape(-1, 3)[spots] = mixed.astype(np.uint8)


def _spans(way: Single, fall: Single, right: Array, up: Array, axis: int, drop: float) -> Single:
    """Metres along `axis` that a pixel spans on the ground, for rays that go `way` along it while they `fall`."""
    across = np.float32(right[axis]) * fall - way * np.float32(right[1])
    along = np.float32(up[axis]) * fall - way * np.float32(up[1])
    return np.asarray(np.hypot(across, along) * (np.float32(abs(drop)) / (fall * fall)))


def shadow(painter: Painter, vertices: Array, view: View, light: Array, ground: float) -> Cel | None:
    """The shadow on the ground of a skin with its `vertices` (V, 3), for a `view` FINER times as large as the picture."""
    over = (vertices[:, 1:2] - ground) / max(float(light[1]), 0.5)
    fallen = np.array(vertices - np.maximum(over, 0.0) * light)
    fallen[:, 1] = ground
    seen = view.seen(fallen)
    sides = outline.sides_of(seen, painter.triangles, painter.two_sided)
    start, end = (seen[:2].take(ends, axis=1) for ends in outline.ends_of(sides, painter.twins, painter.triangles))
    part = part_of(start, view)
    if part is None:
        return None
    left, top, width, height = part
    corner = np.array([left, top])[:, None]
    dark = outline.covered(start - corner, end - corner, width, height)
    fine = np.multiply(dark, packed(np.array(SHADOW) / 255.0), dtype=np.uint32)
    return Cel(left // FINER, top // FINER, reduced(fine))
