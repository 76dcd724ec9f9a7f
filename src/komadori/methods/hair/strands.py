"""Strands: the chains of a character as flat arrays of bones, made ready for moving all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Chain, Character
from komadori.errors import OptionError, quoted
from komadori.methods.hair.heading import front_of
from komadori.methods.hair.skin import NEAR, Guard, guard_of, skin_below
from komadori.methods.hair.solids import Solids, axis_distances, solids_of
from komadori.methods.hair.wave import places
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.skinning import skinned
from komadori.words import Fact, Note

LOOSE = {"ear": 0.2, "tail": 0.8}
"""How freely a kind of chain follows air and weight; hair, ribbons and cloth do so wholly."""
BUNDLE = 3
"""Neighbouring strands that gather into one bundle, at most."""

TOUCH = 0.35
"""Strands whose middles are nearer than this share of their length are neighbours."""

SHORTEST_M = 1e-7
THICK_M, THICKEST = 0.02, 0.35
"""How far the skin of a strand lies around its bones, at least, and at most as a share of the strand's length."""
LOCKS = ("hair", "ribbon")

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Strands:
    """B bones of C chains, bone after bone; directions and places are in the rest frame of what the chain hangs from.

    `firsts` (C,) is each chain's first bone, `counts` (C,) how many it has; `joints` (B,) turn; `holders` (C,) are the
    joints that the chains hang from (-1 is the world); `directions` (B, 3) unit; `ends` (B, 3) where a bone ends, from the
    holder; `lengths` (B,) metres; `near` and `far` (B,) are the two ends on x, 0 to pi; `totals` (C,) metres; `rests`
    (B, 4) the rest turn of a joint, `before` (B, 4) that of its parent, both in the holder's frame.
    """

    chains: tuple[Chain, ...]
    firsts: Index
    counts: Index
    of: Index
    joints: Index
    holders: Index
    holder_rests: Array
    directions: Array
    ends: Array
    lengths: Array
    near: Array
    far: Array
    totals: Array
    rests: Array
    before: Array
    outward: Array
    loose: Array
    bundles: tuple[tuple[int, ...], ...]
    guard: Guard | None
    """What keeps them out of the skin that they hang from; None if none is near."""
    solids: Solids | None
    """What they can meet beside that: arms, shoulders, back, floor; None if roles tell of none."""
    rooms: Array
    """(B, K) how near the end of a bone may come to the axis of each solid, metres."""
    thick: Array
    """(B,) how far the strand's own skin lies around each bone, metres."""
    front: Array
    """(3,) which way the body looks in the rest pose."""
    facing: Array
    """(C,) how much a strand hangs before the face: 1 straight ahead of the head, 0 beside and behind it."""

    def __len__(self) -> int:
        return len(self.chains)

    def bones(self, chain: int) -> slice:
        """The bones of a chain."""
        return slice(int(self.firsts[chain]), int(self.firsts[chain] + self.counts[chain]))


def strands_of(character: Character, names: Sequence[str] | None = None) -> tuple[Strands, list[Note]]:
    """The chains of `character` that can move (those called, or of a kind called, by `names`), and what is odd of them."""
    found = character.chains()
    if not found:
        raise OptionError(
            "character",
            problem=Note("{name} has no hair, skirt, ribbons, tail or ears that can move", name=quoted(character.name)),
        )
    chosen = found
    if names is not None:
        wrong = [name for name in names if not any(name in (chain.name, chain.kind) for chain in found)]
        if wrong:
            known = ", ".join(dict.fromkeys([*(c.kind for c in found), *(c.name for c in found)]))
            raise OptionError("chains", expected=Note("one of {words}", words=known), found=str(wrong[0]))
        chosen = tuple(chain for chain in found if chain.name in names or chain.kind in names)
    return rigged(character, chosen)


def rigged(character: Character, chains: Sequence[Chain]) -> tuple[Strands, list[Note]]:
    """`chains` as strands, without those that have no bone."""
    turned, world = (part[0] for part in character.rest.world_transforms())
    tips = {s.joints[-1].joint: s.tip for s in character.springs.springs if s.joints and s.tip is not None}
    skinned = _skinned(character)
    kept, rows = [], []
    none: list[str] = []
    flat: list[str] = []
    lone: list[str] = []
    for chain in chains:
        points = [world[joint] for joint in chain.joints]
        turning, last = list(chain.joints), chain.joints[-1]
        if last in tips:
            points.append(points[-1] + quat.rotate(turned[last], np.array(tips[last])))
        elif skinned[last] and len(points) > 1:
            # A last joint that moves skin of its own is a bone, though nothing says how long: as long as the one before.
            points.append(2.0 * points[-1] - points[-2])
        else:
            turning.pop()
        lengths = np.linalg.norm(np.diff(points, axis=0), axis=1) if turning else np.zeros(0)
        whole = lengths > SHORTEST_M
        if not whole.any():
            none.append(chain.name)
            continue
        if not whole.all():
            flat.append(chain.name)
        if whole.sum() == 1:
            lone.append(chain.name)
        kept.append(chain)
        rows.append([(turning[n], points[n], points[n + 1]) for n in np.flatnonzero(whole)])
    notes: list[Note] = [
        Fact(text, count=len(names), names=_listed(names))
        for text, names in (
            ("{count:chain has|chains have} no bone and cannot move: {names}", none),
            ("{count:chain has|chains have} bones of zero length, which do not rotate: {names}", flat),
            ("{count:chain has|chains have} a single bone, which swings but cannot show a wave: {names}", lone),
        )
        if names
    ]
    if not kept:
        raise OptionError(
            "character",
            problem=Note("no chain of {name} has a bone that can turn", name=quoted(character.name)),
        )
    return _flat(character, turned, world, tuple(kept), rows), notes


