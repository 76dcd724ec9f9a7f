"""Dynamic time warping as a plain loop, for the compiler of the optional `fast` extra."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array


def next_rows(
    costs: Array,
    best: Array,
    ups: NDArray[np.bool_],
    lefts: NDArray[np.bool_],
    low: NDArray[np.intp],
    high: NDArray[np.intp],
    first: int,
    open_ends: bool,
) -> None:
    """Rows `first` and on, of distances (n, N): writes where each pair was reached from above or from the left.

    `best` (N + 1,), one column of infinity before the first, holds the least costs of the row above and then of the last row.
    """
    columns = costs.shape[1]
    for i in range(costs.shape[0]):
        row = first + i
        start, stop = low[row], high[row]
        diagonal = best[start]
        for column in range(start + 1):
            best[column] = np.inf
        left = np.inf
        for column in range(start, stop):
            up = best[column + 1]
            from_up, from_left, entry = False, False, diagonal
            if row == 0:
                entry = 0.0 if open_ends or column == 0 else np.inf
            elif up < diagonal:
                from_up, entry = True, up
            if left < entry and not (row == 0 and open_ends):
                from_left, entry = True, left
            left = entry + costs[i, column]
            ups[row, column] = from_up
            lefts[row, column] = from_left
            best[column + 1] = left
            diagonal = up
        for column in range(stop + 1, columns + 1):
            best[column] = np.inf
