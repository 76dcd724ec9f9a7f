"""Posing: the animal's joints from what acting says: the gait's own pose, the person's manner, and legs that reach their hooves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.translate import numbers
from komadori.methods.translate.acting import ON, Beats
from komadori.methods.translate.anatomy import Joints
from komadori.methods.translate.cycles import PHASES, PLACES
from komadori.methods.translate.manner import AS
from komadori.methods.translate.numbers import Four, Three
from komadori.methods.translate.poser import Poser, angles_of
from komadori.methods.translate.reaching import calmed, sinking, solved, tops
from komadori.methods.translate.turning import about, applied, back, lengths, product, spun, unit
from komadori.quat import Array

RECOVERS_S = 1.2
"""A body that sank comes up again within about this time: over steps, not within one, so that it does not bob."""
TUCK = (0.35, -0.2)
"""Units up and forward by which fore hooves are tucked, for each radian of rearing."""
SINKS = 1.0
"""Units per second by which the body sinks at most."""
TUCKED = 0.55
"""How much of the gait's own tuck the hoof of a flying leg shows: all of it would need the height that the lift is for."""
CURVE = 0.06
"""Radians of lean into a curve for each unit a second and radian a second."""
FASTEST = np.radians(22.0)
"""A leg in the air turns its joints by at most so much in a thirtieth of a second."""
_MISSED = 0.004
"""A hoof that is farther from its place, in units of the animal, does not stand."""
_EASED = 0.5 / math.tanh(1.2)
GIVES, GIVE_S = 3.0, 0.15
"""Units per second by which a body gives way at most to a standing hoof that would be missed, and the time in which it comes back."""
_GIVEN, _GIVES = 2e-3, 6
LATE_S = 0.1
"""A leg that is thrown about may set its hoof down so much later than planned."""
_FLAT = np.array([1.0, 0.0, 1.0])
_NO_FRAMES: Joints = np.zeros(0, dtype=np.intp)
_UP, _LEFT = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class OwnPose:
    """A pose that was made elsewhere, in place of a gait's: local rotations (n, J, 4) of the body, and what `based` gives: those of the legs' joints
    (n, L, m, 4), and the hooves' rotations (n, L, 4) in the body's frame.
    """

    body: Array
    legs: Array
    hooves: Array


@dataclass(slots=True)
class Memory:
    """The state kept from the previous frame: how deep the body sank, in metres, and how the legs were turned."""

    depth: float = 0.0
    legs: Array | None = None
    hooves: Array | None = None
    trunk: Array | None = None
    flew: NDArray[np.bool_] | None = None
    """(4,) which hooves flew."""
    beside: Array = field(default_factory=lambda: np.zeros((4, 3)))
    """(4, 3) metres, over the ground, from where each hoof was to land to where its leg could set it down."""
    give: Array = field(default_factory=lambda: np.zeros(3))
    coming: list[int] = field(default_factory=lambda: [-1] * 4)
    """Frames by which each hoof is late for its landing so far; -1 once it is down."""


