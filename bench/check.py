"""`python -m bench.check`: is anything slower than it was? Compares ratios with the committed ones; `--keep` writes them again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

# Before NumPy is loaded: threads of its algebra library that wait for one another count as work on a busy machine.
os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1"))

from bench.ratios import Pair, beside, growth, measured

KEPT = Path(__file__).parent / "ratios.json"
SLOWER = 1.3
"""A ratio that has grown by more than this is a slowdown."""
TRIES = 3
"""What looks slower is measured again so often before it counts: a busy moment is not a slowdown."""


def slower(pairs: list[Pair], kept: dict[str, float]) -> dict[str, float]:
    """The ratios that have grown by more than SLOWER, however often they are measured; new ones are none."""
    found: dict[str, float] = {}
    for pair in pairs:
        allowed = SLOWER * kept.get(pair.name, float("inf"))
        ratio = float("inf")
        for _ in range(TRIES):
            ratio = min(ratio, measured([pair])[pair.name])
            if ratio <= allowed:
                break
        else:
            found[pair.name] = ratio
        print(f"{ratio:10.3g}  was {kept.get(pair.name, float('nan')):8.3g}  {pair.name}", flush=True)
    return found


def main(arguments: list[str]) -> int:
    """0 if nothing is slower, 1 if something is."""
    pairs = [*beside(), *(_named(pair) for pair in growth())]
    if arguments == ["--keep"]:
        ratios = {name: float(f"{ratio:.3g}") for name, ratio in measured(pairs).items()}
        KEPT.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")
        return 0
    if arguments:
        print("usage: python -m bench.check [--keep]", file=sys.stderr)
        return 2
    found = slower(pairs, json.loads(KEPT.read_text(encoding="utf-8")))
    for name, ratio in found.items():
        print(f"slower: {name}: {ratio:.3g}, more than {SLOWER:g} times what it was", file=sys.stderr)
    return 1 if found else 0


def _named(pair: Pair) -> Pair:
    return Pair(f"growth: {pair.name}", pair.work, pair.reference, pair.repeats)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
