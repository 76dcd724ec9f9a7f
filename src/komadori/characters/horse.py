"""The horse: a bay with black mane and tail, white blaze and socks; walk and trot come with it."""

from __future__ import annotations

import numpy as np

from komadori.character import Character
from komadori.characters.acting import through
from komadori.characters.body import SIDES
from komadori.characters.figure import places_of
from komadori.characters.horse_gait import GAITS
from komadori.characters.horse_hair import chains, ear, mane, tail
from komadori.characters.horse_skeleton import skeleton
from komadori.characters.modelling import (
    ROUND4,
    ROUND6,
    Limb,
    Part,
    body,
    follow,
    lock,
    look,
    mesh,
    part,
    still,
    tube,
)
from komadori.characters.solids import Cone, Row, Solid, Stack, ball, field, lines, mirrored, slope
from komadori.quat import Array, cross

MATERIALS = (
    look("coat", "b5713f", "7c4636", 0.0045, "35191a"),
    look("mane", "3d2b33", "261b28", 0.0040, "150d16"),
    look("socks", "f3ebdf", "bfb0b4", 0.0040, "4a3a40"),
    look("hooves", "4b3d42", "30272f", 0.0036, "1a1218"),
    look("muzzle", "8a5a4a", "633f3d", 0.0, "35191a"),
    look("blaze", "f6efe4", "cdbfc0", 0.0),
    look("eyes", "2a1a1e", "2a1a1e", 0.0),
    look("shine", "ffffff", "ffffff", 0.0),
)

# z, middle (x, y), half sizes (x, y)
BARREL: tuple[Row, ...] = (
    (-0.68, 0.0, 1.225, 0.130, 0.130),
    (-0.60, 0.0, 1.200, 0.205, 0.212),
    (-0.44, 0.0, 1.175, 0.246, 0.252),
    (-0.20, 0.0, 1.145, 0.238, 0.256),
    (0.08, 0.0, 1.110, 0.252, 0.290),
    (0.30, 0.0, 1.105, 0.242, 0.300),
    (0.46, 0.0, 1.115, 0.205, 0.270),
    (0.57, 0.0, 1.115, 0.150, 0.200),
)
NECK: tuple[Solid, ...] = (
    Cone((0.0, 1.20, 0.46), (0.0, 1.46, 0.70), 0.225, 0.148, (0.62, 1.0, 1.0), 0.10),
    Cone((0.0, 1.46, 0.70), (0.0, 1.69, 0.83), 0.148, 0.100, (0.62, 1.0, 1.0), 0.05),
)
HEAD: tuple[Solid, ...] = (
    Cone((0.0, 1.675, 0.870), (0.0, 1.440, 1.125), 0.098, 0.056, (0.80, 1.0, 1.0), 0.04),
    ball((0.0, 1.595, 0.885), (0.074, 0.098, 0.092), 0.04),
    ball((0.0, 1.420, 1.140), (0.056, 0.062, 0.062), 0.04),
)
SHANK: tuple[Row, ...] = (
    # along the bones (0 the upper joint, 1 hock or knee, 2 fetlock), half sizes across and along
    (0.70, 0.034, 0.044),
    (0.88, 0.046, 0.062),
    (1.02, 0.048, 0.064),
    (1.20, 0.039, 0.049),
    (1.60, 0.036, 0.044),
    (1.80, 0.037, 0.046),
)


def horse() -> Character:
    """The horse at rest, 1.5 m at the withers, with its walk and its trot."""
    bones = skeleton()
    limbs = _limbs()
    coat = [_coat(limbs)]
    socks, hooves = [], []
    for side, sign in SIDES:
        for names in (
            ("back_upper_leg", "back_lower_leg", "back_foot", "back_foot_end"),
            ("front_lower_leg", "front_foot", "front_pastern", "front_pastern_end"),
        ):
            shank, sock, hoof = _lower_leg([f"{side}_{name}" for name in names])
            coat.append(shank)
            socks.append(sock)
            hooves.append(hoof)
        coat.append(ear(side, sign))
    pieces = {
        "coat": coat,
        "mane": [*mane(limbs[:3]), *tail()],
        "socks": socks,
        "hooves": hooves,
        "muzzle": _nostrils(),
        "blaze": [_blaze()],
        "eyes": _eyes(),
        "shine": _glints(),
    }
    number = {material.name: n for n, material in enumerate(MATERIALS)}
    return Character(
        "horse",
        bones,
        meshes=tuple(mesh(name, parts, number[name]) for name, parts in pieces.items()),
        materials=MATERIALS,
        chain_hints=chains(),
        motions={name: gait.motion() for name, gait in GAITS.items()},
        meta={"title": "horse", "licence": "CC0-1.0"},
    )


