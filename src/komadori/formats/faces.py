"""A face that came with a motion from elsewhere than a file: weights of expressions, and what formats call them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from komadori.errors import OptionError
from komadori.formats.vrm.expressions import PRESETS, PRESETS_0
from komadori.motion import Motion, Origin
from komadori.quat import Array
from komadori.words import Note

_PRESETS = {name.lower(): name for name in PRESETS}
MORPHS: Mapping[str, str] = {
    "aa": "あ", "ih": "い", "ou": "う", "ee": "え", "oh": "お", "blink": "まばたき", "blinkLeft": "ウィンク", "blinkRight": "ウィンク右",
    "happy": "笑い", "angry": "怒り", "sad": "困る", "relaxed": "なごみ", "surprised": "びっくり",
}  # fmt: skip
"""VRM's preset expression -> the morph that MikuMikuDance's models usually have for it."""


@dataclass(frozen=True, eq=False)
class Face:
    """Weights from 0 to 1 of expressions, by VRM 1.0's names, at every frame (F,)."""

    weights: Mapping[str, Array]

    @property
    def beside(self) -> dict[Note, int]:
        """What there is besides joints."""
        return {Note("facial expressions"): len(self.weights)}

    def __reduce__(self) -> tuple[object, ...]:
        return Face, (dict(self.weights),)


def with_face(motion: Motion, weights: Mapping[str, Array]) -> Motion:
    """`motion` with a face that formats for faces write along (.vrma, .vmd), and that follows its frames when they are retimed."""
    for name, values in weights.items():
        if len(values) != len(motion):
            expected = Note("a weight of {name} for each of {frames:frame|frames}", name=name, frames=len(motion))
            raise OptionError("weights", expected=expected, found=len(values))
    return replace(motion, origin=Origin(Face(dict(weights)), np.arange(len(motion), dtype=np.int64)[:, None]))


def expression(name: str) -> str:
    """VRM 1.0's name of an expression that a sender calls `name`; its own where VRM has none.

    >>> expression("Blink_L"), expression("A"), expression("happy"), expression("MyFace")
    ('blinkLeft', 'aa', 'happy', 'MyFace')
    """
    lower = name.lower()
    return PRESETS_0.get(lower) or _PRESETS.get(lower, name)
