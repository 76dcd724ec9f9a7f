"""Features of a pose for regression: exponential maps of some joints about their mean, reduced to principal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori import quat, roles
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.words import Note

LEG = ("upper_leg", "lower_leg", "foot", "toes")
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
GROUPS = {
    "legs": ("leg", LEG),
    "hind legs": ("leg", LEG),
    "arms": ("arm", ARM),
    "fore legs": ("arm", ARM),
}
"""Words for groups of joints: the part of the body, and the roles in it."""
_LEAST = 1e-9
"""Variance under which a direction does not move at all."""
ROOM = 0.2
"""Share of the range met in training that an answer may go beyond it, softly."""


def joints_of(skeleton: Skeleton, asked: str | Sequence[str], what: str) -> tuple[int, ...]:
    """The joints that `asked` names: one of GROUPS, or joint names or roles.

    Of a person's limbs those with a role (hip, knee, ankle, toes: 24 numbers for both legs, as in the paper); of an animal's all
    that turn, since its legs have more bones.
    """
    if isinstance(asked, str) and asked in GROUPS:
        part, kinds = GROUPS[asked]
        found = roles.known(skeleton)
        if roles.body_plan(skeleton) == "quadruped":
            masks = roles.parts(skeleton)
            inner = np.array([bool(kids) for kids in skeleton.children])
            chosen = [np.flatnonzero(masks[f"{side}_{part}"] & inner) for side in ("left", "right")]
            numbers = tuple(int(joint) for side in chosen for joint in side)
        else:
            numbers = tuple(
                found[f"{side}_{kind}"] for side in ("left", "right") for kind in kinds if f"{side}_{kind}" in found
            )
        if len(numbers) < 4:
            raise OptionError(
                what,
                problem=Note("no {group} were recognised in this skeleton", group=asked),
                advice=Note("name its joints instead"),
            )
        return numbers
    names = (asked,) if isinstance(asked, str) else tuple(asked)
    if not names:
        raise OptionError(
            what, expected=Note("at least one joint, or one of {names}", names=", ".join(GROUPS)), found=Note("none")
        )
    known = roles.known(skeleton)
    numbers = tuple(
        known[name] if name in known and name not in skeleton.names else _index(skeleton, name, what) for name in names
    )
    if len(set(numbers)) < len(numbers):
        raise OptionError(what, problem=Note("a joint is named twice"))
    return numbers


def _index(skeleton: Skeleton, name: str, what: str) -> int:
    if name in skeleton.names:
        return skeleton.names.index(name)
    raise OptionError(
        what,
        expected=Note(
            "a joint such as {joints}, or one of {names}", joints=", ".join(skeleton.names[:8]), names=", ".join(GROUPS)
        ),
        found=name,
    )


@dataclass(frozen=True, eq=False)
class Space:
    """The space of some joints' turns that was met in training.

    `mean` (J, 4) is the mean rotation of each joint; log(mean^-1 q) of all joints is 3 J numbers, `centre` their mean and
    `axes` (k, 3 J) the principal directions; `low` and `high` (k,) the range that training filled.
    """

    mean: Array
    centre: Array
    axes: Array
    low: Array
    high: Array

    def __post_init__(self) -> None:
        joints, count = len(self.mean), len(self.axes)
        put = object.__setattr__
        put(self, "mean", frozen(self.mean, np.float64, (-1, 4), "mean"))
        put(self, "centre", frozen(self.centre, np.float64, (3 * joints,), "centre"))
        put(self, "axes", frozen(self.axes, np.float64, (-1, 3 * joints), "axes"))
        put(self, "low", frozen(self.low, np.float64, (count,), "low"))
        put(self, "high", frozen(self.high, np.float64, (count,), "high"))

    @property
    def dims(self) -> int:
        """How many principal components are kept."""
        return len(self.axes)

    def maps(self, rotations: Array) -> Array:
        """(..., 3 J) the exponential maps of rotations (..., J, 4) about the mean."""
        turned = quat.log(quat.multiply(quat.inverse(self.mean), rotations))
        return turned.reshape(*turned.shape[:-2], -1)

    def reduced(self, rotations: Array) -> Array:
        """(..., k) principal components of rotations (..., J, 4)."""
        return np.asarray((self.maps(rotations) - self.centre) @ self.axes.T)

    def rotations(self, components: Array, scales: Array | None = None) -> Array:
        """(..., J, 4) the rotations of components (..., k); `scales` (..., 3 J) are factors of how far they lie from the centre."""
        maps = components @ self.axes
        maps = (maps if scales is None else maps * scales) + self.centre
        return quat.multiply(self.mean, quat.exp(maps.reshape(*maps.shape[:-1], -1, 3)))

    def eased(self, components: Array) -> Array:
        """Components (..., k) within the range of training and a little room: beyond it they level off."""
        room = ROOM * np.maximum(self.high - self.low, 1e-9)
        held = np.minimum(np.maximum(components, self.low), self.high)
        return np.asarray(held + room * np.tanh((components - held) / room))

    def kept(self, dims: int) -> Space:
        """The same space with its first `dims` components."""
        return Space(self.mean, self.centre, self.axes[:dims], self.low[:dims], self.high[:dims])


def space_of(clips: Sequence[Array], most: int) -> Space:
    """The space of rotations (F, J, 4), at most `most` components, strongest first."""
    every = np.concatenate(clips)
    mean = quat.mean(every)
    turned = quat.log(quat.multiply(quat.inverse(mean), every)).reshape(len(every), -1)
    centre = turned.mean(axis=0)
    _, strengths, axes = np.linalg.svd(turned - centre, full_matrices=False)
    # A fixed sign for each axis, so that the same clips give the same numbers everywhere.
    signs = np.sign(axes[np.arange(len(axes)), np.argmax(np.abs(axes), axis=1)])
    moving = int(np.sum(strengths**2 > _LEAST * len(every)))
    axes = (axes * signs[:, None])[: max(1, min(most, moving))]
    values = (turned - centre) @ axes.T
    return Space(mean, centre, axes, values.min(axis=0), values.max(axis=0))


def angles_deg(a: Array, b: Array) -> Array:
    """Degrees between rotations (..., 4) and (..., 4)."""
    return np.degrees(quat.angle(quat.multiply(quat.inverse(a), b)))


def swing(made: Array, truth: Array) -> tuple[float, float]:
    """Swing ratio and correlation of rotations `made` (F, J, 4) with `truth`, along the direction in which `truth` swings most.

    A ratio of 1: it swings as far as the truth. Both are 0 where what was made does not move, and 1 where the truth does not.
    """
    mean = quat.inverse(quat.mean(truth))
    a, b = (quat.log(quat.multiply(mean, one)).reshape(len(one), -1) for one in (made, truth))
    b = b - b.mean(axis=0)
    # The direction of most swing from the square matrix, which is smaller than the clip.
    _, axes = np.linalg.eigh(b.T @ b)
    p, q = (a - a.mean(axis=0)) @ axes[:, -1], b @ axes[:, -1]
    own, wanted = float(np.sqrt(p @ p)), float(np.sqrt(q @ q))
    if wanted < 1e-6 * np.sqrt(len(truth)):
        return 1.0, 1.0
    return (own / wanted, float(p @ q) / (own * wanted)) if own > 1e-9 * wanted else (0.0, 0.0)


def finite(motion: Motion, what: str) -> None:
    """An OptionError that names the first frame with an invalid number."""
    good = np.isfinite(motion.rotations).all(axis=(1, 2)) & np.isfinite(motion.positions).all(axis=(1, 2))
    if not good.all():
        raise OptionError(
            what,
            expected=Note("finite numbers"),
            found=Note("NaN or infinity in frame {frame}", frame=int(np.argmin(good))),
            advice=Note("motion.prepared() repairs them"),
        )
