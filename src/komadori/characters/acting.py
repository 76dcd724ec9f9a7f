"""How a built-in performance is made: key poses in tables, curves through them, and legs that reach the ground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.characters import body
from komadori.errors import OptionError, unquoted
from komadori.quat import Array
from komadori.words import Note

# What one row of a table says, after its time. Angles are in degrees, lengths in metres.
COLUMNS: dict[str, tuple[str, ...]] = {
    # Where the pelvis is; turned to the left, bowed forward, tilted to the right.
    "hips": ("x", "y", "z", "turn", "lean", "side"),
    # How the shoulders' line and the face stand in the world, not against the hips: so a table shows who leads.
    "chest": ("turn", "lean", "side"),
    "head": ("turn", "lean", "side"),
    # raise: 0 hangs, 90 is level, 180 points up. around: 0 to the side, 90 to the front. twist: 90 brings the
    # bend of a hanging arm to the front, and the bend of a level arm up. palm: turned up. wrist, curl: closing.
    "arm": ("raise", "around", "twist", "elbow", "palm", "wrist", "curl"),
    # The spot under the ankle when the foot is flat; its height; toes to the left; toes up (heel up is negative);
    # pivot: 0 rolls over the heel, 1 over the ball.
    "foot": ("x", "z", "up", "turn", "pitch", "pivot"),
    # free: 0 the foot decides (it stands or is led), 1 the angles below decide (it swings or kicks).
    "leg": ("free", "flex", "abduct", "twist", "knee", "ankle"),
}
PARTS: dict[str, str] = {
    "hips": "hips",
    "chest": "chest",
    "head": "head",
    "left_arm": "arm",
    "right_arm": "arm",
    "left_foot": "foot",
    "right_foot": "foot",
    "left_leg": "leg",
    "right_leg": "leg",
}
LEGS_AT_REST = ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),)

Keys = tuple[tuple[float, ...], ...]
Channels = Mapping[str, Array]
"""A part's name to its columns over time, (F, columns)."""


def through(keys: Keys, times: ArrayLike, soften_s: float = 0.0) -> Array:
    """The smooth curve through `keys` (rows of time and values) at `times` (F,), (F, values).

    A monotone cubic (Fritsch and Butland 1984): it rests where a table repeats a value, so a planted foot does not
    creep, and never passes an extreme. `soften_s` rounds its corners by a running mean over that time.
    """
    t = np.asarray(times, dtype=np.float64)
    if soften_s > 0.0:
        taps = soften_s * np.array([-0.4, -0.2, 0.0, 0.2, 0.4])
        return np.asarray(sum(through(keys, t + tap) for tap in taps) / len(taps))
    table = np.asarray(keys, dtype=np.float64)
    at, value = table[:, 0], table[:, 1:]
    if len(at) == 1:
        return np.repeat(value, len(t), axis=0)
    step = np.diff(at)[:, None]
    slope = np.diff(value, axis=0) / step
    tangent = np.zeros_like(value)
    before, after = slope[:-1], slope[1:]
    weight = (step[:-1] + 2.0 * step[1:]) / (3.0 * (step[:-1] + step[1:]))
    same_way = before * after > 0.0
    mean = np.where(same_way, weight * after + (1.0 - weight) * before, 1.0)
    tangent[1:-1] = np.where(same_way, before * after / mean, 0.0)
    i = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(step) - 1)
    s = np.clip((t - at[i]) / step[i, 0], 0.0, 1.0)[:, None]
    h = step[i]
    return np.asarray(
        value[i]
        + (value[i + 1] - value[i]) * s * s * (3.0 - 2.0 * s)
        + h * s * (1.0 - s) * (tangent[i] * (1.0 - s) - tangent[i + 1] * s)
    )


@dataclass(frozen=True)
class Take:
    """A performance in tables: for every part of the body its rows of time and COLUMNS.

    `soften` gives the seconds over which a part's corners are rounded; `breath` scales the small life that never
    stops; `reach` is how straight a standing leg may get.
    """

    seconds: float
    tables: Mapping[str, Keys]
    soften: Mapping[str, float]
    breath: float = 1.0
    reach: float = 0.997

    def channels(self, times: Array) -> dict[str, Array]:
        """Every part's columns at `times` (F,)."""
        result: dict[str, Array] = {}
        for part, kind in PARTS.items():
            keys = self.tables.get(part, LEGS_AT_REST if kind == "leg" else ())
            if not keys or any(len(row) != 1 + len(COLUMNS[kind]) for row in keys):
                raise OptionError(
                    part,
                    expected=Note("rows of a time and {names}", names=", ".join(COLUMNS[kind])),
                    found=unquoted(str(keys)),
                )
            result[part] = through(keys, times, self.soften.get(part, 0.0))
        return breathing(result, times, self.breath)


