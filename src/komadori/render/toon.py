"""Toon: a character's pose as an animator's drawing: flat tones and ink lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from komadori import fast
from komadori.camera import Camera
from komadori.character import Character, Material, Toon
from komadori.errors import OptionError, one_of
from komadori.quat import Array
from komadori.render import ink, loops, mtoon, outline, raster, textures
from komadori.render.cel import FINER as FINER
from komadori.render.cel import Cel as Cel
from komadori.render.cel import packed, part_of, reduced
from komadori.render.guessed import coloured
from komadori.render.ink import Kinds, Pen
from komadori.render.mtoon import Toons
from komadori.render.raster import Keys, Planes, Rows, View, Whole
from komadori.render.textures import Pixels as Pixels
from komadori.render.textures import Texture, texture_of
from komadori.words import Note

STYLES = ("toon", "line", "clay")
INK = (0.16, 0.13, 0.17)
WHITE = (0.985, 0.985, 0.98)
BRIGHTNESS = np.array([0.3, 0.59, 0.11])
DIMMED = np.array([0.76, 0.74, 0.85])
"""What a colour is multiplied by in shadow if its file does not say."""
CLAY = np.array([0.90, 0.83, 0.78])
LIGHT = np.array([-0.45, 0.72, 0.53])
"""Where the light is, in the camera's right, up and back: above the left shoulder of who draws."""
TERMINATOR = 0.05
BLACK = 0.3
"""In line drawings, pixels of a texture darker than this are ink."""
_OPAQUE = np.uint32(0xFF000000)
_CLOSE = np.uint32(0x00FFFFFF)
"""A marker for pixels that are examined closely: no real colour is transparent white."""


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
    textures: dict[int, Texture]
    holes: NDArray[np.int64]
    """(M,) opacity from which on a material is there, 0 where all of it is."""
    glass: NDArray[np.bool_]
    """(M,) whether what is behind shines through if the material is half clear."""
    pen: Pen | None
    toons: Toons

    @cached_property
    def twins(self) -> Whole:
        """(3, T) what lies across each edge: `outline.twins_of`."""
        return outline.twins_of(self.triangles)

    def cel(self, vertices: Array, normals: Array, view: View, light: Array) -> Cel | None:
        """The drawing of a pose, for a `view` FINER times as large as the picture; None if nothing is seen.

        `vertices` and `normals` (V, 3) in the world; `light` (3,) points to the light.
        """
        chosen, area, corners = raster.facing(view.seen(vertices), self.triangles, self.two_sided)
        materials = self.materials.take(chosen)
        margin = FINER + (0 if self.pen is None else int(ink.reach_of(self.pen, view)))
        part = part_of(corners, view, margin)
        if part is None:
            return None
        # Only the part of the picture where the body is: the rest need not be looked at.
        left, top, width, height = part
        corners -= np.array([left, top, 0.0])[:, None, None]
        near = raster.planes_of(corners, corners[2])
        lit = (normals @ light).take(self.triangles.take(chosen, axis=1))
        lit = np.where(area > 0.0, -lit, lit)
        lit += self.toons.shifts.take(materials)
        facing = self._facing(vertices, normals, view, chosen, area) if self.toons.rims.any() else None
        surface = _Surface(self, corners, chosen, near, lit, facing)
        keys: Keys = raster.blank("keys", (height, width), np.int64)
        holed = self.holes.take(materials) > 0
        raster.nearest(corners, near, np.flatnonzero(~holed), keys)
        glass: Keys | None = None
        if holed.any():
            solid, clear = surface.split(raster.rows_of(corners, np.flatnonzero(holed), width, height))
            raster.nearest_rows(near, solid, keys)
            if len(clear.y):
                glass = np.zeros_like(keys)
                raster.nearest_rows(near, clear, glass)
        flat, kinds = surface.drawn(keys)
        if self.pen is not None:
            farthest = 1.0 / float(corners[2].min())
            ink.drawn(keys, kinds, near, materials, farthest, self.pen, view, flat)
        if glass is not None:
            y, x = np.nonzero(glass > keys)
            spots = y * keys.shape[1] + x
            flat[spots] = _mixed(surface.colours(raster.numbers_of(glass[y, x]), x, y), flat[spots])
        return Cel(left // FINER, top // FINER, reduced(flat.reshape(keys.shape)))

    def _facing(self, vertices: Array, normals: Array, view: View, chosen: Whole, area: Array) -> Array:
        """(3, n) the cosine between surface and eye at each corner."""
        away = view.position - vertices
        cosine = (normals * away).sum(axis=1) / np.maximum(np.linalg.norm(away, axis=1), 1e-9)
        at = cosine.take(self.triangles.take(chosen, axis=1))
        return np.asarray(np.where(area > 0.0, -at, at))


@dataclass(frozen=True, eq=False)
class _Surface:
    """The triangles of one drawing with what lies on them: `chosen` (n,) are their numbers in the painter."""

    painter: Painter
    corners: Array
    chosen: Whole
    near: Planes
    lit: Array
    """(3, n) the light at each corner."""
    facing: Array | None = None
    """(3, n) how each corner faces the eye, where some rim shines."""

    def drawn(self, keys: Keys) -> tuple[NDArray[np.uint32], Kinds]:
        """(h * w,) the packed colours of `keys`, opaque, and 0 if nothing is; and (h, w) what `ink.drawn` needs of them."""
        tones = self.painter.tones
        lit = self.lit > TERMINATOR
        even = lit[0]
        # Most triangles have one colour all over; only what holds the edge of a shadow or a picture is looked at closely.
        uneven = (lit[1] != even) | (lit[2] != even) | (tones.shape[1] != 2)
        for material in self.painter.textures:
            uneven |= self.materials == material
        if self.painter.toons:
            uneven |= self.painter.toons.uneven(self.lit, self.materials, TERMINATOR)
        table = np.zeros(len(even) + 1, dtype=np.uint32)
        table[1:] = tones.reshape(-1).take(self.materials * tones.shape[1] + even) | _OPAQUE
        flat = raster.scratch("flat", (keys.size,), np.uint32)
        loop = fast.compiled(loops.coloured)
        if loop is not None:
            self._by_loop(loop, keys, table, uneven, flat)
            return flat, np.zeros((0, 0), dtype=np.uint16)
        table[1:][uneven] = _CLOSE
        numbers = np.zeros(len(table), dtype=np.uint16)
        numbers[1:] = self.materials + 1
        kinds = raster.scratch("kinds", keys.shape, np.uint16)
        width = keys.shape[1]
        for rows in raster.bands_of(*keys.shape):
            own = raster.marks_of(keys[rows])
            kinds[rows] = numbers.take(own)
            part = table.take(own).reshape(-1)
            spots = np.flatnonzero(part == _CLOSE)
            if len(spots):
                places = raster.places_of(spots, width, rows)
                part[spots] = self.colours(own.reshape(-1).take(spots) - 1, *places) | _OPAQUE
            flat[rows.start * width : rows.stop * width] = part
        return flat, kinds

    def _by_loop(
        self,
        loop: Callable[..., None],
        keys: Keys,
        table: NDArray[np.uint32],
        uneven: NDArray[np.bool_],
        flat: NDArray[np.uint32],
    ) -> None:
        tones = self.painter.tones
        kinds = np.zeros(len(table), dtype=np.uint8)
        kinds[1:] = uneven if tones.shape[1] == 2 else 2
        for material in self.painter.textures:
            kinds[1:][self.materials == material] = 2
        if self.painter.toons:
            kinds[1:][self.painter.toons.uneven(self.lit, self.materials, TERMINATOR)] = 2
        light = table.copy()
        light[1:][uneven] = tones[self.materials[uneven], -1] | _OPAQUE
        dark = np.zeros_like(table)
        dark[1:] = tones[self.materials, 0] | _OPAQUE
        close = raster.scratch("close", (keys.size + 1 if (kinds == 2).any() else 1,), np.int64)
        at = self._light
        loop(keys, light, kinds, at.x, at.y, at.start, TERMINATOR, dark, flat, close)
        spots = close[1 : 1 + close[0]]
        if len(spots):
            numbers = raster.numbers_of(keys.reshape(-1).take(spots))
            places = raster.places_of(spots, keys.shape[1], slice(0, keys.shape[0]))
            flat[spots] = self.colours(numbers, *places) | _OPAQUE

    def colours(self, numbers: Whole, x: Whole, y: Whole) -> NDArray[np.uint32]:
        """(n,) the packed colours of the triangles `numbers` at pixels."""
        px, py = raster.centres(x, y)
        light = self._light.at(numbers, px, py)
        count = self.painter.tones.shape[1]
        if count == 2:
            tone = (light > TERMINATOR).astype(np.int64)
        else:
            tone = np.clip((0.5 * light + 0.5) * count, 0, count - 1).astype(np.int64)
        own = self.materials.take(numbers)
        colours = np.asarray(self.painter.tones.reshape(-1).take(own * count + tone))
        for material in self.painter.textures if count == 2 else ():
            there = np.flatnonzero(own == material)
            if len(there):
                colours[there] = self._texels(material, tone[there], numbers[there], px[there], py[there])
        for material, toon in self.painter.toons.toons.items() if count == 2 and self.painter.toons else ():
            there = np.flatnonzero(own == material)
            if len(there):
                place = numbers[there], px[there], py[there]
                colours[there] = self._by_mtoon(material, toon, colours[there], light[there], *place)
        return colours

    def _by_mtoon(
        self, material: int, toon: Toon, colours: NDArray[np.uint32], light: Array, numbers: Whole, px: Array, py: Array
    ) -> NDArray[np.uint32]:
        """(n,) flat `colours` with the soft edge and the rim that a material's file asks for."""
        width = float(self.painter.toons.widths[material])
        if width > 0.0:
            if material in self.painter.textures:
                ends = [self._texels(material, tone, numbers, px, py) for tone in (0, 1)]
            else:
                ends = [np.full(len(numbers), self.painter.tones[material, tone], dtype=np.uint32) for tone in (0, 1)]
            colours = mtoon.toned(ends[0], ends[1], light, TERMINATOR, width)
        if self.facing is not None and self.painter.toons.rims[material]:
            colours = mtoon.rimmed(colours, toon, self._eye.at(numbers, px, py))
        return colours

    @cached_property
    def _eye(self) -> Planes:
        assert self.facing is not None
        return raster.planes_of(self.corners, self.facing)

    def _texels(self, material: int, tone: Whole | int, numbers: Whole, px: Array, py: Array) -> NDArray[np.uint32]:
        """(n,) what the picture on the triangles `numbers` shows at pixels."""
        used, place = np.unique(numbers, return_inverse=True)
        corners = self.corners[:, :, used]
        uvs = self.painter.uvs[:, self.painter.triangles[:, self.chosen[used]]]
        near = 1.0 / np.maximum(self.near.at(numbers, px, py), 1e-9)
        # Divided by depth, what lies on a surface is even in the image; the depth of the pixel brings it back.
        u, v = (raster.planes_of(corners, uv * corners[2]).at(place, px, py) * near for uv in uvs)
        return self.painter.textures[material].looked_up(tone, u, v, self.levels[material])

    @cached_property
    def materials(self) -> Whole:
        """(n,) the material of each triangle."""
        return np.asarray(self.painter.materials.take(self.chosen))

    @cached_property
    def _light(self) -> Planes:
        return raster.planes_of(self.corners, self.lit)

    @cached_property
    def levels(self) -> dict[int, int]:
        """Material -> the size of its picture that fits, one for the whole drawing: between two there would be a seam."""
        own = self.materials
        seen = np.abs(raster.area_of(self.corners))
        taken = np.abs(raster.area_of(self.painter.uvs[:, self.painter.triangles[:, self.chosen]]))
        result = {}
        for material, texture in self.painter.textures.items():
            there = own == material
            result[material] = texture.level_for(float(taken[there].sum() / max(seen[there].sum(), 1e-9)))
        return result

    def split(self, rows: Rows) -> tuple[Rows, Rows]:
        """Rows of one pixel each: where surfaces with holes are there, and where they are and others shine through."""
        owner, x = raster.pixels_of(rows)
        triangle, y = rows.triangle[owner], rows.y[owner]
        own = self.materials.take(triangle)
        opacity = np.zeros(len(x), dtype=np.int64)
        for material in np.unique(own).tolist():
            there = np.flatnonzero(own == material)
            if material not in self.painter.textures:
                opacity[there] = int(self.painter.tones[material, -1] >> np.uint32(24))
            else:
                seen = self._texels(material, 1, triangle[there], *raster.centres(x[there], y[there]))
                opacity[there] = seen >> np.uint32(24)
        glass = self.painter.glass[own]
        solid = opacity >= np.where(glass, textures.SOLID, self.painter.holes[own])
        clear = glass & ~solid & (opacity >= textures.CLEAR)
        first, second = (Rows(triangle[w], y[w], x[w], x[w] + 1) for w in (solid, clear))
        return first, second


def painter_of(character: Character, style: str = "toon") -> Painter:
    """`character` made ready for drawing: "toon" in its colours, "line" in ink on white, "clay" shaded without lines."""
    if style not in STYLES:
        raise OptionError("style", expected=one_of(STYLES), found=style)
    # What names no material gets one of its own at the end.
    materials = (*coloured(character), Material("plain", (0.9, 0.9, 0.9, 1.0)))
    triangles, numbers, uvs, start = [], [], [], 0
    for mesh in character.meshes:
        own = len(materials) - 1 if mesh.material is None else mesh.material
        if _opacity(materials[own]) >= textures.CLEAR:
            triangles.append(mesh.triangles + start)
            numbers.append(np.full(len(mesh.triangles), own))
        uvs.append(np.zeros((len(mesh.vertices), 2)) if mesh.uvs is None else mesh.uvs)
        start += len(mesh.vertices)
    count = sum(map(len, triangles))
    if not count:
        raise OptionError(
            "character", expected=Note("a character with a surface that can be drawn"), found=character.name
        )
    if count > raster.MOST_TRIANGLES:
        raise OptionError(
            "character", expected=Note("at most {most:,} triangles", most=raster.MOST_TRIANGLES), found=count
        )
    number = np.concatenate(numbers)
    images = {
        m: materials[m].image for m in np.unique(number).tolist() if style != "clay" or materials[m].alpha != "opaque"
    }
    shown = {m: character.images[image] for m, image in images.items() if image is not None}
    side = textures.side_for(len(shown))
    pictured = {m: _pictured(textures.opened(image, side), materials[m], style) for m, image in shown.items()}
    holed = np.array([m in pictured and material.alpha != "opaque" for m, material in enumerate(materials)])
    glass = np.array([m.alpha == "blend" and (h or _opacity(m) < textures.SOLID) for m, h in zip(materials, holed, strict=True)])  # fmt: skip
    return Painter(
        np.ascontiguousarray(np.concatenate(triangles).T),
        number,
        np.array([material.two_sided for material in materials])[number],
        np.concatenate(uvs).T,
        np.stack([_tones(material, style) for material in materials]),
        pictured,
        np.where(holed | glass, textures.HALF, 0),
        glass,
        None if style == "clay" else _pen(character, materials, style),
        mtoon.toons_of(materials if style == "toon" else [Material(m.name) for m in materials], TERMINATOR),
    )


def _pen(character: Character, materials: tuple[Material, ...], style: str) -> Pen:
    """The lines of a character: what names no colour for its own has the one that most others have."""
    lines = [material.outline for material in materials if material.outline is not None]
    common = max(set(lines), key=lines.count)[:3] if lines else INK
    inks = [(m.outline or common)[:3] if style == "toon" else INK for m in materials]
    rest = np.concatenate([mesh.vertices for mesh in character.meshes])
    return Pen(
        np.array([packed(np.array(colour)) for colour in inks], dtype=np.uint32),
        ink.widths_of(materials),
        np.array([material.outline is not None or not lines for material in materials]),
        float(np.ptp(rest, axis=0).max()),
    )


def light_of(camera: Camera) -> Array:
    """(3,) towards the light, for a picture that `camera` sees; that of a moving one is placed when it starts."""
    return np.asarray(LIGHT @ camera.at(0).axes) / np.linalg.norm(LIGHT)


def _tones(material: Material, style: str) -> NDArray[np.uint32]:
    """(n,) packed colours from shadow to light."""
    colour = np.array(material.colour[:3])
    if style == "line":
        # Eyes, lashes and brows are details without their own line: they are ink themselves.
        detail = material.outline is None and float(colour @ BRIGHTNESS) < 0.45
        steps = [np.array(INK if detail else WHITE)] * 2
    elif style == "clay":
        steps = [CLAY * (0.34 + 0.66 * (n / 31.0) ** 1.2) for n in range(32)]
    else:
        steps = [_shade(material), colour]
    opaque = np.array([packed(np.asarray(step)) for step in steps], dtype=np.uint32)
    return np.asarray(opaque & ~_OPAQUE | np.uint32(_opacity(material)) << np.uint32(24))


def _shade(material: Material) -> Array:
    return np.array(material.colour[:3]) * DIMMED if material.shade is None else np.array(material.shade)


def _opacity(material: Material) -> int:
    """0 to 255; what does not blend is there or not."""
    opacity = round(255.0 * min(max(material.colour[3], 0.0), 1.0))
    return opacity if material.alpha == "blend" else 255 * (opacity >= textures.HALF)


def _pictured(picture: Pixels, material: Material, style: str) -> Texture:
    """A material's picture; as a pen would draw it in "line": what is dark in it, such as eyes and brows, is ink."""
    if style != "line":
        return texture_of(picture, material, _shade(material))
    dark = picture[..., :3] @ BRIGHTNESS < 255.0 * BLACK
    inked = np.array(picture)
    inked[..., :3] = np.where(dark[..., None], np.array(INK), np.array(WHITE)) * 255.0 + 0.5
    return texture_of(inked, replace(material, colour=(1.0, 1.0, 1.0, material.colour[3])), np.ones(3))


def _mixed(above: NDArray[np.uint32], below: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Packed colours laid over others; what comes out is premultiplied, as what is below is."""
    top, under = (values.view(np.uint8).reshape(-1, 4).astype(np.uint16) for values in (above, below))
    share = np.array(top[:, 3:])
    top[:, 3] = 255
    return (
        np.ascontiguousarray((top * share + under * (255 - share) + 127) // 255).astype(np.uint8).view(np.uint32)[:, 0]
    )
