"""The girl: long hair tied with a ribbon, dressed to play; 1.58 m, a little over six heads tall."""

from __future__ import annotations

import numpy as np

from komadori.character import Character
from komadori.characters import body as humanoid
from komadori.characters import figure, girl_face, girl_hair
from komadori.characters.girl_skeleton import STRANDS, THIGH, skeleton
from komadori.characters.modelling import (
    ROUND6,
    Limb,
    Part,
    body,
    follow,
    limb_weights,
    look,
    mesh,
    part,
    ring_tube,
    stack_tube,
    tube,
)
from komadori.characters.solids import Cone, Cut, Row, Solid, Stack, ball, field, lines, mirrored
from komadori.characters.strands import chains
from komadori.quat import Array

EXPRESSIONS = {
    "blink": "blink",
    "happy": "smile",
    **{f"look{way.capitalize()}": f"look_{way}" for way in ("left", "right", "up", "down")},
}
"""Expressions by the names of VRM, and the morph that shows each."""

BUILD = figure.Build(
    trunk=(
        (0.815, 0.0, 0.000, 0.072, 0.062),
        (0.850, 0.0, -0.006, 0.126, 0.090),
        (0.885, 0.0, -0.008, 0.136, 0.092),
        (0.930, 0.0, -0.004, 0.122, 0.082),
        (0.985, 0.0, 0.000, 0.100, 0.070),
        (1.035, 0.0, 0.000, 0.100, 0.070),
        (1.100, 0.0, 0.002, 0.114, 0.078),
        (1.170, 0.0, 0.000, 0.122, 0.078),
        (1.225, 0.0, -0.010, 0.108, 0.066),
        (1.255, 0.0, -0.015, 0.076, 0.052),
        (1.272, 0.0, -0.017, 0.048, 0.042),
    ),
    neck=girl_face.NECK.rows,
    arm=(
        (-0.35, -0.008, 0.002, 0.040, 0.040),
        (0.00, 0.000, 0.000, 0.042, 0.042),
        (0.25, 0.000, 0.001, 0.036, 0.037),
        (0.70, 0.000, 0.001, 0.030, 0.031),
        (1.00, 0.000, -0.001, 0.028, 0.029),
        (1.30, 0.001, 0.002, 0.029, 0.031),
        (1.65, 0.001, 0.001, 0.024, 0.026),
        (1.94, 0.000, 0.000, 0.0175, 0.0205),
        (2.12, -0.001, 0.001, 0.0165, 0.024),
        (2.45, -0.001, 0.003, 0.016, 0.031),
        (2.80, -0.001, 0.002, 0.0135, 0.032),
        (3.00, -0.001, 0.000, 0.0105, 0.030),
    ),
    leg=(
        (-0.08, 0.002, -0.004, 0.062, 0.074),
        (0.12, 0.002, -0.002, 0.066, 0.077),
        (0.40, 0.000, 0.002, 0.062, 0.070),
        (0.70, -0.003, 0.004, 0.052, 0.057),
        (0.93, -0.002, 0.004, 0.044, 0.047),
        (1.03, -0.002, 0.004, 0.0425, 0.0455),
        (1.15, 0.000, -0.004, 0.0425, 0.046),
        (1.36, 0.001, -0.013, 0.0450, 0.0500),
        (1.62, 0.001, -0.010, 0.0375, 0.0405),
        (1.88, 0.000, -0.004, 0.0285, 0.0330),
        (2.06, 0.000, -0.002, 0.0300, 0.0370),
    ),
    foot=(
        (-0.036, 0.000, 0.040, 0.031, 0.036),
        (0.015, 0.000, 0.050, 0.036, 0.050),
        (0.065, 0.002, 0.038, 0.040, 0.038),
        (0.115, 0.003, 0.030, 0.044, 0.030),
        (0.150, 0.002, 0.024, 0.040, 0.024),
    ),
    finger=0.0072,
    palm=0.0280,
)
SLEEVE: tuple[Row, ...] = (
    (-0.17, -0.006, 0.002, 0.049, 0.052),
    (0.00, -0.004, 0.002, 0.050, 0.053),
    (0.15, -0.004, 0.002, 0.049, 0.051),
    (0.46, -0.005, 0.002, 0.053, 0.055),
)
SHORTS: tuple[Row, ...] = (
    (-0.10, 0.000, -0.004, 0.062, 0.078),
    (0.05, 0.003, -0.003, 0.072, 0.088),
    (0.20, 0.005, -0.001, 0.076, 0.088),
    (0.42, 0.009, 0.002, 0.080, 0.090),
)
WAIST: tuple[Row, ...] = (
    (0.800, 0.0, 0.000, 0.070, 0.062),
    (0.845, 0.0, -0.006, 0.130, 0.096),
    (0.885, 0.0, -0.008, 0.140, 0.100),
    (0.930, 0.0, -0.004, 0.126, 0.092),
    (0.975, 0.0, 0.000, 0.113, 0.084),
    (0.995, 0.0, 0.000, 0.112, 0.084),
)
SOCK_TOP = 0.80
"""Where the socks begin, above the knee: a share of the thigh."""

