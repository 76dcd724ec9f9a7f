"""MToon in pictures: where a material's shadow begins, how soft its edge is, and what shines at the rim, as three-vrm draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.character import Material, Toon
from komadori.quat import Array

Packed = NDArray[np.uint32]
HARD = 0.02
"""An edge narrower than this, in the cosine to the light, is a line."""


@dataclass(frozen=True, eq=False)
class Toons:
    """What the materials of a painter say: `shifts` (M,) are added to the light, `widths` (M,) are half a soft edge's."""

    toons: dict[int, Toon]
    shifts: Array
    widths: Array
    rims: NDArray[np.bool_]

    def __bool__(self) -> bool:
        """Whether any material needs more than two flat tones."""
        return bool(self.widths.any() or self.rims.any())

    def uneven(self, lit: Array, materials: NDArray[np.int64], edge: float) -> NDArray[np.bool_]:
        """(n,) the triangles, with the light `lit` (3, n) at their corners, that have more than one colour by MToon's rule."""
        width = self.widths.take(materials)
        soft = (width > 0.0) & (lit.min(axis=0) < edge + width) & (lit.max(axis=0) > edge - width)
        return np.asarray(soft | self.rims.take(materials))


def toons_of(materials: Sequence[Material], edge: float) -> Toons:
    """The rules of `materials`, for a renderer whose shadow begins where the light is `edge`."""
    toons = {number: material.toon for number, material in enumerate(materials) if material.toon is not None}
    shifts, widths = np.zeros(len(materials)), np.zeros(len(materials))
    rims = np.zeros(len(materials), dtype=bool)
    for number, toon in toons.items():
        shifts[number] = toon.shift + edge
        width = 1.0 - toon.toony
        widths[number] = width if width > HARD else 0.0
        rims[number] = any(toon.rim)
    return Toons(toons, shifts, widths, rims)


def toned(dark: Packed, bright: Packed, light: Array, edge: float, width: float) -> Packed:
    """Packed colours between `dark` and `bright`, mixed as light is: the opacity is that of `bright`."""
    share = np.clip((light - (edge - width)) / (2.0 * width), 0.0, 1.0)[:, None]
    mixed = _screen((1.0 - share) * _linear(dark) + share * _linear(bright))
    return _packed(mixed, bright)


def rimmed(colours: Packed, toon: Toon, facing: Array) -> Packed:
    """Packed colours with the rim's light added; `facing` is the cosine between the surface and the eye."""
    base = np.clip(1.0 - facing + toon.rim_lift, 0.0, 1.0)
    strength = np.power(base, max(toon.rim_power, 1e-5))[:, None]
    rim = _linear_of(np.array(toon.rim))
    return _packed(_screen(_linear(colours) + strength * rim), colours)


def _linear(colours: Packed) -> Array:
    bytes_ = np.ascontiguousarray(colours).view(np.uint8).reshape(-1, 4)[:, :3]
    return np.asarray(_TABLE.take(bytes_))


def _linear_of(screen: Array) -> Array:
    return np.asarray(np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4))


_TABLE = _linear_of(np.arange(256) / 255.0)


def _screen(linear: Array) -> Array:
    value = np.clip(linear, 0.0, 1.0)
    return np.asarray(np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1.0 / 2.4) - 0.055))


def _packed(screen: Array, opacity: Packed) -> Packed:
    found = np.ascontiguousarray(opacity).view(np.uint8).reshape(-1, 4).copy()
    found[:, :3] = (screen * 255.0 + 0.5).astype(np.uint8)
    return np.asarray(found.view(np.uint32)[:, 0])
