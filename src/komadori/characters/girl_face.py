"""The girl's head and the face that is drawn on it: eyes, lashes, brows, mouth, in layers of flat colour."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from komadori.characters.modelling import ROUND4, Part, band, curve, lock, sheet, still
from komadori.characters.solids import Cone, Solid, Stack, ball, field
from komadori.quat import Array
from komadori.skeleton import Skeleton

NOSE = Cone((0.0, 1.404, 0.088), (0.0, 1.391, 0.1010), 0.003, 0.0035, melt=0.014)
HEAD: tuple[Solid, ...] = (
    ball((0.0, 1.458, -0.006), (0.097, 0.104, 0.106)),
    Cone((0.0, 1.422, 0.022), (0.0, 1.356, 0.062), 0.079, 0.019, (0.96, 1.0, 0.95), 0.03),
    ball((0.033, 1.396, 0.042), (0.038, 0.038, 0.040), 0.04),
    ball((-0.033, 1.396, 0.042), (0.038, 0.038, 0.040), 0.04),
    NOSE,
    ball((0.096, 1.410, 0.000), (0.011, 0.029, 0.019), 0.008),
    ball((-0.096, 1.410, 0.000), (0.011, 0.029, 0.019), 0.008),
)
NECK = Stack(
    "y",
    (
        (1.180, 0.0, -0.018, 0.046, 0.034),
        (1.262, 0.0, -0.016, 0.0300, 0.032),
        (1.310, 0.0, -0.010, 0.0265, 0.031),
        (1.385, 0.0, -0.004, 0.029, 0.035),
    ),
    melt=0.012,
)
EYE = (0.0415, 1.4165)
EYE_SIZE = (0.0240, 0.0262)
"""Half width and half height of an eye."""
LOOKS = {"left": (0.26, 0.0), "right": (-0.26, 0.0), "up": (0.0, 0.14), "down": (0.0, -0.14)}
"""How far eyes look about: to her left, in half widths, and up, in half heights."""
CLOSED = -0.50
"""Where the lids meet, in half heights."""


@lru_cache(maxsize=1)
def _relief() -> tuple[Array, Array, Array]:
    """Lines x, lines y and the face's z over them, seen from the front."""
    xs, ys = np.linspace(-0.094, 0.094, 48), np.linspace(1.340, 1.548, 53)
    flat = np.stack([g.ravel() for g in np.meshgrid(xs, ys, indexing="ij")], axis=-1)
    places = np.concatenate([flat, np.full((len(flat), 1), 0.12)], axis=1)
    # The nose is omitted: what is drawn beside it must not climb it.
    plain = tuple(solid for solid in HEAD if solid != NOSE)
    for _ in range(16):
        places[:, 2] = np.maximum(places[:, 2] - np.minimum(field(plain, places), 0.03), -0.05)
    return xs, ys, places[:, 2].reshape(len(xs), len(ys))


