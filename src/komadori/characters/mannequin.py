"""The mannequin: a plain figure on the built-in skeleton, with the construction lines that animators draw first."""

from __future__ import annotations

import numpy as np

from komadori.character import Character
from komadori.characters import body, figure
from komadori.characters.modelling import ROUND4, Part, follow, lock, look, mesh, part, ring_tube, still
from komadori.characters.modelling import body as skin
from komadori.characters.solids import Cone, Cut, Solid, Stack, ball, field, lines, mirrored, slope
from komadori.quat import Array
from komadori.skeleton import Skeleton

LINE = 0.0022
"""Half the width of a construction line."""
BUILD = figure.Build(
    trunk=(
        (0.860, 0.0, -0.004, 0.080, 0.070),
        (0.895, 0.0, -0.010, 0.132, 0.096),
        (0.935, 0.0, -0.012, 0.146, 0.100),
        (0.985, 0.0, -0.006, 0.136, 0.092),
        (1.050, 0.0, 0.000, 0.124, 0.084),
        (1.105, 0.0, 0.000, 0.122, 0.086),
        (1.180, 0.0, 0.000, 0.142, 0.100),
        (1.265, 0.0, -0.002, 0.158, 0.106),
        (1.325, 0.0, -0.014, 0.142, 0.092),
        (1.365, 0.0, -0.022, 0.098, 0.066),
        (1.390, 0.0, -0.024, 0.055, 0.050),
    ),
    neck=(
        (1.370, 0.0, -0.026, 0.058, 0.056),
        (1.420, 0.0, -0.018, 0.047, 0.049),
        (1.490, 0.0, -0.006, 0.045, 0.048),
    ),
    arm=(
        (-0.42, -0.012, 0.004, 0.052, 0.054),
        (-0.05, 0.000, 0.002, 0.060, 0.058),
        (0.18, -0.002, 0.002, 0.053, 0.052),
        (0.50, -0.002, 0.004, 0.044, 0.046),
        (0.85, 0.000, 0.000, 0.038, 0.039),
        (1.00, 0.000, -0.002, 0.037, 0.039),
        (1.25, 0.001, 0.003, 0.038, 0.042),
        (1.60, 0.001, 0.002, 0.030, 0.034),
        (1.92, 0.000, 0.000, 0.0215, 0.028),
        (2.10, -0.001, 0.002, 0.020, 0.032),
        (2.45, -0.002, 0.004, 0.019, 0.041),
        (2.80, -0.002, 0.003, 0.0165, 0.042),
        (3.02, -0.002, 0.000, 0.013, 0.039),
    ),
    leg=(
        (-0.10, 0.004, -0.004, 0.070, 0.084),
        (0.10, 0.003, -0.002, 0.074, 0.090),
        (0.35, -0.001, 0.004, 0.071, 0.083),
        (0.70, -0.004, 0.006, 0.058, 0.065),
        (0.93, -0.004, 0.006, 0.051, 0.055),
        (1.02, -0.003, 0.006, 0.049, 0.053),
        (1.15, -0.001, -0.004, 0.050, 0.053),
        (1.35, 0.002, -0.016, 0.053, 0.058),
        (1.60, 0.001, -0.012, 0.043, 0.046),
        (1.88, 0.000, -0.004, 0.031, 0.036),
        (2.06, 0.000, -0.002, 0.033, 0.042),
    ),
    foot=(
        (-0.034, 0.000, 0.034, 0.028, 0.032),
        (0.020, 0.000, 0.044, 0.034, 0.046),
        (0.075, 0.002, 0.032, 0.040, 0.034),
        (0.130, 0.004, 0.020, 0.044, 0.023),
        (0.175, 0.002, 0.014, 0.036, 0.016),
    ),
    finger=0.0088,
    palm=0.036,
)

