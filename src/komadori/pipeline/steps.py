"""Steps: what a recipe can do, one method each, with the parameters that the method itself declares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from komadori import methods
from komadori.camera import camera_of
from komadori.errors import OptionError, one_of, quoted
from komadori.parameters import Parameter, check
from komadori.registry import Method, Stage
from komadori.words import Note

LONGEST_ABOUT = 300
ORDER: tuple[Stage, ...] = tuple(stage for stage in get_args(Stage) if stage)
"""How steps follow one another: those that prepare, that put the motion onto a body, that change poses, that decide the timing, and those
that move by their own clock."""


def steps() -> dict[str, Method]:
    """Every method that can be a step, by name, in the order in which they may follow one another."""
    found = [method for line in methods.METHODS if (method := line.load()).stage]
    return {method.name: method for method in sorted(found, key=lambda method: ORDER.index(method.stage))}


def step_method(use: str) -> Method:
    """The method of the step called `use`; an OptionError that names all if there is none."""
    if any(line.name == use for line in methods.METHODS) and (method := methods.declared(use)).stage:
        return method
    raise OptionError("use", expected=one_of(steps()), found=use)


def step_parameters(method: Method) -> dict[str, Parameter]:
    """The parameters that a recipe can give, by name, in the order of the method."""
    plain = (item for item in method.parameters if item.faces or item.reads in ("names", "vector", "camera"))
    return {item.name: item for item in plain if item.recipe}


@dataclass(frozen=True, init=False)
class Step:
    """One step of a recipe: `use` names it, `given` are its parameters; the others keep their defaults.

    >>> Step("limited", omit=4)
    Step('limited', omit=4)
    """

    use: str
    given: tuple[tuple[str, Any], ...]

    def __init__(self, use: str, /, **given: Any) -> None:
        method = step_method(use)
        known = step_parameters(method)
        for name in given:
            if name in method.renamed:
                raise OptionError(Note("{use}: {old} is called {new} now", use=use, old=name, new=method.renamed[name]))
            if name not in known:
                names = ", ".join(known)
                raise OptionError(
                    Note("{use} has no {name}; there are {names}", use=use, name=quoted(name), names=names)
                )
        plain = {name: _plain(known[name], given[name]) for name in known if name in given}
        object.__setattr__(self, "use", use)
        object.__setattr__(self, "given", tuple(plain.items()))
        self.options()

    def __repr__(self) -> str:
        return f"Step({', '.join([repr(self.use), *(f'{name}={value!r}' for name, value in self.given)])})"

    @property
    def method(self) -> Method:
        """The declaration of the method that it runs."""
        return step_method(self.use)

    def options(self, **things: Any) -> Any:
        """The method's options, checked: what was given, and the things (a motion, a character) that only a run knows."""
        later = {item.name: None for item in self.method.parameters if item.required}
        made = self.method.options(**{**later, **dict(self.given), **things})
        check(made)
        return made


def misplaced(steps: Sequence[Step]) -> tuple[int, Note] | None:
    """The first step that stands where it makes no sense, and what could stand there; None if all is well."""
    for number, step in enumerate(steps):
        before = steps[:number]
        stage = step.method.stage
        timing = next((earlier.use for earlier in before if earlier.method.stage == "timing"), None)
        if stage == "clean" and before:
            return number, Note("{use} as the first step", use=step.use)
        if stage == "prepare" and any(earlier.method.stage != "clean" for earlier in before):
            return number, Note("{use} as the first step", use=step.use)
        if stage == "place" and any(earlier.method.stage not in ("clean", "prepare", "place") for earlier in before):
            return number, Note("{use} before all steps but prepare", use=step.use)
        if step.use == "retarget" and any(earlier.method.stage == "place" for earlier in before):
            return number, Note("{use} before all steps but prepare", use=step.use)
        if step.use in (earlier.use for earlier in before):
            return number, Note("only one step {use}", use=step.use)
        if timing is not None and stage != "secondary":
            text = "only {names} after {timing}, which sets the timing"
            return number, Note(text, names=_secondary(), timing=timing)
    return None


def _secondary() -> str:
    return ", ".join(name for name, method in steps().items() if method.stage == "secondary")


def checked_about(about: object) -> str:
    """`about`, if it is one line that can be shown."""
    # The wide space of Japanese counts as a separator, not as printable.
    if not isinstance(about, str) or not about.replace("\u3000", " ").isprintable() or len(about) > LONGEST_ABOUT:
        raise OptionError("about", expected=Note("one line of at most {most} letters", most=LONGEST_ABOUT), found=about)
    return about


def _plain(item: Parameter, value: Any) -> Any:
    """`value` as the method takes it and as a file can hold it: lists become tuples, whole numbers numbers."""
    if value is None and item.optional:
        return None
    if item.reads == "camera":
        camera = camera_of(value)
        if camera.frames is not None:
            raise OptionError(item.name, expected=Note("a still camera"), found=Note("a moving one"))
        parts = {part: tuple(getattr(camera, part).tolist()) for part in ("position", "target", "up")}
        return (*parts.items(), ("fov_deg", float(camera.fov_deg)))
    if item.reads or isinstance(item.default, tuple):
        if not isinstance(value, list | tuple):
            raise OptionError(item.name, expected=Note("a list such as {example}", example=_example(item)), found=value)
        values = tuple(_scalar(part) for part in value)
        if item.reads == "names" and not all(isinstance(part, str) for part in values):
            raise OptionError(item.name, expected=Note("a list of names"), found=value)
        return values
    value = _scalar(value)
    if item.choices and not isinstance(value, str) and not (item.number and _is_number(value)):
        raise OptionError(item.name, expected=one_of(item.choices), found=value)
    if item.kind in (int, float) and not _is_number(value):
        wanted = Note("a whole number") if item.kind is int else Note("a number")
        raise OptionError(item.name, expected=wanted, found=value)
    if isinstance(value, float) and not math.isfinite(value):
        raise OptionError(item.name, expected=Note("a finite number"), found=value)
    if item.kind is float:
        # Larger whole numbers than a float can hold lie beyond every range.
        return float(value) if abs(value) < 1e300 else (1e300 if value > 0 else -1e300)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _scalar(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", None) == 0 else value


def _example(item: Parameter) -> str:
    return {"names": '["hair"]', "vector": "[0.0, 0.0, 1.0]"}.get(item.reads, "[12, 40]")
