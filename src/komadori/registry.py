"""The declaration of a method: one decorator next to its code, from which every interface to the method is derived.

The command line makes a command of it, recipes a step, the studio a tab with sliders, the report its rows, the documentation a page.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, Literal, NamedTuple, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload

from komadori.parameters import Parameter, parameters_of
from komadori.result import Result
from komadori.words import Note

Subject: TypeAlias = Literal["motion", "character", "puppet"]
"""What a method works on: its first argument."""
Stage: TypeAlias = Literal["clean", "prepare", "place", "shape", "timing", "secondary", ""]
"""Where a method stands in a recipe: before everything, making the clip ready, putting the motion onto a body, changing poses, deciding what is shown when, moving
by its own clock (hair). Empty: it is not a step."""
File: TypeAlias = Literal["motion", "character", "sheet", "chart", "strip", "translator", "puppet", "changes"]
"""What a result can be written as. The interfaces know how: a method never touches a file."""
Row: TypeAlias = tuple[str, str]
"""A row of a summary: its label and its value. Both may be Notes, which are translated."""

P = ParamSpec("P")
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
R = TypeVar("R", bound=Result)
Taken = TypeVar("Taken", contravariant=True)
Chosen = TypeVar("Chosen", contravariant=True)
Made = TypeVar("Made", bound=Result, covariant=True)


class Listed(NamedTuple):
    """A line of the tuple of methods: everything known about one without loading it, because the help page must not wait for NumPy."""

    name: str
    home: str
    """The module that declares it."""
    summary: str
    """One line on what it does."""

    def load(self) -> Method:
        """Its declaration; the module is imported now."""
        made: Method = getattr(import_module(self.home), self.name).declaration
        return made


@dataclass(frozen=True, eq=False)
class Method:
    """Everything that an interface has to know of a method. `call(subject, options)` runs it, as `call(subject, **fields)` does."""

    name: str
    call: Callable[..., Any]
    options: type
    result: type[Result]
    subject: Subject
    stage: Stage
    label: str
    """What a tab or a heading calls it."""
    rows: Callable[[Any], Iterable[Row]]
    """The lines of a result's summary."""
    facts: Callable[[Any], Mapping[str, Any]]
    """The same for programs: what `--json` prints beside the names of files."""
    files: tuple[File, ...]
    fps: float | None
    """The frame rate that a clip is brought to before the method sees it; None keeps the clip's own."""
    title: str
    """The headline of a summary, with a placeholder for {path}."""
    working: str
    """The message shown while it runs, with a placeholder for the {count} of frames."""
    about: str
    """More for its help page."""
    example: str
    panel: bool
    """Whether the studio gives it a tab."""
    renamed: Mapping[str, str]
    """Names that recipes gave its parameters before, and what they are called now."""
    stream: Callable[..., Any] | None = None
    """Does the same with frames that come one by one, for methods that work live."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Whole settings by name: what a panel offers first. Options that a preset does not name keep their defaults."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every parameter, in order."""
        return parameters_of(self.options)

    @property
    def needs(self) -> tuple[str, ...]:
        """Everything it reads: the subject, then the things its parameters name."""
        return tuple(dict.fromkeys([self.subject, *(item.reads for item in self.parameters if item.reads)]))

    @property
    def makes_sheet(self) -> bool:
        """Whether it decides which frame is shown when."""
        return self.stage == "timing"


class Declared(Protocol, Generic[Taken, P, Chosen, Made]):
    """A method as it is called: with an options object, or with its fields by name."""

    declaration: Method
    stream: Callable[..., Any]
    """A new stream of frames, for the methods that work live."""

    @overload
    def __call__(self, subject: Taken, options: Chosen, /) -> Made: ...

    @overload
    def __call__(self, subject: Taken, /, *args: P.args, **kwargs: P.kwargs) -> Made: ...


