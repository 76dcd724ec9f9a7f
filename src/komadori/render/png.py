"""Drawings as pixels, by Pillow: drawn large, then averaged down, so that edges are smooth."""

from __future__ import annotations

import io
import math
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from komadori.errors import OptionError
from komadori.render.drawing import Circle, Drawing, Item, Line, Point, Polygon, Polyline, Rect, Text
from komadori.words import Note

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

MISSING = Note("PNG and GIF need Pillow: pip install 'komadori[pictures]'")
FINER = 3
"""Each pixel is the mean of this many squared."""

MOST_PIXELS = 60_000_000
FONT_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "~/Library/Fonts",
    "C:/Windows/Fonts",
)
JAPANESE_FONTS = (
    "NotoSansCJK*Regular*",
    "NotoSansJP*",
    "ipagp*",
    "ipag*",
    "Hiragino*W3*",
    "YuGoth*",
    "meiryo*",
    "msgothic*",
)


def encoded(drawing: Drawing, scale: float = 2.0) -> bytes:
    """`drawing` as a PNG file with `scale` pixels per point."""
    file = io.BytesIO()
    image(drawing, scale).save(file, "PNG", optimize=True, dpi=(72 * scale, 72 * scale))
    return file.getvalue()


def image(drawing: Drawing, scale: float = 2.0) -> Image.Image:
    """`drawing` as a Pillow image on white."""
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise OptionError(MISSING) from None
    width, height = (max(1, math.ceil(size * scale - 1e-9)) for size in (drawing.width, drawing.height))
    if not 0 < scale < 100 or width * height > MOST_PIXELS:
        raise OptionError(
            "scale",
            expected=Note("a picture that fits into memory"),
            found=Note("{width} x {height} pixels", width=width, height=height),
            advice=Note("lower the scale, or choose SVG"),
        )
    finer = FINER if width * height * FINER**2 <= 2 * MOST_PIXELS else 1
    large = Image.new("RGB", (width * finer, height * finer), "#ffffff")
    pen = ImageDraw.Draw(large)
    for item in drawing.items:
        _draw(pen, item, scale * finer)
    return large.reduce(finer) if finer > 1 else large


def _draw(pen: ImageDraw.ImageDraw, item: Item, k: float) -> None:
    if isinstance(item, Line):
        for (x1, y1), (x2, y2) in _dashes(item):
            _stroke(pen, (x1 * k, y1 * k), (x2 * k, y2 * k), item.width * k, item.colour)
    elif isinstance(item, Polyline):
        _curve(pen, _scaled(item.points, k), item.colour, item.width * k)
    elif isinstance(item, Polygon):
        points = _scaled(item.points, k)
        if item.fill:
            pen.polygon(points, fill=item.fill)
        if item.colour:
            _curve(pen, [*points, points[0]], item.colour, item.width * k)
    elif isinstance(item, Rect):
        left, upper, right, lower = item.x * k, item.y * k, (item.x + item.width) * k, (item.y + item.height) * k
        if item.fill:
            # Pillow counts the last pixel in; an edge belongs to the pixel after.
            pen.rectangle((left, upper, max(left, right - 1), max(upper, lower - 1)), fill=item.fill)
        if item.colour:
            half = item.line * k / 2
            for a, b in (
                ((left - half, upper), (right + half, upper)),
                ((left - half, lower), (right + half, lower)),
                ((left, upper), (left, lower)),
                ((right, upper), (right, lower)),
            ):
                _stroke(pen, a, b, item.line * k, item.colour)
    elif isinstance(item, Circle):
        half = item.width / 2 if item.colour else 0.0
        r = (item.radius + half) * k
        box = (item.x * k - r, item.y * k - r, item.x * k + r, item.y * k + r)
        pen.ellipse(box, fill=item.fill, outline=item.colour, width=max(1, round(item.width * k)) if item.colour else 0)
    else:
        _write(pen, item, k)


