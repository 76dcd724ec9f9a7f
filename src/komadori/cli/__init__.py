"""The command line: parse, call, print. `main` is the `komadori` command; every ending is one line and a status."""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from types import FrameType, TracebackType

DONE, BAD_INPUT, BAD_USAGE = 0, 1, 2
DEBUG = "KOMADORI_DEBUG"


def main(args: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status: 0, 1 (bad input, one line on stderr) or 2 (wrong usage)."""
    sys.excepthook = _report_a_bug
    # Before NumPy is loaded: our matrices are small, and a BLAS that spins on every core makes them slower, on a busy
    # machine many times over.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        signal.signal(signal.SIGTERM, _stop)
        if not sys.warnoptions and not os.environ.get(DEBUG):
            warnings.simplefilter(
                "ignore"
            )  # they are for anybody who works on komadori, and would blur the single clear line
        _ready_streams()
        status = run(sys.argv[1:] if args is None else args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        # Every file is renamed into place when it is complete, so there is nothing to clean up. A second Ctrl-C is
        # a sign of impatience.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _complain("stopped; no file is left half-written")
        return BAD_INPUT
    except BrokenPipeError:
        _give_up_stdout()
        return BAD_INPUT
    except OSError as error:
        _give_up_stdout()
        where = f"{error.filename}: " if error.filename else "cannot write the output: "
        _complain(f"{where}{error.strerror or error}")
        return BAD_INPUT
    return status


def run(args: Sequence[str]) -> int:
    """Run the command that `args` name and give its exit status; errors that a user can fix are reported in one line."""
    import click

    from komadori.cli.commands import PROGRAM, commands
    from komadori.cli.page import misused
    from komadori.cli.say import Say, language_of
    from komadori.errors import KomadoriError, OptionError
    from komadori.words import Note

    if "_KOMADORI_COMPLETE" in os.environ:
        PROGRAM.main(list(args), "komadori")  # a shell requests completions
    command = next((f"komadori {word}" for word in args if word in commands()), "komadori")
    say = Say(language_of(args, os.environ))
    try:
        with PROGRAM.make_context("komadori", list(args), obj=say) as context:
            PROGRAM.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else command
        _complain(say.text(Note("{what}; try: {command} --help", what=misused(error), command=path)))
        return BAD_USAGE
    except OptionError as error:
        _complain(say.text(Note("{what}; try: {command} --help", what=error.note, command=command)))
        return BAD_USAGE
    except click.ClickException as error:
        _complain(" ".join(error.format_message().split()).rstrip("."))
        return BAD_INPUT
    except KomadoriError as error:
        _complain(error.in_language(say.language))
        return BAD_INPUT
    except MemoryError:
        _complain(say.text(Note("there is not enough memory for this; try a shorter clip or a lower --fps")))
        return BAD_INPUT
    except RecursionError:
        _complain(say.text(Note("the file is nested too deeply to be read")))
        return BAD_INPUT
    return DONE


def _complain(text: str) -> None:
    from komadori.cli.say import complain

    complain(text)


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _ready_streams() -> None:
    """Printing must not abort the work, neither for a name that the terminal cannot show nor because nobody reads the output."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_stdout() -> None:
    """Standard output is closed: flushing the rest of its buffer must not fail again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _report_a_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error that gets here is a bug in komadori, and the message says so."""
    if os.environ.get(DEBUG):
        sys.__excepthook__(kind, error, trace)
        return
    place = trace
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" at {os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno}" if place else ""  # noqa: PTH119
    _complain(
        f"this is a bug in komadori, not in your file: {kind.__name__}{where}: {error}; "
        f"set {DEBUG}=1 and run it again to see more, and please report it"
    )
