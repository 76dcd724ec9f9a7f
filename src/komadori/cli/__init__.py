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
            warnings.simplefilter("ignore")  # they are for whoever works on komadori, and would blur the one clear line
        _ready_streams()
        status = run(sys.argv[1:] if args is None else args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        # Every file is renamed into place when it is complete, so there is nothing to clean up. A second Ctrl-C is
        # one of impatience.
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
    """Run the command that `args` name and give its exit status; what a user can mend is said in one line."""
    import click

    from komadori.cli.commands import PROGRAM, commands
    from komadori.cli.say import Say, language_of
    from komadori.errors import KomadoriError, OptionError

    if "_KOMADORI_COMPLETE" in os.environ:
        PROGRAM.main(list(args), "komadori")  # a shell asks how to complete a line
    command = next((f"komadori {word}" for word in args if word in commands()), "komadori")
    try:
        with PROGRAM.make_context("komadori", list(args), obj=Say(language_of(args, os.environ))) as context:
            PROGRAM.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else command
        _complain(f"{_sentence(error.format_message())}; try: {path} --help")
        return BAD_USAGE
    except OptionError as error:
        _complain(f"{_sentence(str(error))}; try: {command} --help")
        return BAD_USAGE
    except click.ClickException as error:
        _complain(_sentence(error.format_message()))
        return BAD_INPUT
    except KomadoriError as error:
        _complain(str(error))
        return BAD_INPUT
    except MemoryError:
        _complain("there is not enough memory for this; try a shorter clip or a lower --fps")
        return BAD_INPUT
    except RecursionError:
        _complain("the file is nested too deeply to be read")
        return BAD_INPUT
    return DONE


def _complain(text: str) -> None:
    from komadori.cli.say import complain

    complain(text)


def _sentence(text: str) -> str:
    """A message of click's as a part of one line: no line breaks, no full stop."""
    return " ".join(text.split()).rstrip(".")


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _ready_streams() -> None:
    """Printing must not end the work: not for a name that the terminal cannot show, nor where nobody listens."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _give_up_stdout() -> None:
    """Nobody reads standard output any more: what is left in its buffer must not complain again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _report_a_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What reaches the top is komadori's own fault, and says so."""
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
