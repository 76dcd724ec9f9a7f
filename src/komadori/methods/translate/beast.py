"""Beast: an animal prepared for acting: its gaits as tables, its anatomy, and how far its hooves reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.translate import gaits
from komadori.methods.translate.acting import BEAT, HOOF, ON, Beats, Stage
from komadori.methods.translate.anatomy import Anatomy, anatomy
from komadori.methods.translate.animal import Lesson, another, clip_of, lesson, steps, told, unlearnable, words_of
from komadori.methods.translate.cycles import Cycle, LegTables, cycle_of
from komadori.methods.translate.drawn import LIVELY, WALK, at_rest, drawn, planted
from komadori.methods.translate.manner import AS, FIELDS, LIMIT
from komadori.methods.translate.poser import Poser, lowest_neck, poser
from komadori.methods.translate.posing import Memory, posed
from komadori.methods.translate.reaching import GIVE
from komadori.methods.translate.stepping import Ground
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Note

GAITS = {"trot": ("trot",), "gallop": ("gallop", "canter", "run")}
"""The words by which an animal's running clips are known."""
CALM = ("walk", "trot", "canter", "gallop", "run", "idle", "stand")
"""Clips that show how far joints bend in everyday movement."""
LEAPS, REARS = ("jump", "leap"), "rear"
"""The words by which clips are known that say whether an animal leaps or rears when a person jumps on the spot."""
HIGHEST_REAR, LEAST_REAR = 0.75, 0.2
"""Radians."""
TROT_S = 0.7
_FEWEST = 5
"""Frames of a clip that shows a walk."""
_REACH, _SIDE, _SINK = (0.2, 0.55), 0.28, (0.03, 0.08)
_LEAST_LIFT, _MOST_LIFT, _LEAST_SIDE, _FOLDED = 0.07, 0.14, 0.08, 1.03


@dataclass(frozen=True, eq=False)
class Beast:
    """Everything about an animal at one frame rate."""

    taught: Lesson
    body: Anatomy
    stage: Stage
    poser: Poser
    clips: dict[str, str]
    """The clip that each gait was learnt from; "" if it was made up from the walk."""
    calm: tuple[Motion, ...]
    """The clips that showed how far joints bend, on the spot."""
    made_up: bool
    """Whether the animal brought no walk, so that one was drawn from how it stands at rest."""


def beast(animal: Character | Motion, fps: float) -> Beast:
    """`animal` made ready, at `fps`."""
    taught, clip, stance = _taught(animal, fps)
    others: dict[str, Lesson] = {}
    calm = [taught.still]
    if stance is not None and (lively := drawn(stance, *LIVELY)) is not None:
        calm.append(another("", lively, taught).still)
    if isinstance(animal, Character):
        for title, motion in animal.motions.items():
            last, words = title.lower().rpartition("|")[2], words_of(title)
            if motion is clip or len(motion) < 5 or not motion.skeleton.same_joints(clip.skeleton):
                continue
            if any(word in last for word in CALM) and "jump" not in last and "hit" not in last:
                read = another(title, motion, taught)
                calm.append(read.still)
                for gait, names in GAITS.items():
                    if gait not in others and told(words, names):
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
    made = poser(body, tuple(cycles), fps)
    own = clips["trot"] != "" or gaits.named(tuple(walk.phases.tolist())) == "trot"
    grounds = tuple(_bounded(made, _grounds(body, tuple(cycles))))
    rear = 0.0 if _leaps(animal) else _rear(made, grounds)
    stage = Stage(tuple(cycles), grounds, body.unit_m, own, lowest_neck(made), _crouch(made, grounds), rear)
    return Beast(taught, body, stage, made, clips, tuple(calm), stance is not None)


def _taught(animal: Character | Motion, fps: float) -> tuple[Lesson, Motion, Motion | None]:
    """The walk that is learnt, the clip that shows it, and the frame that it was made up from if the animal brings none."""
    found = clip_of(animal)
    if found is None and isinstance(animal, Character):
        if roles.body_plan(animal.skeleton) != "quadruped":
            raise unlearnable(animal)
        # A single clip may have any name.
        found = next(iter(animal.motions.items())) if len(animal.motions) == 1 else None
    read = lesson(*found, fps) if found is not None and len(found[1]) >= _FEWEST else None
    if found is not None and read is not None and steps(read):
        return read, found[1], None
    for stance in (found[1][:1] if found is not None else None, at_rest(animal.skeleton)):
        if stance is not None and (walk := drawn(stance, *WALK)) is not None:
            taught = lesson("", walk, fps)
            return replace(taught, on=planted(len(taught.still))), walk, stance
    if found is None or read is None:
        raise OptionError("animal", problem=Note("the walk clip shows no steps"))
    return read, found[1], None


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
    for name in ("stance", "swing"):
        middle = quat.normalized(getattr(like.legs, name).mean(axis=1, keepdims=True))
        parts.append(near(getattr(cycle.legs, name), middle))
    return replace(cycle, body=near(cycle.body, like.mean), mean=near(cycle.mean, like.mean), legs=LegTables(*parts))


