"""Acting: what of many differently acted walks shows in animals, whether hooves and joints behave, and how long it takes.

`python -m bench.acting` writes docs/benchmarks/acting.md.
"""

from __future__ import annotations

import sys
import time
from functools import cache
from pathlib import Path

import numpy as np

import komadori
from bench.clips import real_data
from bench.tables import Table, spoken
from bench.traits import TRAITS, spearman, traits
from komadori import Character, Motion, quat
from komadori.characters import character, sample
from komadori.feet.contacts import runs
from komadori.methods.translate import ActingOptions, QuadrupedResult, QuadrupedStream, chain
from komadori.methods.translate.aligning import headings
from komadori.methods.translate.anatomy import bends
from komadori.methods.translate.beast import Beast, beast
from komadori.quat import Array

FPS = 30.0
STYLES = {
    "91_02": "straight", "91_03": "figure eight", "91_10": "slow", "91_11": "lavish", "91_13": "sad", "91_16": "limp",
    "91_17": "quick", "91_18": "careful, looking around", "91_19": "march", "91_22": "casual, quick", "91_23": "cool",
    "91_27": "slow", "91_29": "normal, half turn", "91_30": "sexy", "91_31": "normal",
}  # fmt: skip
OTHERS = (
    "07_01", "07_05", "08_01", "08_04", "08_07", "08_11", "35_01", "35_22", "02_01", "10_01", "49_06", "85_01", "124_01",
    "135_04", "144_05", "13_17",
)  # fmt: skip
"""Other people: walks, a run, then kicks, a cartwheel, a handstand, boxing, which no animal was made for."""
JERK_DEG, DRIFT_CM, HEIGHT_CM, SKATE_CM = 25.0, 2.0, 1.0, 0.5
MEAN, LEAST = 0.8, 0.6
MINUTE_S, FRAME_S = 2.0, 1e-3


def tables() -> list[Table]:
    data = real_data()
    return [*([_ranks(data), _sound(data), _gaits(data)] if data else []), _speed()]


@cache
def _animals(data: Path) -> dict[str, Beast]:
    dog = komadori.load(data / "quadruped_mann_dog_bvh_NC" / "D1_007_KAN01_001.bvh").prepared(FPS)[60:240]
    given: dict[str, Character | Motion] = {
        "built-in horse": character("horse"),
        "Quaternius horse": komadori.load_character(data / "quadruped_gltf" / "quaternius_Horse.glb"),
        "Quaternius wolf": komadori.load_character(data / "quadruped_gltf" / "quaternius_Wolf.glb"),
        "dog (MANN)": dog,
    }
    return {name: beast(body, FPS) for name, body in given.items()}


@cache
def _person(data: Path, name: str) -> Motion:
    folder = "human_cmu_styles" if name in STYLES else "human_cmu_bvh"
    return komadori.load(data / folder / f"{name}.bvh", kind="motion").prepared(FPS)


@cache
def _acted(data: Path, animal: str, person: str) -> QuadrupedResult:
    return chain.driven(_animals(data)[animal], _person(data, person), ActingOptions())


def _ranks(data: Path) -> Table:
    names = list(STYLES)
    people = [traits(_person(data, name)) for name in names]
    halves = (slice(None), slice(0, None, 2), slice(1, None, 2))
    rows, failed = [], []
    for animal in _animals(data):
        beasts = [traits(_acted(data, animal, name).motion) for name in names]
        found = {
            trait: [
                spearman(np.array([p[trait] for p in people[half]]), np.array([b[trait] for b in beasts[half]]))
                for half in halves
            ]
            for trait in TRAITS
        }
        for which, label in enumerate(("all 15", "1st, 3rd, 5th ...", "2nd, 4th, 6th ...")):
            values = [found[trait][which] for trait in TRAITS]
            rows.append((animal, label, *(f"{value:.2f}" for value in values), f"{np.mean(values):.2f}"))
        whole = {trait: values[0] for trait, values in found.items()}
        if (mean := float(np.mean(list(whole.values())))) < MEAN:
            failed.append(f"{animal}: {mean:.2f} on the mean, {MEAN} wanted")
        failed += [f"{animal}: {trait} {v:.2f}, {LEAST} wanted" for trait, v in whole.items() if v < LEAST]
    about = (
        "Fifteen ways of walking by one actor (CMU 91_02 to 91_31), ranked by how strongly each trait shows in the person and in the animal: "
        "Spearman's rank correlation. Traits are measured alike on both, from joint positions: the head's height over the hips; how high the "
        "(hind) feet swing; the standard deviation of the hips' height about its mean over a second, and of the tilt of the hips; stride, steps a "
        "second, speed; left minus right of the lift, and of how far before the other a foot lands. Steps count that are at least half as long "
        "as the clip's long ones. Both halves of the clips were in view while the gains were set, the first half more than the second: "
        "with 7 or 8 clips a half, one clip more or less out of order changes a figure by 0.1 and more. In `left-right stride` "
        "most of these clips differ by 0.03 leg lengths or less."
    )
    return Table("Style", ("animal", "clips", *TRAITS, "mean"), tuple(rows), about, tuple(failed))


