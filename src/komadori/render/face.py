"""Faces: eyes that blink every few seconds and when an action begins, and that turn before the head does.

Eyes are their own cel, as in a studio: they move on threes over a held body. Nothing is random.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat
from komadori.character import Character
from komadori.motion import Motion
from komadori.quat import Array
from komadori.render.body import UP, camera_of

Morph = tuple[int, str]
Weights = Mapping[Morph, float]

DRAWING_S = 3.0 / 24.0
"""A drawing of the eyes stays this long: three frames of film."""
SHUTTING = (1.0, 0.5)
"""The drawings of a blink: closed at once, then half open."""
FIRST_S, SHORTEST_S, LONGEST_S = 1.1, 2.4, 4.8
"""When the first blink comes, and how far apart they are."""
GOLDEN = 0.6180339887498949
"""The fractional parts of its multiples spread evenly and never repeat, which replaces randomness."""
APART_S = 0.8
"""Two blinks are at least this far apart..."""
NEAR_S = 1.0
"""...and one that is due within this time of a cut of the action waits for it or comes with it."""
TURN_DEG_S = 140.0
"""A head that turns faster than this blinks."""
CALM, ACTIVE = 0.35, 0.8
"""An action begins where the joints, seen from the hips, pass from the first mean speed to the second, in body heights per second."""
LEAD_S = 4.0 / 24.0
"""Eyes look to where the head points this much later."""
LEAST_DEG, MOST_DEG = 5.0, 24.0
"""Smaller movements are ignored; and the largest angle that eyes turn."""

BLINKS = (
    ("blink",),
    ("blinkleft", "blinkright"),
    ("blink_l", "blink_r"),
    ("まばたき",),
    ("eyeblink",),
    ("eyeblinkleft", "eyeblinkright"),
    ("eyeblink_l", "eyeblink_r"),
    ("fcl_eye_close",),
)
"""What closes both eyes, as files call it: the first of these that is there."""
LOOKS = ("lookleft", "lookright", "lookup", "lookdown")


@dataclass(frozen=True, eq=False)
class Face:
    """What a face does over `frames` frames: (mesh, morph) -> (F,) weights, and joint -> (F, 4) rotations of eye bones."""

    frames: int
    morphs: Mapping[Morph, Array] = field(default_factory=dict)
    eyes: Mapping[int, Array] = field(default_factory=dict)

    def at(self, frames: Sequence[int]) -> dict[Morph, Array]:
        """The weights at some frames."""
        return {morph: weights[list(frames)] for morph, weights in self.morphs.items()}

    def put_on(self, motion: Motion, frames: Sequence[int]) -> Motion:
        """`motion`, poses that are shown at `frames`, with the eye bones as they are then."""
        if not self.eyes:
            return motion
        rotations = np.array(motion.rotations)
        for joint, turns in self.eyes.items():
            rotations[:, joint] = turns[list(frames)]
        return motion.replaced(rotations)

    def changes(self) -> NDArray[np.bool_]:
        """(F,) whether the face differs from the frame before."""
        result = np.zeros(self.frames, dtype=bool)
        for values in (*self.morphs.values(), *self.eyes.values()):
            result[1:] |= (np.diff(values, axis=0) != 0.0).reshape(self.frames - 1, -1).any(axis=1)
        return result


def acted(motion: Motion, character: Character, *, blinks: bool = True) -> Face:
    """What the face of `character` does while its body plays `motion`; without `blinks` it only looks."""
    if "head" not in motion.skeleton.roles or not len(motion):
        return Face(len(motion))
    each = _each(motion.fps)
    on_threes = np.arange(len(motion)) // each * each
    yaw, pitch = (angle[on_threes] for angle in _lead(motion))
    morphs: dict[Morph, Array] = {}
    eyes: dict[int, Array] = {}
    looks = [_named(character, (name,)) for name in LOOKS]
    if any(looks):
        for weights, amount in zip(looks, (yaw, -yaw, pitch, -pitch), strict=True):
            _add(morphs, weights, np.maximum(amount, 0.0) / MOST_DEG)
    else:
        eyes = _eyes_turned(motion, yaw, pitch)
    if blinks:
        closing = next((found for names in BLINKS if (found := _named(character, names))), {})
        shut = blinking(len(motion), motion.fps, cuts(motion))
        # Closed eyes do not move.
        morphs = {morph: weights * (shut < 1.0) for morph, weights in morphs.items()}
        _add(morphs, closing, shut)
    return Face(len(motion), {morph: weights for morph, weights in morphs.items() if weights.any()}, eyes)


def _each(fps: float) -> int:
    """Frames that a drawing of the eyes stays."""
    return max(1, round(DRAWING_S * fps))


def blinking(frames: int, fps: float, moments: Iterable[int] = ()) -> Array:
    """(F,) how far the eyes are shut, 0 to 1: every few seconds, at `moments` rather than near them, on threes."""
    result = np.zeros(frames)
    each = _each(fps)
    due, number, last = FIRST_S, 0, -math.inf
    waiting = sorted(moments)
    while True:
        waiting = [moment for moment in waiting if moment / fps >= last + APART_S]
        near = [moment for moment in waiting if moment / fps <= due + NEAR_S]
        time = near[0] / fps if near else due
        start = round(time * fps)
        if start + len(SHUTTING) * each > frames:
            return result
        for n, amount in enumerate(SHUTTING):
            result[start + n * each : start + (n + 1) * each] = amount
        last, number = time, number + 1
        due = time + SHORTEST_S + (LONGEST_S - SHORTEST_S) * (number * GOLDEN % 1.0)


def cuts(motion: Motion) -> list[int]:
    """The frames in which the head turns fast, or an action begins."""
    if len(motion) < 3:
        return []
    turned, world = kinematics.world_transforms(motion.skeleton, motion.rotations, motion.positions)
    head = turned[:, motion.skeleton.roles["head"]]
    sigma = 0.08 * motion.fps
    turn = _smoothed(np.append(0.0, quat.angle(quat.multiply(quat.inverse(head[:-1]), head[1:]))), sigma)
    speed = np.degrees(turn) * motion.fps
    peaks = (speed[1:-1] > speed[:-2]) & (speed[1:-1] >= speed[2:]) & (speed[1:-1] > TURN_DEG_S)
    found = set((np.flatnonzero(peaks) + 1).tolist())
    hips = motion.skeleton.roles.get("hips", 0)
    limbs = [joint for role, joint in motion.skeleton.roles.items() if role.endswith(("_hand", "_foot", "head"))]
    beside = world[:, limbs] - world[:, [hips]]
    height = max(
        float(
            np.ptp(
                kinematics.world_positions(motion.skeleton, motion.skeleton.rest[None], motion.skeleton.offsets[None])[
                    0, :, 1
                ]
            )
        ),
        1e-6,
    )
    busy = np.append(0.0, np.linalg.norm(np.diff(beside, axis=0), axis=-1).mean(axis=1)) * motion.fps / height
    calm = True
    for frame, value in enumerate(_smoothed(busy, sigma)):
        if calm and value > ACTIVE:
            found.add(frame)
        calm = value < CALM or (calm and value <= ACTIVE)
    return sorted(found)


def _lead(motion: Motion) -> tuple[Array, Array]:
    """(F,) degrees to the left and up from where the head points to where it will point soon."""
    skeleton = motion.skeleton
    rest_turned, rest = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    head = skeleton.roles["head"]
    ahead = camera_of(skeleton, rest[0], "front").toward
    turned, _ = kinematics.world_transforms(skeleton, motion.rotations, motion.positions)
    own = quat.multiply(turned[:, head], quat.inverse(rest_turned[0, head]))
    later = np.minimum(np.arange(len(motion)) + round(LEAD_S * motion.fps), len(motion) - 1)
    seen = quat.rotate(quat.multiply(quat.inverse(own), own[later]), np.broadcast_to(ahead, (len(motion), 3)))
    left = np.cross(UP, ahead)
    yaw = np.degrees(np.arctan2(seen @ left, seen @ ahead))
    pitch = np.degrees(np.arctan2(seen @ UP, np.hypot(seen @ left, seen @ ahead)))
    return _looked(yaw, motion.fps), _looked(0.6 * pitch, motion.fps)


def _looked(angle: Array, fps: float) -> Array:
    smooth = _smoothed(angle, 0.05 * fps)
    return np.asarray(np.sign(smooth) * np.clip(np.abs(smooth) - LEAST_DEG, 0.0, MOST_DEG))


def _eyes_turned(motion: Motion, yaw: Array, pitch: Array) -> dict[int, Array]:
    """Joint -> (F, 4) rotations of the eye bones, if there are some that nobody moves."""
    skeleton = motion.skeleton
    eyes = [skeleton.roles[role] for role in ("left_eye", "right_eye") if role in skeleton.roles]
    if not eyes or not (yaw.any() or pitch.any()) or np.ptp(motion.rotations[:, eyes], axis=0).max() > 1e-3:
        return {}
    rest_turned, rest = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    left = np.cross(UP, camera_of(skeleton, rest[0], "front").toward)
    # Half of the way: a bone carries the whole ball, and more would hide the iris.
    turn = 0.5 * np.radians(yaw[:, None] * UP - pitch[:, None] * left)
    own = {eye: quat.exp(quat.rotate(quat.inverse(rest_turned[0, eye]), turn)) for eye in eyes}
    return {eye: quat.multiply(motion.rotations[0, eye], turns) for eye, turns in own.items()}


def _named(character: Character, names: tuple[str, ...]) -> Weights:
    """What the expressions called `names` do, or the morphs called so; empty unless all are there."""
    expressions = {name.casefold(): dict(weights) for name, weights in character.expressions.items() if weights}
    if all(name in expressions for name in names):
        return {morph: weight for name in names for morph, weight in expressions[name].items()}
    found: dict[str, list[Morph]] = {}
    for number, mesh in enumerate(character.meshes):
        for morph in mesh.morphs:
            found.setdefault(morph.casefold(), []).append((number, morph))
    if not all(name in found for name in names):
        return {}
    return {morph: 1.0 for name in names for morph in found[name]}


def _add(morphs: dict[Morph, Array], weights: Weights, amount: Array) -> None:
    for morph, weight in weights.items():
        morphs[morph] = morphs.get(morph, np.zeros(len(amount))) + weight * amount


def _smoothed(values: Array, sigma: float) -> Array:
    """A Gaussian mean over frames; the ends continue as they are."""
    reach = max(1, math.ceil(3.0 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-3)) ** 2)
    return np.convolve(np.pad(values, reach, mode="edge"), weights / weights.sum(), mode="valid")
