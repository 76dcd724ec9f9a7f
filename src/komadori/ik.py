"""Inverse kinematics of a chain of any length by damped least squares: many frames at once, arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.quat import Array

CLOSE_M = 2e-6
"""A chain whose end is this near to its target has arrived."""
_STEPS = 160
_LARGEST_TURN = 0.4
"""Radians that a joint may turn in one step: a larger one would leave the range in which the linearisation holds."""
_DAMPING = 0.02
_NUDGE = 0.05
_AT_MOST = 1.0 - 1e-7
"""Share of its length to which a chain is stretched at most: a perfectly straight chain no longer knows which way to bend."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Bones from a base to an end, in F poses.

    `base` (F, 3) is where the first joint is and `base_turn` (F, 4) its parent's world rotation; `bones` (F, k, 3) lead
    from each joint to the next in its own frame, the last one to the end.
    """

    base: Array
    base_turn: Array
    bones: Array

    @property
    def lengths(self) -> Array:
        """(F, k) metres."""
        return np.asarray(np.linalg.norm(self.bones, axis=-1))

    def forward(self, rotations: Array) -> tuple[Array, Array]:
        """World rotations of each joint's parent (F, k, 4) and positions (F, k + 1, 3), from local rotations (F, k, 4)."""
        frames, count = rotations.shape[:2]
        parents, places = np.empty((frames, count, 4)), np.empty((frames, count + 1, 3))
        turn, place = self.base_turn, self.base
        places[:, 0] = place
        for joint in range(count):
            parents[:, joint] = turn
            turn = quat.multiply(turn, rotations[:, joint])
            place = place + quat.rotate(turn, self.bones[:, joint])
            places[:, joint + 1] = place
        return parents, places

    def taken(self, frames: NDArray[np.intp]) -> Chain:
        """The chain in some of the frames."""
        return Chain(self.base[frames], self.base_turn[frames], self.bones[frames])


def within_reach(chain: Chain, target: Array) -> Array:
    """`target` (F, 3), drawn onto the nearest place that the chain's end can come to."""
    lengths = chain.lengths
    total = lengths.sum(axis=1)
    least = np.maximum(2.0 * lengths.max(axis=1) - total, 0.0)
    line = target - chain.base
    far = np.linalg.norm(line, axis=1)
    reach = np.clip(far, np.minimum(least * (2.0 - _AT_MOST), total), total * _AT_MOST)
    # A target in the base itself gives no direction; the bones' own will do.
    way = np.where(far[:, None] > 1e-12, line, np.array([0.0, -1.0, 0.0]))
    return np.asarray(chain.base + way * (reach / np.where(far > 1e-12, far, 1.0))[:, None])


def pulled(
    chain: Chain,
    rotations: Array,
    target: Array,
    *,
    stiffness: Array | None = None,
    rest: Array | None = None,
    limits: Array | None = None,
) -> tuple[Array, Array]:
    """Local rotations (F, k, 4) near the given ones that bring the chain's end to `target` (F, 3); and the misses (F,).

    Every step is the least turn that serves (damped least squares), so a pose that is nearly right stays nearly as it was.
    There is no state: the result depends on `rotations` and `target` alone. A target out of reach is pointed at.
    `stiffness` (k,) makes joints reluctant (1 for all if not given); `limits` (k,) in radians bound how far a joint
    may turn from `rest` (k, 4).
    """
    goal = within_reach(chain, target)
    ease = np.ones(rotations.shape[1]) if stiffness is None else 1.0 / np.maximum(stiffness, 1e-6)
    best = _limited(np.array(rotations, dtype=np.float64), rest, limits)
    current = best.copy()
    misses = np.full(len(best), np.inf)
    active = np.arange(len(best))
    size = np.maximum(chain.lengths.sum(axis=1), 1e-12)
    for step in range(_STEPS):
        part = chain.taken(active)
        parents, places = part.forward(current[active])
        error = goal[active] - places[:, -1]
        miss = np.linalg.norm(error, axis=1)
        better = miss < misses[active]
        best[active[better]] = current[active[better]]
        misses[active[better]] = miss[better]
        keep = miss > CLOSE_M * np.minimum(1.0, size[active])
        if not keep.any():
            break
        active, parents, places = active[keep], parents[keep], places[keep]
        turn = _step(places, error[keep], size[active], ease, step)
        local = quat.rotate(quat.inverse(parents), turn)
        moved = quat.multiply(quat.exp(local), current[active])
        current[active] = _limited(quat.normalized(moved), rest, limits)
    _, places = chain.forward(best)
    return best, np.asarray(np.linalg.norm(target - places[:, -1], axis=1))


def _step(places: Array, error: Array, size: Array, ease: Array, step: int) -> Array:
    """World rotations (F, k, 3) of the joints that move the end by nearly `error`."""
    levers = places[:, -1:] - places[:, :-1]
    weighted = ease[:, None] * levers
    squares = np.einsum("fki,fki->f", weighted, levers)
    matrix = -np.einsum("fki,fkj->fij", weighted, levers)
    miss2 = np.einsum("fi,fi->f", error, error)
    damping = squares + _DAMPING * miss2 + 1e-9 * size * size
    matrix[:, [0, 1, 2], [0, 1, 2]] += damping[:, None]
    pull = np.linalg.solve(matrix, error[..., None])[..., 0]
    turn = quat.cross(weighted, pull[:, None])
    angle = np.sqrt(np.einsum("fki,fki->fk", turn, turn))
    stuck = angle.max(axis=1) * size < 1e-3 * np.sqrt(miss2)
    turn *= np.minimum(1.0, _LARGEST_TURN / np.maximum(angle.max(axis=1), 1e-12))[:, None, None]
    if stuck.any():
        # A straight chain pulled along itself: no turn helps until it is bent a little, to whichever side.
        along = levers[stuck, 0]
        axis = quat.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
        axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-12)
        sign = np.where(np.arange(turn.shape[1]) % 2, -2.0, 1.0)[:, None]
        turn[stuck] += _NUDGE * (1 + step % 3) * sign * axis[:, None]
    return np.asarray(turn)


def _limited(rotations: Array, rest: Array | None, limits: Array | None) -> Array:
    if limits is None:
        return rotations
    home = quat.identity(rotations.shape[1]) if rest is None else rest
    away = quat.log(quat.multiply(quat.inverse(home), rotations))
    angle = np.linalg.norm(away, axis=-1)
    share = np.minimum(1.0, limits / np.maximum(angle, 1e-12))
    return quat.multiply(home, quat.exp(away * share[..., None]))
