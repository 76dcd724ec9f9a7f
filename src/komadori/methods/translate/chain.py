"""Quadruped: a person's walk drives an animal, whole: hind legs, fore legs, spine, neck and tail, the way, and the feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, MISSING, dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from komadori import feet, roles
from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.translate import finishing, gaits, looping, walker
from komadori.methods.translate.aligning import align, sampled
from komadori.methods.translate.animal import Lesson, clip_of, lesson
from komadori.methods.translate.features import finite, joints_of
from komadori.methods.translate.finishing import Performance
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.pace import Pace
from komadori.methods.translate.translator import Translator, fitted_translator
from komadori.motion import Motion
from komadori.numerics import subspace
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import method
from komadori.words import Note

ROUNDS = 3
"""A loop teaches so many rounds, so that its seam is met like any other moment."""
_RIDGE = 0.01
_FEWEST = 8
_MOVING = 0.2
"""Leg lengths a second from which a person goes somewhere."""


@dataclass(frozen=True, eq=False)
class Chain:
    """All that is learnt from one clip of an animal: person's legs to hind legs, hind legs to the rest."""

    lesson: Lesson
    gait: str
    """The reference that it is lined up with: "walk" or "run"."""
    hind: Translator
    rest: Translator
    moved: NDArray[np.intp]
    """Joints whose place against the parent changes."""
    extras: Array
    """(3 * moved + 4, k + 1): those places, and how much each foot stands, from the hind legs' components and 1."""
    contact_error: float
    """How far a hind foot comes down from the person's foot that it was lined up with, on the mean, in frames."""


Gait = Literal["auto", "walk", "run"]


@dataclass(frozen=True)
class QuadrupedOptions:
    """What can be asked of `quadruped`."""

    animal: Character | Motion = parameter(
        MISSING, "a character that brings a clip named walk, or a clip of an animal", reads="animal"
    )
    _: KW_ONLY
    gait: Gait = parameter("auto", "which of the animal's clips answers; auto looks at whether the person runs")
    loop: bool = parameter(False, "the input plays over and over: make the result close")

    def __post_init__(self) -> None:
        check(self)


@method(
    QuadrupedOptions,
    rows=lambda result: [],
    facts=lambda result: {"frames": len(result.motion), "fps": result.motion.fps},
    files=("motion", "character"),
    panel=False,
    title="{path}: put onto {animal}",
    working="putting {count} frames onto {animal}",
    about="The animal brings what it learns from: a clip named walk (and trot or gallop, for a running person).",
    example="komadori quadruped walk.bvh --animal horse -o horse.glb",
)
def quadruped(motion: Motion, options: QuadrupedOptions) -> Performance:
    """The animal walking as the person in `motion` walks, at the frame rate of `motion`.

    `animal`: a character that brings a clip named walk (and trot or gallop for a running person), or a clip of an animal.
    `gait`: "walk" or "run" says which of its clips is taken; "auto" looks at the person. `loop`: the
    person's clip plays over and over, its first frame follows on its last, and so does the animal's. The result carries the evidence: when
    each foot stands, how far it slips, the footfalls, speed and way; where the animal's clip comes from, what was chosen and what could not
    be met is in its notes.
    """
    animal, gait, loop = options.animal, options.gait, options.loop
    if len(motion) < _FEWEST:
        raise OptionError(f"the motion has {len(motion)} frames: fewer than a step")
    finite(motion, "the motion")
    if roles.body_plan(motion.skeleton, motion.pose(0)) == "quadruped":
        raise OptionError("the motion is of an animal already; it must be of a person")
    flight = gaits.flight(motion) or 0.0
    doing = ("run" if flight > gaits.RUNNING else "walk") if gait == "auto" else gait
    name, clip, word = clip_of(animal, doing)
    taught = lesson(name, clip, motion.fps)
    chain = learnt(taught, "run" if doing == "run" and _runs(word, taught) else "walk")
    made = looping.middle(driven(chain, looping.rounds(motion))) if loop else driven(chain, motion)
    notes = (*_told(chain, doing, word, flight), *_strayed(motion))
    return replace(made, motion=made.motion.noted(*notes), notes=notes)


def learnt(taught: Lesson, gait: str = "walk") -> Chain:
    """Everything that the animal's clip teaches, lined up with the reference "walk" or "run"."""
    still = taught.still
    rounds = ROUNDS if taught.loop else 1
    order = np.tile(np.arange(len(still)), rounds)
    shown = still.taken(order)
    on = taught.on[order]
    falls = taught.footfalls
    cycle_s = falls.cycle_s if falls else still.duration_s
    person, error = _lined_up(_travelling(shown, taught.points, on), on, cycle_s, gait)
    options = TranslateOptions(model="static", ridge=_RIDGE, caution=0.0)
    hind_joints = joints_of(still.skeleton, "hind legs", "hind legs")
    inner = np.array([bool(kids) for kids in still.skeleton.children])
    others = tuple(int(j) for j in np.flatnonzero(inner) if j not in hind_joints)
    hind = fitted_translator([(person, shown)], joints_of(person.skeleton, "legs", "legs"), hind_joints, options)
    rest = fitted_translator([(shown, shown)], hind_joints, others, options)
    # The reference walk always lies within what was learnt, at any pace: nothing needs to be held back.
    hind, rest = (replace(one, plain=one.system, pace=Pace(one.pace.size, 0.0)) for one in (hind, rest))
    moved = np.flatnonzero((np.ptp(still.positions, axis=0) > 1e-6 * taught.leg_m).any(axis=1))
    components = rest.space_in.reduced(shown.rotations[:, rest.inputs])
    wanted = np.concatenate([shown.positions[:, moved].reshape(len(shown), -1), on.astype(np.float64)], axis=1)
    centre = wanted.mean(axis=0)
    linear = subspace.ridge_static(components, wanted - centre, _RIDGE).D
    return Chain(taught, gait, hind, rest, moved, np.concatenate([linear, centre[:, None]], axis=1), error)


