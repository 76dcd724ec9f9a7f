"""Limited animation in the studio."""

from __future__ import annotations

from typing import Any

import msgspec

from komadori.methods.limited import LimitedOptions, LimitedResult, limited
from komadori.numerics.steps import squared_steps
from komadori.studio.messages import LimitedTold, OptimumTold
from komadori.studio.parts.sheet import Edited, edited_sheet, plain
from komadori.studio.scene import Scene
from komadori.studio.stage import Staged
from komadori.studio.told import all_said


def result(scene: Scene, staged: Staged) -> LimitedResult:
    """What the method makes of the clip with the scene's options, before any edit by hand."""
    return limited(staged.motion, **options(scene))


def options(scene: Scene) -> dict[str, Any]:
    """The scene's options as the method takes them."""
    return plain(scene.limited.options, LimitedOptions)


def shown(scene: Scene, made: LimitedResult) -> Edited:
    """The sheet that is shown: the one that was edited, or the method's."""
    return edited_sheet(scene.limited.sheet, made.sheet, len(made.source_motion))


def told(revision: int, scene: Scene, made: LimitedResult, motion: str) -> LimitedTold:
    """The answer for the page."""
    sheet = shown(scene, made)
    source = sheet.sheet.source
    return LimitedTold(
        revision=revision,
        source=source.tolist(),
        edited=sheet.edited,
        pins=list(made.options.pins),
        omitted=made.omitted,
        held=len(sheet.sheet) - len(sheet.sheet.runs()),
        drawings=len(sheet.sheet.drawings),
        omitted_frames=sheet.sheet.omitted(len(made.source_motion)).tolist() if sheet.edited else made.omitted_frames.tolist(),
        steps_before=made.steps_before.tolist(),
        steps_after=squared_steps(made.points, source[:-1], source[1:]).tolist(),
        error=made.error,
        motion="" if sheet.edited or not made.layers else motion,
        notes=all_said(made.notes),
    )  # fmt: skip


def optimum(revision: int, scene: Scene, made: LimitedResult) -> OptimumTold | None:
    """How the result stands beside the exact optimum, where that is a fair and a quick comparison."""
    if scene.limited.sheet is not None or not made.comparable:
        return None
    return OptimumTold(revision, "limited", made.optimum, [])


def changed(scene: Scene, **parts: Any) -> Scene:
    """The scene with some of this part's fields replaced."""
    return msgspec.structs.replace(scene, limited=msgspec.structs.replace(scene.limited, **parts))
