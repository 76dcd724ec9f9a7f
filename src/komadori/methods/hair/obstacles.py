"""Obstacles: the solids of a body as a motion carries them, and how strands are kept out of them and above the floor.

A moment needs its own pose alone: bone by bone, from the root, an end that would lie inside a capsule is moved to its
surface, and one that would lie below the floor onto it. Nothing is stepped, and any moment can be asked for alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.hair.planes import dot
from komadori.methods.hair.solids import axis_distances
from komadori.methods.hair.strands import Index, Strands
from komadori.quat import Array

Single = NDArray[np.float32]

STANDING = 25.0
"""The floor is where this percentile of the frames has the body's lowest place: jumps and dips do not move it."""
ROUNDS = 2
"""Where capsules meet, the way out of one can lead into another: it is looked at again."""
GRIP = 0.25
"""From this share of a capsule's radius on, a strand inside it goes round by the outside as much as it ever does."""
ASIDE = 0.05
"""How much a bone that points straight at the floor is turned aside by the way out of the body."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Bones of a holder's chains that can touch something: the first of each chain, then the second, and so on.

    `reach` says how far a level's ends can be from the holder.
    """

    holder: int
    bones: tuple[Index, ...]
    starts: Array
    """(3, 1, C) where the chains begin."""
    reach: tuple[float, ...]
    rooms: tuple[Array, ...]
    """(K, C) each: how near a level's ends may come to each capsule's axis, metres."""
    outward: Array
    """(3, 1, C) away from the body."""
    thick: tuple[Array, ...]
    """(C,) each: how high above the floor a level's ends must be, metres."""


@dataclass(frozen=True, eq=False)
class Obstacles:
    """`turns` (F, H, 4) and `places` (F, H, 3) of the holders; `ends` (F, K, 2, 3) of the capsules; `floor` (F,) metres."""

    fps: float
    turns: Array
    places: Array
    ends: Array
    floor: Array | None
    lengths: Array
    outside: Array
    """(K,) how much strands go round each capsule by the outside of the body."""
    levels: tuple[Levels, ...]

    def kept(self, lines: Array, seconds: Array) -> Array:
        """`lines` (3, n, B), unit, in the holders' frames at `seconds` (n,), turned so that no bone ends in an obstacle."""
        left, right, part = self._between(seconds)
        part = part[:, None]
        result = lines
        for group in self.levels:
            turn = quat.slerp(self.turns[left, group.holder], self.turns[right, group.holder], part[:, 0])
            back = quat.inverse(turn)
            place = _mixed(self.places[:, group.holder], left, right, part)
            ends = _mixed(self.ends, left, right, part[:, :, None, None]) - place[:, None, None]
            ends = quat.rotate(back[:, None, None], ends)
            up = quat.rotate(back, np.array([0.0, 1.0, 0.0])).T[:, :, None]
            over = None
            if self.floor is not None:
                over = (place[:, 1] - _mixed(self.floor, left, right, part[:, 0]))[:, None]
            result = self._group(result, group, ends, up, over)
        return result

    def _group(self, lines: Array, group: Levels, ends: Array, up: Array, over: Array | None) -> Array:
        """`lines` with the bones of one holder kept out; `ends` (n, K, 2, 3), `up` (3, n, 1), `over` (n, 1) the floor."""
        result = np.array(lines)
        least = axis_distances(np.zeros(3), ends[:, :, 0], ends[:, :, 1])[0].min(axis=0, initial=np.inf)
        capsules = _Capsules.of(ends)
        start = np.broadcast_to(group.starts, (3, lines.shape[1], group.starts.shape[2]))
        for bones, reach, rooms, thick in zip(group.bones, group.reach, group.rooms, group.thick, strict=True):
            long, start = self.lengths[bones], start[:, :, : len(bones)]
            line = result[:, :, bones]
            end = start + long * line
            near = least < reach + rooms.max(axis=1, initial=0.0)
            if near.any():
                capsules.clear(start, line, end, long, rooms, near, group.outward, self.outside)
            if over is not None and (over < reach + thick.max()).any():
                _above(start, line, end, long, up, over, group.outward[:, :, : len(bones)], thick)
            result[:, :, bones] = line
            start = end
        return result

    def _between(self, seconds: Array) -> tuple[Index, Index, Array]:
        """The two frames around each moment, and the share of the way from one to the other."""
        last = len(self.turns) - 1
        at = np.clip(np.asarray(seconds) * self.fps, 0.0, last)
        left = np.minimum((at + 1e-9).astype(np.intp), last)
        return left, np.minimum(left + 1, last), np.maximum(at - left, 0.0)


def _mixed(values: Array, left: Index, right: Index, part: Array) -> Array:
    if not part.any():
        return np.asarray(values[left])
    return np.asarray(values[left] * (1.0 - part) + values[right] * part)


