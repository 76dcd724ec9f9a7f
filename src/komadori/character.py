"""Character: a skeleton with its skin, materials and chains; what animators pose, in one frozen value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from komadori import chains, kinematics, quat
from komadori.chains import KINDS as KINDS
from komadori.chains import Chain as Chain
from komadori.errors import OptionError, quoted
from komadori.motion import Motion
from komadori.quat import Array
from komadori.shown import Shown
from komadori.skeleton import Skeleton, frozen
from komadori.springs import SpringBones
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class Image:
    """A picture as its file has it: `data` are the bytes of a PNG or JPEG (`mime`)."""

    name: str
    mime: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Toon:
    """How a cel-shaded surface goes from light to shadow, and what shines at its edge, as MToon 1.0 has it.

    The light at a point is the cosine to the light plus `shift`; below -(1 - `toony`) all is shade, above 1 - `toony` all is lit.
    The rim adds the colour `rim` (as on screen) times max(0, 1 - cosine to the eye + `rim_lift`) to the power of `rim_power`.
    """

    shift: float = 0.0
    toony: float = 0.9
    rim: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rim_power: float = 5.0
    rim_lift: float = 0.0
    rim_mix: float = 1.0
    """How much of the rim depends on the light that falls on it."""

    def numbers(self) -> list[float]:
        """All of it in a row, for files."""
        return [self.shift, self.toony, *self.rim, self.rim_power, self.rim_lift, self.rim_mix]

    @classmethod
    def of_numbers(cls, given: Sequence[float]) -> Toon:
        """The same again, within what MToon allows."""
        shift, toony, red, green, blue, power, lift, mix = given
        rim = (min(max(red, 0.0), 1.0), min(max(green, 0.0), 1.0), min(max(blue, 0.0), 1.0))
        bounded = min(max(shift, -1.0), 1.0), min(max(toony, 0.0), 1.0)
        return cls(*bounded, rim, min(max(power, 0.0), 100.0), min(max(lift, -1.0), 1.0), min(max(mix, 0.0), 1.0))


@dataclass(frozen=True)
class Material:
    """How a surface looks: enough for flat two-tone drawing. Colours are r, g, b, a from 0 to 1, not linear."""

    name: str
    colour: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    image: int | None = None
    """The character's image that is laid over the surface by the mesh's `uvs`."""
    shade: tuple[float, float, float] | None = None
    """The colour in shadow, if the file states one (MToon, MMD's toon)."""
    outline: tuple[float, float, float, float] | None = None
    """The ink line's colour."""
    outline_m: float = 0.0
    """The ink line's width in metres."""
    toon: Toon | None = None
    """How light becomes shadow, if the file states it (MToon)."""
    two_sided: bool = False
    alpha: str = "opaque"
    """"opaque", "mask" or "blend"."""


class Follow(NamedTuple):
    """A joint that takes a share of another's rotation and offset upon its own, as MikuMikuDance's append (付与) has it."""

    joint: int
    source: int
    turn: float = 0.0
    shift: float = 0.0


@dataclass(frozen=True, eq=False)
class Bends:
    """Vertices of a mesh that do not blend linearly.

    `spherical` (n,) bend by SDEF between their two strongest joints, with `centres` (n, 3, 3): C, R0, R1 in metres as the mesh was bound, and
    `pairs` (n, 2), those joints in the order that R0 and R1 stand in. `dual` (m,) blend dual quaternions (QDEF).
    """

    spherical: NDArray[np.int64]
    centres: Array
    pairs: NDArray[np.int64]
    shares: Array
    """(n, 2) the weights of `pairs`."""
    dual: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles that follow the joints.

    `vertices` (V, 3) in metres and `normals` (V, 3) as the mesh was bound; `triangles` (T, 3); `joints` (V, K) and `weights`
    (V, K), rows that sum to 1; `uvs` (V, 2), v downwards, or None; `morphs` maps a name to vertex displacements (V, 3).
    """

    name: str
    vertices: Array
    normals: Array
    triangles: NDArray[np.int64]
    joints: NDArray[np.int64]
    weights: Array
    uvs: Array | None = None
    material: int | None = None
    morphs: Mapping[str, Array] = field(default_factory=dict)
    bends: Bends | None = None
    """Vertices that do not blend linearly, if the file says so."""

    def __post_init__(self) -> None:
        put, count = object.__setattr__, len(self.vertices)
        put(self, "vertices", frozen(self.vertices, np.float64, (-1, 3), "vertices"))
        put(self, "normals", frozen(self.normals, np.float64, (count, 3), "normals"))
        put(self, "triangles", frozen(self.triangles, np.int64, (-1, 3), "triangles"))
        put(self, "joints", frozen(self.joints, np.int64, (count, -1), "joints"))
        put(self, "weights", frozen(self.weights, np.float64, self.joints.shape, "weights"))
        if self.uvs is not None:
            put(self, "uvs", frozen(self.uvs, np.float64, (count, 2), "uvs"))
        put(self, "morphs", MappingProxyType({k: frozen(v, np.float64, (count, 3), k) for k, v in self.morphs.items()}))
        if self.triangles.size and not 0 <= self.triangles.min() <= self.triangles.max() < count:
            raise OptionError(
                Note("mesh {name}: a triangle names a vertex that does not exist", name=quoted(self.name))
            )

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (Mesh, {f.name: _plain(getattr(self, f.name)) for f in fields(self)}))


@dataclass(frozen=True, eq=False)
class Character(Shown):
    """A body that can be posed and seen.

    `binds` (J, 4, 4) are the inverse bind matrices: a mesh's vertex in the frame of each joint, as the mesh was bound.
    `document` is the format's own record of the file, so that what komadori does not know is written back. `roles` are
    the skeleton's. `expressions` maps a name ("happy") to morph weights {(mesh, morph): weight}. `meta` is what the file
    says of its author and licence.
    """

    name: str
    skeleton: Skeleton
    meshes: tuple[Mesh, ...] = ()
    materials: tuple[Material, ...] = ()
    images: tuple[Image, ...] = ()
    binds: Array = field(default_factory=lambda: np.zeros((0, 4, 4)))
    """Empty for the rest pose."""
    chain_hints: tuple[Chain, ...] = ()
    """Chains that the file itself states (VRM spring bones, MMD physics)."""
    springs: SpringBones = field(default_factory=SpringBones)
    """How those chains swing, and what they must not pass through, if the file says so."""
    expressions: Mapping[str, Mapping[tuple[int, str], float]] = field(default_factory=dict)
    follows: tuple[Follow, ...] = ()
    """Joints that follow others, in the order in which they are computed."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    motions: Mapping[str, Motion] = field(default_factory=dict)
    """Animations that came with it, by name."""
    document: object = field(default=None, repr=False)
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        put, joints = object.__setattr__, len(self.skeleton)
        binds = self.binds if len(self.binds) else inverse_binds(self.skeleton)
        put(self, "binds", frozen(binds, np.float64, (joints, 4, 4), "binds"))
        for name in ("meshes", "materials", "images", "chain_hints", "follows", "notes"):
            put(self, name, tuple(getattr(self, name)))
        for name in ("expressions", "meta", "motions"):
            put(self, name, MappingProxyType(dict(getattr(self, name))))
        for mesh in self.meshes:
            if mesh.joints.size and not 0 <= mesh.joints.min() <= mesh.joints.max() < joints:
                raise OptionError(
                    Note("mesh {name}: a weight names a joint that does not exist", name=quoted(mesh.name))
                )

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (Character, {f.name: _plain(getattr(self, f.name)) for f in fields(self)}))

    def __repr__(self) -> str:
        vertices = sum(len(mesh.vertices) for mesh in self.meshes)
        return f"Character({self.name!r}, {len(self.skeleton)} joints, {len(self.meshes)} meshes, {vertices} vertices)"

    @cached_property
    def rest(self) -> Motion:
        """The rest pose as a motion of one frame."""
        return Motion(self.skeleton, 24.0, self.skeleton.rest[None], self.skeleton.offsets[None])

    def followed(self, motion: Motion) -> Motion:
        """`motion` of this skeleton with the joints that follow others turned along.

        A joint that the motion itself moves is left alone: there, what it follows was computed already.
        """
        if not self.follows or not len(motion):
            return motion
        skeleton = self.skeleton
        turned = np.abs(np.einsum("fji,ji->fj", motion.rotations, skeleton.rest))
        still: NDArray[np.bool_] = np.asarray((turned > 1.0 - 1e-12).all(axis=0))
        away = np.abs(motion.positions - skeleton.offsets)
        placed: NDArray[np.bool_] = np.asarray((away < 1e-9).all(axis=(0, 2)))
        rotations, positions = np.array(motion.rotations), np.array(motion.positions)
        for joint, source, turn, shift in self.follows:
            if turn and still[joint]:
                own = quat.multiply(quat.inverse(skeleton.rest[source]), rotations[:, source])
                share = own if turn == 1.0 else quat.exp(turn * quat.log(own))
                rotations[:, joint] = quat.multiply(rotations[:, joint], share)
            if shift and placed[joint]:
                positions[:, joint] += shift * (positions[:, source] - skeleton.offsets[source])
        return motion.replaced(rotations=quat.normalized(rotations), positions=positions)

    def chains(self) -> tuple[Chain, ...]:
        """Hair, skirt, ribbons, tail and ears: what the file states, then by name and by shape (`komadori.chains`)."""
        return self._chains

    @cached_property
    def _chains(self) -> tuple[Chain, ...]:
        return chains.find(self.skeleton, self.chain_hints)

    def with_roles(self, roles: Mapping[str, int]) -> Character:
        """The same character with these roles."""
        return replace(self, skeleton=self.skeleton.with_roles(roles))


def inverse_binds(skeleton: Skeleton) -> Array:
    """(J, 4, 4) from the rest pose: world to each joint's frame."""
    turned, places = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    result = np.zeros((len(skeleton), 4, 4))
    back = quat.to_matrix(quat.inverse(turned[0]))
    result[:, :3, :3] = back
    result[:, :3, 3] = -np.einsum("jik,jk->ji", back, places[0])
    result[:, 3, 3] = 1.0
    return result


def _plain(value: Any) -> Any:
    """A read-only mapping cannot be pickled; a dict of the same can."""
    return {key: _plain(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _rebuilt(kind: type[Any], values: dict[str, Any]) -> Any:
    return kind(**values)
