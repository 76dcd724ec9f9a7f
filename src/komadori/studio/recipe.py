"""The scene as a recipe: the steps that make the same from the same clip without the studio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from komadori.errors import OptionError
from komadori.pipeline import Recipe, Step, steps
from komadori.pipeline.steps import step_parameters
from komadori.studio.panels import panel
from komadori.studio.scene import HairPart, Scene
from komadori.words import Note

ABOUT = "from the studio"


def recipe_of(scene: Scene, what: str, chains: Sequence[str] = ()) -> tuple[Recipe, tuple[Note, ...]]:
    """The recipe of a part's result, and what of it a recipe cannot tell; `chains` are the character's, by name."""
    found = [Step("prepare", fps=scene.fps)]
    if scene.character:
        found.append(Step("retarget"))
    if what != "original" and not panel(what).method.stage:
        raise OptionError(Note("a recipe has no step for {name}: export its motion instead", name=what))
    if what == "original":
        return Recipe(found, ABOUT), ()
    if what == "hair":
        return Recipe([*found, _step("hair", _hair(scene.hair, chains))], ABOUT), ()
    edited = (Note("the sheet was edited by hand, which a recipe cannot store: export the timesheet too"),)
    drawn = (Note("poses were redrawn by hand, which a recipe cannot store: export the motion too"),)
    seen = (Note("steps were measured in a view of the stage, which a recipe cannot store: export the timesheet too"),)
    notes = (
        *(edited if scene.locks(what) else ()),
        *(drawn if scene.poses(what) else ()),
        *(seen if scene.shot.view is not None and what == "limited" else ()),
    )
    return Recipe([*found, _step(what, scene.part(what).options)], ABOUT), notes


def _step(use: str, given: dict[str, Any]) -> Step:
    """A step with what the scene says of it, as far as recipes know it (the length is the clip's, not the hair's)."""
    known = step_parameters(steps()[use])
    return Step(use, **{name: value for name, value in given.items() if name in known and value is not None})


def _hair(part: HairPart, chains: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = dict(part.options)
    if part.wind is not None:
        given["wind"] = part.wind
    if part.off:
        given["chains"] = [name for name in chains if name not in part.off]
    return given
