"""`komadori measure`: the measures of one clip, or of a library as a table and a picture of how they are spread."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from komadori.cli import inputs, outputs
from komadori.cli.json_out import print_json
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say, captured_length, complain, note_rows
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import load_sheet
from komadori.library import tables
from komadori.library.finding import Clip, clips
from komadori.library.store import fetched
from komadori.measures import DEFINITIONS, Measured, measure
from komadori.registry import measured
from komadori.render.distributions import Distribution, distributions_chart
from komadori.words import Note

COLUMNS = ("clip", "input", "frames", "fps", "error", *(one.name for one in DEFINITIONS))


def run(
    say: Say,
    input: tuple[str, ...],
    table: str | None,
    charts: tuple[str, ...],
    against: str | None,
    sheet: str | None,
    unit: str | None,
    as_json: bool,
) -> None:
    """Measure every clip; one that cannot be measured gets an error line, and the others are still measured."""
    found = clips(input)
    _check(found, table, charts, against, sheet)
    rows: list[dict[str, Any]] = []
    told: list[Measured] = []
    counted = say.counted(
        found, lambda number: Note("measured {number} of {count} clips", number=number, count=len(found))
    )
    for clip in counted:
        row: dict[str, Any] = {"clip": clip.name, "input": clip.given}
        try:
            made = _measured(clip, against, sheet, unit)
            row |= {"frames": made.frames, "fps": made.fps, **made.plain()}
            told.append(made)
        except KomadoriError as error:
            row["error"] = error.in_language(say.language)
            complain(row["error"])
        rows.append(row)
    written = _written(rows, table, charts, say)
    if as_json:
        print_json({"clips": rows, "outputs": written})
    elif len(rows) == 1 and told:
        say.line(Note("{path}: measured", path=found[0].given))
        notes = note_rows(told[0].notes)
        say.rows(
            [
                captured_length(told[0].frames, told[0].fps),
                *_rows(told),
                *notes,
                *((Note("written"), path) for path in written),
            ]
        )
    elif told:
        say.line(Note("{count} of {all} clips measured: median (least to most)", count=len(told), all=len(rows)))
        say.rows([*_rows(told), *((Note("written"), path) for path in written)])
    if len(told) < len(rows):
        raise click.exceptions.Exit(1)


def _check(
    found: tuple[Clip, ...], table: str | None, charts: tuple[str, ...], against: str | None, sheet: str | None
) -> None:
    """Errors reported before the work starts."""
    if len(found) > 1 and (against or sheet):
        raise OptionError("--against" if against else "--sheet", expected=Note("one clip to compare"), found=len(found))
    if sheet and not against:
        raise OptionError(
            "--sheet",
            problem=Note("a sheet needs the captured clip"),
            advice=Note("name it with --against"),
        )
    if table:
        outputs.check_suffix("-o", table, tables.SUFFIXES)
    for path in charts:
        outputs.check_suffix("--chart", path, outputs.PICTURE)
    outputs.check_paths(
        [*filter(None, [table]), *charts], [path for clip in found for path in inputs.files(clip.given)]
    )


def _measured(clip: Clip, against: str | None, sheet: str | None, unit: str | None) -> Measured:
    with fetched(clip.given) as path:
        motion = inputs.motion(path, unit)
    if not len(motion):
        raise FormatError(clip.given, problem=Note("the motion has no frames"))
    try:
        if against is None:
            # Its own frames, without calibration poses and drop-outs: those say nothing about the movement.
            return measure(motion.prepared(motion.fps))
        captured = inputs.motion(against, unit)
        captured = captured.prepared(motion.fps) if captured.fps != motion.fps else captured
        return measure(motion, against=captured, sheet=load_sheet(sheet) if sheet else None)
    except OptionError as error:
        raise FormatError(clip.given, problem=error.note) from None


def _rows(told: list[Measured]) -> list[tuple[str, str]]:
    """A line per measure: its value, or of several clips the median and the range."""
    rows: list[tuple[str, str]] = []
    for one in DEFINITIONS:
        values = [made[one.name].value for made in told if one.name in made.values]
        if not values:
            continue
        shown = measured(float(np.median(values)), one.unit)
        if len(told) > 1:
            shown = Note("{median} ({low:.4g} to {high:.4g})", median=shown, low=min(values), high=max(values))
        rows.append((one.label, shown))
    return rows


def _written(rows: list[dict[str, Any]], table: str | None, charts: tuple[str, ...], say: Say) -> list[str]:
    files: outputs.Files = []
    if table:
        files.append((table, tables.encoded(rows, COLUMNS, Path(table).suffix.lower())))
    for path in charts:
        from komadori.render import drawing

        spread = [
            Distribution(one.label, one.unit, np.array([row[one.name] for row in rows if one.name in row]))
            for one in DEFINITIONS
        ]
        title = say.text(Note("{count:clip|clips}", count=sum(not row.get("error") for row in rows)))
        made = drawing.encoded(distributions_chart(spread, title, say.language), path)
        files += [(str(where), data) for where, data in made.items()]
    outputs.write_all(files)
    return [path for path, _ in files]


command = Command(
    "measure",
    help="Measure a clip or a library: skating, jitter, jerk, penetration, speed, symmetry, holds.\n\n"
    "docs/measure.md defines each measure. --against adds contact accuracy and hold error.\n\n"
    "Example: komadori measure clips -o measures.csv --chart measures.svg",
    params=[
        Argument("input", "files, folders, globs or lists (.txt) of clips, or sample:walk", metavar="IN...", nargs=-1),
        Option(
            "-o", "--output", "table", metavar="FILE", help="table to write, one row per clip: .csv .sqlite .parquet"
        ),
        Option(
            "--chart",
            "charts",
            metavar="FILE",
            multiple=True,
            help="chart of the distribution of each measure: .svg .pdf .png; may be repeated",
        ),
        Option("--against", metavar="IN", help="the clip as it was captured, to compare with"),
        Option("--sheet", metavar="FILE", help="timesheet that gives the frame of --against shown in each frame"),
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
