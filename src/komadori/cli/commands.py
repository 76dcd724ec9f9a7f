"""The table of commands, and the program that loads the one which is called."""

from __future__ import annotations

from importlib import import_module

import click

from komadori import __version__, methods
from komadori.cli.page import Command, Option, closing_options, page
from komadori.errors import OptionError, quoted
from komadori.words import Note

FIRST: dict[str, str] = {
    "anime": "Motion in, anime out: make the animation, its timesheet, a film, a poster and a report.",
    "looks": "List the built-in looks, or print one to start your own from.",
    "info": "Show what a file holds: frames, rate, joints, body, and anything unusual.",
}
LAST: dict[str, str] = {
    "batch": "A whole library: apply a look to every clip, with a table of measures and a page to browse.",
    "measure": "Measure a clip or a library: skating, jitter, jerk, penetration, speed, symmetry, holds.",
    "render": "Pictures: draw a motion as a film, a GIF or a poster, on a character or as a skeleton.",
    "live": "Live: turn a performer's motion into limited animation as it arrives.",
    "studio": "The studio: work interactively in your browser, on this machine.",
    "convert": "Write a motion or a timesheet in another format.",
    "samples": "List the built-in sample motions, or write one to a file.",
    "doctor": "Show which optional parts are installed, and how to install the others.",
}
"""Name -> its line on the help page, before and after the methods. `komadori.cli.NAME` holds the click command, called `command`, and is
imported only when it is wanted: the help page must not wait for NumPy."""


def commands() -> dict[str, str]:
    """Every command's name and line, the methods among them."""
    return {**FIRST, **{line.name: line.summary for line in methods.METHODS}, **LAST}


class Program(click.Group):
    """`komadori`: finds the command in the table, and gives advice if there is none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the table, in its order."""
        return list(commands())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command called `name`, loaded now."""
        if name in (*FIRST, *LAST):
            command: Command = import_module(f"komadori.cli.{name}").command
            return command
        if name not in commands():
            return None
        from komadori.cli.methods import command_of

        return command_of(methods.listed(name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with; a file or a misspelt name gets advice."""
        if args[0] not in commands() and not args[0].startswith("-"):
            raise OptionError(_advice(args[0]))
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the page from the table alone: no command is loaded for it."""
        formatter.write(page(self, ctx, formatter.width, list(commands().items())))


def _advice(name: str) -> Note:
    """What to type instead of `name`, which is not a command."""
    from difflib import get_close_matches
    from pathlib import Path

    if Path(name).suffix and Path(name).exists():
        text = "{name} is a file, not a command; give a command first, such as: komadori info FILE"
        return Note(text, name=quoted(name))
    if near := get_close_matches(name, commands(), n=1):
        return Note("there is no command {name}; did you mean {near}?", name=quoted(name), near=quoted(near[0]))
    return Note("there is no command {name}; there are {names}", name=quoted(name), names=", ".join(commands()))


def _show_version(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"komadori {__version__}")
        ctx.exit()


def _show_page(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


PROGRAM = Program(
    "komadori",
    help="komadori (コマ撮り): motion capture in, anime out.",
    params=[
        Option(
            "--version",
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="show the version and exit",
        ),
        *closing_options(),
    ],
    add_help_option=False,
    callback=click.pass_context(_show_page),
    invoke_without_command=True,
)
