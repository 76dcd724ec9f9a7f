"""The papers' claims: each has a row, a measurement and, where it differs, a reason; pages are what the program writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.papers.claims import VERDICTS, Claim, Measured, Paper, Statement, Words, faults, numbered, page, sections
from bench.papers.table import PAPERS

DOCS = Path(__file__).parents[1] / "docs"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_claim_is_measured_and_every_difference_explained(paper: Paper) -> None:
    assert [claim.name for claim in paper.claims if claim.measure is None] == []
    assert numbered(paper, "figure") == set(range(1, paper.figures + 1))
    assert numbered(paper, "table") == set(range(1, paper.tables + 1))
    assert paper.sections, "a paper is more than its figures"
    assert set(paper.sections) <= sections(paper)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_everything_that_a_paper_says_has_a_row(paper: Paper) -> None:
    rows = {claim.name for claim in paper.claims}
    assert len(rows) == len(paper.claims)
    assert [one.says.en for one in paper.statements if one.row not in rows] == []
    # The list was read out of the paper before its rows were written: each figure and table is in it.
    places = {one.where.en for one in paper.statements}
    assert {f"Figure {n + 1}" for n in range(paper.figures)} <= places
    assert {f"Table {n + 1}" for n in range(paper.tables)} <= places
    assert len(paper.statements) >= 12


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages_hold_every_claim(paper: Paper, language: str) -> None:
    folder = DOCS / "papers" if language == "en" else DOCS / "ja" / "papers"
    text = (folder / f"{paper.name}.md").read_text(encoding="utf-8")
    for claim in paper.claims:
        assert f"## {claim.where.told(language)}\n" in text
        assert claim.says.told(language) in text
    # Every verdict of a difference is followed by its reason.
    differs = f"**: {VERDICTS['differs'].en}\n" if language == "en" else f"**：{VERDICTS['differs'].ja}\n"
    reason = "- **Why it differs**" if language == "en" else "- **違いの理由**"
    assert text.count(differs) == text.count(differs + reason)
    assert VERDICTS["open"].told(language) not in text
    for one in paper.statements:
        assert f"| {one.where.told(language)} | {one.says.told(language)} | " in text
    for name, *_ in (picture for claim in paper.claims for picture in claim.pictures):
        assert f"pictures/{name}.png)" in text
        assert (DOCS / "pictures" / f"{name}.png").is_file()


def test_what_is_missing_is_a_fault() -> None:
    words = Words("Figure 1", "図 1")
    claim = Claim("one", words, words, lambda _: held)
    held, broken = (Measured(words, {}, holds) for holds in (True, False))
    paper = Paper("small", words, "", 1, 0, (claim,))
    assert faults(paper, {"one": held}) == []
    assert faults(paper, {}) == ["small: one has no measurement"]
    assert faults(paper, {"one": broken}) == ["small: one differs, and no reason is given"]
    assert faults(replace(paper, tables=1), {"one": held}) == ["small: table 1 has no row"]
    assert faults(replace(paper, sections=("3.1",)), {"one": held}) == ["small: section 3.1 has no row"]
    said = Statement(Words("Section 1", "1 節"), Words("it is so", "そうである"), "two")
    assert faults(replace(paper, statements=(said,)), {"one": held}) == ["small: no row for: it is so"]
    assert faults(replace(paper, statements=(replace(said, row="one"),)), {"one": held}) == []
    there = Words("Sections 3.1 and 3.2, figure 1", "")
    assert sections(replace(paper, claims=(replace(claim, where=there),))) == {"3.1", "3.2"}
    told = replace(paper, claims=(replace(claim, why=Words("because", "理由")),))
    assert faults(told, {"one": broken}) == []
    assert "because" in page(told, {"one": broken}, "en")
    assert "because" not in page(told, {"one": held}, "en")