def breathing(channels: Channels, times: Array, amount: float = 1.0) -> dict[str, Array]:
    """`channels` with breath and a slow sway added, the life in a figure that stands still."""
    result = dict(channels)
    breath = amount * np.sin(2.0 * np.pi * times / 3.1)
    late = amount * np.sin(2.0 * np.pi * times / 3.1 - 0.7)
    sway = amount * np.sin(2.0 * np.pi * times / 4.7 + 0.4)
    none = np.zeros_like(times)
    result["hips"] = channels["hips"] + np.stack(
        [0.004 * sway, 0.0015 * breath, 0.002 * late, 0.5 * sway, 0.3 * late, none], axis=-1
    )
    result["chest"] = channels["chest"] + np.stack([0.6 * sway, -0.9 * breath, 0.3 * sway], axis=-1)
    result["head"] = channels["head"] + np.stack([0.5 * sway, 0.5 * late, none], axis=-1)
    for arm in ("left_arm", "right_arm"):
        result[arm] = channels[arm] + np.stack([0.8 * late, none, none, 1.0 * late, none, 1.5 * late, none], axis=-1)
    return result


def posed(channels: Channels, reach: float = 0.997) -> tuple[Array, Array]:
    """Local rotations (F, 31, 4) and positions (F, 31, 3) of the built-in body that plays `channels`.

    `reach` is how straight a standing leg may get, as a share of its length: the hips sink until it can stand so.
    """
    skeleton = body.humanoid()
    hips = channels["hips"]
    frames = len(hips)
    rotations = quat.identity(frames, len(skeleton))
    positions = np.repeat(skeleton.offsets[None], frames, axis=0)
    put = {name: joint for joint, name in enumerate(skeleton.names)}

    hips_turn = facing(hips[:, 3:])
    rotations[:, put["hips"]] = hips_turn
    chest_turn = facing(channels["chest"])
    _spread(rotations, [put[n] for n in ("spine", "chest", "upper_chest")], hips_turn, chest_turn, (0.25, 0.4, 0.35))
    _spread(rotations, [put["neck"], put["head"]], chest_turn, facing(channels["head"]), (0.45, 0.55))

    feet = {side: _foot(channels[f"{side}_foot"], sign) for side, sign in body.SIDES}
    root = hips[:, :3].copy()
    joints = {side: quat.rotate(hips_turn, skeleton.offsets[put[f"{side}_upper_leg"]]) for side, _ in body.SIDES}
    for side, _ in body.SIDES:
        root[:, 1] = _sunk(root, joints[side], feet[side][0], channels[f"{side}_leg"][:, 0], reach)
    positions[:, 0] = root
    for side, sign in body.SIDES:
        ankle, foot_turn, toes = feet[side]
        leg = channels[f"{side}_leg"]
        knee_to = 0.35 * hips[:, 3] + 0.65 * channels[f"{side}_foot"][:, 3]
        led = _reaching(root + joints[side], ankle, turn(knee_to, "Y"), hips_turn, foot_turn)
        swung = _swinging(leg, sign)
        names = [f"{side}_{name}" for name in ("upper_leg", "lower_leg", "foot")]
        for name, a, b in zip(names, led, swung, strict=True):
            rotations[:, put[name]] = quat.slerp(a, b, leg[:, 0])
        rotations[:, put[f"{side}_toes"]] = turn(toes * (1.0 - leg[:, 0]), "X")
        for name, q in _arm(channels[f"{side}_arm"], sign).items():
            rotations[:, put[f"{side}_{name}"]] = q
    return quat.continuous(rotations), positions


def turn(angle_deg: ArrayLike, axis: str) -> Array:
    """Turns by `angle_deg` (F,) about one axis, (F, 4)."""
    return quat.from_euler(np.radians(np.asarray(angle_deg, dtype=np.float64))[..., None], axis)


def facing(angles_deg: Array) -> Array:
    """Turn, lean and side (F, 3) as rotations: first the way it faces, then the bow, then the tilt."""
    return quat.from_euler(np.radians(angles_deg), "YXZ")


def _mirrored(q: Array, sign: float) -> Array:
    """The same turn on the other side of the body."""
    return np.asarray(q * np.array([1.0, sign, sign, 1.0]))


def _spread(rotations: Array, joints: list[int], start: Array, end: Array, shares: tuple[float, ...]) -> None:
    """Bend `joints` so that together they lead from `start` to `end`, each by its share."""
    whole = quat.log(quat.multiply(quat.inverse(start), end))
    for joint, share in zip(joints, shares, strict=True):
        rotations[:, joint] = quat.exp(share * whole)


