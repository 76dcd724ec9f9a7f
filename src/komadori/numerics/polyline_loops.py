"""The plain loops of the best polyline, written to be compiled by the optional `fast` extra."""

from __future__ import annotations

import math
from typing import Any


def largest_rows(points: Any, reach: Any, clock: Any, table: Any, start: int, stride: int) -> None:
    """The largest squared distance inside every segment that starts at frame start, start + stride, ...

    The same operations in the same order as `squared_distances`, so the same bits. From one end to the next a distance
    grows by no more than the end moves (and the clock continues): a frame whose bound stays below the largest so far is passed over.
    """
    frames, dims = points.shape
    bound = points[:, 0].copy()
    for i in range(start, frames - 1, stride):
        table[i, i + 1] = 0.0
        moved = 0.0
        farthest = i + 1
        size = 0.0
        for j in range(i + 2, reach[i] + 1):
            length = 0.0
            step = 0.0
            for d in range(dims):
                along = points[j, d] - points[i, d]
                length += along * along
                along = points[j, d] - points[j - 1, d]
                step += along * along
            moved += math.sqrt(step) + (clock[j] - clock[j - 1])
            size = max(size, length)
            # Room for rounding: bounds are sums of many lengths.
            slack = 1e-11 * (moved + math.sqrt(size))
            inverse = 1.0 / length if length > 1e-300 else 0.0
            bound[j - 1] = math.inf
            error = -1.0
            largest = -1.0
            previous = farthest
            for n in range(i, j):
                # First the frame that was farthest from the segment before: it is likely to pass most others over.
                k = previous if n == i else n
                if bound[k] + moved + slack < largest:
                    continue
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
                distance = math.sqrt(squared)
                bound[k] = distance - moved
                if squared > error:
                    error = squared
                    largest = distance
                    farthest = k
            table[i, j] = error


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


def next_counts(table: Any, best: Any, longer: Any, segments: int, total: bool, longest: int) -> None:
    """From the least errors with one segment less (`best`) to those with `segments` (`longer`), for every last frame.

    No segment is longer than `longest` frames.
    """
    frames = len(best)
    for i in range(segments - 1, frames - 1):
        before = best[i]
        for j in range(i + 1, min(frames, i + longest + 1)):
            error = table[i, j]
            value = before + error if total else max(before, error)
            if value < longer[j]:
                longer[j] = value
