"""Motions and keys as glTF animations: channels, samplers, and as few keys as say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import OptionError
from komadori.formats import keys
from komadori.formats.gltf.animations import Source, sampled, tracks_of
from komadori.formats.gltf.builder import Builder
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.ours import OURS
from komadori.formats.keys import Frames
from komadori.keyed import Keyed
from komadori.motion import COMPUTED, Motion
from komadori.quat import Array
from komadori.words import Note

Clip: TypeAlias = Motion | Keyed
Floats: TypeAlias = NDArray[np.float32]
AT_REST = 2e-7
"""A value that differs by less than this part from the node's own is the node's own."""


@dataclass(frozen=True, eq=False)
class Target:
    """Where an animation goes: the node of every joint, its rest, and the way from joint to node space.

    `scales` (J,) are metres of one unit of each node's translation; `even` tells whether translation is linear. `squash` are the two
    nodes above them all that squash and stretch the body, if it needs them, and `metres` those of their unit.
    """

    nodes: Sequence[int]
    rotations: Array
    translations: Array
    scales: Array
    even: bool
    to_nodes: Callable[[Array, Array], tuple[Array, Array]]
    squash: tuple[int, int] | None = None
    metres: float = 1.0


@dataclass(frozen=True, eq=False)
class _Channel:
    node: int
    path: str
    mode: str
    frames: Frames
    values: Floats
    """(K, n), or (K, 3, n) with tangents."""


def animation(builder: Builder, name: str, clip: Clip, target: Target, *, faces: bool) -> dict[str, Any]:
    """The animation `name` that moves the target's nodes as `clip` does; its keys go into `builder`.

    With `faces` the blend shapes that the clip's own file moved are moved as well: in that file alone the numbers of nodes hold.
    """
    numbers = (clip.rotations, clip.positions)
    if not all(np.isfinite(part).all() for part in numbers):
        raise OptionError(Note("{name}: a motion with numbers that are not finite cannot be written", name=name))
    length = clip.length if isinstance(clip, Keyed) else len(clip)
    channels = _of_keys(clip, target) if isinstance(clip, Keyed) else _of_frames(clip, target)
    channels += _squash(clip, target)
    channels += _morphs(clip) if faces else []
    if not channels:
        rest = quat.normalized(target.rotations[:1]).astype(np.float32)
        channels = [_Channel(target.nodes[0], "rotation", "STEP", np.zeros(1, dtype=np.int64), rest)]
    channels[0] = _closed(channels[0], length - 1)
    return {
        "name": name,
        "extras": {OURS: {"fps": float(clip.fps), "frames": length}},
        **_written(builder, channels, clip.fps, length * len(target.nodes)),
    }


def _of_frames(motion: Motion, target: Target) -> list[_Channel]:
    rotations, translations = target.to_nodes(motion.rotations, motion.positions)
    rotations = quat.normalized(rotations)
    step = keys.held(motion)
    mode = "STEP" if step else "LINEAR"
    # The larger the body, the farther a rotation moves its ends.
    size = max(1.0, float(np.ptp(motion.positions, axis=(0, 1)).max()) * len(motion.skeleton.levels))
    limits = {
        "rotation": np.full(len(target.nodes), keys.EXACT / size),
        "translation": keys.EXACT / np.maximum(target.scales, 1e-9),
    }
    found = []
    for path, values, rest in (
        ("rotation", rotations, target.rotations),
        ("translation", translations, target.translations),
    ):
        turning = path == "rotation"
        small = _small(values)
        still = (small == small[:1]).all(axis=(0, 2))
        resting = still & _same(values[0], rest, turning)
        bends = None if step else keys.bent(values, limits[path], turning)
        for joint in np.flatnonzero(~resting).tolist():
            if still[joint]:
                found.append(_Channel(target.nodes[joint], path, "STEP", np.zeros(1, np.int64), small[:1, joint]))
                continue
            if bends is None:
                at = keys.stepped(small[:, joint])
            else:
                at = keys.linear(values[:, joint], bends[:, joint], float(limits[path][joint]), turning)
            found.append(_Channel(target.nodes[joint], path, mode, at, small[at, joint]))
    return found


def _of_keys(clip: Keyed, target: Target) -> list[_Channel]:
    if clip.interpolation == "bezier" and not target.even:
        return _of_frames(clip.motion(), target)
    rotations, translations = target.to_nodes(clip.rotations, clip.positions)
    mode = {"stepped": "STEP", "linear": "LINEAR", "bezier": "CUBICSPLINE"}[clip.interpolation]
    tangents = dict.fromkeys(("rotation", "translation"), np.zeros((2, 1, 1, 1)))
    if clip.interpolation == "bezier" and len(clip) > 1:
        tangents = _tangents(clip, target)
    elif clip.interpolation == "bezier":
        mode = "STEP"
    found = []
    for path, values, rest in (
        ("rotation", rotations, target.rotations),
        ("translation", translations, target.translations),
    ):
        small = _small(values)
        slopes = _small(np.broadcast_to(tangents[path], (2, *values.shape)))
        still = (small == small[:1]).all(axis=(0, 2)) & ~slopes.any(axis=(0, 1, 3))
        resting = still & _same(values[0], rest, path == "rotation")
        for joint in np.flatnonzero(~resting).tolist():
            node = target.nodes[joint]
            if still[joint]:
                found.append(_Channel(node, path, "STEP", np.zeros(1, np.int64), small[:1, joint]))
                continue
            at = keys.stepped(small[:, joint]) if mode == "STEP" else np.arange(len(clip))
            own = small[at, joint]
            if mode == "CUBICSPLINE":
                own = np.stack([slopes[0, :, joint], own, slopes[1, :, joint]], axis=1)
            found.append(_Channel(node, path, mode, clip.frames[at], own))
    return found


def _tangents(clip: Keyed, target: Target) -> dict[str, Array]:
    """Slopes a second into and out of the keys, (2, K, J, n), in node space."""
    assert clip.rotation_tangents is not None
    assert clip.position_tangents is not None
    turning, moving = [], []
    for side in range(2):
        turning.append(target.to_nodes(clip.rotation_tangents[side], clip.positions)[0])
        there = target.to_nodes(clip.rotations, clip.positions + clip.position_tangents[side])[1]
        moving.append(there - target.to_nodes(clip.rotations, clip.positions)[1])
    return {"rotation": np.stack(turning), "translation": np.stack(moving)}


def _squash(clip: Clip, target: Target) -> list[_Channel]:
    """The outer node goes to the pivot and takes the size, the inner one goes back: together they scale about the pivot."""
    if isinstance(clip, Keyed) or clip.stretch is None or target.squash is None:
        return []
    pivot = (clip.positions[:, 0] + clip.stretch.pivot) / target.metres
    step = keys.held(clip)
    outer, inner = target.squash
    found = []
    for node, path, values in (
        (outer, "translation", pivot),
        (outer, "scale", clip.stretch.scales),
        (inner, "translation", -pivot),
    ):
        small = _small(values)
        at = keys.stepped(small) if step else np.arange(len(clip))
        found.append(_Channel(node, path, "STEP" if step else "LINEAR", at, small[at]))
    return found


def _morphs(clip: Clip) -> list[_Channel]:
    """The morph tracks of the animation that `clip` was made of, shown when its frames are shown."""
    if isinstance(clip, Keyed) or clip.origin is None or not isinstance(clip.origin.document, Source):
        return []
    source, rows = clip.origin.document, clip.origin.rows[:, 0]
    if (rows == COMPUTED).any():
        rows = np.minimum(np.arange(len(clip)), int(rows.max(initial=0)))
    entry = source.document.listed("animations")[source.number]
    step = keys.held(clip)
    found = []
    for track in tracks_of(source.document, entry, ("weights",)):
        values = sampled(track, source.start_s, int(rows.max(initial=0)) + 1, source.fps)[rows]
        small = _small(values)
        at = keys.stepped(small) if step else np.arange(len(clip))
        found.append(_Channel(track.node, "weights", "STEP" if step else "LINEAR", at, small[at]))
    return found


def _small(values: Array) -> Floats:
    with np.errstate(over="ignore"):
        small = values.astype(np.float32)
    if not np.isfinite(small).all():
        raise OptionError(Note("a motion that goes beyond the range of 32 bit numbers cannot be written"))
    return small


def _same(values: Array, rest: Array, turning: bool) -> NDArray[np.bool_]:
    """(J,) whether `values` (J, n) are the nodes' own."""
    limit = AT_REST * np.maximum(1.0, np.abs(rest).max(axis=1))
    away = np.abs(values - rest).max(axis=1)
    if turning:
        away = np.minimum(away, np.abs(values + rest).max(axis=1))
    return np.asarray(away <= limit)