def posed(
    p: Poser, beats: Beats, memory: Memory, own: OwnPose | None = None
) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_]]:
    """Local rotations (n, J, 4) and positions (n, J, 3) of the frames in `beats`, which hooves stand (n, 4), and which should.

    A hoof that its leg brings down a little later than planned should stand from then on. `own`: the pose to start from, if that is not the gait's.
    """
    body, size = p.body, p.body.unit_m
    frames, manner = len(beats.body), beats.manner
    rotations = _cycled(p, beats) if own is None else np.array(own.body)
    rotvecs = (angles_of(beats) @ p.weights).reshape(frames, len(p.acting), 3)
    rotations[:, p.acting] = product(spun(rotvecs), rotations[:, p.acting])
    _steady(rotations, p.trunk, FASTEST * 30.0 / p.fps, memory)
    # The body leans about its hips.
    turning, ahead = beats.body[:, ON["turning"]], beats.body[:, ON["ahead"]]
    lean = np.minimum(np.maximum(CURVE * turning * ahead, -0.2), 0.2)
    tilt = spun(
        np.stack(
            [
                manner[:, AS["pitch"]] - beats.body[:, ON["rear"]],
                manner[:, AS["yaw"]],
                manner[:, AS["roll"]] - lean,
            ],
            axis=1,
        )
    )
    roots = p.roots
    positions = np.repeat(body.positions[None], frames, axis=0)
    rotations[:, roots] = product(tilt[:, None], rotations[:, roots])
    positions[:, roots] = body.centre + applied(tilt[:, None], positions[:, roots] - body.centre)
    positions[:, roots, 1] += size * manner[:, AS["height"], None]
    positions[:, roots, 0] += size * manner[:, AS["sway"], None]
    turned, places = _line(p, rotations, positions)
    goals = goals_of(p, beats)
    most = FASTEST * 30.0 / p.fps
    legs, flies = body.legs, beats.hooves[:, :, 5] > 0.5
    local, hoof = based(p, beats, goals) if own is None else (own.legs, own.hooves)
    # The hoof is limited in the world too: some rigs have it loose from the leg.
    hoof = calmed(hoof[:, :, None], flies, memory.hooves, 0.9 * most)[0][:, :, 0]
    memory.hooves = hoof[-1, :, None]
    above, top = tops(legs, local, turned[:, legs.anchors], places[:, legs.anchors])
    asked, urgent = _asked(p, beats, goals, flies)
    grounded = np.array(goals)
    grounded[..., 1] = body.heights
    least, most_deep = sinking(legs, top, hoof, asked, urgent, grounded)
    drop = np.minimum(_sunk(least, memory, p.fps, size), most_deep)
    positions[:, roots, 1] -= drop[:, None]
    top = top - drop[:, None, None] * _UP
    trunk = turned[:, legs.anchors]

    def reached(at: Joints, shift: Array) -> tuple[Array, Array]:
        """Some frames' legs, with the body moved by `shift` (n, 3)."""
        return solved(
            legs, local[at], trunk[at], above[at], top[at] + shift[:, None], goals[at], hoof[at], flies[at]
        )  # fmt: skip

    made, missing = solved(legs, local, trunk, above, top, goals, hoof, flies)
    if (moved := _set_down(p, beats, goals, missing, flies, memory)).size:
        made[moved], missing[moved] = reached(moved, np.zeros((len(moved), 3)))
    give = _given(p, missing, flies, memory, reached)
    if (moved := np.flatnonzero(give.any(axis=1))).size:
        positions[:, roots] += give[:, None]
        made[moved], missing[moved] = reached(moved, give[moved])
    miss = lengths(missing)
    made, late = calmed(made, flies, memory.legs, most, legs)
    memory.legs = made[-1]
    real = legs.paths >= 0
    rotations[:, legs.paths[real]] = made[:, real]
    stands = ~flies & ~late & (miss < _MISSED * size)
    heading = about(_UP, beats.body[:, ON["heading"]])
    rotations[:, roots] = product(heading[:, None], rotations[:, roots])
    positions[:, roots] = applied(heading[:, None], positions[:, roots])
    positions[:, roots, 0] += size * beats.body[:, ON["x"], None]
    positions[:, roots, 2] += size * beats.body[:, ON["z"], None]
    return rotations, positions, stands, _arrived(flies, late, memory, round(LATE_S * p.fps))


def _arrived(flies: NDArray[np.bool_], late: NDArray[np.bool_], memory: Memory, most: int) -> NDArray[np.bool_]:
    """(n, 4) which hooves are down by the plan, `flies`, or come down up to `most` frames later because their legs are `late`."""
    down, coming = ~flies, memory.coming
    for frame, (up, behind) in enumerate(zip(flies.tolist(), late.tolist(), strict=True)):
        for foot in range(4):
            if up[foot]:
                coming[foot] = 0
            elif behind[foot] and 0 <= coming[foot] < most:
                coming[foot] += 1
                down[frame, foot] = False
            else:
                coming[foot] = -1
    return down


