"""Takes: what the handle did, its way through space apart from its timing, so that one can be kept and the other done again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from komadori import rates
from komadori.errors import OptionError
from komadori.methods.puppet.keys import path_of
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import frozen
from komadori.words import Note

_GRID = 8
"""Places within one breadth of smoothing, at which the path is taken evenly in time."""
MOST_FRAMES = 1_000_000
"""Frames that one take may be asked for: more is a slip, and memory for nothing."""


@dataclass(frozen=True, eq=False)
class Take:
    """A recording of the handle: `path` (N, 3) in metres, and when it was where, `times` (N,) in seconds, rising.

    >>> take = Take.recorded([[0, 0, 0], [1, 0, 0], [1, 2, 0]], fps=2)
    >>> take.seconds, take.length
    (1.0, 3.0)
    """

    path: Array
    times: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of(self.path))
        object.__setattr__(self, "times", frozen(self.times, np.float64, (len(self.path),), "times"))
        if not len(self.path):
            raise OptionError("path", expected=Note("at least one place"), found=Note("none"))
        bad = np.flatnonzero(~(np.diff(self.times) > 0.0))
        if not np.isfinite(self.times).all() or len(bad):
            at = int(bad[0]) + 1 if len(bad) else 0
            raise OptionError(
                "times",
                problem=Note("times must increase; the one at index {number} does not", number=at),
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return (Take, (self.path, self.times))

    def __len__(self) -> int:
        return len(self.path)

    @classmethod
    def recorded(cls, path: ArrayLike, fps: float = 24.0) -> Take:
        """A take of one position per frame, (F, 3)."""
        places = path_of(path)
        return cls(places, np.arange(len(places)) / float(rates.exact(fps)))

    @property
    def seconds(self) -> float:
        """From the first place to the last."""
        return float(self.times[-1] - self.times[0])

    @property
    def length(self) -> float:
        """Metres along the path."""
        return float(np.linalg.norm(np.diff(self.path, axis=0), axis=1).sum())

    @property
    def progress(self) -> Array:
        """(N,) the share of the way that is done at each time, 0 to 1: the timing without the path."""
        way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(self.path, axis=0), axis=1))])
        if way[-1] > 0.0:
            return np.asarray(way / way[-1])
        return np.linspace(0.0, 1.0, len(way)) if len(way) > 1 else way

    def at(self, times: ArrayLike) -> Array:
        """(F, 3) where the handle is at `times` (F,) in seconds from its start; before and after, it rests at the ends."""
        when = np.asarray(times, dtype=np.float64) + self.times[0]
        return np.stack([np.interp(when, self.times, self.path[:, axis]) for axis in range(3)], axis=-1)

    def sampled(self, fps: float = 24.0) -> Array:
        """(F, 3) one position per frame."""
        return self.at(frame_times(self.seconds, fps))

    def along(self, progress: ArrayLike) -> Array:
        """(F, 3) the places after a share of the way, 0 to 1."""
        done = np.clip(np.asarray(progress, dtype=np.float64), 0.0, 1.0)
        own = self.progress
        return np.stack([np.interp(done, own, self.path[:, axis]) for axis in range(3)], axis=-1)

    def retimed(self, performance: Take) -> Take:
        """The same path, performed again: `performance` (any path) sets what share of the path is done when."""
        return Take(self.along(performance.progress), performance.times)

    def lasting(self, seconds: float) -> Take:
        """The same take, faster or slower."""
        if not 0.0 < seconds < np.inf:
            raise OptionError("seconds", expected=Note("a number of seconds above 0"), found=seconds)
        spread = self.seconds or 1.0
        return Take(self.path, self.times[0] + (self.times - self.times[0]) * (seconds / spread))

    def smoothed(self, seconds: float = 0.08) -> Take:
        """The same take without the hand's tremble: a Gaussian in time, `seconds` its standard deviation.

        It begins and ends where it did, and an even way along a straight line stays as it is.
        """
        if not 0.0 < seconds <= 60.0:
            raise OptionError(
                "seconds", expected=Note("a number of seconds above 0 and at most {most:g}", most=60.0), found=seconds
            )
        if self.seconds == 0.0:
            return self
        step = max(seconds / _GRID, self.seconds / MOST_FRAMES)
        count = max(2, int(np.ceil(self.seconds / step)) + 1)
        grid = np.linspace(0.0, self.seconds, count)
        sigma = seconds / (grid[1] - grid[0])
        reach = min(int(np.ceil(4.0 * sigma)), count - 1)
        weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
        weights /= weights.sum()
        even = self.at(grid)
        # Beyond its ends the path continues, turned by half: so both ends stay, and so does an even way.
        before, after = 2.0 * even[0] - even[reach:0:-1], 2.0 * even[-1] - even[-2 : -reach - 2 : -1]
        longer = np.concatenate([before, even, after])
        calm = [np.convolve(longer[:, axis], weights, "valid") for axis in range(3)]
        when = self.times - self.times[0]
        return Take(np.stack([np.interp(when, grid, values) for values in calm], axis=-1), self.times)


def frame_times(seconds: float, fps: float) -> Array:
    """(F,) the times of the frames from 0 to `seconds`, the last one included."""
    rate = float(rates.exact(fps))
    if not 0.0 <= seconds * rate < MOST_FRAMES:
        raise OptionError(
            "seconds",
            expected=Note("at most {most} frames at {fps:g} fps", most=MOST_FRAMES, fps=rate),
            found=Note("{seconds:g} s", seconds=seconds),
        )
    # A millionth of a frame of slack: lengths are decimals, and their last frame belongs to them.
    return np.arange(int(seconds * rate + 1e-6) + 1) / rate


def following(motion: Motion, joint: int, *, relative_to_root: bool = False) -> Take:
    """The path of a joint through a clip, as a take: another body leads the handle.

    With `relative_to_root` it is seen from the point on the ground below the root, as a puppet on a ground wants it.
    """
    world = motion.world_positions()
    path = world[:, joint]
    if relative_to_root:
        path = path - world[:, 0] * np.array([1.0, 0.0, 1.0])
    return Take.recorded(path, motion.fps)
