"""Key poses in the studio."""

from __future__ import annotations

import numpy as np

from komadori.methods.keyposes import KeyposesResult
from komadori.studio.messages import KeyposesUpdate, OptimumUpdate
from komadori.studio.scene import Scene

SHOWN_COUNTS = 200
"""Counts up to which the error curve is told."""


def update(revision: int, made: KeyposesResult) -> KeyposesUpdate:
    """The evidence for the page."""
    curve = np.zeros((len(made.curve), 3))
    curve[:, : min(3, made.curve.shape[1])] = made.curve[:, :3]
    return KeyposesUpdate(
        revision=revision,
        frames=made.frames.tolist(),
        order=made.order.tolist(),
        counts=made.counts[:SHOWN_COUNTS].tolist(),
        errors=made.errors[:SHOWN_COUNTS].tolist(),
        error=made.error,
        even_error=made.even_error,
        curve=curve.round(5).tolist(),
        distances=made.distances.tolist(),
        explained=made.explained,
    )


def optimum(revision: int, scene: Scene, made: KeyposesResult) -> OptimumUpdate | None:
    """How the keys stand beside the best of their number, if that is quick."""
    if scene.locks("keyposes") or not made.comparable:
        return None
    return OptimumUpdate(revision, "keyposes", made.least_error, made.least_frames.tolist())
