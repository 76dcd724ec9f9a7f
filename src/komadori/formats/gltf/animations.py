"""Animations of a glTF as motions: step, linear and cubic keys, evaluated at every frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from komadori import json_text, quat, rates
from komadori.errors import FormatError, one_line
from komadori.formats import moving
from komadori.formats.format import no_clip
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields, told_apart
from komadori.formats.gltf.ours import said
from komadori.formats.gltf.rig import Rig, rig_of, squash_nodes
from komadori.motion import Motion, Origin, Stretch
from komadori.quat import Array
from komadori.words import Fact, Note

DEFAULT_FPS = 24.0
COMMON = (DEFAULT_FPS, 30.0, 25.0, 60.0, 50.0)
"""Rates that keys are tried on which follow each other unevenly."""
SLOWEST = 12.0
"""Keys that follow each other more slowly than this many a second are poses to be interpolated, not frames."""
ON_GRID = 5e-3
"""A key this close to a frame (in frames) is on it: key times are 32-bit numbers."""
HALF_FRAME = 0.5
SCALE_NOISE = 1e-5
"""Scales that move by less than this part do not move."""
MOST_CELLS, MOST_SCALED = 1 << 21, 500_000
"""Frames times joints that the animations of any file may come to, where joints keep their size (two hundred bytes each while
they are read) and where they grow (two thousand); of a large file, as many as it has bytes."""
PATHS = {"translation": 3, "rotation": 4, "scale": 3}


@dataclass(frozen=True, eq=False)
class Source:
    """The animation that a motion was read from: its file, its number there, and the time of frame 0."""

    document: Gltf
    number: int
    start_s: float
    fps: float
    frames: int
    rig: Rig

    @property
    def beside(self) -> dict[Note, int]:
        """What the animation moves besides joints."""
        entry = self.document.listed("animations")[self.number]
        return {Note("blend shape tracks"): len(list(tracks_of(self.document, entry, ("weights",))))}


@dataclass(frozen=True, eq=False)
class Track:
    """One channel: a node's path, and its keys as the file has them."""

    node: int
    path: str
    mode: str
    times: Array
    values: Array


def names(document: Gltf) -> list[str]:
    """The animations' names, each once; one without a name is "animation_0"."""
    listed = document.listed("animations")
    return told_apart(entry.text("name") or f"animation_{number}" for number, entry in enumerate(listed))


def motions_of(document: Gltf, rig: Rig) -> dict[str, Motion]:
    """Every animation of the file on its skeleton, by name."""
    found, cells = {}, 0
    for number, name in enumerate(names(document)):
        found[name] = motion_of(document, rig, number, cells)
        cells += len(found[name]) * len(rig.skeleton)
    return found


def motion_of(document: Gltf, rig: Rig, number: int, cells: int = 0) -> Motion:
    """One animation of the file on its skeleton, at the keys' own rate if they are frames, else 24 a second.

    Node scales are worked into positions; a note says what a skeleton cannot hold. `cells` have been read before.
    """
    animation = document.listed("animations")[number]
    tracks = list(tracks_of(document, animation, tuple(PATHS)))
    start, count, fps = _timing(animation, tracks)
    most = MOST_SCALED if any(track.path == "scale" for track in tracks) else MOST_CELLS
    if cells + count * len(rig.skeleton) > max(most, document.weight):
        found = Note("{count} frames of {joints} joints", count=count, joints=len(rig.skeleton))
        raise FormatError(
            document.name, animation.place, expected=Note("an animation of plausible length"), found=found
        )
    joint_of, nodes = rig.joint_of_node, document.nodes
    rotations = np.repeat(np.stack([nodes[n].rotation for n in rig.nodes.tolist()])[None], count, axis=0)
    translations = np.repeat(rig.translations[None], count, axis=0)
    stretch: Array | None = None
    scaled = 0
    squashing = squash_nodes(document)
    squash: dict[str, Array] = {}
    for track in tracks:
        values = sampled(track, start, count, fps)
        if track.node in squashing:
            squash[f"{squashing[track.node]} {track.path}"] = values
            continue
        joint = joint_of[track.node]
        if track.path == "rotation":
            rotations[:, joint] = quat.normalized(values)
        elif track.path == "translation":
            translations[:, joint] = values
        elif _moves(values, np.diag(nodes[track.node].stretch)):
            if stretch is None:
                stretch = np.repeat(rig.stretch[None], count, axis=0)
            stretch[:, joint] = values[..., None] * np.eye(3)
            scaled += 1
    turned, positions = rig.from_nodes(rotations, translations, stretch)
    notes = _notes(animation, start, scaled)
    if any(_off_grid((track.times - start) * fps) for track in tracks):
        template = "Some keys lie between frames; read the animation at {fps:g} fps."
        notes = (*notes, Fact(template, fps=fps))
    origin = Origin(Source(document, number, start, fps, count, rig), np.arange(count)[:, None])
    made = Motion(rig.skeleton, fps, quat.continuous(turned), positions, origin, notes)
    return replace(made, stretch=_stretch(squash, positions[:, 0], document.metres)) if squash else made


