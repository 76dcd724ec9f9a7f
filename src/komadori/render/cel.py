"""A cel: a drawing on a transparent background, supersampled, to be composited over the picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import fast
from komadori.quat import Array
from komadori.render import loops
from komadori.render.raster import View, places_of
from komadori.render.textures import Pixels

FINER = 2
"""Each pixel is the mean of this many squared."""
_PAIRS = np.uint64(0x00FF00FF00FF00FF)
"""Every second byte: sums of four then have room, and one addition adds four numbers."""
_LOW_PAIRS, _HALVES = np.uint64(0x00FF00FF), np.uint64(0x00020002)


@dataclass(frozen=True, eq=False)
class Cel:
    """A drawing on a transparent background: premultiplied `pixels` (h, w, 4) whose first one lies at `left`, `top` of the picture."""

    left: int
    top: int
    pixels: Pixels

    def over(self, picture: Pixels, strength: float = 1.0) -> None:
        """Lay it on `picture` (H, W, 3), or on another drawing (H, W, 4), which is changed."""
        height, width = self.pixels.shape[:2]
        below = picture[self.top : self.top + height, self.left : self.left + width]
        part = self.pixels if strength == 1.0 else (self.pixels * np.float32(strength)).astype(np.uint8)
        loop = fast.compiled(loops.laid)
        if loop is not None:
            loop(part, below)
            return
        opacity = np.ascontiguousarray(part[..., 3])
        full = opacity == 255
        channels = below.shape[2]
        for channel in range(channels):
            np.copyto(below[..., channel], part[..., channel], where=full)
        # Few pixels are neither full nor empty: edges, and what shines through. Less 1, both ends are at the upper end.
        x, y = places_of(np.flatnonzero(opacity - np.uint8(1) < np.uint8(254)), width, slice(0, height))
        mixed = part[y, x].astype(np.uint16)
        below[y, x] = mixed[:, :channels] + (below[y, x] * (255 - mixed[:, 3:]) + 127) // 255


def packed(colour: Array) -> np.uint32:
    """A colour (3,), 0 to 1, as one number whose bytes are red, green, blue and full opacity."""
    bytes_ = np.append(np.clip(colour, 0.0, 1.0) * 255.0 + 0.5, 255.0).astype(np.uint8)
    return np.uint32(bytes_.view(np.uint32)[0])


def part_of(corners: Array, view: View, margin: int = 0) -> tuple[int, int, int, int] | None:
    """Left, top, width and height of the part of a fine `view` that triangles (2 or more, 3, n) and a `margin` take up, of
    whole pixels of the picture; None if that is nothing."""
    ends = []
    for places, most in ((corners[0], view.width), (corners[1], view.height)):
        low, high = np.clip((places.min(), places.max()), -margin, most + margin) if places.size else (0.0, 0.0)
        first = max(int(np.floor(low)) - margin, 0) // FINER * FINER
        last = min(-(-(int(np.ceil(high)) + margin) // FINER) * FINER, most)
        if not low < high or last <= first:
            return None
        ends.append((first, last - first))
    (left, width), (top, height) = ends
    return left, top, width, height


def reduced(fine: NDArray[np.uint32]) -> Pixels:
    """(h, w, 4) from packed (2 h, 2 w): each pixel the mean of FINER x FINER."""
    height, width = fine.shape[0] // FINER, fine.shape[1] // FINER
    loop = fast.compiled(loops.reduced)
    if loop is not None:
        pixels = np.empty((height, width, 4), dtype=np.uint8)
        loop(fine, pixels)
        return pixels
    # Most are four times the same; only the others, few of them, are computed.
    result = np.array(fine[::FINER, ::FINER])
    pairs = fine.view(np.uint64)
    mixed = pairs[::FINER] != pairs[1::FINER]
    mixed |= fine[::FINER, ::FINER] != fine[::FINER, 1::FINER]
    x, y = places_of(np.flatnonzero(mixed), width, slice(0, height))
    spots = y * (FINER * width) + x
    above, below = (pairs.reshape(-1).take(places) for places in (spots, spots + width))
    # Two neighbours at once, as one number; of each, every second byte, so that sums of four have room.
    sums = []
    for shift in (np.uint64(0), np.uint64(8)):
        added = (above >> shift & _PAIRS) + (below >> shift & _PAIRS)
        added += added >> np.uint64(32)
        added += _HALVES
        added >>= np.uint64(2)
        added &= _LOW_PAIRS
        sums.append(added)
    result.reshape(-1)[y * width + x] = sums[0] | sums[1] << np.uint64(8)
    return result.view(np.uint8).reshape(height, width, 4)
