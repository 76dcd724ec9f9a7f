"""The girl's hair and ribbon: a cap, locks that follow the chains, and a bow."""

from __future__ import annotations

import numpy as np

from komadori.characters.girl_skeleton import KNOT, STRANDS, skeleton
from komadori.characters.modelling import ROUND4, Limb, Part, Weighing, body, curve, lock, still, swinging
from komadori.characters.solids import Solid, ball, lines, mirrored, onto
from komadori.characters.strands import Strand, joints_of
from komadori.quat import Array, cross

CENTRE = np.array([0.0, 1.460, -0.010])
RADII = np.array([0.107, 0.113, 0.116])
CAP: tuple[Solid, ...] = (
    ball((0.0, 1.460, -0.010), (0.107, 0.113, 0.116)),
    ball((0.0, 1.400, -0.050), (0.078, 0.054, 0.054), 0.05),
    ball((0.0, 1.515, -0.100), (0.036, 0.034, 0.034), 0.04),
    ball((0.0, 1.392, 0.120), (0.094, 0.104, 0.104), 0.012, carve=True),
    ball((0.112, 1.408, 0.004), (0.030, 0.033, 0.024), 0.008, carve=True),
    ball((-0.112, 1.408, 0.004), (0.030, 0.033, 0.024), 0.008, carve=True),
)
_STRAND = {strand.name: strand for strand in STRANDS}


def on_skull(across_deg: Array, up_deg: Array, out: float = 1.0) -> Array:
    """(N, 3) on the cap: 0 across is the front, 90 the left; 90 up is the crown. `out` lifts off it."""
    a, b = np.radians(across_deg), np.radians(up_deg)
    way = np.stack([np.sin(a) * np.cos(b), np.sin(b), np.cos(a) * np.cos(b)], axis=-1)
    return np.asarray(CENTRE + out * RADII * way)


def along(strand: Strand, start: float = 0.0, end: float = 1.0) -> Weighing:
    """Weights of a lock that covers `start` to `end` of a strand."""
    return swinging(skeleton(), joints_of(skeleton(), strand)[:-1], start * strand.bones, end * strand.bones)


def swell(count: int, root: float, full: float, at: float, tip: float = 0.02) -> Array:
    """(count,) from `root` to `full` at share `at`, then to `tip`: a lock's half width."""
    t = np.linspace(0.0, 1.0, count)
    rise = root + (full - root) * np.sin(0.5 * np.pi * np.clip(t / at, 0.0, 1.0))
    fall = np.cos(0.5 * np.pi * np.clip((t - at) / (1.0 - at), 0.0, 1.0)) ** 0.8
    return np.asarray(np.maximum(rise * fall, tip * full))


def hair() -> list[Part]:
    """The cap and every lock."""
    bones = skeleton()
    limb = Limb(("head",), (0.0, 1.0, 0.0), (), (), CAP[:1])
    xs = mirrored(lines((0.125, 0.0165), start=0.00825))
    cap = body(bones, (limb,), CAP, (xs, lines((1.60, 0.0165), start=1.30), lines((0.13, 0.0165), start=-0.16)))
    return [cap, *_bangs(), *_sides(), *_tail(), _cowlick()]


#   across at root, tip; up at root, tip; half width; how far it stands off; which chain
BANGS = (
    (-34.0, -66.0, 66.0, -30.0, 0.020, 1.020, "hair_bangs_right"),
    (-26.0, -47.0, 70.0, -11.0, 0.022, 1.034, "hair_bangs_right"),
    (-14.0, -24.0, 72.0, -4.0, 0.021, 1.018, "hair_bangs_right"),
    (3.0, -5.0, 74.0, -9.0, 0.020, 1.036, "hair_bangs"),
    (12.0, 13.0, 74.0, -1.0, 0.016, 1.022, "hair_bangs"),
    (19.0, 30.0, 72.0, -7.0, 0.021, 1.038, "hair_bangs_left"),
    (27.0, 48.0, 70.0, -12.0, 0.021, 1.020, "hair_bangs_left"),
    (36.0, 66.0, 66.0, -30.0, 0.020, 1.034, "hair_bangs_left"),
)


