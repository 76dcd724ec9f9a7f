"""Traces: a strand as it was drawn, joint by joint and frame by frame, and how close a computed strand comes to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from komadori import rates
from komadori.errors import OptionError
from komadori.quat import Array
from komadori.skeleton import frozen
from komadori.words import Note

FARTHEST = 1e12
"""No joint is farther away than this."""


@dataclass(frozen=True, eq=False)
class Trace:
    """`joints` (F, n + 1, 2), root to tip, x along the way that the hair streams, y up; `fps` frames per second.

    `at` is the frame of each drawing; without it each stands for the frame after the one before, from 0 on.
    """

    joints: Array
    fps: float = 24.0
    chain: str = ""
    at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", frozen(self.joints, np.float64, (-1, -1, 2), "trace"))
        frames, count = self.joints.shape[:2]
        if frames < 1 or count < 2:
            raise OptionError(
                "trace",
                expected=Note("at least one frame and two joints"),
                found=Note("{frames} x {joints} joints", frames=frames, joints=count),
            )
        # Lengths are squared: absurd values would overflow there.
        sound = np.abs(self.joints) < FARTHEST
        if not sound.all():
            frame, joint = np.argwhere(~sound)[0, :2]
            raise OptionError(
                "trace",
                expected=Note("finite numbers"),
                found=Note("NaN or infinity at joint {joint} of frame {frame}", joint=int(joint), frame=int(frame)),
            )
        if not (math.isfinite(self.fps) and rates.SLOWEST <= self.fps <= 1e6):
            raise OptionError("fps", expected=Note("a frame rate from 0.000001 to 1,000,000 fps"), found=self.fps)
        if (self.bones.min(axis=1) <= 0.0).any():
            frame = int(np.argmin(self.bones.min(axis=1)))
            raise OptionError(
                "trace",
                problem=Note("two joints are at the same place in frame {frame}", frame=frame),
            )

        if self.at and (len(self.at) != frames or self.at[0] < 0 or (np.diff(self.at) <= 0).any()):
            raise OptionError(
                "at",
                expected=Note("an increasing frame number for each of {count} drawings", count=frames),
                found=self.at,
            )

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def bones(self) -> Array:
        """(F, n) lengths in every drawing."""
        return np.asarray(np.linalg.norm(np.diff(self.joints, axis=1), axis=-1))

    @property
    def lengths(self) -> Array:
        """(n,) the middle length of every bone over the drawings."""
        return np.asarray(np.median(self.bones, axis=0))

    @property
    def tilts(self) -> Array:
        """(F, n) the tilt of every bone, radians."""
        steps = np.diff(self.joints, axis=1)
        return np.asarray(np.arctan2(steps[..., 1], steps[..., 0]))

    @property
    def seconds(self) -> Array:
        """(F,) when each drawing is shown."""
        return np.array(self.at or range(len(self))) / self.fps

    def with_bones(self, fractions: Array) -> Trace:
        """The same line with joints at `fractions` (m,) of its length, 0 to 1."""
        result = np.empty((len(self), len(fractions), 2))
        for frame, points in enumerate(self.joints):
            along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
            for axis in range(2):
                result[frame, :, axis] = np.interp(np.asarray(fractions) * along[-1], along, points[:, axis])
        return replace(self, joints=result)


@dataclass(frozen=True)
class Comparison:
    """How close a strand comes to a trace (Furukawa and Nakata, section 4)."""

    angle_deg: float
    """Mean absolute difference of the bones' angles."""
    distance_percent: float
    """Mean distance of the joints (the root is on the root), in percent of the strand's length."""
    frames: int
    bones: int
    shift_s: float = 0.0
    """The moment of the cycle that the trace was found to begin at."""


def compared(joints: Array, trace: Trace) -> Comparison:
    """`joints` (F, n + 1, 2) at the trace's frames, against the trace."""
    ours = np.asarray(joints, dtype=np.float64)
    steps = np.diff(ours, axis=1)
    lengths = np.linalg.norm(steps, axis=-1).mean(axis=0)
    if trace.joints.shape[1] != ours.shape[1]:
        trace = trace.with_bones(np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()]))
    off = np.arctan2(steps[..., 1], steps[..., 0]) - trace.tilts
    off = np.abs((off + np.pi) % (2.0 * np.pi) - np.pi)
    theirs = (trace.joints - trace.joints[:, :1]) / trace.lengths.sum()
    mine = (ours - ours[:, :1]) / lengths.sum()
    away = np.linalg.norm(mine - theirs, axis=-1)[:, 1:]
    return Comparison(float(np.degrees(off.mean())), float(100.0 * away.mean()), len(trace), ours.shape[1] - 1)
