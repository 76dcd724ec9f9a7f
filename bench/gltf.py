"""Reading and writing glTF beside pygltflib and trimesh."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import komadori
from bench.tables import Table, spoken, together
from komadori import Motion, Skeleton, quat
from komadori.character import Character, Mesh
from komadori.formats import gltf

FRAMES, JOINTS, VERTICES = 1000, 60, 62_001
READ_S, WRITE_S = 0.3, 0.2


def tables() -> list[Table]:
    return [_reading(), _writing()]


@cache
def _clip() -> Motion:
    """60 joints that all turn, and a root that travels."""
    rng = np.random.default_rng(1)
    parents = np.array([-1, *(int(rng.integers(max(0, joint - 4), joint)) for joint in range(1, JOINTS))])
    skeleton = Skeleton(tuple(f"joint{n}" for n in range(JOINTS)), parents, rng.normal(scale=0.15, size=(JOINTS, 3)))
    time = np.arange(FRAMES)[:, None, None] / 60.0
    angles = 0.8 * np.sin(time * rng.uniform(0.5, 6.0, (1, JOINTS, 3)) + rng.uniform(0.0, 6.0, (1, JOINTS, 3)))
    positions = np.broadcast_to(skeleton.offsets, (FRAMES, JOINTS, 3)).copy()
    positions[:, 0] = np.sin(time[:, :, 0] * np.array([0.1, 3.0, 0.2]))
    return Motion(skeleton, 60.0, quat.from_euler(angles, "ZYX"), positions)


@cache
def _file() -> Path:
    """A skinned character of about 5 MB with one animation."""
    rng, motion = np.random.default_rng(2), _clip()
    side = round(VERTICES**0.5)
    u, v = np.meshgrid(np.linspace(0.0, 1.0, side), np.linspace(0.0, 1.0, side))
    vertices = np.stack([u.ravel(), v.ravel(), np.sin(5.0 * u * v).ravel()], axis=1)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + side], axis=1)
    upper = np.stack([corner + 1, corner + side + 1, corner + side], axis=1)
    joints = rng.integers(0, JOINTS, (len(vertices), 4))
    weights = rng.dirichlet(np.ones(4), len(vertices))
    normals = np.broadcast_to([0.0, 0.0, 1.0], vertices.shape)
    mesh = Mesh("cloth", vertices, normals, np.concatenate([lower, upper]), joints, weights, vertices[:, :2])
    path = Path(mkdtemp(prefix="komadori-bench-")) / "character.glb"
    komadori.save(Character("cloth", motion.skeleton, (mesh,), motions={"sway": motion}), path)
    return path


def _reading() -> Table:
    import pygltflib
    import trimesh

    path = _file()
    times = together(
        {
            "komadori.load_character (skin, pictures, motion)": lambda: komadori.load_character(path),
            "komadori.load (motion alone)": lambda: komadori.load(path),
            "pygltflib (JSON to objects; no arrays, no motion)": lambda: pygltflib.GLTF2().load(str(path)),
            "trimesh (mesh alone; no skin, no motion)": lambda: trimesh.load(str(path), process=False),
        }
    )
    ours = times["komadori.load_character (skin, pictures, motion)"]
    rows = tuple((name, spoken(value), f"{value / ours:.2f}") for name, value in times.items())
    about = f"A GLB of {path.stat().st_size / 1e6:.1f} MB: {VERTICES} vertices, {FRAMES} frames by {JOINTS} joints."
    failed = (f"reading takes {ours:.3f} s, {READ_S} wanted",) if ours > READ_S else ()
    return Table("Reading", ("program", "time", "times komadori.load_character"), rows, about, failed)


def _writing() -> Table:
    import pygltflib

    motion = _clip()
    held = motion.taken(np.arange(FRAMES) // 2 * 2)
    data = gltf.emit(motion)
    loaded = pygltflib.GLTF2().load_from_bytes(data)
    times = together(
        {
            "komadori, a captured clip (LINEAR)": lambda: gltf.emit(motion),
            "komadori, the same on twos (STEP)": lambda: gltf.emit(held),
            "pygltflib, writing again what it has loaded": lambda: io.BytesIO(b"".join(loaded.save_to_bytes())),
        }
    )
    sizes = {"komadori, a captured clip (LINEAR)": len(data), "komadori, the same on twos (STEP)": len(gltf.emit(held))}
    rows = tuple((name, spoken(value), f"{sizes.get(name, len(data)) / 1e6:.2f} MB") for name, value in times.items())
    worst = max(value for name, value in times.items() if name.startswith("komadori"))
    failed = (f"writing takes {worst:.3f} s, {WRITE_S} wanted",) if worst > WRITE_S else ()
    about = f"{FRAMES} frames by {JOINTS} joints, to bytes."
    return Table("Writing", ("program", "time", "size"), rows, about, failed)
