"""Clips in which nobody stands: sitting, kneeling, crawling, on the hands, in the air; a built-in body bent by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from komadori import Motion, quat
from komadori.quat import Array

Angles = tuple[float, float, float]
"""Degrees about x, y and z, as a rotation vector."""


@dataclass(frozen=True)
class Posture:
    """A pose by its joints' angles, and how it moves: a `swing` goes to and fro so many times a second, at a phase in turns."""

    pose: Mapping[str, Angles]
    swing: Mapping[str, tuple[Angles, float, float]] = field(default_factory=dict)
    body: Angles = (0.0, 0.0, 0.0)
    """How the whole of it is turned."""
    way_m_s: float = 0.0
    """How fast it goes ahead."""
    above_m: float = 0.0
    """How far its lowest joint is above the floor."""


_BOTH = ("left", "right")
_LEGS_SEATED = {f"{side}_{role}": angles for side in _BOTH for role, angles in (("upper_leg", (-90.0, 0.0, 0.0)), ("lower_leg", (85.0, 0.0, 0.0)))}  # fmt: skip
_WAVES: Mapping[str, tuple[Angles, float, float]] = {
    "right_upper_arm": ((0.0, 0.0, 30.0), 0.5, 0.0),
    "right_lower_arm": ((0.0, 40.0, 0.0), 0.8, 0.0),
    "head": ((5.0, 25.0, 0.0), 0.2, 0.0),
}
_ARMS: Mapping[str, Angles] = {"left_upper_arm": (0.0, 0.0, -70.0), "right_upper_arm": (0.0, 0.0, 60.0), "left_lower_arm": (0.0, -60.0, 0.0), "right_lower_arm": (0.0, 50.0, 0.0)}  # fmt: skip
_UP: Mapping[str, Angles] = {"left_upper_arm": (0.0, 0.0, 85.0), "right_upper_arm": (0.0, 0.0, -85.0)}
_KICKS: Mapping[str, tuple[Angles, float, float]] = {
    f"{side}_upper_leg": ((15.0, 0.0, 0.0), 0.5, phase) for side, phase in (("left", 0.0), ("right", 0.5))
}

POSTURES: Mapping[str, Posture] = {
    "sits on a chair": Posture({**_LEGS_SEATED, **_ARMS}, _WAVES),
    "sits cross-legged": Posture(
        {**_ARMS, "left_upper_leg": (-80.0, 50.0, 0.0), "right_upper_leg": (-80.0, -50.0, 0.0), "left_lower_leg": (130.0, 0.0, 0.0), "right_lower_leg": (130.0, 0.0, 0.0)},
        _WAVES,
    ),
    "kneels on one knee": Posture({**_LEGS_SEATED, **_ARMS, "left_upper_leg": (0.0, 0.0, 0.0), "left_foot": (40.0, 0.0, 0.0)}, _WAVES),
    "crawls": Posture(
        {**{f"{side}_{role}": angles for side in _BOTH for role, angles in (("upper_leg", (-90.0, 0.0, 0.0)), ("lower_leg", (90.0, 0.0, 0.0)), ("foot", (50.0, 0.0, 0.0)))},
         "left_upper_arm": (0.0, -90.0, 0.0), "right_upper_arm": (0.0, 90.0, 0.0), "neck": (-30.0, 0.0, 0.0), "head": (-25.0, 0.0, 0.0)},
        {**{f"{side}_upper_leg": ((20.0, 0.0, 0.0), 0.65, phase) for side, phase in (("left", 0.0), ("right", 0.5))},
         **{f"{side}_upper_arm": ((0.0, 15.0, 0.0), 0.65, phase) for side, phase in (("left", 0.5), ("right", 0.0))}},
        body=(88.0, 0.0, 0.0), way_m_s=0.4,
    ),
    "always in a handstand, kicking": Posture(_UP, _KICKS, body=(180.0, 0.0, 0.0)),
    "flies face down": Posture(_UP, _KICKS, body=(75.0, 0.0, 0.0), way_m_s=2.0, above_m=1.5),
    "always on the back, arms moving": Posture({"left_upper_arm": (0.0, 0.0, -60.0), "right_upper_arm": (0.0, 0.0, 60.0)}, _WAVES, body=(-90.0, 0.0, 0.0)),
}  # fmt: skip


def in_posture(motion: Motion, posture: Posture) -> Motion:
    """The body of `motion` in a posture, as long as that."""
    skeleton, frames = motion.skeleton, len(motion)
    time = np.arange(frames) / motion.fps
    rotations = np.array(np.broadcast_to(skeleton.rest, (frames, len(skeleton), 4)))
    for role in {*posture.pose, *posture.swing}:
        angles = np.broadcast_to(np.array(posture.pose.get(role, (0.0, 0.0, 0.0))), (frames, 3))
        if role in posture.swing:
            size, often, phase = posture.swing[role]
            angles = angles + np.sin(2.0 * np.pi * (often * time + phase))[:, None] * np.array(size)
        rotations[:, skeleton.roles[role]] = quat.exp(np.radians(angles))
    rotations[:, 0] = quat.multiply(quat.exp(np.radians(posture.body)), rotations[:, 0])
    positions: Array = np.array(np.broadcast_to(skeleton.offsets, (frames, len(skeleton), 3)))
    positions[:, 0, 2] += posture.way_m_s * time
    posed = motion.replaced(rotations=quat.continuous(rotations), positions=positions)
    positions[:, 0, 1] += posture.above_m - posed.world_positions()[..., 1].min()
    return posed.replaced(positions=positions)
