"""Skinning: where a character's vertices are when its joints move, by linear blending, SDEF or dual quaternions, and its expressions.

A vertex moves with its joints in the proportion of its weights. That is linear in the joints' matrices, so whole groups of
vertices with the same few joints over many frames are one matrix product, which is what a processor does best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori import kinematics, quat
from komadori.character import Character, Mesh
from komadori.errors import OptionError, one_of, quoted, unquoted
from komadori.motion import Motion, Pose
from komadori.numerics.bending import dual_blended, spherical_blended
from komadori.quat import Array
from komadori.words import Note

Numbers = NDArray[np.floating[Any]]
MorphWeights = Mapping[tuple[int, str], ArrayLike]
"""(mesh, morph) -> its weight: one number, or (F,) numbers."""

_GROUP = 128
_FRAMES = 16
"""Vertices and frames of one product: what it touches fits into the processor's cache, and it is too small for NumPy's
algebra library to hand to other threads, whose waiting for one another would cost more than the work."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Vertices (n,) with the joints (m,) that move any of them, and the product's left side (n, m x k)."""

    vertices: NDArray[np.intp]
    joints: NDArray[np.intp]
    matrix: Numbers


@dataclass(frozen=True, eq=False)
class Skin:
    """A character made ready for skinning; make it once with `skin_of` and pose it often.

    The vertices of all meshes stand one after another: those of mesh i begin at `starts[i]`.
    """

    character: Character
    dtype: type
    starts: tuple[int, ...]
    places: tuple[_Group, ...]
    normals: tuple[_Group, ...]

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def bent(self) -> list[int]:
        """The meshes with vertices that do not blend linearly."""
        return [n for n, mesh in enumerate(self.character.meshes) if mesh.bends is not None]

    def parts(self, motion: Motion | Pose, morphs: MorphWeights | None = None) -> Iterator[tuple[Numbers, Numbers]]:
        """Vertices and normals, both (n, V, 3), of a few frames after another: memory for a long clip is never taken."""
        clip = _clip(self.character, motion)
        weights = _checked(self.character, morphs or {}, len(clip))
        shapes = [(values, self._shape(*key)) for key, values in weights.items()]
        for start in range(0, len(clip), _FRAMES):
            frames = slice(start, min(start + _FRAMES, len(clip)))
            moves: Numbers = _matrices(self.character, clip.rotations[frames], clip.positions[frames]).astype(
                self.dtype
            )
            places = self._product(self.places, moves)
            shaped = _shaped(self.character, weights, frames) if self.bent else {}
            for values, groups in shapes:
                for group in groups:
                    moved = _multiplied(group, moves[..., :3])
                    places[:, group.vertices] += values[frames, None, None].astype(self.dtype) * moved
            normals = self._product(self.normals, moves[..., :3])
            for mesh in self.bent:
                bend(self.character.meshes[mesh], self.starts[mesh], moves, shaped.get(mesh), places, normals)
            if clip.stretch is not None:
                stretch = clip.stretch.taken(np.arange(frames.start, frames.stop))
                places = stretch.moved(places, clip.positions[frames, 0])
                normals /= stretch.scales[:, None].astype(self.dtype)
            size = np.sqrt(np.einsum("fvi,fvi->fv", normals, normals))
            normals /= np.maximum(size, 1e-12)[..., None]
            yield places, normals

    def posed(self, motion: Motion | Pose, morphs: MorphWeights | None = None) -> tuple[Numbers, Numbers]:
        """Vertices and normals, both (F, V, 3), in metres in the world."""
        frames = len(motion) if isinstance(motion, Motion) else 1
        places: Numbers = np.empty((frames, len(self), 3), dtype=self.dtype)
        normals: Numbers = np.empty_like(places)
        done = 0
        for part_places, part_normals in self.parts(motion, morphs):
            places[done : done + len(part_places)] = part_places
            normals[done : done + len(part_places)] = part_normals
            done += len(part_places)
        return places, normals

    def places_of(self, motion: Motion, vertices: NDArray[np.intp]) -> Array:
        """(F, n, 3) where some `vertices` (n,) are, in metres in the world, without the others and without normals."""
        clip = _clip(self.character, motion)
        moves: Numbers = _matrices(self.character, clip.rotations, clip.positions).astype(self.dtype)
        place = np.full(len(self), -1)
        place[vertices] = np.arange(len(vertices))
        result = np.zeros((len(clip), len(vertices), 3))
        for group in self.places:
            rows = np.flatnonzero(place[group.vertices] >= 0)
            if len(rows):
                some = _Group(group.vertices[rows], group.joints, group.matrix[rows])
                result[:, place[some.vertices]] = _multiplied(some, moves)
        for mesh in self.bent:
            start, end = self.starts[mesh], self.starts[mesh + 1]
            if (place[start:end] < 0).all():
                continue
            one = self.character.meshes[mesh]
            whole, spare = np.zeros((len(clip), end, 3)), np.zeros((len(clip), end, 3))
            bend(one, start, moves, None, whole, spare)
            assert one.bends is not None
            rows = start + np.concatenate([one.bends.spherical, one.bends.dual])
            rows = rows[place[rows] >= 0]
            result[:, place[rows]] = whole[:, rows]
        return result if clip.stretch is None else clip.stretch.moved(result, clip.positions[:, 0])

    def _shape(self, mesh: int, morph: str) -> tuple[_Group, ...]:
        one = self.character.meshes[mesh]
        moved = np.flatnonzero(one.morphs[morph].any(axis=1))
        return _groups(one, one.morphs[morph], moved, self.starts[mesh], self.dtype)

    def _product(self, groups: tuple[_Group, ...], moves: Numbers) -> Numbers:
        result: Numbers = np.zeros((len(moves), len(self), 3), dtype=self.dtype)
        for group in groups:
            result[:, group.vertices] = _multiplied(group, moves)
        return result


