"""Translation (paper 004): one body's motion drives another's; legs drive arms, people drive horses and dogs."""

from __future__ import annotations

from komadori.methods.translate.aligning import Warp, align
from komadori.methods.translate.chain import quadruped, quadruped_report
from komadori.methods.translate.finishing import Performance
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.stream import Stream
from komadori.methods.translate.translator import Report, Translator

__all__ = [
    "Performance",
    "Report",
    "Stream",
    "TranslateOptions",
    "Translator",
    "Warp",
    "align",
    "quadruped",
    "quadruped_report",
]
