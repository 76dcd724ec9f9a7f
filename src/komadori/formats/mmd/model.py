"""Model: what a PMX or PMD file says, in its own units, axes and numbering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError
from komadori.formats.mmd.binary import cut
from komadori.words import Note

TAIL_IS_BONE = 0x0001
ROTATABLE = 0x0002
MOVABLE = 0x0004
VISIBLE = 0x0008
ENABLED = 0x0010
HAS_IK = 0x0020
APPEND_LOCAL = 0x0080
APPEND_ROTATION = 0x0100
APPEND_TRANSLATION = 0x0200
FIXED_AXIS = 0x0400
LOCAL_AXES = 0x0800
AFTER_PHYSICS = 0x1000
EXTERNAL_PARENT = 0x2000

BDEF1, BDEF2, BDEF4, SDEF, QDEF = range(5)

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class IkLink:
    """A bone that an IK turns; `lower` and `upper` are angles in radians about x, y, z if it is limited."""

    bone: int
    lower: Vector | None = None
    upper: Vector | None = None


@dataclass(frozen=True)
class Ik:
    """What brings the bone `target` to the IK bone: `loops` rounds over `links`, at most `angle` radians per step."""

    target: int
    loops: int
    angle: float
    links: tuple[IkLink, ...]


@dataclass(frozen=True)
class Append:
    """A share (`ratio`) of the bone `source`'s own turn or shift, added to a bone's."""

    source: int
    ratio: float
    rotation: bool
    translation: bool
    local: bool = False


@dataclass(frozen=True)
class Bone:
    """A bone: `position` is where it stands in the model; `tail` is a bone's number or a direction."""

    name: str
    english: str
    position: Vector
    parent: int
    layer: int = 0
    flags: int = ROTATABLE | VISIBLE | ENABLED
    tail: int | Vector = (0.0, 0.0, 0.0)
    append: Append | None = None
    fixed_axis: Vector | None = None
    local_axes: tuple[Vector, Vector] | None = None
    external_parent: int | None = None
    ik: Ik | None = None


@dataclass(frozen=True, eq=False)
class Vertices:
    """Arrays of V vertices: `kinds` says how each is weighted (BDEF1 to QDEF); `sdef` (V, 9) is C, R0, R1 or None."""

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]
    uvs: NDArray[np.float32]
    extra: NDArray[np.float32]
    kinds: NDArray[np.uint8]
    bones: NDArray[np.int64]
    weights: NDArray[np.float64]
    edges: NDArray[np.float32]
    sdef: NDArray[np.float32] | None = None


@dataclass(frozen=True)
class Surface:
    """A material: colours 0 to 1, `texture` a number in the model's textures or -1, `toon` the same or a shared toon."""

    name: str
    english: str
    diffuse: tuple[float, float, float, float]
    specular: tuple[float, float, float, float]
    ambient: Vector
    flags: int
    edge_colour: tuple[float, float, float, float]
    edge_size: float
    texture: int
    sphere: int
    sphere_mode: int
    shared_toon: bool
    toon: int
    memo: str
    indices: int


@dataclass(frozen=True, eq=False)
class Morph:
    """A morph of any kind; `offsets` are its records as the file has them."""

    name: str
    english: str
    panel: int
    kind: str
    offsets: NDArray[Any]


@dataclass(frozen=True)
class Frame:
    """A group of the editor's list: pairs of ("bone" or "morph", number)."""

    name: str
    english: str
    special: bool
    entries: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class RigidBody:
    """A body of the physics; `mode` 0 follows its bone, 1 moves the bone, 2 turns it alone."""

    name: str
    english: str
    bone: int
    group: int
    passes: int
    shape: int
    size: Vector
    position: Vector
    rotation: Vector
    mass: float
    move_damping: float
    turn_damping: float
    repulsion: float
    friction: float
    mode: int


