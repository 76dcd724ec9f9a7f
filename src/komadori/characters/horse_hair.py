"""The horse's mane, forelock, tail and ears: locks that follow their chains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from komadori.character import Chain
from komadori.characters import strands
from komadori.characters.body import SIDES
from komadori.characters.figure import places_of
from komadori.characters.horse_skeleton import MANE, ROOTS, TAIL, crest, skeleton
from komadori.characters.modelling import (
    LENS6,
    Limb,
    Part,
    Weighing,
    chain_weights,
    curve,
    limb_weights,
    lock,
    still,
    swinging,
)
from komadori.characters.strands import Strand, chain, joints_of
from komadori.quat import Array, cross


def chains() -> tuple[Chain, ...]:
    """Forelock and mane, the tail, and both ears."""
    bones = skeleton()
    rows = [("tail", "tail", TAIL), *((f"{side}_ear", "ear", (f"{side}_ear", f"{side}_ear_end")) for side, _ in SIDES)]
    others = [chain(bones, name, kind, [bones.index(joint) for joint in joints]) for name, kind, joints in rows]
    return (*strands.chains(bones, MANE), *others)


def ear(side: str, sign: float) -> Part:
    """An ear, which goes with its bone."""
    at = places_of(skeleton())
    base, tip = at[f"{side}_ear"], at[f"{side}_ear_end"]
    path = curve([base - 0.25 * (tip - base), base + 0.4 * (tip - base) + [sign * 0.006, 0.0, -0.006], tip], 7)
    widths = np.array([0.026, 0.032, 0.034, 0.032, 0.026, 0.016, 0.003])
    return lock(path, widths, 0.6 * widths, np.array([sign * 0.55, 0.2, 0.8]), still(skeleton(), f"{side}_ear"))


#   along the crest from the strand, length, half width, side
LOCKS = ((-0.085, 0.86, 0.046, 1.0), (0.0, 1.0, 0.058, 1.0), (0.055, 0.72, 0.040, -1.0))
"""The locks of one strand of the mane: two fall to the left, a shorter one to the right."""


def mane(limbs: Sequence[Limb]) -> list[Part]:
    """The mane's locks, whose roots go with the neck's skin (of `limbs`), and the forelock."""
    parts = []
    for share, strand in zip(ROOTS, MANE[1:], strict=True):
        root = np.array(strand.points[0])
        for along, long, wide, side in LOCKS:
            start = crest(min(max(share + along, 0.0), 1.0))
            places = start + (np.array(strand.points) - root) * [side, long, 1.0]
            inside = start + np.array([-0.02 * side, -0.05, 0.0])
            path = curve(np.concatenate([[inside], places]), 10)
            widths = wide * np.array([0.5, 0.8, 0.95, 1.05, 1.1, 1.05, 0.92, 0.7, 0.42, 0.03])
            depths = 0.018 * np.array([1.0, 1.0, 1.0, 1.0, 0.95, 0.9, 0.75, 0.6, 0.4, 0.1])
            weights = _rooted(limbs, start, strand, long)
            parts.append(lock(path, widths, depths, np.array([side, 0.55, -0.1]), weights, LENS6))
    fore = MANE[0]
    for x, end, wide in ((0.0, 1.0, 0.034), (0.022, 0.8, 0.026)):
        path = fore.path[: int(96 * end) + 1][np.linspace(0, int(96 * end), 9).round().astype(int)]
        path = path + np.linspace(0.0, 1.0, 9)[:, None] * [x, 0.0, 0.0]
        widths = wide * np.array([0.6, 0.9, 1.0, 1.0, 0.95, 0.85, 0.65, 0.4, 0.03])
        weights = swinging(skeleton(), joints_of(skeleton(), fore)[:-1], 0.0, end * fore.bones)
        parts.append(lock(path, widths, 0.3 * widths, np.array([0.0, 0.7, 0.8]), weights, LENS6))
    return parts


def _rooted(limbs: Sequence[Limb], root: Array, strand: Strand, long: float) -> Weighing:
    """Weights of a lock that grows from the skin at `root` and goes over into the strand's bones."""
    bones = skeleton()
    skin = limb_weights(bones, limbs, root[None], melt=0.06)
    joints = joints_of(bones, strand)[:-1]

    def weights(t: Array) -> Array:
        free = np.clip((t - 0.15) / 0.3, 0.0, 1.0)[:, None]
        # The first quarter of the path, before the strand begins, lies inside the neck.
        along = chain_weights(bones, joints, (t - 0.2) / 0.8 * strand.bones * long)
        return np.asarray((1.0 - free) * skin + free * along)

    return weights


def tail() -> list[Part]:
    """The tail's locks."""
    bones, at = skeleton(), places_of(skeleton())
    joints = [bones.index(name) for name in TAIL[:-1]]
    points = np.array([at[name] for name in TAIL])
    inside = points[0] + [0.0, -0.01, 0.07]
    parts = []
    for x, z, end, wide in (
        (0.0, 0.0, 1.0, 0.074),
        (0.046, 0.014, 0.92, 0.046),
        (-0.048, 0.012, 0.95, 0.046),
        (0.012, -0.036, 0.90, 0.048),
    ):
        spread = np.array([0.0, 0.3, 0.8, 1.0, 1.0, 0.9, 0.6])[:, None]
        path = curve(np.concatenate([inside[None], points + spread * [x, 0.0, z]]), 97)[: int(96 * end) + 1]
        path = path[np.linspace(0, len(path) - 1, 15).round().astype(int)]
        t = np.linspace(0.0, 1.0, 15)
        widths = (
            wide
            * (0.42 + 0.58 * np.sin(0.5 * np.pi * np.clip(t / 0.5, 0, 1)))
            * np.cos(0.5 * np.pi * np.clip((t - 0.55) / 0.45, 0, 1)) ** 0.8
        )
        widths = np.maximum(widths, 0.02 * wide)
        out = cross(np.gradient(path, axis=0), np.array([-1.0, 0.0, 0.6 * np.sign(x)]))
        # The first bone of the curve lies inside the body; the chain begins after it.
        parts.append(
            lock(
                path,
                widths,
                0.62 * widths,
                out,
                swinging(bones, joints, -1.0, 7.0 * end - 1.0),
                LENS6,
            )
        )
    return parts
