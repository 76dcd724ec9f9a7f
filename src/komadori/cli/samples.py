"""`komadori samples`: the built-in motions, listed or written to a file."""

from __future__ import annotations

import click

from komadori.characters.samples import DESCRIPTIONS, SAMPLES, sample
from komadori.cli import inputs, outputs
from komadori.cli.json_out import print_json
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say, note_rows
from komadori.errors import OptionError
from komadori.formats import encoded
from komadori.words import Note


def run(say: Say, name: str | None, output: str | None, fps: float, as_json: bool) -> None:
    """List the samples, or write one."""
    if name is None:
        if output:
            raise OptionError(Note("name the sample to write, one of {names}", names=", ".join(SAMPLES)))
        if as_json:
            print_json(DESCRIPTIONS)
        else:
            say.rows((known, Note(DESCRIPTIONS[known])) for known in SAMPLES)
            say.line(
                Note("Any command takes one as its input: komadori limited sample:{name} -o out.bvh", name=SAMPLES[0])
            )
        return
    inputs.check_sample(name)
    if output is None:
        raise OptionError(Note("name a file to write: komadori samples {name} -o {name}.bvh", name=name))
    outputs.check_suffix("-o", output, outputs.MOTION)
    outputs.check_paths([output])
    motion = sample(name, fps)
    outputs.write_all([(output, encoded(motion, output))])
    notes = outputs.left_out(motion, output)
    if as_json:
        facts = {"sample": name, "frames": len(motion), "fps": motion.fps}
        print_json({**facts, "notes": notes, "outputs": [output]})
    else:
        say.rows([*note_rows(notes), (Note("written"), output)], indent=0)


command = Command(
    "samples",
    help="List the built-in sample motions, or write one to a file.",
    params=[
        Argument("name", "the sample to write", metavar="[NAME]", required=False),
        Option("-o", "--output", metavar="FILE", help="motion file to write, such as out.bvh"),
        inputs.fps_option(24.0),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
