"""Translation (paper 004): one body's motion drives another's; legs drive arms, people drive horses and dogs."""

from __future__ import annotations

from komadori.methods.translate.aligning import Warp, align
from komadori.methods.translate.chain import QuadrupedOptions, quadruped
from komadori.methods.translate.driving import DriveOptions, TranslateResult, translate
from komadori.methods.translate.finishing import Performance
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.stream import Stream
from komadori.methods.translate.translator import Report, Translator

__all__ = [
    "DriveOptions",
    "Performance",
    "QuadrupedOptions",
    "Report",
    "Stream",
    "TranslateOptions",
    "TranslateResult",
    "Translator",
    "Warp",
    "align",
    "quadruped",
    "translate",
]
