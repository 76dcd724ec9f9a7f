"""Posing: the animal's joints from what acting says: the gait's own pose, the person's manner, and legs that reach their hooves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat
from komadori.methods.translate.acting import ON, Beats
from komadori.methods.translate.anatomy import Anatomy, Joints
from komadori.methods.translate.cycles import PHASES, PLACES, Cycle
from komadori.methods.translate.manner import AS
from komadori.methods.translate.reaching import calmed, need, solved
from komadori.methods.translate.stepping import BENDING
from komadori.methods.translate.turning import about, applied, back, product, unit
from komadori.quat import Array

RECOVERS_S = 1.2
"""A body that sank comes up again within about this time: over steps, not within one, so that it does not bob."""
TUCKED = 0.55
"""How much of the gait's own tuck the hoof of a flying leg shows: all of it would need the height that the lift is for."""
CURVE = 0.06
"""Radians of lean into a curve for each unit a second and radian a second."""
FASTEST, LOOSE = np.radians(22.0), 0.8
"""A leg in the air turns its joints by at most so much in a thirtieth of a second; one whose hoof hangs loose, by less."""
_MISSED = 0.004
"""A hoof that is farther from its place, in units of the animal, does not stand."""
_NOSE = 0.15
_RISE = 0.12


@dataclass(frozen=True, eq=False)
class Poser:
    """Turns acted frames into poses. `turns` (n, 3, 3) map body angles (nose down, left, roll) to rotations of `acting` joints."""

    body: Anatomy
    cycles: tuple[Cycle, ...]
    acting: Joints
    turns: Array
    shares: Array
    """(n, columns) how much of each bodily angle a joint takes: see `_COLUMNS`."""
    line: Joints
    """The joints between the root and the legs, parents first."""
    fps: float
    fastest: float = FASTEST


_UP = np.array([0.0, 1.0, 0.0])
_COLUMNS = ("bend", "lean", "unroll", "neck", "neck_yaw", "head", "head_yaw", "head_roll", "tail", "tail_yaw", "arch")
_AXES = {"bend": 1, "lean": 2, "unroll": 2, "neck": 0, "neck_yaw": 1, "head": 0, "head_yaw": 1, "head_roll": 2, "tail": 0, "tail_yaw": 1, "arch": 0}  # fmt: skip
_PLAIN = (("spine", "bend"), ("spine", "lean"), ("spine", "unroll"), ("neck", "neck_yaw"), ("head", "head"),
          ("head", "head_yaw"), ("head", "head_roll"), ("tail", "tail_yaw"))  # fmt: skip
"""Angles that all joints of a part share alike."""


def poser(body: Anatomy, cycles: tuple[Cycle, ...], fps: float, loose: bool = False) -> Poser:
    """All that can be worked out before the first frame; `loose` hooves turn with all joints of their leg."""
    mean = cycles[0].mean
    world, _ = kinematics.world_transforms(body.skeleton, mean[None], body.positions[None])
    groups = {"spine": body.spine, "neck": body.neck, "head": body.head, "tail": body.tail}
    acting = np.concatenate(list(groups.values())).astype(np.intp)
    shares = np.zeros((len(acting), len(_COLUMNS)))
    start = 0
    for name, joints in groups.items():
        rows = slice(start, start + len(joints))
        start += len(joints)
        if not len(joints):
            continue
        for column, angle in enumerate(_COLUMNS):
            part = 1.0 / len(joints)
            if name == "neck" and angle == "neck":
                # Lowered from the withers: the first joints of the neck turn most.
                falling = np.arange(len(joints), 0, -1.0)
                shares[rows, column] = falling / falling.sum()
            elif (name, angle) in _PLAIN:
                shares[rows, column] = part
            elif name == "neck" and angle == "arch" and len(joints) > 1:
                # Raised at the withers, bent at the poll.
                shares[rows, column] = [-0.6, *[0.0] * (len(joints) - 2), 1.0]
            elif name == "head" and angle == "arch":
                shares[rows, column] = 0.6
            elif name == "head" and angle == "neck":
                # The face keeps part of its own slant while the neck goes down.
                shares[rows, column] = -0.45
            elif name == "tail" and angle == "tail":
                shares[rows, column] = np.where(np.arange(len(joints)) < 2, 0.5, 0.0) if len(joints) > 1 else 1.0
    parents = body.skeleton.parents[acting]
    away = back(np.where((parents >= 0)[:, None], world[0, np.maximum(parents, 0)], quat.IDENTITY))
    # A lowered tail turns the other way about than a lowered nose: it points backwards.
    turns = np.stack([quat.rotate(away, axis) for axis in np.eye(3)], axis=1)
    line: set[int] = set()
    for anchor in body.legs.anchors.tolist():
        while anchor >= 0:
            line.add(anchor)
            anchor = int(body.skeleton.parents[anchor])
    return Poser(
        body,
        cycles,
        acting,
        turns,
        shares,
        np.array(sorted(line), dtype=np.intp),
        fps,
        LOOSE * FASTEST if loose else FASTEST,
    )