@dataclass(frozen=True, eq=False)
class _Capsules:
    """K capsules at n moments: where they begin and how they continue, (3, n, K) each, and what tells quickly who is near."""

    first: Array
    along: Array
    square: Array
    """(n, K) of the axes' lengths."""
    quick: Single
    """(n, K, 2, 5) times a point's x, y, z, 1 and square: its squared distance to the start, and its share of the way along."""

    @staticmethod
    def of(ends: Array) -> _Capsules:
        """Those with `ends` (n, K, 2, 3)."""
        first, along = ends[:, :, 0], ends[:, :, 1] - ends[:, :, 0]
        square = np.maximum((along * along).sum(axis=-1), 1e-12)
        quick = np.zeros((*square.shape, 2, 5), dtype=np.float32)
        quick[:, :, 0, :3] = -2.0 * first
        quick[:, :, 0, 3] = (first * first).sum(axis=-1)
        quick[:, :, 0, 4] = 1.0
        quick[:, :, 1, :3] = along / square[..., None]
        quick[:, :, 1, 3] = -(first * along).sum(axis=-1) / square
        return _Capsules(first.transpose(2, 0, 1), along.transpose(2, 0, 1), square, quick)

    def clear(
        self,
        start: Array,
        line: Array,
        end: Array,
        long: Array,
        rooms: Array,
        near: NDArray[np.bool_],
        outward: Array,
        outside: Array,
    ) -> None:
        """Moves bones' ends (3, n, C) out of those capsules that are `near` (K,); they may come as close as `rooms` (K, C)."""
        solids = np.flatnonzero(near)
        frames, which, chains = self._touched(end, rooms, solids)
        if not len(frames):
            return
        # Ends that touch one or more capsules, and which of them each pair of an end and a capsule is about.
        touched = np.zeros(end.shape[1:], dtype=bool)
        touched[frames, chains] = True
        at = np.nonzero(touched)
        of = (np.cumsum(touched) - 1)[frames * end.shape[2] + chains]
        solids = solids[which]
        first, along, square = self.first[:, frames, solids], self.along[:, frames, solids], self.square[frames, solids]
        room, count = rooms[solids, chains], len(at[0])
        root, size, tip = start[:, at[0], at[1]], long[at[1]], end[:, at[0], at[1]]
        begin, long_, way_out = root[:, of], size[of], outside[solids] * outward[:, 0, chains]
        for _ in range(ROUNDS):
            bone = tip[:, of]
            share = dot(bone - first, along) / square
            nearest = first + np.clip(share, 0.0, 1.0) * along
            deep = np.maximum(room - np.sqrt(dot(bone - nearest, bone - nearest)), 0.0)
            # About its root a bone turns until it ends on the ball around the nearest place of the axis.
            toward = nearest - begin
            apart = np.maximum(np.sqrt(dot(toward, toward)), 1e-9)
            toward /= apart
            cosine = np.clip((apart * apart + long_ * long_ - room * room) / (2.0 * apart * long_), -1.0, 1.0)
            # It turns to the side that it is on, or outwards: little by little, so that one that only just touches continues as
            # it was. It does not turn along the axis, where the capsule continues.
            grip = np.minimum(deep / (GRIP * np.maximum(room, 1e-9)), 1.0)
            aside = (bone - begin) / long_ + grip * way_out
            aside -= dot(aside, toward) * toward
            inner = np.where((share > 0.0) & (share < 1.0), grip * dot(aside, along) / square, 0.0)
            aside -= inner * along
            aside -= dot(aside, toward) * toward
            aside /= np.maximum(np.sqrt(dot(aside, aside)), 1e-9)
            turned = deep * (cosine * toward + np.sqrt(1.0 - cosine * cosine) * aside)
            # Where capsules meet, the way out is between theirs, so that it never jumps from one to another.
            aim = np.array([np.bincount(of, part, count) for part in turned], dtype=np.float64)
            aim = np.where(np.bincount(of, deep, count) < 1e-9, (tip - root) / size, aim)
            aim /= np.maximum(np.sqrt(dot(aim, aim)), 1e-9)
            tip = root + size * aim
        line[:, at[0], at[1]] = aim
        end[:, at[0], at[1]] = tip

    def _touched(self, end: Array, rooms: Array, solids: Index) -> tuple[Index, Index, Index]:
        """The frames, capsules among `solids` and chains where `end` (3, n, C) is too near; in single precision, generously."""
        frames, chains = end.shape[1:]
        points = np.ones((frames, 5, chains), dtype=np.float32)
        points[:, :3] = end.transpose(1, 0, 2)
        points[:, 4] = dot(end, end)
        matrix = self.quick[:, solids].swapaxes(1, 2).reshape(frames, -1, 5)
        # A BLAS may touch numbers beside these few and raise a flag for them; the product itself is sound.
        with np.errstate(invalid="ignore", over="ignore"):
            product = matrix @ points
        away, share = product[:, : len(solids)], product[:, len(solids) :]
        inner = np.maximum(share, np.float32(0.0))
        np.minimum(inner, np.float32(1.0), out=inner)
        share += share
        share -= inner
        share *= inner
        share *= self.square[:, solids, None].astype(np.float32)
        away -= share
        hit = np.nonzero(away < ((rooms[solids] + 1e-4) ** 2).astype(np.float32))
        return hit[0], hit[1], hit[2]


