"""Which of several animations in a file is meant where nobody names one: the first that moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from komadori.errors import one_line
from komadori.motion import Motion
from komadori.words import Note

TURNS_RAD = np.radians(0.5)
"""A joint that never turns farther than this from its first frame does not move."""
TRAVELS = 1e-3
"""Nor does one that goes no farther than this share of the body's size."""
FEWEST = 3
"""Fewer frames than this are a pose that was stored as an animation, if anything else is there."""


def moves(motion: Motion) -> bool:
    """Whether any joint turns or travels in `motion`."""
    if len(motion) < 2 or not (np.isfinite(motion.rotations).all() and np.isfinite(motion.positions).all()):
        return len(motion) > 1
    cosine = np.abs(np.einsum("fji,ji->fj", motion.rotations, motion.rotations[0])).min()
    size = max(float(np.linalg.norm(motion.skeleton.offsets, axis=1).max()), 1e-12)
    travel = float(np.linalg.norm(motion.positions - motion.positions[0], axis=-1).max())
    return bool(2.0 * np.arccos(min(float(cosine), 1.0)) > TURNS_RAD or travel > TRAVELS * size)


def chosen(names: Sequence[str], motion_of: Callable[[str], Motion]) -> Motion:
    """The first of the animations `names` that moves, else the first; a note names it and the others.

    Programs that export a character often add an animation of one held pose, and often put it first.
    """
    assert names
    name, motion = names[0], motion_of(names[0])
    if len(names) == 1:
        return motion
    if not (len(motion) >= FEWEST and moves(motion)):
        others = ((other, motion_of(other)) for other in names[1:])
        name, motion = next(((n, m) for n, m in others if len(m) >= FEWEST and moves(m)), (name, motion))
    rest = one_line(", ".join(other for other in names if other != name), 200)
    template = "Took the animation {name}. The file also holds {others}; write FILE#NAME to take one of them."
    return motion.noted(Note(template, name=one_line(name, 80), others=rest))
