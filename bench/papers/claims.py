"""What a claim of a paper is, how its row is declared, and how a page is written from the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.tables import machine
from komadori.render.drawing import Drawing

Kind = Literal["claim", "beyond"]
Language = Literal["en", "ja"]


@dataclass(frozen=True)
class Words:
    """A sentence in both languages."""

    en: str
    ja: str

    def told(self, language: Language, values: Mapping[str, object] | None = None) -> str:
        """The sentence in `language`, with `values` filled in."""
        text = self.ja if language == "ja" else self.en
        if values is None:
            return text
        return text.format(
            **{name: one.told(language) if isinstance(one, Words) else one for name, one in values.items()}
        )


@dataclass(frozen=True)
class Measured:
    """What a measurement found: a sentence with its numbers, whether it bears the claim out, and a table if there is one."""

    found: Words
    values: Mapping[str, object]
    holds: bool
    columns: tuple[Words, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Claim:
    """One table, figure, example, statement or future-work item of a paper."""

    name: str
    where: Words
    says: Words
    measure: Callable[[Path], Measured] | None
    """Called with the folder of real clips; None is a claim that is not measured yet, and the page says so."""
    kind: Kind = "claim"
    """beyond: the paper names it as future work or leaves it open."""
    why: Words | None = None
    """What differs and why: a claim that the measurement does not bear out must have it."""
    note: Words | None = None
    """What a reader should know in any case."""
    pictures: tuple[tuple[str, Words, Callable[[Path], Drawing]], ...] = ()
    """Name of the file without its suffix, what it shows, and what draws it from the folder of real clips."""


@dataclass(frozen=True)
class Statement:
    """Something that a paper says, read out of it before any row was written, and the row in which it is answered."""

    where: Words
    says: Words
    row: str


@dataclass(frozen=True)
class Paper:
    """A paper, its claims, and how many figures and tables it has: each must be in a claim."""

    name: str
    title: Words
    citation: str
    figures: int
    tables: int
    claims: tuple[Claim, ...]
    about: Words = field(default=Words("", ""))
    sections: tuple[str, ...] = ()
    """The sections that claim, show or promise something: each must be in a claim."""
    statements: tuple[Statement, ...] = ()
    """All that the paper claims, shows or promises; each must have its row."""


VERDICTS: Mapping[str, Words] = {
    "agrees": Words("agrees", "一致"),
    "differs": Words("differs", "相違"),
    "beyond": Words("built (not in the paper, or its future work)", "実装済み（論文にないか、今後の課題）"),
    "open": Words("not measured yet", "未測定"),
}
HEAD = Words(
    "Written by `make papers` ({machine}). Times depend on the machine and on what else it does.",
    "`make papers` が書き出したページです（{machine}）。時間は計算機とその負荷によって変わります。",
)
LABELS = {
    "says": Words("The paper", "論文"),
    "found": Words("Measured here", "ここでの測定"),
    "why": Words("Why it differs", "違いの理由"),
    "verdict": Words("Verdict", "判定"),
    "note": Words("Note", "注"),
}
OVERVIEW = (
    Words("In the paper", "論文の箇所"),
    Words("What it says", "内容"),
    Words("Answered in", "対応する項目"),
    LABELS["verdict"],
)


def _verdict(claim: Claim, found: Measured | None) -> str:
    """What the measurement says, which is what a page shows."""
    if found is None:
        return "open"
    if not found.holds:
        return "differs"
    return "beyond" if claim.kind == "beyond" else "agrees"


def numbered(paper: Paper, word: str) -> set[int]:
    """The figures or tables (`word`) that the paper's claims name."""
    found: set[int] = set()
    for claim in paper.claims:
        for part in re.findall(rf"{word}s? ([\d, to]+(?:and \d+)?)", claim.where.en, re.IGNORECASE):
            numbers = [int(number) for number in re.findall(r"\d+", part)]
            found |= set(range(numbers[0], numbers[-1] + 1)) if "to" in part else set(numbers)
    return found


