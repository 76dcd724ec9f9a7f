"""What each measure means: its formula and its unit. Published figures disagree because definitions are rarely stated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from komadori.words import Note


@dataclass(frozen=True)
class Definition:
    """One measure. In `formula` p_j(f) is where joint j is in the world at frame f, in metres; F frames, J joints."""

    name: str
    label: Note
    unit: str
    formula: str
    better: Literal["less", "more", ""] = ""
    needs: Literal["", "feet", "sides", "capture"] = ""
    """What it requires: feet, joints on both sides, the captured clip to compare with."""


DEFINITIONS: tuple[Definition, ...] = (
    Definition("skating", Note("skating"), "mm/s", "1000 fps · mean over steps between two frames of one stand of min over standing points of |Δp_xz|", "less", "feet"),
    Definition("skating_worst", Note("worst skating"), "mm", "1000 · max over stands of the sum of those steps", "less", "feet"),
    Definition("contact_accuracy", Note("contact accuracy"), "", "2 TP / (2 TP + FP + FN) over frames and feet; true is what the captured clip has", "more", "capture"),
    Definition("jitter", Note("jitter"), "mm", "1000 · mean over j of 1.4826 · median over f and axes of |Δ³p_j| / √20", "less"),
    Definition("jerk", Note("jerk"), "m/s³", "fps³ · mean over f and j of |Δ³p_j(f)|", "less"),
    Definition("penetration", Note("penetration"), "mm", "1000 · mean over f of max(0, ground − min over foot points of p_y(f))", "less", "feet"),
    Definition("penetration_deepest", Note("deepest penetration"), "mm", "1000 · max over f of the same", "less", "feet"),
    Definition("speed", Note("joint speed"), "m/s", "fps · mean over f and j of |Δp_j(f)|"),
    Definition("peak_speed", Note("peak joint speed"), "m/s", "fps · max over f and j of |p_j(f + 1) − p_j(f − 1)| / 2"),
    Definition("symmetry", Note("symmetry"), "", "1 − Σ |L − R| / Σ (L + R) over pairs, L and R the distance travelled by the left and the right joint relative to the hips", "", "sides"),
    Definition("hold_error", Note("hold error"), "cm", "100 · mean over f and j of |shown p_j(f) − captured p_j(due(f))|", "less", "capture"),
    Definition("drawings_per_second", Note("drawings per second"), "1/s", "fps · (number of frames that differ from the one before, and the first) / F"),
)  # fmt: skip
"""In the order in which a reader wants them. `steps` and `stands` of skating are those of `komadori.feet.slippage`; `ground` is the height
of the lowest foot point in the lowest twentieth of the frames; due(f) is the frame that would be shown at f if nothing were held."""


def definition(name: str) -> Definition:
    """The definition called `name`."""
    return next(one for one in DEFINITIONS if one.name == name)