def _foot(foot: Array, sign: float) -> tuple[Array, Array, Array]:
    """The ankle (F, 3) and the foot's rotation (F, 4) in the world, and the toes' bend in degrees (F,)."""
    x, z, up, heading, pitch, pivot = foot.T
    yaw = turn(heading, "Y")
    whole = quat.multiply(yaw, turn(-pitch, "X"))
    heel, ball = np.array(body.HEEL), np.array(body.BALL)
    about = heel + pivot[:, None] * (ball - heel)
    spot = np.stack([x, up, z], axis=-1)
    ankle = spot + quat.rotate(yaw, about) + quat.rotate(whole, np.array([0.0, body.ANKLE_HEIGHT, 0.0]) - about)
    # Toes lie flat under a raised heel, and come back into line as the foot leaves the ground.
    toes = np.minimum(pitch, 0.0) * np.exp(-((up / 0.03) ** 2))
    return ankle, whole, toes


def _sunk(root: Array, joint: Array, ankle: Array, free: Array, reach: float) -> Array:
    """The hips' height (F,), lowered where a leg that stands could not reach the ground."""
    away = root[:, ::2] + joint[:, ::2] - ankle[:, ::2]
    length = reach * (body.THIGH + body.SHIN)
    room = np.maximum(length**2 - np.einsum("fi,fi->f", away, away), 0.01)
    limit = ankle[:, 1] + np.sqrt(room) - joint[:, 1] + 2.0 * free
    # A smooth minimum: the hips glide onto the limit, without a corner.
    apart = root[:, 1] - limit
    return np.asarray(0.5 * (root[:, 1] + limit - np.sqrt(apart**2 + 0.012**2)))


def _reaching(hip: Array, ankle: Array, knee_to: Array, hips: Array, foot: Array) -> tuple[Array, Array, Array]:
    """Local turns of thigh, shin and foot that bring the ankle of the leg at `hip` to `ankle` (F, 3).

    The knee bends the way `knee_to` (F, 4) faces, and is a pure hinge about X.
    """
    a, b = body.THIGH, body.SHIN
    line = ankle - hip
    far = np.sqrt(np.einsum("fi,fi->f", line, line))
    reach = np.minimum(far, 0.9995 * (a + b))
    down = np.array([0.0, -1.0, 0.0])
    frame = quat.multiply(knee_to, quat.between(down, quat.rotate(quat.inverse(knee_to), line)))
    ahead = np.arccos(np.clip((a * a + reach**2 - b * b) / (2.0 * a * reach), -1.0, 1.0))
    inner = np.arccos(np.clip((a * a + b * b - reach**2) / (2.0 * a * b), -1.0, 1.0))
    thigh = quat.multiply(frame, quat.from_euler(-ahead[:, None], "X"))
    bend = quat.from_euler((np.pi - inner)[:, None], "X")
    shin = quat.multiply(thigh, bend)
    return quat.multiply(quat.inverse(hips), thigh), bend, quat.multiply(quat.inverse(shin), foot)


def _swinging(leg: Array, sign: float) -> tuple[Array, Array, Array]:
    """Local turns of thigh, shin and foot by their angles."""
    _, flex, abduct, twist, knee, ankle = leg.T
    thigh = quat.multiply(
        quat.multiply(turn(abduct, "Z"), turn(-flex, "X")),
        turn(twist, "Y"),
    )
    return _mirrored(thigh, sign), turn(knee, "X"), turn(-ankle, "X")


def _arm(arm: Array, sign: float) -> dict[str, Array]:
    """Local turns from the collar bone to the fingers by the columns of an arm."""
    lift, around, twist, elbow, palm, wrist, curl = arm.T
    # The collar bone takes part of every large raise and reach, as a real shoulder does.
    collar_up = 0.22 * np.maximum(lift - 30.0, 0.0) ** 2 / (np.abs(lift - 30.0) + 20.0)
    collar_fore = 0.12 * around * np.sin(np.radians(np.clip(lift, 0.0, 90.0)))
    collar = quat.multiply(turn(-collar_fore, "Y"), turn(collar_up, "Z"))
    upper = quat.multiply(
        quat.multiply(turn(collar_fore - around, "Y"), turn(lift - 90.0 - collar_up, "Z")), turn(-twist, "X")
    )
    parts = {
        "shoulder": collar,
        "upper_arm": upper,
        "lower_arm": quat.multiply(turn(-elbow, "Y"), turn(-palm, "X")),
        "hand": turn(-wrist, "Z"),
        "fingers": turn(-curl, "Z"),
    }
    return {name: _mirrored(q, sign) for name, q in parts.items()}
