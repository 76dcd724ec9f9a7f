"""A cel: a drawing on nothing, made finer than the picture, to be laid over it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.render.textures import Pixels

FINER = 2
"""Each pixel is the mean of this many squared."""
_PAIRS = np.uint32(0x00FF00FF)
"""Every second byte: sums of four then have room, and one addition adds two colours."""


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
        part = self.pixels if strength == 1.0 else (self.pixels * np.float32(strength)).astype(np.uint8)
        opacity = part[..., 3]
        full = opacity == 255
        np.copyto(below, part[..., :3], where=full[..., None])
        # Few pixels are neither full nor empty: edges, and what shines through.
        soft = np.nonzero((opacity != 0) & ~full)
        mixed = part[soft].astype(np.uint16)
        below[soft] = mixed[:, :3] + (below[soft] * (255 - mixed[:, 3:]) + 127) // 255


def packed(colour: Array) -> np.uint32:
    """A colour (3,), 0 to 1, as one number whose bytes are red, green, blue and full opacity."""
    bytes_ = np.append(np.clip(colour, 0.0, 1.0) * 255.0 + 0.5, 255.0).astype(np.uint8)
    return np.uint32(bytes_.view(np.uint32)[0])


def even(low: int, high: int, most: int) -> tuple[int, int]:
    """A range of fine pixels that whole pixels of the picture make up."""
    return max(low, 0) // FINER * FINER, min(-(-high // FINER) * FINER, most)


def reduced(fine: NDArray[np.uint32]) -> Pixels:
    """(h, w, 4) from packed (FINER h, FINER w): each pixel the mean of FINER x FINER."""
    parts = [fine[y::FINER, x::FINER] for y in range(FINER) for x in range(FINER)]
    low = np.full(parts[0].shape, 0x00020002, dtype=np.uint32)
    high = np.array(low)
    for part in parts:
        low += part & _PAIRS
        high += part >> np.uint32(8) & _PAIRS
    mean = (low >> np.uint32(2) & _PAIRS) | (high >> np.uint32(2) & _PAIRS) << np.uint32(8)
    return np.ascontiguousarray(mean).view(np.uint8).reshape(*mean.shape, 4)
