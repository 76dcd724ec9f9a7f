"""Holds by the solver asked for."""

from __future__ import annotations

import numpy as np

from komadori.methods.limited.greedy import Frames, Limits, with_holds, with_literal_holds
from komadori.methods.limited.optimal import with_least_error
from komadori.numerics.costs import holds_cost_s, is_quick
from komadori.quat import Array


def solver_for(asked: str, frames: int, hold: int, max_exposures: int) -> str:
    """The solver that `asked` means: auto is the optimum if it is quick, else greedy."""
    if asked != "auto":
        return asked
    return "optimal" if is_quick(holds_cost_s(frames, hold, max_exposures)) else "greedy"


def held_sheet(points: Array, before: Frames, hold: int, limits: Limits, solver: str) -> tuple[Frames, int]:
    """`before` with `hold` drawings fewer, and how many fewer there are."""
    if solver == "greedy" or len(before) < 2:
        return with_holds(points, before, hold, limits)
    runs = _runs(before)
    if solver == "literal":
        shown, _ = with_literal_holds(points, before, hold, limits)
        return shown, runs - _runs(shown)
    best = with_least_error(points, before, runs - hold, limits, solver == "optimal-free")
    return best.source, runs - best.drawings


def _runs(source: Frames) -> int:
    return 1 + int(np.count_nonzero(source[1:] != source[:-1]))
