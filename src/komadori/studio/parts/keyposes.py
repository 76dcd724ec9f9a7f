"""Key poses in the studio."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from komadori.methods.keyposes import KeyposesOptions, KeyposesResult, keyposes
from komadori.studio.messages import KeyposesTold, OptimumTold
from komadori.studio.parts.sheet import Edited, edited_sheet, plain
from komadori.studio.scene import Scene
from komadori.studio.stage import Staged
from komadori.studio.told import all_said

SHOWN_COUNTS = 200
"""Counts up to which the error curve is told."""


def result(scene: Scene, staged: Staged) -> KeyposesResult:
    """What the method makes of the clip with the scene's options, before any edit by hand."""
    return keyposes(staged.motion, **plain(scene.keyposes.options, KeyposesOptions))


def shown(scene: Scene, made: KeyposesResult) -> Edited:
    """The sheet that is shown: the one that was edited, or the method's."""
    return edited_sheet(scene.keyposes.sheet, made.sheet, len(made.source_motion))


def told(revision: int, scene: Scene, made: KeyposesResult) -> KeyposesTold:
    """The answer for the page."""
    sheet = shown(scene, made)
    curve = np.zeros((len(made.curve), 3))
    curve[:, : min(3, made.curve.shape[1])] = made.curve[:, :3]
    return KeyposesTold(
        revision=revision,
        frames=made.frames.tolist(),
        order=made.order.tolist(),
        source=sheet.sheet.source.tolist(),
        edited=sheet.edited,
        counts=made.counts[:SHOWN_COUNTS].tolist(),
        errors=made.errors[:SHOWN_COUNTS].tolist(),
        error=made.error,
        even_error=made.even_error,
        curve=curve.round(5).tolist(),
        distances=made.distances.tolist(),
        explained=made.explained,
        notes=all_said(made.notes),
    )


def optimum(revision: int, scene: Scene, made: KeyposesResult) -> OptimumTold | None:
    """How the keys stand beside the best of their number, where that is quick."""
    if scene.keyposes.sheet is not None or not made.comparable:
        return None
    return OptimumTold(revision, "keyposes", made.least_error, made.least_frames.tolist())


def changed(scene: Scene, **parts: Any) -> Scene:
    """The scene with some of this part's fields replaced."""
    return msgspec.structs.replace(scene, keyposes=msgspec.structs.replace(scene.keyposes, **parts))