MATERIALS = (
    look("skin", "fde4d4", "efb3a3", 0.0018, "7c4038"),
    look("hair", "ee9350", "b9583f", 0.0022, "5c261f"),
    look("ribbon", "35b0a6", "20757e", 0.0020, "123f4a"),
    look("shirt", "fcf9f3", "c8c4da", 0.0022, "4a4260"),
    look("sleeves", "3d6f86", "284a66", 0.0022, "182a40"),
    look("shorts", "465066", "2c3247", 0.0022, "181a2a"),
    look("socks", "3b4152", "272a3c", 0.0018, "15162a"),
    look("shoes", "f6efe4", "c2b6c2", 0.0022, "4a3f50"),
    look("soles", "e2683c", "a8432f", 0.0018, "54231c"),
    look("trim", "e8743f", "b04a32", 0.0016, "54231c"),
    look("hair shine", "ffc88c", "d98258", 0.0),
    look("hair lines", "8a3b2c", "6e2c24", 0.0),
    look("skin shade", "f3bfae", "e5a596", 0.0),
    look("white", "ffffff", "d9dcec", 0.0),
    look("iris", "1f6e7c", "1a5a6c", 0.0),
    look("iris light", "5fd0c0", "4bb0ac", 0.0),
    look("ink", "3a1f22", "3a1f22", 0.0),
    look("shine", "ffffff", "ffffff", 0.0),
    look("lower lid", "b0625a", "9c524c", 0.0),
    look("brow", "a8523a", "94432f", 0.0),
    look("mouth", "8c3a3c", "7c3034", 0.0),
    look("blush", "f9bfb2", "eaa297", 0.0),
)


def girl() -> Character:
    """The girl in a T-pose: the built-in body's joints and roles, and chains of hair and ribbon."""
    bones = skeleton()
    limbs = figure.limbs(bones, BUILD, girl_face.HEAD)
    pieces: dict[str, list[Part]] = {
        "skin": _skin(limbs),
        "hair": girl_hair.hair(),
        "hair shine": girl_hair.shine(),
        "hair lines": girl_hair.lines_drawn(),
        "ribbon": girl_hair.ribbon(),
        **_clothes(limbs),
        **girl_face.face(bones),
    }
    number = {material.name: n for n, material in enumerate(MATERIALS)}
    meshes = tuple(mesh(name, parts, number[name]) for name, parts in pieces.items())
    expressions = {
        name: {(n, morph): 1.0 for n, one in enumerate(meshes) if morph in one.morphs}
        for name, morph in EXPRESSIONS.items()
    }
    return Character(
        "girl",
        bones,
        meshes=meshes,
        materials=MATERIALS,
        chain_hints=chains(bones, STRANDS),
        expressions=expressions,
        meta={"title": "girl", "licence": "CC0-1.0"},
    )


def _skin(limbs: tuple[Limb, ...]) -> list[Part]:
    bones = skeleton()
    at = figure.places_of(bones)
    solids: tuple[Solid, ...] = (*girl_face.HEAD, girl_face.NECK)
    grid = (
        mirrored(lines((0.12, 0.0135), start=0.00675)),
        lines((1.33, 0.022), (1.57, 0.0130), start=1.13),
        lines((0.0, 0.025), (0.12, 0.0120), start=-0.13),
    )
    head = body(bones, limbs, solids, grid, melt=0.01)
    parts = [
        Part(head.vertices, head.triangles, head.weights, _drawn_normals(head)),
        *figure.fingers(bones, BUILD),
    ]
    for side, sign in humanoid.SIDES:
        arm = figure.arm_solid(at, tuple(r for r in BUILD.arm if r[0] > 0.1), side, sign)
        parts.append(_tube(limbs, arm, 21, 12))
        leg = figure.leg_solid(at, tuple(r for r in BUILD.leg if r[0] < 1.0), side, sign)
        parts.append(_tube(limbs, leg, 14, 16))
    return parts


