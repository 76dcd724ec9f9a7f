"""`komadori batch`: a recipe over a whole library, with a row for every clip."""

from __future__ import annotations

import sys
from collections import Counter

import click

from komadori.cli import inputs
from komadori.cli.columns import cut, padded, width
from komadori.cli.json_out import print_json
from komadori.cli.options import number_in
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say
from komadori.errors import KomadoriError, OptionError
from komadori.library.batching import FILES, LOCAL, BatchResult, State, batch
from komadori.library.jobs import CRASHED, DONE, FAILED
from komadori.pipeline import LOOKS
from komadori.words import Note

BAR = 24
MOST_TOLD = 20
"""How many failures are listed; the table has all of them."""


def run(
    say: Say,
    input: tuple[str, ...],
    output: str,
    look: str,
    character: str | None,
    files: str,
    jobs: int | None,
    on: str,
    resume: bool,
    memory: int,
    timeout: float,
    unit: str | None,
    as_json: bool,
) -> None:
    """Run the batch, show its progress, and report the outcome."""
    bar = _Bar(say)
    try:
        result = batch(
            input,
            output,
            look=look,
            character=character,
            files=files.split(","),
            jobs=jobs,
            on=on,
            resume=resume,
            unit=unit,
            memory_mb=memory,
            timeout_s=timeout,
            progress=bar.show,
        )
    except OptionError as error:
        flags = {"look": "--look", "files": "--files", "jobs": "--jobs"}
        raise error.named(flags.get(error.parameter, error.parameter)) from None
    except KeyboardInterrupt:
        done, count = (bar.last.done, bar.last.count) if bar.last else (0, 0)
        stopped = Note("stopped after {done} of {count:clip|clips}; continue with --resume", done=done, count=count)
        raise KomadoriError(stopped if count else Note("stopped; continue with --resume")) from None
    finally:
        bar.clear()
    if as_json:
        counts = Counter(record.status for record in result.records)
        print_json({"output": result.output, "clips": result.rows(), "counts": counts, "seconds": result.seconds, "outputs": result.files})  # fmt: skip
    else:
        _tell(say, result)
    if result.failed:
        raise click.exceptions.Exit(1)


def _tell(say: Say, result: BatchResult) -> None:
    counts = Counter(record.status for record in result.records)
    kept = sum(record.kept for record in result.records)
    rate = 60.0 * (len(result.records) - kept) / max(result.seconds, 1e-9)
    say.line(
        Note(
            "{done} of {count} clips done in {seconds:.0f} s, {rate:.0f} a minute; {failed} failed",
            done=counts[DONE],
            count=len(result.records),
            seconds=result.seconds,
            rate=rate,
            failed=counts[FAILED] + counts[CRASHED],
        )
    )
    if kept:
        say.line(Note("{count:clip was|clips were} done in an earlier run", count=kept))
    rows = [(record.clip, record.error_ja if say.language == "ja" else record.error) for record in result.failed]
    say.rows(rows[:MOST_TOLD])
    if len(rows) > MOST_TOLD:
        say.line(Note("... and {count} more, in the table", count=len(rows) - MOST_TOLD))
    say.rows([(Note("written"), path) for path in result.files])


class _Bar:
    """A progress line; only on a terminal."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.widest = 0
        self.last: State | None = None

    def show(self, state: State) -> None:
        """Write the line again."""
        self.last = state
        if not sys.stderr.isatty():
            return
        full = BAR * state.done // max(state.count, 1)
        words = self.say.text(
            Note(
                "{done} of {count} clips, {rate:.0f} a minute, {left} left, {failed} failed",
                done=state.done,
                count=state.count,
                rate=state.a_minute,
                left="-" if state.left_s is None else _time(state.left_s),
                failed=state.failed,
            )
        )
        line = cut(f"[{'#' * full}{'.' * (BAR - full)}] {words}", 100)
        self.widest = max(self.widest, width(line))
        sys.stderr.write("\r" + padded(line, self.widest))
        sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self.widest:
            sys.stderr.write("\r" + " " * self.widest + "\r")
            sys.stderr.flush()


def _time(seconds: float) -> str:
    """Hours, minutes and seconds.

    >>> _time(3723.0)
    '1:02:03'
    """
    whole = round(seconds)
    minutes = f"{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 3600}:{minutes}" if whole >= 3600 else minutes


command = Command(
    "batch",
    help="A whole library: apply a look to every clip, with a table of measures and a page to browse.\n\n"
    "A bad clip never stops the rest. Press Ctrl+C at any time, and continue with --resume.\n\n"
    "Example: komadori batch clips -o out --look tv --character girl --files glb,xdts,mp4",
    params=[
        Argument("input", "files, folders, globs or lists (.txt) of clips, or sample:walk", metavar="IN...", nargs=-1),
        Option("-o", "--output", metavar="FOLDER", required=True, help="folder or fsspec address for the results"),
        Option(
            "--look",
            metavar="LOOK",
            default=LOOKS[0],
            show_default=True,
            limits=" | ".join(LOOKS),
            help="style of movement, or the .toml file of a recipe (see: komadori looks)",
        ),
        Option(
            "--character",
            metavar="CHARACTER",
            help="character file, or a built-in one: mannequin, girl, horse (if not given: the motion file's own, or a skeleton)",
        ),
        Option(
            "--files",
            metavar="LIST",
            default=",".join(FILES),
            show_default=True,
            help="files to write for each clip: motion formats, xdts, csv, pdf, png (poster), mp4 or webm (film), html (report)",
        ),
        Option(
            "--jobs",
            metavar="N",
            type=number_in(int, 1, 1024),
            help="number of processes (if not given: one per processor)",
        ),
        Option(
            "--on", metavar="WHERE", default=LOCAL, show_default=True, help="local, or dask://HOST:PORT for a cluster"
        ),
        Option("--resume", is_flag=True, help="keep earlier results and continue"),
        Option(
            "--memory",
            metavar="MB",
            type=number_in(int, 0, 1e6),
            default=2000,
            show_default=True,
            help="memory limit per process; 0 for no limit",
        ),
        Option(
            "--timeout",
            metavar="S",
            type=number_in(float, 1, 1e6),
            default=1800.0,
            show_default=True,
            help="time limit per clip",
        ),
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
