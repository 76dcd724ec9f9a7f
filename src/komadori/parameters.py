"""One definition of a method's parameters, from which every face is made: call, command line, recipe, slider."""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from komadori.errors import OptionError

P = ParamSpec("P")
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
R = TypeVar("R")


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


def parameter(
    default: Any,
    help: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    faces: bool = True,
) -> Any:
    """A field of an options class: default, help, unit and range in one place. Choices come from its Literal type."""
    return field(default=default, metadata={"help": help, "unit": unit, "low": low, "high": high, "faces": faces})


@functools.cache
def parameters_of(options: type) -> tuple[Parameter, ...]:
    """The parameters of an options class, in order."""
    hints = typing.get_type_hints(options)
    found = []
    for item in fields(options):
        hint = hints[item.name]
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
        default = item.default if item.default is not MISSING else None
        meta = item.metadata
        found.append(
            Parameter(
                item.name,
                hint if isinstance(hint, type) else object,
                default,
                meta["help"],
                meta["unit"],
                meta["low"],
                meta["high"],
                choices,
                optional,
                meta["faces"],
                number and bool(choices),
            )
        )
    return tuple(found)


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
                raise OptionError(f"{item.name} must be one of {', '.join(item.choices)}, not {value!r}")
            continue
        if item.kind in (int, float):
            number = _number(item, value)
            low = -math.inf if item.low is None else item.low
            high = math.inf if item.high is None else item.high
            if not low <= number <= high:
                unit = f" {item.unit}" if item.unit else ""
                raise OptionError(f"{item.name} must lie between {low:g} and {high:g}{unit}, not {value!r}")
        elif item.kind is bool and not isinstance(value, bool):
            raise OptionError(f"{item.name} must be true or false, not {value!r}")


def _number(item: Parameter, value: Any) -> float:
    whole = item.kind is int
    if isinstance(value, bool) or not hasattr(value, "__index__" if whole else "__float__"):
        raise OptionError(f"{item.name} must be a {'whole ' if whole else ''}number, not {value!r}")
    number = float(value)
    if math.isnan(number):
        raise OptionError(f"{item.name} must be a number, not nan")
    return number


def method(options: Callable[P, O]) -> Callable[[Callable[[S, O], R]], Callable[Concatenate[S, P], R]]:
    """Make `run(subject, options)` a function that takes the options' fields as keywords, with their types."""

    def decorate(run: Callable[[S, O], R]) -> Callable[Concatenate[S, P], R]:
        @functools.wraps(run)
        def call(subject: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            try:
                chosen = options(*args, **kwargs)
            except TypeError as error:
                raise TypeError(
                    str(error).replace(f"{getattr(options, '__name__', '')}.__init__()", f"{run.__name__}()")
                ) from None
            return run(subject, chosen)

        first = next(iter(inspect.signature(run).parameters.values()))
        rest = inspect.signature(options).parameters.values()
        call.__signature__ = inspect.Signature([first, *rest])  # type: ignore[attr-defined]
        return call

    return decorate
