"""The methods: each a pure function that turns a Motion (a Character, a Puppet) into a Result. This tuple lists them all."""

from __future__ import annotations

from komadori.errors import OptionError, one_of
from komadori.registry import Listed, Method

METHODS: tuple[Listed, ...] = (
    Listed(
        "limited",
        "komadori.methods.limited",
        "Limited animation: omit in-betweens where motion is fast, hold drawings where it is small.",
    ),
    Listed(
        "retime",
        "komadori.methods.retime",
        "Retiming: show the frames of a captured motion as an animator's timesheet says.",
    ),
    Listed(
        "keyposes",
        "komadori.methods.keyposes",
        "Key poses: the few frames that tell the action, as keys or as held animation.",
    ),
    Listed(
        "exaggerate",
        "komadori.methods.exaggerate",
        "Exaggeration: add anticipation and overshoot to every joint (the cartoon animation filter).",
    ),
    Listed(
        "puppet",
        "komadori.methods.puppet",
        "Spatial keyframing: place poses in space and perform them with a handle, or walk without foot slip.",
    ),
    Listed(
        "hair",
        "komadori.methods.hair",
        "Hair, skirts, ribbons and tails: the wave that anime draws, from root to tip, as an exact loop.",
    ),
    Listed(
        "retarget",
        "komadori.methods.retarget",
        "Retargeting: move a motion to another body by joint roles, and keep feet on the ground.",
    ),
    Listed(
        "translate",
        "komadori.methods.translate",
        "Translation: learn how one part of the body follows another (arms follow legs), and apply it to new clips.",
    ),
    Listed(
        "quadruped",
        "komadori.methods.translate",
        "Quadruped: a person's walk drives a horse, a wolf or a dog, without foot slip.",
    ),
    Listed(
        "clean",
        "komadori.methods.clean",
        "Cleaning: fix jitter, spikes, gaps, swapped sides, foot skate, a drifting floor, wrong units and axes.",
    ),
    Listed(
        "prepare",
        "komadori.methods.prepare",
        "Preparation: set one frame rate, remove calibration poses and fill gaps, as every other method expects.",
    ),
    Listed(
        "floor",
        "komadori.methods.floor",
        "The floor: level an uneven captured floor, and keep the whole body above it.",
    ),
    Listed("plant", "komadori.methods.plant", "Planting: lock planted feet in place, and bend the legs to reach them."),
    Listed(
        "hands",
        "komadori.methods.hands",
        "Hands that were not captured: relax them, make fists in strikes, lay them flat on the ground.",
    ),
    Listed(
        "travel",
        "komadori.methods.travel",
        "Root motion: keep travel, remove it, or move it to a root joint for game engines; close loops.",
    ),
)
"""To add a method, write its module and add a line here; everything else is derived from the declaration (docs/house.md)."""


def listed(name: str) -> Listed:
    """The line of the method called `name`; an OptionError that names all if there is none."""
    for line in METHODS:
        if line.name == name:
            return line
    raise OptionError("method", expected=one_of(line.name for line in METHODS), found=name)


def declared(name: str) -> Method:
    """The declaration of the method called `name`; its module is loaded now."""
    return listed(name).load()
