"""Values of attributes whose type is what the file says: any name may stand before any type, so each is asked for by kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

LARGEST = 2.0**53
"""Larger integers are refused in files."""


class UnfitError(Exception):
    """An attribute at `place` whose value is of another kind than its name says."""

    def __init__(self, attribute: Any) -> None:
        super().__init__(str(attribute.GetPath()))
        self.place, self.kind = str(attribute.GetPath()), str(attribute.GetTypeName())


def tokens(attribute: Any) -> list[str]:
    """The words of an attribute; none if it has no value."""
    from pxr import Vt

    value = attribute.Get()
    if value is None:
        return []
    if not isinstance(value, Vt.TokenArray | Vt.StringArray):
        raise UnfitError(attribute)
    return [str(token) for token in value]


def numbers(attribute: Any, value: Any, shape: tuple[int, ...] = (-1,)) -> Array:
    """`value`, which `attribute` has, as numbers of that shape (rows are of that width); none of them if it is None."""
    try:
        found = np.array(() if value is None else value, dtype=np.float64)
        if found.size and len(shape) == 2 and shape[0] == -1 and found.shape[1:] != shape[1:]:
            raise ValueError(found.shape)
        return found.reshape(shape)
    except (TypeError, ValueError, OverflowError):
        raise UnfitError(attribute) from None


def wholes(attribute: Any, value: Any) -> NDArray[np.int64]:
    """`value`, which `attribute` has, as whole numbers."""
    found = numbers(attribute, value)
    if not (np.abs(found) < LARGEST).all():
        raise UnfitError(attribute)
    return found.astype(np.int64)


def matrices(attribute: Any, count: int) -> Array | None:
    """USD's matrices work on rows: (J, 4, 4) that work on columns, or None if they are not one per joint."""
    value = attribute.Get()
    if value is None:
        return None
    found = numbers(attribute, value)
    return found.reshape(count, 4, 4).transpose(0, 2, 1) if len(found) == 16 * count else None
