"""Paired: the paper's own route. One clip of the animal for each style, beside a person in that style, teaches linear systems.

A person's legs drive the hind legs, these the fore legs (Maeda et al., section 3.1). Beyond the paper, trunk and legs drive back, neck, head and tail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.feet.contacts import runs
from komadori.methods.translate import gaits
from komadori.methods.translate.acting import Beats
from komadori.methods.translate.aligning import align, leg_length, smoothed
from komadori.methods.translate.animal import Lesson, another, standing
from komadori.methods.translate.beast import Beast
from komadori.methods.translate.cycles import Cycle, cycle_of
from komadori.methods.translate.features import finite, joints_of
from komadori.methods.translate.manner import AS
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.poser import Poser
from komadori.methods.translate.posing import OwnPose, based, goals_of, yawed
from komadori.methods.translate.stepping import FALLING, HIGHEST
from komadori.methods.translate.translator import Translator, fitted_translator
from komadori.methods.translate.turning import product
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Note

ROUNDS = 2.0
"""A loop is played so many times as long as the person's clip, so that time warping finds its beginning in it."""
SLOPE = 3
"""Frames of the one clip that go with a frame of the other at most."""
TRUNK = ("spine", "chest", "upper_chest", "neck", "head")
"""What of a person speaks to the animal's back, neck, head and tail, beside the legs."""
_MOVES = np.radians(0.3)
"""A joint that turns less than this in all clips is left as it stands."""
ASTRAY = (0.1, 0.3)
"""Units that the answer's hoof may be off its place: up to the first the answer's leg is taken, from the second on the gait's."""
_UP = np.array([0.0, 1.0, 0.0])
_HEIGHT_S = 0.12
_NEAR_S = 0.1


@dataclass(frozen=True, eq=False)
class Paired:
    """What the pairs taught: translators from a person's legs to the hind legs, from these to the fore legs, and from legs and trunk to the rest of the body.

    `cycles` are the gaits of the animal's clips, `gain` the animal's units that it goes where a person goes a leg length.
    """

    hind: Translator
    fore: Translator
    rest: Translator | None
    cycles: tuple[Cycle, ...]
    gain: float

    @property
    def translators(self) -> tuple[Translator, ...]:
        """All of them, in the order in which they run."""
        return (self.hind, self.fore, *((self.rest,) if self.rest is not None else ()))


