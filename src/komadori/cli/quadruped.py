"""`komadori quadruped`: a person's walk in, an animal's out, as a motion or as the character with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.characters import character as built_in
from komadori.cli import inputs, outputs
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import FormatError
from komadori.formats import encoded, load, load_character, suffixes
from komadori.methods.translate import quadruped
from komadori.motion import Motion
from komadori.words import Note

GAITS = ("auto", "walk", "run")


def run(
    say: Say,
    input: str,
    animal: str,
    output: str,
    gait: str,
    loop: bool,
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
) -> None:
    """Load both, let the one drive the other, write."""
    outputs.check_suffix("-o", output, sorted({*outputs.MOTION, *suffixes("write_character")}))
    outputs.check_paths([output], [*inputs.files(input), *([] if animal in CHARACTERS else [animal])])
    with say.stage(Note("reading {path}", path=animal)):
        body = _animal(animal)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.prepared(input, unit, fps, keep_first)
    with say.stage(Note("putting {count} frames onto {path}", count=len(clip), path=animal)):
        result = quadruped(clip, body, gait=gait, loop=loop)
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
                "notes": notes,
                "outputs": [output],
            }
        )
        return
    say.line(Note("{path}: put onto {to}", path=input, to=animal))
    say.rows([*((Note("note"), note) for note in notes), (Note("written"), output)])


def _animal(given: str) -> Character | Motion:
    """The animal that `given` names: a built-in one, a character's file with clips, or a clip of an animal."""
    if given in CHARACTERS:
        return built_in(given)
    suffix = Path(given).suffix.lower()
    if suffix in suffixes("read_character"):
        return load_character(given)
    if suffix in suffixes("read"):
        clip = load(given, kind="motion")
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
        Option(
            "--gait",
            type=click.Choice(GAITS),
            metavar="CHOICE",
            limits=" | ".join(GAITS),
            default="auto",
            show_default=True,
            help="which of the animal's clips answers; auto looks at whether the person runs",
        ),
        Option("--loop", is_flag=True, help="the input plays over and over: make the result close"),
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
