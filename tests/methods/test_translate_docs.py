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


def test_contact_timing_between_people_and_animals() -> None:
    errors = [float(row[2]) for row in rows("People drive animals") if "jog" not in row[1]]
    assert tuple(map(float, said(r"within ([\d.]+) to ([\d.]+) frames"))) == (min(errors), max(errors))
