"""Six short scenes of a strand, drawn by code for this project.

They are not the paper's scenes: those are films. Five follow the textbooks' recipe (a ball of air goes along the strand and
lifts it), without the paper's formula; the sixth is a lock that swings as one piece.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from komadori.methods.hair import Trace, joints
from komadori.quat import Array

BONES, DRAWINGS, FPS = 7, 16, 12.0
SECONDS = DRAWINGS / FPS
"""A cycle of every scene: 16 drawings on twos."""
SHAKE_DEG = 2.0


def _lifted(size: float, height: float, sag: float, balls: int) -> Array:
    """(drawings, points, 2) a strand that droops, lifted by balls of air which go from root to tip."""
    x = np.linspace(0.0, 1.0, 200)
    lines = []
    for drawing in range(DRAWINGS):
        y = -sag * x**2
        for ball in range(-2, balls + 1):
            middle = (drawing / DRAWINGS + ball) / balls * 1.2
            inside = np.clip(1.0 - ((x - middle) / size) ** 2, 0.0, None)
            y = y + height * x * np.sqrt(inside) * inside
        lines.append(np.stack([x, y], axis=1))
    return np.array(lines)


def _swung(degrees: float) -> Array:
    """(drawings, points, 2) a straight lock that swings about its root."""
    x = np.linspace(0.0, 1.0, 200)
    angle = np.radians(degrees) * np.sin(2.0 * np.pi * np.arange(DRAWINGS) / DRAWINGS)
    return np.stack([np.cos(angle)[:, None] * x, np.sin(angle)[:, None] * x], axis=2)


def scenes() -> Mapping[str, Trace]:
    """Name -> what a tracer would have drawn over it, with a hand that shakes."""
    drawn = {
        "breeze": _lifted(0.45, 0.12, 0.10, 1),
        "wind": _lifted(0.40, 0.22, 0.15, 1),
        "long lock": _lifted(0.25, 0.16, 0.20, 2),
        "heavy": _lifted(0.50, 0.15, 0.45, 1),
        "storm": _lifted(0.30, 0.30, 0.05, 2),
        "swinging lock": _swung(25.0),
    }
    made = {}
    for number, (name, lines) in enumerate(drawn.items()):
        trace = Trace(lines, FPS).with_bones(np.linspace(0.0, 1.0, BONES + 1))
        shake = np.radians(SHAKE_DEG) * np.random.default_rng(number).normal(size=(DRAWINGS, BONES))
        made[name] = Trace(joints(np.full(BONES, 1.0 / BONES), trace.tilts + shake), FPS)
    return made


def half(trace: Trace, first: int) -> Trace:
    """Every second drawing."""
    return Trace(trace.joints[first::2], trace.fps, at=tuple(range(first, len(trace), 2)))
