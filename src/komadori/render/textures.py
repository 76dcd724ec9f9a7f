"""Textures: a character's pictures made ready for drawing: in shadow and in light, in several sizes, clear where clear."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from komadori.character import Image, Material
from komadori.errors import FormatError, OptionError
from komadori.quat import Array
from komadori.render.raster import Whole
from komadori.words import Note

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

Pixels = NDArray[np.uint8]

CLEAR, SOLID = 8, 250
"""Opacity below which nothing is seen of a surface that blends, and from which on nothing shines through."""
HALF = 128
"""Opacity from which on a surface with holes is there."""

LARGEST_SIDE = 2048
"""Pixels: a larger picture is made smaller as it is opened. A film is hardly wider, and no picture of it shows more."""
MOST_TEXELS = 16 * LARGEST_SIDE**2
"""Pixels of all pictures of a character together (about 700 MB when they are ready); if there are many, each is smaller."""
MOST_PIXELS = 100_000_000
"""Pixels of a picture as it is stored, which has to be unpacked whole (400 MB) before it can be made smaller."""


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


def side_for(count: int) -> int:
    """Pixels that a side of each of `count` pictures may have."""
    return max(1, min(LARGEST_SIDE, int((MOST_TEXELS / max(count, 1)) ** 0.5)))


def opened(image: Image, side: int = LARGEST_SIDE) -> Pixels:
    """(h, w, 4) what a character's picture holds, no side of it longer than `side`."""
    from komadori.render.png import MISSING

    try:
        from PIL import Image as pillow
    except ImportError:
        raise OptionError(MISSING) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pillow.DecompressionBombWarning)  # The size is looked at below.
            found = pillow.open(io.BytesIO(image.data))
        with found:
            wide, tall = found.size
            if wide * tall <= MOST_PIXELS:
                return _at_most(found, side)
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        raise FormatError(image.name, problem=Note("not a valid picture ({kind})", kind=image.mime)) from None
    expected = Note("a picture of at most {most:,} pixels", most=MOST_PIXELS)
    raise FormatError(image.name, expected=expected, found=f"{wide} x {tall}")


def _at_most(picture: PillowImage, side: int) -> Pixels:
    """The pixels of a picture, reduced by a whole number where a side is longer than `side`."""
    less = -(-max(picture.size) // side)
    if less > 1:
        # Only these can be reduced as they are; to convert others first takes four bytes per pixel.
        plain = (
            picture
            if picture.mode in ("L", "RGB", "RGBA") and "transparency" not in picture.info
            else picture.convert("RGBA")
        )
        picture = plain.reduce((min(less, plain.width), min(less, plain.height)))
    return np.asarray(picture.convert("RGBA"))