def on_face(flat: Array) -> tuple[Array, Array]:
    """Places on the face and its normals (N, 3) for `flat` (N, 2) x and y, seen from the front."""
    xs, ys, relief = _relief()
    u = np.clip((flat[:, 0] - xs[0]) / (xs[1] - xs[0]), 0.0, len(xs) - 1.001)
    v = np.clip((flat[:, 1] - ys[0]) / (ys[1] - ys[0]), 0.0, len(ys) - 1.001)
    i, j = u.astype(np.intp), v.astype(np.intp)
    s, t = u - i, v - j
    a, b, c, d = relief[i, j], relief[i + 1, j], relief[i, j + 1], relief[i + 1, j + 1]
    z = (a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t
    slope_x = ((b - a) * (1 - t) + (d - c) * t) / (xs[1] - xs[0])
    slope_y = ((c - a) * (1 - s) + (d - b) * s) / (ys[1] - ys[0])
    normals = np.stack([-slope_x, -slope_y, np.ones_like(z)], axis=-1)
    return np.column_stack([flat, z]), normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _lid(u: Array) -> Array:
    """The upper lid's height over u, in half heights."""
    return np.asarray(0.93 - 0.30 * (u + 0.10) ** 2 - 0.14 * np.maximum(u, 0.0) ** 3 - 0.22 * np.maximum(-u, 0.0) ** 3)


def _under(u: Array) -> Array:
    """The lower lid's height over u."""
    return np.asarray(-0.98 + 0.42 * u**2 + 0.30 * np.maximum(-u, 0.0) ** 3)


def _line(u: Array) -> Array:
    """The closed eye's line over u."""
    return np.asarray(CLOSED + 0.24 * u**2)


def _white() -> Array:
    u = np.cos(np.linspace(0.0, 2.0 * np.pi, 29)[:-1]) * 0.97
    up = np.arange(28) < 14
    return np.stack([u, np.where(up, _lid(u) - 0.02, _under(u))], axis=-1)


def _oval(cu: float, cv: float, ru: float, rv: float, count: int = 20) -> Array:
    turn = np.arange(count) * 2.0 * np.pi / count
    return np.stack([cu + ru * np.cos(turn), cv + rv * np.sin(turn)], axis=-1)


def _blinked(uv: Array) -> Array:
    """Where a point of the open eye goes when it closes."""
    u, v = uv.T
    return np.stack([u, _line(u) + 0.015 * v], axis=-1)


class Face:
    """Draws on both sides of the face, and keeps every colour's parts."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.still = still(skeleton, "head")
        self.row = np.zeros(len(skeleton))
        self.row[skeleton.index("head")] = 1.0
        self.colours: dict[str, list[Part]] = {}

    def _keep(self, colour: str, rest: Part, **morphed: Part) -> None:
        moves = {name: other.vertices - rest.vertices for name, other in morphed.items()}
        self.colours.setdefault(colour, []).append(
            Part(rest.vertices, rest.triangles, rest.weights, rest.normals, moves)
        )

    def patch(self, colour: str, outline: Array, height: float, **morphed: Array) -> None:
        """A filled shape."""
        parts = {n: sheet(o, on_face, height, 0.0015, self.row) for n, o in {"rest": outline, **morphed}.items()}
        self._keep(colour, parts.pop("rest"), **parts)

    def stroke(self, colour: str, line: Array, widths: Array, height: float, **morphed: Array) -> None:
        """A pen stroke of half `widths` along `line`."""
        parts = {}
        for name, path in {"rest": line, **morphed}.items():
            places, normals = on_face(path)
            thin = np.full(len(widths), 0.0006)
            parts[name] = lock(places + height * normals, widths, thin, normals, self.still, ROUND4)
        self._keep(colour, parts.pop("rest"), **parts)


def face(skeleton: Skeleton) -> dict[str, list[Part]]:
    """All that is drawn on the face, by colour."""
    pen = Face(skeleton)
    for sign in (1.0, -1.0):
        _eye(pen, sign)
    teeth = np.array(BANGS_SHADOW)
    brim = np.stack([0.96 * teeth[:, 0], 1.508 - 3.0 * teeth[:, 0] ** 2], axis=-1)
    pen.colours["skin shade"] = [band(teeth, brim, on_face, 0.0001, 0.0015, pen.row)]
    nose = np.array([(0.0018, 1.3925), (0.0026, 1.3905), (0.0016, 1.3888)])
    pen.stroke("skin shade", nose, np.array([0.0006, 0.0013, 0.0006]), 0.0052)
    mouth = np.linspace(-1.0, 1.0, 11)
    rest = np.stack([0.0125 * mouth, 1.3735 + 0.0022 * mouth**2], axis=-1)
    smile = np.stack([0.0185 * mouth, 1.3725 + 0.0075 * mouth**2], axis=-1)
    taper = np.array([0.25, 0.7, 0.95, 1.0, 1.0, 1.0, 1.0, 1.0, 0.95, 0.7, 0.25])
    pen.stroke("mouth", rest, 0.0011 * taper, 0.0008, smile=smile)
    lip = np.linspace(-1.0, 1.0, 5)
    under = np.stack([0.0042 * lip, 1.3655 - 0.0004 * lip**2], axis=-1)
    pen.stroke("blush", under, 0.0007 * np.array([0.3, 0.9, 1.0, 0.9, 0.3]), 0.0006, smile=under - [0.0, 0.0015])
    return pen.colours


BANGS_SHADOW = (
    (-0.086, 1.440),
    (-0.078, 1.429),
    (-0.060, 1.462),
    (-0.0435, 1.443),
    (-0.026, 1.468),
    (-0.0093, 1.434),
    (0.007, 1.466),
    (0.024, 1.449),
    (0.039, 1.468),
    (0.0535, 1.437),
    (0.067, 1.462),
    (0.0795, 1.428),
    (0.086, 1.440),
)
"""The lower edge of the shadow that the bangs throw on the forehead."""


def _eye(pen: Face, sign: float) -> None:
    (cx, cy), (w, h) = EYE, EYE_SIZE

    def at(uv: Array) -> Array:
        """Eye coordinates (u outwards, v up) on the face; the order turns with the side."""
        flat = np.stack([sign * (cx + w * uv[:, 0]), cy + h * uv[:, 1]], axis=-1)
        return flat if sign > 0 else flat[::-1]

    def line(uv: Array) -> Array:
        return np.stack([sign * (cx + w * uv[:, 0]), cy + h * uv[:, 1]], axis=-1)

    def patch(colour: str, uv: Array, height: float) -> None:
        half = np.stack([uv[:, 0], np.minimum(uv[:, 1], _lid(uv[:, 0]) - 0.30 - 0.12 * (uv[:, 0] + 0.1))], axis=-1)
        # The iris and what lies on it look about; the white stays.
        looks = (
            {}
            if colour == "white"
            else {f"look_{way}": at(uv + np.array([sign * u, v])) for way, (u, v) in LOOKS.items()}
        )
        pen.patch(colour, at(uv), height, blink=at(_blinked(uv)), smile=at(0.7 * uv + 0.3 * half), **looks)

    patch("white", _white(), 0.0003)
    patch("iris", _oval(-0.04, -0.03, 0.66, 0.92), 0.0007)
    patch("iris light", _oval(-0.04, -0.44, 0.53, 0.46), 0.0011)
    patch("ink", _oval(-0.04, 0.04, 0.28, 0.44, 16), 0.0015)
    # The light falls from one side on both eyes.
    patch("shine", _oval(-0.06 - sign * 0.26, 0.36, 0.20, 0.23, 14), 0.0020)
    patch("shine", _oval(-0.06 + sign * 0.27, -0.46, 0.10, 0.11, 10), 0.0020)

    u = np.linspace(-1.05, 1.16, 15)
    lash = np.stack([u, _lid(u) + 0.02], axis=-1)
    lash[-1] += [0.10, 0.24]
    lash[-2] += [0.03, 0.03]
    shut = np.stack([u, _line(u)], axis=-1)
    thick = 0.0036 * np.array([0.25, 0.5, 0.66, 0.78, 0.86, 0.92, 0.97, 1.0, 1.02, 1.04, 1.06, 1.06, 0.95, 0.6, 0.1])
    lower = np.stack([u, lash[:, 1] - 0.05], axis=-1)
    pen.stroke("ink", line(lash), thick, 0.0024, blink=line(shut), smile=line(lower))
    # A second short lash makes the outer corner a wing.
    wing = np.array([(0.84, 0.46), (1.02, 0.36), (1.20, 0.36), (1.34, 0.46)])
    pen.stroke("ink", line(wing), 0.0019 * np.array([0.7, 1.0, 0.7, 0.1]), 0.0022, blink=line(wing - [0.04, 0.82]))
    u = np.linspace(0.05, 0.86, 6)
    below = np.stack([u, _under(u) - 0.02], axis=-1)
    pen.stroke(
        "lower lid", line(below), 0.0009 * np.array([0.2, 0.7, 1.0, 1.0, 0.8, 0.2]), 0.0008, blink=line(_blinked(below))
    )
    u = np.linspace(-0.72, 0.88, 8)
    crease = np.stack([u, _lid(u) + 0.36 - 0.10 * np.abs(u)], axis=-1)
    pen.stroke("lower lid", line(crease), 0.0006 * np.array([0.2, 0.6, 0.9, 1.0, 1.0, 0.9, 0.6, 0.2]), 0.0006)
    brow = curve([(-0.80, 1.60), (-0.25, 1.70), (0.40, 1.66), (1.08, 1.36)], 9)
    up = brow + np.array([0.0, 0.14])
    pen.stroke(
        "brow", line(brow), 0.0016 * np.array([0.5, 0.9, 1.0, 1.0, 0.95, 0.85, 0.7, 0.5, 0.15]), 0.0009, smile=line(up)
    )
    blush = _oval(0.42, -1.62, 0.62, 0.26, 14)
    pen.patch("blush", at(blush), 0.0004)