def _steady(rotations: Array, joints: Joints, most: float, memory: Memory) -> None:
    """Lets none of `joints` of back, neck and tail turn by more than `most` from one frame of `rotations` (n, J, 4) to the next: drawn tails whip faster."""
    before = rotations[0] if memory.trunk is None else memory.trunk
    every = np.concatenate([before[None], rotations])
    memory.trunk = rotations[-1]
    near = np.abs((every[1:] * every[:-1]).sum(axis=-1))[:, joints]
    slow = math.cos(0.5 * most)
    if not joints.size or near.min() >= slow:
        return
    for joint in joints[(near < slow).any(axis=0)].tolist():
        own = every[:, joint]
        for frame in range(1, len(own)):
            step = float(quat.angle(product(back(own[frame - 1]), own[frame])))
            if step > most:
                own[frame] = quat.slerp(own[frame - 1], own[frame], most / step)
        rotations[:, joint] = own[1:]


def _set_down(p: Poser, beats: Beats, goals: Array, missing: Array, flies: NDArray[np.bool_], memory: Memory) -> Joints:
    """Moves `goals` (n, 4, 3) of hooves that land where their legs do not reach to where they do; returns the frames that change.

    Such a hoof stands there for its whole stance, and goes back to the plan while it flies again. `missing` (n, 4, 3): see `solved`.
    """
    first = flies[0] if memory.flew is None else memory.flew
    before = first[None] if len(flies) == 1 else np.concatenate([first[None], flies[:-1]])
    memory.flew = flies[-1]
    lands = before & ~flies
    if not (lands.any() or memory.beside.any()):
        return _NO_FRAMES
    short = lands & (np.hypot(missing[..., 0], missing[..., 2]) > _MISSED * p.body.unit_m)
    if not (short.any() or memory.beside.any()):
        return _NO_FRAMES
    heading = about(_UP, beats.body[:, ON["heading"]])
    away = -applied(heading[:, None], missing) * _FLAT
    beside = np.zeros_like(goals)
    for foot in range(4):
        steps = [*np.flatnonzero(lands[:, foot]).tolist(), len(goals)]
        beside[: steps[0], foot] = memory.beside[foot]
        for start, stop in itertools.pairwise(steps):
            if short[start, foot]:
                beside[start:stop, foot] = away[start, foot]
    memory.beside = beside[-1]
    progress = np.minimum(beats.hooves[:, :, 4], 1.0)
    beside = beside * np.where(flies, 1.0 - progress * progress * (3.0 - 2.0 * progress), 1.0)[..., None]
    goals += applied(back(heading)[:, None], beside)
    return np.flatnonzero(beside.any(axis=(1, 2)))


def _given(
    p: Poser,
    missing: Array,
    free: NDArray[np.bool_],
    memory: Memory,
    again: Callable[[Joints, Array], tuple[Array, Array]],
) -> Array:
    """(n, 3) metres by which the body gives way to standing hooves that their legs would miss otherwise.

    `missing` (n, 4, 3): what is missing to each, of which those do not count that are `free` (n, 4); `again` solves some frames with the body moved.
    """
    size = p.body.unit_m
    wanted = np.zeros((len(missing), 3))
    for _ in range(_GIVES):
        short = np.where(free[..., None], 0.0, missing)
        off = lengths(short) > _GIVEN * size
        at = np.flatnonzero(off.any(axis=1))
        if not at.size:
            break
        wanted[at] += (short[at] * off[at, :, None]).sum(axis=1) / off[at].sum(axis=1)[:, None]
        missing = np.array(missing)
        missing[at] = again(at, wanted[at])[1]
    if not wanted.any() and not memory.give.any():
        return wanted
    most, keep = GIVES * size / p.fps, float(np.exp(-1.0 / (GIVE_S * p.fps)))
    give = memory.give
    for frame, want in enumerate(wanted):
        step = want - give if want.any() else (keep - 1.0) * give
        far = float(lengths(step))
        give = give + step * min(1.0, most / max(far, 1e-12))
        if not want.any() and float(lengths(give)) < 1e-4 * size:
            give = np.zeros(3)
        wanted[frame] = give
    memory.give = give
    return wanted


