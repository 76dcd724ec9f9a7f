"""What a format cannot carry of a motion: joints that move and that it has no place for."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from komadori.motion import Motion
from komadori.words import Note

STILL = 1e-6
MOST_NAMED = 6
SHIFT_M = 1e-4
"""A joint that moves by less than this counts as fixed."""


def moving(motion: Motion) -> NDArray[np.bool_]:
    """(J,) the joints that ever turn away from their rest, or leave their place; the root's travel is not its own."""
    skeleton = motion.skeleton
    turned = 1.0 - np.abs(np.einsum("fji,ji->fj", motion.rotations, skeleton.rest)).min(axis=0, initial=1.0)
    moved = np.abs(motion.positions - skeleton.offsets).max(axis=(0, 2), initial=0.0)
    moved[0] = 0.0
    return np.asarray((turned > STILL) | (moved > STILL))


def other_joints(motion: Motion, held: Collection[int]) -> tuple[int, str]:
    """How many joints move and are not among the `held` ones, and the names of the first few."""
    lost = moving(motion)
    lost[list(held)] = False
    names = [motion.skeleton.names[joint] for joint in np.flatnonzero(lost).tolist()]
    return len(names), ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")


def shifts(motion: Motion, held: Collection[int], form: str) -> list[Note]:
    """The note of a format of turns on how far the `held` joints, roots aside, leave the place that their parent gives them."""
    inner = [joint for joint in held if motion.skeleton.parents[joint] >= 0]
    away = motion.positions[:, inner] - motion.skeleton.offsets[inner]
    most = float(np.sqrt((away**2).sum(axis=-1)).max(initial=0.0))
    text = "{form} holds turns of joints only; shifts of up to {mm:.1f} mm are not written"
    return [Note(text, form=form, mm=1e3 * most)] if most > SHIFT_M else []
