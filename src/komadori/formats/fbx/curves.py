"""Motions and keys as FBX curves: three angles or three coordinates per joint, with the interpolation of each key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import OptionError
from komadori.formats import angles, keys
from komadori.formats.fbx.records import Ready, Record, Short, array, record
from komadori.formats.format import Clip
from komadori.keyed import Keyed
from komadori.numerics import bezier
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

TICKS: Final = 46_186_158_000
"""FBX counts time in so many parts of a second."""
LATEST = 2.0**62
"""Ticks are counted in whole numbers of 64 bits."""
CENTIMETRES: Final = 100.0
NEAR_DEG, NEAR_CM = 2e-4, 2e-5
"""How far a curve between an animator's keys may be from the motion at a frame; beyond that, a key is added."""
AT_REST = 1e-9
"""Metres: a value this close to the joint's own counts as the joint's own."""

Mode: TypeAlias = Literal["stepped", "linear", "bezier"]
Frames: TypeAlias = NDArray[np.int64]
_CONSTANT, _LINEAR, _CUBIC, _OWN_SLOPES = 0x2, 0x4, 0x8, 0x400 | 0x800
_FLAGS: Final = {"stepped": _CONSTANT, "linear": _LINEAR, "bezier": _CUBIC | _OWN_SLOPES}
_THIRDS: Final = np.array([0x0D05_0D05], dtype=np.uint32).view(np.float32)[0]
"""Two weights of 0.3333 in the bits of one number: handles as long as a third of the way to the next key."""


@dataclass(frozen=True, eq=False)
class Track:
    """The keys of one joint's turn ("R", degrees) or place ("T", centimetres): `values` (K, 3) at `frames` (K,).

    `slopes` (2, K, 3) into and out of the keys, a second, if they are cubic.
    """

    joint: int
    kind: Literal["R", "T"]
    mode: Mode
    frames: Frames
    values: Array
    slopes: Array | None = None


def euler_deg(rotations: Array) -> Array:
    """FBX's angles (F, n, 3) about x, y and z, turned in this order, that flow from frame to frame."""
    return np.asarray(np.degrees(angles.flowing(rotations, "ZYX"))[..., ::-1])


def tracks(name: str, clip: Clip, skeleton: Skeleton) -> Iterator[Track]:
    """The tracks that move `skeleton` as `clip` does; a joint that stays as it rests has none."""
    length = clip.length if isinstance(clip, Keyed) else len(clip)
    if not length:
        raise OptionError(Note("the motion {name!r} has no frames: FBX cannot hold it", name=name))
    if not (np.isfinite(clip.rotations).all() and np.isfinite(clip.positions).all()):
        raise OptionError(Note("the motion {name!r} has numbers that are not finite: prepare it first", name=name))
    motion = clip.motion() if isinstance(clip, Keyed) else clip
    turned = euler_deg(quat.normalized(motion.rotations))
    moved = CENTIMETRES * motion.positions
    step = clip.interpolation == "stepped" if isinstance(clip, Keyed) else keys.held(motion)
    mode: Mode = clip.interpolation if isinstance(clip, Keyed) else "stepped" if step else "linear"
    away = np.abs(motion.positions - skeleton.offsets).max(axis=(0, 2))
    for joint in range(len(skeleton)):
        # Every rotation is written, even one at rest: otherwise a program would show what another clip left there.
        yield _track(joint, "R", mode, turned[:, joint], clip)
        if away[joint] > AT_REST or skeleton.parents[joint] < 0:
            yield _track(joint, "T", mode, moved[:, joint], clip)


def _track(joint: int, kind: Literal["R", "T"], mode: Mode, values: Array, clip: Clip) -> Track:
    small = values.astype(np.float32)
    if not np.isfinite(small).all():
        raise OptionError(Note("a motion that goes beyond the range of 32 bit numbers cannot be written"))
    last = len(values) - 1
    if (small == small[0]).all():
        ends = np.unique([0, last])
        return Track(joint, kind, "stepped", ends, values[ends])
    if mode == "stepped" or not isinstance(clip, Keyed):
        return _plain(joint, kind, mode, values, small)
    near = NEAR_DEG if kind == "R" else NEAR_CM
    at = np.unique([*clip.frames.tolist(), last])
    if mode == "linear":
        at = _refined(values, at, near, _straight)
        return Track(joint, kind, mode, at, values[at])
    if kind == "T" and len(at) == len(clip.frames) and len(at) > 1:
        assert clip.position_tangents is not None
        return Track(joint, kind, mode, at, values[at], CENTIMETRES * clip.position_tangents[:, :, joint])
    at = _refined(values, at, near, _curved)
    return Track(joint, kind, mode, at, values[at], np.stack(bezier.fitted_tangents(values, at)) * clip.fps)


