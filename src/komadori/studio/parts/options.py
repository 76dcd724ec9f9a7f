"""Part of the studio -> the options of its method, from which the page's sliders are made too."""

from __future__ import annotations

from komadori.methods.hair import HairOptions
from komadori.methods.keyposes import KeyposesOptions
from komadori.methods.limited import LimitedOptions
from komadori.studio.parts.puppet import PuppetOptions
from komadori.studio.parts.translate_options import DriveOptions

OPTIONS: dict[str, type] = {
    "limited": LimitedOptions,
    "keyposes": KeyposesOptions,
    "hair": HairOptions,
    "puppet": PuppetOptions,
    "translate": DriveOptions,
}
LABELS: dict[str, str] = {
    "drawings": "drawings a cycle",
}
"""Names of parameters that say too little -> what the page calls them."""
