"""The studio's panels, derived from the methods' declarations: which have a tab, what it is called, and the parameters in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from komadori import methods
from komadori.errors import OptionError, one_of
from komadori.methods.translate import TranslateOptions
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.parameters import Parameter, parameters_of
from komadori.registry import Method
from komadori.studio.bilingual import both
from komadori.studio.messages import Choice, MethodItem, Methods, ParameterItem, PresetItem
from komadori.studio.parts.puppet import PuppetOptions
from komadori.studio.parts.translate_options import DriveOptions

OWN_OPTIONS: dict[str, type] = {"puppet": PuppetOptions, "translate": DriveOptions}
"""Method -> the options of its panel if that is played by hand or by what is on the stage, not by the method's own parameters."""
GROUPS: dict[str, tuple[tuple[str, type], ...]] = {"translate": (("animal", ActingOptions), ("arms", TranslateOptions))}
"""Method -> what its panel does, and the options that are for it."""


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
    """The panel called `name`; an OptionError that names all if there is none."""
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
                presets=_presets(one.method),
            )
            for name, one in panels().items()
        ]
    )


def _presets(method: Method) -> list[PresetItem]:
    """The defaults, then the method's own; each says of every parameter that any of them sets what it is."""
    if not method.presets:
        return []
    touched = dict.fromkeys(name for given in method.presets.values() for name in given)
    named: dict[str, Mapping[str, Any]] = {"Standard": {}, **method.presets}
    return [PresetItem(both(name), {one: given.get(one) for one in touched}) for name, given in named.items()]


def _item(item: Parameter, method: str) -> ParameterItem:
    default: Any = list(item.default) if isinstance(item.default, tuple) else item.default
    return ParameterItem(
        name=item.name,
        kind="frames" if isinstance(item.default, tuple) else item.kind.__name__,
        default=None if item.required else default,
        unit=both(item.unit),
        low=item.low,
        high=item.high,
        choices=[Choice(name, both(item.choice_words(name))) for name in item.choices],
        optional=item.optional,
        help=both(item.help),
        label=both(item.words),
        usual=item.usual,
        symbol=item.symbol,
        group=next((name for name, options in GROUPS.get(method, ()) if item in parameters_of(options)), ""),
    )