def _stretch(squash: dict[str, Array], roots: Array, metres: float) -> Stretch | None:
    """What the nodes above the body do to it, if it is what we write."""
    scales, pivot = squash.get("outer scale"), squash.get("outer translation")
    if scales is None or pivot is None or not (scales > 0.0).all():
        return None
    return Stretch(scales[:, 1], metres * pivot - roots)


def motion(document: Gltf, clip: str | None = None) -> Motion:
    """The animation called `clip`, or the first that moves, or the rest pose if there is none."""
    known, rig = names(document), rig_of(document)
    if clip is not None and clip not in known:
        raise no_clip(document.name, clip, known)
    if not known:
        return rest_of(rig)
    if clip is None:
        return moving.chosen(known, lambda name: motion_of(document, rig, known.index(name)))
    return motion_of(document, rig, known.index(clip))


def rest_of(rig: Rig) -> Motion:
    """The rest pose of a file without animations, as a motion of one frame."""
    note = Fact("The file holds no animation; read one frame of its rest pose.")
    return Motion(rig.skeleton, DEFAULT_FPS, rig.skeleton.rest[None], rig.skeleton.offsets[None], notes=(note,))


def tracks_of(document: Gltf, animation: Fields, paths: tuple[str, ...]) -> Iterator[Track]:
    """The channels of an animation that move `paths` of nodes; the first one counts where two move the same."""
    samplers = animation.many("samplers")
    seen = set()
    times: dict[int, Array] = {}
    for channel in animation.many("channels"):
        target = channel.one("target")
        node, path = target.index("node", len(document.nodes)), target.text("path")
        if node is None or path not in paths or (node, path) in seen:
            continue
        seen.add((node, path))
        number = channel.index("sampler", len(samplers))
        if number is None:
            raise channel.refused("sampler", "a sampler", "none")
        yield _track(document, samplers[number], node, path, times)


