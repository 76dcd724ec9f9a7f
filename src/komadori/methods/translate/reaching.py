"""Reaching: legs bent so that their hooves are where they belong, every joint within its range and no faster than it may."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.translate.anatomy import Legs
from komadori.methods.translate.turning import about, applied, back, crossed, lengths, product, unit
from komadori.quat import Array

GIVE = 0.98
"""Share of its greatest length to which a standing leg stretches before the body sinks instead."""
STANDING = 1.1
"""A standing leg may turn its joints this much faster than one in the air: it has no time to catch up."""
EASE = 0.015
"""Share of a leg within which it comes to the ends of its range."""
DEEPEST = 0.2
"""Share of a leg by which a body sinks at most."""
_SOLVES = 5


def need(
    build: Legs, local: Array, anchor_turn: Array, anchor: Array, goals: Array, hoof: Array, stands: Array
) -> Array:
    """(n,) metres by which the body must sink so that every standing leg reaches its hoof without being stretched.

    `stands` (n, L): how much a hoof asks for that, less and less while it leaves or comes down, so that nothing jolts.
    """
    joint = _tops(build, local, anchor_turn, anchor)[1]
    ankle = goals - applied(hoof, build.sole)
    away = joint - ankle
    longest = GIVE * build.longest
    room = np.sqrt(np.maximum(longest**2 - away[..., 0] ** 2 - away[..., 2] ** 2, (0.3 * longest) ** 2))
    over = away[..., 1] - room
    # Softly: the body begins to sink a little before it must.
    soft = 0.015 * longest
    sink = soft * np.logaddexp(0.0, np.clip(over / soft, -50.0, 50.0))
    return np.asarray(np.minimum((sink * stands).max(axis=1), DEEPEST * build.longest.max()))


def calmed(made: Array, flies: NDArray[np.bool_], before: Array | None, most: float) -> tuple[Array, NDArray[np.bool_]]:
    """`made` (n, L, m, 4) with no joint that turns by more than `most` a frame, and (n, L) which legs are behind for it.

    A leg in the air catches up before it lands. One that stands hardly ever has to be held back: where the body is thrown about.
    """
    first = made[:1] if before is None else before[None]
    made = np.concatenate([first, made])
    limits = np.concatenate([flies[:1], flies])
    limit = np.where(limits, most, STANDING * most)
    behind = np.zeros(made.shape[:2], dtype=bool)
    steps = quat.angle(product(back(made[:-1]), made[1:])).max(axis=2)
    wild = steps > limit[1:]
    for leg in np.flatnonzero(wild.any(axis=0)).tolist():
        late = False
        starts = np.flatnonzero(wild[:, leg]) + 1
        frame = int(starts[0])
        while frame < len(made):
            if not late:
                # Nothing to catch up with until the next step that is too large.
                coming = starts[np.searchsorted(starts, frame) :]
                if not len(coming):
                    break
                frame = int(coming[0])
            step = float(quat.angle(product(back(made[frame - 1, leg]), made[frame, leg])).max())
            late = step > limit[frame, leg]
            if late:
                made[frame, leg] = quat.slerp(made[frame - 1, leg], made[frame, leg], limit[frame, leg] / step)
                behind[frame, leg] = True
            frame += 1
    return made[1:], behind[1:]


def _tops(build: Legs, local: Array, anchor_turn: Array, anchor: Array) -> tuple[Array, Array]:
    """World rotation (n, L, 4) of what the first solved joint hangs on, and that joint's place (n, L, 3)."""
    turn, place = anchor_turn, anchor
    for k in range(build.first + 1):
        place = place + applied(turn, build.offsets[:, k])
        if k < build.first:
            turn = product(turn, local[:, :, k])
    return turn, place