def skin_of(character: Character, *, dtype: type = np.float64) -> Skin:
    """`character` made ready for skinning, in numbers of `dtype` (float32 is half the memory and quicker).

    It is made once for a character and kept with it: retargeting, floor, hair, film and poster all ask for it.
    """
    if dtype not in (np.float64, np.float32):
        raise OptionError("dtype", expected=Note("numpy.float64 or numpy.float32"), found=dtype)
    kept: dict[type, Skin] = vars(character).setdefault("_skins", {})
    if dtype not in kept:
        kept[dtype] = _made(character, dtype)
    return kept[dtype]


def _made(character: Character, dtype: type) -> Skin:
    starts = tuple(np.cumsum([0, *(len(mesh.vertices) for mesh in character.meshes)]).tolist())
    places: list[_Group] = []
    normals: list[_Group] = []
    for start, mesh in zip(starts, character.meshes, strict=False):
        every = np.arange(len(mesh.vertices))
        ones = np.ones((len(mesh.vertices), 1))
        places += _groups(mesh, np.concatenate([mesh.vertices, ones], axis=1), every, start, dtype)
        normals += _groups(mesh, mesh.normals, every, start, dtype)
    return Skin(character, dtype, starts, tuple(places), tuple(normals))


def skinned(
    character: Character,
    motion: Motion | Pose,
    *,
    morphs: MorphWeights | None = None,
    dtype: type = np.float64,
) -> tuple[Numbers, Numbers]:
    """Vertices and normals, both (F, V, 3), of all meshes one after another, in metres in the world.

    Linear blend skinning: each vertex is the weighted sum of where its joints would take it. `morphs` maps (mesh, morph) to
    a weight, or to (F,) weights; a morph moves vertices before the joints do. For many calls or long clips make a
    `Skin` with `skin_of` once and use `posed` or `parts`.
    """
    return skin_of(character, dtype=dtype).posed(motion, morphs)


def expression_weights(character: Character, expressions: Mapping[str, ArrayLike]) -> dict[tuple[int, str], Array]:
    """Morph weights of a mixture of expressions: {"happy": 0.5} or {"aa": (F,) numbers}; shared morphs add up."""
    result: dict[tuple[int, str], Array] = {}
    for name, amount in expressions.items():
        if name not in character.expressions:
            raise OptionError(
                "expressions",
                expected=one_of(character.expressions)
                if character.expressions
                else Note("none, since the character has no expressions"),
                found=name,
            )
        for key, weight in character.expressions[name].items():
            result[key] = np.asarray(result.get(key, 0.0) + weight * np.asarray(amount, dtype=np.float64))
    return result


def bend(mesh: Mesh, start: int, moves: Numbers, shaped: Array | None, places: Numbers, normals: Numbers) -> None:
    """Put the vertices of `mesh` that bend by SDEF or dual quaternions where they belong, in place; they begin at `start`."""
    bends = mesh.bends
    assert bends is not None
    bound = mesh.vertices if shaped is None else mesh.vertices + shaped
    exact = moves.astype(np.float64)
    if len(bends.spherical):
        rows = bends.spherical
        at, facing = spherical_blended(
            bound[..., rows, :], mesh.normals[rows], bends.centres, bends.shares, exact[:, bends.pairs]
        )
        places[:, start + rows], normals[:, start + rows] = at, facing
    if len(bends.dual):
        rows = bends.dual
        at, facing = dual_blended(
            bound[..., rows, :], mesh.normals[rows], mesh.weights[rows], exact[:, mesh.joints[rows]]
        )
        places[:, start + rows], normals[:, start + rows] = at, facing


