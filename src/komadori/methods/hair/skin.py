"""Skin: where strands lie on the body at rest, and how they are kept from entering it, in closed form.

Below the end of every bone that lies near the body at rest there is a plane that touches the skin. A body that bulges lies
behind all such planes, so an end that stays before its own has not entered. The planes go with the joint that holds the
strand: what other joints do to the skin beside it is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character
from komadori.methods.hair.planes import dot
from komadori.quat import Array
from komadori.skinning import skinned

NEAR = 0.5
"""Skin farther away than this share of the strand's length is out of its reach."""
FACING = 0.2
"""A spot of skin is below a place where its normal points there: by this cosine at least."""
SPOTS = 6
"""How many skin samples determine the plane."""
MOST_SPOTS = 40_000
USED = 0.5
"""The share of the air between a bone and the skin that the bone may use: locks are thick."""
SOFT = 0.06
"""A bone is turned away smoothly, over this share of its length."""
MOST = 2.0
"""How far a bone is turned away at most, in its own lengths."""

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Guard:
    """Planes before which bones end: `normals` (3, B) in the holder's frame, and how far (B,) an end may go inwards.

    `levels` are the first bones of all guarded strands, longest strand first, then the second ones, and so on.
    """

    normals: Array
    room: Array
    levels: tuple[Index, ...]

    def kept(self, lines: Array, rest: Array, lengths: Array) -> Array:
        """`lines` (3, n, B), unit, turned away from the body where a bone would end behind its plane; at `rest` none does."""
        result = np.array(lines)
        moved = np.zeros((3, lines.shape[1], len(self.levels[0])))
        for bones in self.levels:
            long, normal, own = lengths[bones], self.normals[:, None, bones], rest[:, None, bones]
            line, moved = result[:, :, bones], moved[:, :, : len(bones)]
            deep = -(dot(moved + long * (line - own), normal) + self.room[bones]) / (SOFT * long)
            np.clip(deep, 0.0, MOST / SOFT, out=deep)
            lift = SOFT * np.where(deep < 1.0, 0.5 * deep * deep, deep - 0.5)
            line = line + lift * normal
            line /= np.sqrt(dot(line, line))
            result[:, :, bones] = line
            moved = moved + long * (line - own)
        return result

    def lift(self, lines: Array, rest: Array, lengths: Array) -> Array:
        """(3, B) how much farther out bones must point, from their roots on, so that none of `lines` (3, n, B) ends too deep."""
        need = np.zeros(self.room.shape)
        ends = np.zeros((3, lines.shape[1], len(self.levels[0])))
        arcs = np.zeros(len(self.levels[0]))
        for bones in self.levels:
            long = lengths[bones]
            arcs = arcs[: len(bones)] + long
            ends = ends[:, :, : len(bones)] + long * (lines[:, :, bones] - rest[:, None, bones])
            deep = -(dot(ends, self.normals[:, None, bones]) + self.room[bones]).min(axis=0)
            need[bones] = np.maximum(deep, 0.0) / arcs
        for before, after in zip(self.levels[-2::-1], self.levels[:0:-1], strict=True):
            need[before[: len(after)]] = np.maximum(need[before[: len(after)]], need[after])
        return np.asarray(self.normals * need)


def guard_of(normals: Array, air: Array, firsts: Index, counts: Index) -> Guard | None:
    """The guard of bones with that skin below them (as `skin_below` tells), `normals` (B, 3) in the holders' frames."""
    near = np.isfinite(air)
    chains = [c for c in range(len(firsts)) if near[firsts[c] : firsts[c] + counts[c]].any()]
    if not chains:
        return None
    chains.sort(key=lambda c: -counts[c])
    levels = [
        np.array([firsts[c] + level for c in chains if counts[c] > level], dtype=np.intp)
        for level in range(int(counts[chains[0]]))
    ]
    # If there is no skin, no depth is too deep.
    return Guard(normals.T, np.where(near, USED * np.maximum(air, 0.0), 1e9), tuple(levels))


def skin_below(character: Character, ends: Array, outward: Array, holders: Index, reach: Array) -> tuple[Array, Array]:
    """The normal (B, 3) of the skin below each of `ends` (B, 3) in the rest pose, and the air (B,) between them, metres.

    It is the skin of the joint that holds the strand (`holders`, (B,)) and of those next to it: skin that moves on its own
    is ignored. Skin that faces away from the body, as `outward` (B, 3) says, counts for more. If none lies nearer than `reach` (B,), the air is infinite.
    """
    normals, air = np.zeros((len(ends), 3)), np.full(len(ends), np.inf)
    if not character.meshes:
        return normals, air
    places, facing, owners = _spots(character)
    for holder in np.unique(holders[holders >= 0]).tolist():
        beside = {holder, int(character.skeleton.parents[holder]), *character.skeleton.children[holder]}
        own = np.isin(owners, list(beside))
        for bone in np.flatnonzero(holders == holder).tolist():
            found = _below(places[own], facing[own], ends[bone], outward[bone], float(reach[bone]))
            if found is not None:
                normals[bone], air[bone] = found
    return normals, air


def _below(places: Array, facing: Array, end: Array, outward: Array, reach: float) -> tuple[Array, float] | None:
    """The mean normal of the nearest spots that face `end` (3,), and how far it is before all of them."""
    away = end - places
    far = np.sqrt((away * away).sum(axis=1))
    before = (away * facing).sum(axis=1)
    seen = np.flatnonzero((before > FACING * far) & (far < reach))
    if not len(seen):
        return None
    seen = seen[np.argsort(far[seen], kind="stable")[:SPOTS]]
    share = np.maximum(facing[seen] @ outward, 0.1) / np.maximum(far[seen], 1e-4)
    normal = share**2 @ facing[seen]
    size = float(np.linalg.norm(normal))
    return (normal / size, float((away[seen] @ normal).min() / size)) if size > 1e-9 else None


def _spots(character: Character) -> tuple[Array, Array, Index]:
    """(S, 3) places all over the body's skin at rest, the normals there, and the joints (S,) that move it most.

    They are its vertices and its triangles' middles, without those that go with a chain.
    """
    hanging = np.zeros(len(character.skeleton), dtype=bool)
    for chain in character.chains():
        hanging[list(chain.joints)] = True
    vertices, normals = (np.asarray(part[0], dtype=np.float64) for part in skinned(character, character.rest))
    places, facing, owners, start = [], [], [], 0
    for mesh in character.meshes:
        own = slice(start, start + len(mesh.vertices))
        start = own.stop
        owner = np.take_along_axis(mesh.joints, mesh.weights.argmax(axis=1)[:, None], axis=1)[:, 0]
        body = (mesh.weights * hanging[mesh.joints]).sum(axis=1) < 0.5
        corners = mesh.triangles[body[mesh.triangles].all(axis=1)]
        places += [vertices[own][body], vertices[own][corners].mean(axis=1)]
        facing += [normals[own][body], normals[own][corners].mean(axis=1)]
        owners += [owner[body], owner[corners[:, 0]]]
    some = slice(None, None, sum(map(len, places)) // MOST_SPOTS + 1)
    ways = np.concatenate(facing)[some]
    size = np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-12)
    return np.concatenate(places)[some], ways / size, np.concatenate(owners)[some].astype(np.intp)
