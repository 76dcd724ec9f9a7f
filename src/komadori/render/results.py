"""Pictures of results, by what they are of: the chart of a timing, the poses of a choice."""

from __future__ import annotations

from functools import singledispatch

from komadori.errors import OptionError
from komadori.methods.keyposes import KeyposesResult
from komadori.methods.limited import LimitedResult
from komadori.render.charts import steps_chart
from komadori.render.drawing import Drawing
from komadori.render.keyposes import key_strip, keyposes_chart
from komadori.words import Note


@singledispatch
def chart(result: object, title: str = "", language: str = "en") -> Drawing:
    """The chart of a result; an OptionError for one that has none."""
    raise OptionError("result", expected=Note("a result with a chart"), found=type(result).__name__)


@chart.register
def _(result: LimitedResult, title: str = "", language: str = "en") -> Drawing:
    return steps_chart(result, title=title, language=language)


@chart.register
def _(result: KeyposesResult, title: str = "", language: str = "en") -> Drawing:
    return keyposes_chart(result, title=title, language=language, optimum=result.comparable)


@singledispatch
def strip(result: object) -> Drawing:
    """The poses of a result in a row; an OptionError for one that has none."""
    raise OptionError("result", expected=Note("a result with poses to show in a row"), found=type(result).__name__)


@strip.register
def _(result: KeyposesResult) -> Drawing:
    return key_strip(result)