def _sound(data: Path) -> Table:
    rows, failed = [], []
    for animal, ready in _animals(data).items():
        for label, clips in (("15 styles", tuple(STYLES)), (f"{len(OTHERS)} others", OTHERS)):
            found = np.array([_figures(ready, _acted(data, animal, clip)) for clip in clips])
            worst = found.max(axis=0)
            rows.append((animal, label, *(f"{v:.{d}f}" for v, d in zip(worst, (1, 2, 2, 2, 0, 0), strict=True))))
            limits = (JERK_DEG, DRIFT_CM, HEIGHT_CM, SKATE_CM)
            for value, limit, what in zip(worst, limits, ("joint step", "drift", "height", "skate"), strict=False):
                if value > limit:
                    failed.append(f"{animal}, {label}: {what} {value:.2f}, at most {limit} wanted")
    about = (
        "The worst of every clip: degrees that any joint turns from one frame to the next at 30 frames a second; centimetres that a standing hoof "
        "is from where it landed, and above or below its height on the ground, and moves a frame, on the mean (at an animal whose hips are 1 m high); "
        "degrees by which a knee, elbow or hock, seen from the side, bends farther than in any calm clip of the animal; and degrees by "
        "which a thigh swings farther. The 16 others are people who took no part in development, except that they were run to see that nothing breaks: "
        "walks, a run, and kicks, a cartwheel, a handstand and boxing."
    )
    columns = (
        "animal",
        "people",
        "joint step",
        "drift",
        "off the ground",
        "skate",
        "beyond range",
        "thigh beyond range",
    )
    return Table("Hooves and joints", columns, tuple(rows), about, tuple(failed))


def _figures(ready: Beast, made: QuadrupedResult) -> tuple[float, ...]:
    body, world = ready.body, made.motion.world_positions()
    q = made.motion.rotations
    jerk = float(np.degrees(quat.angle(quat.multiply(quat.inverse(q[:-1]), q[1:]))).max())
    drift = off = 0.0
    for foot, point in enumerate(body.points):
        for start, stop in runs(made.contacts.on[:, foot]):
            place = world[start:stop, point]
            drift = max(drift, float(np.linalg.norm((place - place[0])[:, ::2], axis=1).max()))
            off = max(off, float(np.abs(place[:, 1] - body.heights[foot]).max()))
    scale = 100.0 / body.unit_m
    return (jerk, scale * drift, scale * off, scale * made.slip.per_frame, *_beyond(ready, made.motion))


def _beyond(ready: Beast, motion: Motion) -> tuple[float, float]:
    """Degrees by which bends and thighs leave the range of the animal's calm clips."""
    own, bend, thigh = _ranges(ready), 0.0, 0.0
    for key, values in _seen(ready, motion).items():
        low, high = own[key]
        over = float(max(low - values.min(), values.max() - high, 0.0))
        if key[1] < 0:
            thigh = max(thigh, over)
        else:
            bend = max(bend, over)
    return bend, thigh


@cache
def _ranges(ready: Beast) -> dict[tuple[int, int], tuple[float, float]]:
    found: dict[tuple[int, int], tuple[float, float]] = {}
    for clip in ready.calm:
        for key, values in _seen(ready, clip).items():
            # What the left leg does, the right one can.
            for twin in (key, (key[0] ^ 1, key[1])):
                low, high = found.get(twin, (np.inf, -np.inf))
                found[twin] = (min(low, float(values.min())), max(high, float(values.max())))
    return found


