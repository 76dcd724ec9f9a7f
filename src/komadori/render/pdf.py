"""Drawings as PDF, by reportlab: vector shapes, several pages, Japanese through a font that every viewer brings."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from komadori.errors import OptionError
from komadori.render.drawing import Circle, Drawing, Item, Line, Point, Polygon, Polyline, Rect, Text
from komadori.words import Note

JAPANESE_FONT = "HeiseiKakuGo-W5"
MISSING = Note("PDF needs reportlab: pip install 'komadori[pictures]'")


def encoded(pages: Sequence[Drawing]) -> bytes:
    """`pages` as one PDF file; the same pages always give the same bytes."""
    try:
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        raise OptionError(MISSING) from None
    if JAPANESE_FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(JAPANESE_FONT))
    file = io.BytesIO()
    canvas = Canvas(file, invariant=1, pageCompression=1)
    canvas.setCreator("komadori")
    canvas.setTitle(pages[0].title or "komadori")
    for page in pages:
        canvas.setPageSize((page.width, page.height))
        # Our y goes down from the top, a page's goes up from the bottom.
        for item in page.items:
            _draw(canvas, item, page.height)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _draw(canvas: Any, item: Item, top: float) -> None:
    if isinstance(item, Text):
        _write(canvas, item, top)
        return
    canvas.setLineCap(1 if isinstance(item, Polyline) else 0)
    canvas.setLineJoin(1)
    canvas.setDash(*((list(item.dash), 0) if isinstance(item, Line) and sum(item.dash) > 0 else ()))
    if isinstance(item, Line):
        _pen(canvas, item.colour, item.width)
        canvas.line(item.x1, top - item.y1, item.x2, top - item.y2)
    elif isinstance(item, Polyline):
        _pen(canvas, item.colour, item.width)
        canvas.drawPath(_path(canvas, item.points, top), stroke=1, fill=0)
    elif isinstance(item, Polygon):
        _pen(canvas, item.colour, item.width, item.fill)
        path = _path(canvas, item.points, top)
        path.close()
        canvas.drawPath(path, stroke=int(item.colour is not None), fill=int(item.fill is not None))
    elif isinstance(item, Rect):
        _pen(canvas, item.colour, item.line, item.fill)
        corner = (item.x, top - item.y - item.height)
        shown = {"stroke": int(item.colour is not None), "fill": int(item.fill is not None)}
        canvas.rect(*corner, item.width, item.height, **shown)
    elif isinstance(item, Circle):
        _pen(canvas, item.colour, item.width, item.fill)
        shown = {"stroke": int(item.colour is not None), "fill": int(item.fill is not None)}
        canvas.circle(item.x, top - item.y, item.radius, **shown)


def _write(canvas: Any, item: Text, top: float) -> None:
    try:
        item.text.encode("cp1252")
        font = "Helvetica-Bold" if item.bold else "Helvetica"
    except UnicodeEncodeError:
        font = JAPANESE_FONT
    canvas.setFillColor(item.colour)
    canvas.setFont(font, item.size)
    draw = {"start": canvas.drawString, "middle": canvas.drawCentredString, "end": canvas.drawRightString}
    mode = 0
    if item.bold and font == JAPANESE_FONT:
        # The font has one weight: a bold letter is filled and outlined.
        canvas.setStrokeColor(item.colour)
        canvas.setLineWidth(item.size * 0.035)
        mode = 2
    text = "".join(letter for letter in item.text if letter.isprintable())
    draw[item.anchor](item.x, top - item.y, text, mode=mode)


def _pen(canvas: Any, colour: str | None, width: float, fill: str | None = None) -> None:
    if colour is not None:
        canvas.setStrokeColor(colour)
        canvas.setLineWidth(width)
    if fill is not None:
        canvas.setFillColor(fill)


def _path(canvas: Any, points: tuple[Point, ...], top: float) -> Any:
    path = canvas.beginPath()
    path.moveTo(points[0][0], top - points[0][1])
    for _, (x, y) in pairwise(points):
        path.lineTo(x, top - y)
    return path
