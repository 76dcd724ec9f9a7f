"""Manner: how a person carries the body, trait by trait, carried over to an animal's back, neck, head and tail.

Every trait is the person's number minus that of a plain walk, times a gain from the two bodies' ranges, times the strength
asked for, and levels off softly at the animal's limit.
"""

from __future__ import annotations

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
    "bounce": 0.12, "crouch": 0.16, "rise": 0.6, "sway": 0.08, "tail": np.radians(45.0), "fore_lift": 1.2, "arch": np.radians(30.0),
}  # fmt: skip
"""Where an animal's joints end, in radians, units of the animal, or shares."""


def soft(value: Array, limit: float) -> Array:
    """`value`, levelling off at `limit` either way."""
    return np.asarray(limit * np.tanh(value / limit))


def manners(
    raw: Array, slow: Array, floor: Array, shin: float, options: ActingOptions, neck: float = np.radians(55.0)
) -> Array:
    """(n, fields) from rows (n, columns) as they are and as they are when smoothed, over the person's floor (n,).

    `neck`: radians by which this animal's neck can be lowered.
    """

    def now(name: str) -> Array:
        return raw[:, ALL[name]]

    def usual(name: str) -> Array:
        return slow[:, ALL[name]]

    out = np.zeros((len(raw), len(FIELDS)))
    bounce = now("height") - usual("height")
    standing = (usual("height") - floor) / shin - PLAIN["height"]
    crouch = np.where(standing < 0.0, soft(GAIN["crouch"] * standing, LIMIT["crouch"]), soft(standing, LIMIT["rise"]))
    out[:, AS["height"]] = options.bounce * soft(GAIN["bounce"] * bounce, LIMIT["bounce"]) + options.stoop * crouch
    heading = usual("heading")
    side = np.cos(heading) * (now("x") - usual("x")) - np.sin(heading) * (now("z") - usual("z"))
    out[:, AS["sway"]] = options.sway * soft(side, LIMIT["sway"])
    out[:, AS["roll"]] = soft(options.sway * GAIN["roll"] * now("roll"), LIMIT["roll"])
    out[:, AS["yaw"]] = soft(options.sway * 0.6 * (now("pelvis") - usual("pelvis")), LIMIT["yaw"])
    out[:, AS["bend"]] = soft(options.sway * GAIN["twist"] * (now("twist") - usual("twist")), LIMIT["bend"])
    out[:, AS["lean"]] = soft(-options.lean * GAIN["lean"] * usual("lean"), LIMIT["lean"])
    bowed = usual("pitch") - PLAIN["pitch"]
    bowed = np.sign(bowed) * np.maximum(np.abs(bowed) - BOWED, 0.0)
    # Whoever leans back struts: the animal arches its neck.
    out[:, AS["arch"]] = soft(options.lean * GAIN["arch"] * np.maximum(-bowed, 0.0), LIMIT["arch"])
    out[:, AS["pitch"]] = soft(options.lean * GAIN["pitch"] * bowed, LIMIT["pitch"])
    stooped = PLAIN["upright"] - usual("upright")
    nose = usual("head_pitch") - PLAIN["head_pitch"]
    # A glance at the ground moves the head; whoever hangs the head lowers the neck with it.
    hangs = np.maximum(nose - HANGING, 0.0)
    lowered = options.stoop * GAIN["neck"] * stooped + options.head * GAIN["nose"] * hangs
    out[:, AS["neck"]] = soft(lowered, neck)
    nod = now("head_pitch") - usual("head_pitch")
    out[:, AS["head"]] = soft(options.head * GAIN["head"] * (0.5 * nose + 0.5 * nod), LIMIT["head"])
    yaw = soft(options.head * usual("head_yaw"), LIMIT["head_yaw"])
    out[:, AS["neck_yaw"]], out[:, AS["head_yaw"]] = 0.6 * yaw, 0.4 * yaw
    out[:, AS["head_roll"]] = soft(options.head * 0.7 * usual("head_roll"), LIMIT["head_roll"])
    raised = usual("arms") - PLAIN["arms"]
    out[:, AS["tail"]] = soft(
        options.arms * 0.9 * raised - options.stoop * 3.0 * np.maximum(stooped, 0.0), LIMIT["tail"]
    )
    out[:, AS["tail_yaw"]] = soft(options.arms * 0.5 * (usual("reach_left") - usual("reach_right")), 0.4)
    out[:, AS["fore_lift"]] = soft(options.arms * 0.5 * np.maximum(raised, 0.0), LIMIT["fore_lift"])
    return out