HEAD: tuple[Solid, ...] = (
    ball((0.0, 1.560, -0.006), (0.076, 0.092, 0.092), 0.012),
    Cone((0.0, 1.535, 0.030), (0.0, 1.474, 0.058), 0.054, 0.021, (1.0, 1.0, 0.92), 0.040),
    Cone((0.0, 1.548, 0.076), (0.0, 1.522, 0.090), 0.007, 0.010, melt=0.022),
)
MATERIALS = (
    look("body", "efe6da", "b9a6a6", 0.0028, "4a3a40"),
    look("construction lines", "e2604a", "a84048", 0.0),
)


def mannequin() -> Character:
    """The mannequin in its T-pose, 1.65 m tall, on `body.humanoid()`."""
    skeleton = body.humanoid()
    limbs = figure.limbs(skeleton, BUILD, HEAD)
    trunk = (Stack("y", BUILD.trunk, power=2.25), Stack("y", BUILD.neck, melt=0.03))
    solids: list[Solid] = [*trunk, *(s for limb in limbs[2:] for s in limb.solids), *HEAD]
    # The chest's two halves, the seat, the collar: enough for light and shadow to tell front from back.
    for sign in (1.0, -1.0):
        solids += [
            ball((sign * 0.062, 1.262, 0.056), (0.070, 0.058, 0.046), 0.05),
            ball((sign * 0.062, 0.885, -0.062), (0.066, 0.066, 0.050), 0.06),
            Cone((sign * 0.02, 1.372, -0.018), (sign * 0.15, 1.366, -0.024), 0.034, 0.044, melt=0.06),
        ]
    solids.append(Cut((0.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
    coat = skin(skeleton, limbs, solids, _grid())
    marks = _construction_lines(skeleton)
    return Character(
        "mannequin",
        skeleton,
        meshes=(
            mesh("body", [coat, *figure.fingers(skeleton, BUILD)], 0),
            mesh("construction lines", marks, 1),
        ),
        materials=MATERIALS,
        meta={"title": "mannequin", "licence": "CC0-1.0"},
    )


def _grid() -> tuple[Array, Array, Array]:
    half = lines((0.17, 0.0235), (0.40, 0.033), (0.46, 0.0205), (0.64, 0.035), (0.78, 0.021), start=0.0118)
    ys = lines(
        (0.06, 0.018),
        (0.40, 0.042),
        (0.54, 0.029),
        (0.80, 0.042),
        (1.0, 0.029),
        (1.28, 0.030),
        (1.40, 0.0185),
        (1.70, 0.0205),
        start=-0.027,
    )
    return mirrored(half), ys, lines((0.12, 0.0225), (0.25, 0.025), start=-0.17)


def _construction_lines(skeleton: Skeleton) -> list[Part]:
    """The cross on the face and the line around the head, as thin cords on the skin."""
    turn = np.arange(28) * 2.0 * np.pi / 28
    around = np.stack([np.sin(turn), np.full(28, -0.06), np.cos(turn)], axis=-1)
    down = np.radians(np.linspace(-96.0, 50.0, 18))
    face = np.stack([np.zeros(18), -np.sin(down), np.cos(down)], axis=-1)
    level, level_out = _on_head(around)
    middle, middle_out = _on_head(face)
    vertices, triangles = ring_tube(level, level_out, LINE * ROUND4)
    thin = np.full(18, LINE)
    thin[[0, -1]] *= 0.3
    return [
        part(vertices, triangles, follow(skeleton, skeleton.index("head"), len(vertices))),
        lock(middle, thin, thin, middle_out, still(skeleton, "head"), ROUND4),
    ]


def _on_head(ways: Array) -> tuple[Array, Array]:
    """Where rays from the head's middle along `ways` (N, 3) leave it, and the normals there."""
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True)
    places = np.array([0.0, 1.550, 0.0]) + 0.12 * ways
    for _ in range(16):
        places = places - np.minimum(field(HEAD, places), 0.03)[:, None] * ways
    normals = slope(HEAD, places)
    return places, normals / np.linalg.norm(normals, axis=1, keepdims=True)
