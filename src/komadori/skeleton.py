"""Skeleton: the joints of a body, their parents, and how they stand at rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import OptionError, one_of, quoted, unquoted
from komadori.quat import Array
from komadori.shown import Shown
from komadori.words import Note

END_SUFFIX = "_end"
"""A leaf joint whose name ends like this is an end site: it marks where its parent's bone ends, and never rotates."""


def frozen(values: Any, dtype: type, shape: tuple[int, ...], what: str) -> NDArray[Any]:
    """`values` as a read-only array of that type and shape (-1 fits any length), or an OptionError that names it."""
    try:
        array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype)
    except (TypeError, ValueError):
        raise OptionError(what, expected=Note("an array of numbers"), found=unquoted(type(values).__name__)) from None
    if array.ndim != len(shape) or any(want not in (-1, have) for want, have in zip(shape, array.shape, strict=True)):
        wanted = " x ".join("any" if n == -1 else str(n) for n in shape)
        raise OptionError(
            what,
            expected=Note("an array of {size}", size=wanted),
            found=unquoted(" x ".join(map(str, array.shape)) or "0-d"),
        )
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Skeleton(Shown):
    """Joints in an order in which every parent comes before its children.

    `names` are unique; `parents` (J,) is -1 at a root (most bodies have one); `offsets` (J, 3) in metres and
    `rest` (J, 4) are the place and turn of each joint in its parent's frame, in the rest pose; `roles` maps
    a role ("left_hand") to a joint's number. End sites are joints.
    """

    names: tuple[str, ...]
    parents: NDArray[np.intp]
    offsets: Array
    rest: Array = field(default_factory=lambda: np.zeros((0, 4)))
    """Unturned if it is empty."""
    roles: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.names)
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        put(self, "parents", frozen(self.parents, np.intp, (count,), "parents"))
        put(self, "offsets", frozen(self.offsets, np.float64, (count, 3), "offsets"))
        rest = self.rest if len(self.rest) else quat.identity(count)
        put(self, "rest", frozen(rest, np.float64, (count, 4), "rest"))
        put(self, "roles", MappingProxyType(dict(self.roles)))
        if count == 0:
            raise OptionError("names", expected=Note("at least one joint"), found=Note("none"))
        if len(set(self.names)) != count:
            twice = next(name for name, times in Counter(self.names).items() if times > 1)
            raise OptionError("names", problem=Note("two joints are called {name}", name=quoted(twice)))
        if (self.parents < -1).any() or (self.parents >= np.arange(count)).any():
            raise OptionError(
                "parents",
                problem=Note("each parent must come before its children, with -1 for a root"),
            )
        if any(not 0 <= joint < count for joint in self.roles.values()):
            raise OptionError(
                "roles",
                expected=Note("joints of the skeleton, 0 to {last}", last=count - 1),
                found=unquoted(", ".join(map(str, self.roles.values()))),
            )

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Skeleton, (self.names, self.parents, self.offsets, self.rest, dict(self.roles)))

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, root {self.names[0]!r}, {len(self.roles)} roles)"

    def index(self, name: str) -> int:
        """The number of the joint called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            raise OptionError(
                "joint", expected=one_of([*self.names[:8], *(["..."] if len(self) > 8 else [])]), found=name
            ) from None

    def role(self, role: str) -> int | None:
        """The joint that plays `role`, or None."""
        return self.roles.get(role)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every joint."""
        found: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                found[parent].append(joint)
        return tuple(map(tuple, found))

    @cached_property
    def end_sites(self) -> NDArray[np.bool_]:
        """(J,) true at end sites: leaves named with END_SUFFIX."""
        leaf = np.array([not kids for kids in self.children])
        named = np.array([name.endswith(END_SUFFIX) for name in self.names])
        return np.asarray(leaf & named & (self.parents >= 0))

    @cached_property
    def levels(self) -> tuple[NDArray[np.intp], ...]:
        """Joints by depth: the roots first, then their children, and so on."""
        depth = np.zeros(len(self), dtype=np.intp)
        for joint, parent in enumerate(self.parents.tolist()):
            depth[joint] = depth[parent] + 1 if parent >= 0 else 0
        order = np.argsort(depth, kind="stable")
        return tuple(np.split(order, np.flatnonzero(np.diff(depth[order])) + 1))

    @cached_property
    def turning_levels(self) -> tuple[NDArray[np.intp], ...]:
        """The levels without their leaves: the joints whose turn moves another."""
        inner = np.array([bool(kids) for kids in self.children])
        levels = (level[inner[level]] for level in self.levels)
        return tuple(level for level in levels if len(level))

    def below(self, joints: Iterable[int]) -> NDArray[np.bool_]:
        """(J,) true at `joints` and at everything below them."""
        chosen = np.zeros(len(self), dtype=bool)
        chosen[list(joints)] = True
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0 and chosen[parent]:
                chosen[joint] = True
        return chosen

    def with_roles(self, roles: Mapping[str, int]) -> Skeleton:
        """The same joints with these roles."""
        return replace(self, roles=roles)

    def same_joints(self, other: Skeleton) -> bool:
        """Whether both have the same names, parents, offsets and rest pose (roles aside)."""
        return self is other or (
            self.names == other.names
            and bool(np.array_equal(self.parents, other.parents))
            and bool(np.array_equal(self.offsets, other.offsets))
            and bool(np.array_equal(self.rest, other.rest))
        )
