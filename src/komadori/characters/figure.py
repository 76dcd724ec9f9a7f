"""A human figure in solids: trunk, head, arms, hands, legs and feet, laid around the joints of a skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from komadori import kinematics
from komadori.characters import body
from komadori.characters.modelling import ROUND6, Limb, Part, curve, lock, part, smooth
from komadori.characters.solids import Row, Solid, Stack
from komadori.quat import Array
from komadori.skeleton import Skeleton


@dataclass(frozen=True)
class Build:
    """Girths in metres.

    `trunk` and `neck` rows are height, middle (x, z), half sizes (x, z). `arm` rows are a place (0 shoulder, 1 elbow,
    2 wrist, 3 knuckles), up, front, half sizes (y, z); `leg` rows a place (0 hip, 1 knee, 2 ankle), out, front, half sizes
    (x, z); `foot` rows are z from the ankle, out, height, half sizes (x, y).
    """

    trunk: tuple[Row, ...]
    neck: tuple[Row, ...]
    arm: tuple[Row, ...]
    leg: tuple[Row, ...]
    foot: tuple[Row, ...]
    finger: float
    """A finger's radius."""
    palm: float
    """Half the palm's width."""


def places_of(skeleton: Skeleton) -> dict[str, Array]:
    """Where every joint is at rest, by name."""
    world = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    return dict(zip(skeleton.names, world, strict=True))


def arm_solid(at: Mapping[str, Array], rows: tuple[Row, ...], side: str, sign: float, melt: float = 0.03) -> Stack:
    """An arm (or a sleeve) along x; `rows` as Build has them."""
    joints = [at[f"{side}_{name}"] for name in ("upper_arm", "lower_arm", "hand", "fingers")]
    table = []
    for t, up, front, half_y, half_z in rows:
        x, y, z = _between(joints, t)
        table.append((float(x), float(y) + up, float(z) + front, half_y, half_z))
    return Stack("x", tuple(table if sign > 0 else table[::-1]), melt=melt)


def leg_solid(at: Mapping[str, Array], rows: tuple[Row, ...], side: str, sign: float, melt: float = 0.03) -> Stack:
    """A leg (or a sock, or a trouser leg) along y; `rows` as Build has them."""
    joints = [at[f"{side}_{name}"] for name in ("upper_leg", "lower_leg", "foot")]
    table = []
    for t, out, front, half_x, half_z in rows:
        x, y, z = _between(joints, t)
        table.append((float(y), float(x) + sign * out, float(z) + front, half_x, half_z))
    return Stack("y", tuple(table[::-1]), melt=melt)


def foot_solid(at: Mapping[str, Array], rows: tuple[Row, ...], side: str, sign: float, melt: float = 0.03) -> Stack:
    """A foot (or a shoe) along z; `rows` as Build has them."""
    x, _, z = at[f"{side}_foot"]
    table = tuple((float(z) + dz, float(x) + sign * out, y, rx, ry) for dz, out, y, rx, ry in rows)
    return Stack("z", table, power=2.3, melt=melt)


def _between(joints: list[Array], t: float) -> Array:
    """The point at `t` on the line through `joints`; beyond its ends the line continues."""
    n = int(np.clip(np.floor(t), 0, len(joints) - 2))
    return np.asarray(joints[n] + (t - n) * (joints[n + 1] - joints[n]))