def _plain(joint: int, kind: Literal["R", "T"], mode: Mode, values: Array, small: NDArray[np.float32]) -> Track:
    """Keys at the first and the last frame of every hold.

    A held pose needs the first alone if its key is stepped. The last is for programs that know no steps (Blender draws a
    line between any two keys of an FBX): there, too, every frame shows its own drawing.
    """
    changes = (small[1:] != small[:-1]).any(axis=1)
    told = np.ones(len(values), dtype=bool)
    told[1:-1] = changes[:-1] | changes[1:]
    at = np.flatnonzero(told)
    return Track(joint, kind, mode, at, values[at])


def _refined(values: Array, at: Frames, near: float, between: Callable[[Array, Frames], Array]) -> Frames:
    """`at` and as many more frames as are needed for `between` to pass all `values` (F, 3) within `near`."""
    while True:
        away = np.abs(between(values, at) - values).max(axis=1)
        far = np.flatnonzero(away > near)
        if not len(far):
            return at
        piece = np.searchsorted(at, far, "right") - 1
        order = np.lexsort((-away[far], piece))
        first = np.unique(piece[order], return_index=True)[1]
        at = np.union1d(at, far[order][first])


def _straight(values: Array, at: Frames) -> Array:
    frames = np.arange(len(values))
    return np.stack([np.interp(frames, at, values[at, axis]) for axis in range(3)], axis=1)


def _curved(values: Array, at: Frames) -> Array:
    return bezier.evaluated(values[at], *bezier.fitted_tangents(values, at), at, np.arange(float(len(values))))


def ticks(frames: Frames | int, fps: float) -> Frames:
    """When `frames` begin. Never late, because a late stepped key would show the previous drawing."""
    at = np.floor(np.asarray(frames) * (TICKS / fps) + 1e-3)
    if not at.max(initial=0.0) < LATEST:
        raise OptionError(
            Note(
                "the motion lasts {length:g} s; FBX counts at most {most:g}",
                length=at.max() / TICKS,
                most=LATEST / TICKS,
            )
        )
    return at.astype(np.int64)


class Curves:
    """Writes tracks as records; times that occurred before are not packed again."""

    def __init__(self, fps: float) -> None:
        self.fps = fps
        self._times: dict[bytes, Ready] = {}

    def records(self, track: Track) -> list[tuple[Record, ...]]:
        """What is inside the AnimationCurve of each of the three axes."""
        key = track.frames.tobytes()
        if key not in self._times:
            self._times[key] = Ready(array(ticks(track.frames, self.fps)))
        return [self._curve(track, axis, self._times[key]) for axis in range(3)]

    def _curve(self, track: Track, axis: int, times: Ready) -> tuple[Record, ...]:
        values = np.ascontiguousarray(track.values[:, axis], dtype=np.float32)
        flags, slopes, counts = _attributes(track, axis)
        return (
            record("Default", float(values[0])),
            record("KeyVer", Short(4009)),
            record("KeyTime", times),
            record("KeyValueFloat", values),
            record("KeyAttrFlags", flags),
            record("KeyAttrDataFloat", slopes),
            record("KeyAttrRefCount", counts),
        )


def _attributes(track: Track, axis: int) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
    """Flags, data (slope out of the key, slope into the next, weights, velocities) and for how many keys each counts."""
    count = len(track.frames)
    flag = _FLAGS[track.mode]
    if track.slopes is None:
        data = np.array([0.0, 0.0, _THIRDS, 0.0], dtype=np.float32)
        return np.array([flag], np.int32), data, np.array([count], np.int32)
    data = np.zeros((count, 4), dtype=np.float32)
    data[:, 0] = track.slopes[1, :, axis]
    data[:-1, 1] = track.slopes[0, 1:, axis]
    data[:, 2] = _THIRDS
    return np.full(count, flag, np.int32), data, np.ones(count, np.int32)
