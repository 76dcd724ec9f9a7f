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
    mean = {row[0].split(" ")[0]: float(row[-1]) for row in rows("Legs to arms") if row[-1] != "not installed"}
    ridge, n4sid, auto = said(r"falls from ([\d.]+) degrees \(ridge\) and ([\d.]+) \(n4sid\) to ([\d.]+)")
    assert mean["auto"] <= 8.5
    for figure, model in ((ridge, "ridge"), (n4sid, "n4sid"), (auto, "auto")):
        assert abs(float(figure) - mean[model]) <= 0.0501


def test_swing_of_legs_to_arms() -> None:
    ratios = [float(row[-1].split("/")[0]) for row in rows("Arm swing") if row[0].startswith("08_")]
    assert tuple(map(float, said(r"with swing ratios of (\d\.\d+) to (\d\.\d+)"))) == (min(ratios), max(ratios))


def test_hind_legs_to_fore_legs_of_horses() -> None:
    table = {(row[0], row[2].split(",")[0]): (row[4], row[5]) for row in rows("A horse's hind legs to its fore legs")}
    built_in, drawn = table["built-in horse", "n4sid"], table["Quaternius' horse", "n4sid"]
    figures = said(
        r"within ([\d.]+) degrees per joint for the built-in horse and ([\d.]+) for Quaternius' \(mean pose: ([\d.]+) and ([\d.]+)\)"
    )
    for figure, wanted in zip(figures, (built_in[1], drawn[1], built_in[0], drawn[0]), strict=True):
        assert abs(float(figure) - float(wanted)) <= 0.0501


def test_how_well_style_comes_through() -> None:
    """The mean rank correlations in the text are those of the page, from the least to the best animal."""
    page = (DOCS / "benchmarks" / "acting.md").read_text(encoding="utf-8")
    means = [float(line.strip("| \n").split("|")[-1]) for line in page.splitlines() if "| all 15 |" in line]
    assert tuple(map(float, said(r"mean correlation of ([\d.]+) to ([\d.]+)"))) == (min(means), max(means))
