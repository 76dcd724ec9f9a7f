"""Options of a command, made from a method's options class: one definition of name, range, default and help."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import click

from komadori import rates
from komadori.cli.page import Option, Words
from komadori.errors import OptionError, quoted
from komadori.parameters import Parameter, parameters_of
from komadori.words import Note

T = TypeVar("T")

_OPEN_ENDED = 1e6
"""An upper bound from here on is only a safety limit; the help page does not show it."""

SLOWEST, FASTEST = 1.0, 1000.0
"""Frame rates that a command takes: anything beyond is a typing error that would waste memory."""


def settings(options: type, leave_out: Collection[str] = (), undecided: bool = False) -> list[click.Parameter]:
    """A command-line option for every parameter of an options class that a plain value can be given for.

    `undecided`: what is not given stays None, so that something else, such as a look, decides.
    """
    items = [item for item in parameters_of(options) if item.faces and item.name not in leave_out]
    return [_option(replace(item, default=None) if undecided else item) for item in items]


def chosen(options: type[T], given: Mapping[str, Any], **more: Any) -> T:
    """The options class filled with what was `given` on the command line, and `more` by name."""
    kind: type = options
    names = {item.name for item in parameters_of(kind)}
    try:
        return options(**{name: value for name, value in given.items() if name in names}, **more)
    except OptionError as error:
        raise as_typed(error, options) from None


def as_typed(error: OptionError, options: type) -> OptionError:
    """An error about a parameter, with its name as it is typed: max_drift becomes --max-drift."""
    flags = {item.name: flag_of(item) for item in parameters_of(options)}
    return error.named(flags[error.parameter]) if error.parameter in flags else error


def flag(name: str) -> str:
    """A parameter's name as an option: max_drift -> --max-drift."""
    return "--" + name.replace("_", "-")


def flag_of(item: Parameter) -> str:
    """A parameter's option."""
    return item.flag or flag(item.name)


def _option(item: Parameter) -> Option:
    name = flag_of(item)
    if item.choices and item.number:
        return Option(
            name,
            item.name,
            type=_word_or_number(item),
            metavar="X",
            default=item.default,
            show_default=True,
            help=item.help,
        )
    if item.kind is str and not item.choices:
        return Option(
            name, item.name, metavar="NAME", default=item.default, show_default=item.default is not None, help=item.help
        )
    if item.kind is bool:
        both = f"{name}/--no-{name.removeprefix('--')}"
        return Option(both, item.name, help=item.help, default=item.default, show_default=item.default is not None)
    if item.choices:
        return Option(
            name,
            help=item.help,
            type=Words(item.choices),
            metavar="CHOICE",
            limits=" | ".join(item.choices),
            default=item.default,
            show_default=item.default is not None,
        )
    if isinstance(item.default, tuple):
        return Option(name, item.name, help=item.help, type=frames, metavar="N,N...", multiple=True, callback=_joined)
    number = number_in(item.kind, item.low, item.high)
    metavar = "N" if item.kind is int else "X"
    shown = item.default is not None
    return Option(
        name,
        help=item.help,
        type=number,
        metavar=metavar,
        limits=limits(item),
        default=item.default,
        show_default=shown,
    )


def _word_or_number(item: Parameter) -> Callable[[Any], Any]:
    """A reader of one of the parameter's words, or a number."""
    low = 0.0 if item.low is None else item.low

    def read(value: Any) -> Any:
        if value in item.choices:
            return value
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not low <= number < math.inf:
            wanted = Note("{words} or a number of at least {low:g}", words=", ".join(item.choices), low=low)
            raise click.BadParameter(unlike(wanted, value))
        return number

    return read


def limits(item: Parameter) -> str:
    """The range, and what of it people use."""
    if item.usual is None:
        return _range(item)
    low, high = item.usual
    return Note("{range}; usually {low:g} to {high:g}", range=_range(item), low=low, high=high)


def _range(item: Parameter) -> str:
    values = {"low": item.low, "high": item.high, "unit": Note(item.unit)}
    if item.low is None:
        return item.unit
    if item.high is None or item.high >= _OPEN_ENDED:
        return Note("{low:g} {unit} or more", **values) if item.unit else Note("{low:g} or more", **values)
    return Note("{low:g} to {high:g} {unit}", **values) if item.unit else Note("{low:g} to {high:g}", **values)


def _joined(ctx: click.Context, option: click.Parameter, given: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    return tuple(number for part in given for number in part)


def number_in(kind: type, low: float | None, high: float | None) -> Callable[[Any], Any]:
    """A reader of one number (int or float) from `low` to `high`, with an error that says what is accepted."""
    what = Note("a whole number") if kind is int else Note("a number")

    def read(value: Any) -> Any:
        try:
            number = kind(value)
        except (ValueError, OverflowError):
            number = math.nan
        if not _finite(number):
            raise click.BadParameter(unlike(what, value))
        if low is not None and number < low:
            raise click.BadParameter(unlike(Note("{what} of at least {low:g}", what=what, low=low), number))
        if high is not None and number > high:
            raise click.BadParameter(unlike(Note("{what} up to {high:g}", what=what, high=high), number))
        return number

    return read


def _finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        # A whole number of more digits than a float holds.
        return False


def unlike(expected: Note, found: object) -> Note:
    """The error for a typed value that is not accepted."""
    shown = found if isinstance(found, int | float) else quoted(str(found))
    return Note("expected {expected}, found {found}", expected=expected, found=shown)


def frames(value: str | tuple[int, ...]) -> tuple[int, ...]:
    """Whole numbers with commas between them.

    >>> frames("12, 40,41")
    (12, 40, 41)
    """
    if isinstance(value, tuple):
        return value
    words = [word.strip() for word in value.split(",") if word.strip()]
    if not words or not all(re.fullmatch(r"[0-9]{1,9}", word) for word in words):
        raise click.BadParameter(unlike(Note("whole numbers such as 12,40"), value))
    return tuple(map(int, words))


def rate(value: str | float) -> float:
    """A frame rate: 23.976 means 24000/1001, which can also be typed that way.

    >>> rate("24"), rate("23.976") == rate("24000/1001")
    (24.0, True)
    """
    try:
        asked = float(Fraction(str(value)))
    except (ValueError, ZeroDivisionError, OverflowError):
        asked = math.nan
    if not SLOWEST <= asked <= FASTEST:
        text = "a frame rate from {low:g} to {high:g}, such as 24, 23.976 or 24000/1001"
        raise click.BadParameter(unlike(Note(text, low=SLOWEST, high=FASTEST), value))
    return rates.meant(1.0 / asked)
