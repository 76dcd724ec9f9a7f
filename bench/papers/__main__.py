"""`python -m bench.papers [NAME ...]`: measure every claim and write docs/papers and docs/ja/papers;
1 if a claim has no row, a row no measurement, or a difference no reason."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bench.clips import real_data
from bench.papers.claims import faults, page
from bench.papers.table import PAPERS
from komadori.render.drawing import save

DOCS = Path(__file__).parents[2] / "docs"


def main(names: list[str]) -> int:
    """Measure the papers named, or all five, and write their pages."""
    data = real_data()
    if data is None:
        print("papers: the real clips are not at hand; set KOMADORI_DATA to their folder", file=sys.stderr)
        return 2
    wrong: list[str] = []
    for paper in PAPERS:
        if names and paper.name not in names:
            continue
        begin = time.process_time()
        results = {claim.name: claim.measure(data) for claim in paper.claims if claim.measure is not None}
        for name, _, draw in (picture for claim in paper.claims for picture in claim.pictures):
            save(draw(data), DOCS / "pictures" / f"{name}.png")
        wrong += faults(paper, results)
        for language, folder in (("en", DOCS / "papers"), ("ja", DOCS / "ja" / "papers")):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{paper.name}.md").write_text(page(paper, results, language), encoding="utf-8")  # type: ignore[arg-type]
        differ = sum(not result.holds for result in results.values())
        print(
            f"{paper.name}: {len(results)} of {len(paper.claims)} claims measured, {differ} differ, {time.process_time() - begin:.0f} s of processor time",
            flush=True,
        )
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
