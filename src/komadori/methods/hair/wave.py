"""The wave: a lump of air that travels along a strand, as anime draws it, in the plane (Furukawa and Nakata, section 3.2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from komadori.errors import OptionError
from komadori.quat import Array
from komadori.words import Note

Number = float | Array


def curve(x: Array, t: Number, k: Number, s: Number, p: Number, a: Number, sag: Number = 1.0) -> Array:
    """f3(x, t): how far a strand that streams along +x lies above its line, in the units of x (equations 1 to 3).

    `x` goes from 0 at the root to pi at the tip, `t` is the time in radians; `k` is the wavelength, `s` shrinks swing and
    sag, `p` stiffens the root, `a` scales the whole. All broadcast. `sag` is the share of the gravity that acts.
    """
    lump = np.sin(x / k - t + 0.5 * np.pi)
    return np.asarray(-(a / s) * (x / np.pi) ** p * (lump + sag / s))


def places(lengths: ArrayLike) -> Array:
    """(n + 1,) where the joints of a strand of bones `lengths` (n,) lie on x: by arc length, the tip at pi."""
    bones = np.asarray(lengths, dtype=np.float64)
    if bones.ndim != 1 or len(bones) == 0:
        raise OptionError(
            "lengths",
            expected=Note("the length of every bone, at least one"),
            found=Note("an array of {size}", size=" x ".join(map(str, bones.shape)) or "0-d"),
        )
    if not np.isfinite(bones).all() or (bones <= 0.0).any():
        raise OptionError("lengths", expected=Note("bones longer than 0"), found=bones.tolist())
    along = np.concatenate([[0.0], np.cumsum(bones)])
    return np.asarray(along * (np.pi / along[-1]))


def tilts(lengths: ArrayLike, t: ArrayLike, k: float, s: float, p: float, a: float) -> Array:
    """The absolute tilt of each bone of a straight strand, radians, upwards: `t` (...,) gives (..., n).

    A bone points as the line between the curve at its two joints: atan2(df3, dx).

    >>> np.degrees(tilts([0.1, 0.1, 0.1], 0.0, k=0.5, s=1.5, p=1.2, a=0.65)).round(1).tolist()
    [-1.1, -1.4, -32.9]
    """
    check_wave(k, s, p, a)
    x = places(lengths)
    height = curve(x, np.asarray(t, dtype=np.float64)[..., None], k, s, p, a)
    return np.asarray(np.arctan2(np.diff(height, axis=-1), np.diff(x)))


def joints(lengths: ArrayLike, tilt: ArrayLike) -> Array:
    """Where the joints lie in the plane, (..., n + 1, 2), root at the origin, from tilts (..., n); lengths stay."""
    bones, tilt = np.asarray(lengths, dtype=np.float64), np.asarray(tilt, dtype=np.float64)
    steps = np.stack([bones * np.cos(tilt), bones * np.sin(tilt)], axis=-1)
    return np.concatenate([np.zeros((*tilt.shape[:-1], 1, 2)), np.cumsum(steps, axis=-2)], axis=-2)


def check_wave(k: float, s: float, p: float, a: float) -> None:
    """An OptionError if a wave cannot have these parameters."""
    for name, value in (("wavelength", k), ("calm", s), ("stiffness", p), ("size", a)):
        if not math.isfinite(value):
            raise OptionError(name, expected=Note("a finite number"), found=value)
    for name, value in (("wavelength", k), ("calm", s)):
        if value <= 0.0:
            raise OptionError(name, expected=Note("a number above 0"), found=value)
    if p < 0.0:
        raise OptionError(
            "stiffness", expected=Note("a number of 0 or more"), found=p, advice=Note("the tip always moves most")
        )
