"""Keyed: a motion as few keys and what lies between them, as an animator edits it and sparse formats store it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.errors import OptionError, one_of, unquoted
from komadori.motion import Motion
from komadori.numerics import bezier
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.timesheet import Frames
from komadori.words import Note

Interpolation = Literal["stepped", "linear", "bezier"]


@dataclass(frozen=True, eq=False)
class Keyed:
    """Keys at `frames` (K,) of a clip of `length` frames: `rotations` (K, J, 4), `positions` (K, J, 3), local.

    Between keys: "stepped" holds the key before, "linear" slerps rotations and lays positions on a line, "bezier" is a
    cubic a component (quaternions are normalised after it), as glTF's CUBICSPLINE. Its tangents are slopes per second:
    [0] into the key, [1] out of it, (2, K, J, 4) and (2, K, J, 3); a Bezier handle lies a third of the way along.
    """

    skeleton: Skeleton
    fps: float
    length: int
    frames: Frames
    rotations: Array
    positions: Array
    interpolation: Interpolation = "stepped"
    rotation_tangents: Array | None = None
    position_tangents: Array | None = None
    worst_mm: float = 0.0
    """The farthest that any joint lies from where it was in the motion that the keys were made of, in millimetres."""
    worst_frame: int = 0
    worst_joint: str = ""

    def __post_init__(self) -> None:
        count, joints = len(self.frames), len(self.skeleton)
        put = object.__setattr__
        put(self, "frames", _checked(self.frames, self.length))
        put(self, "rotations", frozen(self.rotations, np.float64, (count, joints, 4), "rotations"))
        put(self, "positions", frozen(self.positions, np.float64, (count, joints, 3), "positions"))
        if self.interpolation == "bezier":
            if self.rotation_tangents is None or self.position_tangents is None:
                raise OptionError("rotation_tangents", problem=Note("Bezier keys need tangents"))
            shapes = (("rotation_tangents", 4), ("position_tangents", 3))
            for name, size in shapes:
                put(self, name, frozen(getattr(self, name), np.float64, (2, count, joints, size), name))

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        return f"Keyed({len(self)} {self.interpolation} keys over {self.length} frames at {self.fps:g} fps)"

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, name) for name in self.__dataclass_fields__)
        return (Keyed, values)

    def motion(self) -> Motion:
        """The motion that these keys make, every frame of it."""
        rotations, positions = self.at(np.arange(self.length))
        return Motion(self.skeleton, self.fps, quat.continuous(rotations), positions)

    def at(self, frames: ArrayLike) -> tuple[Array, Array]:
        """Local rotations (n, J, 4) and positions (n, J, 3) at `frames` (n,), which may lie between frames."""
        times = np.asarray(frames, dtype=np.float64)
        piece = np.clip(np.searchsorted(self.frames, times, "right") - 1, 0, len(self) - 1)
        if self.interpolation == "stepped" or len(self) == 1:
            return self.rotations[piece], self.positions[piece]
        if self.interpolation == "linear":
            after = np.minimum(piece + 1, len(self) - 1)
            span = np.maximum(self.frames[after] - self.frames[piece], 1)
            t = np.minimum((times - self.frames[piece]) / span, 1.0)[:, None]
            between = self.positions[piece] + t[..., None] * (self.positions[after] - self.positions[piece])
            return quat.slerp(self.rotations[piece], self.rotations[after], t), between
        return quat.normalized(self._cubic(self.rotations, self.rotation_tangents, times)), self._cubic(
            self.positions, self.position_tangents, times
        )

    def _cubic(self, values: Array, tangents: Array | None, times: Array) -> Array:
        assert tangents is not None
        flat = values.reshape(len(self), -1)
        arriving, leaving = tangents.reshape(2, len(self), -1) / self.fps
        return bezier.evaluated(flat, arriving, leaving, self.frames, times).reshape(len(times), *values.shape[1:])


def keyed(motion: Motion, frames: ArrayLike, interpolation: Interpolation = "stepped") -> Keyed:
    """The poses of `motion` at `frames` as keys; "bezier" fits the curves between them to the motion.

    Says how far the result lies from the motion at worst. `frames` must begin with 0.
    """
    if interpolation not in ("stepped", "linear", "bezier"):
        raise OptionError("interpolation", expected=one_of(["stepped", "linear", "bezier"]), found=interpolation)
    at = _checked(frames, len(motion))
    turning = _tangents(motion.rotations, at, motion.fps) if interpolation == "bezier" else None
    moving = _tangents(motion.positions, at, motion.fps) if interpolation == "bezier" else None
    rotations, positions = motion.rotations[at], motion.positions[at]
    made = Keyed(motion.skeleton, motion.fps, len(motion), at, rotations, positions, interpolation, turning, moving)
    away = np.linalg.norm(made.motion().world_positions() - motion.world_positions(), axis=-1)
    frame, joint = divmod(int(np.argmax(away)), len(motion.skeleton))
    worst_mm = float(away[frame, joint]) * 1000.0
    return replace(made, worst_mm=worst_mm, worst_frame=frame, worst_joint=motion.skeleton.names[joint])


def _checked(frames: ArrayLike, length: int) -> Frames:
    keys = frozen(frames, np.int64, (-1,), "frames")
    if not len(keys) or (np.diff(keys) <= 0).any() or keys[0] != 0 or keys[-1] >= length:
        raise OptionError(
            "frames",
            expected=Note("increasing key frames that begin with 0, within the clip of {count} frames", count=length),
            found=unquoted(", ".join(map(str, keys))),
        )
    return keys


def _tangents(values: Array, keys: Frames, fps: float) -> Array:
    """(2, K, J, n) fitted slopes per second into and out of every key."""
    fitted = bezier.fitted_tangents(values.reshape(len(values), -1), keys)
    return np.stack(fitted).reshape(2, len(keys), *values.shape[1:]) * fps
