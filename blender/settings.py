# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties made from the methods' declarations: no parameter, range, default or help line is written here again."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from komadori import methods
from komadori.errors import OptionError
from komadori.formats import load
from komadori.parameters import Parameter
from komadori.registry import Method
from komadori.words import Note

from .armature import from_blender
from .words import say

BY_SCENE = ("motion", "take", "puppet", "character")
"""What a parameter reads that the scene itself gives: the armature's own movement, the handle's path."""
POINTED = {"camera": "CAMERA", "body": "ARMATURE", "animal": "ARMATURE"}
"""What a parameter reads that is another object of the scene -> the type of that object."""
FILES = ("trace", "translator")
UNSET, NUMBER = "UNSET", "NUMBER"
_MOST = 2**31 - 1
_OPEN_ENDED = 1e5
"""Upper ends from here on only guard against nonsense: a slider does not go there."""


@dataclass(frozen=True)
class Control:
    """A parameter with the properties that a panel shows for it."""

    parameter: Parameter

    @property
    def name(self) -> str:
        """The parameter's name, and that of the property that holds its value."""
        return self.parameter.name

    @property
    def switch(self) -> str:
        """The property that says whether a number is given at all; empty if it always is."""
        item = self.parameter
        return (
            f"use_{self.name}"
            if (item.optional and not item.choices and item.kind in (int, float)) or self._vector
            else ""
        )

    @property
    def _vector(self) -> bool:
        return self.parameter.reads == "vector"

    def properties(self) -> dict[str, Any]:
        """Property name -> definition, for a PropertyGroup."""
        item = self.parameter
        named = {"name": label(item), "description": say(item.help)}
        if item.reads in POINTED:
            kind = POINTED[item.reads]
            return {self.name: bpy.props.PointerProperty(type=bpy.types.Object, poll=_of_type(kind), **named)}
        if item.reads in FILES:
            return {self.name: bpy.props.StringProperty(subtype="FILE_PATH", **named)}
        if item.choices:
            return self._choice(named)
        if self._vector:
            return {
                self.switch: bpy.props.BoolProperty(**named),
                self.name: bpy.props.FloatVectorProperty(size=3, subtype="VELOCITY", **named),
            }
        if item.kind is bool:
            return {self.name: bpy.props.BoolProperty(default=item.default, **named)}
        if item.kind in (int, float) and not isinstance(item.default, tuple):
            found = {self.switch: bpy.props.BoolProperty(**named)} if self.switch else {}
            return {**found, self.name: _number(item, named)}
        return {
            self.name: bpy.props.StringProperty(default=item.default if isinstance(item.default, str) else "", **named)
        }

    def _choice(self, named: dict[str, str]) -> dict[str, Any]:
        item = self.parameter
        choices = [(UNSET, "-", say(item.help))] if item.optional else []
        choices += [(word, say(item.choice_words(word)), say(item.help)) for word in item.choices]
        found = {}
        if item.number:
            choices.append((NUMBER, say(Note("a number")), say(item.help)))
            found[f"{self.name}_number"] = bpy.props.FloatProperty(default=1.0, min=0.0, **named)
        default = item.default if item.default in item.choices else choices[0][0]
        return {self.name: bpy.props.EnumProperty(items=choices, default=default, **named), **found}

    def value(self, group: Any, given: Callable[[str, Any], Any], first: int) -> Any:
        """What the parameter gets. `given` turns a pointed object into what is read from it; frames count from `first`."""
        item, value = self.parameter, getattr(group, self.name)
        if item.reads in POINTED:
            return None if value is None else given(item.reads, value)
        if item.reads in FILES:
            return load(Path(bpy.path.abspath(value)), kind=item.reads) if value else None
        if item.choices:
            if value == NUMBER:
                return getattr(group, f"{self.name}_number")
            return None if value == UNSET else value
        if self.switch and not getattr(group, self.switch):
            return None
        if self._vector:
            return tuple(from_blender(value).tolist())
        if item.kind in (int, float, bool) and not isinstance(item.default, tuple):
            return value
        if item.reads == "names":
            words = tuple(word.strip() for word in value.split(",") if word.strip())
            return words or item.default
        if isinstance(item.default, tuple):
            numbers = _numbers(item, value)
            # Frames are typed as the timeline counts them.
            return tuple(number - first if item.unit == "frames" else number for number in numbers)
        return value


