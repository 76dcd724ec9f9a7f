"""Skinning: frames per second of a 20,000-vertex character, beside the usual way of gathering matrices."""

from __future__ import annotations

import numpy as np

import komadori
from bench.clips import captured
from bench.tables import Table, spoken, together
from komadori import Character, Motion
from komadori.character import Mesh
from komadori.characters import humanoid, sample
from komadori.quat import Array
from komadori.skinning import joint_matrices, skin_of

FRAMES = 100
WANTED_FPS = 100.0


def tables() -> list[Table]:
    return [_skinning(), _retargeting()]


def body_of(motion: Motion, vertices: int) -> Character:
    """Vertices about the joints, each with four weights: its own joint and its nearest relatives, as skins have them."""
    random = np.random.default_rng(3)
    skeleton = motion.skeleton
    own = np.sort(random.integers(0, len(skeleton), vertices))
    above = np.maximum(skeleton.parents[own], 0)
    joints = np.stack([own, above, np.maximum(skeleton.parents[above], 0), (own + 1) % len(skeleton)], axis=1)
    weights = random.random((vertices, 4))
    normals = random.normal(size=(vertices, 3))
    mesh = Mesh(
        "skin",
        random.normal(size=(vertices, 3)),
        normals / np.linalg.norm(normals, axis=1, keepdims=True),
        np.arange(vertices - vertices % 3).reshape(-1, 3),
        joints,
        weights / weights.sum(axis=1, keepdims=True),
    )
    return Character("bench", skeleton, (mesh,))


def gathered(character: Character, motion: Motion) -> Array:
    """The usual way, a frame at a time: blend four matrices for each vertex, then move it. No normals."""
    mesh = character.meshes[0]
    result = np.empty((len(motion), len(mesh.vertices), 3))
    for frame, moves in enumerate(joint_matrices(character, motion)):
        blended = np.einsum("vk,vkij->vij", mesh.weights, moves[mesh.joints])
        result[frame] = np.einsum("vij,vj->vi", blended[..., :3], mesh.vertices) + blended[..., 3]
    return result


def _skinning() -> Table:
    motion = captured(FRAMES)
    rows, failed = [], []
    for vertices in (2_000, 20_000, 100_000):
        character = body_of(motion, vertices)
        double, single = skin_of(character), skin_of(character, dtype=np.float32)
        np.testing.assert_allclose(double.posed(motion)[0], gathered(character, motion), atol=1e-9)
        times = together(
            {
                "gathered": lambda c=character: gathered(c, motion),  # type: ignore[misc]
                "double": lambda s=double: sum(1 for _ in s.parts(motion)),  # type: ignore[misc]
                "single": lambda s=single: sum(1 for _ in s.parts(motion)),  # type: ignore[misc]
            },
            repeats=3,
        )
        speeds = {name: FRAMES / time for name, time in times.items()}
        rows.append((f"{vertices:,}", *(f"{speeds[name]:,.0f}" for name in ("gathered", "double", "single"))))
        if vertices == 20_000 and speeds["double"] < WANTED_FPS:
            failed.append(f"20,000 vertices at {speeds['double']:.0f} frames per second, {WANTED_FPS:g} wanted")
    columns = ("vertices", "gathering in NumPy, no normals", "komadori", "komadori, single precision")
    about = "Frames per second: forward kinematics of 38 joints, four weights a vertex; komadori's with normals."
    return Table("Skinning", columns, tuple(rows), about, tuple(failed))


def _retargeting() -> Table:
    rows = []
    body = humanoid()
    longer = komadori.Skeleton(("other", *body.names[1:]), body.parents, 1.1 * body.offsets, body.rest, body.roles)
    walk = sample("walk")
    for frames in (100, 1_000, 10_000):
        motion = walk.taken(np.arange(frames) % len(walk))
        time = together({"": lambda m=motion: komadori.retarget(m, longer)}, repeats=3)[""]  # type: ignore[misc]
        rows.append((f"{frames:,}", spoken(time), f"{1e6 * time / frames:.0f} µs"))
    about = "The built-in walk onto a larger body of 31 joints, feet planted, errors measured."
    return Table("Retargeting", ("frames", "time", "a frame"), tuple(rows), about)
