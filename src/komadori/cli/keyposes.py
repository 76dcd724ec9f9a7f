"""`komadori keyposes`: a clip in, its key poses out, as held animation, sheet, strip and chart."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings, spoken
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, length, print_json, ranges
from komadori.errors import FormatError, OptionError, quoted
from komadori.formats import LONE_TRACK
from komadori.keyed import Keyed
from komadori.methods.keyposes import KeyposesOptions, KeyposesResult, keyposes
from komadori.words import Note

MOST_TOLD = 40
"""Keys that the summary lists; --json lists all."""
INTERPOLATIONS = {"stepped": Note("stepped"), "linear": Note("linear"), "bezier": Note("bezier")}


def run(
    say: Say,
    input: str,
    output: str | None,
    interpolation: str,
    sheets: tuple[str, ...],
    strips: tuple[str, ...],
    charts: tuple[str, ...],
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load, prepare, choose, and write everything that was asked for."""
    if not (output or sheets or strips or charts or as_json):
        raise click.UsageError("say where the result goes: -o FILE, --sheet, --strip, --chart FILE or --json")
    for flag, paths, suffixes in (
        ("-o", (output,) if output else (), outputs.MOTION),
        ("--sheet", sheets, (*outputs.SHEET, *outputs.PICTURE)),
        ("--strip", strips, outputs.PICTURE),
        ("--chart", charts, outputs.PICTURE),
    ):
        for path in paths:
            outputs.check_suffix(flag, path, suffixes)
    outputs.check_paths([*filter(None, [output]), *sheets, *strips, *charts], inputs.files(input))
    options = chosen(KeyposesOptions, given)
    with say.stage(Note("reading {path}", path=input)):
        captured = inputs.motion(input, unit, fps)
        inputs.check_length(input, captured, fps)
        clip = captured.prepared(fps=fps, keep_first=keep_first)
    if not len(clip):
        raise FormatError(input, expected="a motion with frames", found="none")
    with say.stage(Note("choosing key poses: {count} frames", count=len(clip))):
        try:
            result = keyposes(clip, **vars(options))
        except OptionError as error:
            raise OptionError(spoken(str(error), KeyposesOptions)) from None
        keys = result.keyed(interpolation)  # type: ignore[arg-type]  # click lets only these three through
    with say.stage(Note("drawing and writing")):
        files = _files(say, result, keys, inputs.stem(input), output, sheets, strips, charts)
        written = [path for path, _ in files]
        outputs.check_paths(written, inputs.files(input))
        outputs.write_all(files)
    notes = _notes(result, output)
    if as_json:
        print_json(_summary(result, keys, input, notes, written))
    else:
        _tell(say, result, keys, input, notes, written)


def _files(
    say: Say,
    result: KeyposesResult,
    keys: Keyed,
    title: str,
    output: str | None,
    sheets: tuple[str, ...],
    strips: tuple[str, ...],
    charts: tuple[str, ...],
) -> outputs.Files:
    """Every file that was asked for, complete."""
    # Held frames keep the exact numbers of the file they came from; curves are computed.
    moving = result.motion if keys.interpolation == "stepped" else keys.motion()
    files = outputs.saved_file(moving, output) if output else []
    for path in sheets:
        if Path(path).suffix.lower() in outputs.PICTURE:
            files += outputs.printed_file({LONE_TRACK: result.sheet}, path, title, say.language)
        else:
            files += outputs.saved_file({LONE_TRACK: result.sheet}, path)
    if strips or charts:
        from komadori.render.drawing import encoded
        from komadori.render.keyposes import key_strip, keyposes_chart

        for path in strips:
            files += [(str(at), data) for at, data in encoded(key_strip(result), path).items()]
        for path in charts:
            chart = keyposes_chart(result, title=title, language=say.language, optimum=result.comparable)
            files += [(str(at), data) for at, data in encoded(chart, path).items()]
    return files


def _notes(result: KeyposesResult, output: str | None) -> tuple[Note, ...]:
    return (*result.source_motion.notes, *result.notes, *outputs.left_out(result.motion, output))


