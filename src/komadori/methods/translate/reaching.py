"""Reaching: legs bent so that their hooves are where they belong, every joint within its range and no faster than it may."""

from __future__ import annotations

import cmath
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.translate import numbers
from komadori.methods.translate.anatomy import Legs, bend_angles, thigh_angles
from komadori.methods.translate.numbers import Three
from komadori.methods.translate.turning import about, applied, back, crossed, lengths, product, unit
from komadori.quat import Array

GIVE = 0.98
"""Share of its greatest length to which a standing leg stretches before the body sinks instead."""
STANDING = 1.13
"""A standing leg may turn its joints this much faster than one in the air: it has no time to catch up."""
EASE = 0.015
"""Share of a leg within which it comes to the ends of its range."""
DEEPEST = 0.35
"""Share of a leg by which a body sinks at most."""
_SOLVES = 2
_TINY = 1e-4
_ASIDE = np.array([1.0, 0.0, 0.0])


def sinking(build: Legs, top: Array, hoof: Array, asked: Array, urgent: Array, grounded: Array) -> tuple[Array, Array]:
    """(n,) metres by which the body must sink so that every leg reaches its hoof without being stretched, and by which it may at most.

    `top` (n, L, 3): where the legs begin; `asked` (n, L, 3): where hooves stand, or will, and `urgent` (n, L) how much each counts, so that nothing
    jolts. The body may sink until a leg over its place on the ground, `grounded` (n, L, 3), cannot fold any more.
    """
    ankle = top + applied(hoof, build.sole)
    away = ankle - asked
    longest = GIVE * build.longest
    room = np.sqrt(np.maximum(longest**2 - away[..., 0] ** 2 - away[..., 2] ** 2, (0.3 * longest) ** 2))
    # Softly: the body begins to sink a little before it must.
    soft = 0.015 * longest
    sink = soft * np.logaddexp(0.0, np.minimum((away[..., 1] - room) / soft, 50.0))
    need = np.minimum((sink * urgent).max(axis=1), DEEPEST * build.longest.max())
    away = ankle - grounded
    folded = np.sqrt(np.maximum(build.shortest**2 - away[..., 0] ** 2 - away[..., 2] ** 2, 0.0))
    return need, (away[..., 1] - folded).min(axis=1)


def calmed(
    made: Array, flies: NDArray[np.bool_], before: Array | None, most: float, build: Legs | None = None
) -> tuple[Array, NDArray[np.bool_]]:
    """`made` (n, L, m, 4) with no joint that turns by more than `most` a frame, and (n, L) which legs are behind for it.

    On the way there the thighs of `build` stay in their range.

    A leg in the air catches up before it lands. One that stands hardly ever has to be held back: where the body is thrown about.
    """
    if before is not None and len(made) == 1:
        return _one_calmed(made, flies, before, most, build)
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
                now = quat.slerp(made[frame - 1, leg], made[frame, leg], limit[frame, leg] / step)
                made[frame, leg] = now if build is None else _held(build, leg, now)
                behind[frame, leg] = True
            frame += 1
    return made[1:], behind[1:]


def _held(build: Legs, leg: int, local: Array) -> Array:
    """One leg's rotations (m, 4) with its thigh in range: half way from one pose to another it may be swung out."""
    start = build.rest[leg]
    for k in range(build.first):
        start = product(start, local[k])
    thigh = applied(product(start, local[build.first]), build.offsets[leg, build.first + 1])
    angles = thigh_angles(thigh)
    held = np.minimum(np.maximum(angles, build.least[leg]), build.most[leg])
    if (held == angles).all():
        return local
    result = np.array(local)
    turn = product(back(start), product(_shortest(thigh, _pointing(held)), start))
    result[build.first] = product(turn, local[build.first])
    return result


def _one_calmed(
    made: Array, flies: NDArray[np.bool_], before: Array, most: float, build: Legs | None
) -> tuple[Array, NDArray[np.bool_]]:
    """Like `calmed` for one frame: the same, in few calls."""
    steps = quat.angle(product(back(before), made[0])).max(axis=1)
    limit = np.where(flies[0], most, STANDING * most)
    late = steps > limit
    for leg in np.flatnonzero(late).tolist():
        now = quat.slerp(before[leg], made[0, leg], limit[leg] / steps[leg])
        made[0, leg] = now if build is None else _held(build, leg, now)
    return made, late[None]


