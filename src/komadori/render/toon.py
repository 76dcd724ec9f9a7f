"""Toon: a character's pose as an animator's drawing: flat tones, ink lines and a shadow on the ground."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.camera import Camera
from komadori.character import Character, Image, Material
from komadori.errors import FormatError, OptionError
from komadori.quat import Array
from komadori.render import raster
from komadori.render.raster import Keys, Planes, Rows, View, Whole

STYLES = ("toon", "line", "clay")
FINER = 2
"""Each pixel is the mean of this many squared."""
PAPER = (233, 238, 242)
GRID = (208, 216, 224)
SHADOW = (170, 181, 196)
INK = (0.16, 0.13, 0.17)
WHITE = (0.985, 0.985, 0.98)
BRIGHTNESS = np.array([0.3, 0.59, 0.11])
DIMMED = np.array([0.76, 0.74, 0.85])
"""What a colour is multiplied by in shadow where its file does not say."""
CLAY = np.array([0.90, 0.83, 0.78])
LIGHT = np.array([-0.45, 0.72, 0.53])
"""Where the light is, in the camera's right, up and back: above the left shoulder of who draws."""
TERMINATOR = 0.05
FOLD, BORDER = 0.014, 0.0018
"""A step in depth, over the body's height, that is inked: within one material, and where another one begins."""
LINE_OF_HEIGHT = 1.0 / 440.0
"""Width of a line over the picture's height."""

Pixels = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Cel:
    """A drawing on nothing: premultiplied `pixels` (h, w, 4) whose first one lies at `left`, `top` of the picture."""

    left: int
    top: int
    pixels: Pixels

    def over(self, picture: Pixels, strength: float = 1.0) -> None:
        """Lay it on `picture` (H, W, 3), which is changed."""
        height, width = self.pixels.shape[:2]
        below = picture[self.top : self.top + height, self.left : self.left + width]
        part = self.pixels.astype(np.uint16)
        if strength != 1.0:
            part = (part * strength).astype(np.uint16)
        below[:] = part[..., :3] + (below * (255 - part[..., 3:]) + 127) // 255