def _summary(
    result: KeyposesResult, keys: Keyed, input: str, notes: tuple[Note, ...], files: list[str]
) -> dict[str, Any]:
    """The result for programs."""
    return {
        "input": input,
        "fps": result.source_motion.fps,
        "source_frames": len(result.source_motion),
        "frames": result.frames,
        "order": result.order,
        "error": result.error,
        "counts": result.counts,
        "errors": result.errors,
        "even_error": result.even_error,
        "explained": result.explained,
        "joints": result.joints,
        "source": result.sheet.source,
        "interpolation": keys.interpolation,
        "worst_mm": keys.worst_mm,
        "worst_frame": keys.worst_frame,
        "worst_joint": keys.worst_joint,
        "notes": notes,
        "outputs": files,
    }


def _tell(say: Say, result: KeyposesResult, keys: Keyed, input: str, notes: tuple[Note, ...], files: list[str]) -> None:
    """The result for people."""
    sheet = result.sheet
    say.line(Note("{path}: key poses", path=input))
    rows: list[tuple[str, str]] = [
        length(len(sheet), sheet.fps),
        (
            Note("keys"),
            Note("{count}, frame {frames}", count=len(result), frames=ranges(result.frames.tolist(), MOST_TOLD)),
        ),
        (Note("error"), _error(result)),
        (
            Note("between"),
            Note(
                "{kind} keys: at worst {worst:.0f} mm away ({joint}, frame {frame})",
                kind=INTERPOLATIONS[keys.interpolation],
                worst=keys.worst_mm,
                joint=keys.worst_joint,
                frame=keys.worst_frame,
            ),
        ),
    ]
    rows += [(Note("note"), note) for note in notes]
    rows += [(Note("written"), path) for path in files]
    say.rows(rows)


def _error(result: KeyposesResult) -> Note:
    if not result.comparable:
        return Note("{value:.4g} m (evenly spread: {even:.4g} m)", value=result.error, even=result.even_error)
    return Note(
        "{value:.4g} m, {ratio:.2f} times the least possible (evenly spread: {even:.4g} m)",
        value=result.error,
        ratio=result.ratio,
        even=result.even_error,
    )


def _weight(value: str | float) -> str | float:
    """--velocity-weight: the word or a number."""
    if value == "balanced":
        return value
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0.0 <= number < math.inf:
        raise click.BadParameter(f"expected balanced or a number from 0 on, found {quoted(str(value))}")
    return number


command = Command(
    "keyposes",
    help="Key poses: the few frames that tell the action, as keys or as held animation.\n\n"
    "The clip is cleaned and brought to --fps; without --count or --tolerance the number of poses is chosen.\n\n"
    "Example: komadori keyposes throw.bvh -o keys.bvh --count 15 --strip poses.png --chart curve.svg",
    params=[
        inputs.INPUT,
        Option("-o", "--output", metavar="FILE", help="motion file to write, such as out.bvh"),
        Option(
            "--interpolation",
            type=click.Choice(list(INTERPOLATIONS)),
            metavar="CHOICE",
            limits=" | ".join(INTERPOLATIONS),
            default="stepped",
            show_default=True,
            help="what lies between keys: the key before, straight lines, or curves fitted to the motion",
        ),
        Option(
            "--sheet",
            "sheets",
            metavar="FILE",
            multiple=True,
            help="timesheet to write: .xdts .csv .json, or .svg .pdf .png to print; may be repeated",
        ),
        Option(
            "--strip",
            "strips",
            metavar="FILE",
            multiple=True,
            help="the key poses in a row: .svg .pdf .png; may be repeated",
        ),
        Option(
            "--chart",
            "charts",
            metavar="FILE",
            multiple=True,
            help="motion curve with keys, and errors: .svg .pdf .png; may be repeated",
        ),
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(KeyposesOptions, leave_out=("velocity_weight",)),
        Option(
            "--velocity-weight",
            type=_weight,
            metavar="X",
            default="balanced",
            show_default=True,
            help="weight of velocities: balanced gives them the variance of positions, 1 is the paper to the letter",
        ),
        Option(
            "--joint",
            "joints",
            metavar="NAME",
            multiple=True,
            help="joints or roles to look at (hands, feet and head if not given)",
        ),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
