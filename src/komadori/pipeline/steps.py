"""Steps: what a recipe can do, one method each, with the parameters that the method itself defines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from komadori.errors import OptionError, quoted
from komadori.methods.exaggerate import ExaggerateOptions
from komadori.methods.hair import HairOptions
from komadori.methods.hair.options import LETTERS
from komadori.methods.keyposes import KeyposesOptions
from komadori.methods.limited import LimitedOptions
from komadori.methods.retarget import RetargetOptions
from komadori.parameters import Parameter, check, parameter, parameters_of

FPS = 24.0
LONGEST_ABOUT = 300


@dataclass(frozen=True, kw_only=True)
class PrepareOptions:
    """How a clip is made ready."""

    fps: float = parameter(FPS, "frame rate of the work and of the result", unit="fps", low=1.0, high=1000.0)
    keep_first: bool = parameter(False, "keep a calibration pose at the start")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, kw_only=True)
class PlantOptions:
    """How standing feet are kept in place."""

    blend_s: float = parameter(
        0.1, "time in which a foot comes to its place and leaves it again", unit="s", low=0.0, high=5.0
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class Kind:
    """What a step of a recipe is: the method's options, and those parameters that are lists of plain values."""

    options: type
    words: str = ""
    """A parameter that is a list of names."""
    vector: str = ""
    """A parameter that is x, y, z."""
    leave_out: tuple[str, ...] = ()
    """Parameters that the recipe itself takes care of."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Names that recipes gave parameters before -> what they are called now."""

    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters that a recipe can give, by name, in the order of the method."""
        return {
            item.name: item
            for item in parameters_of(self.options)
            if (item.faces or item.name in (self.words, self.vector)) and item.name not in self.leave_out
        }


STEPS: Mapping[str, Kind] = MappingProxyType(
    {
        "prepare": Kind(PrepareOptions),
        "retarget": Kind(RetargetOptions),
        "plant": Kind(PlantOptions),
        "exaggerate": Kind(ExaggerateOptions),
        # The motion's own length is the recipe's: hair may not make it another one.
        "hair": Kind(HairOptions, words="chains", vector="wind", leave_out=("seconds",), renamed=LETTERS),
        "limited": Kind(LimitedOptions),
        "keyposes": Kind(KeyposesOptions, words="joints"),
    }
)
TIMING = ("limited", "keyposes")
"""Steps that decide which frame is shown when; a recipe has at most one."""
AFTER_TIMING = ("hair",)
"""Steps that may follow the timing, for they move by a clock of their own."""


@dataclass(frozen=True, init=False)
class Step:
    """One step of a recipe: `use` names it, `given` are its parameters; the others keep their defaults.

    >>> Step("limited", omit=4)
    Step('limited', omit=4)
    """

    use: str
    given: tuple[tuple[str, Any], ...]

    def __init__(self, use: str, /, **given: Any) -> None:
        if use not in STEPS:
            raise OptionError(f"use must be one of {', '.join(STEPS)}, not {_told(use)}")
        known = STEPS[use].parameters()
        for name in given:
            if name in STEPS[use].renamed:
                raise OptionError(f"{use}: {name} is called {STEPS[use].renamed[name]} now")
            if name not in known:
                raise OptionError(f"{use} has no {quoted(name)}; there are {', '.join(known)}")
        plain = {name: _plain(known[name], STEPS[use], given[name]) for name in known if name in given}
        object.__setattr__(self, "use", use)
        object.__setattr__(self, "given", tuple(plain.items()))
        self.options()

    def __repr__(self) -> str:
        return f"Step({', '.join([repr(self.use), *(f'{name}={value!r}' for name, value in self.given)])})"

    def options(self, **more: Any) -> dict[str, Any]:
        """The method's keywords, checked: what was given, and `more` that only a run knows."""
        options = STEPS[self.use].options
        # The character has no default: only a run knows it.
        known_later = {"character": None} if options is RetargetOptions else {}
        made = options(**{**known_later, **dict(self.given), **more})
        check(made)
        return dict(vars(made))


def misplaced(steps: Sequence[Step]) -> tuple[int, str] | None:
    """The first step that stands where it makes no sense, and what could stand there; None where all is well."""
    uses = [step.use for step in steps]
    for number, use in enumerate(uses):
        before = uses[:number]
        timing = next((earlier for earlier in before if earlier in TIMING), None)
        if use == "prepare" and before:
            return number, "prepare as the first step"
        if use == "retarget" and set(before) - {"prepare"}:
            return number, "retarget before all steps but prepare"
        if use in before:
            return number, f"one step {use} alone"
        if timing is not None and use not in AFTER_TIMING:
            last = ", ".join(AFTER_TIMING)
            return number, f"{last} or nothing after {timing}, which decides what is shown when"
    return None


def checked_about(about: object) -> str:
    """`about`, where it is one line that can be shown."""
    # The wide space of Japanese counts as a separator, not as printable.
    if not isinstance(about, str) or not about.replace("\u3000", " ").isprintable() or len(about) > LONGEST_ABOUT:
        raise OptionError(f"about must be one line of at most {LONGEST_ABOUT} letters")
    return about


def _plain(item: Parameter, kind: Kind, value: Any) -> Any:
    """`value` as the method takes it and as a file can hold it: lists become tuples, whole numbers numbers."""
    if value is None and item.optional:
        return None
    if item.name in (kind.words, kind.vector) or isinstance(item.default, tuple):
        if not isinstance(value, list | tuple):
            raise OptionError(f"{item.name} must be a list such as {_example(item, kind)}, not {_told(value)}")
        values = tuple(_scalar(part) for part in value)
        if item.name == kind.words and not all(isinstance(part, str) for part in values):
            raise OptionError(f"{item.name} must be a list of names, not {_told(value)}")
        return values
    value = _scalar(value)
    if item.choices and not isinstance(value, str) and not (item.number and _is_number(value)):
        raise OptionError(f"{item.name} must be one of {', '.join(item.choices)}, not {_told(value)}")
    if item.kind in (int, float) and not _is_number(value):
        raise OptionError(f"{item.name} must be a {'whole ' if item.kind is int else ''}number, not {_told(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise OptionError(f"{item.name} must be a finite number, not {value!r}")
    if item.kind is float:
        # Larger whole numbers than a float can hold lie beyond every range.
        return float(value) if abs(value) < 1e300 else math.copysign(1e300, value)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scalar(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _example(item: Parameter, kind: Kind) -> str:
    return '["hair"]' if item.name == kind.words else "[0.0, 0.0, 1.0]" if item.name == kind.vector else "[12, 40]"


def _told(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else quoted(repr(value)).strip("'")