def sections(paper: Paper) -> set[str]:
    """The sections that the paper's claims name."""
    told = (
        part
        for claim in paper.claims
        for part in re.findall(r"Sections? ([\d.]+(?:(?:, | and )[\d.]+)*)", claim.where.en)
    )
    return {number.rstrip(".") for part in told for number in re.split(r", | and ", part)}


def faults(paper: Paper, results: Mapping[str, Measured]) -> list[str]:
    """Why the page cannot stand: a statement, section, figure or table without a row, a row without a measurement, a difference without a reason."""
    found = []
    for word, count in (("figure", paper.figures), ("table", paper.tables)):
        missing = set(range(1, count + 1)) - numbered(paper, word)
        found += [f"{paper.name}: {word} {number} has no row" for number in sorted(missing)]
    found += [
        f"{paper.name}: section {number} has no row" for number in paper.sections if number not in sections(paper)
    ]
    rows = {claim.name for claim in paper.claims}
    found += [f"{paper.name}: no row for: {one.says.en}" for one in paper.statements if one.row not in rows]
    for claim in paper.claims:
        result = results.get(claim.name)
        if result is None:
            found.append(f"{paper.name}: {claim.name} has no measurement")
        elif not result.holds and claim.why is None:
            found.append(f"{paper.name}: {claim.name} differs, and no reason is given")
    return found


def page(paper: Paper, results: Mapping[str, Measured], language: Language) -> str:
    """The page of `paper` in `language`."""
    lines = [f"# {paper.title.told(language)}", "", f"{paper.citation}", ""]
    lines += [HEAD.told(language, {"machine": machine()}), ""]
    if paper.about.told(language):
        lines += [paper.about.told(language), ""]
    lines += _overview(paper, results, language)
    stop = "：" if language == "ja" else ": "
    for claim in paper.claims:
        found = results.get(claim.name)
        lines += [f"## {claim.where.told(language)}", ""]
        lines += [f"- **{LABELS['says'].told(language)}**{stop}{claim.says.told(language)}"]
        verdict = VERDICTS[_verdict(claim, found)].told(language)
        if found is not None:
            lines.append(f"- **{LABELS['found'].told(language)}**{stop}{found.found.told(language, found.values)}")
        lines.append(f"- **{LABELS['verdict'].told(language)}**{stop}{verdict}")
        if claim.why is not None and found is not None and not found.holds:
            lines.append(f"- **{LABELS['why'].told(language)}**{stop}{claim.why.told(language)}")
        if claim.note is not None:
            lines.append(f"- **{LABELS['note'].told(language)}**{stop}{claim.note.told(language)}")
        lines.append("")
        up = "../../pictures" if language == "ja" else "../pictures"
        for name, told, _ in claim.pictures:
            lines += [f"![{told.told(language)}]({up}/{name}.png)", "", f"{told.told(language)}", ""]
        if found is not None and found.rows:
            lines.append("| " + " | ".join(column.told(language) for column in found.columns) + " |")
            lines.append("|" + "---|" * len(found.columns))
            lines += ["| " + " | ".join(row) + " |" for row in found.rows]
            lines.append("")
    return "\n".join(lines)


def _overview(paper: Paper, results: Mapping[str, Measured], language: Language) -> list[str]:
    """Every statement of the paper with the row that answers it."""
    rows = {claim.name: claim for claim in paper.claims}
    lines = ["| " + " | ".join(column.told(language) for column in OVERVIEW) + " |", "|" + "---|" * len(OVERVIEW)]
    for one in paper.statements:
        claim = rows.get(one.row)
        where = "" if claim is None else claim.where.told(language)
        verdict = VERDICTS["open" if claim is None else _verdict(claim, results.get(one.row))].told(language)
        lines.append(f"| {one.where.told(language)} | {one.says.told(language)} | {where} | {verdict} |")
    return [*lines, ""] if paper.statements else []
