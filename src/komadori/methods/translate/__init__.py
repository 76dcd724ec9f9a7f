"""Translation (Maeda et al., "Effective Creation of Quadruped Animation using Style Translation"): one body's motion drives another's; legs drive arms, people act horses and dogs."""

from __future__ import annotations

from komadori.methods.translate.aligning import Warp, align
from komadori.methods.translate.chain import quadruped
from komadori.methods.translate.driving import DriveOptions, TranslateResult, translate
from komadori.methods.translate.live import Frame, QuadrupedStream
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.performance import QuadrupedResult
from komadori.methods.translate.quadruped_options import ActingOptions, QuadrupedOptions
from komadori.methods.translate.stream import Stream
from komadori.methods.translate.translator import Report, Translator

__all__ = [
    "ActingOptions",
    "DriveOptions",
    "Frame",
    "QuadrupedOptions",
    "QuadrupedResult",
    "QuadrupedStream",
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
