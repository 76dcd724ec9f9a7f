"""What can be asked of translation in the studio: the methods' own options, and what is driven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from komadori.methods.translate import TranslateOptions
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.parameters import parameter

Target = Literal["animal", "arms"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DriveOptions(ActingOptions, TranslateOptions):
    """The parameters of `Translator.fit` and of `quadruped`, and the pace at which the person is taken."""

    to: Target = parameter(
        "animal",
        "what the person's motion drives: an animal, or the person's own arms by the legs",
        label="what is driven",
    )
    speed: float = parameter(
        1.0, "how fast the person's clip is taken", unit="times", low=0.25, high=3.0, label="speed of the clip"
    )
