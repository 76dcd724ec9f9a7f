"""Drawings as SVG, written by hand: no library, small files, the reader's own fonts."""

from __future__ import annotations

from html import escape

from komadori.render.drawing import Circle, Drawing, Item, Line, Point, Polygon, Polyline, Rect, Text

FONTS = (
    "Helvetica, Arial, 'Liberation Sans', 'Hiragino Sans', 'Yu Gothic', Meiryo, 'Noto Sans CJK JP', "
    "'Noto Sans JP', IPAGothic, sans-serif"
)


def encoded(drawing: Drawing) -> bytes:
    """`drawing` as an SVG file."""
    width, height = _number(drawing.width), _number(drawing.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" viewBox="0 0 {width} {height}" '
        f'font-family="{FONTS}" role="img">',
        *([f"<title>{_safe(drawing.title)}</title>"] if drawing.title else []),
        *map(_element, drawing.items),
        "</svg>",
    ]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _element(item: Item) -> str:
    if isinstance(item, Line):
        dash = f' stroke-dasharray="{" ".join(map(_number, item.dash))}"' if item.dash else ""
        ends = f'x1="{_number(item.x1)}" y1="{_number(item.y1)}" x2="{_number(item.x2)}" y2="{_number(item.y2)}"'
        return f"<line {ends} {_stroke(item.colour, item.width)}{dash}/>"
    if isinstance(item, Polyline):
        look = f'fill="none" {_stroke(item.colour, item.width)} stroke-linejoin="round" stroke-linecap="round"'
        return f'<polyline points="{_points(item.points)}" {look}/>'
    if isinstance(item, Polygon):
        look = f'{_fill(item.fill)} {_stroke(item.colour, item.width)} stroke-linejoin="round"'
        return f'<polygon points="{_points(item.points)}" {look}/>'
    if isinstance(item, Rect):
        box = (
            f'x="{_number(item.x)}" y="{_number(item.y)}" width="{_number(item.width)}" height="{_number(item.height)}"'
        )
        return f"<rect {box} {_fill(item.fill)} {_stroke(item.colour, item.line)}/>"
    if isinstance(item, Circle):
        place = f'cx="{_number(item.x)}" cy="{_number(item.y)}" r="{_number(item.radius)}"'
        return f"<circle {place} {_fill(item.fill)} {_stroke(item.colour, item.width)}/>"
    return _text(item)


def _text(item: Text) -> str:
    anchor = "" if item.anchor == "start" else f' text-anchor="{_safe(item.anchor)}"'
    weight = ' font-weight="bold"' if item.bold else ""
    place = f'x="{_number(item.x)}" y="{_number(item.y)}" font-size="{_number(item.size)}"'
    return f'<text {place} fill="{_safe(item.colour)}"{anchor}{weight}>{_safe(item.text)}</text>'


def _number(value: float) -> str:
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _fill(colour: str | None) -> str:
    return f'fill="{_safe(colour or "none")}"'


def _stroke(colour: str | None, width: float) -> str:
    return f'stroke="{_safe(colour)}" stroke-width="{_number(width)}"' if colour else 'stroke="none"'


def _safe(text: str) -> str:
    """`text` for XML, which has no way to write most control characters."""
    return escape("".join(letter for letter in text if letter >= " " and letter not in "\x7f\ufffe\uffff"))