def tops(build: Legs, local: Array, anchor_turn: Array, anchor: Array) -> tuple[Array, Array]:
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
    trunk: Array,
    above: Array,
    top: Array,
    goals: Array,
    hoof: Array,
    flies: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """(n, L, m, 4) local rotations of the legs with their soles at `goals` (n, L, 3) and hooves turned by `hoof` (n, L, 4).

    And (n, L, 3) what is missing from where they end to where they belong: no bend and no thigh leaves its range. `trunk` (n, L, 4): how that turns which the legs hang on;
    `above` (n, L, 4) and `top` (n, L, 3): see `tops`.

    All bends share what is missing in length, each within its range; then the leg points at its place.
    """
    count = build.paths.shape[1]
    away = goals - applied(hoof, build.sole) - top
    # From here on seen from the trunk, where the ranges are known.
    homeward = product(build.rest, back(trunk))
    ankle = applied(homeward, away)
    first = build.first
    chain = [start := product(homeward, above)]
    for k in range(first, count - 1):
        chain.append(product(chain[-1], local[:, :, k]))
    turns = np.concatenate([turn[:, :, None] for turn in chain[1:]], axis=2)
    bones = applied(turns, build.offsets[:, first + 1 :])
    # A hoof goes no nearer and no farther than the leg can fold and stretch.
    far = np.maximum(lengths(ankle), 1e-9)
    ease = EASE * build.longest
    near = ease * np.logaddexp(far / ease, build.shortest / ease)
    wanted = -ease * np.logaddexp(-near / ease, -np.where(flies, GIVE, 1.0) * build.longest / ease)
    bent, now = _bent(build, bones, wanted)
    bend = about(_ASIDE, -bent)
    lower_turns = product(bend, turns[:, :, 1:])
    rest = applied(bend, bones[:, :, 1:]).sum(axis=2)
    goal = np.where(flies[..., None], ankle * (wanted / far)[..., None], ankle)
    upper, lower = _aimed(build, bones[:, :, 0], rest, goal, now)
    worlds = np.concatenate(
        [start[:, :, None], product(upper, turns[:, :, 0])[:, :, None], product(lower[:, :, None], lower_turns)], axis=2
    )
    result = np.array(local)
    result[:, :, first : count - 1] = product(back(worlds[:, :, :-1]), worlds[:, :, 1:])
    before, end = worlds[:, :, -1], applied(upper, bones[:, :, 0]) + applied(lower, rest)
    inner = slice(first + 1, count - 1)
    # Seen from the trunk's side a leg that is set out sideways looks more or less bent than it is: the joints themselves say how much.
    bent = bend_angles(result[:, :, inner], build.offsets[:, first + 1 :], build.hinges)
    held = np.minimum(np.maximum(bent, build.low), build.high)
    if (np.abs(held - bent) > _TINY).any():
        result[:, :, inner] = product(about(build.hinges, bent - held), result[:, :, inner])
        before, end = start, np.zeros_like(end)
        for k in range(first, count - 1):
            before = product(before, result[:, :, k])
            end = end + applied(before, build.offsets[:, k + 1])
    result[:, :, count - 1] = product(back(before), product(homeward, hoof))
    return result, applied(back(homeward), ankle - end)


def _aimed(build: Legs, first: Array, second: Array, goal: Array, bends: Array) -> tuple[Array, Array]:
    """Turns of a leg's first bone and of all the rest (..., 4), after which their sum is at `goal` (..., 3), or as near as ranges allow.

    A leg is never quite straight here, so its own plane says how it bends. `bends` (..., b): how it is bent now.
    """
    if len(first) == 1:
        return _one_aimed(build, first[0].tolist(), second[0].tolist(), goal[0].tolist(), bends[0, :, 0].tolist())
    square = crossed(first, second)
    axis = square / np.maximum(lengths(square), 1e-12)[..., None]
    a, b = lengths(first), lengths(second)
    cosine = ((goal * goal).sum(axis=-1) - a * a - b * b) / np.maximum(2.0 * a * b, 1e-12)
    now = np.arctan2(lengths(square), (first * second).sum(axis=-1))
    more = np.arccos(np.minimum(np.maximum(cosine, -1.0), 1.0)) - now
    # Forward about the leg's own axis is backward about the body's, or the other way round.
    way = np.where(axis[..., 0] > 0.0, -1.0, 1.0)
    knee = bends[..., 0]
    more = way * (np.minimum(np.maximum(knee + way * more, build.low[:, 0]), build.high[:, 0]) - knee)
    bend = about(axis, more)
    reach = first + applied(bend, second)
    swing = _shortest(reach, goal)
    thigh = applied(swing, first)
    angles = thigh_angles(thigh)
    held = np.minimum(np.maximum(angles, build.least), build.most)
    if (held != angles).any():
        swing = product(_shortest(thigh, _pointing(held)), swing)
    return swing, product(swing, bend)


def _one_aimed(
    build: Legs, first: list[Three], second: list[Three], goal: list[Three], knees: list[float]
) -> tuple[Array, Array]:
    """Like `_aimed` for one frame."""
    limits = zip(
        build.low[:, 0].tolist(), build.high[:, 0].tolist(), build.least.tolist(), build.most.tolist(), strict=True
    )
    swings, lowers = [], []
    for one, other, place, knee, (low, high, least, most) in zip(first, second, goal, knees, limits, strict=True):
        square = numbers.crossed(one, other)
        size, a, b = (math.hypot(*v) for v in (square, one, other))
        cosine = (numbers.dot(place, place) - a * a - b * b) / max(2.0 * a * b, 1e-12)
        more = math.acos(min(max(cosine, -1.0), 1.0)) - math.atan2(size, numbers.dot(one, other))
        axis = [value / max(size, 1e-12) for value in square]
        way = -1.0 if axis[0] > 0.0 else 1.0
        more = way * (min(max(knee + way * more, low), high) - knee)
        bend = numbers.about(axis, more)
        swing = numbers.shortest([v + w for v, w in zip(one, numbers.applied(bend, other), strict=True)], place)
        x, y, z = thigh = numbers.applied(swing, one)
        ahead, aside = math.atan2(z, -y), math.atan2(x, math.hypot(z, y))
        held = min(max(ahead, least[0]), most[0]), min(max(aside, least[1]), most[1])
        if held != (ahead, aside):
            flat = math.cos(held[1])
            aim = [math.sin(held[1]), -flat * math.cos(held[0]), flat * math.sin(held[0])]
            swing = numbers.product(numbers.shortest(thigh, aim), swing)
        swings.append(swing)
        lowers.append(numbers.product(swing, bend))
    return np.array([swings]), np.array([lowers])


