"""Beast: an animal made ready to be acted: its gaits as tables, its anatomy, and how far its hooves reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from komadori import kinematics, quat
from komadori.character import Character
from komadori.methods.translate import gaits
from komadori.methods.translate.acting import Stage
from komadori.methods.translate.anatomy import Anatomy, anatomy
from komadori.methods.translate.animal import Lesson, another, clip_of, lesson
from komadori.methods.translate.cycles import Cycle, LegTables, cycle_of
from komadori.methods.translate.posing import Poser, lowest_neck, poser
from komadori.methods.translate.reaching import GIVE
from komadori.methods.translate.stepping import Ground
from komadori.motion import Motion
from komadori.quat import Array

GAITS = {"trot": ("trot",), "gallop": ("gallop", "canter", "run")}
"""The words by which an animal's running clips are known."""
CALM = ("walk", "trot", "canter", "gallop", "run", "idle", "stand")
"""Clips that show how far joints bend when an animal is about its business."""
TROT_S = 0.7
_REACH, _SIDE, _SINK = (0.2, 0.55), 0.28, 0.03
_LEAST_LIFT, _MOST_LIFT = 0.07, 0.14


@dataclass(frozen=True, eq=False)
class Beast:
    """Everything about an animal at one frame rate."""

    taught: Lesson
    body: Anatomy
    stage: Stage
    poser: Poser
    clips: dict[str, str]
    """The clip that each gait was learnt from; "" where it was made up from the walk."""
    calm: tuple[Motion, ...]
    """The clips that showed how far joints bend, on the spot."""


def beast(animal: Character | Motion, fps: float) -> Beast:
    """`animal` made ready, at `fps`."""
    name, clip, _ = clip_of(animal, "walk")
    taught = lesson(name, clip, fps)
    others: dict[str, Lesson] = {}
    calm = [taught.still]
    if isinstance(animal, Character):
        for title, motion in animal.motions.items():
            last = title.lower().rpartition("|")[2]
            if motion is clip or len(motion) < 5 or not motion.skeleton.same_joints(clip.skeleton):
                continue
            if any(word in last for word in CALM) and "jump" not in last and "hit" not in last:
                read = another(title, motion, taught)
                calm.append(read.still)
                for gait, words in GAITS.items():
                    if gait not in others and any(last.startswith(w) or last.endswith(w) for w in words):
                        others[gait] = read
    body = anatomy(taught, calm)
    walk = cycle_of(taught, body, "walk")
    cycles = [walk]
    clips = {"walk": taught.name}
    for gait in GAITS:
        if gait in others:
            cycles.append(cycle_of(others[gait], body, gait))
            clips[gait] = others[gait].name
        elif gait == "trot":
            cycles.append(_trotted(walk))
            clips[gait] = ""
    cycles = [_signed(cycle, walk) for cycle in cycles]
    made = poser(body, tuple(cycles), fps, loose=bool(taught.followers))
    own = clips["trot"] != "" or gaits.named(tuple(walk.phases.tolist())) == "trot"
    stage = Stage(tuple(cycles), _grounds(body, tuple(cycles)), body.unit_m, own, lowest_neck(made))
    return Beast(taught, body, stage, made, clips, tuple(calm))


def _trotted(walk: Cycle) -> Cycle:
    """A trot for an animal that only showed a walk: the same legs, on diagonal pairs, for shorter stances."""
    if gaits.named(tuple(walk.phases.tolist())) == "trot":
        return replace(walk, name="trot")
    phases = np.array(gaits.GAITS["trot"])
    duty = np.full(4, 0.42)
    return replace(walk, name="trot", phases=phases, duty=duty, cycle_s=TROT_S, lift=1.4 * walk.lift)


def _signed(cycle: Cycle, like: Cycle) -> Cycle:
    """`cycle` with quaternions of the signs of `like`, so that the two can be mixed."""

    def near(q: Array, mean: Array) -> Array:
        return np.where(np.einsum("...i,...i->...", q, mean)[..., None] < 0.0, -q, q)

    parts = []
    for name in ("stance", "swing", "stance_hoof", "swing_hoof"):
        middle = quat.normalized(getattr(like.legs, name).mean(axis=1, keepdims=True))
        parts.append(near(getattr(cycle.legs, name), middle))
    return replace(cycle, body=near(cycle.body, like.mean), mean=near(cycle.mean, like.mean), legs=LegTables(*parts))


def _grounds(body: Anatomy, cycles: tuple[Cycle, ...]) -> tuple[Ground, ...]:
    walk, unit = cycles[0], body.unit_m
    grounds = []
    for foot in range(4):
        half = max(float(cycle.half[foot]) for cycle in cycles) / unit
        reach = min(max(1.2 * half, _reach(body, walk, foot) / unit, _REACH[0]), _REACH[1])
        side = max(0.6 * _reach(body, walk, foot) / unit, 0.15)
        lift = min(max(float(walk.lift[foot]) / unit, _LEAST_LIFT), _MOST_LIFT)
        grounds.append(
            Ground(float(walk.home[foot, 0]) / unit, float(walk.home[foot, 1]) / unit, reach, min(_SIDE, side), lift)
        )
    return tuple(grounds)


def _reach(body: Anatomy, walk: Cycle, foot: int) -> float:
    """Metres before and behind its home that a hoof gets, as long as the leg is and as high as the body stands."""
    build = body.legs
    places = kinematics.world_positions(body.skeleton, walk.mean[None], body.positions[None])
    top = places[0, build.paths[foot, build.first]]
    hoof = walk.legs.stance_hoof[foot, len(walk.legs.stance_hoof[foot]) // 2]
    ankle = np.array([walk.home[foot, 0], body.heights[foot], walk.home[foot, 1]]) - quat.rotate(hoof, build.sole[foot])
    away = top - ankle
    flat = float(np.sqrt(max((GIVE * build.longest[foot]) ** 2 - (away[1] - _SINK * body.unit_m) ** 2, 0.0)))
    return flat - float(np.hypot(away[0], away[2]))
