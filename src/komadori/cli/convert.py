"""`komadori convert`: a motion or a timesheet in another format; numbers that need not change stay as they were."""

from __future__ import annotations

from pathlib import Path

import click

from komadori.character import Character
from komadori.cli import inputs, outputs
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say
from komadori.formats import encoded, load_character, suffixes
from komadori.motion import Motion
from komadori.timesheet import Timesheet
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
    outputs.check_suffix("OUT", path, dict.fromkeys([*outputs.MOTION, *suffixes("write_character"), *outputs.SHEET]))
    outputs.check_paths([path], inputs.files(input))
    plain = fps is None and not prepare and not keep_first and unit is None
    with say.stage(Note("reading {path}", path=input)):
        thing: Character | Motion | dict[str, Timesheet]
        thing = _whole(input, path) if plain else inputs.thing(input, unit, fps)
    if isinstance(thing, Character):
        files, notes = [(path, encoded(thing, path))], thing.notes
    elif isinstance(thing, Motion):
        outputs.check_suffix("OUT", path, outputs.MOTION)
        inputs.check_length(input, thing, fps or thing.fps)
        if prepare or keep_first:
            thing = thing.prepared(fps=fps or thing.fps, keep_first=keep_first)
        elif fps:
            thing = thing.resampled(fps)
        files = [(path, encoded(thing, path))]
        notes = (*thing.notes, *outputs.left_out(thing, path))
    else:
        outputs.check_suffix("OUT", path, outputs.SHEET)
        if fps or prepare or keep_first:
            raise click.UsageError("--fps, --prepare and --keep-first are for motions, and this is a timesheet")
        files, notes = [(path, encoded(thing, path))], ()
    outputs.write_all(files)
    say.rows([*((Note("note"), note) for note in notes), (Note("written"), path)], indent=0)


def _whole(given: str, path: str) -> Character | Motion | dict[str, Timesheet]:
    """The character with its skin where both files can hold one, else the motion or timesheets; FILE#CLIP is a motion."""
    file, clip = inputs.split(given)
    holds = Path(file).suffix.lower() in suffixes("read_character")
    if clip is None and holds and Path(path).suffix.lower() in suffixes("write_character"):
        return load_character(file)
    return inputs.thing(given)


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