def _closed(channel: _Channel, last: int) -> _Channel:
    """`channel` with a key at the clip's last frame: a file is as long as its last key."""
    if channel.frames[-1] >= last:
        return channel
    values = np.concatenate([channel.values, channel.values[-1:]])
    if channel.mode == "CUBICSPLINE":
        values[-2, 2] = 0.0
        values[-1, [0, 2]] = 0.0
    return _Channel(channel.node, channel.path, channel.mode, np.append(channel.frames, last), values)


def _written(builder: Builder, channels: list[_Channel], fps: float, cells: int) -> dict[str, Any]:
    """Samplers and channels, with all keys in one buffer view; `cells` are the frames times the joints that they mean."""
    parts: list[bytes] = []
    size = 0
    plans = []
    fresh: dict[bytes, int] = {}
    for channel in channels:
        times = (channel.frames / fps).astype(np.float32)
        if not builder.knows_times(times) and times.tobytes() not in fresh:
            fresh[times.tobytes()] = size
            parts.append(times.tobytes())
            size += times.nbytes
        values = np.ascontiguousarray(channel.values)
        plans.append((channel, times, values, fresh.get(times.tobytes(), 0), size))
        parts.append(values.tobytes())
        size += values.nbytes
    # Held joints take a key or none, however long they are held. Readers, ours among them, refuse data that expands to far more
    # than its size, so the file is padded.
    parts.append(bytes(max(0, cells - size)))
    view = builder.view(b"".join(parts))
    samplers: list[dict[str, Any]] = []
    links: list[dict[str, Any]] = []
    for channel, times, values, times_at, values_at in plans:
        kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(channel.path, "VEC3")
        flat = values.reshape(-1) if kind == "SCALAR" else values.reshape(-1, values.shape[-1])
        links.append({"sampler": len(samplers), "target": {"node": channel.node, "path": channel.path}})
        samplers.append(
            {
                "input": builder.key_times(times, view, times_at),
                "interpolation": channel.mode,
                "output": builder.key_values(flat, kind, view, values_at),
            }
        )
    return {"samplers": samplers, "channels": links}


def untouched(clip: Clip, document: Gltf, number: int) -> bool:
    """Whether `clip` is an animation of `document` as it was read."""
    origin = None if isinstance(clip, Keyed) else clip.origin
    source = None if origin is None else origin.document
    return (
        origin is not None
        and isinstance(clip, Motion)
        and isinstance(source, Source)
        and clip.stretch is None
        and source.document.json is document.json
        and (source.number, source.fps, source.frames) == (number, clip.fps, len(clip))
        and bool((origin.rows == np.arange(source.frames)[:, None]).all())
    )
