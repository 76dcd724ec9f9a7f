"""The studio's panels, derived from the methods' declarations: which have a tab, what it is called, and the parameters in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from komadori import methods
from komadori.errors import OptionError, one_of
from komadori.methods.translate import TranslateOptions
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.parameters import Parameter, parameters_of
from komadori.registry import Method
from komadori.studio.bilingual import both
from komadori.studio.messages import Choice, MethodItem, Methods, ParameterItem
from komadori.studio.parts.puppet import PuppetOptions
from komadori.studio.parts.translate_options import DriveOptions

OWN_OPTIONS: dict[str, type] = {"puppet": PuppetOptions, "translate": DriveOptions}
"""Method -> the options of its panel where that is played by hand or by what is on the stage, not by the method's own parameters."""
GROUPS: dict[str, tuple[tuple[str, type], ...]] = {"translate": (("animal", ActingOptions), ("arms", TranslateOptions))}
"""Method -> what its panel does, and the options that are for it."""
LABELS: dict[str, str] = {"drawings": "drawings a cycle"}
"""Names of parameters that say too little -> what the page calls them."""


@dataclass(frozen=True)
class Panel:
    """A method that has a tab."""

    method: Method
    summary: str
    options: type

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that have a control."""
        return tuple(item for item in parameters_of(self.options) if item.faces)


def panels() -> dict[str, Panel]:
    """Every panel by its method's name, in the order of the methods."""
    found = {}
    for line in methods.METHODS:
        method, own = line.load(), OWN_OPTIONS.get(line.name)
        if method.panel or own:
            found[line.name] = Panel(method, line.summary, own or method.options)
    return found


def panel(name: str) -> Panel:
    """The panel called `name`; an OptionError that names all where there is none."""
    found = panels()
    if name not in found:
        raise OptionError("part", expected=one_of(found), found=name)
    return found[name]


def listed() -> Methods:
    """All panels for the page."""
    return Methods(
        [
            MethodItem(
                name=name,
                label=both(one.method.label),
                summary=both(one.summary),
                parameters=[_item(parameter, name) for parameter in one.parameters],
                makes_sheet=one.method.makes_sheet,
                is_step=bool(one.method.stage),
            )
            for name, one in panels().items()
        ]
    )


def _item(item: Parameter, method: str) -> ParameterItem:
    default: Any = list(item.default) if isinstance(item.default, tuple) else item.default
    return ParameterItem(
        name=item.name,
        kind="frames" if isinstance(item.default, tuple) else item.kind.__name__,
        default=None if item.required else default,
        unit=both(item.unit),
        low=item.low,
        high=item.high,
        choices=[Choice(name, both(name)) for name in item.choices],
        optional=item.optional,
        help=both(item.help),
        label=both(item.label or LABELS.get(item.name) or _in_words(item)),
        group=next((name for name, options in GROUPS.get(method, ()) if item in parameters_of(options)), ""),
    )


def _in_words(item: Parameter) -> str:
    """A parameter's name in words; its unit stands beside it and need not be in the name."""
    return (re.sub(r"_(s|m|deg)$", "", item.name) if item.unit else item.name).replace("_", " ")
