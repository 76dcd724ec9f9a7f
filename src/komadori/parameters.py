"""One definition of a method's parameters, from which every face is made: call, command line, recipe, slider."""

from __future__ import annotations

import functools
import math
import re
import types
import typing
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

from komadori.errors import OptionError, one_of
from komadori.words import Note

Reads = Literal[
    "",
    "motion",
    "motions",
    "character",
    "body",
    "animal",
    "camera",
    "trace",
    "translator",
    "take",
    "names",
    "vector",
    "timesheets",
]
"""What a parameter that is no plain number, word or switch is read from: a thing with a file, names, or x, y, z."""
THINGS: tuple[Reads, ...] = (
    "motion",
    "motions",
    "character",
    "body",
    "animal",
    "camera",
    "trace",
    "translator",
    "take",
    "timesheets",
)
"""Those that are files or built-in things on a command line, and that a recipe or a scene knows by itself."""


@dataclass(frozen=True)
class Parameter:
    """What a face needs to know of one parameter."""

    name: str
    kind: type
    default: Any
    help: str
    unit: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    optional: bool
    faces: bool
    """Whether a plain value can be given on a command line or slider (a camera cannot)."""
    number: bool = False
    """Whether a number does as well as one of the choices."""
    reads: Reads = ""
    """What it is read from where a plain value will not do."""
    flag: str = ""
    """Its option on the command line if that is not its name."""
    label: str = ""
    """What a panel calls it if its name says too little."""
    called: tuple[tuple[str, str], ...] = ()
    """Choices whose own word says too little, and what a panel calls them."""

    recipe: bool = True
    """Whether a recipe may give it; not where the recipe itself takes care of it."""
    usual: tuple[float, float] | None = None
    """From where to where people usually set it, within what is allowed: a slider goes so far, a help line says it."""
    symbol: str = ""
    """What the paper calls it."""

    @property
    def required(self) -> bool:
        """Whether it must be given: it has no default."""
        return self.default is MISSING

    @property
    def words(self) -> str:
        """What a panel calls it: its label, else its name in words; a unit stands beside it and need not be in the name."""
        name = re.sub(r"_(m_s|s|m|deg)$", "", self.name) if self.unit else self.name
        return self.label or name.replace("_", " ")

    def choice_words(self, choice: str) -> str:
        """What a panel calls one of the choices."""
        return dict(self.called).get(choice, choice)


def parameter(
    default: Any,
    help: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    faces: bool = True,
    reads: Reads = "",
    flag: str = "",
    label: str = "",
    called: typing.Mapping[str, str] | None = None,
    recipe: bool = True,
    usual: tuple[float, float] | None = None,
    symbol: str = "",
) -> Any:
    """A field of an options class: default, help, unit and range in one place. Choices come from its Literal type.

    `reads` says what the value is read from where it is not plain (a camera, a character); `faces=False` leaves it to
    Python alone. `usual` is the part of the range that people use, `symbol` the paper's letter. `label` and `called` are
    what a panel calls the parameter and its choices.
    """
    if usual is not None and not (
        (low is None or low <= usual[0]) and usual[0] < usual[1] and (high is None or usual[1] <= high)
    ):
        raise ValueError(f"the usual range {usual} is not within {low} to {high}: {help}")
    meta = {"help": help, "unit": unit, "low": low, "high": high, "faces": faces and not reads}
    return field(
        default=default,
        metadata={
            **meta,
            "reads": reads,
            "flag": flag,
            "label": label,
            "called": tuple((called or {}).items()),
            "recipe": recipe,
            "usual": usual,
            "symbol": symbol,
        },
    )


@functools.cache
def parameters_of(options: type) -> tuple[Parameter, ...]:
    """The parameters of an options class, in order."""
    hints = typing.get_type_hints(options)
    return tuple(_parameter(item.name, item.default, item.metadata, hints[item.name]) for item in fields(options))


def _parameter(name: str, default: Any, meta: typing.Mapping[str, Any], hint: Any) -> Parameter:
    optional, number = False, False
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        arms = [arm for arm in typing.get_args(hint) if arm is not type(None)]
        optional = len(arms) < len(typing.get_args(hint))
        hint = arms[0]
        number = float in arms
    choices: tuple[str, ...] = ()
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        hint = str
    kind = hint if isinstance(hint, type) else object
    return Parameter(name, kind, default, choices=choices, optional=optional, number=number and bool(choices), **meta)


def check(options: Any) -> None:
    """Raise OptionError for the first value out of its type, range or choices. Call it from `__post_init__`."""
    kind: type = type(options)
    for item in parameters_of(kind):
        value = getattr(options, item.name)
        if value is None and item.optional:
            continue
        if item.choices:
            # Where a number does too, its own options class says which.
            if value not in item.choices and (isinstance(value, str) or not item.number):
                raise OptionError(item.name, expected=one_of(item.choices), found=value)
            continue
        if item.kind in (int, float):
            low = -math.inf if item.low is None else item.low
            high = math.inf if item.high is None else item.high
            if not low <= _number(item, value) <= high:
                raise OptionError(item.name, expected=_wanted(item), found=value)
        elif item.kind is bool and not isinstance(value, bool):
            raise OptionError(item.name, expected=Note("true or false"), found=value)
        elif item.kind is str and not item.reads and not isinstance(value, str):
            raise OptionError(item.name, expected=Note("text"), found=value)
        elif isinstance(item.default, tuple) and (isinstance(value, str) or not isinstance(value, Iterable)):
            raise OptionError(item.name, expected=Note("a list"), found=value)


def _wanted(item: Parameter) -> Note:
    """What a number must be, for an error."""
    low = -math.inf if item.low is None else item.low
    high = math.inf if item.high is None else item.high
    if item.unit:
        return Note("a number between {low:g} and {high:g} {unit}", low=low, high=high, unit=Note(item.unit))
    return Note("a number between {low:g} and {high:g}", low=low, high=high)


def _number(item: Parameter, value: Any) -> float:
    whole = item.kind is int
    if isinstance(value, bool) or not hasattr(value, "__index__" if whole else "__float__"):
        raise OptionError(item.name, expected=Note("a whole number") if whole else Note("a number"), found=value)
    number = as_float(value)
    if math.isnan(number):
        raise OptionError(item.name, expected=Note("a number"), found=value)
    return number


def as_float(value: Any) -> float:
    """A number as a float; one that is larger than any float is infinite, on its own side."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
