"""Hair on real clips, measured: how often it hangs before the face, how deep it goes below the floor and into the body.

Nothing here asks the method how it did: heads, skin and floor are found from the character's mesh and the finished motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Character
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skinning import skin_of

STEP = 3
"""Every so many frames are looked at for what needs the skin."""
UPRIGHT = 0.9
"""Cosine of the head's tilt from which on hair has no reason to hang before the face: farther down, a plumb line from the temples does."""
DEEP_M, BELOW_M = 0.02, 0.005
"""From so deep on a strand is seen to be inside the body, and below the floor."""
AHEAD_M = 0.04
"""Hair that is blown forward is so far ahead of the face, and of where it rests."""
THROWN_S, BACK_M_S, FALL_M_S, TURN_DEG_S = 0.3, 0.35, 0.5, 90.0
"""Hair lags: it flies before the face of a head that went back, fell or turned this fast within this time, and is right to do so."""
LYING_M = 0.1
"""Hips of one that lies are so far above the floor."""
NEAR_M = 0.12
"""Skin farther away than this says nothing about a place."""


@dataclass(frozen=True)
class HairMeasures:
    """What was found on one clip."""

    frames: int
    face: float
    """Share of the frames with an upright head in which a strand is blown ahead of the face."""
    below: float
    """Share of the frames in which a strand is below the floor."""
    below_m: float
    """How deep, at most."""
    inside: float
    """Share of the strands' joints, over all frames, that are inside the body, more than they rest."""
    inside_m: float
    """How deep, in one of a hundred places that are the deepest."""
    floor_off_m: float
    """How far the lowest frame of the body is above the floor (under 0: below it)."""


def measured(character: Character, motion: Motion) -> HairMeasures:
    """The measures of `motion`, whose hair moves already."""
    some = motion.taken(np.arange(0, len(motion), STEP))
    hanging = [joint for chain in character.chains() if chain.kind in ("hair", "ribbon") for joint in chain.joints[1:]]
    turns, places = motion.world_transforms()
    floor, lowest = floor_of(character, some)
    under = floor - places[:, hanging, 1]
    deep = depths(character, some, hanging)
    return HairMeasures(
        len(motion),
        before_face(character, turns, places, motion.fps)[0],
        float((under.max(axis=1) > BELOW_M).mean()),
        float(max(under.max(), 0.0)),
        float((deep > DEEP_M).mean()),
        float(np.percentile(deep, 99)),
        float(lowest.min() - floor),
    )


def floor_of(character: Character, motion: Motion) -> tuple[float, Array]:
    """The height of the floor under the body's own skin, as pictures have it, and the lowest place (F,) of that skin."""
    skin = skin_of(character)
    body = ~_hair_skin(character)
    lowest = np.concatenate(
        [np.asarray(skin.posed(motion[n : n + 8])[0])[:, body, 1].min(axis=1) for n in range(0, len(motion), 8)]
    )
    return float(np.percentile(lowest, 25)), lowest.astype(np.float64)


def before_face(character: Character, turns: Array, places: Array, fps: float) -> tuple[float, float]:
    """The share of frames with an upright head in which hair is blown ahead of the face, and the same with what the head itself throws there.

    A head that hangs upside down or looks down has its hair before the face by weight, one that jerks back, drops or spins by inertia: both
    are right, and a film without them looks stiff. What is left is hair that air alone, or a fault, has put there.
    """
    skeleton = character.skeleton
    head = skeleton.roles["head"]
    rest_turn, rest = (part[0] for part in character.rest.world_transforms())
    own = ~_hair_skin(character) & (_owners(character) == head)
    skin = np.asarray(skin_of(character).posed(character.rest)[0][0], dtype=np.float64)[own] - rest[head]
    low, high = skin.min(axis=0), skin.max(axis=0)
    centre, half = 0.5 * (low + high), 0.5 * (high - low)

    chains = [chain for chain in character.chains() if chain.kind in ("hair", "ribbon")]
    joints = [joint for chain in chains for joint in chain.joints[1:]]
    roots = [chain.joints[0] for chain in chains for _ in chain.joints[1:]]
    ahead = np.maximum(high[2], rest[joints, 2] - rest[head, 2]) + AHEAD_M
    turned = quat.multiply(turns[:, head], quat.inverse(rest_turn[head]))
    upright = quat.rotate(turned, np.array([0.0, 1.0, 0.0]))[:, 1] > UPRIGHT
    if not joints or not upright.any():
        return 0.0, 0.0
    off = quat.rotate(quat.inverse(turned)[:, None], places[:, joints] - places[:, None, head])
    level = (off - centre) / half
    before = (np.abs(level[..., 0]) < 1.5) & (np.abs(level[..., 1]) < 2.0) & (off[..., 2] > ahead)
    # Hair that hangs straight down past a face that looks down is not blown there.
    front = quat.rotate(turned, np.array([0.0, 0.0, 1.0])) * [1.0, 0.0, 1.0]
    front /= np.maximum(np.linalg.norm(front, axis=1, keepdims=True), 1e-9)
    forward = np.einsum("fni,fi->fn", places[:, joints] - places[:, roots], front)
    before &= forward > np.maximum(rest[joints, 2] - rest[roots, 2], 0.0) + AHEAD_M
    seen = before.any(axis=1) & upright
    blown = seen & ~_thrown(turned, places[:, head], front, fps)
    return float(blown.sum() / upright.sum()), float(seen.sum() / upright.sum())