def lowest_neck(p: Poser) -> float:
    """Radians by which the neck can be lowered until the nose is near the ground, while the body is lowered a little."""
    body, tries = p.body, np.radians(np.arange(5.0, 71.0, 5.0))
    rotations = np.repeat(p.cycles[0].mean[None], len(tries), axis=0)
    angles = np.zeros((len(tries), len(p.acting), 3))
    angles[:, :, 0] = tries[:, None] * p.shares[:, _COLUMNS.index("neck")]
    rotvecs = np.einsum("nja,jax->njx", angles, p.turns)
    rotations[:, p.acting] = product(quat.exp(rotvecs), rotations[:, p.acting])
    positions = np.repeat(body.positions[None], len(tries), axis=0)
    if not len(body.head):
        return float(tries[-1])
    low = kinematics.world_positions(body.skeleton, rotations, positions)[:, body.skeleton.below(body.head.tolist()), 1]
    free = np.flatnonzero(low.min(axis=1) > _NOSE * body.unit_m)
    return float(tries[free[-1]]) if len(free) else float(tries[0])


@dataclass(slots=True)
class Memory:
    """All that posing remembers of the frame before: how deep the body sank, in metres, and how the legs were turned."""

    depth: float = 0.0
    legs: Array | None = None
    hooves: Array | None = None


def posed(p: Poser, beats: Beats, memory: Memory) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Local rotations (n, J, 4) and positions (n, J, 3) of the frames in `beats`, and which hooves stand (n, 4)."""
    body, size = p.body, p.body.unit_m
    frames, manner = len(beats.body), beats.manner
    rotations = _cycled(p, beats)
    angles = _angles(p, beats)
    rotvecs = np.einsum("nja,jax->njx", angles, p.turns)
    rotations[:, p.acting] = product(quat.exp(rotvecs), rotations[:, p.acting])
    # The body leans about its hips.
    turning, ahead = beats.body[:, ON["turning"]], beats.body[:, ON["ahead"]]
    lean = np.clip(CURVE * turning * ahead, -0.2, 0.2)
    tilt = quat.exp(
        np.stack(
            [
                manner[:, AS["pitch"]] - _RISE * np.tanh(beats.body[:, ON["rise"]]) * _airborne(beats),
                manner[:, AS["yaw"]],
                manner[:, AS["roll"]] - lean,
            ],
            axis=1,
        )
    )
    roots = np.flatnonzero(body.skeleton.parents < 0)
    positions = np.repeat(body.positions[None], frames, axis=0)
    rotations[:, roots] = product(tilt[:, None], rotations[:, roots])
    positions[:, roots] = body.centre + applied(tilt[:, None], positions[:, roots] - body.centre)
    positions[:, roots, 1] += size * manner[:, AS["height"], None]
    positions[:, roots, 0] += size * manner[:, AS["sway"], None]
    turned, places = _line(p, rotations, positions)
    goals = _goals(p, beats)
    most = p.fastest * 30.0 / p.fps
    legs, flies = body.legs, beats.hooves[:, :, 5] > 0.5
    local, hoof = _base(p, beats, goals)
    # The hoof is limited in the world too: some rigs have it loose from the leg.
    hoof = calmed(hoof[:, :, None], flies, memory.hooves, 0.9 * most)[0][:, :, 0]
    memory.hooves = hoof[-1, :, None]
    asks = np.where(flies, np.cos(np.pi * np.minimum(beats.hooves[:, :, 4], 1.0)) ** 2, 1.0)
    turns, anchors = turned[:, legs.anchors], places[:, legs.anchors]
    drop = _sunk(need(legs, local, turns, anchors, goals, hoof, asks), memory, p.fps)
    positions[:, roots, 1] -= drop[:, None]
    anchors = anchors - drop[:, None, None] * _UP
    made, miss = solved(legs, local, turns, anchors, goals, hoof, flies)
    made, late = calmed(made, flies, memory.legs, most)
    memory.legs = made[-1]
    real = legs.paths >= 0
    rotations[:, legs.paths[real]] = made[:, real]
    stands = ~flies & ~late & (miss < _MISSED * size)
    heading = about(_UP, beats.body[:, ON["heading"]])
    rotations[:, roots] = product(heading[:, None], rotations[:, roots])
    positions[:, roots] = applied(heading[:, None], positions[:, roots])
    positions[:, roots, 0] += size * beats.body[:, ON["x"], None]
    positions[:, roots, 2] += size * beats.body[:, ON["z"], None]
    return rotations, positions, stands


def _airborne(beats: Beats) -> Array:
    """(n,) 1 while no hoof stands."""
    return np.asarray(beats.hooves[:, :, 5].min(axis=1))


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


def _angles(p: Poser, beats: Beats) -> Array:
    """(n, joints, 3) how far each acting joint turns: nose down, to the left, and left side up."""
    manner, look = beats.manner, beats.body[:, ON["look"]]
    bend = np.clip(BENDING * beats.body[:, ON["turning"]], -0.35, 0.35)
    values = {
        "bend": manner[:, AS["bend"]] + bend - 0.6 * manner[:, AS["yaw"]],
        "lean": manner[:, AS["lean"]],
        "unroll": -0.6 * manner[:, AS["roll"]],
        "neck": manner[:, AS["neck"]],
        "arch": manner[:, AS["arch"]],
        "neck_yaw": manner[:, AS["neck_yaw"]] + 0.7 * look,
        "head": manner[:, AS["head"]],
        "head_yaw": manner[:, AS["head_yaw"]] + 0.3 * look,
        "head_roll": manner[:, AS["head_roll"]],
        "tail": manner[:, AS["tail"]],
        "tail_yaw": manner[:, AS["tail_yaw"]] - bend,
    }
    out = np.zeros((len(manner), len(p.acting), 3))
    for column, name in enumerate(_COLUMNS):
        out[:, :, _AXES[name]] += values[name][:, None] * p.shares[:, column]
    return out


def _line(p: Poser, rotations: Array, positions: Array) -> tuple[Array, Array]:
    """World rotations and places, before the body is put on its way, of the joints that legs hang on; others are left at 0."""
    turned, places = np.zeros_like(rotations), np.zeros_like(positions)
    parents = p.body.skeleton.parents
    for joint in p.line.tolist():
        above = int(parents[joint])
        if above < 0:
            turned[:, joint], places[:, joint] = rotations[:, joint], positions[:, joint]
        else:
            turned[:, joint] = product(turned[:, above], rotations[:, joint])
            places[:, joint] = places[:, above] + applied(turned[:, above], positions[:, joint])
    return turned, places


def _goals(p: Poser, beats: Beats) -> Array:
    """(n, 4, 3) where the soles are, in the body's own frame."""
    size, heading = p.body.unit_m, beats.body[:, ON["heading"], None]
    x = beats.hooves[:, :, 0] - beats.body[:, ON["x"], None]
    z = beats.hooves[:, :, 1] - beats.body[:, ON["z"], None]
    sine, cosine = np.sin(heading), np.cos(heading)
    goals = np.empty((*x.shape, 3))
    goals[..., 0] = size * (cosine * x - sine * z)
    goals[..., 1] = p.body.heights + size * beats.hooves[:, :, 3]
    goals[..., 2] = size * (sine * x + cosine * z)
    return goals