def _pointing(angles: Array) -> Array:
    """(..., 3) the directions of which `thigh_angles` are `angles` (..., 2)."""
    ahead, aside = angles[..., 0], angles[..., 1]
    flat = np.cos(aside)
    return np.stack([np.sin(aside), -flat * np.cos(ahead), flat * np.sin(ahead)], axis=-1)


def _shortest(a: Array, b: Array) -> Array:
    """The shortest rotation (..., 4) from the direction of `a` to that of `b` (..., 3); the two are never opposite."""
    both = lengths(a) * lengths(b)
    return unit(np.concatenate([crossed(a, b), (both + (a * b).sum(axis=-1))[..., None]], axis=-1))


def _bent(build: Legs, bones: Array, wanted: Array) -> tuple[Array, Array]:
    """(n, L, b) radians by which each bone after the first turns, as seen from the side, so that the leg is `wanted` long; and its bends then."""
    if len(bones) == 1:
        return _one_bent(build, bones[0].tolist(), wanted[0].tolist())
    flat = np.hypot(bones[..., 2], bones[..., 1])
    angle = np.arctan2(bones[..., 2], -bones[..., 1])
    bend = (angle[..., 1:] - angle[..., :-1] + np.pi) % (2.0 * np.pi) - np.pi
    # What stands out to the side does not change: take it from the length.
    aside = bones[..., 0].sum(axis=-1)
    wanted = np.sqrt(np.maximum(wanted**2 - aside**2, 1e-12))
    more = np.zeros(wanted.shape)
    low, high = build.low, build.high
    steepest = -0.05 * build.longest
    # Bones are complex numbers here, down and forward: a bend turns all bones after it.
    start = angle[..., :1]
    for _ in range(_SOLVES):
        now = np.minimum(np.maximum(bend + more[..., None] * build.share, low), high)
        free = np.where((now > low) & (now < high), build.share, 0.0)
        lower = flat[..., 1:] * np.exp(1j * (start + now.cumsum(axis=-1)))
        whole = lower.sum(axis=-1) + flat[..., 0] * np.exp(1j * start[..., 0])
        length = np.abs(whole)
        slope = -((lower * free.cumsum(axis=-1)).sum(axis=-1) * whole.conj()).imag / length
        step = (wanted - length) / np.minimum(slope, steepest)
        more = more + np.minimum(np.maximum(step, -0.4), 0.4)
    now = np.minimum(np.maximum(bend + more[..., None] * build.share, low), high)
    return np.cumsum(now - bend, axis=-1), now


def _one_bent(build: Legs, bones: list[list[list[float]]], wanted: list[float]) -> tuple[Array, Array]:
    """Like `_bent` for one frame: a handful of numbers, for which plain ones are quicker than arrays."""
    turned, made = [], []
    for leg, (low, high, share) in enumerate(
        zip(build.low.tolist(), build.high.tolist(), build.share.tolist(), strict=True)
    ):
        own = bones[leg]
        flat = [math.hypot(z, y) for _, y, z in own]
        angle = [math.atan2(z, -y) for _, y, z in own]
        bend = [(b - a + math.pi) % (2.0 * math.pi) - math.pi for a, b in itertools.pairwise(angle)]
        aside = sum(x for x, _, _ in own)
        far = math.sqrt(max(wanted[leg] ** 2 - aside**2, 1e-12))
        first, steepest, more = cmath.rect(flat[0], angle[0]), -0.05 * float(build.longest[leg]), 0.0
        for _ in range(_SOLVES):
            whole, slope, at, free = first, 0j, angle[0], 0.0
            for k, value in enumerate(bend):
                now = min(max(value + more * share[k], low[k]), high[k])
                at += now
                free += share[k] if low[k] < now < high[k] else 0.0
                lower = cmath.rect(flat[k + 1], at)
                whole += lower
                slope += lower * free
            length = abs(whole)
            step = (far - length) / min(-(slope * whole.conjugate()).imag / length, steepest)
            more += min(max(step, -0.4), 0.4)
        final = [min(max(value + more * share[k], low[k]), high[k]) for k, value in enumerate(bend)]
        made.append(final)
        turned.append(list(itertools.accumulate(now - value for now, value in zip(final, bend, strict=True))))
    return np.array([turned]), np.array([made])
