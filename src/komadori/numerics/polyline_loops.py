"""The plain loops of the best polyline, written to be compiled by the optional `fast` extra."""

from __future__ import annotations

import math
from typing import Any


def summed_rows(points: Any, reach: Any, clock: Any, table: Any, start: int, stride: int) -> None:
    """The sum of distances inside every segment that starts at frame start, start + stride, ..."""
    frames, dims = points.shape
    for i in range(start, frames - 1, stride):
        table[i, i + 1] = 0.0
        for j in range(i + 2, reach[i] + 1):
            length = 0.0
            for d in range(dims):
                along = points[j, d] - points[i, d]
                length += along * along
            inverse = 1.0 / length if length > 1e-300 else 0.0
            error = 0.0
            for k in range(i + 1, j):
                t = 0.0
                for d in range(dims):
                    t += (points[k, d] - points[i, d]) * (points[j, d] - points[i, d])
                t = max(min(t * inverse, 1.0), 0.0)
                squared = 0.0
                for d in range(dims):
                    rest = (points[k, d] - points[i, d]) - t * (points[j, d] - points[i, d])
                    squared += rest * rest
                waited = min(clock[k] - clock[i], clock[j] - clock[k])
                squared += waited * waited
                error += math.sqrt(squared)
            table[i, j] = error


def next_counts(table: Any, best: Any, longer: Any, segments: int) -> None:
    """From the least sums with one segment less (`best`) to those with `segments` (`longer`), for every last frame."""
    frames = len(best)
    for i in range(segments - 1, frames - 1):
        before = best[i]
        for j in range(i + 1, frames):
            value = before + table[i, j]
            if value < longer[j]:
                longer[j] = value
