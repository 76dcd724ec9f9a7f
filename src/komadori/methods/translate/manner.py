"""Manner: how a person carries the body, trait by trait, carried over to an animal's back, neck, head and tail.

Every trait is the person's number minus that of a plain walk, times a gain from the two bodies' ranges, times the strength
asked for, and levels off softly at the animal's limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.reading import ALL
from komadori.quat import Array

FIELDS = ("height", "sway", "roll", "pitch", "yaw", "bend", "lean", "neck", "neck_yaw", "head", "head_yaw", "head_roll",
          "tail", "tail_yaw", "fore_lift", "arch")  # fmt: skip
"""What the animal's body takes: heights and sway in units of the animal, angles in radians (nose down, to the left, and left side up
are positive), and how much higher the fore hooves swing."""
AS = {name: n for n, name in enumerate(FIELDS)}

PLAIN = {"upright": 0.99, "pitch": -0.03, "head_pitch": 0.09, "arms": -0.92, "height": 0.985}
"""A plain walk: the means of several people's."""
GAIN = {
    "neck": 9.0, "nose": 0.8, "head": 0.8, "roll": 1.0, "bounce": 1.0, "crouch": 0.9, "lean": 0.5, "twist": 0.35,
    "pitch": 0.15, "arch": 4.0,
}  # fmt: skip
BOWED = 0.15
"""Radians within which people's trunks differ without meaning anything by it."""
HANGING = 0.3
"""Radians beyond which a head that looks down hangs."""
LIMIT = {
    "head": np.radians(35.0), "head_yaw": np.radians(50.0), "head_roll": np.radians(25.0),
    "roll": np.radians(12.0), "yaw": np.radians(8.0), "lean": np.radians(10.0), "bend": np.radians(12.0), "pitch": np.radians(14.0),
    "bounce": 0.12, "crouch": 0.16, "rise": 0.3, "sway": 0.08, "tail": np.radians(45.0), "fore_lift": 1.2, "arch": np.radians(30.0),
}  # fmt: skip
"""Where an animal's joints end, in radians, units of the animal, or shares."""


def soft(value: float, limit: float) -> float:
    """`value`, levelling off at `limit` either way."""
    return limit * math.tanh(value / limit)


def manner_of(
    raw: Sequence[float],
    slow: Sequence[float],
    floor: float,
    shin: float,
    options: ActingOptions,
    neck: float,
    deepest: float,
) -> Array:
    """(fields,) from a row as it is and as it is when smoothed, over the person's floor.

    `neck`: radians by which this animal's neck can be lowered, `deepest`: units by which its body can.
    """

    def now(name: str) -> float:
        return raw[ALL[name]]

    def usual(name: str) -> float:
        return slow[ALL[name]]

    standing = (usual("height") - floor) / shin - PLAIN["height"]
    crouch = GAIN["crouch"] * standing if standing < 0.0 else soft(standing, LIMIT["rise"])
    bounce = soft(GAIN["bounce"] * (now("height") - usual("height")), LIMIT["bounce"])
    height = options.bounce * bounce + options.stoop * crouch
    heading = usual("heading")
    side = math.cos(heading) * (now("x") - usual("x")) - math.sin(heading) * (now("z") - usual("z"))
    bowed = usual("pitch") - PLAIN["pitch"]
    bowed = math.copysign(max(abs(bowed) - BOWED, 0.0), bowed)
    # A person upside down does not stoop any deeper.
    stooped = PLAIN["upright"] - max(usual("upright"), 0.5)
    nose = usual("head_pitch") - PLAIN["head_pitch"]
    # A glance at the ground moves the head; hanging the head lowers the neck too.
    hangs = max(nose - HANGING, 0.0)
    nod = now("head_pitch") - usual("head_pitch")
    yaw = soft(options.head * usual("head_yaw"), LIMIT["head_yaw"])
    raised = usual("arms") - PLAIN["arms"]
    out = np.zeros(len(FIELDS))
    for name, value in (
        ("height", soft(height, deepest) if height < 0.0 else height),
        ("sway", options.sway * soft(side, LIMIT["sway"])),
        ("roll", soft(options.sway * GAIN["roll"] * now("roll"), LIMIT["roll"])),
        ("yaw", soft(options.sway * 0.6 * (now("pelvis") - usual("pelvis")), LIMIT["yaw"])),
        ("bend", soft(options.sway * GAIN["twist"] * (now("twist") - usual("twist")), LIMIT["bend"])),
        ("lean", soft(-options.lean * GAIN["lean"] * usual("lean"), LIMIT["lean"])),
        # Leaning back is strutting: the animal arches its neck.
        ("arch", soft(options.lean * GAIN["arch"] * max(-bowed, 0.0), LIMIT["arch"])),
        ("pitch", soft(options.lean * GAIN["pitch"] * bowed, LIMIT["pitch"])),
        ("neck", soft(options.stoop * GAIN["neck"] * stooped + options.head * GAIN["nose"] * hangs, neck)),
        ("head", soft(options.head * GAIN["head"] * (0.5 * nose + 0.5 * nod), LIMIT["head"])),
        ("neck_yaw", 0.6 * yaw),
        ("head_yaw", 0.4 * yaw),
        ("head_roll", soft(options.head * 0.7 * usual("head_roll"), LIMIT["head_roll"])),
        ("tail", soft(options.arms * 0.9 * raised - options.stoop * 3.0 * max(stooped, 0.0), LIMIT["tail"])),
        ("tail_yaw", soft(options.arms * 0.5 * (usual("reach_left") - usual("reach_right")), 0.4)),
        ("fore_lift", soft(options.arms * 0.5 * max(raised, 0.0), LIMIT["fore_lift"])),
    ):
        out[AS[name]] = value
    return out
