"""Clips made by code whose truth is known: units, axes, hands, falls and faults, written to a file and read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import komadori
from bench.clips_hair import fallen
from komadori import Motion, Skeleton
from komadori.characters import sample
from komadori.formats.bvh.axes import UPS, z_up
from komadori.formats.units import METRES
from komadori.quat import Array

PREFIX = "made:"
SPIKE_M, SPIKES = 1460.0, 5


def _in_world(motion: Motion, up: str, mirrored: bool = False) -> Motion:
    """`motion` in the numbers of a world in which `up` is up."""
    old = motion.skeleton
    offsets, rest = z_up(old.offsets, up, mirrored), z_up(old.rest, up, mirrored)
    skeleton = Skeleton(old.names, old.parents, offsets, rest)
    return Motion(skeleton, motion.fps, z_up(motion.rotations, up, mirrored), z_up(motion.positions, up, mirrored))


def _in_unit(motion: Motion, unit: str) -> Motion:
    # A BVH is written in centimetres.
    scale = METRES["cm"] / METRES[unit]
    old = motion.skeleton
    skeleton = Skeleton(old.names, old.parents, scale * old.offsets, old.rest)
    return Motion(skeleton, motion.fps, motion.rotations, scale * motion.positions)


def _spiked(motion: Motion) -> Motion:
    positions = np.array(motion.positions)
    positions[np.linspace(20, len(motion) - 20, SPIKES).astype(int), 0] = SPIKE_M
    return motion.replaced(positions=positions)


def _makers() -> dict[str, tuple[str, Callable[[Motion], Motion], Callable[[Motion], Motion]]]:
    """Name -> the sample it begins with, what happens to the body, and how the file then tells it."""

    def same(motion: Motion) -> Motion:
        return motion

    result: dict[str, tuple[str, Callable[[Motion], Motion], Callable[[Motion], Motion]]] = {}
    for up in UPS:
        for hand, mirrored in (("", False), (", left-handed", True)):
            result[f"{up} up{hand}"] = (
                "kick",
                same,
                lambda motion, up=up, mirrored=mirrored: _in_world(motion, up, mirrored),  # type: ignore[misc]
            )
    for unit in METRES:
        result[f"in {unit}"] = ("walk", same, lambda motion, unit=unit: _in_unit(motion, unit))  # type: ignore[misc]
    result["falls on the back"] = ("walk", lambda motion: fallen(motion, forward=False), same)
    result["falls on the face"] = ("walk", lambda motion: fallen(motion, forward=True), same)
    result["spikes"] = ("pitch", same, _spiked)
    result["stands still"] = ("pitch", lambda motion: motion.taken(np.zeros(48, dtype=int)), same)
    return result


MAKERS = _makers()
CLIPS = tuple(PREFIX + name for name in MAKERS)


def written(name: str, folder: Path) -> tuple[Path, Motion]:
    """The made clip `name` as a BVH file in `folder`, and the movement that it means."""
    begin, happens, told = MAKERS[name]
    truth = happens(sample(begin))
    path = folder / "made.bvh"
    komadori.save(told(truth), path)
    return path, truth


def apart_m(found: Motion, truth: Motion) -> float:
    """How far any joint of `found` is from its place in `truth`, in metres; which way is ahead, and where 0 is, are free."""
    now, true = found.world_positions(), truth.world_positions()
    shared = [(found.skeleton.names.index(name), j) for j, name in enumerate(truth.skeleton.names) if name in found.skeleton.names]  # fmt: skip
    count = min(len(now), len(true))
    a, b = now[:count][:, [i for i, _ in shared]], true[:count][:, [j for _, j in shared]]
    a, b = a - a.mean(axis=(0, 1)), b - b.mean(axis=(0, 1))
    cross = (a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]).sum()
    angle = float(np.arctan2(cross, (a[..., 0] * b[..., 0] + a[..., 2] * b[..., 2]).sum()))
    return float(np.linalg.norm(_turned(a, angle) - b, axis=-1).max())


def _turned(places: Array, angle: float) -> Array:
    """`places` (..., 3) turned about Y by `angle`."""
    x, z = places[..., 0], places[..., 2]
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([cos * x + sin * z, places[..., 1], cos * z - sin * x], axis=-1)
