"""Quadruped: a person acts an animal: steps, turns, stops and manner become those of a horse, a wolf or a dog."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
from komadori.errors import OptionError
from komadori.methods.translate import looping
from komadori.methods.translate.acting import ON, Acting, Beats, acted
from komadori.methods.translate.animal import loosened
from komadori.methods.translate.beast import Beast, beast
from komadori.methods.translate.features import finite
from komadori.methods.translate.live import QuadrupedStream
from komadori.methods.translate.paired import Paired, gait_of, own_pose, paired, performed
from komadori.methods.translate.performance import QuadrupedResult
from komadori.methods.translate.posing import Memory, posed
from komadori.methods.translate.quadruped_options import ActingOptions, QuadrupedOptions
from komadori.methods.translate.reading import travelled, unwound, with_speeds
from komadori.methods.translate.watching import start_of, watched
from komadori.motion import Motion
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.words import Note

_FEWEST = 8


def _rows(result: QuadrupedResult) -> list[Row]:
    values = {name: one.value for name, one in result.measures.items()}
    gaits = [gait for gait in ("walk", "trot", "gallop") if gait in result.gaits]
    return [
        (
            Note("gait"),
            Note(
                "{gait}; {speed:.2f} m/s, {steps} steps",
                gait=", ".join(gaits),
                speed=values["speed"],
                steps=int(values["steps"]),
            ),
        ),
        (
            Note("feet"),
            Note(
                "slip {slip:.2f} cm per frame; largest drift of a planted foot {drift:.1f} cm",
                slip=values["foot_slip"],
                drift=values["largest_foot_drift"],
            ),
        ),
    ]


@method(
    QuadrupedOptions,
    rows=_rows,
    files=("motion", "character"),
    panel=False,
    title="{path}: performed by {animal}",
    working="turning {count} frames into the motion of {animal}",
    about="The animal needs a clip named walk (and trot or gallop, for a running person).",
    example="komadori quadruped walk.bvh --animal horse -o horse.glb",
    stream=QuadrupedStream,
)
def quadruped(motion: Motion, options: QuadrupedOptions) -> QuadrupedResult:
    """The animal acting as the person in `motion` does, at the frame rate of `motion`.

    `animal`: a character that brings a clip named walk (and trot or gallop for a running person), or a clip of an animal.
    Its hooves step when the person's feet do, and stay where they stand; it stops, turns, backs up and leaps where the person
    does, as far as its legs allow; stoop, lift, bounce, sway, limp and gaze come through, each as strongly as its option says.
    `people` and `clips`: where the animal has a clip for each style, and there is a person in each, linear systems that are identified from these pairs
    (N4SID, as in the paper) pose its legs and body instead; stoop, head, lift, sway, lean and arms are then those of the clips.
    `loop`: the person's clip plays over and over, its first frame follows on its last, and so does the animal's.
    """
    if len(motion) < _FEWEST:
        raise OptionError(
            "motion", expected=Note("at least one step"), found=Note("{count:frame|frames}", count=len(motion))
        )
    finite(motion, "motion")
    if roles.body_plan(motion.skeleton, motion.pose(0)) == "quadruped":
        raise OptionError("motion", expected=Note("a motion of a person"), found=Note("one of an animal"))
    ready = beast(options.animal, motion.fps)
    learnt = paired(ready, options.people, options.clips) if options.people or options.clips else None
    if options.loop:
        made = looping.middle(driven(ready, looping.rounds(motion), options, learnt))
        made = replace(made, source_motion=motion)
    else:
        made = driven(ready, motion, options, learnt)
    notes = [*made.notes, *_notes(ready, made, options)]
    return replace(made, motion=made.motion.noted(*notes), notes=tuple(notes))


def driven(ready: Beast, person: Motion, options: ActingOptions, learnt: Paired | None = None) -> QuadrupedResult:
    """The animal driven by `person`, along the person's path; if pairs were given, the systems learnt from them pose it."""
    reader, rows = watched(person)
    rows = travelled(unwound(rows), person.fps)
    stage, poser, pose = ready.stage, ready.poser, None
    if learnt is not None:
        pose = performed(ready, learnt, person)
        stage = replace(stage, cycles=(gait_of(ready, learnt, pose.rotations),), gain=learnt.gain)
        poser = replace(poser, cycles=stage.cycles)
        # These come with the animal's clips.
        options = replace(options, stoop=0.0, head=0.0, lift=0.0, sway=0.0, lean=0.0, arms=0.0)
    acting = Acting(stage, person.fps, reader.shin, options)
    beats = acted(acting, with_speeds(rows, 0, len(rows), person.fps))
    own = None
    if pose is not None:
        own, beats = own_pose(ready, poser, pose.rotations, beats)
    rotations, positions, stands, down = posed(poser, beats, Memory(), own)
    motion = Motion(ready.body.skeleton, person.fps, quat.continuous(rotations), positions)
    start = start_of(reader, person.rotations, person.positions)
    made = _finished(ready, person, options, beats, motion, (stands, down), start)
    made = replace(made, off_feet=acting.off_feet)
    if learnt is not None and pose is not None:
        made = replace(made, learnt=learnt.translators, notes=pose.notes)
    return made


def _finished(
    ready: Beast,
    person: Motion,
    options: ActingOptions,
    beats: Beats,
    made: Motion,
    feet_down: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    start: Array,
) -> QuadrupedResult:
    """All notes on `made`, which begins at `start`; `feet_down`: which hooves stand (F, 4), and which should."""
    unit, names = ready.body.unit_m, [cycle.name for cycle in ready.stage.cycles]
    positions = np.array(made.positions)
    positions[:, made.skeleton.parents < 0] += start
    way = np.zeros((len(made), 3))
    way[:, 0], way[:, 2] = unit * beats.body[:, ON["x"]], unit * beats.body[:, ON["z"]]
    return QuadrupedResult(
        person,
        options,
        loosened(made.replaced(positions=positions), ready.taught),
        feet.Contacts(tuple(ready.taught.order[point] for point in ready.body.points), (0, 1, 2, 3), feet_down[0], 0.0),
        unit * beats.body[:, ON["ahead"]],
        way + start,
        tuple(names[n] for n in beats.weights.argmax(axis=1).tolist()),
        feet_down[1],
    )


def _notes(ready: Beast, made: QuadrupedResult, options: ActingOptions) -> list[Note]:
    notes = []
    if ready.made_up:
        notes.append(
            Note(
                "The animal has no clip of a walk, so one is made from how it stands at rest. Give it a clip named walk, or name one of its clips after a number sign (animal.glb#CLIP)."
            )
        )
    if options.gait == "gallop" and "gallop" not in ready.clips:
        notes.append(
            Note("The animal has no clip of a gallop, so it trots instead. Give it a clip named gallop or canter.")
        )
    if "trot" in made.gaits and not ready.stage.trots and not ready.made_up:
        notes.append(
            Note("The animal has no clip of a trot, so its trot is made from its walk. Give it a clip named trot.")
        )
    if made.off_feet:
        notes.append(
            Note(
                "In {frames} frames the performer is off their feet (a handstand, a fall, a somersault), and the animal stands still. Cut those frames out to keep it moving.",
                frames=made.off_feet,
            )
        )
    return notes
