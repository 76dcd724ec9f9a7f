"""Clips to measure on: made by code, and where the real ones lie."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import komadori
from komadori import Motion, Skeleton, quat
from komadori.characters import sample


def real_data() -> Path | None:
    """The folder of real clips, if it is there (KOMADORI_DATA, or beside the project)."""
    named = os.environ.get("KOMADORI_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if (folder / "MANIFEST.tsv").is_file() else None


@cache
def clip(frames: int, fps: float = 24.0) -> Motion:
    """The built-in pitch over and over, never quite the same, `frames` frames long."""
    pitch = sample("pitch", fps)
    motion = pitch.taken(np.arange(frames) % len(pitch))
    # A slow drift of the root, so that no two repeats are equal and no step is tied.
    drift = np.zeros_like(motion.positions)
    drift[:, 0, 0] = 0.05 * np.sin(0.0137 * np.arange(frames))
    return motion.replaced(positions=motion.positions + drift)


@cache
def captured(frames: int) -> Motion:
    """31 joints that turn, as a CMU clip has, and 7 end sites, on smooth random paths at 120 frames per second."""
    rng = np.random.default_rng(1)
    parents = [
        -1,
        0,
        1,
        2,
        3,
        4,
        0,
        6,
        7,
        8,
        9,
        0,
        11,
        12,
        13,
        14,
        15,
        13,
        17,
        18,
        19,
        20,
        21,
        20,
        13,
        24,
        25,
        26,
        27,
        28,
        27,
    ]
    leaves = sorted(set(range(31)) - set(parents))
    names = [f"joint{j}" for j in range(31)] + [f"joint{j}_end" for j in leaves]
    offsets = rng.normal(scale=0.15, size=(31 + len(leaves), 3))
    skeleton = Skeleton(tuple(names), np.array(parents + leaves), offsets)
    time = np.arange(frames)[:, None, None] / 120.0
    angles = 0.8 * np.sin(time * rng.uniform(0.5, 6.0, (1, 31, 3)) + rng.uniform(0.0, 6.0, (1, 31, 3)))
    rotations = quat.identity(frames, len(names))
    rotations[:, :31] = quat.from_euler(angles, "ZYX")
    positions = np.broadcast_to(offsets, (frames, len(names), 3)).copy()
    positions[:, 0] = np.sin(time[:, :, 0] * np.array([0.1, 3.0, 0.2]))
    return Motion(skeleton, 120.0, rotations, positions)


@cache
def bvh_file(frames: int) -> Path:
    """A BVH file as captured ones are: 31 joints with three rotations, a root that travels, four digits a number."""
    path = Path(tempfile.mkdtemp(prefix="komadori-bench-")) / f"{frames}.bvh"
    komadori.save(captured(frames), path)
    head, _, rows = path.read_text().partition("Frame Time:")
    time, *lines = rows.splitlines()
    rounded = (" ".join(f"{float(word):.4f}" for word in line.split()) for line in lines)
    path.write_text(head + "Frame Time:" + "\n".join([time, *rounded, ""]))
    return path