def _grounds(body: Anatomy, cycles: tuple[Cycle, ...]) -> tuple[Ground, ...]:
    walk, unit = cycles[0], body.unit_m
    grounds = []
    for foot in range(4):
        half = max(float(cycle.half[foot]) for cycle in cycles) / unit
        easy, hard = (_reach(body, walk, foot, sink) / unit for sink in _SINK)
        reach = min(max(min(1.2 * half, hard), easy, _REACH[0]), _REACH[1])
        side = max(0.6 * easy, 0.15)
        lift = min(max(float(walk.lift[foot]) / unit, _LEAST_LIFT), _MOST_LIFT)
        home = (float(walk.home[foot, 0]) / unit, float(walk.home[foot, 1]) / unit)
        highest = max(_away(body, walk, foot)[1] - _FOLDED * body.legs.shortest[foot], 0.0) / unit
        grounds.append(Ground(*home, reach, min(_SIDE, side), lift, max(float(highest), lift)))
    return tuple(grounds)


def _bounded(p: Poser, grounds: tuple[Ground, ...]) -> Iterator[Ground]:
    """`grounds` with no more reach than the joints' ranges allow while the body hardly sinks."""
    tries = np.arange(1.0, 0.3, -0.05)
    for foot, ground in enumerate(grounds):
        found = []
        for way, far in (
            ((0.0, 1.0), ground.reach),
            ((0.0, -1.0), ground.reach),
            ((1.0, 0.0), ground.reach_side),
            ((-1.0, 0.0), ground.reach_side),
        ):
            places = np.zeros((4, 2))
            for share in tries.tolist():
                places[foot] = far * share * np.array(way)
                if _reached(p, grounds, places, 0.0)[foot]:
                    break
            found.append(far * share)
        yield replace(ground, reach=max(min(found[:2]), _REACH[0]), reach_side=max(min(found[2:]), _LEAST_SIDE))


def _leaps(animal: Character | Motion) -> bool:
    """Whether a jump on the spot is a leap: an animal that brings a clip of a jump leaps, unless it brings one of rearing too."""
    names = [name.lower().rpartition("|")[2] for name in animal.motions] if isinstance(animal, Character) else []
    return any(word in name for name in names for word in LEAPS) and not any(name.startswith(REARS) for name in names)


def _rear(p: Poser, grounds: tuple[Ground, ...]) -> float:
    """Radians by which the body can rear with its hind hooves under it; 0 where that is hardly any."""
    for rear in np.arange(HIGHEST_REAR, LEAST_REAR, -0.05).tolist():
        if _reached(p, grounds, np.zeros((4, 2)), 0.0, rear)[:2].all():
            return float(rear)
    return 0.0


def _crouch(p: Poser, grounds: tuple[Ground, ...]) -> float:
    """Units by which the body can be lowered with its hooves under it, fore and aft as in a step."""
    split = np.array(
        [[0.0, way * 0.5 * ground.reach] for way, ground in zip((1.0, -1.0, -1.0, 1.0), grounds, strict=True)]
    )
    for depth in np.arange(LIMIT["crouch"], 0.02, -0.01).tolist():
        if _reached(p, grounds, split, depth).all() and _reached(p, grounds, -split, depth).all():
            return float(depth)
    return 0.02


def _reached(
    p: Poser, grounds: tuple[Ground, ...], places: Array, depth: float, rear: float = 0.0
) -> NDArray[np.bool_]:
    """(4,) which hooves stand that are `places` (4, 2) to the left and ahead of home, while the body is `depth` lower and rears; all in units."""
    hooves = np.zeros((1, 4, len(HOOF)))
    hooves[0, :, 0] = [ground.side for ground in grounds]
    hooves[0, :, 1] = [ground.ahead for ground in grounds]
    hooves[0, :, :2] += places
    manner = np.zeros((1, len(FIELDS)))
    manner[0, AS["height"]] = -depth
    memory, body = Memory(), np.zeros((1, len(BEAT)))
    body[0, ON["rear"]] = rear
    if rear:
        hooves[0, 2:, 5] = 1.0
        hooves[0, 2:, 7:9] = hooves[0, 2:, :2]
    stands = posed(p, Beats(body, hooves, np.eye(len(p.cycles))[:1], manner), memory)[2]
    return np.asarray(stands[0] & (memory.depth < _SINK[1] * p.body.unit_m))


def _reach(body: Anatomy, walk: Cycle, foot: int, sink: float) -> float:
    """Metres before and behind its home that a hoof gets, as long as the leg is and as high as the body stands, lowered by `sink` units."""
    away = _away(body, walk, foot)
    longest = body.legs.longest[foot]
    flat = float(np.sqrt(max((GIVE * longest) ** 2 - (away[1] - sink * body.unit_m) ** 2, 0.0)))
    return flat - float(np.hypot(away[0], away[2]))


def _away(body: Anatomy, walk: Cycle, foot: int) -> Array:
    """(3,) metres from where a hoof begins to where its leg does, in the mean pose with the hoof at home."""
    build = body.legs
    places = kinematics.world_positions(body.skeleton, walk.mean[None], body.positions[None])
    top = places[0, build.paths[foot, build.first]]
    hoof = walk.legs.stance[foot, len(walk.legs.stance[foot]) // 2, -1]
    ankle = np.array([walk.home[foot, 0], body.heights[foot], walk.home[foot, 1]]) - quat.rotate(hoof, build.sole[foot])
    return np.asarray(top - ankle)
