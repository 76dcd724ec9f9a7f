"""Laying drawings out: one moved within another, several below each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from komadori.render.drawing import WHITE, Circle, Drawing, Item, Line, Polygon, Polyline, Rect, Text


def moved(item: Item, dx: float, dy: float) -> Item:
    """`item` shifted by (dx, dy) points."""
    if isinstance(item, Line):
        return replace(item, x1=item.x1 + dx, y1=item.y1 + dy, x2=item.x2 + dx, y2=item.y2 + dy)
    if isinstance(item, Polyline | Polygon):
        return replace(item, points=tuple((x + dx, y + dy) for x, y in item.points))
    assert isinstance(item, Rect | Circle | Text)
    return replace(item, x=item.x + dx, y=item.y + dy)


def placed(drawings: Sequence[tuple[float, float, Drawing]], title: str = "", margin: float = 0.0) -> Drawing:
    """One drawing that holds several, each with its upper left corner at (x, y)."""
    width = max(x + drawing.width for x, _, drawing in drawings) + margin
    height = max(y + drawing.height for _, y, drawing in drawings) + margin
    items: list[Item] = [Rect(0, 0, width, height, fill=WHITE)]
    items += [moved(item, x, y) for x, y, drawing in drawings for item in drawing.items]
    return Drawing(width, height, tuple(items), title)