def _haunch(sign: float) -> tuple[Solid, ...]:
    return (
        Cone((sign * 0.13, 1.16, -0.53), (sign * 0.150, 0.90, -0.42), 0.205, 0.135, (0.58, 1.0, 1.0), 0.07),
        Cone((sign * 0.120, 1.16, -0.61), (sign * 0.145, 0.86, -0.54), 0.145, 0.090, (0.60, 1.0, 1.0), 0.07),
        Cone((sign * 0.150, 0.92, -0.42), (sign * 0.150, 0.60, -0.600), 0.125, 0.060, (0.66, 1.0, 1.0), 0.06),
    )


def _fore(sign: float) -> tuple[Solid, ...]:
    return (
        Cone((sign * 0.110, 1.30, 0.40), (sign * 0.140, 1.03, 0.50), 0.120, 0.140, (0.62, 1.0, 1.0), 0.08),
        Cone((sign * 0.145, 1.00, 0.46), (sign * 0.150, 0.86, 0.40), 0.130, 0.105, (0.62, 1.0, 1.0), 0.06),
        Cone((sign * 0.150, 0.86, 0.395), (sign * 0.150, 0.53, 0.395), 0.100, 0.054, (0.70, 1.0, 1.0), 0.05),
    )


WITHERS = Cone((0.0, 1.36, 0.00), (0.0, 1.425, 0.34), 0.055, 0.062, (1.0, 1.0, 1.0), 0.14)


def _limbs() -> tuple[Limb, ...]:
    at = places_of(skeleton())
    up = np.array([0.0, 0.76, 0.65])
    front = [float(at[n][2]) for n in ("torso", "torso_2", "torso_3")]
    rise = [float(at[n] @ up) for n in ("neck_1", "neck_2", "head")]
    result = [
        Limb(
            ("back", "torso", "torso_2", "torso_3"),
            (0.0, 0.0, 1.0),
            tuple(front),
            (0.26, 0.28, 0.24),
            (Stack("z", BARREL), WITHERS),
        ),
        Limb(("torso_3", "neck_1", "neck_2", "head"), tuple(up.tolist()), tuple(rise), (0.26, 0.22, 0.12), NECK),
        Limb(("head",), (0.0, 1.0, 0.0), (), (), HEAD),
    ]
    for side, sign in SIDES:
        for top, names, solids, widths in (
            (
                "back",
                ("back_leg", "back_upper_leg", "back_lower_leg", "back_foot"),
                _haunch(sign),
                (0.26, 0.16, 0.09, 0.05),
            ),
            (
                "torso_3",
                ("front_shoulder", "front_upper_leg", "front_lower_leg", "front_foot", "front_pastern"),
                _fore(sign),
                (0.16, 0.14, 0.14, 0.09, 0.05),
            ),
        ):
            joints = [f"{side}_{name}" for name in names]
            bends = tuple(-float(at[name][1]) for name in joints)
            result.append(Limb((top, *joints), (0.0, -1.0, 0.0), bends, widths, solids, sign))
    return tuple(result)


def _solids() -> list[Solid]:
    return [
        Stack("z", BARREL),
        WITHERS,
        ball((0.0, 1.325, -0.50), (0.15, 0.10, 0.22), 0.10),
        *(solid for _, sign in SIDES for solid in (*_haunch(sign), *_fore(sign))),
        *NECK,
        *HEAD,
    ]


def _coat(limbs: tuple[Limb, ...]) -> Part:
    grid = (
        mirrored(lines((0.32, 0.036), start=0.018)),
        lines((0.83, 0.060), (1.36, 0.054), (1.86, 0.040), start=0.43),
        lines((-0.30, 0.052), (0.28, 0.075), (0.70, 0.050), (1.27, 0.042), start=-0.92),
    )
    return body(skeleton(), limbs, _solids(), grid, melt=0.08)


