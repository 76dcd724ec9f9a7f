"""SpringBones: bones that swing by themselves, and the shapes that they must not pass through, as files state them."""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]

SHAPES = ("sphere", "capsule", "plane")
"""What a collider can be."""


@dataclass(frozen=True)
class SpringJoint:
    """A joint of a spring and how it swings. Its bone goes to the spring's next joint.

    `stiffness` is the pull back to the rest pose and `gravity` the steady pull in the world, both in metres per second that
    are added to the bone's tip (a step of dt seconds moves it by value x dt before the bone's length is restored);
    `drag` is the part of the tip's speed that is lost in a step, 0 to 1; `radius_m` is the tip's size.
    """

    joint: int
    stiffness: float = 1.0
    gravity: Vector = (0.0, 0.0, 0.0)
    drag: float = 0.4
    radius_m: float = 0.0


@dataclass(frozen=True)
class Collider:
    """A shape fixed to a joint; places are metres in the joint's frame. `inside` keeps springs in rather than out.

    A sphere lies at `offset`, a capsule goes from `offset` to `tail`, a plane passes through `offset` and lets springs be
    where its unit `normal` points.
    """

    joint: int
    shape: str
    offset: Vector = (0.0, 0.0, 0.0)
    radius_m: float = 0.0
    tail: Vector = (0.0, 0.0, 0.0)
    normal: Vector = (0.0, 0.0, 1.0)
    inside: bool = False


@dataclass(frozen=True)
class Spring:
    """Joints that swing one behind the other, from root to tip."""

    name: str
    joints: tuple[SpringJoint, ...]
    tip: Vector | None = None
    """Where the last joint's bone ends, in that joint's frame; None if the last joint only marks an end."""
    centre: int = -1
    """The joint in whose frame the swinging is computed, so that its own travel shakes nothing; -1 is the world."""
    colliders: tuple[int, ...] = ()
    """The colliders (by their number in the SpringBones) that it meets."""


@dataclass(frozen=True)
class SpringBones:
    """All springs of a character and all shapes that they meet."""

    springs: tuple[Spring, ...] = ()
    colliders: tuple[Collider, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.springs)