def _track(document: Gltf, sampler: Fields, node: int, path: str, known: dict[int, Array]) -> Track:
    count = len(document.listed("accessors"))
    source, target = sampler.index("input", count), sampler.index("output", count)
    mode = sampler.text("interpolation", "LINEAR")
    if source is None or target is None:
        raise FormatError(document.name, sampler.place, problem=Note("the sampler has no input or no output"))
    if mode not in ("STEP", "LINEAR", "CUBICSPLINE"):
        raise sampler.refused("interpolation", "STEP, LINEAR or CUBICSPLINE", json_text.kind(mode))
    if source not in known:
        known[source] = document.accessor(source).astype(np.float64)
        if known[source].ndim != 1 or known[source][0] < 0.0 or (np.diff(known[source]) < 0.0).any():
            raise sampler.refused("input", "increasing times of 0 or more", "others")
    times, values = known[source], document.accessor(target).astype(np.float64)
    each = 3 if mode == "CUBICSPLINE" else 1
    keys = len(times)
    # Morph weights lie one after the other, as many for a key as the mesh has morphs.
    size = PATHS.get(path) or max(1, values.size // (each * keys))
    if values.size != each * keys * size or (path in PATHS and values.shape != (each * keys, size)):
        found = " x ".join(map(str, values.shape))
        raise sampler.refused("output", f"{each * keys} x {size} numbers for {keys} keys", found)
    values = values.reshape((keys, 3, size) if each == 3 else (keys, size))
    # Exporters write two keys at one time where a value leaps; of two the later counts.
    last = np.append(np.diff(times) > 0.0, True)
    return Track(node, path, mode, times[last], values[last])


def sampled(track: Track, start_s: float, count: int, fps: float) -> Array:
    """The values (count, n) of a track at frames from `start_s` on."""
    frames = np.arange(count)
    keys = (track.times - start_s) * fps
    near = np.rint(keys)
    keys = np.where(np.abs(keys - near) < ON_GRID, near, keys)
    cubic = track.mode == "CUBICSPLINE"
    values = track.values[:, 1] if cubic else track.values
    if len(keys) == count and np.array_equal(keys, frames):
        return values
    before = np.clip(np.searchsorted(keys, frames, "right") - 1, 0, len(keys) - 1)
    if track.mode == "STEP" or len(keys) == 1:
        return values[before]
    after = np.minimum(before + 1, len(keys) - 1)
    span = np.where(after > before, keys[after] - keys[before], 1.0)
    u = np.clip((frames - keys[before]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)[:, None]
    if not cubic and track.path == "rotation":
        return quat.slerp(quat.normalized(values[before]), quat.normalized(values[after]), u[:, 0])
    if not cubic:
        return values[before] + u * (values[after] - values[before])
    seconds = (span / fps)[:, None]
    leaving, arriving = seconds * track.values[before, 2], seconds * track.values[after, 0]
    back = 1.0 - u
    return np.asarray(
        back**2 * (1.0 + 2.0 * u) * values[before]
        + u * back**2 * leaving
        + u**2 * (3.0 - 2.0 * u) * values[after]
        - u**2 * back * arriving
    )


def _timing(animation: Fields, tracks: list[Track]) -> tuple[float, int, float]:
    """The time of frame 0 in seconds, how many frames there are, and how many a second."""
    if not tracks:
        return 0.0, 1, DEFAULT_FPS
    # Many channels share one list of times.
    distinct = {id(track.times): track.times for track in tracks}
    times = np.unique(np.concatenate(list(distinct.values())))
    start, end = float(times[0]), float(times[-1])
    ours = said(animation)
    if "fps" in ours and "frames" in ours:
        fps = json_text.frame_rate(ours.value["fps"], ours.name, ours.at("fps"))
        frames = ours.whole("frames")
        # Another program may have changed the keys and kept the rate that we stored.
        if abs(end * fps - (frames - 1)) < HALF_FRAME:
            return 0.0, frames, fps
    fps = _rate(times - start)
    last = (end - start) * fps
    near = round(last)
    return start, 1 + (near if abs(last - near) < ON_GRID else int(np.ceil(last))), fps


def _rate(times: Array) -> float:
    """The frame rate of keys at `times` (K,), rising from 0: their own if they are even, else one that they fit."""
    # Channels with their own times repeat the same moments with different last digits.
    times = times[np.concatenate([[True], np.diff(times) > 1e-5])]
    if len(times) > 2:
        step = float(times[-1]) / (len(times) - 1)
        if np.abs(times / step - np.arange(len(times))).max() < 0.05 and SLOWEST <= 1.0 / step <= 1000.0:
            return rates.meant(step)
    for fps in COMMON:
        if not _off_grid(times * fps):
            return fps
    return DEFAULT_FPS


def _off_grid(frames: Array) -> bool:
    return bool(np.abs(frames - np.rint(frames)).max() >= ON_GRID)


def _moves(values: Array, rest: Array) -> bool:
    return bool((np.abs(values - rest) > SCALE_NOISE * np.maximum(np.abs(rest), 1e-12)).any())


def _notes(animation: Fields, start_s: float, scaled: int) -> tuple[Note, ...]:
    notes = []
    name = one_line(animation.text("name"), 60) or "animation"
    if start_s > 0.0:
        notes.append(Fact("The animation's first key is at {time:.3g} s; that is frame 0.", time=start_s))
    if scaled:
        template = "{count:joint is|joints are} scaled in {name}. Joint positions follow the file, but the mesh keeps its size."
        notes.append(Fact(template, count=scaled, name=name))
    others = sum(channel.one("target").text("path") not in PATHS for channel in animation.many("channels"))
    if others:
        template = "{count:track|tracks} of {name} (such as morphs) move no joint. The file keeps them, but they are not part of the motion."
        notes.append(Fact(template, count=others, name=name))
    return tuple(notes)
