"""The methods that have a tab: what the page makes their panels from, and what a panel without its own hook shows."""

from __future__ import annotations

from msgspec import Struct

from komadori.studio.messages.common import Said
from komadori.studio.scene import Option


class Choice(Struct, frozen=True):
    """One of the words that a parameter takes, and how it is shown."""

    value: str
    label: Said


class ParameterItem(Struct, frozen=True):
    """A parameter of a method: what a slider, a switch or a choice is made from."""

    name: str
    kind: str
    """"int", "float", "bool", "str", or "frames" for a list of them."""
    default: Option
    unit: Said
    low: float | None
    high: float | None
    choices: list[Choice]
    optional: bool
    help: Said
    label: Said
    usual: tuple[float, float] | None
    """From where to where a slider goes; a number beyond it can be typed."""
    symbol: str
    """The paper's letter for it."""
    group: str
    """What it is for, where the panel does several things: translation drives an "animal" or "arms"."""


class PresetItem(Struct, frozen=True):
    """A whole setting of a method; a None goes back to the default."""

    label: Said
    options: dict[str, Option]


class MethodItem(Struct, frozen=True):
    """A method with a tab."""

    name: str
    label: Said
    summary: Said
    parameters: list[ParameterItem]
    makes_sheet: bool
    """Whether it has a timesheet, which can be edited by hand."""
    is_step: bool
    """Whether a recipe can have it as a step."""
    presets: list[PresetItem]


class Methods(Struct, frozen=True):
    """Every method with a tab, in the order of the tabs."""

    items: list[MethodItem]


class RowInfo(Struct, frozen=True):
    """A line of a summary: what it is, and how much."""

    label: Said
    value: Said


class MethodUpdate(Struct, frozen=True, tag="method"):
    """What a method gives: the rows of its summary, its motion, and its timesheet if it has one."""

    revision: int
    part: str
    rows: list[RowInfo]
    motion: str
    """Address of the result's arrays; empty if a sheet of the clip's frames tells it all."""
    source: list[int]
    """The timesheet; empty if there is none."""
    edited: bool
    locked: list[tuple[int, int]]
    """The frames of the timesheet that a hand has locked: first, and one behind the last."""
    notes: list[Said]
