"""What all runs of `make fuzz` found together: a file that each run adds to, and the page that is written from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass
class Count:
    """What became of the broken files of one format."""

    cases: int = 0
    read: int = 0
    apart: int = 0
    harm: int = 0
    clean: int = 0
    """Cases since the last that did harm."""

    def add(self, harm: bool, *, read: bool = False, apart: bool = False) -> None:
        """One more case."""
        self.cases += 1
        self.read += read
        self.apart += apart
        self.harm += harm
        self.clean = 0 if harm else self.clean + 1


class Tally:
    """Counts and kinds of harm, kept in `path` from run to run if there is one."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
        self.seeds: list[int] = known.get("seeds", [])
        self.kinds: dict[str, int] = known.get("kinds", {})
        self.counts = {form: Count(**count) for form, count in known.get("counts", {}).items()}

    def next_seed(self) -> int:
        """A seed that no run before had."""
        return max(self.seeds, default=-1) + 1

    def count(self, form: str) -> Count:
        """The count of a format."""
        return self.counts.setdefault(form, Count())

    def save(self) -> None:
        """Writes the file, if it has one."""
        if self.path:
            kept = {"seeds": self.seeds, "kinds": self.kinds, "counts": {f: asdict(c) for f, c in self.counts.items()}}
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def rows(counts: Mapping[str, Count]) -> list[tuple[Any, ...]]:
    """A row for each format and the sum."""
    every: list[tuple[Any, ...]] = [
        (form, one.cases, one.read, one.apart, one.harm, one.clean) for form, one in sorted(counts.items())
    ]
    return [*every, ("all", *(sum(row[column] for row in every) for column in range(1, 6)))]


def page(tally: Tally) -> str:
    """The page in docs/benchmarks."""
    lines = [
        "# Broken files",
        "",
        f"Written by `make fuzz TALLY=1`, each run with a seed of its own (runs so far: {len(tally.seeds)}). A case is a sound file of a format, broken in one to three ways,",
        "read in a process with limits of 5 s, and ten times its size and 500 MB of memory, then written in another format and read",
        "again. Harm is any error that is not one line of ours, a hang, or memory over the limit; the last column counts the cases since",
        'the last. "Ended in its library" counts files of FBX, C3D and USD at which the library that reads them crashes, hangs or takes',
        "too much memory; komadori runs it in a process of its own, which ends alone, and reports one line.",
        "",
        "| format | cases | something was read | ended in its library | harm found | cases since |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {row[0]} | " + " | ".join(f"{number:,}" for number in row[1:]) + " |" for row in rows(tally.counts)]
    if tally.kinds:
        lines += ["", "Kinds of harm found, and in how many cases:", ""]
        lines += [f"- {kind.replace('|', '/')}: {number}" for kind, number in sorted(tally.kinds.items())]
    return "\n".join(lines) + "\n"
