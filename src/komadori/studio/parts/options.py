"""Part of the studio -> the options of its method, from which the page's sliders are made too."""

from __future__ import annotations

from komadori.methods.keyposes import KeyposesOptions
from komadori.methods.limited import LimitedOptions
from komadori.studio.parts.puppet import PuppetOptions

OPTIONS: dict[str, type] = {
    "limited": LimitedOptions,
    "keyposes": KeyposesOptions,
    "puppet": PuppetOptions,
}
