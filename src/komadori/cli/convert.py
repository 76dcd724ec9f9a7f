"""`komadori convert`: a motion or a timesheet in another format; numbers that need not change stay as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from komadori import formats
from komadori.character import Character
from komadori.cli import inputs, outputs
from komadori.cli.page import Argument, Command, Option, Words
from komadori.cli.say import Say, note_rows
from komadori.cut import Cut
from komadori.errors import OptionError
from komadori.formats import body_losses, encoded, load_character, suffixes
from komadori.formats.choosing import format_of
from komadori.methods.travel import TravelOptions, travel
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
    root: str | None,
    loop: bool,
    sheet_form: str,
    scene: str | None,
    cut: str | None,
    strict: bool,
) -> None:
    """Read, change what was asked for, write."""
    path = target or output
    if path is None or (target and output):
        raise OptionError(Note("name one file to write: komadori convert IN OUT, or komadori convert IN -o OUT"))
    written = (*outputs.MOTION, *suffixes("write_character"), *outputs.SHEET, *outputs.PICTURE)
    outputs.check_suffix("OUT", path, dict.fromkeys(written))
    outputs.check_paths([path], inputs.files(input))
    travels = root is not None or loop
    plain = fps is None and not prepare and not keep_first and unit is None and not travels
    with say.stage(Note("reading {path}", path=input)):
        thing: Character | Motion | Mapping[str, Timesheet]
        thing = _whole(input, path) if plain else inputs.thing(input, unit, fps)
    notes: tuple[Note, ...] = ()
    if isinstance(thing, Character):
        files, notes, lost = [(path, encoded(thing, path))], thing.notes, formats.left_out(thing, path)
    elif isinstance(thing, Motion):
        outputs.check_suffix("OUT", path, outputs.MOTION)
        inputs.check_length(input, thing, fps or thing.fps)
        lost = _of_its_body(input, thing, path)
        if prepare or keep_first:
            thing = thing.prepared(fps=fps or thing.fps, keep_first=keep_first)
        elif fps:
            thing = thing.resampled(fps)
        if travels:
            thing = _travelled(thing, root or "kept", loop)
        files, notes = [(path, encoded(thing, path))], thing.notes
        lost = (*lost, *outputs.left_out(thing, path))
    else:
        outputs.check_suffix("OUT", path, (*outputs.SHEET, *outputs.PICTURE))
        if fps or prepare or keep_first or travels:
            raise OptionError(
                Note("--fps, --prepare, --keep-first, --root and --loop are for motions, and this is a timesheet")
            )
        heading = {key: value for key, value in (("scene", scene), ("cut", cut)) if value is not None}
        thing = Cut.of(thing).replaced(**heading) if heading else thing
        files = outputs.sheet_files(thing, path, _title(thing, input), say.language, int(sheet_form))
        lost = outputs.left_out_sheets(thing, path)
        notes = thing.notes if isinstance(thing, Cut) else ()
    if strict and lost:
        raise outputs.strictly_refused(path, lost)
    outputs.write_all(files)
    rows = note_rows(notes)
    rows += [(Note("lost"), note) for note in lost]
    say.rows([*rows, *((Note("written"), name) for name, _ in files)], indent=0)


def _of_its_body(given: str, motion: Motion, path: str) -> tuple[Note, ...]:
    """What is lost of the character that `motion` belongs to; a motion that goes back into its own file loses nothing."""
    file, clip = inputs.split(given)
    if given.startswith(inputs.PREFIX) or Path(file).suffix.lower() not in suffixes("read_character"):
        return ()
    form = format_of(Path(path), Note("a motion file"), "write")
    document = None if motion.origin is None else motion.origin.document
    if type(document).__name__ in form.origins:
        return ()
    character = load_character(file)
    # Naming one motion of several means that the others are not wanted.
    kept = replace(character, motions={}) if clip is not None else character
    return body_losses.unskinned(kept, form.name)


def _travelled(motion: Motion, root: str, loop: bool) -> Motion:
    made = travel(motion, TravelOptions(root=cast(Any, root), loop=loop))
    return made.motion.noted(*made.notes)


def _title(cut: Mapping[str, Timesheet], given: str) -> str:
    return (cut.title if isinstance(cut, Cut) else "") or Path(inputs.split(given)[0]).stem


def _whole(given: str, path: str) -> Character | Motion | dict[str, Timesheet]:
    """The character with its skin if both files can hold one, else the motion or timesheets; FILE#CLIP is a motion."""
    file, clip = inputs.split(given)
    holds = Path(file).suffix.lower() in suffixes("read_character")
    if clip is None and holds and Path(path).suffix.lower() in suffixes("write_character"):
        return load_character(file)
    return inputs.thing(given)


command = Command(
    "convert",
    help="Write a motion or a timesheet in another format.\n\n"
    "Unchanged numbers are written exactly as they were. What the new format cannot hold is listed.\n\n"
    "Example: komadori convert walk.amc walk.bvh",
    params=[
        inputs.INPUT,
        Argument("target", "file to write; its suffix names the format", metavar="[OUT]", required=False),
        Option("-o", "--output", metavar="FILE", help="the file to write, if not given as OUT"),
        inputs.fps_option(),
        Option("--prepare", is_flag=True, help="remove calibration poses and fill in drop-outs"),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        Option(
            "--root",
            type=Words(["kept", "in-place", "extracted"]),
            metavar="kept|in-place|extracted",
            help="kept: travel stays as it is; in-place: the body moves on the spot; "
            "extracted: a root joint on the ground carries travel and heading",
        ),
        Option(
            "--loop",
            is_flag=True,
            help="close the loop: spread the difference between the last and first poses over the clip",
        ),
        Option(
            "--sheet-form",
            type=Words(["6", "3"]),
            metavar="6|3",
            default="6",
            show_default=True,
            help="seconds on a page of a printed timesheet",
        ),
        Option("--scene", metavar="NUMBER", help="scene number in the heading of a timesheet"),
        Option("--cut", metavar="NUMBER", help="cut number in the heading of a timesheet"),
        Option("--strict", is_flag=True, help="refuse to write a file that cannot hold everything"),
    ],
    callback=click.pass_obj(run),
)