def solved(
    build: Legs,
    local: Array,
    anchor_turn: Array,
    anchor: Array,
    goals: Array,
    hoof: Array,
    flies: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """(n, L, m, 4) local rotations of the legs with their soles at `goals` (n, L, 3) and hooves turned by `hoof` (n, L, 4).

    And (n, L) metres by which they miss them.

    All bends share what is missing in length, each within its range; then the leg points at its place.
    """
    above, top = _tops(build, local, anchor_turn, anchor)
    count = build.paths.shape[1]
    turns, bones = [], []
    turn = above
    for k in range(build.first, count - 1):
        turn = product(turn, local[:, :, k])
        turns.append(turn)
        bones.append(applied(turn, build.offsets[:, k + 1]))
    ankle = goals - applied(hoof, build.sole)
    # A hoof in the air goes no nearer and no farther than the leg can fold and stretch; one that stands must be reached.
    away = ankle - top
    far = np.maximum(lengths(away), 1e-9)
    ease = EASE * build.longest
    near = ease * np.logaddexp(far / ease, (build.shortest + ease) / ease)
    within = -ease * np.logaddexp(-near / ease, -(GIVE * build.longest) / ease)
    ankle = np.where(flies[..., None], top + away * (within / far)[..., None], ankle)
    bent = _bent(build, np.stack(bones, axis=2), lengths(ankle - top))
    axis = np.array([1.0, 0.0, 0.0])
    for k in range(1, len(bones)):
        bend = about(axis, -bent[:, :, k - 1])
        turns[k], bones[k] = product(bend, turns[k]), applied(bend, bones[k])
    knee = top + bones[0]
    end = knee + sum(bones[1:], np.zeros_like(knee))
    upper, lower = _aimed(bones[0], end - knee, ankle - top)
    result = np.array(local)
    before = above
    for k in range(build.first, count - 1):
        n = k - build.first
        world = product(upper if n == 0 else lower, turns[n])
        result[:, :, k] = product(back(before), world)
        before = world
    result[:, :, count - 1] = product(back(before), hoof)
    reached = top + applied(upper, bones[0]) + applied(lower, end - knee)
    return result, lengths(reached - ankle)


def _aimed(first: Array, second: Array, goal: Array) -> tuple[Array, Array]:
    """Turns of a leg's first bone and of all the rest (..., 4), after which their sum is `goal` (..., 3), or points at it.

    A leg is never quite straight here, so its own plane says how it bends.
    """
    square = crossed(first, second)
    axis = square / np.maximum(lengths(square), 1e-12)[..., None]
    a, b = lengths(first), lengths(second)
    cosine = ((goal * goal).sum(axis=-1) - a * a - b * b) / np.maximum(2.0 * a * b, 1e-12)
    now = np.arctan2(lengths(square), (first * second).sum(axis=-1))
    bend = about(axis, np.arccos(np.minimum(np.maximum(cosine, -1.0), 1.0)) - now)
    reach = first + applied(bend, second)
    both = lengths(reach) * lengths(goal)
    # The shortest turn from where the leg points to where it should; the two are never opposite.
    swing = np.concatenate([crossed(reach, goal), (both + (reach * goal).sum(axis=-1))[..., None]], axis=-1)
    swing = unit(swing)
    return swing, product(swing, bend)


def _bent(build: Legs, bones: Array, wanted: Array) -> Array:
    """(n, L, b) radians by which each bone after the first turns, as seen from the side, so that the leg is `wanted` long."""
    flat = np.hypot(bones[..., 2], bones[..., 1])
    angle = np.arctan2(bones[..., 2], -bones[..., 1])
    bend = np.mod(np.diff(angle, axis=-1) + np.pi, 2.0 * np.pi) - np.pi
    # What stands out to the side does not change: take it from the length.
    aside = bones[..., 0].sum(axis=-1)
    wanted = np.sqrt(np.maximum(wanted**2 - aside**2, 1e-12))
    more = np.zeros(wanted.shape)
    low, high = build.low - 1e-9, build.high + 1e-9
    # A pose of the gait may itself lie a little outside the range: it is not pulled in at once.
    low, high = np.minimum(low, bend), np.maximum(high, bend)
    steepest = -0.05 * build.longest
    for _ in range(_SOLVES):
        now = np.minimum(np.maximum(bend + more[..., None] * build.share, low), high)
        total = np.concatenate([angle[..., :1], angle[..., :1] + np.cumsum(now, axis=-1)], axis=-1)
        y, z = (flat * np.cos(total)).sum(axis=-1), (flat * np.sin(total)).sum(axis=-1)
        length = np.hypot(y, z)
        # How the length changes with the common bend: every bone turns with all bends before it.
        free = np.where((now > low) & (now < high), build.share, 0.0)
        rate = np.concatenate([np.zeros((*more.shape, 1)), np.cumsum(free, axis=-1)], axis=-1)
        slope = (
            (-flat * np.sin(total) * rate).sum(axis=-1) * y + (flat * np.cos(total) * rate).sum(axis=-1) * z
        ) / length
        more = more + np.minimum(np.maximum((wanted - length) / np.minimum(slope, steepest), -0.4), 0.4)
    now = np.clip(bend + more[..., None] * build.share, low, high)
    return np.asarray(np.cumsum(now - bend, axis=-1))
