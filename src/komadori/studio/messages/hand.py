"""The hand on the puppet: what the page sends while it moves, as a few numbers of 32 bits."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from msgspec import Struct
from msgspec.structs import fields

from komadori.quat import Array


class HandKind(IntEnum):
    """What the hand holds."""

    HANDLE = 1
    PULL = 2
    """A joint of the puppet is dragged."""
    KEY = 3
    """A joint of the key pose at `frame` is dragged."""


class HandInput(Struct, frozen=True):
    """One message of the hand: its fields are sent one after another."""

    kind: int
    serial: int
    which: int
    """The recording that the place belongs to (0: none), or the joint that is dragged."""
    x: float
    y: float
    z: float
    seconds: float
    """Since the recording began, or the number of the drag."""
    frame: float = 0.0
    """The clip's frame whose pose is dragged."""

    @property
    def place(self) -> Array:
        """(3,) metres."""
        return np.array([self.x, self.y, self.z])

    @classmethod
    def read(cls, data: bytes) -> HandInput | None:
        """The message, or None if it is none."""
        if len(data) != 4 * len(fields(cls)):
            return None
        numbers = np.frombuffer(data, dtype="<f4").astype(np.float64)
        if not np.isfinite(numbers).all() or (np.abs(numbers[:3]) > 2**24).any():
            return None
        kind, serial, which = numbers[:3].astype(int).tolist()
        return cls(kind, serial, which, *numbers[3:].tolist())
