"""`python -m bench [NAME ...]`: run the measurements and write docs/benchmarks/NAME.md."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from bench.tables import page

TITLES = {
    "reading": "Reading BVH, and forward kinematics",
    "limited": "Limited animation",
    "keyposes": "Key poses",
    "puppet": "The puppet",
    "hair": "Hair",
    "skinning": "Skinning and retargeting",
    "mmd": "MikuMikuDance",
    "gltf": "glTF",
    "translate": "Translation",
    "acting": "A person acts an animal",
    "render": "Pictures",
    "anime": "From motion to anime",
    "studio": "The studio",
    "starting": "Starting up",
}
"""Module -> its page's title; each module has `tables() -> list[Table]`."""
PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"


def main(names: list[str]) -> int:
    """Run the named measurements, or all; 1 if a target was missed."""
    unknown = [name for name in names if name not in TITLES]
    if unknown:
        print(f"bench: no measurement is called {unknown[0]!r}; there are {', '.join(TITLES)}", file=sys.stderr)
        return 2
    PAGES.mkdir(parents=True, exist_ok=True)
    missed = 0
    for name in names or TITLES:
        tables = import_module(f"bench.{name}").tables()
        text = page(TITLES[name], tables)
        (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
        print(text)
        missed += sum(len(table.failed) for table in tables)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
