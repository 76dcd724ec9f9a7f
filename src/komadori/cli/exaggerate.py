"""`komadori exaggerate`: a clip in, the same clip with anticipation and follow-through out."""

from __future__ import annotations

from typing import Any

import click

from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, print_json
from komadori.methods.exaggerate import ExaggerateOptions, exaggerate
from komadori.words import Note


def run(
    say: Say,
    input: str,
    output: str,
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load, prepare, exaggerate, write."""
    outputs.check_suffix("-o", output, outputs.MOTION)
    outputs.check_paths([output], inputs.files(input))
    options = chosen(ExaggerateOptions, given)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.prepared(input, unit, fps, keep_first)
    with say.stage(Note("exaggerating {count} frames", count=len(clip))):
        result = exaggerate(clip, **vars(options))
    outputs.write_all(outputs.saved_file(result.motion, output))
    # What planting the feet had to say is among the motion's own notes, after those of the clip.
    notes = (*result.motion.notes, *result.notes, *outputs.left_out(result.motion, output))
    degrees = result.largest_deg
    if as_json:
        summary = {"input": input, "fps": clip.fps, "frames": len(clip), "width_s": result.width_s}
        print_json({**summary, "largest_deg": degrees, "notes": notes, "outputs": [output]})
        return
    say.line(Note("{path}: exaggerated", path=input))
    say.rows(
        [
            (Note("turned"), Note("a joint turns up to {degrees:.1f} degrees from where it was", degrees=degrees)),
            *((Note("note"), note) for note in notes),
            (Note("written"), output),
        ]
    )


command = Command(
    "exaggerate",
    help="Exaggeration: joints draw back before a move and overshoot after it (the cartoon animation filter).\n\n"
    "Example: komadori exaggerate sample:kick -o kick.bvh --amount 1.5",
    params=[
        inputs.INPUT,
        Option("-o", "--output", metavar="FILE", required=True, help="motion file to write, such as out.bvh"),
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(ExaggerateOptions),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
