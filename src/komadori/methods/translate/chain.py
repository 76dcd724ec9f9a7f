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
                "slip {slip:.2f} cm per frame; no foot drifts more than {drift:.1f} cm while it stands",
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
    title="{path}: put onto {animal}",
    working="putting {count} frames onto {animal}",
    about="The animal brings what it learns from: a clip named walk (and trot or gallop, for a running person).",
    example="komadori quadruped walk.bvh --animal horse -o horse.glb",
)
def quadruped(motion: Motion, options: QuadrupedOptions) -> QuadrupedResult:
    """The animal acting as the person in `motion` does, at the frame rate of `motion`.

    `animal`: a character that brings a clip named walk (and trot or gallop for a running person), or a clip of an animal.
    Its hooves step when the person's feet do, and stay where they stand; it stops, turns, backs up and leaps where the person
    does, as far as its legs allow; stoop, lift, bounce, sway, limp and gaze come through, each as strongly as its option says.
    `loop`: the person's clip plays over and over, its first frame follows on its last, and so does the animal's.
    """
    if len(motion) < _FEWEST:
        raise OptionError("motion", expected=Note("at least one step"), found=Note("{count} frames", count=len(motion)))
    finite(motion, "motion")
    if roles.body_plan(motion.skeleton, motion.pose(0)) == "quadruped":
        raise OptionError("motion", expected=Note("a motion of a person"), found=Note("one of an animal"))
    ready = beast(options.animal, motion.fps)
    if options.loop:
        made = looping.middle(driven(ready, looping.rounds(motion), options))
        made = replace(made, source_motion=motion)
    else:
        made = driven(ready, motion, options)
    notes = _notes(ready, made, options)
    return replace(made, motion=made.motion.noted(*notes), notes=tuple(notes))


def driven(ready: Beast, person: Motion, options: ActingOptions) -> QuadrupedResult:
    """The animal driven by `person`, on the person's way."""
    reader, rows = watched(person)
    rows = travelled(unwound(rows), person.fps)
    beats = acted(Acting(ready.stage, person.fps, reader.shin, options), with_speeds(rows, 0, len(rows), person.fps))
    rotations, positions, stands = posed(ready.poser, beats, Memory())
    made = Motion(ready.body.skeleton, person.fps, quat.continuous(rotations), positions)
    start = start_of(reader, person.rotations, person.positions)
    return _finished(ready, person, options, beats, made, stands, start)


def _finished(
    ready: Beast,
    person: Motion,
    options: ActingOptions,
    beats: Beats,
    made: Motion,
    stands: NDArray[np.bool_],
    start: Array,
) -> QuadrupedResult:
    """All that is said of `made`, which begins at `start`."""
    unit, names = ready.body.unit_m, [cycle.name for cycle in ready.stage.cycles]
    positions = np.array(made.positions)
    positions[:, made.skeleton.parents < 0] += start
    way = np.zeros((len(made), 3))
    way[:, 0], way[:, 2] = unit * beats.body[:, ON["x"]], unit * beats.body[:, ON["z"]]
    return QuadrupedResult(
        person,
        options,
        loosened(made.replaced(positions=positions), ready.taught),
        feet.Contacts(ready.body.points, (0, 1, 2, 3), stands, 0.0),
        unit * beats.body[:, ON["ahead"]],
        way + start,
        tuple(names[n] for n in beats.weights.argmax(axis=1).tolist()),
    )


def _notes(ready: Beast, made: QuadrupedResult, options: ActingOptions) -> list[Note]:
    notes = []
    if options.gait == "gallop" and "gallop" not in ready.clips:
        notes.append(
            Note("The animal has no clip of a gallop, so it trots instead. Give it a clip named gallop or canter.")
        )
    if "trot" in made.gaits and not ready.stage.trots:
        notes.append(
            Note("The animal has no clip of a trot, so its trot is made from its walk. Give it a clip named trot.")
        )
    return notes