def _skinned(character: Character) -> NDArray[np.bool_]:
    """(J,) the joints that some vertex follows."""
    result = np.zeros(len(character.skeleton), dtype=bool)
    for mesh in character.meshes:
        result[mesh.joints[mesh.weights > 0.0]] = True
    return result


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")


def _flat(
    character: Character,
    turned: Array,
    world: Array,
    chains: tuple[Chain, ...],
    rows: list[list[tuple[int, Array, Array]]],
) -> Strands:
    skeleton = character.skeleton
    counts = np.array([len(row) for row in rows], dtype=np.intp)
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
    of = np.repeat(np.arange(len(rows)), counts).astype(np.intp)
    joints = np.array([joint for row in rows for joint, _, _ in row], dtype=np.intp)
    holders = np.array([skeleton.parents[row[0][0]] for row in rows], dtype=np.intp)
    holder_rests = np.where(holders[:, None] >= 0, turned[holders], quat.IDENTITY)
    holder_places = np.where(holders[:, None] >= 0, world[holders], 0.0)
    back = quat.inverse(holder_rests)[of]
    starts = np.array([start for row in rows for _, start, _ in row])
    stops = np.array([stop for row in rows for _, _, stop in row])
    bones = stops - starts
    lengths = np.linalg.norm(bones, axis=1)
    scaled = [places(lengths[first : first + count]) for first, count in zip(firsts, counts, strict=True)]
    parents = skeleton.parents[joints]
    above = np.where(parents[:, None] >= 0, turned[parents], quat.IDENTITY)
    middles = np.array([np.mean([stop for _, _, stop in row], axis=0) for row in rows])
    totals = np.add.reduceat(lengths, firsts)
    outward = _outward(skeleton, world, holders, holder_places, middles)
    solids = solids_of(character)
    below, air = skin_below(character, stops, outward[of], holders[of], NEAR * totals[of])
    return Strands(
        chains,
        firsts,
        counts,
        of,
        joints,
        holders,
        holder_rests,
        quat.rotate(back, bones / lengths[:, None]),
        quat.rotate(back, stops - holder_places[of]),
        lengths,
        np.concatenate([x[:-1] for x in scaled]),
        np.concatenate([x[1:] for x in scaled]),
        totals,
        quat.multiply(back, turned[joints]),
        quat.multiply(back, above),
        outward,
        np.array([LOOSE.get(chain.kind, 1.0) for chain in chains]),
        _bundles(chains, holders, middles, totals),
        guard_of(quat.rotate(back, below), air, firsts, counts),
        solids,
        np.zeros((len(stops), 0)) if solids is None else solids.rooms(stops, lengths),
        _thick(character, joints, of, starts, stops, totals[of]),
        front_of(skeleton, world),
        _facing(skeleton, world, chains, holders, outward),
    )


def _thick(character: Character, joints: Index, of: Index, starts: Array, stops: Array, totals: Array) -> Array:
    """(B,) how far the skin that each bone moves most lies around it at rest: nearly all of it, at least a little."""
    result = np.full(len(joints), THICK_M)
    if not character.meshes:
        return result
    vertices = np.asarray(skinned(character, character.rest)[0][0], dtype=np.float64)
    owners = np.concatenate(
        [np.take_along_axis(m.joints, m.weights.argmax(axis=1)[:, None], axis=1)[:, 0] for m in character.meshes]
    )
    for bone, joint in enumerate(joints.tolist()):
        own = vertices[owners == joint]
        if len(own):
            far, _ = axis_distances(own, starts[bone], stops[bone])
            result[bone] = np.clip(np.percentile(far, 98.0), THICK_M, max(THICK_M, THICKEST * totals[bone]))
    # Where two bones meet, the thicker one counts.
    following = np.append(of[1:] == of[:-1], False)
    return np.where(following, np.maximum(result, np.append(result[1:], 0.0)), result)


def _facing(skeleton: Skeleton, world: Array, chains: Sequence[Chain], holders: Index, outward: Array) -> Array:
    """(C,) how much each strand hangs before the face."""
    head = skeleton.roles.get("head", -1)
    on_head = np.array([chain.kind in LOCKS for chain in chains]) & (holders == head) & (head >= 0)
    return np.where(on_head, np.maximum(outward @ front_of(skeleton, world), 0.0), 0.0)


def _outward(skeleton: Skeleton, world: Array, holders: Index, holder_places: Array, middles: Array) -> Array:
    """(C, 3) the level direction in the rest pose from the holder to the strand: away from the body; else its back."""
    away = (middles - holder_places) * [1.0, 0.0, 1.0]
    size = np.linalg.norm(away, axis=1, keepdims=True)
    back = -front_of(skeleton, world)
    known = (size > 0.02) & (holders[:, None] >= 0)
    return np.asarray(np.where(known, away / np.maximum(size, 1e-12), back))


def _bundles(chains: Sequence[Chain], holders: Index, middles: Array, totals: Array) -> tuple[tuple[int, ...], ...]:
    """Neighbours (chains come in the order in which they hang) that are near enough to touch."""
    found: list[list[int]] = []
    for n in range(len(chains)):
        last = found[-1] if found else []
        near = bool(last) and len(last) < BUNDLE and holders[n] == holders[last[-1]]
        if near and chains[n].kind == chains[last[-1]].kind:
            apart = float(np.linalg.norm(middles[n] - middles[last[-1]]))
            near = apart < TOUCH * min(totals[n], totals[last[-1]])
        else:
            near = False
        if near:
            last.append(n)
        else:
            found.append([n])
    return tuple(tuple(one) for one in found if len(one) > 1)
