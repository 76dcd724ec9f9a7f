"""Made-up skeletons and motions for tests of the core, all from a seed."""

from __future__ import annotations

import numpy as np

from komadori import quat
from komadori.motion import Motion, Origin
from komadori.skeleton import Skeleton


def tree(joints: int, seed: int = 0, roots: int = 1) -> Skeleton:
    """A random tree of `joints` joints."""
    random = np.random.default_rng(seed)
    parents = [-1 if j < roots else int(random.integers(0, j)) for j in range(joints)]
    rest = quat.normalized(random.normal(size=(joints, 4)))
    return Skeleton(
        tuple(f"joint {j}" for j in range(joints)), np.array(parents), random.normal(size=(joints, 3)), rest
    )


def wander(skeleton: Skeleton, frames: int, fps: float = 24.0, seed: int = 0, speed: float = 0.02) -> Motion:
    """A smooth random motion from far-apart poses, with an origin of one row per frame; bones keep their lengths."""
    random = np.random.default_rng(seed)
    joints = len(skeleton)
    start = quat.normalized(random.normal(size=(joints, 4)))
    t = np.arange(frames)[:, None, None]
    phase, rate = random.uniform(0, 6, size=(joints, 3)), random.uniform(0.5, 1.5, size=(joints, 3)) * speed
    rotations = quat.multiply(start, quat.exp(np.sin(phase + rate * t)))
    positions = np.broadcast_to(skeleton.offsets, (frames, joints, 3)).copy()
    positions[:, 0] += np.sin(phase[0] + rate[0] * t[:, 0])
    return Motion(skeleton, fps, quat.continuous(rotations), positions, Origin("file", np.arange(frames)[:, None]))
