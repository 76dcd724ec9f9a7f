"""Which way an avatar faces: VRM 0.x looks along -Z in its file, VRM 1.0 and characters here along +Z.

The half turn about the vertical is laid on the topmost joints (their rest position and turn, and those of every motion) and on
the meshes' bind space; local frames below stay as the file has them. It only changes signs and order, so that turning back
gives the very same numbers: an avatar is turned when it is read, and turned back when it is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from komadori.character import Character, Mesh
from komadori.formats.gltf import Gltf
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

BACK: Array = np.array([-1.0, 1.0, -1.0])
"""What a half turn about Y does to a vector."""


def faces_back(document: Gltf) -> bool:
    """Whether the file's body looks along -Z: VRM 0.x."""
    extensions = document.fields.one("extensions").value
    return "VRM" in extensions and "VRMC_vrm" not in extensions


def turned(character: Character, sign: float = 1.0) -> Character:
    """`character` and its motions turned half round; with `sign` -1 turned back, to the very same numbers."""
    skeleton = _skeleton(character.skeleton, sign)
    motions = {name: turned_motion(motion, sign) for name, motion in character.motions.items()}
    motions = {name: motion.with_skeleton(skeleton) for name, motion in motions.items()}
    binds = character.binds * np.append(BACK, 1.0)
    return replace(
        character, skeleton=skeleton, meshes=tuple(map(_mesh, character.meshes)), binds=binds, motions=motions
    )


def turned_motion(motion: Motion, sign: float = 1.0) -> Motion:
    """`motion` with its topmost joints turned half round the world's vertical; with `sign` -1 back."""
    roots = motion.skeleton.parents < 0
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    rotations[:, roots], positions[:, roots] = _turn(rotations[:, roots], sign), positions[:, roots] * BACK
    return replace(motion, skeleton=_skeleton(motion.skeleton, sign), rotations=rotations, positions=positions)


def turned_clip(clip: Motion | Keyed, sign: float = 1.0) -> Motion | Keyed:
    """A motion, or keys with their tangents, with the topmost joints turned half round; with `sign` -1 back."""
    if isinstance(clip, Motion):
        return turned_motion(clip, sign)
    roots = clip.skeleton.parents < 0
    changed: dict[str, Any] = {}
    for name in ("rotations", "rotation_tangents", "positions", "position_tangents"):
        if getattr(clip, name) is not None:
            values = np.array(getattr(clip, name))
            own = values[..., roots, :]
            values[..., roots, :] = _turn(own, sign) if name.startswith("rotation") else own * BACK
            changed[name] = values
    return replace(clip, skeleton=_skeleton(clip.skeleton, sign), **changed)


def _skeleton(skeleton: Skeleton, sign: float) -> Skeleton:
    roots = skeleton.parents < 0
    offsets, rest = np.array(skeleton.offsets), np.array(skeleton.rest)
    offsets[roots], rest[roots] = offsets[roots] * BACK, _turn(rest[roots], sign)
    return replace(skeleton, offsets=offsets, rest=rest)


def _turn(rotations: Array, sign: float) -> Array:
    """`rotations` (..., 4) and then half a turn about Y: (0, sign, 0, 0) times them."""
    x, y, z, w = (rotations[..., i] for i in range(4))
    return sign * np.stack([z, w, -x, -y], axis=-1)


def _mesh(mesh: Mesh) -> Mesh:
    morphs = {name: moved * BACK for name, moved in mesh.morphs.items()}
    return replace(mesh, vertices=mesh.vertices * BACK, normals=mesh.normals * BACK, morphs=morphs)