def _bang_path(row: tuple[float, float, float, float, float, float, str], t: Array) -> Array:
    a0, a1, b0, b1, _, off, _ = row
    lift = 0.985 + (off - 0.985) * np.sin(0.5 * np.pi * np.clip(t / 0.3, 0.0, 1.0)) + 0.02 * np.sin(np.pi * t)
    path = on_skull(a0 + (a1 - a0) * t**0.9, b0 + (b1 - b0) * t)
    return np.asarray(CENTRE + (path - CENTRE) * lift[:, None])


def _bangs() -> list[Part]:
    parts = []
    for row in BANGS:
        n, wide = 10, row[4]
        path = _bang_path(row, np.linspace(0.0, 1.0, n))
        widths, depths = swell(n, 0.45 * wide, 1.15 * wide, 0.5), 0.34 * swell(n, 0.5 * wide, wide, 0.5)
        parts.append(lock(path, widths, depths, (path - CENTRE) / RADII, along(_STRAND[row[-1]])))
    return parts


def shine() -> list[Part]:
    """The light on the hair: a broken ring over the bangs."""
    parts = []
    for n, row in enumerate(BANGS):
        start, end = 0.28 + 0.03 * (n % 2), 0.46 + 0.05 * ((n + 1) % 2)
        path = _bang_path(row, np.linspace(start, end, 5))
        out = (path - CENTRE) / RADII
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        path = path + (0.31 * row[4] + 0.0003) * out
        widths = row[4] * np.array([0.03, 0.34, 0.50, 0.34, 0.03])
        joints = along(_STRAND[row[-1]], start, end)
        parts.append(lock(path, widths, np.full(5, 0.0012), out, joints, ROUND4))
    return parts


def _sides() -> list[Part]:
    parts = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        strand = _STRAND[f"hair_side_{side}"]
        out = np.array([sign * 0.8, 0.1, 0.6])
        path = curve(strand.points, 16)
        parts.append(lock(path, swell(16, 0.006, 0.023, 0.36), swell(16, 0.004, 0.012, 0.4), out, along(strand)))
        points = [np.add(p, (0.002 * sign, 0.0, -0.020 - 0.003 * n)) for n, p in enumerate(strand.points[:6])]
        points[-1] = points[-1] + [-0.02 * sign, 0.03, -0.006]
        path = curve(points, 12)
        widths, depths = swell(12, 0.006, 0.019, 0.4), swell(12, 0.004, 0.009, 0.4)
        parts.append(lock(path, widths, depths, out, along(strand, 0.0, 0.8)))
    return parts


STROKES = (
    (50.0, 66.0, 0.80, 0.0013),
    (88.0, 46.0, 0.82, 0.0016),
    (112.0, 16.0, 0.80, 0.0015),
    (132.0, -12.0, 0.74, 0.0016),
    (154.0, -30.0, 0.72, 0.0014),
)
"""Lines drawn on the cap: where each begins (across, up, in degrees), how far it goes to the knot, half its width."""


def lines_drawn() -> list[Part]:
    """Pen strokes on the cap, drawn back to the knot."""
    n = 9
    rows = [(sign, *row) for row in STROKES for sign in (1.0, -1.0)]
    sign, a0, b0, end, thick = (column[:, None] for column in np.array(rows).T)
    t = end * np.linspace(0.0, 1.0, n)
    path = on_skull(sign * (a0 + (180.0 - a0) * t**1.15), b0 + (36.0 - b0) * t**0.85)
    places = onto(CAP, (CENTRE + 1.01 * (path - CENTRE)).reshape(-1, 3), rounds=3).reshape(path.shape)
    widths = thick * np.sin(np.pi * np.linspace(0.06, 0.97, n))
    thin = np.full(n, 0.0008)
    return [
        lock(p, w, thin, p - CENTRE, still(skeleton(), "head"), ROUND4) for p, w in zip(places, widths, strict=True)
    ]


