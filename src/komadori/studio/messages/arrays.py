"""Arrays on their way to the page, as binary messages: the fields of each, named and typed once, `type` telling them apart."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

Floats: TypeAlias = Annotated[NDArray[Any], Meta(extra={"array": "f32"})]
Ints: TypeAlias = Annotated[NDArray[Any], Meta(extra={"array": "i32"})]
KINDS = {"f32": np.dtype("<f4"), "i32": np.dtype("<i4")}
"""How an array's numbers are sent -> NumPy's name for it."""


class MotionArrays(Struct, frozen=True, eq=False, tag="motion"):
    """A motion: all rotations (F, J, 4), and the positions (F, M, 3) of the joints `moving` (M,) away from their offsets."""

    frames: int
    fps: float
    rotations: Floats
    moving: Ints
    positions: Floats
    handle: Floats | None = None
    """(F, 3) where the puppet's handle was, where one led the motion."""
    stretch: Floats | None = None
    """(F, 4) how many times as tall the body is, and the point in the world that stays, if it is squashed and stretched."""


class HairArrays(Struct, frozen=True, eq=False, tag="hair_turns"):
    """rotations (n, J, 4) of the hair's `joints` (J,) in the frames from `first` on, of `frames` in all."""

    revision: int
    first: int
    frames: int
    joints: Ints
    rotations: Floats
    bones: Floats | None = None
    """(T, n + 1, 2) the picked chain over its cycle, its length being 1."""
    heights: Floats | None = None
    """(T, points) the curve that its bones follow."""


class SpringArrays(Struct, frozen=True, eq=False, tag="springs"):
    """What spring bones do with `joints` (J,): rotations (F, J, 4)."""

    joints: Ints
    rotations: Floats


class PoseArrays(Struct, frozen=True, eq=False, tag="pose"):
    """The pose in hand: rotations (J, 4), positions (J, 3), how well the keys define it (0 to 1) and how far it has come."""

    serial: int
    defined: float
    travel: tuple[float, float]
    """Metres over the ground, x and z."""
    rotations: Floats
    positions: Floats
    turns: Floats | None = None
    """(N, 4) rotations of the other characters on the handle, one after another."""
    places: Floats | None = None
    """(N, 3) and their positions."""


class FollowArrays(Struct, frozen=True, eq=False, tag="followed"):
    """Translation, live: rotations (J, 4) of the driven `joints` (J,) at `frame`."""

    serial: int
    frame: int
    joints: Ints
    rotations: Floats


class LiveArrays(Struct, frozen=True, eq=False, tag="live_pose"):
    """A performer's pose: rotations (J, 4), positions (J, 3), the frame's number, and whether the drawing is a new one."""

    number: int
    new: bool
    rotations: Floats
    positions: Floats


class MapArrays(Struct, frozen=True, eq=False, tag="puppet_map"):
    """Where the puppet's keys define no pose, and where another would help: positions (N, 3), 0 to 1 each."""

    places: Floats
    need: Floats
    defined: Floats


Arrays: TypeAlias = MotionArrays | HairArrays | SpringArrays | PoseArrays | FollowArrays | MapArrays | LiveArrays
