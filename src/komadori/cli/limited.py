"""`komadori limited`: a clip in, limited animation out, with its timesheet and chart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from komadori import camera as cameras
from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings, spoken
from komadori.cli.page import Command, Option
from komadori.cli.say import Say, length, print_json, ranges
from komadori.errors import OptionError
from komadori.files import read_bytes
from komadori.methods.limited import LimitedOptions, LimitedResult, limited
from komadori.words import Note


def run(
    say: Say,
    input: str,
    output: str | None,
    sheets: tuple[str, ...],
    charts: tuple[str, ...],
    fps: float,
    keep_first: bool,
    unit: str | None,
    camera: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load, prepare, limit, and write everything that was asked for."""
    if not (output or sheets or charts or as_json):
        raise click.UsageError("say where the result goes: -o FILE, --sheet FILE, --chart FILE or --json")
    for flag, paths, suffixes in (
        ("-o", (output,) if output else (), outputs.MOTION),
        ("--sheet", sheets, (*outputs.SHEET, *outputs.PICTURE)),
        ("--chart", charts, outputs.PICTURE),
    ):
        for path in paths:
            outputs.check_suffix(flag, path, suffixes)
    targets = [*filter(None, [output]), *sheets, *charts]
    outputs.check_paths(targets, inputs.files(input))
    seen_by = None if camera is None else cameras.from_json(read_bytes(camera), camera)
    options = chosen(LimitedOptions, given, camera=seen_by)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.prepared(input, unit, fps, keep_first)
    with say.stage(Note("making it limited: {count} frames", count=len(clip))):
        try:
            result = limited(clip, **vars(options))
        except OptionError as error:
            raise OptionError(spoken(str(error), LimitedOptions)) from None
    with say.stage(Note("drawing and writing")):
        files = _files(say, result, inputs.stem(input), output, sheets, charts)
        written = [path for path, _ in files]
        outputs.check_paths(written, inputs.files(input))
        outputs.write_all(files)
    notes = _notes(result, output)
    if as_json:
        print_json(_summary(result, input, notes, written))
    else:
        _tell(say, result, input, notes, written)


def _files(
    say: Say, result: LimitedResult, title: str, output: str | None, sheets: tuple[str, ...], charts: tuple[str, ...]
) -> outputs.Files:
    """Every file that was asked for, complete."""
    files = outputs.saved_file(result.motion, output) if output else []
    tracks = outputs.tracks(result)
    for path in sheets:
        if Path(path).suffix.lower() in outputs.PICTURE:
            files += outputs.printed_file(tracks, path, title, say.language)
        else:
            files += outputs.saved_file(tracks, path)
    for path in charts:
        files += outputs.chart_file(result, path, title, say.language)
    return files


def _notes(result: LimitedResult, output: str | None) -> tuple[Note, ...]:
    return (*result.source_motion.notes, *result.notes, *outputs.left_out(result.motion, output))


def _summary(result: LimitedResult, input: str, notes: tuple[Note, ...], files: list[str]) -> dict[str, Any]:
    """The result for programs."""
    return {
        "input": input,
        "fps": result.sheet.fps,
        "frames": len(result.sheet),
        "source_frames": len(result.source_motion),
        "source": result.sheet.source,
        "layers": {name: sheet.source for name, sheet in result.layers.items()},
        "omitted": result.omitted,
        "omitted_frames": result.omitted_frames,
        "held": result.held,
        "drawings": result.drawings,
        "actions": result.actions,
        "error": result.error,
        "ratio": _ratio(result),
        "notes": notes,
        "outputs": files,
    }


def _tell(say: Say, result: LimitedResult, input: str, notes: tuple[Note, ...], files: list[str]) -> None:
    """The result for people."""
    sheet = result.sheet
    say.line(Note("{path}: limited animation", path=input))
    rows: list[tuple[str, str]] = [
        length(len(sheet), sheet.fps),
        (Note("omission"), _omission(result)),
        (Note("holds"), Note("{count} drawings gave way to the one before", count=result.held)),
        (
            Note("drawn"),
            Note(
                "{count} drawings, shown for {exposures:.2f} frames on average",
                count=result.drawings,
                exposures=len(sheet) / max(len(sheet.runs()), 1),
            ),
        ),
        (Note("error"), _error(result)),
    ]
    rows += [(Note("note"), note) for note in notes]
    rows += [(Note("written"), path) for path in files]
    say.rows(rows)


def _omission(result: LimitedResult) -> Note:
    gone = result.omitted_frames
    if not result.omitted or not len(gone):
        return Note("{count} in-betweens", count=result.omitted)
    return Note("{count} in-betweens, frame {frames}", count=result.omitted, frames=ranges(gone.tolist()))


def _error(result: LimitedResult) -> Note:
    seen = result.options.camera is not None
    amount = (
        Note("{value:.4g} in the camera's image, summed over joints and frames", value=result.error)
        if seen
        else Note("{value:.4g} m², summed over joints and frames", value=result.error)
    )
    ratio = _ratio(result)
    return (
        amount
        if ratio is None
        else Note("{amount}, {ratio:.2f} times that of --solver optimal", amount=amount, ratio=ratio)
    )


def _ratio(result: LimitedResult) -> float | None:
    """The error over that of the optimal solver with as many drawings, where that is a fair and a quick comparison."""
    return result.ratio if result.comparable else None


command = Command(
    "limited",
    help="Limited animation: fast moments snap, small movement is held (nakanashi and koma-uchi).\n\n"
    "The clip is cleaned and brought to --fps, the fastest in-betweens are left out, and small movement is held.\n\n"
    "Example: komadori limited walk.bvh -o out.bvh --sheet walk.xdts --chart walk.svg",
    params=[
        inputs.INPUT,
        Option("-o", "--output", metavar="FILE", help="motion file to write, such as out.bvh"),
        Option(
            "--sheet",
            "sheets",
            metavar="FILE",
            multiple=True,
            help="timesheet to write: .xdts .csv .json, or .svg .pdf .png to print; may be repeated",
        ),
        Option(
            "--chart",
            "charts",
            metavar="FILE",
            multiple=True,
            help="chart of the steps before and after: .svg .pdf .png; may be repeated",
        ),
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(LimitedOptions),
        Option("--camera", metavar="FILE", help="measure steps in the image of the camera in this JSON file"),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
