"""What an exact optimum costs: one policy on when it is worth the wait, for solvers, summaries, reports and pages."""

from __future__ import annotations

QUICK_S = 1.0
"""An optimum that takes no longer than this is computed without being asked for."""

# Measured by bench/timing.py with NumPy alone; a slower machine waits in proportion.
_HOLDS_FRAME_S, _HOLDS_CELL_S = 16e-6, 1.2e-9
_KEYS_SEARCH_S, _KEYS_PAIR_S, _KEYS_TRIPLE_S = 0.3e-6, 0.4e-6, 1.4e-9


def is_quick(cost_s: float) -> bool:
    """Whether an optimum that takes `cost_s` seconds is computed without being asked for."""
    return cost_s <= QUICK_S


def holds_cost_s(frames: int, hold: int, max_exposures: int) -> float:
    """Seconds that the best sheet with `hold` drawings fewer takes: its table has a band of counts for every frame.

    A frame can be held at most 1 - 1 / max_exposures of the time, which cuts both ends of the band.
    """
    if max_exposures < 2 or not frames:
        return _HOLDS_FRAME_S * frames
    most = frames * (1.0 - 1.0 / max_exposures)
    joins = min(float(hold), most)
    return _HOLDS_FRAME_S * frames + _HOLDS_CELL_S * max_exposures * frames * joins * (1.0 - joins / most)


def keys_cost_s(frames: int, measure: str = "max") -> float:
    """Seconds that the best key poses take: by the largest distance a search among pairs of frames, by the sum of them a table
    of pairs, each compared over all counts."""
    if measure == "max":
        return _KEYS_SEARCH_S * frames**2
    return _KEYS_PAIR_S * frames**2 + _KEYS_TRIPLE_S * frames**3
