"""`komadori quadruped`: a person's acting in, an animal's out, as a motion or as the character with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.characters import character as built_in
from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import FormatError
from komadori.formats import encoded, load, load_character, suffixes
from komadori.methods.translate import ActingOptions, QuadrupedResult, quadruped
from komadori.motion import Motion
from komadori.words import Note


def run(
    say: Say,
    input: str,
    animal: str,
    output: str,
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load both, let the one drive the other, write."""
    outputs.check_suffix("-o", output, sorted({*outputs.MOTION, *suffixes("write_character")}))
    outputs.check_paths([output], [*inputs.files(input), *([] if animal in CHARACTERS else [animal])])
    options = chosen(ActingOptions, given)
    with say.stage(Note("reading {path}", path=animal)):
        body = _animal(animal)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.prepared(input, unit, fps, keep_first)
    with say.stage(Note("putting {count} frames onto {path}", count=len(clip), path=animal)):
        made = quadruped(clip, body, **vars(options))
    result = made.motion
    if isinstance(body, Character) and Path(output).suffix.lower() in suffixes("write_character"):
        data = encoded(replace(body, motions={inputs.stem(input): result}), output)
    else:
        data = encoded(result, output)
    outputs.write_all([(output, data)])
    notes = (*result.notes, *outputs.left_out(result, output))
    if as_json:
        print_json(
            {
                "input": input,
                "animal": animal,
                "frames": len(result),
                "fps": result.fps,
                "measures": {name: value for name, (value, _) in made.measures.items()},
                "notes": notes,
                "outputs": [output],
            }
        )
        return
    say.line(Note("{path}: put onto {to}", path=input, to=animal))
    say.rows([*_rows(made), *((Note("note"), note) for note in notes), (Note("written"), output)])


def _rows(made: QuadrupedResult) -> list[tuple[Note, Note]]:
    """What came out, in two lines."""
    values = {name: value for name, (value, _) in made.measures.items()}
    gaits = [gait for gait in ("walk", "trot", "gallop") if gait in made.gaits]
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
                slip=values["foot slip"],
                drift=values["largest foot drift"],
            ),
        ),
    ]


def _animal(given: str) -> Character | Motion:
    """The animal that `given` names: a built-in one, a character's file with clips, or a clip of an animal."""
    if given in CHARACTERS:
        return built_in(given)
    suffix = Path(given).suffix.lower()
    if suffix in suffixes("read_character"):
        return load_character(given)
    if suffix in suffixes("read"):
        clip = load(given)
        return clip.prepared(clip.fps)
    found = "no such file" if not Path(given).exists() else f"a name that ends in {suffix or 'nothing'}"
    raise FormatError(given, expected=f"an animal's file, or one of {', '.join(CHARACTERS)}", found=found)


command = Command(
    "quadruped",
    help="Quadruped: a person's walk drives a horse, a wolf or a dog; feet stay on the ground.\n\n"
    "The animal brings what it learns from: a clip named walk (and trot or gallop, for a running person).\n\n"
    "Example: komadori quadruped walk.bvh --animal horse -o horse.glb",
    params=[
        inputs.INPUT,
        Option(
            "--animal",
            metavar="ANIMAL",
            default="horse",
            show_default=True,
            help="horse for the built-in one, a character's file with a clip named walk, or a clip of an animal",
        ),
        Option("-o", "--output", metavar="FILE", required=True, help="motion or character file to write"),
        *settings(ActingOptions),
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
