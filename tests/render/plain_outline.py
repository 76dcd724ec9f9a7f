"""The plain definition of what a surface covers: every row of every triangle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.render import raster


def covered(corners: Array, width: int, height: int) -> NDArray[np.bool_]:
    """(H, W) where any triangle of `corners` (2 or more, 3, T) lies, either way round."""
    result = np.zeros((height, width), dtype=bool)
    rows = raster.rows_of(corners, np.arange(corners.shape[2]), width, height)
    owner, x = raster.pixels_of(rows)
    result[rows.y[owner], x] = True
    return result