def joint_matrices(character: Character, motion: Motion) -> Array:
    """(F, J, 3, 4): what takes a vertex, as its mesh was bound, to where each joint carries it."""
    clip = _clip(character, motion)
    found = _matrices(character, clip.rotations, clip.positions)
    if clip.stretch is None:
        return found
    found[..., :3] *= clip.stretch.scales[:, None, :, None]
    found[..., 3] = clip.stretch.moved(found[..., 3], clip.positions[:, 0])
    return found


def _matrices(character: Character, rotations: Array, positions: Array) -> Array:
    turned, places = kinematics.world_transforms(character.skeleton, rotations, positions)
    result: Array = np.einsum("fjik,jkl->fjil", quat.to_matrix(turned), character.binds[:, :3])
    result[..., 3] += places
    return result


def _clip(character: Character, motion: Motion | Pose) -> Motion:
    if isinstance(motion, Pose):
        return character.followed(Motion(character.skeleton, 24.0, motion.rotations[None], motion.positions[None]))
    same = len(motion.skeleton) == len(character.skeleton)
    if not same or not np.array_equal(motion.skeleton.parents, character.skeleton.parents):
        raise OptionError(
            "motion",
            problem=Note("the motion is of another skeleton than the character"),
            advice=Note("komadori.retarget transfers it first"),
        )
    return character.followed(motion)


def _checked(character: Character, morphs: MorphWeights, frames: int) -> dict[tuple[int, str], Array]:
    """Morph weights as (F,) arrays; those that are 0 throughout are omitted."""
    result = {}
    for (mesh, morph), weight in morphs.items():
        if not 0 <= mesh < len(character.meshes) or morph not in character.meshes[mesh].morphs:
            raise OptionError("morphs", expected=Note("a morph of mesh {mesh}", mesh=mesh), found=morph)
        values = np.asarray(weight, dtype=np.float64)
        if values.shape not in ((), (frames,)):
            raise OptionError(
                "morphs",
                expected=Note("one weight for {morph}, or one per frame ({count})", count=frames, morph=quoted(morph)),
                found=unquoted(" x ".join(map(str, values.shape))),
            )
        if values.any():
            result[mesh, morph] = np.broadcast_to(values, (frames,))
    return result


def _shaped(character: Character, weights: Mapping[tuple[int, str], Array], frames: slice) -> dict[int, Array]:
    """Mesh -> (F, V, 3) what its morphs add to its vertices before the joints move them."""
    result: dict[int, Array] = {}
    for (mesh, morph), values in weights.items():
        if character.meshes[mesh].bends is not None:
            added = values[frames, None, None] * character.meshes[mesh].morphs[morph]
            result[mesh] = result[mesh] + added if mesh in result else added
    return result


def _groups(mesh: Mesh, vectors: Array, chosen: NDArray[np.intp], start: int, dtype: type) -> tuple[_Group, ...]:
    """The `chosen` vertices of a mesh with their `vectors` (V, k), in groups that share joints."""
    weights = mesh.weights
    strongest = np.argsort(-weights, axis=1, kind="stable")[:, :2]
    rank = np.take_along_axis(np.where(weights != 0.0, mesh.joints, -1), strongest, axis=1)
    order = chosen[np.lexsort(rank[chosen].T[::-1])] if rank.shape[1] else chosen[:0]
    result = []
    for begin in range(0, len(order), _GROUP):
        rows = order[begin : begin + _GROUP]
        used = weights[rows] != 0.0
        joints = np.unique(mesh.joints[rows][used])
        if not len(joints):
            continue
        share = np.zeros((len(rows), len(joints)))
        row = np.nonzero(used)[0]
        np.add.at(share, (row, np.searchsorted(joints, mesh.joints[rows][used])), weights[rows][used])
        matrix = (share[:, :, None] * vectors[rows, None]).reshape(len(rows), -1)
        result.append(_Group(rows + start, joints, np.ascontiguousarray(matrix, dtype=dtype)))
    return tuple(result)


def _multiplied(group: _Group, moves: Numbers) -> Numbers:
    """(F, n, 3): the group's vectors moved by `moves` (F, J, 3, k)."""
    frames = len(moves)
    right = moves[:, group.joints].transpose(1, 3, 0, 2).reshape(group.matrix.shape[1], frames * 3)
    return np.asarray((group.matrix @ right).reshape(-1, frames, 3).transpose(1, 0, 2))