def _tail() -> list[Part]:
    strand = _STRAND["hair_ponytail"]
    points = np.array(strand.points)
    spread = np.array([0.0, 0.34, 0.7, 0.95, 1.05, 0.98, 0.86, 0.85, 1.0])
    parts = []
    #    across, back, reach along the chain, half width, half depth, flick of the tip
    for x, z, end, wide, deep, flick in (
        (0.0, 0.0, 1.0, 0.054, 0.044, -0.020),
        (0.042, -0.006, 0.95, 0.036, 0.030, 0.030),
        (-0.044, -0.004, 0.97, 0.036, 0.030, -0.034),
        (0.066, 0.014, 0.80, 0.026, 0.024, 0.040),
        (-0.068, 0.016, 0.86, 0.026, 0.024, -0.026),
        (0.020, -0.032, 0.90, 0.030, 0.022, 0.012),
        (-0.024, -0.030, 0.78, 0.028, 0.022, -0.014),
    ):
        n = 16
        path = curve(points + spread[:, None] * np.array([x, 0.0, z]), 97)[: int(96 * end) + 1]
        path = path[np.linspace(0, len(path) - 1, n).round().astype(int)]
        t = np.linspace(0.0, 1.0, n)
        path[:, 0] += flick * t**4 + 0.10 * x * np.sin(2.6 * np.pi * t)
        # Broad across the back all the way, however the path turns; the outer locks face outwards.
        out = cross(np.gradient(path, axis=0), np.array([-1.0, 0.0, 0.7 * np.sign(x)]))
        widths, depths = swell(n, 0.22 * wide, wide, 0.42), swell(n, 0.25 * deep, deep, 0.38)
        parts.append(lock(path, widths, depths, out, along(strand, 0.0, end)))
    return parts


def _cowlick() -> Part:
    path = curve([(0.002, 1.562, 0.030), (0.000, 1.590, 0.046), (0.012, 1.600, 0.072), (0.034, 1.588, 0.094)], 9)
    widths, depths = swell(9, 0.005, 0.0075, 0.35), swell(9, 0.003, 0.004, 0.4)
    return lock(path, widths, depths, np.array([0.3, 1.0, 0.5]), still(skeleton(), "head"))


ROUND12 = np.stack([np.cos(np.arange(12) * np.pi / 6), np.sin(np.arange(12) * np.pi / 6)], axis=-1)


def ribbon() -> list[Part]:
    """The bow: a knot, two wings and two ends."""
    knot = curve([np.add(KNOT, (0.0, y, z)) for y, z in ((0.022, 0.004), (0.006, -0.010), (-0.014, -0.010))], 7)
    round_ = 0.021 * np.array([0.45, 0.85, 1.0, 1.05, 1.0, 0.85, 0.45])
    parts = [lock(knot, round_, round_, np.array([0.0, 0.3, -1.0]), still(skeleton(), "head"), ROUND12)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        wing = _STRAND[f"ribbon_wing_{side}"]
        path = curve(wing.points, 9) + np.array([0.0, 0.002, -0.008])
        widths = np.array([0.010, 0.016, 0.024, 0.032, 0.038, 0.042, 0.043, 0.040, 0.028])
        depths = np.array([0.010, 0.011, 0.012, 0.013, 0.014, 0.014, 0.013, 0.010, 0.005])
        parts.append(lock(path, widths, depths, np.array([sign * 0.2, 0.35, -1.0]), along(wing), ROUND12))
        end = _STRAND[f"ribbon_{side}"]
        path = curve(end.points, 12)
        widths = swell(12, 0.008, 0.021, 0.78, 0.3)
        parts.append(lock(path, widths, np.full(12, 0.0035), np.array([sign * 0.5, 0.2, -1.0]), along(end)))
    return parts
