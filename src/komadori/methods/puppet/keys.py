"""What a puppet is made of: poses at places (keys), the joint that follows the handle (a grip), and a pose that knows how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from komadori import quat, roles
from komadori.errors import OptionError, quoted, unquoted
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.words import Note

_FARTHEST = 1e9
"""Metres: a place beyond this is a slip, and squares of it would not fit into a number."""


@dataclass(frozen=True, eq=False)
class Key:
    """A pose at a place: `position` (3,) in metres, where the handle is when the body stands in `pose`."""

    position: Array
    pose: Pose
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", place(self.position, "position"))
        if not isinstance(self.pose, Pose):
            raise OptionError("pose", expected=Note("a Pose, such as motion.pose(12)"), found=type(self.pose).__name__)


@dataclass(frozen=True, eq=False)
class Grip:
    """Inverse kinematics: `effector` (a joint or a role) is held at the handle by the joints from `base` down to it.

    `base` is the limb's first joint if not given. `limits_deg` bounds how far a joint may turn from its rest pose.
    """

    effector: str
    base: str | None = None
    limits_deg: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits_deg", MappingProxyType(dict(self.limits_deg)))
        for name, limit in self.limits_deg.items():
            if not 0.0 <= float(limit) <= 180.0:
                raise OptionError(
                    Note("limits_deg, {joint}", joint=name),
                    expected=Note("a number of degrees from {low:g} to {high:g}", low=0.0, high=180.0),
                    found=limit,
                )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Grip, (self.effector, self.base, dict(self.limits_deg)))

    def chain(self, skeleton: Skeleton) -> tuple[int, ...]:
        """The joints that turn, from the base down, and the effector after them."""
        effector = joint_of(skeleton, self.effector)
        above = _ancestors(skeleton, effector)
        if not above:
            raise OptionError(
                "ik", expected=Note("a joint with parents that can move it to the handle"), found=self.effector
            )
        base = _limb(skeleton, effector, above) if self.base is None else joint_of(skeleton, self.base)
        if base not in above:
            raise OptionError(
                "ik", expected=Note("a joint below {base}", base=quoted(str(self.base))), found=self.effector
            )
        return (*above[: above.index(base) + 1][::-1], effector)


@dataclass(frozen=True, eq=False)
class PuppetPose(Pose):
    """A pose that a puppet made: `defined` is 1 where the keys tell it, falling to 0 where they contradict each other."""

    defined: float = 1.0


def joint_of(skeleton: Skeleton, word: str) -> int:
    """The joint called `word`, or the one that plays the role `word`."""
    if word in skeleton.names:
        return skeleton.index(word)
    known = roles.known(skeleton)
    if word in known:
        return known[word]
    raise OptionError(
        "joint",
        expected=Note("a joint or role such as {names}", names=", ".join([*known, *skeleton.names][:8])),
        found=str(word),
    )


def place(values: Any, what: str) -> Array:
    """`values` as a position (3,) of sane numbers."""
    found = frozen(values, np.float64, (3,), what)
    if not (np.abs(found) <= _FARTHEST).all():
        raise OptionError(
            what,
            expected=Note("three numbers within {most:g} m", most=_FARTHEST),
            found=unquoted(_shown_numbers(found)),
        )
    return found


def path_of(values: Any, what: str = "path") -> Array:
    """`values` as a path (F, 3) without gaps."""
    found = frozen(values, np.float64, (-1, 3), what)
    bad = np.flatnonzero(~(np.abs(found) <= _FARTHEST).all(axis=1))
    if len(bad):
        raise OptionError(
            what,
            expected=Note("a place in every frame"),
            found=Note("{place} in frame {frame}", place=_shown_numbers(found[bad[0]]), frame=int(bad[0])),
            advice=Note("a path must have no gaps"),
        )
    return found


def checked_keys(skeleton: Skeleton, keys: Sequence[Key | tuple[Any, Pose]]) -> tuple[Key, ...]:
    """`keys` as Keys whose poses fit `skeleton`; plain (position, pose) pairs are made into Keys."""
    made = []
    for number, given in enumerate(keys):
        try:
            key = given if isinstance(given, Key) else Key(*given)
        except TypeError:
            raise OptionError(
                Note("key {number}", number=number), expected=Note("(position, pose)"), found=given
            ) from None
        except OptionError as error:
            raise error.named(Note("key {number}, {part}", number=number, part=error.parameter)) from None
        joints = np.shape(key.pose.rotations)
        if joints != (len(skeleton), 4) or np.shape(key.pose.positions) != (len(skeleton), 3):
            of = joints[0] if joints else 0
            raise OptionError(
                Note("key {number}", number=number),
                expected=Note("as many joints as the skeleton has ({count})", count=len(skeleton)),
                found=of,
            )
        if not (np.isfinite(key.pose.rotations).all() and np.isfinite(key.pose.positions).all()):
            raise OptionError(Note("key {number}", number=number), problem=Note("the pose has NaN or infinity"))
        made.append(key)
    if not made:
        raise OptionError("keys", problem=Note("the puppet has no keys"))
    names = [key.name for key in made if key.name]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError("keys", problem=Note("two keys are called {name}", name=quoted(twice)))
    return tuple(made)


def rest_pose(skeleton: Skeleton) -> Pose:
    """The body at rest."""
    return Pose(skeleton.rest, skeleton.offsets)


def turned(pose: Pose, skeleton: Skeleton, turns: Mapping[str, Array], root: Array | None = None) -> Pose:
    """`pose` with some joints' rotations replaced by name or role, and the root moved: for poses made by hand."""
    rotations, positions = np.array(pose.rotations), np.array(pose.positions)
    for name, q in turns.items():
        rotations[joint_of(skeleton, name)] = quat.normalized(q)
    if root is not None:
        positions[0] = root
    return Pose(rotations, positions)


def _ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    found = []
    while (joint := int(skeleton.parents[joint])) >= 0:
        found.append(joint)
    return found


def _limb(skeleton: Skeleton, effector: int, above: list[int]) -> int:
    """The first joint of the arm or leg that `effector` belongs to, else its grandparent."""
    known = roles.known(skeleton)
    tops = {known.get(f"{side}_{bone}") for side in ("left", "right") for bone in ("upper_arm", "upper_leg")}
    return next((joint for joint in above if joint in tops), above[min(1, len(above) - 1)])


def _shown_numbers(numbers: Array) -> str:
    return "(" + ", ".join(f"{number:g}" for number in numbers.tolist()) + ")"
