"""`make fuzz MINUTES=5`: broken files of every format, each within limits of its own, until the time is over; what does harm is kept in out/fuzz."""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib
import os
import random
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from fuzz_mutators import broken
from fuzz_running import attempted, kind_of, outcomes_of, shrunk
from fuzz_seeds import Seed, seeds
from fuzz_shapes import MUTATORS
from fuzz_tally import Count, Tally, page, rows

TOGETHER = 25
"""Cases that share a process."""


PAGE = Path(__file__).parent.parent.parent / "docs" / "benchmarks" / "fuzz.md"
"""Where the sums of a tally are written."""


def main() -> int:
    """Runs; 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--cases", type=int, default=sys.maxsize, help="stop after so many")
    parser.add_argument("--only", default="", help="formats whose name holds this")
    parser.add_argument("--seed", type=int, help="0, or with a tally the next that it has not seen")
    parser.add_argument("--tally", type=Path, help="add to the counts in this file, and write their page")
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    asked = parser.parse_args()
    tally = Tally(asked.tally)
    seed_number = tally.next_seed() if asked.seed is None else asked.seed
    tally.seeds.append(seed_number)
    rng = random.Random(seed_number)
    known: dict[str, list[Seed]] = {}
    for seed in seeds():
        if asked.only.lower() in seed.form.lower():
            known.setdefault(seed.form, []).append(seed)
    end, counts = time.monotonic() + 60.0 * asked.minutes, {form: Count() for form in known}
    found: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = _laid_out(known, Path(folder))
        while time.monotonic() < end and sum(count.cases for count in counts.values()) < asked.cases:
            chosen = [rng.choice(known[rng.choice(list(known))]) for _ in range(TOGETHER)]
            cases = [(broken(seed.data, MUTATORS[seed.form], rng), paths[id(seed)]) for seed in chosen]
            for seed, (data, path), outcome in zip(chosen, cases, outcomes_of(cases), strict=True):
                form, alone = seed.form, outcome.apart and bool(outcome.harm)
                harm = bool(outcome.harm) and not alone
                for count in (counts[form], tally.count(form)):
                    count.add(harm, read=outcome.read, apart=alone)
                if harm:
                    key = f"{form} {kind_of(outcome.harm)}"
                    found[key] = found.get(key, 0) + 1
                    tally.kinds[key] = tally.kinds.get(key, 0) + 1
                    if found[key] == 1:
                        least = shrunk(data, path, outcome.harm)
                        asked.out.mkdir(parents=True, exist_ok=True)
                        kept = asked.out / f"{hashlib.sha256(least).hexdigest()[:12]}{seed.suffix}"
                        kept.write_bytes(least)
                        print(f"{form}: {outcome.harm} ({len(least)} bytes, kept as {kept})", flush=True)
    tally.save()
    if asked.tally:
        PAGE.write_text(page(tally), encoding="utf-8")
    print(f"{'format':28} {'cases':>8} {'read':>8} {'apart':>8} {'harm':>8}   (seed {seed_number})")
    for form, *numbers in rows(counts):
        print(f"{form:28} " + " ".join(f"{number:8,}" for number in numbers[:4]))
    total = sum(one.cases for one in counts.values())
    print(f"{total:,} cases, {sum(found.values())} findings of {len(found)} kinds")
    return 1 if found else 0


def _laid_out(known: dict[str, list[Seed]], folder: Path) -> dict[int, Path]:
    """A folder for each sound file and what belongs beside it. All but those of libraries that start threads are read once,
    so that their modules are loaded before the first fork."""
    modules = ("pxr.Usd", "pxr.UsdSkel", "pxr.UsdShade", "pxr.UsdUtils", "ufbx", "ezc3d", "DracoPy", "meshoptimizer")
    for module in modules:
        if find_spec(module.partition(".")[0]):
            importlib.import_module(module)
    paths = {}
    for number, seed in enumerate(seed for listed in known.values() for seed in listed):
        home = folder / str(number)
        home.mkdir()
        for name, data in seed.beside.items():
            (home / name).write_bytes(data)
        paths[id(seed)] = home / f"case{seed.suffix}"
        paths[id(seed)].write_bytes(seed.data)
        if not seed.suffix.startswith(".usd"):
            gc.disable()
            attempted(paths[id(seed)])
    return paths


if __name__ == "__main__":
    if not hasattr(os, "fork"):
        sys.exit("fuzzing needs a system that can fork")
    status = main()
    sys.stdout.flush()
    # An orderly end would collect the objects of ufbx 0.0.5, on which the collector crashes.
    os._exit(status)
