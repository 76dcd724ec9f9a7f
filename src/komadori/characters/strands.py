"""Strands: hair, ribbons and manes of the built-in characters as curves, and the joints and chains that lie on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori.character import Chain
from komadori.characters.modelling import chain_joints, curve
from komadori.quat import Array
from komadori.skeleton import Skeleton


@dataclass(frozen=True)
class Strand:
    """A chain to be: the points of the curve that it lies on, how many bones it has, and the joint that holds it."""

    name: str
    kind: str
    points: tuple[tuple[float, float, float], ...]
    bones: int
    holder: str = "head"

    @property
    def path(self) -> Array:
        """(97, 3) the curve."""
        return curve(self.points, 97)


def with_strands(plain: Skeleton, strands: Sequence[Strand]) -> Skeleton:
    """`plain`, which rests unturned, and after its joints those of the strands; the same roles."""
    names, parents, places = list(plain.names), plain.parents.tolist(), list(np.zeros((len(plain), 3)))
    for joint, parent in enumerate(parents):
        places[joint] = plain.offsets[joint] + (places[parent] if parent >= 0 else 0.0)
    offsets = list(plain.offsets)
    for strand in strands:
        before = names.index(strand.holder)
        for n, place in enumerate(chain_joints(strand.path, strand.bones)):
            names.append(f"{strand.name}_{n + 1}" if n < strand.bones else f"{strand.name}_end")
            parents.append(before)
            offsets.append(place - places[before])
            places.append(place)
            before = len(names) - 1
    return Skeleton(tuple(names), np.array(parents, dtype=np.intp), np.array(offsets), roles=plain.roles)


def joints_of(skeleton: Skeleton, strand: Strand) -> list[int]:
    """The strand's joints, root to tip, the end too."""
    first = skeleton.index(f"{strand.name}_1")
    return list(range(first, first + strand.bones + 1))


def chain(skeleton: Skeleton, name: str, kind: str, joints: Sequence[int]) -> Chain:
    """The modelled chain of `joints`, root to tip."""
    lengths = tuple(float(x) for x in np.linalg.norm(skeleton.offsets[list(joints[1:])], axis=1))
    return Chain(name, kind, tuple(joints), int(skeleton.parents[joints[0]]), lengths, why="modelled")


def chains(skeleton: Skeleton, strands: Sequence[Strand]) -> tuple[Chain, ...]:
    """The strands' chains."""
    return tuple(chain(skeleton, s.name, s.kind, joints_of(skeleton, s)) for s in strands)
