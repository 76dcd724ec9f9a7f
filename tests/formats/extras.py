"""What the tests of USD, C3D and FBX share: marks for missing libraries, a small character, and damage to files."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from komadori.character import Character, Image, Material, Mesh
from komadori.formats.surfaces import unit_normals

from bodies import tree, wander

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
"""A PNG of one pixel."""


def needs(library: str) -> pytest.MarkDecorator:
    """Skips a test where a library of the extra `formats` is not installed."""
    return pytest.mark.skipif(find_spec(library) is None, reason=f"{library} is not installed: make formats")


def small_character(seed: int = 0, joints: int = 9) -> Character:
    """A made-up body with two meshes, uvs, a picture, morphs, and two motions of different rates."""
    random = np.random.default_rng(seed)
    skeleton = tree(joints, seed=seed)
    meshes = []
    for number, count in enumerate((30, 12)):
        weights = random.uniform(0.1, 1.0, size=(count, 3))
        meshes.append(
            Mesh(
                f"mesh {number}",
                random.normal(size=(count, 3)),
                unit_normals(random.normal(size=(count, 3))),
                np.arange(count).reshape(-1, 3),
                np.argsort(random.uniform(size=(count, joints)), axis=1)[:, :3],
                weights / weights.sum(axis=1, keepdims=True),
                random.uniform(size=(count, 2)) if number == 0 else None,
                number,
                {"笑い": np.eye(count, 3), "still": np.zeros((count, 3))} if number == 0 else {},
            )
        )
    return Character(
        "長い髪 girl",
        skeleton,
        tuple(meshes),
        (Material("skin", image=0, two_sided=True), Material("0 dress", (0.8, 0.2, 0.4, 0.5), alpha="blend")),
        (Image("face.png", "image/png", PIXEL),),
        motions={"walk|1": wander(skeleton, 20, 30.0, seed), "idle": wander(skeleton, 7, 24.0, seed + 1)},
    )


def damaged(data: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """`count` damaged copies: cut off, or with bytes changed, more often near the start."""
    random = np.random.default_rng(seed)
    for number in range(count):
        if number % 4 == 0:
            yield data[: int(random.integers(0, len(data)))]
            continue
        spoilt = bytearray(data)
        reach = min(len(data), 4000) if random.uniform() < 0.6 else len(data)
        for _ in range(int(random.choice([1, 3, 20]))):
            spoilt[int(random.integers(0, reach))] = int(random.integers(0, 256))
        yield bytes(spoilt)