def _above(
    start: Array, line: Array, end: Array, long: Array, up: Array, over: Array, outward: Array, thick: Array
) -> None:
    """Turns bones whose ends (3, n, C) are nearer to the floor than they are `thick` (C,) about their roots, until they lie on it."""
    low = over + dot(end, up) < thick
    if not low.any():
        return
    frames, chains = np.nonzero(low)
    ups, size = up[:, frames, 0], long[chains]
    rise = np.clip((thick[chains] - over[frames, 0] - dot(start[:, frames, chains], ups)) / size, -1.0, 1.0)
    own = line[:, frames, chains] + ASIDE * outward[:, 0, chains]
    flat = own - dot(own, ups) * ups
    flat /= np.maximum(np.sqrt(dot(flat, flat)), 1e-9)
    aim = rise * ups + np.sqrt(1.0 - rise * rise) * flat
    line[:, frames, chains] = aim
    end[:, frames, chains] = start[:, frames, chains] + size * aim


def obstacles_of(
    strands: Strands, fps: float, turns: Array, places: Array, place_of: Index, floor_m: float | None = None
) -> Obstacles | None:
    """What is in the way of `strands` over a motion with the world transforms `turns` (F, n, 4) and `places` (F, n, 3).

    `place_of` (J,) says where among the n each joint that matters stands; `floor_m` is the height of the floor, if it is known.

    Chains that cannot reach anything in any frame are left alone; None if there are no others.
    """
    solids = strands.solids
    if solids is None:
        return None
    carried = place_of[solids.joints]
    ends = places[:, carried] + quat.rotate(turns[:, carried], solids.offsets)
    floor = None
    if floor_m is not None:
        floor = np.full(len(places), floor_m)
    elif len(solids.stands):
        lowest = (places[:, place_of[solids.stands], 1] - solids.soles).min(axis=1)
        # Where the body itself is lower, down some steps, so is the floor.
        floor = np.minimum(lowest, np.percentile(lowest, STANDING))
    holders, of = np.unique(strands.holders, return_inverse=True)
    held = place_of[np.maximum(holders, 0)]
    own_turns = np.where(holders[:, None] >= 0, turns[:, held], quat.IDENTITY)
    own_places = np.where(holders[:, None] >= 0, places[:, held], 0.0)
    levels = []
    for holder in range(len(holders)):
        far = axis_distances(own_places[:, holder, None], ends[:, :, 0], ends[:, :, 1])[0].min(axis=0)
        over = np.inf if floor is None else float((own_places[:, holder, 1] - floor).min())
        chains = [c for c in np.flatnonzero(of == holder).tolist() if _reaches(strands, c, far, over)]
        if chains:
            levels.append(_levels(strands, holder, chains))
    if not levels:
        return None
    return Obstacles(fps, own_turns, own_places, ends, floor, strands.lengths, solids.outside, tuple(levels))


def _root(strands: Strands, chain: int) -> Array:
    """(3,) where a chain begins, in its holder's frame."""
    first = int(strands.firsts[chain])
    return np.asarray(strands.ends[first] - strands.lengths[first] * strands.directions[first])


def _reaches(strands: Strands, chain: int, far: Array, over: float) -> bool:
    reach = float(np.linalg.norm(_root(strands, chain)) + strands.totals[chain])
    room = strands.rooms[strands.bones(chain)].max(axis=0, initial=0.0)
    return bool((far < reach + room).any()) or over < reach + float(strands.thick[strands.bones(chain)].max())


def _levels(strands: Strands, holder: int, chains: list[int]) -> Levels:
    chains = sorted(chains, key=lambda c: -int(strands.counts[c]))
    roots = np.array([_root(strands, c) for c in chains])
    arcs = np.linalg.norm(roots, axis=1)
    bones, reach, rooms, thick = [], [], [], []
    for level in range(int(strands.counts[chains[0]])):
        own = np.array([strands.firsts[c] + level for c in chains if strands.counts[c] > level], dtype=np.intp)
        arcs = arcs[: len(own)] + strands.lengths[own]
        bones.append(own)
        reach.append(float(arcs.max()))
        rooms.append(np.ascontiguousarray(strands.rooms[own].T))
        thick.append(strands.thick[own])
    back = quat.inverse(strands.holder_rests[chains])
    outward = quat.rotate(back, strands.outward[chains])
    return Levels(holder, tuple(bones), roots.T[:, None], tuple(reach), tuple(rooms), outward.T[:, None], tuple(thick))