def _cycled(p: Poser, beats: Beats) -> Array:
    """(n, J, 4) the gaits' own poses at their phase, as lively as the animal moves."""
    at = beats.body[:, ON["phase"]] * PHASES
    low = np.floor(at).astype(np.intp)
    share = (at - low)[:, None, None]
    low, high = low % PHASES, (low + 1) % PHASES
    alive = beats.body[:, ON["alive"], None, None]
    total = np.zeros((len(at), len(p.body.skeleton), 4))
    for n, cycle in enumerate(p.cycles):
        weight = beats.weights[:, n, None, None]
        if not weight.any():
            continue
        moving = cycle.body[low] * (1.0 - share) + cycle.body[high] * share
        total += weight * (alive * moving + (1.0 - alive) * cycle.mean)
    return unit(total)


def _line(p: Poser, rotations: Array, positions: Array) -> tuple[Array, Array]:
    """World rotations and places, before the body is put on its way, of the joints that legs hang on; others are left at 0."""
    turned, places = np.zeros_like(rotations), np.zeros_like(positions)
    parents = p.body.skeleton.parents
    if len(rotations) == 1:
        # For a handful of joints, plain numbers are faster than arrays.
        own_q, own_p = rotations[0, p.line].tolist(), positions[0, p.line].tolist()
        world: dict[int, tuple[Four, Three]] = {}
        for q, v, joint, above in zip(own_q, own_p, p.line.tolist(), parents[p.line].tolist(), strict=True):
            world[joint] = (q, v) if above < 0 else _after(*world[above], q, v)
        turned[0, p.line] = [world[joint][0] for joint in world]
        places[0, p.line] = [world[joint][1] for joint in world]
        return turned, places
    for joint in p.line.tolist():
        above = int(parents[joint])
        if above < 0:
            turned[:, joint], places[:, joint] = rotations[:, joint], positions[:, joint]
        else:
            turned[:, joint] = product(turned[:, above], rotations[:, joint])
            places[:, joint] = places[:, above] + applied(turned[:, above], positions[:, joint])
    return turned, places


def _after(turn: Four, place: Three, q: Four, v: Three) -> tuple[Four, Three]:
    """The world's rotation and place of a joint with `q` and `v` on one that is turned by `turn` at `place`."""
    x, y, z = numbers.applied(turn, v)
    return numbers.product(turn, q), [place[0] + x, place[1] + y, place[2] + z]


def goals_of(p: Poser, beats: Beats) -> Array:
    """(n, 4, 3) where the soles are, in the body's own frame."""
    size, heading = p.body.unit_m, beats.body[:, ON["heading"], None]
    x = beats.hooves[:, :, 0] - beats.body[:, ON["x"], None]
    z = beats.hooves[:, :, 1] - beats.body[:, ON["z"], None]
    sine, cosine = np.sin(heading), np.cos(heading)
    goals = np.empty((*x.shape, 3))
    goals[..., 0] = size * (cosine * x - sine * z)
    goals[..., 1] = p.body.heights + size * beats.hooves[:, :, 3]
    goals[..., 2] = size * (sine * x + cosine * z)
    return _reared(p, beats, goals, TUCK)


def _reared(p: Poser, beats: Beats, goals: Array, tuck: tuple[float, float] = (0.0, 0.0)) -> Array:
    """`goals` (n, 4, 3), those of flying fore hooves raised with a body that rears, and `tuck` units up and forward for each radian."""
    rear = beats.body[:, ON["rear"]]
    if not rear.any():
        return goals
    flies = beats.hooves[:, 2:, 5:6] > 0.5
    away = goals[:, 2:] - p.body.centre
    away[..., 1:] += p.body.unit_m * rear[:, None, None] * np.array(tuck)
    raised = p.body.centre + applied(about(_LEFT, -rear)[:, None], away)
    goals[:, 2:] = np.where(flies, raised, goals[:, 2:])
    return goals


