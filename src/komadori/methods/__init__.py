"""The methods: each a pure function that turns a Motion (a Character, a Puppet) into a Result. This tuple lists them all."""

from __future__ import annotations

from komadori.errors import OptionError, one_of
from komadori.registry import Listed, Method

METHODS: tuple[Listed, ...] = (
    Listed(
        "limited",
        "komadori.methods.limited",
        "Limited animation: fast moments snap, small movement is held (nakanashi and koma-uchi).",
    ),
    Listed(
        "keyposes",
        "komadori.methods.keyposes",
        "Key poses: the few frames that tell the action, as keys or as held animation.",
    ),
    Listed(
        "exaggerate",
        "komadori.methods.exaggerate",
        "Exaggeration: joints draw back before a move and overshoot after it (the cartoon animation filter).",
    ),
    Listed(
        "puppet",
        "komadori.methods.puppet",
        "Spatial keyframing: poses at places, and a handle that plays them; walks without foot slip.",
    ),
    Listed(
        "hair",
        "komadori.methods.hair",
        "Hair, skirts, ribbons and tails that move as anime draws them: a wave of air from root to tip, which loops.",
    ),
    Listed(
        "retarget",
        "komadori.methods.retarget",
        "Retargeting: a motion put onto another body, by what its joints are; feet stay on the ground.",
    ),
    Listed(
        "translate",
        "komadori.methods.translate",
        "Translation: learn how one part of a body follows another (legs to arms), and let it drive new clips.",
    ),
    Listed(
        "quadruped",
        "komadori.methods.translate",
        "Quadruped: a person's walk drives a horse, a wolf or a dog; feet stay on the ground.",
    ),
    Listed(
        "prepare",
        "komadori.methods.prepare",
        "Preparation: one frame rate, no calibration pose, no gaps: what every other method expects.",
    ),
    Listed("plant", "komadori.methods.plant", "Planting: standing feet stay where they stand; legs bend for it."),
    Listed(
        "hands",
        "komadori.methods.hands",
        "Hands that were not captured: relaxed, a fist in a strike, flat on the ground.",
    ),
)
"""To add a method, write its module and add a line here; everything else follows from the declaration (docs/house.md)."""


def listed(name: str) -> Listed:
    """The line of the method called `name`; an OptionError that names all where there is none."""
    for line in METHODS:
        if line.name == name:
            return line
    raise OptionError("method", expected=one_of(line.name for line in METHODS), found=name)


def declared(name: str) -> Method:
    """The declaration of the method called `name`; its module is loaded now."""
    return listed(name).load()