def _drawn_normals(head: Part) -> Array:
    """Normals that make shadows as one draws them: the face a simple egg, the neck in the chin's shadow."""
    places = head.vertices
    egg = (places - np.array([0.0, 1.425, -0.010])) / np.array([0.098, 0.125, 0.105]) ** 2
    egg /= np.linalg.norm(egg, axis=1, keepdims=True)
    below = np.clip(field(girl_face.HEAD, places)[:, None] / 0.012, 0.0, 1.0)
    on = (1.0 - below) * np.clip(places[:, 2:] / 0.03, 0.0, 1.0)
    below = below * np.clip((places[:, 1:2] - 1.272) / 0.03, 0.0, 1.0)
    normals = head.normals * (1.0 - on) + egg * on - below * np.array([0.0, 1.6, 0.0])
    return np.asarray(normals / np.linalg.norm(normals, axis=1, keepdims=True))


def _tube(
    limbs: tuple[Limb, ...], stack: Stack, rings: int, sides: int, reach: tuple[float, float] | None = None
) -> Part:
    vertices, triangles = stack_tube(stack, rings, sides, reach)
    return part(vertices, triangles, limb_weights(skeleton(), limbs, vertices))


def _thicker(rows: tuple[Row, ...], by: float) -> tuple[Row, ...]:
    return tuple((t, a, b, ra + by, rb + by) for t, a, b, ra, rb in rows)


def _clothes(limbs: tuple[Limb, ...]) -> dict[str, list[Part]]:
    bones = skeleton()
    at = figure.places_of(bones)
    sleeves, socks, trousers, soles, trim = [], [], [], [], [_collar()]
    shorts: list[Solid] = [Stack("y", WAIST)]
    shoes: list[Solid] = []
    for side, sign in humanoid.SIDES:
        sleeve = figure.arm_solid(at, SLEEVE, side, sign)
        sleeves.append(_tube(limbs, sleeve, 11, 16))
        cuff = figure.arm_solid(at, _thicker(SLEEVE, 0.0022), side, sign)
        trim.append(_tube(limbs, cuff, 2, 16, (0.218, 0.232) if sign > 0 else (-0.232, -0.218)))
        wool = _thicker(tuple(r for r in BUILD.leg if r[0] > SOCK_TOP), 0.003)
        socks.append(_tube(limbs, figure.leg_solid(at, wool, side, sign), 18, 12))
        top = float(at[f"{side}_upper_leg"][1]) - 0.93 * THIGH
        trim.append(
            _tube(limbs, figure.leg_solid(at, _thicker(wool, 0.0018), side, sign), 2, 16, (top - 0.026, top - 0.012))
        )
        trousers.append(_tube(limbs, figure.leg_solid(at, SHORTS, side, sign), 9, 20))
        shorts.append(
            Cone((sign * 0.078, 0.850, -0.004), (sign * 0.082, 0.790, -0.002), 0.070, 0.071, (1.0, 1.0, 1.17), 0.03)
        )
        shorts.append(ball((sign * 0.052, 0.850, -0.048), (0.060, 0.060, 0.050), 0.05))
        shoes.append(figure.foot_solid(at, BUILD.foot, side, sign, melt=0.0))
        x, y, z = (float(c) for c in at[f"{side}_foot"])
        shoes.append(Cone((x, y + 0.030, z - 0.006), (x, y - 0.02, z), 0.039, 0.040, melt=0.03))
        soles.append(_sole(limbs, x, z, sign))
        trim.append(_ankle_band(limbs, x, z))
    shorts.append(Cut((0.0, 0.985, 0.0), (0.0, 1.0, 0.0)))
    floor = Cut((0.0, 0.014, 0.0), (0.0, -1.0, 0.0))
    ankle = Cut((0.0, 0.112, 0.0), (0.0, 1.0, 0.12))
    shirt: list[Solid] = [
        Stack("y", _thicker(BUILD.trunk[3:], 0.006), power=2.2),
        Cone((0.0, 1.266, -0.016), (0.092, 1.232, -0.014), 0.034, 0.034, melt=0.03),
        Cone((0.0, 1.266, -0.016), (-0.092, 1.232, -0.014), 0.034, 0.034, melt=0.03),
        ball((0.044, 1.122, 0.046), (0.050, 0.048, 0.040), 0.055),
        ball((-0.044, 1.122, 0.046), (0.050, 0.048, 0.040), 0.055),
        Cut((0.0, 0.962, 0.0), (0.0, -1.0, 0.0)),
        Cut((0.0, 1.278, -0.016), (0.0, 1.0, 0.24)),
    ]
    belt = _thicker(WAIST, 0.0028)
    trim.append(_tube(limbs, Stack("y", belt), 3, 28, (0.956, 0.990)))
    torso = (
        mirrored(lines((0.15, 0.0205), start=0.01025)),
        lines((1.06, 0.025), (1.30, 0.0190), start=0.93),
        lines((0.13, 0.0195), start=-0.12),
    )
    hips = (
        mirrored(lines((0.20, 0.0235), start=0.01175)),
        lines((1.01, 0.0240), start=0.695),
        lines((0.13, 0.0215), start=-0.14),
    )
    feet = (
        mirrored(lines((0.14, 0.0165), start=0.00825)),
        lines((0.15, 0.0170), start=-0.02),
        lines((0.21, 0.0200), start=-0.10),
    )
    return {
        "shirt": [body(bones, limbs, shirt, torso)],
        "sleeves": sleeves,
        "shorts": [body(bones, limbs, shorts, hips), *trousers],
        "socks": socks,
        "trim": trim,
        "shoes": [body(bones, limbs, [*shoes, floor, ankle], feet)],
        "soles": soles,
    }


