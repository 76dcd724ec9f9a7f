"""Recipe: the steps in their order, checked as a whole; read from TOML and written back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from komadori.errors import OptionError, unquoted
from komadori.pipeline import toml_text
from komadori.pipeline.steps import Step, checked_about, misplaced
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.camera import Camera
    from komadori.character import Character
    from komadori.motion import Motion
    from komadori.pipeline.running import PipelineResult

Progress = Callable[[Note, int, int], None]
"""Called before each step with what it does, its number from 0 and how many there are."""


@dataclass(frozen=True)
class Recipe:
    """Steps in their order. `about` is one line on what it is for, `name` what the file is called.

    >>> recipe = Recipe([Step("plant"), Step("limited", omit=4)], about="fast moments snap")
    >>> Recipe.parse(recipe.toml()) == recipe
    True
    """

    steps: tuple[Step, ...]
    about: str = ""
    name: str = field(default="", compare=False)

    def __init__(self, steps: Sequence[Step], about: str = "", name: str = "") -> None:
        object.__setattr__(self, "steps", tuple(steps))
        object.__setattr__(self, "about", checked_about(about))
        object.__setattr__(self, "name", name)
        wrong = misplaced(self.steps)
        if wrong is not None:
            number, expected = wrong
            raise OptionError(
                Note("step {number}", number=number + 1), expected=expected, found=unquoted(self.steps[number].use)
            )

    @classmethod
    def parse(cls, text: str, path: str | PathLike[str] = "recipe") -> Recipe:
        """The recipe in a TOML `text`; a FormatError that names `path`, the line and what is allowed if it is wrong."""
        steps, about = toml_text.read(text, str(path))
        return cls(steps, about, Path(path).stem)

    def toml(self) -> str:
        """The recipe as the text of a TOML file."""
        return toml_text.written(self.steps, self.about)

    def run(
        self,
        motion: Motion,
        character: Character | None = None,
        *,
        camera: Camera | None = None,
        progress: Progress | None = None,
    ) -> PipelineResult:
        """`motion` (as it was loaded) through every step, put onto `character` first if one is given.

        `camera` is the shot's: steps that know cameras (limited measures in its image) take it unless the recipe gives them another.
        """
        # The methods are loaded when a recipe runs, not when it is read.
        from komadori.pipeline.running import run

        return run(self, motion, character, camera, progress)