def paired(ready: Beast, people: Sequence[Motion], clips: Sequence[Motion]) -> Paired:
    """What `people` and the animal's `clips`, one for each, teach."""
    if len(people) != len(clips):
        raise OptionError(
            "clips",
            expected=Note("one clip of the animal for each person ({count})", count=len(people)),
            found=len(clips),
        )
    taught, body = ready.taught, ready.body
    fps = taught.still.fps
    lessons = []
    for clip in clips:
        if not clip.skeleton.same_joints(taught.skeleton):
            raise OptionError("clips", problem=Note("a clip is of another rig than the animal"))
        lessons.append(another("", clip, taught))
    cycles = tuple(cycle_of(lesson, body, "walk") for lesson in lessons)
    pairs, ways = [], []
    for person, lesson, cycle in zip(people, lessons, cycles, strict=True):
        if person.skeleton.names != people[0].skeleton.names:
            raise OptionError("people", problem=Note("a person's clip is of another rig than the first"))
        finite(person, "people")
        animal, way_m = _together(person.resampled(fps), lesson, cycle)
        pairs.append((person.resampled(fps), animal))
        ways.append((way_m / body.unit_m, _way(person)))
    # A style that is held out cannot be predicted from the others: the halves of every clip are judged by what all styles teach.
    pairs = [(a[part], b[part]) for a, b in pairs for part in (slice(0, len(a) // 2), slice(len(a) // 2, None))]
    options = TranslateOptions(model="n4sid")
    hind, fore = (
        [joint for foot in feet for joint in body.legs.paths[foot].tolist() if joint >= 0] for feet in ((0, 1), (2, 3))
    )
    rest = _others(ready, [animal for _, animal in pairs])
    legs = joints_of(people[0].skeleton, "legs", "people")
    known = roles.known(people[0].skeleton)
    trunk = [known[role] for role in TRUNK if role in known]
    own = [(animal, animal) for _, animal in pairs]
    return Paired(
        # Pairs may show several gaits, so that none is the one that was learnt.
        replace(fitted_translator(pairs, legs, tuple(hind), options), flight=float("nan")),
        fitted_translator(own, tuple(hind), tuple(fore), options),
        fitted_translator(pairs, (*legs, *trunk), rest, options) if rest else None,
        cycles,
        sum(way for way, _ in ways) / max(sum(way for _, way in ways), 1e-6),
    )


def _way(person: Motion) -> float:
    """The leg lengths that a person goes over the ground."""
    world, known = person.world_positions(), roles.known(person.skeleton)
    path = smoothed(world[:, known["hips"], ::2], person.fps, 0.25)
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum()) / leg_length(person.skeleton, known, world)


def _together(person: Motion, lesson: Lesson, cycle: Cycle) -> tuple[Motion, float]:
    """The animal's clip in step with a person, on the person's frames, and the metres that it goes."""
    still = lesson.still
    frames = np.arange(len(still))
    if lesson.loop:
        frames = np.arange(round(ROUNDS * len(person)) + 2 * len(still)) % len(still)
    played = still.taken(frames)
    # Feet of an animal on the spot slide: it goes its way while it is aligned, so that its contacts count.
    positions = np.array(played.positions)
    away = cycle.stride_m / cycle.cycle_s / still.fps * np.arange(len(played))
    positions[:, still.skeleton.parents < 0, 2] += away[:, None]
    going = played.replaced(positions=positions)
    # A clip longer than the person's shows more than is answered.
    inside = len(played) > len(person)
    try:
        warp = align(person, going, slope=SLOPE, open_ends=inside)
    except OptionError:
        # Clips of very different lengths: no pace of the one fits the other evenly.
        warp = align(person, going, open_ends=inside)
    return warp.applied_to(played), float(np.ptp(np.interp(warp.places, np.arange(len(away)), away)))


def _others(ready: Beast, clips: Sequence[Motion]) -> tuple[int, ...]:
    """The joints of back, neck, head and tail that turn in the clips, ears and the like with them."""
    body = ready.body
    legs = body.skeleton.below(sorted({int(path[path >= 0][0]) for path in body.legs.paths}))
    every = np.concatenate([clip.rotations for clip in clips])
    turns = quat.angle(quat.multiply(quat.inverse(quat.mean(every)), every)).max(axis=0)
    free = ~legs & (turns > _MOVES)
    free[body.still] = False
    return tuple(np.flatnonzero(free).tolist())


def performed(ready: Beast, learnt: Paired, person: Motion) -> Motion:
    """The animal on the spot, facing +Z, as the systems answer `person`."""
    hind = learnt.hind.run(person)
    answers = [(learnt.hind, hind), (learnt.fore, learnt.fore.run(hind))]
    if learnt.rest is not None:
        answers.append((learnt.rest, learnt.rest.run(person)))
    rotations = np.repeat(ready.stage.cycles[0].mean[None], len(hind), axis=0)
    for own, made in answers:
        rotations[:, list(own.outputs)] = made.rotations[:, list(own.outputs)]
    told = tuple(note for note in hind.notes if note not in person.notes)
    return Motion(hind.skeleton, hind.fps, quat.continuous(rotations), hind.positions, notes=told)


def gait_of(ready: Beast, learnt: Paired, rotations: Array) -> Cycle:
    """The gait that the answer goes in: when its own feet come down, else that of the nearest clip."""
    soles = _soles(ready, rotations)
    fps = ready.taught.still.fps
    on = standing(soles, fps, False)
    falls = gaits.footfalls(on, fps)
    taught = learnt.cycles
    nearest = taught[0]
    if falls is not None:
        far = [
            float(np.abs(np.mod(np.subtract(cycle.phases, falls.phases) + 0.5, 1.0) - 0.5).max()) for cycle in taught
        ]
        nearest = taught[int(np.argmin(far))]
    return nearest


def _soles(ready: Beast, rotations: Array) -> Array:
    """(F, 4, 3) where the hooves are in the body's frame."""
    body = ready.body
    positions = np.broadcast_to(body.positions, (len(rotations), *body.positions.shape))
    return kinematics.world_positions(body.skeleton, rotations, positions)[:, list(body.points)]


def own_pose(ready: Beast, p: Poser, rotations: Array, beats: Beats) -> tuple[OwnPose, Beats]:
    """The pose that posing takes in place of a gait's, and `beats` with hooves as high, and a body as low, as the answer has them."""
    body, fps = ready.body, ready.taught.still.fps
    unit = body.unit_m
    soles = _soles(ready, rotations)
    over = soles[..., 1] - body.heights
    flies = beats.hooves[:, :, 5] > 0.5
    # The body is as high as its standing legs make it.
    stood = np.where(flies, np.inf, over).min(axis=1)
    lowest = np.where(np.isfinite(stood), stood, over.min(axis=1))
    height = -smoothed(lowest[:, None], fps, _HEIGHT_S)[:, 0]
    height = np.clip(height, -ready.stage.crouch * unit, 0.05 * unit)
    manner = np.array(beats.manner)
    manner[:, AS["height"]] += height / unit
    hooves = np.array(beats.hooves)
    near = round(_NEAR_S * fps)
    for foot in range(4):
        for start, stop in runs(flies[:, foot]):
            swing = slice(max(start - near, 0), stop + near)
            peak = float((over[swing, foot] + height[swing]).max()) / unit
            highest = min(HIGHEST, ready.stage.grounds[foot].highest, FALLING * (stop - start) / fps / np.pi)
            peak = highest * float(np.tanh(max(peak, 0.0) / highest))
            was = float(hooves[start:stop, foot, 3].max())
            hooves[start:stop, foot, 3] *= peak / max(was, 1e-6)
    beats = Beats(beats.body, hooves, beats.weights, manner)
    turned, _ = kinematics.world_transforms(
        body.skeleton, rotations, np.broadcast_to(body.positions, (*rotations.shape[:2], 3))
    )
    paths = body.legs.paths
    local = np.where((paths >= 0)[..., None], rotations[:, np.maximum(paths, 0)], quat.IDENTITY)
    hoof = product(yawed(beats), turned[:, paths[:, -1]])
    # Where the answer's leg is far from where its hoof has to be (it swings while that stands), the gait's own pose comes nearer.
    goals = goals_of(p, beats)
    usual, flat = based(p, beats, goals)
    astray = np.linalg.norm(soles + height[:, None, None] * _UP - goals, axis=2) / unit
    share = np.clip((astray - ASTRAY[0]) / (ASTRAY[1] - ASTRAY[0]), 0.0, 1.0)
    padded = np.pad(share, ((near, near), (0, 0)), mode="edge")
    share = np.lib.stride_tricks.sliding_window_view(padded, 2 * near + 1, axis=0).max(axis=-1)
    share = smoothed(share, fps)[..., None]
    legs = quat.slerp(local, usual, np.broadcast_to(share, local.shape[:-1]))
    return OwnPose(rotations, legs, quat.slerp(hoof, flat, share[..., 0])), beats