def limbs(skeleton: Skeleton, build: Build, head: tuple[Solid, ...]) -> tuple[Limb, ...]:
    """The figure's limbs: which solids follow which joints."""
    at = places_of(skeleton)
    height = {name: float(place[1]) for name, place in at.items()}
    trunk = ("spine", "chest", "upper_chest", "neck", "head")
    result = [
        Limb(
            ("hips", *trunk),
            (0.0, 1.0, 0.0),
            tuple(height[n] for n in trunk),
            (0.10, 0.12, 0.12, 0.07, 0.05),
            (Stack("y", build.trunk, power=2.25), Stack("y", build.neck)),
        ),
        Limb(("head",), (0.0, 1.0, 0.0), (), (), head),
    ]
    for side, sign in body.SIDES:
        reach = {n: abs(float(at[f"{side}_{n}"][0])) for n in ("shoulder", "upper_arm", "lower_arm", "hand", "fingers")}
        down = {n: -height[f"{side}_{n}"] for n in ("upper_leg", "lower_leg", "foot")}
        names = [f"{side}_{n}" for n in reach]
        result += [
            Limb(
                ("upper_chest", *names),
                (sign, 0.0, 0.0),
                (
                    reach["shoulder"] + 0.03,
                    reach["upper_arm"] + 0.005,
                    *(reach[n] for n in ("lower_arm", "hand", "fingers")),
                ),
                (0.08, 0.10, 0.075, 0.05, 0.03),
                (arm_solid(at, build.arm, side, sign),),
                sign,
            ),
            Limb(
                ("hips", *(f"{side}_{n}" for n in down)),
                (0.0, -1.0, 0.0),
                (down["upper_leg"] - 0.01, down["lower_leg"], down["foot"] - 0.01),
                (0.15, 0.12, 0.07),
                (leg_solid(at, build.leg, side, sign),),
                sign,
            ),
            Limb(
                (f"{side}_foot", f"{side}_toes"),
                (0.0, 0.0, 1.0),
                (float(at[f"{side}_toes"][2]),),
                (0.05,),
                (foot_solid(at, build.foot, side, sign),),
                sign,
            ),
        ]
    return tuple(result)


def fingers(skeleton: Skeleton, build: Build) -> list[Part]:
    """Both hands' fingers and thumbs, each a closed tube that begins inside the palm."""
    at = places_of(skeleton)
    parts = []
    for side, sign in body.SIDES:
        wrist, knuckles, tip, thumb = (at[f"{side}_{n}"] for n in ("hand", "fingers", "fingers_end", "thumb_end"))
        long = abs(float(tip[0] - knuckles[0]))
        hand, bent = skeleton.index(f"{side}_hand"), skeleton.index(f"{side}_fingers")
        r = build.finger
        for spread, length, thick, back in (
            (0.74, 0.92, 0.97, 0.0),
            (0.25, 1.04, 1.0, 0.004),
            (-0.25, 0.98, 0.97, 0.0),
            (-0.72, 0.76, 0.86, -0.009),
        ):
            z = float(knuckles[2]) + spread * build.palm
            y = float(knuckles[1])
            x0 = float(knuckles[0]) + sign * (back - 0.022)
            end = sign * (long * length + 0.022)
            path = curve(
                [
                    (x0, y, z * 1.0),
                    (x0 + 0.45 * end, y + 0.001, z + 0.05 * spread * r),
                    (x0 + 0.8 * end, y - 0.004, z),
                    (x0 + end, y - 0.012, z - 0.1 * spread * r),
                ],
                6,
            )
            radius = r * thick * np.array([1.0, 1.0, 0.98, 0.92, 0.8, 0.42])
            parts.append(_finger(skeleton, path, radius, sign, hand, bent, float(knuckles[0])))
        base = wrist + np.array([sign * 0.012, -0.004, 0.35 * build.palm])
        path = curve(
            [
                base,
                base + 0.5 * (thumb - base) + np.array([0.0, -0.004, 0.006]),
                thumb,
                thumb + np.array([sign * 0.018, -0.004, 0.002]),
            ],
            6,
        )
        radius = r * np.array([1.25, 1.3, 1.15, 1.05, 0.9, 0.5])
        parts.append(_finger(skeleton, path, radius, sign, hand, hand, float(knuckles[0])))
    return parts


def _finger(skeleton: Skeleton, path: Array, radius: Array, sign: float, hand: int, bent: int, knuckle: float) -> Part:
    one = lock(path, radius, radius, np.array([0.0, 1.0, 0.0]), lambda t: np.zeros((len(t), len(skeleton))), ROUND6)
    on = smooth(sign * (one.vertices[:, 0] - knuckle) / 0.03 + 0.5)
    weights = np.zeros((len(one.vertices), len(skeleton)))
    weights[:, bent] += on
    weights[:, hand] += 1.0 - on
    return part(one.vertices, one.triangles, weights)
