"""`python -m bench [NAME ...]`: run the measurements and write docs/benchmarks/NAME.md."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from pathlib import Path

# Before NumPy is loaded, as bench.check does: threads of its algebra library that wait for one another count as work.
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"))

from bench.tables import page

TITLES = {
    "reading": "Reading BVH, and forward kinematics",
    "limited": "Limited animation",
    "live": "Live",
    "live_hour": "Live, for an hour",
    "timing": "Timing: peaks, omissions and solvers",
    "keyposes": "Key poses",
    "puppet": "The puppet",
    "hair": "Hair",
    "skinning": "Skinning and retargeting",
    "mmd": "MikuMikuDance",
    "gltf": "glTF",
    "exchange": "Exchange: FBX and VMD",
    "translate": "Translation",
    "acting": "A person acts an animal",
    "render": "Pictures",
    "films": "Films: codecs",
    "anime": "From motion to anime",
    "studio": "The studio",
    "studio_kills": "The studio, killed",
    "clean": "Cleaning",
    "batch": "A whole library",
    "starting": "Starting up",
    "blender": "Blender",
    "ratios": "Ratios and growth",
}
"""Module -> its page's title; each module has `tables() -> list[Table]`."""
LONG = ("films", "live_hour", "batch", "studio_kills")
"""Measurements that take minutes each, because what they look for needs time: they are run by name."""
PAGES = Path(__file__).parent.parent / "docs" / "benchmarks"


def main(names: list[str]) -> int:
    """Run the named measurements, or all but the long ones, and list what was missed; 1 if anything was."""
    unknown = [name for name in names if name not in TITLES]
    if unknown:
        print(f"bench: no measurement is called {unknown[0]!r}; there are {', '.join(TITLES)}", file=sys.stderr)
        return 2
    PAGES.mkdir(parents=True, exist_ok=True)
    missed: list[str] = []
    begin = time.monotonic()
    for name in names or [name for name in TITLES if name not in LONG]:
        started = time.monotonic()
        try:
            tables = import_module(f"bench.{name}").tables()
        except ImportError as error:
            # One library less must not cost all other tables.
            missed.append(f"{name}: not measured, for {error.name or error} is not installed")
            continue
        text = page(TITLES[name], tables)
        (PAGES / f"{name}.md").write_text(text, encoding="utf-8")
        print(text)
        print(f"({name}: {time.monotonic() - started:.0f} s)\n", flush=True)
        missed += [f"{name}: {line}" for table in tables for line in table.failed]
    print(f"{time.monotonic() - begin:.0f} s in all; missed: {len(missed) or 'nothing'}")
    print("\n".join(f"  {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
