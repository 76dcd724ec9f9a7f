"""Limited animation as METHODS states it, word by word and slow: the reference that the quick version must equal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np


def step(points: np.ndarray, a: int, b: int) -> float:
    return float(np.square(points[b] - points[a]).sum())


def omission(points: np.ndarray, omit: int, max_exposures: int, keep_length: bool = True) -> tuple[list[int], int]:
    shown = list(range(len(points)))
    for done in range(omit):
        inner = range(1, len(shown) - 1)
        if not inner:
            return shown, done
        # The largest step into a frame; max() keeps the earliest of equals.
        k = max(inner, key=lambda i: step(points, shown[i - 1], shown[i]))
        after = shown[:k] + shown[k + 1 :]
        if keep_length:
            places = [
                i
                for i in range(1, len(after))
                if after[i - 1] != after[i] and after.count(after[i - 1]) < max_exposures
            ]
            if not places:
                return shown, done
            i = min(places, key=lambda i: step(points, after[i - 1], after[i]))
            after.insert(i, after[i - 1])
        shown = after
    return shown, omit


def holds(points: np.ndarray, shown: list[int], hold: int, max_exposures: int) -> tuple[list[int], int]:
    shown = list(shown)
    for done in range(hold):
        runs = [(drawing, len(list(group))) for drawing, group in itertools.groupby(shown)]
        joinable = [i for i in range(1, len(runs)) if runs[i - 1][1] + runs[i][1] <= max_exposures]
        if not joinable:
            return shown, done
        i = min(joinable, key=lambda i: step(points, runs[i - 1][0], runs[i][0]))
        runs[i] = (runs[i - 1][0], runs[i][1])
        shown = [drawing for drawing, length in runs for _ in range(length)]
    return shown, hold


def error(points: np.ndarray, shown: list[int], before: Sequence[int]) -> float:
    return sum(step(points, s, f) for s, f in zip(shown, before, strict=True))


def least_error(points: np.ndarray, runs: int, max_exposures: int, free: bool = False) -> float:
    """Every way to cut the clip into so many runs, tried."""
    frames = len(points)
    best = np.inf
    for cuts in itertools.combinations(range(1, frames), runs - 1):
        edges = [0, *cuts, frames]
        spans = list(itertools.pairwise(edges))
        if max(b - a for a, b in spans) > max_exposures:
            continue
        total = 0.0
        for a, b in spans:
            choices = range(a, b) if free else [a]
            total += min(sum(step(points, s, f) for f in range(a, b)) for s in choices)
        best = min(best, total)
    return best
