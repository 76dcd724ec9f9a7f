"""Textures: a character's pictures made ready for drawing: in shadow and in light, in several sizes, clear where clear."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.character import Image, Material
from komadori.errors import FormatError, OptionError
from komadori.quat import Array
from komadori.render.raster import Whole
from komadori.words import Note

Pixels = NDArray[np.uint8]

CLEAR, SOLID = 8, 250
"""Opacity below which nothing is seen of a surface that blends, and from which on nothing shines through."""
HALF = 128
"""Opacity from which on a surface with holes is there."""


@dataclass(frozen=True, eq=False)
class Texture:
    """A material's picture: `levels` of (2, h, w) packed colours, in shadow and in light, each half as large as the last."""

    levels: tuple[NDArray[np.uint32], ...]

    def looked_up(self, tone: Whole | int, u: Array, v: Array, level: int) -> NDArray[np.uint32]:
        """(n,) the packed colours at `u`, `v`; a picture repeats beyond its edges."""
        picture = self.levels[level]
        tall, wide = picture.shape[1:]
        column = np.floor(u * wide).astype(np.int64) % wide
        row = np.floor(v * tall).astype(np.int64) % tall
        return np.asarray(picture.reshape(-1)[(tone * tall + row) * wide + column])

    def level_for(self, area: float) -> int:
        """The size in which a pixel of the drawing is about one of the picture, where it takes `area` of the whole one."""
        tall, wide = self.levels[0].shape[1:]
        texels = max(area, 1e-12) * tall * wide
        return int(np.clip(np.floor(0.5 * np.log2(texels) + 0.25), 0, len(self.levels) - 1))


def texture_of(pixels: Pixels, material: Material, dark: Array) -> Texture:
    """`material`'s picture (h, w, 4), tinted by its colour and, in shadow, by `dark` (3,)."""
    picture = pixels.astype(np.float32)
    if material.alpha == "opaque":
        picture[..., 3] = 255.0
    elif material.alpha == "blend":
        picture[..., 3] *= material.colour[3]
    levels = []
    while True:
        result = np.empty((2, *picture.shape), dtype=np.uint8)
        for n, tint in enumerate((dark, np.array(material.colour[:3]))):
            result[n, ..., :3] = picture[..., :3] * np.clip(tint, 0.0, 1.0).astype(np.float32) + 0.5
        result[..., 3] = picture[..., 3] + 0.5
        levels.append(np.ascontiguousarray(result).view(np.uint32)[..., 0])
        if min(picture.shape[:2]) < 2:
            return Texture(tuple(levels))
        picture = _halved(picture)


def _halved(picture: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each pixel the mean of four; what is clear has no say in the colour."""
    tall, wide = (side // 2 * 2 for side in picture.shape[:2])
    four = np.stack([picture[y:tall:2, x:wide:2] for y in (0, 1) for x in (0, 1)])
    weight = four[..., 3:] + 1e-3
    mean = (four * weight).sum(axis=0) / weight.sum(axis=0)
    mean[..., 3] = four[..., 3].mean(axis=0)
    return np.asarray(mean)


def opened(image: Image) -> Pixels:
    """(h, w, 4) what a character's picture holds."""
    from komadori.render.png import MISSING

    try:
        from PIL import Image as pillow
    except ImportError:
        raise OptionError(MISSING) from None
    try:
        with pillow.open(io.BytesIO(image.data)) as found:
            return np.asarray(found.convert("RGBA"))
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        raise FormatError(
            image.name, expected=Note("a picture ({kind})", kind=image.mime), found=Note("bytes that are not one")
        ) from None
