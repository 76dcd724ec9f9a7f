"""Live: frames go in as they come, limited animation comes out a fixed number of frames later."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

import numpy as np

from komadori import kinematics, quat, rates
from komadori.errors import OptionError
from komadori.methods.limited.causal import CausalHolds, Exposure, Leaps, Rules
from komadori.methods.limited.measure import joint_weights
from komadori.methods.limited.peaks import FAST, limb_ends, limb_length
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

TOLERANCE = 0.03
"""About what half of the frames of an average clip may be held at: see docs/benchmarks/live.md."""
MOST_AHEAD = 6
STAND_OUT = 2.3
"""More than `limited` asks for: what comes behind the burst, and makes it look less sudden, is not known yet."""


@dataclass(frozen=True, kw_only=True)
class CausalOptions:
    """What holds and omissions that are decided as frames come in can be asked, here and by a live session."""

    look_ahead: int = parameter(3, "frames to look ahead; this is the delay", unit="frames", low=0, high=MOST_AHEAD)
    fps: float = parameter(24.0, "frame rate of the output", unit="frames/s", low=1.0, high=240.0)
    tolerance: float = parameter(
        TOLERANCE,
        "how far a held pose may deviate before a new drawing begins: root mean square over joints, as a share of the body height",
        low=0.0,
        high=1.0,
    )
    hold_share: float | None = parameter(
        None, "adapt the tolerance to reach this share of held frames, over about ten seconds", low=0.0, high=0.95
    )
    max_exposures: int = parameter(
        3, "longest exposure of a drawing in frames: 2 is on twos, 3 on threes", unit="frames", low=1, high=12
    )
    omit_up_to: int = parameter(
        4,
        "in-betweens to omit at most in a burst (never more than look-ahead)",
        unit="frames",
        low=0,
        high=6,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamOptions(CausalOptions):
    """The options of `limited.stream`."""

    source_fps: float | None = parameter(
        None, "frame rate of the input (fps if not given)", unit="frames/s", low=1.0, high=1000.0
    )
    stand_out: float = parameter(
        STAND_OUT, "how much faster a burst must be than the second around it", low=1.0, high=1000.0
    )
    weights: Array | None = parameter(None, "weight of each joint, (J,) numbers (1 if not given)", faces=False)

    def __post_init__(self) -> None:
        check(self)
        if self.source_fps is not None and self.source_fps < self.fps:
            raise OptionError(
                "source_fps",
                expected=Note("a frame rate of at least that of the output ({fps:g} fps)", fps=self.fps),
                found=self.source_fps,
                advice=Note("komadori.live resamples slower input"),
            )


@dataclass(frozen=True, eq=False)
class Drawing:
    """One frame of the output: local `rotations` (J, 4) and `positions` (J, 3), and what it is on the timesheet."""

    rotations: Array
    positions: Array
    exposure: Exposure

    @property
    def new(self) -> bool:
        """Whether the drawing changes here; else the one before is held on."""
        return self.exposure.new


class LimitedStream:
    """Limited animation of a body of `skeleton`, live. All of `StreamOptions` can be given by name.

    Give every frame to `push`: it answers with the frame that is due, which lies `look_ahead` frames back, or with None. `finish` gives the
    frames that are left. Nothing but what a decision looks at is remembered, however long it runs.
    """

    def __init__(self, skeleton: Skeleton, options: StreamOptions | None = None, /, **given: object) -> None:
        make = partial(StreamOptions, **given)  # type: ignore[arg-type]
        self.options = options if options is not None and not given else make()
        self.skeleton = skeleton
        weights = self.options.weights
        self._weights = np.ones(len(skeleton)) if weights is None else joint_weights(skeleton, weights)
        self._scale = np.sqrt(self._weights)[:, None]
        self._holds: CausalHolds | None = None
        self._poses: deque[tuple[Array, Array]] = deque()
        self._oldest = 0
        # Time of the newest frame that came in, and of the next that is wanted, in frames of the output.
        self._step = 1.0 if self.options.source_fps is None else self.options.fps / self.options.source_fps
        self._came, self._wanted = 0, 0
        self._last: tuple[Array, Array] | None = None

    def push(self, rotations: Array, positions: Array, *, must: bool = False) -> Drawing | None:
        """Local rotations (J, 4) and positions (J, 3) of the next frame in; zero or one frame of the output out.

        `must` says that this frame has to be drawn: a foot that touches down.
        """
        joints = len(self.skeleton)
        q, p = np.array(rotations, dtype=np.float64), np.array(positions, dtype=np.float64)
        if q.shape != (joints, 4) or p.shape != (joints, 3):
            raise OptionError(
                "rotations",
                problem=Note("rotations and positions must have {joints} joints", joints=joints),
            )
        if not (np.isfinite(q).all() and np.isfinite(p).all()):
            raise OptionError("rotations", expected=Note("finite numbers"), found=Note("NaN or infinity"))
        if self._last is not None:
            q = np.where((q * self._last[0]).sum(axis=1, keepdims=True) < 0.0, -q, q)
        before, self._last = self._last, (q, p)
        at = self._came * self._step
        self._came += 1
        if at < self._wanted - 1e-9:
            return None
        if before is not None and at > self._wanted + 1e-9:
            part = np.float64(1.0 - (at - self._wanted) / self._step)
            q, p = quat.slerp(before[0], q, part), before[1] + part * (p - before[1])
        self._wanted += 1
        places = self._places(q, p)
        travel = self._weights @ places / self._weights.sum()
        exposure = self._solver(q, p).push(self._row(places), must, self._row(places - travel))
        return self._shown(exposure, (q, p))

    def finish(self) -> list[Drawing]:
        """The frames that are left when no more come."""
        if self._holds is None:
            return []
        made = [self._drawn(exposure) for exposure in self._holds.finish()]
        self._holds = None
        return made

    def _solver(self, q: Array, p: Array) -> CausalHolds:
        if self._holds is None:
            self._holds = CausalHolds(rules_of(self.skeleton, self.options, self._weights, self._places(q, p)))
        return self._holds

    def _places(self, q: Array, p: Array) -> Array:
        return np.asarray(kinematics.world_positions(self.skeleton, q[None], p[None])[0])

    def _row(self, places: Array) -> Array:
        return np.asarray((places * self._scale).reshape(-1))

    def _shown(self, exposure: Exposure | None, pose: tuple[Array, Array]) -> Drawing | None:
        for array in pose:
            array.flags.writeable = False
        self._poses.append(pose)
        return None if exposure is None else self._drawn(exposure)

    def _drawn(self, exposure: Exposure) -> Drawing:
        q, p = self._poses[exposure.source - self._oldest]
        assert self._holds is not None
        while self._oldest < self._holds.oldest:
            self._poses.popleft()
            self._oldest += 1
        return Drawing(q, p, exposure)


def rules_of(skeleton: Skeleton, options: StreamOptions, weights: Array, places: Array) -> Rules:
    """The options in the units of squared distances; `places` (J, 3) are world positions of a pose, for bodies without a rest pose."""
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    size = max(float(np.ptp(rest, axis=0).max()), 1e-6) if len(rest) > 1 else 1.0
    if size <= 1e-6:
        size = max(float(np.ptp(places, axis=0).max()), 1e-6)
    total = float(weights.sum())
    ends, hips = limb_ends(skeleton)
    limb = max((limb_length(skeleton, end, hips) for end in ends.values()), default=size)
    leaps = Leaps(
        min(options.omit_up_to, options.look_ahead), options.stand_out, FAST * limb * np.sqrt(total) / options.fps
    )
    worth = total * (options.tolerance * size) ** 2
    return Rules(
        options.look_ahead,
        options.max_exposures,
        worth,
        float(rates.exact(options.fps)),
        options.hold_share,
        leaps if leaps.most > 0 else None,
    )
