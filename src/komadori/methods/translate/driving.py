"""`translate`: one part of a body learns to follow another and drives a new clip, as one call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.translator import Translator
from komadori.motion import Motion
from komadori.parameters import parameter
from komadori.registry import method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note


@dataclass(frozen=True, kw_only=True, eq=False)
class DriveOptions(TranslateOptions):
    """The options of `translate`: how to learn, from what, and what drives what."""

    train: tuple[Motion, ...] = parameter((), "training clip; may be repeated", reads="motions")
    translator: Translator | None = parameter(
        None, "trained translator (.json) to use instead of --train", reads="translator"
    )
    inputs: str = parameter(
        "legs", "driving joints: legs, arms, hind legs, fore legs, or joint names separated by commas", flag="--inputs"
    )
    outputs: str = parameter(
        "arms", "driven joints: legs, arms, hind legs, fore legs, or joint names separated by commas", flag="--outputs"
    )
    loop: bool = parameter(False, "the input is a loop: make the result loop too")


@dataclass(frozen=True, eq=False)
class TranslateResult(Result):
    """The clip with the driven joints replaced, and the translator that did it."""

    source_motion: Motion
    options: DriveOptions
    motion: Motion
    translator: Translator
    outside: NDArray[np.bool_]
    """(F,) frames in which the input lies clearly outside what was met in training."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How well the translator did on held-out clips, and how much of this clip resembles its training."""
        outside = float(self.outside.mean()) if len(self.outside) else 0.0
        return {
            "error_deg": Measure(self.translator.report.error_deg, "degrees"),
            "outside": Measure(100.0 * outside, "%"),
        }


def _facts(result: TranslateResult) -> dict[str, Any]:
    report = result.translator.report
    return {
        "chosen": report.chosen.told,
        "error_deg": report.error_deg,
        "tempo": result.translator.manner.tempo,
        "caution": result.translator.manner.caution,
        "candidates": [
            {"model": t.candidate.told, "error_deg": t.error_deg, "swing_ratio": t.swing, "correlation": t.correlation}
            for t in report.trials
        ],
        "order": report.order,
        "spectral_radius": report.radius,
        "frames": len(result.motion),
        "fps": result.motion.fps,
        "outside": result.outside.nonzero()[0],
    }


@method(
    DriveOptions,
    rows=lambda result: [],
    facts=_facts,
    files=("motion", "translator"),
    fps=30.0,
    panel=False,
    title="{path}: translated",
    working="learning from {clips} clips",
    about="Train on clips of the same body as the input. The model is chosen on held-out clips.",
    example="komadori translate --train walk1.bvh walk2.bvh --inputs legs --outputs arms slow.bvh -o out.bvh",
)
def translate(motion: Motion, options: DriveOptions) -> TranslateResult:
    """`motion` with some joints driven by others: a translator is fitted on `train`, or given, and run over it.

    `Translator.fit` and `Translator.run` are the two halves, for those who learn once and run often.
    """
    made = options.translator or _fitted(options)
    driven = made.run(motion, loop=options.loop)
    return TranslateResult(motion, options, driven, made, made.outside(motion), made.notes)


def _fitted(options: DriveOptions) -> Translator:
    if not options.train:
        raise OptionError("train", problem=Note("give clips to learn from, or a fitted translator"))
    own = {item.name: getattr(options, item.name) for item in fields(TranslateOptions)}
    pairs = [(clip, clip) for clip in options.train]
    return Translator.fit(pairs, _joints(options.inputs, "inputs"), _joints(options.outputs, "outputs"), **own)


def _joints(given: str, what: str) -> str | tuple[str, ...]:
    """A group's word, or names with commas between them."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names:
        raise OptionError(
            what,
            expected=Note("a group (legs, arms, hind legs, fore legs), or joints with commas between them"),
            found=given,
        )
    return names[0] if len(names) == 1 else names
