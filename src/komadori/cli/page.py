"""Help pages: what a command does, and every option with its range and default, in English or Japanese."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from komadori.cli.columns import padded, width, wrapped
from komadori.cli.say import LANGUAGES, Say
from komadori.errors import quoted
from komadori.words import Note, translated

_COLUMN = 28
"""The column where help texts begin; longer names get their own line."""


class Argument(click.Argument):
    """An argument with a help line of its own."""

    def __init__(self, name: str, help: str, *, metavar: str, nargs: int = 1, required: bool = True) -> None:
        super().__init__([name], metavar=metavar, nargs=nargs, required=required, type=click.STRING)
        self.help = help


class Option(click.Option):
    """An option that tells its range and unit (`limits`) and default on the help page."""

    def __init__(self, *names: str, help: str, limits: str = "", **attributes: Any) -> None:
        super().__init__(list(names), help=help, **attributes)
        self.limits = limits


class Words(click.Choice):  # type: ignore[type-arg]
    """A choice of a few words; anything else is refused in the language of the call."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """`value`, if it is one of the words."""
        if value not in self.choices:
            words = ", ".join(map(str, self.choices))
            expected = Note("one of {words}", words=words)
            raise click.BadParameter(
                Note("expected {expected}, found {found}", expected=expected, found=quoted(str(value))), ctx, param
            )
        return value


class Command(click.Command):
    """A command with komadori's own help page; Japanese is measured in columns, and wrapped as Japanese is."""

    def __init__(
        self, name: str, *, params: Sequence[click.Parameter], help: str, callback: Callable[..., None]
    ) -> None:
        every = [*params, *closing_options()]
        super().__init__(name, params=every, help=help, callback=callback, add_help_option=False)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the whole page."""
        formatter.write(page(self, ctx, formatter.width))


def closing_options() -> list[click.Parameter]:
    """--lang and --help, which every command understands."""
    return [
        Option(
            "--lang",
            metavar="|".join(LANGUAGES),
            type=Words(LANGUAGES),
            expose_value=False,
            help="language of help, summary and notes (also: KOMADORI_LANG)",
        ),
        Option(
            "--help",
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_help,
            help="show this page and exit",
        ),
    ]


def _show_help(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(ctx.get_help())
        ctx.exit()


def page(command: click.Command, ctx: click.Context, columns: int, commands: Sequence[tuple[str, str]] = ()) -> str:
    """The help page of `command` for lines of `columns`; a group lists its `commands` (name, help)."""
    say = ctx.obj if isinstance(ctx.obj, Say) else Say()
    parameters = command.params
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    lines = [say.text(Note("Usage: {usage}", usage=usage))]
    for paragraph in filter(None, (command.help or "").split("\n\n")):
        lines += ["", *wrapped(translated(paragraph, say.language), columns)]
    arguments = [(p.metavar or "", say.text(p.help or "")) for p in parameters if isinstance(p, Argument)]
    options = [(_names(p), _help(p, say)) for p in parameters if isinstance(p, Option)]
    for heading, rows in (
        (Note("Arguments:"), arguments),
        (Note("Commands:"), [(name, say.text(text)) for name, text in commands]),
        (Note("Options:"), options),
    ):
        if rows:
            lines += ["", say.text(heading), *_table(rows, columns)]
    return "\n".join(lines) + "\n"


def _names(option: Option) -> str:
    if option.secondary_opts:
        return " / ".join([*option.opts, *option.secondary_opts])
    names = ", ".join(sorted(option.opts, key=len))
    return names if option.is_flag else f"{names} {option.metavar}"


def _help(option: Option, say: Say) -> str:
    extras = [say.text(option.limits)] if option.limits else []
    if option.show_default:
        default = option.default
        if isinstance(default, bool):
            default = (option.opts if default else option.secondary_opts)[0]
        extras.append(say.text(Note("default {value}", value=default)))
    text = say.text(option.help or "")
    return f"{text} [{', '.join(extras)}]" if extras else text


def _table(rows: Sequence[tuple[str, str]], columns: int) -> list[str]:
    column = min(max(width(left) for left, _ in rows) + 4, _COLUMN)
    lines = []
    for left, right in rows:
        first, *rest = wrapped(right, max(columns - column, 20)) or [""]
        if width(left) + 4 > column:
            lines.append("  " + left)
            lines.append(" " * column + first)
        else:
            lines.append(padded("  " + left, column) + first)
        lines += [" " * column + line for line in rest]
    return lines


def misused(error: click.UsageError) -> Note:
    """The message for an error that click found."""
    if isinstance(error, click.BadParameter) and isinstance(error.message, Note):
        option = max(error.param.opts, key=len) if error.param is not None else ""
        return Note("{option}: {message}", option=option, message=error.message)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        named = isinstance(error.param, Argument)
        name = error.param.metavar if named else max(error.param.opts, key=len)
        return Note("{name} is missing", name=name or "")
    if isinstance(error, click.NoSuchOption):
        near = ", ".join(sorted(error.possibilities or []))
        if near:
            return Note("there is no option {name}; did you mean {near}?", name=error.option_name, near=near)
        return Note("there is no option {name}", name=error.option_name)
    return Note("{text}", text=" ".join(error.format_message().split()).rstrip("."))
