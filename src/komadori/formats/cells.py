"""Cells of a table that people open in spreadsheets: no text of a stranger's is ever computed there."""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a cell begins that spreadsheets take for a formula; the wide ones in Japanese."""


def inert(cell: str) -> str:
    """`cell` as a spreadsheet shows it and never computes it: what begins like a formula gets an apostrophe before it."""
    return f"'{cell}" if cell.lstrip("'").startswith(FORMULA) else cell


def plain(cell: str) -> str:
    """`cell` without the apostrophe that `inert` puts before it."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA) else cell