def _thrown(turned: Array, head: Array, front: Array, fps: float) -> NDArray[np.bool_]:
    """(F,) whether the head went back, fell or turned quickly within the last moments; drawings are held, so over three frames at least."""
    result = np.zeros(len(head), dtype=bool)
    for back in range(3, max(4, round(THROWN_S * fps) + 1)):
        before = np.maximum(np.arange(len(head)) - back, 0)
        taken_s = back / fps
        went = -np.einsum("fi,fi->f", head - head[before], front) / taken_s
        fell = (head[before, 1] - head[:, 1]) / taken_s
        turn = np.degrees(quat.angle(quat.multiply(turned, quat.inverse(turned[before])))) / taken_s
        result |= (went > BACK_M_S) | (fell > FALL_M_S) | (turn > TURN_DEG_S)
    return result


def depths(character: Character, motion: Motion, joints: list[int]) -> Array:
    """(F, n) how far `joints` are inside the body's skin, beyond what they are at rest; 0 where they are outside."""
    rest = _inside(character, character.rest, joints)
    return np.asarray(np.maximum(_inside(character, motion, joints) - np.maximum(rest, 0.0), 0.0))


def _inside(character: Character, motion: Motion, joints: list[int]) -> Array:
    """(F, n) how far `joints` are behind the nearest skin of the body."""
    body = np.flatnonzero(~_hair_skin(character))
    body = body[:: max(1, len(body) // 3000)]
    skin, places = skin_of(character), motion.world_positions()[:, joints]
    result = np.zeros(places.shape[:2])
    for frame in range(len(motion)):
        spots, normals = (np.asarray(part[0], dtype=np.float64)[body] for part in skin.posed(motion.pose(frame)))
        square = (places[frame] ** 2).sum(axis=1)[:, None] - 2.0 * places[frame] @ spots.T + (spots**2).sum(axis=1)
        near = square.argmin(axis=1)
        behind = ((spots[near] - places[frame]) * normals[near]).sum(axis=1)
        result[frame] = np.where(square[np.arange(len(near)), near] < NEAR_M**2, behind, 0.0)
    return result


def _owners(character: Character) -> Array:
    """(V,) the joint that moves each vertex most."""
    return np.concatenate(
        [np.take_along_axis(m.joints, m.weights.argmax(axis=1)[:, None], axis=1)[:, 0] for m in character.meshes]
    )


def _hair_skin(character: Character) -> NDArray[np.bool_]:
    """(V,) whether a vertex goes with a chain."""
    hanging = np.zeros(len(character.skeleton), dtype=bool)
    for chain in character.chains():
        hanging[list(chain.joints)] = True
    return np.concatenate([(m.weights * hanging[m.joints]).sum(axis=1) > 0.5 for m in character.meshes])


def fallen(motion: Motion, forward: bool) -> Motion:
    """`motion` on its first second, then falling as a stiff body onto its back (or face) within half a second, and lying."""
    skeleton, fps = motion.skeleton, motion.fps
    count = round(3.0 * fps)
    held = motion.taken(np.minimum(np.arange(count), min(len(motion) - 1, round(fps))))
    part = np.clip((np.arange(count) / fps - 1.0) / 0.5, 0.0, 1.0)
    angle = (1.0 if forward else -1.0) * 0.5 * np.pi * part**2
    world = held.world_positions()
    across = world[:, skeleton.roles["left_upper_leg"]] - world[:, skeleton.roles["right_upper_leg"]]
    across[:, 1] = 0.0
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    turn = quat.from_axis_angle(across, angle)
    hips = skeleton.roles["hips"]
    # It straightens as it falls: in the middle of a stride it could not lie.
    rotations = quat.slerp(held.rotations, np.broadcast_to(skeleton.rest, held.rotations.shape), part[:, None])
    positions = np.array(held.positions)
    # Over its toes, or over its heels.
    ends = [world[:, skeleton.roles[f"{side}_{'toes' if forward else 'foot'}"]] for side in ("left", "right")]
    foot = 0.5 * (ends[0] + ends[1]) * [1.0, 0.0, 1.0]
    rotations[:, hips] = quat.multiply(turn, rotations[:, hips])
    positions[:, hips] = (
        foot + quat.rotate(turn, positions[:, hips] - foot) + np.array([0.0, LYING_M, 0.0]) * part[:, None]
    )
    return Motion(skeleton, fps, quat.continuous(rotations), positions)


def summary(found: Mapping[str, HairMeasures], names: Iterable[str]) -> dict[str, float]:
    """Means and worst values over the clips called `names`."""
    rows = [found[name] for name in names]
    return {
        "clips": len(rows),
        "face, mean share": float(np.mean([row.face for row in rows])),
        "clips with hair before the face in more than 1 of 10 frames": sum(row.face > 0.1 for row in rows),
        "below the floor, mean share": float(np.mean([row.below for row in rows])),
        "below the floor, worst m": max(row.below_m for row in rows),
        "inside the body, mean share": float(np.mean([row.inside for row in rows])),
        "inside the body, worst m": max(row.inside_m for row in rows),
    }
