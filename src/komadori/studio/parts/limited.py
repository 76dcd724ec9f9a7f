"""Limited animation in the studio."""

from __future__ import annotations

import numpy as np

from komadori.methods.limited import LimitedResult
from komadori.numerics.steps import squared_steps
from komadori.studio.messages import LimitedUpdate, OptimumUpdate
from komadori.studio.parts.sheet import Edited
from komadori.studio.scene import Scene


def update(revision: int, made: LimitedResult, sheet: Edited) -> LimitedUpdate:
    """The evidence for the page."""
    source = sheet.sheet.source
    return LimitedUpdate(
        revision=revision,
        omitted=len(np.setdiff1d(made.omitted_frames, source)) if sheet.edited else made.omitted,
        held=len(sheet.sheet) - len(sheet.sheet.runs()),
        drawings=len(sheet.sheet.drawings),
        # A drawing restored by hand is shown again; one held longer by hand is held, not omitted.
        omitted_frames=np.setdiff1d(made.omitted_frames, source).tolist(),
        steps_before=made.steps_before.tolist(),
        steps_after=squared_steps(made.points, source[:-1], source[1:]).tolist(),
        error=made.error,
    )  # fmt: skip


def optimum(revision: int, scene: Scene, made: LimitedResult) -> OptimumUpdate | None:
    """How the result stands beside the exact optimum, if that is a fair and a quick comparison."""
    if scene.locks("limited") or not made.comparable:
        return None
    return OptimumUpdate(revision, "limited", made.optimum, [])