def method(
    options: Callable[P, O],
    *,
    subject: Subject = "motion",
    stage: Stage = "",
    label: str = "",
    rows: Callable[[R], Iterable[Row]] | None = None,
    facts: Callable[[R], Mapping[str, Any]] | None = None,
    files: tuple[File, ...] = ("motion",),
    fps: float | None = 24.0,
    title: str = "",
    working: str = "working on {count} frames",
    about: str = "",
    example: str = "",
    panel: bool = True,
    renamed: Mapping[str, str] | None = None,
    stream: Callable[..., Any] | None = None,
    presets: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[Callable[[S, O], R]], Declared[S, P, O, R]]:
    """Declare `run(subject, options)` as a method: the function then takes an options object, or its fields as keywords.

    The declaration is the function's `declaration`. What is not given is derived: the label from the name, the rows and facts of a summary
    from the result's measures.
    """

    kind = cast(type, options)

    def decorate(run: Callable[[S, O], R]) -> Declared[S, P, O, R]:
        @functools.wraps(run)
        def call(subject: S, /, *args: Any, **kwargs: Any) -> R:
            if len(args) == 1 and not kwargs and isinstance(args[0], kind):
                return run(subject, cast(O, args[0]))
            try:
                chosen = options(*args, **kwargs)
            except TypeError as error:
                raise TypeError(str(error).replace(f"{kind.__name__}.__init__()", f"{run.__name__}()")) from None
            return run(subject, chosen)

        hints = inspect.get_annotations(run, eval_str=True)
        taken = inspect.signature(run)
        given = inspect.signature(options).parameters.values()
        first = next(iter(taken.parameters.values())).replace(kind=inspect.Parameter.POSITIONAL_ONLY)
        call.__signature__ = taken.replace(parameters=[first, *given])  # type: ignore[attr-defined]
        call.__doc__ = f"{inspect.getdoc(run) or ''}\n\n{_parameters_told(kind)}"
        call.declaration = Method(  # type: ignore[attr-defined]
            name=run.__name__,
            call=call,
            options=kind,
            result=hints["return"],
            subject=subject,
            stage=stage,
            label=label or run.__name__.replace("_", " ").capitalize(),
            rows=rows or measured_rows,
            facts=facts or measured_facts,
            files=files,
            fps=fps,
            title=title or f"{{path}}: {run.__name__}",
            working=working,
            about=about,
            example=example,
            panel=panel,
            renamed=renamed or {},
            stream=stream,
            presets=presets or {},
        )
        for name, preset in (presets or {}).items():
            try:
                kind(**preset)
            except TypeError as error:
                raise TypeError(f"the preset {name} of {run.__name__}: {error}") from None
        if stream is not None:
            call.stream = stream  # type: ignore[attr-defined]
        return cast(Declared[S, P, O, R], call)

    return decorate


def measured_rows(result: Result) -> list[Row]:
    """The rows of a summary as the result's measures give them: the name in words, the value with its unit."""
    return [(name.replace("_", " "), measured(one.value, one.unit)) for name, one in result.measures.items()]


def measured(value: float, unit: str) -> str:
    """A number with its unit, for people."""
    return Note("{value:.4g} {unit}", value=value, unit=Note(unit)) if unit else f"{value:.4g}"


def measured_facts(result: Result) -> dict[str, Any]:
    """Frames, rate and measures of a result, for programs."""
    facts = {"fps": result.motion.fps, "frames": len(result.motion)}
    return {**facts, **{name: one.value for name, one in result.measures.items()}}


def _parameters_told(options: type) -> str:
    """The parameters as `help()` shows them."""
    lines = ["Parameters:"]
    for item in parameters_of(options):
        limits = [text for text in (_range(item), _default(item)) if text]
        told = f" [{', '.join(limits)}]" if limits else ""
        lines.append(f"    {item.name}: {item.help}{told}")
    return "\n".join(lines)


def _range(item: Parameter) -> str:
    if item.choices:
        return " | ".join(item.choices)
    if item.low is None:
        return item.unit
    high = "or more" if item.high is None or item.high >= 1e6 else f"to {item.high:g}"
    usual = f"usually {item.usual[0]:g} to {item.usual[1]:g}" if item.usual else ""
    return ", ".join(filter(None, [" ".join(filter(None, [f"{item.low:g} {high}", item.unit])), usual]))


def _default(item: Parameter) -> str:
    return "" if item.required or item.default is None or item.default == () else f"default {item.default}"