def controls(method: Method) -> tuple[Control, ...]:
    """The controls of a method, in the order of its parameters."""
    return tuple(Control(item) for item in method.parameters if _shown(item))


def _shown(item: Parameter) -> bool:
    if item.reads:
        return item.reads in POINTED or item.reads in FILES or item.reads in ("vector", "names")
    return item.faces


def offered() -> tuple[Method, ...]:
    """The methods that can work in a scene."""
    found = (line.load() for line in methods.METHODS)
    return tuple(method for method in found if method.stage != "prepare" and _works(method))


def _works(method: Method) -> bool:
    """Whether the scene can give every need; one that is optional may be missing if the scene gives what is required."""
    can = {*BY_SCENE, *POINTED, *FILES, "names", "vector"}
    missing = [item for item in method.parameters if item.reads and item.reads not in can]
    given = any(item.required and item.reads in can for item in method.parameters)
    return method.subject in can and (not missing or (given and not any(item.required for item in missing)))


def summary(method: Method) -> str:
    """One line on what a method does."""
    return methods.listed(method.name).summary


def label(item: Parameter) -> str:
    """What a panel calls a parameter, with its unit."""
    words = say(item.words)
    words = words[:1].upper() + words[1:]
    return f"{words} ({say(item.unit)})" if item.unit else words


def options(method: Method, group: Any, given: Callable[[str, Any], Any], first: int, **more: Any) -> Any:
    """The method's options as the panel has them."""
    values = {one.name: one.value(group, given, first) for one in controls(method)}
    for item in method.parameters:
        if item.required and values.get(item.name, more.get(item.name)) is None:
            raise OptionError(Note("Choose an object for {name} in the panel first.", name=label(item)))
    kept = {name: value for name, value in values.items() if value is not None}
    try:
        return method.options(**{**kept, **more})
    except OptionError as error:
        named = {item.name: label(item) for item in method.parameters}
        raise error.named(named[error.parameter]) if error.parameter in named else error from None


def group_of(method: Method) -> type:
    """A PropertyGroup with the properties of a method's controls."""
    found: dict[str, Any] = {}
    for one in controls(method):
        found |= one.properties()
    return type(f"KOMADORI_PG_{method.name}", (bpy.types.PropertyGroup,), {"__annotations__": found})


def _number(item: Parameter, named: dict[str, str]) -> Any:
    low = -_MOST if item.low is None else item.low
    high = _MOST if item.high is None else item.high
    default = item.default if isinstance(item.default, int | float) else max(low, 0)
    soft = max(100.0, 2.0 * default) if high >= _OPEN_ENDED else high
    if item.kind is int:
        low, high, soft = (int(min(max(end, -_MOST), _MOST)) for end in (low, high, soft))
        return bpy.props.IntProperty(default=int(default), min=low, max=high, soft_max=soft, **named)
    return bpy.props.FloatProperty(
        default=float(default), min=float(low), max=float(high), soft_max=float(soft), precision=3, **named
    )


def _of_type(kind: str) -> Callable[[Any, Any], bool]:
    return lambda _group, ob: ob.type == kind


def _numbers(item: Parameter, text: str) -> Iterable[int]:
    """ "3, 10-12" as numbers."""
    found: list[int] = []
    for word in filter(None, re.split(r"[\s,、]+", text.strip())):
        match = re.fullmatch(r"(-?\d{1,9})(?:\s*[-–〜~]\s*(\d{1,9}))?", word)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not match or high < low or high - low > 1_000_000:
            raise OptionError(label(item), expected=Note("numbers such as 3, 10-12"), found=word)
        found += range(low, high + 1)
    return found