def driven(chain: Chain, person: Motion) -> Performance:
    """The animal of `chain` driven by `person`, on the person's way; backwards where the person walks so."""
    if not _backwards(person):
        return _driven(chain, person)
    # A walk backwards is a walk played backwards: so it is turned round, and what came out turned back.
    turned = np.arange(len(person))[::-1]
    made = _driven(chain, person.taken(turned))
    hips = roles.known(person.skeleton).get("hips", 0)
    roots = made.motion.skeleton.parents < 0
    positions = np.array(made.motion.positions[turned])
    away = person.world_positions()[0, hips] - made.way[-1]
    positions[:, roots] += away * np.array([1.0, 0.0, 1.0])
    motion = made.motion.taken(turned).replaced(positions=positions)
    contacts = replace(made.contacts, on=made.contacts.on[turned])
    return Performance(motion, contacts, -made.speed[turned], made.way[turned] + away)


def _driven(chain: Chain, person: Motion) -> Performance:
    still, frames = chain.lesson.still, len(person)
    hind = chain.hind.run(walker.in_step(person, chain.gait))
    body = chain.rest.run(still_like(still, hind))
    components = chain.rest.space_in.reduced(body.rotations[:, chain.rest.inputs])
    extras = np.concatenate([components, np.ones((frames, 1))], axis=1) @ chain.extras.T
    positions = np.repeat(still.positions.mean(axis=0)[None], frames, axis=0)
    positions[:, chain.moved] = extras[:, :-4].reshape(frames, -1, 3)
    made = Motion(still.skeleton, still.fps, body.rotations, positions)
    return finishing.finished(made, extras[:, -4:], chain.lesson, person)


def still_like(still: Motion, hind: Motion) -> Motion:
    """`hind` without its notes: what the second translator reads."""
    return Motion(still.skeleton, still.fps, hind.rotations, hind.positions)


def _lined_up(animal: Motion, on: NDArray[np.bool_], cycle_s: float, gait: str) -> tuple[Motion, float]:
    """The reference `gait`, frame by frame beside `animal` (contact on contact), and the mean error of contacts in frames."""
    fps = animal.fps
    cycles = int(np.ceil(len(animal) / (cycle_s * fps))) + 3
    person = walker.reference(gait, cycles, cycle_s, fps)
    warp = align(animal, person, slope=walker.SLOPE, open_ends=True)
    beside = sampled(person, warp.places, fps)
    theirs = feet.contacts(person).standing
    places = np.clip(np.round(warp.places), 0, len(person) - 1).astype(int)
    return beside, gaits.contact_error(on[:, :2], theirs[places])


def _travelling(still: Motion, points: Sequence[int], on: NDArray[np.bool_]) -> Motion:
    """A clip on the spot, moved along +Z as its standing feet ask for, so that contacts can be seen."""
    way = finishing.way_of(still.world_positions()[:, list(points)], on, still.fps)
    positions = np.array(still.positions)
    roots = np.flatnonzero(still.skeleton.parents < 0)
    positions[:, roots, 2] += np.concatenate([[0.0], np.cumsum(way[:-1])])[:, None] / still.fps
    return still.replaced(positions=positions)


def _backwards(person: Motion) -> bool:
    """Whether the person walks backwards for most of the way."""
    return bool(walker.travel(person)[:, 0].mean() < -_MOVING)


def _strayed(person: Motion) -> list[Note]:
    """What is said of a person who does not walk straight ahead."""
    ahead, aside = walker.travel(person).T
    if _backwards(person):
        return [Note("the person walks backwards: the animal does so too, as its walk played backwards")]
    notes = []
    if count := int(np.sum(ahead < -_MOVING)):
        notes.append(Note("the person walks backwards in {count} frame(s): the animal goes forwards", count=count))
    if count := int(np.sum((np.abs(aside) > 2.0 * np.abs(ahead)) & (np.abs(aside) > _MOVING))):
        notes.append(Note("the person walks sideways in {count} frame(s): the animal goes where it faces", count=count))
    return notes


def _runs(word: str, taught: Lesson) -> bool:
    """Whether the clip, found by `word`, is of a running animal: by its name, or by its feet where it has none."""
    falls = taught.footfalls
    return word != "walk" if word else falls is not None and falls.name not in ("walk", "pace")


def _told(chain: Chain, doing: str, word: str, flight: float) -> list[Note]:
    falls = chain.lesson.footfalls
    name = chain.lesson.name or Note("the given clip")
    notes = [
        Note(
            "the animal learnt from {clip}: {gait}, {order}; contacts lined up within {frames:.1f} frame(s)",
            clip=name,
            gait=falls.name if falls else "?",
            order=" ".join(falls.order) if falls else "?",
            frames=chain.contact_error,
        )
    ]
    if doing == "run" and not _runs(word, chain.lesson):
        notes.append(Note("the person runs, but the animal only learnt to walk: it walks at the person's pace"))
    if doing == "walk" and flight > gaits.RUNNING:
        notes.append(Note("the person runs: a walk was asked for"))
    if doing == "run" and flight <= gaits.RUNNING:
        notes.append(Note("the person walks: a run was asked for"))
    if doing == "walk" and _runs(word, chain.lesson) and falls is not None:
        notes.append(
            Note(
                "the person walks, but the animal's clip is no walk ({gait}): it goes at the person's pace",
                gait=falls.name,
            )
        )
    return notes
