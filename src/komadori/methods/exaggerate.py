"""Exaggeration: the cartoon animation filter (Wang, Drucker, Agrawala, Cohen 2006), which Kitamura et al. name as the missing half."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from komadori import feet, quat, roles
from komadori.motion import Motion, Stretch
from komadori.numerics.filters import main_frequency, smoothed_curvature
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

FOLDED = math.radians(155.0)
"""Knees and elbows bend no farther than this."""
MOST_LOG = math.log(1.6)
"""The limit of how many times as tall or short a body can become."""
GAIN = 3.0
"""What the filter finds in how high the hips are is small beside a body; times this, an amount of 1 is clear."""
SOLE = 0.04
"""Joints this much higher than the lowest one (as a share of the hips' height) carry a third of its weight."""

__all__ = ["ExaggerateOptions", "ExaggerateResult", "exaggerate"]


@dataclass(frozen=True, kw_only=True)
class ExaggerateOptions:
    """The options of `exaggerate`."""

    amount: float = parameter(
        1.0,
        "strength: 0 leaves the clip as it is, 1 is clear, 2 is broad",
        low=0.0,
        high=5.0,
        usual=(0.0, 2.0),
        label="strength",
    )
    width_s: float | None = parameter(
        None,
        "width of the filter (from the motion's main frequency if not given)",
        unit="s",
        low=0.005,
        high=5.0,
        label="filter width",
    )
    root: float = parameter(
        0.5, "share of the strength that the root's travel gets", low=0.0, high=1.0, label="share for travel"
    )
    plant_feet: bool = parameter(True, "lock planted feet in place", label="keep planted feet in place")
    squash: float = parameter(
        0.0,
        "strength of squash before a jump and on landing, and of stretch in the air, with the volume kept: 0 is off, 1 is clear",
        low=0.0,
        high=5.0,
        usual=(0.0, 2.0),
        label="squash and stretch",
    )


@dataclass(frozen=True, eq=False)
class ExaggerateResult(Result):
    """The exaggerated motion, and details of how it was made."""

    source_motion: Motion
    options: ExaggerateOptions
    motion: Motion
    width_s: float
    """Width of the Gaussian that was used."""
    largest_rad: float
    """The farthest that any joint was turned from where it was."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How wide the filter is, and how far joints were turned."""
        own = {"width_s": Measure(self.width_s, "s"), "largest_deg": Measure(self.largest_deg, "degrees")}
        if self.motion.stretch is None:
            return own
        along = 100.0 * self.motion.stretch.along
        return {**own, "shortest": Measure(float(along.min()), "%"), "tallest": Measure(float(along.max()), "%")}

    @property
    def largest_deg(self) -> float:
        """`largest_rad` in degrees."""
        return math.degrees(self.largest_rad)


def _rows(result: ExaggerateResult) -> list[Row]:
    turned = Note("at most {degrees:.1f} degrees from the original", degrees=result.largest_deg)
    stretch = result.motion.stretch
    if stretch is None:
        return [(Note("turned"), turned)]
    low, high = 100.0 * float(stretch.along.min()), 100.0 * float(stretch.along.max())
    told = Note("{low:.0f} to {high:.0f} % of the height, with the volume kept", low=low, high=high)
    return [(Note("turned"), turned), (Note("squashed"), told)]


@method(
    ExaggerateOptions,
    stage="shape",
    rows=_rows,
    title="{path}: exaggerated",
    working="exaggerating {count} frames",
    example="komadori exaggerate sample:kick -o kick.bvh --amount 1.5",
    presets={"Subtle": {"amount": 0.5}, "Broad": {"amount": 1.8}, "Squash and stretch": {"squash": 1.0}},
)
def exaggerate(motion: Motion, options: ExaggerateOptions) -> ExaggerateResult:
    """`motion` with anticipation before and follow-through after each move: x - amount * (smoothed second derivative).

    Before a move starts the curve bends away from it, so the filter draws back first; where it stops, it overshoots and
    settles. Rotations are filtered in the plane that touches them, positions of the root as they are; timing stays. A person's knees and
    elbows never bend the wrong way for it.
    """
    check(options)
    width_s = options.width_s or _fitting_width_s(motion)
    notes: list[Note] = [Fact("The filter is {width:.2f} s wide.", width=width_s)]
    if len(motion) < 3 or options.amount == options.squash == 0.0:
        return ExaggerateResult(motion, options, motion, width_s, 0.0, tuple(notes))
    if options.amount == 0.0:
        return ExaggerateResult(motion, options, squashed(motion, options.squash, width_s), width_s, 0.0, tuple(notes))
    sigma = width_s * motion.fps
    turn = -options.amount * _rotation_curvature(motion.rotations, sigma)
    rotations = quat.multiply(motion.rotations, quat.exp(turn))
    positions = motion.positions.copy()
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    positions[:, roots] -= options.amount * options.root * smoothed_curvature(positions[:, roots], sigma)
    changed = _bending(motion, motion.replaced(rotations, positions))
    if options.plant_feet:
        changed, said = _standing(motion, changed)
        notes += said
    largest = float(np.linalg.norm(turn, axis=-1).max())
    if options.squash:
        changed = replace(changed, stretch=squashed(motion, options.squash, width_s).stretch)
    return ExaggerateResult(motion, options, changed, width_s, largest, tuple(notes))


def squashed(motion: Motion, amount: float, width_s: float) -> Motion:
    """`motion` with squash and stretch: the same filter, on how high the hips are.

    It squashes where the hips are lowest (the crouch before a jump, the landing after it) and stretches where they are highest. The
    point that stays is on the ground below the body's weight, which is where it stands; in the air it is the lowest joint.
    """
    world = motion.world_positions()
    heights = world[:, roles.known(motion.skeleton).get("hips", 0), 1]
    low = world[..., 1].min(axis=1)
    size = float(np.median(heights - low))
    if size <= 1e-9:
        return motion
    bend = -GAIN * amount * smoothed_curvature(heights, width_s * motion.fps) / size
    along = np.exp(MOST_LOG * np.tanh(bend / MOST_LOG))
    # The lower a joint, the more weight it carries, so that the point moves smoothly from foot to foot.
    weight = np.exp((low[:, None] - world[..., 1]) / (SOLE * size))
    weight /= weight.sum(axis=1, keepdims=True)
    pivot = np.einsum("fj,fji->fi", weight, world)
    pivot[:, 1] = low
    return replace(motion, stretch=Stretch(along, pivot - motion.positions[:, 0]))


def _bending(before: Motion, after: Motion) -> Motion:
    """`after` with knees and elbows that bend no farther back than straight, and no farther than a limb folds; as far as in `before` in any case."""
    known = roles.known(before.skeleton)
    if roles.body_plan(before.skeleton, before.pose(0)) != "biped":
        return after
    rotations = np.array(after.rotations)
    for side in ("left", "right"):
        for names in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")):
            upper, lower, end = (known.get(f"{side}_{name}", -1) for name in names)
            # Where a joint between them twists, the hinge is not its parent's.
            if min(upper, lower, end) < 0 or before.skeleton.parents[lower] != upper:
                continue
            axis = _hinge(before, upper, lower, end)
            if axis is None:
                continue
            there, here = (_bend(motion, axis, upper, lower, end) for motion in (before, after))
            least, most = min(0.0, float(there.min())), max(FOLDED, float(there.max()))
            back = quat.from_axis_angle(axis, np.clip(here, least, most) - here)
            rotations[:, lower] = quat.multiply(back, rotations[:, lower])
    return after.replaced(rotations=quat.continuous(rotations))


def _lines(motion: Motion, upper: int, lower: int, end: int) -> tuple[Array, Array]:
    """(F, 3) the two bones of a limb, seen from its upper joint."""
    turned, places = motion.world_transforms()
    back = quat.inverse(turned[:, upper])
    return quat.rotate(back, places[:, lower] - places[:, upper]), quat.rotate(back, places[:, end] - places[:, lower])


def _hinge(motion: Motion, upper: int, lower: int, end: int) -> Array | None:
    """(3,) the axis in the upper joint that the limb bends about over the clip; None if it never bends."""
    axis = quat.cross(*_lines(motion, upper, lower, end)).sum(axis=0)
    length = float(np.linalg.norm(axis))
    return axis / length if length > 1e-9 else None


def _bend(motion: Motion, axis: Array, upper: int, lower: int, end: int) -> Array:
    """(F,) by how many radians the limb is bent about `axis`, below 0 the wrong way."""
    first, second = _lines(motion, upper, lower, end)
    first, second = (line - (line @ axis)[:, None] * axis for line in (first, second))
    return np.asarray(np.arctan2(quat.cross(first, second) @ axis, (first * second).sum(axis=1)))


def _rotation_curvature(rotations: Array, sigma: float) -> Array:
    """(F, J, 3) the smoothed second derivative as a rotation vector, seen from each frame's own rotation."""
    curvature = smoothed_curvature(quat.continuous(rotations), sigma)
    # A quaternion moves half as far as the rotation turns; what points along it only changes its length.
    return 2.0 * quat.multiply(quat.inverse(rotations), curvature)[..., :3]


def _fitting_width_s(motion: Motion) -> float:
    """The width to which the filter answers most at the motion's main frequency: sigma w = sqrt(2)."""
    inner = motion.world_positions()
    frequency = main_frequency((inner - inner[:, :1]).reshape(len(motion), inner.shape[1] * 3))
    return float(np.clip(np.sqrt(2.0) / max(frequency, 1e-9) / motion.fps, 2.0 / motion.fps, 0.4))


def _standing(before: Motion, after: Motion) -> tuple[Motion, tuple[Note, ...]]:
    """`after` with the feet that stood in `before` held where they stood."""
    found = feet.contacts(before)
    if not found.on.any():
        return after, tuple(found.notes)
    return feet.planted(after, found), tuple(found.notes)
