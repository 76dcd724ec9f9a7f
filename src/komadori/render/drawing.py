"""Drawing: a picture as a list of few plain shapes, from which SVG, PNG and PDF are made alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from komadori.errors import OptionError
from komadori.files import write_bytes
from komadori.words import Note

Point = tuple[float, float]

INK = "#22272e"
WHITE = "#ffffff"


@dataclass(frozen=True)
class Line:
    """A straight stroke with square ends; `dash` is lengths on and off."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str = INK
    width: float = 1.0
    dash: tuple[float, ...] = ()


@dataclass(frozen=True)
class Polyline:
    """An open stroke through `points`, with round corners and ends."""

    points: tuple[Point, ...]
    colour: str = INK
    width: float = 1.0


@dataclass(frozen=True)
class Polygon:
    """A closed area, filled, outlined, or both."""

    points: tuple[Point, ...]
    fill: str | None = None
    colour: str | None = None
    width: float = 1.0


@dataclass(frozen=True)
class Rect:
    """A box from its upper left corner, filled, outlined, or both."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    colour: str | None = None
    line: float = 1.0


@dataclass(frozen=True)
class Circle:
    """A circle, filled, outlined, or both."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    colour: str | None = None
    width: float = 1.0


@dataclass(frozen=True)
class Text:
    """A line of text; (x, y) is on its baseline, at its "start", "middle" or "end".

    `english` stands in where no font at hand has the letters (Japanese in a PNG on a machine without such a font).
    """

    x: float
    y: float
    text: str
    size: float = 10.0
    colour: str = INK
    anchor: str = "start"
    bold: bool = False
    english: str = ""


Item = Line | Polyline | Polygon | Rect | Circle | Text


@dataclass(frozen=True)
class Drawing:
    """A picture of `width` x `height` points (72 an inch), origin at the upper left, y down; later items lie on top."""

    width: float
    height: float
    items: tuple[Item, ...]
    title: str = ""


def text_width(text: str, size: float) -> float:
    """About how wide `text` is in points; wide letters (Japanese) count a full em. For spacing, never for measuring."""
    ems = (1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.52 for letter in text)
    return size * sum(ems)


def encoded(
    drawing: Drawing | Sequence[Drawing], path: str | PathLike[str], *, scale: float = 2.0
) -> dict[Path, bytes]:
    """A drawing, or pages of them, as the .svg, .png or .pdf file that `path` names: path -> bytes, in order.

    A PDF holds all pages; the others hold one, so several become name-1.svg, name-2.svg and so on. `scale` is the
    pixels a point of a PNG (2: 144 dots an inch).
    """
    pages = [drawing] if isinstance(drawing, Drawing) else list(drawing)
    if not pages:
        raise OptionError("drawing", expected=Note("at least one page"), found=Note("none"))
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix == ".pdf":
        from komadori.render import pdf

        return {target: pdf.encoded(pages)}
    targets = [target]
    if len(pages) > 1:
        targets = [target.with_name(f"{target.stem}-{n}{target.suffix}") for n in range(1, len(pages) + 1)]
    if suffix == ".svg":
        from komadori.render import svg

        return {where: svg.encoded(page) for where, page in zip(targets, pages, strict=True)}
    if suffix == ".png":
        from komadori.render import png

        return {where: png.encoded(page, scale) for where, page in zip(targets, pages, strict=True)}
    raise OptionError(
        "path", expected=Note("a file name that ends in {names}", names=".svg, .png or .pdf"), found=target.name
    )


def save(drawing: Drawing | Sequence[Drawing], path: str | PathLike[str], *, scale: float = 2.0) -> list[Path]:
    """Writes what `encoded` makes; the files written, in order."""
    files = encoded(drawing, path, scale=scale)
    for where, data in files.items():
        write_bytes(where, data)
    return list(files)