def _base(p: Poser, beats: Beats, goals: Array) -> tuple[Array, Array]:
    """Local rotations (n, 4, m, 4) of the legs as their gaits have them at such a place, and the hooves' turns (n, 4, 4)."""
    progress = beats.hooves[:, :, 4]
    # While a hoof flies the leg folds as in the gait's own swing; at both ends it is as it stands there.
    folded = (np.sin(np.pi * np.minimum(progress, 1.0)) ** 2 * beats.hooves[:, :, 6])[..., None, None]
    local = np.zeros((len(goals), 4, p.body.legs.paths.shape[1], 4))
    hoof = np.zeros((len(goals), 4, 4))
    for n, cycle in enumerate(p.cycles):
        weight = beats.weights[:, n, None, None, None]
        if not weight.any():
            continue
        table = cycle.legs
        half = np.maximum(cycle.half, 1e-6)
        behind = 0.5 - (goals[..., 2] - cycle.home[:, 1]) / (2.0 * half)
        # Beyond what the gait shows, the last of it stays.
        behind = 0.5 + 0.5 * np.tanh((behind - 0.5) / 0.5 * 1.2) / np.tanh(1.2)
        stance, swing = (_row(part, at) for part, at in ((table.stance, behind), (table.swing, progress)))
        local += weight * ((1.0 - folded) * stance + folded * swing)
        stance, swing = (_row(part, at) for part, at in ((table.stance_hoof, behind), (table.swing_hoof, progress)))
        hoof += weight[..., 0] * ((1.0 - TUCKED * folded[..., 0]) * stance + TUCKED * folded[..., 0] * swing)
    turn = beats.hooves[:, :, 2] - beats.body[:, ON["heading"], None]
    yaw = about(_UP, turn)
    return unit(local), product(yaw, unit(hoof))


def _row(table: Array, at: Array) -> Array:
    """(n, L, ...) rows of tables (L, rows, ...) at places (n, L) from 0 to 1."""
    place = np.clip(at, 0.0, 1.0) * (PLACES - 1)
    low = np.minimum(place.astype(np.intp), PLACES - 2)
    share = (place - low).reshape(*at.shape, *[1] * (table.ndim - 2))
    leg = np.arange(at.shape[1])
    return np.asarray(table[leg, low] * (1.0 - share) + table[leg, low + 1] * share)


def _sunk(need: Array, memory: Memory, fps: float) -> Array:
    """(n,) how deep the body is: at once as deep as it must, then up again by and by."""
    keep = float(np.exp(-1.0 / (RECOVERS_S * fps)))
    depth, out = memory.depth, np.empty(len(need))
    for frame, value in enumerate(need.tolist()):
        depth = max(value, depth * keep)
        out[frame] = depth
    memory.depth = depth
    return out
