"""What can be asked of translation in the studio: the method's own options, and what it drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from komadori.methods.translate import TranslateOptions
from komadori.parameters import parameter

Target = Literal["animal", "arms"]
Gait = Literal["auto", "walk", "run"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DriveOptions(TranslateOptions):
    """The parameters of `Translator.fit` and of `quadruped`, and the pace at which the person is taken."""

    to: Target = parameter("animal", "what the person drives: an animal, or the person's own arms by the legs")
    gait: Gait = parameter("auto", "which of the animal's clips answers; auto looks at whether the person runs")
    speed: float = parameter(1.0, "how fast the person's clip is taken", unit="times", low=0.25, high=3.0)
    loop: bool = parameter(False, "the input plays over and over: make the result close")
