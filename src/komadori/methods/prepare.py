"""Preparation: the movement alone, at one frame rate; what every other method expects of a clip."""

from __future__ import annotations

from dataclasses import dataclass

from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.registry import method
from komadori.result import Result
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["PrepareOptions", "PrepareResult", "prepare"]

FPS = 24.0


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """How a clip is made ready."""

    fps: float = parameter(FPS, "frame rate of the result", unit="fps", low=1.0, high=1000.0)
    keep_first: bool = parameter(False, "keep a calibration pose at the start")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class PrepareResult(Result):
    """The clip made ready. What was done to it is among the motion's own notes."""

    source_motion: Motion
    options: PrepareOptions
    motion: Motion
    sheet: Timesheet | None = None
    notes: tuple[Note, ...] = ()


@method(
    PrepareOptions,
    stage="prepare",
    fps=None,
    panel=False,
    title="{path}: prepared",
    example="komadori prepare walk.c3d -o walk.bvh --fps 30",
)
def prepare(motion: Motion, options: PrepareOptions) -> PrepareResult:
    """`motion` at one frame rate, without calibration poses and drop-outs: `motion.prepared`, as a step of a recipe."""
    return PrepareResult(motion, options, motion.prepared(options.fps, keep_first=options.keep_first))
