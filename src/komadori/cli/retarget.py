"""`komadori retarget`: a motion onto another body, written as a motion or as the character with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from komadori.character import Character
from komadori.characters import CHARACTERS, humanoid
from komadori.characters import character as built_in
from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import FormatError, quoted
from komadori.formats import encoded, load, load_character, suffixes
from komadori.methods.retarget import RetargetOptions, RetargetResult, retarget_report
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.words import Note

BODY = "body"
BUILT_IN = (BODY, *CHARACTERS)
"""Names that --to knows besides files: the skeleton of the samples, and the built-in characters."""


def run(
    say: Say,
    input: str,
    to: str,
    output: str,
    fps: float | None,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load both, put the one onto the other, write."""
    outputs.check_suffix("-o", output, sorted({*outputs.MOTION, *suffixes("write_character")}))
    outputs.check_paths([output], [*inputs.files(input), *([] if to in BUILT_IN else [to])])
    with say.stage(Note("reading {path}", path=to)):
        character = target(to)
    options = chosen(RetargetOptions, given, character=character)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.motion(input, unit, fps)
        rate = fps or clip.fps
        inputs.check_length(input, clip, rate)
        clip = clip.prepared(fps=rate, keep_first=keep_first)
        if not len(clip):
            raise FormatError(input, expected="a motion with frames", found="none")
    with say.stage(Note("putting {count} frames onto {path}", count=len(clip), path=to)):
        result = retarget_report(clip, **vars(options))
    outputs.write_all([(output, _encoded(result, character, inputs.stem(input), output))])
    _tell(say, input, to, output, result, as_json)


def target(given: str) -> Character | Skeleton | Motion:
    """The body that `given` names: a built-in one, a character's file, or any motion of it."""
    if given in BUILT_IN:
        return humanoid() if given == BODY else built_in(given)
    suffix = Path(given).suffix.lower()
    if suffix in suffixes("read_character"):
        return load_character(given)
    if suffix in suffixes("read"):
        return load(given, kind="motion")
    if not Path(given).exists():
        known = ", ".join(BUILT_IN)
        raise FormatError(given, expected=f"a character's file, or one of {known}", found="no such file")
    known = ", ".join(dict.fromkeys([*suffixes("read_character"), *suffixes("read")]))
    found = quoted(suffix) if suffix else "no suffix"
    raise FormatError(given, expected=f"a file with a body, with a name that ends in {known}", found=found)


def _encoded(result: RetargetResult, character: object, name: str, path: str) -> bytes:
    """The motion on its own, or inside the character where both the target and the format have a skin."""
    if isinstance(character, Character) and Path(path).suffix.lower() in suffixes("write_character"):
        return encoded(replace(character, motions={name: result.motion}), path)
    return encoded(result.motion, path)


def _tell(say: Say, input: str, to: str, output: str, result: RetargetResult, as_json: bool) -> None:
    notes = (*result.motion.notes, *outputs.left_out(result.motion, output))
    if as_json:
        print_json(
            {
                "input": input,
                "to": to,
                "fps": result.motion.fps,
                "frames": len(result.motion),
                "scale": result.scale,
                "direction_mean_deg": result.mean_deg,
                "direction_max_deg": result.max_deg,
                "slip_mm_per_s": 1e3 * result.slip.per_second,
                "source_slip_mm_per_s": 1e3 * result.source_slip.per_second,
                "height_mean_mm": 1e3 * result.height_mean_m,
                "height_max_mm": 1e3 * result.height_worst_m,
                "notes": notes,
                "outputs": [output],
            }
        )
        return
    say.line(Note("{path}: put onto {to}", path=input, to=to))
    say.rows([*((Note("note"), note) for note in notes), (Note("written"), output)])


command = Command(
    "retarget",
    help="Retargeting: a motion put onto another body, by what its joints are; feet stay on the ground.\n\n"
    "Example: komadori retarget walk.bvh --to girl -o walk.glb",
    params=[
        inputs.INPUT,
        Option(
            "--to",
            metavar="CHARACTER",
            required=True,
            help="file with the body that takes the motion, or a built-in one: body, mannequin, girl, horse",
        ),
        Option("-o", "--output", metavar="FILE", required=True, help="motion or character file to write"),
        inputs.fps_option(),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(RetargetOptions),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
