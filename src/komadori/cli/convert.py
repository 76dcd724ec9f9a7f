"""`komadori convert`: a motion or a timesheet in another format; numbers that need not change stay as they were."""

from __future__ import annotations

import click

from komadori.cli import inputs, outputs
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say
from komadori.motion import Motion
from komadori.words import Note


def run(
    say: Say,
    input: str,
    target: str | None,
    output: str | None,
    fps: float | None,
    prepare: bool,
    keep_first: bool,
    unit: str | None,
) -> None:
    """Read, change what was asked for, write."""
    path = target or output
    if path is None or (target and output):
        raise click.UsageError("name one file to write: komadori convert IN OUT, or komadori convert IN -o OUT")
    outputs.check_suffix("OUT", path, (*outputs.MOTION, *outputs.SHEET))
    outputs.check_paths([path], inputs.files(input))
    with say.stage(Note("reading {path}", path=input)):
        thing = inputs.thing(input, unit, fps)
    if isinstance(thing, Motion):
        outputs.check_suffix("OUT", path, outputs.MOTION)
        inputs.check_length(input, thing, fps or thing.fps)
        if prepare or keep_first:
            thing = thing.prepared(fps=fps or thing.fps, keep_first=keep_first)
        elif fps:
            thing = thing.resampled(fps)
        files = outputs.saved_file(thing, path)
        notes = thing.notes
    else:
        outputs.check_suffix("OUT", path, outputs.SHEET)
        if fps or prepare or keep_first:
            raise click.UsageError("--fps, --prepare and --keep-first are for motions, and this is a timesheet")
        files, notes = outputs.saved_file(thing, path), ()
    outputs.write_all(files)
    say.rows([*((Note("note"), note) for note in notes), (Note("written"), path)], indent=0)


command = Command(
    "convert",
    help="Write a motion or a timesheet in another format.\n\n"
    "Numbers that need not change stay exactly as they were.\n\nExample: komadori convert walk.amc walk.bvh",
    params=[
        inputs.INPUT,
        Argument("target", "file to write; its suffix names the format", metavar="[OUT]", required=False),
        Option("-o", "--output", metavar="FILE", help="the file to write, if not given as OUT"),
        inputs.fps_option(),
        Option("--prepare", is_flag=True, help="leave out calibration poses and mend drop-outs"),
        inputs.KEEP_FIRST,
        inputs.UNIT,
    ],
    callback=click.pass_obj(run),
)