def _stroke(pen: ImageDraw.ImageDraw, a: Point, b: Point, width: float, colour: str) -> None:
    """A straight stroke as a filled box: Pillow's own wide lines are off by a pixel, and differ by direction."""
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    if length == 0.0:
        return
    nx, ny = (b[1] - a[1]) / length * width / 2, (a[0] - b[0]) / length * width / 2
    if a[0] == b[0] or a[1] == b[1]:
        left, right = sorted((round(min(a[0], b[0]) - abs(nx)), round(max(a[0], b[0]) + abs(nx))))
        upper, lower = sorted((round(min(a[1], b[1]) - abs(ny)), round(max(a[1], b[1]) + abs(ny))))
        pen.rectangle((left, upper, max(left, right - 1), max(upper, lower - 1)), fill=colour)
        return
    pen.polygon(
        [(a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny), (b[0] - nx, b[1] - ny), (a[0] - nx, a[1] - ny)], fill=colour
    )


def _curve(pen: ImageDraw.ImageDraw, points: list[Point], colour: str, width: float) -> None:
    for a, b in pairwise(points):
        _stroke(pen, a, b, width, colour)
    r = width / 2
    if r >= 1.0:
        for x, y in points:
            pen.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def _dashes(line: Line) -> Iterator[tuple[Point, Point]]:
    length = math.hypot(line.x2 - line.x1, line.y2 - line.y1)
    if not line.dash or length == 0.0 or sum(line.dash) <= 0.0:
        yield (line.x1, line.y1), (line.x2, line.y2)
        return
    at, turn = 0.0, 0
    while at < length:
        end = min(length, at + line.dash[turn % len(line.dash)])
        if turn % 2 == 0:
            yield _between(line, at / length), _between(line, end / length)
        at, turn = end, turn + 1


def _between(line: Line, t: float) -> Point:
    return line.x1 + t * (line.x2 - line.x1), line.y1 + t * (line.y2 - line.y1)


def _scaled(points: tuple[Point, ...], k: float) -> list[Point]:
    return [(x * k, y * k) for x, y in points]


def font_of(size: float, file: str | None = None) -> Any:
    """The font of `file`, or Pillow's own, `size` pixels tall.

    Laid out plainly: the other engine is there or not as the machine happens to have it, and fails on odd characters.
    """
    # One for each thread: FreeType's faces are not to be shared.
    return _font(size, file, threading.get_ident())


@lru_cache(maxsize=64)
def _font(size: float, file: str | None, thread: int) -> Any:
    from PIL import ImageFont

    engine = ImageFont.Layout.BASIC
    if file:
        return ImageFont.truetype(file, size, layout_engine=engine)
    own = ImageFont.load_default(size)
    return own.font_variant(layout_engine=engine) if isinstance(own, ImageFont.FreeTypeFont) else own


def _write(pen: ImageDraw.ImageDraw, item: Text, k: float) -> None:
    text, font_file = item.text, None
    if not text.isascii():
        font_file = _japanese_font()
        text = text if font_file else plain(item.english or text)
    font = font_of(item.size * k, font_file)
    anchor = {"start": "ls", "middle": "ms", "end": "rs"}[item.anchor]
    # Pillow's own font has one weight: a bold letter is a letter with its own outline colour.
    pen.text((item.x * k, item.y * k), text, fill=item.colour, font=font, anchor=anchor, **_bold(item, k))


def _bold(item: Text, k: float) -> dict[str, Any]:
    return {"stroke_width": max(1, round(item.size * k * 0.02)), "stroke_fill": item.colour} if item.bold else {}


def plain(text: str) -> str:
    """`text` in ASCII, all that Pillow's own font is sure to have: accents go, other letters become question marks."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return bare.translate({0xD7: "x", 0x2013: "-", 0x2014: "-"}).encode("ascii", "replace").decode("ascii")


@cache
def _japanese_font() -> str | None:
    """A font file of this machine with Japanese letters, if there is one."""
    for folder in FONT_FOLDERS:
        for pattern in JAPANESE_FONTS:
            try:
                found = sorted(
                    p for p in Path(folder).expanduser().rglob(pattern) if p.suffix in (".ttf", ".ttc", ".otf")
                )
            except (OSError, RuntimeError):
                continue
            if found:
                return str(found[0])
    return None