@dataclass(frozen=True)
class Joint:
    """A joint between the rigid bodies `a` and `b`; `numbers` are place, turn, their limits and springs, 8 x 3."""

    name: str
    english: str
    kind: int
    a: int
    b: int
    numbers: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Model:
    """A whole model file: MikuMikuDance units, left-handed, the file's own numbers for bones, vertices and the rest."""

    path: str
    version: float
    name: str
    english: str
    comment: str
    english_comment: str
    vertices: Vertices
    triangles: NDArray[np.int64]
    textures: tuple[str, ...]
    surfaces: tuple[Surface, ...]
    bones: tuple[Bone, ...]
    morphs: tuple[Morph, ...] = ()
    frames: tuple[Frame, ...] = ()
    bodies: tuple[RigidBody, ...] = ()
    joints: tuple[Joint, ...] = ()
    soft_bodies: bytes = field(default=b"", repr=False)
    """Soft bodies (2.1), as they stand in the file."""

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """(J,) file numbers of the bones in the skeleton's order: as in the file, but parents first."""
        return parents_first([bone.parent for bone in self.bones], self.path)

    @cached_property
    def joint_of(self) -> NDArray[np.intp]:
        """(J,) the skeleton's joint of each bone of the file: the inverse of `order`."""
        result = np.empty(len(self.bones), dtype=np.intp)
        result[self.order] = np.arange(len(self.bones))
        return result

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """(J, 3) where the bones stand, in the file's units and numbering."""
        return np.array([bone.position for bone in self.bones], dtype=np.float64).reshape(-1, 3)

    @cached_property
    def by_key(self) -> Mapping[bytes, int]:
        """Names as motion files spell them (cp932, 15 bytes) -> bone; of two with one name the first is meant."""
        return first_of([cut(bone.name) for bone in self.bones])

    @cached_property
    def turning_order(self) -> tuple[int, ...]:
        """Bones in the order in which MikuMikuDance works them out: after physics last, by layer, by number."""

        def place(n: int) -> tuple[bool, int, int]:
            return bool(self.bones[n].flags & AFTER_PHYSICS), self.bones[n].layer, n

        return tuple(sorted(range(len(self.bones)), key=place))


def first_of(names: Sequence[bytes]) -> dict[bytes, int]:
    """Name -> the first place where it stands."""
    return {name: n for n, name in reversed(list(enumerate(names)))}


def parents_first(parents: Sequence[int], path: str) -> NDArray[np.intp]:
    """Numbers of the bones so that every parent comes before its children, else as they were; a cycle is an error."""
    placed = [False] * len(parents)
    result: list[int] = []
    for bone in range(len(parents)):
        waiting: list[int] = []
        on_the_way: set[int] = set()
        while bone >= 0 and not placed[bone]:
            if bone in on_the_way:
                raise FormatError(
                    path,
                    Note("bone {name}", name=bone),
                    problem=Note("the parents form a cycle"),
                )
            on_the_way.add(bone)
            waiting.append(bone)
            bone = parents[bone]
        for one in reversed(waiting):
            placed[one] = True
            result.append(one)
    return np.array(result, dtype=np.intp)


def checked(model: Model) -> Model:
    """`model`, every number of which must name something that is there; else a FormatError."""
    bones, vertices = len(model.bones), len(model.vertices.positions)

    def within(values: Any, size: int, place: str, what: str, none: bool = True) -> None:
        numbers = np.asarray(values)
        if numbers.size and not (-1 if none else 0) <= numbers.min() <= numbers.max() < size:
            bad = numbers.max() if numbers.max() >= size else numbers.min()
            raise FormatError(
                model.path,
                place,
                expected=Note("an index into {size} {what}", size=size, what=what),
                found=f"{bad}",
            )

    if not bones:
        raise FormatError(model.path, problem=Note("the model has no bones"))
    within([bone.parent for bone in model.bones], bones, Note("the bones' parents"), Note("bones"))
    within(model.vertices.bones, bones, Note("the vertices' weights"), Note("bones"))
    within(model.triangles, vertices, Note("the triangles"), Note("vertices"), none=False)
    within(
        [part.texture for part in model.surfaces],
        len(model.textures),
        Note("the materials' textures"),
        Note("textures"),
    )
    within([body.bone for body in model.bodies], bones, Note("the rigid bodies"), Note("bones"))
    within(
        [n for joint in model.joints for n in (joint.a, joint.b)],
        len(model.bodies),
        Note("the joints"),
        Note("rigid bodies"),
    )
    for n, bone in enumerate(model.bones):
        if bone.append is not None:
            within(bone.append.source, bones, Note("bone {name}'s append", name=n), Note("bones"))
        if bone.ik is not None:
            links = [link.bone for link in bone.ik.links]
            within([bone.ik.target, *links], bones, Note("bone {name}'s IK", name=n), Note("bones"), none=False)
    for morph in model.morphs:
        if morph.kind == "vertex":
            within(
                morph.offsets["index"], vertices, Note("morph {name}", name=morph.name), Note("vertices"), none=False
            )
    used = sum(part.indices for part in model.surfaces)
    if used > model.triangles.size or any(part.indices % 3 or part.indices < 0 for part in model.surfaces):
        expected = Note("materials with whole triangles, {size} corners in total", size=model.triangles.size)
        raise FormatError(model.path, Note("the materials"), expected=expected, found=f"{used}")
    _ = model.order
    return model