def _lower_leg(names: list[str]) -> tuple[Part, Part, Part]:
    """From above hock or knee to the hoof: the coat's part, the sock and the hoof."""
    bones, at = skeleton(), places_of(skeleton())
    points = [at[name] for name in names]
    joints = [bones.index(name) for name in names[:3]]

    def shaft(rows: tuple[Row, ...], count: int) -> Part:
        t = np.linspace(rows[0][0], rows[-1][0], count)
        wide, deep = through(rows, t).T
        path = np.stack([np.interp(t, [0.0, 1.0, 2.0, 3.0], [p[n] for p in points]) for n in range(3)], axis=-1)
        # Joints are round: the path cuts their corners a little.
        path[1:-1] = 0.5 * path[1:-1] + 0.25 * (path[:-2] + path[2:])
        across = np.repeat([[1.0, 0.0, 0.0]], count, axis=0)
        ahead = np.gradient(path, axis=0)
        fore = cross(ahead / np.linalg.norm(ahead, axis=1, keepdims=True), across)
        turns = np.arange(9) * 2.0 * np.pi / 9
        outline = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
        vertices, triangles = tube(path, across * wide[:, None], fore * deep[:, None], outline)
        along = np.concatenate([np.repeat(t, 9), t[[0, -1]]])
        weights = np.zeros((len(vertices), len(bones)))
        for n, joint in enumerate(joints):
            weights[:, joint] = np.clip(0.5 + (along - n) / 0.24, 0.0, 1.0) if n else 1.0
        for n in range(len(joints) - 1):
            weights[:, joints[n]] -= weights[:, joints[n + 1]]
        return part(vertices, triangles, weights)

    shank = shaft(SHANK, 13)
    sock = shaft(
        (
            (1.62, 0.0390, 0.0470),
            (1.86, 0.0425, 0.0515),
            (2.00, 0.0445, 0.0535),
            (2.16, 0.041, 0.046),
            (2.42, 0.040, 0.045),
            (2.60, 0.038, 0.042),
        ),
        8,
    )
    return shank, sock, _hoof(points[2], points[3], joints[2])


def _hoof(fetlock: Array, toe: Array, joint: int) -> Part:
    """A blunt cone, flat on the ground, its toe at `toe`."""
    x, z = float(toe[0]), float(toe[2])
    lean = float(toe[2] - fetlock[2])
    heights = np.array([0.0, 0.012, 0.078, 0.092])
    middle = z - 0.062 - heights * lean / max(float(fetlock[1]), 1e-9) * 0.75
    half = np.array([0.056, 0.058, 0.047, 0.038])
    centres = np.stack([np.full(4, x), heights, middle], axis=-1)
    turns = np.arange(12) * 2.0 * np.pi / 12
    outline = np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    size = half[:, None]
    vertices, triangles = tube(centres, size * [0.0, 0.0, 1.08], size * [1.0, 0.0, 0.0], outline)
    return part(vertices, triangles, follow(skeleton(), joint, len(vertices)))


def _seen(points: Array, way: Array) -> tuple[Array, Array]:
    """Where rays from `points` (N, 3) along `way` (3,) meet the head, and its normals there."""
    solids = [*NECK, *HEAD]
    places = points
    for _ in range(20):
        places = places + np.minimum(field(solids, places), 0.05)[:, None] * way
    normals = slope(solids, places)
    return places, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _blaze() -> Part:
    t = np.linspace(0.0, 1.0, 12)
    line = np.array([0.0, 1.735, 0.960]) + t[:, None] * np.array([0.0, -0.225, 0.225]) + [0.0, 0.10, 0.10]
    places, normals = _seen(line, np.array([0.0, -0.707, -0.707]))
    widths = 0.030 * np.array([0.1, 0.75, 1.0, 0.9, 0.72, 0.62, 0.6, 0.62, 0.7, 0.8, 0.7, 0.2])
    return lock(places + 0.001 * normals, widths, np.full(12, 0.004), normals, still(skeleton(), "head"), ROUND4)


def _spot(
    centre: tuple[float, float, float], long: tuple[float, float], sign: float, size: float, proud: float
) -> Part:
    """A lens on the side of the head: half length along `long` (y, z), half height `size`."""
    t = np.linspace(-1.0, 1.0, 7)
    line = np.array(centre) * [sign, 1.0, 1.0] + t[:, None] * np.array([0.0, *long]) + [sign * 0.06, 0.0, 0.0]
    places, normals = _seen(line, np.array([-sign, 0.0, 0.0]))
    widths = size * np.sqrt(np.maximum(1.0 - t**2, 0.02))
    return lock(places + proud * normals, widths, np.full(7, 0.002), normals, still(skeleton(), "head"), ROUND6)


def _eyes() -> list[Part]:
    return [_spot((0.08, 1.648, 0.940), (-0.012, 0.024), sign, 0.0165, 0.0015) for _, sign in SIDES]


def _glints() -> list[Part]:
    return [_spot((0.08, 1.655, 0.944), (-0.002, 0.006), sign, 0.0055, 0.0038) for _, sign in SIDES]


def _nostrils() -> list[Part]:
    return [_spot((0.05, 1.425, 1.158), (-0.014, 0.010), sign, 0.0085, 0.0010) for _, sign in SIDES]
