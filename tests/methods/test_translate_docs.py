"""The figures in docs/translate.md are those that the bench wrote."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def rows(title: str) -> list[list[str]]:
    """The cells of a table of the bench's page, without its head."""
    page = (DOCS / "benchmarks" / "translate.md").read_text(encoding="utf-8")
    section = page.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    return [[cell.strip() for cell in line.strip("| \n").split("|")] for line in section.splitlines() if "|" in line][
        2:
    ]


def said(pattern: str) -> tuple[str, ...]:
    text = " ".join((DOCS / "translate.md").read_text(encoding="utf-8").split())
    found = re.search(pattern, text)
    assert found, pattern
    return found.groups()


def test_errors_of_legs_to_arms() -> None:
    mean = {row[0].split(" ")[0]: float(row[-1]) for row in rows("Legs to arms")}
    static, fir, auto = said(r"falls from ([\d.]+) degrees \(static\) and ([\d.]+) \(fir\) to ([\d.]+)")
    assert float(auto) <= 8.9
    for figure, model in ((static, "static"), (fir, "fir"), (auto, "auto")):
        assert abs(float(figure) - mean[model]) <= 0.0501


def test_how_well_style_comes_through() -> None:
    """The mean rank correlations in the text are those of the page, from the least to the best animal."""
    page = (DOCS / "benchmarks" / "acting.md").read_text(encoding="utf-8")
    means = [float(line.strip("| \n").split("|")[-1]) for line in page.splitlines() if "| all 15 |" in line]
    assert tuple(map(float, said(r"mean correlation of ([\d.]+) to ([\d.]+)"))) == (min(means), max(means))