def _seen(ready: Beast, motion: Motion) -> dict[tuple[int, int], Array]:
    """Degrees of every bend (foot, number), and of the thigh (foot, -1), seen from the side."""
    world = motion.world_positions()
    side = quat.rotate(quat.inverse(headings(motion, world, 0.1))[:, None], world)
    found = {}
    legs = ready.body.legs
    for foot in range(4):
        path = [joint for joint in legs.paths[foot, legs.first :].tolist() if joint >= 0]
        for number, values in enumerate(np.degrees(bends(side, path)).T):
            if np.isfinite(legs.low[foot, number]):
                found[foot, number] = values
        bone = side[:, path[1]] - side[:, path[0]]
        found[foot, -1] = np.degrees(np.arctan2(bone[:, 2], -bone[:, 1]))
    return found


def _gaits(data: Path) -> Table:
    rows, failed = [], []
    people = {"walk (built in)": sample("walk", FPS), "jog (built in)": sample("jog", FPS)}
    for animal, ready in _animals(data).items():
        for label, person in people.items():
            made = chain.driven(ready, person, ActingOptions())
            gait, falls = made.gaits[-1], made.footfalls
            taught = next(cycle for cycle in ready.stage.cycles if cycle.name == gait)
            if falls is None:
                continue
            apart = np.mod(np.subtract(falls.phases, taught.phases) + 0.5, 1.0) - 0.5
            frames = float(np.abs(apart).max()) * falls.cycle_s * FPS
            told = " ".join(f"{phase:.2f}" for phase in falls.phases)
            own = " ".join(f"{phase:.2f}" for phase in taught.phases)
            rows.append((animal, label, gait, ready.clips[gait] or "made from the walk", own, told, f"{frames:.1f}"))
            if gait == "gallop" and frames > 1.0:
                failed.append(f"{animal}: a gallop's contacts are {frames:.1f} frames off, at most 1 wanted")
    about = (
        "When left hind, right hind, left fore and right fore hoof come down, in shares of a cycle: in the animal's own clip, and when it is driven; "
        "and the largest difference in frames at 30 a second."
    )
    columns = ("animal", "person", "gait", "clip", "its own", "driven", "frames apart")
    return Table("Gaits", columns, tuple(rows), about, tuple(failed))


def _speed() -> Table:
    walk, horse = sample("walk", FPS), character("horse")
    rows, failed = [], []
    for seconds_long in (15, 60, 240):
        frames = int(seconds_long * FPS)
        rounds = np.arange(frames) // 120
        way = walk.positions[120, 0] - walk.positions[0, 0]
        person = walk.taken(np.arange(frames) % 120)
        positions = np.array(person.positions)
        positions[:, 0] += rounds[:, None] * way * np.array([1.0, 0.0, 1.0])
        person = person.replaced(positions=positions)
        start, cpu = time.perf_counter(), time.process_time()
        komadori.quadruped(person, horse)
        took, cpu = time.perf_counter() - start, time.process_time() - cpu
        rows.append(
            (f"a clip of {seconds_long} s ({frames:,} frames)", spoken(took), spoken(cpu), spoken(cpu / frames))
        )
        if seconds_long == 60 and cpu > MINUTE_S:
            failed.append(f"a minute takes {spoken(cpu)}, under {MINUTE_S:g} s wanted")
    live = QuadrupedStream(walk.skeleton, horse, FPS)
    for frame in range(60):
        live.push(walk.rotations[frame], walk.positions[frame])
    walls, cpus = [], []
    for frame in range(600):
        start, cpu = time.perf_counter(), time.process_time()
        live.push(walk.rotations[frame % 120], walk.positions[frame % 120])
        walls.append(time.perf_counter() - start)
        cpus.append(time.process_time() - cpu)
    one = float(np.median(cpus))
    rows.append(("one live frame, median", spoken(float(np.median(walls))), spoken(one), spoken(one)))
    if one > FRAME_S:
        failed.append(f"a live frame takes {spoken(one)}, under {spoken(FRAME_S)} wanted")
    about = (
        f"The built-in horse, 30 frames a second. Live frames come {live.look_ahead} frames ({live.look_ahead / FPS:.2f} s) after the person's, "
        "and are the same as those of the whole clip. The processor's own time says more than the clock where other work runs beside."
    )
    return Table("Speed", ("what", "time", "processor", "a frame"), tuple(rows), about, tuple(failed))


if __name__ == "__main__":
    from bench.__main__ import main

    sys.exit(main(["acting"]))
