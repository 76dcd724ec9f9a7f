"""Shown: how a value displays itself in a notebook. The drawing code is registered from outside, because this module must not depend on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Bundle = dict[str, Any]
"""Kind of content ("text/html") -> the content, as Jupyter takes it."""

_painter: Callable[[object], Bundle] | None = None


def shown_by(painter: Callable[[object], Bundle] | None) -> None:
    """From now on `painter` makes what a notebook shows of a value; none leaves it as its text."""
    global _painter
    _painter = painter


class Shown:
    """A value that a notebook shows as a picture, if there is somebody who draws it."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        """What Jupyter asks for; its own text of the value comes in addition."""
        return {} if _painter is None else _painter(self)