def _sole(limbs: tuple[Limb, ...], x: float, z: float, sign: float) -> Part:
    """A slab in the foot's outline."""
    rows = np.array(BUILD.foot)
    at = z + np.array([-0.070, -0.058, *(1.02 * rows[1:, 0]), 0.170, 0.179])
    half = np.array([0.012, 0.030, *(rows[1:, 3] + 0.003), 0.030, 0.012])
    middle = np.interp(at - z, rows[:, 0], x + sign * rows[:, 1])
    edge = np.concatenate([np.stack([at, middle + half], axis=-1), np.stack([at, middle - half], axis=-1)[::-1]])
    centre = edge.mean(axis=0)
    heights = (0.0, 0.004, 0.020, 0.024)
    sizes = np.array([0.96, 1.0, 1.0, 0.94])[:, None]
    centres = np.array([(centre[1], height, centre[0]) for height in heights])
    vertices, triangles = tube(centres, sizes * [0.0, 0.0, 1.0], sizes * [1.0, 0.0, 0.0], (edge - centre)[::-1])
    return part(vertices, triangles, limb_weights(skeleton(), limbs, vertices))


def _ankle_band(limbs: tuple[Limb, ...], x: float, z: float) -> Part:
    turn = np.arange(16) * 2.0 * np.pi / 16
    out = np.stack([np.sin(turn), 0.0 * turn, np.cos(turn)], axis=-1)
    path = np.array([x, 0.110, z - 0.005]) + out * [0.036, 0.0, 0.039] + np.outer(np.cos(turn), [0.0, -0.004, 0.0])
    vertices, triangles = ring_tube(path, out, 0.006 * ROUND6)
    return part(vertices, triangles, limb_weights(skeleton(), limbs, vertices))


def _collar() -> Part:
    """A band around the neck."""
    turn = np.arange(24) * 2.0 * np.pi / 24
    out = np.stack([np.sin(turn), 0.5 + 0.0 * turn, np.cos(turn)], axis=-1)
    path = (
        np.array([0.0, 1.281, -0.016])
        + out * [0.0405, 0.0, 0.0405]
        + np.stack([0.0 * turn, -0.009 * np.cos(turn), 0.003 + 0.0 * turn], axis=-1)
    )
    oval = np.array(
        [(0.009, 0.0), (0.005, 0.0055), (-0.005, 0.0055), (-0.009, 0.0), (-0.005, -0.0055), (0.005, -0.0055)]
    )
    vertices, triangles = ring_tube(path, out, oval)
    bones = skeleton()
    weights = 0.6 * follow(bones, bones.index("upper_chest"), len(vertices)) + 0.4 * follow(
        bones, bones.index("neck"), len(vertices)
    )
    return part(vertices, triangles, weights)
