"""Reading: rows of a person made into manner and steps, with a bounded look ahead, so that clips and live frames read alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from komadori.methods.translate.watching import AT, COLUMNS
from komadori.quat import Array

EXTRA = ("speed_x", "speed_z", "left_speed", "right_speed", "left_rise", "right_rise")
ALL = {**AT, **{name: len(COLUMNS) + n for n, name in enumerate(EXTRA)}}
DIFFERENCE_S = 0.04
"""Speeds are taken over this time before and after a frame."""
SMOOTH_S, REACH_S = 0.14, 0.42
"""Width of the Gaussian that manners and the way are smoothed with, and where it ends."""
ON_THE_SPOT, SLIDING = 0.12, 0.3
"""Leg lengths per second: anybody who gets on less, while the foot that stands slides by more, walks on the spot."""
PREVIEW_S = 0.2
"""How far ahead of the shown frame the animal's way is known."""


@dataclass(frozen=True)
class Spans:
    """The times of reading in frames: of differences, of smoothing, and of the way's preview."""

    difference: int
    reach: int
    preview: int

    @property
    def ahead(self) -> int:
        """Frames of a person that must be known beyond the one that is shown."""
        return self.difference + self.reach + self.preview


def spans(fps: float) -> Spans:
    """The spans at `fps`."""
    return Spans(
        max(1, round(DIFFERENCE_S * fps)), max(1, round(REACH_S * fps)), max(1, round(PREVIEW_S * fps))
    )  # fmt: skip


def kernel(fps: float) -> Array:
    """(2 reach + 1,) the weights of smoothing."""
    reach = spans(fps).reach
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (SMOOTH_S * fps)) ** 2)
    return np.asarray(weights / weights.sum())


def with_speeds(rows: Array, first: int, last: int, fps: float) -> Array:
    """(n, all columns) rows `first` to `last` (not included) of `rows`, with the speeds of hips and feet beside them."""
    d = spans(fps).difference
    at = np.arange(first, last)
    before, after = np.maximum(at - d, 0), np.minimum(at + d, len(rows) - 1)
    step = (rows[after] - rows[before]) * (fps / np.maximum(after - before, 1))[:, None]
    result = np.empty((len(at), len(ALL)))
    result[:, : len(COLUMNS)] = rows[at]
    result[:, ALL["speed_x"]], result[:, ALL["speed_z"]] = step[:, AT["x"]], step[:, AT["z"]]
    for side in ("left", "right"):
        ankle, toe = AT[f"{side}_x"], AT[f"{side}_toe_x"]
        # A foot that rolls over its toes stands: the slower of its two ends counts.
        speeds = [np.sqrt((step[:, one : one + 3] ** 2).sum(axis=1)) for one in (ankle, toe)]
        result[:, ALL[f"{side}_speed"]] = np.minimum(speeds[0], speeds[1])
        result[:, ALL[f"{side}_rise"]] = np.minimum(step[:, ankle + 1], step[:, toe + 1])
    return result


def unwound(rows: Array, before: float | None = None) -> Array:
    """`rows` with headings that never jump by a turn, continuing from the heading `before`."""
    column = AT["heading"]
    if before is not None and len(rows) == 1:
        result = np.array(rows)
        result[0, column] = before + math.remainder(float(rows[0, column]) - before, 2.0 * math.pi)
        return result
    headings = rows[:, column] if before is None else np.concatenate([[before], rows[:, column]])
    result = np.array(rows)
    result[:, column] = np.unwrap(headings)[-len(rows) :]
    return result


def travelled(rows: Array, fps: float) -> Array:
    """`rows` (F, columns) of a whole clip on its way: who walks on the spot over a floor that slides goes over one that does not."""
    rate = max(1, spans(fps).difference)
    step = np.gradient(rows, axis=0) * fps
    low = np.minimum(rows[:, [AT["left_y"], AT["right_y"]]], rows[:, [AT["left_toe_y"], AT["right_toe_y"]]])
    left = low[:, 0] < low[:, 1]
    slides = np.stack(
        [np.where(left, step[:, AT[f"left_toe_{axis}"]], step[:, AT[f"right_toe_{axis}"]]) for axis in "xz"], axis=1
    )
    width = 4 * rate + 1
    padded = np.pad(slides, ((2 * rate, 2 * rate), (0, 0)), mode="edge")
    slides = np.median(np.lib.stride_tricks.sliding_window_view(padded, width, axis=0), axis=-1)
    net = np.linalg.norm(rows[-1, [AT["x"], AT["z"]]] - rows[0, [AT["x"], AT["z"]]]) * fps / len(rows)
    if net > ON_THE_SPOT or np.linalg.norm(slides.mean(axis=0)) < SLIDING:
        return rows
    way = -np.concatenate([np.zeros((1, 2)), np.cumsum(slides[:-1], axis=0)]) / fps
    moved = np.array(rows)
    for column, name in enumerate(COLUMNS):
        if name in ("x", "z") or name.endswith(("_x", "_z")):
            moved[:, column] += way[:, 0 if name.endswith("x") else 1]
    return moved