def _asked(p: Poser, beats: Beats, goals: Array, flies: NDArray[np.bool_]) -> tuple[Array, Array]:
    """(n, 4, 3) the places to which the body must sink, and (n, 4) how urgent each is: where hooves stand, and more and more where they will."""
    landing = np.array(goals)
    landing[..., 0] = p.body.unit_m * beats.hooves[:, :, 7]
    # By then a leap has ended.
    landing[..., 1] = p.body.heights + p.body.unit_m * np.maximum(beats.manner[:, AS["height"], None], 0.0)
    landing[..., 2] = p.body.unit_m * beats.hooves[:, :, 8]
    landing = _reared(p, beats, landing)
    progress = np.minimum(beats.hooves[:, :, 4], 1.0)
    return np.where(flies[..., None], landing, goals), np.where(
        flies, progress * progress * (3.0 - 2.0 * progress), 1.0
    )


def based(p: Poser, beats: Beats, goals: Array) -> tuple[Array, Array]:
    """Local rotations (n, 4, m, 4) of the legs as their gaits have them at such a place, and the hooves' rotations (n, 4, 4)."""
    progress = beats.hooves[:, :, 4]
    # While a hoof flies the leg folds as in the gait's own swing; at both ends it is as it stands there.
    folded = (np.sin(np.pi * np.minimum(progress, 1.0)) ** 2 * beats.hooves[:, :, 6])[..., None, None]
    # The hoof, last of the joints, tucks less than the leg folds.
    joints = p.body.legs.paths.shape[1]
    folds = np.repeat(folded, joints + 1, axis=2)
    folds[:, :, -1] *= TUCKED
    both = np.zeros((len(goals), 4, joints + 1, 4))
    for n, cycle in enumerate(p.cycles):
        weight = beats.weights[:, n, None, None, None]
        if not weight.any():
            continue
        behind = 0.5 - (goals[..., 2] - cycle.home[:, 1]) / (2.0 * np.maximum(cycle.half, 1e-6))
        # Beyond what the gait shows, the last of it stays.
        behind = 0.5 + _EASED * np.tanh((behind - 0.5) / 0.5 * 1.2)
        stance = _row(cycle.legs.stance, behind)
        both += weight * (stance + folds * (_row(cycle.legs.swing, progress) - stance))
    both = unit(both)
    return both[:, :, :-1], product(yawed(beats), both[:, :, -1])


def yawed(beats: Beats) -> Array:
    """(n, 4, 4) how the hooves are turned against the body."""
    return about(_UP, beats.hooves[:, :, 2] - beats.body[:, ON["heading"], None])


def _row(table: Array, at: Array) -> Array:
    """(n, L, ...) rows of tables (L, rows, ...) at places (n, L) from 0 to 1."""
    place = np.minimum(np.maximum(at, 0.0), 1.0) * (PLACES - 1)
    low = np.minimum(place.astype(np.intp), PLACES - 2)
    share = (place - low).reshape(*at.shape, *[1] * (table.ndim - 2))
    leg = np.arange(at.shape[1])
    first = table[leg, low]
    return np.asarray(first + share * (table[leg, low + 1] - first))


def _sunk(need: Array, memory: Memory, fps: float, unit: float) -> Array:
    """(n,) how deep the body is: soon as deep as it must, then up again gradually."""
    keep, most = float(np.exp(-1.0 / (RECOVERS_S * fps))), SINKS * unit / fps
    depth, out = memory.depth, np.empty(len(need))
    for frame, value in enumerate(need.tolist()):
        depth = max(min(value, depth + most), depth * keep) if memory.legs is not None or frame else value
        out[frame] = depth
    memory.depth = depth
    return out