@dataclass(frozen=True, eq=False)
class Painter:
    """A character made ready for drawing in one style; make it with `painter_of` and draw often.

    `triangles` (3, T) of all meshes' vertices one after another, each with its material's number (T,); `uvs` (2, V).
    """

    triangles: Whole
    materials: Whole
    two_sided: NDArray[np.bool_]
    uvs: Array
    tones: NDArray[np.uint32]
    """(M, n) packed colours from shadow to light."""
    ink: NDArray[np.uint32]
    outlined: NDArray[np.bool_]
    """(M,) whether the material has a line of its own where it borders on another."""
    textures: dict[int, NDArray[np.uint32]]
    """Material -> its picture twice, (2, h, w) packed: in shadow and in light."""
    cut: NDArray[np.bool_]
    """(M,) whether the picture has holes."""
    height_m: float
    inked: bool

    def cel(self, vertices: Array, normals: Array, view: View, light: Array) -> Cel | None:
        """The drawing of a pose, for a `view` FINER times as large as the picture; None where nothing is seen.

        `vertices` and `normals` (V, 3) in the world; `light` (3,) points to the light.
        """
        corners = view.seen(vertices)[:, self.triangles]
        area = raster.area_of(corners)
        front = (corners[2].min(axis=0) > 0.0) & ((area < 0.0) | self.two_sided)
        chosen = np.flatnonzero(front)
        corners, materials = corners[:, :, chosen], self.materials[chosen]
        near = raster.planes_of(corners, corners[2])
        rows = raster.rows_of(corners, view.width, view.height)
        if not len(rows.y):
            return None
        line_px = max(FINER, round(LINE_OF_HEIGHT * view.height)) if self.inked else 0
        margin = line_px + FINER
        top, bottom = _even(int(rows.y.min()) - margin, int(rows.y.max()) + 1 + margin, view.height)
        left, right = _even(int(rows.left.min()) - margin, int(rows.right.max()) + margin, view.width)
        # Only the part of the picture where the body is: the rest need not be looked at again.
        rows = Rows(rows.triangle, rows.y - top, rows.left - left, rows.right - left)
        corners = corners - np.array([left, top, 0.0])[:, None, None]
        near = Planes(near.x, near.y, near.start + near.x * left + near.y * top)
        keys: Keys = np.zeros((bottom - top, right - left), dtype=np.int64)
        holed = self.cut[materials][rows.triangle]
        surface = _Surface(self, corners, chosen, near)
        raster.nearest(near, _some(rows, ~holed) if holed.any() else rows, keys)
        if holed.any():
            raster.nearest(near, surface.without_holes(_some(rows, holed)), keys)
        lit = (normals @ light)[self.triangles[:, chosen]]
        lit = np.where(area[chosen] > 0.0, -lit, lit)
        fine = self._coloured(keys, surface, materials, raster.planes_of(corners, lit), line_px)
        return Cel(left // FINER, top // FINER, _reduced(fine))

    def _coloured(self, keys: Keys, surface: _Surface, materials: Whole, lit: Planes, line_px: int) -> Pixels:
        """(h, w, 4) the colours of all pixels."""
        width = keys.shape[1]
        spots = np.flatnonzero(keys)
        numbers = raster.numbers_of(keys.reshape(-1)[spots])
        px, py = spots % width + 0.5, spots // width + 0.5
        light = lit.at(numbers, px, py)
        own = materials[numbers]
        count = self.tones.shape[1]
        if count == 2:
            tone = (light > TERMINATOR).astype(np.int64)
        else:
            tone = np.clip((0.5 * light + 0.5) * count, 0, count - 1).astype(np.int64)
        colours = self.tones.reshape(-1)[own * count + tone]
        for material, texture in self.textures.items():
            there = np.flatnonzero(own == material)
            if len(there):
                u, v = surface.texels(numbers[there], px[there], py[there], texture)
                colours[there] = texture[tone[there], v, u]
        flat = np.zeros(keys.size, dtype=np.uint32)
        flat[spots] = colours
        if line_px:
            self._ink(keys, materials, flat, line_px)
        return flat.view(np.uint8).reshape(*keys.shape, 4)

    def _ink(self, keys: Keys, materials: Whole, flat: NDArray[np.uint32], line_px: int) -> None:
        """Lines on what lies just behind a step in depth: they grow outwards and never eat thin shapes.

        Around the body and its materials they are `line_px` wide, along folds half of that.
        """
        inner = raster.grown(keys, max(1, line_px // 2))
        around = raster.grown(inner, line_px - max(1, line_px // 2))
        for reach, folds in ((around, False), (inner, True)):
            spots = raster.nearer(reach, keys, (FOLD if folds else BORDER) * self.height_m)
            ahead, own = reach.reshape(-1)[spots], keys.reshape(-1)[spots]
            step = raster.depth_of(own) - raster.depth_of(ahead)
            front = materials[raster.numbers_of(ahead)]
            same = (own != 0) & (front == materials[raster.numbers_of(own)])
            least = np.where(~same & self.outlined[front], BORDER, FOLD) * self.height_m
            drawn = (step > least) & (same == folds)
            flat[spots[drawn]] = self.ink[front[drawn]]


@dataclass(frozen=True, eq=False)
class _Surface:
    """The triangles of one drawing with what lies on them: `chosen` (n,) are their numbers in the painter."""

    painter: Painter
    corners: Array
    chosen: Whole
    near: Planes

    def texels(self, numbers: Whole, px: Array, py: Array, texture: NDArray[np.uint32]) -> tuple[Whole, Whole]:
        """Column and row of `texture` at pixels of the triangles `numbers`; a picture repeats beyond its edges."""
        used, place = np.unique(numbers, return_inverse=True)
        corners = self.corners[:, :, used]
        uvs = self.painter.uvs[:, self.painter.triangles[:, self.chosen[used]]]
        near = 1.0 / np.maximum(self.near.at(numbers, px, py), 1e-9)
        # Divided by depth, what lies on a surface is even in the image; the depth of the pixel brings it back.
        u, v = (raster.planes_of(corners, uv * corners[2]).at(place, px, py) * near for uv in uvs)
        tall, wide = texture.shape[1:]
        return np.floor(u * wide).astype(np.int64) % wide, np.floor(v * tall).astype(np.int64) % tall

    def without_holes(self, rows: Rows) -> Rows:
        """Rows of one pixel each, where the picture on the surface is not clear."""
        owner, x = raster.pixels_of(rows)
        triangle, y = rows.triangle[owner], rows.y[owner]
        own = self.painter.materials[self.chosen[triangle]]
        solid = np.zeros(len(x), dtype=bool)
        for material in np.unique(own).tolist():
            texture = self.painter.textures.get(material)
            there = np.flatnonzero(own == material)
            if texture is not None:
                px, py = np.asarray(x[there] + 0.5, float), np.asarray(y[there] + 0.5, float)
                u, v = self.texels(triangle[there], px, py, texture)
                solid[there] = texture[1, v, u] != 0
        return Rows(triangle[solid], y[solid], x[solid], x[solid] + 1)


def painter_of(character: Character, style: str = "toon") -> Painter:
    """`character` made ready for drawing: "toon" in its colours, "line" in ink on white, "clay" shaded without lines."""
    if style not in STYLES:
        raise OptionError(f"style must be one of {', '.join(STYLES)}, not {style!r}")
    # What names no material gets one of its own at the end.
    materials = (*character.materials, Material("plain", (0.9, 0.9, 0.9, 1.0)))
    triangles, numbers, uvs, start = [], [], [], 0
    for mesh in character.meshes:
        own = len(materials) - 1 if mesh.material is None else mesh.material
        if materials[own].colour[3] >= 0.5:
            triangles.append(mesh.triangles + start)
            numbers.append(np.full(len(mesh.triangles), own))
        uvs.append(np.zeros((len(mesh.vertices), 2)) if mesh.uvs is None else mesh.uvs)
        start += len(mesh.vertices)
    count = sum(map(len, triangles))
    if not count:
        raise OptionError(f"the character {character.name!r} has no surface that could be drawn")
    if count > raster.MOST_TRIANGLES:
        raise OptionError(f"the character has {count:,} triangles; at most {raster.MOST_TRIANGLES:,} can be drawn")
    number = np.concatenate(numbers)
    pictures = {m: materials[m].image for m in np.unique(number).tolist()} if style == "toon" else {}
    textures = {m: _texture(materials[m], _opened(character.images[n])) for m, n in pictures.items() if n is not None}
    lines = [material.outline for material in materials if material.outline is not None]
    common = max(set(lines), key=lines.count)[:3] if lines else INK
    inks = [(m.outline or common)[:3] if style == "toon" else INK for m in materials]
    rest = np.concatenate([mesh.vertices for mesh in character.meshes])
    return Painter(
        np.ascontiguousarray(np.concatenate(triangles).T),
        number,
        np.array([material.two_sided for material in materials])[number],
        np.concatenate(uvs).T,
        np.stack([_tones(material, style) for material in materials]),
        np.array([_packed(np.array(ink)) for ink in inks], dtype=np.uint32),
        np.array([material.outline is not None or not lines for material in materials]),
        textures,
        np.array([m in textures and material.alpha != "opaque" for m, material in enumerate(materials)]),
        float(np.ptp(rest, axis=0).max()),
        style != "clay",
    )


def paper(view: View, ground: float) -> Pixels:
    """(H, W, 3) the empty picture: flat paper, and on the ground a faint line at every metre."""
    py, px = np.mgrid[0.5 : view.height, 0.5 : view.width]
    rays = np.stack(
        [(px - 0.5 * view.width) / view.focal, (0.5 * view.height - py) / view.focal, -np.ones_like(px)], -1
    )
    ways = rays @ view.axes
    drop = view.position[1] - ground
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.where(ways[..., 1] * drop < 0.0, -drop / ways[..., 1], np.inf)
        places = view.position + far[..., None] * ways
        cover = np.zeros(px.shape)
        for axis in (0, 2):
            place = places[..., axis]
            # How much of a metre a pixel spans there: lines keep their width and fade where they would crowd.
            span = np.hypot(np.gradient(place, axis=0), np.gradient(place, axis=1))
            away = np.abs(place - np.round(place)) / span
            cover = np.maximum(cover, np.clip(1.2 - away, 0.0, 1.0) * np.clip(1.0 - 8.0 * span, 0.0, 1.0))
    cover = np.where(np.isfinite(cover), cover, 0.0)[..., None]
    return np.asarray(np.array(PAPER) + cover * (np.array(GRID) - np.array(PAPER)) + 0.5).astype(np.uint8)


def shadow(painter: Painter, vertices: Array, view: View, light: Array, ground: float) -> Cel | None:
    """The shadow of a pose on the ground, for a `view` FINER times as large as the picture."""
    over = (vertices[:, 1:2] - ground) / max(float(light[1]), 0.5)
    fallen = np.array(vertices - np.maximum(over, 0.0) * light)
    fallen[:, 1] = ground
    corners = view.seen(fallen)[:, painter.triangles]
    shown = (corners[2].min(axis=0) > 0.0) & ((raster.area_of(corners) < 0.0) | painter.two_sided)
    rows = raster.rows_of(corners[:, :, np.flatnonzero(shown)], view.width, view.height)
    if not len(rows.y):
        return None
    top, bottom = _even(int(rows.y.min()), int(rows.y.max()) + 1, view.height)
    left, right = _even(int(rows.left.min()), int(rows.right.max()), view.width)
    rows = Rows(rows.triangle, rows.y - top, rows.left - left, rows.right - left)
    dark = raster.covered(rows, right - left, bottom - top)
    fine = np.where(dark, _packed(np.array(SHADOW) / 255.0), np.uint32(0)).astype(np.uint32)
    return Cel(left // FINER, top // FINER, _reduced(fine.view(np.uint8).reshape(*dark.shape, 4)))


def light_of(camera: Camera) -> Array:
    """(3,) towards the light, for a picture that `camera` sees; that of a moving one is placed when it starts."""
    return np.asarray(LIGHT @ camera.at(0).axes) / np.linalg.norm(LIGHT)


def _tones(material: Material, style: str) -> NDArray[np.uint32]:
    """(n,) packed colours from shadow to light."""
    colour = np.array(material.colour[:3])
    if style == "line":
        # Eyes, lashes and brows are details without a line of their own: they are ink themselves.
        detail = material.outline is None and float(colour @ BRIGHTNESS) < 0.45
        steps = [np.array(INK if detail else WHITE)] * 2
    elif style == "clay":
        steps = [CLAY * (0.34 + 0.66 * (n / 31.0) ** 1.2) for n in range(32)]
    else:
        steps = [colour * DIMMED if material.shade is None else np.array(material.shade), colour]
    return np.array([_packed(np.asarray(step)) for step in steps], dtype=np.uint32)


def _packed(colour: Array) -> np.uint32:
    bytes_ = np.append(np.clip(colour, 0.0, 1.0) * 255.0 + 0.5, 255.0).astype(np.uint8)
    return np.uint32(bytes_.view(np.uint32)[0])


def _opened(image: Image) -> Pixels:
    """(h, w, 4) what a character's picture holds."""
    from komadori.render.png import MISSING

    try:
        from PIL import Image as pillow
    except ImportError:
        raise OptionError(MISSING) from None
    try:
        with pillow.open(io.BytesIO(image.data)) as opened:
            return np.asarray(opened.convert("RGBA"))
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        raise FormatError(image.name, expected=f"a picture ({image.mime})", found="bytes that are not one") from None


def _texture(material: Material, picture: Pixels) -> NDArray[np.uint32]:
    """(2, h, w) packed: the picture in shadow and in light; 0 where it has a hole."""
    colour = np.array(material.colour[:3])
    dark = colour * DIMMED if material.shade is None else np.array(material.shade)
    result = np.zeros((2, *picture.shape), dtype=np.uint8)
    for n, tint in enumerate((dark, colour)):
        result[n, ..., :3] = picture[..., :3] * np.clip(tint, 0.0, 1.0) + 0.5
    result[..., 3] = 255
    if material.alpha != "opaque":
        result[:, picture[..., 3] < 128] = 0
    return np.asarray(result.view(np.uint32)[..., 0])


def _some(rows: Rows, which: NDArray[np.bool_]) -> Rows:
    return Rows(rows.triangle[which], rows.y[which], rows.left[which], rows.right[which])


def _even(low: int, high: int, most: int) -> tuple[int, int]:
    """A range of fine pixels that whole pixels of the picture make up."""
    return max(low, 0) // FINER * FINER, min(-(-high // FINER) * FINER, most)


def _reduced(fine: Pixels) -> Pixels:
    """Each pixel the mean of FINER x FINER."""
    total = np.full((fine.shape[0] // FINER, fine.shape[1] // FINER, 4), FINER * FINER // 2, dtype=np.uint16)
    for y in range(FINER):
        for x in range(FINER):
            total += fine[y::FINER, x::FINER]
    return (total // (FINER * FINER)).astype(np.uint8)
